"""A node while it is imported: what its rule sees of it."""

from __future__ import annotations

import math

from relax_lang.onnx import dims
from relax_lang.onnx.errors import Invalid, NeedsValue, Refused
from relax_lang.onnx.reading.model import Graph
from relax_lang.onnx.reading.tensors import DTYPES, OTHER_DTYPES
from relax_lang.onnx.values import Constant, Sizes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Protocol

    from relax_lang.onnx.building.builder import Builder
    from relax_lang.onnx.reading.model import NodeDef
    from relax_lang.onnx.reading.origins import Origins
    from relax_lang.onnx.values import Array, Value
    from relax_lang.syntax import tree

    class Conversion(Protocol):
        """What rules need of the walk over the graph; see `conversion`."""

        builder: Builder
        input_dims: frozenset[str]
        origins: Origins
        readers: Mapping[str, int]
        items: dict[str, tree.Item]

        @property
        def in_function(self) -> bool:
            """Whether the walk is in the body of a function."""
            ...

        def apply(self, op: str, values: Sequence[Value], attrs: Mapping[str, Any]) -> Value:
            """Return the result of an operator of the standard."""
            ...

        def subgraph(self, graph: Graph, builder: Builder, inputs: Mapping[str, Value]) -> list[Value]:
            """Convert a graph inside of a node into another block; return its outputs."""
            ...

    Result = Value | Sequence[Value | None]
    Rule = Callable[["Node"], Result]

RULES: dict[str, Rule] = {}
"""The rule of each operator of the standard, by name."""
FUSED: dict[str, Rule] = {}
"""The rules of operators of `com.microsoft`, by name."""


def imports_fused(name: str, *more: str) -> Callable[[Rule], Rule]:
    """Declare the rule of operators of `com.microsoft`."""

    def declare(function: Rule) -> Rule:
        FUSED.update(dict.fromkeys((name, *more), function))
        return function

    return declare


def imports(*names: str) -> Callable[[Rule], Rule]:
    """Declare the rule of operators."""

    def declare(function: Rule) -> Rule:
        for name in names:
            assert name not in RULES, name
            RULES[name] = function
        return function

    return declare


class Node:
    """A node with the values of its inputs. `opset` is the version of the standard that holds for it."""

    __slots__ = ("builder", "conversion", "definition", "opset", "values")

    def __init__(
        self, definition: NodeDef, values: list[Value | None], opset: int, conversion: Conversion
    ) -> None:
        self.definition = definition
        self.values = values
        self.opset = opset
        self.conversion = conversion
        self.builder: Builder = conversion.builder

    @property
    def op(self) -> str:
        """The operator's name."""
        return self.definition.op

    @property
    def n_outputs(self) -> int:
        """The number of outputs up to the last that is wanted."""
        names = self.definition.outputs
        return max([at + 1 for at, name in enumerate(names) if name], default=0)

    def is_read_once(self) -> bool:
        """Return whether it is certain that exactly one node reads the first output."""
        names = self.definition.outputs[:1]
        if self.conversion.in_function or not names:  # whose names are its own, and are not counted
            return False
        return self.conversion.readers.get(names[0], 0) == 1

    def readers_of(self, index: int) -> int:
        """Return how often an operand is read, as far as that is certain; 0 if it is not."""
        return (
            0
            if self.conversion.in_function
            else self.conversion.readers.get(self.definition.inputs[index], 0)
        )

    def wants(self, index: int) -> bool:
        """Return whether an output is used."""
        return index < len(self.definition.outputs) and bool(self.definition.outputs[index])

    # Inputs.

    def given(self, index: int) -> bool:
        """Return whether an input is there."""
        return index < len(self.values) and self.values[index] is not None

    def input(self, index: int) -> Value:
        """Return an input. Raises Invalid if it is missing."""
        value = self.optional(index)
        if value is None:
            raise Invalid(f"input {index} is missing")
        return value

    def optional(self, index: int) -> Value | None:
        """Return an input, or None if it is left out."""
        return self.values[index] if index < len(self.values) else None

    def inputs(self) -> list[Value]:
        """Return all inputs, none of which may be left out."""
        return [self.input(index) for index in range(len(self.values))]

    def known(self, index: int, role: str) -> Array:
        """Return the elements of an input. Raises NeedsValue if they are not known."""
        value = self.input(index)
        found = known_array(value)
        if found is None:
            raise NeedsValue(self.definition.inputs[index], role)
        return found

    def known_ints(self, index: int, role: str) -> list[int] | None:
        """Return the integers of an input, or None if it is left out. Raises NeedsValue if they are not known."""
        if not self.given(index):
            return None
        return [int(one) for one in self.known(index, role).reshape(-1)]

    # Attributes.

    def attribute(self, name: str, default: Any = None) -> Any:
        """Return an attribute as it is."""
        value = self.definition.attrs.get(name, default)
        if isinstance(value, Exception):
            raise value
        return value

    def int(self, name: str, default: int | None = None) -> int:
        """Return an attribute that is an integer. Raises Invalid."""
        return self._typed(name, default, int)

    def float(self, name: str, default: float | None = None) -> float:
        """Return an attribute that is a number. Raises Invalid."""
        return self._typed(name, default, float)

    def string(self, name: str, default: str | None = None) -> str:
        """Return an attribute that is a string. Raises Invalid."""
        return self._typed(name, default, str)

    def ints(self, name: str) -> list[int] | None:
        """Return an attribute that is a list of integers, or None. Raises Invalid."""
        value = self.attribute(name)
        if value is not None and not isinstance(value, list):
            raise Invalid(f"the attribute `{name}` must be a list of integers")
        return value  # pyright: ignore[reportUnknownVariableType]

    def graph(self, name: str) -> Graph:
        """Return an attribute that is a graph. Raises Invalid."""
        return self._typed(name, None, Graph)

    def dtype(self, name: str, default: str | None = None) -> str:
        """Return an attribute that names a dtype, as the language calls it. Raises Refused, Invalid."""
        if name not in self.definition.attrs and default is not None:
            return default
        value = self.int(name)
        if value not in DTYPES:
            raise Refused(f"the dtype {OTHER_DTYPES.get(value, value)} has no counterpart in Relax")
        return DTYPES[value]

    def _typed(self, name: str, default: Any, kind: type) -> Any:
        value = self.attribute(name, default)
        if kind is float and isinstance(value, int):
            return float(value)
        if not isinstance(value, kind):
            what = "is missing" if value is None else f"must be of type {kind.__name__}"
            raise Invalid(f"the attribute `{name}` {what}")
        return value

    # Results.

    def apply(self, op: str, *values: Value, **attrs: Any) -> Value:
        """Return what an operator of ONNX gives for values, by its rule in this opset."""
        return self.conversion.apply(op, values, attrs)


def known_array(value: Value) -> Array | None:
    """Return the elements of a value if they are known."""
    if isinstance(value, Constant):
        return value.array
    if isinstance(value, Sizes):
        found = dims.numbers(value.items)
        if found is not None:
            import numpy as np

            made = np.array(found, value.dtype)
            return made.reshape(()) if value.scalar else made
    return None


def axis_of(axis: int, rank: int, *, extra: int = 0) -> int:
    """Return an axis counted from 0. Raises Invalid if there is none."""
    if not -rank - extra <= axis < rank + extra:
        raise Invalid(f"axis {axis} of a tensor of rank {rank}")
    return axis + rank if axis < 0 else axis


def axes_of(axes: Sequence[int], rank: int) -> list[int]:
    """Return axes counted from 0. Raises Invalid for one that is none, or is given twice."""
    found = [axis_of(axis, rank) for axis in axes]
    if len(set(found)) != len(found):
        raise Invalid(f"axes {list(axes)} name one axis twice")
    return found


def static_dims(value: Value, what: str) -> tuple[int, ...]:
    """Return the shape of a value if it is known as numbers. Raises Refused."""
    found = dims.numbers(value.dims)
    if found is None:
        raise Refused(f"{what} is not known: {dims.text(value.dims)}")
    return found


MOST_ELEMENTS = 1 << 24
"""Of a table that is made while a model is imported."""


def bounded(*extents: int) -> None:
    """Check that a table of these extents may be made. Raises Refused."""
    size = math.prod(extents)
    if size > MOST_ELEMENTS or min(extents, default=0) < 0:
        raise Refused(f"it takes a table of {size} elements")


def is_float(dtype: str) -> bool:
    """Return whether a dtype has fractions."""
    return dtype in ("float16", "bfloat16", "float32", "float64")
