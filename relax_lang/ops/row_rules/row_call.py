"""The call that a rule about rows works on: where its operands have their rows, and what is known of shapes."""

from __future__ import annotations

from relax_lang.ops.row_rules.states import UNIFORM, Fields, Rows, RowsMixed, Sizes, Uniform
from relax_lang.ops.shape_rules.shared.dims import value_of
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.ops.core.inference import Inference, Known
    from relax_lang.ops.row_rules.states import Divided, State

    Dims = tuple[tree.PrimExpr, ...]


class RowCall:
    """One call. `site` has operands, attributes and shapes, `states` what each operand is made of, `result` the struct
    info of the result. A rule raises RowsMixed with the reason where rows do not stay apart.
    """

    __slots__ = ("asked", "divided", "result", "site", "states")

    def __init__(
        self, site: Inference, states: Sequence[State], result: tree.StructInfo, divided: Divided
    ) -> None:
        self.site = site
        self.states = [*states, *[UNIFORM] * (len(site.args) - len(states))]
        self.result = result
        self.divided = divided
        self.asked: set[int] = set()
        """The operands that the rule has looked at: no other may have rows."""

    @property
    def attrs(self) -> dict[str, Any]:
        """The attributes."""
        return self.site.attrs

    def name(self, index: int) -> str:
        """Return what messages call an operand."""
        return self.site.name(index)

    def rows(self, index: int) -> int | None:
        """Return the axis along which an operand has its rows, from 0; None if it is the same for all of them."""
        self.asked.add(index)
        return self._axis(self.states[index], self.name(index))

    def fields(self, index: int) -> list[int | None]:
        """Return the same for each field of a tuple of tensors."""
        self.asked.add(index)
        state = self.states[index]
        if isinstance(state, Fields):
            return [self._axis(field, f"a field of {self.name(index)}") for field in state.fields]
        if isinstance(state, Uniform):
            return [None] * len(self.site.fields(index))
        raise RowsMixed(f"{self.name(index)} is not a tuple of tensors whose rows are known")

    def size(self, index: int) -> None:
        """Allow an operand to depend on how many rows there are: the result's shape says how."""
        self.asked.add(index)

    def _axis(self, state: State, name: str) -> int | None:
        if isinstance(state, Rows):
            return state.axis
        if isinstance(state, Uniform):
            return None
        if isinstance(state, Sizes):
            raise RowsMixed(f"{name} depends on how many rows there are")
        raise RowsMixed(f"{name} is not a tensor whose rows are known")

    # What is known of shapes.

    def rank(self, index: int) -> int:
        """Return the rank of an operand. Raises RowsMixed if it is not known."""
        return self._rank(self.site.tensor(index), self.name(index))

    def dims(self, index: int) -> Dims:
        """Return the dimensions of an operand. Raises RowsMixed if they are not known."""
        return self._dims(self.site.tensor(index), self.name(index))

    def fields_dims(self, index: int) -> list[Dims]:
        """Return the dimensions of the fields of a tuple."""
        return [self._dims(field, self.name(index)) for field in self.site.fields(index)]

    @property
    def result_dims(self) -> Dims:
        """The dimensions of the result."""
        shape = self.result.shape if isinstance(self.result, tree.TensorStructInfo) else None
        if not isinstance(shape, tree.ShapeExpr):
            raise RowsMixed("the shape of the result is not known")
        return shape.values

    def _rank(self, known: Known, name: str) -> int:
        if known.rank is None:
            raise RowsMixed(f"the rank of {name} is not known")
        return known.rank

    def _dims(self, known: Known, name: str) -> Dims:
        if known.dims is None:
            raise RowsMixed(f"the shape of {name} is not known")
        return known.dims

    def axes(self, index: int, attribute: str) -> tuple[int, ...]:
        """Return the axes that an attribute names, counted from the front; all if it is null."""
        rank = self.rank(index)
        if self.attrs[attribute] is None:
            return tuple(range(rank))
        return tuple([axis % rank if rank else axis for axis in self.numbers(attribute)])

    def numbers(self, attribute: str) -> list[int]:
        """Return the numbers of an attribute that is a number or a list of them."""
        given: Any = self.attrs[attribute]
        return [given] if isinstance(given, int) else list(given)

    def is_one(self, dim: tree.PrimExpr) -> bool:
        """Return whether an extent is certainly 1."""
        return value_of(dim) == 1

    def need(self, holds: bool, reason: str) -> None:
        """Raise RowsMixed unless something holds."""
        if not holds:
            raise RowsMixed(reason)
