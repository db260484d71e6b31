"""What the tests of operators share: running one by name, and one expression given as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from relax_lang.ops.calls.call_cache import bind
from relax_lang.ops.core.attributes import attribute_values, move_scalars
from relax_lang.ops.core.dtypes import numpy_dtype
from relax_lang.ops.core.signature import DTypeName
from relax_lang.ops.registry import lookup
from relax_lang.syntax import tree
from relax_lang.syntax.parser import parse
from relax_lang.values import RunFailure, ShapeValue

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from relax_lang.ops.core.operator import Operator


def run_operator(operator: Operator, args: Sequence[Any], attrs: Mapping[str, Any] | None = None) -> Any:
    """Evaluate one call with all checks, as a program does. Raises RunFailure only. [OP.9]

    Scalar operands are `int`, `float` or `bool`; None is an optional argument that is left out.
    """
    args, others = move_scalars(operator, args, attrs or {})
    call = bind(operator, operator.options(others))
    operator.check_arity(len(args))
    with np.errstate(all="ignore"):
        return call(*args)


def run(name: str, *args: Any, **attrs: Any) -> Any:
    """Run an operator; dtypes may be given as plain strings."""
    operator = lookup(name)
    assert operator is not None
    types = {spec.name: spec.type for spec in operator.attrs}
    for key, value in attrs.items():
        if isinstance(value, str) and types.get(key, "").startswith("dtype"):
            attrs[key] = DTypeName(value)
    return run_operator(operator, args, attrs)


def fails(slug: str, name: str, *args: Any, **attrs: Any) -> RunFailure:
    """Require that an operator ends the program with a slug; its message names the operator."""
    with pytest.raises(RunFailure) as caught:
        run(name, *args, **attrs)
    assert caught.value.slug == slug, caught.value
    assert caught.value.facts["operator"] == name
    assert not caught.value.message[0].isupper()
    assert not caught.value.message.endswith(".")
    return caught.value


def check(actual: Any, expected: Any, tolerance: float = 0.0) -> None:
    """Require the same shape, dtype and values; nan equals nan."""
    assert isinstance(actual, np.ndarray)
    expected = np.asarray(expected)
    assert actual.dtype == expected.dtype
    assert actual.shape == expected.shape
    if tolerance == 0:
        np.testing.assert_array_equal(actual, expected)
    else:
        wide = np.float64 if actual.dtype.kind != "c" else actual.dtype
        np.testing.assert_allclose(actual.astype(wide), expected.astype(wide), tolerance, tolerance)


def shape(*values: int) -> ShapeValue:
    return ShapeValue(values)


def f32(*values: Any) -> Any:
    return np.array(values, np.float32)


def i32(*values: Any) -> Any:
    return np.array(values, np.int32)


def i64(*values: Any) -> Any:
    return np.array(values, np.int64)


def random(*extents: int, seed: int = 0, dtype: str = "float32") -> Any:
    return np.random.default_rng(seed).normal(size=extents).astype(numpy_dtype(dtype))


def integers(*extents: int, seed: int = 0, dtype: str = "int32", low: int = -9, high: int = 9) -> Any:
    return np.random.default_rng(seed).integers(low, high + 1, size=extents).astype(dtype)


def evaluate(text: str) -> Any:
    """Evaluate one expression of constants, shapes, tuples and operators, as its text says."""
    parsed = parse(text, start="expr")
    assert not parsed.diagnostics, (text, parsed.diagnostics)
    return _value(parsed.tree, "any")


def called_name(call: tree.Call) -> str:
    """Return the name of the operator that a call of an expression calls, which binds no variables."""
    assert isinstance(call.op, tree.Op | tree.Var)
    return call.op.op_name if isinstance(call.op, tree.Op) else call.op.name_hint


def _value(node: Any, kind: str) -> Any:
    if kind == "prims":
        return tuple([_value(field, "prim") for field in node.fields])
    if kind == "prim":
        return _number(node)
    if isinstance(node, tree.Call):
        operator = lookup(called_name(node))
        assert operator is not None
        kinds = [param.kind for param in operator.params]
        kinds += kinds[-1:] * len(node.args)  # the last one may be variadic
        args = [_value(arg, kind) for arg, kind in zip(node.args, kinds, strict=False)]
        return run_operator(operator, args, attribute_values(node.attrs))
    if isinstance(node, tree.Tuple):
        return tuple([_value(field, "any") for field in node.fields])
    if isinstance(node, tree.ShapeExpr):
        return ShapeValue(tuple([_prim(value) for value in node.values]))
    if isinstance(node, tree.UnaryOp):
        return run("negative", _value(node.operand, kind))
    assert isinstance(node, tree.Constant), node
    data = _plain(node.data)
    if node.dtype is not None:
        return np.array(data, numpy_dtype(node.dtype.name))
    made = np.array(data)
    return made.astype({"f": "float32", "i": "int32", "b": "bool"}[made.dtype.kind])


def _number(node: Any) -> Any:
    if isinstance(node, tree.UnaryOp):
        return -_number(node.operand)
    return _plain(node.data)


def _prim(node: Any) -> int:
    return -_prim(node.a) if isinstance(node, tree.Neg) else node.value


def _plain(literal: Any) -> Any:
    return [_plain(item) for item in literal.items] if isinstance(literal, tree.ListLit) else literal.value
