"""Results of PrimFuncs, `break` and `continue`, and strings that packed functions get. [TIR.15] [TIR.19]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang import api
from relax_lang.tir.compile import compile_prim_func
from relax_lang.tir.interp import interpreter
from tests.runtime.harness import run_text
from tests.tir.support import prim_func

FIRST = """
prim_func @first(X: Buffer[(n,), float32], Y: Buffer[(), int64]) {
  Y[()] = -1;
  for i in 0..n {
    if X[i] < 0.0 {
      continue;
    }
    if X[i] > 2.0 {
      Y[()] = i;
      break;
    }
  }
}
"""

PICK = """
prim_func @pick(n: int64, x: float32) -> float32 {
  let half = x * 0.5;
  if_then_else(n > 3, half, x)
}
"""


@pytest.mark.parametrize("run", [interpreter.run, lambda func, args: compile_prim_func(func).run(*args)])
@pytest.mark.parametrize(("values", "found"), [([1, -5, 3, 9], 2), ([1, 2], -1), ([], -1), ([9], 0)])
def test_loops_end_early(run, values: list[float], found: int) -> None:
    y = np.zeros((), "int64")
    run(prim_func(FIRST), [np.array(values, "float32"), y])
    assert y == found


def test_break_ends_the_loop_of_the_last_variable_of_a_grid_and_of_a_while() -> None:
    func = prim_func("""
    prim_func @f(A: Buffer[(3, 4), int64], N: Buffer[(), int64]) {
      for i, j in grid(3, 4) {
        if j > i { break; }
        A[i, j] = 1;
      }
      N[()] = 0;
      while true {
        N[()] += 1;
        if N[()] % 2 == 0 { continue; }
        if N[()] > 6 { break; }
      }
    }
    """)
    a, n = np.zeros((3, 4), "int64"), np.zeros((), "int64")
    interpreter.run(func, [a, n])
    np.testing.assert_array_equal(a, np.tril(np.ones((3, 4), "int64")))
    assert n == 7


def test_what_may_not_run_is_no_error() -> None:
    text = FIRST.replace("Y[()] = i;", "Y[()] = i // 1;").replace("if X[i] < 0.0", "if i >= 2")
    text = text.replace("Y[()] = -1;", "Y[()] = cast(X[0], int64);")
    assert api.check(text).diagnostics == []
    guarded = """
    prim_func @f(X: Buffer[(4,), float32], Y: Buffer[(), float32]) {
      Y[()] = 0.0;
      for i in 0..9 {
        if i == 4 { break; }
        Y[()] += X[i];
      }
    }
    """
    assert [one.slug for one in api.check(guarded).diagnostics if one.severity == "error"] == []


@pytest.mark.parametrize(
    ("body", "places"),
    [
        ("break;", ["break;"]),
        ("for parallel i in 0..n { continue; }", []),
        ("for parallel i in 0..n { break; }", ["break;"]),
        ("for i in 0..n { block b (v = spatial(i)) { continue; } }", ["continue;"]),
        ("for i in 0..n { block b (v = spatial(i)) { while true { break; } } }", []),
    ],
)
def test_jumps_belong_to_a_loop(body: str, places: list[str]) -> None:
    text = f"prim_func @f(X: Buffer[(n,), float32]) {{ {body} }}"
    found = [
        text[one.pos : one.end] for one in api.check(text).diagnostics if one.slug == "tir-misplaced-jump"
    ]
    assert found == places


def test_results_are_numbers() -> None:
    func = prim_func(PICK)
    assert interpreter.run(func, [5, 3.0]) == 1.5
    assert compile_prim_func(func).run(2, 3.0) == 3.0


@pytest.mark.parametrize("engine", ["compiled", "interpreter"])
def test_a_prim_func_with_a_result_is_called_by_its_name(engine: str) -> None:
    text = (
        PICK
        + """
    def @main(x: Tensor[(4,), float32], by: Prim[float32]) -> (Prim[float32], Tensor[(4,), float32]) {
      dataflow {
        let a = @pick(prim_value(5), by);
        let y = multiply(x, a);
        output a, y;
      }
      (a, y)
    }
    """
    )
    assert api.check(text).diagnostics == []
    a, y = run_text(text, np.ones(4, "float32"), np.array(3.0, "float32"), engine=engine)
    assert float(np.asarray(a)) == 1.5
    np.testing.assert_array_equal(np.asarray(y), np.full(4, 1.5, "float32"))


def test_what_is_wrong_with_results() -> None:
    def slugs(text: str) -> list[tuple[str, str]]:
        return [
            (one.slug, text[one.pos : one.end])
            for one in api.check(text).diagnostics
            if one.severity == "error"
        ]

    assert slugs("prim_func @f(n: int64) { n + 1 }") == [("syntax", "n + 1")]
    assert slugs("prim_func @f(n: int64) -> int64 { }") == [("syntax", "}")]
    assert slugs("prim_func @f(n: int64) -> int64 { n; }") == [("syntax", "n")]
    assert slugs("prim_func @f(n: int64) -> float32 { n }") == [("tir-dtype-mismatch", "n")]
    through = PICK + "def @main() -> Tensor[(), float32] { call_tir(@pick, ()) -> Tensor[(), float32] }"
    assert slugs(through) == [("call-tir-arguments", "@pick")]
    stores = "prim_func @f(X: Buffer[(1,), int64]) -> int64 { X[0] = 1; X[0] } "
    impure = (
        stores
        + "def @main(x: Tensor[(1,), int64]) -> Prim[int64] { dataflow { let a = @f(x); output a; } a }"
    )
    assert [slug for slug, _ in slugs(impure)] == ["impure-in-dataflow"]


def test_packed_functions_get_strings() -> None:
    text = """
    prim_func @say(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
      call_extern("note", "int8", n, X, Y, "a \\"b\\"");
    }
    """
    got: list[object] = []
    func = prim_func(text)
    x = np.ones(2, "float32")
    compile_prim_func(func).run(
        x, x.copy(), packed={"note": lambda *args: got.extend([args[0], args[1], args[4]])}
    )
    assert got == ["int8", 2, 'a "b"']
    written = api.format_text(text)
    assert 'call_extern("note", "int8", n, X, Y, "a \\"b\\"");' in written
