"""The dtype of indices: always int64 here, that of the extents in TVM.

There `range(8)` gives an int32 and `range(T.int64(8))` an int64, a size is of the dtype that it is declared with, and
programs that differ in this are not structurally equal. Nothing that a PrimFunc computes depends on it, so it is an
attribute, `attrs { index_dtype: int64 }`, which export alone reads. A PrimFunc without one has int64 where sizes of its
buffers are variables, since sizes of Relax are int64, and otherwise int32, since that is what a bare number is in TVM.

Where a PrimFunc has both, `index_dtypes: { j: int32, A: int32 }` names what is of the other one: sizes, buffers and
loop variables and axes whose extents are numbers, and under `"A[]"` and `"vi="` numbers among the indices of a buffer
and for the value of an axis. `"A.3"` is the last of four axes of a buffer, where it differs from the others. The second
loop over an `i` is `"i#2"`.
"""

from __future__ import annotations

from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import INT64

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

INT32 = "int32"
DTYPES = (INT32, INT64)
ATTRIBUTE = "index_dtype"
EXCEPTIONS = "index_dtypes"
LARGEST = 2**31 - 1


class Occurrences:
    """Counts the loops, axes and buffers of a name, in the order of a text."""

    __slots__ = ("_counts",)

    def __init__(self) -> None:
        self._counts: dict[str, int] = {}

    def next(self, name: str) -> str:
        """Return the key of the next one of a name."""
        number = self._counts[name] = self._counts.get(name, 0) + 1
        return name if number == 1 else f"{name}#{number}"


def of_indices(buffer: str) -> str:
    """Return the key for numbers among the indices of a buffer."""
    return f"{buffer}[]"


def of_axis(buffer: str, axis: int) -> str:
    """Return the key for the extent of one axis of a buffer, where it is not that of the others."""
    return f"{buffer}.{axis}"


def of_value(axis: str) -> str:
    """Return the key for the number that is the value of an axis."""
    return f"{axis}="


def usual(params: Iterable[tree.PrimParam]) -> str:
    """Return the dtype of the indices of a PrimFunc that does not name one."""
    for param in params:
        if isinstance(param, tree.Buffer):
            elements = 1
            for dim in param.shape:
                elements *= dim.value if isinstance(dim, tree.IntImm) else LARGEST + 1
            if elements > LARGEST:
                return INT64
    return INT32


def declared(func: tree.PrimFunc) -> str:
    """Return the dtype that the indices of a PrimFunc have in TVM."""
    for one in func.attrs:
        if one.key == ATTRIBUTE and isinstance(one.value, tree.DType) and one.value.name in DTYPES:
            return one.value.name
    return usual(func.params)


def exceptions(func: tree.PrimFunc) -> dict[str, str]:
    """Return what has another dtype than the indices of a PrimFunc have in general, with that dtype."""
    return {
        entry.key: entry.value.name
        for one in func.attrs
        if one.key == EXCEPTIONS and isinstance(one.value, tree.MapLit)
        for entry in one.value.items
        if isinstance(entry.value, tree.DType) and entry.value.name in DTYPES
    }


def attributes(
    params: Iterable[tree.PrimParam], extents: set[str], named: dict[str, str], place: tuple[int, int]
) -> tuple[tree.Attr, ...]:
    """Return the attributes of a PrimFunc with extents of these dtypes: none where all are of the usual one.

    `named` has the dtypes of numbers, and of sizes, by the keys of the exceptions.
    """
    known = extents & set(DTYPES)
    dtype = ordinary = usual(params)
    if len(known) == 1:
        (dtype,) = known
    made: list[tree.Attr] = []
    if dtype != ordinary:
        made.append(tree.Attr(ATTRIBUTE, tree.DType(dtype, *place), *place))
    others = [
        tree.Attr(name, tree.DType(one, *place), *place)
        for name, one in named.items()
        if one != (named.get(name.partition(".")[0], dtype) if "." in name else dtype)
    ]
    if others:
        made.append(tree.Attr(EXCEPTIONS, tree.MapLit(tuple(others), *place), *place))
    return tuple(made)
