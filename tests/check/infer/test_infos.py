"""What is known of values: D.2-D.14, with the uses of C, E and U in programs."""

from __future__ import annotations

import pytest

from tests.check.infer.harness import check, found, in_body, info_of, infos, only, program, slugs


def test_D_2_D_4_D_9_variables_tuples_fields() -> None:
    assert info_of("x") == "Tensor[(2, 3), float32]"
    assert info_of("(x, shape(n))") == "(Tensor[(2, 3), float32], Shape[(n,)])"
    assert info_of("t[0]") == "Tensor[(2, 3), float32]"
    assert slugs("t[2]") == ["tuple-index"]


def test_D_3_constants() -> None:
    assert info_of("1") == "Tensor[(), int32]"
    assert in_body("let y: Tensor[(3,), int32] = const([1, 2], int32); y") == [
        ("annotation-mismatch", "const([1, 2], int32)")
    ]


def test_CF_1_constants_in_files(tmp_path) -> None:
    import numpy as np

    from relax_lang import api

    np.save(tmp_path / "a.npy", np.zeros((2, 5), np.float64))
    path = tmp_path / "p.rlx"
    path.write_text('def @f() -> Tensor[(2, 4), float64] { const(file("a.npy")) }')
    (one,) = api.check(api.read(str(path))).diagnostics
    assert one.slug == "return-mismatch"
    assert "Tensor[(2, 5), float64]" in one.message
    assert found('def @f() -> Tensor[(2, 4), float64] { const(file("none.npy")) }') == [
        ("constant-file-missing", 'file("none.npy")')
    ]


def test_D_5_shapes() -> None:
    assert info_of("shape(n, 2)") == "Shape[(n, 2)]"
    assert in_body("let z: Shape[(n, 3)] = shape(n, 2); z") == [("annotation-mismatch", "shape(n, 2)")]


def test_D_6_U_12_joins() -> None:
    assert info_of("if c { x } else { y4 }") == "Tensor[ndim=2, float32]"
    assert info_of("if c { (x, x) } else { (x, y4) }") == "(Tensor[(2, 3), float32], Tensor[ndim=2, float32])"
    assert in_body("let y = if c { x } else { y4 }; @h(y)") == [("possibly-incompatible", "y")]
    assert in_body("let y = if c { x } else { o }; @h(y)") == [("needs-match-cast", "y")]


@pytest.mark.parametrize(
    ("one", "other", "joined"),
    [
        ("x", "o", "Object"),  # U.8
        ("x", "sh", "Object"),  # U.9
        ("shape(n, m)", "shape(m, n)", "Shape[ndim=2]"),  # U.10
        ("shape(n, m)", "shape(n, m)", "Shape[(n, m)]"),
        ("s", "astype(s, dtype=float16)", "Tensor[(n, 3)]"),  # U.11
        ("(x,)", "(x, x)", "Object"),  # U.12
        ('extern "a"', 'extern "b"', "PackedFunc"),  # U.13
        ('extern "a"', "fn (a: Tensor) -> Tensor { a }", "Object"),
        (
            "fn (a: Tensor[(i,), int8]) { a }",
            "fn (b: Tensor[(j,), int8]) { b }",
            "fn(Tensor[(i,), int8]) -> Tensor[(i,), int8]",
        ),  # U.14
    ],
)
def test_U_8_U_9_U_10_U_11_U_12_U_13_U_14_joins(one: str, other: str, joined: str) -> None:
    assert info_of(f"if c {{ {one} }} else {{ {other} }}") == joined


def test_D_7_1_D_7_4_E_5_E_6_E_7_blocks_hide_their_names() -> None:
    assert info_of("if c { match_cast(u, Tensor[(k, 3), float32]); shape(k, 3) } else { shape(1, 3) }") == (
        "Shape[ndim=2]"
    )
    both = "if c {{ let v = match_cast(u, Tensor[(k,), float32]); (v, x) }} else {{ {} }}"
    other = "let v = match_cast(u, Tensor[(k,), float32]); (v, x)"
    assert info_of(both.format(other)) == "(Tensor[ndim=1, float32], Tensor[(2, 3), float32])"
    # A block expression that is no branch belongs to the scope around it.
    assert info_of("{ match_cast(u, Tensor[(k,), float32]); shape(k) }") == "Shape[(k,)]"


def test_E_5_a_variable_that_holds_a_shape_goes_out_of_scope() -> None:
    text = "if c { let z = shape_of(u); let v = match_cast(u, Tensor[z, float32]); v } else { x }"
    assert info_of(text) == "Tensor[_, float32]"
    cast = "let v = match_cast({}, Tensor[sh, float32]); v"
    both = f"if c {{ {cast.format('u')} }} else {{ {cast.format('o')} }}"
    assert info_of(both) == "Tensor[sh, float32]"


def test_D_7_2_D_8_3_2_dataflow_blocks() -> None:
    assert in_body("dataflow { match_cast(u, Tensor[(k,), float32]); } shape(k)") == []
    assert (
        info_of("v", "dataflow { let l = add(x, x); let v = add(l, l); output v; }")
        == "Tensor[(2, 3), float32]"
    )
    assert slugs("let v = shape(k); match_cast(u, Tensor[(k,), float32]); v") == ["undefined-shape-var"]


def test_D_8_1_parameters_bind() -> None:
    assert infos("def @f(a: Tensor[(n * 2,), int8], b: Tensor[(n,), int8]) { let v = (a, b); v }")["v"] == (
        "(Tensor[(n * 2,), int8], Tensor[(n,), int8])"
    )


def test_D_8_2_1_function_literals() -> None:
    assert in_body("let f: fn(Tensor) -> Shape = fn (a: Tensor) -> Tensor { a }; f") == [
        ("annotation-mismatch", "fn (a: Tensor) -> Tensor { a }")
    ]
    assert in_body("let f: fn(Tensor) -> Tensor = fn (a: Tensor) -> Tensor { f(a) }; f") == []
    grows = "let f = fn (a: Tensor[(j,), float32]) -> Tensor { f(concat((a, a), axis=0)) }; f"
    assert in_body(grows) == []  # every call has dimensions of its own


def test_D_8_2_3_D_8_2_4_ERR_33_annotations() -> None:
    assert in_body("let y: Tensor[(2, 4), float32] = x; y") == [("annotation-mismatch", "x")]
    assert in_body("let y: Tensor[(2, 3), float32] = r2; y") == [("possibly-incompatible", "r2")]
    assert in_body("let y: Tensor[ndim=2] = x; let z: Tensor[ndim=2, float32] = y; z") == [
        ("needs-match-cast", "y")
    ]
    assert info_of("add(x, x)") == "Tensor[(2, 3), float32]"


def test_D_8_2_3_what_was_checked_is_known() -> None:
    assert in_body("let y: Tensor[(m, 3), float32] = s; let z: Tensor[(n, 3), float32] = w; z") == [
        ("possibly-incompatible", "s")
    ]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("match_cast(x, Tensor[(2, 4), float32]); x", [("match-cast-never", "Tensor[(2, 4), float32]")]),
        (
            "match_cast(s, Tensor[(n + 1, 3), float32]); x",
            [("match-cast-never", "Tensor[(n + 1, 3), float32]")],
        ),
        ("match_cast(1, Tensor[(1,), int32]); x", [("match-cast-never", "Tensor[(1,), int32]")]),  # V.2
        ("match_cast(x, Tensor[(k, k), float32]); x", [("match-cast-never", "Tensor[(k, k), float32]")]),
        ("match_cast(x, Tensor[(2, 3), float32]); x", [("match-cast-redundant", "Tensor[(2, 3), float32]")]),
        ("match_cast(x, Object); x", [("match-cast-redundant", "Object")]),
        ("match_cast(x, Tensor[(k, 3), float32]); shape(k)", []),
        ("match_cast(s, Tensor[(m, 3), float32]); x", []),
        ('match_cast(extern "f"() -> Tensor[(2,), int8], Tensor[(2,), int8]); x', []),  # ERR.13
        ("let f = match_cast(o, fn(Tensor) -> Tensor); f(x)", []),
    ],
)
def test_D_8_3_3_ERR_35_match_casts(body: str, expected: list[tuple[str, str]]) -> None:
    assert in_body(body) == expected


def test_D_8_3_4_D_8_3_5_the_target_is_what_is_known() -> None:
    assert info_of("match_cast(u, Tensor[(k, 3), float32])") == "Tensor[(k, 3), float32]"
    assert in_body("let y: Tensor = match_cast(u, Tensor[(2, 3), float32]); y") == [
        ("match-cast-annotated", "Tensor")
    ]


def test_D_8_3_2_equal_dimensions_are_known() -> None:
    assert (
        in_body("let v = match_cast(s, Tensor[(k, 3), float32]); let z: Tensor[(n, 3), float32] = v; z") == []
    )
    assert (
        in_body("let v = match_cast(w, Tensor[(n, 3), float32]); let z: Tensor[(m, 3), float32] = v; z") == []
    )


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("let v = match_shape(r2, (k, j)); let z: Tensor[(k, j), float32] = v; z", []),  # B.1
        ("let v = match_shape(sh, (k, j)); let z: Shape[(k, j)] = v; z", []),
        ("match_shape(u, (k, j)); shape(k)", []),  # B.2
        ("match_shape(x, (k,)); shape(k)", [("match-cast-never", "k")]),  # B.3
        ("match_shape(t, (k,)); shape(k)", [("match-shape-kind", "t")]),  # B.4
        ("let v = match_shape(o, (k,)); let z: Object = v; shape(k)", []),
        ("let v = match_shape(o, (k,)); let z: Tensor = v; shape(k)", [("needs-match-cast", "v")]),
        ('match_shape(extern "f", (k,)); shape(k)', [("match-shape-kind", 'extern "f"')]),
    ],
)
def test_B_1_B_2_B_3_B_4_match_shape(body: str, expected: list[tuple[str, str]]) -> None:
    assert in_body(body) == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("let v: Tensor[shape_of(s), float32] = u; v", [("needs-match-cast", "u")]),
        ("let v = match_cast(u, Tensor[shape_of(s), float32]); let w: Tensor[ndim=2] = v; v", []),
        ("let v: Tensor[add(s, s), float32] = s; v", [("shape-var-not-a-shape", "add(s, s)")]),
        ("let v: Tensor[nothing(s), float32] = s; v", [("unknown-operator", "nothing")]),
        (
            "let f: fn(Tensor[shape_of(s)]) -> Tensor = o; f",
            [("shape-field-not-var-or-literal", "shape_of(s)")],
        ),
    ],
)
def test_B_10_computed_shapes(body: str, expected: list[tuple[str, str]]) -> None:
    assert in_body(body) == expected


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ("let v: Tensor[print(s), float32] = s; v", "print(s)"),
        ('let v: Tensor[extern "f"(s, pure=false), float32] = s; v', 'extern "f"(s, pure=false)'),
        ("let f = impure fn (a: Tensor) -> Shape { print(a); shape(2) }; let v: Tensor[f(s)] = s; v", "f(s)"),
        (
            'let f = fn (a: Tensor, b: Tensor[shape_of(extern "g"(a) -> Tensor), float32]) -> Tensor { b }; f(s, s)',
            'extern "g"(a) -> Tensor',
        ),
    ],
)
def test_B_12_B_14_computed_shapes_have_no_effects(body: str, place: str) -> None:
    assert ("impure-shape-computation", place) in in_body(body)
    assert in_body('let v = match_cast(s, Tensor[extern "f"(s), float32]); v') == []


def test_D_10_externs() -> None:
    assert info_of('extern "f"') == "PackedFunc"


def test_D_11_1_operators() -> None:
    assert info_of("add(s, s)") == "Tensor[(n, 3), float32]"
    assert info_of("x + 1.0") == "Tensor[(2, 3), float32]"
    assert in_body("x + 1") == [("op-dtype-mismatch", "x + 1")]  # OP.7 OP.8
    assert in_body("add(sh, x)") == [("op-argument", "sh")]  # OP.3
    assert in_body("add(o, x)") == [("needs-match-cast", "o")]
    assert in_body("sum(x, axis=2)") == [("op-axis", "axis=2")]  # OP.5
    assert in_body("add(print(x), x)") == [("op-argument", "print(x)")]  # V.4


def test_D_11_2_1_D_11_2_2_D_11_2_3_callees() -> None:
    assert slugs("let f = x; f(x)") == ["not-callable"]
    assert info_of("p(x) -> Shape", 'let p = extern "f";') == "Shape"
    assert slugs("@g(x, x)") == ["arity"]


def test_D_11_2_4_E_14_dimensions_of_the_callee_are_those_of_the_arguments() -> None:
    assert info_of("@g(x)") == "Tensor[(3, 2), float32]"
    assert info_of("@g(s)") == "Tensor[(3, n), float32]"
    assert info_of("@g(r2)") == "Tensor[ndim=2, float32]"


def test_D_11_2_5_ERR_29_arguments() -> None:
    assert in_body("@h(x)") == [("argument-mismatch", "x")]
    assert in_body("@h(r2)") == [("possibly-incompatible", "r2")]
    assert in_body("@two(const([1.0]), const([1.0, 2.0]))") == [("argument-mismatch", "const([1.0, 2.0])")]
    assert in_body("@two(match_me, match_me)") == [("undefined-variable", "match_me")]


def test_D_11_2_6_results_are_erased_to_scope() -> None:
    helper = "\ndef @rows(a: Tensor) { let b = match_cast(a, Tensor[(k, 2), float32]); (b, shape(k)) }"
    assert infos("def @main(u: Tensor) { let v = @rows(u); v }" + helper)["v"] == (
        "(Tensor[ndim=2, float32], Shape[ndim=1])"
    )


def test_D_12_1_D_12_6_signatures() -> None:
    text = (
        "def @main(f: Object) { let g = @id; g }\ndef @id(a: Tensor[(n,), int8]) { let m = (a, shape(n)); m }"
    )
    assert infos(text)["g"] == "fn(Tensor[(n,), int8]) -> (Tensor[(n,), int8], Shape[(n,)])"


def test_D_12_5_W_13_d_results() -> None:
    assert found("def @f(a: Tensor[(n, 3), float32]) -> Tensor[(n, 4), float32] { a }") == [
        ("return-mismatch", "a")
    ]
    assert found("def @f(a: Tensor[ndim=2, float32]) -> Tensor[(2, 4), float32] { a }") == [
        ("possibly-incompatible", "a")
    ]
    assert found("def @f(a: Tensor, s: Shape) -> Tensor[a, float32] { a }") == [
        ("shape-var-not-a-shape", "a")
    ]
    assert in_body("let y: Tensor[x, float32] = x; y") == [("shape-var-not-a-shape", "x")]
    assert in_body("let y: Tensor[o, float32] = x; y") == [("shape-var-not-a-shape", "o")]


def test_D_12_6_C_5_5_shapes_in_variables() -> None:
    text = "def @f(s: Shape[ndim=2], a: Tensor[s, float32]) -> Tensor[s, float32] { add(a, a) }\n"
    assert found(text) == []
    assert (
        found(text + "def @g(a: Tensor[(2, 2), float32]) -> Tensor[ndim=2, float32] { @f(shape(2, 2), a) }")
        == []
    )
    assert (
        in_body("let s2 = shape(2, 3); let y: Tensor[s2, float32] = x; let z: Tensor[(2, 3), float32] = y; z")
        == []
    )
    assert in_body("let y: Tensor[sh, float32] = x; y") == [("possibly-incompatible", "x")]
    assert in_body("let s2 = shape(2, 4); let y: Tensor[s2, float32] = x; y") == [
        ("annotation-mismatch", "x")
    ]


def test_S_16_binders_of_other_functions_are_their_own() -> None:
    # `n` of the caller and `n` of the callee are different names.
    identity = "\ndef @id(a: Tensor[(n,), int8]) { a }"
    text = "def @f(a: Tensor[(n,), int8], b: Tensor[(m,), int8]) { let v = @id(b); v }" + identity
    assert found(text) == []
    assert infos(text)["v"] == "Tensor[(m,), int8]"
    value = "def @f(a: Tensor[(n,), int8], b: Tensor[(m,), int8]) { let g = @id; g(b) }" + identity
    assert found(value) == []


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


def test_D_12_6_P_5_the_signatures_of_functions() -> None:
    from relax_lang.format.printer import show

    text = "def @f(a: Tensor[(n,), int8]) { @h(a) }\ndef @h(a: Object) { print(a); a }\ndef @g(a: Shape) -> Shape { a }"
    functions = check(text).inferred.functions
    assert {name: show(info) for name, info in functions.items()} == {
        "f": "impure fn(Tensor[(n,), int8]) -> Object",
        "h": "impure fn(Object) -> Object",
        "g": "fn(Shape) -> Shape",
    }


def test_infos_for_editors() -> None:
    from relax_lang.format.printer import show

    text = "def @f(a: Tensor[(n,), int8]) { let y = (add(a, a), shape(n)); y[0] }"
    inferred = check(text).inferred
    found = {part: inferred.at(text.index(part)) for part in ("add(a, a)", "a, a", "y =", "y[0]", "@f")}
    assert {part: show(info) for part, info in found.items() if info is not None} == {
        "add(a, a)": "Tensor[(n,), int8]",
        "a, a": "Tensor[(n,), int8]",
        "y =": "(Tensor[(n,), int8], Shape[(n,)])",
        "y[0]": "(Tensor[(n,), int8], Shape[(n,)])",
        "@f": "fn(Tensor[(n,), int8]) -> Tensor[(n,), int8]",
    }
    assert inferred.at(0) is None


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


def test_D_7_3_D_8_2_2_D_8_3_1_values_are_derived_before_they_are_bound() -> None:
    body = "let x = (x, x); let x = match_cast(x[0], Tensor[(k,), int8]); x"
    assert infos(f"def @f(x: Tensor[(2,), int8]) {{ {body} }}") == {
        "x": "Tensor[(2,), int8]",
        "x_1": "(Tensor[(2,), int8], Tensor[(2,), int8])",
        "x_2": "Tensor[(k,), int8]",
    }
    assert in_body("if c { let v = shape(2); v } else { x[0] }") == [("not-a-tuple", "x")]


def test_D_12_2_D_12_3_D_12_4_a_function_knows_itself_its_parameters_and_its_sizes() -> None:
    text = "def @f(a: Tensor[(n,), int8]) -> Tensor[(n,), int8] { let r = @f(a); let s = shape(n * 2); r }"
    assert infos(text) == {"a": "Tensor[(n,), int8]", "r": "Tensor[(n,), int8]", "s": "Shape[(n * 2,)]"}


def test_D_12_7_T_K11_5_nothing_stays_known_behind_a_function() -> None:
    text = "def @f(a: Tensor[(n,), int8]) { a }\ndef @g(b: Tensor[(n, n), int8]) { let v = b; v }"
    assert infos(text)["v"] == "Tensor[(n, n), int8]"
    local = (
        "let f = fn (v: Tensor[(k,), float32]) { v }; let g = fn (v: Tensor[(k, k), float32]) { v }; (f, g)"
    )
    assert in_body(local) == []


def test_E_3_E_4_derive_functions() -> None:
    assert info_of('extern "f"(x) -> (Tensor, Shape)') == "(Tensor, Shape)"
    assert info_of('extern "f"(x) -> ()') == "()"
    params = 'p: PackedFunc, q: PackedFunc[derive="empty"]'
    text = f"def @f({params}) {{ let a = p() -> Tensor; let b = q() -> Tensor; (a, b) }}"
    assert {name: info for name, info in infos(text).items() if name in "ab"} == {
        "a": "Tensor",
        "b": "Object",
    }
    assert found('def @f(p: PackedFunc) -> PackedFunc[derive="empty"] { p }') == []  # ERR.27
    assert found('def @f(q: PackedFunc[derive="empty"]) -> PackedFunc { q }') == [
        ("possibly-incompatible", "q")
    ]


def test_E_8_binders_of_function_types_survive_a_scope() -> None:
    body = "let f = if c { match_cast(u, Tensor[(k,), float32]); fn (v: Tensor[(j, 3), float32]) { (v, shape(k)) } }"
    assert info_of("f", body + " else { fn (v: Tensor[(j, 3), float32]) { (v, shape(1)) } };") == (
        "fn(Tensor[(j, 3), float32]) -> (Tensor[(j, 3), float32], Shape[ndim=1])"
    )


def test_V_6_S_17_closures_capture_sizes() -> None:
    text = "let f = fn (v: Tensor[(j,), float32]) -> Shape[(n, j)] { shape(n, j) }; f(const([1.0]))"
    assert info_of(f"{{ {text} }}") == "Shape[(n, 1)]"


def test_ERR_46_a_prim_func_is_an_object() -> None:
    assert info_of("@relu") == "Object"
    assert in_body("let f = @relu; f(x)") == [("needs-match-cast", "f")]
