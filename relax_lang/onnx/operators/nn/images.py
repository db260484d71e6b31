"""Images: resizing by tables that are made at import, and sampling."""

from __future__ import annotations

from fractions import Fraction

from relax_lang.onnx import dims
from relax_lang.onnx.building.node import Node, axes_of, bounded, imports, is_float
from relax_lang.onnx.dims import dim
from relax_lang.onnx.errors import Invalid, NeedsValue, Refused
from relax_lang.onnx.operators.nn.interpolation import Axis, Sampling, matrix, nearest, outside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.onnx.values import Value


class _Plan:
    """How a resize changes each axis: the extent of the result and the scale, and the part of the input it takes."""

    def __init__(self, node: Node, x: Value) -> None:
        self.node = node
        rank = len(x.dims)
        at = {"Upsample": (1, None), "Resize": (1, None) if node.opset < 11 else (2, 3)}[node.op]
        chosen = node.ints("axes") if node.opset >= 18 else None
        self.axes = axes_of(chosen, rank) if chosen is not None else list(range(rank))
        self.sizes: list[dims.Dim] = list(x.dims)
        self.scales: list[float] = [1.0] * rank
        self.region = [(0.0, 1.0)] * rank
        if at[1] is not None and _has_elements(node, at[1]):
            self._by_sizes(x, at[1])
        else:
            self._by_scales(x, at[0])
        if node.op == "Resize" and node.opset >= 11 and node.string(*_MODE) == "tf_crop_and_resize":
            roi = [float(one) for one in node.known(1, "the region").reshape(-1)]
            for place, axis in enumerate(self.axes):
                self.region[axis] = roi[place], roi[place + len(self.axes)]

    def _by_scales(self, x: Value, at: int) -> None:
        node = self.node
        if node.op == "Upsample" and node.opset < 9:
            scales: list[float] = list(node.attribute("scales"))
        else:
            scales = [float(one) for one in node.known(at, "the scales").reshape(-1)]
        if len(scales) != len(self.axes):
            raise Invalid(f"{len(scales)} scales for {len(self.axes)} axes")
        for axis, scale in zip(self.axes, scales, strict=True):
            ratio = Fraction(scale).limit_denominator(1 << 12)
            exact = abs(float(ratio) - scale) < 1e-7
            own = dims.number(x.dims[axis])
            self.scales[axis] = scale
            if own is not None:
                self.sizes[axis] = dim(int(own * scale))
            elif exact:
                self.sizes[axis] = dims.floor_div(dims.mul(x.dims[axis], ratio.numerator), ratio.denominator)
            else:
                raise Refused("a scale that is not a simple fraction, of an extent that is not known")

    def _by_sizes(self, x: Value, at: int) -> None:
        b = self.node.builder
        sizes = b.known_sizes(self.node.input(at))
        if sizes is None:
            raise NeedsValue(self.node.definition.inputs[at], "the sizes")
        if len(sizes) != len(self.axes):
            raise Invalid(f"{len(sizes)} sizes for {len(self.axes)} axes")
        policy = self.node.string("keep_aspect_ratio_policy", "stretch")
        wanted = dims.numbers([*sizes, *[x.dims[axis] for axis in self.axes]])
        scale = 0.0
        if policy != "stretch":
            if wanted is None:
                raise Refused("its aspect ratio is kept, and an extent is not known")
            half = len(sizes)
            ratios = [wanted[i] / wanted[half + i] for i in range(half)]
            scale = min(ratios) if policy == "not_larger" else max(ratios)
        for axis, size in zip(self.axes, sizes, strict=True):
            own, new = dims.number(x.dims[axis]), dims.number(size)
            if scale and own is not None:
                self.scales[axis], self.sizes[axis] = scale, dim(int(own * scale + 0.5))
            else:
                self.sizes[axis] = size
                self.scales[axis] = new / own if own and new is not None else 0.0


_MODE = ("coordinate_transformation_mode", "half_pixel")


def _has_elements(node: Node, at: int) -> bool:
    value = node.optional(at)
    return value is not None and dims.count(value.dims) != 0


@imports("Resize", "Upsample")
def resize(node: Node) -> Value:
    """Nearest elements are taken, others are products with small matrices; extents that are not known are left open."""
    x = node.input(0)
    plan = _Plan(node, x)
    changed = [
        axis
        for axis in range(len(x.dims))
        if not dims.equal(plan.sizes[axis], x.dims[axis]) or plan.region[axis] != (0.0, 1.0)
    ]
    old = node.op == "Upsample" or node.opset < 11
    sampling = Sampling(
        "asymmetric" if old else node.string(*_MODE),
        node.string("mode", "nearest"),
        "floor" if old else node.string("nearest_mode", "round_prefer_floor"),
        node.float("cubic_coeff_a", -0.75),
        antialias=bool(node.int("antialias", 0)),
        exclude_outside=bool(node.int("exclude_outside", 0)),
    )
    if not changed:
        return x
    axes: list[Axis] = []
    for axis in changed:
        own, new = dims.number(x.dims[axis]), dims.number(plan.sizes[axis])
        if own is None or new is None:
            return _symbolic(node, x, plan, sampling)
        bounded(new, own if sampling.mode != "nearest" else 1)
        axes.append(Axis(axis, own, new, plan.scales[axis], plan.region[axis]))
    return _by_tables(node, x, axes, sampling)


def _by_tables(node: Node, x: Value, axes: list[Axis], sampling: Sampling) -> Value:
    b = node.builder
    if sampling.mode == "nearest":
        made = x
        for axis in axes:
            made = b.op("take", made, b.constant(nearest(axis, sampling), "int64"), axis=axis.axis)
    else:
        wide = x if is_float(x.dtype) else b.cast(x, "float32")
        made = wide
        for axis in axes:
            made = _product(node, made, b.constant(matrix(axis, sampling), wide.dtype), axis.axis)
        if not is_float(x.dtype):
            made = b.op("round", made)
        made = b.cast(made, x.dtype)
    if sampling.coordinates == "tf_crop_and_resize":
        fill = b.like(node.float("extrapolation_value", 0.0), x)
        for axis in axes:
            mask = outside(axis, sampling)
            if mask.any():
                shape = [axis.size, *[1] * (len(x.dims) - axis.axis - 1)]
                made = b.op("where", b.constant(mask.reshape(shape), "bool"), fill, made)
    return made


def _product(node: Node, x: Value, table: Value, axis: int) -> Value:
    """Return a tensor multiplied by a matrix along one axis."""
    b = node.builder
    rank = len(x.dims)
    if axis == rank - 2:
        return b.op("matmul", table, x)
    transposed = b.transpose(table, [1, 0])
    if axis == rank - 1:
        return b.op("matmul", x, transposed)
    order = [*[at for at in range(rank) if at != axis], axis]
    back = [order.index(at) for at in range(rank)]
    return b.transpose(b.op("matmul", b.transpose(x, order), transposed), back)


_METHODS = {"nearest": "nearest_neighbor", "linear": "linear", "cubic": "cubic"}
_ROUNDING = {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}


def _symbolic(node: Node, x: Value, plan: _Plan, sampling: Sampling) -> Value:
    """Resize images whose extents are not known: by the operator for that."""
    known = ("half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel")
    plain = sampling.coordinates in known and not sampling.antialias
    if len(x.dims) != 4 or not plain or any(not dims.equal(plan.sizes[at], x.dims[at]) for at in (0, 1)):
        raise Refused("with extents that are not known, in this mode")
    return node.builder.op(
        "image.resize2d",
        x,
        plan.sizes[2:],
        method=_METHODS.get(sampling.mode, "linear"),
        coordinate_transformation_mode=sampling.coordinates,
        rounding_method=sampling.rounding if sampling.mode == "nearest" else "",
        cubic_alpha=sampling.cubic,
        cubic_exclude=int(sampling.exclude_outside),
    )


@imports("GridSample")
def grid_sample(node: Node) -> Value:
    """The coordinates are the last axis of the grid."""
    b, x, grid = node.builder, node.input(0), node.input(1)
    rank = len(x.dims)
    if rank not in (4, 5):
        raise Refused(f"images of rank {rank}")
    modes = {
        "linear": "bilinear",
        "bilinear": "bilinear",
        "nearest": "nearest",
        "cubic": "bicubic",
        "bicubic": "bicubic",
    }
    order = [0, rank - 1, *range(1, rank - 1)]
    return b.op(
        "image.grid_sample",
        x,
        b.transpose(grid, order),
        method=modes[node.string("mode", "linear")],
        layout="NCHW" if rank == 4 else "NCDHW",
        padding_mode=node.string("padding_mode", "zeros"),
        align_corners=bool(node.int("align_corners", 0)),
    )


@imports("AffineGrid")
def affine_grid(node: Node) -> Value:
    """The coordinates of all pixels, which are known at import, by a matrix for each image."""
    import numpy as np

    b, theta = node.builder, node.input(0)
    size = [int(one) for one in node.known(1, "the size").reshape(-1)]
    spatial = size[2:]
    bounded(*spatial)
    if node.int("align_corners", 0):
        lines = [np.linspace(-1, 1, one) if one > 1 else np.zeros(one) for one in spatial]
    else:
        lines = [(np.arange(one) * 2 + 1) / one - 1 for one in spatial]
    grid = np.stack([*reversed(np.meshgrid(*lines, indexing="ij")), np.ones(spatial)], axis=-1)
    base = b.constant(grid.reshape(-1, len(spatial) + 1), theta.dtype)
    made = b.op("matmul", base, b.transpose(theta, [0, 2, 1]))
    return b.reshape(made, [size[0], *spatial, len(spatial)])
