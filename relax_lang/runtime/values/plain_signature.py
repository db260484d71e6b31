"""The usual parameters, tensors of a dtype with dimensions that are numbers or names: whether arguments fit. [M.6]

What does not fit, and all that is not plain, is left to the checks that say what is wrong.
"""

from __future__ import annotations

import numpy as np

from relax_lang.ops.core.dtypes import named_dtype
from relax_lang.syntax import tree
from relax_lang.values import RunFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Spec = tuple[np.dtype[Any], tuple[int | str, ...]]


class PlainSignature:
    """The dtypes and dimensions of parameters."""

    __slots__ = ("_specs",)

    def __init__(self, specs: Sequence[Spec]) -> None:
        self._specs = specs

    @classmethod
    def of(cls, infos: Sequence[tree.StructInfo | None]) -> PlainSignature | None:
        """Return the signature with these annotations; None if one of them asks for more or for less."""
        specs = [_spec(info) for info in infos]
        found = [spec for spec in specs if spec is not None]
        return cls(found) if len(found) == len(specs) else None

    def sizes(self, values: Sequence[object]) -> dict[str, int] | None:
        """Return the values of shape variables if plain arrays fit; None if they have to be looked at closely."""
        found: dict[str, int] = {}
        if len(values) != len(self._specs):
            return None
        for value, (dtype, dims) in zip(values, self._specs, strict=True):
            if type(value) is not np.ndarray or value.dtype is not dtype:
                return None
            shape = value.shape
            if len(shape) != len(dims):
                return None
            for size, dim in zip(shape, dims, strict=True):
                if size != (found.setdefault(dim, size) if isinstance(dim, str) else dim):
                    return None
        return found


def _spec(info: tree.StructInfo | None) -> Spec | None:
    if not isinstance(info, tree.TensorStructInfo) or info.dtype is None:
        return None
    if not isinstance(info.shape, tree.ShapeExpr):
        return None
    dims: list[int | str] = []
    for dim in info.shape.values:
        if isinstance(dim, tree.PrimVar):
            dims.append(dim.name)
        elif isinstance(dim, tree.IntImm):
            dims.append(dim.value)
        else:
            return None
    try:
        return named_dtype(info.dtype.name), tuple(dims)
    except RunFailure:  # bfloat16 without its package
        return None
