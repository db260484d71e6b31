"""`strict_effects`: packed functions are held to what their calls promise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.runtime.harness import diagnostic_of, run_text

X = np.array([1, np.nan], np.float32)


def increment(x: Any, *result: Any) -> Any:
    x += 1
    return None if result else x


def copy(x: Any, *result: Any) -> Any:
    if result:
        result[0][...] = x
    return None if result else x.copy()


CALLS = [
    'call_dps_packed(extern "f", (x,)) -> Tensor[(n,), float32]',
    'call_pure_packed(extern "f", x) -> Tensor[(n,), float32]',
    'extern "f"(x, pure=true) -> Tensor[(n,), float32]',
]


def text(call: str) -> str:
    return f"def @main(x: Tensor[(n,), float32]) {{ {call} }}"


@pytest.mark.parametrize("call", CALLS)
def test_O_8_P_4_a_broken_promise_is_noticed(call: str):
    found = diagnostic_of(text(call), X.copy(), packed={"f": increment}, strict_effects=True)
    assert found.slug == "wrote-its-argument"
    assert found.message.startswith('packed function "f" wrote into argument 1, which')
    run_text(text(call), X.copy(), packed={"f": increment})  # effects are not checked


@pytest.mark.parametrize("call", CALLS)
def test_O_8_P_4_a_kept_promise(call: str):
    result = run_text(text(call), X.copy(), packed={"f": copy}, strict_effects=True)
    np.testing.assert_array_equal(result, X)


def test_X_9_3_calls_that_promise_nothing_may_write():
    call = 'extern "f"(x) -> Tensor[(n,), float32]'
    result = run_text(text(call), X.copy(), packed={"f": increment}, strict_effects=True)
    assert result[0] == 2


def test_fields_of_tuples_are_looked_at_too():
    call = 'extern "f"((shape(n), (x, x)), pure=true) -> Object'
    found = diagnostic_of(
        text(call), X.copy(), packed={"f": lambda t: increment(t[1][1])}, strict_effects=True
    )
    assert "wrote into argument 1, field 1, field 0" in found.message
