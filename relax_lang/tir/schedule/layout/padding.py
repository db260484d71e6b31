"""Indices that are kept inside an array (`min(max(i + a - 1, 0), n - 1)`) become affine ones into a padded copy of it.

Such an index is a function of one affine expression. If an array is read at several values of that expression per
iteration, as a window does, it is copied once, element `p` of the copy being the one for the value `p` above the least;
then all these reads are slices. Only arrays that nothing stores to are copied, and only where a copy is larger by a few
elements in each dimension. So it is with many indices that wrap around (`(i + 1) % n`), as each would cut its loop in
two, and with neighbours on all sides that are clamped each in a way of its own (`max(i - 1, 0)`, `min(i + 1, n - 1)`).
"""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.base.node import replaced
from relax_lang.syntax import dtypes, tree
from relax_lang.tir.analysis.accesses import Loop, Storage
from relax_lang.tir.analysis.lowered.statements import Repeat, Stage
from relax_lang.tir.analysis.lowered.vector_ir import Apply, Const, Index, Load, loads, parts_of
from relax_lang.tir.schedule.domains import MOST_CLAMPED
from relax_lang.tir.schedule.layout.clamps import start_of_clamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from relax_lang.tir.analysis.lowered.statements import Statement
    from relax_lang.tir.analysis.lowered.vector_ir import Vector
    from relax_lang.tir.lower.lower import Lowering

_MOST_PADDING = 64
"""Elements by which a copy may be longer than its array."""
_KEEPS_INSIDE = ("min", "max")
_CHOICES = ("if_then_else", "select", "&&", "||")
_WRAPS = "%"
_CLAMPS = "clamp"
"""What keeps an index between the first element and the last, as a function: the same in all dimensions."""
_MOST_PARTS = 4
"""So many parts of the loops of a statement, cut where indices wrap, cost less than a copy."""


class _Clamped:
    """A load of which some indices are clamped.

    `bases` has for each dimension the affine expression that its index is a function of, and the least and the greatest
    value of that; None where the index is affine itself.
    """

    __slots__ = ("bases", "is_chosen", "is_window", "load", "shapes")

    def __init__(
        self,
        load: Load,
        bases: list[tuple[Polynomial, Polynomial, Polynomial] | None],
        shapes: tuple[object, ...],
        *,
        is_window: bool,
        is_chosen: bool,
    ) -> None:
        self.load = load
        self.bases = bases
        self.shapes = shapes
        """What the clamped indices are as functions: equal for loads that a copy may serve together."""
        self.is_window = is_window
        """Whether loops that choose no element of the result run over it."""
        self.is_chosen = is_chosen
        """Whether a condition decides about it, for which its loops may be cut."""

    @property
    def clamps(self) -> list[Polynomial]:
        """The indices that are clamped."""
        return [part for part, base in zip(self.load.index, self.bases, strict=True) if base is not None]


class _Range:
    """The values of the affine expression of one dimension that a copy serves."""

    __slots__ = ("high", "low")

    def __init__(self, low: Polynomial, high: Polynomial) -> None:
        self.low = low
        self.high = high

    def with_also(self, low: Polynomial, high: Polynomial) -> _Range | None:
        """Return the range that covers other values, too; None if these are not a known number of elements away."""
        below, above = (low - self.low).value, (high - self.high).value
        if below is None or above is None:
            return None
        return _Range(low if below < 0 else self.low, high if above > 0 else self.high)


def pad(lowering: Lowering) -> list[Stage]:
    """Let statements of a PrimFunc read padded copies; return the statements that are new."""
    if _operations(lowering).isdisjoint((*_KEEPS_INSIDE, _WRAPS)):
        return []
    return _Padding(lowering).run()


def _operations(lowering: Lowering) -> set[str]:
    atoms = [atom.vector for atom in lowering.space.atoms.values()]
    return {vector.op for vector in atoms if isinstance(vector, Apply)}


class _Padding:
    """The padding of the arrays of one PrimFunc."""

    def __init__(self, lowering: Lowering) -> None:
        self._lowering = lowering
        self._space = lowering.space
        self._entry = lowering.entry
        written = lowering.stored_in(lowering.analysis.func.body)
        self._written = {lowering.storages[symbol] for symbol in written if symbol in lowering.storages}

    def run(self) -> list[Stage]:
        """Make the copies; return the statements that fill them and those that read them."""
        groups: dict[tuple[object, ...], list[_Clamped]] = {}
        statements = self._lowering.statements
        if any(isinstance(statement, Repeat) for statement in statements):
            return []
        for statement in statements:
            for found in self._clamped(statement):
                groups.setdefault((found.load.storage, found.shapes), []).append(found)
        made: list[Stage] = []
        values: dict[int, Load] = {}
        for members in self._merged(list(groups.values())):
            ranges = self._ranges(members)
            if ranges is not None and self._pays(members):
                made.append(self._copied(members, ranges, values))
        changed = [statement for statement in statements if isinstance(statement, Stage)] if values else []
        for stage in changed:
            value = self._with(stage.value, values, {})
            if value is not stage.value:
                new = replaced(stage, value=value)
                new.reducing = stage.reducing
                statements[statements.index(stage)] = new
                made.append(new)
        statements[:0] = [stage for stage in made if stage not in statements]
        return made

    def _clamped(self, statement: Statement) -> Iterable[_Clamped]:
        """Return the loads of a statement that a copy may serve."""
        if not isinstance(statement, Stage):
            return
        if any(self._space.varies(loop.extent) for loop in statement.loops):
            return
        kept = set[str]().union(*[self._space.dims(part) for part in statement.index])
        chosen = [
            arg.key
            for part in parts_of(statement.value)
            if isinstance(part, Apply) and part.op in _CHOICES
            for arg in part.args[1:]
        ]
        always = {part.key for part in parts_of(statement.value, chosen)}
        for load in loads(statement.value):
            if not load.storage.is_param or load.storage in self._written:
                continue
            pairs = zip(load.index, load.storage.sizes, strict=True)
            bases = [self._base(part, size, statement.loops) for part, size in pairs]
            if any(
                self._space.atoms_in(part) for part, base in zip(load.index, bases, strict=True) if not base
            ):
                continue
            if not any(bases):
                continue
            shapes = tuple([
                None if base is None else self._function(part, base[0])
                for part, base in zip(load.index, bases, strict=True)
            ])  # fmt: skip
            names = set[str]().union(*[base[0].names() for base in bases if base is not None])
            extents = [loop.extent.value for loop in statement.loops if loop.name in names - kept]
            if all(extent is not None for extent in extents):
                yield _Clamped(load, bases, shapes, is_window=bool(extents), is_chosen=load.key not in always)

    def _base(
        self, index: Polynomial, size: Polynomial, loops: Sequence[Loop]
    ) -> tuple[Polynomial, Polynomial, Polynomial] | None:
        """Return the affine expression that an index is a clamped function of, or what it is modulo the size of its
        dimension, and its bounds in some loops.
        """
        base = self._argument(index) or self._dividend(index, size)
        return None if base is None else self._bounded(base, loops)

    def _bounded(
        self, base: Polynomial, loops: Sequence[Loop]
    ) -> tuple[Polynomial, Polynomial, Polynomial] | None:
        low = base.without(self._space.dims(base))
        high, symbolic = low, 0
        for loop in [loop for loop in loops if loop.name in self._space.dims(base)]:
            factor, extent = base.coefficient(loop.name), loop.extent.value
            if factor is None or (factor.value or 0) < 1 or (extent is not None and extent < 1):
                return None
            symbolic += extent is None
            high = high + (loop.extent - 1) * factor
        if symbolic > 1 or self._space.dims(low) or self._space.dims(high):
            return None
        return base, low, high

    def _argument(self, index: Polynomial) -> Polynomial | None:
        """Return the only part of a clamped index that varies; None for other indices."""
        atoms = self._space.atoms_in(index)
        if len(atoms) != 1 or index != Polynomial.name(atoms[0].name):
            return None
        varying: set[Polynomial] = set()
        for part in parts_of(atoms[0].vector):
            if isinstance(part, Index):
                if self._space.atoms_in(part.polynomial):
                    return None
                if self._space.dims(part.polynomial):
                    varying.add(part.polynomial)
            elif not isinstance(part, Const) and not _is_clamp(part):
                return None
        return varying.pop() if len(varying) == 1 else None

    def _dividend(self, index: Polynomial, size: Polynomial) -> Polynomial | None:
        """Return what an index is modulo the size of its dimension, without a multiple of that; None for others."""
        atoms = self._space.atoms_in(index)
        if len(atoms) != 1 or index != Polynomial.name(atoms[0].name):
            return None
        vector: Vector = atoms[0].vector
        if not isinstance(vector, Apply) or vector.op != _WRAPS:
            return None
        a, b = vector.args
        if not isinstance(a, Index) or not isinstance(b, Index) or b.polynomial != size:
            return None
        base = a.polynomial
        if self._space.atoms_in(base) or not self._space.dims(base) or self._space.dims(size):
            return None
        for times in (0, 1, -1):
            start = base.without(self._space.dims(base)) - size * times
            if start.value is not None:
                return base - size * times
        return None

    def _function(self, index: Polynomial, base: Polynomial) -> object:
        """Return the key of an index as a function of an affine expression."""
        (atom,) = self._space.atoms_in(index)
        if isinstance(atom.vector, Apply) and atom.vector.op == _WRAPS:
            return _WRAPS
        return _put(atom.vector, base, Index(Polynomial.name("·"), frozenset())).key

    def _ranges(self, members: list[_Clamped]) -> list[_Range | None] | None:
        """Return what a copy covers in each dimension; None if it would be too large."""
        found: list[_Range | None] = [None] * len(members[0].bases)
        for member in members:
            for at, base in enumerate(member.bases):
                if base is None:
                    continue
                _, low, high = base
                old = found[at]
                new = _Range(low, high) if old is None else old.with_also(low, high)
                if new is None:
                    return None
                found[at] = new
        for one, size in zip(found, members[0].load.storage.sizes, strict=True):
            if one is None:
                continue
            more = (one.high - one.low + 1 - size).value
            if more is None or not 0 <= more <= _MOST_PADDING or not self._entry.is_nonnegative(size):
                return None
        return found

    def _merged(self, groups: list[list[_Clamped]]) -> list[list[_Clamped]]:
        """Return groups of loads, one for all of an array that wrap around in one dimension or another, or are clamped
        in so many ways that their loops are not cut.
        """
        made: list[list[_Clamped]] = []
        wrapping: dict[Storage, list[_Clamped]] = {}
        clamped: dict[Storage, list[list[_Clamped]]] = {}
        for group in groups:
            storage = group[0].load.storage
            if _WRAPS in group[0].shapes:
                if {*group[0].shapes} <= {_WRAPS, None}:
                    wrapping.setdefault(storage, []).extend(group)
            elif all(self._is_kept_inside(one) and not one.is_chosen for one in group):
                clamped.setdefault(storage, []).append(group)
            else:
                made.append(group)
        made += [self._over_same_dimensions(members) for members in wrapping.values()]
        for alike in clamped.values():
            members = [one for group in alike for one in group]
            if len(alike) < 2 or len({part for one in members for part in one.clamps}) <= MOST_CLAMPED:
                made += alike
                continue
            for one in members:
                one.shapes = tuple([_CLAMPS if base else None for base in one.bases])
            made.append(self._over_same_dimensions(members))
        return [group for group in made if group]

    def _is_kept_inside(self, member: _Clamped) -> bool:
        """Return whether all clamped indices are kept between the first and the last element."""
        for part, base, size in zip(member.load.index, member.bases, member.load.storage.sizes, strict=True):
            if base is None:
                continue
            loops = [self._space.loops[name] for name in self._space.dims(base[0])]
            if len(loops) != 1 or start_of_clamp(self._space, self._entry, part, loops[0], size) is None:
                return False
        return True

    def _over_same_dimensions(self, members: list[_Clamped]) -> list[_Clamped]:
        """Return loads of an array that have an expression in all dimensions in which one of them has it."""
        dims = [at for at in range(len(members[0].bases)) if any(one.bases[at] for one in members)]
        for one in members:
            for at in dims:
                part = one.load.index[at]
                loop = self._space.loops.get(str(part))
                if one.bases[at] is None and loop is not None and part == Polynomial.name(loop.name):
                    one.bases[at] = self._bounded(part, [loop])
        return [one for one in members if all(one.bases[at] is not None for at in dims)]

    def _pays(self, members: list[_Clamped]) -> bool:
        """Return whether elements are read more than once by loads that are not the same; of loads that wrap around,
        whether loops would be cut into many parts.
        """
        if any(_WRAPS in member.shapes for member in members):
            parts = 1
            for at in range(len(members[0].bases)):
                cut = {
                    base[1]
                    for base in [one.bases[at] for one in members if one.shapes[at] == _WRAPS]
                    if base is not None
                }
                parts <<= len(cut)
            return parts > _MOST_PARTS
        return any(member.is_window for member in members) or len({one.load.key for one in members}) > 1

    def _copied(self, members: list[_Clamped], ranges: list[_Range | None], values: dict[int, Load]) -> Stage:
        """Return the statement that fills a copy, and note the loads that take the place of those of the array."""
        first = members[0]
        storage, node = first.load.storage, first.load.node
        size_of = storage.sizes
        sizes = tuple([
            size if one is None else one.high - one.low + 1
            for one, size in zip(ranges, storage.sizes, strict=True)
        ])  # fmt: skip
        copy = Storage(self._entry.fresh(storage.name), storage.dtype, sizes)
        copy.is_temporary = True
        self._lowering.allocated.append(copy)
        loops: list[Loop] = []
        source: list[Polynomial] = []
        for at, (one, size) in enumerate(zip(ranges, sizes, strict=True)):
            loop = Loop(self._entry.fresh("p"), size, tree.PrimVar("p"))
            self._space.loops[loop.name] = loop
            loops.append(loop)
            here = Polynomial.name(loop.name)
            base = first.bases[at]
            if one is None or base is None:
                source.append(here)
                continue
            position = Index(one.low + here, frozenset((loop.name,)))
            if any(member.shapes[at] == _WRAPS for member in members):
                value: Vector = Apply(_WRAPS, (position, Index(size_of[at], frozenset())), dtypes.INT64)
            elif any(member.shapes[at] == _CLAMPS for member in members):
                value = Apply("max", (position, Index(Polynomial.constant(0), frozenset())), dtypes.INT64)
                value = Apply("min", (value, Index(size_of[at] - 1, frozenset())), dtypes.INT64)
            else:
                (atom,) = self._space.atoms_in(first.load.index[at])
                value = _put(atom.vector, base[0], position)
            source.append(self._space.atom(value, self._entry.fresh("at")))
        for member in members:
            values[member.load.key] = self._moved(member, copy, ranges)
        index = tuple([Polynomial.name(loop.name) for loop in loops])
        read = self._space.element(storage, tuple(source), first.load.node)
        label = f"padded {storage.name}"
        return Stage(tuple(loops), (), label, node, copy, index, "=", read)

    def _moved(self, member: _Clamped, copy: Storage, ranges: list[_Range | None]) -> Load:
        """Return the load of a copy that takes the place of one of the array."""
        index = [
            part if one is None or base is None else base[0] - one.low
            for part, base, one in zip(member.load.index, member.bases, ranges, strict=True)
        ]
        return self._space.element(copy, tuple(index), member.load.node)

    def _with(self, value: Vector, values: dict[int, Load], done: dict[int, Vector]) -> Vector:
        """Return an expression with loads replaced; the expression itself if there are none."""
        if isinstance(value, Load):
            return values.get(value.key, value)
        if not isinstance(value, Apply):
            return value
        if value.key not in done:
            args = tuple([self._with(arg, values, done) for arg in value.args])
            same = all(new is old for new, old in zip(args, value.args, strict=True))
            done[value.key] = value if same else Apply(value.op, args, value.dtype)
        return done[value.key]


def _is_clamp(part: Vector) -> bool:
    return isinstance(part, Apply) and part.op in _KEEPS_INSIDE and part.dtype == dtypes.INT64


def _put(vector: Vector, base: Polynomial, value: Index) -> Vector:
    """Return a clamped index with another value for the expression that it is a function of."""
    if isinstance(vector, Index):
        return value if vector.polynomial == base else vector
    if not isinstance(vector, Apply):
        return vector
    return Apply(vector.op, tuple([_put(arg, base, value) for arg in vector.args]), vector.dtype)
