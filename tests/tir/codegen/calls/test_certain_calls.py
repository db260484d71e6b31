"""Calls of certain sizes that come again and again have a form of their own, which means the same. [TIR.21]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import Ref
from relax_lang.tir.array_ir.nodes import Literal, ScalarOp
from relax_lang.tir.calls import repeated
from relax_lang.tir.codegen.calls.certain_calls import certain_calls, example_of
from relax_lang.tir.codegen.calls.constant_folding import ConstantFolding
from relax_lang.tir.compile import compile_prim_func
from relax_lang.tir.interp import interpreter
from relax_lang.values import RunFailure
from tests.tir.support import checked, outcome

N = Polynomial.name("n")
SHIFT = """
prim_func @shift(X: Buffer[(n,), float64], k: int64, f: float64, on: bool, Y: Buffer[(n,), float64]) {
  if on {
    for i in 0..n - k { Y[i] = X[i + k] * f; }
  }
}
"""
PICK = """
prim_func @pick(A: Buffer[(k,), int64], X: Buffer[(n,), float64], F: Buffer[(n,), float64]) {
  for e in 0..k { F[A[e]] += X[A[e]]; }
  for e in 0..k { F[A[e]] = X[A[e]] * 2.0; }
}
"""


def called(text: str, calls: list[list]) -> object:
    """Compare calls with the interpreter, each in turn, several times; return what was compiled."""
    func = checked(text)
    compiled = compile_prim_func(func)
    for args in calls:
        wanted = outcome(lambda *values: interpreter.run(func, values), args)
        for _ in range(6):
            found = outcome(compiled.run, args)
            assert found[0] == wanted[0]
            for have, want in zip(found[1], wanted[1], strict=True):
                np.testing.assert_array_equal(have, want)
    return compiled


def text_for(text: str, args: list) -> str:
    """Return the form for calls like one."""
    code = compile_prim_func(checked(text)).code
    module = certain_calls(code, example_of(code, args))
    assert module is not None
    return "\n".join(module.own)


def test_TIR_21_calls_of_certain_sizes_have_a_form_and_others_pass_it_by():
    x = np.arange(6.0)
    compiled = called(
        SHIFT,
        [
            [x, 1, 2.0, True, np.zeros(6)],
            [x, 1, 0.5, False, np.zeros(6)],
            [x, 2, 2.0, True, np.zeros(6)],
            [x[:3].copy(), 1, 2.0, True, np.zeros(3)],
            [x, 1, -1.0, True, np.zeros(6)],
            [x, 1, 3, True, np.zeros(6)],
            [x, True, 2.0, True, np.zeros(6)],
            [x, 7, 2.0, True, np.zeros(6)],
            [x, -1, 2.0, True, np.zeros(6)],
            [x[:0].copy(), 0, 2.0, True, np.zeros(0)],
        ],
    )
    assert len(compiled._repeated._certain) == len(repeated.CERTAIN_AT)


def test_TIR_21_the_form_of_a_call_runs_it_and_is_not_run_for_another():
    func = checked(f"# One of its own.\n{SHIFT}")
    compiled = compile_prim_func(func)
    args = [np.arange(5.0), 1, 2.0, True, np.zeros(5)]
    for _ in range(3):
        compiled.run(*args)
    (form,) = compiled._repeated._certain
    asked: list[object] = []

    def others(*values: object, **_: object) -> bool:
        asked.append(values)
        return True

    form["_others"] = others
    compiled.run(*args)
    assert not asked
    for at, value in (
        (0, np.arange(6.0)),
        (0, np.arange(5)),
        (1, 2),
        (1, True),
        (3, False),
        (4, np.zeros((5, 1))),
    ):
        changed = [*args]
        changed[at] = value
        compiled.run(*changed)
        assert len(asked) == 1
        asked.clear()


def test_TIR_21_forms_of_calls_compare_memory():
    x, y = np.arange(5.0), np.zeros(5)
    whole = np.arange(9.0)
    called(
        SHIFT,
        [
            [x, 1, 2.0, True, y],
            [x, 1, 2.0, True, x],
            [whole[:5], 1, 2.0, True, whole[1:6]],
            [whole[1:6], 1, 2.0, True, whole[:5]],
        ],
    )
    y.flags.writeable = False
    compiled = compile_prim_func(checked(SHIFT))
    with pytest.raises((RunFailure, ValueError)):
        compiled.run(x, 1, 2.0, True, y)
    assert not y.any()


@pytest.mark.parametrize("k", [1, 5, 63, 64, 65, 1100])
def test_TIR_21_few_indices_are_tested_and_those_that_come_twice_count_twice(k: int):
    rng = np.random.default_rng(k)
    x, f = rng.random(7), rng.random(7)
    good, below, above = rng.integers(0, 7, k), rng.integers(0, 7, k), rng.integers(0, 7, k)
    below[k // 2], above[-1] = -1, 7
    called(PICK, [[good, x, f], [good[::-1].copy(), x, f], [below, x, f], [above, x, f], [good, x, x]])


def test_TIR_21_few_indices_are_plain_subscripts():
    few = text_for(PICK, [np.zeros(5, np.int64), np.zeros(7), np.zeros(7)])
    many = text_for(PICK, [np.zeros(2000, np.int64), np.zeros(7), np.zeros(7)])
    assert "combine_few(" in few
    assert "X[" in few
    assert "scatter(" not in few
    assert "scatter(" in many
    assert ".take(" in many


def test_TIR_21_loops_of_few_steps_are_written_one_after_the_other():
    text = """
    prim_func @unpack(P: Buffer[(n,), uint8], Y: Buffer[(2 * n,), uint8]) {
      for i in 0..2 * n { Y[i] = (P[i / 2] >> cast(4 * (i % 2), uint8)) & 15; }
    }
    """
    args = [np.arange(200, 206).astype(np.uint8), np.zeros(12, np.uint8)]
    assert not [line for line in text_for(text, args).splitlines() if line.lstrip().startswith("for ")]
    called(text, [args, [args[0][:1].copy(), args[1][:2].copy()], [args[0][:0].copy(), args[1][:0].copy()]])


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (ScalarOp("//", (N, Literal(4))), Polynomial.constant(1)),
        (ScalarOp("%", (N - 12, Literal(4))), Polynomial.constant(3)),
        (ScalarOp("/", (N - 12, Literal(4))), Polynomial.constant(-1)),
        (ScalarOp("//", (N - 12, Literal(4))), Polynomial.constant(-2)),
        (ScalarOp("max", (N, Literal(4), N + 1)), Polynomial.constant(8)),
        (ScalarOp("neg", (N,)), Polynomial.constant(-7)),
        (ScalarOp("<", (Literal(0), N, N + 1)), Literal(True)),
        (ScalarOp("<", (Literal(0), N, N)), Literal(False)),
        (ScalarOp("not", (ScalarOp("==", (N, Literal(7))),)), Literal(False)),
        (ScalarOp("select", (ScalarOp(">", (N, Literal(3))), Literal(1), Ref("x"))), Literal(1)),
        (ScalarOp("and", (ScalarOp(">", (N, Literal(3))), Ref("x"))), Ref("x")),
        (ScalarOp("or", (ScalarOp(">", (N, Literal(3))), Ref("x"))), Literal(True)),
        (ScalarOp("wrap", (ScalarOp("*", (N, Literal(1 << 62))),)), Polynomial.constant(-(1 << 62))),
        (ir.Choice(ScalarOp(">", (N, Literal(9))), Ref("x"), Ref("y")), Ref("y")),
    ],
)
def test_TIR_21_what_numbers_decide_is_decided(value: ir.Expr, wanted: ir.Expr):
    assert ConstantFolding({"n": 7}).part(value) == wanted


@pytest.mark.parametrize("op", ["//", "%", "/"])
def test_TIR_21_a_division_by_zero_is_left_to_fail_where_it_is_reached(op: str):
    made = ConstantFolding({"n": 0}).part(ScalarOp(op, (Literal(1), N)))
    assert made == ScalarOp(op, (Literal(1), Polynomial.constant(0)))


def test_TIR_21_conditions_are_evaluated_up_to_the_one_that_decides():
    test = ScalarOp("and", (ScalarOp("<", (Ref("x"), N)), ScalarOp(">", (N, Literal(9))), Ref("y")))
    made = ConstantFolding({"n": 7}).part(test)
    assert made == ScalarOp("and", (ScalarOp("<", (Ref("x"), Polynomial.constant(7))), Literal(False)))


def test_TIR_21_views_of_all_of_an_array_are_the_array():
    shape = N, Polynomial.name("m")
    folding = ConstantFolding({"n": 4, "m": 3})
    rows = ir.Slice(Polynomial.constant(0), N)
    assert folding.part(ir.View(Ref("X", "int64", shape), (rows,))) == Ref("X")
    made = folding.part(
        ir.View(Ref("X", "int64", shape), (ir.NewAxis(), ir.Slice(N - 4, Polynomial.constant(3))))
    )
    assert isinstance(made, ir.View)
    assert made.axes[1] == ir.Slice(Polynomial.constant(0), Polynomial.constant(3))


def test_TIR_21_loops_one_after_the_other_have_steps_of_their_own():
    i = Polynomial.name("i")
    store = ir.Store(ir.View(Ref("X"), (ir.At(i),)), Literal(1))
    loops = [
        ir.For("i", Literal(0), N - 5, Literal(1), [store]),
        ir.For("i", Literal(0), N, Literal(1), [store]),
    ]
    names = iter("abc")
    made = ConstantFolding({"n": 7}, lambda _: next(names)).folded(loops)
    assert [str(one.target.axes[0].index) for one in made[:2]] == ["0", "1"]
    assert isinstance(made[2], ir.For)
    assert made[2].body == [store]


def test_TIR_21_steps_have_names_of_their_own_but_for_what_they_pass_on():
    body = [
        ir.Define("t", ir.View(Ref("X"), (ir.At(Polynomial.name("i")),))),
        ir.Define("sum", ScalarOp("+", (Ref("sum"), Ref("t"))), rebinds=True),
        ir.If(ScalarOp(">", (Ref("sum"), Literal(3))), [ir.Break()]),
    ]
    loop = ir.For("i", Literal(0), Literal(2), Literal(1), body)
    assert ConstantFolding({}, lambda name: f"{name}_x").folded([loop]) == [loop]
    made = ConstantFolding({}, lambda name: f"{name}_x").folded(
        [ir.For("i", Literal(0), Literal(2), Literal(1), body[:2])]
    )
    assert [one.name for one in made] == ["t_x", "sum", "t", "sum"]
    assert [one.value.args[1].name for one in made[1::2]] == ["t_x", "t"]


@pytest.mark.parametrize("k", [3, 100, 300])
@pytest.mark.parametrize(
    ("dtype", "number"), [("int64", "1"), ("int32", "-3"), ("uint8", "7"), ("float32", "0.1")]
)
def test_TIR_21_equal_numbers_at_few_places_are_counted(k: int, dtype: str, number: str):
    text = f"""
    prim_func @count(S: Buffer[(k,), int64], H: Buffer[(5,), {dtype}], C: Buffer[(4, 5), {dtype}]) {{
      for i in 0..k {{ H[S[i]] += {number}; }}
      for i in 0..k - 1 {{ C[S[i] // 2, S[i + 1]] -= {number}; }}
    }}
    """
    rng = np.random.default_rng(k)
    places, h, c = rng.integers(0, 5, k), np.full(5, 9, dtype), np.full((4, 5), 90, dtype)
    wrong = places.copy()
    wrong[-1] = 5
    called(text, [[places, h, c], [wrong, h, c], [places, h[::-1].copy(), c]])


@pytest.mark.parametrize("dtype", ["float32", "int64", "bool"])
def test_TIR_21_choices_between_few_elements_mean_the_same(dtype: str):
    text = f"""
    prim_func @choose(K: Buffer[(n,), int64], X: Buffer[(n, m), {dtype}], Y: Buffer[(n, m), {dtype}]) {{
      for i, j in grid(n, m) {{
        if K[i] > j {{ Y[i, j] = X[i, j]; }}
        X[i, j] = if_then_else(K[i] == 2, Y[i, m - 1 - j], X[i, j]);
      }}
    }}
    """
    x = np.arange(12).reshape(4, 3).astype(dtype)
    called(
        text,
        [
            [np.array([2, 0, 3, 1]), x, ~x if dtype == "bool" else -x],
            [np.array([2]), x[:1].copy(), x[1:2].copy()],
        ],
    )


LOWER = """
prim_func @lower(A: Buffer[(n, n), float64], f: float64, C: Buffer[(n, n), float64]) {
  for i in 0..n {
    for j in 0..i + 1 { C[i, j] *= f; }
    for j in 0..i + 1 { C[i, j] = C[i, j] + A[i, j] * A[j, i]; }
  }
}
"""


def test_TIR_21_masks_of_triangles_are_made_once_and_what_is_stored_under_them_is_named():
    a, c = np.arange(25.0).reshape(5, 5), np.ones((5, 5))
    first, again = text_for(LOWER, [a, 2.0, c]).split("def _again")
    assert ">= np.arange(5)" in first
    assert "arange" not in again
    assert "greater_equal" not in again
    assert "np.empty(" not in again
    called(LOWER, [[np.arange(float(n * n)).reshape(n, n), 2.0, np.ones((n, n))] for n in (5, 5, 1, 0, 7, 5)])


PRODUCTS = """
prim_func @products(A: Buffer[(n, m), DTYPE], x: Buffer[(m,), DTYPE], y: Buffer[(n,), DTYPE], z: Buffer[(n,), DTYPE]) {
  for i in 0..n { z[i] = 0; }
  for i, k in grid(n, m) { z[i] += A[i, k] * x[k]; }
  for i, k in grid(n, m) { y[i] SIGN A[i, k] * z[i] * x[k]; }
}
"""
ADDED = """
prim_func @added(A: Buffer[(n, m), DTYPE], x: Buffer[(m,), DTYPE], y: Buffer[(n,), DTYPE]) {
  for i, k in grid(n, m) { y[i] SIGN A[i, k] * x[k]; }
}
"""


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
@pytest.mark.parametrize("sign", ["+=", "-="])
def test_TIR_21_products_of_few_elements_need_no_function_of_the_library(dtype: str, sign: str):
    text = ADDED.replace("DTYPE", dtype).replace("SIGN", sign)

    def given(n: int, m: int) -> list[np.ndarray]:
        numbers = np.random.default_rng(n + m)
        return [np.asarray(numbers.integers(-9, 9, shape), dtype) for shape in ((n, m), (m,), (n,))]

    assert (".dot(" in text_for(text, given(5, 4))) == (dtype != "int32")
    assert ".dot(" not in text_for(text, given(1030, 4))  # what is copied is large
    assert ".dot(" not in text_for(text, given(1, 1))  # of one element 0 * inf would be 0
    called(
        text, [given(*sizes) for sizes in ((5, 4), (5, 4), (1, 1), (1, 4), (5, 1), (0, 4), (5, 0), (60, 70))]
    )
    a, x, y = given(6, 7)
    called(text, [[a[::-1, ::2], x[:4], np.zeros(12, dtype)[::2]], [np.asfortranarray(a), x, y]])


def test_TIR_21_products_that_are_not_finite_are_the_same_in_forms_for_certain_sizes():
    text = ADDED.replace("DTYPE", "float64").replace("SIGN", "+=")
    values = [0.0, -0.0, np.inf, np.nan, 1.0]
    calls = [
        [np.full((n, m), one), np.full(m, other), np.zeros(n)]
        for n, m in ((1, 1), (1, 3), (3, 1), (3, 2))
        for one in values
        for other in values
    ]
    called(text, calls)


@pytest.mark.parametrize("sign", ["+=", "-="])
def test_TIR_21_products_one_after_the_other_read_what_was_stored(sign: str):
    text = PRODUCTS.replace("DTYPE", "float64").replace("SIGN", sign)
    numbers = np.random.default_rng(1)
    called(text, [[numbers.integers(-9, 9, shape) * 1.0 for shape in ((4, 3), 3, 4, 4)] for _ in range(3)])
