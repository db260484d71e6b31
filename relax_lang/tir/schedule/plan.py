"""What is decided about a PrimFunc: kernels that run over whole domains, and the loops that stay loops around them."""

from __future__ import annotations

from relax_lang.syntax import dtypes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.arith.polynomial import Polynomial
    from relax_lang.tir.analysis.accesses import Indices, Loop, Storage
    from relax_lang.tir.analysis.statements import ArgReduction, Check, Repeat, Stage, Statement
    from relax_lang.tir.analysis.vector_ir import Const, Vector

ELEMENTWISE = "elementwise"
REDUCTION = "reduction"
CONTRACTION = "contraction"
WINDOW = "window"
SCAN = "scan"
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


class Node:
    """A part of a plan."""

    __slots__ = ()


class Kernel(Node):
    """A statement with its strategy: over `kept` loops, combining `operand` by `combine` over `reduced` ones.

    An elementwise kernel stores `operand`, and has nothing reduced. `negated` marks `-=`. `initial` is the value
    the target is known to hold everywhere before, or None if it must be read; the kernel that would store it is
    `folded` and writes nothing.
    """

    __slots__ = (
        "combine", "covered", "factors", "folded", "gathers", "initial", "kept", "lanes", "negated", "nonempty",
        "operand", "reduced", "requires", "stage", "strategy",
    )  # fmt: skip

    def __init__(
        self,
        stage: Stage,
        strategy: str,
        operand: Vector,
        kept: list[Loop],
        reduced: list[Loop],
        combine: str = "",
        *,
        negated: bool = False,
    ) -> None:
        self.stage = stage
        self.strategy = strategy
        self.operand = operand
        self.kept = kept
        self.reduced = reduced
        self.combine = combine
        self.negated = negated
        self.initial: Const | None = None
        self.folded = False
        self.factors: list[Vector] = []
        self.requires: list[Polynomial] = []
        """What must not be negative for the accesses to be inside, where there are any."""
        self.covered: set[tuple[int, Indices]] = set()
        """The accesses that these requirements, or proofs, keep inside."""
        self.gathers = False
        """Whether it reads elements that data choose."""
        self.nonempty = False
        """Whether the code is only right where no loop is empty."""
        self.lanes = False
        """Whether only those iterations may be touched for which the conditions hold: they are listed first."""

    @property
    def starts_from_identity(self) -> bool:
        """Whether the target holds what the operation does not change, so that its result need only be stored."""
        start = self.initial
        return start is not None and not self.negated and start.value == identity(self.combine, start.dtype)


class ArgKernel(Node):
    """An argument reduction over `kept` and `reduced` loops.

    `initial` are the constants that parts of the state are known to hold everywhere before; those in `unused` nothing
    reads after that.
    """

    __slots__ = ("initial", "kept", "reduced", "statement", "unused")

    def __init__(self, statement: ArgReduction, kept: list[Loop], reduced: list[Loop]) -> None:
        self.statement = statement
        self.kept = kept
        self.reduced = reduced
        self.initial: dict[Storage, Const] = {}
        self.unused: set[Storage] = set()


class Single(Node):
    """A statement other than a store: a check, a new array, a call of a packed function."""

    __slots__ = ("statement",)

    def __init__(self, statement: Statement) -> None:
        self.statement = statement


class Sequential(Node):
    """A loop that stays a Python loop, and why. Its `parts` run one after the other: from a step on, and up to one."""

    __slots__ = ("body", "loop", "parts", "reason")

    def __init__(self, loop: Loop, body: list[Node], reason: str) -> None:
        self.loop = loop
        self.body = body
        self.reason = reason
        self.parts: list[tuple[int, int | None]] = [(0, None)]


class While(Node):
    """A `while`."""

    __slots__ = ("body", "repeat")

    def __init__(self, repeat: Repeat, body: list[Node]) -> None:
        self.repeat = repeat
        self.body = body


class LockStep(Single):
    """A `while` in all iterations of some loops at once; its body is what a step does, in order."""

    __slots__ = ("body", "loops")
    statement: Repeat

    def __init__(self, repeat: Repeat, loops: list[Loop], body: list[Stage | Check | LockStep]) -> None:
        super().__init__(repeat)
        self.loops = loops
        self.body = body


class Tile(Node):
    """Kernels that run on `size` rows at a time, from `start` on: at most `step`, and fewer at the end."""

    __slots__ = ("body", "requires", "size", "start", "step")

    def __init__(
        self, start: Loop, size: Polynomial, step: Polynomial, body: list[Kernel], requires: list[Polynomial]
    ) -> None:
        self.start = start
        self.size = size
        self.step = step
        self.body = body
        self.requires = requires


class TransposedCopy:
    """A copy of an array, or of some rows of it, with the last dimension first; kernels see it as `storage`.

    `source` is the array whose columns `reads` (from, to) are copied first, `target` the one whose columns `before`
    are copied first, and `stores` copied back; each may be None. `rows` is the dimension of both that the rows are
    along, with the index of the first row.
    """

    __slots__ = ("before", "reads", "rows", "source", "storage", "stores", "target")

    def __init__(self, storage: Storage, rows: tuple[int, Polynomial] | None) -> None:
        self.storage = storage
        self.rows = rows
        self.source: Storage | None = None
        self.target: Storage | None = None
        self.reads: tuple[Polynomial, Polynomial] | None = None
        self.before: tuple[Polynomial, Polynomial] | None = None
        self.stores: tuple[Polynomial, Polynomial] | None = None


class TransposedScan(Node):
    """A scan on transposed copies; of `size` rows at a time, from `start` on, if that is a loop."""

    __slots__ = ("body", "copies", "size", "start")

    def __init__(self, copies: list[TransposedCopy], body: Sequential) -> None:
        self.copies = copies
        self.body = [body]
        self.start: Loop | None = None
        self.size: Polynomial | None = None

    @property
    def storages(self) -> list[Storage]:
        """The arrays that are copied, or copied to."""
        found = [storage for copy in self.copies for storage in (copy.source, copy.target)]
        return [storage for storage in found if storage is not None]

    @property
    def stored(self) -> list[Storage]:
        """The arrays that are copied to."""
        return [copy.target for copy in self.copies if copy.target is not None]


def statements_in(nodes: Sequence[Node]) -> list[Statement]:
    """Return all statements in a plan."""
    found: list[Statement] = []
    for node in nodes:
        if isinstance(node, Kernel):
            found.append(node.stage)
        elif isinstance(node, ArgKernel | Single):
            found.append(node.statement)
        elif isinstance(node, While):
            found.append(node.repeat)
        elif isinstance(node, Sequential | Tile | TransposedScan):
            found += statements_in(node.body)
    return found
