"""Views in the scalar interpreter: elements of another buffer by indices of their own. [TIR.22]"""

from __future__ import annotations

from math import prod

import numpy as np

from relax_lang.ops.core.dtypes import named_dtype
from relax_lang.syntax import tree
from relax_lang.tir.interp.expressions import compiled
from relax_lang.values import RunFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.tir.interp.expressions import Code, Frame, Run
    from relax_lang.tir.interp.memory import Array
    from relax_lang.tir.ir.symbols import Symbol

    Place = int | tuple[int, ...]


class ViewElements:
    """What gives and takes elements of a view as Python numbers: it has no memory of its own."""

    __slots__ = ("_base", "_dtype", "shape")

    def __init__(self, base: Any, shape: tuple[int, ...], dtype: str) -> None:
        self._base = base
        self._dtype = dtype
        self.shape = shape

    def place(self, index: Place) -> Place:
        """Return the place of an element in the source."""
        raise NotImplementedError

    def __getitem__(self, index: Place) -> Any:
        return self._base[self.place(index)]

    def __setitem__(self, index: Place, value: object) -> None:
        self._base[self.place(index)] = value

    def array(self) -> Array:
        """Return the elements in an array of their own, for a packed function."""
        made = np.empty(self.shape, named_dtype(self._dtype))
        for index in np.ndindex(self.shape):
            made[index] = self[_place(index)]
        return made

    def keep(self, array: Array) -> None:
        """Take the elements of an array, after a packed function."""
        for index in np.ndindex(self.shape):
            self[_place(index)] = array[index].item()


class _OfRegion(ViewElements):
    __slots__ = ("_kept", "_starts")

    def __init__(self, base: Any, shape: tuple[int, ...], dtype: str, region: list[tuple[int, bool]]) -> None:
        super().__init__(base, shape, dtype)
        self._starts = [start for start, _ in region]
        self._kept = [at for at, (_, is_kept) in enumerate(region) if is_kept]

    def place(self, index: Place) -> Place:
        found = self._starts.copy()
        for at, one in zip(self._kept, index if isinstance(index, tuple) else (index,), strict=True):
            found[at] += one
        return _place(tuple(found))


class _OfAll(ViewElements):
    __slots__ = ("_sizes",)

    def __init__(self, base: Any, shape: tuple[int, ...], dtype: str, sizes: tuple[int, ...]) -> None:
        super().__init__(base, shape, dtype)
        self._sizes = sizes

    def place(self, index: Place) -> Place:
        number = 0
        for one, size in zip(index if isinstance(index, tuple) else (index,), self.shape, strict=True):
            number = number * size + one
        found: list[int] = []
        for size in reversed(self._sizes):
            number, one = divmod(number, size)
            found.insert(0, one)
        return _place(tuple(found))


def _place(index: tuple[int, ...]) -> Place:
    """Return indices as the slot of a buffer takes them: a number where there is one dimension."""
    return index[0] if len(index) == 1 else index


def made_view(code: Code, statement: tree.BufferView) -> Run:
    """Return the closure that makes a view, and checks that its elements are there."""
    symbol = code.symbol(statement.buffer)
    source = symbol.source
    assert source is not None, "a view without errors has a source"
    assert source.shape is not None, "and that is a buffer"
    slot, base = code.slot(symbol), code.slot(source)
    rank, source_rank = len(statement.buffer.shape), len(source.shape)
    dims = [compiled(code, dim) for dim in statement.buffer.shape]
    region = None if statement.region is None else _region(code, statement, source)
    dtype = statement.buffer.dtype.name

    def view(frame: Frame) -> None:
        shape = tuple([dim(frame) for dim in dims])
        sizes = tuple(frame[base + 2 : base + 2 + source_rank])
        if region is None:
            _check_count(statement, shape, sizes)
            made: ViewElements = _OfAll(frame[base], shape, dtype, sizes)
        else:
            made = _OfRegion(frame[base], shape, dtype, region(frame, shape, sizes))
        frame[slot], frame[slot + 1] = made, made
        frame[slot + 2 : slot + 2 + rank] = shape

    return view


def _region(code: Code, statement: tree.BufferView, source: Symbol) -> Any:
    parts: list[tuple[tree.RegionIndex, Run, Run | None]] = []
    for one in statement.region or ():
        if isinstance(one, tree.Range):
            parts.append((one, compiled(code, one.min), compiled(code, one.stop)))
        else:
            assert isinstance(one, tree.PrimExpr), "a region is made of indices and ranges"
            parts.append((one, compiled(code, one), None))

    def region(frame: Frame, shape: Sequence[int], sizes: Sequence[int]) -> list[tuple[int, bool]]:
        found: list[tuple[int, bool]] = []
        position = 0
        for axis, (node, low, stop) in enumerate(parts):
            first = low(frame)
            end = first + 1 if stop is None else stop(frame)
            size = sizes[axis]
            if stop is not None and end - first != shape[position]:
                where = f"dimension {position} of `{statement.buffer.name}` is {shape[position]}"
                message = f"{where}, the range {first}..{end} has {max(0, end - first)}"
                raise RunFailure("tir-view", message, statement)
            if first < 0 or end > size:
                shown = f"index {first}" if stop is None else f"range {first}..{end}"
                message = f"{shown} outside dimension {axis} of `{source.name}` (0..{size})"
                index = first if first < 0 else end - 1
                facts = {"buffer": source.name, "dimension": axis, "index": index, "extent": size}
                raise RunFailure("tir-runtime-bounds", message, node, **facts)
            position += stop is not None
            found.append((first, stop is not None))
        return found

    return region


def _check_count(statement: tree.BufferView, shape: tuple[int, ...], sizes: tuple[int, ...]) -> None:
    if prod(shape) != prod(sizes) or any(size < 0 for size in shape):
        name, source = statement.buffer.name, statement.source.name
        message = f"`{name}` has {prod(shape)} elements, `{source}` has {prod(sizes)}"
        raise RunFailure("tir-view", message, statement)
