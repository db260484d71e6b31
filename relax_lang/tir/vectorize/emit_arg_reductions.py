"""Argument reductions as NumPy: argmax or argmin, then one store where the iteration found beats the state."""

from __future__ import annotations

from relax_lang.arith.polynomial import Polynomial
from relax_lang.base.wording import tuple_text
from relax_lang.syntax import dtypes
from relax_lang.tir.vectorize.arrays import Arrays
from relax_lang.tir.vectorize.vector import Atom, Named
from relax_lang.tir.vectorize.views import view

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.vectorize.plan import ArgKernel
    from relax_lang.tir.vectorize.writer import Writer


def arg_reduction(writer: Writer, kernel: ArgKernel) -> None:
    """Write an argument reduction."""
    statement, space = kernel.statement, writer.space
    first = statement.updates[0]
    _, order = view(writer, first.storage, first.index, [loop.name for loop in kernel.kept])
    reduced = [loop.name for loop in kernel.reduced]
    whole = [*order, *reduced]
    text = Arrays(writer, whole).text(statement.compared)
    shape = [writer.extent(space.loops[name]) for name in whole]
    if statement.compared.dims - writer.fixed != frozenset(whole):
        text = f"np.broadcast_to({text}, {tuple_text(shape)})"
    if len(reduced) > 1:
        text = f"{text}.reshape({', '.join([*shape[: len(order)], '-1'])})"
    helper = writer.helper("place_of_best")
    place = writer.name(f"{helper}({text}, greatest={statement.greatest}, last={statement.last})", "place")
    values: dict[str, Polynomial] = {}
    for name in reversed(reduced):
        here = place
        if len(reduced) > 1:
            extent = writer.extent(space.loops[name])
            here = writer.name(f"{place} % {extent}", f"{name}_best")
            place = writer.name(f"{place} // {extent}", "place") if name != reduced[0] else place
        space.atoms[here] = Atom(here, Named(here, tuple(order), dtypes.INT64, space.loops[name].extent))
        values[name] = Polynomial.name(here)
    parts = [statement.condition, *[update.value for update in statement.updates]]
    texts = Arrays(writer, order).texts([space.replaced(part, values) for part in parts])
    wins, *news = [writer.name(text, "wins" if at == 0 else "new") for at, text in enumerate(texts)]
    for update, new in zip(statement.updates, news, strict=True):
        target, axes = view(writer, update.storage, update.index, order)
        assert axes == order, "all parts of the state are indexed alike"
        if not order:
            writer.line(f"if {wins}:")
            writer.line(f"    {target} = {new}")
        else:
            writer.line(f'np.copyto({target}, {new}, where={wins}, casting="unsafe")')
        writer.stores_to(update.storage)
