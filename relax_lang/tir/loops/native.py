"""Functions over scalars compiled by numba, which is an extra."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec

from relax_lang.tir.loops.spelling import Unspelled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any


@cache
def is_installed() -> bool:
    """Return whether numba is there; does not load it."""
    return find_spec("numba") is not None


def compiled(namespace: dict[str, Any], helpers: Sequence[str], name: str) -> Callable[..., int]:
    """Return a function of a namespace as numba compiles it when it is called; it calls the helpers.

    The function raises `Unspelled` if numba refuses it, which is before it runs.
    """
    import numba
    from numba.core.errors import NumbaError

    # No traps at division by zero, no fast mathematics: every operation is that of the language.
    for helper in helpers:
        namespace[helper] = numba.njit(error_model="numpy")(namespace[helper])
    function: Any = numba.njit(error_model="numpy")(namespace[name])

    def run(*values: object) -> int:
        try:
            return function(*values)
        except NumbaError as error:
            raise Unspelled(str(error)) from None

    return run
