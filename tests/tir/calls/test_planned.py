"""Planned calls: without guards, with results of their own; held against NumPy and the checked form. [TIR.21] [O.4]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.syntax import tree
from relax_lang.tir.codegen.calls.planned_calls import PlannedCall
from relax_lang.tir.compile import compile_prim_func
from relax_lang.tir.interp import interpreter
from relax_lang.tir.ir.signature import TensorSpec, buffers
from relax_lang.tir.planned import Plan, plan_call
from tests.tir.cases import arguments, compare
from tests.tir.support import checked, prim_func
from tests.tir.whole_corpus import ALL, CASES, FUNCS, IDS, compiled


def split(func: tree.PrimFunc, args: tuple[object, ...], results: int) -> tuple[list, list, list]:
    """Return the inputs, the results and the scalars among arguments."""
    arrays = [value for value in args if isinstance(value, np.ndarray)]
    scalars = [value for value in args if not isinstance(value, np.ndarray)]
    return arrays[: len(arrays) - results], arrays[len(arrays) - results :], scalars


def plan_of(func: tree.PrimFunc, args: tuple[object, ...], results: int, same: bool) -> Plan | None:
    arrays, outputs, scalars = split(func, args, results)
    specs = [TensorSpec(one.dtype.name, one.shape) for one in outputs]
    with np.errstate(all="ignore"):
        return plan_call(compile_prim_func(func), arrays, specs, scalars, same)


@pytest.mark.parametrize("same", [True, False], ids=["certain", "symbolic"])
@pytest.mark.parametrize(("kind", "name"), ALL, ids=IDS)
def test_planned_agrees_with_numpy(kind: str, name: str, same: bool) -> None:
    func, case = FUNCS[kind][name], CASES[kind][name]
    if case.in_place:
        pytest.skip("it reads what its results hold before")

    def run(*args: object) -> None:
        plan = plan_of(func, args, case.outputs, same)
        if plan is None:
            compiled(kind, name).run(*args)
            return
        inputs, outputs, scalars = split(func, args, case.outputs)
        with np.errstate(all="ignore"):
            for made in (plan.made, plan.run(*inputs, *scalars)):
                found = made if case.outputs > 1 else (made,)
                for output, value in zip(outputs, found, strict=True):
                    assert (value.shape, value.dtype, type(value)) == (output.shape, output.dtype, np.ndarray)
                    assert value.flags.writeable
                    assert not [one for one in inputs if np.may_share_memory(one, value)]
                    output[...] = value

    for sizes in case.sizes:
        compare(run, func, case, sizes, str(sizes))


def test_most_of_the_corpus_can_be_planned() -> None:
    tried = planned = 0
    for kind, name in ALL:
        func, case = FUNCS[kind][name], CASES[kind][name]
        if not case.in_place and len(buffers(func)) > case.outputs:
            tried += 1
            code = compiled(kind, name).code
            arrays = [one for one in arguments(func, case, case.sizes[0]) if isinstance(one, np.ndarray)]
            shapes = [array.shape for array in arrays]
            planned += code is not None and PlannedCall(code, case.outputs, shapes, True).is_possible
    assert planned > 0.8 * tried


HALVES = """prim_func @halves(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
  for i in 0..n // 2 {
    Y[i] = X[2 * i] + X[2 * i + 1];
  }
  for j in 0..n - n // 2 {
    Y[n // 2 + j] = max(X[j], 0.0);
  }
}"""


@pytest.mark.parametrize("n", [0, 1, 2, 5, 8])
def test_a_result_that_several_statements_store_is_allocated(n: int) -> None:
    func = prim_func(HALVES)
    x, y = np.arange(n, dtype=np.float32) - 2, np.zeros(n, np.float32)
    plan = plan_of(func, (x, y), 1, True)
    assert plan is not None
    interpreter.run(func, (x, y))
    assert plan.run(x).tolist() == y.tolist()


def test_what_stores_to_an_input_is_not_planned() -> None:
    func = prim_func("""prim_func @both(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
      for i in 0..n {
        Y[i] = X[i];
        X[i] = 0.0;
      }
    }""")
    assert plan_of(func, (np.ones(3, np.float32), np.zeros(3, np.float32)), 1, True) is None


def test_what_an_index_decides_is_given_up() -> None:
    func = prim_func("""prim_func @pick(X: Buffer[(n,), float32], I: Buffer[(m,), int64], Y: Buffer[(m,), float32]) {
      for i in 0..m {
        Y[i] = X[I[i]];
      }
    }""")
    x, y = np.arange(4, dtype=np.float32), np.zeros(2, np.float32)
    plan = plan_of(func, (x, np.array([1, 3]), y), 1, True)
    assert plan is not None
    assert not plan.certain
    assert plan.run(x, np.array([2, 0])).tolist() == [2, 0]
    with pytest.raises(plan.gives_up):
        plan.run(x, np.array([2, 4]))
    assert plan_of(func, (x, np.array([9, 3]), y), 1, True) is None


def test_sizes_that_only_results_have_are_known_if_they_are_certain() -> None:
    func = prim_func("""prim_func @rows(X: Buffer[(m,), float32], Y: Buffer[(n, m), float32]) {
      for i, j in grid(n, m) {
        Y[i, j] = X[j] + 1.0;
      }
    }""")
    x, y = np.arange(3, dtype=np.float32), np.zeros((2, 3), np.float32)
    assert plan_of(func, (x, y), 1, False) is None
    plan = plan_of(func, (x, y), 1, True)
    assert plan is not None
    assert plan.run(x).tolist() == [[1, 2, 3], [1, 2, 3]]


SOFTMAX = """prim_func @softmax(X: Buffer[(n, m), float32], Y: Buffer[(n, m), float32]) {
  alloc E: Buffer[(n, m), float32];
  alloc T: Buffer[(n,), float32];
  for i, j in grid(n, m) { E[i, j] = exp(X[i, j]); }
  for i in 0..n { T[i] = 0.0; for j in 0..m { T[i] += E[i, j]; } }
  for i, j in grid(n, m) { Y[i, j] = E[i, j] / T[i]; }
}"""


@pytest.mark.parametrize("sizes", [(0, 0), (0, 3), (3, 0), (1, 1), (2, 3)], ids=str)
def test_arrays_of_the_program_are_made_in_planned_calls(sizes: tuple[int, int]) -> None:
    func = prim_func(SOFTMAX)
    x, y = np.arange(sizes[0] * sizes[1], dtype=np.float32).reshape(sizes), np.zeros(sizes, np.float32)
    for same in (True, False):
        plan = plan_of(func, (x, y), 1, same)
        assert plan is not None
        assert plan.certain
        interpreter.run(func, (x, y))
        np.testing.assert_allclose(plan.run(x), y, rtol=1e-6)


def test_arrays_of_the_program_are_limited_in_planned_calls() -> None:
    func, x = prim_func(SOFTMAX), np.ones((4, 8), np.float32)
    results = [TensorSpec("float32", (4, 8))]
    with np.errstate(all="ignore"):
        plans = [
            plan_call(compile_prim_func(func), [x], results, (), True, most_bytes=most) for most in (127, 128)
        ]
    assert [plan is None for plan in plans] == [True, False]


def test_arrays_of_sizes_that_data_decide_are_not_planned() -> None:
    func = prim_func("""prim_func @f(N: Buffer[(1,), int64], Y: Buffer[(n,), int64]) {
      for i in 0..n {
        alloc T: Buffer[(i + 1,), int64];
        for j in 0..i + 1 { T[j] = N[0]; }
        Y[i] = T[i];
      }
    }""")
    assert plan_of(func, (np.ones(1, np.int64), np.zeros(3, np.int64)), 1, True) is None


@pytest.mark.parametrize("turned", [False, True])
def test_a_split_dimension_is_a_reshape(turned: bool) -> None:
    func = prim_func("""prim_func @split(X: Buffer[(n, m * 6), int64], Y: Buffer[(n, m, 2, 3), int64]) {
      for i, j, k, l in grid(n, m, 2, 3) { Y[i, j, k, l] = X[i, j * 6 + k * 3 + l]; }
    }""")
    compiled_form = compile_prim_func(func)
    assert "X.reshape(n, m, 2, 3)" in compiled_form.source
    for n, m in ((2, 3), (0, 3), (2, 0), (1, 1)):
        x = np.arange(n * m * 6).reshape((m * 6, n) if turned else (n, m * 6))
        x = x.T if turned else x
        y, wanted = np.zeros((n, m, 2, 3), np.int64), np.ascontiguousarray(x).reshape(n, m, 2, 3)
        compiled_form.run(x, y)
        np.testing.assert_array_equal(y, wanted)


@pytest.mark.parametrize("turned", [False, True])
def test_a_joined_dimension_is_stored_through_a_reshape(turned: bool) -> None:
    func = prim_func("""prim_func @join(X: Buffer[(n, m, 4), int64], Y: Buffer[(n, m * 4), int64]) {
      for i, j, k in grid(n, m, 4) { Y[i, j * 4 + k] = X[i, j, k] + 1; }
    }""")
    for n, m in ((2, 3), (0, 3), (2, 0), (1, 1)):
        x = np.arange(n * m * 4).reshape(n, m, 4)
        y = np.zeros((m * 4, n) if turned else (n, m * 4), np.int64)
        y = y.T if turned else y
        compile_prim_func(func).run(x, y)
        np.testing.assert_array_equal(y, x.reshape(n, m * 4) + 1)


@pytest.mark.parametrize(
    "body",
    [
        "for i in 0..n { Y[i] = cast(i, float32); }",
        "for i in 0..n { Y[i] = cast(i * 2, float32) + 0.5; }",
        "for i in 0..n { Y[i] = 3.0; }",
        "for i in 0..n { Y[i] = 0.0; } for i, j in grid(n, n) { Y[i] += cast(j, float32); }",
        "for i in 0..n { Y[i] = if_then_else(i < 3, cast(i, float32), 1.0); }",
        "for i in 0..n { Y[i] = min(max(cast(i, float32), 1.0), 2.0); }",
    ],
)
def test_TIR_21_planned_calls_with_what_sizes_decide_make_new_results(body: str):
    text = f"prim_func @f(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {{ {body} }}"
    compiled = compile_prim_func(checked(text))
    x = np.zeros(5, np.float32)
    plan = plan_call(compiled, [x], [TensorSpec("float32", (5,))], [], True)
    assert plan is not None
    first = plan.run(x)
    wanted = first.copy()
    np.testing.assert_array_equal(wanted, plan.made)
    first[...] = -9
    plan.made[...] = -9
    np.testing.assert_array_equal(plan.run(x), wanted)


def test_TIR_21_tables_of_planned_calls_are_made_once_and_not_large_ones():
    text = """
    prim_func @f(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
      for i in 0..n { Y[i] = X[(i * 3) % n] + cast(i % 7, float32); }
    }
    """
    compiled = compile_prim_func(checked(text))
    for n, kept in ((50, True), (100_000, False)):
        x = np.arange(n, dtype=np.float32)
        plan = plan_call(compiled, [x], [TensorSpec("float32", (n,))], [], True)
        assert plan is not None
        tables = [value for name, value in plan.run.__globals__.items() if name.startswith("table")]
        assert bool(tables) == kept
        i = np.arange(n)
        np.testing.assert_array_equal(plan.run(x), x[i * 3 % n] + (i % 7).astype(np.float32))
