"""Dense convolutions as a sum of products, one for each place of the kernel.

With a stride of one, what lies under one place of the kernel is the padded image itself, begun some elements later: a
view of its flat rows, which BLAS multiplies as it is. Nothing is gathered. Where a row of the image ends, the products
run on over its padding; these columns are left out of the result.
"""

from __future__ import annotations

from itertools import product
from math import prod

from relax_lang.ops.core import lazy_numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.ops.core.specialization import Run2

    Shape = tuple[int, ...]

_CHANNELS = 32
"""Input channels from which on a product for each place is worth its call."""
_PLACES = 100
"""Elements of a channel of the result below which its padding is a large part."""


def is_worth_taps(dtype: Any, weight: Shape, out: Shape) -> bool:
    """Return whether a sum of products is quicker than gathered windows; each product is added to the result."""
    if dtype.kind != "f" or dtype.itemsize < 4 or prod(weight[2:]) == 1:
        return False
    return weight[1] >= _CHANNELS and weight[0] <= weight[1] and prod(out) >= _PLACES


def by_taps(dtype: Any, data: Shape, weight: Shape, out: Shape, dilation: Shape) -> Run2:
    """Plan a convolution with a stride of one of a padded, contiguous array (N, C, spatial axes…)."""
    images, channels, *whole = data
    steps = [prod(whole[axis + 1 :]) for axis in range(len(whole))]
    starts = [
        sum([at * there * step for at, there, step in zip(place, dilation, steps, strict=True)])
        for place in product(*[range(size) for size in weight[2:]])
    ]
    length = sum([(extent - 1) * step for extent, step in zip(out, steps, strict=True)]) + 1
    item = dtype.itemsize
    kept = length * item, *[step * item for step in steps]

    def run(x: Any, w: Any) -> Any:
        kernel = np.ascontiguousarray(w.reshape(weight[0], channels, len(starts)).transpose(2, 0, 1))
        result = np.empty((images, weight[0], *out), dtype)
        total, part = np.empty((2, weight[0], length), dtype)
        for number, image in enumerate(x.reshape(images, channels, prod(whole))):
            np.matmul(kernel[0], image[:, starts[0] : starts[0] + length], out=total)
            for factor, start in zip(kernel[1:], starts[1:], strict=True):
                np.matmul(factor, image[:, start : start + length], out=part)
                np.add(total, part, out=total)
            result[number] = np.ndarray((weight[0], *out), dtype, total, 0, kept)
        return result

    return run
