"""The normal form, rule by rule: N.0-N.16, OP.8, B.1, B.23, X15.1. The text printed is compared."""

from __future__ import annotations

import pytest

from relax_lang.base.diagnostic import ERROR
from relax_lang.base.node import same, walk
from relax_lang.format.printer import print_tree
from relax_lang.normalize.normalize import normalize
from relax_lang.normalize.verify import verify_normal_form
from relax_lang.scope.resolve import resolve
from relax_lang.syntax import tree
from relax_lang.syntax.parser import parse
from tests.work import executed_lines

HEAD = "def @main(x: Tensor, y: Tensor, c: Tensor[(), bool], u: Tensor, t: Object) -> Object "


def normal_tree(text: str) -> tree.IRModule:
    parsed = parse(text)
    assert not parsed.diagnostics, parsed.diagnostics
    found = resolve(parsed.tree)
    assert [one for one in found.diagnostics if one.severity == ERROR] == []
    return normalize(parsed.tree, found)


def check(statements: str, expected: str) -> None:
    """Compare the normal form of a body with a text, and see that it is one, and a fixed point."""
    made = normal_tree(HEAD + "{ " + statements + " }")
    assert verify_normal_form(made) == []
    wanted = parse(HEAD + "{ " + expected + " }")
    assert not wanted.diagnostics, wanted.diagnostics
    assert print_tree(made) == print_tree(wanted.tree)
    again = normal_tree(print_tree(made))
    assert same(made, again)


def test_N_0_formatting_does_not_normalize_and_normalizing_twice_changes_nothing() -> None:
    check("add(x, x)", "let gv = add(x, x); gv")
    check("let gv = add(x, x); gv", "let gv = add(x, x); gv")


def test_N_0_normal_nodes_are_taken_over() -> None:
    text = HEAD + "{ let a = nn.relu(x); let b = (a, shape(2)); dataflow { let d = exp(b); output d; } d }"
    for written, taken in ((parse(text).tree, 2), (normal_tree(text), 3)):
        before = {id(node) for node in walk(written) if type(node) is tree.VarBinding}
        made = normalize(written, resolve(written))
        after = {id(node) for node in walk(made) if type(node) is tree.VarBinding}
        assert len(after) == 3
        assert len(after & before) == taken


def test_N_1_right_hand_sides_have_only_leaves_below() -> None:
    check("let b = add(multiply(x, x), x); b", "let gv = multiply(x, x); let b = add(gv, x); b")


def test_N_2_leaves_stay() -> None:
    statements = 'let b = extern "f"((x, shape(2)), 1, @main, extern "g", (), const([1, 2], int64)); b'
    check(statements, statements)
    check("let f = t; f(f[0])", "let f = t; let gv = f[0]; let gv_1 = f(gv); gv_1")


def test_N_3_fields_of_tuples_are_bound_first() -> None:
    check(
        "let z = concat((add(x, x), x), axis=0); z", "let gv = add(x, x); let z = concat((gv, x), axis=0); z"
    )
    check("((x, exp(x)), exp(y))", "let gv = exp(x); let gv_1 = exp(y); ((x, gv), gv_1)")


def test_N_4_N_11_blocks_on_the_way_are_flattened() -> None:
    check("exp({ let z = x; z })", "let z = x; let gv = exp(z); gv")
    check("let w = { let z = x; add(z, z) }; w", "let z = x; let w = add(z, z); w")


def test_N_5_bodies_and_branches_are_blocks() -> None:
    made = normal_tree("def @f(a: Tensor) -> Tensor { a }")
    (function,) = made.items
    assert type(function) is tree.Function
    assert same(function.body, tree.SeqExpr((), tree.Var("a")))
    bare = tree.Function(
        tree.GlobalVar("f"), False, None, (tree.Var("a", tree.ObjectStructInfo()),), None, (), tree.Var("a")
    )
    module = tree.IRModule((), (bare,))
    assert verify_normal_form(module)
    assert verify_normal_form(normalize(module, resolve(module))) == []


def test_N_6_N_7_neighbours_merge_and_empty_blocks_vanish() -> None:
    check(
        "dataflow { } let a = x; bindings { let b = a; } bindings { } "
        "dataflow { let l = b; let p = l; output p; } dataflow { let q = p; output q; } dataflow { } q",
        "let a = x; let b = a; dataflow { let l = b; let p = l; let q = p; output p, q; } q",
    )


def test_N_8_ordinary_and_dataflow_blocks_stay_apart() -> None:
    statements = "let a = x; dataflow { let b = a; output b; } let d = b; d"
    check(statements, statements)
    check("dataflow { let b = x; output b; } bindings { } dataflow { let e = b; output e; } e",
          "dataflow { let b = x; let e = b; output b, e; } e")  # fmt: skip


def test_N_9_the_result_is_a_leaf_and_is_bound_outside_the_dataflow_block() -> None:
    check("dataflow { let a = x; output a; } exp(a)", "dataflow { let a = x; output a; } let gv = exp(a); gv")


def test_N_10_conditions_callees_and_operands_are_leaves() -> None:
    check(
        "if equal(x, y) { x } else { exp(y) }",
        "let gv = equal(x, y); let gv_2 = if gv { x } else { let gv_1 = exp(y); gv_1 }; gv_2",
    )
    check("(x, y)[0]", "let gv = (x, y)[0]; gv")
    check("(exp(x), y)[0]", "let gv = exp(x); let gv_1 = (gv, y)[0]; gv_1")
    check(
        "(fn(a: Tensor) -> Tensor { a })(exp(x))",
        "let gv = fn(a: Tensor) -> Tensor { a }; let gv_1 = exp(x); let gv_2 = gv(gv_1); gv_2",
    )


def test_N_11_an_outer_variable_is_not_captured() -> None:
    check(
        "let z = y; let w = { let z = x; add(z, z) }; add(z, w)",
        "let z = y; let z_1 = x; let w = add(z_1, z_1); let gv = add(z, w); gv",
    )


def test_N_11_rebinding_in_one_scope() -> None:
    check("let z = x; let z = exp(z); z", "let z = x; let z_1 = exp(z); z_1")
    check("let x = exp(x); x", "let x_1 = exp(x); x_1")


def test_N_11_shape_variables_of_different_scopes() -> None:
    check(
        "let a = { match_cast(u, Tensor[(k,), float32]); u }; let b = { match_cast(y, Tensor[(k, 2), float32]); "
        "shape(k) }; arange(0, 4)",
        "match_cast(u, Tensor[(k,), float32]); let a = u; match_cast(y, Tensor[(k_1, 2), float32]); "
        "let b = shape(k_1); let gv = arange(0, 4); gv",
    )


def test_N_11_a_function_type_keeps_its_own_variables() -> None:
    check(
        "let a = { match_cast(u, Tensor[(k,), float32]); shape(k) }; "
        "let f = fn(g: fn(Tensor[(k,), float32]) -> Tensor[(k,), float32]) -> Object { g(x) }; (a, f)",
        "match_cast(u, Tensor[(k_1,), float32]); let a = shape(k_1); "
        "let f = fn(g: fn(Tensor[(k,), float32]) -> Tensor[(k,), float32]) -> Object { let gv = g(x); gv }; (a, f)",
    )


def test_N_11_a_variable_named_like_an_operator() -> None:
    check(
        "let w = { let add = x; exp(add) }; add(w, w)",
        "let add_1 = x; let w = exp(add_1); let gv = add(w, w); gv",
    )
    check("let w = { let add = x; add + add }; w", "let add_1 = x; let w = add(add_1, add_1); w")
    check("let mean = x; exp(mean)", "let mean = x; let gv = exp(mean); gv")


def test_N_12_a_block_in_a_dataflow_block_becomes_part_of_it() -> None:
    check(
        "dataflow { let g = { let z = x; add(z, exp(z)) }; output g; } g",
        "dataflow { let z = x; let lv = exp(z); let g = add(z, lv); output g; } g",
    )
    check(
        "dataflow { let g = { dataflow { let z = x; output z; } z }; output g; } g",
        "dataflow { let z = x; let g = z; output g; } g",
    )


def test_N_13_from_the_left_callee_first_operands_before_calls() -> None:
    a, b = 'extern "a"', 'extern "b"'
    check(
        f"{b}({b}({a}(x), x), {b}({a}(x), x))",
        f"let gv = {a}(x); let gv_1 = {b}(gv, x); let gv_2 = {a}(x); let gv_3 = {b}(gv_2, x); "
        f"let gv_4 = {b}(gv_1, gv_3); gv_4",
    )
    check(f"{a}()({b}())", f"let gv = {a}(); let gv_1 = {b}(); let gv_2 = gv(gv_1); gv_2")


def test_N_14_fresh_names_avoid_those_of_the_author() -> None:
    check(
        "let a = exp(exp(x)); let gv = y; let gv_1 = a; (gv, gv_1)",
        "let gv_2 = exp(x); let a = exp(gv_2); let gv = y; let gv_1 = a; (gv, gv_1)",
    )


def test_N_14_dataflow_variables_are_made_in_dataflow_blocks_only() -> None:
    check(
        "dataflow { let a = exp(exp(x)); output a; } exp(exp(a))",
        "dataflow { let lv = exp(x); let a = exp(lv); output a; } let gv = exp(a); let gv_1 = exp(gv); gv_1",
    )
    check(
        "dataflow { let f = fn(a: Tensor) -> Tensor { exp(exp(a)) }; output f; } f",
        "dataflow { let f = fn(a: Tensor) -> Tensor { let gv = exp(a); let gv_1 = exp(gv); gv_1 }; output f; } f",
    )


def test_N_14_only_the_last_of_two_bindings_leaves() -> None:
    check(
        "dataflow { let a = x; let a = exp(a); output a; } a",
        "dataflow { let a = x; let a_1 = exp(a); output a_1; } a_1",
    )


def test_N_15_if_and_functions_stay_whole() -> None:
    statements = "let w = if c { x } else { y }; w"
    check(statements, statements)
    statements = "let f = fn(a: Tensor) -> Tensor { let r = f(a); r }; f"
    check(statements, statements)
    check("exp(if c { x } else { y })", "let gv = if c { x } else { y }; let gv_1 = exp(gv); gv_1")
    check(
        "if c { x } else if c { y } else { u }",
        "let gv_1 = if c { x } else { let gv = if c { y } else { u }; gv }; gv_1",
    )


def test_N_16_names_are_unique_in_a_function_and_parameters_keep_theirs() -> None:
    check(
        "let f = fn(x: Tensor) -> Tensor { x }; let g = fn(x: Tensor[(k,), float32]) -> Tensor[(k,), float32] { x }; "
        "let h = fn(x: Tensor[(k,), float32], s: Shape[ndim=1], z: Tensor[s, float32]) -> Object { let k = x; k }; x",
        "let f = fn(x_1: Tensor) -> Tensor { x_1 }; "
        "let g = fn(x_2: Tensor[(k,), float32]) -> Tensor[(k,), float32] { x_2 }; "
        "let h = fn(x_3: Tensor[(k_1,), float32], s: Shape[ndim=1], z: Tensor[s, float32]) -> Object "
        "{ let k = x_3; k }; x",
    )


def test_N_16_annotations_follow_their_variables() -> None:
    check(
        "let s = shape(2, 3); let s = shape(3, 2); let w: Tensor[s, float32] = x; w",
        "let s = shape(2, 3); let s_1 = shape(3, 2); let w: Tensor[s_1, float32] = x; w",
    )


def test_OP_8_sugar_is_a_call() -> None:
    check("-x ** 2.0 + y % 1.0", "let gv = power(x, 2.0); let gv_1 = negative(gv); let gv_2 = floor_mod(y, 1.0); "
          "let gv_3 = add(gv_1, gv_2); gv_3")  # fmt: skip
    check("!c && c", "let gv = logical_not(c); let gv_1 = logical_and(gv, c); gv_1")


def test_G_38_statements_without_a_name_keep_their_effects() -> None:
    check("print(x); print(exp(x)); x", "print(x); let gv = exp(x); print(gv); x")


def test_B_1_match_shape_stays() -> None:
    statements = "let w = match_shape(u, (n, m)); match_shape(w, (n, m)); w"
    check(statements, statements)


def test_B_8_a_shape_behind_with_belongs_to_the_struct_info() -> None:
    check("let w: Tensor[_, float32] with (2, 3) = u; w", "let w: Tensor[(2, 3), float32] = u; w")
    check("let w: Tensor with (2,) = u; w", "let w: Tensor[(2,)] = u; w")
    check("let w: Shape[ndim=1] with (2,) = t; w", "let w: Shape[(2,)] = t; w")


def test_B_10_B_11_a_computed_shape_is_bound_first() -> None:
    check(
        "let w: Tensor[shape_of(exp(u)), float32] = exp(u); w",
        "let gv = exp(u); let gv_1 = shape_of(gv); let w: Tensor[gv_1, float32] = exp(u); w",
    )
    check(
        'let w = match_cast(u, (Tensor[extern "f"(x)], Tensor[(k,)])); w',
        'let gv = extern "f"(x, pure=true) -> Shape; let w = match_cast(u, (Tensor[gv], Tensor[(k,)])); w',
    )
    check(
        'let w = extern "f"(exp(x)) -> Tensor[shape_of(y)]; w',
        'let gv = exp(x); let gv_1 = shape_of(y); let w = extern "f"(gv) -> Tensor[gv_1]; w',
    )
    check(
        "let p = (x, shape(2)); let w: Tensor[p[1], float32] = u; w",
        "let p = (x, shape(2)); let gv = p[1]; let w: Tensor[gv, float32] = u; w",
    )
    check(
        "dataflow { let w: Tensor[shape_of(x), float32] = u; output w; } w",
        "dataflow { let lv = shape_of(x); let w: Tensor[lv, float32] = u; output w; } w",
    )


def test_B_10_B_12_the_shapes_of_a_signature_are_computed_once_at_its_entry() -> None:
    check(
        "let f = fn (a: Tensor, b: (Tensor[shape_of(a), float32], Object)) -> Tensor[shape_of(a)] { b[0] }; f",
        "let f = fn (a: Tensor, b: (Tensor[_, float32], Object)) -> Tensor { "
        "let gv = shape_of(a); match_cast(b, (Tensor[gv, float32], Object)); let gv_1 = shape_of(a); "
        "let gv_2 = b[0]; let gv_3 = match_cast(gv_2, Tensor[gv_1]); gv_3 }; f",
    )


def test_B_23_cast_is_a_match_cast() -> None:
    check("let w = cast(u) -> Tensor[(k,), float32]; w", "let w = match_cast(u, Tensor[(k,), float32]); w")
    check("cast(u) -> Tensor[(k,), float32]; shape(k)", "match_cast(u, Tensor[(k,), float32]); shape(k)")
    check(
        "exp(cast(exp(u)) -> Tensor[(k,), float32])",
        "let gv = match_cast(exp(u), Tensor[(k,), float32]); let gv_1 = exp(gv); gv_1",
    )
    check(
        "let w: Object = cast(u) -> Tensor[(k,), float32]; w",
        "let w: Object = match_cast(u, Tensor[(k,), float32]); w",
    )


def test_X15_1_scalar_operands() -> None:
    made = normal_tree("def @main(x: Tensor[(n, 3), float32]) -> Object { arange(-1, n * 2) }")
    (call,) = [node for node in walk(made) if type(node) is tree.Call]
    assert same(call.args[0], tree.PrimValue(tree.Neg(tree.IntImm(1))))
    assert same(call.args[1], tree.PrimValue(tree.Mul(tree.PrimVar("n"), tree.IntImm(2))))
    assert same(made, normal_tree(print_tree(made)))


def test_temporaries_have_the_span_of_their_origin() -> None:
    text = "def @main(x: Tensor) -> Object { let a = x + exp(x); { let b = a; multiply(b, b) } }"
    made = normal_tree(text)
    temporaries = {}
    for node in walk(made):
        if type(node) is tree.VarBinding and type(node.var) is tree.Var:
            temporaries[node.var.name_hint] = text[node.var.pos : node.var.end]
    assert temporaries == {"gv": "exp(x)", "a": "a", "b": "b", "gv_1": "multiply(b, b)"}


def test_trees_built_in_python_may_use_the_definitions_themselves() -> None:
    a, y = tree.Var("a", tree.ObjectStructInfo()), tree.Var("y", tree.ObjectStructInfo())
    call = tree.Call(tree.Op("exp"), (tree.Call(tree.Op("exp"), (a,), (), None),), (), None)
    body = tree.SeqExpr((tree.BindingBlock((tree.VarBinding(y, call),), False),), y)
    item = tree.Function(tree.GlobalVar("f"), False, None, (a,), None, (), body)
    module = tree.IRModule((), (item,))
    made = normalize(module, resolve(module))
    assert verify_normal_form(made) == []
    expected = "def @f(a: Object) { let gv = exp(a); let y: Object = exp(gv); y }"
    assert same(made, normal_tree(expected))


def test_prim_funcs_and_attributes_are_left_alone() -> None:
    text = (
        "module attrs { a: 1 }\nprim_func @p(X: Buffer[(3,), float32]) { X[0] = 1.0; }\n"
        + HEAD
        + "{ exp(exp(x)) }"
    )
    made = normal_tree(text)
    parsed = parse(text).tree
    assert same(made.items[0], parsed.items[0])
    assert made.attrs == made.attrs
    assert len(made.attrs) == 1


@pytest.mark.parametrize(
    ("statements", "why"),
    [
        ("let a = add(exp(x), x); a", "argument"),
        ("exp(x)", "result"),
        ("let a = { let b = x; b }; a", "value"),
        ("let a = (exp(x), x); a", "value"),
        ("if exp(x) { x } else { y }", "condition"),
        ("let a = exp(x)[0]; a", "tuple"),
        ("let a = t(x)(y); a", "callee"),
        ("let a = x + y; a", "written as a call"),
        ("let a = add(x, x); a", "an operator is an Op"),
        ("dataflow { let a = x; let b = a; output b; } b", "DataflowVar"),
        ("bindings { let a = x; } bindings { let b = a; } b", "belongs to the one before"),
        ("dataflow { } x", "empty"),
        ("let a = x; let a = y; a", "name of another variable"),
    ],
)
def test_N_1_to_N_10_the_verifier(statements: str, why: str) -> None:
    found = verify_normal_form(parse(HEAD + "{ " + statements + " }").tree)
    assert found
    assert {one.slug for one in found} == {"not-normal"}
    assert any(why in one.message for one in found), found


def test_B_23_the_verifier_knows_the_older_cast() -> None:
    cast = tree.Call(tree.Op("cast"), (tree.Var("x"),), (), tree.ObjectStructInfo())
    block = tree.BindingBlock((tree.VarBinding(tree.Var("a"), cast),))
    body = tree.SeqExpr((block,), tree.Var("a"))
    param = tree.Var("x", tree.ObjectStructInfo())
    item = tree.Function(tree.GlobalVar("f"), False, None, (param,), None, (), body)
    (found,) = verify_normal_form(tree.IRModule((), (item,)))
    assert "match_cast" in found.message


def test_deep_programs() -> None:
    for statements in ("x" + " + x" * 4900, "t" + "[0]" * 4900, "exp(" * 900 + "x" + ")" * 900):
        assert verify_normal_form(normal_tree(HEAD + "{ " + statements + " }")) == []
    nested = "{ let a = " * 450 + "x" + "; a }" * 450
    assert verify_normal_form(normal_tree(HEAD + "{ let r = " + nested + "; r }")) == []


def lines_executed(n_bindings: int) -> int:
    lines = "".join([f"let a{i % 7} = add(a{(i - 1) % 7}, exp(x));\n" for i in range(1, n_bindings)])
    parsed = parse(
        HEAD + "{ let a0 = x;\n" + "".join([f"let a{i} = x;\n" for i in range(1, 7)]) + lines + "a0 }"
    )
    return executed_lines(lambda: normalize(parsed.tree, resolve(parsed.tree)))


def test_the_work_is_linear() -> None:
    """Many definitions of few names, so that each gets a new one: ten times the text in about that much work."""
    assert lines_executed(3_000) < 10 * 1.2 * lines_executed(300)
