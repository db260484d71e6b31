"""What a method is called on must be a variable that is visible there: only then the call of an operator is offered."""

from __future__ import annotations

import pytest

from relax_lang.syntax.parser import parse

OFFERED = "variables have no methods"


def _messages(text: str) -> list[str]:
    return [one.message for one in parse(text).diagnostics]


@pytest.mark.parametrize(
    "text",
    [
        'def @f(x: Tensor) { x.astype("float16") }',
        'def @f(x: Tensor) { let y = x.astype("float16"); y }',
        'def @f(x: Tensor) { let y = x; y.astype("float16") }',
        'def @f(x: Tensor) { let y = x; let z = y.astype("float16"); z }',
        'def @f(x: Tensor) { let y = match_cast(x, Tensor); let z = y.astype("float16"); z }',
        'def @f(x: Tensor) { dataflow { let y = x; output y; } let z = y.astype("float16"); z }',
        'def @f(x: Tensor) { y = x; let z = y.astype("float16"); z }',
        'def @f(x: Tensor) { let g = fn (y: Tensor) -> Tensor { let z = y.astype("float16"); z }; g(x) }',
        'def @f(x: Tensor) { let y = if x { let z = x.astype("float16"); z } else { x }; y }',
        'def @f(x: Tensor) { let y = add(x, x.astype("float16")); y }',
    ],
)
def test_Y_7_a_method_of_a_visible_variable(text: str) -> None:
    assert OFFERED in _messages(text)


@pytest.mark.parametrize(
    "text",
    [
        'def @f(x: Tensor) { let y = nn.astype("float16"); y }',
        'def @f(y: Tensor) { y } def @g(x: Tensor) { let z = y.astype("float16"); z }',
        'def @f(x: Tensor) { let g = fn (y: Tensor) -> Tensor { y }; let z = y.astype("float16"); z }',
        'def @f(x: Tensor) { let y = if x { let z = x; z } else { x }; let w = z.astype("float16"); w }',
        'def @f(x: Tensor) { let w = add(y, y.astype("float16")); w }',
    ],
)
def test_Y_7_no_method_of_another_name(text: str) -> None:
    assert OFFERED not in _messages(text)


def test_Y_7_a_variable_may_be_called_return() -> None:
    assert not any("return" in one for one in _messages("def @f(return: Tensor) { return(x) }"))
    assert any("return" in one for one in _messages("def @f(x: Tensor) { return(x) }"))
