"""Operators that make tensors and move elements."""

from __future__ import annotations

from relax_lang.onnx.exporting.call import exports
from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import INTEGERS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.onnx.exporting.call import Call

_LAST = (1 << 63) - 1
_FIRST = -(1 << 63)


@exports("reshape", "flatten")
def reshape(call: Call) -> str:
    """Reshape; an extent that only has to fit is -1."""
    dims = call.result_dims
    open_ = [at for at, dim in enumerate(dims) if not isinstance(dim, tree.IntImm)]
    zero = any(isinstance(dim, tree.IntImm) and dim.value == 0 for dim in dims)
    if len(open_) == 1 and not zero:
        shape = call.graph.ints([dim.value if isinstance(dim, tree.IntImm) else -1 for dim in dims])
    else:
        shape = call.graph.shape(dims)
    return call.op("Reshape", call.tensor(0), shape, allowzero=1 if zero or len(open_) > 1 else None)


@exports("permute_dims")
def permute_dims(call: Call) -> str:
    """Transpose."""
    if not call.rank():
        return call.op("Identity", call.tensor(0))
    order = call.axes("axes") if call.attrs["axes"] is not None else list(range(call.rank()))[::-1]
    return call.op("Transpose", call.tensor(0), perm=order)


@exports("expand_dims")
def expand_dims(call: Call) -> str:
    """Unsqueeze."""
    given = call.attrs["axis"]
    count = 1 if isinstance(given, int) else len(given)
    return call.op("Unsqueeze", call.tensor(0), call.graph.ints(call.axes(rank=call.rank() + count)))


@exports("squeeze")
def squeeze(call: Call) -> str:
    """Squeeze."""
    axes = call.axes() if call.attrs["axis"] is not None else None
    if axes == []:
        return call.op("Identity", call.tensor(0))
    return call.op("Squeeze", call.tensor(0), *([] if axes is None else [call.graph.ints(axes)]))


@exports("broadcast_to")
def broadcast_to(call: Call) -> str:
    """Expand."""
    return call.op("Expand", call.tensor(0), call.graph.shape(call.dims_of(1)))


def _fields(call: Call) -> list[str]:
    fields = call.values[0]
    if not isinstance(fields, list):
        raise call.refused("its operands are not known one by one")
    return [str(field) for field in fields]


@exports("concat")
def concat(call: Call) -> str:
    """Concat."""
    rank = call.site.fields(0)[0].rank
    call.need(rank is not None and call.attrs["axis"] is not None, "without an axis, or of an unknown rank")
    return call.op("Concat", *_fields(call), axis=call.axis(rank=rank))


@exports("stack")
def stack(call: Call) -> str:
    """Concat along a new axis."""
    rank = call.site.fields(0)[0].rank
    call.need(rank is not None and call.attrs["axis"] is not None, "without an axis, or of an unknown rank")
    axis = call.axis(rank=(rank or 0) + 1)
    new = call.graph.ints([axis])
    return call.op("Concat", *[call.op("Unsqueeze", one, new) for one in _fields(call)], axis=axis)


@exports("split")
def split(call: Call) -> list[str]:
    """Split into pieces of given sizes."""
    assert isinstance(call.result, tree.TupleStructInfo)
    axis = call.axis()
    sizes: list[tree.PrimExpr] = []
    for field in call.result.fields:
        shape = field.shape if isinstance(field, tree.TensorStructInfo) else None
        if not isinstance(shape, tree.ShapeExpr):
            raise call.refused("the shape of a piece is not known")
        sizes.append(shape.values[axis])
    return call.graph.ops(
        "Split", call.tensor(0), call.graph.shape(sizes), outputs=len(sizes), axis=axis, hint="piece"
    )


@exports("take")
def take(call: Call) -> str:
    """Gather; indices that are outside are an error in both, if they are not negative."""
    call.need(call.attrs["mode"] == "fast", "only the mode that ends the program has a counterpart")
    indices = call.tensor(1)
    if call.dtype(1) not in ("int32", "int64"):
        indices = call.cast(indices, call.dtype(1), "int64")
    axis = 0 if call.attrs["axis"] is None else call.axis()
    return call.op("Gather", call.tensor(0), indices, axis=axis)


@exports("strided_slice")
def strided_slice(call: Call) -> str:
    """Slice."""
    parts = [call.site.scalars(index) for index in range(1, 5 if call.given(4) else 4)]
    if None in parts:
        raise call.refused("its bounds are not known as dimensions")
    shapes = [call.graph.shape(part) if part else call.graph.ints([]) for part in parts if part is not None]
    axes, begin, end, *strides = shapes
    return call.op("Slice", call.tensor(0), begin, end, axes, *strides)


@exports("flip")
def flip(call: Call) -> str:
    """Slice backwards."""
    ints = call.graph.ints
    return call.op("Slice", call.tensor(0), ints([_LAST]), ints([_FIRST]), ints([call.axis()]), ints([-1]))


@exports("tile")
def tile(call: Call) -> str:
    """Tile; more repeats than axes put axes in front."""
    given = call.attrs["repeats"]
    times = [given] if isinstance(given, int) else list(given)
    x, rank = call.tensor(0), call.rank()
    if len(times) > rank:
        x = call.op("Unsqueeze", x, call.graph.ints(list(range(len(times) - rank))))
    times = [1] * (rank - len(times)) + times
    return call.op("Tile", x, call.graph.ints(times))


@exports("gather_elements")
def gather_elements(call: Call) -> str:
    """GatherElements."""
    indices = call.cast(call.tensor(1), call.dtype(1), "int64")
    return call.op("GatherElements", call.tensor(0), indices, axis=call.axis())


@exports("gather_nd")
def gather_nd(call: Call) -> str:
    """GatherND."""
    call.need(call.rank() and call.rank(1), "GatherND takes no tensor of rank 0")
    indices = call.cast(call.tensor(1), call.dtype(1), "int64")
    return call.op("GatherND", call.tensor(0), indices, batch_dims=int(call.attrs["batch_dims"]))


@exports("scatter_elements", "scatter_nd")
def scatter(call: Call) -> str:
    """ScatterElements and ScatterND."""
    indices = call.cast(call.tensor(1), call.dtype(1), "int64")
    reduction = {"update": None}.get(call.attrs["reduction"], call.attrs["reduction"])
    nd = call.name == "scatter_nd"
    axis = None if nd else call.axis()
    kind = "ScatterND" if nd else "ScatterElements"
    return call.op(kind, call.tensor(0), indices, call.tensor(2), axis=axis, reduction=reduction)


@exports("tril", "triu")
def triangle(call: Call) -> str:
    """Trilu."""
    k = call.graph.scalar(call.number(1) if call.given(1) else 0, "int64")
    return call.op("Trilu", call.tensor(0), k, upper=int(call.name == "triu"))


@exports("zeros", "ones", "zeros_like", "ones_like")
def constant_of_shape(call: Call) -> str:
    """Expand of one number."""
    value = call.graph.scalar(int(call.name.startswith("ones")), call.result_dtype)
    shape = (
        call.op("Shape", call.tensor(0)) if call.name.endswith("_like") else call.graph.shape(call.dims_of(0))
    )
    return call.op("Expand", value, shape)


@exports("full", "full_like")
def full(call: Call) -> str:
    """Expand of a value."""
    value = call.cast(call.tensor(1), call.dtype(1), call.result_dtype)
    shape = (
        call.op("Shape", call.tensor(0)) if call.name == "full_like" else call.graph.shape(call.dims_of(0))
    )
    return call.op("Expand", value, shape)


@exports("arange")
def arange(call: Call) -> str:
    """Range."""
    dtype = call.result_dtype
    call.need(dtype in ("int64", "int32", "float32", "float64"), f"Range makes no {dtype}")
    one, other = (0, None) if not call.given(1) else (None, 1)
    start = _bound(call, 0, dtype) if one is None else call.graph.scalar(0, dtype)
    stop = _bound(call, 0 if other is None else other, dtype)
    step = _bound(call, 2, dtype) if call.given(2) else call.graph.scalar(1, dtype)
    return call.op("Range", start, stop, step)


def _bound(call: Call, index: int, dtype: str) -> str:
    scalar = call.site.scalar(index)
    if isinstance(scalar, tree.IntImm | tree.FloatImm):
        return call.graph.scalar(scalar.value, dtype)
    if scalar is None or dtype not in INTEGERS:
        raise call.refused("a bound is not known")
    found = call.op("Squeeze", call.graph.size(scalar), call.graph.ints([0]))
    return call.cast(found, "int64", dtype)


@exports("nn.batch_flatten")
def batch_flatten(call: Call) -> str:
    """Flatten."""
    return call.op("Flatten", call.tensor(0), axis=1)


@exports("nn.pad")
def pad(call: Call) -> str:
    """Pad."""
    call.need(call.rank(), "Pad takes no tensor of rank 0")
    modes = {
        "constant": "constant",
        "reflect": "reflect",
        "replicate": "edge",
        "circular": "wrap",
        None: "constant",
    }
    widths, mode = list(call.attrs["pad_width"]), modes[call.attrs["pad_mode"]]
    call.need(mode != "wrap" or call.graph.opset >= 19, "the mode wrap came with opset 19")
    pads = call.graph.ints([*widths[::2], *widths[1::2]])
    inputs = [call.tensor(0), pads]
    if mode == "constant":
        inputs.append(call.graph.scalar(call.attrs["pad_value"] or 0, call.dtype()))
    return call.op("Pad", *inputs, mode=mode)


@exports("grad.no_grad", "grad.start_checkpoint", "grad.end_checkpoint", "builtin.stop_lift_params")
def identity(call: Call) -> str:
    """A mark, which leaves the value as it is."""
    return call.op("Identity", call.tensor(0))


@exports("nonzero")
def nonzero(call: Call) -> str:
    """NonZero."""
    call.need(call.rank(), "NonZero of rank 0 differs")
    return call.op("NonZero", call.tensor(0))
