"""Run-time checks, rule by rule: M.*, V.8, V.13, S.14, Z.7."""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.values import PackedFunc, ShapeValue
from tests.runtime.harness import body, diagnostic_of, f32, failure_of, run_text, text_at
from tests.runtime.values.casts import cast, refused


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
