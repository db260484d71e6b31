"""Searching, sets, sorting, sampling."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relax_lang.ops.core.dtypes import numpy_dtype
from tests.ops.harness import check, f32, fails, i32, i64, integers, random, run


@pytest.mark.parametrize("name", ["argmax", "argmin"])
def test_arg_extremes(name: str) -> None:
    x = integers(3, 4, 2, low=-2, high=2)
    pick: Any = max if name == "argmax" else min
    for axis in (0, 1, -1):
        rows = np.moveaxis(x, axis, -1)
        expected = np.array(
            [row.tolist().index(pick(row.tolist())) for row in rows.reshape(-1, rows.shape[-1])]
        )
        check(run(name, x, axis=axis), expected.reshape(rows.shape[:-1]))
        check(run(name, x, axis=axis, keepdims=True), np.expand_dims(expected.reshape(rows.shape[:-1]), axis))
    flat = x.reshape(-1).tolist()
    check(run(name, x), np.array(flat.index(pick(flat))))
    check(run(name, x, keepdims=True), np.full((1, 1, 1), flat.index(pick(flat))))
    check(run(name, f32(1, np.nan, 9, np.nan)), np.array(1))
    check(run(name, np.array([True, False, True])), np.array(0 if name == "argmax" else 1))
    assert fails("op-runtime-value", name, np.zeros((2, 0)), axis=1).facts["axis"] == 1
    check(run(name, np.zeros((0, 2)), axis=1), np.zeros(0, np.int64))
    check(run(name, np.zeros((0, 2)), axis=1, keepdims=True), np.zeros((0, 1), np.int64))
    check(run(name, np.array(3.0)), np.array(0))
    assert run(name, random(3, dtype="bfloat16")).dtype == np.int64


def test_bucketize() -> None:
    boundaries = f32(1, 2, 2, 5)
    x = f32([0, 1, 1.5], [2, 5, 6])
    left = [[sum(b < v for b in boundaries) for v in row] for row in x]
    right = [[sum(b <= v for b in boundaries) for v in row] for row in x]
    check(run("bucketize", x, boundaries), np.array(left))
    check(run("bucketize", x, boundaries, right=True, out_int32=True), np.array(right, np.int32))
    check(run("bucketize", np.array(3), f32()), np.array(0))
    fails("op-runtime-value", "bucketize", x, f32(2, 1))
    fails("op-argument", "bucketize", x, x)


def test_O_10_unique() -> None:
    x = i32([3, 1], [3, 2])
    check(run("unique", x), i32(1, 2, 3))
    check(run("unique", x, False), i32(3, 1, 2))
    values, index, inverse, counts = run("unique", x, True, True, True, True)
    check(values, i32(1, 2, 3))
    check(index, i64(1, 3, 0))
    check(inverse, i64(2, 0, 2, 1))
    check(counts, i64(1, 1, 2))
    values, index, inverse, counts = run("unique", x, False, True, True, True)
    check(values, i32(3, 1, 2))
    check(index, i64(0, 1, 3))
    check(values[inverse], x.reshape(-1))
    check(counts, i64(2, 1, 1))
    check(run("unique", np.array(5.0)), np.array([5.0]))
    check(run("unique", f32(np.nan, 1, np.nan)), f32(1, np.nan))
    check(run("unique", np.zeros(0, np.int8)), np.zeros(0, np.int8))
    half = f32(2, 1, 2).astype(numpy_dtype("bfloat16"))
    check(run("unique", half).astype(np.float32), f32(1, 2))
    assert run("unique", half).dtype == half.dtype


def test_unique_along_an_axis() -> None:
    x = i32([1, 2, 1], [0, 3, 0])
    values, inverse = run("unique", x, axis=1, return_inverse=True)
    check(values, i32([1, 2], [0, 3]))
    check(inverse, i64(0, 1, 0))
    check(run("unique", i32([5], [2], [5]), False, axis=0), i32([5], [2]))
    fails("op-axis", "unique", x, axis=2)


def test_nonzero() -> None:
    check(run("nonzero", i32([0, 1], [2, 0])), i64([0, 1], [1, 0]))
    check(run("nonzero", np.array(True)), i64([0]))
    check(run("nonzero", np.array(0)), np.zeros((1, 0), np.int64))
    check(run("nonzero", f32(np.nan, 0, -0.0)), i64([0]))
    assert run("nonzero", random(3, dtype="bfloat16")).shape == (1, 3)


def test_multinomial_from_uniform() -> None:
    prob = f32([0.25, 0.25, 0.5], [1, 0, 0])
    sample, rows = f32([0.0], [0.25], [0.3], [0.6], [0.5], [1.0]), i64([0], [0], [0], [0], [1], [1])
    check(run("multinomial_from_uniform", prob, sample, rows), i64([0], [1], [1], [2], [0], [2]))
    assert run("multinomial_from_uniform", prob, sample, rows, dtype="int32").dtype == np.int32
    fails("op-runtime-shape", "multinomial_from_uniform", prob, sample, rows[:2])
    fails("op-runtime-value", "multinomial_from_uniform", prob, f32([0.1]), i64([2]))
    fails("op-runtime-value", "multinomial_from_uniform", np.zeros((2, 0), np.float32), f32([0.1]), i64([0]))
    fails("op-argument", "multinomial_from_uniform", f32(1), sample, rows)


def in_order(values: list[Any], descending: bool) -> list[int]:
    """Return the places in sorted order: stable, nan last."""
    numbers = [i for i, v in enumerate(values) if v == v]
    numbers.sort(key=lambda i: -values[i] if descending else values[i])
    return numbers + [i for i, v in enumerate(values) if v != v]


number = st.sampled_from([-1.5, 0.0, 1.0, 2.0, float("inf"), float("-inf"), float("nan")])


@given(st.lists(number, max_size=8), st.booleans(), st.sampled_from(["float16", "float32", "bfloat16"]))
def test_sorting_is_stable_and_nan_comes_last(values: list[float], descending: bool, dtype: str) -> None:
    x = np.array(values).astype(numpy_dtype(dtype))
    order = in_order(values, descending)
    check(run("argsort", x, descending=descending), np.array(order, np.int32))
    check(run("sort", x, descending=descending).astype(np.float32), x[order].astype(np.float32))
    found, places = run("topk", x, k=3, largest=descending)
    check(places, np.array(order[:3], np.int32))
    check(found.astype(np.float32), x[order[:3]].astype(np.float32))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int64", "uint64", "bool"])
def test_sorting_integers_descending(dtype: str) -> None:
    limits = (False, True) if dtype == "bool" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    x = np.array([limits[0], limits[1], 0, 1, limits[0]], dtype)
    values = [int(v) for v in x]
    check(run("argsort", x, descending=True), np.array(in_order(values, True), np.int32))
    check(run("sort", x, descending=True), x[in_order(values, True)])
    check(run("sort", x), x[in_order(values, False)])


def test_sorting_along_axes() -> None:
    x = random(3, 4, 2)
    for axis in (0, 1, -1):
        check(run("sort", x, axis=axis), np.sort(x, axis))
        check(run("sort", x, axis=axis, descending=True), -np.sort(-x, axis))
        check(run("argsort", x, axis=axis, dtype="int64"), np.argsort(x, axis))
    for name in ("sort", "argsort", "topk"):
        fails("op-axis", name, x, axis=3)
        fails("op-axis", name, np.array(1.0))


def test_topk() -> None:
    x = f32([3, 1, 3], [0, 5, 2])
    values, places = run("topk", x, k=2, axis=1)
    check(values, f32([3, 3], [5, 2]))
    check(places, i32([0, 2], [1, 2]))
    check(run("topk", x, k=1, axis=0, ret_type="values"), f32([3, 5, 3]))
    check(run("topk", x, k=1, largest=False, ret_type="indices", dtype="int64"), i64([1], [0]))
    for k in (0, -1, 3, 99):
        values, _ = run("topk", x, k=k)
        check(values, -np.sort(-x))
    fails("op-attribute", "topk", x, ret_type="all")
