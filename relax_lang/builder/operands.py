"""Values of Python as operands of calls."""

from __future__ import annotations

from relax_lang.base.relax_error import refused
from relax_lang.base.sequences import is_sequence
from relax_lang.builder import diagnostics as diag
from relax_lang.syntax import tree
from relax_lang.te.expr import Expr
from relax_lang.te.expr import expr as te_expr

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.builder.values import Pending


def operands_of(pending: Pending) -> list[object]:
    """Return the operands of a call, those in tuples among them."""
    found: list[object] = []
    for one in pending.args:
        if is_sequence(one):
            found += one
        else:
            found.append(one)
    return found


def has_numbers(given: Sequence[object]) -> bool:
    """Return whether there are numbers of Python among operands, which take the dtype of another one."""
    for one in given:
        if isinstance(one, bool | int | float | Expr):
            return True
        if is_sequence(one) and has_numbers(one):
            return True
    return False


def scalars(value: Any, kind: str, where: str) -> tree.Expr:
    """Return a scalar operand, or a tuple of them. Raises RelaxError for anything else."""
    if kind == "prims" and is_sequence(value):
        return tree.Tuple(tuple([scalars(one, "prim", where) for one in value]))
    if isinstance(value, Expr | bool | int | float) or getattr(value, "shape", None) == ():
        return tree.PrimValue(te_expr(value).node)
    raise refused(diag.no_operand, value, where)
