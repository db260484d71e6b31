"""Operators on images: resizing, sampling at given places, and the grids for that."""

from __future__ import annotations

from functools import partial

from relax_lang.ops.attribute_syntax.windows import SPATIAL, image_of, region
from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.core.dtypes import numpy_dtype
from relax_lang.ops.core.errors import bad_argument, bad_attribute, bad_shape, bad_value
from relax_lang.ops.core.operator import Family
from relax_lang.ops.numpy_kernels import resize
from relax_lang.ops.numpy_kernels.shape_checks import along
from relax_lang.ops.numpy_kernels.windows import in_layouts, shape_in
from relax_lang.ops.shape_rules.nn import image as rules

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.ops.core.specialization import Run1, Run2, TensorSpec

family = Family(__name__, "Images", since="later", rows="images")

_MODES = "|".join(
    f'"{mode}"'
    for mode in (
        "half_pixel",
        "align_corners",
        "asymmetric",
        "pytorch_half_pixel",
        "tf_half_pixel_for_nn",
        "tf_crop_and_resize",
    )
)
_ROUNDINGS = '"round"|"floor"|"ceil"|"round_prefer_floor"|"round_prefer_ceil"|""'


def _attrs(layout: str, rounding: str) -> str:
    return (
        f'roi: float|list[float]|none = none, layout: str = "{layout}", '
        'method: "linear"|"nearest_neighbor"|"cubic" = "linear", '
        f'coordinate_transformation_mode: {_MODES} = "half_pixel", '
        f'rounding_method: {_ROUNDINGS} = "{rounding}", '
        "cubic_alpha: float = -0.75, cubic_exclude: int = 0, extrapolation_value: float = 0.0, "
        "out_dtype: dtype(number)|none = none"
    )


_DOC = """Resize the spatial axes of an image to the extents of `size`, one axis after the other, in
    float32. `coordinate_transformation_mode` maps places of the result to the source; "linear"
    and "cubic" mix the two or four nearest elements (those beyond the border are the border's, or left out
    with `cubic_exclude`), and "nearest_neighbor" takes the one that `rounding_method` chooses.
    "tf_crop_and_resize" resizes the region `roi` (all starts, then all ends, as parts of the image) and has
    `extrapolation_value` outside of the image. The dtype is that of `data` unless `out_dtype` names
    another; integers are cut off toward zero."""


def _declare(n: int) -> None:
    """Declare the operator that resizes n spatial axes."""
    layout, size = "NC" + SPATIAL[n], ", ".join(["1"] * (n - 1) + ["4"])
    family.declare(
        f"image.resize{n}d",
        "data: tensor(number), size: shape",
        _attrs(layout, "round" if n == 2 else ""),
        infer=rules.resize(layout),
        kernel=partial(_resize, layout),
        planned=True,
        doc=_DOC,
        also=("torch.interpolate", "jax.resize", "onnx.Resize", "tvm.upsampling") if n == 2 else (),
        example=f"image.resize{n}d({image_of('1.0, 3.0', n)}, shape({size}))",
        since="spec" if n == 2 else "later",
    )


def _resize(canonical: str, data: TensorSpec, size: tuple[int, ...], **options: Any) -> Run1:
    layout, n = options["layout"], len(canonical) - 2
    extents = shape_in(data, layout, canonical, "layout", "data")[2:]
    if len(size) != n:
        raise bad_argument(f"`size` must have {n} dimensions, not {len(size)}", argument="size")
    for letter, source, target in zip(canonical[2:], extents, size, strict=True):
        if target < 0 or (target and not source):
            axis = layout.index(letter)
            raise bad_value(f"axis {axis} cannot be resized from {source} to {target}", axis=axis)
    roi = region(options["roi"], n)
    dtype = data.dtype if options["out_dtype"] is None else numpy_dtype(options["out_dtype"])
    mode = options["coordinate_transformation_mode"]
    where = [resize.coordinates(mode, extents[at], size[at], (roi[at], roi[at + n])) for at in range(n)]
    is_nearest = options["method"] == "nearest_neighbor"  # only moves elements: no arithmetic, no rounding
    steps = [
        resize.nearest(at + 2, extents[at], where[at], options)
        if is_nearest
        else resize.mixed(at + 2, extents[at], where[at], options, n + 2)
        for at in reversed(range(n))
    ]
    wide = data.dtype if is_nearest else np.dtype(np.float32)
    if mode == "tf_crop_and_resize":
        steps.append(_extrapolating(extents, where, options["extrapolation_value"]))
    if wide != data.dtype:
        steps.insert(0, lambda x: x.astype(wide))
    if wide != dtype:
        steps.append(lambda x: x.astype(dtype))

    def run(x: Any) -> Any:
        for step in steps:
            x = step(x)
        return x

    return in_layouts(run, (canonical,), (layout,), None)


_declare(2)
_declare(3)


def _extrapolating(extents: tuple[int, ...], where: list[Any], value: float) -> Run1:
    """Plan to write a value where the result lies outside of the image."""
    places = [along(axis, resize.outside(at, extents[axis - 2])) for axis, at in enumerate(where, 2)]

    def run(x: Any) -> Any:
        for place in places:
            x[place] = value
        return x

    return run


@family.planned(
    "image.affine_grid",
    "data: tensor(3-d float), size: shape",
    "align_corners: bool = true",
    infer=rules.affine_grid,
    rows="batch",
    example="image.affine_grid(const([[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]]), shape(2, 2))",
)
def affine_grid(data: TensorSpec, size: tuple[int, ...], align_corners: bool) -> Run1:
    """Map the places of an image by an affine map each: a grid for `image.grid_sample`.

    `data` is (N, 2, 3) for a `size` of two extents and (N, 3, 4) for three; the result is (N, 2, H, W) or (N,
    3, D, H, W). Coordinates run from -1 to 1, x (the last axis) first; with `align_corners` they name the
    centres of the outermost elements, without it their outer edges.
    """
    n = len(size)
    if n not in (2, 3) or data.shape[1:] != (n, n + 1):
        raise bad_shape(data.shape, size, "(N, 2, 3) goes with two extents, (N, 3, 4) with three")
    if min(size) < 1:
        raise bad_value(f"the size {size} has an extent below 1")
    lines = [_line(extent, align_corners) for extent in reversed(size)]
    dtype = data.dtype
    wide = np.dtype(np.float64 if dtype.itemsize == 8 else np.float32)
    shape = (data.shape[0], n, *size)

    def run(data: Any) -> Any:
        grids = np.meshgrid(*reversed(lines), indexing="ij")[::-1]
        places = np.stack([*grids, np.ones(size)]).reshape(n + 1, -1).astype(wide, copy=False)
        grid = np.matmul(data.astype(wide, copy=False), places)
        return grid.reshape(shape).astype(dtype, copy=False)

    return run


def _line(extent: int, align_corners: bool) -> Any:
    if align_corners:
        return np.linspace(-1.0, 1.0, extent)
    return (2 * np.arange(extent) + 1) / extent - 1


@family.planned(
    "image.grid_sample",
    "data: tensor(float), grid: tensor(float)",
    'method: "bilinear"|"nearest"|"bicubic" = "bilinear", layout: "NCHW"|"NCDHW" = "NCHW", '
    'padding_mode: "zeros"|"border"|"reflection" = "zeros", align_corners: bool = false',
    infer=rules.grid_sample,
    rows="batch",
    example="image.grid_sample(const([[[[1.0, 2.0], [3.0, 4.0]]]]), const([[[[0.0]], [[0.0]]]]))",
)
def grid_sample(
    data: TensorSpec, grid: TensorSpec, method: str, layout: str, padding_mode: str, align_corners: bool
) -> Run2:
    """Sample an image at the places of a grid.

    `data` is (N, C, H, W), `grid` (N, 2, Ho, Wo), the result (N, C, Ho, Wo); with the layout NCDHW there are
    three spatial axes and three coordinates ("bicubic" has two only). Channel 0 of the grid is x (the last
    axis), then y (and z), from -1 to 1; with `align_corners` they name the centres of the outermost elements,
    without it their outer edges. Outside of the image there are zeros, the border, or the image mirrored.
    """
    n = len(layout) - 2
    x_shape = shape_in(data, layout, layout, "layout", "data")
    if grid.ndim != n + 2:
        raise bad_argument(
            f"`grid` must have rank {n + 2} for the layout {layout}, not {grid.ndim}", argument="grid"
        )
    if grid.shape[1] != n or grid.shape[0] != x_shape[0]:
        raise bad_shape(
            x_shape, grid.shape, f"`grid` must be ({x_shape[0]}, {n}, …), one extent per spatial axis"
        )
    if method == "bicubic" and n == 3:
        raise bad_attribute("method", '"bicubic" needs the layout NCHW')
    if 0 in x_shape[2:] and grid.size:
        raise bad_value("the image has an axis of extent 0")
    dtype = data.dtype
    wide = np.dtype(np.float64 if dtype.itemsize == 8 else np.float32)

    def run(data: Any, grid: Any) -> Any:
        sampler = _Sampler(data.astype(wide, copy=False), padding_mode, align_corners)
        where = [sampler.place(grid[:, n - 1 - at].astype(wide), x_shape[at + 2]) for at in range(n)]
        if method == "nearest":
            result = sampler.fetch([np.rint(sampler.inside(at, axis)) for axis, at in enumerate(where)])
        elif method == "bilinear":
            result = sampler.mix([sampler.inside(at, axis) for axis, at in enumerate(where)], _pair, 0)
        else:
            result = sampler.mix(where, lambda share: resize.cubic_weights(share, -0.75), -1)
        return result.astype(dtype, copy=False)

    return run


def _pair(share: Any) -> list[Any]:
    return [1 - share, share]


class _Sampler:
    """Read an image (N, C, spatial axes…) at fractional places, in one of the ways to go on outside of it."""

    def __init__(self, image: Any, padding: str, align_corners: bool) -> None:
        self.image = image
        self.padding = padding
        self.align_corners = align_corners

    def place(self, coordinate: Any, extent: int) -> Any:
        """Turn -1 … 1 into places counted in elements."""
        if self.align_corners:
            return (coordinate + 1) * (extent - 1) / 2
        return ((coordinate + 1) * extent - 1) / 2

    def inside(self, where: Any, axis: int) -> Any:
        """Bring places into the image, unless there are zeros outside of it."""
        extent = self.image.shape[axis + 2]
        if self.padding == "reflection":
            low, high = (0.0, extent - 1.0) if self.align_corners else (-0.5, extent - 0.5)
            span = high - low
            if span == 0:
                return np.zeros_like(where)
            offset = np.abs(where - low)
            turns = np.floor(offset / span)
            rest = offset - turns * span
            where = np.where(turns % 2 == 0, rest + low, high - rest)
        return where if self.padding == "zeros" else np.clip(where, 0, extent - 1)

    def fetch(self, places: list[Any]) -> Any:
        """Read elements at whole places; zeros outside of the image."""
        valid: Any = True
        index: list[Any] = []
        for axis, where in enumerate(places):
            extent = self.image.shape[axis + 2]
            valid = valid & (where >= 0) & (where <= extent - 1)
            index.append(np.nan_to_num(np.clip(where, 0, extent - 1)).astype(np.int64))
        batch = np.arange(self.image.shape[0]).reshape((-1,) + (1,) * (index[0].ndim - 1))
        picked = self.image[(batch, slice(None), *index)]  # the channels end up last
        return np.moveaxis(picked, -1, 1) * valid[:, None]

    def mix(self, where: list[Any], weights: Callable[[Any], list[Any]], start: int) -> Any:
        """Mix the neighbours of every place, by the weights that belong to the fractions."""
        firsts = [np.floor(at) for at in where]
        shares = [weights(at - first) for at, first in zip(where, firsts, strict=True)]
        result: Any = 0
        for taps in np.ndindex(*[len(share) for share in shares]):
            places = [first + start + tap for first, tap in zip(firsts, taps, strict=True)]
            if start:  # cubic taps reach beyond what `inside` has brought in
                places = [self._whole(place, axis) for axis, place in enumerate(places)]
            factor: Any = 1
            for share, tap in zip(shares, taps, strict=True):
                factor = factor * share[tap]
            result = result + self.fetch(places) * factor[:, None]
        return result

    def _whole(self, place: Any, axis: int) -> Any:
        return np.rint(self.inside(place, axis))
