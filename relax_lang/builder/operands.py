"""Values of Python as operands of calls."""

from __future__ import annotations

from relax_lang.base.relax_error import refused
from relax_lang.base.sequences import is_sequence
from relax_lang.builder import constants
from relax_lang.builder import diagnostics as diag
from relax_lang.builder.values import Pending, Value
from relax_lang.syntax import tree
from relax_lang.syntax.constants import constant_dtype
from relax_lang.te.expr import Expr
from relax_lang.te.expr import expr as te_expr

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    Like = tuple[str, object]
    """The dtype that a number takes, and the operand that has it."""


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


def like_of(given: Sequence[object], info_of: Callable[[tree.Expr], tree.StructInfo]) -> Like | None:
    """Return dtype and operand that a Python number follows beside these operands: the first tensor."""
    for one in given:
        info: tree.StructInfo | None = None
        if isinstance(one, Value) and not isinstance(one, Pending):
            info = one.struct_info.node
        elif isinstance(one, tree.Var | tree.Constant):
            info = info_of(one)
        elif is_sequence(one):
            found = like_of(one, info_of)
            if found is not None:
                return found
        elif hasattr(one, "__array__"):
            constant = constants.array(one)
            return constant_dtype(constant), constant
        if isinstance(info, tree.TensorStructInfo) and info.dtype is not None:
            return str(info.dtype.name), one  # an attribute's value is a `DTypeName`
    return None


def scalars(value: Any, kind: str, where: str) -> tree.Expr:
    """Return a scalar operand, or a tuple of them. Raises RelaxError for anything else."""
    if kind == "prims" and is_sequence(value):
        return tree.Tuple(tuple([scalars(one, "prim", where) for one in value]))
    if isinstance(value, Expr | bool | int | float) or getattr(value, "shape", None) == ():
        return tree.PrimValue(te_expr(value).node)
    raise refused(diag.no_operand, value, where)
