"""Operators of the runtime: closures, packed calls, printing, assertions: O.9, O.10."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest

from relax_lang import api
from relax_lang.values import ShapeValue
from tests.runtime.harness import (
    Mute,
    body,
    diagnostic_of,
    f32,
    failure_of,
    run_text,
)


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
