"""What every construct evaluates to, rule by rule: X.*, V.*, S.*, P.2."""

from __future__ import annotations

import sys
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
    run_text,
    session_of,
    text_at,
)

I32 = "Tensor[(), int32]"


def i32(value: int) -> Any:
    return np.asarray(value, np.int32)


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


# Functions.


def test_V_5_X_6_closures_capture_variables() -> None:
    text = body("let f = fn (a: Tensor) -> Tensor { add(a, x) }; f(f(x))", "x: Tensor")
    assert run_text(text, f32(2)).tolist() == [0, 3]


def test_V_6_S_17_closures_capture_shape_variables() -> None:
    text = body("let f = fn (a: Tensor) -> Shape[ndim=1] { shape(n) }; f(x)", "x: Tensor[(n,), float32]")
    assert run_text(text, f32(5)) == ShapeValue((5,))


def test_X_6_capture_is_by_reference() -> None:
    def bump(x: Any) -> None:
        x += 1

    text = body('let f = fn () { x }; extern "bump"(x); f()', "x: Tensor")
    value = f32(2)
    assert run_text(text, value, packed={"bump": bump}) is value
    assert value.tolist() == [1, 2]


def test_X_6_each_evaluation_makes_its_own_closure() -> None:
    text = """
    def @add_to(x: Tensor) { fn (a: Tensor) -> Tensor { add(a, x) } }
    def @main(x: Tensor, y: Tensor) { let f = @add_to(x); let g = @add_to(y); (f(x), g(x)) }
    """
    first, second = run_text(text, i32(1), i32(10))
    assert (int(first), int(second)) == (2, 11)


def test_X_6_closures_keep_only_what_they_mention() -> None:
    text = body("let big = add(x, x); let f = fn () { x }; f", "x: Tensor[(n,), float32]")
    made = run_text(text, f32(2))
    assert isinstance(made, Closure)
    assert set(made.variables) == {"x"}


def test_V_7_S_4_local_recursion() -> None:
    text = body(f"let f = fn (i: {I32}) -> {I32} {{ if i == 0 {{ 0 }} else {{ i + f(i - 1) }} }}; f(4)")
    assert run_text(text) == 10


def test_V_7_a_closure_with_given_arguments_knows_itself_without_them() -> None:
    function = f"fn (a: {I32}, i: {I32}) -> {I32} {{ if i == 0 {{ a }} else {{ f(a + 1, i - 1) }} }}"
    call = f"invoke_closure(g, (i,)) -> {I32}"
    text = body(f"let f = {function}; let g = make_closure(f, (10,)); let i = const(4, int32); {call}")
    assert run_text(text) == 14


def test_V_7_arguments_given_in_two_steps() -> None:
    function = f"fn (a: {I32}, b: {I32}, i: {I32}) -> {I32} {{ if i == 0 {{ a - b }} else {{ f(a, b + 1, i - 1) }} }}"
    steps = "let g = make_closure(f, (10,)); let h = make_closure(g, (1,)); let i = const(4, int32)"
    assert run_text(body(f"let f = {function}; {steps}; invoke_closure(h, (i,)) -> {I32}")) == 4 - (1 + 10)


def test_S_2_mutual_recursion() -> None:
    text = """
    def @even(i: Tensor[(), int32]) -> Tensor[(), bool] { if i == 0 { true } else { @odd(i - 1) } }
    def @odd(i: Tensor[(), int32]) -> Tensor[(), bool] { if i == 0 { false } else { @even(i - 1) } }
    def @main() { (@even(10), @even(7)) }
    """
    assert [bool(one) for one in run_text(text)] == [True, False]


def test_functions_are_values() -> None:
    text = """
    def @twice(f: fn(Tensor) -> Tensor, x: Tensor) -> Tensor { f(f(x)) }
    def @inc(x: Tensor) -> Tensor { add(x, const(1)) }
    def @main() { @twice(@inc, const(5)) }
    """
    assert run_text(text) == 7


def test_local_functions_bind_their_own_dimensions_at_each_call() -> None:
    text = body("let f = fn (a: Tensor[(k,), float32]) { shape(k) }; (f(x), f(y))", "x: Tensor, y: Tensor")
    assert run_text(text, f32(2), f32(3)) == (ShapeValue((2,)), ShapeValue((3,)))


def test_S_10_S_11_shadowing_ends_with_the_scope() -> None:
    text = body(
        "let y = x; let z = if c { let x = add(y, y); x } else { x }; (x, z)",
        "x: Tensor, c: Tensor[(), bool]",
    )
    outer, inner = run_text(text, i32(3), np.asarray(True))
    assert (int(outer), int(inner)) == (3, 6)


def test_S_10_rebinding_makes_a_new_variable() -> None:
    assert run_text(
        body("let y = add(x, x); let f = fn () { y }; let y = multiply(y, y); (f(), y)", "x: Tensor"), i32(3)
    ) == (6, 36)


def test_S_21_underscore_binds_nothing() -> None:
    log = Log()
    assert run_text(body('let _ = extern "p1"(); let _ = extern "p2"(); ()'), packed=log.functions) == ()
    assert log.calls == ["p1", "p2"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('let f = extern "f"(); f(1)', "`Tensor[(1,), float32]` cannot be called"),
        ("invoke_closure(null_value(), ())", "`Object (NoneType)` cannot be called"),
    ],
)
def test_V_5_not_callable(text: str, message: str) -> None:
    diagnostic = diagnostic_of(body(text), packed={"f": lambda: f32(1)})
    assert (diagnostic.slug, diagnostic.message) == ("not-callable", message)


def test_V_12_prim_funcs_cannot_be_called() -> None:
    text = body("let f: Object = @relu; let t = (f,); let g = t[0]; g(x, x)", "x: Tensor", HEAD)
    assert failure_of(text, f32(2)).slug == "primfunc-call"


def test_arity_at_run_time() -> None:
    text = body(
        "let o: Object = @g; let f = match_cast(o, fn(Tensor) -> Tensor); f(x, x)",
        "x: Tensor",
        "def @g(a: Tensor) -> Tensor { a }",
    )
    failure = failure_of(text, f32(2))
    assert (failure.slug, failure.message) == ("arity", "@g takes 1 arguments, 2 are given")


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


# Depth.


DEEP = """
def @down(i: Tensor[(), int32]) -> Tensor[(), int32] { if i == 0 { 0 } else { @down(i - 1) } }
def @main(i: Tensor[(), int32]) -> Tensor[(), int32] { @down(i) }
"""


def test_X_11_recursion_is_not_bounded_by_pythons_stack() -> None:
    assert run_text(DEEP, i32(20_000)) == 0


@pytest.mark.slow
def test_X_11_a_hundred_thousand_calls() -> None:
    assert run_text(DEEP, i32(100_000)) == 0


def test_X_11_recursion_limit() -> None:
    diagnostic = diagnostic_of(DEEP, i32(500), max_calls=100)
    assert (diagnostic.slug, diagnostic.message) == ("recursion-limit", "recursion deeper than 100")
    assert text_at(DEEP, diagnostic) == "@down(i - 1)"
    assert "called from @down at line 2 (98 times)" in diagnostic.notes
    assert diagnostic.notes[-1] == "called from @main at line 3"
    assert run_text(DEEP, i32(98), max_calls=100) == 0


def test_X_11_deeply_nested_values_are_values() -> None:
    text = """
    def @nest(i: Tensor[(), int32], t: Object) -> Object { if i == 0 { t } else { @nest(i - 1, (t,)) } }
    def @main(i: Tensor[(), int32]) { @nest(i, ()) }
    """
    value, depth = run_text(text, i32(5_000)), 0
    while value:
        value, depth = value[0], depth + 1
    assert depth == 5_000


def test_X_11_deeply_nested_values_are_printed() -> None:
    text = """
    def @nest(i: Tensor[(), int32], t: Object) -> Object { if i == 0 { t } else { @nest(i - 1, (t,)) } }
    def @main(i: Tensor[(), int32]) { print(@nest(i, ())) }
    """
    written: list[str] = []
    assert run_text(text, i32(100_000), write=written.append) == ()
    assert written == ["(" * 100_001 + ")" * 100_001 + "\n"]


def test_X_11_deeply_nested_values_are_checked() -> None:
    # Values as deep as this need more than Python's own limit, which is back afterwards.
    info = "(" * 400 + "()" + ",)" * 400
    text = f"""
    def @nest(i: Tensor[(), int32], t: Object) -> Object {{ if i == 0 {{ t }} else {{ @nest(i - 1, (t,)) }} }}
    def @main(i: Tensor[(), int32]) {{ let t = match_cast(@nest(i, ()), {info}); t }}
    """
    session = session_of(text)
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(300)
    try:
        assert session.call("main", [i32(400)])
        assert sys.getrecursionlimit() == 300
    finally:
        sys.setrecursionlimit(before)


def test_X_11_code_of_the_host_keeps_its_own_limit() -> None:
    limits: list[int] = []
    before = sys.getrecursionlimit()
    run_text(body('extern "f"()'), packed={"f": lambda: limits.append(sys.getrecursionlimit())})
    assert limits == [before]
    assert sys.getrecursionlimit() == before


# Memory.


@pytest.mark.parametrize(
    "expression",
    [
        "zeros(shape(n, n), dtype=float32)",
        "ones(shape(n, n), dtype=float32)",
        "full(shape(n, n), 1.0)",
        "broadcast_to(x, shape(n, n))",
        "arange(0, n * n)",
        "eye(n, dtype=float32)",
        "add(expand_dims(x, axis=0), expand_dims(x, axis=1))",
        "matmul(expand_dims(x, axis=1), expand_dims(x, axis=0))",
        "outer(x, x)",
        "tile(x, repeats=[2000])",
        "repeat(x, repeats=2000, axis=0)",
        "nn.pad(x, pad_width=[0, 1000000])",
        "one_hot(const([1, 2]), 1.0, 0.0, depth=1000000)",
        "image.resize2d(reshape(x, shape(1, 1, n, 1)), shape(n, n))",
        'image.resize2d(reshape(x, shape(1, n, 1, 1)), shape(n, n), layout="NHWC")',
        "image.resize3d(reshape(x, shape(1, 1, n, 1, 1)), shape(n, n, n))",
        "image.affine_grid(zeros(shape(1, 2, 3), dtype=float32), shape(n, n))",
        "nn.adaptive_avg_pool2d(reshape(x, shape(1, 1, n, 1)), output_size=[10000])",
        "nn.conv2d(reshape(x, shape(1, 1, n, 1)), zeros(shape(1, 1, 1, 1), dtype=float32), padding=[10000])",
        "nn.max_pool1d(reshape(x, shape(1, 1, n)), pool_size=[3], padding=[0, 1000000])",
        'call_dps_packed(extern "f", ()) -> Tensor[(n, n), float32]',
        'const(file("big.npy"))',
    ],
)
def test_X_O5_out_of_memory(expression: str) -> None:
    text = body(expression, "x: Tensor[(n,), float32]")
    diagnostic = diagnostic_of(
        text,
        f32(1000),
        max_bytes=1 << 20,
        packed={"f": print},
        load_constant=lambda _path, _key: np.zeros((1000, 1000), np.float32),
    )
    assert diagnostic.slug == "out-of-memory"
    assert diagnostic.message.startswith("cannot allocate ")
    assert diagnostic.notes[0] == "the limit is 1048576 bytes for one tensor"


@pytest.mark.parametrize(
    ("statements", "name"),
    [
        ("let big = zeros(shape(n, n), dtype=float32); let y = sum(big); y", "big"),
        ("let big = match_cast(zeros(shape(n, n), dtype=float32), Tensor[(m, k), float32]); big", "big"),
        ("dataflow { let y = zeros(shape(n, n), dtype=float32); output y; } y", "y"),
    ],
)
def test_X_O5_the_binding_is_named(statements: str, name: str) -> None:
    text = body(statements, "x: Tensor[(n,), float32]")
    diagnostic = diagnostic_of(text, f32(1000), max_bytes=1 << 20)
    assert diagnostic.message == f"cannot allocate 4000000 bytes for `{name}`"


def test_X_O5_what_fits_is_allocated() -> None:
    assert run_text(
        body("zeros(shape(n, n), dtype=float32)", "x: Tensor[(n,), float32]"), f32(100)
    ).shape == (100, 100)


def test_X_O5_huge_sizes_are_refused_without_a_traceback() -> None:
    text = body("zeros(shape(9223372036854775807, 2), dtype=float32)")
    assert failure_of(text).slug == "out-of-memory"


# Failures and their places.


def test_RUN_5_chain_of_calls() -> None:
    text = """def @main(x: Object) {
  @outer(x)
}
def @outer(x: Object) {
  let f = fn (y: Object) {
    match_cast(y, Shape);
    ()
  };
  f(x)
}
"""
    diagnostic = diagnostic_of(text, f32(1))
    assert diagnostic.slug == "match-cast-failed"
    assert diagnostic.notes == ["called from @outer at line 9", "called from @main at line 2"]


def test_RUN_5_failures_in_a_prim_func() -> None:
    text = """prim_func @check(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
  for i in 0..n {
    assert X[i] > 0.0, "not positive";
    Y[i] = X[i];
  }
}
def @main(x: Tensor[(n,), float32]) {
  call_tir(@check, (x,)) -> Tensor[(n,), float32]
}
"""
    diagnostic = diagnostic_of(text, f32(2) - 1)
    assert (diagnostic.slug, diagnostic.message) == ("assertion-failed", "not positive")
    assert text_at(text, diagnostic).startswith("assert X[i] > 0.0")
    assert diagnostic.notes == ["shape variables: n = 2", "called from @main at line 8"]


def test_OP_9_operators_fail_at_their_call() -> None:
    text = body("let y = add(a, b); y", "a: Tensor, b: Tensor")
    diagnostic = diagnostic_of(text, f32(2), f32(3))
    assert diagnostic.slug == "op-runtime-shape"
    assert "add(a, b)" in text_at(text, diagnostic)
    assert (
        failure_of(body("floor_divide(a, b)", "a: Tensor, b: Tensor"), i32(1), i32(0)).slug
        == "op-runtime-value"
    )


def test_OP_9_floats_are_silent() -> None:
    assert np.isinf(run_text(body("divide(a, b)", "a: Tensor, b: Tensor"), f32(1) + 1, f32(1))).all()


def test_RUN_4_effects_before_a_failure_stay() -> None:
    written: list[str] = []
    text = body("print(1); match_cast(u, Shape); print(2); ()", "u: Object")
    failure_of(text, f32(1), write=written.append)
    assert written == ["1\n"]


def test_a_session_can_be_called_often() -> None:
    session = session_of(body("add(x, const(1))", "x: Tensor"))
    assert [int(session.call("main", [i32(i)])) for i in range(3)] == [1, 2, 3]  # type: ignore[call-overload]
