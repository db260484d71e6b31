"""Calls of PrimFuncs: O.1-O.7, X15.7."""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.values import ShapeValue
from tests.runtime.harness import (
    diagnostic_of,
    f32,
    failure_of,
    run_text,
    text_at,
)
from tests.runtime.interpreter.called_prim_funcs import prims

ENGINES = ["compiled", "interpreter"]


@pytest.mark.parametrize("engine", ENGINES)
def test_O_1_O_7_call_tir_returns_a_new_tensor(engine: str) -> None:
    text = prims("call_tir(@relu, (x,)) -> Tensor[(n, m), float32]", "x: Tensor[(n, m), float32]")
    x = f32(2, 3) - 2
    result = run_text(text, x, engine=engine)
    assert result.tolist() == [[0, 0, 0], [1, 2, 3]]
    assert result is not x
    assert x[0, 0] == -2


@pytest.mark.parametrize("engine", ENGINES)
def test_O_3_several_results(engine: str) -> None:
    text = prims(
        "call_tir(@two, (x,)) -> (Tensor[(3,), float32], Tensor[(), float32])", "x: Tensor[(3,), float32]"
    )
    first, second = run_text(text, f32(3), engine=engine)
    assert first.tolist() == [1, 2, 3]
    assert (second.shape, float(second)) == ((), 7.0)


def test_O_3_a_tuple_of_one_is_a_tuple() -> None:
    text = prims("call_tir(@half, (x,)) -> (Tensor[(2,), float32],)", "x: Tensor[(4,), float32]")
    (result,) = run_text(text, f32(4))
    assert result.tolist() == [2, 4]


@pytest.mark.parametrize("engine", ENGINES)
def test_O_4_trailing_scalars(engine: str) -> None:
    text = prims("call_tir(@scale, (x,), shape(n, n + 1)) -> Tensor[(n,), int64]", "x: Tensor[(n,), int64]")
    assert run_text(text, np.arange(3), engine=engine).tolist() == [4, 7, 10]


def test_O_4_number_of_scalars() -> None:
    text = prims("call_tir(@scale, (x,), shape(n)) -> Tensor[(n,), int64]", "x: Tensor[(n,), int64]")
    diagnostic = diagnostic_of(text, np.arange(3))
    assert diagnostic.slug == "call-tir-arguments"
    assert diagnostic.message == "@scale has 2 scalar parameters, the call gives 1"
    assert text_at(text, diagnostic) == "shape(n)"


def test_O_2_the_shape_may_be_a_variable() -> None:
    text = prims(
        "let s = shape_of(x); call_tir(@relu, (x,)) -> Tensor[s, float32]", "x: Tensor[ndim=2, float32]"
    )
    assert run_text(text, f32(2, 3)).shape == (2, 3)


def test_X15_7_the_arguments_may_be_any_tuple_when_run() -> None:
    text = prims("let t = (x,); call_tir(@relu, t) -> Tensor[(2, 3), float32]", "x: Tensor")
    assert run_text(text, f32(2, 3)).shape == (2, 3)


@pytest.mark.parametrize(
    ("call", "value", "message", "marked"),
    [
        (
            "call_tir(@relu, (x,)) -> Tensor[(2, 3), float32]",
            np.zeros((2, 3), np.int32),
            (
                "the argument is `Tensor[(2, 3), int32]` but buffer `X` of @relu is `Buffer[(n, m), float32]`: "
                "dtype: expected float32, found int32"
            ),
            "x",
        ),
        (
            "call_tir(@relu, (x,)) -> Tensor[(2, 3), float32]",
            f32(2),
            (
                "the argument is `Tensor[(2,), float32]` but buffer `X` of @relu is `Buffer[(n, m), float32]`: "
                "rank: expected 2, found 1"
            ),
            "x",
        ),
        (
            "call_tir(@half, (x,)) -> Tensor[(2,), float32]",
            f32(5),
            (
                "the argument is `Tensor[(5,), float32]` but buffer `X` of @half is `Buffer[(n * 2,), float32]`: "
                "dimension 0: expected n * 2 = 4, found 5"
            ),
            "x",
        ),
        (
            "call_tir(@relu, (x,)) -> Tensor[(2, 3), float32]",
            ShapeValue((2, 3)),
            (
                "the argument is `shape(2, 3)` but buffer `X` of @relu is `Buffer[(n, m), float32]`: "
                "expected a tensor, found a shape"
            ),
            "x",
        ),
        (
            "call_tir(@two, (x,)) -> Tensor[(3,), float32]",
            f32(3),
            "@two has 3 buffers, the call gives 2",
            "call_tir(@two, (x,)) -> Tensor[(3,), float32]",
        ),
    ],
)
def test_O_6_arguments(call: str, value: object, message: str, marked: str) -> None:
    text = prims(call, "x: Object")
    diagnostic = diagnostic_of(text, value)
    assert (diagnostic.slug, diagnostic.message) == ("call-tir-arguments", message)
    assert text_at(text, diagnostic) == marked


def test_O_6_arguments_bind_before_results() -> None:
    text = prims("call_tir(@relu, (x,)) -> Tensor[(n, m + 1), float32]", "x: Tensor[(n, m), float32]")
    diagnostic = diagnostic_of(text, f32(2, 3))
    assert diagnostic.slug == "call-tir-output-mismatch"
    assert diagnostic.message == (
        "result is declared `Tensor[(n, m + 1), float32]` but buffer `Y` of @relu is `Buffer[(n, m), float32]`: "
        "dimension 1: expected m = 3, found 4"
    )
    assert text_at(text, diagnostic) == "Tensor[(n, m + 1), float32]"
    assert diagnostic.notes[0] == "with its numbers the declared shape is (2, 4)"


def test_O_6_dtype_of_a_result() -> None:
    text = prims("call_tir(@relu, (x,)) -> Tensor[(2, 3), float64]", "x: Tensor")
    assert failure_of(text, f32(2, 3)).message.endswith("dtype: expected float32, found float64")


@pytest.mark.parametrize(
    ("result", "shown"),
    [("Tensor[ndim=2, float32]", "Tensor[ndim=2, float32]"), ("Tensor[(2, 3)]", "Tensor[(2, 3)]")],
)
def test_O_2_the_result_must_be_complete(result: str, shown: str) -> None:
    text = prims(f"call_tir(@relu, (x,)) -> {result}", "x: Tensor")
    diagnostic = diagnostic_of(text, f32(2, 3))
    assert diagnostic.slug == "call-tir-output-incomplete"
    assert text_at(text, diagnostic) == shown


def test_V_9_negative_dimension_of_a_result() -> None:
    text = prims("call_tir(@half, (x,)) -> Tensor[(n - 9,), float32]", "x: Tensor[(n,), float32]")
    assert failure_of(text, f32(4)).slug == "negative-dimension"


def test_O_1_not_a_tuple_of_arguments() -> None:
    text = prims('let t = extern "f"(); call_tir(@relu, t) -> Tensor[(2, 3), float32]')
    failure = failure_of(text, packed={"f": lambda: f32(2, 3)})
    assert failure.slug == "op-argument"


def test_call_tir_inplace_takes_over_arguments() -> None:
    text = prims("call_tir_inplace(@bump, (x,), inplace_indices=0) -> Tensor[(3,), float32]", "x: Tensor")
    x = f32(3)
    assert run_text(text, x) is x
    assert x.tolist() == [1, 2, 3]
    mixed = prims(
        "call_tir_inplace(@two, (x,), inplace_indices=[-1, -1]) -> (Tensor[(3,), float32], Tensor[(), float32])",
        "x: Tensor",
    )
    assert failure_of(mixed, f32(3)).slug == "op-attribute"  # none is taken over: that is `call_tir`
    wrong = prims("call_tir_inplace(@bump, (x,), inplace_indices=4) -> Tensor[(3,), float32]", "x: Tensor")
    assert failure_of(wrong, f32(3)).slug == "op-attribute"
