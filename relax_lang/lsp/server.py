"""The server: its documents, the thread that analyses them, and how answers wait for an analysis."""

from __future__ import annotations

import asyncio
import os
import sys
from threading import Event

from lsprotocol import types
from pygls.exceptions import JsonRpcException, JsonRpcInternalError
from pygls.lsp.server import LanguageServer
from pygls.uris import from_fs_path, to_fs_path

from relax_lang._version import VERSION
from relax_lang.files.arrays.constants import constant_files
from relax_lang.files.programs import discover
from relax_lang.files.programs import read as read_program
from relax_lang.lsp.analyser import Analyser
from relax_lang.lsp.other_languages import checker_of, is_whole
from relax_lang.lsp.pipe import serve_messages
from relax_lang.lsp.project import FADED, Project
from relax_lang.lsp.protocol import Protocol
from relax_lang.workspace.incremental.snapshot import DocumentSnapshot, Snapshot
from relax_lang.workspace.queries.token_context import Marks
from relax_lang.workspace.text.document import Change
from relax_lang.workspace.workspace import Settings, Workspace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, BinaryIO

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.source import Span
    from relax_lang.files.arrays.array_files import Header
    from relax_lang.syntax.tree import FileLit
    from relax_lang.workspace.text.document import Document

ENCODINGS = {"utf-8": "utf-8", "utf-16": "utf-16", "utf-32": "utf-32"}


class RelaxServer(LanguageServer):
    """A language server with a workspace of Relax programs. Documents are known by their URI."""

    def __init__(self) -> None:
        super().__init__("relax-lang", VERSION, protocol_cls=Protocol)  # pyright: ignore[reportUnknownMemberType] - pygls leaves it untyped
        self.programs = Workspace(self.settings_of)
        self.project = Project()
        self.analyser = Analyser(self.programs, self._analysed, self._failed)
        self.loop: asyncio.AbstractEventLoop | None = None
        self._waiting: dict[str, list[asyncio.Future[DocumentSnapshot]]] = {}
        self.shown: Callable[[DocumentSnapshot], list[types.Diagnostic]] = _nothing
        """How findings are shown; see `diagnostics`."""
        self.was_shut_down = False
        """Whether the client has said that it will leave."""
        self.pulls = False
        """Whether the client asks for diagnostics itself."""
        self.published: dict[str, list[Diagnostic]] = {}
        self.supports_versioned_edits = False
        self.supports_snippets = False
        self.links: dict[str, str | None] | None = None
        """Code of a diagnostic to the page that explains it; None if the client does not show links."""
        self.can_watch = False
        self._marks: dict[str, Marks] = {}
        self.answers: dict[str, tuple[object, Any]] = {}
        """The last long answer of a kind by URI, from which differences are counted."""

    def start_io(self, stdin: BinaryIO | None = None, stdout: BinaryIO | None = None) -> None:
        """Serve one client over standard input and output, or over two streams."""
        stop = self._stop_event = Event()
        try:
            asyncio.run(serve_messages(self, stop, stdin or sys.stdin.buffer, stdout or sys.stdout.buffer))
        except (KeyboardInterrupt, SystemExit):
            pass  # what a client asks for with `exit`
        finally:
            self.shutdown()

    def take_capabilities(self, known: types.ClientCapabilities) -> None:
        """Note what the client can do."""
        documents, workspace = known.text_document, known.workspace
        self.pulls = documents is not None and documents.diagnostic is not None
        if workspace is not None:
            edits, watched = workspace.workspace_edit, workspace.did_change_watched_files
            self.supports_versioned_edits = edits is not None and bool(edits.document_changes)
            self.can_watch = watched is not None and bool(watched.dynamic_registration)
        shown = None if documents is None else documents.publish_diagnostics
        if shown is not None and shown.code_description_support:
            self.links = {}
        if documents is not None and documents.completion is not None:
            item = documents.completion.completion_item
            self.supports_snippets = item is not None and bool(item.snippet_support)

    # Texts.

    def opened(self, uri: str, text: str, version: int) -> None:
        """Take over a document and analyse it."""
        self.loop = asyncio.get_running_loop()
        self.programs.encoding = self.encoding
        self.programs.open(uri, text, version)
        self.analyser.request(uri)

    def changed(self, uri: str, changes: list[types.TextDocumentContentChangeEvent], version: int) -> None:
        """Change a document and analyse it; an analysis of an older text is stopped."""
        if self.programs.document(uri) is None:
            return
        self.programs.change(uri, [_change(one) for one in changes], version)
        self.analyser.request(uri)

    def closed(self, uri: str) -> None:
        """Forget a document; what was said of it is withdrawn."""
        self.analyser.drop(uri)
        self.programs.close(uri)
        self.published.pop(uri, None)
        self._marks.pop(uri, None)
        self.answers = {key: value for key, value in self.answers.items() if not key.endswith(uri)}
        for future in self._waiting.pop(uri, ()):
            future.cancel()
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    def settings_changed(self) -> None:
        """Read settings and arrays again, and analyse everything anew."""
        self.project.forget()
        for uri in self.programs.paths:
            self.programs.forget(uri)
            self.analyser.request(uri)

    # Analyses.

    async def snapshot(self, uri: str) -> Snapshot | None:
        """Return the analysis of the newest text of a document in Relax; None if it is not open."""
        found = await self.checked(uri)
        return found if isinstance(found, Snapshot) else None

    async def recent(self, uri: str, position: types.Position) -> tuple[Snapshot, int] | None:
        """Return an analysis that knows a place, and its offset: the last one, if changes since then are elsewhere.

        For questions whose answers may be as old as the last change.
        """
        document = self.relax_document(uri)
        if document is None:
            return None
        offset = document.lines.offset(position.line, position.character, self.encoding)
        made = self.programs.recent(uri, offset)
        if made is not None:
            return made, offset
        made = await self.snapshot(uri)
        return None if made is None else (made, self.offset(made, position))

    async def checked(self, uri: str) -> DocumentSnapshot | None:
        """Return what is found in the newest text of a document in any language; None if it is not open."""
        document = self.programs.document(uri)
        if document is None:
            return None
        known = self.programs.checked(uri)
        if known is not None and known.document is document:
            return known
        future: asyncio.Future[DocumentSnapshot] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(uri, []).append(future)
        self.analyser.request(uri)
        try:
            return await future
        except asyncio.CancelledError:
            if self.programs.document(uri) is None:
                return None  # closed
            raise

    def relax_document(self, uri: str) -> Document | None:
        """Return the newest text of a document in Relax; None if it is not open, or in another language."""
        return None if is_whole(path_of(uri)) else self.programs.document(uri)

    def marks_of(self, uri: str) -> Marks:
        """Return the places of a document from which its tokens can be read on."""
        return self._marks.setdefault(uri, Marks())

    def _analysed(self, made: DocumentSnapshot) -> None:
        """Called in the thread of the analysis."""
        if self.loop is not None and not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self._take, made)

    def _failed(self, uri: str, error: Exception) -> None:
        if self.loop is not None and not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self._give_up, uri, error)

    def _give_up(self, uri: str, error: Exception) -> None:
        from relax_lang.lsp.failures import report

        where = report(error)
        self.window_log_message(types.LogMessageParams(types.MessageType.Error, where))
        for future in self._waiting.pop(uri, ()):
            if not future.done():
                future.set_exception(error)

    def _take(self, made: DocumentSnapshot) -> None:
        uri = made.document.path
        if self.programs.document(uri) is not made.document:
            return  # a newer text is on its way
        for future in self._waiting.pop(uri, ()):
            if not future.done():
                future.set_result(made)
        if not self.pulls:
            self.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(uri, self.shown(made), made.document.version)
            )

    # Settings.

    def settings_of(self, uri: str) -> Settings:
        """Return what holds for a document beside its text."""
        path = path_of(uri)
        selection = self.project.selection(path)
        files = constant_files(self.project.source(path))

        def check_constant(literal: FileLit) -> Diagnostic | Header:
            return self.project.constant(files, literal)

        lints = (*sorted(FADED), *selection.lints)
        made = Settings(lints, selection.apply_to_editor, check_constant)
        made.check_whole = checker_of(path, made)
        return made

    def other_files(self) -> list[str]:
        """Return the URIs of the programs in the folders of the client that are not open."""
        roots = [path_of(folder.uri) for folder in self.workspace.folders.values()]
        open_paths = {path_of(uri) for uri in self.programs.paths}
        found, _ = discover(roots, self.project.excludes) if roots else ([], [])
        return [from_fs_path(path) or path for path in found if path not in open_paths]

    # Places.

    @property
    def encoding(self) -> str:
        """What the client counts in columns."""
        # A word of the protocol, or what the client wrote.
        encoding: object = self.workspace.position_encoding
        return ENCODINGS.get(str(getattr(encoding, "value", encoding)), "utf-16")

    def offset(self, snapshot: DocumentSnapshot, position: types.Position) -> int:
        """Return the offset of a place."""
        return snapshot.document.lines.offset(position.line, position.character, self.encoding)

    def range(self, snapshot: DocumentSnapshot, span: Span) -> types.Range:
        """Return a span as a range."""
        lines = snapshot.document.lines
        return types.Range(
            types.Position(*lines.place(span[0], self.encoding)),
            types.Position(*lines.place(span[1], self.encoding)),
        )

    def span(self, snapshot: DocumentSnapshot, place: types.Range) -> Span:
        """Return a range as a span."""
        return self.offset(snapshot, place.start), self.offset(snapshot, place.end)

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Write down what went wrong; the request is answered with an error, and the server goes on."""
        from relax_lang.lsp.failures import report

        if isinstance(error, JsonRpcException) and not isinstance(error, JsonRpcInternalError):
            return  # the client's mistake, which the answer reports
        where = report(error)
        try:
            self.window_log_message(types.LogMessageParams(types.MessageType.Error, where))
        except (OSError, RuntimeError):
            sys.stderr.write(where + "\n")


def _nothing(_made: DocumentSnapshot) -> list[types.Diagnostic]:
    return []


def path_of(uri: str) -> str:
    """Return the path of a document; of one that was never saved, a name in the current folder."""
    path = to_fs_path(uri) if uri.startswith("file:") else None
    return path or os.path.join(os.getcwd(), "untitled.rlx")


def text_of(path: str) -> str | None:
    """Return the text of a file, None if it cannot be read."""
    source, problem = read_program(path)
    return None if problem is not None else source.text


def _change(one: types.TextDocumentContentChangeEvent) -> Change:
    if isinstance(one, types.TextDocumentContentChangePartial):
        start, end = one.range.start, one.range.end
        return Change(one.text, (start.line, start.character), (end.line, end.character))
    return Change(one.text)
