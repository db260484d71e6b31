"""How everything in a PrimFunc runs, and why: what `relax compile --explain-vectorization` shows."""

from __future__ import annotations

from typing import assert_never

from relax_lang.tir.analysis.lowered.statements import Extern
from relax_lang.tir.diagnostics.remarks import not_vectorized
from relax_lang.tir.schedule import plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Node


class Remark:
    """How one statement or loop runs: its strategy, one of the names in `plan`, and why.

    `loop` is the strategy of a loop that stays a Python loop, `scalar` that of a statement that runs once in each
    iteration of such loops; `interpreter` that of everything in a PrimFunc that is not compiled.
    """

    __slots__ = ("inside", "name", "node", "reason", "strategy")

    def __init__(self, name: str, node: Node, strategy: str, reason: str = "") -> None:
        self.name = name
        self.node = node
        self.strategy = strategy
        self.reason = reason
        self.inside = False
        """Whether it is inside of a loop that stays one."""

    def __repr__(self) -> str:
        return f"{self.name}: {self.strategy}" + (f" ({self.reason})" if self.reason else "")


def remarks_of(nodes: Sequence[plan.Node], *, inside: bool = False) -> list[Remark]:
    """Return how everything in a plan runs; `inside` of a loop that stays one."""
    found: list[Remark] = []
    for node in nodes:
        match node:
            case plan.Kernel():
                found.append(_of_kernel(node, inside=inside))
            case plan.Sequential():
                found.append(
                    Remark(f"loop over {node.loop.node.name}", node.loop.node, plan.LOOP, node.reason)
                )
                found += remarks_of(node.body, inside=True)
            case plan.While():
                reason = "how often `while` repeats depends on data"
                found.append(Remark(node.repeat.label, node.repeat.node, plan.LOOP, reason))
                found += remarks_of(node.body, inside=True)
            case plan.LockStep():
                reason = "all iterations at once, step by step, as long as they repeat"
                found.append(Remark(node.statement.label, node.statement.node, plan.MASKED, reason))
            case plan.ArgKernel():
                found.append(Remark(node.statement.label, node.statement.node, plan.ARG_REDUCTION))
            case plan.Single():
                if isinstance(node.statement, Extern):
                    found.append(Remark(node.statement.label, node.statement.node, plan.CALL))
            case plan.Tile() | plan.TransposedScan():
                pass  # the layout passes make these, after the remarks
            case _:
                assert_never(node)
    for remark in found:
        remark.inside |= inside
    return found


def _of_kernel(kernel: plan.Kernel, *, inside: bool) -> Remark:
    stage = kernel.stage
    if kernel.folded:
        return Remark(stage.label, stage.node, kernel.strategy, "the initial value of the reduction")
    if inside and not kernel.kept and not kernel.reduced and not kernel.decides:
        return Remark(stage.label, stage.node, plan.SCALAR)
    reason = ""
    if kernel.lanes:
        reason = (
            "only where the condition holds"
            if stage.guards
            else "rows of lengths that data choose, listed first"
        )
    strategy = plan.GATHER if kernel.gathers and kernel.strategy == plan.ELEMENTWISE else kernel.strategy
    return Remark(stage.label, stage.node, strategy, reason)


def stays_sequential(remarks: Sequence[Remark]) -> bool:
    """Return whether something runs one element after the other."""
    return any(remark.strategy in (plan.SCALAR, plan.INTERPRETER) for remark in remarks)


def runs_by_elements(remarks: Sequence[Remark]) -> bool:
    """Return whether what loops run that stay loops are operations on single elements."""
    return stays_sequential(remarks) and all(
        remark.strategy in (plan.SCALAR, plan.LOOP) for remark in remarks if remark.inside
    )


def runs_in_waves(remarks: Sequence[Remark]) -> bool:
    """Return whether the only loops that stay are those over wavefronts and around them, with operations on arrays."""
    return not stays_sequential(remarks) and any(remark.reason == plan.WAVEFRONTS for remark in remarks)


def hints(remarks: Sequence[Remark]) -> list[Diagnostic]:
    """Return a hint for every loop in which scalar statements run, and for what the interpreter runs."""
    found: list[Diagnostic] = []
    loop: Remark | None = None
    for remark in remarks:
        if remark.strategy == plan.LOOP:
            loop = remark
        elif remark.strategy == plan.SCALAR and loop is not None:
            how = "runs one iteration after the other"
            found.append(not_vectorized(loop.node, loop.name, how, loop.reason))
            loop = None
        elif remark.strategy == plan.INTERPRETER:
            found.append(
                not_vectorized(remark.node, remark.name, "runs in the scalar interpreter", remark.reason)
            )
    return found
