"""Calls that write into tensors they are given: nothing unwritten and nothing that does not fit gets through."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from relax_lang.runtime.instrument.nan_check import Finite
from relax_lang.runtime.instrument.observer import Instrumentation
from relax_lang.runtime.values.poison import is_untouched, poison
from relax_lang.syntax.dtypes import DTYPES
from tests.runtime.harness import body, diagnostic_of, f32, failure_of, run_text, text_at

DPS = body('call_dps_packed(extern "f", (x,)) -> Tensor[(2,), float32]', "x: Tensor")
INPLACE = 'call_inplace_packed(extern "f", x, inplace_indices={}) -> {}'
HALF = """
prim_func @half(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
  for i in 0..n { if i < 1 { Y[i] = X[i]; } }
}
prim_func @none(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
  for i in 0..n { if i < n - 5 { Y[i] = X[i]; } }
}
"""


@pytest.mark.parametrize("engine", ["compiled", "interpreter"])
def test_O_8_a_value_that_would_get_lost(engine: str) -> None:
    found = diagnostic_of(DPS, f32(2), packed={"f": lambda x, _: x + 1}, engine=engine)
    assert (found.slug, text_at(DPS, found)) == ("returned-instead-of-written", DPS[DPS.index("call_") : -3])
    assert "returned a tensor" in found.message
    assert "the last argument" in found.message
    several = body('call_dps_packed(extern "f", ()) -> (Tensor[(), int32], Tensor[(), int32])')
    found = diagnostic_of(several, packed={"f": lambda a, b: (a, b, 1)}, engine=engine)
    assert "the last arguments" in found.message


def test_O_8_what_numpy_returns_is_what_it_wrote() -> None:
    assert run_text(DPS, f32(2), packed={"f": np.exp2}).tolist() == [1, 2]
    assert run_text(DPS.replace('"f"', '"numpy.exp2"'), f32(2)).tolist() == [1, 2]


def finite() -> Instrumentation:
    return Instrumentation([Finite()])


@pytest.mark.parametrize("dtype", [dtype for dtype in DTYPES if dtype != "bfloat16"])
@pytest.mark.parametrize("strict", [True, False])
def test_O_7_a_result_that_nothing_was_written_into(dtype: str, strict: bool) -> None:
    text = body(f'call_dps_packed(extern "f", ()) -> Tensor[(100,), {dtype}]')
    options: dict[str, Any] = {"strict_effects": True} if strict else {"watch": finite()}
    found = diagnostic_of(text, packed={"f": lambda _: None}, **options)
    assert (found.slug, text_at(text, found)) == ("result-not-written", f"Tensor[(100,), {dtype}]")
    written = run_text(text, packed={"f": lambda out: out.fill(1)}, **options)
    assert (written == 1).all()


@pytest.mark.parametrize("engine", ["compiled", "interpreter"])
def test_O_7_of_a_prim_func_too(engine: str) -> None:
    text = body("call_tir(@NAME, (x,)) -> Tensor[(3,), float32]", "x: Tensor", HALF)
    options: dict[str, Any] = {"strict_effects": True, "engine": engine}
    assert failure_of(text.replace("NAME", "none"), f32(3), **options).slug == "result-not-written"
    found = failure_of(text.replace("NAME", "half"), f32(3), **options)
    assert found.slug == "result-not-written"
    assert found.message == (
        "@half wrote nothing into element [1], and 1 other element of its result `Tensor[(3,), float32]`"
    )
    assert failure_of(text.replace("NAME", "half"), f32(3), watch=finite()).slug == "result-not-written"
    unchecked = run_text(text.replace("NAME", "half"), f32(3), engine=engine)
    assert unchecked.shape == (3,)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
def test_O_7_each_element_of_floats(dtype: str) -> None:
    text = body(f'call_dps_packed(extern "f", ()) -> Tensor[(4, 5), {dtype}]')

    def but_one(out: Any) -> None:
        out[:2] = np.nan
        out[2, :3] = 0
        out[2, 4:] = np.inf
        out[3:] = 1

    found = diagnostic_of(text, packed={"f": but_one}, strict_effects=True)
    assert f"into element [2, 3] of its result `Tensor[(4, 5), {dtype}]`" in found.message
    assert run_text(text, packed={"f": lambda out: out.fill(np.nan)}, strict_effects=True).shape == (4, 5)


def test_small_results_that_happen_to_hold_the_pattern_are_no_failure() -> None:
    tensor = np.zeros(3, np.uint8)
    poison(tensor)
    assert not is_untouched(tensor)  # 24 bits can be equal by chance
    tensor = np.zeros((4, 2), np.float16)
    poison(tensor)
    assert is_untouched(tensor)
    assert is_untouched(tensor.T)
    tensor[1, 1] = np.nan
    assert not is_untouched(tensor)
    assert not is_untouched(np.full(4, np.nan, np.float32))
    assert not is_untouched(np.zeros((0, 4), np.float32))


ONE = "Tensor[(2,), float32]"


@pytest.mark.parametrize(
    ("indices", "result"),
    [
        ("1", ONE),
        ("-2", ONE),
        ("-1", ONE),
        ("[0, 0]", f"({ONE}, {ONE})"),
        ("[0]", f"({ONE}, {ONE})"),
        ("[]", ONE),
    ],
)
@pytest.mark.parametrize("function", [lambda _: None, lambda x: x + 1])
def test_O_6_indices_of_arguments_that_are_taken_over(indices: str, result: str, function: Any) -> None:
    text = body(INPLACE.format(indices, result), "x: Tensor")
    found = diagnostic_of(text, f32(2), packed={"f": function})
    assert (found.slug, text_at(text, found)) == ("op-attribute", f"inplace_indices={indices}")


@pytest.mark.parametrize(
    "result", ["Tensor[(3,), float32]", "Tensor[(2,), int32]", "Tensor[ndim=2, float32]"]
)
def test_O_6_a_result_that_does_not_fit_the_argument(result: str) -> None:
    text = body(INPLACE.format("0", result), "x: Tensor")
    found = diagnostic_of(text, f32(2), packed={"f": lambda _: None})
    assert (found.slug, text_at(text, found)) == ("call-tir-output-mismatch", result)


def test_O_6_in_place_results_of_prim_funcs_fit_their_arguments() -> None:
    head = "prim_func @bump(X: Buffer[(n,), float32]) { for i in 0..n { X[i] = X[i] + 1.0; } }"
    call = "call_tir_inplace(@bump, (x,), inplace_indices={}) -> Tensor[({},), float32]"
    assert run_text(body(call.format("0", "2"), "x: Tensor", head), f32(2)).tolist() == [1, 2]
    assert (
        failure_of(body(call.format("0", "3"), "x: Tensor", head), f32(2)).slug == "call-tir-output-mismatch"
    )
    assert failure_of(body(call.format("-1", "2"), "x: Tensor", head), f32(2)).slug == "op-attribute"


def test_new_results_beside_those_that_are_taken_over() -> None:
    text = body(INPLACE.format("[0, -1]", f"({ONE}, {ONE})"), "x: Tensor")
    x = f32(2)
    first, second = run_text(text, x, packed={"f": lambda x: (x, x * 2)})
    assert first is x
    assert second.tolist() == [0, 2]
    assert failure_of(text, x, packed={"f": lambda _: None}).slug == "result-not-written"
