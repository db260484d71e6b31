"""PrimFuncs: parameters, buffers, names; `prim_statements` reads their statements."""

from __future__ import annotations

import ast

from relax_lang.base.nested_text import parse_python_expression
from relax_lang.base.node import walk
from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import DTYPES
from relax_lang.tvmscript.index_dtypes import of_indices
from relax_lang.tvmscript.prim_reader.buffer_types import BufferName, BufferTypeReader
from relax_lang.tvmscript.prim_reader.cells import changing
from relax_lang.tvmscript.prim_reader.views import count, is_same_shape, is_zero, unravelled
from relax_lang.tvmscript.scalar_reader.scalars import INDEX_DTYPES, INT32, INT64, Scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tvmscript.scalar_reader.reading import Reading

POINTERS = frozenset(("handle", "Ptr"))


class PrimFuncReader(BufferTypeReader):
    """Reads one PrimFunc. `scopes` holds what local names mean, inner scopes last."""

    def __init__(self, reading: Reading) -> None:
        super().__init__(reading)
        for name, place in reading.type_vars.items():
            self.declare_size(name, "int64", place)
        self.params: list[tree.PrimParam] = []
        self.handles: dict[str, int] = {}
        """Parameters that are pointers until `match_buffer` gives them a shape, and where they are."""
        self.handle_buffers: dict[str, BufferName] = {}
        """The buffers that are declared over pointers."""
        self.own_name = ""
        self.returns: tree.DType | None = None
        """The dtype of the result."""
        self.result: tree.PrimExpr | None = None
        self.attrs: list[tree.Attr] = []
        self.thread_axes: dict[str, str] = {}
        """Variables that stand for thread axes, until the threads are launched."""
        self.pointers: dict[str, ast.Call] = {}
        """Memory that `T.allocate` allocated, until a buffer is declared over it."""
        self.extents: dict[str, tree.Range] = {}
        """The ranges of the loop variables in scope."""
        self.pointer_scopes: dict[str, str] = {}
        """The scopes of the memory that parameters point to."""
        self.changing: set[ast.stmt] = set()
        """The definitions of variables that TVM changes in place."""
        self.cells: list[str] = []
        """Variables that TVM could assign to again."""
        self.results: dict[str, str] = {}
        """The dtypes of what packed functions return to TVM, where they are not int32."""
        self.branches: list[str] = []
        """Where the result comes from an `if`: "else", or "after" what follows it."""
        self.used: set[str] = set()
        """All names of the PrimFunc."""
        self.size_names: set[str] = set()
        """Names in the shapes of buffers."""

    # -- names -------------------------------------------------------------------------------------------------

    def fresh(self, base: str) -> str:
        """Return a name that the PrimFunc does not use."""
        name, number = base, 0
        while name in self.used:
            number += 1
            name = f"{base}_{number}"
        self.used.add(name)
        return name

    def variable(self, node: ast.Name) -> Scalar | None:
        """Return the scalar of a name."""
        found = self.find(node.id)
        pos, end = self.reading.span(node)
        if isinstance(found, Scalar):
            assert isinstance(found.node, tree.PrimVar)
            return Scalar(tree.PrimVar(found.node.name, pos, end), found.dtype, found.index)
        if isinstance(found, BufferName) and found.is_cell:
            zero = tree.IntImm(0, None, "0", end, end)
            return Scalar(
                tree.BufferLoad(tree.PrimVar(found.name, pos, end), (zero,), pos, end), found.dtype, False
            )
        if isinstance(found, BufferName):
            raise self.reading.unsupported(
                node, f"the buffer `{node.id}` as a value", "there are no pointers on tensors"
            )
        return None if found is None else self.scalar(found)

    def quoted(self, node: ast.expr, value: str) -> Scalar:
        """Read `"n"` or `"n * 2"` as a dimension, whose names it binds."""
        try:
            inner = parse_python_expression(value.strip())
        except SyntaxError:
            return super().quoted(node, value)
        letters = self.reading.aliases.letters()
        for one in ast.walk(inner):
            if isinstance(one, ast.expr | ast.keyword):
                ast.copy_location(one, node)
            if (
                isinstance(one, ast.Name)
                and one.id not in letters
                and not isinstance(self.find(one.id), Scalar)
            ):
                self.declare_size(one.id, "int32", node)
        return self.scalar(inner)

    def declare_size(self, name: str, dtype: str, node: ast.expr | ast.stmt | ast.arg) -> Scalar:
        """Declare a dimension variable."""
        pos, end = self.reading.span(node)
        made = Scalar(tree.PrimVar(name, pos, end), dtype, True)
        self.scopes[0][name] = made
        return made

    def buffer(self, node: ast.expr) -> BufferName | None:
        """Return the buffer of a name."""
        if not isinstance(node, ast.Name):
            return None
        found = self.find(node.id)
        if isinstance(found, ast.expr):
            return self.buffer(found)
        return found if isinstance(found, BufferName) else None

    def element(self, node: ast.Subscript) -> Scalar | None:
        """Read `A[i, j]`."""
        found = self.buffer(node.value)
        if found is None:
            return self._size(node)
        target, indices = self.place(node, found)
        for one in indices:
            if isinstance(one, tree.Range):
                raise self.reading.unsupported(
                    node, "a slice of a buffer as a value", "a loop takes its elements"
                )
        pos, end = self.reading.span(node)
        return Scalar(tree.BufferLoad(target, tuple(indices), pos, end), found.dtype, False)  # type: ignore[arg-type]

    def _size(self, node: ast.Subscript) -> Scalar | None:
        """Read `A.shape[0]`."""
        inner = node.value
        found = (
            self.buffer(inner.value) if isinstance(inner, ast.Attribute) and inner.attr == "shape" else None
        )
        if found is None:
            return None
        at = self.reading.integer(node.slice, "an axis")
        if not -len(found.node.shape) <= at < len(found.node.shape):
            raise self.reading.wrong(node, f"`{found.name}` has {len(found.node.shape)} axes")
        dtype = INT64 if self.extent_dtypes == {INT64} else INT32
        return Scalar(found.node.shape[at], dtype, True)

    def place(self, node: ast.Subscript, found: BufferName) -> tuple[tree.PrimVar, list[tree.RegionIndex]]:
        """Return the buffer and the indices of `A[i, 0:4]`."""
        given = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        indices = [self.region_index(one, found, at) for at, one in enumerate(given)]
        while found.base is not None:
            indices = self.through_view(node, found, found.base, indices)
            found = found.base
        return tree.PrimVar(found.name, *self.reading.span(node.value)), indices

    def through_view(
        self, node: ast.Subscript, view: BufferName, base: BufferName, indices: list[tree.RegionIndex]
    ) -> list[tree.RegionIndex]:
        """Return the indices of an element of a view in its base."""
        span = self.reading.span(node)
        if view.strides is not None:
            return self._strided(node, view, base, indices)
        if view.starts is not None:
            starts = [self.index(one) for one in view.starts]
            ahead = len(starts) - len(indices)
            shifted: list[tree.RegionIndex] = [*starts[:ahead]]
            for start, one in zip(starts[ahead:], indices, strict=True):
                if isinstance(one, tree.Range):
                    raise self.reading.unsupported(node, "a slice of a view of a buffer")
                shifted.append(one if is_zero(start) else tree.Add(start, one, *span))
            return shifted
        if len(indices) == len(base.node.shape) == 1 or is_same_shape(view.node.shape, base.node.shape):
            return indices
        linear: tree.PrimExpr | None = None
        for size, one in zip(view.node.shape, indices, strict=True):
            if isinstance(one, tree.Range):
                raise self.reading.unsupported(node, "a slice of a view of a buffer")
            linear = one if linear is None else tree.Add(tree.Mul(linear, size, *span), one, *span)
        assert linear is not None
        return unravelled(linear, base.node.shape, span)

    def _strided(
        self, node: ast.Subscript, view: BufferName, base: BufferName, indices: list[tree.RegionIndex]
    ) -> list[tree.RegionIndex]:
        """Return the indices of an element of a view with an offset and strides."""
        span = self.reading.span(node)
        linear = self.index(view.offset) if view.offset is not None else None
        for stride, one in zip(view.strides or (), indices, strict=True):
            if isinstance(one, tree.Range):
                raise self.reading.unsupported(node, "a slice of a view of a buffer")
            by = self.index(stride)
            is_one = isinstance(by, tree.IntImm) and by.value == 1
            step = one if is_one else tree.Mul(one, by, *span)
            linear = step if linear is None or is_zero(linear) else tree.Add(linear, step, *span)
        assert linear is not None
        return [linear] if len(base.node.shape) == 1 else unravelled(linear, base.node.shape, span)

    def declare_view(self, name: str, call: ast.Call, base: BufferName, place: ast.stmt) -> None:
        """Declare a buffer over the memory of another one: over all of it, or by an offset and strides."""
        layout = {one.arg: one.value for one in call.keywords if one.arg in ("strides", "elem_offset")}
        layout |= dict(zip(("strides", "elem_offset"), call.args[3:5], strict=False))
        kept = [one for one in call.keywords if one.arg not in ("data", "scope", "strides", "elem_offset")]
        plain = ast.copy_location(ast.Call(call.func, call.args[:2], kept), call)
        made, _ = self.read_buffer(name, plain, place)
        shape = call.args[0] if call.args else None
        layout = {key: value for key, value in layout.items() if not self.is_default(key, value, shape)}
        self.check_view(call, made, base, is_whole=not layout)
        sizes = [count(one.shape) for one in (made, base.node)]
        if layout and (len(base.node.shape) == 1 or sizes[1] is not None):
            view = BufferName(name, made.dtype.name, made, base)
            view.offset = layout.get("elem_offset")
            view.strides = self._strides(call, made, layout.get("strides"))
            self.scopes[-1][name] = view
            return
        if not is_same_shape(made.shape, base.node.shape) and (None in sizes or sizes[0] != sizes[1]):
            raise self.reading.unsupported(call, "a view of a part of a buffer", "a buffer is a whole tensor")
        self.scopes[-1][name] = BufferName(name, made.dtype.name, made, base)

    def check_view(
        self, call: ast.Call, made: tree.Buffer, base: BufferName, *, is_whole: bool = True
    ) -> None:
        """Refuse what no buffer over the memory of another one is read as. Raises Refused."""
        if made.dtype.name != base.dtype:
            raise self.reading.unsupported(call, "a view of a buffer with another dtype")
        if base.name in self.laid_out:
            raise self.reading.unsupported(call, "a view of a buffer whose elements do not lie in order")
        sizes = [count(one.shape) for one in (made, base.node)]
        if is_whole and None not in sizes and sizes[0] != sizes[1]:
            raise self.reading.unsupported(call, "a view of a part of a buffer", "a buffer is a whole tensor")

    def lays_out(self, call: ast.Call) -> bool:
        """Return whether a buffer over the memory of another one declares which of its elements it has."""
        given = {one.arg: one.value for one in call.keywords if one.arg in ("strides", "elem_offset")}
        given |= dict(zip(("strides", "elem_offset"), call.args[3:5], strict=False))
        shape = call.args[0] if call.args else None
        return any(not self.is_default(key, value, shape) for key, value in given.items())

    def _strides(self, call: ast.Call, made: tree.Buffer, given: ast.expr | None) -> list[ast.expr]:
        """Return the strides of a view; without any, those of a buffer without gaps."""
        if isinstance(given, ast.List | ast.Tuple) and len(given.elts) == len(made.shape):
            return list(given.elts)
        sizes = [one.value if isinstance(one, tree.IntImm) else None for one in made.shape[1:]]
        if given is not None or None in sizes:
            raise self.reading.unsupported(call, "strides of a buffer")
        strides = [1]
        for size in reversed(sizes):
            strides.insert(0, strides[0] * (size or 0))
        return [ast.copy_location(ast.Constant(one), call) for one in strides]

    def memory_of(self, node: ast.expr) -> BufferName | None:
        """Return the buffer whose memory `A.data` is."""
        return self.buffer(node.value) if isinstance(node, ast.Attribute) and node.attr == "data" else None

    def region_index(self, node: ast.expr, found: BufferName, axis: int) -> tree.RegionIndex:
        """Read one index, or a range `lo:hi`."""
        if not isinstance(node, ast.Slice):
            return self.number_or_index(node, found)
        if node.step is not None and not (isinstance(node.step, ast.Constant) and node.step.value == 1):
            raise self.reading.unsupported(node.step, "a step in a slice of a buffer")
        pos = end = 0
        if node.lower is not None:
            low = self.number_or_index(node.lower, found)
            pos, end = low.pos, low.end
        else:
            pos, end = self.reading.span(node)
            low = tree.IntImm(0, None, "0", pos, pos)
        if node.upper is not None:
            stop = self.number_or_index(node.upper, found)
        elif axis < len(found.node.shape):
            stop = found.node.shape[axis]
        else:
            raise self.reading.wrong(node, f"`{found.name}` has fewer axes")
        return tree.Range(low, stop, pos, max(end, stop.end))

    def number_or_index(self, node: ast.expr, found: BufferName) -> tree.PrimExpr:
        """Read an index of a buffer, and note the dtype of a number."""
        read = self.scalar(node)
        self.note_number(of_indices(found.name), read)
        return read.as_index()

    def sizes(self) -> dict[str, str]:
        """Return the sizes of the buffers of parameters, with their dtypes in TVM."""
        names = [
            part.name
            for one in self.params
            if isinstance(one, tree.Buffer)
            for dim in one.shape
            for part in walk(dim)
            if isinstance(part, tree.PrimVar)
        ]
        scalars = [one.name for one in self.params if isinstance(one, tree.ScalarParam)]
        names += [name for name in scalars if name in self.size_names]
        found = {name: self.scopes[0].get(name) for name in names}
        return {name: one.dtype for name, one in found.items() if isinstance(one, Scalar) and one.dtype}

    # -- the function ------------------------------------------------------------------------------------------

    def read_signature(self, node: ast.FunctionDef) -> None:
        """Read the parameters. Raises Refused."""
        if node.args.vararg or node.args.kwarg or node.args.kwonlyargs or node.args.defaults:
            raise self.reading.unsupported(node, "a PrimFunc with defaults or `*` parameters")
        if node.returns is not None and not (
            isinstance(node.returns, ast.Constant) and node.returns.value is None
        ):
            dialect, name = self.reading.path(node.returns)
            if dialect != "T" or name not in DTYPES:
                raise self.reading.unsupported(
                    node.returns, f"a PrimFunc that returns `{self.reading.py.shown(node.returns)}`"
                )
            self.returns = tree.DType(name, *self.reading.span(node.returns))
        self.own_name = node.name
        self.size_names = _names_in_shapes(node)
        self.changing = changing(node.body) if self.reading.aliases.is_current else set()
        self.used = {one.id for one in ast.walk(node) if isinstance(one, ast.Name)}
        for one in node.args.args:
            self.read_param(one)

    def read_param(self, one: ast.arg) -> None:
        """Read one parameter: a buffer, a number, or a pointer that `match_buffer` explains."""
        if one.annotation is None:
            raise self.reading.wrong(one, f"the parameter `{one.arg}` has no annotation")
        annotation = one.annotation
        if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
            annotation = _expression(self.reading, annotation)
        target = annotation.func if isinstance(annotation, ast.Call) else annotation
        if isinstance(target, ast.Subscript):
            target = target.value
        dialect, name = self.reading.path(target)
        if name == "Buffer" and dialect == "T":
            self.params.append(self.declare_buffer(one.arg, annotation, one))
        elif name in POINTERS and dialect == "T":
            self.handles[one.arg] = len(self.params)
            if isinstance(annotation, ast.Call):
                given = [
                    *annotation.args[1:2],
                    *[k.value for k in annotation.keywords if k.arg == "storage_scope"],
                ]
                if given:
                    self.pointer_scopes[one.arg] = self.reading.string(given[0], "the scope of a pointer")
            self.params.append(tree.ScalarParam(one.arg, tree.DType("int64", -1, -1), -1, -1))
        elif name in DTYPES and dialect == "T":
            self.declare_number(one, name)
        else:
            raise self.reading.unsupported(one, f"a parameter `{self.reading.py.shown(one)}`")

    def declare_number(self, one: ast.arg, dtype: str) -> None:
        """Declare a scalar parameter; one that is the size of a buffer is an int64 here."""
        pos, end = self.reading.span(one)
        is_size = dtype == "int64" or (dtype in INDEX_DTYPES and one.arg in self.size_names)
        declared = "int64" if is_size else dtype
        self.params.append(tree.ScalarParam(one.arg, tree.DType(declared, pos, end), pos, end))
        self.scopes[0][one.arg] = Scalar(tree.PrimVar(one.arg, pos, end), dtype, is_size)

    def declare_buffer(self, name: str, call: ast.expr, place: ast.arg | ast.stmt) -> tree.Buffer:
        """Declare the buffer that `T.Buffer(…)`, `T.match_buffer(…)`, `T.alloc_buffer(…)` describes."""
        made, scope = self.read_buffer(name, call, place)
        self.note_scope(made, scope)
        self.scopes[-1][name] = BufferName(name, made.dtype.name, made)
        return made

    def note_scope(self, made: tree.Buffer, scope: str) -> None:
        """Keep the scope of the memory of a parameter."""
        if scope:
            span = made.pos, made.end
            self.details.setdefault(made.name, []).append(
                tree.Attr("scope", tree.StrLit(scope, *span), *span)
            )


def _expression(reading: Reading, node: ast.Constant) -> ast.expr:
    """Return the expression in a string annotation; its places are those of the whole string."""
    try:
        inner = parse_python_expression(str(node.value))
    except SyntaxError:
        raise reading.wrong(node, f"`{node.value}` is not an expression") from None
    for one in ast.walk(inner):
        if isinstance(one, ast.expr | ast.keyword):
            ast.copy_location(one, node)
    return inner


def _names_in_shapes(node: ast.FunctionDef) -> set[str]:
    """Return the names in the shapes of the buffers of a PrimFunc."""
    found: set[str] = set()
    for one in ast.walk(node):
        if isinstance(one, ast.Call) and isinstance(one.func, ast.Attribute):
            name = one.func.attr.lower()
            if name.endswith("buffer"):
                shapes = [given for given in one.args[:2] if isinstance(given, ast.Tuple | ast.List)]
                found.update(
                    [inner.id for given in shapes for inner in ast.walk(given) if isinstance(inner, ast.Name)]
                )
    return found
