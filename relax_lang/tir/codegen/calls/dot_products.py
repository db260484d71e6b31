"""Products of two matrices in planned calls, as the function of NumPy that begins soonest. [TIR.21]

`ndarray.dot` and `np.matmul` pass float matrices to the same functions of BLAS, but `matmul` is a ufunc, which takes
half a microsecond more to begin. Of a matrix of one element `dot` makes a multiplication for which 0 * inf is 0.
"""

from __future__ import annotations

import math

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import Node, with_fields, with_parts
from relax_lang.tir.array_ir.nodes import Literal
from relax_lang.tir.codegen.calls.few_elements import FEW
from relax_lang.tir.codegen.passes.rewriting import mapped
from relax_lang.tir.codegen.passes.types import type_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tir.array_ir.nodes import Expr, Statement

_DTYPES = ("float32", "float64")
"""Those that BLAS has functions for."""
_MANY = 1 << 62
"""What an extent that is not known counts as."""


def with_dots(body: Sequence[Statement]) -> list[Statement]:
    """Return statements in which products that are arrays of their own are dot products, where they may be."""
    return [mapped(one, _part) if isinstance(one, ir.Define) else one for one in body]


def with_small_products(statement: Statement) -> Statement:
    """Return a statement that adds or stores a product of few elements without a function of the runtime library, which
    finds out how to do it at each call. Of many elements a copy costs more than that.
    """
    match statement:
        case ir.Evaluate(ir.Call("product_into", (a, b, target))):
            return _stored(target, a, b, 0) or statement
        case ir.Evaluate(
            ir.Call("float_product", (target, a, b, Literal(int() as sign), ir.DtypeOf(dtype)), ())
        ):
            return (_stored(target, a, b, sign) if type_of(target)[0] == dtype else None) or statement
        case _:
            return statement


def _stored(target: Expr, a: Expr, b: Expr, sign: int) -> Statement | None:
    """Return what stores a dot product (sign 0), adds it (1) or subtracts it (-1); None if it is no dot product."""
    dtype, shape = type_of(target)
    product = ir.MatMul(a, b, is_dot=True)
    made, size = type_of(product)
    if not shape or size is None or made != dtype or not _may_be_dot(product):
        return None
    if math.prod([_MANY if extent.value is None else extent.value for extent in shape]) > FEW:
        return None
    value = product if size == shape else ir.Reshaped(product, shape)
    if not sign:
        return ir.Store(target, value)
    return ir.Into(target, ir.Elementwise("+" if sign > 0 else "-", (target, value), dtype, shape))


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
