"""How a value is written in another dtype: a literal of it, `const` with it, or a conversion. [OP.7] [G.31]"""

from __future__ import annotations

from relax_lang.base.diagnostic import Edit
from relax_lang.base.node import walk
from relax_lang.syntax import tree
from relax_lang.syntax.builders.literals import fits
from relax_lang.syntax.dtypes import DTYPES, FLOATS, bytes_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.node import Node
    from relax_lang.check.infer.context.state import State


def bare_dtype(value: Node | None) -> str | None:
    """Return the dtype of a number that was written without one, else None. [G.31]"""
    if isinstance(value, tree.Constant) and value.dtype is None:
        if isinstance(value.data, tree.IntLit):
            return "int32"
        if isinstance(value.data, tree.FloatLit):
            return "float32"
    return None


def literal(number: str, own: str, wanted: str) -> str | None:
    """Return a number of int32 or float32 in another dtype, or None if it has none."""
    if own == "float32":
        return f"const({number}, {wanted})" if wanted in FLOATS else None
    if wanted == "bool":
        return {"0": "false", "1": "true"}.get(number)
    return f"{number}.0" if wanted == "float32" else f"const({number}, {wanted})"


def rank(dtype: str) -> int:
    """Return which of bools, integers and floats a dtype is, in the order in which one is converted to the other."""
    return 0 if dtype == "bool" else FLOAT if dtype in FLOATS else 1


def widens(info: tree.StructInfo | None, dtype: str) -> bool:
    """Return whether values of an info become ones of another dtype without a loss that matters."""
    if not isinstance(info, tree.TensorStructInfo) or info.dtype is None or info.dtype.name == dtype:
        return False
    own = info.dtype.name
    return own in DTYPES and (rank(own), bytes_of(own)) <= (rank(dtype), bytes_of(dtype))


def _in_dtype(constant: tree.Constant, wanted: str) -> Edit | None:
    """Return the change that gives a `const` another dtype; None if that does not hold all of its numbers. [G.22]"""
    if isinstance(constant.data, tree.FileLit) or (
        constant.dtype is None and constant.data.pos == constant.pos
    ):
        return None
    for leaf in walk(constant.data):
        if isinstance(leaf, tree.BoolLit):
            return None
        if isinstance(leaf, tree.IntLit | tree.FloatLit) and not fits(leaf.value, leaf.text, wanted):
            return None
    if constant.dtype is None:
        return Edit(constant.data.end, constant.data.end, f", {wanted}")
    return Edit(constant.dtype.pos, constant.dtype.end, wanted)


def conversion(state: State, value: Node, dtype: str) -> tuple[list[Edit], str] | None:
    """Return the edits that give a value another dtype, and what is written then; None if there are none."""
    if value.pos < 0:
        return None
    if isinstance(value, tree.Constant):  # a number is written in the other dtype, not converted to it
        edit = _in_dtype(value, dtype)
        return None if edit is None else ([edit], f"`const({shown(state, value.data)}, {dtype})`")
    edits = [Edit(value.pos, value.pos, "astype("), Edit(value.end, value.end, f", dtype={dtype})")]
    return edits, f"`astype({shown(state, value)}, dtype={dtype})`"


def shown(state: State, value: Node) -> str:
    """Return an argument as it is written, or an ellipsis if that is long."""
    written = state.module.text[value.pos : value.end]
    return written if len(written) <= LONGEST_SHOWN and "\n" not in written else ELIDED


LONGEST_SHOWN = 24
"""The longest argument, in characters, that a message repeats."""

ELIDED = "…"
FLOAT = 2
