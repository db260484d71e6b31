"""The call that a rule of export works on, and where rules are registered."""

from __future__ import annotations

from relax_lang.onnx.exporting.graph import NotInOnnx
from relax_lang.ops.shape_rules.shared.dims import value_of
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from relax_lang.onnx.exporting.graph import Graph
    from relax_lang.ops.core.inference import Inference

    Value = str | list["Value"] | tuple[tree.PrimExpr, ...] | None
    Rule = Callable[["Call"], "str | list[str]"]

EXPORTS: dict[str, Rule] = {}
"""The rule of each operator that has a counterpart."""


class Call:
    """A call of an operator. `values` are what its operands are in the graph: names, lists of names for tuples,
    dimensions for shapes. Attributes are in `attrs`, with their defaults; `result` is its struct info.
    """

    def __init__(
        self, graph: Graph, site: Inference, values: Sequence[Value], result: tree.StructInfo
    ) -> None:
        self.graph = graph
        self.site = site
        self.values = values
        self.result = result
        self.attrs: dict[str, Any] = site.attrs

    @property
    def name(self) -> str:
        """The name of the operator."""
        return self.site.operator.name

    def op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """Add a node, and return its output. Raises NotInOnnx if it does not take the dtype of the first operand."""
        if inputs and inputs[0] == self.values[0]:
            dtype = self.dtype()
            self.need(dtype in self.graph.dtypes_of(kind), f"{kind} does not take {dtype}")
        return self.graph.op(kind, *inputs, **attributes)

    def tensor(self, index: int) -> str:
        """Return an operand that is a tensor."""
        value = self.values[index]
        if not isinstance(value, str):
            raise self.refused(f"{self.site.name(index)} is not a tensor")
        return value

    def given(self, index: int) -> bool:
        """Return whether an optional operand is given."""
        return index < len(self.values) and self.site.given(index)

    def dims_of(self, index: int) -> tuple[tree.PrimExpr, ...]:
        """Return the value of an operand that is a shape."""
        value = self.values[index]
        if isinstance(value, tuple):
            return value
        raise self.refused(f"{self.site.name(index)} is not known as dimensions")

    def rank(self, index: int = 0) -> int:
        """Return the rank of an operand."""
        rank = self.site.tensor(index).rank
        if rank is None:
            raise self.refused(f"the rank of {self.site.name(index)} is not known")
        return rank

    def extents(self, index: int = 0) -> tuple[tree.PrimExpr, ...]:
        """Return the dimensions of an operand."""
        dims = self.site.tensor(index).dims
        if dims is None:
            raise self.refused(f"the shape of {self.site.name(index)} is not known")
        return dims

    def extent(self, index: int, axis: int) -> int:
        """Return an extent that must be a number."""
        found = value_of(self.extents(index)[axis])
        if found is None:
            raise self.refused(f"axis {axis} of {self.site.name(index)} is not a number")
        return found

    def dtype(self, index: int = 0) -> str:
        """Return the dtype of an operand."""
        known = self.site.tensor(index).dtype
        if known is None:
            raise self.refused(f"the dtype of {self.site.name(index)} is not known")
        return known

    @property
    def result_dtype(self) -> str:
        """The dtype of the result."""
        info = self.result
        if isinstance(info, tree.TensorStructInfo) and info.dtype is not None:
            return info.dtype.name
        raise self.refused("the dtype of its result is not known")

    @property
    def result_dims(self) -> tuple[tree.PrimExpr, ...]:
        """The dimensions of the result."""
        shape = self.result.shape if isinstance(self.result, tree.TensorStructInfo) else None
        if not isinstance(shape, tree.ShapeExpr):
            raise self.refused("the shape of its result is not known")
        return shape.values

    def number(self, index: int) -> float | int | bool:
        """Return a scalar operand, which must be a number."""
        scalar = self.site.scalar(index)
        if isinstance(scalar, tree.IntImm | tree.FloatImm | tree.BoolImm):
            return scalar.value
        raise self.refused(f"{self.site.name(index)} is not a number")

    def axis(self, name: str = "axis", rank: int | None = None) -> int:
        """Return an axis, counted from the front."""
        rank = self.rank() if rank is None else rank
        return int(self.attrs[name]) % max(1, rank)

    def axes(self, name: str = "axis", rank: int | None = None) -> list[int]:
        """Return several axes, counted from the front; all if none are named."""
        rank = self.rank() if rank is None else rank
        given: Any = self.attrs[name]
        if given is None:
            return list(range(rank))
        named: list[int] = [given] if isinstance(given, int) else list(given)
        return [one % max(1, rank) for one in named]

    def need(self, holds: object, why: str) -> None:
        """Raise NotInOnnx unless something holds."""
        if not holds:
            raise self.refused(why)

    def refused(self, why: str) -> NotInOnnx:
        """Return the refusal of this call."""
        return NotInOnnx(f"`{self.name}`", why)

    def cast(self, value: str, before: str, after: str) -> str:
        """Return a value in another dtype."""
        from relax_lang.onnx.exporting.graph import DTYPES

        return value if before == after else self.op("Cast", value, to=DTYPES[after])


def exports(*names: str) -> Callable[[Rule], Rule]:
    """Register the rule of operators."""

    def register(rule: Rule) -> Rule:
        EXPORTS.update(dict.fromkeys(names, rule))
        return rule

    return register
