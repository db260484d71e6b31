"""The kernels of `tests/tir/fields` in NumPy, as a person writes them who knows it well; loops where it has no form.

One module per field. Each function takes the parameters of the PrimFunc of its name in order, and stores in the same
arrays.
"""

from __future__ import annotations

from importlib import import_module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


def by_hand(field: str, name: str) -> Callable[..., None]:
    """Return the form of a kernel of a field."""
    return getattr(import_module(f"{__name__}.{field}"), name)
