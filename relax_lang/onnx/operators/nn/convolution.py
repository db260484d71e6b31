"""Convolutions: padding in ONNX's order, bias as an addition."""

from __future__ import annotations

from relax_lang.onnx import dims
from relax_lang.onnx.building.node import Node, imports
from relax_lang.onnx.errors import Invalid, Refused
from relax_lang.onnx.operators.tensor.movement import padded
from relax_lang.onnx.values import Constant, Convolved, Tensor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.onnx.values import Array, Value

_AUTO = ("NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID")


class Window:
    """The attributes of an operator that slides a window over the last axes of a tensor."""

    def __init__(self, node: Node, x: Value, kernel: Sequence[int]) -> None:
        self.node = node
        self.rank = len(x.dims) - 2
        if not 1 <= self.rank <= 3:
            raise Refused(f"over {self.rank} axes")
        if len(kernel) != self.rank:
            raise Invalid(f"a window of {len(kernel)} axes for {self.rank}")
        self.kernel = list(kernel)
        self.strides = node.ints("strides") or [1] * self.rank
        self.dilations = node.ints("dilations") or [1] * self.rank
        self.auto = node.string("auto_pad", "NOTSET")
        if self.auto not in _AUTO:
            raise Invalid(f"there is no `auto_pad` {self.auto}")
        pads = node.ints("pads") if self.auto == "NOTSET" else None
        self.pads = pads or [0] * (2 * self.rank)
        if (
            len(self.strides) != self.rank
            or len(self.dilations) != self.rank
            or len(self.pads) != 2 * self.rank
        ):
            raise Invalid("its attributes are for another rank")
        if min(self.kernel, default=1) < 1 or min(*self.strides, *self.dilations) < 1:
            raise Invalid("a window, stride or dilation is not positive")

    def same(self) -> bool:
        """Return whether padding follows from the extents."""
        return self.auto.startswith("SAME")

    def padding(self, x: Value) -> tuple[Value, list[int]]:
        """Return the operand and its padding as numbers, before and after; the operand may be padded already."""
        if not self.same():
            return x, self.pads
        widths = [self._width(extent, at) for at, extent in enumerate(x.dims[2:])]
        halves = [(dims.floor_div(one, 2), dims.sub(one, dims.floor_div(one, 2))) for one in widths]
        if self.auto == "SAME_LOWER":
            halves = [(after, before) for before, after in halves]
        before, after = [one for one, _ in halves], [one for _, one in halves]
        found = dims.numbers([*before, *after])
        if found is not None:
            return x, list(found)
        zeros = [dims.dim(0)] * 2
        b = self.node.builder
        return padded(self.node, x, [*zeros, *before], [*zeros, *after], "constant", b.like(0, x)), [0] * (
            2 * self.rank
        )

    def _width(self, extent: dims.Dim, at: int) -> dims.Dim:
        """Return the padding along an axis by which the result has `ceil(extent / stride)`."""
        reach, stride = (self.kernel[at] - 1) * self.dilations[at] + 1, self.strides[at]
        if stride == 1:
            return dims.dim(reach - 1)
        steps = dims.mul(dims.sub(dims.ceil_div(extent, stride), 1), stride)
        return dims.maximum(dims.sub(dims.add(steps, reach), extent), dims.dim(0))


def conv(node: Node, x: Value, w: Value) -> Value:
    """Return a convolution without bias."""
    kernel = dims.numbers(w.dims[2:])
    if kernel is None:
        raise Refused("the extents of its kernel are not known")
    window = Window(node, x, node.ints("kernel_shape") or kernel)
    x, padding = window.padding(x)
    return node.builder.op(
        f"nn.conv{window.rank}d",
        x,
        w,
        strides=window.strides,
        padding=padding,
        dilation=window.dilations,
        groups=node.int("group", 1),
    )


def with_bias(node: Node, made: Value, bias: Value | None) -> Value:
    """Return a result with a number for each channel added."""
    if bias is None:
        return made
    b = node.builder
    return b.op("add", made, b.reshape(bias, [*bias.dims, *[1] * (len(made.dims) - 2)]))


@imports("Conv")
def convolution(node: Node) -> Value:
    """Convolution over one to three axes."""
    x, w, bias = node.input(0), node.input(1), node.optional(2)
    x, w = _unscaled(node, x, w)
    made = _convolved(node, x, w, bias, own=node.readers_of(1) == 1)
    if isinstance(made, Tensor) and not node.is_read_once():
        made.convolution = None
    return made


def _unscaled(node: Node, x: Value, w: Value) -> tuple[Value, Value]:
    """Return operands of which the weight has the number that x was multiplied with, if nothing else reads either."""
    b = node.builder
    before = x.scaled if b.folds and isinstance(x, Tensor) and b.is_last(x) else None
    if before is None or not isinstance(w, Constant) or node.readers_of(1) != 1 or w.dtype != x.dtype:
        return x, w
    b.bindings.pop()
    return before.operand, Constant((w.array * before.factor).astype(w.array.dtype), w.key)


def _convolved(node: Node, x: Value, w: Value, bias: Value | None, *, own: bool = True) -> Value:
    """Return a convolution that remembers how to be made with other weights, if they are known."""
    before = len(node.builder.bindings)
    made = with_bias(node, conv(node, x, w), bias)
    known = bias is None or isinstance(bias, Constant)
    if isinstance(w, Constant) and known and isinstance(made, Tensor):
        moved = bias.array if isinstance(bias, Constant) else None
        bindings = slice(before, len(node.builder.bindings))
        bare = Node(node.definition, [], node.opset, node.conversion)  # does not keep the weights

        def again(weight: Constant, bias: Constant) -> Value:
            return _convolved(bare, x, weight, bias)

        made.convolution = Convolved(bindings, w.array, moved, again, own=own)
    return made


def into_convolution(node: Node, x: Value, factor: Array, moved: Array, key: str = "") -> Value | None:
    """Return `x * factor + moved` as the convolution that made x with other weights, if nothing else reads x.

    Both arrays are float64 and have an element for each channel. None where x is not such a convolution.
    """
    b = node.builder
    if not (b.folds and isinstance(x, Tensor) and b.is_last(x)) or x.convolution is None:
        return None
    made = x.convolution
    weight = made.weight * factor.reshape(-1, *[1] * (made.weight.ndim - 1)).astype(made.weight.dtype)
    bias = moved + (0 if made.bias is None else made.bias) * factor
    del b.bindings[made.made]
    x.convolution = None  # which keeps the weight in memory
    if made.own:
        b.weights.forget(made.weight)
    key = key or node.definition.outputs[0]
    found = made.again(b.constant(weight, x.dtype, f"{key}.weight"), b.constant(bias, x.dtype, f"{key}.bias"))
    if isinstance(found, Tensor) and not node.is_read_once():
        found.convolution = None
    return found


@imports("ConvTranspose")
def conv_transpose(node: Node) -> Value:
    """The padding follows from `output_shape` where that is given; padding below 0 is padding of the output."""
    b, x, w = node.builder, node.input(0), node.input(1)
    kernel = dims.numbers(w.dims[2:])
    if kernel is None:
        raise Refused("the extents of its kernel are not known")
    window = Window(node, x, node.ints("kernel_shape") or kernel)
    rank = window.rank
    output_padding = list(node.ints("output_padding") or [0] * rank)
    pads = list(window.pads)
    wanted = node.ints("output_shape")
    if wanted is not None or window.same():
        for at in range(rank):
            pads[at], pads[at + rank] = _transposed_pads(window, x, at, wanted, output_padding[at])
    extra = [0] * rank
    for at in range(rank):
        if pads[at + rank] < 0:
            output_padding[at] -= pads[at + rank]
            pads[at + rank] = 0
        if output_padding[at] >= window.strides[at]:
            extra[at], output_padding[at] = output_padding[at], 0
    made = b.op(
        f"nn.conv{rank}d_transpose",
        x,
        w,
        strides=window.strides,
        padding=pads,
        output_padding=output_padding,
        dilation=window.dilations,
        groups=node.int("group", 1),
    )
    if any(extra):
        zeros = [dims.dim(0)] * (rank + 2)
        after = [*zeros[:2], *[dims.dim(one) for one in extra]]
        made = padded(node, made, zeros, after, "constant", b.like(0, made))
    return with_bias(node, made, node.optional(2))


def _transposed_pads(
    window: Window, x: Value, at: int, wanted: list[int] | None, output_padding: int
) -> tuple[int, int]:
    reach, stride = (window.kernel[at] - 1) * window.dilations[at] + 1, window.strides[at]
    if wanted is None:
        total = reach - stride + output_padding  # the result has extent * stride
    else:
        extent = dims.number(x.dims[2 + at])
        if extent is None:
            raise Refused("the extents of its operand are not known, and those of its result are given")
        total = stride * (extent - 1) + output_padding + reach - wanted[at - window.rank]
    if wanted is None and total < 0:
        return 0, total
    half = total // 2
    return (half, total - half) if window.auto == "SAME_UPPER" else (total - half, half)
