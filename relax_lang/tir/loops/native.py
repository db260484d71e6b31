"""Functions over scalars compiled by numba, which is an extra."""

from __future__ import annotations

import pickle
import sys
from functools import cache
from importlib.util import find_spec
from types import ModuleType

from relax_lang.base.python.digests import digest
from relax_lang.tir.loops.spelling import Unspelled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from relax_lang.tir.options.keeping import KeptCodes


@cache
def is_installed() -> bool:
    """Return whether numba is there; does not load it."""
    return find_spec("numba") is not None


def compiled(
    namespace: dict[str, Any],
    helpers: Sequence[str],
    name: str,
    kept: KeptCodes | None = None,
    text: str = "",
) -> Callable[..., int]:
    """Return a function of a namespace as numba compiles it when it is called; it calls the helpers.

    `kept` has the machine code of other processes, and takes that of this one; `text` is what all was executed from.
    The function raises `Unspelled` if numba refuses it, which is before it runs.
    """
    import numba
    from numba.core.errors import NumbaError

    if kept is not None:
        module = ModuleType(f"_relax_loops_{digest(text)}")
        for one in (*helpers, name):  # what numba restores is looked up in a module that can be imported
            namespace[one].__module__ = module.__name__
        namespace["__name__"] = module.__name__
        vars(module).update(namespace)
        sys.modules[module.__name__] = module
    # No traps at division by zero, no fast mathematics: every operation is that of the language.
    for helper in helpers:
        namespace[helper] = numba.njit(error_model="numpy")(namespace[helper])
    function: Any = numba.njit(error_model="numpy")(namespace[name])

    if kept is not None:
        function._cache = _KeptOverloads(kept, text)

    def run(*values: object) -> int:
        try:
            return function(*values)
        except NumbaError as error:
            raise Unspelled(str(error)) from None

    return run


class _KeptOverloads:
    """What numba asks for compiled code, in place of its own cache: entries that only this user could have written.

    They are pickled, as numba's are, and are read only after the cache has found that they are what was written.
    """

    cache_path = ""

    def __init__(self, kept: KeptCodes, text: str) -> None:
        self._kept = kept
        self._text = digest(text)

    def load_overload(self, signature: object, context: Any) -> object:
        """Return what was compiled for the types of arguments; None if there is nothing."""
        import numba.core.compiler

        results: Any = numba.core.compiler.CompileResult
        context.refresh()  # else the code calls functions of numba that have no address yet
        data = self._kept.get(self._key(signature, context.codegen()))
        return results._rebuild(context, *pickle.loads(data)) if type(data) is bytes else None

    def save_overload(self, signature: object, result: Any) -> None:
        """Keep what was compiled for the types of arguments."""
        import numba.core.serialize

        module: Any = numba.core.serialize
        if not result.lifted and not result.library.has_dynamic_globals:
            self._kept.put(self._key(signature, result.codegen), module.dumps(result._reduce()))

    def flush(self) -> None:
        """Forget nothing: what is kept is right."""

    def _key(self, signature: object, codegen: Any) -> str:
        import llvmlite
        import numba

        versions = numba.__version__, llvmlite.__version__
        return f"numba {versions} {codegen.magic_tuple()} {signature} {self._text}"
