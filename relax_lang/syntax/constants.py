"""What is known of a constant by itself: its dtype and its shape. [G.22] [D.3]"""

from __future__ import annotations

from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import BOOL, FLOAT32

TYPE_CHECKING = False
if TYPE_CHECKING:
    Shape = tuple[int, ...]


def constant_dtype(constant: tree.Constant) -> str:
    """Return the dtype of a constant that is written in the text: the one it names, else that of its literals."""
    return bare_dtype(constant.data) if constant.dtype is None else constant.dtype.name


def bare_dtype(data: tree.Literal) -> str:
    """Return the dtype that a literal without one has: int32, float32 or bool. [G.22]"""
    found: set[type[tree.Node]] = set()
    stack: list[tree.Literal] = [data]
    while stack:
        literal = stack.pop()
        if isinstance(literal, tree.ListLit):
            stack.extend(literal.items)
        else:
            found.add(type(literal))
    if found == {tree.BoolLit}:
        return BOOL
    return "int32" if found == {tree.IntLit} else FLOAT32


def constant_shape(constant: tree.Constant) -> Shape:
    """Return the shape of a constant that is written in the text; its rows are of one length. [V.1]"""
    shape: list[int] = []
    literal = constant.data
    while isinstance(literal, tree.ListLit):
        shape.append(len(literal.items))
        if not literal.items:
            break
        literal = literal.items[0]
    return tuple(shape)
