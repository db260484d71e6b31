"""Calls into PrimFuncs, packed functions and operators of the runtime: O.*, X.8, V.10-V.15, P.4."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

from relax_lang import api
from relax_lang.runtime.calling.packed import register_packed_func
from relax_lang.runtime.interpreter.machine import Interrupted
from relax_lang.values import Closure, PackedFunc, ShapeValue
from tests.runtime.harness import (
    HEAD,
    Mute,
    body,
    diagnostic_of,
    f32,
    failure_of,
    run_text,
    session_of,
    text_at,
)

ENGINES = ["compiled", "interpreter"]

PRIMS = (
    HEAD
    + """
prim_func @two(X: Buffer[(n,), float32], A: Buffer[(n,), float32], B: Buffer[(), float32]) {
  for i in 0..n { A[i] = X[i] + 1.0; }
  B[()] = 7.0;
}
prim_func @scale(X: Buffer[(n,), int64], Y: Buffer[(n,), int64], k: int64, b: int32) {
  for i in 0..n { Y[i] = X[i] * k + cast(b, int64); }
}
prim_func @half(X: Buffer[(n * 2,), float32], Y: Buffer[(n,), float32]) {
  for i in 0..n { Y[i] = X[i] + X[i + n]; }
}
prim_func @bump(X: Buffer[(n,), float32]) { for i in 0..n { X[i] += 1.0; } }
private prim_func @hidden(X: Buffer[(n,), float32]) { for i in 0..n { X[i] = 0.0; } }
prim_func @outside(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) { call_extern("my.copy", X, Y, n); }
"""
)


def prims(statements: str, params: str = "") -> str:
    return body(statements, params, PRIMS)


@pytest.mark.parametrize("engine", ENGINES)
def test_O_1_O_7_call_tir_returns_a_new_tensor(engine: str) -> None:
    text = prims("call_tir(@relu, (x,)) -> Tensor[(n, m), float32]", "x: Tensor[(n, m), float32]")
    x = f32(2, 3) - 2
    result = run_text(text, x, engine=engine)
    assert result.tolist() == [[0, 0, 0], [1, 2, 3]]
    assert result is not x
    assert x[0, 0] == -2


@pytest.mark.parametrize("engine", ENGINES)
def test_O_3_several_results(engine: str) -> None:
    text = prims(
        "call_tir(@two, (x,)) -> (Tensor[(3,), float32], Tensor[(), float32])", "x: Tensor[(3,), float32]"
    )
    first, second = run_text(text, f32(3), engine=engine)
    assert first.tolist() == [1, 2, 3]
    assert (second.shape, float(second)) == ((), 7.0)


def test_O_3_a_tuple_of_one_is_a_tuple() -> None:
    text = prims("call_tir(@half, (x,)) -> (Tensor[(2,), float32],)", "x: Tensor[(4,), float32]")
    (result,) = run_text(text, f32(4))
    assert result.tolist() == [2, 4]


@pytest.mark.parametrize("engine", ENGINES)
def test_O_4_trailing_scalars(engine: str) -> None:
    text = prims("call_tir(@scale, (x,), shape(n, n + 1)) -> Tensor[(n,), int64]", "x: Tensor[(n,), int64]")
    assert run_text(text, np.arange(3), engine=engine).tolist() == [4, 7, 10]


def test_O_4_number_of_scalars() -> None:
    text = prims("call_tir(@scale, (x,), shape(n)) -> Tensor[(n,), int64]", "x: Tensor[(n,), int64]")
    diagnostic = diagnostic_of(text, np.arange(3))
    assert diagnostic.slug == "call-tir-arguments"
    assert diagnostic.message == "@scale has 2 scalar parameters, the call gives 1"
    assert text_at(text, diagnostic) == "shape(n)"


def test_O_2_the_shape_may_be_a_variable() -> None:
    text = prims(
        "let s = shape_of(x); call_tir(@relu, (x,)) -> Tensor[s, float32]", "x: Tensor[ndim=2, float32]"
    )
    assert run_text(text, f32(2, 3)).shape == (2, 3)


def test_X15_7_the_arguments_may_be_any_tuple_when_run() -> None:
    text = prims("let t = (x,); call_tir(@relu, t) -> Tensor[(2, 3), float32]", "x: Tensor")
    assert run_text(text, f32(2, 3)).shape == (2, 3)


@pytest.mark.parametrize(
    ("call", "value", "message", "marked"),
    [
        (
            "call_tir(@relu, (x,)) -> Tensor[(2, 3), float32]",
            np.zeros((2, 3), np.int32),
            (
                "the argument is `Tensor[(2, 3), int32]` but buffer `X` of @relu is `Buffer[(n, m), float32]`: "
                "dtype: expected float32, found int32"
            ),
            "x",
        ),
        (
            "call_tir(@relu, (x,)) -> Tensor[(2, 3), float32]",
            f32(2),
            (
                "the argument is `Tensor[(2,), float32]` but buffer `X` of @relu is `Buffer[(n, m), float32]`: "
                "rank: expected 2, found 1"
            ),
            "x",
        ),
        (
            "call_tir(@half, (x,)) -> Tensor[(2,), float32]",
            f32(5),
            (
                "the argument is `Tensor[(5,), float32]` but buffer `X` of @half is `Buffer[(n * 2,), float32]`: "
                "dimension 0: expected n * 2 = 4, found 5"
            ),
            "x",
        ),
        (
            "call_tir(@relu, (x,)) -> Tensor[(2, 3), float32]",
            ShapeValue((2, 3)),
            (
                "the argument is `shape(2, 3)` but buffer `X` of @relu is `Buffer[(n, m), float32]`: "
                "expected a tensor, found a shape"
            ),
            "x",
        ),
        (
            "call_tir(@two, (x,)) -> Tensor[(3,), float32]",
            f32(3),
            "@two has 3 buffers, the call gives 2",
            "call_tir(@two, (x,)) -> Tensor[(3,), float32]",
        ),
    ],
)
def test_O_6_arguments(call: str, value: object, message: str, marked: str) -> None:
    text = prims(call, "x: Object")
    diagnostic = diagnostic_of(text, value)
    assert (diagnostic.slug, diagnostic.message) == ("call-tir-arguments", message)
    assert text_at(text, diagnostic) == marked


def test_O_6_arguments_bind_before_results() -> None:
    text = prims("call_tir(@relu, (x,)) -> Tensor[(n, m + 1), float32]", "x: Tensor[(n, m), float32]")
    diagnostic = diagnostic_of(text, f32(2, 3))
    assert diagnostic.slug == "call-tir-output-mismatch"
    assert diagnostic.message == (
        "result is declared `Tensor[(n, m + 1), float32]` but buffer `Y` of @relu is `Buffer[(n, m), float32]`: "
        "dimension 1: expected m = 3, found 4"
    )
    assert text_at(text, diagnostic) == "Tensor[(n, m + 1), float32]"
    assert diagnostic.notes[0] == "with its numbers the declared shape is (2, 4)"


def test_O_6_dtype_of_a_result() -> None:
    text = prims("call_tir(@relu, (x,)) -> Tensor[(2, 3), float64]", "x: Tensor")
    assert failure_of(text, f32(2, 3)).message.endswith("dtype: expected float32, found float64")


@pytest.mark.parametrize(
    ("result", "shown"),
    [("Tensor[ndim=2, float32]", "Tensor[ndim=2, float32]"), ("Tensor[(2, 3)]", "Tensor[(2, 3)]")],
)
def test_O_2_the_result_must_be_complete(result: str, shown: str) -> None:
    text = prims(f"call_tir(@relu, (x,)) -> {result}", "x: Tensor")
    diagnostic = diagnostic_of(text, f32(2, 3))
    assert diagnostic.slug == "call-tir-output-incomplete"
    assert text_at(text, diagnostic) == shown


def test_V_9_negative_dimension_of_a_result() -> None:
    text = prims("call_tir(@half, (x,)) -> Tensor[(n - 9,), float32]", "x: Tensor[(n,), float32]")
    assert failure_of(text, f32(4)).slug == "negative-dimension"


def test_O_1_not_a_tuple_of_arguments() -> None:
    text = prims('let t = extern "f"(); call_tir(@relu, t) -> Tensor[(2, 3), float32]')
    failure = failure_of(text, packed={"f": lambda: f32(2, 3)})
    assert failure.slug == "op-argument"


def test_call_tir_inplace_takes_over_arguments() -> None:
    text = prims("call_tir_inplace(@bump, (x,), inplace_indices=0) -> Tensor[(3,), float32]", "x: Tensor")
    x = f32(3)
    assert run_text(text, x) is x
    assert x.tolist() == [1, 2, 3]
    mixed = prims(
        "call_tir_inplace(@two, (x,), inplace_indices=[-1, -1]) -> (Tensor[(3,), float32], Tensor[(), float32])",
        "x: Tensor",
    )
    assert failure_of(mixed, f32(3)).slug == "op-attribute"  # none is taken over: that is `call_tir`
    wrong = prims("call_tir_inplace(@bump, (x,), inplace_indices=4) -> Tensor[(3,), float32]", "x: Tensor")
    assert failure_of(wrong, f32(3)).slug == "op-attribute"


# Packed functions.


def test_X_8_packed_functions_are_called_by_name() -> None:
    assert run_text(
        body('extern "add1"(x)', "x: Tensor"), f32(2), packed={"add1": lambda x: x + 1}
    ).tolist() == [1, 2]


def test_X_8_registered_functions() -> None:
    @register_packed_func("test.runtime.double", pure=True)
    def double(x: Any) -> Any:
        return x * 2

    assert double(3) == 6
    assert run_text(body('extern "test.runtime.double"(x)', "x: Tensor"), f32(2)).tolist() == [0, 2]


def test_X_8_register_packed_func_needs_a_name() -> None:
    with pytest.raises(TypeError, match="write the name"):
        register_packed_func(print)  # type: ignore[arg-type]


def test_X_8_packed_functions_are_functions() -> None:
    nothing: Any = 3
    with pytest.raises(TypeError, match='"f" is not a function but int'):
        run_text(body("()"), packed={"f": nothing})
    with pytest.raises(TypeError, match='"f" is not a function but int'):
        register_packed_func("f")(nothing)


def test_X_8_looked_up_when_evaluated() -> None:
    text = body('if c { extern "no.such"(1) } else { 2 }', "c: Tensor[(), bool]")
    assert run_text(text, np.asarray(False)) == 2
    diagnostic = diagnostic_of(text, np.asarray(True), packed={"no.suck": print})
    assert (diagnostic.slug, diagnostic.message) == (
        "extern-not-found",
        'no packed function "no.such" is registered',
    )
    assert text_at(text, diagnostic) == 'extern "no.such"'
    assert diagnostic.help == 'did you mean "no.suck"?'


@pytest.mark.parametrize("engine", ENGINES)
def test_X_8_a_prim_func_is_found_under_its_name(engine: str) -> None:
    text = prims('let y = zeros(shape(2, 3), dtype=float32); extern "relu"(x, y); y', "x: Tensor")
    assert run_text(text, f32(2, 3) - 1, engine=engine).tolist() == [[0, 0, 1], [2, 3, 4]]
    wrong = prims('extern "relu"(x)', "x: Tensor")
    assert failure_of(wrong, f32(2, 3), engine=engine).slug == "arity"
    unfit = prims('extern "relu"(x, x)', "x: Tensor")
    assert failure_of(unfit, f32(2), engine=engine).slug == "argument-check-failed"


@pytest.mark.parametrize("engine", ENGINES)
def test_X_8_scalars_of_a_prim_func_are_scalar_tensors(engine: str) -> None:
    text = prims('let y = zeros(shape(2), dtype=int64); extern "scale"(x, y, 3, 1); y', "x: Tensor")
    assert run_text(text, np.arange(2), engine=engine).tolist() == [1, 4]


@pytest.mark.parametrize(
    ("arguments", "slug", "message"),
    [
        ("x", "arity", "@relu takes 2 arguments, 1 are given"),
        (
            "x, shape(2)",
            "argument-check-failed",
            "parameter `Y` of @relu does not match `Buffer[(n, m), float32]`: expected a tensor, found a shape",
        ),
        (
            "x, zeros(shape(2, 4), dtype=float32)",
            "argument-check-failed",
            (
                "parameter `Y` of @relu does not match `Buffer[(n, m), float32]`: "
                "dimension 1: expected m = 3, found 4"
            ),
        ),
    ],
)
def test_X_8_Z_7_arguments_of_a_prim_func_that_is_called_by_name(
    arguments: str, slug: str, message: str
) -> None:
    text = body(f'extern "relu"({arguments})', "x: Tensor", HEAD)
    diagnostic = diagnostic_of(text, f32(2, 3))
    assert (diagnostic.slug, diagnostic.message) == (slug, message)
    assert text_at(text, diagnostic) == f'extern "relu"({arguments})'


@pytest.mark.parametrize("value", [Mute(), "text", np.zeros(3, np.int64), 2.5, ()])
def test_X_8_a_scalar_of_a_prim_func_that_is_no_number(value: object) -> None:
    head = "prim_func @fill(Y: Buffer[(n,), int64], k: int64) { for i in 0..n { Y[i] = k; } }"
    text = body('extern "fill"(zeros(shape(3), dtype=int64), extern "f"())', head=head)
    diagnostic = diagnostic_of(text, packed={"f": lambda: value})
    assert diagnostic.slug == "argument-check-failed"
    assert diagnostic.message.startswith("parameter `k` of @fill does not match `int64`: expected a number")


def test_X_8_a_private_prim_func_is_not() -> None:
    assert failure_of(prims('extern "hidden"(x)', "x: Tensor"), f32(2)).slug == "extern-not-found"


def test_X_8_exceptions_become_extern_failed() -> None:
    def broken(_: object) -> None:
        raise ValueError("out of\n luck")

    text = body('extern "broken"(x)', "x: Tensor")
    failure = failure_of(text, f32(2), packed={"broken": broken})
    assert failure.message == 'packed function "broken" failed: ValueError: out of luck'
    assert isinstance(failure.__cause__, ValueError)
    assert diagnostic_of(text, f32(2), packed={"broken": broken}).slug == "extern-failed"


@pytest.mark.parametrize("error", [SystemExit(3), GeneratorExit(), MemoryError(), RecursionError("deep")])
def test_X_8_whatever_a_packed_function_raises_ends_the_program(error: BaseException) -> None:
    def fail() -> None:
        raise error

    failure = failure_of(body('extern "f"()'), packed={"f": fail})
    assert failure.slug == "extern-failed"
    assert failure.message.startswith(f'packed function "f" failed: {type(error).__name__}')


def test_X_8_an_exception_without_words() -> None:
    class WordlessError(Exception):
        __str__ = Mute.__str__

    def fail() -> None:
        raise WordlessError

    failure = failure_of(body('extern "f"()'), packed={"f": fail})
    assert failure.message == 'packed function "f" failed: WordlessError'


def test_X_8_an_interrupt_goes_through() -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_text(body('extern "f"()'), packed={"f": interrupted})


def test_an_interrupt_between_two_steps_has_a_place() -> None:
    session = session_of("def @main() { @other() }\ndef @other() { 1 }", engine="interpreter")
    machine = session._machine
    activate = machine.activate

    def stopped(*words: Any) -> Any:
        made = activate(*words)
        steps = made.steps

        class Steps:
            def send(self, _: object) -> object:
                raise KeyboardInterrupt

        made.steps = Steps() if words[1].name == "other" else steps
        return made

    machine.activate = stopped
    try:
        with pytest.raises(Interrupted) as caught:
            session.call("main")
    finally:
        machine.activate = activate
    diagnostic = session.diagnose(caught.value.failure)
    assert diagnostic.slug == "interrupted"
    assert diagnostic.pos == 14


@pytest.mark.parametrize("engine", ENGINES)
def test_TIR_19_prim_funcs_call_packed_functions(engine: str) -> None:
    def copy(x: Any, y: Any, n: Any) -> None:
        assert int(n) == 2
        y[...] = x

    text = prims("call_tir(@outside, (x,)) -> Tensor[(2,), float32]", "x: Tensor")
    assert run_text(text, f32(2), packed={"my.copy": copy}, engine=engine).tolist() == [0, 1]
    assert failure_of(text, f32(2), engine=engine).slug == "extern-not-found"


def test_V_14_what_packed_functions_get() -> None:
    seen: list[object] = []
    handle = object()
    text = body(
        'let f = fn () { 1 }; extern "see"(x, shape(2), (x, ()), f, extern "see", h); ()',
        "x: Tensor, h: Object",
    )
    x = f32(2)
    run_text(text, x, handle, packed={"see": lambda *values: seen.extend(values)})
    assert seen[0] is x
    assert seen[1] == ShapeValue((2,))
    assert seen[2] == (x, ())
    assert isinstance(seen[3], Closure)
    assert isinstance(seen[4], PackedFunc)
    assert seen[5] is handle


def test_V_14_rank_zero_stays_an_array() -> None:
    seen: list[object] = []
    run_text(body('extern "see"(1); ()'), packed={"see": seen.append})
    assert isinstance(seen[0], np.ndarray)
    assert seen[0].shape == ()


def test_V_14_subclasses_of_arrays_are_plain_arrays_in_the_same_memory() -> None:
    class Odd(np.ndarray):
        def __array_ufunc__(self, *_args: Any, **_options: Any) -> Any:
            raise AssertionError("operators work on plain arrays")

    odd = f32(2).view(Odd)
    value = run_text(body('let m = extern "f"(); add(m, m)'), packed={"f": lambda: odd})
    assert value.tolist() == [0, 2]
    same = run_text(body('extern "f"()'), packed={"f": lambda: odd})
    assert type(same) is np.ndarray
    assert np.shares_memory(same, odd)


def test_V_14_foreign_byte_order_is_ours_from_then_on() -> None:
    value = run_text(
        body('add(extern "f"(), const([1, 2], int32))'), packed={"f": lambda: np.array([1, 2], ">i4")}
    )
    assert value.tolist() == [2, 4]


def test_V_4_none_is_the_unit() -> None:
    assert run_text(body('let e: () = extern "f"(); e'), packed={"f": lambda: None}) == ()
    assert run_text(body('extern "f"()'), packed={"f": lambda: (None, f32(1))})[0] == ()


def test_V_14_numpy_scalars_become_tensors() -> None:
    result = run_text(body('extern "f"() -> Tensor[(), float32]'), packed={"f": lambda: np.float32(2)})
    assert isinstance(result, np.ndarray)
    assert (result.shape, result.dtype.name) == ((), "float32")


@pytest.mark.parametrize("value", [f32(1), ShapeValue((1,)), (f32(1),), object(), "text", [1], 3])
def test_V_11_V_15_without_a_claim_everything_passes_unchanged(value: object) -> None:
    assert run_text(body('extern "f"()'), packed={"f": lambda: value}) is value


@pytest.mark.parametrize(
    ("claim", "value", "found"),
    [
        ("Tensor", [1, 2], "list"),
        ("Tensor", 3, "int"),
        ("Tensor[(2,), float32]", (one for one in [1]), "generator"),
        ("Shape", "text", "str"),
        ("fn(Tensor) -> Tensor", len, "builtin_function_or_method"),
        ("(Tensor, Tensor)", (f32(1), [1]), "tuple of (float32 array, list)"),
        ("Tensor", np.zeros(2, complex), "complex128 array"),
    ],
)
def test_V_15_unsupported_results(claim: str, value: object, found: str) -> None:
    text = body(f'extern "f"() -> {claim}')
    diagnostic = diagnostic_of(text, packed={"f": lambda: value})
    assert diagnostic.slug == "unsupported-packed-result"
    assert diagnostic.message == f'packed function "f" returned a {found}, which is not a value of {claim}'


def test_V_15_D_14_a_claim_is_not_checked_otherwise() -> None:
    value = f32(3)
    assert run_text(body('extern "f"() -> Tensor[(2,), float32]'), packed={"f": lambda: value}) is value
    checked = body('let y: Tensor[(2,), float32] = extern "f"() -> Tensor[(2,), float32]; y')
    assert failure_of(checked, packed={"f": lambda: value}).slug == "annotation-check-failed"


def test_P_4_pure_is_only_a_claim() -> None:
    text = body('dataflow { let g = extern "f"(x, pure=true); output g; } g', "x: Tensor")
    assert run_text(text, f32(2), packed={"f": lambda x: x + 1}).tolist() == [1, 2]


def test_O_8_call_dps_packed() -> None:
    def tile(x: Any, y: Any) -> None:
        y[...] = np.tile(x, 2)
        x[...] = 9

    text = body(
        'call_dps_packed(extern "tile", (x,)) -> Tensor[(n * 2,), float32]', "x: Tensor[(n,), float32]"
    )
    x = f32(2)
    assert run_text(text, x, packed={"tile": tile}).tolist() == [0, 1, 0, 1]
    assert x.tolist() == [9, 9]


def test_O_8_a_result_that_was_given_another_shape() -> None:
    def turn(_: Any, y: Any) -> None:
        y.resize((3, 2), refcheck=False)

    text = body('call_dps_packed(extern "turn", (x,)) -> Tensor[(2, 3), float32]', "x: Tensor")
    diagnostic = diagnostic_of(text, f32(1), packed={"turn": turn})
    assert diagnostic.slug == "call-tir-output-mismatch"
    assert diagnostic.message == (
        'result is declared `Tensor[(2, 3), float32]` but "turn" made it `Tensor[(3, 2), float32]`'
    )


@pytest.mark.parametrize(
    "called",
    [
        'extern "strict"(x, x) -> Tensor[(n,), float32]',
        'call_pure_packed(extern "strict", x, x) -> Tensor[(n,), float32]',
        'call_dps_packed(extern "strict", (x,)) -> Tensor[(n,), float32]',
    ],
)
def test_X_8_packed_functions_do_not_change_how_numpy_treats_infinities(called: str) -> None:
    def strict(x: Any, y: Any) -> Any:
        np.seterr(all="raise")
        y[...] = x
        return y

    text = body(f"let y = {called}; divide(x, y - y)", "x: Tensor[(n,), float32]")
    assert run_text(text, f32(2) + 1, packed={"strict": strict}).tolist() == [np.inf, np.inf]


def test_O_8_the_callee_must_be_packed() -> None:
    text = body("let f: Object = x; call_dps_packed(f, ()) -> Tensor[(2,), float32]", "x: Tensor")
    assert failure_of(text, f32(1)).slug == "op-argument"


# Operators that the runtime evaluates.


def test_invoke_and_make_closure() -> None:
    text = """
    def @f(a: Tensor, b: Tensor, c: Tensor) -> Tensor { add(a, multiply(b, c)) }
    def @main() {
      let g = make_closure(@f, (const(1), const(2)));
      let h = make_closure(g, (const(5),));
      (invoke_closure(g, (const(3),)) -> Tensor, invoke_pure_closure(h, ()) -> Tensor)
    }
    """
    first, second = run_text(text)
    assert (int(first), int(second)) == (3 + 1 * 2, 5 + 1 * 2)  # the last parameters, as TVM does


def test_make_closure_binds_what_lambda_lifting_appends() -> None:
    text = """
    def @lifted(y: Tensor[(n,), float32], x: Tensor[(n,), float32], s: Shape[(n,)]) -> Tensor[(n,), float32] {
      y - x
    }
    def @main(x: Tensor[(n,), float32], y: Tensor[(n,), float32]) -> Tensor[(n,), float32] {
      let inner = make_closure(@lifted, (x, shape(n)));
      invoke_pure_closure(inner, (y,)) -> Tensor[(n,), float32]
    }
    """
    assert api.check(text).diagnostics == []
    assert run_text(text, f32(2), f32(2) * 5).tolist() == [0, 4]


def test_make_closure_faults() -> None:
    assert failure_of(body("make_closure(x, ())", "x: Tensor"), f32(1)).slug == "op-argument"
    text = "def @f(a: Tensor) { a }\ndef @main() { let g = make_closure(@f, (1, 2)); invoke_closure(g, ()) }"
    assert failure_of(text).slug == "arity"


def test_call_pure_packed_and_inplace_packed() -> None:
    text = body('call_pure_packed(extern "f", x, 1) -> Tensor', "x: Tensor")
    assert run_text(text, f32(2), packed={"f": lambda x, one: x + one}).tolist() == [1, 2]

    def bump(x: Any) -> None:
        x += 1

    text = body(
        'call_inplace_packed(extern "bump", x, inplace_indices=0) -> Tensor[(2,), float32]', "x: Tensor"
    )
    x = f32(2)
    assert run_text(text, x, packed={"bump": bump}) is x
    assert x.tolist() == [1, 2]


@pytest.mark.parametrize(
    ("call", "line"),
    [
        ("print(x)", "[0. 1.]\n"),
        ("print(x, shape(2, 3), ())", "[0. 1.] (2, 3) ()\n"),
        ('print(1, 2, format="{} then {}")', "1 then 2\n"),
        ('print(1, 2, format="{1}{0:>3}")', "2  1\n"),
        ("print()", "\n"),
    ],
)
def test_O_10_print_writes_where_it_is_told(call: str, line: str) -> None:
    written: list[str] = []
    assert run_text(body(call, "x: Tensor"), f32(2), write=written.append) == ()
    assert written == [line]


def test_O_10_print_goes_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    run_text(body("print(1)"))
    assert capsys.readouterr().out == "1\n"


@pytest.mark.parametrize(
    "pattern",
    [
        "{} {}",
        "{",
        "{0.__class__}",
        "{0[0]}",
        "{name}",
        "{:>99999999}",
        "{:.99999999}",
        "{:{:>99999999}}",
        "{:d}",
    ],
)
@pytest.mark.parametrize("call", ["print(1, ", "assert_op(false, 1, "])
def test_O_10_a_bad_format_is_a_failure(call: str, pattern: str) -> None:
    assert failure_of(body(f'{call}format="{pattern}")')).slug == "op-runtime-value"


@pytest.mark.parametrize("value", [Mute(), np.array([Mute()], object)])
def test_O_10_objects_that_cannot_be_shown_are_named(value: object) -> None:
    written: list[str] = []
    run_text(body('print(extern "f"())'), packed={"f": lambda: value}, write=written.append)
    assert written == [f"<{type(value).__name__}>\n"]


def test_O_10_print_to_a_stream_that_cannot_encode_it(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), "ascii")
    monkeypatch.setattr("sys.stdout", stream)
    run_text(body('print(1, format="π {}")'))
    stream.flush()
    assert stream.buffer.getvalue() == b"\\u03c0 1\n"  # pyright: ignore[reportAttributeAccessIssue]


def test_O_10_assert_op() -> None:
    assert run_text(body("assert_op(c)", "c: Tensor"), np.asarray(True)) == ()
    text = body('assert_op(c, 3, format="x is {}")', "c: Tensor")
    diagnostic = diagnostic_of(text, np.asarray(False))
    assert diagnostic.slug == "assertion-failed"
    assert diagnostic.message == "x is 3"


def test_O_9_shape_of() -> None:
    assert run_text(body("shape_of(x)", "x: Tensor"), f32(2, 3)) == ShapeValue((2, 3))


def test_scalar_operands_are_evaluated() -> None:
    text = body("arange(0, n * 2, 2)", "x: Tensor[(n,), float32]")
    assert run_text(text, f32(3)).tolist() == [0, 2, 4]
    assert run_text(body("tril(x, k=-1)", "x: Tensor"), f32(2, 2)).tolist() == [[0, 0], [2, 0]]
    assert run_text(body("one_hot(x, 1.5, -0.5, depth=2)", "x: Tensor"), np.asarray([1])).tolist() == [
        [-0.5, 1.5]
    ]


def test_call_py_func_is_a_packed_call_that_promises_no_effect() -> None:
    text = body('call_py_func(extern "f", (x, 1.0)) -> Tensor[(2,), float32]', "x: Tensor")
    assert api.check(text).diagnostics == []
    assert run_text(text, f32(2), packed={"f": lambda x, one: x + one}).tolist() == [1, 2]

    def bump(x: Any, _one: Any) -> Any:
        x += 1
        return x

    assert failure_of(text, f32(2), packed={"f": bump}, strict_effects=True).slug == "wrote-its-argument"
    wrong = body("call_py_func(@f, (x,)) -> Tensor", "x: Tensor", "def @f(a: Tensor) -> Tensor { a }")
    assert [one.slug for one in api.check(wrong).diagnostics if one.severity == "error"] == ["op-argument"]


def test_O_8_call_builtin_with_ctx_calls_with_the_fields_of_the_tuple() -> None:
    text = body('call_builtin_with_ctx(extern "f", (x, 1.0)) -> Tensor[(2,), float32]', "x: Tensor").replace(
        "def @main", "impure def @main"
    )
    assert api.check(text).diagnostics == []
    assert run_text(text, f32(2), packed={"f": lambda x, one: x + one}).tolist() == [1, 2]
    unit = body('call_builtin_with_ctx(extern "f", (x,))', "x: Tensor").replace(
        "def @main", "impure def @main"
    )
    assert api.check(unit).diagnostics == []
    assert run_text(unit, f32(2), packed={"f": lambda x: x}) == ()
    assert failure_of(text, f32(2)).slug == "extern-not-found"


def test_O_1_a_local_view_is_the_whole_tensor() -> None:
    """There is one worker, so that `dist.call_tir_local_view` does what `call_tir` does."""
    twice = """prim_func @twice(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
      for i in 0..n { Y[i] = X[i] * 2.0; }
    }"""
    text = body(
        "dist.call_tir_local_view(@twice, (x,)) -> Tensor[(2,), float32]", "x: Tensor[(2,), float32]", twice
    )
    assert api.check(text).diagnostics == []
    assert run_text(text, f32(2)).tolist() == [0, 2]
    wrong = text.replace("-> Tensor[(2,)", "-> Tensor[(3,)")
    assert [one.slug for one in api.check(wrong).diagnostics if one.severity == "error"] != []


@pytest.mark.parametrize(
    "call",
    [
        *[f"{name}(x)" for name in ("grad.no_grad", "grad.start_checkpoint", "grad.end_checkpoint")],
        *[
            f"{name}(x)"
            for name in ("builtin.stop_lift_params", "memory.ensure_zero_offset", "ccl.allreduce")
        ],
        "wrap_param(x)",
        'dist.redistribute(x, device_mesh="m", placement="S[0]")',
    ],
)
def test_marks_leave_values_as_they_are(call: str) -> None:
    x = f32(2)
    assert run_text(body(call, "x: Tensor[(2,), float32]"), x) is x
