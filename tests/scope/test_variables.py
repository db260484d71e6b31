"""Relax variables: S.3-S.11, S.18-S.21, W.1-W.3, W.8, W.10, W.13.a, G.24, G.36, and the reports about them."""

from __future__ import annotations

import pytest

from relax_lang.api import RelaxError, print_tree
from relax_lang.base.node import walk
from relax_lang.normalize.normalize import normalize
from relax_lang.scope.resolve import resolve
from relax_lang.syntax import tree
from relax_lang.syntax.parsed import Losses
from relax_lang.syntax.parser import parse
from tests.scope.harness import bad, body, diagnostics, fixed, marked, ok, resolved, slugs


def test_S_3_parameters_are_visible_in_their_function_only() -> None:
    ok("add(x, x)")
    text = "def @f(a: Tensor) -> Tensor { a }\ndef @g() -> Tensor { a }\n"
    (one,) = diagnostics(text)
    assert one.slug == "undefined-variable"
    assert text[one.pos : one.end] == "a"
    assert one.pos > text.index("@g")
    assert text[one.labels[0].pos : one.labels[0].end] == "a"
    assert "@f" in one.labels[0].message


def test_S_3_and_an_unnamed_parameter_of_a_literal_is_local_to_it() -> None:
    one = bad("let f = fn(a: Tensor) -> Tensor { a }; a", "undefined-variable", "a")
    assert "local" in one.message


def test_S_4_a_function_literal_sees_its_own_name() -> None:
    ok("let f = fn(a: Tensor) -> Tensor { f(a) }; f(x)")
    one = bad("let y = add(y, x); y", "use-before-bind", "y")
    assert "this very statement" in one.message


@pytest.mark.parametrize(
    ("statements", "called"),
    [
        ("let g = fn (a: Tensor) -> Tensor { a }; g(x)", []),
        ("let g = fn (a: Tensor) -> Tensor { g(a) }; x", []),  # it sees its own name [S.4]
        ("let h = fn (a: Tensor) -> Tensor { h(a) }; exp(x)", ["exp"]),
        ("exp(x)", ["exp"]),
        ("let y = if c { let exp = x; exp } else { x }; exp(x)", ["exp"]),
        ("let k = fn (exp: Tensor) -> Tensor { exp }; exp(x)", ["exp"]),
        ("dataflow { let exp = x; } exp(x)", ["exp"]),
        ("dataflow { let exp = x; output exp; } exp(x)", []),
        ("let y = exp(x); let exp = fn (a: Tensor) -> Tensor { a }; exp(y)", ["exp"]),
        ("let nn = x; nn.relu(x)", ["nn.relu"]),
        ("let `nn.relu` = fn (a: Tensor) -> Tensor { a }; `nn.relu`(x)", []),
        ("`nn.relu`((exp)(x))", ["nn.relu", "exp"]),
    ],
)
def test_G_34_bare_callees_are_operators_unless_a_variable_has_the_name(
    statements: str, called: list[str]
) -> None:
    text = f"def @f(x: Tensor, c: Tensor) -> Tensor {{ {statements} }}"
    assert operators_called(text) == called
    written = parse(text).tree
    normal = normalize(written, resolve(written))
    callees = [node for node in walk(normal) if isinstance(node, tree.Op)]
    assert sorted(one.op_name for one in callees) == sorted(called)
    for one in callees:
        assert text[one.pos : one.end].strip("`()") == one.op_name


@pytest.mark.parametrize(
    ("statements", "called"),
    [
        ("arange(0, min(max(n, 1), 4))", ["arange"]),
        ("x * max(n, 1)", []),
        ("max(x, axis=0)", ["max"]),
        ("arange(0, exp(sin(x)))", ["arange"]),  # no scalar
        ("zeros((min(n, 4), 3), float32)", ["zeros"]),  # no shape
        ("R.reshape(sin(x), (max(n, 1), 4))", ["R.reshape", "sin"]),
        ("let f: fn(Tensor[shape_of(sin(x)), float32]) -> Tensor = @f; sin(x)", ["sin"]),
        ("nothing(sin(x))", ["nothing", "sin"]),
    ],
)
def test_calls_whose_names_are_not_looked_up_call_no_operator(statements: str, called: list[str]) -> None:
    """They belong to dimensions, or to something that was reported, of which nothing follows. [Z.5]"""
    assert operators_called(f"def @f(x: Tensor[(n,), float32]) -> Tensor {{ {statements} }}") == called


def test_calls_in_incomplete_functions_call_no_operator() -> None:
    (function,) = parse("def @f(x: Tensor) -> Tensor { sin(x) }").tree.items
    losses = Losses()
    losses.incomplete.add(function)  # something of its head is missing
    found = resolve(tree.IRModule((), (function,)), losses)
    assert [found.operator_of(node) for node in walk(function) if isinstance(node, tree.Call)] == [None]


def operators_called(text: str) -> list[str]:
    """Return the names of the operators that the calls of a text call, in its order."""
    parsed = parse(text)
    found = resolve(parsed.tree, parsed.losses, parsed.parens)
    calls = [node for node in walk(parsed.tree) if isinstance(node, tree.Call)]
    return [name for call in calls if (name := found.operator_of(call)) is not None]


@pytest.mark.parametrize(
    ("operator", "variable", "is_hidden"),
    [
        ("exp", "y", False),
        ("exp", "exp", True),
        ("lv0.1", "lv0.1", True),
        ("nn.relu", "nn.relu", False),  # the variable would be written in quotes
    ],
)
def test_G_43_an_operator_that_a_variable_hides_has_no_text(
    operator: str, variable: str, is_hidden: bool
) -> None:
    bound = tree.BindingBlock((tree.VarBinding(tree.Var(variable), tree.Tuple(())),))
    body = tree.SeqExpr((bound,), tree.Call(tree.Op(operator)))
    module = tree.IRModule((), (tree.Function(tree.GlobalVar("f"), False, None, (), None, (), body),))
    assert [one.op_name for one in resolve(module).hidden] == [operator] * is_hidden
    if is_hidden:
        with pytest.raises(RelaxError, match="is read as the local variable of that name"):
            print_tree(module)
    else:
        assert operators_called(print_tree(module)) == [operator]


def test_S_4_recursion_is_noted_and_is_no_capture() -> None:
    found = resolved(body("let f = fn(a: Tensor) -> Tensor { f(add(a, x)) }; f(x)"))
    (function,) = found.recursive
    assert [one.name_hint for one in found.captures[function]] == ["x"]


def test_S_4_an_older_variable_is_meant_where_there_is_one() -> None:
    ok("let y = add(x, x); let y = add(y, x); y")


def test_S_5_visible_in_later_statements_blocks_and_the_result() -> None:
    ok("let a = x; dataflow { let g = add(a, a); output g; } add(a, g)")
    bad(
        "let a = x; dataflow { let g = add(a, a); let h = a; output h; } add(a, g)",
        "dataflow-var-escapes",
        "g",
    )


def test_S_6_not_visible_after_the_braces() -> None:
    ok("let y = if c { let w = x; w } else { x }; y")
    one = bad("let y = if c { let w = x; w } else { x }; w", "undefined-variable", "w")
    assert "local" in one.message
    assert one.labels


def test_S_7_a_dataflow_variable_is_visible_in_its_block_only() -> None:
    ok("dataflow { let a = x; let b = add(a, a); output b; } b")
    statements = "dataflow { let a = x; let b = add(a, a); output b; } a"
    one = bad(statements, "dataflow-var-escapes", "a")
    assert "output" in one.message
    assert "output b, a; } a" in fixed(body(statements))
    assert slugs(fixed(body(statements))) == []


def test_S_7_the_fix_writes_an_output_where_there_is_none() -> None:
    text = fixed(body("dataflow { let `a b` = x; } `a b`"))
    assert "output `a b`; }" in text
    assert slugs(text) == []


def test_S_8_output_lists_what_the_block_binds() -> None:
    ok("dataflow { let gv = x; output gv; } gv")
    bad("dataflow { let gv = x; output nope; }", "output-undefined", "nope")
    one = bad("dataflow { let gv = x; output gv, gv; } gv", "duplicate-output", "gv")
    assert one.severity == "warning"
    assert "output gv; }" in fixed(body("dataflow { let gv = x; output gv, gv; } gv"))


def test_S_8_what_is_bound_outside_needs_no_output() -> None:
    one = bad("dataflow { let gv = x; output gv, x; } gv", "output-undefined", "x")
    assert one.labels
    assert not one.fixes


def test_S_8_uses_of_a_misspelled_output_are_consequences() -> None:
    bad("dataflow { let gv = x; output gw; } add(gw, gv)", "output-undefined", "gw")


def test_S_8_the_last_binding_of_a_name_leaves() -> None:
    ok("dataflow { let y = x; let y = add(y, y); output y; } y")
    text = body("dataflow { let y = x; let f = fn() -> Tensor { y }; let y = x; output y, f; } y")
    assert slugs(text) == ["closure-captures-dataflow-var"]


def test_S_9_parameters_have_different_names() -> None:
    assert slugs("def @f(a: Tensor, b: Tensor) -> Tensor { a }") == []
    text = "def @f(a: Tensor, a: Tensor) -> Tensor { a }"
    (one,) = diagnostics(text)
    assert (one.slug, one.pos) == ("duplicate-parameter", text.rindex("a: Tensor"))
    assert one.labels[0].pos == text.index("a: Tensor")
    bad("let f = fn(a: Tensor, a: Tensor) -> Tensor { a };", "duplicate-parameter", "a")


def test_S_10_rebinding_makes_a_new_variable() -> None:
    text = body("let y = add(x, x); let y = multiply(y, y); y")
    parsed = parse(text)
    found = resolve(parsed.tree)
    binders = [node.var for node in walk(parsed.tree) if type(node) is tree.VarBinding]
    uses = [node for node in walk(parsed.tree) if type(node) is tree.Var and node.name_hint == "y"]
    meant = [found.bindings[use] for use in uses if use not in binders]
    assert meant == [binders[0], binders[0], binders[1]]


def test_S_11_shadowing_ends_with_the_scope() -> None:
    text = body("let z = if c { let x = add(x, x); x } else { x }; x")
    parsed = parse(text)
    found = resolve(parsed.tree)
    last = [node for node in walk(parsed.tree) if type(node) is tree.Var and node.name_hint == "x"][-1]
    main = parsed.tree.items[1]
    assert type(main) is tree.Function
    assert found.bindings[last] is main.params[0]
    assert [(one.slug, one.severity) for one in found.diagnostics] == [("shadowing", "off")]


def test_S_18_closures_capture_variables() -> None:
    found = resolved(body("let w = x; let f = fn(a: Tensor) -> Tensor { add(add(w, y4), w) }; f(x)"))
    ((function, captured),) = found.captures.items()
    assert [one.name_hint for one in captured] == ["w", "y4"]
    assert type(function) is tree.Function


def test_S_18_an_inner_closure_captures_through_the_outer_one() -> None:
    found = resolved(
        body("let f = fn(a: Tensor) -> Object { fn(b: Tensor) -> Tensor { add(add(a, b), x) } }; f(x)")
    )
    assert sorted([sorted([one.name_hint for one in each]) for each in found.captures.values()]) == [
        ["a", "x"],
        ["x"],
    ]


def test_S_19_variables_and_shape_variables_have_separate_namespaces() -> None:
    text = "def @f(n: Shape[ndim=2], a: Tensor[(n, 3), float32], b: Tensor[n, float32]) -> Shape { shape(n) }"
    (one,) = diagnostics(text)
    assert (one.slug, one.severity, one.pos) == (
        "name-in-both-namespaces",
        "warning",
        text.index("(n, 3") + 1,
    )
    found = resolve(parse(text).tree)
    (use,) = [node for node in found.bindings if node.pos == text.index("Tensor[n,") + 7]
    assert found.bindings[use].pos == text.index("n: Shape")


def test_S_19_told_at_the_second_and_once() -> None:
    text = "def @f(a: Tensor[(n, 3), float32], n: Tensor) -> Tensor { let n = n; n }"
    assert marked(text) == [("name-in-both-namespaces", "n")]


def test_S_20_a_function_literal_opens_a_scope() -> None:
    ok("let f = fn(a: Tensor) -> Tensor { let q = a; q };")
    bad("let f = fn(a: Tensor) -> Tensor { let q = a; q }; q", "undefined-variable", "q")


def test_S_21_underscore_never_binds_a_readable_name() -> None:
    ok("let _ = x; let _ = c;")
    bad("let _ = x; add(_, x)", "undefined-variable", "_")
    assert slugs("def @f(_: Tensor, _: Tensor) -> () { () }") == []


def test_W_1_b_as_S_7() -> None:
    bad("dataflow { let lv = x; } let y = lv;", "dataflow-var-escapes", "lv")


def test_W_2_a_every_variable_is_bound() -> None:
    one = bad("add(x, q)", "undefined-variable", "q")
    assert one.message.startswith("`q` is not defined")
    one = bad("add(x, sh1)", "undefined-variable", "sh1")
    assert one.message == "`sh1` is not defined (nearest: `sh`)"
    assert "add(x, sh)" in fixed(body("add(x, sh1)"))


def test_W_2_b_only_functions_mention_themselves() -> None:
    bad("let t2 = (x, t2);", "use-before-bind", "t2")
    bad("let f = (fn(a: Tensor) -> Tensor { f(a) },);", "use-before-bind")


def test_W_3_use_before_bind() -> None:
    ok("let q = x; let b = add(x, q);")
    one = bad("let b = add(x, q); let q = x;", "use-before-bind", "q")
    assert "later" in one.message
    assert one.labels
    ok("let q = x; let b = add(x, q); let q = b;")  # an older q is meant


def test_W_3_also_from_inside_a_branch_or_a_function() -> None:
    bad("let y = if c { q } else { x }; let q = x;", "use-before-bind", "q")
    bad("let f = fn(a: Tensor) -> Tensor { g(a) }; let g = f;", "use-before-bind", "g")


def test_G_36_statements_are_ordered() -> None:
    ok("let a = x; let b = a; b")
    bad("let b = a; let a = x; b", "use-before-bind", "a")


def test_V_7_a_value_cannot_mention_itself() -> None:
    bad("let f = add(f, x);", "use-before-bind", "f")


@pytest.mark.parametrize(
    ("statements", "mark"), [("let f = add;", "add"), ("(add, x)", "add"), ("(nn.relu, x)", "nn.relu")]
)
def test_W_8_an_operator_is_only_called(statements: str, mark: str) -> None:
    ok("add(x, x)")
    one = bad(statements, "op-as-value", mark)
    assert mark in one.message


def test_W_8_the_fix_wraps_it() -> None:
    text = fixed(body("let f = exp; f(x)"))
    assert "fn(x: Tensor) { exp(x) }" in text
    assert slugs(text) == []


def test_W_8_a_variable_of_that_name_is_a_value() -> None:
    ok("let add = x; (add, x)")


def test_W_10_a_closure_in_a_dataflow_block() -> None:
    ok("dataflow { let h = fn(b: Tensor) -> Tensor { add(b, x) }; let r = h(x); output r; } r")
    statements = "dataflow { let lv = x; let h = fn(b: Tensor) -> Tensor { add(b, lv) }; output h; } h"
    bad(statements, "closure-captures-dataflow-var", "lv")
    assert slugs(fixed(body(statements))) == []
    ok("dataflow { let lv = x; let h = fn(b: Tensor) -> Tensor { add(b, lv) }; output h, lv; } h")


def test_W_10_also_in_annotations_of_the_closure() -> None:
    bad(
        "dataflow { let w = sh; let h = fn(b: Tensor[w, float32]) -> Tensor { b }; output h; }",
        "closure-captures-dataflow-var",
        "w",
    )


def test_W_10_a_recursive_function_in_a_dataflow_block_captures_nothing() -> None:
    ok("dataflow { let h = fn(b: Tensor) -> Tensor { h(b) }; let r = h(x); output r; } r")


def test_W_10_bindings_of_a_block_expression_belong_to_the_dataflow_block() -> None:
    statements = "dataflow { let g = { let z = x; let f = fn() -> Tensor { z }; f }; output g; }"
    bad(statements, "closure-captures-dataflow-var", "z")


def test_W_13_a_the_shape_of_an_annotation_is_a_variable_in_scope() -> None:
    ok("let s2 = shape(n, 3); let y: Tensor[s2, float32] = reshape(x, s2);")
    bad("let y: Tensor[q, float32] = x;", "undefined-variable", "q")


def test_B_6_underscore_is_no_value() -> None:
    ok("let y: Tensor[_, float32] = u;")
    bad("_", "undefined-variable", "_")


def test_G_24_a_dataflow_variable_may_have_the_name_of_a_later_variable() -> None:
    ok("dataflow { let lv = add(x, x); let gv = add(lv, lv); output gv; } let lv = gv; lv")


def test_Z_5_a_name_is_reported_once_in_a_function() -> None:
    assert marked(body("let a = add(q, q); let b = add(a, q); b")) == [("undefined-variable", "q")]
    text = "def @f() -> Object { (q, q) }\ndef @g() -> Object { q }\n"
    assert slugs(text) == ["undefined-variable", "undefined-variable"]


def test_Z_5_callee_and_value_of_one_missing_name_are_one_mistake() -> None:
    assert slugs(body("let y = (g(x), g); let g = fn(a: Tensor) -> Tensor { a };")) == ["use-before-bind"]


def test_a_global_without_its_sign_is_recognised() -> None:
    text = "def @double(x: Tensor) -> Tensor { add(x, x) }\ndef @main(x: Tensor) -> Object { (double, x) }\n"
    (one,) = diagnostics(text)
    assert one.slug == "undefined-variable"
    assert "(@double, x)" in fixed(text)


@pytest.mark.parametrize(("habit", "meant"), [("True", "true"), ("None", "()")])
def test_Y_7_words_of_python(habit: str, meant: str) -> None:
    bad(f"(x, {habit})", "undefined-variable", habit)
    assert f"(x, {meant})" in fixed(body(f"(x, {habit})"))


def test_many_mistakes_take_linear_time() -> None:
    lines = "".join([f"let a{i} = b{i};\n" for i in range(3000)])
    later = "".join([f"let b{i} = x;\n" for i in range(3000)])
    assert slugs(body(lines + later)) == ["use-before-bind"] * 3000


def test_W_2_used_before_and_after_its_dataflow_block() -> None:
    text = (
        "def @main(x: Tensor[(2,), float32]) { let a = add(y, x); let b = add(y, x); "
        "dataflow { let y = add(x, x); let z = add(y, y); output z; } let c = add(y, z); add(y, c) }"
    )
    found = [(one.slug, one.pos) for one in resolve(parse(text).tree).diagnostics]
    assert found == [("use-before-bind", text.index("y, x)")), ("dataflow-var-escapes", text.index("y, z)"))]
