"""What sums products: in which arithmetic it is exact and reaches BLAS, and an einsum as one product of matrices.

float16 and bfloat16 are multiplied and summed in float32. Integers are exact and wrap: they go through float32 or
float64 where all sums are exact there, else through NumPy's own integer loops.
"""

from __future__ import annotations

from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.core.dtypes import is_float, is_half
from relax_lang.ops.numpy_kernels.compute_dtype import wide_dtype
from relax_lang.ops.numpy_kernels.shape_checks import elements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from relax_lang.ops.attribute_syntax.einsum import Subscripts
    from relax_lang.ops.core.specialization import Run2, TensorSpec

    Shape = tuple[int, ...]


def in_arithmetic(dtypes: Sequence[Any], dtype: Any, terms: int, make: Callable[[Any], Run2]) -> Run2:
    """Plan a product of tensors of two dtypes, both converted to `dtype` first, whose sums have `terms` terms.

    `make` returns a product of two arrays of one dtype, float32, float64 or an integer one, which keeps it.
    """
    if dtype.kind in "iu" and dtypes[0].kind in "iu" and dtypes[1].kind in "iu":
        return _of_integers(dtypes, dtype, terms, make)
    if is_half(dtype):
        run = _through(wide_dtype(dtype), dtype, dtype, make)
    else:
        run = make(dtype) if is_float(dtype) else _of_integers((dtype, dtype), dtype, terms, make)
    if dtypes[0] == dtype == dtypes[1]:
        return run
    return lambda x1, x2: run(x1.astype(dtype, copy=False), x2.astype(dtype, copy=False))


def _of_integers(dtypes: Sequence[Any], dtype: Any, terms: int, make: Callable[[Any], Run2]) -> Run2:
    """Plan a product of integers; what of it does not fit `dtype` is cut off, now or at the end."""
    most = terms << sum([8 * each.itemsize - (each.kind == "i") for each in dtypes])
    if most <= 1 << 24:
        return _through(np.dtype(np.float32), np.dtype(np.int32), dtype, make)
    exact = _through(np.dtype(np.float64), np.dtype(np.int64), dtype, make)
    if most <= 1 << 53:
        return exact
    wrapping = make(dtype)

    def run(x1: Any, x2: Any) -> Any:
        if x1.size == 0 or x2.size == 0 or terms * _largest(x1) * _largest(x2) <= 1 << 53:
            return exact(x1, x2)
        return wrapping(x1.astype(dtype, copy=False), x2.astype(dtype, copy=False))

    return run


def _through(wide: Any, whole: Any, dtype: Any, make: Callable[[Any], Run2]) -> Run2:
    """Plan a product in a wider float dtype, whose results go by way of `whole`, which holds all of them."""
    run = make(wide)
    if dtype == whole:
        return lambda x1, x2: run(x1.astype(wide), x2.astype(wide)).astype(dtype)
    return lambda x1, x2: run(x1.astype(wide), x2.astype(wide)).astype(whole).astype(dtype)


def _largest(x: Any) -> int:
    return max(abs(int(x.max())), abs(int(x.min())))


def matrix_product(dtype: Any, left: Shape, right: Shape) -> Run2:
    """Return NumPy's `matmul` for arrays of a dtype and of shapes that fit, or what begins sooner.

    That is `dot` of two matrices; but of a single number it makes a multiplication for which 0 * inf is 0.
    """
    if dtype.kind == "f" and elements(left) > 1 and elements(right) > 1:
        if max(len(left), len(right)) <= 2:
            return np.ndarray.dot
        if len(right) == 2:  # one matrix of all rows
            rows, shape = (-1, left[-1]), (*left[:-1], right[-1])
            return lambda x1, x2: x1.reshape(rows).dot(x2).reshape(shape)
    return np.matmul


class Product:
    """How to bring operands of some shapes into the form (batch, rows, terms) by (batch, terms, columns), and back."""

    __slots__ = ("back", "left", "operands", "right", "shape", "terms")

    def __init__(self, labels: tuple[str, str, str], extents: dict[str, int]) -> None:
        left, right, result = labels
        batch = [letter for letter in result if letter in left and letter in right]
        rows = [letter for letter in result if letter not in right]
        columns = [letter for letter in result if letter not in left]
        terms = [letter for letter in left if letter not in result]
        sizes = [
            elements(tuple([extents[letter] for letter in group])) for group in (batch, rows, terms, columns)
        ]
        orders = [
            [left.index(letter) for letter in (*batch, *rows, *terms)],
            [right.index(letter) for letter in (*batch, *terms, *columns)],
        ]
        # Without batch axes the factors are plain matrices, which NumPy hands to BLAS without further ado.
        many = sizes[:1] if batch else []
        self.left, self.right = (*many, sizes[1], sizes[2]), (*many, sizes[2], sizes[3])
        # None where nothing is to be done: each group is one axis, and they are already in order.
        plain = (
            max(len(batch), len(rows), len(terms), len(columns))
            == len(rows)
            == len(terms)
            == len(columns)
            == 1
        )
        self.operands = [None if plain and sorted(order) == order else order for order in orders]
        order = (*batch, *rows, *columns)
        self.shape = tuple([extents[letter] for letter in order])
        back = [order.index(letter) for letter in result]
        self.back = None if plain and sorted(back) == back else back
        self.terms = sizes[2]

    def planned(self, dtype: Any) -> Run2:
        """Plan the product of arrays of a dtype, its axes in the order asked for."""
        multiply = matrix_product(dtype, self.left, self.right)
        (first, second), left, right = self.operands, self.left, self.right
        shape, back, asarray = self.shape, self.back, np.asarray
        if first is second is back is None:
            return multiply

        def run(x1: Any, x2: Any) -> Any:
            if first is not None:
                x1 = x1.transpose(first).reshape(left)
            if second is not None:
                x2 = x2.transpose(second).reshape(right)
            result = multiply(x1, x2)
            return result if back is None else asarray(result).reshape(shape).transpose(back)

        return run


def as_product(subscripts: Subscripts, operands: Sequence[TensorSpec]) -> Product | None:
    """Return the plan; None if NumPy's own einsum has to do it: other numbers of operands, diagonals, `...`, letters
    that are summed in one operand alone, extents that are broadcast.
    """
    if len(operands) != 2 or subscripts.result.dots or any(term.dots for term in subscripts.terms):
        return None
    left, right = [term.letters for term in subscripts.terms]
    result = subscripts.result.letters
    if len(set(left)) < len(left) or len(set(right)) < len(right):
        return None
    if (set(left) ^ set(right)) - set(result):
        return None
    extents = dict(zip(left, operands[0].shape, strict=True))
    for letter, extent in zip(right, operands[1].shape, strict=True):
        if extents.setdefault(letter, extent) != extent:
            return None
    return Product((left, right, result), extents)
