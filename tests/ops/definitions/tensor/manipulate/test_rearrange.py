"""Operators that rearrange elements, join tensors and take them apart."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from relax_lang.ops.core.dtypes import numpy_dtype
from tests.ops.harness import check, f32, fails, i32, i64, integers, random, run, shape

X = integers(2, 3, 4)
extents = st.lists(st.integers(0, 3), max_size=3).map(tuple)


@given(extents, extents)
def test_broadcast_to(source: tuple[int, ...], target: tuple[int, ...]) -> None:
    x = np.arange(math.prod(source), dtype=np.int32).reshape(source)
    aligned = list(zip(reversed(source), reversed(target), strict=False))
    if len(source) <= len(target) and all(a in (1, b) for a, b in aligned):
        result = run("broadcast_to", x, shape(*target))
        check(result, np.broadcast_to(x, target))
        assert result.flags.writeable
        assert not np.may_share_memory(result, x)
    else:
        fails("op-runtime-shape", "broadcast_to", x, shape(*target))


@given(extents, st.data())
def test_expand_dims_and_squeeze(source: tuple[int, ...], data: st.DataObject) -> None:
    x = np.zeros(source, np.float32)
    count = data.draw(st.integers(0, 2))
    rank = len(source) + count
    places = data.draw(st.permutations(range(rank)))[:count]
    axes = [place - rank if data.draw(st.booleans()) else place for place in places]
    wide = run("expand_dims", x, axis=axes)
    check(wide, np.expand_dims(x, tuple(axes)))
    check(run("squeeze", wide, axis=axes), x)
    check(run("squeeze", x), np.squeeze(x))


def test_OP_5_axes() -> None:
    fails("op-axis", "expand_dims", X, axis=4)
    fails("op-axis", "expand_dims", X, axis=[0, -5])
    fails("op-axis", "squeeze", X, axis=3)
    found = fails("op-runtime-value", "squeeze", X, axis=1)
    assert found.message == "squeeze: axis 1 has extent 3; only axes of extent 1 can be dropped"
    fails("op-axis", "permute_dims", X, axes=[0, 1, 1])
    fails("op-axis", "permute_dims", X, axes=[0, 1, 3])
    fails("op-attribute", "permute_dims", X, axes=[0, 1])
    for name, attrs in (("flip", {}), ("repeat", {"repeats": 2}), ("split", {"indices_or_sections": 2})):
        fails("op-axis", name, X, axis=3, **attrs)


def test_flatten_and_batch_flatten() -> None:
    check(run("flatten", X), X.reshape(-1))
    check(run("flatten", np.array(3.0)), np.array([3.0]))
    check(run("nn.batch_flatten", X), X.reshape(2, 12))
    check(run("nn.batch_flatten", np.zeros((0, 3, 2))), np.zeros((0, 6)))
    fails("op-argument", "nn.batch_flatten", f32(1))


def test_permute_dims() -> None:
    check(run("permute_dims", X), X.T)
    result = run("permute_dims", X, axes=[-1, 0, 1])
    assert result.shape == (4, 2, 3)
    assert all(result[c, a, b] == X[a, b, c] for a, b, c in np.ndindex(2, 3, 4))


def test_reshape() -> None:
    check(run("reshape", X, shape(4, 6)), X.reshape(4, 6))
    check(run("reshape", X, shape(-1, 6)), X.reshape(4, 6))
    check(run("reshape", X, shape(2, -1, 4, 1)), X.reshape(2, 3, 4, 1))
    check(run("reshape", np.zeros((0, 3)), shape(3, 0)), np.zeros((3, 0)))
    check(run("reshape", np.zeros((0, 3)), shape(-1, 3)), np.zeros((0, 3)))
    check(run("reshape", np.array(1.0), shape()), np.array(1.0))
    check(run("reshape", X.transpose(), shape(24)), X.transpose().reshape(24))


@pytest.mark.parametrize(
    ("slug", "target", "part"),
    [
        ("op-runtime-shape", (5, 5), "24 and 25 elements"),
        ("op-runtime-shape", (-1, 5), "24 elements cannot be divided by 5"),
        ("op-runtime-value", (-1, -1), "only one extent"),
        ("op-runtime-value", (-1, 0), "does not follow"),
        ("op-runtime-value", (-2, 12), "never negative"),
        ("op-runtime-value", (-2, -1), "never negative"),
    ],
)
def test_reshape_refuses(slug: str, target: tuple[int, ...], part: str) -> None:
    assert part in fails(slug, "reshape", X, shape(*target)).message


def test_repeat_and_tile() -> None:
    check(run("repeat", X, repeats=2), np.array([v for v in X.reshape(-1) for _ in range(2)]))
    check(run("repeat", X, repeats=3, axis=-2), np.stack([X[:, i // 3] for i in range(9)], 1))
    check(run("repeat", X, repeats=0, axis=0), np.zeros((0, 3, 4), np.int32))
    check(run("tile", i32(1, 2), repeats=[2, 3]), i32([1, 2, 1, 2, 1, 2], [1, 2, 1, 2, 1, 2]))
    check(run("tile", X, repeats=2), np.concatenate([X, X], 2))
    check(run("tile", X, repeats=[]), X)
    check(run("tile", X, repeats=0), np.zeros((2, 3, 0), np.int32))


def test_flip_and_reverse_sequence() -> None:
    check(run("flip", X, axis=1), X[:, ::-1])
    result = run("reverse_sequence", X, i32(2, 9))
    expected = X.copy()
    expected[0, :2] = X[0, 1::-1]
    expected[1] = X[1, ::-1]
    check(result, expected)
    result = run("reverse_sequence", X, i64(0, 1, 2, 3), seq_axis=1, batch_axis=2)
    assert all(result[a, b, c] == X[a, c - 1 - b if b < c else b, c] for a, b, c in np.ndindex(2, 3, 4))
    fails("op-axis", "reverse_sequence", X, i32(1, 1), seq_axis=0, batch_axis=-3)
    fails("op-runtime-shape", "reverse_sequence", X, i32(1, 1, 1))
    fails("op-runtime-value", "reverse_sequence", X, i32(-1, 1))


def test_collapse_sum() -> None:
    check(run("collapse_sum_to", X, shape(3, 1)), X.sum((0, 2), keepdims=True).astype(np.int32)[0])
    check(run("collapse_sum_to", X, shape()), np.array(X.sum(), np.int32))
    check(run("collapse_sum_like", X, f32(0, 0, 0, 0)), X.sum((0, 1)).astype(np.int32))
    check(run("collapse_sum_to", X, shape(2, 3, 4)), X)
    fails("op-runtime-shape", "collapse_sum_to", X, shape(2, 1))
    fails("op-runtime-shape", "collapse_sum_to", X, shape(1, 2, 3, 4))
    half = run("collapse_sum_to", np.ones(4096, np.float16), shape(1))
    assert (half.dtype, float(half[0])) == (np.float16, 4096)


def test_layout_transform() -> None:
    x = integers(7, 2)
    result = run("layout_transform", x, index_map="(i, j) -> (i // 4, j, i % 4)", pad_value=-1)
    expected = np.full((2, 2, 4), -1, np.int32)
    for i, j in np.ndindex(7, 2):
        expected[i // 4, j, i % 4] = x[i, j]
    check(result, expected)
    check(run("layout_transform", x, index_map="(i,j) -> (j, i)"), x.T)
    check(run("layout_transform", i32(1, 2), index_map="(i) -> (i * 2 + 1)"), i32(0, 1, 0, 2))
    check(run("layout_transform", i32(1, 2), index_map="i -> i % 4"), i32(1, 2, 0, 0))
    check(run("layout_transform", i32(1, 2), index_map="i -> (max(1 - i, min(i, 0)), 0)"), i32([2], [1]))
    check(run("layout_transform", i32(), index_map="i -> (i // 4, i % 4)"), np.zeros((0, 4), np.int32))
    empty = np.zeros((0, 3), np.int32)
    check(run("layout_transform", empty, index_map="(i, j) -> (i * 4 + j,)"), np.zeros(0, np.int32))
    check(
        run("layout_transform", empty, index_map="(i, j) -> (i * j, i // 2, j)"),
        np.zeros((0, 0, 3), np.int32),
    )
    fails("op-attribute", "layout_transform", x, index_map="(i) -> (i)")
    fails("op-attribute", "layout_transform", x, index_map="(i, j) -> (i - 1, j)")
    for dtype, value in (("int32", 0.5), ("uint8", 256), ("int8", -129), ("bool", 1), ("float32", True)):
        options = {"index_map": "(i, j) -> (j, i)", "pad_value": value}
        fails("op-attribute", "layout_transform", x.astype(dtype), **options)
    for wrong in (
        "",
        "i, j",
        "(i, j) -> (k)",
        "(i, i) -> (i)",
        "(i, j) -> (i / 2)",
        "(i, j) -> (i // j)",
        "(i, j) -> (",
        "(i, j) -> ()",
    ):
        fails("op-attribute", "layout_transform", x, index_map=wrong)


def test_memory_view() -> None:
    check(run("memory.view", f32(1.0, 2.0), dtype="int32"), f32(1.0, 2.0).view(np.int32))
    check(run("memory.view", i32(1, 2, 3, 4), shape(2), relative_byte_offset=4), i32(2, 3))
    check(run("memory.view", i32(1, 2, 3), shape(1), 8), i32(3))
    fails("op-runtime-value", "memory.view", i32(1, 2), shape(1), -4)
    check(run("memory.view", i32(1, 2), shape(0)), np.zeros(0, np.int32))
    check(run("memory.view", X.transpose()), X.transpose())
    found = fails("op-runtime-value", "memory.view", i32(1, 2), relative_byte_offset=4)
    assert found.message == "memory.view: the view needs 8 bytes, there are 4 after the offset"


@pytest.mark.parametrize("step", [2, -1, -3])
def test_memory_view_of_elements_that_lie_apart(step: int) -> None:
    for x in (np.arange(12, dtype=np.float32)[::step], np.arange(24, dtype=np.uint8)[::step][:8]):
        octets = x.copy().view(np.uint8)
        check(run("memory.view", x, shape(octets.size), dtype="uint8"), octets)
        check(run("memory.view", x, shape(1), 4, dtype="int32"), octets[4:8].view(np.int32))
    repeated = np.broadcast_to(np.float32(1.0), (3,))
    check(run("memory.view", repeated, shape(12), dtype="uint8"), repeated.copy().view(np.uint8))


PADS = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}


def test_pad() -> None:
    x = integers(3, 4)
    check(
        run("nn.pad", x, pad_width=[1, 0, 2, 3], pad_value=7), np.pad(x, [(1, 0), (2, 3)], constant_values=7)
    )
    for mode, name in PADS.items():
        check(run("nn.pad", x, pad_width=[1, 2, 3, 1], pad_mode=mode), np.pad(x, [(1, 2), (3, 1)], mode=name))  # type: ignore[call-overload]
    check(run("nn.pad", np.zeros((0,), np.float32), pad_width=[1, 1]), f32(0, 0))
    check(run("nn.pad", f32(1), pad_width=[0, 1], pad_mode=None, pad_value=None), f32(1, 0))
    half = run("nn.pad", np.ones(2, numpy_dtype("bfloat16")), pad_width=[1, 0], pad_value=0.5)
    check(half.astype(np.float32), f32(0.5, 1, 1))
    fails("op-attribute", "nn.pad", x, pad_width=[1, 0])
    fails("op-attribute", "nn.pad", x, pad_width=[1, 0, 0, -1])
    fails("op-attribute", "nn.pad", x, pad_width=[1, 0, 0, 0], pad_mode="edge")
    fails("op-runtime-value", "nn.pad", np.zeros(0), pad_width=[1, 0], pad_mode="replicate")
    fails("op-runtime-value", "nn.pad", np.zeros(1), pad_width=[1, 0], pad_mode="reflect")


def test_pixel_shuffle() -> None:
    x = integers(2, 8, 3, 2)
    result = run("nn.pixel_shuffle", x, upscale_factor=2)
    assert result.shape == (2, 2, 6, 4)
    for n, c, h, w, i, j in np.ndindex(2, 2, 3, 2, 2, 2):
        assert result[n, c, h * 2 + i, w * 2 + j] == x[n, c * 4 + i * 2 + j, h, w]
    fails("op-runtime-value", "nn.pixel_shuffle", integers(3, 2, 2), upscale_factor=2)
    fails("op-argument", "nn.pixel_shuffle", integers(3, 2), upscale_factor=2)


def test_concat() -> None:
    parts = (X, X[:, :1], X[:, :0])
    check(run("concat", parts, axis=1), np.concatenate(parts, 1))
    check(run("concat", parts, axis=-2), np.concatenate(parts, 1))
    check(run("concat", (i32(1), i32(2, 3)), axis=None), i32(1, 2, 3))
    single = run("concat", (X,))
    check(single, X)
    assert not np.may_share_memory(single, X)


def test_concat_refuses() -> None:
    fails("op-argument", "concat", ())
    fails("op-argument", "concat", (X,), axis=None)
    fails("op-argument", "concat", (i32(1), X), axis=None)
    fails("op-axis", "concat", (X,), axis=3)
    fails("op-axis", "concat", (np.array(1),))
    fails("op-dtype-mismatch", "concat", (f32(1), i32(1)))
    found = fails("op-runtime-shape", "concat", (X, X[:, :, :2]), axis=1)
    assert found.message == (
        "concat: shapes (2, 3, 4) and (2, 3, 2) do not fit: axis 2 is 4 in `tensors[0]` and 2 in `tensors[1]`"
    )
    fails("op-runtime-shape", "concat", (X, X[0]), axis=0)


def test_stack() -> None:
    check(run("stack", (X, X + 1), axis=-1), np.stack([X, X + 1], -1))
    check(run("stack", (X,)), X[None])
    fails("op-axis", "stack", (X,), axis=4)
    fails("op-argument", "stack", ())
    fails("op-runtime-shape", "stack", (X, X[:1]))


@pytest.mark.parametrize(
    ("how", "pieces"),
    [
        (2, [(0, 2), (2, 3)]),
        (3, [(0, 1), (1, 2), (2, 3)]),
        (5, [(0, 1), (1, 2), (2, 3), (3, 3), (3, 3)]),
        (1, [(0, 3)]),
        ([], [(0, 3)]),
        ([1], [(0, 1), (1, 3)]),
        ([0, 2, 9], [(0, 0), (0, 2), (2, 3), (3, 3)]),
    ],
)
def test_split(how: Any, pieces: list[tuple[int, int]]) -> None:
    result = run("split", X, indices_or_sections=how, axis=1)
    assert isinstance(result, tuple)
    assert len(result) == len(pieces)
    for part, (low, high) in zip(result, pieces, strict=True):
        check(part, X[:, low:high])


def test_split_of_seven_by_three() -> None:
    assert [len(part) for part in run("split", np.zeros(7), indices_or_sections=3)] == [3, 3, 1]
    assert [len(part) for part in run("split", np.zeros(5), indices_or_sections=4)] == [2, 2, 1, 0]
    fails("op-attribute", "split", X, indices_or_sections=[2, 1])
    fails("op-attribute", "split", X, indices_or_sections=0)


def test_meshgrid() -> None:
    x, y, z = i32(1, 2), i32(3, 4, 5), i32(6)
    for indexing in ("ij", None):
        a, b, c = run("meshgrid", (x, y, z), indexing=indexing)
        for i, j, k in np.ndindex(2, 3, 1):
            assert (a[i, j, k], b[i, j, k], c[i, j, k]) == (x[i], y[j], z[k])
    a, b = run("meshgrid", (x, y), indexing="xy")
    check(a, i32([1, 2], [1, 2], [1, 2]))
    check(b, i32([3, 3], [4, 4], [5, 5]))
    fails("op-argument", "meshgrid", (X,))
    fails("op-argument", "meshgrid", ())
    fails("op-dtype-mismatch", "meshgrid", (f32(1), x))


@pytest.mark.parametrize("dtype", ["bool", "uint8", "float16", "bfloat16", "float64"])
def test_dtypes_stay(dtype: str) -> None:
    x = np.abs(random(2, 3)).astype(numpy_dtype(dtype))
    results = [
        run("reshape", x, shape(6)),
        run("permute_dims", x),
        run("concat", (x, x)),
        run("stack", (x, x)),
        run("tile", x, repeats=2),
        run("flip", x, axis=0),
        run("broadcast_to", x, shape(2, 2, 3)),
        *run("split", x, indices_or_sections=2),
        run("nn.pad", x, pad_width=[1, 1, 0, 0]),
    ]
    assert {str(result.dtype) for result in results} == {dtype}
