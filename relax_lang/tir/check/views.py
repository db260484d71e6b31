"""Views of which it is known that their elements are not there. [TIR.22] [TIR.8]"""

from __future__ import annotations

from relax_lang.syntax import tree
from relax_lang.tir.analysis.memory_safety.sample_iterations import names_in
from relax_lang.tir.analysis.references.index_expressions import is_larger
from relax_lang.tir.ir.views import count

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.tir.analysis.references.access_sites import References, ViewSite

_LARGEST = 400
"""Nodes in a number that is looked at."""


def wrong_sizes(found: References) -> list[Diagnostic]:
    """Return the views whose sizes are never those of what they are views of."""
    sizes = frozenset(found.analysis.dims)
    diagnostics: list[Diagnostic] = []
    for one in found.views:
        diagnostics += _of_all(one, sizes) if one.node.region is None else _of_region(one, sizes)
    return diagnostics


def _of_region(one: ViewSite, sizes: frozenset[str]) -> list[Diagnostic]:
    from relax_lang.format.printer import show  # only needed where there are views
    from relax_lang.tir.diagnostics.views import size_of_view

    statement, position = one.node, 0
    assert statement.region is not None
    for written, (low, stop) in zip(statement.region, one.region, strict=True):
        if stop is None:
            continue
        size, dim = tree.Sub(stop, low), statement.buffer.shape[position]
        if _differ(size, one.view.dims[position], sizes):
            assert isinstance(written, tree.Range)
            known = _plain(tree.Sub(written.stop, written.min))
            return [size_of_view(statement, position, dim, (show(dim), show(written)), show(known))]
        position += 1
    return []


def _of_all(one: ViewSite, sizes: frozenset[str]) -> list[Diagnostic]:
    from relax_lang.format.printer import show  # only needed where there are views
    from relax_lang.tir.diagnostics.views import count_of_view

    made, given = count(one.view.dims), count(one.view.source_dims)
    if not _differ(made, given, sizes):
        return []
    return [count_of_view(one.node, show(_plain(made)), show(_plain(given)))]


def _differ(a: tree.PrimExpr, b: tree.PrimExpr, sizes: frozenset[str]) -> bool:
    """Return whether two numbers are never equal; what is not a size may have any value."""
    from relax_lang.arith.prover import DIFFERENT, compare

    if is_larger(a, _LARGEST) or is_larger(b, _LARGEST):
        return False
    difference = _plain(tree.Sub(a, b))
    return set(names_in((difference,))) <= sizes and compare(difference, tree.IntImm(0)) == DIFFERENT


def _plain(number: tree.PrimExpr) -> tree.PrimExpr:
    from relax_lang.arith.printing import simplified

    return simplified(number)
