"""Axes of blocks and regions of buffers in TVM's notation."""

from __future__ import annotations

from relax_lang.syntax import tree
from relax_lang.tvmscript.index_dtypes import of_value
from relax_lang.tvmscript.writer.scalars import ScalarWriter
from relax_lang.tvmscript.writer.text import NotExportable


class AxisWriter(ScalarWriter):
    """Writes the axes and regions of one PrimFunc."""

    def __init__(self, func: tree.PrimFunc, version: str) -> None:
        super().__init__(func, version)
        self.ranges: dict[str, tree.Range] = {}
        """The ranges of loop variables."""

    def axes(self, axes: tuple[tree.IterVar, ...]) -> None:
        """Write the axes of a block; those that are loop variables in one statement."""
        plain = [one for one in axes if one.dom is None and isinstance(one.value, tree.PrimVar)]
        letters = [{"spatial": "S", "reduce": "R"}.get(one.kind, "") for one in plain]
        if len(plain) == len(axes) > 1 and all(letters):
            names = ", ".join([self.names.of(one.var.name) for one in axes])
            values = ", ".join([self.expr(one.value) for one in axes])
            for one in axes:
                self.note(one.var.name, self.occurrences.next(one.var.name), one.value)
            self.out.add(f'{names} = T.axis.remap("{"".join(letters)}", [{values}])')
            return
        for axis in axes:
            self.axis(axis)

    def axis(self, axis: tree.IterVar) -> None:
        """Write an axis, with its domain."""
        name, key = self.names.of(axis.var.name), self.occurrences.next(axis.var.name)
        value = self.index(axis.value, of_value(key))
        self.note(axis.var.name, key, axis.dom.stop if axis.dom is not None else axis.value)
        if axis.dom is None:
            if not isinstance(axis.value, tree.PrimVar):
                raise NotExportable(axis, "an axis without a domain", "TVM asks for one: `spatial(e, 0..n)`")
            letter = {"spatial": "S", "reduce": "R"}.get(axis.kind)
            if letter is None:
                known = self.ranges.get(axis.value.name)
                if known is None:
                    raise NotExportable(axis, f"a {axis.kind} axis without a domain")
                self.out.add(f"{name} = T.axis.{axis.kind}({self.domain(known, axis.value.name)}, {value})")
                return
            self.out.add(f'{name} = T.axis.remap("{letter}", [{value}])')
            return
        self.out.add(f"{name} = T.axis.{axis.kind}({self.domain(axis.dom, key)}, {value})")

    def domain(self, bounds: tree.Range, key: str) -> str:
        """Return the domain of an axis: an extent, or both bounds."""
        low, stop = bounds.min, self.extent(bounds.stop, key)
        is_zero = isinstance(low, tree.IntImm) and low.value == 0
        return stop if is_zero else f"({self.extent(low, key)}, {stop})"

    def region(self, region: tree.BufferRegion) -> str:
        """Return a region of `reads` and `writes`."""
        parts: list[str] = []
        buffer = region.buffer.name
        for one in region.region:
            if isinstance(one, tree.Range):
                parts.append(":".join([self.index_of(buffer, bound) for bound in (one.min, one.stop)]))
            else:
                parts.append(self.index_of(buffer, one))
        return f"{self.names.of(region.buffer.name)}[{', '.join(parts) or '()'}]"
