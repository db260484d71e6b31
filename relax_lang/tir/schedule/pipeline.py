"""The schedule of a PrimFunc: named passes, in this order.

Distribution makes the plan: it selects the strategy of each statement on its own, after passes over the
statement itself; the passes after it rewrite the plan. Each but distribution can be left out by its name: the plan is
right without it.
"""

from __future__ import annotations

from relax_lang.tir.analysis.lowered.statement_accesses import constant_arrays
from relax_lang.tir.schedule.common_reductions import read_common_reductions
from relax_lang.tir.schedule.distribute import distributed
from relax_lang.tir.schedule.init_folding import fold_initial_values
from relax_lang.tir.schedule.layout.padding import pad
from relax_lang.tir.schedule.layout.tiling import Tiling
from relax_lang.tir.schedule.layout.transposition import Transposition
from relax_lang.tir.schedule.loops.loop_rerolling import reroll
from relax_lang.tir.schedule.loops.peeling import peel
from relax_lang.tir.schedule.loops.statement_passes import STATEMENT_PASSES, StatementPasses
from relax_lang.tir.schedule.plan import Single
from relax_lang.tir.schedule.remarks import remarks_of
from relax_lang.tir.schedule.reordering.element_splitting import split_elements
from relax_lang.tir.schedule.reordering.expansion import expand_buffers, needless

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from relax_lang.tir.analysis.accesses import Loop, Storage
    from relax_lang.tir.lower.lower import Lowering
    from relax_lang.tir.schedule.plan import Node
    from relax_lang.tir.schedule.remarks import Remark

    Pass = Callable[[list[Node], Lowering], list[Node]]
    Dump = Callable[[str, list[Node]], None]


def _fold_inits(nodes: list[Node], lowering: Lowering) -> list[Node]:
    """Give reductions the constant that was stored just before to what they accumulate."""
    fold_initial_values(lowering.space, nodes)
    return nodes


def _read_common(nodes: list[Node], lowering: Lowering) -> list[Node]:
    """Read reductions that are taken twice from where the first one is stored."""
    return read_common_reductions(lowering.space, nodes)


def _transpose(nodes: list[Node], lowering: Lowering) -> list[Node]:
    """Run scans along the last dimension on transposed copies."""
    return Transposition(lowering.space, lowering.entry).run(nodes)


def _tile(nodes: list[Node], lowering: Lowering) -> list[Node]:
    """Run groups of kernels on some rows at a time."""
    return Tiling(lowering.space, lowering.entry, lowering.allocated).run(nodes)


def _peel(nodes: list[Node], lowering: Lowering) -> list[Node]:
    """Run first iterations that conditions set apart from the others on their own."""
    peel(nodes)
    return nodes


REROLLING = "rerolling"
"""The pass that puts updates at places that data choose into a loop where they differ in numbers alone."""
SPLITTING = "element-splitting"
"""The pass that gives each element of a buffer one of its own where numbers name them."""
EXPANSION = "expansion"
"""The pass that gives buffers a copy per iteration."""
PADDING = "padding"
"""The pass that copies arrays whose indices are kept inside, so that they are read as slices."""
STRATEGY_PASSES: dict[str, Pass] = {"init-folding": _fold_inits, "common-reductions": _read_common}
"""The passes that change how statements run, which the remarks give."""
LAYOUT_PASSES: dict[str, Pass] = {
    "transposition": _transpose,
    "tiling": _tile,
    "peeling": _peel,
}
"""The passes that change where and in which portions: what the remarks give stays."""
PASSES = (
    REROLLING,
    SPLITTING,
    EXPANSION,
    PADDING,
    *STATEMENT_PASSES,
    "distribution",
    *STRATEGY_PASSES,
    *LAYOUT_PASSES,
)
"""The names of all passes, in order."""


def scheduled(
    lowering: Lowering, without: Collection[str] = (), dump: Dump | None = None
) -> tuple[list[Node], list[Remark]]:
    """Return the plan for a PrimFunc, and how each statement runs; raises `NotVectorizable`.

    Passes named in `without` are left out; `dump` is given the plan after each pass, and what statements have become
    after passes over statements.
    """
    lowering.space.constant = constant_arrays(lowering.space, lowering.statements)
    passes = StatementPasses(lowering, without)
    rolled = [] if REROLLING in without else reroll(lowering)
    if dump is not None:
        dump(REROLLING, [Single(stage) for stage in rolled])
    split = [] if SPLITTING in without else split_elements(lowering)
    if dump is not None:
        dump(SPLITTING, [Single(stage) for stage in split])
    whole: set[tuple[Storage, Loop]] = set()
    while True:  # the plan shows which copies are of no use; without these others may be, so it is made anew
        before = lowering.entry.mark(), [*lowering.statements], [*lowering.allocated]
        expanded = [] if EXPANSION in without else expand_buffers(lowering, whole)
        padded = [] if PADDING in without else pad(lowering)
        nodes = distributed(lowering, passes)
        more = needless(lowering.space, nodes, expanded)
        if more <= whole:
            break
        whole |= more
        mark, lowering.statements[:], lowering.allocated[:] = before
        lowering.entry.restore(mark)
    if dump is not None:
        dump(EXPANSION, [Single(stage) for copies in expanded for stage in copies.users])
        dump(PADDING, [Single(stage) for stage in padded])
        for name in STATEMENT_PASSES:
            dump(name, [Single(stage) for stage in passes.changed[name]])
        dump("distribution", nodes)
    nodes = _run(STRATEGY_PASSES, nodes, lowering, without, dump)
    remarks = remarks_of(nodes)
    return _run(LAYOUT_PASSES, nodes, lowering, without, dump), remarks


def _run(
    passes: dict[str, Pass],
    nodes: list[Node],
    lowering: Lowering,
    without: Collection[str],
    dump: Dump | None,
) -> list[Node]:
    for name, run in passes.items():
        if name not in without:
            nodes = run(nodes, lowering)
        if dump is not None:
            dump(name, nodes)
    return nodes
