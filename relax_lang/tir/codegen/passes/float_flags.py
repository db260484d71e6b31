"""Whether NumPy may warn about what statements compute: overflow, division by zero, what has no value.

Moving elements, and arithmetic on arrays of integers that divides by no variable, raises none of the flags that it
warns about.
"""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.syntax import dtypes, tree
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import Literal, Node, Ref, parts_of
from relax_lang.tir.ir.signature import buffers, scalars

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_QUIET = frozenset((
    "inside", "array", "indices", "places", "contiguous", "copied", "copy_transposed", "copy_with_edges",
    "copy_wrapped", "from_run",
))  # fmt: skip
"""Functions that only move elements and look at indices."""
_OF_INTEGERS = frozenset((
    "all", "best_of", "combine_chosen_rows", "combine_convolutions", "combine_rows", "counts_by_order", "extents",
    "places_in_rows", "range_of_rows", "running", "scatter", "store_where", "accumulate", "bounded",
    "carried", "restarted", "summed_area", "correlate_into",
))  # fmt: skip
"""Functions that raise no flags for integers."""
_ARITHMETIC = ir.Computed | ir.Cast | ir.Select
_CONVERTING = ir.Store | ir.StoreWhere
_OPERATORS = frozenset((
    "+", "-", "*", "neg", "min", "max", "==", "!=", "<", "<=", ">", ">=", "&&", "||", "!", "&", "|", "^", "~", "<<",
    ">>",
))  # fmt: skip
_OVERFLOWING = frozenset(("+", "-", "*", "neg", "<<", "/", "//", "%"))
_DIVISIONS = frozenset(("/", "//", "%"))


def may_raise_flags(func: tree.PrimFunc, body: Sequence[ir.Statement]) -> bool:
    """Return whether statements of a PrimFunc may compute what NumPy warns about."""
    declared = [*[one.dtype.name for one in buffers(func)], *[one.dtype.name for one in scalars(func)]]
    has_floats = any(map(dtypes.is_float, declared))
    return any(_may_raise(statement, has_floats) for statement in body)


def _may_raise(part: Node | Polynomial, has_floats: bool) -> bool:
    match part:
        case Polynomial() | Literal() | Ref():
            return False
        case ir.Call(function):
            raises = function not in _QUIET and (has_floats or function not in _OF_INTEGERS)
        case ir.Elementwise(op, args, dtype, domain):
            quiet = op in _OPERATORS or (op in _DIVISIONS and _is_harmless(args[-1]))
            if op in _OVERFLOWING and not domain:
                quiet = False  # perhaps of single numbers, of which NumPy says when they wrap around
            raises = has_floats or not quiet or dtypes.is_float(dtype)
        case ir.Cast(_, dtype):
            raises = has_floats or dtypes.is_float(dtype)
        case ir.Typed(_, dtype):
            raises = dtypes.is_float(dtype)
        case ir.Allocate():
            raises = dtypes.is_float(part.dtype)
        case _:
            raises = has_floats and isinstance(part, _ARITHMETIC | _CONVERTING)
    return raises or any(_may_raise(one, has_floats) for one in parts_of(part))


def _is_harmless(divisor: ir.Expr) -> bool:
    """Return whether dividing by a number raises no flag."""
    if isinstance(divisor, ir.Typed):
        divisor = divisor.value
    return isinstance(divisor, Literal) and isinstance(divisor.value, int) and divisor.value > 0
