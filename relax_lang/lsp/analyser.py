"""The thread that analyses documents: one at a time, the newest text of each; an older one is stopped."""

from __future__ import annotations

import threading

from relax_lang.base.cancellation import CancellationToken, Cancelled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.workspace.incremental.snapshot import DocumentSnapshot
    from relax_lang.workspace.workspace import Workspace


class Analyser:
    """Documents that wait for their analysis. There is one slot for each, not a queue: only the newest text counts."""

    def __init__(
        self,
        workspace: Workspace,
        done: Callable[[DocumentSnapshot], None],
        failed: Callable[[str, Exception], None],
    ) -> None:
        self._workspace = workspace
        self._done = done
        self._failed = failed
        self._waiting: dict[str, None] = {}
        self._current = ""
        self._token = CancellationToken()
        self._change = threading.Condition()
        self._thread: threading.Thread | None = None

    def request(self, path: str) -> None:
        """Analyse the newest text of a document, before those that wait already."""
        with self._change:
            if self._current == path:
                self._token.cancel()
            self._waiting.pop(path, None)
            self._waiting = {path: None, **self._waiting}
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name="analysis", daemon=True)
                self._thread.start()
            self._change.notify()

    def drop(self, path: str) -> None:
        """Analyse a document no more."""
        with self._change:
            self._waiting.pop(path, None)
            if self._current == path:
                self._token.cancel()

    def _run(self) -> None:
        while True:
            with self._change:
                self._current = ""
                while not self._waiting:
                    self._change.wait()
                path = self._current = next(iter(self._waiting))
                del self._waiting[path]
                token = self._token = CancellationToken()
            try:
                self._done(self._workspace.check(path, token))
            except Cancelled:
                pass  # a newer text waits, or the document was closed
            except KeyError as error:
                if self._workspace.document(path) is not None:
                    self._failed(path, error)
            except Exception as error:  # a bug of ours: the next text may work
                self._failed(path, error)
