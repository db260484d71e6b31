"""Arrays whose indices are kept inside are read from padded copies: random windows against the interpreter. [TIR.21]"""

from __future__ import annotations

import random

import numpy as np
import pytest

from relax_lang.tir.check.driver import check_prim_func
from relax_lang.tir.compile import compile_prim_func
from relax_lang.tir.runtime_library.views import copy_with_edges
from tests.tir.support import assert_same_outcome, checked, prim_func

SIZES = ((0, 0), (0, 3), (3, 0), (1, 1), (1, 4), (2, 3), (5, 4))
DTYPES = ("int64", "int32", "uint8", "float32", "float64", "float16")


def clamped(numbers: random.Random, value: str, size: str) -> str:
    """Return an index that is kept inside, most often."""
    forms = [
        f"min(max({value}, 0), {size} - 1)",
        f"max(min({value}, {size} - 1), 0)",
        f"max({value}, 0)",
        f"min({value}, {size} - 1)",
        f"min(max({value}, 1), {size} - 1)",
        f"max(0, min({size} - 1, {value})) - 0",
        value,
    ]
    return numbers.choices(forms, [8, 4, 2, 2, 1, 2, 1])[0]


def program(seed: int) -> str:
    """Return a random window or stencil that is not certainly out of bounds."""
    numbers = random.Random(seed)
    while True:
        text = candidate(numbers)
        if not check_prim_func(prim_func(text)):
            return text


def candidate(numbers: random.Random) -> str:
    """Return a random window or stencil."""
    dtype = numbers.choice(DTYPES)
    a, b = numbers.choice((1, 2, 3, 5)), numbers.choice((1, 2, 3))
    params = f"X: Buffer[(n, m), {dtype}], Y: Buffer[(n, m), {dtype}]"
    is_window = numbers.random() < 0.6
    lines: list[str] = []
    if is_window:
        op, start = numbers.choice((("+", "0"), ("max", "0"), ("min", "100")))
        start = f"cast({start}, {dtype})"
        left, right = numbers.randrange(-1, 4), numbers.randrange(-1, 3)
        row = clamped(numbers, f"i + a - {left}", "n")
        column = clamped(numbers, f"j + b - {right}", "m")
        if numbers.random() < 0.2:
            row, column = column, row
        read = f"X[{row}, {column}]"
        if numbers.random() < 0.3:
            read += f" * X[{clamped(numbers, 'i + 1', 'n')}, j]"
        value = f"Y[i, j] + {read}" if op == "+" else f"{op}(Y[i, j], {read})"
        lines = [f"Y[i, j] = {start};", f"for a, b in grid({a}, {b}) {{ Y[i, j] = {value}; }}"]
    else:
        reads = [
            f"X[{clamped(numbers, f'i + {numbers.randrange(-2, 3)}', 'n')},"
            f" {clamped(numbers, f'j + {numbers.randrange(-2, 3)}', 'm')}]"
            for _ in range(numbers.randrange(1, 4))
        ]
        lines = [f"Y[i, j] = {' + '.join(reads)};".replace("+ -", "- ")]
    if numbers.random() < 0.2:
        lines = [
            f"if {numbers.choice(('X[i, j] > cast(1, ' + dtype + ')', 'i > 0', 'i < j'))} {{",
            *lines,
            "}",
        ]
    if numbers.random() < 0.15:
        lines.append("X[i, j] = Y[i, j];")
    body = "\n".join(lines).replace("+ -", "- ")
    return f"prim_func @f({params}) {{ for i, j in grid(n, m) {{ {body} }} }}"


def arguments(seed: int, n: int, m: int, dtype: str) -> list[list[object]]:
    """Return arguments: two arrays, one array twice, and two that overlap."""
    numbers = np.random.default_rng(seed)
    x = numbers.integers(0, 4, (n, m)).astype(dtype)
    y = numbers.integers(0, 4, (n, m)).astype(dtype)
    both = numbers.integers(0, 4, (n + 1, m)).astype(dtype)
    return [[x, y], [x, x], [both[:n], both[1:]]]


def compare(seed: int) -> None:
    """Run a random program compiled and interpreted on all sizes."""
    text = program(seed)
    func = checked(text)
    dtype = text.split("), ")[1].split("]")[0]
    for n, m in SIZES:
        for args in arguments(seed, n, m, dtype):
            assert_same_outcome(func, args)


@pytest.mark.parametrize("seed", range(25))
def test_TIR_21_random_windows_with_borders(seed: int) -> None:
    compare(seed)


WINDOW = """prim_func @f(X: Buffer[(n, m), float32], Y: Buffer[(n, m), float32]) {
  for i, j in grid(n, m) {
    Y[i, j] = 0.0;
    for a, b in grid(3, 3) { Y[i, j] += X[min(max(i + a - 1, 0), n - 1), min(max(j + b - 1, 0), m - 1)]; }
  }
}"""


def test_TIR_21_a_window_with_borders_reads_slices() -> None:
    source = compile_prim_func(checked(WINDOW)).source
    assert source.count("copy_with_edges(X_1, X, (-1, -1))") == 1, source
    assert "np.take(" not in source


ALL_SIDES = "X[max(i - 1, 0), j] + X[i, max(j - 1, 0)] + X[min(i + 1, n - 1), j] + X[i, min(j + 1, m - 1)]"
NEIGHBOURS = {
    "all sides": ALL_SIDES,
    "and itself": f"{ALL_SIDES} - cast(4, DTYPE) * X[i, j]",
    "corners": "X[max(i - 1, 0), max(j - 1, 0)] - X[min(i + 1, n - 1), max(j - 1, 0)] + X[i, min(j + 2, m - 1)]",
    "one dimension": "X[max(i - 2, 0), j] + X[max(i - 1, 0), j] + X[min(i + 1, n - 1), j] - X[i, m - 1 - j]",
    "both limits": f"{ALL_SIDES} + X[min(max(i - 3, 0), n - 1), j]",
    "a limit that is not the last element": f"{ALL_SIDES} + X[min(i + 1, n // 2), j]",
    "columns backwards": f"{ALL_SIDES} + X[max(i - 1, 0), m - 1 - j]",
}


@pytest.mark.parametrize("dtype", ["float32", "uint8"])
@pytest.mark.parametrize("value", NEIGHBOURS.values(), ids=NEIGHBOURS)
def test_TIR_21_neighbours_at_borders(value: str, dtype: str) -> None:
    params = "X: Buffer[(n, m), DTYPE], Y: Buffer[(n, m), DTYPE]"
    text = f"prim_func @f({params}) {{ for i, j in grid(n, m) {{ Y[i, j] = {value}; }} }}"
    func = checked(text.replace("DTYPE", dtype))
    for n, m in SIZES:
        for args in arguments(n + m, n, m, dtype):
            assert_same_outcome(func, args)
    source = compile_prim_func(func).source
    assert source.count("copy_with_edges(X_1, X, ") == 1, source


def test_TIR_21_neighbours_under_conditions_are_boxes() -> None:
    conditions = "i > 0", "j > 0", "i < n - 1", "j < m - 1"
    pairs = zip(conditions, ALL_SIDES.split(" + X"), strict=True)
    terms = [f"({condition} && X{read.removeprefix('X')} == cast(2, uint8))" for condition, read in pairs]
    params = "X: Buffer[(n, m), uint8], Y: Buffer[(n, m), bool]"
    func = checked(
        f"prim_func @f({params}) {{ for i, j in grid(n, m) {{ Y[i, j] = {' || '.join(terms)}; }} }}"
    )
    assert "padded" not in compile_prim_func(func).source
    for n, m in SIZES:
        x = np.random.default_rng(n + m).integers(0, 4, (n, m)).astype(np.uint8)
        assert_same_outcome(func, [x, np.zeros((n, m), np.bool_)])


@pytest.mark.parametrize("starts", [(-1, -2), (-3, 2), (0, 0), (1, -1), (5, -9), (-7, 0)], ids=str)
@pytest.mark.parametrize("shape", [(1, 1), (4, 3), (2, 6)], ids=str)
def test_TIR_21_edges_are_the_nearest_elements(shape: tuple[int, int], starts: tuple[int, int]) -> None:
    source = np.arange(shape[0] * shape[1]).reshape(shape)
    for extents in ((1, 1), (3, 4), (8, 9)):
        target = np.full(extents, -1)
        copy_with_edges(target, source, starts)
        rows, columns = [
            np.clip(np.arange(extent) + start, 0, size - 1)
            for start, extent, size in zip(starts, extents, shape, strict=True)
        ]
        np.testing.assert_array_equal(target, source[rows[:, None], columns])


def test_TIR_21_two_neighbours_at_borders_are_boxes() -> None:
    func = checked(
        "prim_func @f(X: Buffer[(n,), float32], Y: Buffer[(n,), float32])"
        " { for i in 0..n { Y[i] = X[max(i - 1, 0)] + X[min(i + 1, n - 1)]; } }"
    )
    assert "padded" not in compile_prim_func(func).source


def test_TIR_21_an_array_that_is_stored_to_is_not_copied() -> None:
    text = WINDOW.replace("Y[i, j] = 0.0;", "Y[i, j] = 0.0; X[i, j] = 1.0;")
    func = checked(text)
    assert "padded" not in compile_prim_func(func).source
    assert_same_outcome(func, [np.ones((3, 3), np.float32), np.zeros((3, 3), np.float32)])


def test_TIR_21_an_array_that_is_read_once_is_not_copied() -> None:
    func = checked(
        "prim_func @f(X: Buffer[(n,), int64], Y: Buffer[(n,), int64])"
        " { for i in 0..n { Y[i] = X[min(i + 1, n - 1)]; } }"
    )
    assert "padded" not in compile_prim_func(func).source


if __name__ == "__main__":
    import sys

    first, count = int(sys.argv[1]), int(sys.argv[2])
    for seed in range(first, first + count):
        compare(seed)
