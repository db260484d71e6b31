"""Memory of planned calls: results that are views of inputs, or written over them, hold the same values. [X.O4]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang import api
from relax_lang.syntax import tree
from relax_lang.tir import planned
from relax_lang.tir.codegen.calls.planned_calls import Form, PlannedCall
from relax_lang.tir.compile import compile_prim_func
from relax_lang.tir.ir.signature import TensorSpec
from relax_lang.tir.options.sharing import Sharing
from relax_lang.tir.planned import Plan, plan_call
from tests.tir.calls.test_planned import split
from tests.tir.cases import compare
from tests.tir.support import prim_func
from tests.tir.whole_corpus import ALL, CASES, FUNCS, IDS, compiled


def plan_of(func: tree.PrimFunc, args: tuple[object, ...], results: int, sharing: Sharing) -> Plan | None:
    arrays, outputs, scalars = split(func, args, results)
    specs = [TensorSpec(one.dtype.name, one.shape) for one in outputs]
    with np.errstate(all="ignore"):
        return plan_call(compile_prim_func(func), arrays, specs, scalars, True, sharing=sharing)


@pytest.mark.parametrize(("kind", "name"), ALL, ids=IDS)
def test_results_may_share_memory_with_inputs(monkeypatch: pytest.MonkeyPatch, kind: str, name: str) -> None:
    monkeypatch.setattr(planned, "LARGE", 0)
    func, case = FUNCS[kind][name], CASES[kind][name]
    if case.in_place:
        pytest.skip("it reads what its results hold before")
    inputs_of = len([one for one in func.params if isinstance(one, tree.Buffer)]) - case.outputs

    for at in range(inputs_of):

        def run(*args: object, at: int = at) -> None:
            plan = plan_of(func, args, case.outputs, Sharing(tuple(range(inputs_of)), (at,)))
            if plan is None:
                compiled(kind, name).run(*args)
                return
            inputs, outputs, scalars = split(func, args, case.outputs)
            with np.errstate(all="ignore"):
                made = plan.run(*inputs, *scalars)
                if plan.over is not None:
                    run_over, place = plan.over
                    assert place == at
                    given = [one.copy() if k == at else one for k, one in enumerate(inputs)]
                    made = run_over(*given, *scalars)
                    assert made is given[at]
            found = made if case.outputs > 1 else (made,)
            for output, value in zip(outputs, found, strict=True):
                assert (value.shape, value.dtype) == (output.shape, output.dtype)
                output[...] = value

        for sizes in case.sizes:
            compare(run, func, case, sizes, str(sizes))


def shared(text: str, *args: np.ndarray, results: int = 1, over: int = 0) -> Plan:
    """Plan a call whose results may share memory with everything."""
    func = prim_func(text)
    inputs = len(args) - results
    found = plan_of(func, args, results, Sharing(tuple(range(inputs)), (over,)))
    assert found is not None
    return found


TRANSPOSE = """prim_func @turn(X: Buffer[(n, m), float32], Y: Buffer[(m, n), float32]) {
  for i, j in grid(m, n) { Y[i, j] = X[j, i]; }
}"""


@pytest.mark.parametrize("sizes", [(0, 0), (0, 3), (1, 1), (2, 3)], ids=str)
def test_a_copy_in_another_order_is_a_view(sizes: tuple[int, int]) -> None:
    x = np.arange(sizes[0] * sizes[1], dtype=np.float32).reshape(sizes)
    plan = shared(TRANSPOSE, x, np.zeros(sizes[::-1], np.float32))
    found = plan.run(x)
    assert found.tolist() == x.T.tolist()
    assert found.shape == sizes[::-1]
    assert not found.size or np.may_share_memory(found, x)


def test_elements_that_are_repeated_are_copied() -> None:
    x, y = np.arange(3, dtype=np.float32), np.zeros((2, 3), np.float32)
    text = """prim_func @repeat(X: Buffer[(n,), float32], Y: Buffer[(m, n), float32]) {
      for i, j in grid(m, n) { Y[i, j] = X[j]; }
    }"""
    found = shared(text, x, y).run(x)
    assert found.tolist() == [[0, 1, 2]] * 2
    assert found.flags.writeable
    assert not np.may_share_memory(found, x)


def test_another_dtype_is_copied() -> None:
    x, y = np.arange(3, dtype=np.float32), np.zeros(3, np.float64)
    text = """prim_func @widen(X: Buffer[(n,), float32], Y: Buffer[(n,), float64]) {
      for i in 0..n { Y[i] = cast(X[i], float64); }
    }"""
    found = shared(text, x, y).run(x)
    assert (found.tolist(), found.dtype.name) == ([0, 1, 2], "float64")


def test_what_another_element_is_computed_from_is_not_overwritten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planned, "LARGE", 0)
    x, y = np.arange(4, dtype=np.float32), np.zeros(4, np.float32)
    text = """prim_func @shift(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
      for i in 0..n { Y[i] = X[(i + 1) % n] + X[i]; }
    }"""
    assert shared(text, x, y).over is None
    twice = """prim_func @twice(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
      for i in 0..n { Y[i] = X[i] + 1.0; }
      for j in 0..n { Y[j] += X[j]; }
    }"""
    assert shared(twice, x, y).over is None


SOFTMAX = """prim_func @softmax(X: Buffer[(n, m), float32], Y: Buffer[(n, m), float32]) {
  alloc M: Buffer[(n,), float32];
  alloc E: Buffer[(n, m), float32];
  alloc T: Buffer[(n,), float32];
  for i in 0..n { M[i] = -inf; for j in 0..m { M[i] = max(M[i], X[i, j]); } }
  for i, j in grid(n, m) { E[i, j] = exp(X[i, j] - M[i]); }
  for i in 0..n { T[i] = 0.0; for j in 0..m { T[i] += E[i, j]; } }
  for i, j in grid(n, m) { Y[i, j] = E[i, j] / T[i]; }
}"""


@pytest.mark.parametrize("sizes", [(3, 5), (700, 800), (0, 4), (1, 1)], ids=str)
def test_a_softmax_needs_no_array_but_its_input(
    monkeypatch: pytest.MonkeyPatch, sizes: tuple[int, int]
) -> None:
    monkeypatch.setattr(planned, "LARGE", 0)
    x = np.random.default_rng(0).standard_normal(sizes).astype(np.float32)
    plan = shared(SOFTMAX, x, np.zeros(sizes, np.float32))
    powers = np.exp(x - x.max(axis=1, keepdims=True, initial=-np.inf))
    wanted = powers / powers.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(plan.run(x), wanted, rtol=1e-5)
    assert plan.over is not None
    run, _ = plan.over
    given = x.copy()
    assert run(given) is given
    np.testing.assert_allclose(given, wanted, rtol=1e-5)


def test_scratch_space_is_in_the_result() -> None:
    x, y = np.ones((3, 5), np.float32), np.zeros((3, 5), np.float32)
    code = compile_prim_func(prim_func(SOFTMAX)).code
    assert code is not None
    call = PlannedCall(code, 1, [x.shape, y.shape], False, Sharing((), (0,)))
    texts = [call.module(form).own[0] for form in call.forms]
    # In one block operations make all arrays; in several there are the result, and one for sums and maxima of rows.
    assert [text.count("np.empty(") for text in texts] == [0, 2, 2]
    assert "for start" not in texts[0]
    assert "for start" in texts[1]


STACK = """prim_func @softmax(X: Buffer[(b, t, t), float32], Y: Buffer[(b, t, t), float32]) {
  alloc M: Buffer[(b, t, 1), float32];
  alloc E: Buffer[(b, t, t), float32];
  alloc T: Buffer[(b, t, 1), float32];
  for i, j, k in grid(b, t, t) {
    block most (vi = spatial(i), vj = spatial(j), vk = reduce(k)) {
      init { M[vi, vj, 0] = -inf; }
      M[vi, vj, 0] = max(M[vi, vj, 0], X[vi, vj, vk]);
    }
  }
  for i, j, k in grid(b, t, t) { E[i, j, k] = exp(X[i, j, k] - M[i, j, 0]); }
  for i, j, k in grid(b, t, t) {
    block total (vi = spatial(i), vj = spatial(j), vk = reduce(k)) {
      init { T[vi, vj, 0] = 0.0; }
      T[vi, vj, 0] += E[vi, vj, vk];
    }
  }
  for i, j, k in grid(b, t, t) { Y[i, j, k] = E[i, j, k] / T[i, j, 0]; }
}"""


@pytest.mark.parametrize("sizes", [(1, 2, 2), (3, 400, 400), (2, 0, 0), (0, 3, 3)], ids=str)
def test_a_stack_of_them_neither(monkeypatch: pytest.MonkeyPatch, sizes: tuple[int, int, int]) -> None:
    monkeypatch.setattr(planned, "LARGE", 0)
    x = np.random.default_rng(0).standard_normal(sizes).astype(np.float32)
    plan = shared(STACK, x, np.zeros(sizes, np.float32))
    assert plan.over is not None
    given, wanted = x.copy(), plan.run(x)
    assert plan.over[0](given) is given
    np.testing.assert_allclose(given, wanted, rtol=1e-6)
    np.testing.assert_allclose(
        given.sum(axis=-1), np.ones(sizes[:2]) if sizes[2] else np.zeros(sizes[:2]), rtol=1e-5
    )


def test_a_function_that_makes_an_array_makes_the_result() -> None:
    x = np.linspace(-3, 3, 6, dtype=np.float32).reshape(2, 3)
    func = prim_func("""prim_func @s(X: Buffer[(n, m), float32], Y: Buffer[(n, m), float32]) {
      for i, j in grid(n, m) { Y[i, j] = sigmoid(X[i, j]); }
    }""")
    code = compile_prim_func(func).code
    assert code is not None
    text = PlannedCall(code, 1, [x.shape, x.shape], False).module(Form()).own[0]
    assert "np.empty(" not in text
    plan = plan_of(func, (x, np.zeros_like(x)), 1, Sharing())
    assert plan is not None
    np.testing.assert_allclose(plan.run(x), 1 / (1 + np.exp(-x)), rtol=1e-6)


@pytest.mark.parametrize(
    ("given", "made", "index", "shape"),
    [
        ("(n,)", "(1, n * 2)", "j % n", (2,)),
        ("(n,)", "(2, n * 2)", "j % n", (2,)),
        ("(4,)", "(1, 8)", "j % 4", (4,)),
        ("(1, 4)", "(1, 8)", "0, j % 4", (1, 4)),
        ("(1, n)", "(2, n * 2)", "0, j % n", (1, 3)),
    ],
)
def test_an_input_that_is_repeated_is_no_view(
    given: str, made: str, index: str, shape: tuple[int, ...]
) -> None:
    rows, columns = made.strip("()").split(",")
    text = f"""
    prim_func @laid(X: Buffer[{given}, float32], Y: Buffer[{made}, float32]) {{
      for i, j in grid({rows}, {columns}) {{ Y[i, j] = X[{index}]; }}
    }}
    def @main(x: Tensor[{given}, float32]) -> Tensor[{made}, float32] {{
      let y = negative(x);
      let z = call_tir(@laid, (y,)) -> Tensor[{made}, float32];
      negative(z)
    }}"""
    x = np.arange(np.prod(shape), dtype=np.float32).reshape(shape)
    wanted = np.asarray(api.run(text, x, engine="interpreter"))
    session = api.start(text)
    for _ in range(3):
        found = np.asarray(api.run_session(session, "main", [x]))
        assert np.array_equal(found, wanted)
