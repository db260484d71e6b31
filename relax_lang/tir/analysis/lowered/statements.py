"""What a PrimFunc becomes on its way to NumPy: statements over iteration domains.

A *stage* is one store with all loops around it, its iteration domain; loops start at 0, and every index is a
polynomial over loop variables, sizes and atoms: names for other values (`I[i]`, `i // 3`). Its value is a vector
expression (`vector_ir`). Names in polynomials are the identifiers of the generated code.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from relax_lang.base.node import replaced
from relax_lang.tir.analysis.lowered.vector_ir import Apply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import TypeAlias

    from relax_lang.arith.polynomials.polynomial import Polynomial
    from relax_lang.base.node import Node
    from relax_lang.tir.analysis.accesses import Indices, Loop, Storage
    from relax_lang.tir.analysis.lowered.vector_ir import Load, Space, Vector


@dataclass(eq=False, slots=True)
class _Statement:
    """What runs once for every iteration of its loops, where its `guards` hold; `label` names where it is from.

    `reducing` is empty but for the `init` of a block: there it holds the loops of the reduction, before whose
    first step it runs.
    """

    loops: tuple[Loop, ...]
    guards: tuple[Vector, ...]
    label: str
    node: Node
    reducing: tuple[Loop, ...] = field(default=(), kw_only=True)


@dataclass(eq=False, slots=True)
class Stage(_Statement):
    """One store, or with `+=`, `-=`, `*=` an update."""

    target: Storage
    index: Indices
    op: str
    value: Vector
    facts: tuple[Polynomial, ...] = ()
    """What is not negative in any iteration, because the loops were made shorter for it."""

    def current(self, space: Space) -> Load:
        """Return the element that it stores to, as it is before."""
        return space.element(self.target, self.index, self.node)

    def stored(self, space: Space) -> Vector:
        """Return what the element becomes; of an update, what it is before combined with the value."""
        if self.op == "=":
            return self.value
        return Apply(self.op[0], (self.current(space), self.value), self.target.dtype)

    def over(
        self,
        space: Space,
        loops: tuple[Loop, ...],
        values: Mapping[str, Polynomial],
        guards: Sequence[Vector] | None = None,
    ) -> Stage:
        """Return the same store over other loops, by which the old variables are expressed."""
        return replaced(
            self,
            loops=loops,
            index=tuple([space.substituted(part, values) for part in self.index]),
            value=space.replaced(self.value, values),
            guards=tuple(
                [space.replaced(one, values) for one in (self.guards if guards is None else guards)]
            ),
            facts=tuple([space.substituted(fact, values) for fact in self.facts]),
        )

    def accessing(
        self,
        loops: Sequence[Loop],
        access_of: Callable[[Storage, Indices], tuple[Storage, Indices]],
        vector_of: Callable[[Vector], Vector],
    ) -> Stage:
        """Return the same store over other loops and in other arrays: `vector_of` gives its values there."""
        target, index = access_of(self.target, self.index)
        guards = tuple([vector_of(guard) for guard in self.guards])
        return replaced(
            self, loops=tuple(loops), target=target, index=index, value=vector_of(self.value), guards=guards
        )


@dataclass(eq=False, slots=True)
class Check(_Statement):
    """An assertion, or an access that must be inside without being used: `values` are evaluated, a condition
    among them must hold. If it does not, the interpreter takes over and reports it.
    """

    condition: Vector | None
    values: tuple[Vector, ...]


@dataclass(eq=False, slots=True)
class Repeat(_Statement):
    """A `while` with what it repeats."""

    condition: Vector
    body: list[Statement]


@dataclass(eq=False, slots=True)
class Update:
    """What one element of the state becomes where the new iteration wins."""

    storage: Storage
    index: Indices
    value: Vector


@dataclass(eq=False, slots=True)
class ArgReduction(_Statement):
    """Statements that keep the values of the iteration with the greatest (or least) `compared`.

    `condition` decides when an iteration beats the state; of equal ones the first wins, or the last.
    """

    members: list[Stage]
    updates: list[Update]
    condition: Vector
    compared: Vector
    greatest: bool
    last: bool


@dataclass(eq=False, slots=True)
class New(_Statement):
    """A new array whose sizes are only known where it is made."""

    storage: Storage


@dataclass(eq=False, slots=True)
class Listing(_Statement):
    """Lists of the indices of the elements of `chosen` that are true, one for each dimension, made with their size, the
    `number` of these elements.
    """

    chosen: Storage
    lists: list[Storage]
    number: Storage


@dataclass(eq=False, slots=True)
class RunningByKey(_Statement):
    """What earlier iterations with the same key have left in an element, for iterations one after the other.

    `before` holds what was in the element at first, for each iteration. If the `values` are added, it becomes what they
    have led to before the iteration; else they are stored, and it becomes the last one.
    """

    keys: Storage
    values: Storage
    before: Storage
    adds: bool


@dataclass(eq=False, slots=True)
class Extern(_Statement):
    """A call of a packed function with whole arrays and scalars; nothing is known of what it does."""

    function: str
    args: tuple[Vector | Storage, ...]


if TYPE_CHECKING:
    Statement: TypeAlias = Stage | Check | Repeat | ArgReduction | New | Listing | RunningByKey | Extern
else:
    Statement = _Statement
