"""Convolution and pooling, against loops over every output element."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from relax_lang.ops.core.dtypes import numpy_dtype
from tests.ops.harness import check, fails, integers, random, run


def pair(value: Any, n: int) -> list[Any]:
    return [value] * n if isinstance(value, int) else list(value)


def pads_of(value: Any, n: int) -> list[tuple[int, int]]:
    values = pair(value, n)
    return (
        list(zip(values[:n], values[-n:], strict=True)) if len(values) == 2 * n else [(v, v) for v in values]
    )


def slow_conv(x: Any, w: Any, strides: Any = 1, padding: Any = 0, dilation: Any = 1, groups: int = 1) -> Any:
    n = x.ndim - 2
    s, d, p = pair(strides, n), pair(dilation, n), pads_of(padding, n)
    out = [(x.shape[2 + a] + sum(p[a]) - d[a] * (w.shape[2 + a] - 1) - 1) // s[a] + 1 for a in range(n)]
    per_group, outs = w.shape[1], w.shape[0] // groups
    result = np.zeros((x.shape[0], w.shape[0], *out), object)
    for place in np.ndindex(*result.shape):
        first = place[1] // outs * per_group
        for tap in np.ndindex(*w.shape[1:]):
            at = [place[2 + a] * s[a] - p[a][0] + tap[1 + a] * d[a] for a in range(n)]
            if all(0 <= at[a] < x.shape[2 + a] for a in range(n)):
                result[place] += w[(place[1], *tap)].item() * x[(place[0], first + tap[0], *at)].item()
    return result


CASES: list[tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = [
    ((2, 3, 7), (4, 3, 3), {}),
    ((1, 2, 8), (2, 2, 3), {"strides": 2, "padding": [2, 1], "dilation": 2}),
    ((1, 4, 6), (4, 1, 2), {"groups": 4}),
    ((2, 3, 5, 6), (4, 3, 3, 3), {"padding": 1}),
    ((1, 4, 6, 5), (6, 2, 2, 3), {"strides": [2, 1], "padding": [1, 0, 2, 1], "groups": 2}),
    ((1, 2, 7, 7), (4, 1, 3, 3), {"groups": 2, "dilation": [2, 1], "padding": [1, 2]}),
    ((1, 20, 4, 4), (5, 20, 3, 3), {}),
    ((1, 40, 4, 4), (4, 20, 2, 2), {"groups": 2, "strides": 2}),
    ((1, 1, 4, 3, 4), (2, 1, 2, 2, 2), {"padding": [1, 0, 0, 0, 1, 1]}),
    ((0, 2, 4), (3, 2, 2), {}),
    ((1, 0, 4), (3, 0, 2), {}),
    ((1, 2, 4), (0, 2, 2), {}),
    ((1, 2, 4), (0, 1, 2), {"groups": 2}),
]  # fmt: skip


@pytest.mark.parametrize(("data", "kernel", "options"), CASES)
def test_conv_against_loops(data: tuple[int, ...], kernel: tuple[int, ...], options: dict[str, Any]) -> None:
    x, w = integers(*data, seed=1, dtype="int64"), integers(*kernel, seed=2, dtype="int64")
    expected = slow_conv(x, w, **options).astype(np.int64)
    name = f"nn.conv{len(data) - 2}d"
    for dtype in ("int8", "int32", "float32", "float64"):
        check(run(name, x.astype(dtype), w.astype(dtype), **options), expected.astype(dtype))
    check(
        run(name, x.astype("int8"), w.astype("int8"), out_dtype="int32", **options), expected.astype("int32")
    )
    for dtype in ("float16", "bfloat16"):
        kind = numpy_dtype(dtype)
        result = run(name, x.astype(kind), w.astype(kind), **options)
        check(result.astype(np.float32), expected.astype(np.float32).astype(kind).astype(np.float32))


def test_conv_of_large_integers_wraps() -> None:
    x = np.full((1, 2, 3), 2**31 - 1, np.int32)
    w = np.full((1, 2, 2), 2**31 - 1, np.int32)
    check(run("nn.conv1d", x, w), np.full((1, 1, 2), 4, np.int32))
    wide = np.full((1, 1, 1), 2**62 + 1, np.int64)
    check(run("nn.conv1d", wide, np.full((1, 1, 1), 3)), np.full((1, 1, 1), 3 * (2**62 + 1) - 2**64))


def test_layouts() -> None:
    x, w = random(2, 3, 5, 6), random(4, 3, 2, 3, seed=1)
    expected = run("nn.conv2d", x, w)
    last = {"data_layout": "NHWC", "kernel_layout": "HWIO"}
    moved = x.transpose(0, 2, 3, 1), w.transpose(2, 3, 1, 0)
    check(run("nn.conv2d", *moved, **last), expected.transpose(0, 2, 3, 1), 1e-6)
    check(run("nn.conv2d", *moved, **last, out_layout="NCHW"), expected, 1e-6)
    check(
        run("nn.max_pool2d", moved[0], pool_size=2, layout="NHWC"),
        run("nn.max_pool2d", x, pool_size=2).transpose(0, 2, 3, 1),
    )
    check(
        run("nn.adaptive_avg_pool2d", moved[0], output_size=2, layout="NHWC", out_layout="NCHW"),
        run("nn.adaptive_avg_pool2d", x, output_size=2),
    )
    for wrong in (
        {"data_layout": "NCHW4d"},
        {"data_layout": "NCW"},
        {"kernel_layout": "OIHH"},
        {"out_layout": "XYZ"},
    ):
        fails("op-attribute", "nn.conv2d", x, w, **wrong)


def test_conv_refuses() -> None:
    x, w = random(2, 4, 5), random(6, 4, 3, seed=1)
    assert "4 channels" in fails("op-runtime-shape", "nn.conv1d", x, w[:, :3]).message
    fails("op-runtime-shape", "nn.conv1d", x, w, groups=2)
    fails("op-runtime-value", "nn.conv1d", x, w[:5, :2], groups=2)
    found = fails("op-runtime-value", "nn.conv1d", x, random(6, 4, 6))
    assert found.message == "nn.conv1d: a window of 6 does not fit axis 2, whose padded extent is 5"
    found = fails("op-runtime-value", "nn.conv1d_transpose", x[..., :0], random(4, 2, 3))
    assert found.message == "nn.conv1d_transpose: axis 2 of `data` has extent 0"
    fails("op-argument", "nn.conv1d", x[0], w)
    fails("op-runtime-value", "nn.conv1d", x, w[..., :0])
    fails("op-dtype-mismatch", "nn.conv1d", x, w.astype(np.float64))
    fails("op-attribute", "nn.conv1d", x, w, strides=0)
    fails("op-attribute", "nn.conv1d", x, w, strides=[1, 1])
    fails("op-attribute", "nn.conv1d", x, w, padding=-1)
    fails("op-attribute", "nn.conv1d", x, w, padding=[1, 1, 1])
    fails("op-attribute", "nn.conv1d", x, w, dilation=[])
    fails("op-attribute", "nn.conv1d", x, w, groups=0)
    fails("op-dtype-mismatch", "nn.conv1d", x > 0, w > 0)


def slow_transpose(
    x: Any, w: Any, strides: Any = 1, padding: Any = 0, output_padding: Any = 0, **more: Any
) -> Any:
    n = x.ndim - 2
    groups = more.get("groups", 1)
    s, d, e = pair(strides, n), pair(more.get("dilation", 1), n), pair(output_padding, n)
    p = pads_of(padding, n)
    out = [(x.shape[2 + a] - 1) * s[a] - sum(p[a]) + d[a] * (w.shape[2 + a] - 1) + e[a] + 1 for a in range(n)]
    result = np.zeros((x.shape[0], w.shape[1] * groups, *out), np.int64)
    per_group = x.shape[1] // groups
    for place in np.ndindex(*x.shape):
        for tap in np.ndindex(*w.shape[1:]):
            at = [place[2 + a] * s[a] + tap[1 + a] * d[a] - p[a][0] for a in range(n)]
            if all(0 <= at[a] < out[a] for a in range(n)):
                channel = place[1] // per_group * w.shape[1] + tap[0]
                result[(place[0], channel, *at)] += x[place] * w[(place[1], *tap)]
    return result


@pytest.mark.parametrize(
    ("data", "kernel", "options"),
    [
        ((2, 3, 5), (3, 4, 3), {}),
        ((1, 4, 4), (4, 2, 3), {"strides": 3, "padding": [1, 2], "output_padding": 2, "dilation": 2, "groups": 2}),
        ((1, 2, 3, 4), (2, 3, 3, 2), {"strides": 2, "padding": [1, 0], "output_padding": [1, 0]}),
        ((1, 2, 2, 3, 2), (2, 1, 2, 2, 2), {"padding": [1, 0, 0, 0, 1, 0]}),
        ((1, 0, 2), (0, 3, 2), {}),
        ((0, 2, 2), (2, 0, 2), {"groups": 2}),
    ],
)  # fmt: skip
def test_conv_transpose_against_loops(data: Any, kernel: Any, options: dict[str, Any]) -> None:
    x, w = integers(*data, seed=1, dtype="int64"), integers(*kernel, seed=2, dtype="int64")
    expected = slow_transpose(x, w, **options)
    name = f"nn.conv{len(data) - 2}d_transpose"
    for dtype in ("int16", "int64", "float32"):
        check(run(name, x.astype(dtype), w.astype(dtype), **options), expected.astype(dtype))
    assert run(name, x.astype("float16"), w.astype("float16"), **options).dtype == np.float16


@pytest.mark.parametrize("kernel", [(2, 2), (3, 2), (2, 3), (1, 1), (4, 4)])
def test_copies_of_a_kernel_side_by_side(kernel: tuple[int, int], monkeypatch: pytest.MonkeyPatch) -> None:
    """Strides that are the extents of the kernel, in one part of rows and in several; paddings are another matter."""
    from relax_lang.ops.definitions.nn import conv

    x, w = integers(2, 3, 5, 4, seed=1, dtype="int64"), integers(3, 2, *kernel, seed=2, dtype="int64")
    strides = list(kernel)
    shifted = {
        "strides": strides,
        "output_padding": [strides[0] - 1, 0],
        "padding": [strides[0] - 1, 0, 0, 0],
    }
    for elements in (1 << 17, 40, 1):
        monkeypatch.setattr(conv, "_GATHERED", elements)
        for options in ({"strides": strides}, shifted):
            expected = slow_transpose(x, w, **options)
            for dtype in ("int16", "int64", "float32", "float64"):
                found = run("nn.conv2d_transpose", x.astype(dtype), w.astype(dtype), **options)
                check(found, expected.astype(dtype))
    x = x.astype("float32")
    x[1, 0, 2, 3] = np.inf
    found = run("nn.conv2d_transpose", x, w.astype("float32"), strides=strides)
    assert (~np.isfinite(found[0])).sum() == 0
    reached = np.zeros((5 * kernel[0], 4 * kernel[1]), bool)
    reached[2 * kernel[0] : 3 * kernel[0], 3 * kernel[1] :] = True
    assert np.isfinite(found[1][:, ~reached]).all()


def test_conv_transpose_refuses() -> None:
    x, w = random(1, 4, 3), random(4, 2, 3)
    fails("op-attribute", "nn.conv1d_transpose", x, w, output_padding=1)
    fails("op-runtime-shape", "nn.conv1d_transpose", x, w[:3])
    fails("op-runtime-value", "nn.conv1d_transpose", x, w, groups=3)
    fails("op-runtime-value", "nn.conv1d_transpose", x, w, padding=3)
    fails("op-runtime-value", "nn.conv1d_transpose", x[..., :1], w[..., :2], padding=1)
    fails("op-runtime-value", "nn.conv1d_transpose", x, w[..., :0])
    fails("op-runtime-value", "nn.conv1d_transpose", x[..., :0], w)


def slow_pool(x: Any, average: bool, o: dict[str, Any]) -> Any:
    """Pool (N, C, …) by loops; windows may hang over the padding with ceil_mode."""
    n = x.ndim - 2
    k, s, d, p = (
        pair(o["pool_size"], n),
        pair(o["strides"], n),
        pair(o["dilation"], n),
        pads_of(o["padding"], n),
    )
    out = []
    for a in range(n):
        room = x.shape[2 + a] + sum(p[a]) - d[a] * (k[a] - 1) - 1
        count = (math.ceil(room / s[a]) if o["ceil_mode"] else room // s[a]) + 1
        if o["ceil_mode"] and (count - 1) * s[a] >= x.shape[2 + a] + p[a][0]:
            count -= 1
        out.append(count)
    result = np.zeros((*x.shape[:2], *out), object)
    for place in np.ndindex(*result.shape):
        values, padded = [], 0
        for tap in itertools.product(*[range(size) for size in k]):
            at = [place[2 + a] * s[a] - p[a][0] + tap[a] * d[a] for a in range(n)]
            if all(0 <= at[a] < x.shape[2 + a] for a in range(n)):
                values.append(x[(*place[:2], *at)].item())
            elif all(-p[a][0] <= at[a] < x.shape[2 + a] + p[a][1] for a in range(n)):
                padded += 1
        if average:
            count = max(1, len(values) + (padded if o["count_include_pad"] else 0))
            result[place] = sum(values) / count
        else:
            result[place] = max(values, default=-math.inf)
    return result


small = st.integers(1, 3)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 2), st.data())
def test_pooling_against_loops(n: int, data: st.DataObject) -> None:
    x = integers(1, 2, *data.draw(st.lists(st.integers(1, 6), min_size=n, max_size=n)), dtype="int64")
    options: dict[str, Any] = {
        "pool_size": data.draw(st.lists(small, min_size=n, max_size=n)),
        "strides": data.draw(st.lists(small, min_size=n, max_size=n)),
        "dilation": data.draw(st.lists(st.integers(1, 2), min_size=n, max_size=n)),
        "padding": data.draw(st.lists(st.integers(0, 2), min_size=2 * n, max_size=2 * n)),
        "ceil_mode": data.draw(st.booleans()),
        "count_include_pad": data.draw(st.booleans()),
    }
    pads = pads_of(options["padding"], n)
    reach = [d * (k - 1) + 1 for d, k in zip(options["dilation"], options["pool_size"], strict=True)]
    assume(all(x.shape[2 + a] + sum(pads[a]) >= reach[a] for a in range(n)))
    largest = slow_pool(x, False, options).astype(np.float64)
    check(run(f"nn.max_pool{n}d", x.astype(np.float64), **options), largest)
    average = slow_pool(x, True, options)
    check(run(f"nn.avg_pool{n}d", x.astype(np.float64), **options), average.astype(np.float64), 1e-14)
    whole = np.array([math.trunc(value) for value in average.reshape(-1)], np.int32).reshape(average.shape)
    check(run(f"nn.avg_pool{n}d", x.astype(np.int32), **options), whole)


@pytest.mark.parametrize("padding", [[0, 1], [1, 0], [1, 1], [0, 2]])
@pytest.mark.parametrize("ceil_mode", [False, True])
def test_pooling_of_single_elements_with_padding(padding: list[int], ceil_mode: bool) -> None:
    x = random(1, 2, 4, dtype="float64")
    options: dict[str, Any] = {"pool_size": [1], "strides": [1], "dilation": [1], "padding": padding}
    options.update(ceil_mode=ceil_mode, count_include_pad=True)
    check(run("nn.max_pool1d", x, **options), slow_pool(x, False, options).astype(np.float64))
    check(run("nn.avg_pool1d", x, **options), slow_pool(x, True, options).astype(np.float64))


def test_pooling_in_three_dimensions() -> None:
    x = random(1, 2, 4, 3, 5)
    base = {"strides": [2, 1, 2], "dilation": 1, "padding": [1, 0, 0, 0, 1, 1], "pool_size": [2, 2, 3]}
    options = {**base, "ceil_mode": True, "count_include_pad": True}
    check(run("nn.max_pool3d", x, **options), slow_pool(x, False, options).astype(np.float32))
    check(run("nn.avg_pool3d", x, **options), slow_pool(x, True, options).astype(np.float32), 1e-6)


def test_count_include_pad_has_its_own_default_per_rank() -> None:
    ones = {n: np.ones((1, 1, *[2] * n), np.float32) for n in (1, 2, 3)}
    for n, expected in ((1, 0.5), (2, 1.0), (3, 0.125)):
        first = run(f"nn.avg_pool{n}d", ones[n], pool_size=2, padding=1)[(0, 0, *[0] * n)]
        assert first == expected


@pytest.mark.parametrize("dtype", ["bool", "uint8", "int64", "float16", "bfloat16"])
def test_max_pool_keeps_dtype(dtype: str) -> None:
    x = np.abs(integers(1, 1, 4, 4)).astype(numpy_dtype(dtype))
    result = run("nn.max_pool2d", x, pool_size=2, strides=2, padding=[0, 0, 1, 1])
    assert result.dtype == x.dtype
    assert result[0, 0, 0, 0] == max(x[0, 0, :2, :2].reshape(-1).tolist())


def test_pooling_nan_and_empty() -> None:
    x = np.array([[[1, np.nan, 2, 3]]], np.float32)
    check(run("nn.max_pool1d", x, pool_size=2), np.array([[[np.nan, np.nan, 3]]], np.float32))
    check(run("nn.max_pool1d", x), x)
    assert not np.may_share_memory(run("nn.max_pool1d", x), x)
    assert run("nn.max_pool1d", x[:0], pool_size=2).shape == (0, 1, 3)
    fails("op-runtime-value", "nn.max_pool1d", x, pool_size=5)
    fails("op-dtype-mismatch", "nn.avg_pool1d", x > 0)
    fails("op-attribute", "nn.avg_pool1d", x, pool_size=0)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_adaptive_average_pooling(n: int) -> None:
    extents = (7, 3, 5)[:n]
    x = integers(2, 2, *extents, dtype="int64")
    for sizes in ([3, 4, 5][:n], [1] * n, [7, 6, 2][:n]):
        expected = np.zeros((2, 2, *sizes))
        for place in np.ndindex(*expected.shape):
            spans = []
            for a in range(n):
                j, i, o = place[2 + a], extents[a], sizes[a]
                spans.append(slice(math.floor(j * i / o), math.ceil((j + 1) * i / o)))
            expected[place] = x[(place[0], place[1], *spans)].mean()
        name = f"nn.adaptive_avg_pool{n}d"
        check(run(name, x.astype(np.float32), output_size=sizes), expected.astype(np.float32), 1e-6)
        check(
            run(name, x.astype(np.int32), output_size=sizes),
            np.trunc(expected + np.sign(expected) * 1e-9).astype(np.int32),
        )
    check(run(f"nn.adaptive_avg_pool{n}d", x), x)
    check(
        run(f"nn.adaptive_avg_pool{n}d", x, output_size=1).reshape(2, 2),
        np.trunc(x.reshape(2, 2, -1).mean(-1)).astype(np.int64),
    )
    fails("op-attribute", f"nn.adaptive_avg_pool{n}d", x, output_size=[1] * (n + 1))
    fails("op-runtime-value", f"nn.adaptive_avg_pool{n}d", x[..., :0], output_size=1)
