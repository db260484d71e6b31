"""What is decided about a PrimFunc: kernels that run over whole domains, and the loops that stay loops around them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, assert_never

from relax_lang.syntax import dtypes
from relax_lang.tir.analysis.lowered.statement_accesses import accesses

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TypeAlias

    from relax_lang.arith.polynomials.polynomial import Polynomial
    from relax_lang.tir.analysis.accesses import Access, Indices, Loop, Storage
    from relax_lang.tir.analysis.lowered.statements import ArgReduction, Check, Repeat, Stage, Statement
    from relax_lang.tir.analysis.lowered.vector_ir import Const, Space, Vector

    Columns = tuple[Polynomial, Polynomial]

ELEMENTWISE = "elementwise"
REDUCTION = "reduction"
CONTRACTION = "contraction"
WINDOW = "window"
CONVOLUTION = "convolution"
SCAN = "scan"
SUMMED_AREA = "summed area"
GATHER = "gather"
SCATTER = "scatter"
ARG_REDUCTION = "argument reduction"
SCALAR = "scalar"
LOOP = "loop"
MASKED = "lanes"
CALL = "call"
INTERPRETER = "interpreter"

COMBINES = frozenset(("+", "*", "min", "max", "&&", "||", "&", "|", "^"))
"""The associative and commutative operations: those that a reduction can combine in any order."""


def identity(combine: str, dtype: str) -> float | int | bool:
    """Return the value that an operation of `COMBINES` does not change: a reduction of nothing gives it."""
    if combine in ("+", "|", "^", "||"):
        return False if dtype == dtypes.BOOL else 0
    if combine in ("*", "&&"):
        return True if dtype == dtypes.BOOL else 1
    if combine == "&":
        if dtype == dtypes.BOOL:
            return True
        return -1 if dtype in dtypes.SIGNED else dtypes.INT_RANGES[dtype][1]
    if dtypes.is_float(dtype):
        return float("-inf") if combine == "max" else float("inf")
    if dtype == dtypes.BOOL:
        return combine == "min"
    return dtypes.INT_RANGES[dtype][0 if combine == "max" else 1]


class _Node:
    """A part of a plan."""

    __slots__ = ()


class Steps(NamedTuple):
    """What the steps of a running operation do: where a step `keeps` the value before, it is that and what is `added`;
    elsewhere it is `value`. With a `bound`, `max` or `min`, each is that operation of the sum and `value`, to which
    something else may `then` be added.
    """

    keeps: Vector | None
    added: Vector | None
    value: Vector
    bound: str
    then: Vector | None
    start: Vector | None
    """What the first step begins with; None if that is the element before."""


@dataclass(eq=False, slots=True)
class Kernel(_Node):
    """A statement with its strategy: over `kept` loops, combining `operand` by `combine` over `reduced` ones.

    An elementwise kernel stores `operand`, and has nothing reduced. `negated` marks `-=`.
    """

    stage: Stage
    strategy: str
    operand: Vector
    kept: list[Loop]
    reduced: list[Loop]
    combine: str = ""
    negated: bool = field(default=False, kw_only=True)
    step: Polynomial | None = field(default=None, kw_only=True)
    """By how many iterations of the last loop the element that a running operation begins with is earlier; None if it
    begins with nothing.
    """
    steps: Steps | None = field(default=None, kw_only=True)
    """What the steps of a running operation do, if they do more than to combine one value with the next."""
    initial: Const | None = None
    """The value that the target is known to hold everywhere before; None if it must be read."""
    folded: bool = False
    """Whether it would store the initial value of another kernel, and writes nothing."""
    factors: list[Vector] = field(default_factory=list["Vector"])
    requires: list[Polynomial] = field(default_factory=list["Polynomial"])
    """What must not be negative for the accesses to be inside, where there are any."""
    covered: set[tuple[int, Indices]] = field(default_factory=set["tuple[int, Indices]"])
    """The accesses that these requirements, or proofs, keep inside."""
    gathers: bool = False
    """Whether it reads elements that data choose."""
    nonempty: bool = False
    """Whether the code is only right where no loop is empty."""
    decides: bool = False
    """Whether it only finds out how others of a step run."""
    lanes: bool = False
    """Whether only those iterations may be touched for which the conditions hold: they are listed first."""
    lists_reduced: bool = False
    """Whether those iterations of the reduced loops are listed first for which the conditions hold, which decide about
    these alone.
    """

    @property
    def starts_from_identity(self) -> bool:
        """Whether the target holds what the operation does not change, so that its result need only be stored."""
        start = self.initial
        return start is not None and not self.negated and start.value == identity(self.combine, start.dtype)


@dataclass(eq=False, slots=True)
class ArgKernel(_Node):
    """An argument reduction over `kept` and `reduced` loops."""

    statement: ArgReduction
    kept: list[Loop]
    reduced: list[Loop]
    initial: dict[Storage, Const] = field(default_factory=dict["Storage", "Const"])
    """The constants that parts of the state are known to hold everywhere before."""
    unused: set[Storage] = field(default_factory=set["Storage"])
    """Those parts of the state that nothing reads after that."""


@dataclass(eq=False, slots=True)
class Single(_Node):
    """A statement other than a store: a check, a new array, a call of a packed function."""

    statement: Statement


@dataclass(eq=False, slots=True)
class Sequential(_Node):
    """A loop that stays a Python loop, and why. Its `parts` run one after the other: from a step on, and up to one."""

    loop: Loop
    body: list[Node]
    reason: str
    parts: list[tuple[int, int | None]] = field(default_factory=lambda: [(0, None)])


WAVEFRONTS = "its steps are wavefronts, each of which needs earlier ones"
"""Why a loop goes along one diagonal of other loops after the other: a reason of a `Sequential`."""


@dataclass(eq=False, slots=True)
class While(_Node):
    """A `while`."""

    repeat: Repeat
    body: list[Node]


@dataclass(eq=False, slots=True)
class LockStep(_Node):
    """A `while` in all iterations of some loops at once; its body is what a step does, in order."""

    statement: Repeat
    loops: list[Loop]
    body: list[Stage | Check | LockStep]


@dataclass(eq=False, slots=True)
class Tile(_Node):
    """Kernels that run on `size` rows at a time, from `start` on: at most `step`, and fewer at the end."""

    start: Loop
    size: Polynomial
    step: Polynomial
    body: list[Kernel]
    requires: list[Polynomial]


@dataclass(eq=False, slots=True)
class TransposedCopy:
    """A copy of an array, or of some rows of it, with the last dimension first; kernels see it as `storage`."""

    storage: Storage
    rows: tuple[int, Polynomial] | None
    """The dimension of both arrays that the rows are along, with the index of the first row."""
    source: Storage | None = None
    """The array whose columns `reads` (from, to) are copied first."""
    target: Storage | None = None
    """The array whose columns `before` are copied first, and `stores` copied back."""
    reads: Columns | None = None
    before: Columns | None = None
    stores: Columns | None = None


@dataclass(eq=False, slots=True)
class TransposedScan(_Node):
    """A scan on transposed copies; of `size` rows at a time, from `start` on, if that is a loop."""

    copies: list[TransposedCopy]
    body: list[Sequential]
    start: Loop | None = None
    size: Polynomial | None = None

    @property
    def storages(self) -> list[Storage]:
        """The arrays that are copied, or copied to."""
        found = [storage for copy in self.copies for storage in (copy.source, copy.target)]
        return [storage for storage in found if storage is not None]

    @property
    def stored(self) -> list[Storage]:
        """The arrays that are copied to."""
        return [copy.target for copy in self.copies if copy.target is not None]


if TYPE_CHECKING:
    Node: TypeAlias = Kernel | ArgKernel | Single | Sequential | While | LockStep | Tile | TransposedScan
else:
    Node = _Node


def statement_of(node: Node) -> Statement | None:
    """Return the statement that a node is itself, without those of the nodes in it."""
    match node:
        case Kernel():
            return node.stage
        case ArgKernel() | Single() | LockStep():
            return node.statement
        case While():
            return node.repeat
        case Sequential() | Tile() | TransposedScan():
            return None
        case _:
            assert_never(node)


def walk(nodes: Sequence[Node]) -> Iterator[Node]:
    """Yield the nodes of a plan, each before those in it."""
    for node in nodes:
        yield node
        if isinstance(node, Sequential | While | Tile | TransposedScan):
            yield from walk(node.body)


def statements_in(nodes: Sequence[Node]) -> list[Statement]:
    """Return all statements in a plan, those in a `while` too."""
    return [statement for node in walk(nodes) if (statement := statement_of(node)) is not None]


def accesses_in(space: Space, nodes: Sequence[Node]) -> list[Access]:
    """Return all accesses of the statements in a plan."""
    return [access for statement in statements_in(nodes) for access in accesses(space, statement)]


def stepwise(nodes: Sequence[Node], *, steps: bool = False) -> bool:
    """Return whether there are loops in sequential loops or scalars in their steps; of what is in a step, if `steps`,
    whether it has a sequential loop. Short loops do not count.
    """
    for node in nodes:
        if isinstance(node, Sequential):
            if not steps and node.loop.extent.value is not None and node.loop.extent.value <= _SHORT:
                continue
            if steps or any(isinstance(inner, Sequential) for inner in node.body):
                return True
            if all(isinstance(one, Kernel) and not one.kept and not one.reduced for one in node.body):
                return True
        elif steps and isinstance(node, While):
            return True
    return False


_SHORT = 16
"""Steps of a loop that may stay as it is."""
