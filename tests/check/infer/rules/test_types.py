"""Kinds, ranks and dtypes: T.S*, T.C*, T.K1-T.K12, and the slugs of Z.2-Z.5."""

from __future__ import annotations

import pytest

from tests.check.infer.harness import found, in_body, info_of, infos, slugs


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("@sink(x)", []),  # T.S3
        ("@sink(@g)", []),
        ("let y: Tensor[_, float32] = r2; let z: Tensor = y; z", []),  # T.S4
        ("@g2(u)", [("needs-match-cast", "u")]),
        ("let y: Shape = sh; y", []),  # T.S5
        ("let y: Shape = sh; let z: Shape[ndim=2] = y; z", [("needs-match-cast", "y")]),
        ("let p: (Tensor[ndim=2], Shape) = t; p", []),  # T.S6
        ("let p: (Tensor, Tensor) = (x,); p", [("annotation-mismatch", "(x,)")]),
        (
            "let p: PackedFunc = fn (a: Tensor) -> Tensor { a }; p",
            [("annotation-mismatch", "fn (a: Tensor) -> Tensor { a }")],
        ),
        ("let y: Tensor = shape(2); y", [("annotation-mismatch", "shape(2)")]),  # T.S10
    ],
)
def test_T_S3_T_S4_T_S5_T_S6_T_S9_T_S10_subtypes(body: str, expected: list[tuple[str, str]]) -> None:
    assert in_body(body) == expected


def test_T_S7_P_10_a_pure_function_may_stand_for_an_impure_one() -> None:
    head = "def @call(f: impure fn(Tensor) -> Tensor) -> () { () }\ndef @pure(f: fn(Tensor) -> Tensor) -> () { () }\n"
    functions = "def @quiet(a: Tensor) -> Tensor { a }\ndef @loud(a: Tensor) -> Tensor { print(a); a }\n"
    assert found(head + functions + "def @main() { @call(@quiet); @call(@loud); @pure(@quiet) }") == []
    assert found(head + functions + "def @main() { @pure(@loud) }") == [("argument-mismatch", "@loud")]
    local = "def @main() { let f = fn (a: Tensor) -> Tensor { @loud(a) }; @pure(f) }"
    assert found(head + functions + local) == [("argument-mismatch", "f")]
    body = "let f = fn (a: Tensor) -> Tensor { let q = p[0]; q(a) }; @pure(f)"
    typed = f"def @main(p: (impure fn(Tensor) -> Tensor,)) {{ {body} }}"
    assert found(head + functions + typed) == [("argument-mismatch", "f")]


def test_T_S7_a_recursive_function_passes_itself_on() -> None:
    head = "def @map(f: fn(Tensor) -> Tensor, a: Tensor) -> Tensor { f(a) }\n"
    assert found(head + "def @main(a: Tensor) -> Tensor { @map(@main, a) }") == []
    loud = "def @main(a: Tensor) -> Tensor { print(a); @map(@main, a) }"
    assert found(head + loud) == [("argument-mismatch", "@main")]
    local = "def @f(a: Tensor) -> Tensor { let g = fn (b: Tensor) -> Tensor { print(b); @map(g, b) }; g(a) }"
    assert found(head + local) == [("argument-mismatch", "g")]


def test_T_S8_parameters_the_other_way_round() -> None:
    head = "def @call(f: fn(Tensor) -> Tensor) -> () { () }\n"
    wide = "def @main() { @call(fn (a: Object) -> Tensor[ndim=2, float32] { zeros(shape(2, 2), dtype=float32) }) }"
    assert found(head + wide) == []
    narrow = "def @main() { @call(fn (a: Tensor[ndim=2]) -> Tensor { a }) }"
    assert [slug for slug, _ in found(head + narrow)] == ["argument-mismatch"]


def test_T_C1_T_C2_T_C3_casts() -> None:
    assert in_body("@g2(x)") == []
    assert in_body("let y = match_cast(u, Tensor[ndim=2, float32]); @g2(y)") == []
    assert in_body("@g2(u)") == [("needs-match-cast", "u")]
    assert in_body("@g2(shape(2))") == [("argument-mismatch", "shape(2)")]


def test_T_K1_D_1_callees_come_first() -> None:
    text = "def @main(x: Tensor[(n,), float32]) { @a(x) }\ndef @b(y: Tensor[(k,), int8]) { y }\n"
    text += "def @a(y: Object) { @b(const([1], int8)) }"
    assert found(text) == []
    assert infos(text)["gv"] == "Tensor[(1,), int8]"
    assert found("def @f(a: Tensor) { @g(a) }\ndef @g(a: Tensor) { @f(a) }") == [
        ("recursive-fn-needs-return-annotation", "@f"),
        ("recursive-fn-needs-return-annotation", "@g"),
    ]


def test_T_K1_annotations_count_within_a_circle() -> None:
    text = (
        "def @even(i: Tensor[(), int32]) -> Tensor[(), bool] { if i == 0 { true } else { @odd(i - 1) } }\n"
        "def @odd(i: Tensor[(), int32]) -> Tensor[(), bool] { if i == 0 { false } else { @even(i - 1) } }\n"
    )
    assert found(text) == []
    assert found(text.replace("@even(i - 1)", "@even(shape(1))")) == [("argument-mismatch", "shape(1)")]
    assert found(text.replace("{ false }", "{ 1 }")) == [
        ("needs-match-cast", "if i == 0 { 1 } else { @even(i - 1) }")
    ]


def test_T_K2_unbound_variables_have_no_consequences() -> None:
    assert slugs("let y: Tensor[(2, 2), int8] = nope; let z = y[0]; @g2(nope)") == [
        "undefined-variable",
        "not-a-tuple",
    ]


def test_T_K3_constants() -> None:
    assert in_body("let y: Tensor[ndim=1, float32] = const([1, 2], int32); y") == [
        ("annotation-mismatch", "const([1, 2], int32)")
    ]
    assert info_of("const([[1, 2], [3, 4]], int64)") == "Tensor[(2, 2), int64]"
    assert info_of("const([], int8)") == "Tensor[(0,), int8]"


def test_T_K4_T_K5_T_K6_shapes_tuples_externs() -> None:
    assert in_body("let z: Shape[ndim=3] = shape(2, 3); z") == [("annotation-mismatch", "shape(2, 3)")]
    assert info_of("(x, shape(2))") == "(Tensor[(2, 3), float32], Shape[(2,)])"
    assert in_body("let p: (Tensor,) = (x, x); p") == [("annotation-mismatch", "(x, x)")]
    assert info_of('extern "f"') == "PackedFunc"
    assert in_body('let f: fn(Tensor) -> Tensor = extern "f"; f') == [("annotation-mismatch", 'extern "f"')]


def test_T_K7_1_operators() -> None:
    assert in_body("matmul(x, permute_dims(x))") == []
    assert in_body("matmul(x, x)") == [("op-shape-mismatch", "matmul(x, x)")]


def test_T_K7_2_packed_calls() -> None:
    assert info_of('extern "f"(x)') == "Object"
    assert info_of('extern "f"(x) -> Tensor[ndim=2, float32]') == "Tensor[ndim=2, float32]"
    assert in_body('let y: Tensor = extern "f"(x); y') == [("needs-match-cast", 'extern "f"(x)')]


def test_T_K7_3_callees() -> None:
    assert in_body("let f = fn (a: Tensor) -> Tensor { a }; f(x)") == []
    assert in_body("let f = fn (a: Tensor) -> Tensor { a }; f(x, x)") == [("arity", "f(x, x)")]
    assert in_body("@g2(x, x)") == [("arity", "@g2(x, x)")]
    assert in_body("x(x)") == [("not-callable", "x")]
    assert in_body("o(x)") == [("needs-match-cast", "o")]


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("c", []),
        ("1.0", [("condition-not-bool", "1.0")]),
        ("const([true])", [("condition-not-bool", "const([true])")]),
        ("sh", [("condition-not-bool", "sh")]),
        ("u", [("needs-match-cast", "u")]),
        ("o", [("needs-match-cast", "o")]),
    ],
)
def test_T_K8_ERR_41_conditions(condition: str, expected: list[tuple[str, str]]) -> None:
    assert in_body(f"if {condition} {{ x }} else {{ x }}") == expected


def test_T_K8_partly_known_conditions_and_joins() -> None:
    head = "def @main(c: {}, x: Tensor, r: Tensor[ndim=2, float32]) {{ if c {{ x }} else {{ r }} }}"
    assert found(head.format("Tensor[_, bool]")) == [("needs-match-cast", "c")]
    assert found(head.format("Tensor[ndim=0]")) == [("needs-match-cast", "c")]
    assert found(head.format("Tensor[ndim=0, bool]")) == []
    assert info_of("if c { x } else { r2 }") == "Tensor[ndim=2, float32]"


def test_T_K9_indexing() -> None:
    assert info_of("t[1]") == "Shape[ndim=2]"
    assert in_body("t[2]") == [("tuple-index", "2")]
    assert in_body("(x,)[ 1 ]") == [("tuple-index", "1")]
    assert in_body("x[0]") == [("not-a-tuple", "x")]
    assert in_body("o[0]") == [("needs-match-cast", "o")]
    assert in_body('(extern "np.unique")[0]') == [("not-a-tuple", 'extern "np.unique"')]


def test_T_K10_2_one_may_forget_not_invent() -> None:
    assert in_body("let y: Tensor[ndim=2, float32] = x; let z: Tensor[(2, 3), float32] = y; z") == [
        ("possibly-incompatible", "y")
    ]
    assert in_body("let y: Tensor[ndim=2, float32] = u; y") == [("needs-match-cast", "u")]
    assert in_body("let y: Tensor[ndim=3, float32] = x; y") == [("annotation-mismatch", "x")]


def test_T_K10_3_T_K10_8_inferred_types_of_blocks() -> None:
    assert info_of("{ let y = x; (y, y) }") == "(Tensor[(2, 3), float32], Tensor[(2, 3), float32])"


def test_T_K10_4_ERR_12_function_literals() -> None:
    assert in_body("let f = fn (a: Tensor) { f(a) }; f") == [("recursive-fn-needs-return-annotation", "f")]
    assert in_body("let f = fn (a: Tensor) -> Tensor { f(a) }; f") == []
    assert in_body("let f: fn(Tensor) -> Tensor = fn (a: Tensor) { f(a) }; f") == []
    assert info_of("fn (a: Tensor[(k, 2), int8]) { a }") == "fn(Tensor[(k, 2), int8]) -> Tensor[(k, 2), int8]"


def test_T_K10_5_T_K10_6_match_casts() -> None:
    assert in_body("match_cast(x, Shape[ndim=2]); x") == [("match-cast-never", "Shape[ndim=2]")]
    assert in_body("match_cast(u, Tensor[ndim=2, float32]); x") == []
    assert in_body("let y: Tensor = match_cast(u, Tensor[(2, 3), float32]); y") == [
        ("match-cast-annotated", "Tensor")
    ]
    assert in_body("let y: Tensor[ndim=3, float32] = match_cast(u, Tensor[ndim=2, float32]); y") == [
        ("annotation-mismatch", "Tensor[ndim=2, float32]")
    ]
    assert in_body("let y: Tensor[ndim=2, float32] = match_cast(u, Tensor[ndim=2, float32]); y") == []


def test_T_K11_1_T_K11_4_T_K11_5_functions() -> None:
    assert found("def @f(a: Tensor) -> Tensor { @f(a) }") == []
    assert found("def @f(a: Tensor[(2, 3), float32]) -> Tensor[ndim=2, float32] { a }") == []
    assert found("def @f(a: Tensor[ndim=2, float32]) -> Tensor[ndim=3, float32] { a }") == [
        ("return-mismatch", "a")
    ]
    assert found("def @f(a: Tensor) -> Tensor[ndim=2, float32] { a }") == [("needs-match-cast", "a")]


def test_T_K12_less_specific_is_an_error() -> None:
    assert in_body("@h(r2)") == [("possibly-incompatible", "r2")]
    assert in_body("let v: Tensor = x; @h(v)") == [("needs-match-cast", "v")]


def test_Z_2_Z_3_place_gives_the_slug() -> None:
    assert slugs("@h(x)") == ["argument-mismatch"]
    assert slugs("let y: Tensor[(2, 4), float32] = x; y") == ["annotation-mismatch"]
    assert slugs("let f = fn (a: Tensor) -> Shape { a }; f") == ["return-mismatch"]
    assert slugs("let f: fn(Object) -> Object = fn (a: Tensor) { a }; f") == ["annotation-mismatch"]


def test_Z_5_what_was_rejected_fits_everywhere() -> None:
    assert slugs("let y = matmul(x, x); let z: Shape = y; let w1 = y[3]; y(z)") == ["op-shape-mismatch"]
    assert slugs("let y = @h(x); @g2(y); let z: Tensor[(9,), int8] = y; z") == ["argument-mismatch"]
    assert slugs("let y: Tensor[(9,), int8] = @h(x); @g2(y)") == ["argument-mismatch", "argument-mismatch"]
    assert slugs("let y = frob(x); let z: Shape = y; z") == ["unknown-operator"]
    assert slugs("let y = exp(x, x); let z: Shape = y; z") == ["arity"]
    assert slugs("let y = sum(x, axes=1); let z: Shape = y; z") == ["op-attribute"]
    assert slugs("let y = @relu(x); let z: Shape = y; z") == ["primfunc-call"]
    assert slugs("let y: Tensor[(4, 3), float32] = @g(x[0:3]); y") == ["index-not-constant"]
    assert slugs("let y: Tensor[(4,), int8] = @g2(x[0:3]); y") == [
        "annotation-mismatch",
        "index-not-constant",
    ]


def test_Z_5_type_errors_beside_scope_errors() -> None:
    assert slugs("let y: Shape = x; let z = nope; let v: Tensor[(k,), int8] = x; v") == [
        "annotation-mismatch",
        "undefined-variable",
        "undefined-shape-var",
    ]
    text = "def @f(a: Tensor, a: Shape) { a }\ndef @g(b) { @f(b, b) }\ndef @h(v: Tensor[(k * 2,), int8]) { @h2(v) }"
    assert [slug for slug, _ in found(text)] == [
        "duplicate-parameter",
        "param-needs-annotation",
        "undefined-shape-var",
        "undefined-global",
    ]


def test_T_K10_1_T_K10_7_dataflow_blocks() -> None:
    assert in_body("dataflow { let l = add(x, x); let v: Tensor[(2, 3), float32] = l; output v; } v") == []
    assert in_body("dataflow { let l = add(x, x); let v: Tensor[(2, 4), float32] = l; output v; } v") == [
        ("annotation-mismatch", "l")
    ]
    assert slugs("dataflow { let l = x; let v = l; output v; } @g2(l)") == ["dataflow-var-escapes"]
