"""What is known of values: D.2-D.14, with the uses of C, E and U in programs."""

from __future__ import annotations

import pytest

from tests.check.infer.harness import check, found, in_body, info_of, infos, slugs


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
    # A block expression that is not a branch belongs to the scope around it.
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


def test_D_7_3_D_8_2_2_D_8_3_1_values_are_derived_before_they_are_bound() -> None:
    body = "let x = (x, x); let x = match_cast(x[0], Tensor[(k,), int8]); x"
    assert infos(f"def @f(x: Tensor[(2,), int8]) {{ {body} }}") == {
        "x": "Tensor[(2,), int8]",
        "x_1": "(Tensor[(2,), int8], Tensor[(2,), int8])",
        "x_2": "Tensor[(k,), int8]",
    }
    assert in_body("if c { let v = shape(2); v } else { x[0] }") == [("not-a-tuple", "x")]


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
