"""The way of a PrimFunc from checked statements to the text of its NumPy code, pass by pass. [TIR.21]

    statements --lower--> stages --dependence, recognize--> kernels --emit--> text

Whoever runs code that was kept does not load this.
"""

from __future__ import annotations

from relax_lang.format.lexemes import global_name
from relax_lang.syntax import tree
from relax_lang.tir.analysis.lowered.vector_ir import NotVectorizable
from relax_lang.tir.array_ir import text as array_ir_text
from relax_lang.tir.check.driver import analyse
from relax_lang.tir.codegen.function import generate
from relax_lang.tir.codegen.passes import pipeline as codegen_passes
from relax_lang.tir.codegen.writer import comment
from relax_lang.tir.lower.lower import lowered
from relax_lang.tir.schedule import pipeline as schedule_passes
from relax_lang.tir.schedule import plan, plan_text
from relax_lang.tir.schedule.operations import operations_of
from relax_lang.tir.schedule.pipeline import scheduled
from relax_lang.tir.schedule.refusals import refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

    from relax_lang.tir.array_ir.nodes import Statement
    from relax_lang.tir.codegen.printer.module import Generated
    from relax_lang.tir.loops.steps import Operations
    from relax_lang.tir.schedule.remarks import Remark


def vectorized(
    func: tree.PrimFunc, merged: dict[str, str]
) -> tuple[list[Remark], Generated | None, Operations | None]:
    """Return how every statement of a PrimFunc without errors runs, its code, and how many operations that runs; None
    where there is none.

    `merged` are the parameters that are the array of another one.
    """
    try:
        lowering = lowered(analyse(func), merged)
        nodes, remarks = scheduled(lowering)
        code = generate(lowering, nodes, merged)
    except NotVectorizable as refusal:
        return refused(func, refusal.node, refusal.reason), None, None
    except RecursionError:
        reason = "its expressions or loops are nested too deep"
        return refused(func, func.body[0], reason), None, None
    return remarks, code, operations_of(nodes, lowering.entry.with_whole_extents)


PASSES = (*schedule_passes.PASSES, *codegen_passes.NAMES)
"""The names of all passes, in the order in which they run."""


def dump_passes(func: tree.PrimFunc, wanted: Collection[str]) -> list[tuple[str, list[str]]]:
    """Return what some passes make of a PrimFunc without errors, as lines: the plan, or the array IR.

    A PrimFunc that the scalar interpreter runs ends with the reason in place of what is missing.
    """
    found: list[tuple[str, list[str]]] = []

    def note_plan(name: str, nodes: list[plan.Node]) -> None:
        if name in wanted:
            found.append((name, plan_text.lines_of(nodes)))

    def note_statements(name: str, body: list[Statement]) -> None:
        if name in wanted:
            found.append((name, array_ir_text.lines_of(body)))

    try:
        lowering = lowered(analyse(func))
        nodes, _ = scheduled(lowering, (), note_plan)
        generate(lowering, nodes, {}, (), note_statements)
    except NotVectorizable as refusal:
        found.append(("interpreter", [refusal.reason]))
    return found


def explanation(func: tree.PrimFunc, remarks: list[Remark]) -> str:
    """Return why there is no NumPy code, as a comment."""
    lines = [
        f"prim_func {global_name(func.name.name_hint)} runs in the scalar interpreter",
        *reasons(remarks),
    ]
    return "".join([f"# {comment(line)}\n" for line in lines])


def reasons(remarks: list[Remark]) -> list[str]:
    """Return how statements run, and why, in a line for each."""
    return [f"{remark.name}: {remark.reason}" for remark in remarks]
