"""Elements of an array as text: a view where the index is affine, gathered by indices where it is not."""

from __future__ import annotations

from relax_lang.arith.polynomial import Polynomial
from relax_lang.base.wording import tuple_text
from relax_lang.syntax import tree
from relax_lang.tir.analysis.vector_ir import Loop, Named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.analysis.vector_ir import Indices, Storage
    from relax_lang.tir.codegen.writer import Writer

    Part = tuple[list[str], list[Polynomial], Polynomial]  # loop variables, their factors, the rest


def is_view(writer: Writer, index: Indices) -> bool:
    """Tell whether an index is affine in the loops that are not numbers here."""
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


def view(writer: Writer, storage: Storage, index: Indices, order: Sequence[str]) -> tuple[str, list[str]]:
    """Return the text of the elements that an index names, and the loops along its dimensions."""
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
    slices: list[str] = []
    flips: list[str] = []
    full = True
    for (names, factors, start), size in zip(parts, storage.sizes, strict=True):
        if not names:
            slices.append(writer.number(start))
            full = False
            continue
        step = factors[0].value or 1
        text, whole = _slice(writer, start, writer.space.loops[names[0]].extent, step, size)
        slices.append(text)
        flips.append("::-1" if step < 0 else ":")
        full = full and whole
    text = storage.name
    row = writer.rows.get((id(storage), index[0])) if index and not parts[0][0] else None
    if row is not None:
        text, slices = row, slices[1:]
        full = all(part == ":" for part in slices)
    if not full or not slices:
        while len(slices) > 1 and slices[-1] == ":":
            slices.pop()
        text += f"[{', '.join(slices) or '()'}]" if slices or row is None else ""
    if "::-1" in flips:
        text += f"[{', '.join(flips)}]"
    if row is None and along and text != storage.name:
        text = _before_loop(writer, storage, text, parts)
    return text, along


def _before_loop(writer: Writer, storage: Storage, text: str, parts: list[Part]) -> str:
    """Return the text of a view; before a loop of steps in which it is always the same it gets a name."""
    if writer.steps is None:
        return text
    numbers: list[Polynomial] = []
    for (names, factors, start), size in zip(parts, storage.sizes, strict=True):
        numbers += [start, *factors, *[writer.space.loops[name].extent for name in names]]
        inside = writer.entry.is_nonnegative(start) and writer.entry.is_nonnegative(size - 1 - start)
        if not names and not inside:
            return text
    return writer.steps.view(writer, storage, text, numbers)


def _checked(writer: Writer, position: Polynomial, size: Polynomial) -> Polynomial:
    """Return a position; one that depends on data is compared with the size first."""
    if not writer.space.atoms_in(position) or _is_within(writer, position, size):
        return position
    text = f"{writer.check('inside')}({writer.number(position)}, {writer.number(size)})"
    return Polynomial.name(writer.name(text, "at"))


def _is_within(writer: Writer, part: Polynomial, size: Polynomial) -> bool:
    """Tell whether an index is one of a variable that runs to a size."""
    atom = writer.space.atoms.get(str(part))
    if atom is None or not isinstance(atom.vector, Named) or atom.vector.extent is None:
        return False
    return writer.entry.is_nonnegative(size - atom.vector.extent)


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


def _slice(
    writer: Writer, start: Polynomial, extent: Polynomial, step: int, size: Polynomial
) -> tuple[str, bool]:
    """Return `a:b:c` for `extent` elements from `start` by `step`, and whether that is the whole dimension.

    With a negative step the slice names the same elements from below; the caller turns it around. An empty range
    gives an empty slice, whatever its start.
    """
    if step < 0:
        start = start + (extent - 1) * step
    width = abs(step)
    if width == 1 and start.value == 0 and extent == size:
        return ":", True
    stop = start + extent * width
    first = "" if start.value == 0 else writer.number(start)
    return f"{first}:{writer.number(stop)}" + (f":{width}" if width != 1 else ""), False


def _strided(
    writer: Writer, storage: Storage, parts: list[Part], order: Sequence[str]
) -> tuple[str, list[str]]:
    used = {name for names, _, _ in parts for name in names}
    along = [name for name in order if name in used]
    starts = [writer.number(start) for _, _, start in parts]
    extents = [writer.extent(writer.space.loops[name]) for name in along]
    steps: list[str] = []
    for name in along:
        row = [dict(zip(names, factors, strict=True)).get(name) for names, factors, _ in parts]
        steps.append(tuple_text([writer.number(factor) if factor is not None else "0" for factor in row]))
    helper = writer.helper("affine_view")
    text = f"{helper}({storage.name}, {tuple_text(starts)}, {tuple_text(extents)}, {tuple_text(steps)})"
    return _before_loop(writer, storage, text, parts), along


def gather(writer: Writer, storage: Storage, index: Indices, order: Sequence[str]) -> tuple[str, list[str]]:
    """Return the text of elements at indices that are no slices, and the loops along its dimensions.

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
    names = set(together)
    first = min([list(order).index(name) for name in names])
    return f"{storage.name}[{', '.join(arrays)}]", list(order[first:])


def checked_index(
    writer: Writer, part: Polynomial, size: Polynomial, order: Sequence[str], *, sure: bool = False
) -> str:
    """Return the values of an index along an order of loops, compared with the size of its dimension."""
    if not writer.space.dims(part) - writer.fixed:
        return writer.number(_checked(writer, part, size))
    text = index_text(writer, part, order)
    if (
        sure
        or _is_within(writer, part, size)
        or (not writer.space.atoms_in(part) and _is_affine(writer, part))
    ):
        return writer.named(text, "at")
    key = (part, size, tuple(order))
    if key not in writer.shared:
        writer.shared[key] = writer.name(f"{writer.check('inside')}({text}, {writer.number(size)})", "at")
    return writer.shared[key]


def index_text(writer: Writer, polynomial: Polynomial, order: Sequence[str]) -> str:
    """Return the values of a polynomial as an array of int64, aligned to an order of loops."""
    texts: dict[str, str] = {}
    for name in polynomial.names():
        if name in writer.fixed:
            continue
        if name in writer.space.loops:
            extent = writer.extent(writer.space.loops[name])
            texts[name] = align(f"np.arange({extent})", [name], order)
        elif name in writer.space.atoms and writer.space.atoms[name].vector.dims - writer.fixed:
            key = (name, tuple(order))
            if key not in writer.shared:
                text = writer.text_of(writer, writer.space.atoms[name].vector, order)
                writer.shared[key] = text if text.isidentifier() else writer.name(text, "at")
            texts[name] = writer.shared[key]
    fixed = polynomial.without(set(texts))
    parts: list[str] = []
    for monomial, factor in polynomial.terms.items():
        if not texts.keys() & set(monomial):
            continue
        names = [texts.get(name) or writer.number(Polynomial.name(name)) for name in monomial]
        parts.append(" * ".join([*([str(factor)] if factor != 1 else []), *names]))
    text = " + ".join(parts)
    if fixed.terms:
        text += f" + {writer.number(fixed)}"
    return f"({text})" if " " in text else text


def _taken(writer: Writer, storage: Storage, index: Indices, order: Sequence[str]) -> tuple[str, list[str]]:
    """Return elements taken along one dimension after the other."""
    plain: list[Polynomial] = []
    taken: list[tuple[int, str, list[str]]] = []
    for at, (part, size) in enumerate(zip(index, storage.sizes, strict=True)):
        if _is_affine(writer, part):
            plain.append(part)
            continue
        names = [name for name in order if name in writer.space.dims(part) - writer.fixed]
        taken.append((at, checked_index(writer, part, size, names), names))
        plain.append(Polynomial.name(_whole(writer, size)))
    wholes = [name for at, _, _ in taken for name in plain[at].names()]
    text, along = view(writer, storage, tuple(plain), [*order, *wholes])
    axes = list(along)
    for at, array, names in taken:
        whole = next(iter(plain[at].names()))
        position = axes.index(whole)
        text = f'np.take({text}, {array}, axis={position}, mode="clip")'
        axes[position : position + 1] = names
    return text, axes


def _whole(writer: Writer, size: Polynomial) -> str:
    """Return the name of a loop that runs over a whole dimension."""
    name = writer.fresh("all")
    writer.space.loops[name] = Loop(name, size, tree.PrimVar(name))
    return name


def align(text: str, axes: Sequence[str], order: Sequence[str]) -> str:
    """Return the text of an array with dimensions `axes` as one with the last dimensions of `order`."""
    if not axes:
        return text
    wanted = [name for name in order if name in axes]
    if list(axes) != wanted:
        text += f".transpose({', '.join([str(list(axes).index(name)) for name in wanted])})"
    tail = list(order)[list(order).index(wanted[0]) :]
    if len(tail) > len(wanted):
        text += f"[{', '.join([':' if name in axes else 'None' for name in tail])}]"
    return text
