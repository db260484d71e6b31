"""Lints of what is not used: bindings, values, outputs, parameters, shape variables, functions."""

from __future__ import annotations

import pytest

from relax_lang import api
from tests.check.lints.findings import f, fixed, found


@pytest.mark.parametrize(
    "statement",
    [
        "let y = add(x, x);",
        "let y: Tensor = x;",
        "let y = (x, 1)[0];",
        'let y = extern "g"(x, pure=true) -> Tensor;',
        "let y = fn (a: Tensor) -> Tensor { y(a) };",
        "let y = fn (a: Tensor) -> Tensor { print(a); a };",
        "let y = { let z = x; z };",
        "let y = if const(true) { x } else { x };",
        "let y = @pure(x);",
        "let y = @forced(x);",
        "dataflow { let y = x; }",
    ],
)
def test_X_O1_unused_bindings(statement: str) -> None:
    helpers = """def @pure(a: Tensor) { add(a, a) }
force_pure def @forced(a: Tensor) -> Tensor { print(a); a }
"""
    assert found(f(statement, "x", head=helpers), "unused-binding") == [
        ("unused-binding", "y"),
    ]


@pytest.mark.parametrize(
    "statement",
    [
        "let _y = add(x, x);",
        "let _ = add(x, x);",
        "let y = print(x);",
        'let y = extern "g"(x) -> Tensor;',
        "let y = @impure(x);",
        "let y = @indirect(x);",
        "let y = call(x);",
        "let y = x; let y = y; print(y);",
        "let y = match_cast(x, Tensor[(2,), float32]);",
        "let y = { match_cast(x, Tensor[(2,), float32]); x };",
        "let y = cast(x) -> Tensor[(2,), float32];",
        "let y = shape(2); let z = call_pure(x) -> Tensor[y, float32]; print(z);",
        "dataflow { let y = x; output y; }",
        "let y = x; let z = fn () { y }; print(z());",
    ],
)
def test_X_O1_bindings_that_are_used_or_have_effects(statement: str) -> None:
    helpers = """def @impure(a: Tensor) -> Tensor { print(a); a }
def @indirect(a: Tensor) -> Tensor { @impure(a) }
"""
    params = "x: Tensor, call: impure fn(Tensor) -> Object, call_pure: PackedFunc"
    text = f(statement, "x", params=params, head=helpers)
    assert found(text, "unused-binding") == []


def test_a_binding_that_is_hidden_is_unused() -> None:
    assert found(f("let y = x;", "let y = add(x, x);", "y"), "unused-binding") == [("unused-binding", "y")]


def test_S_4_recursion_is_no_use_but_a_use_behind_is() -> None:
    text = f("let g = fn (a: Tensor) -> Tensor { g(a) };", "g(x)")
    assert found(text, "unused-binding") == []


def test_calls_into_functions_with_errors_may_have_effects() -> None:
    text = "def @bad(a: Tensor) { print(a); nope }\n\n" + f("let y = @bad(x);", "x")
    assert [one.slug for one in api.check(text, lints=["unused-binding"]).diagnostics] == [
        "undefined-variable"
    ]


def test_fixing_goes_on_until_nothing_is_unused() -> None:
    text = f("let y = add(x, x);  # kept", "let z = y;", "x")
    assert fixed(text, "unused-binding") == f("# kept", "x")


def test_only_what_keeps_the_meaning_is_fixed_without_asking() -> None:
    text = f(
        "let y: Tensor[(2,), float32] = x;",
        "let z = add(x,  # why",
        "  x);",
        "x",
        params="x: Tensor[ndim=1, float32]",
    )
    assert fixed(text, "unused-binding") == text
    assert fixed(text, "unused-binding", unsafe=True) == f("x", params="x: Tensor[ndim=1, float32]")


def test_several_statements_on_a_line() -> None:
    assert fixed("def @f(x: Tensor) { let y = x; x }\n", "unused-binding") == "def @f(x: Tensor) { x }\n"


def test_unused_values() -> None:
    text = f("add(x, x);", "let _ = add(x, x);", "print(x);", "match_cast(x, Tensor);", "x")
    assert found(text, "unused-value") == [("unused-value", "add(x, x)")]
    assert "add(x, x);\n" not in fixed(text, "unused-value").replace("let _ = add(x, x);", "")


def test_S_8_unused_outputs() -> None:
    text = f(
        "dataflow {", "  let a = x;", "  let b = add(a, a);", "  let _c = x;", "  output a, b, _c;", "}", "b"
    )
    assert found(text, "unused-output") == [("unused-output", "a")]
    assert fixed(text, "unused-output") == text.replace("output a, b, _c", "output b, _c")


def test_a_block_that_hands_out_nothing_of_use_goes() -> None:
    text = f("dataflow {", "  let a = x;", "  let b = add(a, a);", "  output a, b;", "}", "x")
    assert found(text, "unused-output", "empty-dataflow") == [("unused-output", "a"), ("unused-output", "b")]
    assert fixed(text, "unused-output", "unused-binding", "empty-dataflow") == f("x")


def test_comments_between_outputs_stay() -> None:
    text = f("dataflow {", "  let a = x;", "  output  # these", "    a;", "}", "x")
    assert found(text, "unused-output") == [("unused-output", "a")]
    assert "# these" in fixed(text, "unused-output", unsafe=True)


@pytest.mark.parametrize(
    ("program", "names"),
    [
        (f("x", params="x: Tensor, y: Tensor"), ["y"]),
        (f("x", params="x: Tensor, _y: Tensor"), []),
        (f("shape(n)", params="x: Tensor[(n,), float32]"), []),
        (f("y", params="x: Tensor[(n,), float32], y: Tensor[(n * 2,), float32]"), []),
        (f("x", params="x: Tensor[(n,), float32], y: Tensor[(n * 2,), float32]"), ["y"]),
        (f("let g = fn (a: Tensor, b: Tensor) { a };", "g(x, x)"), ["b"]),
        (f("let g = fn (a: Tensor) { x };", "g(x)"), ["a"]),
    ],
)
def test_unused_parameters(program: str, names: list[str]) -> None:
    assert [name for _, name in found(program, "unused-parameter")] == names


@pytest.mark.parametrize(
    ("params", "names"),
    [
        ("X: Buffer[(4,), float32], Y: Buffer[(4,), float32]", []),
        ("X: Buffer[(4,), float32], k: int64, Y: Buffer[(4,), float32]", ["k"]),
        ("X: Buffer[(4,), float32], _k: int64, Y: Buffer[(4,), float32]", []),
        ("X: Buffer[(4,), float32], i: int64, j: int64, Y: Buffer[(4,), float32]", ["j"]),
    ],
)
def test_unused_parameters_of_prim_funcs(params: str, names: list[str]) -> None:
    use = "i" if "i: int64" in params else "0"
    text = f"prim_func @p({params}) {{\n  for v in 0..4 {{\n    Y[v] = X[min(v, {use})];\n  }}\n}}\n"
    assert [name for _, name in found(text, "unused-parameter")] == names


@pytest.mark.parametrize(
    ("statements", "names"),
    [
        (["match_cast(x, Tensor[(k, 4), float32]);", "x"], ["k"]),
        (["match_cast(x, Tensor[(_k, 4), float32]);", "x"], []),
        (["match_cast(x, Tensor[(k, k), float32]);", "x"], []),
        (["match_cast(x, Tensor[(k,), float32]);", "shape(k)"], []),
        (["match_cast(x, (Tensor[(k, m), float32], Shape[(m,)]));", "x"], ["k"]),
        (["match_cast(x, Tensor[(k,), float32]);", "zeros(shape(k * 2), dtype=float32)"], []),
        (["match_cast(x, Tensor[(k,), float32]);", "arange(0, k)"], []),
        (["let y = cast(x) -> Tensor[(k,), float32];", "y"], ["k"]),
        (["let y = match_cast(x, Tensor);", "match_shape(y, (k, m));", "shape(k)"], ["m"]),
        (["let g = fn (a: Tensor[(k,), float32]) { a };", "g"], []),
        (["match_cast(x, fn (Tensor[(k,), float32]) -> Tensor);", "x"], []),
    ],
)
def test_S_13_unused_shape_variables(statements: list[str], names: list[str]) -> None:
    text = f(*statements, params="x: Object")
    assert [name for _, name in found(text, "unused-shape-var")] == names
    if names:
        assert f"_{names[0]}" in fixed(text, "unused-shape-var", unsafe=True)


def test_W_11_functions_that_nothing_reaches() -> None:
    text = """private def @a() { @b() }
private def @b() { 1 }
private def @c() -> Object { @d() }
private def @d() -> Object { @c() }
private def @alone() -> Object { @alone() }
def @main() { @a() }
"""
    checked = api.check(text)
    dead = [one for one in checked.diagnostics if one.slug == "dead-function"]
    assert [text[one.pos : one.end] for one in dead] == ["@c", "@d", "@alone"]
    assert [one.notes for one in dead] == [
        ["only @d mentions it, which is not used either"],
        ["only @c mentions it, which is not used either"],
        [],
    ]


def test_W_11_prim_funcs_that_nothing_calls() -> None:
    body = "(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {\n  for i in 0..n { Y[i] = X[i]; }\n}\n"
    use = "def @main(x: Tensor[(n,), float32]) {\n  call_tir(@used, (x,)) -> Tensor[(n,), float32]\n}\n"
    text = f"private prim_func @used{body}private prim_func @dead{body}prim_func @public{body}{use}"
    assert found(text, "dead-prim-func", "dead-function") == [("dead-prim-func", "@dead")]


def test_W_11_without_an_entry_nothing_is_dead() -> None:
    assert [one.slug for one in api.check("private def @f() { 1 }\n").diagnostics] == ["no-entry-point"]


def test_dead_functions_go_with_their_documentation() -> None:
    text = "# a file\n\n## Old.\nprivate def @old() { 1 }\n\n## New.\ndef @main() { 1 }\n"
    assert fixed(text) == text
    assert fixed(text, unsafe=True) == "# a file\n\n## New.\ndef @main() { 1 }\n"
    assert fixed("def @main() { 1 }\nprivate def @old() { 1 }", unsafe=True) == "def @main() { 1 }\n"
    assert fixed("private def @old() { 1 } def @main() { 1 }", unsafe=True).strip() == "def @main() { 1 }"
