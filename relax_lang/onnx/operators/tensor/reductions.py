"""Reductions, running totals, sorting."""

from __future__ import annotations

from relax_lang.onnx import dims
from relax_lang.onnx.building.node import Node, axes_of, axis_of, imports, is_float
from relax_lang.onnx.dims import dim
from relax_lang.onnx.errors import Invalid
from relax_lang.onnx.operators.tensor.shapes import axes_input
from relax_lang.onnx.values import Sizes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.onnx.values import Value

_SINCE = {"ReduceSum": 13}
_SIMPLE = {
    "ReduceSum": "sum",
    "ReduceMean": "mean",
    "ReduceProd": "prod",
    "ReduceMax": "max",
    "ReduceMin": "min",
}


class _Reduction:
    """What the attributes of a reduction say: the axes, None for none at all, and whether they stay."""

    def __init__(self, node: Node) -> None:
        rank = len(node.input(0).dims)
        axes = axes_input(node, 1, _SINCE.get(node.op, 18))
        self.keepdims = bool(node.int("keepdims", 1))
        if not axes and node.int("noop_with_empty_axes", 0):
            self.axes: list[int] = []
        else:
            self.axes = axes_of(axes, rank) if axes else list(range(rank))

    def apply(self, node: Node, name: str, x: Value) -> Value:
        """Return a tensor reduced by an operator."""
        if not self.axes:
            return x
        return node.builder.op(name, x, axis=self.axes, keepdims=self.keepdims)

    def empty(self, x: Value) -> bool:
        """Return whether nothing is reduced."""
        return any(dims.number(x.dims[axis]) == 0 for axis in self.axes)

    def shape(self, x: Value) -> list[dims.Dim]:
        """Return the shape of the result."""
        return [
            dim(1) if at in self.axes else one
            for at, one in enumerate(x.dims)
            if self.keepdims or at not in self.axes
        ]


@imports(*_SIMPLE)
def reduce(node: Node) -> Value:
    """The largest and the smallest of nothing are the limits of the dtype."""
    x = node.input(0)
    if node.op == "ReduceProd" and isinstance(x, Sizes) and not x.scalar:
        wanted = _Reduction(node)
        return Sizes((dims.product(x.items),), scalar=not wanted.keepdims, dtype=x.dtype)
    wanted = _Reduction(node)
    if node.op in ("ReduceMax", "ReduceMin") and wanted.empty(x):
        return node.builder.full(wanted.shape(x), _limit(x.dtype, lowest=node.op == "ReduceMax"), x.dtype)
    return wanted.apply(node, _SIMPLE[node.op], x)


def _limit(dtype: str, *, lowest: bool) -> float | int | bool:
    import numpy as np

    if is_float(dtype):
        return float("-inf") if lowest else float("inf")
    if dtype == "bool":
        return not lowest
    found = np.iinfo(dtype)
    return int(found.min if lowest else found.max)


@imports("ReduceSumSquare")
def sum_square(node: Node) -> Value:
    """The sum of squares; over no axes each element is squared."""
    x = node.input(0)
    return _Reduction(node).apply(node, "sum", node.builder.op("multiply", x, x))


@imports("ReduceL1")
def l1(node: Node) -> Value:
    """The sum of absolute values."""
    x = node.input(0)
    return _Reduction(node).apply(node, "sum", node.builder.op("abs", x))


@imports("ReduceL2")
def l2(node: Node) -> Value:
    """The square root of the sum of squares."""
    b, x = node.builder, node.input(0)
    wide = x if is_float(x.dtype) else b.cast(x, "float64")
    total = _Reduction(node).apply(node, "sum", b.op("multiply", wide, wide))
    return b.cast(b.op("sqrt", total), x.dtype)


@imports("ReduceLogSum")
def log_sum(node: Node) -> Value:
    """The logarithm of the sum."""
    b, x = node.builder, node.input(0)
    wide = x if is_float(x.dtype) else b.cast(x, "float64")
    return b.cast(b.op("log", _Reduction(node).apply(node, "sum", wide)), x.dtype)


@imports("ReduceLogSumExp")
def log_sum_exp(node: Node) -> Value:
    """Without overflow: the largest element is taken out first, where there is one."""
    b, x = node.builder, node.input(0)
    wanted = _Reduction(node)
    if wanted.empty(x):
        return b.full(wanted.shape(x), float("-inf"), x.dtype)
    if not wanted.axes:
        return x
    wide = x if is_float(x.dtype) else b.cast(x, "float64")
    largest = b.op("max", wide, axis=wanted.axes, keepdims=True)
    largest = b.op("where", b.op("isfinite", largest), largest, b.like(0, wide))
    total = b.op("sum", b.op("exp", b.op("subtract", wide, largest)), axis=wanted.axes, keepdims=True)
    made = b.op("add", b.op("log", total), largest)
    if not wanted.keepdims:
        made = b.op("squeeze", made, axis=wanted.axes)
    return b.cast(made, x.dtype)


@imports("ArgMax", "ArgMin")
def arg(node: Node) -> Value:
    """The first of equal elements, or with `select_last_index` the last one."""
    b, x = node.builder, node.input(0)
    axis = axis_of(node.int("axis", 0), len(x.dims))
    name, keepdims = node.op.lower(), bool(node.int("keepdims", 1))
    if not node.int("select_last_index", 0):
        return b.op(name, x, axis=axis, keepdims=keepdims)
    place = b.op(name, b.op("flip", x, axis=axis), axis=axis, keepdims=keepdims)
    last: Value = Sizes((dims.sub(x.dims[axis], 1),), scalar=True)
    return b.op("subtract", last, place)


@imports("CumSum", "CumProd")
def cumulative(node: Node) -> Value:
    """Running totals, from the end with `reverse`, each without its own element with `exclusive`."""
    b, x = node.builder, node.input(0)
    axis = axis_of(int(node.known(1, "the axis").reshape(-1)[0]), len(x.dims))
    reverse = bool(node.int("reverse", 0))
    name = "cumsum" if node.op == "CumSum" else "cumprod"
    x = b.op("flip", x, axis=axis) if reverse else x
    made = b.op(name, x, axis=axis, dtype=x.dtype, exclusive=bool(node.int("exclusive", 0)))
    return b.op("flip", made, axis=axis) if reverse else made


@imports("TopK")
def top_k(node: Node) -> list[Value]:
    """The largest or smallest elements and their places, sorted."""
    b, x = node.builder, node.input(0)
    axis = axis_of(node.int("axis", -1), len(x.dims))
    k = node.int("k") if node.opset < 10 else int(node.known(1, "the number of elements").reshape(-1)[0])
    if k < 0:
        raise Invalid("the number of elements is negative")
    if k == 0:
        empty = [*x.dims[:axis], dim(0), *x.dims[axis + 1 :]]
        return [b.op("zeros", empty, dtype=x.dtype), b.op("zeros", empty, dtype="int64")]
    largest = bool(node.int("largest", 1))
    return b.op("topk", x, k=k, axis=axis, largest=largest, dtype="int64")


@imports("Hardmax")
def hardmax(node: Node) -> Value:
    """1 at the first largest element; before opset 13 all axes from `axis` on are one."""
    x = node.input(0)
    if node.opset < 13:
        return _flattened(node, _hardmax)
    return _hardmax(node, x, axis_of(node.int("axis", -1), len(x.dims)))


def _hardmax(node: Node, x: Value, axis: int) -> Value:
    b = node.builder
    place = b.op("argmax", x, axis=axis, keepdims=True)
    indices = b.reshape(b.arange(x.dims[axis]), [x.dims[axis], *[1] * (len(x.dims) - axis - 1)])
    return b.cast(b.op("equal", indices, place), x.dtype)


_SOFTMAX = {"Softmax": "nn.softmax", "LogSoftmax": "nn.log_softmax"}


@imports(*_SOFTMAX)
def softmax(node: Node) -> Value:
    """Before opset 13 the default axis is 1, and all axes from it on are one."""
    x = node.input(0)
    if node.opset < 13:
        return _flattened(node, _softmax)
    return _softmax(node, x, axis_of(node.int("axis", -1), len(x.dims)))


def _softmax(node: Node, x: Value, axis: int) -> Value:
    return node.builder.op(_SOFTMAX[node.op], x, axis=axis)


def _flattened(node: Node, function: object) -> Value:
    """Apply a function along the axes from `axis` on as if they were one."""
    b, x = node.builder, node.input(0)
    axis = axis_of(node.int("axis", 1), len(x.dims))
    if axis == len(x.dims) - 1:
        return function(node, x, axis)  # type: ignore[operator]
    flat = b.reshape(x, [dims.product(x.dims[:axis]), dims.product(x.dims[axis:])])
    return b.reshape(function(node, flat, 1), x.dims)  # type: ignore[operator]
