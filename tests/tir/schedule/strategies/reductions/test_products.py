"""Products of matrices as compiled modules compute them: exact integers, in blocks that need little memory. [TIR.21]"""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

from relax_lang.tir.check.driver import analyse
from relax_lang.tir.lower.lower import lowered
from relax_lang.tir.runtime_library import products
from relax_lang.tir.schedule.pipeline import scheduled
from relax_lang.tir.schedule.plan import CONTRACTION, Kernel
from tests.tir.random_programs.products import Product
from tests.tir.support import assert_same_outcome, checked, prim_func

INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")


def any_integers(numbers: np.random.Generator, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    if dtype == "bool":
        return numbers.random(shape) < 0.5
    limits = np.iinfo(dtype)
    kind = numbers.integers(0, 4)
    if kind == 0:
        return np.array([limits.min, limits.max], dtype)[numbers.integers(0, 2, shape)]
    low, high = (max(limits.min, -100), min(limits.max, 100)) if kind == 1 else (limits.min, limits.max)
    return numbers.integers(low, high, shape, dtype, endpoint=True)


@pytest.mark.parametrize("seed", range(80))
def test_TIR_21_integer_products_are_exact_and_wrap_around(seed: int) -> None:
    """All types, stacks and shared factors, zero points, any strides; sums that no float holds."""
    numbers = np.random.default_rng(seed)
    count, rows, depth, columns = [
        int(numbers.choice(sizes))
        for sizes in ((0, 1, 3), (0, 1, 2, 33, 130), (0, 1, 65, 300, 1100, 2100), (0, 1, 40, 129, 300))
    ]
    first, second = [str(numbers.choice([*INTEGERS, "bool", "int8", "uint8"])) for _ in range(2)]
    target = str(numbers.choice(["int32", "int32", "int64", "uint32", "int8", "int16", "uint64"]))
    stacked = numbers.random(2) < 0.6
    a = any_integers(numbers, (count,) * int(stacked[0]) + (rows, depth), first)
    b = any_integers(numbers, (count,) * int(stacked[1]) + (columns, depth), second).swapaxes(-1, -2)
    zeros = [None, None]
    if numbers.random() < 0.5:
        zeros[0] = any_integers(numbers, [(), (rows, 1), (1, depth)][numbers.integers(3)], "int32")
    if numbers.random() < 0.5:
        zeros[1] = any_integers(numbers, [(), (1, columns)][numbers.integers(2)], "uint8")
    sign = int(numbers.integers(-1, 2))
    out = any_integers(numbers, (count,) * int(stacked.any()) + (rows, columns), target)
    if numbers.random() < 0.3:
        wide = np.empty((*out.shape[:-1], 2 * columns), target)
        wide[..., ::2] = out
        out = wide[..., ::2]
    with np.errstate(all="ignore"):
        factors = [
            x.astype(np.int64) - (0 if zero is None else zero.astype(np.int64))
            for x, zero in zip((a, b), zeros, strict=True)
        ]
        product = np.matmul(*factors)
        wanted = (product if not sign else out.astype(np.int64) + sign * product).astype(target)
        products.integer_product(out, a, b, sign, *zeros)
    np.testing.assert_array_equal(out, wanted)


@pytest.mark.parametrize("dtype", ["float16", "int8", "float32"])
@pytest.mark.parametrize("sign", [0, 1, -1])
def test_TIR_21_float_products_in_blocks(dtype: str, sign: int) -> None:
    numbers = np.random.default_rng(0)
    a = numbers.integers(-4, 5, (3, 301, 517)).astype(dtype)
    b = numbers.integers(-4, 5, (517, 203)).astype(dtype)
    for out in (np.ones((3, 301, 203), np.float32), np.ones((3, 301, 406), np.float32)[..., ::2]):
        products.float_product(out, a, b, sign, np.float32)
        product = a.astype(np.float64) @ b.astype(np.float64)
        np.testing.assert_array_equal(out, product if not sign else 1 + sign * product)


@pytest.mark.parametrize("seed", range(40))
def test_TIR_21_products_into_parts_of_arrays(seed: int) -> None:
    """The columns are two dimensions of an image with a border, which has no form of a matrix."""
    numbers = np.random.default_rng(seed)
    count = int(numbers.choice([1, 1, 3]))
    rows, depth = int(numbers.choice([5, 40, 300])), int(numbers.choice([1, 30, 600]))
    height, width = int(numbers.choice([3, 50])), int(numbers.choice([4, 40]))
    stacks = [(count,) if count > 1 and numbers.random() < 0.7 else () for _ in range(2)]
    dtype = str(numbers.choice(["int8", "float32", "float16"]))
    a = numbers.integers(-5, 6, (*stacks[0], rows, depth)).astype(dtype)
    b = numbers.integers(-5, 6, (*stacks[1], depth, height * width)).astype(dtype)
    a_zero = numbers.integers(-3, 4, (*stacks[0], rows, 1)) if numbers.random() < 0.5 else None
    b_zero = numbers.integers(-3, 4, (1, height * width)) if numbers.random() < 0.5 else None
    outside = np.zeros(
        (*(stacks[0] or stacks[1]), rows, height + 2, width + 1), np.int32 if dtype == "int8" else np.float32
    )
    out = outside[..., 1:-1, :-1]
    out[...] = numbers.integers(-9, 9, out.shape)
    sign = int(numbers.integers(-1, 2))
    factors = [x.astype(np.int64) - (0 if zero is None else zero) for x, zero in ((a, a_zero), (b, b_zero))]
    product = np.matmul(*factors).reshape(out.shape)
    wanted = product if not sign else out.astype(np.int64) + sign * product
    if dtype == "int8":
        products.integer_product(out, a, b, sign, a_zero, b_zero)
    else:
        products.float_product(out, a, b, sign, np.float32, a_zero, b_zero)
    np.testing.assert_array_equal(out, wanted)
    assert not outside[..., 0, :].any()


@pytest.mark.parametrize(("rows", "depth", "columns"), [(512, 512, 512), (40, 9000, 700), (3, 2000, 2000)])
def test_products_of_small_integers_need_half_of_their_memory_more(
    rows: int, depth: int, columns: int
) -> None:
    numbers = np.random.default_rng(0)
    a, b = any_integers(numbers, (rows, depth), "int8"), any_integers(numbers, (depth, columns), "int8")
    out = np.empty((rows, columns), np.int32)
    tracemalloc.start()
    products.integer_product(out, a, b, 0)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 0.52 * (a.nbytes + b.nbytes + out.nbytes)


COUNTS = {
    "both": "C[i, j] += cast(A[i, p] && B[j, p], int32);",
    "either": "C[i, j] += cast(A[i, p] || B[j, p], int32);",
    "just one": "C[i, j] -= cast(A[i, p] != B[j, p], int32);",
    "conditions": "if A[i, p] && !B[j, p] { C[i, j] += 1; }",
    "one condition of two": "if A[i, p] || B[j, p] { C[i, j] += 1; }",
    "a number": "if A[i, p] && B[j, p] { C[i, j] += -7; }",
}


@pytest.mark.parametrize("step", COUNTS.values(), ids=COUNTS)
def test_TIR_21_counts_of_conditions_on_two_matrices_are_products(step: str) -> None:
    func = checked(
        "prim_func @f(A: Buffer[(n, k), bool], B: Buffer[(m, k), bool], C: Buffer[(n, m), int32]) "
        f"{{ for i, j, p in grid(n, m, k) {{ {step} }} }}"
    )
    nodes, _ = scheduled(lowered(analyse(func)))
    assert CONTRACTION in [node.strategy for node in nodes if isinstance(node, Kernel)]
    numbers = np.random.default_rng(1)
    for n, m, k in ((3, 5, 70), (0, 2, 2), (2, 0, 2), (2, 2, 0), (1, 1, 1)):
        a, b = numbers.random((n, k)) < 0.6, numbers.random((m, k)) < 0.6
        c = numbers.integers(-(1 << 31), 1 << 31, (n, m), np.int32)
        assert_same_outcome(func, [a, b, c])


@pytest.mark.parametrize("op", ["||", "!="])
def test_TIR_21_floats_do_not_count_by_differences(op: str) -> None:
    """A count of each condition and of both may be too large for a float to hold, though that of either is not."""
    func = checked(
        "prim_func @f(A: Buffer[(n, k), bool], B: Buffer[(m, k), bool], C: Buffer[(n, m), float32]) "
        f"{{ for i, j, p in grid(n, m, k) {{ C[i, j] += cast(A[i, p] {op} B[j, p], float32); }} }}"
    )
    nodes, _ = scheduled(lowered(analyse(func)))
    assert CONTRACTION not in [node.strategy for node in nodes if isinstance(node, Kernel)]


@pytest.mark.parametrize("start", range(0, 200, 20))
def test_TIR_21_random_products(start: int) -> None:
    """Random programs give the same arrays and the same failure either way."""
    for seed in range(start, start + 20):
        compare_random(Product(seed))


def compare_random(program: Product) -> None:
    from relax_lang.tir.check.driver import check_prim_func

    func = prim_func(program.text)
    mistakes = {found.slug for found in check_prim_func(func) if found.severity == "error"}
    assert mistakes <= {"tir-out-of-bounds"}, program.text
    if not mistakes:
        assert_same_outcome(func, program.arguments())
