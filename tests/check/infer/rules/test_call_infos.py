"""Struct infos of calls: operators, callees, arguments, signatures. [D.11] [D.12]"""

from __future__ import annotations

from tests.check.infer.harness import check, found, in_body, info_of, infos, slugs


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


def test_D_12_6_P_5_the_signatures_of_functions() -> None:
    from relax_lang.format.printer import show

    text = "def @f(a: Tensor[(n,), int8]) { @h(a) }\ndef @h(a: Object) { print(a); a }\ndef @g(a: Shape) -> Shape { a }"
    functions = check(text).inferred.functions
    assert {name: show(info) for name, info in functions.items()} == {
        "f": "impure fn(Tensor[(n,), int8]) -> Object",
        "h": "impure fn(Object) -> Object",
        "g": "fn(Shape) -> Shape",
    }


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
