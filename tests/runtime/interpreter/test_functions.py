"""Functions and closures, scopes and captures: V.5-V.7, V.12, X.6, S.2, S.4, S.10-S.21."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from relax_lang.values import Closure, ShapeValue
from tests.runtime.harness import (
    HEAD,
    Log,
    body,
    diagnostic_of,
    f32,
    failure_of,
    i32,
    run_text,
)

I32 = "Tensor[(), int32]"


def test_V_5_X_6_closures_capture_variables() -> None:
    text = body("let f = fn (a: Tensor) -> Tensor { add(a, x) }; f(f(x))", "x: Tensor")
    assert run_text(text, f32(2)).tolist() == [0, 3]


def test_V_6_S_17_closures_capture_shape_variables() -> None:
    text = body("let f = fn (a: Tensor) -> Shape[ndim=1] { shape(n) }; f(x)", "x: Tensor[(n,), float32]")
    assert run_text(text, f32(5)) == ShapeValue((5,))


def test_X_6_capture_is_by_reference() -> None:
    def bump(x: Any) -> None:
        x += 1

    text = body('let f = fn () { x }; extern "bump"(x); f()', "x: Tensor")
    value = f32(2)
    assert run_text(text, value, packed={"bump": bump}) is value
    assert value.tolist() == [1, 2]


def test_X_6_each_evaluation_makes_its_own_closure() -> None:
    text = """
    def @add_to(x: Tensor) { fn (a: Tensor) -> Tensor { add(a, x) } }
    def @main(x: Tensor, y: Tensor) { let f = @add_to(x); let g = @add_to(y); (f(x), g(x)) }
    """
    first, second = run_text(text, i32(1), i32(10))
    assert (int(first), int(second)) == (2, 11)


def test_X_6_closures_keep_only_what_they_mention() -> None:
    text = body("let big = add(x, x); let f = fn () { x }; f", "x: Tensor[(n,), float32]")
    made = run_text(text, f32(2))
    assert isinstance(made, Closure)
    assert set(made.variables) == {"x"}


def test_V_7_S_4_local_recursion() -> None:
    text = body(f"let f = fn (i: {I32}) -> {I32} {{ if i == 0 {{ 0 }} else {{ i + f(i - 1) }} }}; f(4)")
    assert run_text(text) == 10


def test_V_7_a_closure_with_given_arguments_knows_itself_without_them() -> None:
    function = f"fn (a: {I32}, i: {I32}) -> {I32} {{ if i == 0 {{ a }} else {{ f(a + 1, i - 1) }} }}"
    call = f"invoke_closure(g, (i,)) -> {I32}"
    text = body(f"let f = {function}; let g = make_closure(f, (10,)); let i = const(4, int32); {call}")
    assert run_text(text) == 14


def test_V_7_arguments_given_in_two_steps() -> None:
    function = f"fn (a: {I32}, b: {I32}, i: {I32}) -> {I32} {{ if i == 0 {{ a - b }} else {{ f(a, b + 1, i - 1) }} }}"
    steps = "let g = make_closure(f, (10,)); let h = make_closure(g, (1,)); let i = const(4, int32)"
    assert run_text(body(f"let f = {function}; {steps}; invoke_closure(h, (i,)) -> {I32}")) == 4 - (1 + 10)


def test_S_2_mutual_recursion() -> None:
    text = """
    def @even(i: Tensor[(), int32]) -> Tensor[(), bool] { if i == 0 { true } else { @odd(i - 1) } }
    def @odd(i: Tensor[(), int32]) -> Tensor[(), bool] { if i == 0 { false } else { @even(i - 1) } }
    def @main() { (@even(10), @even(7)) }
    """
    assert [bool(one) for one in run_text(text)] == [True, False]


def test_functions_are_values() -> None:
    text = """
    def @twice(f: fn(Tensor) -> Tensor, x: Tensor) -> Tensor { f(f(x)) }
    def @inc(x: Tensor) -> Tensor { add(x, const(1)) }
    def @main() { @twice(@inc, const(5)) }
    """
    assert run_text(text) == 7


def test_local_functions_bind_their_own_dimensions_at_each_call() -> None:
    text = body("let f = fn (a: Tensor[(k,), float32]) { shape(k) }; (f(x), f(y))", "x: Tensor, y: Tensor")
    assert run_text(text, f32(2), f32(3)) == (ShapeValue((2,)), ShapeValue((3,)))


def test_S_10_S_11_shadowing_ends_with_the_scope() -> None:
    text = body(
        "let y = x; let z = if c { let x = add(y, y); x } else { x }; (x, z)",
        "x: Tensor, c: Tensor[(), bool]",
    )
    outer, inner = run_text(text, i32(3), np.asarray(True))
    assert (int(outer), int(inner)) == (3, 6)


def test_S_10_rebinding_makes_a_new_variable() -> None:
    assert run_text(
        body("let y = add(x, x); let f = fn () { y }; let y = multiply(y, y); (f(), y)", "x: Tensor"), i32(3)
    ) == (6, 36)


def test_S_21_underscore_binds_nothing() -> None:
    log = Log()
    assert run_text(body('let _ = extern "p1"(); let _ = extern "p2"(); ()'), packed=log.functions) == ()
    assert log.calls == ["p1", "p2"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('let f = extern "f"(); f(1)', "`Tensor[(1,), float32]` cannot be called"),
        ("invoke_closure(null_value(), ())", "`Object (NoneType)` cannot be called"),
    ],
)
def test_V_5_not_callable(text: str, message: str) -> None:
    diagnostic = diagnostic_of(body(text), packed={"f": lambda: f32(1)})
    assert (diagnostic.slug, diagnostic.message) == ("not-callable", message)


def test_V_12_prim_funcs_cannot_be_called() -> None:
    text = body("let f: Object = @relu; let t = (f,); let g = t[0]; g(x, x)", "x: Tensor", HEAD)
    assert failure_of(text, f32(2)).slug == "primfunc-call"


def test_arity_at_run_time() -> None:
    text = body(
        "let o: Object = @g; let f = match_cast(o, fn(Tensor) -> Tensor); f(x, x)",
        "x: Tensor",
        "def @g(a: Tensor) -> Tensor { a }",
    )
    failure = failure_of(text, f32(2))
    assert (failure.slug, failure.message) == ("arity", "@g takes 1 arguments, 2 are given")
