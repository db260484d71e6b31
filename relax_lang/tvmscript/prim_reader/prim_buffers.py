"""Buffers of PrimFuncs: those of parameters, allocations, and views of other buffers."""

from __future__ import annotations

import ast

from relax_lang.syntax import tree
from relax_lang.tvmscript.prim_reader.buffer_types import BufferName
from relax_lang.tvmscript.prim_reader.prim_loops import LoopStatements
from relax_lang.tvmscript.prim_reader.views import count, element
from relax_lang.tvmscript.python.values import items_of

ALLOCATIONS = frozenset(
    (
        "alloc_buffer",
        "sblock_alloc_buffer",
        "alloc_shared",
        "alloc_local",
        "decl_buffer",
        "Buffer",
        "buffer_decl",
    )
)
VIEWS = frozenset(("decl_buffer", "Buffer"))
MAX_STORED = 256
"""The elements of a constant that are written out as stores."""
FIXED_SCOPES = {"alloc_shared": "shared", "alloc_local": "local"}


class BufferStatements(LoopStatements):
    """Statements that declare buffers."""

    def match_buffer(self, node: ast.stmt, name: str, call: ast.Call) -> None:
        """Read `A = T.match_buffer(a, (n, m), "float32")` of a parameter."""
        reader = self.reader
        given = call.args[0] if call.args else None
        if isinstance(given, ast.Subscript) and self.part(node, name, call, given):
            return
        if not isinstance(given, ast.Name) or reader.handles.get(given.id, -1) < 0:
            raise self.reading.unsupported(call, "a view of a part of a buffer", "a buffer is a whole tensor")
        at = reader.handles[given.id]
        made, scope = reader.read_buffer(name, call, node, skip=1)
        reader.note_scope(made, scope)
        reader.handles[given.id] = -1
        reader.params[at] = made
        reader.scopes[0][name] = BufferName(name, made.dtype.name, made)

    def part(self, node: ast.stmt, name: str, call: ast.Call, region: ast.Subscript) -> bool:
        """Read `A0 = T.match_buffer(A[i:i + 4, 0:4], (4, 4), …)`: a part of a buffer, whose last axes it keeps."""
        base = self.reader.buffer(region.value)
        if base is None:
            return False
        if base.base is None and not self.in_init(name):
            return self._view_of_part(node, name, call, region, base)
        given = region.slice.elts if isinstance(region.slice, ast.Tuple) else [region.slice]
        starts: list[ast.expr] = []
        for one in given:
            if not isinstance(one, ast.Slice):
                starts.append(one)
            elif one.step is None:
                starts.append(one.lower or ast.copy_location(ast.Constant(0), region))
        kept = [one for one in call.keywords if one.arg in ("shape", "dtype")]
        plain = ast.copy_location(ast.Call(call.func, call.args[1:3], kept), call)
        made, _ = self.reader.read_buffer(name, plain, node)
        if (
            len(starts) != len(base.node.shape)
            or len(made.shape) > len(starts)
            or made.dtype.name != base.dtype
        ):
            return False
        self.reader.scopes[-1][name] = BufferName(name, made.dtype.name, made, base, starts)
        return True

    def in_init(self, name: str) -> bool:
        """Return whether the `init` of the block that is read names a buffer: it comes first in our blocks."""
        return False

    def _view_of_part(
        self, node: ast.stmt, name: str, call: ast.Call, region: ast.Subscript, base: BufferName
    ) -> bool:
        """Read a part of a buffer as a view, whose dimensions are the last ones of the region."""
        given = region.slice.elts if isinstance(region.slice, ast.Tuple) else [region.slice]
        parts = [self.reader.region_index(one, base, at) for at, one in enumerate(given)]
        kept = [one for one in call.keywords if one.arg != "buffer"]
        plain = ast.copy_location(ast.Call(call.func, call.args[1:], kept), call)
        made, scope = self.reader.read_buffer(name, plain, node)
        first = len(parts) - len(made.shape)
        if first < 0 or made.dtype.name != base.dtype:
            return False
        indices: list[tree.RegionIndex] = []
        for at, one in enumerate(parts):
            if at < first and isinstance(one, tree.Range):  # it is of one element
                one = one.min
            elif at >= first and not isinstance(one, tree.Range):
                assert isinstance(one, tree.PrimExpr), "a region is made of indices and ranges"
                span = one.pos, one.end
                stop = tree.Add(one, tree.IntImm(1, None, "1", *span), *span)
                if isinstance(one, tree.IntImm):
                    stop = tree.IntImm(one.value + 1, None, str(one.value + 1), *span)
                one = tree.Range(one, stop, *span)
            indices.append(one)
        source = tree.PrimVar(base.name, *self.reading.span(region.value))
        self.reader.laid_out.add(name)
        self._made_view(node, made, source, tuple(indices), scope)
        self.reader.scopes[-1][name] = BufferName(name, made.dtype.name, made, memory=base)
        return True

    def _made_view(
        self,
        node: ast.stmt,
        made: tree.Buffer,
        source: tree.PrimVar,
        region: tuple[tree.RegionIndex, ...] | None,
        scope: str,
    ) -> None:
        attrs = self.reader.details.pop(made.name, [])
        span = self.reading.span(node)
        if scope:
            attrs.append(tree.Attr("scope", tree.StrLit(scope, *span), *span))
        self.made.append(tree.BufferView(made, source, region, tuple(attrs), *span))

    def view(self, node: ast.stmt, name: str, call: ast.Call) -> bool:
        """Read a buffer over memory: that of another buffer, or what `T.allocate` allocated. False: there is none."""
        given = [one.value for one in call.keywords if one.arg == "data"]
        if not given and len(call.args) > 2:
            given = [call.args[2]]
        if not given or isinstance(given[0], ast.Constant):
            return False
        data = given[0]
        base = self.reader.memory_of(data)
        if base is None and isinstance(data, ast.Name) and data.id in self.reader.handles:
            base = self.reader.handle_buffers.get(data.id)
            if base is None:
                self._parameter(node, name, call, data.id)
                return True
        if base is None and isinstance(data, ast.Name) and data.id in self.reader.pointers:
            base = self._allocated(node, data.id, call)
        if base is None:
            raise self.reading.unsupported(call, "a buffer over the memory of a pointer")
        is_whole = self.reading.called(call)[1] == "decl_buffer" and isinstance(data, ast.Attribute)
        if is_whole and base.base is None and not self.in_init(name) and not self.reader.lays_out(call):
            self._view_of_all(node, name, call, base)
        else:
            self.reader.declare_view(name, call, base, node)
        return True

    def reshaped(self, node: ast.stmt, name: str, call: ast.expr) -> bool:
        """Read `B = A.view(4, -1)`: all elements of another buffer in another shape; False if it is something else."""
        func = call.func if isinstance(call, ast.Call) else None
        if not isinstance(call, ast.Call) or not isinstance(func, ast.Attribute) or func.attr != "view":
            return False
        base = self.reader.buffer(func.value)
        if base is None:
            return False
        if any(
            one.arg != "layout" or not self.reader.is_default("layout", one.value, None)
            for one in call.keywords
        ):
            raise self.reading.unsupported(
                call, "a view of a buffer with a layout", "it describes memory of a device"
            )
        sizes = self.reader.unpacked(call.args)
        if len(sizes) == 1 and isinstance(sizes[0], ast.Tuple | ast.List):
            sizes = list(sizes[0].elts)
        if not sizes or any(isinstance(one, ast.Constant) and isinstance(one.value, str) for one in sizes):
            raise self.reading.unsupported(call, "a view of a buffer with another dtype")
        shape = ast.copy_location(ast.Tuple(self._inferred(call, sizes, base), ast.Load()), call)
        dtype = ast.copy_location(ast.Constant(base.dtype), call)
        plain = ast.copy_location(ast.Call(func, [shape, dtype], []), call)
        if base.base is None and not self.in_init(name):
            self._view_of_all(node, name, plain, base)
        else:
            self.reader.declare_view(name, plain, base, node)
        return True

    def _inferred(self, call: ast.Call, sizes: list[ast.expr], base: BufferName) -> list[ast.expr]:
        """Return the sizes of a view, with the one for `-1`, which is what the others leave."""
        values = [self.reader.index(one) for one in sizes]
        left = [at for at, one in enumerate(values) if _is_minus_one(one)]
        if not left:
            return sizes
        known = count(tuple([one for one in values if not _is_minus_one(one)]))
        whole = count(base.node.shape)
        if len(left) > 1 or not known or whole is None or whole % known:
            raise self.reading.wrong(
                call, "`-1` stands for what the other sizes leave of the elements of the buffer"
            )
        inferred = ast.copy_location(ast.Constant(whole // known), sizes[left[0]])
        return [inferred if at == left[0] else one for at, one in enumerate(sizes)]

    def _view_of_all(self, node: ast.stmt, name: str, call: ast.Call, base: BufferName) -> None:
        """Read `A = T.decl_buffer((n,), "float32", data=B.data)`: all elements of another buffer, in order."""
        kept = [one for one in call.keywords if one.arg not in ("data", "strides", "elem_offset")]
        plain = ast.copy_location(ast.Call(call.func, call.args[:2], kept), call)
        made, scope = self.reader.read_buffer(name, plain, node)
        self.reader.check_view(call, made, base)
        source = tree.PrimVar(base.name, *self.reading.span(call))
        self._made_view(node, made, source, None, scope)
        self.reader.scopes[-1][name] = BufferName(name, made.dtype.name, made, memory=base)

    def _parameter(self, node: ast.stmt, name: str, call: ast.Call, pointer: str) -> None:
        """Read `A = T.decl_buffer((n,), "float32", data=a)`: the buffer that the pointer `a` is a parameter for."""
        kept = [one for one in call.keywords if one.arg not in ("data", "scope")]
        made, _ = self.reader.read_buffer(
            name, ast.copy_location(ast.Call(call.func, call.args[:2], kept), call), node
        )
        at = self.reader.handles[pointer]
        self.reader.handles[pointer] = -1
        span = made.pos, made.end
        scope = tree.StrLit(self.reader.pointer_scopes.get(pointer, "global"), *span)
        self.reader.details.setdefault(name, []).append(tree.Attr("pointer", scope, *span))
        self.reader.params[at] = made
        found = BufferName(name, made.dtype.name, made)
        self.reader.scopes[0][name] = self.reader.handle_buffers[pointer] = found

    def _allocated(self, node: ast.stmt, pointer: str, call: ast.Call) -> BufferName:
        """Return the buffer of `p = T.allocate([n], "float32", "global")`, allocated where it is first used."""
        found = self.reader.find(pointer)
        if isinstance(found, BufferName):
            return found
        allocation = self.reader.pointers[pointer]
        shape, kind, *rest = allocation.args
        plain = ast.copy_location(ast.Call(allocation.func, [shape, kind], []), allocation)
        made, _ = self.reader.read_buffer(pointer, plain, node)
        scope = self.reading.string(rest[0], "the scope of a buffer") if rest else ""
        buffer = BufferName(pointer, made.dtype.name, made)
        self.reader.scopes[-1][pointer] = buffer
        self.made.append(
            tree.Allocate(made, scope if scope not in ("", "global") else None, (), *self.reading.span(node))
        )
        return buffer

    def allocate_const(self, node: ast.stmt, name: str, call: ast.Call) -> bool:
        """Read `p = T.allocate_const([1, 2], "int32", [2])`: memory whose elements are stored one by one."""
        if len(call.args) != 3 or call.keywords:
            return False
        data, kind, shape = call.args
        plain = ast.copy_location(ast.Call(call.func, [shape, kind], []), call)
        made, _ = self.reader.read_buffer(name, plain, node)
        items = items_of(self.reading.value(data)) or []
        if len(items) != count(made.shape) or len(items) > MAX_STORED:
            raise self.reading.unsupported(call, f"`{self.reading.py.shown(call.func)}` of so many elements")
        span = self.reading.span(node)
        self.reader.scopes[-1][name] = BufferName(name, made.dtype.name, made)
        self.reader.pointers[name] = call
        self.made.append(tree.Allocate(made, None, (), *span))
        for at, item in enumerate(items):
            number = tree.IntImm(at, None, str(at), *span)
            places = [number] if len(made.shape) == 1 else element(at, made.shape, span)
            stored = self.reader.constant_value(data, item).as_value(made.dtype.name)
            self.made.append(tree.BufferStore(tree.PrimVar(name, *span), tuple(places), "=", stored, *span))
        return True

    def allocate(self, node: ast.stmt, name: str, call: ast.Call, function: str) -> None:
        """Read `B = T.alloc_buffer((n,), "float32", scope="local")`."""
        made, scope = self.reader.read_buffer(name, call, node)
        scope = scope or FIXED_SCOPES.get(function, "")
        self.reader.scopes[-1][name] = BufferName(name, made.dtype.name, made)
        attrs = self.reader.details.pop(name, [])
        span = self.reading.span(node)
        if function != "sblock_alloc_buffer" and self.reading.aliases.is_current:
            attrs.append(tree.Attr("sblock", tree.BoolLit(False, *span), *span))
        self.made.append(tree.Allocate(made, scope or None, tuple(attrs), *span))


def _is_minus_one(node: tree.PrimExpr) -> bool:
    return isinstance(node, tree.Neg) and isinstance(node.a, tree.IntImm) and node.a.value == 1
