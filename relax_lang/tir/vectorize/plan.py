"""What is decided about a PrimFunc: kernels that run over whole domains, and the loops that stay loops around them."""

from __future__ import annotations

from relax_lang.syntax import dtypes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.arith.polynomial import Polynomial
    from relax_lang.tir.vectorize.vector import (
        ArgReduction,
        Const,
        Indices,
        Loop,
        Repeat,
        Stage,
        Statement,
        Storage,
        Vector,
    )

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
CALL = "call"
INTERPRETER = "interpreter"

COMBINES = {"+": "np.add", "*": "np.multiply", "min": "np.minimum", "max": "np.maximum",
            "&&": "np.logical_and", "||": "np.logical_or", "&": "np.bitwise_and", "|": "np.bitwise_or",
            "^": "np.bitwise_xor"}  # fmt: skip
"""The associative and commutative operations, with the NumPy function that reduces with each."""


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
    """An argument reduction over `kept` and `reduced` loops."""

    __slots__ = ("kept", "reduced", "statement")

    def __init__(self, statement: ArgReduction, kept: list[Loop], reduced: list[Loop]) -> None:
        self.statement = statement
        self.kept = kept
        self.reduced = reduced


class Single(Node):
    """A statement that is no store: a check, a new array, a call of a packed function."""

    __slots__ = ("statement",)

    def __init__(self, statement: Statement) -> None:
        self.statement = statement


class Sequential(Node):
    """A loop that stays a Python loop, and why."""

    __slots__ = ("body", "loop", "reason")

    def __init__(self, loop: Loop, body: list[Node], reason: str) -> None:
        self.loop = loop
        self.body = body
        self.reason = reason


class While(Node):
    """A `while`."""

    __slots__ = ("body", "repeat")

    def __init__(self, repeat: Repeat, body: list[Node]) -> None:
        self.repeat = repeat
        self.body = body


class Block(Node):
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


class Turned(Node):
    """A scan on copies of arrays with their last dimension first: (array, copy, whether it is stored to, and whether
    it is read).
    """

    __slots__ = ("body", "copies")

    def __init__(self, copies: list[tuple[Storage, Storage, bool, bool]], body: Sequential) -> None:
        self.copies = copies
        self.body = [body]
