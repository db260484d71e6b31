"""All documents of an editor, by path: their texts, and the last analysis of each. Opens no files."""

from __future__ import annotations

from relax_lang.base.cancellation import CancellationToken, stoppable
from relax_lang.base.python.gc_pause import no_collection
from relax_lang.base.python.recursion import deep_recursion
from relax_lang.workspace.incremental.moved import moved
from relax_lang.workspace.incremental.snapshot import DocumentSnapshot, Snapshot
from relax_lang.workspace.text.document import Document
from relax_lang.workspace.text.positions import UTF16

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.check.driver import CheckConstant
    from relax_lang.workspace.text.document import Change


class Settings:
    """What holds for one document beside its text.

    `lints` are words for rules that are off, `select` leaves out what is not wanted and sets severities. A document in
    another language than Relax is checked as a whole, by `check_whole`.
    """

    __slots__ = ("check_constant", "check_whole", "lints", "select")

    def __init__(
        self,
        lints: Sequence[str] = (),
        select: Callable[[Iterable[Diagnostic]], list[Diagnostic]] = list,
        check_constant: CheckConstant | None = None,
        check_whole: Callable[[Document], DocumentSnapshot] | None = None,
    ) -> None:
        self.lints = tuple(lints)
        self.select = select
        self.check_constant = check_constant
        self.check_whole = check_whole


class Workspace:
    """The documents that are open, and what is known of them.

    `settings_of` gives the settings of a path. Texts change in one thread and are analysed in another, one at a time:
    `analyse` reads the text once, and the result appears when it is whole.
    """

    def __init__(self, settings_of: Callable[[str], Settings] | None = None, encoding: str = UTF16) -> None:
        self.encoding = encoding
        self._settings_of = settings_of or _defaults
        self._documents: dict[str, Document] = {}
        self._snapshots: dict[str, DocumentSnapshot] = {}

    def open(self, path: str, text: str, version: int = 0) -> Document:
        """Take a document over from its file."""
        document = self._documents[path] = Document(path, text, version)
        return document

    def change(self, path: str, changes: Iterable[Change], version: int) -> Document:
        """Change a document. Raises KeyError if it is not open."""
        document = self._documents[path] = self._documents[path].changed(changes, version, self.encoding)
        return document

    def close(self, path: str) -> None:
        """Forget a document and what is known of it."""
        self._documents.pop(path, None)
        self._snapshots.pop(path, None)

    def document(self, path: str) -> Document | None:
        """Return a document at its newest version."""
        return self._documents.get(path)

    @property
    def paths(self) -> list[str]:
        """The paths of all documents, in the order in which they were opened."""
        return list(self._documents)

    def snapshot(self, path: str) -> Snapshot | None:
        """Return the last analysis of a document in Relax, which may be of an older text."""
        found = self._snapshots.get(path)
        return found if isinstance(found, Snapshot) else None

    def checked(self, path: str) -> DocumentSnapshot | None:
        """Return what was last found in a document in any language, which may be of an older text."""
        return self._snapshots.get(path)

    def recent(self, path: str, offset: int) -> Snapshot | None:
        """Return an analysis that knows a place of the newest text: the newest, or one that a change left valid there.

        What is known of the place may be older than the last change. None if an analysis has to be waited for.
        """
        document, known = self._documents.get(path), self.snapshot(path)
        if document is None or known is None or known.document is document:
            return known
        return moved(known, document, offset)

    def forget(self, path: str) -> None:
        """Drop what is known of a document: something else than its text has changed."""
        self._snapshots.pop(path, None)

    def analyse(self, path: str) -> Snapshot:
        """Analyse the newest text of a document in Relax. Raises KeyError if it is not open."""
        made = self.check(path)
        assert isinstance(made, Snapshot), "documents in other languages are checked, not analysed"
        return made

    def check(self, path: str, token: CancellationToken | None = None) -> DocumentSnapshot:
        """Check the newest text of a document. Raises Cancelled, and KeyError if it is not open."""
        document = self._documents[path]
        before = self._snapshots.get(path)
        if before is not None and before.document is document:
            return before
        settings = self._settings_of(path)
        check = (token or CancellationToken()).check
        with deep_recursion(), stoppable(check), no_collection():
            if settings.check_whole is not None:
                made = settings.check_whole(document)
            else:
                made = _analysed(document, before, settings)
        check()
        if path in self._documents:
            self._snapshots[path] = made
        return made


def _analysed(document: Document, before: DocumentSnapshot | None, settings: Settings) -> Snapshot:
    # All passes of the checker: a server has said what it can do long before it needs them.
    from relax_lang.workspace.incremental.analysis import Analysis
    from relax_lang.workspace.incremental.findings import findings
    from relax_lang.workspace.text.pieces import read

    known = before.analysis if isinstance(before, Snapshot) else None
    layout = read(document.text, None if known is None else known.layout)
    analysis = Analysis(layout, known, settings.check_constant)
    found = findings(analysis, document.path, settings.lints)
    made = Snapshot(document, analysis, settings.select(found.diagnostics), settings.select(found.ignored))
    if isinstance(before, Snapshot):
        made.keep(before)
    return made


def _defaults(_path: str) -> Settings:
    return Settings()
