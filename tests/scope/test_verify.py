"""Rules that only trees built in Python can break: W.1.a, W.2.a, W.2.c, W.9, W.15, W.17, S.10."""

from __future__ import annotations

from relax_lang.scope.resolve import resolve
from relax_lang.scope.verify import verify
from relax_lang.syntax import tree
from relax_lang.syntax.parser import parse
from tests.scope.harness import PARAMETERS

OBJECT = tree.ObjectStructInfo()


def module(*items: tree.Item) -> tree.IRModule:
    return tree.IRModule((), items)


def function(name: str, params: tuple[tree.Var, ...], *blocks: tree.BlockOfBindings) -> tree.Function:
    body = tree.SeqExpr(blocks, tree.Tuple(()))
    return tree.Function(tree.GlobalVar(name), False, None, params, OBJECT, (), body)


def slugs(item: tree.IRModule) -> list[str]:
    return [one.slug for one in verify(item)]


def let(var: tree.Expr, value: tree.Expr) -> tree.VarBinding:
    return tree.VarBinding(var, value)


def annotated(info: tree.StructInfo) -> tree.IRModule:
    return module(function("f", (tree.Var("a", tree.TupleStructInfo((info,))),)))


def test_what_is_parsed_is_well_formed() -> None:
    assert (
        verify(
            parse(
                f"def @f({PARAMETERS}) -> Object {{ dataflow {{ let a = x; let b = a; output b; }} b }}"
            ).tree
        )
        == []
    )


def test_W_2_a_S_10_bound_twice() -> None:
    y, a = tree.Var("y"), tree.Var("a", OBJECT)
    twice = tree.BindingBlock((let(y, tree.Var("a")), let(y, tree.Var("a"))))
    assert slugs(module(function("f", (a,), twice))) == ["bound-twice"]
    fine = tree.BindingBlock((let(tree.Var("y"), tree.Var("a")), let(tree.Var("y"), tree.Var("a"))))
    assert slugs(module(function("f", (a,), fine))) == []
    assert slugs(module(function("f", (a,), tree.BindingBlock((let(a, tree.Tuple(())),))))) == ["bound-twice"]


def test_W_2_c_param_shared() -> None:
    a = tree.Var("a", OBJECT)
    assert slugs(module(function("f", (a,)), function("g", (a,)))) == ["param-shared"]


def test_W_1_a_dataflow_var_outside() -> None:
    binding = let(tree.DataflowVar("lv"), tree.Tuple(()))
    assert slugs(module(function("f", (), tree.BindingBlock((binding,))))) == ["dataflow-var-outside"]
    assert slugs(module(function("f", (), tree.DataflowBlock((binding,))))) == []
    inner = tree.SeqExpr((tree.BindingBlock((binding,)),), tree.Tuple(()))
    nested = tree.DataflowBlock((let(tree.DataflowVar("m"), inner),))
    assert slugs(module(function("f", (), nested))) == []
    literal = tree.Function(None, False, None, (), OBJECT, (), inner)
    nested = tree.DataflowBlock((let(tree.DataflowVar("m"), literal),))
    assert slugs(module(function("f", (), nested))) == ["dataflow-var-outside"]


def test_W_9_W_13_c_W_14_ndim_mismatch() -> None:
    dims = (tree.PrimVar("n"), tree.IntImm(2))
    assert slugs(annotated(tree.TensorStructInfo(tree.ShapeExpr(dims), None, 3))) == ["ndim-mismatch"]
    assert slugs(annotated(tree.TensorStructInfo(tree.ShapeExpr(dims), None, 2))) == []
    assert slugs(annotated(tree.ShapeStructInfo(dims, 1))) == ["ndim-mismatch"]
    assert slugs(annotated(tree.ShapeStructInfo(dims, None))) == []


def test_W_15_fn_info_shape() -> None:
    assert slugs(annotated(tree.FuncStructInfo((OBJECT,), OBJECT, "default"))) == ["fn-info-shape"]
    assert slugs(annotated(tree.FuncStructInfo(None, None, None))) == ["fn-info-shape"]
    assert slugs(annotated(tree.FuncStructInfo((OBJECT,), None, None))) == ["fn-info-shape"]
    assert slugs(annotated(tree.FuncStructInfo((OBJECT,), OBJECT, None))) == []
    assert slugs(annotated(tree.FuncStructInfo(None, None, "empty"))) == []


def test_W_17_unknown_dtype_at_any_depth() -> None:
    info = tree.FuncStructInfo((tree.TensorStructInfo(None, tree.DType("int7"), None),), OBJECT, None)
    (one,) = verify(annotated(info))
    assert one.slug == "unknown-dtype"
    assert one.message.startswith("`int7` is not a dtype")
    assert slugs(annotated(tree.TensorStructInfo(None, tree.DType("int16"), None))) == []


def test_a_tree_without_text_is_resolved_and_reported_without_edits_outside_of_it() -> None:
    block = tree.DataflowBlock((let(tree.DataflowVar("lv"), tree.Tuple(())),))
    body = tree.SeqExpr((block,), tree.Var("lv"))
    item = tree.Function(tree.GlobalVar("f"), False, None, (), OBJECT, (), body)
    (one,) = resolve(module(item)).diagnostics
    assert (one.slug, one.pos, one.fixes) == ("dataflow-var-escapes", -1, [])
