"""Where conditions are on the reduced loops alone, one list of the terms for which they hold does for all elements."""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.tir.compile import compile_prim_func
from tests.tir.support import assert_same_outcome, checked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax import tree

LISTED = {
    "a circle": "if (a - 2) * (a - 2) + (b - 2) * (b - 2) <= 5 { F[i] += X[C[i, 0] + a - 2, C[i, 1] + b - 2]; }",
    "less": "if a != b { F[i] -= X[C[i, 0] + a, C[i, 1]] * W[a, b]; }",
    "the greatest": "if a > b { F[i] = max(F[i], X[C[i, 0] + a, C[i, 1] + b]); }",
    "the least": "if a * b > n { F[i] = min(F[i], X[C[i, 0] - a, C[i, 1] + b]); }",
    "what data choose": "if W[a, b] > 2 { F[i] += X[C[i, 0] + a, C[i, 1] + b] * W[a, b]; }",
    "two conditions": "if W[a, b] > 0 { if a + b < 5 { F[i] += X[C[i, 0] + a, C[i, 1] + b]; } }",
    "a product": "if W[a, b] > 4 { F[i] *= X[C[i, 0] + a, C[i, 0] + b]; }",
    "of one loop": "if W[a, 0] > 2 { F[i] += X[C[i, 0] + a, C[i, 1]] + b; }",
}
NOT_LISTED = {
    "an element decides": "if W[a, b] > F[0] + C[i, 0] { G[i] += X[C[i, 0] + a, C[i, 1] + b]; }",
    "an index that is not chosen": "if W[a, b] > 2 { F[i] += X[i + a, b]; }",
}


def program(body: str, dtype: str = "int64") -> tree.PrimFunc:
    buffers = ", ".join(
        [
            f"X: Buffer[(h, w), {dtype}]",
            "C: Buffer[(n, 2), int64]",
            f"W: Buffer[(5, 4), {dtype}]",
            f"F: Buffer[(n,), {dtype}]",
            f"G: Buffer[(n,), {dtype}]",
        ]
    )
    return checked(f"prim_func @f({buffers}) {{ for i in 0..n {{ for a, b in grid(5, 4) {{ {body} }} }} }}")


def arguments(n: int, dtype: str = "int64", low: int = 4, high: int = 8) -> list[np.ndarray]:
    random = np.random.default_rng(n)
    x, weights, first = [random.integers(-5, 9, shape).astype(dtype) for shape in ((13, 12), (5, 4), (n,))]
    return [x, random.integers(low, high, (n, 2)), weights, first, first.copy()]


@pytest.mark.parametrize("name", [*LISTED, *NOT_LISTED])
def test_terms_are_those_of_the_loops(name: str) -> None:
    func = program({**LISTED, **NOT_LISTED}[name])
    source = compile_prim_func(func).source
    assert ("np.nonzero(" in source and "i_at" not in source) == (name in LISTED), source
    for n in (0, 1, 2, 7, 40):
        assert_same_outcome(func, [*arguments(n)])
        assert_same_outcome(func, [*arguments(n, low=-2, high=14)])  # some of them outside


@pytest.mark.parametrize("dtype", ["uint8", "int32", "float32", "float64"])
@pytest.mark.parametrize("name", ["a circle", "less", "the greatest", "what data choose"])
def test_terms_of_other_types(name: str, dtype: str) -> None:
    func = program(LISTED[name], dtype)
    args = arguments(9, dtype)
    assert_same_outcome(func, [*args], ulps=8)
    if args[0].dtype.kind == "f":
        args[0][5, 6], args[0][6, 6] = np.inf, np.nan
        assert_same_outcome(func, [*args], ulps=8)


def test_no_term_leaves_elements_as_they_are() -> None:
    for name in ("what data choose", "a product"):
        args = arguments(6)
        args[2][:] = 0
        assert_same_outcome(program(LISTED[name]), [*args])
    args = arguments(6, "float32")
    args[2][:], args[3][:] = 0, -0.0
    assert_same_outcome(program(LISTED["the greatest"].replace("a > b", "W[a, b] > 2"), "float32"), [*args])
