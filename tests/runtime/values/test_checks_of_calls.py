"""Checks of parameters and results, made as `match_cast` makes them. [M.6] [M.7]"""

from __future__ import annotations

from relax_lang.values import ShapeValue
from tests.runtime.harness import body, diagnostic_of, f32, failure_of, run_text, text_at


def test_M_6_binders_of_all_parameters_first() -> None:
    text = body("shape(n)", "a: Tensor[(n * 2,), float32], b: Tensor[(n,), float32]")
    assert run_text(text, f32(4), f32(2)) == ShapeValue((2,))
    failure = failure_of(text, f32(5), f32(2))
    assert failure.slug == "argument-check-failed"
    assert failure.message == (
        "parameter `a` of @main does not match `Tensor[(n * 2,), float32]`: "
        "dimension 0: expected n * 2 = 4, found 5"
    )


SAME = """
def @f(a: Tensor[(n, 3), float32], b: Tensor[(n,), float32]) -> Tensor[(n, 3), float32] { a }
def @main(a: Tensor, b: Tensor) -> Tensor {
  let c = match_cast(a, Tensor[ndim=2, float32]);
  let d = match_cast(b, Tensor[ndim=1, float32]);
  @f(c, d)
}
"""


def test_M_6_parameters_of_a_call() -> None:
    value = f32(2, 3)
    assert run_text(SAME, value, f32(2)) is value
    diagnostic = diagnostic_of(SAME, value, f32(4))
    assert diagnostic.slug == "argument-check-failed"
    assert diagnostic.message == (
        "parameter `b` of @f does not match `Tensor[(n,), float32]`: dimension 0: expected n = 2, found 4"
    )
    assert text_at(SAME, diagnostic) == "@f(c, d)"
    assert "shape variables: n = 2" in diagnostic.notes
    assert [SAME[label.pos : label.end] for label in diagnostic.labels] == ["b: Tensor[(n,), float32]"]


def test_M_6_local_functions_too() -> None:
    text = body(
        "let f = fn (a: Tensor[(2,), float32]) -> Tensor { a }; let y = match_cast(x, Tensor[ndim=1, float32]); f(y)",
        "x: Tensor",
    )
    assert run_text(text, f32(2)).shape == (2,)
    failure = failure_of(text, f32(3))
    assert failure.slug == "argument-check-failed"
    assert failure.message.startswith("parameter `a` of `f` does not match")


def test_M_6_body_does_not_run_when_the_check_fails() -> None:
    written: list[str] = []
    text = 'def @main(a: Tensor[(2,), float32]) { extern "log"(a); a }'
    failure_of(text, f32(3), packed={"log": lambda _: written.append("ran")})
    assert written == []


RESULT = """
def @f(a: Tensor[(n,), float32], b: Tensor) -> Tensor[(n * 2,), float32] { match_cast(b, Tensor[ndim=1, float32]); b }
def @main(a: Tensor[(n,), float32], b: Tensor) { @f(a, b) }
"""


def test_M_7_result_uses_the_dimensions_of_the_entry() -> None:
    value = f32(4)
    assert run_text(RESULT, f32(2), value) is value
    diagnostic = diagnostic_of(RESULT, f32(1), f32(3))
    assert diagnostic.slug == "return-check-failed"
    assert diagnostic.message == (
        "return value of @f does not match `Tensor[(n * 2,), float32]`: dimension 0: expected n * 2 = 2, found 3"
    )
    assert text_at(RESULT, diagnostic) == "b"
    assert "called from @main at line 3" in diagnostic.notes
