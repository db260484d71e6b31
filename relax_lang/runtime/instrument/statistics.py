"""A tensor in a few numbers: least, mean and largest of what is finite, and how many elements are nan or infinite."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.runtime.values.tensors import Tensor


class Statistics:
    """`low`, `mean` and `high` of the finite elements (None: there is none), `n_nan`, `n_inf`."""

    __slots__ = ("high", "low", "mean", "n_inf", "n_nan")

    def __init__(self, tensor: Tensor) -> None:
        self.n_nan = self.n_inf = 0
        self.low = self.mean = self.high = None
        values = (
            tensor.astype(np.float64) if tensor.dtype.itemsize == 2 and tensor.dtype.kind in "fV" else tensor
        )
        if values.dtype.kind == "f":
            finite = np.isfinite(values)
            if not finite.all():
                self.n_nan = int(np.isnan(values).sum())
                self.n_inf = int(values.size - finite.sum()) - self.n_nan
                values = values[finite]
        if values.size:
            self.low, self.high = values.min().item(), values.max().item()
            self.mean = float(values.mean(dtype=np.float64))

    def __str__(self) -> str:
        """Show `min 0 mean 0.5 max 1`, with the numbers of nan and inf if there are any."""
        parts: list[str] = []
        if self.mean is not None:
            parts.append(f"min {_number(self.low)} mean {_number(self.mean)} max {_number(self.high)}")
        if self.n_nan:
            parts.append(f"nan {self.n_nan}")
        if self.n_inf:
            parts.append(f"inf {self.n_inf}")
        return ", ".join(parts) or "empty"


def _number(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def is_finite(tensor: Tensor) -> bool:
    """Return whether no element is nan or infinite; integers and bools always are finite."""
    if tensor.dtype.kind not in "fV":
        return True
    values = tensor.astype(np.float32) if tensor.dtype.kind == "V" else tensor
    return bool(np.isfinite(values).all())
