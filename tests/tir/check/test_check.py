"""The static checks of PrimFuncs: for each rule a program that keeps it and programs that break it."""

from __future__ import annotations

import re

import pytest

from relax_lang.syntax import tree
from relax_lang.tir.check.driver import analyse, check_prim_func
from relax_lang.tir.ir import intrinsics
from relax_lang.tir.ir.typing.context import Context
from relax_lang.tir.ir.typing.expression_types import infer_condition
from tests.edits import applied
from tests.tir.check.bodies import body, found, only
from tests.tir.support import checked, prim_func, slugs


def fixed(statements: str) -> str:
    """Apply the first fix of the one mistake of a body; return the new body."""
    text = body(statements)
    (diagnostic,) = check_prim_func(prim_func(text))
    text = applied(text, diagnostic.fixes[0])
    assert check_prim_func(prim_func(text)) == []
    return text[text.index("{ ") + 2 : -2]


@pytest.mark.parametrize(
    "statements", ["Y[cast(I[0], int64), k] = 1.0;", "for i in 0..k // 2 { Y[i % 3, 0] = 1.0; }"]
)
def test_TIR_4_indices_are_integers(statements: str) -> None:
    assert found(statements) == []


@pytest.mark.parametrize(
    "statements",
    [
        "Y[X[0, 0], 0] = 1.0;",
        "Y[k > 0, 0] = 1.0;",
        "for i in 0..S[()] { }",
        "for i in grid(1.5) { }",
        "alloc T: Buffer[(S[()],), float32];",
        "block b (v = spatial(S[()])) { }",
        "block b (v = spatial(k, 0..S[()])) { }",
    ],
)
def test_TIR_4_index_not_integer(statements: str) -> None:
    assert found(statements) == ["tir-index-not-integer"]


def test_TIR_4_indices_of_another_integer_type_are_cast() -> None:
    assert found("Y[I[0], 0] = 1.0;") == ["tir-dtype-mismatch"]
    assert fixed("Y[I[0], 0] = 1.0;") == "Y[cast(I[0], int64), 0] = 1.0;"


@pytest.mark.parametrize(
    "statements",
    [
        "Y[0, 0] = X[0, 0] * 2 + 0.5;",
        "Y[0, 0] = max(X[0, 0], 0);",
        "I[0] = 2 * I[0] - -2147483648;",
        "let v: float16 = 0.5; let w = v * 2;",
        "let v: int8 = -128;",
        "Y[0, 0] = 1;",
        "Y[0, 0] = cast(0.1, float64) > 0 && true == (k < 3) || !(1 > 2);".replace(
            "Y[0, 0] = ", "assert "
        ).replace(";", ', "";'),
        "Y[0, 0] = select(k > 0, 1, 2) * if_then_else(k > 0, 1, X[0, 0]);",
        "let v = 1 << 3; Y[v, 0] = exp(1);",
        "I[0] = cast(k, int32) | 3;",
        "Y[0, 0] = min_value(float32); I[0] = max_value(int32);",
        "Y[0, 0] += 1; Y[0, 0] -= X[0, 0]; Y[0, 0] *= 2;",
        "I[0] = int32(3); Y[0, 0] = float32(3);",
    ],
)
def test_TIR_5_types_that_agree(statements: str) -> None:
    assert found(statements) == []


@pytest.mark.parametrize(
    "statements",
    [
        "Y[0, 0] = X[0, 0] + I[0];",
        "I[0] = k;",
        "I[0] = 0.5;",
        "I[0] = I[0] + 0.5;",
        "Y[0, 0] += k;",
        "let v: int32 = k;",
        "let v: bool = 1;",
        'assert I[0] == k, "";',
        "Y[0, 0] = select(k > 0, X[0, 0], k);",
        "Y[0, 0] = true;",
        "Y[0, 0] = X[0, 0] & X[0, 0];",
        "Y[0, 0] = X[0, 0] << 1;",
        "Y[0, 0] = -(k > 0);",
        'assert (k > 0) + (k > 1) > 0, "";',
        "I[0] = ~X[0, 0];",
        "Y[0, 0] = exp(k);",
        "I[0] = popcount(X[0, 0]);",
        "Y[0, 0] = float16(0.5);",
        "let v = float16(0.5) + 0.1 * float32(2);",
        "let v = ldexp(X[0, 0], 0.5);",
        "let v = nextafter(float16(1), float16(2));",
    ],
)
def test_TIR_5_dtype_mismatch(statements: str) -> None:
    assert found(statements) == ["tir-dtype-mismatch"]


def test_TIR_5_the_cast_is_written() -> None:
    assert only("I[0] = k;").message == "expected int32, found int64"
    assert only("I[0] = I[0] + k;").message == "the operands are int32 and int64; one dtype is needed"
    assert fixed("Y[0, 0] = true;") == "Y[0, 0] = 1.0;"
    assert fixed("I[0] += false;") == "I[0] += 0;"
    assert fixed("I[0] = k;") == "I[0] = cast(k, int32);"
    assert fixed("Y[0, 0] = X[0, 0] + I[0];") == "Y[0, 0] = X[0, 0] + cast(I[0], float32);"
    assert fixed("Y[0, 0] = exp(k);") == "Y[0, 0] = exp(cast(k, float32));"


@pytest.mark.parametrize(
    ("statements", "message"),
    [("let v: int8 = 128;", "128 does not fit int8"), ("let v = uint8(3) - 256;", "256 does not fit uint8"),
     ("let v: uint8 = -1;", "-1 does not fit uint8"), ("let v = 9223372036854775808;", None),
     ("Y[0, 0] = 1e400;", "1e400 does not fit float32"), ("Y[0, 0] = X[0, 0] * -1e39;", "1e39 does not fit float32"),
     ("let v: float16 = 65520.5;", "65520.5 does not fit float16"),
     ("let v: float16 = 70000;", "70000 does not fit float16")],
)  # fmt: skip
def test_TIR_5_literals_fit(statements: str, message: str | None) -> None:
    diagnostic = only(statements)
    assert diagnostic.slug == "literal-does-not-fit"
    assert message is None or diagnostic.message == message


def test_TIR_5_infinities_and_the_largest_floats_fit() -> None:
    literals = (
        "let a: float16 = 65504.0; let b: float64 = 1e300; Y[0, 0] = inf; Y[0, 0] = -inf; Y[0, 0] = -3.4e38;"
    )
    assert found(literals) == []


def test_TIR_5_types_of_literals_are_recorded() -> None:
    analysis = analyse(checked(body("Y[0, 0] = X[0, 0] * 2 + select(k > 3, 1, 2);")))
    types = {node.value: dtype for node, dtype in analysis.types.items() if type(node).__name__ == "IntImm"}
    assert types == {0: "int64", 2: "float32", 3: "int64", 1: "float32"}


@pytest.mark.parametrize(
    "statements",
    ["if k { }", "while I[0] { }", "block b () where k { }", 'assert S[()], "";', "let v = select(k, 1, 2);",
     "let v = if_then_else(1, 1, 2);", "let v = k && k > 1;", "let v = !k;", "let v = k > 1 || 1.5;"],
)  # fmt: skip
def test_TIR_6_condition_not_bool(statements: str) -> None:
    assert found(statements) == ["tir-condition-not-bool"]


def test_TIR_6_conditions() -> None:
    assert found("let c = k > 0; if c && !(k == 3) { } while c { } block b () where c { }") == []


def test_TIR_7_intrinsics() -> None:
    assert found("Y[0, 0] = exp(X[0, 0]) + pow(X[0, 0], 2) + atan2(X[0, 0], 1.0);") == []
    assert found("Y[0, 0] = exq(X[0, 0]);") == ["tir-unknown-intrinsic"]
    one = only("Y[0, 0] = exq(X[0, 0]);")
    assert (one.message, one.help, one.fixes) == ("there is no intrinsic `exq`", "did you mean `exp`?", [])
    assert "`a // b`" in only("Y[0, 0] = floordiv(X[0, 0], 2);").help
    assert found("Y[0, 0] = exp(X[0, 0], 1.0);") == ["arity"]
    assert only("Y[0, 0] = max(X[0, 0]);").message == "`max` takes 2 arguments, 1 is given"
    assert found("Y[0, 0] = cast(X[0, 0], float32, 1);") == ["arity"]
    assert found("Y[0, 0] = atan2(X[0, 0]);") == ["arity"]
    assert found("Y[0, 0] = if_then_else(k > 0, 1.0);") == ["arity"]


@pytest.mark.parametrize(
    ("call", "written"),
    [
        ("floordiv(k, 2)", "(k // 2)"),
        ("floormod(k + 1, n)", "((k + 1) % n)"),
        ("bitwise_not(k)", "(~k)"),
        ("likely(k > 1)", "((k > 1))"),
        ("logical_and(k > 1, n > 2)", "((k > 1) && (n > 2))"),
        ("Select(k > 1, k, n)", "select(k > 1, k, n)"),
        ("astype(k, int32)", "cast(k, int32)"),
        ("relu(X[0, 0])", "max(X[0, 0], 0)"),
        ("fmax(X[0, 0], 0.5)", "max(X[0, 0], 0.5)"),
        ("clamp(X[0, 0] + 1.0, -1.0, 1.0)", "min(max(X[0, 0] + 1.0, -1.0), 1.0)"),
        ("square(X[0, 0])", "(X[0, 0] * X[0, 0])"),
        ("sqr(X[0, 0] - 1.0)", "((X[0, 0] - 1.0) * (X[0, 0] - 1.0))"),
        ("fma(X[0, 0], 2.0, -1.0)", "(X[0, 0] * 2.0 + (-1.0))"),
        ("sign(X[0, 0])", "select(X[0, 0] > 0, 1, select(X[0, 0] < 0, -1, 0))"),
        ("ceildiv(k, 4)", "((k + 4 - 1) // 4)"),
    ],
)
def test_TIR_7_other_notations_are_rewritten(call: str, written: str) -> None:
    assert found(f"let v = {call};") == ["tir-unknown-intrinsic"]
    assert fixed(f"let v = {call};") == f"let v = {written};"


@pytest.mark.parametrize("name", sorted(intrinsics.COMPOSED))
def test_TIR_7_what_is_composed_checks(name: str) -> None:
    template = intrinsics.COMPOSED[name]
    count = len(set(re.findall(r"\{(\w+)\}", template)))
    element = "I[0]" if name == "ceildiv" else "X[0, 0]"
    store = element.replace("X", "Y").replace("I[0]", "I[1]")
    text = f"{store} = {name}({', '.join([element] * count)});"
    assert found(text) == ["tir-unknown-intrinsic"]
    assert found(fixed(text)) == []


@pytest.mark.parametrize("name", ["sum", "mean", "dot"])
def test_TIR_7_sums_are_loops(name: str) -> None:
    one = only(f"Y[0, 0] = {name}(X);")
    assert (one.slug, one.fixes) == ("tir-unknown-intrinsic", [])
    assert one.help.startswith("a loop does this")


OUT = "prim_func @f(X: Buffer[(4, n), float32], Y: Buffer[(4,), float32]) {{ {} }}"


@pytest.mark.parametrize(
    "statements",
    [
        "for i in 0..4 { Y[i] = X[3 - i, 0]; }",
        "for i in 0..5 { if i < 4 { Y[i] = 1.0; } }",
        "for i in 0..5 { block b (v = spatial(i)) where v < 4 { Y[v] = 1.0; } }",
        "for i in 0..4 { Y[i] = if_then_else(i > 0, Y[i - 1], 0.0); }",
        'for i in 0..4 { assert i == 0 || Y[i - 1] > 0.0, ""; }',
        "Y[0] = X[0, 7];",
        "for i in 0..0 { Y[7 + i] = 1.0; }",
        "for i in 0..4 { Y[i - i] = 1.0; }",
        "while Y[0] > 0.0 { Y[4] = 1.0; }",
    ],
)
def test_TIR_8_not_provably_outside(statements: str) -> None:
    assert slugs(OUT.format(statements)) == []


@pytest.mark.parametrize(
    ("statements", "message"),
    [
        ("Y[4] = 1.0;", "index `4` reaches 4, dimension 0 of `Y` has 4"),
        (
            "for i in 0..4 { Y[i + 1] = 1.0; }",
            "index `i + 1` reaches 4, dimension 0 of `Y` has 4 (for i = 3)",
        ),
        (
            "for i in 0..4 { Y[i] = X[i - 1, 0]; }",
            "index `i - 1` reaches -1, dimension 0 of `X` has 4 (for i = 0)",
        ),
        ("Y[0] = X[0, -1];", "index `-1` reaches -1, dimension 1 of `X` has n"),
        ("Y[0] = X[0, n];", "index `n` reaches n, dimension 1 of `X` has n"),
        ("for i in 0..5 { block b (v = spatial(i)) { Y[v] = 1.0; } }", None),
        ("for i in 0..3 { for j in 0..2 { Y[i * 2 + j] = 1.0; } }", None),
        ("for i in 0..4 { Y[i] = select(i > 0, Y[i - 1], 0.0); }", None),
    ],
)
def test_TIR_8_out_of_bounds(statements: str, message: str | None) -> None:
    (diagnostic,) = check_prim_func(prim_func(OUT.format(statements)))
    assert diagnostic.slug == "tir-out-of-bounds"
    assert message is None or diagnostic.message == message


def test_TIR_9_axes() -> None:
    assert found("block b (v = spatial(k), r = reduce(k, 0..n), s = scan(k), o = opaque(k)) { }") == []
    assert found("block b (v = spatiall(k)) { }") == ["tir-block-axis"]
    assert only("block b (v = spatiall(k)) { }").message.endswith("(nearest: `spatial`)")
    assert found("block b (v = spatial(k), v = reduce(k)) { }") == ["tir-block-axis"]


def test_TIR_14_constant_division_by_zero() -> None:
    assert found("I[0] = I[0] / 0;") == ["tir-division-by-zero"]
    assert found("Y[k % (2 - 2), 0] = 1.0;") == ["tir-division-by-zero"]
    assert found("S[()] = X[0, 0] / 0; if k != 0 { Y[k % 0, 0] = 1.0; }") == []


def test_TIR_16_let_types() -> None:
    assert found("let v: int32 = 3; I[0] = v; let w: float32 = X[0, 0]; let c: bool = k > 0;") == []
    assert found("let v: float32 = I[0];") == ["tir-dtype-mismatch"]


def test_TIR_19_calls_take_buffers_and_scalars() -> None:
    assert found('call_extern("f", X, Y, k, 1.5, X[0, 0]);') == []
    assert found('call_extern("f", Q);') == ["tir-undefined-variable"]


def test_Z_5_one_mistake_one_diagnostic() -> None:
    assert found("let v = exq(X[0, 0]); Y[0, 0] = v + k; Y[v, 0] = 1.0; if v { }") == [
        "tir-unknown-intrinsic"
    ]


def test_diagnostics_come_in_the_order_of_the_text() -> None:
    places = [d.pos for d in check_prim_func(prim_func(body("Y[0] = 1.0; I[0] = k; Q[0] = 1; S[()] = X;")))]
    assert places == sorted(places)
    assert len(places) == 4


def test_long_chains_are_no_problem() -> None:
    checked(body(f"Y[0, 0] = {' + '.join(['X[0, 0]'] * 4_500)};"))


@pytest.mark.parametrize(
    ("chain", "slugs"),
    [
        (" + ".join(["1.5"] * 5_000), []),
        (" * ".join(["2", "0.5"] * 1_000), []),
        (" + ".join(["1", "X[0, 0]", "k"] * 1_000), ["tir-dtype-mismatch"]),
        (" - ".join(["k"] * 3_000), ["tir-dtype-mismatch"]),
    ],
)
def test_TIR_5_long_chains_are_typed_without_recursion(chain, slugs) -> None:
    assert found(f"Y[0, 0] = {chain};")[: len(slugs) or None] == slugs


def test_TIR_14_long_conditions_are_typed_without_recursion() -> None:
    ctx = Context(prim_func("prim_func @f() { }"))
    condition = prim_func(f"prim_func @f() {{ if {' && '.join(['true'] * 5_000)} {{ }} }}").body[0]
    assert isinstance(condition, tree.IfThenElse)
    infer_condition(ctx, condition.condition)
    assert ctx.types[condition.condition] == "bool"
    assert ctx.diagnostics == []


def test_conditions_whose_cases_are_too_long_prove_nothing() -> None:
    assert not slugs(
        "prim_func @f(B: Buffer[(m // 2, m), int8], C: Buffer[(n,), int8]) {"
        " if 7 <= n { C[0] = 1; } else if B[max((m + 9223372036854775807) % (abs(m)), 0), 0] != 0 { C[0] = 2; } }"
    )
