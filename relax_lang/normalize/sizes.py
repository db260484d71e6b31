"""Dimension expressions as values in the normal form: `x * n` is `multiply(x, gv)` with `let gv = scalar(n, x)`. [N.2]

Where the operands of an operator have one dtype, a size is converted to that of another, which `scalar` gets;
elsewhere it is int64. [OP.7]
"""

from __future__ import annotations

from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ONE_DTYPE = {
    **dict.fromkeys(
        ("add", "subtract", "multiply", "divide", "floor_divide", "floor_mod", "mod", "power"), (0, 1)
    ),
    **dict.fromkeys(("maximum", "minimum"), (0, 1)),
    "where": (1, 2),
    "ewise_fma": (0, 1, 2),
}
"""Operators that give numbers out of operands of one dtype: which operands these are."""


def scalar(value: tree.PrimValue, like: tree.Expr | None) -> tree.Call:
    """Return the call that makes a tensor of a dimension expression."""
    args = (value,) if like is None else (value, like)
    return tree.Call(tree.Op("scalar"), args, (), None, value.pos, value.end)


def is_made(call: tree.Call) -> bool:
    """Return whether the normal form has made a call of `scalar` that the author did not write."""
    return call.op.pos < 0


def like(operator: str, index: int, operands: Sequence[tree.Expr | None]) -> tree.Expr | None:
    """Return the operand whose dtype a size at `index` takes, if any; None among the operands stands for sizes."""
    together = ONE_DTYPE.get(operator, ())
    if index not in together:
        return None
    others = [operands[at] for at in together if at < len(operands)]
    return next((other for other in others if other is not None and not is_bare(other)), None)


def joins(operator: str, index: int, operands: Sequence[tree.Expr | None]) -> bool:
    """Return whether a bare integer goes with sizes, and is int64 as they are: `n ** 2`."""
    together = ONE_DTYPE.get(operator, ())
    operand = operands[index]
    return (
        index in together
        and operand is not None
        and is_bare(operand)
        and like(operator, index, operands) is None
        and any(operands[at] is None for at in together if at < len(operands))
    )


def operands(
    operator: str,
    given: Sequence[tree.Expr | None],
    values: Sequence[tree.PrimValue | None],
    bind: Callable[[tree.PrimValue, tree.Expr | None], tree.Expr],
) -> tuple[tree.Expr, ...]:
    """Return operands some of which are sizes: these come last, as they may take their dtype from another.

    `given` are the others, with None in place of a size, and `values` the sizes, which `bind` gives names.
    """
    made: list[tree.Expr] = []
    for at, (atom, value) in enumerate(zip(given, values, strict=True)):
        if value is not None and atom is None:
            made.append(bind(value, like(operator, at, given)))
        elif joins(operator, at, given):
            assert type(atom) is tree.Constant
            made.append(bind(of_literal(atom), None))
        else:
            assert atom is not None
            made.append(atom)
    return tuple(made)


def is_bare(operand: tree.Expr) -> bool:
    """Return whether an operand is an integer that is written without a dtype."""
    return type(operand) is tree.Constant and operand.dtype is None and type(operand.data) is tree.IntLit


def of_literal(constant: tree.Constant) -> tree.PrimValue:
    """Return a bare integer as a scalar operand."""
    data = constant.data
    assert type(data) is tree.IntLit
    number = tree.IntImm(data.value, None, data.text, constant.pos, constant.end)
    return tree.PrimValue(number, constant.pos, constant.end)
