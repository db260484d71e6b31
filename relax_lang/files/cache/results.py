"""Results that are as good as the code that found them: in a checkout they fall with the modules that were loaded.

A result comes with the name of an entry that lists the files of all modules that were loaded when it was kept, with
size and time of each. What was loaded later had no part in it. A process looks at each such list once.
"""

from __future__ import annotations

import os
import sys
from time import time_ns

from relax_lang.base.python.digests import digest
from relax_lang.files.cache.dependencies import are_as_before, states
from relax_lang.files.cache.fingerprint import OWN, fingerprint, is_checkout
from relax_lang.files.cache.store import Store

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_FOLDERS = (OWN + os.sep, os.path.join(os.path.dirname(OWN), "cli", ""))
_STARTED = time_ns()
_JUST_BEFORE = 2_000_000_000
"""A file that was written so shortly before the process began may have another text than what was loaded."""


class Results:
    """The entries of the user's cache, each with what it needs to be true."""

    __slots__ = ("_in_checkout", "_known", "_loaded", "_store", "_written")

    def __init__(self) -> None:
        self._store = Store()
        self._in_checkout = is_checkout()
        self._known: dict[str, bool] = {}
        """Whether the files of a list are what they were."""
        self._loaded = 0
        """How many modules there were when `_written` was found."""
        self._written: str | None = None

    def get(self, key: str) -> Any:
        """Return the value under a key; None if there is none, or other code found it."""
        entry = self._store.get(key)
        if type(entry) is not tuple or len(entry) != 2:  # pyright: ignore[reportUnknownArgumentType]
            return None
        name, value = entry  # pyright: ignore[reportUnknownVariableType]
        return value if self._holds(name) else None  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]

    def put(self, key: str, value: Any) -> None:
        """Keep a value of plain data, if that is possible."""
        name = self._name()
        if name is not None:
            self._store.put(key, (name, value))

    def _holds(self, name: Any) -> bool:
        if not self._in_checkout:
            return name == ""
        if name not in self._known:
            listed = self._store.get(f"sources {name}")
            try:
                self._known[name] = bool(listed) and are_as_before(listed)
            except (TypeError, ValueError):  # of a version that had another form of it
                self._known[name] = False
        return self._known[name]

    def _name(self) -> str | None:
        """Return the name of the list of what is loaded; None if that may not be what is on the disk."""
        if not self._in_checkout:
            return ""
        if self._loaded != len(sys.modules):
            self._loaded = len(sys.modules)
            files = [getattr(module, "__file__", None) for module in list(sys.modules.values())]
            found = states(sorted({path for path in files if path and path.startswith(_FOLDERS)}))
            self._written = None
            if not [path for path, state in found if state is None or state[1] >= _STARTED - _JUST_BEFORE]:
                self._written = digest(f"{fingerprint()} {found}")
                self._store.put(f"sources {self._written}", found)
        return self._written
