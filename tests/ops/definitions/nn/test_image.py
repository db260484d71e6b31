"""Resizing, sampling and grids, against formulas for one element at a time; quantization."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

from tests.ops.harness import check, f32, fails, i32, integers, random, run, shape

MODES = ["half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel", "tf_half_pixel_for_nn"]


def source(mode: str, place: int, extent: int, target: int) -> float:
    scale = extent / target
    if mode == "align_corners":
        return place * (extent - 1) / (target - 1) if target > 1 else 0.0
    if mode == "asymmetric":
        return place * scale
    if mode == "tf_half_pixel_for_nn":
        return (place + 0.5) * scale
    if mode == "pytorch_half_pixel" and target == 1:
        return 0.0
    return (place + 0.5) * scale - 0.5


def nearest(where: float, how: str) -> int:
    return {
        "round": lambda: round(where),
        "floor": lambda: math.floor(where + 1e-5),
        "ceil": lambda: math.ceil(where - 1e-5),
        "round_prefer_floor": lambda: math.ceil(where - 0.5),
        "round_prefer_ceil": lambda: math.floor(where + 0.5),
    }[how]()


def cubic(distance: float, a: float) -> float:
    d = abs(distance)
    if d <= 1:
        return ((a + 2) * d - (a + 3)) * d * d + 1
    return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a if d < 2 else 0.0


def taps(where: float, extent: int, method: str, alpha: float, exclude: bool) -> list[tuple[int, float]]:
    """Return the elements that are mixed for one place of one axis, with their weights."""
    first = math.floor(where)
    if method == "linear":
        found = [(first, 1 - (where - first)), (first + 1, where - first)]
    else:
        found = [(first + t, cubic(where - first - t, alpha)) for t in (-1, 0, 1, 2)]
        if exclude:
            found = [(at, weight if 0 <= at < extent else 0.0) for at, weight in found]
            total = sum(weight for _, weight in found)
            found = [(at, weight / total) for at, weight in found]
    return [(min(max(at, 0), extent - 1), weight) for at, weight in found]


def slow_resize(x: Any, size: tuple[int, ...], method: str, mode: str, how: str, **cubics: Any) -> Any:
    n = len(size)
    result = np.zeros((*x.shape[:2], *size))
    for place in np.ndindex(*size):
        lists = []
        for a in range(n):
            where = source(mode, place[a], x.shape[2 + a], size[a])
            if method == "nearest_neighbor":
                lists.append([(min(max(nearest(where, how), 0), x.shape[2 + a] - 1), 1.0)])
            else:
                args = cubics.get("cubic_alpha", -0.75), bool(cubics.get("cubic_exclude"))
                lists.append(taps(where, x.shape[2 + a], method, *args))
        for combination in itertools.product(*lists):
            weight = math.prod(each for _, each in combination)
            index = (slice(None), slice(None), *[at for at, _ in combination])
            result[(slice(None), slice(None), *place)] += weight * x[index]
    return result


SIZES = [(4, 6), (2, 2), (3, 5), (1, 1), (7, 3)]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("method", ["linear", "cubic"])
def test_resize2d(method: str, mode: str) -> None:
    x = random(2, 2, 3, 5)
    for size in SIZES:
        options = {"method": method, "coordinate_transformation_mode": mode}
        expected = slow_resize(x, size, method, mode, "")
        check(run("image.resize2d", x, shape(*size), **options), expected.astype(np.float32), 1e-5)
        if method == "cubic":
            more = {"cubic_exclude": 1, "cubic_alpha": -0.5}
            expected = slow_resize(x, size, method, mode, "", **more)
            check(
                run("image.resize2d", x, shape(*size), **options, **more), expected.astype(np.float32), 2e-5
            )


@pytest.mark.parametrize("size", [(64, 96), (96, 64), (32, 320), (33, 64), (16, 16)])
def test_nearest_neighbours_by_whole_factors(size: tuple[int, int]) -> None:
    """Large images whose elements are repeated equally often, and others."""
    x = random(1, 4, 32, 32)
    for how, mode in (("floor", "asymmetric"), ("round_prefer_floor", "half_pixel"), ("ceil", "asymmetric")):
        places = [
            [min(max(nearest(source(mode, at, 32, extent), how), 0), 31) for at in range(extent)]
            for extent in size
        ]
        found = run(
            "image.resize2d",
            x,
            shape(*size),
            method="nearest_neighbor",
            coordinate_transformation_mode=mode,
            rounding_method=how,
        )
        check(found, x[:, :, places[0]][:, :, :, places[1]])


@pytest.mark.parametrize("how", ["round", "floor", "ceil", "round_prefer_floor", "round_prefer_ceil", ""])
@pytest.mark.parametrize("mode", MODES)
def test_nearest_neighbor(mode: str, how: str) -> None:
    x = integers(1, 2, 4, 6)
    meant = how or ("round" if mode == "align_corners" else "floor")
    for size in ((8, 3), (2, 9), (4, 6), (1, 1)):
        expected = slow_resize(x, size, "nearest_neighbor", mode, meant).astype(np.int32)
        options = {
            "method": "nearest_neighbor",
            "coordinate_transformation_mode": mode,
            "rounding_method": how,
        }
        check(run("image.resize2d", x, shape(*size), **options), expected)


def test_resize_dtypes_and_layouts() -> None:
    x = integers(1, 2, 3, 4, low=0, dtype="uint8")
    exact = slow_resize(x, (6, 5), "linear", "half_pixel", "")
    result = run("image.resize2d", x, shape(6, 5))
    assert result.dtype == np.uint8
    assert (np.abs(exact - result.astype(float)) < 1.0001).all()
    check(run("image.resize2d", x, shape(6, 5), out_dtype="float32"), exact.astype(np.float32), 1e-5)
    last = run("image.resize2d", x.transpose(0, 2, 3, 1), shape(6, 5), layout="NHWC")
    check(last, result.transpose(0, 2, 3, 1))
    assert run("image.resize2d", x.astype(np.float16), shape(2, 2)).dtype == np.float16


def test_resize3d() -> None:
    x = random(1, 2, 3, 2, 4)
    for method in ("linear", "cubic"):
        expected = slow_resize(x, (2, 4, 3), method, "half_pixel", "")
        check(run("image.resize3d", x, shape(2, 4, 3), method=method), expected.astype(np.float32), 1e-5)


def test_crop_and_resize() -> None:
    x = np.arange(5, dtype=np.float32).reshape(1, 1, 1, 5)
    options: dict[str, Any] = {
        "coordinate_transformation_mode": "tf_crop_and_resize",
        "roi": [0, 0.25, 1, 0.75],
    }
    check(run("image.resize2d", x, shape(1, 3), **options), np.array([[[[1, 2, 3]]]], np.float32))
    options["roi"] = [0, 0.5, 1, 1.5]
    got = run("image.resize2d", x, shape(1, 3), **options, extrapolation_value=-1.0)
    check(got, np.array([[[[2, 4, -1]]]], np.float32))
    fails("op-attribute", "image.resize2d", x, shape(1, 3), roi=[0, 1])


def test_resize_refuses() -> None:
    x = random(1, 1, 2, 2)
    fails("op-argument", "image.resize2d", x, shape(2))
    fails("op-runtime-value", "image.resize2d", x, shape(-1, 2))
    fails("op-runtime-value", "image.resize2d", x[..., :0], shape(2, 2))
    fails("op-attribute", "image.resize2d", x, shape(2, 2), method="bilinear")
    fails("op-attribute", "image.resize2d", x, shape(2, 2), layout="NCHW4d")
    assert run("image.resize2d", x, shape(0, 2)).shape == (1, 1, 0, 2)


@pytest.mark.parametrize("corners", [True, False])
def test_affine_grid(corners: bool) -> None:
    theta = random(2, 2, 3)
    result = run("image.affine_grid", theta, shape(3, 4), align_corners=corners)
    assert (result.shape, result.dtype) == ((2, 2, 3, 4), np.float32)
    for n, i, j in np.ndindex(2, 3, 4):
        y, x = (2 * i / 2 - 1, 2 * j / 3 - 1) if corners else ((2 * i + 1) / 3 - 1, (2 * j + 1) / 4 - 1)
        np.testing.assert_allclose(result[n, :, i, j], theta[n] @ [x, y, 1], rtol=1e-5, atol=1e-6)
    cube = random(1, 3, 4)
    result = run("image.affine_grid", cube, shape(2, 3, 4), align_corners=corners)
    z, y, x = (1.0, 0.0, -1.0) if corners else (0.5, 0.0, -0.75)
    np.testing.assert_allclose(result[0, :, 1, 1, 0], cube[0] @ [x, y, z, 1], rtol=1e-5, atol=1e-6)
    wide = run("image.affine_grid", theta.astype(np.float64), shape(3, 7), align_corners=corners)
    x = 1 - (2 / 6 if corners else 3 / 7)
    np.testing.assert_allclose(wide[0, :, 1, 5], theta[0].astype(np.float64) @ [x, 0, 1], rtol=1e-14)
    fails("op-runtime-shape", "image.affine_grid", theta, shape(2, 2, 2))
    fails("op-runtime-value", "image.affine_grid", theta, shape(0, 2))


def reflect(where: float, low: float, high: float) -> float:
    if high == low:
        return 0.0
    while not low <= where <= high:
        where = 2 * low - where if where < low else 2 * high - where
    return where


def slow_sample(image: Any, place: list[float], method: str, padding: str, corners: bool) -> float:
    """Sample one channel (spatial axes only) at one place given in -1 … 1, last axis last."""
    where = []
    for coordinate, extent in zip(place, image.shape, strict=True):
        at = (coordinate + 1) * (extent - 1) / 2 if corners else ((coordinate + 1) * extent - 1) / 2
        where.append(at)

    def bring(at: float, extent: int) -> float:
        if padding == "reflection":
            low, high = (0.0, extent - 1.0) if corners else (-0.5, extent - 0.5)
            at = reflect(at, low, high)
        return at if padding == "zeros" else min(max(at, 0.0), extent - 1.0)

    lists: list[list[tuple[float, float]]] = []
    for at, extent in zip(where, image.shape, strict=True):
        if method == "nearest":
            lists.append([(float(round(bring(at, extent))), 1.0)])
        elif method == "bilinear":
            inside = bring(at, extent)
            first = math.floor(inside)
            lists.append([(first, 1 - inside + first), (first + 1, inside - first)])
        else:
            first = math.floor(at)
            lists.append(
                [
                    (float(round(bring(first + t, extent))), cubic(at - first - t, -0.75))
                    for t in (-1, 0, 1, 2)
                ]
            )
    total = 0.0
    for combination in itertools.product(*lists):
        index = tuple(int(at) for at, _ in combination)
        if all(0 <= at < extent for at, extent in zip(index, image.shape, strict=True)):
            total += math.prod(weight for _, weight in combination) * float(image[index])
    return total


@pytest.mark.parametrize("corners", [True, False])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("method", ["bilinear", "nearest", "bicubic"])
def test_grid_sample(method: str, padding: str, corners: bool) -> None:
    image = random(2, 2, 3, 4)
    grid = (random(2, 2, 3, 5, seed=1) * 1.2).astype(np.float32)
    options = {"method": method, "padding_mode": padding, "align_corners": corners}
    result = run("image.grid_sample", image, grid, **options)
    expected = np.zeros((2, 2, 3, 5))
    for n, c, i, j in np.ndindex(2, 2, 3, 5):
        place = [float(grid[n, 1, i, j]), float(grid[n, 0, i, j])]
        expected[n, c, i, j] = slow_sample(image[n, c], place, method, padding, corners)
    check(result, expected.astype(np.float32), 2e-5)


@pytest.mark.parametrize("method", ["bilinear", "nearest"])
def test_grid_sample_in_three_dimensions(method: str) -> None:
    image, grid = random(1, 2, 2, 3, 4), random(1, 3, 2, 2, 2, seed=1)
    result = run("image.grid_sample", image, grid, method=method, layout="NCDHW", padding_mode="border")
    for c, d, i, j in np.ndindex(2, 2, 2, 2):
        place = [float(grid[0, axis, d, i, j]) for axis in (2, 1, 0)]
        expected = slow_sample(image[0, c], place, method, "border", False)
        np.testing.assert_allclose(result[0, c, d, i, j], expected, rtol=1e-4, atol=1e-5)


def test_grid_sample_refuses() -> None:
    image, grid = random(1, 1, 2, 2), random(1, 2, 3, 3)
    fails("op-runtime-shape", "image.grid_sample", image, grid[:, :1])
    fails("op-argument", "image.grid_sample", image, grid[0])
    fails("op-runtime-value", "image.grid_sample", image[..., :0], grid)
    fails(
        "op-attribute",
        "image.grid_sample",
        random(1, 1, 2, 2, 2),
        random(1, 3, 1, 1, 1),
        method="bicubic",
        layout="NCDHW",
    )
    assert run("image.grid_sample", image, grid * np.float32(np.nan), padding_mode="zeros").shape == (
        1,
        1,
        3,
        3,
    )
    one = run("image.grid_sample", image[..., :1, :1], grid, padding_mode="reflection", align_corners=True)
    check(one, np.full((1, 1, 3, 3), image[0, 0, 0, 0]))


def test_quantize() -> None:
    x = f32(0, 0.25, 0.75, -0.25, 1000, -1000)
    half, three = np.array(0.5, np.float32), np.array(3, np.int8)
    check(run("quantize", x, half, three), np.array([3, 3, 5, 3, 127, -128], np.int8))
    check(run("quantize", x, half, three, out_dtype="uint8"), np.array([3, 3, 5, 3, 255, 0], np.uint8))
    check(
        run("quantize", f32([1, 2], [3, 4]), f32(1, 2), i32(0, 1), axis=0),
        np.array([[1, 2], [3, 3]], np.int8),
    )
    check(run("quantize", f32([1, 2], [3, 4]), f32(1, 2), i32(0, 1)), np.array([[1, 2], [3, 3]], np.int8))
    check(run("dequantize", np.array([3, 5, -128], np.int8), half, three), f32(0, 1, -65.5))
    check(run("dequantize", i32([1, 2], [3, 4]), f32(1, 2), i32(0, 1), axis=0), f32([1, 2], [4, 6]))
    big = run("dequantize", i32(10**6), f32(1), i32(0), out_dtype="float16")
    check(big, np.array([65504], np.float16))


def test_quantize_refuses() -> None:
    x, one, zero = f32(1, 2), f32(1), np.array([0], np.int8)
    fails("op-runtime-shape", "quantize", x, f32(1, 2, 3), zero)
    fails("op-dtype-mismatch", "quantize", x.astype(np.float64), one, zero)
    fails("op-dtype-mismatch", "quantize", x, one, np.array([0], np.int64))
    fails("op-attribute", "quantize", x, one, zero, out_dtype="int32")
    fails("op-dtype-mismatch", "dequantize", np.array([1]), one, zero)
    fails("op-attribute", "dequantize", i32(1), one, zero, out_dtype="float64")
    fails("op-axis", "quantize", x, f32(1, 2), zero, axis=1)
    fails("op-axis", "quantize", x, one, zero, axis=1)
    fails("op-axis", "dequantize", i32(1), one, zero, axis=-2)
