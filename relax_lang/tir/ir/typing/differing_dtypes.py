"""What two operands of two types mean for the expression around them. [TIR.5]

`a + b + c` with one int64 among int32s is one mistake: where the first two are cast, the third has to be, too. So
what is around operands that differ adds to the change that is offered for them.
"""

from __future__ import annotations

from relax_lang.tir.diagnostics import type_errors
from relax_lang.tir.diagnostics.operands import Differing
from relax_lang.tir.ir.typing.untyped_literals import BITS, FRACTION, SHIFTS, WHOLE, literals_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax import tree
    from relax_lang.tir.ir.typing.context import Context

    Operands = tuple[tree.PrimExpr, tree.PrimExpr]
    Dtypes = tuple[str | None, str | None]


def note(ctx: Context, node: tree.PrimExpr, operands: Operands, found: Dtypes, expected: str | None) -> None:
    """Report two operands of two types; one of them may have none, because what it computes with was reported.

    The expected type is what the context of the expression takes.
    """
    first, second = found
    if first is not None and second is not None:
        message = f"the operands are {first} and {second}; one dtype is needed"
        labels = [(one, f"this is {dtype}") for one, dtype in zip(operands, found, strict=True)]
        made = type_errors.dtype_mismatch(node, message, None, "", labels)
        floats = type(node) not in BITS and type(node) not in SHIFTS
        differing = Differing(made, expected, floats=floats)
        ctx.report(made)
    else:
        known = [ctx.differing[one] for one in operands if one in ctx.differing]
        if not known:
            return
        differing = known[0]
    ctx.differing[node] = differing
    _add(ctx, differing, operands, found)


def _add(ctx: Context, differing: Differing, operands: Operands, found: Dtypes) -> None:
    for operand, dtype in zip(operands, found, strict=True):
        kind = literals_of(ctx, operand)
        if kind == FRACTION:
            differing.add_fraction()
        elif kind != WHOLE and dtype is not None:
            differing.add(operand, dtype)
    differing.offer()
