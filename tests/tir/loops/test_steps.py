"""How many steps loops are expected to take. [TIR.21]"""

from __future__ import annotations

import pytest

from relax_lang.tir.loops.steps import estimated_steps
from tests.tir.support import prim_func


def test_steps_are_counted_in_the_middle_of_triangles():
    func = prim_func(
        "prim_func @f(Y: Buffer[(n, n), int32]) { for i in 0..n { for j in 0..i { Y[i, j] = 1; } } }"
    )
    assert estimated_steps(func, {"n": 100}) == 100 * 50


@pytest.mark.parametrize(
    ("bounds", "steps"),
    [("P[i]..m", 10 * 500), ("0..P[i]", 10 * 500), ("P[i]..P[i + 1]", 1000), ("i..m", 10 * 995)],
)
def test_steps_whose_bounds_data_decide_follow_the_sizes(bounds, steps):
    func = prim_func(
        f"prim_func @f(P: Buffer[(n + 1,), int64], X: Buffer[(m,), int64]) "
        f"{{ for i in 0..n {{ for j in {bounds} {{ X[j] += 1; }} }} }}"
    )
    assert estimated_steps(func, {"n": 10, "m": 1000}) == steps
