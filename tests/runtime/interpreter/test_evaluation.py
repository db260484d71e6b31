"""What values, branches and blocks evaluate to, and in which order: X.*, V.*, P.2."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from relax_lang.values import Closure, PackedFunc, ShapeValue
from tests.runtime.harness import (
    HEAD,
    Log,
    body,
    diagnostic_of,
    f32,
    failure_of,
    i32,
    run_text,
    session_of,
    text_at,
)

I32 = "Tensor[(), int32]"


# Globals and entry points.


def test_X_0_1_globals_are_ready_in_any_order() -> None:
    assert run_text(f"def @main() -> {I32} {{ @g() }}\ndef @g() -> {I32} {{ 7 }}") == 7


def test_X_0_2_only_items_without_private_are_entries() -> None:
    text = f"private def @helper() -> {I32} {{ 7 }}\ndef @main() -> {I32} {{ @helper() }}"
    session = session_of(text)
    assert session.entries() == ["main"]
    assert session.call("main") == 7
    assert session.call("@main") == 7
    diagnostic = diagnostic_of(text, entry="helper")
    assert (diagnostic.slug, diagnostic.message) == ("private-function", "@helper is private")
    assert text_at(text, diagnostic) == "@helper"


def test_RUN_1_Y_11_entries_in_quotes() -> None:
    text = 'def @"fused.add 1"() { 1 }'
    for name in ("fused.add 1", "@fused.add 1", '@"fused.add 1"', '"fused.add 1"'):
        assert run_text(text, entry=name) == 1
    failure = failure_of(text, entry="main")
    assert failure.message == 'there is no function @main to run; there are @"fused.add 1"'


def test_RUN_1_entry_not_found() -> None:
    text = HEAD + "def @main() { 1 }\ndef @other() { 2 }"
    diagnostic = diagnostic_of(text, entry="mian")
    assert diagnostic.slug == "entry-not-found"
    assert diagnostic.message == "there is no function @mian to run; there are @main, @other"
    assert diagnostic.help == "did you mean @main?"
    prim = diagnostic_of(text, entry="relu")
    assert prim.slug == "entry-not-found"
    assert "prim_func" in prim.notes[0]
    assert diagnostic_of(HEAD, entry="main").message.endswith("the module has none")


# Values.


def test_X_1_a_constant_is_new_at_each_evaluation() -> None:
    def bump(x: Any) -> None:
        x += 1

    text = """
    def @f() { let c = const([1, 2], int32); extern "bump"(c); c }
    def @main() { (@f(), @f()) }
    """
    first, second = run_text(text, packed={"bump": bump})
    assert first.tolist() == second.tolist() == [2, 3]
    assert first is not second


@pytest.mark.parametrize(
    ("literal", "dtype", "value"),
    [
        ("1", "int32", 1),
        ("1.5", "float32", 1.5),
        ("true", "bool", True),
        ("const(0.5, float16)", "float16", 0.5),
        ("const([[1, 2], [3, 4]], int64)", "int64", [[1, 2], [3, 4]]),
        ("const(-inf, float64)", "float64", float("-inf")),
        ("const([], float32)", "float32", []),
        ("const([true, false])", "bool", [True, False]),
        ("const(-128, int8)", "int8", -128),
        ("const(1, float32)", "float32", 1.0),
    ],
)
def test_G_22_V_1_V_2_constants(literal: str, dtype: str, value: object) -> None:
    result = run_text(body(literal))
    assert isinstance(result, np.ndarray)
    assert result.dtype.name == dtype
    assert result.tolist() == value


def test_G_22_bfloat16_constant() -> None:
    pytest.importorskip("ml_dtypes")
    assert run_text(body("const([1.0, 2.5], bfloat16)")).dtype.name == "bfloat16"


def test_CF_4_file_constants_are_loaded_by_the_caller_and_copied() -> None:
    asked: list[tuple[str, str | None]] = []
    stored = f32(2)

    def load(path: str, key: str | None) -> Any:
        asked.append((path, key))
        return stored

    text = 'def @f() { const(file("w.npz", "fc")) }\ndef @main() { (@f(), @f()) }'
    first, second = run_text(text, load_constant=load)
    assert set(asked) == {("w.npz", "fc")}
    assert first.tolist() == stored.tolist()
    assert first is not second
    assert first is not stored


def test_CF_1_without_a_folder_there_are_no_files() -> None:
    assert failure_of(body('const(file("w.npy"))')).slug == "constant-file-missing"


def test_X_2_X_9_3_a_variable_is_the_stored_value_itself() -> None:
    value = f32(2)
    assert run_text(body("let y = x; let z = y; z", "x: Tensor"), value) is value


def test_X_9_3_mutation_shows_through_aliases() -> None:
    def bump(x: Any) -> None:
        x += 1

    text = body('let y = x; extern "bump"(x); y', "x: Tensor")
    value = f32(2)
    assert run_text(text, value, packed={"bump": bump}) is value
    assert value.tolist() == [1, 2]


def test_X_3_V_3_tuples() -> None:
    x = f32(2)
    made = run_text(body("((x, @main), (shape(2), ()))", "x: Object"), x)
    assert made[0][0] is x
    assert isinstance(made[0][1], Closure)
    assert made[1] == (ShapeValue((2,)), ())
    assert run_text(body("()")) == ()


def test_X_3_a_tuple_is_evaluated_from_left_to_right() -> None:
    log = Log()
    run_text(body('(extern "p1"(), (extern "p2"(), extern "p3"()))'), packed=log.functions)
    assert log.calls == ["p1", "p2", "p3"]


def test_X_4_indexing_gives_the_stored_field_itself() -> None:
    x = f32(2)
    assert run_text(body("let t = (shape(1), x); t[1]", "x: Tensor"), x) is x
    assert run_text(body("t[0]", "t: (Tensor, Tensor)"), (x, f32(1))) is x


def test_V_3_V_10_indexing_faults_at_run_time() -> None:
    text = body('let v = extern "f"(); v[2]')
    pair = {"f": lambda: (f32(1), f32(1))}
    diagnostic = diagnostic_of(text, packed=pair)
    assert (diagnostic.slug, diagnostic.message) == ("tuple-index", "index 2, but the tuple has 2 fields")
    diagnostic = diagnostic_of(text, packed={"f": lambda: f32(1)})
    assert (diagnostic.slug, diagnostic.message) == (
        "not-a-tuple",
        "only tuples can be indexed; this is `Tensor[(1,), float32]`",
    )


def test_X_5_shapes() -> None:
    text = body("shape(n, n * 2, n // 2, n - n)", "x: Tensor[(n,), float32]")
    assert run_text(text, f32(3)) == ShapeValue((3, 6, 1, 0))
    assert run_text(body("shape()")) == ShapeValue(())


def test_X_5_G_4_division_by_zero() -> None:
    text = body("shape(1, 6 // n)", "x: Tensor[(n,), float32]")
    diagnostic = diagnostic_of(text, f32(0))
    assert diagnostic.slug == "dim-division-by-zero"
    assert text_at(text, diagnostic) == "6 // n"


def test_V_9_negative_dimension() -> None:
    text = body("shape(1, n - 3)", "x: Tensor[(n,), float32]")
    assert run_text(text, f32(3)) == ShapeValue((1, 0))
    diagnostic = diagnostic_of(text, f32(1))
    assert (diagnostic.slug, diagnostic.message) == ("negative-dimension", "dimension 1 (`n - 3`) is -2")
    assert text_at(text, diagnostic) == "n - 3"
    assert diagnostic.notes == ["shape variables: n = 1"]


def test_reshape_infers_a_written_minus_one_and_no_other() -> None:
    assert run_text(body("reshape(x, shape(2, -1))", "x: Tensor"), f32(6)).shape == (2, 3)
    assert run_text(body("reshape(x, s)", "x: Tensor, s: Shape"), f32(6), ShapeValue((3, 2))).shape == (3, 2)
    text = body("reshape(x, shape(n - 7, 2))", "x: Tensor[(n,), float32]")
    assert failure_of(text, f32(6)).slug == "negative-dimension"


# Conditions and branches.


def test_X_7_exactly_one_branch() -> None:
    log = Log()
    text = body('if c { extern "p1"() } else { extern "p2"() }', "c: Tensor[(), bool]")
    assert run_text(text, np.asarray(True), packed=log.functions) == 1
    assert run_text(text, np.asarray(False), packed=log.functions) == 2
    assert log.calls == ["p1", "p2"]


def test_X_7_else_if() -> None:
    text = body("if i == 0 { 10 } else if i == 1 { 11 } else { 12 }", f"i: {I32}")
    assert [int(run_text(text, i32(i))) for i in range(3)] == [10, 11, 12]


@pytest.mark.parametrize(
    ("condition", "shown"),
    [(f32(1) > 0, "Tensor[(1,), bool]"), (i32(1), "Tensor[(), int32]"), (ShapeValue((1,)), "shape(1)")],
)
def test_ERR_41_condition_not_bool(condition: object, shown: str) -> None:
    text = body("if c { 1 } else { 2 }", "c: Object")
    diagnostic = diagnostic_of(text, condition)
    assert diagnostic.slug == "condition-not-bool"
    assert diagnostic.message == f"the condition must be a scalar bool, not `{shown}`"
    assert text_at(text, diagnostic) == "c"


def test_X_10_branches_pop_their_scope() -> None:
    text = """
    def @main(u: Object, v: Object, c: Tensor[(), bool]) {
      let a = if c { match_cast(u, Tensor[(k,), float32]); shape(k) } else { shape(0) };
      let b = if c { match_cast(v, Tensor[(k,), float32]); shape(k) } else { shape(0) };
      (a, b)
    }
    """
    assert run_text(text, f32(2), f32(3), np.asarray(True)) == (ShapeValue((2,)), ShapeValue((3,)))


# Dataflow blocks.


def test_X_10_3_dataflow() -> None:
    text = body("dataflow { let lv = add(x, x); let gv = add(lv, x); output gv; } gv", "x: Tensor")
    assert run_text(text, i32(2)) == 6


def test_S_13_shape_variables_outlive_a_dataflow_block() -> None:
    text = body("dataflow { match_cast(u, Tensor[(k,), float32]); } shape(k)", "u: Object")
    assert run_text(text, f32(4)) == ShapeValue((4,))


def test_X_10_3_dataflow_vars_die_with_their_block() -> None:
    import weakref

    kept: list[Any] = []
    alive: list[bool] = []

    class Handle:
        pass

    def make() -> Handle:
        handle = Handle()
        kept.append(weakref.ref(handle))
        return handle

    text = body(
        'dataflow { let lv = extern "make"(pure=true); let gv = (1, 2); output gv; } extern "look"(); gv'
    )
    run_text(text, packed={"make": make, "look": lambda: alive.append(kept[0]() is not None)})
    assert alive == [False]


def test_P_2_a_match_cast_in_a_dataflow_block_may_end_the_program() -> None:
    text = body("dataflow { let g = match_cast(u, Shape); output g; } g", "u: Object")
    assert failure_of(text, f32(1)).slug == "match-cast-failed"


# Order.


def test_X_9_1_arguments_then_the_operator() -> None:
    log = Log()
    run_text(body('add(extern "p1"(), extern "p2"())'), packed=log.functions)
    assert log.calls == ["p1", "p2"]


def test_X_9_1_logical_operators_evaluate_both_sides() -> None:
    log = Log()
    functions = {**log.functions, "no": lambda: (log.calls.append("no"), np.asarray(False))[1]}
    assert not run_text(
        body('extern "no"() -> Tensor[(), bool] && extern "no"() -> Tensor[(), bool]'), packed=functions
    )
    assert log.calls == ["no", "no"]


def test_X_9_2_the_callee_comes_first() -> None:
    log = Log()

    def give() -> object:
        log.calls.append("f1")
        return PackedFunc("inner", lambda _: log.calls.append("inner"))

    run_text(body('(extern "f1"())(extern "p1"())'), packed={**log.functions, "f1": give})
    assert log.calls == ["f1", "p1", "inner"]


def test_X_9_2_an_unknown_extern_fails_before_its_arguments() -> None:
    log = Log()
    failure_of(body('extern "nope"(extern "p1"())'), packed=log.functions)
    assert log.calls in ([], ["p1"])


def test_N_13_nested_calls_in_order() -> None:
    log = Log()
    run_text(
        body('let f = fn (a: Object, b: Object) { extern "p3"() }; f(extern "p1"(), f(extern "p2"(), 1))'),
        packed=log.functions,
    )
    assert log.calls == ["p1", "p2", "p3", "p3"]
