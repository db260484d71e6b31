"""Loops that add up rows run as operations on rows, with the results and failures of the loop, bit by bit."""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.tir.interp import interpreter, row_sums
from tests.tir.support import checked, outcome

HEAD = "prim_func @f(A: Buffer[(n, m), {0}], B: Buffer[(m, p), {0}], Y: Buffer[(n, p), {0}]) {{ {1} }}"
PRODUCT = "for i, j in grid(n, p) {{ for k in {range} {{ {body} }} }}"
BODIES = {
    "product": "Y[i, j] += A[i, k] * B[k, j];",
    "difference": "Y[i, j] -= A[i, k] - B[k, j];",
    "number": "Y[i, j] += A[i, k] * 0.1 + 1.0 / 3.0;",
    "one value": "Y[i, j] += A[i, 0] * B[k, j];",
    "moved": "Y[i, j] += A[i, k + 1 - 1] * B[j * 0 + k, j];",
}


def without_rows(
    monkeypatch: pytest.MonkeyPatch, text: str, args: list[object]
) -> tuple[str, list[np.ndarray]]:
    """Run a program as loops alone."""
    with monkeypatch.context() as patch:
        patch.setattr(row_sums, "FEWEST", 1 << 60)
        return run(text, args)


def run(text: str, args: list[object]) -> tuple[str, list[np.ndarray]]:
    return outcome(lambda *arrays: interpreter.run(checked(text), arrays), args)


def arrays(dtype: str, m: int = 40) -> list[object]:
    draw = np.random.default_rng(0)
    made = [draw.standard_normal(shape).astype(dtype) for shape in ((3, m), (m, 2), (3, 2))]
    made[0][0, 5], made[0][1, 7], made[1][3, 1], made[0][2, :] = np.inf, np.nan, -np.inf, -0.0
    made[0][1, 3] *= 1e30
    return list(made)


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("most", [7, 1 << 16])
def test_TIR_15_rows_are_added_in_the_order_of_the_loop(monkeypatch, dtype, body, most) -> None:
    text = HEAD.format(dtype, PRODUCT.format(range="0..m", body=body))
    expected = without_rows(monkeypatch, text, arrays(dtype))
    monkeypatch.setattr(row_sums, "FEWEST", 1)
    monkeypatch.setattr(row_sums, "MOST", most)
    found = run(text, arrays(dtype))
    assert found[0] == expected[0] == ""
    for own, other in zip(found[1], expected[1], strict=True):
        np.testing.assert_array_equal(own, other)
        np.testing.assert_array_equal(np.signbit(own), np.signbit(other))


@pytest.mark.parametrize(("first", "end"), [(0, 41), (-1, 40), (40, 40), (5, 2), (0, 40), (41, 80)])
def test_TIR_8_an_index_that_leaves_its_buffer_fails_where_the_loop_does(monkeypatch, first, end) -> None:
    text = HEAD.format("float32", PRODUCT.format(range="E[0]..E[1]", body=BODIES["product"]))
    text = text.replace(") {", ", E: Buffer[(2,), int64]) {", 1)
    args = [*arrays("float32"), np.array([first, end])]
    expected, found = without_rows(monkeypatch, text, args), run(text, args)
    assert found[0] == expected[0]
    assert bool(found[0]) == (first < end and (first < 0 or end > 40))
    for own, other in zip(found[1], expected[1], strict=True):
        np.testing.assert_array_equal(own, other)


def test_TIR_15_arrays_that_share_memory_are_read_step_by_step(monkeypatch) -> None:
    text = "prim_func @f(A: Buffer[(n,), float64], Y: Buffer[(n,), float64]) { for k in 0..n { Y[20] += A[k] * 2.0; } }"
    whole = np.arange(41, dtype=np.float64)
    args: list[object] = [whole[:40], whole[1:]]
    expected = without_rows(monkeypatch, text, args)
    np.testing.assert_array_equal(run(text, args)[1], expected[1])


@pytest.mark.parametrize(
    "body",
    [
        "Y[k, 0] += A[0, k];",
        "Y[0, 0] += A[0, k] * Y[0, 1];",
        "Y[0, 0] *= A[0, k];",
        "Y[0, 0] += A[k, k];",
        "Y[0, 0] += A[0, 2 * k];",
        "Y[0, 0] += A[0, k] / 3.0;",
        "Y[0, 0] += A[0, k]; Y[0, 1] += A[0, k];",
        "Y[0, 0] += A[0, k]; if k > 3 { break; }",
    ],
)
def test_TIR_15_other_loops_are_not_taken(monkeypatch, body: str) -> None:
    text = HEAD.format("float64", f"for k in 0..2 {{ {body} }}")
    monkeypatch.setattr(row_sums, "FEWEST", 1)
    monkeypatch.setattr(row_sums.np, "may_share_memory", lambda *_: pytest.fail("taken as a row"))
    assert run(text, arrays("float64"))[0] == ""


def test_TIR_15_a_product_of_matrices_takes_no_time_by_element(monkeypatch) -> None:
    text = HEAD.format("float32", PRODUCT.format(range="0..m", body=BODIES["product"]))
    steps = []
    add = row_sums.np.may_share_memory
    monkeypatch.setattr(row_sums.np, "may_share_memory", lambda *two: steps.append(two) or add(*two))
    assert run(text, arrays("float32"))[0] == ""
    assert len(steps) == 2 * 3 * 2  # for each of six elements: two arrays are compared with the result
