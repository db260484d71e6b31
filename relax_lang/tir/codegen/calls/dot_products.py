"""Products of two matrices in planned calls, as the function of NumPy that begins soonest. [TIR.21]

`ndarray.dot` and `np.matmul` pass float matrices to the same functions of BLAS, but `matmul` is a ufunc, which takes
half a microsecond more to begin. Of a matrix of one element `dot` makes a multiplication for which 0 * inf is 0.
"""

from __future__ import annotations

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import Node, with_fields, with_parts
from relax_lang.tir.codegen.passes.rewriting import mapped
from relax_lang.tir.codegen.passes.types import type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.array_ir.nodes import Expr, Statement

_DTYPES = ("float32", "float64")
"""Those that BLAS has functions for."""


def with_dots(body: Sequence[Statement]) -> list[Statement]:
    """Return statements in which products that are arrays of their own are dot products, where they may be."""
    return [mapped(one, _part) if isinstance(one, ir.Define) else one for one in body]


def _part(part: Node | Polynomial) -> Node | Polynomial:
    match part:
        case ir.MatMul() if _may_be_dot(part):
            return with_fields(with_parts(part, _part), {"is_dot": True})
        case Node():
            return with_parts(part, _part)
        case _:
            return part


def _may_be_dot(product: ir.MatMul) -> bool:
    dtypes = {type_of(product.a)[0], type_of(product.b)[0], product.dtype or type_of(product)[0]}
    return len(dtypes) == 1 and dtypes <= {*_DTYPES} and _is_matrix(product.a) and _is_matrix(product.b)


def _is_matrix(value: Expr) -> bool:
    """Return whether an array is a matrix, or a vector, that certainly has no single element."""
    shape = type_of(value)[1]
    if shape is None or not 1 <= len(shape) <= 2:
        return False
    return any(size.value is not None and size.value != 1 for size in shape)
