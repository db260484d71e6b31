"""Tensors as the runtime handles them: dtypes by name, constants, and allocation under a limit."""

from __future__ import annotations

import math
from operator import attrgetter

import numpy as np

from relax_lang.base.wording import counted
from relax_lang.ops.core.attributes import literal_value
from relax_lang.ops.core.dtypes import named_dtype
from relax_lang.syntax import tree
from relax_lang.syntax.constants import constant_dtype, constant_shape
from relax_lang.syntax.dtypes import DTYPES
from relax_lang.values import RunFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable
    from typing import Any, TypeGuard

    Tensor = np.ndarray[Any, np.dtype[Any]]
    LoadConstant = Callable[[str, str | None], Tensor]

_MOST_COMBINATIONS = 256
"""The number of combinations of dtypes and shapes that one check remembers."""

DEFAULT_MAX_BYTES = 8 << 30
"""What one program may allocate in one piece unless the caller sets another limit."""


def is_tensor(value: object) -> TypeGuard[Tensor]:
    """Return whether a value is a tensor. [V.1]"""
    return isinstance(value, np.ndarray)


def is_of_language(value: object) -> TypeGuard[Tensor]:
    """Return whether a value is a tensor of a dtype of the language; other arrays are objects to programs. [V.11]"""
    return is_tensor(value) and value.dtype.name in DTYPES


def is_tuple(value: object) -> TypeGuard[tuple[object, ...]]:
    """Return whether a value is a tuple, `()` included. [V.3]"""
    return isinstance(value, tuple)


MAX_RANK = 64 if int(np.__version__.partition(".")[0]) >= 2 else 32
"""Dimensions that an array of NumPy can have."""


specs_of = attrgetter("__class__", "dtype", "shape")
"""What of an array decides whether it fits an annotation; raises AttributeError for what is not like an array."""


class Remembered:
    """What was found for combinations of arrays, by their classes, dtypes and shapes and by other values beside them.

    Only combinations of plain arrays are remembered, so that a combination that is found needs no further look. Threads
    may share one: the combination that came last is one tuple, so that none of them sees half of it.
    """

    __slots__ = ("_found", "_last")

    def __init__(self) -> None:
        self._found: dict[object, Any] = {}
        self._last: tuple[object, object, Any] = (None, None, None)

    def find(self, values: Iterable[object], others: object = ()) -> Any:
        """Return what was remembered for a combination; None if it is new."""
        try:
            specs = tuple(map(specs_of, values))
        except AttributeError:
            return None
        last_specs, last_others, found = self._last
        if specs == last_specs and others == last_others:
            return found
        try:
            found = self._found.get((specs, others))
        except TypeError:  # what other libraries call a shape need not be hashable
            return None
        if found is not None:
            self._last = specs, others, found
        return found

    def keep(self, values: Collection[object], others: object, found: object) -> None:
        """Remember what was found, which is not None."""
        if [value for value in values if type(value) is not np.ndarray]:
            return
        if len(self._found) >= _MOST_COMBINATIONS:
            for oldest in [*self._found][:1]:  # none, if another thread was here at the same time
                self._found.pop(oldest, None)
        self._found[tuple(map(specs_of, values)), others] = found


class Memory:
    """The limit on allocations; everything that the runtime allocates by a size of the program asks here.

    With `poisons` new tensors are filled, so that reading what nothing wrote shows; see `poison`.
    """

    __slots__ = ("max_bytes", "poisons")

    def __init__(self, max_bytes: int = DEFAULT_MAX_BYTES, *, poisons: bool = False) -> None:
        self.max_bytes = max_bytes
        self.poisons = poisons

    def empty(self, shape: Iterable[int], dtype: str) -> Tensor:
        """Allocate a tensor with undefined contents, if the limit and the machine allow it. [X.O5]"""
        sizes = tuple(shape)
        made = named_dtype(dtype)
        wanted = math.prod(sizes) * made.itemsize
        self.check(wanted)
        if len(sizes) > MAX_RANK:
            raise too_many_dimensions("out-of-memory", "cannot allocate: the tensor", len(sizes))
        try:
            tensor = np.empty(sizes, made)
        except (MemoryError, ValueError):  # ValueError: more bytes than an address can count
            raise out_of_memory(wanted) from None
        if self.poisons:
            from relax_lang.runtime.values.poison import poison

            poison(tensor)
        return tensor

    def new_array(self, shape: tuple[int, ...], dtype: np.dtype[Any]) -> Tensor:
        """Allocate what a PrimFunc asks for with `alloc`. [TIR.18] [X.O5]"""
        return self.empty(shape, dtype.name)

    def check(self, wanted: int) -> None:
        """Fail if one tensor of that many bytes is more than the limit. [X.O5]"""
        if wanted > self.max_bytes:
            raise out_of_memory(wanted, self.max_bytes)


def too_many_dimensions(slug: str, what: str, rank: int) -> RunFailure:
    """Make the failure of a tensor that no array of NumPy can hold. [X.O5]"""
    return RunFailure(slug, f"{what} has {rank} dimensions, an array of NumPy has at most {MAX_RANK}")


def out_of_memory(wanted: int | None, limit: int | None = None) -> RunFailure:
    """Make the failure of an allocation. [X.O5]"""
    if wanted is None:
        return RunFailure("out-of-memory", "cannot allocate the memory this needs")
    failure = RunFailure("out-of-memory", f"cannot allocate {counted(wanted, 'byte')}", bytes=wanted)
    if limit is not None:
        failure.facts["note"] = f"the limit is {counted(limit, 'byte')} for one tensor"
    return failure


def constant_tensor(constant: tree.Constant, load: LoadConstant) -> Tensor:
    """Return what a constant denotes; the caller copies it for each evaluation. [X.1] [CF.1]"""
    data = constant.data
    if isinstance(data, tree.FileLit):
        return load(data.path, data.key)
    name = constant_dtype(constant)
    rank = len(constant_shape(constant))
    if rank > MAX_RANK:
        raise too_many_dimensions("literal-does-not-fit", "the constant", rank)
    try:
        return np.array(literal_value(data), named_dtype(name))
    except OverflowError:
        raise RunFailure("literal-does-not-fit", f"the constant does not fit {name}", constant) from None
