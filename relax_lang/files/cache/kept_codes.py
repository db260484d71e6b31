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


def code_store() -> CodeStore | None:
    """Return where code is kept, unless the environment says that nothing is."""
    from relax_lang.files.cache import is_off

    return None if is_off() else CodeStore()


@cache
def _prefix() -> str:
    """Return what belongs to every key."""
    import numpy as np  # whoever compiles has loaded it

    return f"prim_func {fingerprint()} {np.__version__} "
