"""Kernels that take another way where there are many elements, or few: both give the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from relax_lang.ops.calls.call_cache import bind
from relax_lang.ops.core.dtypes import is_float, numpy_dtype
from relax_lang.ops.core.signature import DTypeName
from relax_lang.ops.registry import lookup
from relax_lang.syntax.dtypes import DTYPES
from relax_lang.values import ShapeValue
from tests.ops.harness import check, f32, fails, integers, random, run

NUMBERS = np.random.default_rng(7)


def of_dtype(dtype: str, *shape: int) -> Any:
    """Return numbers of which many are equal, among floats infinities and both zeros."""
    wanted = numpy_dtype(dtype)
    if wanted.kind == "b":
        return NUMBERS.integers(0, 2, shape).astype(bool)
    if is_float(wanted):
        return NUMBERS.choice([0.0, -0.0, 1.5, -2.0, np.inf, -np.inf, 7.0, 0.25, 1e3], shape).astype(wanted)
    limits = np.iinfo(wanted)
    return NUMBERS.choice(np.array([0, 1, 3, limits.max, limits.min], wanted), shape)


def bits(x: Any) -> Any:
    return np.ascontiguousarray(x).view(f"u{x.dtype.itemsize}")


@pytest.mark.parametrize("dtype", DTYPES)
def test_where(dtype: str) -> None:
    condition, x1, x2 = NUMBERS.random((160, 160)) < 0.5, of_dtype(dtype, 160, 160), of_dtype(dtype, 160, 160)
    np.testing.assert_array_equal(bits(run("where", condition, x1, x2)), bits(np.where(condition, x1, x2)))
    turned = run("where", condition.T, x1.T, x2[::-1])
    np.testing.assert_array_equal(bits(turned), bits(np.where(condition.T, x1.T, x2[::-1])))
    odd = (condition * np.uint8(2)).view(bool)  # `memory.view` makes such: whatever is not 0 is true
    np.testing.assert_array_equal(bits(run("where", odd, x1, x2)), bits(np.where(condition, x1, x2)))


@pytest.mark.parametrize("with_nan", [False, True])
@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_sort(dtype: str, descending: bool, with_nan: bool) -> None:
    for zeros in (0.0, -0.0):
        x = of_dtype(dtype, 3, 2000)
        if is_float(x.dtype):
            x[x == 0] = zeros
            x[1, ::50] = np.nan if with_nan else 9
        before = x.copy()
        found = run("sort", x, descending=descending)
        places = run("argsort", x, descending=descending, dtype="int64")
        np.testing.assert_array_equal(bits(found), bits(np.take_along_axis(x, places, -1)))
        np.testing.assert_array_equal(bits(x), bits(before))


@pytest.mark.parametrize("largest", [False, True])
@pytest.mark.parametrize("dtype", DTYPES)
def test_topk_of_a_long_axis(dtype: str, largest: bool) -> None:
    distinct = NUMBERS.permutation(100).astype(numpy_dtype(dtype)).reshape(1, 100, 1)
    for x in (of_dtype(dtype, 2, 100, 3), np.concatenate([distinct] * 2, axis=2)):
        if is_float(x.dtype):
            x[0, :97, 0] = np.nan  # fewer numbers than are asked for
        values, places = run("topk", x, k=4, axis=1, largest=largest, dtype="int64")
        order = run("argsort", x, axis=1, descending=largest, dtype="int64")[:, :4]
        np.testing.assert_array_equal(places, order)
        np.testing.assert_array_equal(bits(values), bits(np.take_along_axis(x, order, 1)))


@pytest.mark.parametrize("training", [False, True])
@pytest.mark.parametrize("axis", [0, 1, 2])
@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_batch_norm(axis: int, training: bool, dtype: str) -> None:
    x = random(40, 41, 42, dtype=dtype)
    gamma, beta, mean = [random(x.shape[axis], seed=seed, dtype=dtype) for seed in (1, 2, 3)]
    variance = np.abs(random(x.shape[axis], seed=4, dtype=dtype)) + numpy_dtype(dtype).type(0.5)
    found, *_ = run("nn.batch_norm", x, gamma, beta, mean, variance, axis=axis, training=training)
    wide = np.moveaxis(x.astype(np.float64), axis, -1)
    if training:
        mean, variance = wide.mean((0, 1)), wide.var((0, 1))
    expected = (wide - mean) / np.sqrt(variance + 1e-5) * gamma.astype(np.float64) + beta
    check(found, np.moveaxis(expected, -1, axis).astype(x.dtype), 1e-5 if dtype == "float32" else 4e-3)


@pytest.mark.parametrize("far", [0, 3.9, 4.1, 1e4])
@pytest.mark.parametrize("shape", [(3, 5), (3, 5, 1, 1), (3, 5, 4, 4), (3, 5, 70, 1), (0, 5, 2), (3, 0, 2)])
def test_batch_norm_with_means_far_from_0(shape: tuple[int, ...], far: float) -> None:
    channels = shape[1]
    gamma, beta, noise = [random(channels, seed=seed) for seed in (1, 2, 3)]
    variance = np.abs(noise) + np.float32(0.5)
    mean = (np.sqrt(variance) * far * np.sign(noise)).astype(np.float32)
    behind = (channels, *[1 for _ in shape[2:]])
    x = random(*shape) + mean.reshape(behind)
    found, *_ = run("nn.batch_norm", x, gamma, beta, mean, variance, axis=1)
    wide = x.astype(np.float64) - mean.reshape(behind)
    scale = gamma / np.sqrt(variance.astype(np.float64) + 1e-5)
    check(found, (wide * scale.reshape(behind) + beta.reshape(behind)).astype(np.float32), 1e-5)


def test_conv_of_no_image_and_of_many() -> None:
    images, w = random(300, 4, 9, 8), random(6, 2, 3, 3, seed=1)
    options: dict[str, Any] = {"groups": 2, "strides": [2, 1], "padding": [1, 0]}
    whole = run("nn.conv2d", images, w, **options)
    for at in (0, 150, 299):
        check(run("nn.conv2d", images[at : at + 1], w, **options), whole[at : at + 1], 1e-4)
    assert run("nn.conv2d", images[:0], w, **options).shape == (0, 6, 5, 6)
    turned = run("nn.conv2d", images[:3, :, ::-1, ::-1], w, groups=2)
    check(turned, run("nn.conv2d", images[:3, :, ::-1, ::-1].copy(), w, groups=2), 1e-4)


@pytest.mark.parametrize("shapes", [((3, 1), (1, 1)), ((1, 1), (1, 3)), ((1,), (1, 2)), ((2, 1), (1, 2))])
def test_products_with_infinity(shapes: tuple[tuple[int, ...], tuple[int, ...]]) -> None:
    x1, x2 = np.full(shapes[0], np.inf, np.float32), np.zeros(shapes[1], np.float32)
    assert np.isnan(run("matmul", x1, x2)).all()
    assert np.isnan(
        run("matmul", np.zeros(shapes[0], np.float16), np.full(shapes[1], np.inf, np.float16))
    ).all()
    assert np.isnan(run("linear", x1, x2.T)).all()


@pytest.mark.parametrize("groups", [1, 2])
def test_conv_in_several_tiles(groups: int) -> None:
    """The whole is put together from convolutions of single rows."""
    x, w = random(2, 16, 70, 64), random(6, 16 // groups, 3, 3, seed=1)
    whole = run("nn.conv2d", x, w, groups=groups, strides=[2, 1], padding=[1, 1], dilation=[2, 1])
    padded = np.pad(x, [(0, 0), (0, 0), (1, 1), (1, 1)])
    assert whole.shape == (2, 6, 34, 64)
    for row in range(34):
        rows = np.ascontiguousarray(padded[:, :, 2 * row : 2 * row + 5])
        check(run("nn.conv2d", rows, w, groups=groups, dilation=[2, 1])[:, :, 0], whole[:, :, row], 1e-4)


@pytest.mark.parametrize("terms", [1, 255, 256, 257, 1023, 1024, 1025])
@pytest.mark.parametrize("out_dtype", [None, "int16", "uint32", "int64", "uint64"])
@pytest.mark.parametrize("dtypes", [("int8", "int8"), ("uint8", "uint8"), ("int8", "uint8")])
def test_products_of_8_bits_are_exact(terms: int, out_dtype: str | None, dtypes: tuple[str, str]) -> None:
    if out_dtype is None and dtypes[0] != dtypes[1]:
        return
    extremes = [np.array([np.iinfo(dtype).min, np.iinfo(dtype).max], dtype) for dtype in dtypes]
    x1 = np.concatenate([np.full((1, terms), extremes[0][0]), NUMBERS.choice(extremes[0], (3, terms))])
    x2 = np.concatenate(
        [np.full((terms, 1), extremes[1][0]), NUMBERS.choice(extremes[1], (terms, 3))], axis=1
    )
    expected = np.matmul(x1.astype(np.int64), x2.astype(np.int64)).astype(out_dtype or dtypes[0])
    check(run("matmul", x1, x2, out_dtype=out_dtype), expected)
    check(run("linear", x1, x2.T, out_dtype=out_dtype), expected)


@pytest.mark.parametrize(
    "subscripts",
    ["ij,jk->ik", "ij,jk->ki", "bij,bjk->bik", "bij,bkj->bik", "ib,bk->bik", "i,j->ij", "i,i->", "ijb,bjk->bik",
     "abij,abjk->abik", "aijb,jabk->kiba", "ij,ij->ij", "ij,ij->i", "ij,jk", "ijk,jk->i"],
)  # fmt: skip
def test_einsum_of_two_operands(subscripts: str) -> None:
    extents = dict(zip("abijk", (2, 3, 4, 5, 6), strict=True))
    terms = subscripts.partition("->")[0].split(",")
    for dtype in ("float32", "int32", "uint8"):
        operands = [integers(*[extents[letter] for letter in term], low=0, dtype=dtype) for term in terms]
        expected = np.asarray(np.einsum(subscripts, *[each.astype(np.int64) for each in operands])).astype(
            dtype
        )
        check(run("einsum", tuple(operands), subscripts=subscripts), expected)


@pytest.mark.parametrize("alpha", [0.01, 1.0, 1.5, 0.0, -0.5, 1e-60])
def test_leakyrelu_with_any_slope(alpha: float) -> None:
    x = np.array([-np.inf, -2.5, -0.0, 0.0, 1.25, np.inf, np.nan], np.float32)
    with np.errstate(all="ignore"):
        check(run("nn.leakyrelu", x, alpha=alpha), np.where(x > 0, x, x * np.float32(alpha)))


def test_averages_of_the_largest_integers() -> None:
    """No sum of a window fits 64 bits."""
    for dtype in ("int64", "uint64"):
        limits = np.iinfo(dtype)
        x = np.array([[[[limits.max, limits.max - 1], [limits.max, limits.max]]]], dtype)
        check(run("nn.avg_pool2d", x, pool_size=2), np.array([[[[limits.max - 1]]]], dtype))
        check(run("nn.adaptive_avg_pool2d", x, output_size=1), np.array([[[[limits.max - 1]]]], dtype))
    least = np.full((1, 1, 2, 2), np.iinfo(np.int64).min)
    check(run("nn.avg_pool2d", least, pool_size=2), least[:, :, :1, :1])


@pytest.mark.parametrize(
    "shape", [(3, 4), (130, 70), (70, 130), (2, 65, 64), (1, 300), (300, 1), (0, 4), (4, 0)]
)
@pytest.mark.parametrize("dtype", ["float32", "bfloat16", "bool"])
def test_triangles_of_several_blocks(dtype: str, shape: tuple[int, ...]) -> None:
    x = of_dtype(dtype, *shape)
    for k in (None, 0, 1, -1, 5, 64, -64, 65, -70, 1000, -(10**30)):
        row, column = np.indices(shape[-2:])
        lower, upper = column - row <= (k or 0), column - row >= (k or 0)
        for name, kept in (("tril", lower), ("triu", upper)):
            expected = np.where(kept, x, np.zeros((), x.dtype))
            np.testing.assert_array_equal(bits(run(name, x, k)), bits(expected))


@pytest.mark.parametrize("shape", [(3, 4), (200, 200), (20000,), (40, 600, 1)])
@pytest.mark.parametrize("repeats", [0, 1, 2, 4, 5])
def test_repeat(repeats: int, shape: tuple[int, ...]) -> None:
    x = of_dtype("int16", *shape)
    for each in (x, x.T):
        for axis in (None, *range(x.ndim)):
            check(run("repeat", each, repeats=repeats, axis=axis), np.repeat(each, repeats, axis))


@pytest.mark.parametrize("dtype", [*DTYPES])
def test_places_across_rows(dtype: str) -> None:
    x = of_dtype(dtype, 20, 30, 40)
    for name in ("argmax", "argmin"):
        for axis in range(3):
            for keepdims in (False, True):
                expected = getattr(np, name)(x.astype(np.float64), axis=axis, keepdims=keepdims)
                check(run(name, x, axis=axis, keepdims=keepdims), expected)
        if is_float(x.dtype):
            holes = x.copy()
            holes[7:9, 11, 13] = np.nan
            check(run(name, holes, axis=0), getattr(np, name)(holes.astype(np.float64), axis=0))


@pytest.mark.parametrize("dtype", DTYPES)
def test_masked_fill(dtype: str) -> None:
    for shape in ((3, 4), (160, 160)):
        x, mask, value = of_dtype(dtype, *shape), NUMBERS.random(shape) < 0.5, of_dtype(dtype, 1)[0]
        expected = np.where(mask, value, x)
        found = run("masked_fill", x, mask, np.asarray(value))
        np.testing.assert_array_equal(bits(found), bits(expected))
        assert not np.may_share_memory(found, x)


@pytest.mark.parametrize("dtype", DTYPES)
def test_distinct_elements(dtype: str) -> None:
    for size in (0, 1, 50, 20000):
        x = of_dtype(dtype, size)
        wide = x.astype(np.float64) if is_float(x.dtype) else x
        check(run("unique", x), np.unique(wide).astype(x.dtype))


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint8", "uint64"])
@pytest.mark.parametrize("extents", [(3, 4), (3, 0)])
def test_OP_9_no_index_outside(dtype: str, extents: tuple[int, int]) -> None:
    """NumPy looks at indices itself, but at none where there are no elements, and it takes uint64 for int64."""
    x, inside = of_dtype("float32", *extents), np.array([0, 2, 1]).astype(dtype)
    check(run("take", x, inside, axis=0), x[[0, 2, 1]])
    check(run("gather_nd", x, inside[:, None]), x[[0, 2, 1]])
    check(run("index_tensor", x, (inside,)), x[[0, 2, 1]])
    check(run("scatter_nd", x, inside[:, None], x + 1), (x + 1)[[0, 2, 1]])
    limits = np.iinfo(dtype)
    for wrong in (3, 127, limits.max, *((-1, -4, limits.min) if limits.min else ())):
        index = np.array([0, wrong], dtype)
        fails("op-runtime-value", "take", x, index, axis=0)
        if wrong != -1:  # which only `take` does not count from the end
            fails("op-runtime-value", "gather_nd", x, index[:, None])
            fails("op-runtime-value", "index_tensor", x, (index,))
            fails("op-runtime-value", "scatter_nd", x, index[:, None], x[:2])


def test_created_tensors_belong_to_the_caller() -> None:
    """What a plan keeps is copied for every call."""
    calls: list[tuple[str, list[Any], dict[str, Any]]] = [
        ("ones", [ShapeValue((3,))], {"dtype": DTypeName("float32")}),
        ("arange", [0, 3, 1], {}),
        ("eye", [2, None, None], {}),
        ("shape_to_tensor", [ShapeValue((3,))], {}),
        ("ones_like", [f32(1, 2)], {}),
    ]
    for name, args, attrs in calls:
        operator = lookup(name)
        assert operator is not None
        call = bind(operator, operator.options(attrs))
        first = call(*args)
        kept = first.copy()
        first[...] = 9
        check(call(*args), kept)


def test_pooling_leaves_out_windows_in_the_padding() -> None:
    """Those that `ceil_mode` would begin there, also where a window is one element."""
    options: dict[str, Any] = {"pool_size": 1, "padding": [0, 1]}
    x = random(1, 2, 3)
    check(run("nn.max_pool1d", x, **options, ceil_mode=True), x)
    assert run("nn.max_pool1d", x, **options).shape == (1, 2, 4)
