"""The struct infos of operands in normal form: those of variables are looked up, all others are plain to see. [D.3]"""

from __future__ import annotations

from relax_lang.base.node import assert_never, unreachable
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    OfVariable = Callable[[str], tree.StructInfo | None]
    OfConstant = Callable[[tree.Constant], tree.StructInfo]


def operand_info(operand: tree.Expr, variable: OfVariable, constant: OfConstant) -> tree.StructInfo | None:
    """Return what is known of an operand; None for scalars, and for variables of which `variable` returns None."""
    match operand:
        case tree.Var():
            return variable(operand.name_hint)
        case tree.Constant():
            return constant(operand)
        case tree.ShapeExpr():
            return tree.ShapeStructInfo(operand.values, None)
        case tree.Tuple():
            fields = [operand_info(field, variable, constant) for field in operand.fields]
            return tree.TupleStructInfo(tuple([field or tree.ObjectStructInfo() for field in fields]))
        case tree.PrimValue():
            return None
        case tree.GlobalVar() | tree.ExternFunc() | tree.DataflowVar():
            return tree.ObjectStructInfo()
        case tree.If() | tree.Call() | tree.Function() | tree.TupleGetItem():
            return tree.ObjectStructInfo()  # not an operand: of a cast
        case tree.NeverBound():
            return unreachable(operand)
        case _:
            return assert_never(operand)
