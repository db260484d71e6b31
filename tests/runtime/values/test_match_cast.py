"""Run-time checks, rule by rule: M.*, V.8, V.13, S.14, Z.7."""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.values import PackedFunc, RunFailure, ShapeValue
from tests.runtime.harness import body, diagnostic_of, f32, failure_of, run_text, text_at


def cast(target: str, value: object, rest: str = "()") -> object:
    """Cast a value to a struct info and evaluate `rest`, which may use what was bound."""
    return run_text(body(f"let v = match_cast(u, {target}); {rest}", "u: Object"), value)


def refused(target: str, value: object) -> str:
    """Return why a cast fails, without the part that all such messages share."""
    failure = failure_of(body(f"match_cast(u, {target}); ()", "u: Object"), value)
    assert failure.slug == "match-cast-failed"
    start = f"match_cast to `{target}` failed: "
    assert failure.message.startswith(start), failure.message
    return failure.message.removeprefix(start)


@pytest.mark.parametrize("value", [f32(2), ShapeValue((1,)), (), (1,), "anything", 3])
def test_M_1_object_takes_everything(value: object) -> None:
    assert cast("Object", value, "v") is value


@pytest.mark.parametrize(
    "target", ["Tensor", "Tensor[(2, 3), float32]", "Tensor[_, float32]", "Tensor[(2, 3)]"]
)
def test_M_2_tensor_fits(target: str) -> None:
    cast(target, f32(2, 3))


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (ShapeValue((2, 3)), "a shape"),
        ((f32(2),), "a tuple"),
        (PackedFunc("f", print), "a packed function"),
        (3, "an object"),
        (None, "a tuple"),
    ],
)
def test_M_2_1_not_a_tensor(value: object, found: str) -> None:
    value = () if value is None else value
    assert refused("Tensor", value) == f"expected a tensor, found {found}"


def test_M_2_1_closure_is_no_tensor() -> None:
    text = body("let f = fn (a: Tensor) -> Tensor { a }; let o: Object = f; match_cast(o, Tensor); ()")
    assert failure_of(text).message.endswith("expected a tensor, found a closure")


def test_M_2_2_rank() -> None:
    cast("Tensor[ndim=2, float32]", f32(2, 3))
    assert refused("Tensor[ndim=2, float32]", f32(2, 3, 1)) == "rank: expected 2, found 3"


def test_M_2_3_V_1_arrays_of_no_dtype_of_the_language() -> None:
    text = body('let y = match_cast(extern "f"(), Tensor[ndim=1]); y')
    failure = failure_of(text, packed={"f": lambda: np.zeros(2, complex)})
    assert failure.message.endswith("failed: dtype: expected one of the language, found complex128")


def test_M_2_3_dtype() -> None:
    assert refused("Tensor[(2,), float32]", np.zeros(2, np.int32)) == "dtype: expected float32, found int32"


def test_M_2_4_shape_variable_equals_its_value() -> None:
    text = body("match_cast(u, Tensor[s, float32]); ()", "u: Object, s: Shape[ndim=2]")
    assert run_text(text, f32(2, 3), ShapeValue((2, 3))) == ()
    failure = failure_of(text, f32(2, 3), ShapeValue((3, 2)))
    assert failure.message.endswith("dimension 0: expected s[0] = 3, found 2")
    failure = failure_of(text, f32(2), ShapeValue((3, 2)))
    assert failure.message.endswith("rank: expected 2, found 1")


def test_M_2_5_number_of_dimensions() -> None:
    assert refused("Tensor[(k, 3), float32]", f32(2)) == "rank: expected 2, found 1"


def test_M_2_6_binds_a_bare_variable() -> None:
    assert cast("Tensor[(k, 3), float32]", f32(5, 3), "shape(k)") == ShapeValue((5,))


def test_M_2_7_evaluates_and_compares() -> None:
    cast("Tensor[(k, k * 2), float32]", f32(2, 4))
    assert refused("Tensor[(k, k * 2), float32]", f32(2, 3)) == "dimension 1: expected k * 2 = 4, found 3"
    assert refused("Tensor[(4, k), float32]", f32(3, 3)) == "dimension 0: expected 4, found 3"


def test_M_3_shape() -> None:
    assert cast("Shape[(k, k + 1)]", ShapeValue((2, 3)), "shape(k)") == ShapeValue((2,))
    cast("Shape", ShapeValue((2, 3)))
    cast("Shape[ndim=2]", ShapeValue((2, 3)))
    assert refused("Shape[(k, k + 1)]", ShapeValue((2, 4))) == "dimension 1: expected k + 1 = 3, found 4"
    assert refused("Shape[ndim=2]", ShapeValue((2,))) == "rank: expected 2, found 1"
    assert refused("Shape", f32(2)) == "expected a shape, found a tensor"


def test_V_13_a_tuple_of_numbers_is_no_shape() -> None:
    assert refused("Shape", (2, 3)) == "expected a shape, found a tuple"
    assert refused("(Object, Object)", ShapeValue((2, 3))) == "expected a tuple, found a shape"


def test_M_4_tuple() -> None:
    pair = (f32(2), ShapeValue((2,)))
    assert cast("(Tensor[(k,), float32], Shape[(k,)])", pair, "shape(k)") == ShapeValue((2,))
    cast("()", ())
    assert refused("(Tensor, Tensor)", f32(2)) == "expected a tuple, found a tensor"
    assert refused("(Tensor, Tensor)", (f32(2),)) == "fields: expected 2, found 1"


def test_Z_7_path_into_tuples() -> None:
    value = (f32(2), (ShapeValue((2,)), f32(3)))
    assert refused("(Tensor, (Shape, Tensor[(2,), float32]))", value) == (
        "field 1, field 1: dimension 0: expected 2, found 3"
    )


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


def test_M_8_binders_before_composite_dimensions() -> None:
    assert cast("Tensor[(k * 2, k), float32]", f32(4, 2), "shape(k)") == ShapeValue((2,))
    assert refused("Tensor[(k * 2, k), float32]", f32(5, 2)) == "dimension 0: expected k * 2 = 4, found 5"


def test_M_8_left_to_right() -> None:
    both = "(Tensor[(2,), float32], Shape)"
    assert refused(both, (f32(3), f32(3))) == "field 0: dimension 0: expected 2, found 3"


def test_M_8_a_binder_of_the_wrong_kind_is_what_is_reported() -> None:
    target = "(Tensor[(k * 2,), float32], Tensor[(k,), float32])"
    assert refused(target, (f32(4), ShapeValue((2,)))) == "field 1: expected a tensor, found a shape"


def test_M_9_a_failed_check_ends_the_program() -> None:
    calls: list[str] = []
    text = body('extern "log"(u); match_cast(u, Shape); extern "log"(u); ()', "u: Object")
    failure_of(text, f32(2), packed={"log": lambda _: calls.append("log")})
    assert calls == ["log"]


def test_M_10_without_a_variable_it_binds_dimensions() -> None:
    assert run_text(
        body("match_cast(u, Tensor[(k,), float32]); shape(k)", "u: Object"), f32(7)
    ) == ShapeValue((7,))


def test_M_11_the_value_passes_uncopied() -> None:
    value = f32(2)
    assert cast("Tensor[(2,), float32]", value, "v") is value


def test_S_14_a_second_occurrence_checks() -> None:
    assert refused("Tensor[(k, k), float32]", f32(2, 3)) == "dimension 1: expected k = 2, found 3"


def test_S_14_later_casts_use_what_was_bound() -> None:
    text = body(
        "match_cast(u, Tensor[(k,), float32]); match_cast(v, Tensor[(k,), float32]); ()",
        "u: Object, v: Object",
    )
    assert run_text(text, f32(2), f32(2)) == ()
    assert failure_of(text, f32(2), f32(3)).message.endswith("dimension 0: expected k = 2, found 3")


def test_match_shape_takes_tensors_and_shapes() -> None:
    text = body("match_shape(u, (a, b)); shape(b, a)", "u: Object")
    assert run_text(text, f32(2, 3)) == ShapeValue((3, 2))
    assert run_text(text, ShapeValue((2, 3))) == ShapeValue((3, 2))
    assert failure_of(text, f32(2)).message.endswith("rank: expected 2, found 1")
    assert failure_of(text, ()).message.endswith("expected a tensor or a shape, found a tuple")


def test_B_1_the_value_of_a_match_shape_of_an_object_stays_an_object() -> None:
    text = body("let v = match_shape(u, (a, b)); (v, shape(b, a))", "u: Object")
    for engine in ("compiled", "interpreter"):
        tensor = f32(2, 3)
        value, shape = run_text(text, tensor, engine=engine)
        assert value is tensor
        assert shape == ShapeValue((3, 2))
        assert run_text(text, ShapeValue((2, 3)), engine=engine)[0] == ShapeValue((2, 3))


def test_match_cast_diagnostic() -> None:
    text = body("let v = match_cast(u, Tensor[(k, k * 2), float32]); v", "u: Object")
    diagnostic = diagnostic_of(text, f32(2, 3))
    assert diagnostic.code == "RLX0901"
    assert text_at(text, diagnostic) == "match_cast(u, Tensor[(k, k * 2), float32])"
    assert diagnostic.notes == ["shape variables: k = 2"]


def test_ERR_33_annotations_are_checked() -> None:
    text = body("let y: Tensor[(2,), float32] = x; y", "x: Tensor[ndim=1, float32]")
    value = f32(2)
    assert run_text(text, value) is value
    diagnostic = diagnostic_of(text, f32(3))
    assert diagnostic.slug == "annotation-check-failed"
    assert diagnostic.message == (
        "value of `y` does not match its annotation `Tensor[(2,), float32]`: dimension 0: expected 2, found 3"
    )
    assert text_at(text, diagnostic) == "x"


def test_dim_division_by_zero_in_an_annotation() -> None:
    text = body("match_cast(u, Tensor[(k, 6 // k), float32]); ()", "u: Object")
    assert run_text(text, f32(2, 3)) == ()
    diagnostic = diagnostic_of(text, f32(0, 3))
    assert diagnostic.slug == "dim-division-by-zero"
    assert text_at(text, diagnostic) == "6 // k"


def test_M_10_a_match_cast_waits_for_a_call() -> None:
    text = body(
        "let v = match_cast(@f(u), Tensor[(k,), float32]); shape(k)", "u: Object", "def @f(u: Object) { u }"
    )
    assert run_text(text, f32(3)) == ShapeValue((3,))
    assert failure_of(text, ()).slug == "match-cast-failed"


@pytest.mark.parametrize(
    ("statement", "marked"),
    [
        ("match_cast(u, Shape);", "match_cast(u, Shape)"),
        ("let v: Object = match_cast(u, Shape);", "match_cast(u, Shape)"),
        ("match_shape(u, (a, b));", "match_shape(u, (a, b))"),
        ("let v = cast(u) -> Shape;", "cast(u) -> Shape"),
        ("let v = match_cast(@id(u), Shape);", "match_cast(@id(u), Shape)"),
    ],
)
def test_Z_6_the_match_cast_is_marked(statement: str, marked: str) -> None:
    text = body(f"{statement} ()", "u: Object", "def @id(u: Object) { u }")
    assert text_at(text, diagnostic_of(text, f32(1))) == marked
