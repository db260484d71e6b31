"""The usual parameters, tensors of a dtype with dimensions that are numbers or names: whether arguments fit. [M.6]

What does not fit, and all that is not plain, is left to the checks that say what is wrong.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from relax_lang.ops.core.dtypes import named_dtype
from relax_lang.syntax import tree
from relax_lang.values import RunFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    Spec = tuple[np.dtype[Any], tuple[int | str, ...]]


_CALLS_BEFORE_CODE = 16
"""After so many calls with new arguments looking at them took about as long as making code that does it."""


class PlainSignature:
    """The dtypes and dimensions of parameters; `names` are the shape variables, as they first occur."""

    __slots__ = ("_asked", "_specs", "names", "sizes")

    def __init__(self, specs: tuple[Spec, ...]) -> None:
        self._specs = specs
        self._asked = 0
        self.names = tuple(dict.fromkeys([dim for _, dims in specs for dim in dims if isinstance(dim, str)]))
        self.sizes: Callable[[Sequence[object]], tuple[int, ...] | None] = self._sizes
        """Returns the values of the shape variables if plain arrays fit; None if they have to be looked at closely."""

    @classmethod
    def of(cls, infos: Sequence[tree.StructInfo | None]) -> PlainSignature | None:
        """Return the signature with these annotations; None if one of them asks for more or for less."""
        specs = [_spec(info) for info in infos]
        found = [spec for spec in specs if spec is not None]
        return cls(tuple(found)) if len(found) == len(specs) else None

    def _sizes(self, values: Sequence[object]) -> tuple[int, ...] | None:
        self._asked += 1
        if self._asked == _CALLS_BEFORE_CODE:
            self.sizes = _code(self._specs, self.names)
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
        return tuple(found.values())


@lru_cache(maxsize=256)
def _code(
    specs: tuple[Spec, ...], names: tuple[str, ...]
) -> Callable[[Sequence[object]], tuple[int, ...] | None]:
    """Return a function that does what `PlainSignature` does step by step. For `Tensor[(n, 4), float32]` it is

    def sizes(values):
        try:
            (v0,) = values
            if type(v0) is ndarray and v0.dtype is d0:
                s0, t1 = v0.shape
                if t1 == 4:
                    return (s0,)
        except ValueError:  # there are more or fewer values, or dimensions
            pass
        return None
    """
    known = {name: f"s{at}" for at, name in enumerate(names)}
    bound: set[str] = set()
    kinds: list[str] = []
    unpacked: list[str] = []
    equal: list[str] = []
    for at, (_, dims) in enumerate(specs):
        kinds.append(f"type(v{at}) is ndarray and v{at}.dtype is d{at}")
        targets: list[str] = []
        for dim in dims:
            if isinstance(dim, str) and dim not in bound:
                bound.add(dim)
                targets.append(known[dim])
            else:
                targets.append(f"t{len(equal)}")
                equal.append(f"t{len(equal)} == {known[dim] if isinstance(dim, str) else dim}")
        unpacked.append(f"                {_tuple(targets)} = v{at}.shape")
    lines = [
        "def sizes(values):",
        "    try:",
        f"        {_tuple([f'v{at}' for at in range(len(specs))])} = values",
        f"        if {' and '.join(kinds) or 'True'}:",
        *unpacked,
        f"                if {' and '.join(equal) or 'True'}:",
        f"                    return {_tuple([*known.values()])}",
        "    except ValueError:  # there are more or fewer values, or dimensions",
        "        pass",
        "    return None",
    ]
    namespace: dict[str, Any] = {
        "ndarray": np.ndarray,
        **{f"d{at}": dtype for at, (dtype, _) in enumerate(specs)},
    }
    exec(compile("\n".join(lines), "<check of arguments>", "exec"), namespace)
    return namespace["sizes"]


def _tuple(names: Sequence[str]) -> str:
    return f"({', '.join(names)}{',' if len(names) == 1 else ''})"


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
