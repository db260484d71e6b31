"""PrimFuncs of some statements, and what the checks find in them."""

from __future__ import annotations

from relax_lang.base.diagnostic import Diagnostic
from relax_lang.tir.check.driver import check_prim_func
from tests.tir.support import prim_func, slugs

BUFFERS = (
    "X: Buffer[(n, m), float32], Y: Buffer[(n, m), float32], I: Buffer[(n,), int32], S: Buffer[(), float32]"
)


HEAD = f"{BUFFERS}, k: int64"


def body(statements: str) -> str:
    """Return a prim_func with some parameters and the given body."""
    return f"prim_func @f({HEAD}) {{ {statements} }}"


def found(statements: str) -> list[str]:
    return slugs(body(statements))


def only(statements: str) -> Diagnostic:
    """Return the one mistake of a body."""
    (diagnostic,) = check_prim_func(prim_func(body(statements)))
    return diagnostic
