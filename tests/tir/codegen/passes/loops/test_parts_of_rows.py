"""Loops that go along rows go along the parts of rows that all of their steps use. [TIR.21]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.tir.compile import compile_prim_func
from tests.tir.support import assert_same_outcome, prim_func

HEAD = "prim_func @f(X: Buffer[(n, m), int64], Y: Buffer[(n, m), int64], k: int64)"
ALONG = {
    "waves": "for t in 2..n { for i in 1..m - 1 { X[t, i] = X[t - 1, i + 1] + X[t - 1, i - 1] - X[t - 2, i] * 3; } }",
    "backward": "for t in 1..n { for i in 1..m { X[n - 1 - t, i] = X[n - t, i - 1] * 2 - Y[n - 1 - t, i]; } }",
    "sums": "for t in 1..n { for i in 1..m { X[t, i] = X[t, i - 1] + X[t - 1, i] - X[t - 1, i - 1] * 2 + Y[t, i]; } }",
}
IN_STEPS = {
    "triangles": "for t in 1..n { for i in 1..min(t, m) { X[t, i] = X[t - 1, i - 1] + Y[t, i]; } }",
    "single elements": "for t in 1..n { for i in 1..m { X[t, i] = X[t - 1, i - 1] + Y[t, 0] * Y[t - 1, m - 1]; } }",
}
ALL = ALONG | IN_STEPS


@pytest.mark.parametrize("name", ALONG)
def test_TIR_21_parts_of_rows_are_not_cut_in_steps(name: str) -> None:
    source = compile_prim_func(prim_func(f"{HEAD} {{ {ALONG[name]} }}")).source
    steps = source[source.index(" in zip(") :]
    assert "zip(" in steps
    assert "m]" not in steps[steps.index("):\n") :]
    assert "m - 1]" not in steps[steps.index("):\n") :]


@pytest.mark.parametrize("name", ALL)
def test_TIR_21_parts_of_rows(name: str) -> None:
    func, generator = prim_func(f"{HEAD} {{ {ALL[name]} }}"), np.random.default_rng(9)
    for n, m in ((0, 3), (3, 0), (1, 1), (1, 4), (2, 2), (3, 1), (3, 2), (6, 5), (4, 9)):
        x, y = generator.integers(-9, 9, (2, n, m))
        assert_same_outcome(func, [x, y, 2])
        assert_same_outcome(func, [x.copy("F"), y[::-1], 2])
