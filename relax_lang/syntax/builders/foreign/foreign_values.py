"""What the values are of statements and calls that were written as in another language, and were reported. [Y.7]

The rest of a function is checked as if they had been written as they are here.
"""

from __future__ import annotations

from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax.builders.parts import PartBuilder


def compound(builder: PartBuilder, var: tree.Var, value: tree.Expr) -> tree.Expr:
    """Return the value of `x += e`."""
    operator = builder.compounds[var.pos][0]
    return tree.BinaryOp(operator, tree.Var(var.name_hint, None, var.pos, var.end), value, var.pos, value.end)


def fields(builder: PartBuilder, statement: tree.Binding) -> list[tree.Binding]:
    """Return the bindings of `a` and `b` in `let (a, b) = t;`, after that of the tuple."""
    if statement.pos not in builder.elsewhere.unpacked:
        return []
    name, names = builder.elsewhere.unpacked.pop(statement.pos)
    found: list[tree.Binding] = []
    for index, (field, pos) in enumerate(names):
        end = pos + len(field)
        value = tree.TupleGetItem(tree.Var(name, None, pos, end), index, pos, end)
        found.append(tree.VarBinding(tree.Var(field, None, pos, end), value, pos, end))
    return found


def method(builder: PartBuilder, receiver: tree.Expr, first: int) -> tree.Op | None:
    """Return the operator of `e.max(…)`, whose name begins with a dot, if `first` comes after its parenthesis."""
    at = min([at for at in builder.elsewhere.methods if receiver.end <= at < first], default=-1)
    if at < 0:
        return None
    name = builder.elsewhere.methods.pop(at)
    return tree.Op(name, at, at + len(name))
