"""Names that are not defined in a PrimFunc. [TIR.2] Only imported for them."""

from __future__ import annotations

from relax_lang.syntax.joined_names import element_of
from relax_lang.tir.diagnostics import errors as diag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax import tree
    from relax_lang.tir.ir.context import Context


def report(ctx: Context, use: tree.PrimVar) -> None:
    """Report a name, with the element of a buffer that is meant by `Bj` and `B_i_j`, or the nearest name."""
    ctx.reported.add(use.name)
    known = ctx.known()
    element = _element(ctx, use.name, known)
    found = diag.undefined_variable(use, use.name, () if element else known)
    if element:
        found.replace(use, element, f"write `{element}`")
    ctx.report(found)


def _element(ctx: Context, name: str, known: list[str]) -> str:
    ranks: dict[str, int] = {}
    variables: list[str] = []
    for one in known:
        symbol = ctx.scopes.find(one)
        if symbol is not None and symbol.shape is not None:
            ranks[one] = len(symbol.shape)
        elif symbol is not None:
            variables.append(one)
    return element_of(name, ranks, variables)
