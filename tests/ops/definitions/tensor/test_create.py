"""Creation of tensors, conversion, shapes as values."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relax_lang import RelaxError, api
from relax_lang.ops.core.dtypes import numpy_dtype
from relax_lang.syntax.dtypes import DTYPES
from relax_lang.values import ShapeValue
from tests.ops.harness import check, f32, fails, i32, i64, random, run, shape


@pytest.mark.parametrize("dtype", DTYPES)
def test_ones_zeros_full(dtype: str) -> None:
    kind = numpy_dtype(dtype)
    for extents in ((), (0,), (2, 3)):
        check(run("ones", shape(*extents), dtype=dtype), np.ones(extents, kind))
        check(run("zeros", shape(*extents), dtype=dtype), np.zeros(extents, kind))
        check(run("builtin.alloc_tensor", shape(*extents), dtype=dtype), np.zeros(extents, kind))
        check(run("full", shape(*extents), np.array(1, kind)), np.ones(extents, kind))
        check(run("ones_like", random(*extents), dtype=dtype), np.ones(extents, kind))
    check(run("zeros_like", np.ones((2,), kind)), np.zeros((2,), kind))


def test_fill_values_are_converted() -> None:
    check(run("full", shape(2), np.array(1.7, np.float32), dtype="int32"), i32(1, 1))
    check(run("full_like", i32(0, 0), np.array(1.7, np.float32)), i32(1, 1))
    check(run("full_like", i32(0, 0), np.array(1.5), dtype="float32"), f32(1.5, 1.5))
    fails("op-argument", "full", shape(2), f32(1))
    fails("op-argument", "full_like", f32(2), f32(1))


def test_sizes_are_never_negative() -> None:
    found = fails("op-runtime-value", "zeros", shape(2, -1), dtype="float32")
    assert found.message == "zeros: axis 1 of `shape` is -1; a size is never negative"
    fails("op-runtime-value", "full", shape(-1), np.array(1))


@given(st.integers(-9, 9), st.integers(-9, 9), st.integers(-4, 4).filter(bool))
def test_arange_of_integers(start: int, end: int, step: int) -> None:
    check(run("arange", start, end, step), np.array(range(start, end, step), np.int64))


def test_arange() -> None:
    check(run("arange", 3), i64(0, 1, 2))
    check(run("arange", 5, 0, -2), i64(5, 3, 1))
    check(run("arange", 5, 1), np.zeros(0, np.int64))
    check(run("arange", 0.5), f32(0))
    check(run("arange", 1.0, 5.5, 0.5), np.arange(1, 5.5, 0.5, dtype=np.float32))
    check(run("arange", 1, 5.5, 0.5), np.arange(1, 5.5, 0.5, dtype=np.float32))
    check(run("arange", 3, dtype="float16"), np.array([0, 1, 2], np.float16))
    check(run("arange", 0.5, 3.0, dtype="int32"), i32(0, 1, 2))
    fails("op-runtime-value", "arange", 0, 3, 0)
    fails("op-runtime-value", "arange", 0.0, math.inf)
    fails("op-attribute", "arange", 3, dtype="bool")
    assert fails("out-of-memory", "arange", 2**62).message == (
        "arange: a tensor of the shape (4611686018427387904,) is too large"
    )
    assert (
        fails("op-runtime-value", "arange", 0, 2**63, 2**61).message
        == "arange: 9223372036854775808 does not fit int64"
    )
    fails("out-of-memory", "eye", 2**40)
    fails("out-of-memory", "hamming_window", 2**60, dtype="float32")
    fails("out-of-memory", "zeros", shape(2**40, 2**40), dtype="bool")


def test_eye() -> None:
    check(run("eye", 2), np.eye(2, dtype=np.float32))
    check(run("eye", 2, 3, 1, dtype="int8"), np.eye(2, 3, 1, dtype=np.int8))
    check(run("eye", 2, 3, 10**30), np.zeros((2, 3), np.float32))
    check(run("eye", 2, None, -(10**30)), np.zeros((2, 2), np.float32))
    check(run("eye", 0), np.zeros((0, 0), np.float32))
    check(run("eye_like", i32([5, 6, 7], [8, 9, 1]), -1), np.eye(2, 3, -1, dtype=np.int32))
    check(run("eye_like", i32([5, 6]), dtype="bool"), np.eye(1, 2, dtype=bool))
    fails("op-argument", "eye_like", i32(5))
    fails("op-runtime-value", "eye", -1)


def test_hamming_window() -> None:
    for size, periodic in ((4, True), (5, False), (1, True), (1, False)):
        count = size if periodic else size - 1
        expected = [0.54 - 0.46 * math.cos(2 * math.pi * i / count) if size > 1 else 1 for i in range(size)]
        check(run("hamming_window", size, periodic, dtype="float64"), np.array(expected, float), 1e-15)
    check(run("hamming_window", 2, True, 1.0, 0.5, dtype="float32"), f32(0.5, 1.5))
    fails("op-runtime-value", "hamming_window", 0, dtype="float32")
    fails("op-attribute", "hamming_window", 4, dtype="int32")


@pytest.mark.parametrize("k", [None, -5, -1, 0, 1, 2, 9, 10**30])
@pytest.mark.parametrize("name", ["tril", "triu"])
def test_triangles(name: str, k: int | None) -> None:
    for dtype in ("float32", "bool", "bfloat16"):
        x = np.ones((2, 3, 4)).astype(numpy_dtype(dtype))
        expected = x.copy()
        for b, i, j in np.ndindex(2, 3, 4):
            if (j - i > (k or 0)) if name == "tril" else (j - i < (k or 0)):
                expected[b, i, j] = 0
        check(run(name, x, k), expected)
    fails("op-argument", name, f32(1), k)


def test_astype() -> None:
    check(run("astype", f32(1.7, -1.7), dtype="int32"), i32(1, -1))
    check(run("astype", i32(300, -1), dtype="uint8"), np.array([44, 255], np.uint8))
    check(run("astype", f32(0, 2, np.nan), dtype="bool"), [False, True, True])
    check(run("astype", np.array([True, False]), dtype="float32"), f32(1, 0))
    check(run("astype", f32(1e6), dtype="float16"), np.array([np.inf], np.float16))
    x = f32(1)
    same = run("astype", x, dtype="float32")
    check(same, x)
    assert not np.may_share_memory(same, x)
    wide = run("astype", run("astype", f32(1.00390625), dtype="bfloat16"), dtype="float32")
    assert wide[0] in (1.0, np.float32(1.0078125))


def test_O_9_shape_of() -> None:
    result: Any = run("shape_of", random(2, 0, 3))
    assert isinstance(result, ShapeValue)
    assert result == ShapeValue((2, 0, 3))
    assert all(type(value) is int for value in result)
    assert run("shape_of", np.array(1.0)) == ShapeValue(())
    fails("op-argument", "shape_of", shape(2))


def test_shapes_and_tensors() -> None:
    assert run("tensor_to_shape", i64(2, 3)) == ShapeValue((2, 3))
    assert run("tensor_to_shape", np.array([2], np.uint8)) == ShapeValue((2,))
    found = fails("op-runtime-value", "tensor_to_shape", i64(2, -3))
    assert "element 1 of `input` is -3" in found.message
    fails("op-argument", "tensor_to_shape", i64([2]))
    fails("op-dtype-mismatch", "tensor_to_shape", f32(2))
    check(run("shape_to_tensor", shape(2, 3)), i64(2, 3))
    check(run("shape_to_tensor", shape()), np.zeros(0, np.int64))
    check(run("size", random(2, 3)), np.array(6))
    check(run("shape_equals", shape(2), shape(2)), np.array(True))
    check(run("shape_equals", shape(2), shape(2, 1)), np.array(False))


@pytest.mark.parametrize(
    ("call", "wrong"),
    [
        ("prim_value(2.5, dtype=uint16)", "2.5 is not a value of uint16"),
        ("prim_value(-300, dtype=int8)", "-300 is not a value of int8"),
        ("prim_value(nan, dtype=int64)", "nan is not a value of int64"),
        ("prim_value(2, dtype=bool)", "2 is not a value of bool"),
    ],
)
def test_OP_4_a_scalar_of_a_dtype_that_does_not_hold_the_number(call: str, wrong: str) -> None:
    (found,) = api.check(f"def @main() -> Object {{ {call} }}").diagnostics
    assert (found.slug, found.message) == ("op-attribute", f"prim_value: bad attribute `dtype`: {wrong}")


def test_OP_9_a_size_that_a_dtype_does_not_hold_ends_the_program() -> None:
    text = "def @main(x: Tensor[(n,), float32]) -> Object { prim_value(n, dtype=bool) }"
    assert api.run(text, np.ones(1, np.float32)) == np.bool_(True)
    with pytest.raises(RelaxError, match="2 is not a value of bool"):
        api.run(text, np.ones(2, np.float32))
