"""What a value of a model is while it is imported: a constant, a list of sizes, a tensor of the program, or several.

Sizes are what turns the shape arithmetic of a model into symbolic dimensions: integer tensors of rank 0 or 1 whose
elements are known as expressions over shape variables.
"""

from __future__ import annotations

from relax_lang.onnx.dims import dim
from relax_lang.onnx.errors import Refused
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    import numpy as np

    from relax_lang.onnx.dims import Dim, Dims

    Array = np.ndarray[Any, Any]


class Constant:
    """A tensor whose elements are known; it is written where it is used.

    `key` is its name in the archive of weights if it is too large for the text, `narrow` the dtype that it has in the
    model if that is one which the language does not have.
    """

    __slots__ = ("array", "key", "narrow")

    def __init__(self, array: Array, key: str = "", narrow: str = "") -> None:
        self.array = array
        self.key = key
        self.narrow = narrow

    @property
    def dtype(self) -> str:
        """The dtype, as the language calls it."""
        return self.array.dtype.name

    @property
    def dims(self) -> Dims:
        """The shape."""
        return tuple([tree.IntImm(one) for one in self.array.shape])


class Sizes:
    """Integers of rank 1, or with `scalar` of rank 0, known as dimension expressions."""

    __slots__ = ("dtype", "items", "scalar")

    def __init__(self, items: Dims, *, scalar: bool = False, dtype: str = "int64") -> None:
        self.items = items
        self.scalar = scalar
        self.dtype = dtype

    @property
    def dims(self) -> Dims:
        """The shape of the tensor that holds them."""
        return () if self.scalar else (dim(len(self.items)),)


class Convolved:
    """How a tensor was made by a convolution with known weights, which may be made with other weights instead.

    `made` are its bindings, from the first on to the last; `again` writes it anew with a weight and a bias. `own`:
    nothing else uses the weight.
    """

    __slots__ = ("again", "bias", "made", "own", "weight")

    def __init__(
        self,
        made: slice,
        weight: Array,
        bias: Array | None,
        again: Callable[[Constant, Constant], Value],
        *,
        own: bool,
    ) -> None:
        self.made = made
        self.weight = weight
        self.bias = bias
        self.again = again
        self.own = own


class Scaled:
    """How a tensor was made as a product of another one and a number."""

    __slots__ = ("factor", "operand")

    def __init__(self, operand: Tensor, factor: float) -> None:
        self.operand = operand
        self.factor = factor


class Ratio:
    """Extents divided by a number, which a tensor of floats holds; `exact`: without rounding."""

    __slots__ = ("denominator", "exact", "numerators", "scalar")

    def __init__(self, numerators: Dims, denominator: int, *, scalar: bool, exact: bool = True) -> None:
        self.numerators = numerators
        self.denominator = denominator
        self.scalar = scalar
        self.exact = exact


class Tensor:
    """A variable of the program.

    `decided_by` are the two sizes that a comparison compared, with its operator, `ratio` the quotients of sizes that
    floats hold. `convolution` and `scaled` are how it
    was made, if that was by a convolution or by a product with a number, and nothing else reads it.
    """

    __slots__ = ("convolution", "decided_by", "dims", "dtype", "name", "ratio", "scaled")

    def __init__(self, name: str, dims: Dims, dtype: str) -> None:
        self.name = name
        self.dims = dims
        self.dtype = dtype
        self.decided_by: tuple[str, Dim, Dim] | None = None
        self.ratio: Ratio | None = None
        self.convolution: Convolved | None = None
        self.scaled: Scaled | None = None


class TensorList:
    """A sequence of ONNX: tensors whose number is known, which operators on sequences put in and take out."""

    __slots__ = ("members",)

    def __init__(self, members: Sequence[Value]) -> None:
        self.members = tuple(members)

    @property
    def dtype(self) -> str:
        """None. Raises Refused: the operator that asks takes tensors."""
        raise Refused("an operand is a sequence of tensors")

    @property
    def dims(self) -> Dims:
        """None. Raises Refused."""
        raise Refused("an operand is a sequence of tensors")


class StackedList(TensorList):
    """A sequence whose length follows from data: tensors that are known, and after them the rows of another one."""

    __slots__ = ("rows",)

    def __init__(self, members: Sequence[Value], rows: Tensor) -> None:
        super().__init__(members)
        self.rows = rows


class GrowingList(TensorList):
    """A sequence in one round of a loop, which may put tensors at its end; `members` are those of this round."""

    __slots__ = ()


if TYPE_CHECKING:
    Value = Constant | Sizes | Tensor | TensorList
