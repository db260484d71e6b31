"""Argument reductions as NumPy: argmax or argmin, then one store where the iteration found beats the state."""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.lowered.vector_ir import (
    Apply,
    Atom,
    Const,
    Load,
    Named,
    as_polynomial,
    replace_name,
    same_access,
    with_parts,
)
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import Ref
from relax_lang.tir.array_ir.nodes import Literal
from relax_lang.tir.codegen.array_expressions import Arrays
from relax_lang.tir.codegen.views import view

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.analysis.lowered.vector_ir import Vector
    from relax_lang.tir.codegen.writer import Writer
    from relax_lang.tir.schedule.plan import ArgKernel


def arg_reduction(writer: Writer, kernel: ArgKernel) -> None:
    """Write an argument reduction."""
    statement, space = kernel.statement, writer.space
    first = statement.updates[0]
    _, order = view(writer, first.storage, first.index, [loop.name for loop in kernel.kept])
    reduced = [loop.name for loop in kernel.reduced]
    whole = [*order, *reduced]
    compared = Arrays(writer, whole).value(statement.compared)
    shape = writer.extents(whole)
    if statement.compared.dims - writer.fixed != frozenset(whole):
        compared = ir.Broadcast(compared, shape)
    if len(reduced) > 1:
        compared = ir.Reshaped(compared, (*shape[: len(order)], Literal(-1)))
    place, best = writer.fresh("place"), writer.fresh("best")
    words = (("greatest", Literal(statement.greatest)), ("last", Literal(statement.last)))
    writer.add(ir.Unpack((place, best), ir.Call("best_of", (compared,), words)))
    found = Named(best, tuple(order), statement.compared.dtype)
    values: dict[str, Polynomial] = {}
    for name in reversed(reduced):
        here = place
        if len(reduced) > 1:
            extent = writer.extent(space.loops[name])
            here = writer.name(_divided("%", place, extent), f"{name}_best").name
            place = writer.name(_divided("//", place, extent), "place").name if name != reduced[0] else place
        space.atoms[here] = Atom(here, Named(here, tuple(order), dtypes.INT64, space.loops[name].extent))
        values[name] = Polynomial.name(here)
    updates = [update for update in statement.updates if update.storage not in kernel.unused]
    condition = _with_initial(writer, kernel, statement.condition)
    parts = [condition, *[update.value for update in updates]]
    parts = [with_parts(part, {statement.compared.key: found}) for part in parts]
    found_values = Arrays(writer, order).values([space.replaced(part, values) for part in parts])
    wins, *news = [writer.name(value, "wins" if at == 0 else "new") for at, value in enumerate(found_values)]
    for update, new in zip(updates, news, strict=True):
        target, axes = view(writer, update.storage, update.index, order)
        assert axes == order, "all parts of the state are indexed alike"
        writer.add(ir.StoreWhere(target, new, wins) if order else ir.If(wins, [ir.Store(target, new)]))


def _divided(op: str, place: str, extent: Polynomial) -> ir.Elementwise:
    return ir.Elementwise(op, (Ref(place), extent), dtypes.INT64)


def _with_initial(writer: Writer, kernel: ArgKernel, vector: Vector) -> Vector:
    """Return a condition with the constants that the state is known to hold, without what cannot be true then: no
    place is before -1.
    """
    if isinstance(vector, Load):
        for update in kernel.statement.updates:
            if same_access(vector, update.storage, update.index):
                return kernel.initial.get(update.storage, vector)
        return _at_initial_place(writer, kernel, vector)
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


def _at_initial_place(writer: Writer, kernel: ArgKernel, load: Load) -> Load:
    """Return a load of an element that the state names as one of the element that its constant names, if that is one of
    the array.
    """
    space = writer.space
    given = [part for loop in kernel.statement.loops for part in loop.constraints]
    index: list[Polynomial] = []
    for part, size in zip(load.index, load.storage.sizes, strict=True):
        made = part
        for atom in space.atoms_in(part):
            start = as_polynomial(_with_initial(writer, kernel, atom.vector))
            if start is not None and isinstance(atom.vector, Load):
                made = replace_name(made, atom.name, start)
        if made != part and not all(
            writer.entry.analyzer.proves(one, given) for one in (made, size - 1 - made)
        ):
            return load
        index.append(made)
    if tuple(index) == load.index:
        return load
    writer.covered.add((id(load.storage), tuple(index)))
    return space.element(load.storage, tuple(index), load.node)


def _is_at_least(writer: Writer, kernel: ArgKernel, a: Vector, b: Vector) -> bool:
    """Return whether one int64 number is provably not less than another one in all iterations."""
    polynomials = [as_polynomial(a), as_polynomial(b)]
    if None in polynomials:
        return False
    first, second = [part for part in polynomials if part is not None]
    given = [part for loop in kernel.statement.loops for part in loop.constraints]
    return writer.entry.analyzer.proves(first - second, given)
