"""Gradient: what is added, over tuples, uses, and targets; what it refuses, with the place."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from relax_lang import api, loads, transform
from relax_lang.base.source import SourceFile
from relax_lang.runtime.session import Session
from relax_lang.transform.catalogue import parse_passes
from relax_lang.transform.pass_manager.errors import PassRefused

HEAD = "def @main(x: Tensor[(3,), float64], y: Tensor[(3,), float64], i: Tensor[(3,), int64]) {"
X, Y, Z = np.array([1.0, 2.0, 4.0]), np.array([0.5, -1.0, 3.0]), np.array([2, 0, 0])


def gradients(
    statements: str, options: str = "", *, head: str = HEAD, given: tuple[Any, ...] = (X, Y, Z)
) -> Any:
    """Return the results of `@main_adjoint`, the pass verified."""
    context = transform.PassContext(instruments=[transform.Verify()])
    after = parse_passes(f"Gradient({options})")(api.typed(head + statements + "}"), context)
    return loads(after.module).main_adjoint(*given)


def refused(statements: str, options: str = "", *, head: str = HEAD) -> tuple[str, str]:
    """Return the message of a refusal, and the text that it points at."""
    source = SourceFile(head + statements + "}", "<program>")
    with pytest.raises(PassRefused) as caught:
        parse_passes(f"Gradient({options})")(api.typed(source))
    found = caught.value.diagnostic
    return found.message, "" if found.pos < 0 else source.text[found.pos : found.end]


def test_uses_are_added_and_what_is_unused_gets_zeros() -> None:
    value, slopes = gradients("dataflow { let a = x * x; let b = sum(a + x); output b; } b")
    assert value == 28.0
    np.testing.assert_array_equal(slopes[0], 2 * X + 1)
    np.testing.assert_array_equal(slopes[1], np.zeros(3))
    assert len(slopes) == 2  # integers have none


def test_only_the_parameters_that_are_named() -> None:
    _, slopes = gradients("dataflow { let b = sum(x * y); output b; } b", 'require_grads=["y"]')
    assert len(slopes) == 1
    np.testing.assert_array_equal(slopes[0], X)


def test_through_tuples_field_by_field() -> None:
    _, slopes = gradients(
        """dataflow {
             let t = (x, (y, x)); let u = t; let inner = u[1]; let a = inner[0] * inner[1];
             let parts = split(concat((a, u[0])), indices_or_sections=2); let b = sum(parts[0] * parts[1]);
             output b;
           } b"""
    )
    np.testing.assert_allclose(slopes[0], 2 * X * Y)
    np.testing.assert_allclose(slopes[1], X * X)


def test_a_parameter_that_is_a_tuple_has_a_tuple_of_gradients() -> None:
    head = "def @main(t: (Tensor[(3,), float64], Tensor[(3,), float64])) {"
    text = "dataflow { let b = sum(concat(t) * const(2.0, float64)) + sum(t[0]); output b; } b"
    _, slopes = gradients(text, head=head, given=((X, Y),))
    np.testing.assert_array_equal(slopes[0][0], [3, 3, 3])
    np.testing.assert_array_equal(slopes[0][1], [2, 2, 2])


def test_a_field_of_the_result_as_the_target() -> None:
    text = "dataflow { let a = sum(x * x); let b = sum(y); output a, b; } (x, (a, b))"
    (first, (one, other)), slopes = gradients(text, "target_index=[1, 0]")
    np.testing.assert_array_equal(first, X)
    assert (one, other) == (21.0, 2.5)
    np.testing.assert_array_equal(slopes[0], 2 * X)
    np.testing.assert_array_equal(slopes[1], np.zeros(3))


def test_twice_is_the_second_derivative() -> None:
    head = "def @main(x: Tensor[(), float64]) {"
    after = parse_passes('Gradient, Gradient(func="main_adjoint", target_index=[1, 0])')(
        api.typed(head + "dataflow { let y = x * x * x; output y; } y }")
    )
    result: Any = loads(after.module).main_adjoint_adjoint(np.float64(2))
    (value, (first,)), (second,) = result
    assert (value, first, second) == (8.0, 12.0, 12.0)


def test_bindings_outside_of_blocks_become_one_block() -> None:
    _, slopes = gradients("let a = x * y; dataflow { let b = a * a; output b; } let c = sum(b); c")
    np.testing.assert_allclose(slopes[0], 2 * X * Y * Y)


def test_match_casts_let_gradients_through() -> None:
    head = "def @main(x: Tensor[_, float64]) -> Tensor[(), float64] {"
    _, slopes = gradients("let y = match_cast(x, Tensor[(n,), float64]); sum(y * y)", head=head, given=(X,))
    np.testing.assert_array_equal(slopes[0], 2 * X)


TIR = """
prim_func @double(X: Buffer[(3,), float64], Y: Buffer[(3,), float64]) {
  for i in 0..3 { Y[i] = X[i] * 2.0; }
}
prim_func @double_grad(G: Buffer[(3,), float64], X: Buffer[(3,), float64], Y: Buffer[(3,), float64]) {
  for i in 0..3 { Y[i] = G[i] * 2.0; }
}
"""
CALL = 'call_tir_with_grad(@double, (x,), te_grad_name="{name}") -> Tensor[(3,), float64]'


def test_a_prim_func_whose_gradient_is_a_prim_func() -> None:
    text = f"dataflow {{ let a = {CALL.format(name='double_grad')}; let b = sum(a * y); output b; }} b"
    _, slopes = gradients(text, head=TIR + HEAD)
    np.testing.assert_array_equal(slopes[0], 2 * Y)
    np.testing.assert_array_equal(slopes[1], 2 * X)


def test_a_prim_func_whose_gradient_is_a_packed_function() -> None:
    text = f"dataflow {{ let a = {CALL.format(name='my.grad')}; let b = sum(a * y); output b; }} b"
    after = parse_passes("Gradient")(api.typed(TIR + HEAD + text + "}"))

    def grad(g: Any, x: Any, out: Any) -> None:
        assert x.shape == (3,)
        out[:] = 2 * g

    result: Any = loads(after.module, packed={"my.grad": grad}).main_adjoint(X, Y, Z)
    slopes = result[1]
    np.testing.assert_array_equal(slopes[0], 2 * Y)


def test_what_has_no_gradient_is_refused_at_its_place() -> None:
    image = "reshape(x, shape(1, 1, 1, 3))"
    grid = "zeros(shape(1, 2, 1, 1), dtype=float64)"
    text = f"dataflow {{ let a = image.grid_sample({image}, {grid}); let b = sum(a); output b; }} b"
    message, place = refused(text)
    assert "`image.grid_sample` has no gradient: where it reads is computed" in message
    assert place.startswith("image.grid_sample(")


@pytest.mark.parametrize("operator", ["triu", "tril"])
def test_scalars_that_are_given_by_name(operator: str) -> None:
    head = "def @main(x: Tensor[(2, 2), float64]) {"
    text = f"dataflow {{ let a = {operator}(x, k=-1); let b = sum(a * x); output b; }} b"
    given = np.array([[1.0, 2.0], [3.0, 4.0]])
    _, slopes = gradients(text, head=head, given=(given,))
    np.testing.assert_array_equal(slopes[0], 2 * getattr(np, operator)(given, -1))


def test_what_has_no_gradient_does_not_matter_where_none_is_needed() -> None:
    text = 'dataflow { let a = layout_transform(y, index_map="(i) -> (i)"); let b = sum(a * x); output b; } b'
    _, slopes = gradients(text, 'require_grads=["x"]')
    np.testing.assert_array_equal(slopes[0], Y)


@pytest.mark.parametrize(
    ("statements", "options", "message", "place"),
    [
        ("sum(x)", 'func="mane"', "there is no function `mane`", ""),
        ("sum(x)", 'require_grads=["z"]', "@main has no parameter `z`", "@main"),
        (
            "sum(x)",
            'require_grads=["i"]',
            "only float tensors and tuples of them have gradients",
            "i: Tensor",
        ),
        ("sum(x)", 'require_grads=["x", "x"]', "`require_grads` names `x` twice", "x: Tensor"),
        ("x * y", "", "the target must be a float tensor of rank 0, not `Tensor[(3,), float64]`", ""),
        ("sum(i)", "", "the target must be a float tensor of rank 0, not `Tensor[(), int64]`", ""),
        ("(sum(x), sum(y))", "target_index=2", "`target_index` 2 is not a field of the result of @main", ""),
        ("sum(x)", "target_index=1", "@main returns one value", ""),
        (
            "let a = if equal(sum(i), const(1, int64)) { x } else { y }; sum(a)",
            "",
            "an `if` has no gradient",
            "if equal",
        ),
        ("print(x); sum(x)", "", "what has an effect cannot be differentiated", "print(x)"),
        (
            "let f = fn (a: Tensor) { a }; sum(x)",
            "",
            "a function with local functions has no gradient",
            "fn (a",
        ),
    ],
)
def test_refusals(statements: str, options: str, message: str, place: str) -> None:
    found, at = refused(statements, options)
    assert message in found
    assert at.startswith(place)


def test_calls_of_functions_are_inlined_first() -> None:
    head = "private def @f(a: Tensor[(n,), float64]) { let r = a * a; r }" + HEAD
    message, place = refused("dataflow { let b = sum(@f(x)); output b; } b", head=head)
    assert "a call of a function of the module has no gradient" in message
    assert place == "@f(x)"
    text = head + "dataflow { let b = sum(@f(x)); output b; } b }"
    after = parse_passes("InlinePrivateFunctions, Gradient")(api.typed(text))
    result: Any = loads(after.module).main_adjoint(X, Y, Z)
    slopes = result[1]
    np.testing.assert_array_equal(slopes[0], 2 * X)


def test_a_name_that_is_taken() -> None:
    message, _ = refused("sum(x)", head="def @main_adjoint() { () }" + HEAD)
    assert "there is an item @main_adjoint already" in message


class TestCheckpoints:
    PLAIN = (
        "def @main(x: Tensor[(n,), float32], w: Tensor[(n,), float32]) -> Tensor[(), float32] {{ dataflow {{"
        " let s = {start}(x); let a = exp(s); let b = a * w; let c = sin(b); let e = {end}(c);"
        " let d = tanh(e); let t = sum(d); output t; }} t }}"
    )

    def test_what_is_between_them_is_computed_again(self) -> None:
        marks = {"start": "grad.start_checkpoint", "end": "grad.end_checkpoint"}
        marked, plain = [
            transform.Gradient()(api.typed(self.PLAIN.format(**names)))
            for names in (marks, dict.fromkeys(marks, "wrap_param"))
        ]
        text = str(marked).partition("@main_adjoint")[2]
        forward, _, backward = text.partition("t_adjoint")
        assert forward.count("exp(") == backward.count("exp(") == 1
        assert "sin(" not in backward  # what comes out of the region is there
        assert re.search(r"\b[ab]\b", backward) is None
        x = np.linspace(0.1, 1, 5, dtype=np.float32)
        results = [
            Session(one.module, one.source).call("main_adjoint", [x, x + 1]) for one in (marked, plain)
        ]
        for one, other in zip(results[0][1], results[1][1], strict=True):
            np.testing.assert_array_equal(one, other)
        with transform.PassContext(instruments=[transform.Verify()]):
            transform.Gradient()(api.typed(self.PLAIN.format(**marks)))

    def test_long_regions_need_no_deep_stack(self) -> None:
        lines = [f"let a{at + 1} = sin(a{at});" for at in range(1500)]
        text = (
            "def @main(x: Tensor[(2,), float32]) -> Tensor[(), float32] { dataflow {"
            f" let a0 = grad.start_checkpoint(x); {' '.join(lines)} let t = sum(a1500); output t; }} t }}"
        )
        made = transform.Gradient()(api.typed(text))
        assert str(made).count("sin(") == 3 * 1500 - 1
