"""TopologicalSort and ExpandTupleArguments."""

from __future__ import annotations

import re

import pytest

from tests.transform.core.changes import after

CHAIN = """def @main(x: Tensor[(n,), float32]) {
  dataflow {
    let a = exp(x); let b = sin(x); let c = -a; let d = cos(b); let e = c + d; let unused = tan(a); output e;
  }
  e
}"""


@pytest.mark.parametrize(
    ("options", "order"),
    [
        ("", "a unused b d c e"),
        ('(order="breadth-first")', "b a d c unused e"),
        ('(direction="from-inputs")', "a c unused b d e"),
        ('(direction="from-inputs", order="breadth-first")', "a b c unused d e"),
    ],
)
def test_orders(options: str, order: str) -> None:
    assert re.findall(r"let (\w+) =", after(f"TopologicalSort{options}", CHAIN)) == order.split()


def test_sizes_that_a_match_cast_binds_come_before_their_uses() -> None:
    text = after(
        'TopologicalSort(order="breadth-first")',
        """def @main(x: Tensor[_, float32]) {
          dataflow {
            let y = match_cast(x, Tensor[(n,), float32]); let z = zeros(shape(n), dtype=float32); let w = z + y;
            output w;
          }
          w
        }""",
    )
    assert re.findall(r"let (\w+) =", text) == ["y", "z", "w"]


def expanded(text: str) -> str:
    return " ".join(after("ExpandTupleArguments", text).split())


PAIR = "(Tensor[(n,), float32], Tensor[(n,), float32])"
MAIN = "def @main(x: Tensor[(n,), float32]) "


def test_a_variable_is_taken_apart_where_it_is_passed() -> None:
    text = expanded(
        f"private def @f(t: {PAIR}) {{ t[1] }}"
        + MAIN
        + "{ dataflow { let t = (x, x); let r = @f(t); output r; } r }"
    )
    assert "let lv = t[0]; let lv_1 = t[1]; let r = @f(lv, lv_1);" in text


def test_nested_and_empty_tuples() -> None:
    text = expanded(f"private def @f(t: ({PAIR}, ())) {{ t[0] }}" + MAIN + "{ @f(((x, x), ())) }")
    assert "@f(t_0_0: Tensor[(n,), float32], t_0_1: Tensor[(n,), float32])" in text
    assert "let t = ((t_0_0, t_0_1), ());" in text
    assert "@f(x, x)" in text


def test_functions_that_call_themselves() -> None:
    text = expanded(
        "private def @f(t: (Tensor[(), int32], Tensor[(), int32])) -> Tensor[(), int32] {"
        " let a = t[0]; if a <= 0 { t[1] } else { @f((a - 1, t[1])) } }"
        " def @main(k: Tensor[(), int32]) { @f((k, k)) }"
    )
    assert "t: (" not in text


def test_public_functions_and_values_stay() -> None:
    public = f"def @f(t: {PAIR}) {{ t[0] }}" + MAIN + "{ @f((x, x)) }"
    assert "@f(t: (" in expanded(public)
    value = f"private def @f(t: {PAIR}) {{ t[0] }}" + MAIN + "{ let g = @f; g((x, x)) }"
    assert "@f(t: (" in expanded(value)
