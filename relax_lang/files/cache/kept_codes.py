"""The code of compiled PrimFuncs of earlier runs, which other versions of Python and NumPy cannot use."""

from __future__ import annotations

from functools import cache

from relax_lang.files.cache.fingerprint import fingerprint
from relax_lang.files.cache.results import Results

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class CodeStore:
    """Keeps code under the PrimFunc that it was made of."""

    __slots__ = ("_prefix", "_store")

    def __init__(self) -> None:
        self._store = Results()
        self._prefix = _prefix()

    def get(self, key: str) -> Any:
        """Return what was kept of a PrimFunc; None if that is nothing."""
        return self._store.get(self._prefix + key)

    def put(self, key: str, value: Any) -> None:
        """Keep something of a PrimFunc."""
        if value is not None:
            self._store.put(self._prefix + key, value)


class ProgramCodes:
    """Keeps the code of the PrimFuncs of one program once more all together: a later process reads one entry.

    `forms` are what each PrimFunc is kept under, in the order of the program; they are kept with the code.
    """

    __slots__ = ("_all", "_codes", "_key", "_missing", "forms")

    def __init__(self, key: str) -> None:
        self._all = CodeStore()
        self._key = f"codes of {key}"
        self.forms: list[str] = []
        self._codes: dict[str, Any] = {}
        self._missing: set[str] = set()
        entry = self._all.get(self._key)
        if type(entry) is tuple and len(entry) == 2:  # pyright: ignore[reportUnknownArgumentType]
            self.forms, self._codes = entry

    def expect(self, forms: list[str]) -> None:
        """Say what the PrimFuncs are kept under; when the last of them is, they are kept together."""
        self.forms = forms
        self._missing = {*forms}

    def get(self, key: str) -> Any:
        """Return what was kept of a PrimFunc; None if that is nothing."""
        found = self._codes.get(key)
        if found is None:
            found = self._all.get(key)
            self._note(key, found)
        return found

    def put(self, key: str, value: Any) -> None:
        """Keep something of a PrimFunc."""
        self._all.put(key, value)
        self._note(key, value)

    def _note(self, key: str, value: Any) -> None:
        if value is None or key not in self._missing:
            return
        self._missing.remove(key)
        self._codes[key] = value
        if not self._missing:
            self._all.put(self._key, (self.forms, self._codes))


def code_store() -> CodeStore | None:
    """Return where code is kept, unless the environment says that nothing is."""
    from relax_lang.files.cache import is_off

    return None if is_off() else CodeStore()


@cache
def _prefix() -> str:
    """Return what belongs to every key."""
    import numpy as np  # whoever compiles has loaded it

    return f"prim_func {fingerprint()} {np.__version__} "
