"""The scalar interpreter, rule by rule. Its agreement with NumPy on whole programs is in test_corpus."""

from __future__ import annotations

import sys

import ml_dtypes
import numpy as np
import pytest

from relax_lang.values import RunFailure
from tests.tir.interp.arrays import f32, failure, i64
from tests.tir.support import checked, interpret, prim_func

SUM = """prim_func @f(X: Buffer[(n, m), int64], Y: Buffer[(n,), int64]) {{
  {loops} {{
    block sum (vi = spatial(i), vj = reduce({axis})) {where} {{
      init {{ Y[vi] = 100; }}
      Y[vi] += X[vi, vj];
    }}
  }}
}}"""
X = np.arange(12).reshape(3, 4)


@pytest.mark.parametrize(
    ("loops", "axis"),
    [
        ("for i, j in grid(n, m)", "j"),
        ("for j, i in grid(m, n)", "j"),
        ("for i, j in grid(n, m)", "m - 1 - j"),
    ],
)
def test_TIR_10_init_runs_once_per_spatial_instance(run, loops: str, axis: str) -> None:
    y = i64(7, 7, 7)
    run(SUM.format(loops=loops, axis=axis, where=""), X, y)
    assert y.tolist() == [106, 122, 138]


def test_TIR_10_a_reduction_starts_anew_with_its_outermost_loop(run) -> None:
    y = i64(7, 7, 7)
    run(SUM.format(loops="for again, i, j in grid(3, n, m)", axis="j", where=""), X, y)
    assert y.tolist() == [106, 122, 138]


def test_TIR_10_split_reduction(run) -> None:
    y = i64(7, 7, 7)
    run(SUM.format(loops="for o, i, r in grid(m // 2, n, 2)", axis="o * 2 + r", where=""), X, y)
    assert y.tolist() == [106, 122, 138]


@pytest.mark.parametrize("loops", ["for i, j in grid(n, m)", "for j, i in grid(m, n)"])
def test_TIR_10_an_empty_reduction_gives_its_initial_value(run, loops: str) -> None:
    y = i64(7, 7, 7)
    run(SUM.format(loops=loops, axis="j", where=""), np.empty((3, 0), np.int64), y)
    assert y.tolist() == [100, 100, 100]


def test_TIR_10_triangular_reduction(run) -> None:
    text = SUM.format(loops="for i in 0..n { for j in 0..i", axis="j", where="").rstrip() + "}"
    y = i64(7, 7, 7)
    run(text, X, y)
    assert y.tolist() == [100, 104, 117]


def test_TIR_10_init_without_reduce_axes_runs_every_time(run) -> None:
    text = """prim_func @f(Y: Buffer[(n,), int64]) {
      for i in 0..n { block b (v = spatial(i)) { init { Y[v] = 5; } Y[v] += 1; } }
    }"""
    y = i64(0, 0)
    run(text, y)
    assert y.tolist() == [6, 6]


def test_TIR_10_nested_blocks(run) -> None:
    text = """prim_func @f(X: Buffer[(n, m), int64], Y: Buffer[(n,), int64]) {
      for i, o in grid(n, m // 2) {
        block outer (vi = spatial(i), vo = reduce(o)) {
          for r in 0..2 {
            block inner (wi = spatial(vi), wr = reduce(vo * 2 + r)) {
              init { Y[wi] = 0; }
              Y[wi] += X[wi, wr];
            }
          }
        }
      }
    }"""
    y = i64(7, 7, 7)
    run(text, X, y)
    assert y.tolist() == [6, 22, 38]


def test_TIR_12_where_skips_instances(run) -> None:
    y = i64(7, 7, 7)
    run(SUM.format(loops="for i, j in grid(n, m)", axis="j", where="where vi != 1"), X, y)
    assert y.tolist() == [106, 7, 138]


def test_TIR_12_where_on_the_reduce_axis(run) -> None:
    y = i64(7, 7, 7)
    run(SUM.format(loops="for i, j in grid(n, m)", axis="j", where="where vj > 1"), X, y)
    assert y.tolist() == [105, 113, 121]


def test_TIR_12_where_keeps_accesses_inside(run) -> None:
    text = """prim_func @f(Y: Buffer[(n,), int64]) {
      for o, i in grid((n + 3) // 4, 4) {
        block b (v = spatial(o * 4 + i)) where o * 4 + i < n { Y[v] = v; }
      }
    }"""
    y = np.zeros(6, np.int64)
    run(text, y)
    assert y.tolist() == [0, 1, 2, 3, 4, 5]


def test_TIR_13_if_then_else_is_lazy_and_select_is_not(run) -> None:
    text = "prim_func @f(X: Buffer[(n,), int64], Y: Buffer[(n,), int64]) {{ for i in 0..n {{ Y[i] = {}; }} }}"
    y = i64(0, 0, 0)
    run(text.format("if_then_else(i > 0, X[i - 1], -1)"), i64(1, 2, 3), y)
    assert y.tolist() == [-1, 1, 2]
    run(text.format("if_then_else(i > 0, 7 // i, -1)"), i64(1, 2, 3), y)
    assert y.tolist() == [-1, 7, 3]
    late = text.format("select(i > 0, X[i - X[0]], -1)")  # the checks cannot see that this is X[-1]
    assert failure(run, late, i64(1, 2, 3), y).slug == "tir-runtime-bounds"
    failed = failure(run, text.format("select(i > 0, 7 // i, -1)"), i64(1, 2, 3), y)
    assert failed.slug == "tir-division-by-zero"


def test_TIR_13_and_or_stop_early(run) -> None:
    text = """prim_func @f(X: Buffer[(n,), int64], Y: Buffer[(n,), bool]) {
      for i in 0..n { Y[i] = i > 0 && X[i - 1] > 1 || i == 0 && X[i] / 1 > 0; }
    }"""
    y = np.zeros(3, bool)
    run(text, i64(1, 2, 3), y)
    assert y.tolist() == [True, False, True]


def test_TIR_15_compound_stores_read_combine_and_store(run) -> None:
    y = i64(5, 5, 5)
    run("prim_func @f(Y: Buffer[(3,), int64]) { Y[0] += 2; Y[1] -= 2; Y[2] *= 2; Y[2] *= Y[0]; }", y)
    assert y.tolist() == [7, 3, 70]


@pytest.mark.parametrize("kind", ["", "parallel ", "vectorized ", "unrolled ", 'thread("threadIdx.x") '])
def test_TIR_15_kinds_of_loops_do_not_change_the_result(run, kind: str) -> None:
    y = i64(1, 0, 0, 0)
    run(f"prim_func @f(Y: Buffer[(n,), int64]) {{ for {kind}i in 1..n {{ Y[i] = Y[i - 1] * 2; }} }}", y)
    assert y.tolist() == [1, 2, 4, 8]


def test_TIR_17_assertions(run) -> None:
    text = 'prim_func @f(Y: Buffer[(n,), int64]) { assert n > 2, "too short"; Y[0] = 1; }'
    run(text, i64(0, 0, 0))
    y = i64(0, 0)
    failed = failure(run, text, y)
    assert (failed.slug, failed.message) == ("assertion-failed", "too short")
    assert y.tolist() == [0, 0]


def test_TIR_17_assertions_on_data(run) -> None:
    text = 'prim_func @f(Y: Buffer[(n,), int64]) { for i in 0..n { Y[i] += 1; assert Y[i] < 3, "big"; } }'
    y = i64(0, 4, 0)
    assert failure(run, text, y).slug == "assertion-failed"
    assert y.tolist() == [1, 5, 0]


def test_TIR_18_alloc_is_new_each_time() -> None:
    text = """prim_func @f(Y: Buffer[(2,), float32]) {
      for i in 0..2 {
        alloc T: Buffer[(1,), float32];
        Y[i] = T[0];
        T[0] = 1.0;
      }
    }"""
    y = f32(0, 0)
    interpret(checked(text), y)
    assert np.isnan(y).all()


def test_TIR_18_sizes_of_alloc(run) -> None:
    text = "prim_func @f(Y: Buffer[(n,), int64]) { alloc T: Buffer[(n - 3,), int64]; Y[0] = 1; }"
    run(text, i64(0, 0, 0))
    failed = failure(run, text, i64(0))
    assert (failed.slug, failed.message) == ("negative-dimension", "dimension 0 (`n - 3`) is -2")


def test_TIR_18_allocations_go_through_the_caller(run) -> None:
    def refuse(shape, dtype):
        raise RunFailure("out-of-memory", f"{shape} {dtype}")

    text = """prim_func @f(Y: Buffer[(n,), int64]) {
      alloc T: Buffer[(n, 7), int32];
      for i, j in grid(n, 7) { T[i, j] = cast(i + j, int32); }
      for i in 0..n { Y[i] = cast(T[i, 3], int64); }
    }"""
    assert failure(run, text, i64(0, 0), allocate=refuse).message == "(2, 7) int32"


def test_TIR_19_call_extern(run) -> None:
    text = """prim_func @f(X: Buffer[(n,), int64], Y: Buffer[(n,), int64], k: int64) {
      call_extern("twice", X, Y, k + 1, 0.5, k > 3);
      for i in 0..n { Y[i] += 1; }
    }"""
    calls = []

    def twice(x, y, *numbers):
        calls.append(numbers)
        y[...] = x * 2

    y = i64(0, 0)
    run(text, i64(3, 4), y, 5, packed={"twice": twice})
    assert y.tolist() == [7, 9]
    assert calls == [(6, 0.5, True)]
    failed = failure(run, text, i64(3, 4), y, 5)
    assert (failed.slug, failed.message) == ("extern-not-found", 'no packed function "twice" is registered')
    failed = failure(run, text, i64(3, 4), y, 5, packed={"twice": lambda *args: 1 // 0})
    assert failed.slug == "extern-failed"
    assert isinstance(failed.__cause__, ZeroDivisionError)

    def leave(*arguments):
        raise SystemExit("no\nmore")

    failed = failure(run, text, i64(3, 4), y, 5, packed={"twice": leave})
    assert failed.message == 'packed function "twice" failed: SystemExit: no more'


def test_TIR_8_accesses_are_checked(run) -> None:
    text = """prim_func @f(X: Buffer[(n, m), int64], I: Buffer[(k,), int64], Y: Buffer[(k,), int64]) {
      for i in 0..k { Y[i] = X[1, I[i]]; }
    }"""
    y = i64(0, 0, 0)
    failed = failure(run, text, X, i64(1, 4, 0), y)
    assert (failed.slug, failed.message) == (
        "tir-runtime-bounds",
        "index 4 outside dimension 1 of `X` (0..4)",
    )
    assert failed.facts == {"buffer": "X", "dimension": 1, "index": 4, "extent": 4}
    assert type(failed.node).__name__ == "BufferLoad"
    assert y.tolist() == [5, 0, 0]
    assert failure(run, text, X, i64(-1), i64(0)).message == "index -1 outside dimension 1 of `X` (0..4)"
    assert failure(run, text, X[:1], i64(0), i64(0)).message == "index 1 outside dimension 0 of `X` (0..1)"


def test_TIR_8_stores_are_checked(run) -> None:
    text = "prim_func @f(Y: Buffer[(n,), int64], k: int64) { for i in 0..n { Y[i + k] = i; } }"
    y = i64(7, 7, 7)
    assert failure(run, text, y, 1).message == "index 3 outside dimension 0 of `Y` (0..3)"
    assert y.tolist() == [7, 0, 1]


def test_while_and_let(run) -> None:
    text = """prim_func @f(Y: Buffer[(n,), int64]) {
      alloc C: Buffer[(), int64];
      C[()] = 0;
      while C[()] < n {
        let at = n - 1 - C[()];
        Y[at] = C[()];
        C[()] += 1;
      }
    }"""
    y = i64(0, 0, 0)
    run(text, y)
    assert y.tolist() == [2, 1, 0]


def test_scalar_parameters_and_dimensions(run) -> None:
    text = """prim_func @f(a: int8, X: Buffer[(n,), float32], c: bool, s: float32, Y: Buffer[(n * 2,), float32]) {
      for i in 0..n { Y[i] = select(c, X[i] * s, cast(a + 100, float32)); Y[i + n] = cast(n, float32); }
    }"""
    y = np.zeros(4, np.float32)
    run(text, np.int8(100), f32(1, 2), np.bool_(False), 0.1, y)
    assert y.tolist() == [-56, -56, 2, 2]
    run(text, 1, f32(1, 2), True, 0.1, y)
    np.testing.assert_array_equal(y, f32(np.float32(0.1), np.float32(0.2), 2, 2))


@pytest.mark.parametrize(
    ("args", "why"),
    [
        ((f32(1), f32(1)), "argument-check-failed: parameter `Y` of @f: dtype: expected int64, found float32"),
        ((f32(1), i64(1, 2)), "argument-check-failed: parameter `Y` of @f: dimension 0: expected n = 1, found 2"),
        ((np.ones((1, 1), "f4"), i64(1)), "argument-check-failed: parameter `X` of @f: rank: expected 1, found 2"),
        (([1.0], i64(1)), "argument-check-failed: parameter `X` of @f: expected a tensor, found an object"),
        ((f32(1),), "arity: @f takes 2 arguments, 1 are given"),
        ((f32(1).astype(">f4"), i64(1)),
         ("argument-check-failed: parameter `X` of @f: dtype: expected float32, found byte-swapped float32")),
    ],
)  # fmt: skip
def test_arguments_that_do_not_fit(run, args: tuple, why: str) -> None:
    params = "X: Buffer[(n,), float32], Y: Buffer[(n,), int64]"
    text = f"prim_func @f({params}) {{ for i in 0..n {{ Y[i] = cast(X[i], int64); }} }}"
    assert str(failure(run, text, *args)) == why


def test_outputs_must_be_writable(run) -> None:
    y = i64(1, 2)
    y.flags.writeable = False
    text = "prim_func @f(Y: Buffer[(n,), int64]) { for i in 0..n { Y[i] = i; } }"
    assert "read-only" in failure(run, text, y).message


def test_views_are_written_in_place(run) -> None:
    base = np.zeros((4, 6), np.float32)
    x = np.arange(6, dtype=np.float32)[::-1]
    run("prim_func @f(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) { for i in 0..n { Y[i] = X[i] + 1; } }",
        x, base[2, :])  # fmt: skip
    assert base[2].tolist() == [6, 5, 4, 3, 2, 1]
    assert base[[0, 1, 3]].sum() == 0


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_scalars_of_half_types_and_bools(run, dtype: str) -> None:
    text = f"""prim_func @f(c: bool, s: {dtype}, Y: Buffer[(2,), float32]) {{
      Y[0] = select(!c, 1.0, cast(s * s, float32));
      Y[1] = if_then_else(!c && c, 0.0, cast(s * s + s, float32));
    }}"""
    y = f32(0, 0)
    run(text, True, 1.1, y)
    half = np.float16 if dtype == "float16" else ml_dtypes.bfloat16
    s = np.float32(half(1.1))
    assert y.tolist() == [s * s, s * s + s]


def test_bfloat16_without_its_package(run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    monkeypatch.setattr("relax_lang.ops.core.dtypes._DTYPES", {})
    text = (
        "prim_func @f(Y: Buffer[(2,), float32]) { alloc T: Buffer[(2,), bfloat16]; T[0] = 1.0; Y[0] = 1.0; }"
    )
    failed = failure(run, text, f32(0, 0))
    assert failed.message == "bfloat16 needs the package ml_dtypes"


def test_rank_0_buffers_stay_arrays(run) -> None:
    y = np.zeros((), np.int64)
    run("prim_func @f(Y: Buffer[(), int64]) { for i in 0..5 { Y[()] += i; } }", y)
    assert isinstance(y, np.ndarray)
    assert y == 10


def test_a_function_with_mistakes_is_not_run() -> None:
    with pytest.raises(ValueError, match="has errors"):
        interpret(prim_func("prim_func @f(Y: Buffer[(2,), int64]) { Y[0] = q; }"), i64(0, 0))
