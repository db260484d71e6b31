"""Elements of an array in the array IR: a view where the index is affine, gathered by indices where it is not."""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.syntax import dtypes, tree
from relax_lang.tir.analysis.accesses import Loop
from relax_lang.tir.analysis.lowered.value_ranges import range_of_index
from relax_lang.tir.analysis.lowered.vector_ir import Load, Named
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import Ref
from relax_lang.tir.array_ir.nodes import Literal
from relax_lang.tir.codegen.writer import array_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.analysis.accesses import Indices, Storage
    from relax_lang.tir.array_ir.nodes import Axis, Expr
    from relax_lang.tir.codegen.writer import Writer

    Part = tuple[list[str], list[Polynomial], Polynomial]  # loop variables, their factors, the rest


def is_view(writer: Writer, index: Indices) -> bool:
    """Return whether an index is affine in the loops that are not numbers here."""
    return all(_is_affine(writer, part) for part in index)


def _is_affine(writer: Writer, part: Polynomial) -> bool:
    for atom in writer.space.atoms_in(part):
        if atom.vector.dims - writer.fixed:
            return False
    moving = writer.space.dims(part) - writer.fixed
    for name in moving:
        factor = part.coefficient(name)
        if factor is None or factor.names() & moving:
            return False
    return True


def view(writer: Writer, storage: Storage, index: Indices, order: Sequence[str]) -> tuple[Expr, list[str]]:
    """Return the elements that an index names, and the loops along its dimensions."""
    parts = [_affine(writer, part) for part in index]
    for at, (names, _, start) in enumerate(parts):
        if not names:
            parts[at] = ([], [], _checked(writer, start, storage.sizes[at]))
    along = [name for names, _, _ in parts for name in names]
    simple = len(set(along)) == len(along)
    for names, factors, _ in parts:
        simple = simple and len(names) <= 1 and (not names or factors[0].value is not None)
    if not simple:
        return _strided(writer, storage, parts, order)
    axes: list[Axis] = []
    for (names, factors, start), size in zip(parts, storage.sizes, strict=True):
        if names:
            extent = writer.space.loops[names[0]].extent
            axes.append(_slice(writer, start, extent, factors[0].value or 1, size))
        else:
            axes.append(ir.At(writer.number(start)))
    return _part(array_of(storage), axes), along


def _part(array: Ref, axes: list[Axis]) -> Expr:
    """Return a view of an array, or the array itself if that is all of it."""
    if axes and all(isinstance(axis, ir.Slice) and axis.whole and axis.step == 1 for axis in axes):
        return array
    return ir.View(array, tuple(axes))


def _checked(writer: Writer, position: Polynomial, size: Polynomial) -> Polynomial:
    """Return a position; one that depends on data is compared with the size first."""
    if not writer.space.atoms_in(position) or _is_within(writer, position, size):
        return position
    checked = ir.Call("inside", (writer.number(position), writer.number(size)))
    return Polynomial.name(writer.name(checked, "at").name)


def _is_within(writer: Writer, part: Polynomial, size: Polynomial) -> bool:
    """Return whether an index is one of a variable that runs to a size, or cannot have any other value."""
    values = range_of_index(writer.space, part)
    if values is not None and values[0] >= 0 and writer.entry.is_nonnegative(size - (values[1] + 1)):
        return True
    atoms = writer.space.atoms_in(part)
    if len(atoms) != 1 or part != Polynomial.name(atoms[0].name):
        return False
    vector = atoms[0].vector
    extent = vector.extent if isinstance(vector, Named) else None
    if isinstance(vector, Load):
        extent = vector.storage.limit
    return extent is not None and writer.entry.is_nonnegative(size - extent)


def _affine(writer: Writer, part: Polynomial) -> Part:
    """Split an index into its loop variables, their factors, and the rest."""
    names = sorted(
        (part.names() & writer.space.loops.keys()) - writer.fixed, key=list(writer.space.loops).index
    )
    factors: list[Polynomial] = []
    for name in names:
        factor = part.coefficient(name)
        assert factor is not None, "a power of a loop variable makes no view"
        factors.append(factor)
    return names, factors, part.without(set(names))


def _slice(writer: Writer, start: Polynomial, extent: Polynomial, step: int, size: Polynomial) -> ir.Slice:
    """Return `extent` indices from `start` by `step`. An empty range gives an empty slice, whatever its start."""
    low = start if step > 0 else start + (extent - 1) * step
    if abs(step) == 1 and low.value == 0 and extent == size:
        return ir.Slice(start, extent, step, whole=True)
    return ir.Slice(writer.number(start), writer.number(extent), step)


def _split(writer: Writer, storage: Storage, parts: list[Part]) -> tuple[Expr, list[str]] | None:
    """Return an array whose dimensions are split among loops that together run over all of it, each over one digit of
    an index: that is a reshape, which makes a view of any array; None if it is something else.
    """
    along: list[str] = []
    for (names, factors, start), size in zip(parts, storage.sizes, strict=True):
        digits = dict(zip(names, factors, strict=True))
        found: list[str] = []
        step = Polynomial.constant(1)
        while digits:
            name = next((name for name, factor in digits.items() if factor == step), None)
            if name is None or name in along:
                return None
            del digits[name]
            found.insert(0, name)
            step = step * writer.space.loops[name].extent
        if start.terms or step != size:
            return None
        along += found
    return ir.Reshaped(array_of(storage), writer.extents(along)), along


def _strided(
    writer: Writer, storage: Storage, parts: list[Part], order: Sequence[str]
) -> tuple[Expr, list[str]]:
    split = _split(writer, storage, parts)
    if split is not None:
        return split
    used = {name for names, _, _ in parts for name in names}
    along = [name for name in order if name in used]
    steps: list[ir.Tuple] = []
    starts, extents = writer.numbers([start for _, _, start in parts]), writer.extents(along)
    for name in along:
        row = [dict(zip(names, factors, strict=True)).get(name) for names, factors, _ in parts]
        numbers = [Polynomial.constant(0) if factor is None else factor for factor in row]
        steps.append(ir.Tuple(writer.numbers(numbers)))
    return ir.AffineView(array_of(storage), starts, extents, tuple(steps)), along


def gather(writer: Writer, storage: Storage, index: Indices, order: Sequence[str]) -> tuple[Expr, list[str]]:
    """Return elements at indices that are not slices, and the loops along its dimensions.

    Where the dimensions vary over different loops, one is taken after the other; else all at once, by arrays of
    indices that are aligned to each other.
    """
    dims = [writer.space.dims(part) - writer.fixed for part in index]
    together = [name for part in dims for name in part]
    if len(set(together)) == len(together):
        return _taken(writer, storage, index, order)
    arrays = [
        checked_index(writer, part, size, order) for part, size in zip(index, storage.sizes, strict=True)
    ]
    first = min([list(order).index(name) for name in together])
    return ir.Gather(array_of(storage), tuple(arrays)), list(order[first:])


def checked_index(
    writer: Writer, part: Polynomial, size: Polynomial, order: Sequence[str], *, sure: bool = False
) -> Expr:
    """Return the values of an index along an order of loops, compared with the size of its dimension."""
    if not writer.space.dims(part) - writer.fixed:
        return writer.number(_checked(writer, part, size))
    values = index_values(writer, part, order)
    if (
        sure
        or _is_within(writer, part, size)
        or (not writer.space.atoms_in(part) and _is_affine(writer, part))
    ):
        return values
    return ir.Call("inside", (values, writer.number(size)))


def index_values(writer: Writer, polynomial: Polynomial, order: Sequence[str]) -> Expr:
    """Return the values of a polynomial as an array of int64, aligned to an order of loops."""
    arrays: dict[str, Expr] = {}
    for name in sorted(polynomial.names()):
        if name in writer.fixed:
            continue
        if name in writer.space.loops:
            extent = writer.extent(writer.space.loops[name])
            arrays[name] = align(ir.Iota(extent), [name], order)
        elif name in writer.space.atoms and writer.space.atoms[name].vector.dims - writer.fixed:
            key = (name, tuple(order))
            if key not in writer.shared:
                value = writer.value_of(writer, writer.space.atoms[name].vector, order)
                writer.shared[key] = value if isinstance(value, Ref) else writer.name(value, "at")
            arrays[name] = writer.shared[key]
    fixed = polynomial.without(set(arrays))
    terms = [
        (monomial, factor)
        for monomial, factor in sorted(polynomial.terms.items(), key=lambda term: term[1] == -1)
        if arrays.keys() & set(monomial)
    ]
    first = _least_varying(writer, [monomial for monomial, factor in terms if factor != -1])
    result: Expr | None = None
    for monomial, factor in terms:
        is_subtracted = factor == -1 and result is not None
        factors: list[Expr] = [] if is_subtracted or factor == 1 else [Literal(factor, dtypes.INT64)]
        factors += [
            arrays[name] if name in arrays else writer.number(Polynomial.name(name)) for name in monomial
        ]
        product = factors[0]
        for other in factors[1:]:
            product = ir.Elementwise("*", (product, other), dtypes.INT64)
        if monomial == first and fixed.terms:
            product = ir.Elementwise("+", (product, writer.number(fixed)), dtypes.INT64)
        op = "-" if is_subtracted else "+"
        result = product if result is None else ir.Elementwise(op, (result, product), dtypes.INT64)
    assert result is not None, "an index that varies has a term that does"
    if fixed.terms and first is None:
        result = ir.Elementwise("+", (result, writer.number(fixed)), dtypes.INT64)
    return result


def _least_varying(writer: Writer, monomials: Sequence[tuple[str, ...]]) -> tuple[str, ...] | None:
    """Return the first term that varies over some of the loops of a sum alone, where adding a number takes least; None
    if all terms vary over the same ones.
    """
    dims = {monomial: writer.space.dims(Polynomial({monomial: 1})) - writer.fixed for monomial in monomials}
    least = min(monomials, key=lambda monomial: len(dims[monomial]), default=None)
    everything = frozenset[str]().union(*dims.values())
    return least if least is not None and dims[least] < everything else None


_FEW = 64


def _taken(writer: Writer, storage: Storage, index: Indices, order: Sequence[str]) -> tuple[Expr, list[str]]:
    """Return elements taken along one dimension after the other."""
    plain: list[Polynomial] = []
    taken: list[tuple[int, Expr, list[str]]] = []
    for at, (part, size) in enumerate(zip(index, storage.sizes, strict=True)):
        if _is_affine(writer, part):
            plain.append(part)
            continue
        names = [name for name in order if name in writer.space.dims(part) - writer.fixed]
        taken.append((at, checked_index(writer, part, size, names), names))
        plain.append(Polynomial.name(_whole(writer, size)))
    wholes = [name for at, _, _ in taken for name in plain[at].names()]
    result, along = view(writer, storage, tuple(plain), [*order, *wholes])
    axes = list(along)
    if all((storage.sizes[at].value or _FEW + 1) <= _FEW for at, _, _ in taken[:-1]):
        taken.reverse()  # of few short rows first: then whole rows are copied, which is faster
    for at, array, names in taken:
        position = axes.index(next(iter(plain[at].names())))
        result = ir.Take(result, array, position)
        axes[position : position + 1] = names
    return result, axes


def _whole(writer: Writer, size: Polynomial) -> str:
    """Return the name of a loop that runs over a whole dimension."""
    name = writer.fresh("all")
    writer.space.loops[name] = Loop(name, size, tree.PrimVar(name))
    return name


def align(value: Expr, axes: Sequence[str], order: Sequence[str]) -> Expr:
    """Return an array with dimensions `axes` as one with the last dimensions of `order`."""
    if not axes:
        return value
    wanted = [name for name in order if name in axes]
    if list(axes) != wanted:
        value = ir.Transposed(value, tuple([list(axes).index(name) for name in wanted]))
    tail = list(order)[list(order).index(wanted[0]) :]
    if len(tail) > len(wanted):
        value = ir.View(value, tuple([ir.Whole() if name in axes else ir.NewAxis() for name in tail]))
    return value
