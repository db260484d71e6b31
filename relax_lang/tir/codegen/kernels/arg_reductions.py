"""Argument reductions as NumPy: argmax or argmin, then one store where the iteration found beats the state."""

from __future__ import annotations

from relax_lang.arith.polynomial import Polynomial
from relax_lang.base.wording import tuple_text
from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.vector_ir import Apply, Atom, Const, Index, Load, Named, same_access
from relax_lang.tir.codegen.array_expressions import Arrays
from relax_lang.tir.codegen.views import view
from relax_lang.tir.schedule.domains import replaced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.analysis.vector_ir import Vector
    from relax_lang.tir.codegen.writer import Writer
    from relax_lang.tir.schedule.plan import ArgKernel


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
    place, best = writer.fresh("place"), writer.fresh("best")
    call = f"{writer.helper('best_of')}({text}, greatest={statement.greatest}, last={statement.last})"
    writer.line(f"{place}, {best} = {call}")
    found = Named(best, tuple(order), statement.compared.dtype)
    values: dict[str, Polynomial] = {}
    for name in reversed(reduced):
        here = place
        if len(reduced) > 1:
            extent = writer.extent(space.loops[name])
            here = writer.name(f"{place} % {extent}", f"{name}_best")
            place = writer.name(f"{place} // {extent}", "place") if name != reduced[0] else place
        space.atoms[here] = Atom(here, Named(here, tuple(order), dtypes.INT64, space.loops[name].extent))
        values[name] = Polynomial.name(here)
    updates = [update for update in statement.updates if update.storage not in kernel.unused]
    condition = _with_initial(writer, kernel, statement.condition)
    parts = [condition, *[update.value for update in updates]]
    parts = [replaced(part, statement.compared, found) for part in parts]
    texts = Arrays(writer, order).texts([space.replaced(part, values) for part in parts])
    wins, *news = [writer.name(text, "wins" if at == 0 else "new") for at, text in enumerate(texts)]
    for update, new in zip(updates, news, strict=True):
        target, axes = view(writer, update.storage, update.index, order)
        assert axes == order, "all parts of the state are indexed alike"
        if not order:
            writer.line(f"if {wins}:")
            writer.line(f"    {target} = {new}")
        else:
            writer.line(f'np.copyto({target}, {new}, where={wins}, casting="unsafe")')
        writer.stores_to(update.storage)


def _with_initial(writer: Writer, kernel: ArgKernel, vector: Vector) -> Vector:
    """Return a condition with the constants that the state is known to hold, without what cannot be true then: no
    place is before -1.
    """
    if isinstance(vector, Load):
        for update in kernel.statement.updates:
            if same_access(vector, update.storage, update.index):
                return kernel.initial.get(update.storage, vector)
    if not isinstance(vector, Apply) or not kernel.initial:
        return vector
    args = tuple([_with_initial(writer, kernel, arg) for arg in vector.args])
    if vector.op in ("<", ">"):
        less, more = args if vector.op == "<" else (args[1], args[0])
        if _is_at_least(writer, kernel, less, more):
            return Const(False, dtypes.BOOL)
    false = [isinstance(arg, Const) and not arg.value for arg in args]
    if vector.op == "&&" and any(false):
        return Const(False, dtypes.BOOL)
    if vector.op == "||" and any(false):
        return args[0] if false[1] else args[1]
    return Apply(vector.op, args, vector.dtype)


def _is_at_least(writer: Writer, kernel: ArgKernel, a: Vector, b: Vector) -> bool:
    """Tell whether one int64 number is provably not less than another one in all iterations."""
    polynomials = [_polynomial(a), _polynomial(b)]
    if None in polynomials:
        return False
    first, second = [part for part in polynomials if part is not None]
    given = [part for loop in kernel.statement.loops for part in loop.constraints]
    return writer.entry.analyzer.proves(first - second, given)


def _polynomial(vector: Vector) -> Polynomial | None:
    if isinstance(vector, Index):
        return vector.polynomial
    if isinstance(vector, Const) and vector.dtype == dtypes.INT64:
        return Polynomial.constant(int(vector.value))
    return None
