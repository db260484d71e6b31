"""What inference proves: dimensions, facts of conditions, run-time checks that certainly succeed. [D.13] [D.14]"""

from __future__ import annotations

import pytest

from tests.check.infer.harness import check, found, in_body, only, program


@pytest.mark.parametrize(
    ("dims", "expected"),
    [
        ("(m * n,)", []),
        ("(n * m + 0,)", []),
        ("(n * m + 1,)", ["annotation-mismatch"]),
        ("(n * n,)", ["possibly-incompatible"]),
    ],
)
def test_D_13_dimensions_are_proved(dims: str, expected: list[str]) -> None:
    params = "a: Tensor[(n,), int8], b: Tensor[(m,), int8], v: Tensor[(n * m,), int8]"
    text = f"def @f({params}) {{ let y: Tensor[{dims}, int8] = v; y }}"
    assert [slug for slug, _ in found(text)] == expected


def test_D_13_V_9_sizes_are_never_negative() -> None:
    params = "a: Tensor[(n,), int8], b: Tensor[(n - 1,), int8]"
    text = f"def @f({params}) {{ match_cast(b, Tensor[(max(n, 1) - 1,), int8]); b }}"
    assert found(text) == [("match-cast-redundant", "Tensor[(max(n, 1) - 1,), int8]")]


def test_D_13_facts_of_conditions() -> None:
    text = (
        "if shape_equals(shape_of(s), shape_of(w)) {{ let z: Tensor[(n, 3), float32] = {}; z }} else {{ x }}"
    )
    assert in_body(text.format("w")) == []
    assert in_body(text.format("w") + " ; let z: Tensor[(n, 3), float32] = w; z") == [
        ("possibly-incompatible", "w")
    ]
    other = "if !shape_equals(shape_of(s), shape_of(w)) { x } else { let z: Tensor[(n, 3), float32] = w; z }"
    assert in_body(other) == []


@pytest.mark.parametrize(
    ("condition", "then", "otherwise"),
    [
        ("n > 1", "max(n, 2)", "min(n, 1)"),
        ("n == 4", "4", "n"),
        ("n != m", "n", "m"),
        ("n >= 4 && m == 3", "max(n, m + 1)", "n"),
        ("flag && n >= 4", "max(n, 4)", "n"),
        ("flag || n >= 4", "n", "min(n, 3)"),
        ("!(n > 3)", "min(n, 3)", "max(n, 4)"),
        ("n % 2 == 0", "n // 2 * 2", "n // 2 * 2 + 1"),
    ],
)
def test_D_13_facts_of_conditions_on_sizes(condition: str, then: str, otherwise: str) -> None:
    text = """def @f(v: Tensor[(n,), int8], w: Tensor[(m,), int8], flag: Tensor[(), bool]) {
      let holds = CONDITION;
      if holds { let y: Tensor[(THEN,), int8] = v; y } else { let y: Tensor[(OTHER,), int8] = v; y }
    }"""
    text = text.replace("CONDITION", condition)
    assert found(text.replace("THEN", then).replace("OTHER", otherwise)) == []
    if then != "n":
        outside = text.replace("THEN", "n").replace("OTHER", f"{then}")
        assert [slug for slug, _ in found(outside)] in (["possibly-incompatible"], ["annotation-mismatch"])


def test_D_13_Z_4_a_counterexample_is_one_that_gets_into_the_branch() -> None:
    one = only("def @f(v: Tensor[(n,), int8]) { if n > 5 { let y: Tensor[(7,), int8] = v; y } else { v } }")
    assert one.notes == ["dimension 0: expected 7, found n", "fails for n = 6"]


def test_Z_4_a_counterexample_is_shown() -> None:
    one = only(program("let y: Tensor[(m, 3), float32] = s; y"))
    assert one.slug == "possibly-incompatible"
    assert one.severity == "warning"
    assert one.notes == ["dimension 0: expected m, found n", "fails for n = 1, m = 2"]


def test_D_14_what_is_proved_at_run_time() -> None:
    text = program(
        "let a: Tensor[(2, 3), float32] = x; let b: Tensor[(2, 3), float32] = r2; "
        "let d = match_cast(x, Tensor[(k, 3), float32]); let e = match_cast(u, Tensor[(j, 3), float32]); "
        "let f = @g(x); let h = @h(b); let r = call_tir(@relu, (x,)) -> Tensor[(2, 3), float32]; "
        'let p = extern "f"(x) -> Tensor[(2, 4), float32]; let q = @h(p); let v: Tensor[(2, 4), float32] = p; r'
    )
    checked = check(text)
    proved = {
        text[node.pos : node.end] for node in checked.inferred.proved if node.pos < text.index("def @g")
    }
    assert proved == {
        "Tensor[(2, 3), float32]",
        "let d = match_cast(x, Tensor[(k, 3), float32]);",
        "@g(x)",
        "call_tir(@relu, (x,)) -> Tensor[(2, 3), float32]",
    }


def test_D_14_claims_prove_nothing() -> None:
    text = program(
        'let p = extern "f"(x) -> Tensor[(2, 4), float32]; let q = add(p, p); let i = if c { q } else { y4 }; '
        "let z = (i, x); let r = z[0]; @h(r)"
    )
    checked = check(text)
    assert checked.diagnostics == []
    assert "@h(r)" not in {text[node.pos : node.end] for node in checked.inferred.proved}


def test_D_14_V_14_the_host_may_change_an_array() -> None:
    text = program('@h(y4); extern "f"(y4); @h(y4); let z = match_cast(y4, Tensor[(2, 4), float32]); @h(z)')
    calls = [
        node.pos for node in check(text).inferred.proved if text[node.pos : node.end] in {"@h(y4)", "@h(z)"}
    ]
    assert sorted(calls) == [text.index("@h(y4)"), text.index("@h(z)")]


def test_D_14_TIR_19_a_prim_func_with_call_extern_may_change_an_array() -> None:
    square = "Buffer[(2, 4), float32]"
    text = f"""prim_func @p(X: {square}, Y: {square}) {{ call_extern("f", X, Y); }}
def @h(v: Tensor[(2, 4), float32]) {{ v }}
def @main(x: Tensor) {{
  let y = match_cast(x, Tensor[(2, 4), float32]);
  @h(y);
  call_tir(@p, (y,)) -> Tensor[(2, 4), float32];
  @h(y)
}}
"""
    calls = [node.pos for node in check(text).inferred.proved if text[node.pos : node.end] == "@h(y)"]
    assert calls == [text.index("@h(y)")]


def test_D_14_private_functions_whose_calls_are_all_proved() -> None:
    text = (
        "def @main(x: Tensor[(n,), int8], u: Tensor) { @a(x); @b(x); @c(x); let k = @c; (k, u) }\n"
        + "\n".join(
            f"{word}def @{name}(v: Tensor[(m,), int8]) {{ v }}"
            for word, name in [("private ", "a"), ("", "b"), ("private ", "c")]
        )
    )
    proved = check(text).inferred.proved
    from relax_lang.syntax import tree

    assert [node.name.name_hint for node in proved if isinstance(node, tree.Function) and node.name] == ["a"]


@pytest.mark.parametrize(
    "text",
    [
        "def @main(x: Tensor[(n, m)], y: Tensor[(n * m // m,)]) -> Tensor[(n,)] { y }",
        "def @main(x: Tensor[(n, m), float32]) -> Tensor[(n * m // m,), float32] { sum(x, axis=1) }",
    ],
)
def test_Z_4_a_division_by_zero_is_said(text: str) -> None:
    one = only(text)
    assert one.slug == "possibly-incompatible"
    assert one.notes[1:] == ["for m = 0 it is a division by zero"]
