"""PrimFuncs: parameters, buffers, names; `prim_statements` reads their statements."""

from __future__ import annotations

import ast

from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import DTYPES
from relax_lang.tvmscript.prim_reader.views import count, is_same_shape, is_zero, unravelled
from relax_lang.tvmscript.python.values import items_of
from relax_lang.tvmscript.reader.reading import Refused
from relax_lang.tvmscript.reader.scalar_calls import CallReader
from relax_lang.tvmscript.reader.scalars import INDEX_DTYPES, Scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tvmscript.reader.reading import Reading

POINTERS = frozenset(("handle", "Ptr"))
_DROPPED_OPTIONS = frozenset(
    ("align", "offset_factor", "buffer_type", "axis_separators", "type", "offset_vars", "span", "name")
)
"""Options of buffers that say nothing about what a program computes."""
_REFUSED_OPTIONS = {
    "strides": "strides of a buffer",
    "elem_offset": "the offset of a buffer in its memory",
    "data": "a buffer over the memory of another one",
    "layout": "a layout of a buffer",
    "allocated_addr": "an address",
    "byte_offset": "the offset of a buffer in its memory",
}


class BufferName:
    """A buffer that is in scope: its name in the program, its dtype and shape.

    A view is another shape of the elements of a `base`: of all of them in the same order, or of those from `starts` on.
    """

    __slots__ = ("base", "dtype", "name", "node", "starts")

    def __init__(
        self,
        name: str,
        dtype: str,
        node: tree.Buffer,
        base: BufferName | None = None,
        starts: list[ast.expr] | None = None,
    ) -> None:
        self.name = name
        self.dtype = dtype
        self.node = node
        self.base = base
        self.starts = starts


class PrimFuncReader(CallReader):
    """Reads one PrimFunc. `scopes` holds what local names mean, inner scopes last."""

    def __init__(self, reading: Reading) -> None:
        super().__init__(reading)
        self.scopes: list[dict[str, Scalar | BufferName | ast.expr]] = [{}]
        for name, place in reading.type_vars.items():
            self.declare_size(name, "int64", place)
        self.params: list[tree.PrimParam] = []
        self.handles: dict[str, int] = {}
        """Parameters that are pointers until `match_buffer` gives them a shape, and where they stand."""
        self.attrs: list[tree.Attr] = []
        self.thread_axes: dict[str, str] = {}
        """Variables that stand for thread axes, until the threads are launched."""
        self.pointers: dict[str, ast.Call] = {}
        """Memory that `T.allocate` allocated, until a buffer is declared over it."""
        self.extents: dict[str, tree.Range] = {}
        """The ranges of the loop variables in scope."""
        self.block_names: set[str] = set()
        self.size_names: set[str] = set()
        """Names in the shapes of buffers."""

    # -- names -------------------------------------------------------------------------------------------------

    def find(self, name: str) -> Scalar | BufferName | ast.expr | None:
        """Return what a name means; None if it is not of this PrimFunc."""
        for scope in reversed(self.scopes):
            if name in scope:
                return scope[name]
        return None

    def variable(self, node: ast.Name) -> Scalar | None:
        """Return the scalar that a name stands for."""
        found = self.find(node.id)
        pos, end = self.reading.span(node)
        if isinstance(found, Scalar):
            assert isinstance(found.node, tree.PrimVar)
            return Scalar(tree.PrimVar(found.node.name, pos, end), found.dtype, found.index)
        if isinstance(found, BufferName):
            raise self.reading.unsupported(
                node, f"the buffer `{node.id}` as a value", "there are no pointers on tensors"
            )
        return None if found is None else self.scalar(found)

    def quoted(self, node: ast.expr, value: str) -> Scalar:
        """Read `"n"` or `"n * 2"` as a dimension, whose names it binds."""
        try:
            inner = ast.parse(value.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
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
        """Return the buffer that a name stands for."""
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
            return None
        target, indices = self.place(node, found)
        for one in indices:
            if isinstance(one, tree.Range):
                raise self.reading.unsupported(
                    node, "a slice of a buffer as a value", "a loop takes its elements"
                )
        pos, end = self.reading.span(node)
        return Scalar(tree.BufferLoad(target, tuple(indices), pos, end), found.dtype, False)  # type: ignore[arg-type]

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

    def declare_view(self, name: str, call: ast.Call, base: BufferName, place: ast.stmt) -> None:
        """Declare a buffer over the memory of another one, of as many elements."""
        kept = [one for one in call.keywords if one.arg not in ("data", "scope", "strides", "elem_offset")]
        plain = ast.copy_location(ast.Call(call.func, call.args, kept), call)
        made, _ = self.read_buffer(name, plain, place)
        if made.dtype.name != base.dtype:
            raise self.reading.unsupported(call, "a view of a buffer with another dtype")
        sizes = [count(one.shape) for one in (made, base.node)]
        if not is_same_shape(made.shape, base.node.shape) and (None in sizes or sizes[0] != sizes[1]):
            raise self.reading.unsupported(call, "a view of a part of a buffer", "a buffer is a whole tensor")
        self.scopes[-1][name] = BufferName(name, made.dtype.name, made, base)

    def memory_of(self, node: ast.expr) -> BufferName | None:
        """Return the buffer whose memory `A.data` is."""
        return self.buffer(node.value) if isinstance(node, ast.Attribute) and node.attr == "data" else None

    def region_index(self, node: ast.expr, found: BufferName, axis: int) -> tree.RegionIndex:
        """Read one index, or a range `lo:hi`."""
        if not isinstance(node, ast.Slice):
            return self.index(node)
        if node.step is not None and not (isinstance(node.step, ast.Constant) and node.step.value == 1):
            raise self.reading.unsupported(node.step, "a step in a slice of a buffer")
        pos = end = 0
        if node.lower is not None:
            low = self.index(node.lower)
            pos, end = low.pos, low.end
        else:
            pos, end = self.reading.span(node)
            low = tree.IntImm(0, None, "0", pos, pos)
        if node.upper is not None:
            stop = self.index(node.upper)
        elif axis < len(found.node.shape):
            stop = found.node.shape[axis]
        else:
            raise self.reading.wrong(node, f"`{found.name}` has fewer axes")
        return tree.Range(low, stop, pos, max(end, stop.end))

    # -- the function ------------------------------------------------------------------------------------------

    def read_signature(self, node: ast.FunctionDef) -> None:
        """Read the parameters. Raises Refused."""
        if node.args.vararg or node.args.kwarg or node.args.kwonlyargs or node.args.defaults:
            raise self.reading.unsupported(node, "a PrimFunc with defaults or `*` parameters")
        if node.returns is not None and not (
            isinstance(node.returns, ast.Constant) and node.returns.value is None
        ):
            raise self.reading.unsupported(
                node.returns,
                "a PrimFunc that returns a value",
                "a PrimFunc writes into buffers of its caller",
            )
        self.size_names = _names_in_shapes(node)
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
            if isinstance(annotation, ast.Call) and (annotation.args or annotation.keywords):
                raise self.reading.unsupported(
                    one, f"the pointer `{one.arg}`", "a PrimFunc takes buffers and numbers"
                )
            self.handles[one.arg] = len(self.params)
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
        made, _ = self.read_buffer(name, call, place)
        self.scopes[-1][name] = BufferName(name, made.dtype.name, made)
        return made

    def read_buffer(
        self, name: str, call: ast.expr, place: ast.arg | ast.stmt, skip: int = 0
    ) -> tuple[tree.Buffer, str]:
        """Return a buffer, and the scope of its memory; `skip` arguments come before the shape."""
        reading = self.reading
        if isinstance(call, ast.Subscript):  # `T.Buffer[(4,), "float32"]`
            given = call.slice.elts if isinstance(call.slice, ast.Tuple) else [call.slice]
            # `T.Buffer[4, "float32"]` has a shape and a dtype, `T.Buffer[4, 8]` a shape.
            of_dims = (
                len(given) == 2 and isinstance(given[1], ast.Constant) and isinstance(given[1].value, int)
            )
            if len(given) != 2 or (of_dims and not isinstance(given[0], ast.Tuple | ast.List)):
                given = [call.slice]
            named: dict[str, ast.expr] = {}
        elif isinstance(call, ast.Call):
            given = call.args[skip:]
            named = {one.arg or "**": one.value for one in call.keywords}
        else:
            raise reading.unsupported(call, "a buffer without a shape")
        if len(given) > 2:
            named = {**dict(zip(_BUFFER_ORDER[2:], given[2:], strict=False)), **named}
        shape = given[0] if given else named.get("shape")
        kind = given[1] if len(given) > 1 else named.get("dtype")
        scope = self.options(named, shape)
        if shape is None:
            raise reading.unsupported(call, "a buffer without a shape")
        dtype = tree.DType("float32", *reading.span(call)) if kind is None else reading.dtype(kind)
        if dtype is None:
            raise reading.wrong(call, f"the buffer `{name}` has no dtype")
        dims = self.dimensions(shape)
        pos, end = reading.span(place)
        return tree.Buffer(name, dims, dtype, pos, end), scope

    def _is_compact(self, strides: ast.expr, shape: ast.expr) -> bool:
        """Tell whether strides are those of a buffer without gaps."""
        if not isinstance(strides, ast.Tuple | ast.List) or not isinstance(shape, ast.Tuple | ast.List):
            return False
        try:
            given = [self.index(one) for one in strides.elts]
            sizes = [self.index(one) for one in shape.elts]
        except Refused:
            return False
        expected = 1
        for size, stride in zip(reversed(sizes), reversed(given), strict=False):
            if not isinstance(stride, tree.IntImm) or stride.value != expected:
                return False
            expected *= size.value if isinstance(size, tree.IntImm) else 0
        return len(given) == len(sizes)

    def options(self, named: dict[str, ast.expr], shape: ast.expr | None = None) -> str:
        """Check the options of a buffer; return its scope."""
        scope = ""
        for key, value in named.items():
            if key in ("shape", "dtype") or key in _DROPPED_OPTIONS:
                continue
            if key == "scope":
                scope = self.reading.string(value, "the scope of a buffer")
                continue
            if isinstance(value, ast.Constant) and value.value in (None, 0, "default", ""):
                continue
            if key in ("strides", "elem_offset") and self._is_empty(value):
                continue
            if key == "strides" and shape is not None and self._is_compact(value, shape):
                continue
            raise self.reading.unsupported(
                value, _REFUSED_OPTIONS.get(key, f"the option `{key}` of a buffer")
            )
        return "" if scope == "global" else scope

    def _is_empty(self, value: ast.expr) -> bool:
        if isinstance(value, ast.List | ast.Tuple):
            return not value.elts
        return (
            isinstance(value, ast.Call)
            and self.reading.path(value.func)[1] in INDEX_DTYPES
            and all(isinstance(one, ast.Constant) and one.value == 0 for one in value.args)
            and bool(value.args)
        )

    def dimensions(self, node: ast.expr) -> tuple[tree.PrimExpr, ...]:
        """Read a shape: a tuple, a list, or one number."""
        if isinstance(node, ast.Tuple | ast.List):
            return tuple([self.dimension(one) for one in node.elts])
        if isinstance(node, ast.Name) and self.find(node.id) is None:
            value = self.reading.value(node)
            if (items := items_of(value)) is not None:
                return tuple([self.constant_value(node, one).as_index() for one in items])
        return (self.dimension(node),)

    def dimension(self, node: ast.expr) -> tree.PrimExpr:
        """Read one dimension."""
        return self.index(node)


_BUFFER_ORDER = (
    "shape",
    "dtype",
    "data",
    "strides",
    "elem_offset",
    "scope",
    "align",
    "offset_factor",
    "buffer_type",
    "axis_separators",
)


def _expression(reading: Reading, node: ast.Constant) -> ast.expr:
    """Return the expression in a string annotation; its places are those of the whole string."""
    try:
        inner = ast.parse(str(node.value), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise reading.wrong(node, f"`{node.value}` is no expression") from None
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
