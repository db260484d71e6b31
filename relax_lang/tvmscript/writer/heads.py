"""What TVM has at the heads of blocks: views of regions."""

from __future__ import annotations

from relax_lang.base.node import walk
from relax_lang.syntax import tree
from relax_lang.tir.analysis.lowered.vector_ir import NotVectorizable
from relax_lang.tir.analysis.references.expand_views import TRUSTED, expanded
from relax_lang.tir.ir.typing.well_typed import analyse
from relax_lang.tvmscript.writer.text import NotExportable


def views_at_head(block: tree.Block) -> int:
    """Return how many statements a block begins with that TVM has at its head: views of regions, and allocations."""
    count = 0
    for at, one in enumerate(block.body):
        if isinstance(one, tree.BufferView) and one.region is not None:
            count = at + 1
        elif not isinstance(one, tree.Allocate):
            break
    return count


def with_views_at_heads(func: tree.PrimFunc) -> tree.PrimFunc:
    """Return a PrimFunc whose views of regions are all at the heads of blocks, or one without views."""
    at_heads: set[tree.Node] = set()
    others = False
    for one in walk(func):
        if isinstance(one, tree.Block):
            at_heads.update(one.body[: views_at_head(one)])
    for one in walk(func):
        others = others or (
            isinstance(one, tree.BufferView) and one.region is not None and one not in at_heads
        )
    if not others:
        return func
    try:
        return expanded(analyse(func), TRUSTED).func
    except NotVectorizable as refusal:
        raise NotExportable(refusal.node, "a view outside of the head of a block", refusal.reason) from None
