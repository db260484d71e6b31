"""Globals, operators, scalars, dataflow blocks: G.25, G.34, G.40, S.1, O.1, OP.1, V.12, W.6.3, W.11, W.12, N.12."""

from __future__ import annotations

import pytest

from relax_lang import api
from relax_lang.base.diagnostic import UNSAFE
from relax_lang.base.node import same
from relax_lang.scope.resolve import resolve
from relax_lang.syntax import tree
from relax_lang.syntax.parser import parse
from tests.scope.harness import RELU, bad, body, diagnostics, fixed, marked, ok, resolved, slugs

UNIT = "def @main() -> () { () }\n"


def test_S_1_G_25_globals_are_visible_everywhere() -> None:
    assert slugs("def @a() -> () { @b() }\ndef @b() -> () { () }") == []
    bad("@nope()", "undefined-global", "@nope")
    text = body("@rleu(x)").replace("@rleu(x)", "call_tir(@rleu, (x,)) -> Tensor[(2, 3), float32]")
    assert marked(text) == [("undefined-global", "@rleu")]
    assert "call_tir(@relu, (x,))" in fixed(text)


def test_S_2_references_are_noted() -> None:
    found = resolved("def @a() -> () { @b() }\ndef @b() -> () { dataflow { let g = @a(); output g; } g }")
    a, b = found.globals["a"], found.globals["b"]
    assert [(item, block) for _, item, block in found.references[a]] == [(b, None)]
    ((_, item, block),) = found.references[b]
    assert item is a
    assert type(block) is tree.DataflowBlock


def test_Z_5_an_undefined_global_is_reported_once() -> None:
    assert slugs("def @a() -> Object { (@b(), @b()) }") == ["undefined-global"]


def test_G_40_names_are_unique() -> None:
    text = "prim_func @f(X: Buffer[(3,), float32]) { }\ndef @f() -> () { () }\n"
    (one,) = diagnostics(text)
    assert (one.slug, one.pos) == ("duplicate-global", text.rindex("@f"))
    assert one.labels[0].pos == text.index("@f")
    assert slugs("def @f() -> () { () }\ndef @g() -> () { () }") == []


@pytest.mark.parametrize(
    ("written", "meant"),
    [("R.add", "add"), ("relax.add", "add"), ("np.add", "add"), ("R.nn.relu", "nn.relu")],
)
def test_Y_7_prefixes_of_python(written: str, meant: str) -> None:
    args = "x" if meant == "nn.relu" else "x, x"
    bad(f"{written}({args})", "unknown-operator", written)
    text = fixed(body(f"{written}({args})"))
    assert f"\n{meant}({args})\n" in text
    assert slugs(text) == []


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("transpose(x)", "permute_dims"),
        ("unsqueeze(x, axis=0)", "expand_dims"),
        ("torch.nn.functional.softmax(x)", "nn.softmax"),
        ("view(x, shape(2))", "reshape"),
        ("bmm(x, x)", "matmul"),
        ("np.mod(x, x)", "floor_mod"),
    ],
)
def test_Y_7_names_of_other_frameworks_have_a_fix_that_is_not_safe(written: str, meant: str) -> None:
    name = written.partition("(")[0]
    one = bad(written, "unknown-operator", name)
    assert one.message == f"there is no operator `{name}`; here it is `{meant}`"
    assert one.help == f"write `{meant}`; compare the arguments: `relax ops {meant}`"
    assert [fix.applicability for fix in one.fixes] == [UNSAFE]


@pytest.mark.parametrize("written", ["R.const", "frob", "index_everything"])
def test_Y_7_nothing_is_made_up_for_names_that_are_not_alike(written: str) -> None:
    one = bad(f"{written}(x)", "unknown-operator", written)
    assert (one.message, one.help, one.fixes) == (f"there is no operator `{written}`", "", [])


@pytest.mark.parametrize(
    ("written", "form"),
    [
        ("logsumexp(x)", "log(sum(exp(x), axis=…))"),
        ("np.swapaxes(x, 0, 1)", "permute_dims(x, axes=[…])"),
        ("torch.transpose(x, 0, 1)", "permute_dims(x, axes=[…])`, with all axes in their new order"),
        ("unsqueeze(x)", "expand_dims(x, axis=…)"),
        ("view(x)", "reshape(x, shape(…))"),
    ],
)
def test_Y_7_where_a_new_name_is_not_enough_there_is_the_form_and_no_fix(written: str, form: str) -> None:
    one = bad(written, "unknown-operator", written.partition("(")[0])
    assert (one.help, one.fixes) == (f"write `{form}" + ("" if "with" in form else "`"), [])


@pytest.mark.parametrize(
    ("written", "right"),
    [
        ("unsqueeze(x, 0)", "expand_dims(x, axis=0)"),
        ("torch.cat((x, x), 0)", "concat((x, x), axis=0)"),
        ("view(x, (3, 2))", "reshape(x, shape(3, 2))"),
    ],
)
def test_Y_7_arguments_change_with_the_name_of_the_operator(written: str, right: str) -> None:
    """One fix, after which nothing is wrong with the call."""
    text = "def @main(x: Tensor[(2, 3), float32]) {\n  %s\n}\n"
    (found,) = api.check(text % written).diagnostics
    assert [fix.applicability for fix in found.fixes] == [UNSAFE]
    assert api.fix_text(text % written, unsafe=True).text == text % right
    assert api.check(text % right).diagnostics == []


def test_Y_7_none_is_left_out_only_where_it_can_be() -> None:
    one = bad("nn.batch_flatten(None)", "undefined-variable", "None")
    assert (one.message, one.fixes) == ("`None` is not defined: this operand is needed", [])


@pytest.mark.parametrize(
    ("written", "question"),
    [
        ("matmull", "did you mean `matmul`?"),
        ("nn.sotfmax", "did you mean `nn.softmax`?"),
        ("select", "did you mean `take` or `where`?"),
    ],
)
def test_Y_7_what_may_be_wrong_is_a_question_and_not_a_fix(written: str, question: str) -> None:
    one = bad(f"{written}(x, x)", "unknown-operator", written)
    assert (one.help, one.fixes) == (question, [])


@pytest.mark.parametrize(
    ("written", "helped"),
    [
        ("x.shape", "no fields; its dimensions can be written as in its declaration: `2`, `3`"),
        ("x.foo()", "variables have no methods and no fields"),
    ],
)
def test_Y_7_variables_have_no_methods(written: str, helped: str) -> None:
    found = bad(f"let a = {written};", "unknown-operator", written.split("(", maxsplit=1)[0])
    assert found.help.startswith("`x` is a variable")
    assert found.help.endswith(helped)


def test_Y_7_dimensions_have_names() -> None:
    assert bad("let a = s.shape;", "unknown-operator", "s.shape").help.endswith("declaration: `n`, `3`")
    found = bad("let a = u.shape;", "unknown-operator", "u.shape")
    assert found.help.endswith("no fields")
    assert found.fixes[0].title == "write `shape_of(u)`"


def test_Y_7_dtypes_are_no_values() -> None:
    assert bad("let a = (x, float16);", "undefined-variable", "float16").help.endswith("`dtype=float16`")
    assert bad("let a = astype(x, float16);", "op-attribute", "float16").help == "write `dtype=float16`"


def test_G_34_operators() -> None:
    ok("nn.relu(x)")
    one = bad("relux(x)", "unknown-operator", "relux")
    assert one.help == "did you mean `nn.relu` or `nn.relu6`?"
    assert one.fixes == []
    one = bad("relu(x)", "unknown-operator", "relu")
    assert "@relu" in one.message  # the prim_func of that name
    assert "call_tir" in one.help


def test_G_34_a_local_variable_comes_first() -> None:
    ok("let add = fn(a: Tensor) -> Tensor { a }; add(x)")
    bad(
        "let y = if c { let f = fn(a: Tensor) -> Tensor { a }; f(x) } else { x }; f(y)",
        "undefined-variable",
        "f",
    )


def test_G_34_a_function_without_its_sign() -> None:
    text = "def @double(x: Tensor) -> Tensor { add(x, x) }\ndef @main(x: Tensor) -> Tensor { double(x) }\n"
    assert marked(text) == [("unknown-operator", "double")]
    assert "{ @double(x) }" in fixed(text)


def test_OP_1_once_for_a_name() -> None:
    assert slugs(body("(frob(x), frob(x), frob)")) == ["unknown-operator", "undefined-variable"]


def test_V_12_a_prim_func_is_not_called_directly() -> None:
    one = bad("@relu(x)", "primfunc-call", "@relu(x)")
    assert "call_tir(@relu, (x,))" in one.help
    one = bad("@relu(x, x) -> Tensor[(2, 3), float32]", "primfunc-call")
    assert "call_tir(@relu, (x,))" in one.help
    ok("@relu(x, x)")  # with its destination
    ok("call_tir(@relu, (x,)) -> Tensor[(2, 3), float32]")


def test_O_1_call_tir_names_a_prim_func() -> None:
    text = (
        RELU
        + "def @g(a: Tensor) -> Tensor { a }\ndef @main(x: Tensor) -> Object { call_tir(@g, (x,)) -> Tensor }"
    )
    assert marked(text) == [("not-a-primfunc", "@g")]
    bad("call_tir(@nope, (x,)) -> Tensor[(2, 3), float32]", "undefined-global", "@nope")
    bad("let f = @relu; call_tir(f, (x,)) -> Tensor[(2, 3), float32]", "not-a-primfunc", "f")
    bad('call_tir(extern "f", (x,)) -> Tensor[(2, 3), float32]', "not-a-primfunc", 'extern "f"')
    bad("call_tir(nope, (x,)) -> Tensor[(2, 3), float32]", "undefined-variable", "nope")


def test_O_1_a_prim_func_without_its_sign() -> None:
    text = body("call_tir(relu, (x,)) -> Tensor[(2, 3), float32]")
    assert marked(text) == [("undefined-variable", "relu")]
    assert "call_tir(@relu, (x,))" in fixed(text)


def test_W_6_3_no_if_in_a_dataflow_block() -> None:
    bad("dataflow { let g2 = if c { x } else { x }; output g2; }", "if-in-dataflow", "if")
    ok("let y = if c { x } else { x }; dataflow { let g2 = y; output g2; }")


def test_N_15_nor_as_an_argument_there_and_once_for_a_chain() -> None:
    bad("dataflow { let g = add(if c { x } else { x }, x); output g; }", "if-in-dataflow", "if")
    bad("dataflow { let g = if c { x } else if c { x } else { x }; output g; }", "if-in-dataflow", "if")


def test_W_6_5_a_function_defined_there_may_contain_anything() -> None:
    ok("dataflow { let h = fn(a: Tensor) -> Tensor { print(a); if c { a } else { x } }; output h; } h")


def test_N_12_block_expressions_in_a_dataflow_block() -> None:
    ok("dataflow { let g = { let z = x; add(z, z) }; output g; } g")
    bad("dataflow { let g = { bindings { let z = x; } z }; output g; }", "bindings-in-dataflow", "bindings")
    ok("dataflow { let g = { dataflow { let z = x; output z; } z }; output g; } g")
    bad("dataflow { let g = { dataflow { let z = x; } z }; output g; } g", "dataflow-var-escapes", "z")
    ok("dataflow { let h = fn(a: Tensor) -> Tensor { bindings { let z = a; } z }; output h; } h")


def test_W_11_something_is_public() -> None:
    assert slugs("def @main() -> () { () }") == []
    text = "private def @main() -> () { () }"
    (one,) = diagnostics(text)
    assert (one.slug, one.severity) == ("no-entry-point", "warning")
    assert slugs("private def @f() -> () { () }\nprim_func @g(X: Buffer[(3,), float32]) { }") == []
    assert slugs("") == []


def test_W_12_the_symbol_is_the_name() -> None:
    assert slugs('def @main() -> () attrs { global_symbol: "main" } { () }') == []
    text = 'def @main() -> () attrs { global_symbol: "other" } { () }'
    assert marked(text) == [("global-symbol-mismatch", '"other"')]
    assert fixed(text) == text.replace("other", "main")
    text = UNIT + 'private def @f() -> () attrs { global_symbol: "f" } { () }'
    assert marked(text) == [("global-symbol-mismatch", 'global_symbol: "f"')]
    text = 'prim_func @p(X: Buffer[(3,), float32]) attrs { global_symbol: "q" } { }'
    assert slugs(text) == ["global-symbol-mismatch"]


def scalars(statements: str) -> list[tree.Expr]:
    parsed = parse(body(statements))
    found = resolve(parsed.tree)
    assert not found.diagnostics, found.diagnostics
    return list(found.scalars.values())


def test_X15_1_scalar_operands_are_dimension_expressions() -> None:
    zero, twice = scalars("arange(0, n * 2)")
    assert same(zero, tree.PrimValue(tree.IntImm(0)))
    assert same(twice, tree.PrimValue(tree.Mul(tree.PrimVar("n"), tree.IntImm(2))))


def test_X15_1_numbers_of_any_kind_and_sign() -> None:
    low, high = scalars("clip(x, -1.5, inf)")
    assert same(low, tree.PrimValue(tree.Neg(tree.FloatImm(1.5))))
    assert same(high, tree.PrimValue(tree.FloatImm(float("inf"))))
    low, high = scalars("clip(x, const(-1, int64), const(-0.0))")
    assert same(low, tree.PrimValue(tree.IntImm(-1, tree.DType("int64"))))
    assert same(high, tree.PrimValue(tree.Neg(tree.FloatImm(0.0))))


def test_X15_1_tuples_of_scalars() -> None:
    axes, begin, end = scalars("strided_slice(x, (0,), (0,), (min(n, 2),))")
    assert same(axes, tree.Tuple((tree.PrimValue(tree.IntImm(0)),)))
    assert same(begin, axes)
    assert same(end, tree.Tuple((tree.PrimValue(tree.Min(tree.PrimVar("n"), tree.IntImm(2))),)))


def test_X15_1_names_are_found_and_missed_as_shape_variables() -> None:
    found = resolved(body("arange(0, n)"))
    assert {type(node) for node in found.shape_bindings if node.pos == body("arange(0, n)").rindex("n)")} == {
        tree.Var,
        tree.PrimVar,
    }
    bad("arange(0, k)", "undefined-shape-var", "k")
    bad("arange(0, x)", "value-in-dim", "x")
    bad("arange(0, n // 0)", "dim-division-by-zero", "n // 0")
    bad("arange(0, n + 1.5)", "dim-not-integer", "1.5")
    ok("arange(0, -n)")


@pytest.mark.parametrize(
    "operand", ["exp(x)", "(x, x)[0]", "n ** 2", "if c { x } else { x }", "const([1, 2], int64)"]
)
def test_X15_1_what_is_no_scalar(operand: str) -> None:
    statements = f"arange(0, {operand})"
    assert slugs(body(statements))[0] in ("op-argument", "unknown-operator")


def test_G_16_a_variable_as_a_shape() -> None:
    ok("let y: Tensor[sh, float32] = x;")


def test_deep_trees_are_no_problem() -> None:
    ok("let y = " + "x" + " + x" * 4900 + ";")
    ok("let y = " + "t" + "[0]" * 4900 + ";")
    ok("let y = " + "(" * 900 + "x" + ",)" * 900 + ";")
