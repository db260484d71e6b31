"""How many bytes operators ask for, where small arguments may ask for much. [X.O5]

Only operators whose result can be far larger than their arguments are listed. An estimate costs next to
nothing and never says too much: it is compared with the limit before the kernel allocates. It depends on dtypes and
shapes alone, so that a planned kernel's needs one question. What does not fit together counts as nothing here; the
kernel says so.
"""

from __future__ import annotations

import math

import numpy as np

from relax_lang.ops.core.dtypes import named_dtype
from relax_lang.ops.core.specialization import TensorSpec
from relax_lang.ops.operator_index import MODULES
from relax_lang.runtime.values.tensors import is_tuple
from relax_lang.values import ShapeValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, TypeGuard

    from relax_lang.runtime.values.tensors import Tensor as Array

    Tensor = Array | TensorSpec
    Estimate = Callable[[Sequence[Any], Mapping[str, Any]], int]

_SMALL = 1 << 16
_WIDEST = 8


def _is_tensor(value: object) -> TypeGuard[Tensor]:
    return isinstance(value, np.ndarray | TensorSpec)


def _of_shape(args: Sequence[Any], options: Mapping[str, Any]) -> int:
    """Take the shape that is given: `zeros(shape(n, m), dtype=float32)`."""
    for value in args:
        if isinstance(value, ShapeValue):
            return math.prod(value.values) * _itemsize(args, options)
    return 0


def _octets(args: Sequence[Any], _options: Mapping[str, Any]) -> int:
    """Take the bytes that are given: `memory.alloc_storage(shape(n * 4), 0)`."""
    return math.prod(args[0].values) if args and isinstance(args[0], ShapeValue) else 0


def _itemsize(args: Sequence[Any], options: Mapping[str, Any]) -> int:
    dtype = options.get("dtype")
    if isinstance(dtype, str):
        return named_dtype(dtype).itemsize
    return max([value.itemsize for value in args if _is_tensor(value)], default=_WIDEST)


def _broadcast(args: Sequence[Any], _options: Mapping[str, Any]) -> int:
    """Tensors stretched to each other."""
    tensors = [value for value in args if _is_tensor(value)]
    product = 1
    for value in tensors:
        product *= value.size
    if product <= _SMALL:  # as good as always: nothing more to work out
        return 0
    if len(tensors) == 2:  # a tensor and one like it, or a number
        left, right = tensors
        if left.shape == right.shape or (right.size == 1 and right.ndim <= left.ndim):
            return left.nbytes
    return math.prod(_broadcast_shape([value.shape for value in tensors])) * tensors[0].itemsize


def _broadcast_shape(shapes: Sequence[tuple[int, ...]]) -> list[int]:
    sizes = [1] * max([len(shape) for shape in shapes], default=0)
    for shape in shapes:
        for axis, size in enumerate(reversed(shape)):
            if sizes[axis] == 1:
                sizes[axis] = size
    return sizes


def _matmul(args: Sequence[Any], _options: Mapping[str, Any]) -> int:
    """Broadcast the batch dimensions, then the rows of the one by the columns of the other."""
    tensors = [value for value in args if _is_tensor(value)]
    if len(tensors) != 2 or tensors[0].ndim < 2 or tensors[1].ndim < 2:
        return 0
    left, right = tensors
    batch = math.prod(_broadcast_shape([left.shape[:-2], right.shape[:-2]]))
    return batch * left.shape[-2] * right.shape[-1] * left.itemsize


def _outer(args: Sequence[Any], _options: Mapping[str, Any]) -> int:
    tensors = [value for value in args if _is_tensor(value)]
    return math.prod([value.size for value in tensors]) * max(
        [value.itemsize for value in tensors], default=0
    )


def _meshgrid(args: Sequence[Any], _options: Mapping[str, Any]) -> int:
    """As many grids as there are axes."""
    axes = args[0] if args and is_tuple(args[0]) else ()
    return _outer(axes, {}) * len(axes)


def _arange(args: Sequence[Any], options: Mapping[str, Any]) -> int:
    numbers = _numbers(args)
    if not numbers:
        return 0
    start, end = (0, numbers[0]) if len(numbers) == 1 else numbers[:2]
    step = numbers[2] if len(numbers) > 2 else 1
    return 0 if step == 0 else max(0, math.ceil((end - start) / step)) * _itemsize((), options)


def _square(args: Sequence[Any], options: Mapping[str, Any]) -> int:
    """`eye(n)` or `eye(n, m)`."""
    numbers = [max(0, math.ceil(number)) for number in _numbers(args)[:2]]
    if not numbers:
        return 0
    return numbers[0] * numbers[-1] * _itemsize((), options)


def _line(args: Sequence[Any], options: Mapping[str, Any]) -> int:
    """`hamming_window(n, …)`."""
    numbers = _numbers(args)
    return max(0, math.ceil(numbers[0])) * _itemsize((), options) if numbers else 0


def _numbers(args: Sequence[Any]) -> list[Any]:
    return [
        value
        for value in args
        if isinstance(value, int) or (isinstance(value, float) and math.isfinite(value))
    ]


def _times(name: str) -> Estimate:
    """Return the estimate of an operator that repeats its tensor as often as an attribute asks."""

    def estimate(args: Sequence[Any], options: Mapping[str, Any]) -> int:
        times = options.get(name)
        factors: list[int] = [times] if isinstance(times, int) else times or []
        return math.prod([max(factor, 0) for factor in factors]) * _bytes(args)

    return estimate


def _bytes(args: Sequence[Any]) -> int:
    found: list[Tensor] = [value for value in args[:1] if _is_tensor(value)]
    return found[0].nbytes if found else 0


def _pad(args: Sequence[Any], options: Mapping[str, Any]) -> int:
    """`nn.pad(x, pad_width=[before, after, …])`."""
    widths: list[int] = options.get("pad_width") or []
    padded = [value for value in args[:1] if _is_tensor(value)]
    if not padded or len(widths) != 2 * padded[0].ndim:
        return 0
    sizes = [size + widths[2 * axis] + widths[2 * axis + 1] for axis, size in enumerate(padded[0].shape)]
    return math.prod([max(size, 0) for size in sizes]) * padded[0].itemsize


def _spatial_axes(tensor: Tensor, options: Mapping[str, Any]) -> list[int]:
    """Return the axes that a layout such as `NCHW` calls D, H or W; none where the layout does not fit."""
    layout = options.get("data_layout") or options.get("layout")
    if not isinstance(layout, str) or len(layout) != tensor.ndim:
        return []
    return [axis for axis, letter in enumerate(layout) if letter in "DHW"]


def _with_extents(tensor: Tensor, axes: Sequence[int], extents: Sequence[int]) -> int:
    """Return the bytes of a tensor whose axes have other extents."""
    if len(axes) != len(extents):
        return 0
    sizes = [*tensor.shape]
    for axis, extent in zip(axes, extents, strict=True):
        sizes[axis] = max(extent, 0)
    return math.prod(sizes) * tensor.itemsize


def _resized(args: Sequence[Any], options: Mapping[str, Any]) -> int:
    """`image.resize2d(data, shape(h, w))`."""
    if len(args) != 2 or not _is_tensor(args[0]) or not isinstance(args[1], ShapeValue):
        return 0
    return _with_extents(args[0], _spatial_axes(args[0], options), args[1].values)


def _adapted(args: Sequence[Any], options: Mapping[str, Any]) -> int:
    """`nn.adaptive_avg_pool2d(data, output_size=[h, w])`."""
    if not args or not _is_tensor(args[0]):
        return 0
    axes = _spatial_axes(args[0], options)
    return _with_extents(args[0], axes, _repeated(options.get("output_size"), len(axes)))


def _repeated(numbers: object, count: int) -> list[int]:
    """Return the numbers of an attribute that may be written once for all axes."""
    listed: list[int] = [numbers] if isinstance(numbers, int) else numbers or []  # pyright: ignore[reportAssignmentType]
    return listed * count if len(listed) == 1 else listed


def _padded(args: Sequence[Any], options: Mapping[str, Any]) -> int:
    """Windows move over a tensor with zeros around it: `nn.conv2d(x, w, padding=[before…, after…])`."""
    if not args or not _is_tensor(args[0]):
        return 0
    axes = _spatial_axes(args[0], options)
    around = _repeated(options.get("padding"), len(axes))
    if len(around) == len(axes):
        around = [*around, *around]
    if len(around) != 2 * len(axes):
        return 0
    padded = [args[0].shape[axis] + around[i] + around[i + len(axes)] for i, axis in enumerate(axes)]
    return _with_extents(args[0], axes, padded)


def _grid(args: Sequence[Any], _options: Mapping[str, Any]) -> int:
    """`image.affine_grid(data, shape(h, w))`: two coordinates for each point of each image."""
    if len(args) != 2 or not _is_tensor(args[0]) or not isinstance(args[1], ShapeValue) or not args[0].ndim:
        return 0
    return args[0].shape[0] * 2 * math.prod(args[1].values) * args[0].itemsize


_DIMENSIONS = ("1d", "2d", "3d")

ESTIMATES: dict[str, Estimate] = {
    **dict.fromkeys([*MODULES["tensor.binary"].split(), *MODULES["tensor.ternary"].split()], _broadcast),
    "zeros": _of_shape,
    "ones": _of_shape,
    "full": _of_shape,
    "builtin.alloc_tensor": _of_shape,
    "memory.alloc_storage": _octets,
    "vm.alloc_storage": _octets,
    "broadcast_to": _of_shape,
    "matmul": _matmul,
    "outer": _outer,
    "meshgrid": _meshgrid,
    "arange": _arange,
    "eye": _square,
    "hamming_window": _line,
    "one_hot": _times("depth"),
    "repeat": _times("repeats"),
    "tile": _times("repeats"),
    "nn.pad": _pad,
    "image.resize2d": _resized,
    "image.resize3d": _resized,
    "image.affine_grid": _grid,
    **{f"nn.adaptive_avg_pool{d}": _adapted for d in _DIMENSIONS},
    **{f"nn.{kind}{d}": _padded for kind in ("conv", "max_pool", "avg_pool") for d in _DIMENSIONS},
}
"""Operator: the bytes that its result will take."""
