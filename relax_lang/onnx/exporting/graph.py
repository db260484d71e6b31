"""A graph of ONNX that is being written: nodes, names, constants, and sizes as tensors."""

from __future__ import annotations

import numpy as np

from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Array = np.ndarray[Any, Any]

DTYPES = {
    "float32": 1,
    "uint8": 2,
    "int8": 3,
    "uint16": 4,
    "int16": 5,
    "int32": 6,
    "int64": 7,
    "bool": 9,
    "float16": 10,
    "float64": 11,
    "uint32": 12,
    "uint64": 13,
    "bfloat16": 16,
}
"""The numbers that ONNX has for dtypes."""

_DTYPE_NAMES: dict[str, str] = {
    f"tensor({'float' if name == 'float32' else 'double' if name == 'float64' else name})": name
    for name in DTYPES
}
"""What schemas call dtypes."""


class NotInOnnx(Exception):  # noqa: N818 - named after what a program has
    """Something of a program has no counterpart; `what` names it for the list, such as an operator."""

    def __init__(self, what: str, why: str = "") -> None:
        super().__init__(what, why)
        self.what = what
        self.why = why


class Names:
    """Names of values, each once."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, like: str) -> str:
        """Return a new name."""
        name, number = like, 0
        while name in self._taken:
            number += 1
            name = f"{like}_{number}"
        self._taken.add(name)
        return name


class Graph:
    """Nodes in order. A branch is a graph with a `parent`, whose values it sees; constants belong to the outermost.

    `sizes` has, for each shape variable, the tensor and axis where its value can be read.
    """

    def __init__(self, helper: Any, opset: int, parent: Graph | None = None) -> None:
        self.helper = helper
        self.opset = opset
        self.parent = parent
        self.nodes: list[Any] = []
        self.initializers: list[Any] = []
        self.names: Names = parent.names if parent is not None else Names()
        self._kept: dict[object, str] = {}
        self.sizes: dict[str, tuple[str, int] | tree.PrimExpr] = {} if parent is None else dict(parent.sizes)

    @property
    def root(self) -> Graph:
        """The outermost graph."""
        return self if self.parent is None else self.parent.root

    def op(self, kind: str, *inputs: str, hint: str = "", **attributes: object) -> str:
        """Add a node with one output, and return its name."""
        return self.ops(kind, *inputs, outputs=1, hint=hint, **attributes)[0]

    def ops(self, kind: str, *inputs: str, outputs: int, hint: str = "", **attributes: object) -> list[str]:
        """Add a node with several outputs."""
        names = [self.names.take(hint or kind.lower()) for _ in range(outputs)]
        given = {key: value for key, value in attributes.items() if value is not None}
        self.nodes.append(self.helper.make_node(kind, list(inputs), names, **given))
        return names

    def dtypes_of(self, kind: str) -> set[str]:
        """Return the dtypes that the first input of an operator may have."""
        from onnx import defs  # optional

        schema: Any = defs.get_schema(kind, self.opset)
        types: list[str] = list(schema.inputs[0].types)
        return {_DTYPE_NAMES.get(text, text) for text in types}

    def constant(self, array: Array, hint: str = "const") -> str:
        """Return a constant; equal small ones are one."""
        key = (str(array.dtype), array.shape, array.tobytes()) if array.size <= 64 else None
        root = self.root
        if key is not None and key in root._kept:
            return root._kept[key]
        name = self.names.take(hint)
        contiguous = np.ascontiguousarray(array).reshape(array.shape)
        kind = DTYPES[array.dtype.name]
        root.initializers.append(
            self.helper.make_tensor(name, kind, array.shape, contiguous.tobytes(), raw=True)
        )
        if key is not None:
            root._kept[key] = name
        return name

    def ints(self, values: Sequence[int]) -> str:
        """Return a constant vector of int64."""
        return self.constant(np.array(values, np.int64), "sizes")

    def scalar(self, value: object, dtype: str) -> str:
        """Return a constant of rank 0."""
        if dtype == "bfloat16":
            import ml_dtypes  # a dtype that NumPy does not have  # pyright: ignore[reportMissingTypeStubs]

            return self.constant(np.array(value, ml_dtypes.bfloat16))
        return self.constant(np.array(value, dtype))

    # Dimensions as tensors.

    def size(self, dim: tree.PrimExpr) -> str:
        """Return a dimension as a vector of one int64. Raises NotInOnnx for what has no arithmetic there."""
        if isinstance(dim, tree.IntImm):
            return self.ints([dim.value])
        if isinstance(dim, tree.PrimVar):
            return self._variable(dim.name)
        if isinstance(dim, tree.Neg):
            return self.op("Neg", self.size(dim.a), hint="size")
        kind = _ARITHMETIC.get(type(dim))
        if kind is None:
            raise NotInOnnx("a dimension", f"{type(dim).__name__} has no counterpart")
        left, right = getattr(dim, "a"), getattr(dim, "b")  # noqa: B009 - all of these have two operands
        return self.op(kind, self.size(left), self.size(right), hint="size")

    def _variable(self, name: str) -> str:
        known = self._lookup(("size", name))
        if known is not None:
            return known
        place = self.sizes.get(name)
        if place is None:
            raise NotInOnnx("a dimension", f"the value of `{name}` is not known from a tensor")
        if not isinstance(place, tuple):
            found = self.size(place)
        else:
            tensor, axis = place
            found = self.op("Shape", tensor, start=axis, end=axis + 1, hint=name)
        self._kept["size", name] = found
        return found

    def _lookup(self, key: object) -> str | None:
        found = self._kept.get(key)
        if found is None and self.parent is not None:
            return self.parent._lookup(key)
        return found

    def shape(self, dims: Sequence[tree.PrimExpr]) -> str:
        """Return dimensions as a vector of int64."""
        numbers = [dim.value for dim in dims if isinstance(dim, tree.IntImm)]
        if len(numbers) == len(dims):
            return self.ints(numbers)
        parts = [self.size(dim) for dim in dims]
        return parts[0] if len(parts) == 1 else self.op("Concat", *parts, axis=0, hint="shape")

    def forget(self, names: Sequence[str]) -> None:
        """Forget the sizes of shape variables, since others of these names come."""
        for name in names:
            self._kept.pop(("size", name), None)


_ARITHMETIC: dict[type[Any], str] = {
    tree.Add: "Add",
    tree.Sub: "Sub",
    tree.Mul: "Mul",
    tree.FloorDiv: "Div",  # of dimensions, which are never negative
    tree.FloorMod: "Mod",
    tree.Min: "Min",
    tree.Max: "Max",
}
