"""What a PrimFunc becomes on its way to NumPy: statements over iteration domains.

A *stage* is one store with all loops around it, its iteration domain; loops start at 0, and every index is a
polynomial over loop variables, sizes and atoms: names for other values (`I[i]`, `i // 3`). Its value is a vector
expression (`vector_ir`). Names in polynomials are the identifiers of the generated code.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from relax_lang.arith.polynomial import Polynomial
    from relax_lang.base.node import Node
    from relax_lang.tir.analysis.accesses import Indices, Loop, Storage
    from relax_lang.tir.analysis.vector_ir import Space, Vector


class Statement:
    """What runs once for every iteration of its loops, where its `guards` hold; `label` says where it is from.

    `reducing` is empty but for the `init` of a block: there it holds the loops of the reduction, before whose
    first step it runs.
    """

    __slots__ = ("guards", "label", "loops", "node", "reducing")

    def __init__(self, loops: tuple[Loop, ...], guards: tuple[Vector, ...], label: str, node: Node) -> None:
        self.loops = loops
        self.guards = guards
        self.label = label
        self.node = node
        self.reducing: tuple[Loop, ...] = ()


class Stage(Statement):
    """One store, or with `+=`, `-=`, `*=` an update."""

    __slots__ = ("facts", "index", "op", "target", "value")

    def __init__(
        self,
        loops: tuple[Loop, ...],
        target: Storage,
        index: Indices,
        op: str,
        value: Vector,
        guards: tuple[Vector, ...],
        label: str,
        node: Node,
    ) -> None:
        super().__init__(loops, guards, label, node)
        self.target = target
        self.index = index
        self.op = op
        self.value = value
        self.facts: tuple[Polynomial, ...] = ()
        """What is not negative in any iteration, because the loops were made shorter for it."""

    def over(
        self,
        space: Space,
        loops: tuple[Loop, ...],
        values: Mapping[str, Polynomial],
        guards: Sequence[Vector] | None = None,
    ) -> Stage:
        """Return the same store over other loops, by which the old variables are expressed."""
        index = tuple([space.substituted(part, values) for part in self.index])
        kept = self.guards if guards is None else guards
        result = Stage(
            loops, self.target, index, self.op, space.replaced(self.value, values),
            tuple([space.replaced(guard, values) for guard in kept]), self.label, self.node,
        )  # fmt: skip
        result.facts = tuple([space.substituted(fact, values) for fact in self.facts])
        return result

    def with_value(self, value: Vector) -> Stage:
        """Return the same store of another value."""
        result = Stage(
            self.loops, self.target, self.index, self.op, value, self.guards, self.label, self.node
        )
        result.facts = self.facts
        return result


class Check(Statement):
    """An assertion, or an access that must be inside without being used: `values` are evaluated, a condition
    among them must hold. If it does not, the interpreter takes over and reports it.
    """

    __slots__ = ("condition", "values")

    def __init__(
        self,
        loops: tuple[Loop, ...],
        condition: Vector | None,
        values: tuple[Vector, ...],
        guards: tuple[Vector, ...],
        label: str,
        node: Node,
    ) -> None:
        super().__init__(loops, guards, label, node)
        self.condition = condition
        self.values = values


class Repeat(Statement):
    """A `while` with what it repeats."""

    __slots__ = ("body", "condition")

    def __init__(
        self,
        loops: tuple[Loop, ...],
        condition: Vector,
        body: list[Statement],
        guards: tuple[Vector, ...],
        label: str,
        node: Node,
    ) -> None:
        super().__init__(loops, guards, label, node)
        self.condition = condition
        self.body = body


class Update:
    """What one element of the state becomes where the new iteration wins."""

    __slots__ = ("index", "storage", "value")

    def __init__(self, storage: Storage, index: Indices, value: Vector) -> None:
        self.storage = storage
        self.index = index
        self.value = value


class ArgReduction(Statement):
    """Statements that keep the values of the iteration with the greatest (or least) `compared`.

    `condition` says when an iteration beats the state; of equal ones the first wins, or the last.
    """

    __slots__ = ("compared", "condition", "greatest", "last", "members", "updates")

    def __init__(
        self,
        members: list[Stage],
        updates: list[Update],
        condition: Vector,
        compared: Vector,
        greatest: bool,
        last: bool,
    ) -> None:
        first = members[0]
        super().__init__(first.loops, (), members[-1].label, members[-1].node)
        self.members = members
        self.updates = updates
        self.condition = condition
        self.compared = compared
        self.greatest = greatest
        self.last = last


class New(Statement):
    """A new array whose sizes are only known where it is made."""

    __slots__ = ("storage",)

    def __init__(
        self, loops: tuple[Loop, ...], storage: Storage, guards: tuple[Vector, ...], label: str, node: Node
    ) -> None:
        super().__init__(loops, guards, label, node)
        self.storage = storage


class Extern(Statement):
    """A call of a packed function with whole arrays and scalars; nothing is known of what it does."""

    __slots__ = ("args", "function")

    def __init__(
        self,
        loops: tuple[Loop, ...],
        function: str,
        args: tuple[Vector | Storage, ...],
        guards: tuple[Vector, ...],
        label: str,
        node: Node,
    ) -> None:
        super().__init__(loops, guards, label, node)
        self.function = function
        self.args = args
