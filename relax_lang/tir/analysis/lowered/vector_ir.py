"""Vector expressions: the values of lowered statements, typed, and the space of loops and atoms that they vary over.

The dimensions of each part are the loops it varies over, kept as data and never as text. An index is a polynomial
over loop variables, sizes and *atoms*, which are names for other values (`I[i]`, `i // 3`).
"""

from __future__ import annotations

from itertools import count
from typing import assert_never

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.accesses import Loop, Storage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from typing import TypeAlias

    from relax_lang.base.node import Node
    from relax_lang.tir.analysis.accesses import Indices

    Dims = frozenset[str]

NO_DIMS: Dims = frozenset()


class NotVectorizable(Exception):  # noqa: N818 - an answer, not an error
    """Why a part of a PrimFunc is not vectorized, and where."""

    def __init__(self, reason: str, node: Node) -> None:
        super().__init__(reason)
        self.reason = reason
        self.node = node


_NUMBERS: dict[tuple[object, ...], int] = {}
_MOST_NUMBERS = 200_000
_COUNTER = count()


def _number_of(what: tuple[object, ...]) -> int:
    """Return the number of an expression: the same one for the same expression."""
    number = _NUMBERS.get(what)
    if number is None:
        if len(_NUMBERS) >= _MOST_NUMBERS:
            _NUMBERS.clear()  # numbers are never given out twice
        number = _NUMBERS[what] = next(_COUNTER)
    return number


class _Vector:
    """A typed expression; `dims` are the names of the loops its value depends on, equal ones have the same `key`."""

    __slots__ = ("dims", "dtype", "key")
    dims: Dims
    dtype: str
    key: int

    @property
    def depth(self) -> int:
        """How many operations are nested in each other."""
        return 0


class Const(_Vector):
    """A literal; `value` is an int, a float or a bool in the range of its dtype."""

    __slots__ = ("value",)

    def __init__(self, value: float, dtype: str) -> None:
        self.value = value
        self.dtype = dtype
        self.dims = NO_DIMS
        self.key = _number_of(("const", dtype, repr(value)))


class Size(_Vector):
    """A scalar known when the function is called, such as a parameter: a Python expression."""

    __slots__ = ("text",)

    def __init__(self, text: str, dtype: str) -> None:
        self.text = text
        self.dtype = dtype
        self.dims = NO_DIMS
        self.key = _number_of(("size", dtype, text))


class Index(_Vector):
    """The value of a polynomial over loop variables, sizes and atoms, as int64."""

    __slots__ = ("polynomial",)

    def __init__(self, polynomial: Polynomial, dims: Dims) -> None:
        self.polynomial = polynomial
        self.dtype = dtypes.INT64
        self.dims = dims
        self.key = _number_of(("index", polynomial))


class Named(_Vector):
    """An array that the generated code has under a name; its dimensions are `axes`, in that order. Its values are
    those of a variable that runs to `extent`, if there is one.
    """

    __slots__ = ("axes", "extent", "text")

    def __init__(
        self, text: str, axes: tuple[str, ...], dtype: str, extent: Polynomial | None = None
    ) -> None:
        self.extent = extent
        self.text = text
        self.axes = axes
        self.dtype = dtype
        self.dims = frozenset(axes)
        self.key = _number_of(("named", text))


class Load(_Vector):
    """Elements of an array; `dtype` is that of the array."""

    __slots__ = ("index", "node", "storage")

    def __init__(self, storage: Storage, index: Indices, dims: Dims, node: Node) -> None:
        self.storage = storage
        self.index = index
        self.node = node
        self.dtype = storage.dtype
        self.dims = dims
        self.key = _number_of(("load", id(storage), index))


class Apply(_Vector):
    """An operation on vectors; `op` is an operator such as `+`, the name of an intrinsic, `select`, `cast`, or
    one of those that evaluate only what they need: `if_then_else`, `&&` and `||`.
    """

    __slots__ = ("_depth", "args", "op")

    def __init__(self, op: str, args: tuple[Vector, ...], dtype: str) -> None:
        self.op = op
        self.args = args
        self._depth = 1 + max([arg.depth for arg in args])
        self.dtype = dtype
        self.dims = NO_DIMS.union(*[arg.dims for arg in args])
        self.key = _number_of((op, dtype, *[arg.key for arg in args]))

    @property
    def depth(self) -> int:
        """How many operations are nested in each other."""
        return self._depth


if TYPE_CHECKING:
    Vector: TypeAlias = Const | Size | Index | Named | Load | Apply
else:
    Vector = _Vector


class Atom:
    """A name in polynomials for an int64 value that is not a polynomial itself."""

    __slots__ = ("name", "vector")

    def __init__(self, name: str, vector: Vector) -> None:
        self.name = name
        self.vector = vector


class Space:
    """The loops and atoms that are named in polynomials; all other names are sizes."""

    __slots__ = ("_fresh", "_second", "atoms", "constant", "loads", "loops", "sources")

    def __init__(self, fresh: Callable[[str], str]) -> None:
        self._fresh = fresh
        """What gives out names that mean nothing else in the generated code."""
        self._second: dict[Dims, dict[str, str]] = {}
        self.loops: dict[str, Loop] = {}
        self.atoms: dict[str, Atom] = {}
        self.constant: set[Storage] = set()
        """The arrays that no statement stores to."""
        self.loads: dict[int, list[Load]] = {}
        """The loads in values, by key."""
        self.sources: dict[int, tuple[frozenset[Storage], bool]] = {}
        """The arrays that values read, and whether at places that they compute, by key."""

    def dims(self, polynomial: Polynomial) -> Dims:
        """Return the loops that a polynomial varies over."""
        found: set[str] = set()
        for name in polynomial.names():
            if name in self.loops:
                found.add(name)
            elif name in self.atoms:
                found |= self.atoms[name].vector.dims
        return frozenset(found)

    def atoms_in(self, polynomial: Polynomial) -> list[Atom]:
        """Return the atoms of a polynomial that vary over loops or read arrays."""
        atoms = self.atoms
        if not atoms or atoms.keys().isdisjoint(names := polynomial.names()):
            return []
        return [atoms[name] for name in sorted(names) if name in atoms]

    def element(self, storage: Storage, index: Indices, node: Node) -> Load:
        """Return the element of an array that an index names."""
        return Load(storage, index, NO_DIMS.union(*map(self.dims, index)), node)

    def atom_values(self, polynomials: Iterable[Polynomial]) -> list[Vector]:
        """Return the values of the atoms in polynomials."""
        return [atom.vector for polynomial in polynomials for atom in self.atoms_in(polynomial)]

    def varies(self, polynomial: Polynomial) -> bool:
        """Return whether a polynomial names a loop or an atom; if not, it is a number when the function is called."""
        return any(name in self.loops or name in self.atoms for name in polynomial.names())

    def substituted(self, polynomial: Polynomial, values: Mapping[str, Polynomial]) -> Polynomial:
        """Replace names by polynomials; an atom that depends on one of them becomes another atom."""
        result = polynomial
        for name in sorted(polynomial.names()):
            value = values.get(name)
            if value is None and name in self.atoms and self.atoms[name].vector.dims & values.keys():
                value = self.atom(self.replaced(self.atoms[name].vector, values), name)
            if value is not None:
                result = replace_name(result, name, value)
        return result

    def in_second(self, value: Polynomial, fixed: Dims) -> Polynomial:
        """Return what a polynomial is in a second iteration; see `IterationSpace`."""
        renames = self._second.setdefault(fixed, {})
        is_same = True
        for name in value.names():
            new = renames.get(name)
            if new is None:
                new = renames[name] = self._name_in_second(name, fixed)
            is_same &= new == name
        return value if is_same else value.renamed(renames)

    def _name_in_second(self, name: str, fixed: Dims) -> str:
        atom = self.atoms.get(name)
        differs = name in self.loops and name not in fixed
        if atom is not None:
            # What arrays hold may change between the two iterations.
            read = [load.storage for load in all_loads(self, atom.vector)]
            differs = bool(atom.vector.dims - fixed) or not self.constant.issuperset(read)
        return f"{name}'" if differs else name

    def atom(self, vector: Vector, wanted: str) -> Polynomial:
        """Return a name for a value: the same one for the same value."""
        for atom in self.atoms.values():
            if atom.vector.key == vector.key:
                return Polynomial.name(atom.name)
        name = self._fresh(wanted) if wanted in self.atoms or wanted in self.loops else wanted
        self.atoms[name] = Atom(name, vector)
        return Polynomial.name(name)

    def replaced(self, vector: Vector, values: Mapping[str, Polynomial]) -> Vector:
        """Replace names by polynomials in an expression."""
        if not vector.dims & values.keys():
            return vector

        def access_of(storage: Storage, index: Indices) -> tuple[Storage, Indices]:
            return storage, tuple([self.substituted(part, values) for part in index])

        return self.replaced_with(vector, values, access_of)

    def replaced_with(
        self,
        vector: Vector,
        values: Mapping[str, Polynomial],
        access_of: Callable[[Storage, Indices], tuple[Storage, Indices]],
        done: dict[int, Vector] | None = None,
    ) -> Vector:
        """Replace names by polynomials in an expression, and accesses by what `access_of` returns."""
        done = {} if done is None else done
        if vector.key not in done:
            done[vector.key] = self._replaced_with(vector, values, access_of, done)
        return done[vector.key]

    def _replaced_with(
        self,
        vector: Vector,
        values: Mapping[str, Polynomial],
        access_of: Callable[[Storage, Indices], tuple[Storage, Indices]],
        done: dict[int, Vector],
    ) -> Vector:
        match vector:
            case Index():
                polynomial = self.substituted(vector.polynomial, values)
                return Index(polynomial, self.dims(polynomial))
            case Load():
                storage, index = access_of(vector.storage, vector.index)
                return self.element(storage, index, vector.node)
            case Apply():
                args = tuple([self.replaced_with(arg, values, access_of, done) for arg in vector.args])
                return Apply(vector.op, args, vector.dtype)
            case Const() | Size() | Named():
                return vector
            case _:
                assert_never(vector)


def replace_name(polynomial: Polynomial, name: str, value: Polynomial) -> Polynomial:
    """Replace a name by a polynomial."""
    result = polynomial.without({name})
    for monomial, factor in polynomial.terms.items():
        power = monomial.count(name)
        if power:
            product = Polynomial({tuple([other for other in monomial if other != name]): factor})
            for _ in range(power):
                product = product * value
            result = result + product
    return result


def parts_of(vector: Vector, but: Collection[int] = ()) -> list[Vector]:
    """Return an expression and its parts, each once; not those in the atoms of an index, nor those with the keys
    `but` and what is in them.
    """
    if not isinstance(vector, Apply):
        return [] if vector.key in but else [vector]
    found: dict[int, Vector] = {}
    pending: list[Vector] = [vector]
    while pending:
        part = pending.pop()
        if part.key not in found and part.key not in but:
            found[part.key] = part
            if isinstance(part, Apply):
                pending.extend(part.args)
    return list(found.values())


def with_parts(vector: Vector, by: dict[int, Vector]) -> Vector:
    """Return an expression with some parts replaced, found by their keys; `by` gets what their users become."""
    if vector.key not in by:
        if not isinstance(vector, Apply):
            return vector
        by[vector.key] = Apply(vector.op, tuple([with_parts(arg, by) for arg in vector.args]), vector.dtype)
    return by[vector.key]


def as_polynomial(vector: Vector) -> Polynomial | None:
    """Return the polynomial that an int64 expression is; None if it is something else."""
    if isinstance(vector, Index):
        return vector.polynomial
    if isinstance(vector, Const) and vector.dtype == dtypes.INT64:
        return Polynomial.constant(int(vector.value))
    return None


def chain(value: Vector, op: str) -> list[Vector]:
    """Return the operands of a chain of one associative operation."""
    found: list[Vector] = []
    pending = [value]
    while pending:
        part = pending.pop()
        if isinstance(part, Apply) and part.op == op:
            pending.extend(reversed(part.args))
        else:
            found.append(part)
    return found


def loads(vector: Vector) -> list[Load]:
    """Return the loads in an expression; not those in the atoms of an index."""
    return [part for part in parts_of(vector) if isinstance(part, Load)]


def all_loads(space: Space, vector: Vector) -> list[Load]:
    """Return the loads in an expression, those in indices too."""
    known = space.loads.get(vector.key)
    if known is not None:
        return list(known)
    found = [*loads(vector), *loads_in_indices(space, vector)]
    if not isinstance(vector, Load):  # equal loads may be at different places
        space.loads[vector.key] = found
    return list(found)


def loads_in_indices(space: Space, vector: Vector) -> list[Load]:
    """Return the loads that the indices in an expression are made of."""
    polynomials: list[Polynomial] = []
    for part in parts_of(vector):
        if isinstance(part, Load):
            polynomials += part.index
        elif isinstance(part, Index):
            polynomials.append(part.polynomial)
    return [load for value in space.atom_values(polynomials) for load in all_loads(space, value)]


def same_access(load: Load, target: Storage, index: Indices) -> bool:
    """Return whether a load reads the very element that an index names."""
    return load.storage is target and load.index == index
