"""From reductions of the parser to nodes: the buffers that statements of PrimFuncs declare."""

from __future__ import annotations

from relax_lang.syntax import tree
from relax_lang.syntax.builders.prim_funcs.parameters import PrimParamBuilder

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax.builders.parts import Given


class MemoryBuilder(PrimParamBuilder):
    """The callbacks for allocations and views."""

    def view_of_all(
        self,
        pos: int,
        end: int,
        var: tree.PrimVar,
        kind: str,
        args: list[Given],
        name: str,
        attrs: list[tree.Attr] | None = None,
    ) -> tree.BufferView:
        """`let V: Buffer[(4, 4), float32] = A;` [TIR.22]"""
        at = self.offset_of(name, self.offset_of("=", self._end_of(args), end))
        source = tree.PrimVar(name, at, self.name_end(at, name))
        return self._view(pos, end, var, kind, args, source, None, attrs)

    def view(
        self,
        pos: int,
        end: int,
        var: tree.PrimVar,
        kind: str,
        args: list[Given],
        region: tree.BufferRegion,
        attrs: list[tree.Attr] | None = None,
    ) -> tree.BufferView:
        """`let V: Buffer[(4,), float32] = A[i, 0..4];` [TIR.22]"""
        return self._view(pos, end, var, kind, args, region.buffer, region.region, attrs)

    def _view(
        self,
        pos: int,
        end: int,
        var: tree.PrimVar,
        kind: str,
        args: list[Given],
        source: tree.PrimVar,
        region: tuple[tree.RegionIndex, ...] | None,
        attrs: list[tree.Attr] | None,
    ) -> tree.BufferView:
        stop = min(self.offset_of("]", self._end_of(args), end) + 1, end)  # the bracket may be missing
        made = self.declared_buffer(var.pos, stop, var.name, kind, args)
        return tree.BufferView(made, source, region, self.attributes(attrs), pos, end)

    @staticmethod
    def _end_of(args: list[Given]) -> int:
        return max(arg.end for arg in args)

    def allocate(
        self,
        pos: int,
        end: int,
        name: str,
        kind: str,
        args: list[Given],
        attrs: list[tree.Attr] | None = None,
    ) -> tree.Allocate:
        """`alloc T: Buffer[(n,), float32] attrs { strides: [1] };` [TIR.18]"""
        return self.allocate_in(pos, end, name, kind, args, None, attrs)

    def allocate_in(
        self,
        pos: int,
        end: int,
        name: str,
        kind: str,
        args: list[Given],
        scope: str | None,
        attrs: list[tree.Attr] | None = None,
    ) -> tree.Allocate:
        """`alloc T: Buffer[(n,), float32] in "local";` [TIR.18]"""
        start = self.offset_of("alloc", pos) + 5
        while self.text[start : start + 1].isspace():
            start += 1
        stop = min(self.offset_of("]", self._end_of(args), end) + 1, end)  # the bracket may be missing
        found = None if scope is None else self.string_text(scope, self.offset_of(scope, stop))
        made = self.declared_buffer(start, stop, name, kind, args)
        return tree.Allocate(made, found, self.attributes(attrs), pos, end)
