"""Depthwise convolutions over two axes as products with small band matrices.

A loop over the places of the kernel reads and writes the whole result at each place. Here each channel is a matrix
product instead: a band of rows of the result is a matrix with the kernel's columns along its diagonals, times the
rows that the band sees, gathered once for each column of the kernel. Most of the matrix is zeros, but BLAS multiplies
much faster than elements are multiplied and added one by one.

A zero times an infinity is nan, so a band would spread what is not finite to neighbours: where the result is not
finite, the caller's plain way computes it again.
"""

from __future__ import annotations

from relax_lang.ops.core import lazy_numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.ops.core.specialization import Run2

    Shape = tuple[int, ...]

_GATHERED = 1 << 17
"""Elements that are gathered at once, so that they stay in the cache."""
_LEAST = 64
"""Elements of the result of a channel below which the calls are the cost."""
_WHOLE, _HALVES, _NARROW, _BAND = 12, 24, 32, 4


class _Part:
    """Bands of one height: the first row of the result, the height, and how many there are."""

    __slots__ = ("bands", "first", "height")

    def __init__(self, first: int, height: int, bands: int) -> None:
        self.first = first
        self.height = height
        self.bands = bands


def _parts(out: Shape) -> list[_Part]:
    """Return how the rows of a result are divided into bands."""
    rows, columns = out
    if rows <= _WHOLE:
        return [_Part(0, rows, 1)]
    if rows <= _HALVES and columns <= _NARROW and rows % 2 == 0:
        return [_Part(0, rows // 2, 2)]
    height = next((one for one in (_BAND, _BAND + 1, _BAND - 1) if rows % one == 0), _BAND)
    bands, rest = divmod(rows, height)
    return [_Part(0, height, bands), *([_Part(bands * height, rest, 1)] if rest else [])]


def is_worth_bands(dtype: Any, weight: Shape, groups: int, out: Shape) -> bool:
    """Return whether bands are quicker than a loop over the places of the kernel."""
    if dtype.kind != "f" or dtype.itemsize < 4 or len(out) != 2 or weight[0] != groups:
        return False
    return weight[2] * weight[3] >= 4 and out[0] * out[1] >= _LEAST


def by_bands(
    dtype: Any,
    data: Shape,
    weight: Shape,
    out: Shape,
    steps: tuple[Shape, Shape],
    padded: tuple[int, int],
    plain: Run2,
) -> Run2:
    """Plan a convolution of a padded, contiguous array (N, C, rows, columns) with one kernel for each channel.

    `padded` are the rows of zeros at the top and at the bottom: a band that is alone leaves them out. `plain` computes
    the same where a result or a weight is not finite.
    """
    channels, (kh, kw) = data[1], weight[2:]
    (sh, sw), (dh, dw) = steps
    parts = _parts(out)

    def real_rows(part: _Part, seen: int) -> tuple[int, int]:
        """Return which of the rows that a band sees are not padding."""
        first = sh * part.first
        low = min(max(padded[0] - first, 0), seen)
        high = seen - min(max(first + seen - (data[2] - padded[1]), 0), seen)
        return (low, high) if part.bands == 1 and low < high else (0, seen)

    def run(x: Any, w: Any) -> Any:
        result = np.empty((data[0], channels, *out), dtype)
        image, plane, row, item = x.strides
        for part in parts:
            seen = sh * (part.height - 1) + dh * (kh - 1) + 1
            bands = np.zeros((channels, part.height, kw, seen), dtype)
            outer, band, column, one = bands.strides
            diagonals = outer, band + sh * one, column, dh * one
            placed = np.ndarray((channels, part.height, kw, kh), dtype, bands, 0, diagonals)
            placed[...] = w.transpose(0, 1, 3, 2)
            low, high = real_rows(part, seen)
            bands, seen = bands[..., low:high], high - low
            bands = bands.reshape(channels, 1, part.height, kw * seen)
            shape = (channels, part.bands, kw, seen, out[1])
            strides = (plane, row * sh * part.height, item * dw, row, item * sw)
            most = max(1, min(channels, _GATHERED // (part.bands * kw * seen * out[1])))
            columns = np.empty((most, *shape[1:]), dtype)
            for number in range(data[0]):
                start = number * image + (part.first * sh + low) * row
                windows = np.ndarray(shape, dtype, x, start, strides)
                rows = result[number, :, part.first : part.first + part.height * part.bands]
                target = rows.reshape(channels, part.bands, part.height, out[1])
                for first in range(0, channels, most):
                    last = min(first + most, channels)
                    gathered = columns[: last - first]
                    np.copyto(gathered, windows[first:last])
                    np.matmul(
                        bands[first:last],
                        gathered.reshape(last - first, part.bands, kw * seen, out[1]),
                        out=target[first:last],
                    )
        flat, factors = result.reshape(-1), w.reshape(-1)
        return result if np.isfinite(flat.dot(flat) + factors.dot(factors)) else plain(x, w)

    return run
