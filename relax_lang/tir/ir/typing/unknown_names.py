"""Names that are not defined in a PrimFunc. [TIR.2] Only imported for them."""

from __future__ import annotations

from relax_lang.syntax.vocabulary.joined_names import element_of
from relax_lang.tir.diagnostics import errors as diag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax import tree
    from relax_lang.tir.ir.typing.context import Context


def report(ctx: Context, use: tree.PrimVar) -> None:
    """Report a name, with the element of a buffer that is meant by `Bj` and `B_i_j`, or the nearest name."""
    ctx.reported.add(use.name)
    element = _element(ctx, use.name)
    found = diag.undefined_variable(use, use.name, () if element else ctx.known())
    if element:
        found.replace(use, element, f"write `{element}`")
    ctx.report(found)


def _element(ctx: Context, name: str) -> str:
    def rank_of(name: str) -> int:
        symbol = ctx.scopes.find(name)
        return 0 if symbol is None or symbol.shape is None else len(symbol.shape)

    def is_variable(name: str) -> bool:
        symbol = ctx.scopes.find(name)
        return symbol is not None and symbol.shape is None

    return element_of(name, rank_of, is_variable)
