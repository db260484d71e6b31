"""Names that are not defined in a PrimFunc. [TIR.2] Only imported for them."""

from __future__ import annotations

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
    """Return the element of a buffer that a name is put together of; empty if it is not."""
    variables = [one for one in known if (symbol := ctx.scopes.find(one)) and symbol.shape is None]
    for buffer in known:
        symbol = ctx.scopes.find(buffer)
        if symbol is None or not symbol.shape or not name.startswith(buffer):
            continue
        indices = _split(name[len(buffer) :], len(symbol.shape), variables)
        if indices:
            return f"{buffer}[{', '.join(indices)}]"
    return ""


def _split(text: str, count: int, names: list[str]) -> list[str]:
    """Return so many of the names that a text is put together of; nothing if it is not."""
    text = text.removeprefix("_")
    if count == 1:
        return [text] if text in names else []
    for name in names:
        rest = _split(text[len(name) :], count - 1, names) if text.startswith(name) else []
        if rest:
            return [name, *rest]
    return []
