"""An einsum of two operands as one product of matrices: which of their axes are batch, rows, terms and columns."""

from __future__ import annotations

from relax_lang.ops import _numpy as np
from relax_lang.ops.shapes import elements

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from relax_lang.ops.subscripts import Subscripts

    Multiply = Callable[[Any, Any, int], Any]


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
        # None where nothing is to be done: each group is one axis, and they stand in order already.
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

    def run(self, x1: Any, x2: Any, multiply: Multiply) -> Any:
        """Return the product, its axes in the order asked for."""
        if self.operands[0] is not None:
            x1 = x1.transpose(self.operands[0]).reshape(self.left)
        if self.operands[1] is not None:
            x2 = x2.transpose(self.operands[1]).reshape(self.right)
        result = multiply(x1, x2, self.terms)
        return result if self.back is None else np.asarray(result).reshape(self.shape).transpose(self.back)


def as_product(subscripts: Subscripts, operands: Sequence[Any]) -> Product | None:
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
