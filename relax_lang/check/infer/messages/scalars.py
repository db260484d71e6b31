"""Numbers where scalars are expected: `prim_value(0)` instead of `0`, which is a tensor. [X15.1]"""

from __future__ import annotations

from relax_lang.format.printer import show
from relax_lang.syntax import tree
from relax_lang.syntax.builders.literals import fits
from relax_lang.syntax.dtypes import FLOATS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Node


def offer_number(value: Node, expected: tree.StructInfo, found: Diagnostic) -> bool:
    """Offer to write a number as a scalar of the expected dtype; return whether that is possible."""
    if not isinstance(expected, tree.PrimStructInfo) or not isinstance(value, tree.Constant) or value.pos < 0:
        return False
    data, wanted = value.data, expected.dtype.name
    if not isinstance(data, tree.IntLit | tree.FloatLit) or not fits(data.value, data.text, wanted):
        return False
    own = "int64" if isinstance(data, tree.IntLit) else "float32"
    number = show(data)
    if isinstance(data, tree.IntLit) and wanted in FLOATS:
        own, number = "float32", f"{number}.0"
    text = f"prim_value({number})" if own == wanted else f"prim_value({number}, dtype={wanted})"
    found.replace(value, text, f"write `{text}`")
    return True
