"""Indices that provably leave their buffer, and axes that leave their domain. [TIR.8] [TIR.9]

An index outside of its buffer in every run, whatever the sizes, is an error; one that is outside only if the
conditions around it ever hold is a warning. What neither can be proved of is checked while the program runs.
"""

from __future__ import annotations

from relax_lang.syntax import tree
from relax_lang.tir.analysis.memory_safety.bounds import escape
from relax_lang.tir.analysis.memory_safety.sample_iterations import Question, names_in
from relax_lang.tir.analysis.references.index_expressions import is_larger, plainly_inside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Node
    from relax_lang.tir.analysis.memory_safety.bounds import Escape
    from relax_lang.tir.analysis.memory_safety.sample_iterations import Sizes
    from relax_lang.tir.analysis.references.access_sites import (
        AccessSite,
        Axis,
        LoopVariable,
        Reference,
        References,
        ViewSite,
    )

_ZERO = tree.IntImm(0)
_NO_LIMIT = tree.IntImm((1 << 63) - 1)
_LARGEST = 400
"""Nodes in an index that is looked at."""

_MOST_QUESTIONS = 2000
"""Indices of one PrimFunc that are looked at: enough for what people and compilers write."""


def out_of_bounds(found: References, sizes: Sizes) -> list[Diagnostic]:
    """Return the indices and the axes that provably leave their bounds. [TIR.8] [TIR.9]"""
    return _Check(found, sizes).run()


class _Check:
    """One look at a PrimFunc: what was reported already, so that one mistake is reported once. [Z.5]"""

    def __init__(self, found: References, sizes: Sizes) -> None:
        self.found = found
        self.sizes = sizes
        self.diagnostics: list[Diagnostic] = []
        self._reported: set[tuple[object, ...]] = set()

    def run(self) -> list[Diagnostic]:
        for access in self.found.accesses[:_MOST_QUESTIONS]:
            if not access.through_view:
                self._access(access, self.found.shapes[access.symbol])
        for access, dims in self.found.through_views[:_MOST_QUESTIONS]:
            self._access(access, dims)
        for view in self.found.views:
            self._view(view)
        for axis in self.found.axes[:_MOST_QUESTIONS]:
            if axis.domain is not None:
                self._axis(axis, axis.domain)
        for symbol, (statement, site) in self.found.allocations.items():
            self._allocation(statement.buffer, self.found.shapes[symbol], site)
        return self.diagnostics

    def _access(self, access: Reference, shape: tuple[tree.PrimExpr, ...]) -> None:
        loops = access.site.loops
        for position, index in enumerate(access.resolved or ()):
            stop = shape[position]
            if plainly_inside(index, stop, loops) or is_larger(index, _LARGEST):
                continue
            escaped = escape(Question(index, (_ZERO, stop), access.site), self.sizes)
            if escaped is not None:
                self._report_access(access, shape, position, escaped)

    def _view(self, one: ViewSite) -> None:
        """Check that the region of a view is inside of what it is a view of. [TIR.22]"""
        for position, (low, stop) in enumerate(one.region):
            dim = one.view.source_dims[position]
            written = one.node.region[position] if one.node.region else None
            if isinstance(written, tree.Range) and stop is not None:
                past = tree.Add(dim, tree.IntImm(1))
                asked = [(written.min, low, past), (written.stop, stop, past)]
            else:
                assert isinstance(written, tree.PrimExpr), "a region is made of indices and ranges"
                asked = [(written, low, dim)]
            for index, number, limit in asked:
                if is_larger(number, _LARGEST) or plainly_inside(number, limit, one.site.loops):
                    continue
                escaped = escape(Question(number, (_ZERO, limit), one.site), self.sizes)
                if escaped is not None:
                    self._report_region(one, position, index, escaped)
                    return

    def _report_region(self, one: ViewSite, position: int, index: tree.PrimExpr, escaped: Escape) -> None:
        from relax_lang.format.printer import show  # only needed when there is something to report
        from relax_lang.tir.diagnostics.errors import out_of_bounds
        from relax_lang.tir.diagnostics.warnings import never_in_bounds

        source = one.view.source
        assert source.shape is not None, "only buffers have views"
        extent = show(source.shape[position])
        loops = one.site.loops
        value = _value_text(escaped, one.view.source_dims[position], extent, loops)
        buffer = source.name, extent, source.node
        if escaped.certain:
            reached = value, iteration_text(escaped.iteration)
            example = _example(escaped, position, source.name)
            self.diagnostics.append(out_of_bounds(index, show(index), reached, position, buffer, example))
        else:
            self.diagnostics.append(never_in_bounds(index, show(index), value, position, buffer))

    def _report_access(
        self, access: Reference, shape: tuple[tree.PrimExpr, ...], position: int, escaped: Escape
    ) -> None:
        from relax_lang.format.printer import show  # only needed when there is something to report
        from relax_lang.tir.diagnostics.errors import BOTH_SIDES, out_of_bounds
        from relax_lang.tir.diagnostics.warnings import never_in_bounds

        assert not isinstance(access.node, tree.PrimVar), "a whole buffer has no index"
        assert access.symbol.shape is not None, "only buffers are indexed"
        index = access.node.indices[position]
        text, extent = show(index), show(access.symbol.shape[position])
        reported = access.symbol, position, text, access.site.loops
        if reported in self._reported:
            return
        self._reported.add(reported)
        dim = shape[position]
        value = _value_text(escaped, dim, extent, access.site.loops)
        buffer = access.symbol.name, extent, access.symbol.node
        if escaped.certain:
            reached = value, iteration_text(escaped.iteration)
            example = _example(escaped, position, access.symbol.name)
            made = out_of_bounds(index, text, reached, position, buffer, example)
            if not access.is_used:
                made.helped(BOTH_SIDES)
            self.diagnostics.append(made)
        else:
            self.diagnostics.append(never_in_bounds(index, text, value, position, buffer))

    def _allocation(self, buffer: tree.Buffer, shape: tuple[tree.PrimExpr, ...], site: AccessSite) -> None:
        """Check that an allocation has no negative dimension. [V.9]"""
        for position, (dim, written) in enumerate(zip(shape, buffer.shape, strict=True)):
            if not dim.CHILDREN or is_larger(dim, _LARGEST):
                continue
            escaped = escape(Question(dim, (_ZERO, _NO_LIMIT), site), self.sizes)
            if escaped is not None and escaped.certain:
                from relax_lang.format.printer import show  # only needed when there is something to report
                from relax_lang.tir.diagnostics.errors import negative_dimension

                value, when = (
                    _value_text(escaped, _NO_LIMIT, "", site.loops),
                    iteration_text(escaped.iteration),
                )
                self.diagnostics.append(negative_dimension(written, position, show(written), value, when))

    def _axis(self, axis: Axis, domain: tuple[tree.PrimExpr, tree.PrimExpr]) -> None:
        low, stop = domain
        if is_larger(axis.value, _LARGEST):
            return
        if plainly_inside(axis.value, stop, axis.site.loops) and type(low) is tree.IntImm and low.value == 0:
            return
        escaped = escape(Question(axis.value, domain, axis.site), self.sizes)
        if escaped is None or not escaped.certain:
            return
        from relax_lang.format.printer import show  # only needed when there is something to report
        from relax_lang.tir.diagnostics.errors import block_axis

        assert axis.node.dom is not None, "only axes with a domain are asked about"
        value = _value_text(escaped, stop, show(axis.node.dom.stop), axis.site.loops)
        reached = f"`{show(axis.node.value)}` reaches {value}"
        why = f"{reached}{iteration_text(escaped.iteration)}, outside its domain {show(axis.node.dom)}"
        self.diagnostics.append(block_axis(axis.node, axis.node.var.name, why, axis.node.dom, "the domain"))


def _value_text(escaped: Escape, stop: tree.PrimExpr, extent: str, loops: tuple[LoopVariable, ...]) -> str:
    """Write what an index reaches: like the size of the dimension if it is that, a limit if it is not known."""
    from relax_lang.arith.prover import EQUAL, compare

    if None in names_in((escaped.value,)):
        return f"{extent} or more" if escaped.beyond else "less than 0"
    return extent if compare(escaped.value, stop) == EQUAL else text_of(escaped.value, loops)


def iteration_text(iteration: Sequence[tuple[LoopVariable, tree.PrimExpr]]) -> str:
    """Write ` for i = 4, j = 0`, or nothing where no loop matters."""
    if not iteration:
        return ""
    loops = [loop for loop, _ in iteration]
    values = [f"{loop.var.name} = {text_of(value, loops)}" for loop, value in iteration]
    return f" for {', '.join(values)}"


def text_of(expr: tree.PrimExpr, loops: Sequence[LoopVariable]) -> str:
    """Write a resolved expression with the names that loop variables have in the program."""
    from relax_lang.arith.substitute import substitute
    from relax_lang.format.printer import show

    written: dict[str, Node] = {loop.name: loop.var for loop in loops if loop.name != loop.var.name}
    return show(substitute(expr, written))  # pyright: ignore[reportArgumentType]


def _example(escaped: Escape, position: int, buffer: str) -> str:
    found = escaped.example
    if found is None or not found.sizes:
        return ""
    sizes = ", ".join([f"{name} = {value}" for name, value in found.sizes.items()])
    return f"with {sizes} the index is {found.number} and dimension {position} of `{buffer}` is {found.stop}"
