"""Shape variables and dimensions: S.12-S.17, W.4, W.5, W.13.b, W.14, G.1-G.8, G.16, G.17, G.32, ERR.40, B.16, B.31."""

from __future__ import annotations

import pytest

from relax_lang.scope.resolve import resolve
from relax_lang.syntax import tree
from relax_lang.syntax.parser import parse
from tests.scope.harness import bad, body, diagnostics, fixed, marked, ok, resolved, slugs


def test_S_12_signature_variables_belong_to_the_function() -> None:
    assert (
        slugs("def @f(a: Tensor[(n,), float32]) -> Tensor[(n * 2,), float32] { concat((a, a), axis=0) }")
        == []
    )
    text = "def @f(a: Tensor[(n,), float32]) -> Object { a }\ndef @g(b: Tensor) -> Object { shape(n) }"
    (one,) = diagnostics(text)
    assert (one.slug, one.pos) == ("undefined-shape-var", text.rindex("n)"))
    assert "@f" in one.labels[0].message


def test_S_13_a_match_cast_binds_to_the_end_of_the_braces() -> None:
    ok("dataflow { match_cast(u, Tensor[(k,), float32]); } shape(k)")
    ok("bindings { match_cast(u, Tensor[(k,), float32]); } shape(k)")
    one = bad(
        "let y = if c { match_cast(u, Tensor[(k,), float32]); u } else { u }; shape(k)",
        "undefined-shape-var",
        "k",
    )
    assert "ended" in one.labels[0].message
    bad("let y = { match_cast(u, Tensor[(k,), float32]); u }; shape(k)", "undefined-shape-var", "k")


def test_S_13_D_7_2_in_the_annotation_of_its_own_binding() -> None:
    ok("let v: Tensor[(k,), float32] = match_cast(u, Tensor[(k,), float32]); v")


def test_S_14_bound_once_then_used() -> None:
    text = body("match_cast(u, Tensor[(k, k), float32]); shape(k)")
    found = resolve(parse(text).tree)
    ks = sorted(
        [node for node in found.shape_bindings if getattr(node, "name", "") == "k"], key=lambda node: node.pos
    )
    assert len(ks) == 3
    assert {found.shape_bindings[k] for k in ks} == {ks[0]}


def test_S_15_use_before_binding() -> None:
    ok("match_cast(u, Tensor[(k,), float32]); shape(k)")
    one = bad("let a = shape(k); match_cast(u, Tensor[(k,), float32]);", "undefined-shape-var", "k")
    assert "further down" in one.labels[0].message
    one = bad("shape(k)", "undefined-shape-var", "k")
    assert one.help


def test_S_16_variables_of_a_function_type_belong_to_it() -> None:
    text = "def @f(g: fn(Tensor[(k,), float32]) -> Tensor[(k,), float32]) -> Object { shape(k) }"
    (one,) = diagnostics(text)
    assert (one.slug, one.pos) == ("undefined-shape-var", text.rindex("k)"))
    assert "belongs" in one.notes[0]


def test_S_16_a_variable_in_scope_is_used_not_rebound() -> None:
    text = "def @f(a: Tensor[(n,), float32], g: fn(Tensor[(n,), float32]) -> Tensor[(n,), float32]) -> Object { g(a) }"
    parsed = parse(text)
    found = resolve(parsed.tree)
    assert found.diagnostics == []
    assert {binder.pos for binder in found.shape_bindings.values()} == {text.index("n,")}


def test_S_17_V_6_local_functions_capture_shape_variables() -> None:
    ok("let f = fn(a: Tensor) -> Shape[ndim=1] { shape(n) };")
    bad(
        "let f = fn(a: Tensor) -> Shape[ndim=1] { shape(k) }; match_cast(u, Tensor[(k,), float32]);",
        "undefined-shape-var",
        "k",
    )


def test_S_17_a_parameter_of_a_local_function_binds_what_is_new() -> None:
    ok("let f = fn(a: Tensor[(j, n), float32]) -> Tensor[(j, n), float32] { a };")
    bad("let f = fn(a: Tensor[(j, n), float32]) -> Tensor { a }; shape(j)", "undefined-shape-var", "j")


def test_W_4_a_result_uses_what_parameters_bind() -> None:
    assert slugs("def @f(a: Tensor[(n,), float32]) -> Tensor[(n * 2,), float32] { a }") == []
    text = "def @f(a: Tensor[(n,), float32]) -> Tensor[(k,), float32] { a }"
    assert marked(text) == [("return-annotation-unbound", "k")]


def test_W_4_B_16_also_when_the_body_binds_it() -> None:
    text = "def @f(u: Tensor) -> Tensor[(k,), float32] { let v = match_cast(u, Tensor[(k,), float32]); v }"
    (one,) = diagnostics(text)
    assert (one.slug, one.labels[0].pos) == ("return-annotation-unbound", text.rindex("k,"))


def test_W_4_variables_of_the_enclosing_scope_may_be_used() -> None:
    ok("let f = fn() -> Shape[(n,)] { shape(n) };")
    bad("let f = fn() -> Shape[(k,)] { shape(2) };", "return-annotation-unbound", "k")


def test_W_5_b_only_a_bare_variable_binds() -> None:
    ok("match_cast(u, Tensor[(k, k * 2), float32]);")
    one = bad("match_cast(u, Tensor[(k * 2,), float32]);", "undefined-shape-var", "k")
    assert "a whole dimension" in one.help


def test_W_5_c_ERR_40_the_order_in_a_signature_does_not_matter() -> None:
    text = "def @f(a: Tensor[(n * 2,), float32], b: Tensor[(n,), float32]) -> Object { a }"
    (one,) = diagnostics(text)
    assert (one.slug, one.severity, text[one.pos : one.end]) == ("dim-used-before-bound", "hint", "n")
    assert one.labels[0].pos == text.rindex("n,")
    assert marked("def @f(a: Tensor[(n * 2,), float32]) -> Object { a }") == [("undefined-shape-var", "n")]


def test_W_5_c_nor_in_one_annotation() -> None:
    found = bad("match_cast(u, Tensor[(k * 2, k), float32]); shape(k)", "dim-used-before-bound", "k")
    assert found.severity == "hint"


def test_W_13_b_W_14_annotations_bind_nothing() -> None:
    bad("let y: Tensor[(k, 3), float32] = x;", "undefined-shape-var", "k")
    bad("let z: Shape[(k,)] = shape(3);", "undefined-shape-var", "k")
    bad('let z = extern "f"(x) -> Tensor[(k,), float32];', "undefined-shape-var", "k")
    assert slugs("def @f(a: Shape[(n, n)]) -> Shape { shape(n) }") == []


def test_B_2_match_shape_binds() -> None:
    ok("match_shape(u, (k, 3)); shape(k)")
    ok("let v = match_shape(sh, (k, k)); shape(k)")


def test_B_23_cast_binds_like_a_match_cast() -> None:
    ok("let v = cast(u) -> Tensor[(k,), float32]; shape(k)")
    ok("(cast(u) -> Tensor[(k,), float32], shape(k))")
    bad("(shape(k), cast(u) -> Tensor[(k,), float32])", "undefined-shape-var", "k")
    bad("cast(u, u) -> Tensor", "arity")


def test_G_1_a_shape_variable_is_no_value() -> None:
    ok("shape(n, 4)")
    bad("let y = n;", "shape-var-as-value", "n")
    assert "let y = scalar(n);" in fixed(body("let y = n;"))
    bad("(x, n)", "shape-var-as-value", "n")
    ok("add(x, n)")


def test_G_1_G_16_nor_a_shape() -> None:
    bad("let y: Tensor[n, float32] = u;", "shape-var-as-value", "n")
    assert "Tensor[(n,), float32]" in fixed(body("let y: Tensor[n, float32] = u;"))


def test_G_2_integers_of_64_bits() -> None:
    ok("shape(3, 9223372036854775807)")
    bad("shape(9223372036854775808)", "literal-does-not-fit", "9223372036854775808")
    bad("shape(2.5)", "dim-not-integer", "2.5")
    bad("shape(n * 2.5)", "dim-not-integer", "2.5")


@pytest.mark.parametrize("division", ["n // 0", "n / 0", "n % 0", "6 // (2 - 2)"])
def test_G_4_division_by_zero(division: str) -> None:
    ok("shape(n / 2, n // 2, n % 2)")
    bad(f"shape({division})", "dim-division-by-zero", division)


def test_G_5_min_and_max() -> None:
    ok("shape(min(n, 5), max(m, 1))")
    assert "1 is given" in bad("shape(min(n))", "arity", "min(n)").message
    bad("shape(sqrt(n))", "unknown-operator", "sqrt")


def test_G_6_conditions_only_where_one_is_wanted() -> None:
    ok("shape(select(!(n == 0 || m == 0), n, 1))")
    bad("shape(n == m)", "dim-not-integer", "n == m")
    bad("shape(true)", "dim-not-integer", "true")
    bad("shape(n + (m < 3))", "dim-not-integer")


def test_G_7_select() -> None:
    ok("shape(select(n > 3, n, n + 1))")
    bad("shape(select(n, 1, 2))", "dim-condition-not-boolean", "n")
    bad("shape(select(!n, 1, 2))", "dim-condition-not-boolean", "n")


def test_G_8_comparisons_of_dimensions() -> None:
    ok("shape(select(n >= 1, n, 1))")
    bad("shape(select(n >= x, n, 1))", "value-in-dim", "x")


def test_G_17_G_32_values_in_dimensions() -> None:
    bad("let z: Shape[(x, 2)] = shape(2, 2);", "value-in-dim", "x")
    one = bad("shape(x)", "value-in-dim", "x")
    assert one.labels
    ok("let z: Shape[(n, m)] = shape(n, m);")


def test_B_31_wildcard_dimensions_are_reserved() -> None:
    bad("let y: Tensor[(n, _), float32] = x;", "wildcard-dimension", "_")
    assert slugs("def @f(a: Tensor[(_, 2), float32]) -> Object { a }") == ["wildcard-dimension"]


def test_V_9_negative_sizes() -> None:
    bad("shape(-1)", "negative-dimension", "-1")
    bad("shape(2, 3 - 5)", "negative-dimension", "3 - 5")
    ok("reshape(x, shape(3, -1))")
    bad("reshape(x, shape(3, -2))", "negative-dimension", "-2")
    bad("let y: Tensor[(-1,), float32] = x;", "negative-dimension", "-1")


def test_G_20_derive_functions() -> None:
    ok('let f: PackedFunc[derive="empty"] = extern "f";')
    ok('let f: PackedFunc[derive="default"] = extern "f";')
    bad('let f: PackedFunc[derive="nope"] = extern "f";', "unknown-derive-func", '"nope"')


def test_Z_5_a_shape_variable_is_reported_once() -> None:
    assert slugs(body("let a = shape(k, k); let b = shape(k + 1);")) == ["undefined-shape-var"]


def test_deep_dimensions_are_no_problem() -> None:
    deep = "(" * 900 + "n" + " + 1)" * 900
    assert slugs(body(f"shape({deep})")) == []


def test_the_nearest_shape_variable() -> None:
    text = "def @f(a: Tensor[(batch, 3), float32]) -> Object { shape(bacth) }"
    (one,) = diagnostics(text)
    assert "batch" in one.message
    assert "shape(batch)" in fixed(text)


def test_S_12_signature_tables() -> None:
    found = resolved("def @f(a: Tensor[(n, m), float32]) -> Tensor[(m, n), float32] { a }")
    binders = [node for node, binder in found.shape_bindings.items() if node is binder]
    assert sorted([node.name for node in binders if type(node) is tree.PrimVar]) == ["m", "n"]
    assert len(found.shape_bindings) == 4
