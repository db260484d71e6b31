"""Operators that call functions: O.1-O.8, X15.7, and closures."""

from __future__ import annotations

import pytest

from tests.check.infer.harness import found, in_body, info_of

TIR = """
prim_func @half(X: Buffer[(n * 2,), float32], N: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
  for i in 0..n { Y[i] = X[i * 2] + N[i]; }
}
prim_func @pair(X: Buffer[(n,), float32], Y: Buffer[(n,), float32], Z: Buffer[(n,), float32]) {
  for i in 0..n { Y[i] = X[i]; Z[i] = X[i]; }
}
def @half_of(a: Tensor[(n,), float32], b: Tensor[(n * 2,), float32]) -> Tensor[(n,), float32] { a }
prim_func @fill(Y: Buffer[(k,), float32], k: int64) {
  for i in 0..k { Y[i] = 1.0; }
}
"""
OUT = "Tensor[(2, 3), float32]"


def call(
    text: str, params: str = "v: Tensor[(n,), float32], w: Tensor[(n * 2,), float32], u: Tensor"
) -> list[tuple[str, str]]:
    return found(f"def @main({params}) {{ {text} }}{TIR}")


def test_O_1_O_7_the_new_tensor() -> None:
    assert info_of(f"call_tir(@relu, (x,)) -> {OUT}") == OUT
    assert in_body(f"call_tir(@nope, (x,)) -> {OUT}") == [("undefined-global", "@nope")]
    assert in_body(f"call_tir(@g, (x,)) -> {OUT}") == [("not-a-primfunc", "@g")]


@pytest.mark.parametrize("result", ["", " -> Tensor[ndim=2, float32]", " -> Tensor[(2, 3)]", " -> Object"])
def test_O_2_incomplete_results(result: str) -> None:
    text = f"call_tir(@relu, (x,)){result}"
    assert in_body(text) == [("call-tir-output-incomplete", text)]
    text = f'call_dps_packed(extern "f", (x,)){result}'  # O.8
    assert in_body(text) == [("call-tir-output-incomplete", text)]


def test_O_3_counts() -> None:
    text = "call_tir(@pair, (v,)) -> (Tensor[(n,), float32], Tensor[(n,), float32])"
    assert call(text) == []
    text = "call_tir(@pair, (v,)) -> Tensor[(n,), float32]"
    assert call(text) == [("call-tir-arguments", text)]


def test_O_4_scalars() -> None:
    assert call("call_tir(@fill, (), shape(n)) -> Tensor[(n,), float32]") == []
    assert call("call_tir(@fill, (), shape(n)) -> Tensor[(n + 1,), float32]") == [
        ("call-tir-output-mismatch", "Tensor[(n + 1,), float32]")
    ]
    assert call("call_tir(@fill, (), shape(n, n)) -> Tensor[(n,), float32]") == [
        ("call-tir-arguments", "shape(n, n)")
    ]
    text = "call_tir(@fill, ()) -> Tensor[(n,), float32]"
    assert call(text) == [("call-tir-arguments", text)]
    assert call("call_tir(@fill, (), v) -> Tensor[(n,), float32]") == [("op-argument", "v")]
    assert call("call_tir(@fill, (), shape_of(u)) -> Tensor[(n,), float32]") == []


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        ("x", []),
        ("const([[1, 2, 3], [4, 5, 6]])", [("call-tir-arguments", "const([[1, 2, 3], [4, 5, 6]])")]),
        ("const([1.0])", [("call-tir-arguments", "const([1.0])")]),
        ("sh", [("call-tir-arguments", "sh")]),
        ("y4", [("call-tir-output-mismatch", OUT)]),
        ("r2", [("possibly-incompatible", "r2")]),
        ("u", [("needs-match-cast", "u")]),
        ("o", [("needs-match-cast", "o")]),
        ("nope", [("undefined-variable", "nope")]),
    ],
)
def test_O_6_arguments_against_buffers(argument: str, expected: list[tuple[str, str]]) -> None:
    assert in_body(f"call_tir(@relu, ({argument},)) -> {OUT}") == expected


def test_O_6_dimensions_are_bound_by_arguments_first() -> None:
    assert call("call_tir(@half, (w, v)) -> Tensor[(n,), float32]") == []
    assert call("call_tir(@half, (v, v)) -> Tensor[(n,), float32]") == [("possibly-incompatible", "v")]
    assert call("call_tir(@half, (const([1.0, 2.0, 3.0]), const([1.0]))) -> Tensor[(1,), float32]") == [
        ("call-tir-arguments", "const([1.0, 2.0, 3.0])")
    ]


def test_O_6_results() -> None:
    assert call("call_tir(@pair, (v,)) -> (Tensor[(n,), float32], Tensor[(n + 1,), float32])") == [
        ("call-tir-output-mismatch", "Tensor[(n + 1,), float32]")
    ]
    assert call("call_tir(@pair, (v,)) -> (Tensor[(n,), float32], Tensor[(n,), int32])") == [
        ("call-tir-output-mismatch", "Tensor[(n,), int32]")
    ]


def test_X15_7_the_arguments_are_written_out() -> None:
    assert in_body(f"let a = (x,); call_tir(@relu, a) -> {OUT}") == [("op-argument", "a")]
    assert in_body(f"call_tir(@relu, x) -> {OUT}") == [("op-argument", "x")]


def test_O_8_call_dps_packed() -> None:
    assert (
        info_of('call_dps_packed(extern "my.tile", (x,)) -> Tensor[(2, 6), float32]')
        == "Tensor[(2, 6), float32]"
    )
    assert in_body("call_dps_packed(@g, (x,)) -> Tensor[(2, 6), float32]") == [("op-argument", "@g")]
    assert in_body("call_dps_packed(o, (x,)) -> Tensor[(2, 6), float32]") == [("needs-match-cast", "o")]


def test_call_tir_inplace() -> None:
    assert in_body(f"call_tir_inplace(@clear, (x,), inplace_indices=0) -> {OUT}") == [
        ("undefined-global", "@clear")
    ]
    text = f"call_tir_inplace(@relu, (x, x), inplace_indices={{}}) -> {OUT}"
    assert in_body(text.format("0")) == []
    assert in_body(text.format("5")) == [("op-attribute", "inplace_indices=5")]
    assert in_body(text.format("[0, 1]")) == [("op-attribute", "inplace_indices=[0, 1]")]
    wrong = "call_tir_inplace(@relu, (x, x), inplace_indices=0) -> Tensor[(2, 4), float32]"
    assert in_body(wrong) == [("call-tir-output-mismatch", "Tensor[(2, 4), float32]")]


def test_closures() -> None:
    assert info_of("make_closure(@g, (x,))") == "Object"
    assert in_body("make_closure(@g, (sh,))") == [("argument-mismatch", "sh")]
    assert in_body("make_closure(@g, (x, x))") == [("arity", "make_closure(@g, (x, x))")]
    assert in_body("make_closure(x, ())") == [("op-argument", "x")]
    assert in_body("make_closure(@two, (sh,))") == [("argument-mismatch", "sh")]
    assert call("make_closure(@half_of, (w,))") == []  # n is open until the first argument is given
    assert call("make_closure(@half_of, (const([1.0, 2.0, 3.0]),))") == [
        ("argument-mismatch", "const([1.0, 2.0, 3.0])")
    ]
    assert info_of("invoke_closure(make_closure(@g, (x,)), ()) -> Tensor") == "Tensor"
    assert info_of("invoke_closure(o, (x,))") == "Object"
    assert info_of("invoke_pure_closure(@g, (x,))") == "Tensor[(3, 2), float32]"
    assert in_body("invoke_closure(x, (x,))") == [("op-argument", "x")]
    assert in_body("invoke_closure(@g, (sh,))") == [("argument-mismatch", "sh")]


def test_packed_calls_through_operators() -> None:
    assert info_of('call_pure_packed(extern "f", x) -> Tensor') == "Tensor"
    assert info_of('call_pure_packed(extern "f", x)') == "Object"
    assert in_body("call_pure_packed(@g, x) -> Tensor") == [("op-argument", "@g")]


TAKES = 'call_inplace_packed(extern "f", x, c, o, inplace_indices={}) -> {}'


@pytest.mark.parametrize(
    ("indices", "result"),
    [
        ("3", OUT),
        ("-2", OUT),
        ("-1", OUT),
        ("[]", OUT),
        ("[0, 0]", f"({OUT}, {OUT})"),
        ("[-1, -1]", f"({OUT}, {OUT})"),
        ("[0, 1]", OUT),
        ("0", f"({OUT}, {OUT})"),
    ],
)
def test_O_6_call_inplace_packed_names_its_arguments(indices: str, result: str) -> None:
    text = TAKES.format(indices, result)
    assert in_body(text) == [("op-attribute", f"inplace_indices={indices}")]


def test_O_6_call_inplace_packed_results_fit_their_arguments() -> None:
    assert in_body(TAKES.format("0", OUT)) == []
    assert in_body(TAKES.format("[0, -1]", f"({OUT}, Tensor)")) == []
    assert in_body(TAKES.format("0", "Tensor[(2, 4), float32]")) == [
        ("call-tir-output-mismatch", "Tensor[(2, 4), float32]")
    ]
    assert in_body(TAKES.format("1", "Tensor[(), float32]")) == [
        ("call-tir-output-mismatch", "Tensor[(), float32]")
    ]
    assert in_body(TAKES.format("2", OUT)) == [("needs-match-cast", "o")]
    possibly = 'call_inplace_packed(extern "f", s, inplace_indices=0) -> Tensor[(2, 3), float32]'
    assert in_body(possibly) == [("possibly-incompatible", "s")]
    assert in_body('call_inplace_packed(extern "f", x, inplace_indices=1)') == [
        ("op-attribute", "inplace_indices=1")
    ]
    assert in_body("call_inplace_packed(@g, x, inplace_indices=0)") == [("op-argument", "@g")]


def test_O_6_call_tir_inplace_takes_over_something() -> None:
    text = f"call_tir_inplace(@relu, (x,), inplace_indices=-1) -> {OUT}"
    assert in_body(text) == [("op-attribute", "inplace_indices=-1")]


def test_G_31_result_annotations_of_calls_of_variables_have_no_effect() -> None:
    text = "def @main(f: fn(Tensor) -> Tensor, p: PackedFunc, x: Tensor) { CALL }"
    assert found(text.replace("CALL", f"f(x) -> {OUT}")) == [("type-args-ignored", OUT)]
    assert found(text.replace("CALL", f"let g = fn (a: Tensor) -> Tensor {{ a }}; g(x) -> {OUT}")) == [
        ("type-args-ignored", OUT)
    ]
    assert found(text.replace("CALL", f"p(x) -> {OUT}")) == []
    assert found(text.replace("CALL", f'extern "f"(x) -> {OUT}')) == []
