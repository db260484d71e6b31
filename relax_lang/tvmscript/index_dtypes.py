"""The dtype of indices: always int64 here, that of the extents in TVM.

There `range(8)` gives an int32 and `range(T.int64(8))` an int64, a size is of the dtype that it is declared with, and
programs that differ in this are not structurally equal. Nothing that a PrimFunc computes depends on it, so it is an
attribute, `attrs { index_dtype: int64 }`, which export alone reads. A PrimFunc without one has int64 where sizes of its
buffers are variables, since sizes of Relax are int64, and otherwise int32, since that is what a bare number is in TVM.
"""

from __future__ import annotations

from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import INT64

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

INT32 = "int32"
ATTRIBUTE = "index_dtype"
LARGEST = 2**31 - 1


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
        if one.key == ATTRIBUTE and isinstance(one.value, tree.DType) and one.value.name in (INT32, INT64):
            return one.value.name
    return usual(func.params)


def attribute(
    params: Iterable[tree.PrimParam], extents: set[str], place: tuple[int, int]
) -> tuple[tree.Attr, ...]:
    """Return the attribute of a PrimFunc with extents of these dtypes: none where they are the usual ones, or mixed."""
    if len(extents) != 1 or usual(params) in extents:
        return ()
    (dtype,) = extents
    return (tree.Attr(ATTRIBUTE, tree.DType(dtype, *place), *place),)
