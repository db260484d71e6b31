"""`while` inside of loops whose iterations have nothing to do with each other: all of them at once, step by step.

The iterations that still repeat are *lanes*: arrays of the values of their loop variables, which become shorter when
some of them end. What a step of one lane reads and stores, only this lane stores to; so it makes no difference that
the steps of all lanes are done together, and each lane does its own in the order of the program.
"""

from __future__ import annotations

from relax_lang.base.node import replaced
from relax_lang.tir.analysis.accesses import Loop
from relax_lang.tir.analysis.lowered.statements import Check, Repeat, Stage
from relax_lang.tir.analysis.lowered.vector_ir import NotVectorizable
from relax_lang.tir.schedule import plan

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.analysis.accesses import Storage
    from relax_lang.tir.analysis.lowered.vector_ir import Space
    from relax_lang.tir.schedule.strategies.classify import Recognizer


def together(
    space: Space, recognizer: Recognizer, repeat: Repeat, free: Sequence[Loop], outer: int
) -> plan.LockStep:
    """Return the plan for a `while` whose iterations over `free` loops are independent; raises `NotVectorizable`.

    `outer` counts the loops around the outermost `while`: those of all statements, as each step of them must be one
    operation for every lane.
    """
    body: list[Stage | Check | plan.LockStep] = []
    for statement in repeat.body:
        if len(statement.loops) != outer:
            raise NotVectorizable(
                "how often `while` repeats depends on data, and there are loops in it", repeat.node
            )
        if isinstance(statement, Stage):
            lanes = {loop.name for loop in free}
            if lanes.isdisjoint([name for part in statement.index for name in space.dims(part)]):
                # All lanes would store there, and they are independent: so there is one at most.
                raise NotVectorizable("how often `while` repeats depends on data", repeat.node)
            body += [_update(space, piece) for piece in recognizer.pieces.plain(statement)]
        elif isinstance(statement, Repeat):
            body.append(together(space, recognizer, statement, free, outer))
        elif isinstance(statement, Check):
            body.append(statement)
        else:  # of others there is no form with lanes
            raise NotVectorizable("how often `while` repeats depends on data", repeat.node)
    return plan.LockStep(repeat, list(free), body)


def _update(space: Space, stage: Stage) -> Stage:
    """Return a store of the new value in place of `+=` and the like."""
    return stage if stage.op == "=" else replaced(stage, op="=", value=stage.stored(space))


def stored_in(node: plan.LockStep) -> list[Storage]:
    """Return the arrays that a `while` stores to."""
    found: dict[Storage, None] = {}
    for part in node.body:
        targets = stored_in(part) if isinstance(part, plan.LockStep) else []
        found |= dict.fromkeys([part.target] if isinstance(part, Stage) else targets)
    return list(found)
