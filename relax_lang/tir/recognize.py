"""What kind of computation a stage is: elementwise, a reduction, or a contraction (a sum of products)."""

from __future__ import annotations

from relax_lang.syntax import dtypes
from relax_lang.tir.dependence import check_iterations, recovered
from relax_lang.tir.vector import Apply, Const, Load, Refused, Vector, loads, same_access

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tir.vector import Loop, Stage

ELEMENTWISE = "elementwise"
REDUCTION = "reduction"
CONTRACTION = "contraction"

COMBINES = {"+": "np.add", "*": "np.multiply", "min": "np.minimum", "max": "np.maximum",
            "&&": "np.logical_and", "||": "np.logical_or", "&": "np.bitwise_and", "|": "np.bitwise_or",
            "^": "np.bitwise_xor"}  # fmt: skip
"""The associative and commutative operations, with the NumPy function that reduces with each."""


class Kernel:
    """A stage with its strategy: over `kept` loops, combining `operand` by `combine` over `reduced` ones.

    An elementwise kernel stores `operand`, and has nothing reduced. `negated` marks `-=`. `initial` is the value
    the target is known to hold everywhere before, or None if it must be read; the kernel that would store it is
    `folded` and writes nothing.
    """

    __slots__ = (
        "combine", "factors", "folded", "initial", "kept", "negated", "operand", "reduced", "stage", "strategy",
    )  # fmt: skip

    def __init__(
        self,
        stage: Stage,
        strategy: str,
        operand: Vector,
        kept: list[Loop],
        reduced: list[Loop],
        combine: str = "",
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


def recognize(stage: Stage, loop_names: set[str]) -> Kernel:
    """Find the strategy for a stage and prove that it may be used; raises `Refused`."""
    told = recovered(stage.index, stage.loops)
    kept = [loop for loop in stage.loops if loop.name in told]
    reduced = [loop for loop in stage.loops if loop.name not in told]
    stored = set[str]().union(*[part.names() for part in stage.index])
    for loop in reduced:
        if loop.name in stored:
            raise Refused(f"the stores to `{stage.target.name}` may overlap", stage.node)
    if reduced:
        return _reduction(stage, kept, reduced)
    check_iterations(stage, kept, loop_names)
    value = stage.value
    if stage.op != "=":
        target = Load(stage.target, stage.index, frozenset(told), stage.node)
        value = Apply(stage.op[0], (target, value), stage.target.dtype)
    return Kernel(stage, ELEMENTWISE, value, kept, [])


def _reduction(stage: Stage, kept: list[Loop], reduced: list[Loop]) -> Kernel:
    combine, negated, operand = _combination(stage)
    for part in (operand, *stage.guards):
        for load in loads(part):
            if load.storage is stage.target:
                raise Refused(f"a step reads other elements of `{stage.target.name}`", stage.node)
    kernel = Kernel(stage, REDUCTION, operand, kept, reduced, combine, negated)
    if combine == "+" and not stage.guards:
        kernel.factors = _contraction(operand, reduced)
        if kernel.factors:
            kernel.strategy = CONTRACTION
    return kernel


def _combination(stage: Stage) -> tuple[str, bool, Vector]:
    """Return operation, sign and operand of a step that combines an element with something."""
    if stage.op != "=":
        return ("*" if stage.op == "*=" else "+"), stage.op == "-=", stage.value
    value = stage.value
    if isinstance(value, Apply) and value.op == "-" and _is_target(value.args[0], stage):
        return "+", True, value.args[1]
    if isinstance(value, Apply) and value.op in COMBINES:
        parts = _parts(value, value.op)
        others = [part for part in parts if not _is_target(part, stage)]
        if len(others) == len(parts) - 1:
            operand = others[0]
            for other in others[1:]:
                operand = Apply(value.op, (operand, other), value.dtype)
            return value.op, False, operand
    raise Refused(f"each step overwrites `{stage.target.name}`, or combines it in an unknown way", stage.node)


def _is_target(part: Vector, stage: Stage) -> bool:
    return isinstance(part, Load) and same_access(part, stage.target, stage.index)


def _parts(value: Vector, op: str) -> list[Vector]:
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


def _contraction(operand: Vector, reduced: list[Loop]) -> list[Vector]:
    """Return the two factors of a sum of products that one matrix product computes, or nothing.

    Factors may be regrouped: integers wrap alike in any order, and sums of floats may be reassociated. Two
    factors that vary over the same loops are left alone: their matrices would be single rows and columns.
    """
    if not dtypes.is_number(operand.dtype):
        return []
    names = {loop.name for loop in reduced}
    factors = _parts(operand, "*")
    groups = [factor for factor in factors if factor.dims]
    if len(groups) > 2:
        groups = _grouped(groups, operand.dtype)
    if len(groups) != 2 or groups[0].dims == groups[1].dims or not names <= operand.dims:
        return []
    if not groups[0].dims & groups[1].dims & names:
        return []
    for factor in factors:
        if not factor.dims:
            groups[0] = Apply("*", (groups[0], factor), operand.dtype)
    return groups


def _grouped(factors: list[Vector], dtype: str) -> list[Vector]:
    """Multiply factors into those that vary over all of their loops."""
    groups: list[Vector] = []
    for factor in sorted(factors, key=_n_dims, reverse=True):
        home = next((at for at, group in enumerate(groups) if factor.dims <= group.dims), None)
        if home is None:
            groups.append(factor)
        else:
            groups[home] = Apply("*", (groups[home], factor), dtype)
    return groups


def _n_dims(vector: Vector) -> int:
    return len(vector.dims)
