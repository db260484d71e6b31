"""Terms that boxes of loops choose are stored one after the other: random stencils against the interpreter. [TIR.21]

`python -m tests.tir.schedule.test_expression_splitting FIRST COUNT` compares other seeds.
"""

from __future__ import annotations

import random

import numpy as np
import pytest

from relax_lang.tir.check.driver import check_prim_func
from relax_lang.tir.compile import compile_prim_func
from tests.seeds import print_failing
from tests.tir.support import assert_same_outcome, checked, prim_func

SIZES = ((0, 0), (0, 3), (3, 0), (1, 1), (1, 4), (2, 3), (5, 4))
DTYPES = ("int64", "int32", "uint8", "float32", "float64", "float16", "bool")
OPERATIONS = {
    "bool": ("&&", "||", "=="),
    "float": ("+", "-", "*", "max"),
    "int": ("+", "-", "*", "|", "^", "&", "min"),
}


class Stencil:
    """A random store whose terms differ at borders."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(f"boxes {seed}")
        self.pick = self.random.choice
        self.dtype = self.pick(DTYPES)
        kind = self.dtype if self.dtype == "bool" else self.dtype.rstrip("0123456789").lstrip("u")
        self.operations = OPERATIONS[kind]
        guard = self.pick(("", "", "", "", "if i > 0 {", "if j < m - 1 {", "if C[i, j] {"))
        body = f"{guard} Y[i, j] = {self.value(3)}; {'}' if guard else ''}"
        params = f"X: Buffer[(n, m), {self.dtype}], C: Buffer[(n, m), bool], Y: Buffer[(n, m), {self.dtype}]"
        self.text = f"prim_func @f({params}) {{ for i, j in grid(n, m) {{ {body} }} }}"

    def value(self, depth: int) -> str:
        """Return a chain of terms, or an operation with two of them."""
        if depth == 0:
            return self.term()
        operation, first, second = self.pick(self.operations), self.value(depth - 1), self.term()
        if self.random.random() < 0.3:
            second = self.value(self.random.randrange(depth))
        if self.random.random() < 0.2:
            first, second = second, first
        if self.random.random() < 0.1:
            return f"if_then_else(C[i, j], {first}, {second})"
        return f"{operation}({first}, {second})" if operation.isalpha() else f"({first} {operation} {second})"

    def term(self) -> str:
        """Return an element, or one of two values, as a border decides."""
        conditions = {
            "i > 0": "X[i - 1, j]",
            "i < n - 1": "X[i + 1, j]",
            "j >= 1": "X[i, j - 1]",
            "j != m - 1": self.pick(("X[i, j + 1]", "X[i, min(j + 1, m - 1)]")),
            "i > 0 && j > 0": "X[i - 1, j - 1]",
            "i > 1 || j < 2": "X[i, j]",
        }
        condition, read = self.pick(list(conditions.items()))
        if self.random.random() < 0.06:
            read = "X[i + 2, j]"  # which is outside of some arrays
        if self.random.random() < 0.2:
            return self.pick(("X[i, j]", read.replace("i - 1", "max(i - 1, 0)")))
        if self.dtype == "bool" and self.random.random() < 0.7:
            return self.pick((f"({condition} && {read})", f"(!({condition}) || {read})"))
        return f"if_then_else({condition}, {read}, {self.otherwise()})"

    def otherwise(self) -> str:
        if self.dtype == "bool":
            return self.pick(("false", "true", "X[i, j]"))
        number = self.pick(("0", "0", "0", "1", "-0.0" if self.dtype[0] == "f" else "2"))
        return self.pick((f"cast({number}, {self.dtype})", "X[i, j]"))

    def arguments(self, seed: int, n: int, m: int) -> list[list[object]]:
        """Return arguments: distinct arrays, and some that are one or overlap."""
        numbers = np.random.default_rng(seed)
        x, y, both = [self._array(numbers, rows, m) for rows in (n, n, n + 1)]
        chosen = numbers.random((n, m)) < 0.5
        return [[x, chosen, y], [x, chosen, x], [both[:n], chosen, both[1:]]]

    def _array(self, numbers: np.random.Generator, n: int, m: int) -> np.ndarray:
        if self.dtype == "bool":
            return numbers.random((n, m)) < 0.5
        values = numbers.integers(0, 4, (n, m)).astype(self.dtype)
        if self.dtype[0] == "f":
            special = [np.nan, np.inf, -np.inf, -0.0, 1.5]
        else:
            limits = np.iinfo(self.dtype)
            special = [limits.min, limits.max, limits.max - 1]
        some = numbers.random((n, m)) < 0.3
        values[some] = numbers.choice(np.array(special, self.dtype), int(some.sum()))
        return values


def compare(seed: int) -> None:
    """Run a random program compiled and interpreted on all sizes."""
    stencil = Stencil(seed)
    if check_prim_func(prim_func(stencil.text)):
        return
    func = checked(stencil.text)
    for n, m in SIZES:
        for args in stencil.arguments(seed, n, m):
            assert_same_outcome(func, args)


def problem(seed: int) -> str:
    """Return in what the meanings of a random program differ; "" if in nothing."""
    try:
        compare(seed)
    except AssertionError as error:
        return f"{error}\n{Stencil(seed).text}"
    return ""


@pytest.mark.parametrize("first", range(0, 60, 10))
def test_TIR_21_random_stencils_whose_terms_differ_at_borders(first: int) -> None:
    for seed in range(first, first + 10):
        compare(seed)


ZERO_PADDED = (
    "if_then_else(i > 0, X[i - 1, j], ZERO) + if_then_else(i < n - 1, X[i + 1, j], ZERO)"
    " + if_then_else(j > 0, X[i, j - 1], ZERO) + if_then_else(j < m - 1, X[i, j + 1], ZERO)"
)


def stencil_of(value: str, dtype: str = "float32", result: str = "") -> str:
    """Return a store of a value to each element of a matrix."""
    params = f"X: Buffer[(n, m), {dtype}], Y: Buffer[(n, m), {result or dtype}]"
    return f"prim_func @f({params}) {{ for i, j in grid(n, m) {{ Y[i, j] = {value}; }} }}"


@pytest.mark.parametrize(
    ("text", "most"),
    [
        (stencil_of(ZERO_PADDED.replace("ZERO", "0"), "int32"), 5),
        (stencil_of(ZERO_PADDED.replace("ZERO", "0.0")), 8),
        (stencil_of(f"X[i, j] + 0.1 * ({ZERO_PADDED.replace('ZERO', '0.0')} - 4.0 * X[i, j])"), 9),
        (
            stencil_of(
                "(i == 0 || X[i, j] > X[i - 1, j]) && (i == n - 1 || X[i, j] > X[i + 1, j])"
                " && (j == 0 || X[i, j] > X[i, j - 1]) && (j == m - 1 || X[i, j] > X[i, j + 1])",
                result="bool",
            ),
            5,
        ),
        (
            stencil_of(
                "(i > 0 && X[max(i - 1, 0), j] == 2) || (i < n - 1 && X[min(i + 1, n - 1), j] == 2)"
                " || (j > 0 && X[i, max(j - 1, 0)] == 2) || (j < m - 1 && X[i, min(j + 1, m - 1)] == 2)",
                "uint8",
                "bool",
            ),
            5,
        ),
    ],
)
def test_TIR_21_a_stencil_has_no_more_stores_than_terms_and_borders(text: str, most: int) -> None:
    compiled = compile_prim_func(checked(text))
    assert compiled.source.count(": elementwise over") <= most, compiled.source
    assert "nonzero" not in compiled.source


def test_TIR_21_a_term_that_may_fail_is_not_evaluated_where_the_program_does_not() -> None:
    func = checked(
        stencil_of(
            "(i > 0 && X[i - 1, j]) || (j > 0 && X[i, j - 1]) || (X[i, j] && i > 0 && X[i + 1, j])", "bool"
        )
    )
    x = np.zeros((4, 3), bool)
    assert_same_outcome(func, [x, x.copy()])
    x[3, 0] = True
    assert_same_outcome(func, [x, x.copy()])
    x[2, 0] = True  # so that the row above decides
    assert_same_outcome(func, [x, x.copy()])


if __name__ == "__main__":
    print_failing(problem)
