"""Packed functions: X.8, V.4, V.11, V.14, V.15, O.8, P.4."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

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
from tests.runtime.interpreter.called_prim_funcs import prims

ENGINES = ["compiled", "interpreter"]


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
