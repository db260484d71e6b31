"""`match_cast` to function types: what closures are checked for. [M.5]"""

from __future__ import annotations

import pytest

from relax_lang.values import PackedFunc, RunFailure
from tests.runtime.harness import body, f32, failure_of, run_text
from tests.runtime.values.casts import cast, refused


def test_M_5_1_functions() -> None:
    cast("PackedFunc", PackedFunc("f", print))
    assert refused("PackedFunc", f32(2)) == "expected a packed function, found a tensor"
    assert (
        refused("fn(Tensor) -> Tensor", PackedFunc("f", print))
        == "expected a closure, found a packed function"
    )
    assert refused("fn(Tensor) -> Tensor", f32(2)) == "expected a closure, found a tensor"
    text = body("let f = fn (a: Tensor) -> Tensor { a }; let o: Object = f; match_cast(o, PackedFunc); ()")
    assert failure_of(text).message.endswith("expected a packed function, found a closure")


def closure_cast(literal: str, target: str) -> str | None:
    """Cast a closure; return why that fails, or None."""
    text = body(
        f"let f = {literal}; let o: Object = f; let g = match_cast(o, {target}); g(const([1.0, 2.0]))"
    )
    try:
        run_text(text)
    except RunFailure as failure:
        return failure.message.partition("failed: ")[2]
    return None


TENSOR = "Tensor[(2,), float32]"


@pytest.mark.parametrize(
    ("literal", "target"),
    [
        ("fn (a: Object) -> Tensor { const([1.0]) }", "fn(Tensor) -> Tensor"),
        ("fn (a: Tensor) -> Tensor[(2,), float32] { const([1.0, 2.0]) }", "fn(Tensor) -> Object"),
        ("fn (a: Tensor[(k,), float32]) -> Tensor[(k,), float32] { a }", f"fn({TENSOR}) -> {TENSOR}"),
        ("fn (a: Tensor) { a }", "fn(Tensor) -> Tensor"),
        ("fn (a: Tensor) -> Tensor { a }", "impure fn(Tensor) -> Tensor"),
    ],
)
def test_V_8_M_5_3_closures_that_pass(literal: str, target: str) -> None:
    assert closure_cast(literal, target) is None


@pytest.mark.parametrize(
    ("literal", "target", "why"),
    [
        (
            "fn (a: Shape) -> Shape { a }",
            "fn(Tensor) -> Tensor",
            "parameter 0: expected a tensor, found a shape",
        ),
        (
            "fn (a: Tensor) -> Shape { shape(1) }",
            "fn(Tensor) -> Tensor",
            "result: expected a tensor, found a shape",
        ),
        (
            "fn (a: Tensor, b: Tensor) -> Tensor { a }",
            "fn(Tensor) -> Tensor",
            "parameters: expected 1, found 2",
        ),
        (
            "fn (a: Tensor[ndim=2, float32]) -> Tensor { a }",
            "fn(Tensor[(2,), float32]) -> Tensor",
            "parameter 0: rank: expected 1, found 2",
        ),
        (
            "fn (a: Tensor[(3,), float32]) -> Tensor { a }",
            "fn(Tensor[(2,), float32]) -> Tensor",
            "parameter 0: dimension 0: expected 2, found 3",
        ),
        (
            "fn (a: Tensor[_, int32]) -> Tensor { a }",
            "fn(Tensor[(2,), float32]) -> Tensor",
            "parameter 0: dtype: expected float32, found int32",
        ),
        (
            "fn (a: Tensor[(k,), float32]) -> Tensor[(k,), float32] { a }",
            "fn(Tensor[(2,), float32]) -> Tensor[(3,), float32]",
            "result: dimension 0: expected 3, found 2",
        ),
        (
            "fn (a: Tensor) -> (Tensor, Tensor) { (a, a) }",
            "fn(Tensor) -> (Tensor,)",
            "result: fields: expected 1, found 2",
        ),
        (
            "impure fn (a: Tensor) -> Tensor { print(a); a }",
            "fn(Tensor) -> Tensor",
            "purity: expected a pure function, found an impure one",
        ),
        (
            'fn (a: Tensor) -> PackedFunc { extern "f" }',
            "fn(Tensor) -> fn(Tensor) -> Tensor",
            "result: expected a closure, found a packed function",
        ),
        (
            "fn (a: fn(Shape) -> Tensor) -> Tensor { const([1.0]) }",
            "fn(fn(Tensor) -> Tensor) -> Tensor",
            "parameter 0, parameter 0: expected a tensor, found a shape",
        ),
    ],
)
def test_V_8_M_5_3_closures_that_fail(literal: str, target: str, why: str) -> None:
    assert closure_cast(literal, target) == why


def test_M_5_3_captured_dimensions_count() -> None:
    text = """
    def @main(x: Tensor[(n,), float32]) {
      let f = fn (a: Tensor[(n,), float32]) -> Tensor[(n,), float32] { a };
      let o: Object = f;
      match_cast(o, fn(Tensor[(2,), float32]) -> Tensor);
      ()
    }
    """
    assert run_text(text, f32(2)) == ()
    assert failure_of(text, f32(3)).message.endswith("parameter 0: dimension 0: expected 2, found 3")
