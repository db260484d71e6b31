"""Text to tree: node names, fields and spans of every construct (G.1-G.43, Y.1-Y.11)."""

from __future__ import annotations

import subprocess
import sys

import pytest

from relax_lang.base.node import same
from relax_lang.syntax import tree as t
from relax_lang.syntax.parser import parse
from tests.syntax.parsed_texts import PRIM_FUNC, ROOT, module


def expr(text: str) -> t.Expr:
    parsed = parse(text, "expr")
    assert parsed.diagnostics == []
    return parsed.tree


def info(text: str) -> t.StructInfo:
    parsed = parse(text, "struct_info")
    assert parsed.diagnostics == []
    return parsed.tree


def prim(text: str) -> t.PrimExpr:
    parsed = parse(text, "prim")
    assert parsed.diagnostics == []
    return parsed.tree


def var(name: str) -> t.Var:
    return t.Var(name)


F32 = t.DType("float32")


EXPRESSIONS = [
    ("G.22", "1", t.Constant(t.IntLit(1))),
    ("G.22", "1_000", t.Constant(t.IntLit(1000))),
    ("G.22", "1.5e-3", t.Constant(t.FloatLit(0.0015))),
    ("G.22", "true", t.Constant(t.BoolLit(True))),
    ("G.22", "inf", t.Constant(t.FloatLit(float("inf")))),
    ("G.22", "nan", t.Constant(t.FloatLit(float("nan")))),
    ("G.22", "const(-inf, float16)", t.Constant(t.FloatLit(float("-inf")), t.DType("float16"))),
    ("G.22", "const([], float32)", t.Constant(t.ListLit(()), F32)),
    (
        "G.22",
        "const([[1, 2], [3, -4]], int64)",
        t.Constant(
            t.ListLit((t.ListLit((t.IntLit(1), t.IntLit(2))), t.ListLit((t.IntLit(3), t.IntLit(-4))))),
            t.DType("int64"),
        ),
    ),
    ("CF.1", 'const(file("w.npz", "fc1"))', t.Constant(t.FileLit("w.npz", "fc1"))),
    ("CF.1", 'const(file("w.npy"))', t.Constant(t.FileLit("w.npy", None))),
    ("G.23", "x", var("x")),
    ("Y.11", "`lv0.1`", var("lv0.1")),
    ("Y.11", "`a\\`b\\n\\u00e9`", var("a`b\né")),
    ("G.25", "@f", t.GlobalVar("f")),
    ("G.25", '@"fused.add 1"', t.GlobalVar("fused.add 1")),
    ("G.26", "()", t.Tuple(())),
    ("G.26", "(x,)", t.Tuple((var("x"),))),
    ("G.26", "(x, y)", t.Tuple((var("x"), var("y")))),
    ("G.26", "(x, y,)", t.Tuple((var("x"), var("y")))),
    ("G.26", "(x)", var("x")),
    ("G.30", 'extern "my.f"', t.ExternFunc("my.f")),
    ("G.31", "add(x, x)", t.Call(var("add"), (var("x"), var("x")))),
    ("G.31", "f()", t.Call(var("f"))),
    ("G.31", "@f(x,)", t.Call(t.GlobalVar("f"), (var("x"),))),
    (
        "G.31",
        'extern "f"(x, pure=true) -> Tensor',
        t.Call(t.ExternFunc("f"), (var("x"),), (t.Attr("pure", t.BoolLit(True)),), t.TensorStructInfo()),
    ),
    (
        "G.34",
        "nn.softmax(x, axis=-1)",
        t.Call(t.Op("nn.softmax"), (var("x"),), (t.Attr("axis", t.IntLit(-1)),)),
    ),
    (
        "G.35",
        'f(x, a=[1, "s", null, float16, 0.5, false])',
        t.Call(
            var("f"),
            (var("x"),),
            (
                t.Attr(
                    "a",
                    t.ListLit(
                        (
                            t.IntLit(1),
                            t.StrLit("s"),
                            t.NullLit(),
                            t.DType("float16"),
                            t.FloatLit(0.5),
                            t.BoolLit(False),
                        )
                    ),
                ),
            ),
        ),
    ),
    ("G.32", "shape(n, m * 2)", t.ShapeExpr((t.PrimVar("n"), t.Mul(t.PrimVar("m"), t.IntImm(2))))),
    ("G.32", "shape()", t.ShapeExpr(())),
    ("G.33", "t[0][1]", t.TupleGetItem(t.TupleGetItem(var("t"), 0), 1)),
    ("G.27", "{ x }", t.SeqExpr((), var("x"))),
    (
        "G.29",
        "if c { x } else { y }",
        t.If(var("c"), t.SeqExpr((), var("x")), t.SeqExpr((), var("y"))),
    ),
    (
        "G.29",
        "if c { x } else if d { y } else { z }",
        t.If(
            var("c"),
            t.SeqExpr((), var("x")),
            t.SeqExpr((), t.If(var("d"), t.SeqExpr((), var("y")), t.SeqExpr((), var("z")))),
        ),
    ),
    (
        "G.28",
        "pure fn (a: Tensor) -> Tensor attrs { k: 1 } { a }",
        t.Function(
            None,
            False,
            "pure",
            (t.Var("a", t.TensorStructInfo()),),
            t.TensorStructInfo(),
            (t.Attr("k", t.IntLit(1)),),
            t.SeqExpr((), var("a")),
        ),
    ),
    ("OP.8", "-x ** 2", t.UnaryOp("-", t.BinaryOp("**", var("x"), t.Constant(t.IntLit(2))))),
    ("Y.10", "a ** b ** c", t.BinaryOp("**", var("a"), t.BinaryOp("**", var("b"), var("c")))),
    ("Y.10", "a - b - c", t.BinaryOp("-", t.BinaryOp("-", var("a"), var("b")), var("c"))),
    ("Y.10", "a || b && c", t.BinaryOp("||", var("a"), t.BinaryOp("&&", var("b"), var("c")))),
    ("Y.10", "!a == b", t.UnaryOp("!", t.BinaryOp("==", var("a"), var("b")))),
    ("Y.10", "a // b % c", t.BinaryOp("%", t.BinaryOp("//", var("a"), var("b")), var("c"))),
    ("Y.10", "(a < b) < c", t.BinaryOp("<", t.BinaryOp("<", var("a"), var("b")), var("c"))),
]


INFOS = [
    ("G.9", "Tensor", t.TensorStructInfo()),
    ("G.9", "Tensor[_, _]", t.TensorStructInfo()),
    ("G.9", "Tensor[(n, 4), float32]", t.TensorStructInfo(t.ShapeExpr((t.PrimVar("n"), t.IntImm(4))), F32)),
    ("G.9", "Tensor[(n,)]", t.TensorStructInfo(t.ShapeExpr((t.PrimVar("n"),)))),
    ("G.9", "Tensor[(), bool]", t.TensorStructInfo(t.ShapeExpr(()), t.DType("bool"))),
    ("G.9", "Tensor[_, float32]", t.TensorStructInfo(None, F32)),
    ("G.9", "Tensor[ndim=2, float32]", t.TensorStructInfo(None, F32, 2)),
    ("G.16", "Tensor[s, float32]", t.TensorStructInfo(var("s"), F32)),
    ("G.10", "Shape", t.ShapeStructInfo()),
    ("G.17", "Shape[(n, m)]", t.ShapeStructInfo((t.PrimVar("n"), t.PrimVar("m")))),
    ("G.10", "Shape[ndim=2]", t.ShapeStructInfo(None, 2)),
    ("G.18", "Object", t.ObjectStructInfo()),
    ("G.12", "()", t.TupleStructInfo(())),
    ("G.12", "(Tensor,)", t.TupleStructInfo((t.TensorStructInfo(),))),
    ("G.12", "(Tensor, Shape)", t.TupleStructInfo((t.TensorStructInfo(), t.ShapeStructInfo()))),
    (
        "G.13",
        "fn(Tensor) -> Shape",
        t.FuncStructInfo((t.TensorStructInfo(),), t.ShapeStructInfo(), None, True),
    ),
    ("G.13", "impure fn() -> ()", t.FuncStructInfo((), t.TupleStructInfo(()), None, False)),
    ("G.14", "PackedFunc", t.FuncStructInfo(None, None, "default", False)),
    ("G.20", 'PackedFunc[derive="empty"]', t.FuncStructInfo(None, None, "empty", False)),
]


n, m = t.PrimVar("n"), t.PrimVar("m")


PRIMS = [
    ("G.2", "3", t.IntImm(3)),
    ("G.3", "n * 2 + 1", t.Add(t.Mul(n, t.IntImm(2)), t.IntImm(1))),
    ("G.4", "n / 2", t.Div(n, t.IntImm(2))),
    ("G.4", "n // 2 % m", t.FloorMod(t.FloorDiv(n, t.IntImm(2)), m)),
    ("G.5", "min(n, max(m, 1))", t.Min(n, t.Max(m, t.IntImm(1)))),
    (
        "G.6",
        "select(!(n == 0 || m == 0), n, 1)",
        t.Select(t.Not(t.Or(t.EQ(n, t.IntImm(0)), t.EQ(m, t.IntImm(0)))), n, t.IntImm(1)),
    ),
    ("G.8", "n >= 1 && n < m", t.And(t.GE(n, t.IntImm(1)), t.LT(n, m))),
    ("G.3", "-n", t.Neg(n)),
    ("TIR.3", "X[n, 0]", t.BufferLoad(t.PrimVar("X"), (n, t.IntImm(0)))),
    ("TIR.3", "X[()]", t.BufferLoad(t.PrimVar("X"), ())),
    ("TIR.5", "float16(-0.5)", t.FloatImm(-0.5, t.DType("float16"))),
    ("TIR.5", "int64(3)", t.IntImm(3, t.DType("int64"))),
    ("TIR.7", "exp(n)", t.PrimCall("exp", (n,))),
    ("TIR.13", "if_then_else(n < m, n, m)", t.PrimCall("if_then_else", (t.LT(n, m), n, m))),
    ("TIR.5", "cast(n, float32)", t.Cast(n, F32)),
    ("TIR.7", "min_value(int8)", t.TypeLimit("min_value", t.DType("int8"))),
    ("TIR.14", "n & m | n ^ ~m", t.BitOr(t.BitAnd(n, m), t.BitXor(n, t.BitNot(m)))),
    ("TIR.14", "n << 2 >> 1 < m", t.LT(t.ShiftRight(t.ShiftLeft(n, t.IntImm(2)), t.IntImm(1)), m)),
]


@pytest.mark.parametrize(("rule", "text", "want"), EXPRESSIONS, ids=[f"{r} {x}" for r, x, _ in EXPRESSIONS])
def test_expressions(rule: str, text: str, want: t.Expr) -> None:
    assert same(expr(text), want), rule


@pytest.mark.parametrize(("rule", "text", "want"), INFOS, ids=[f"{r} {x}" for r, x, _ in INFOS])
def test_struct_infos(rule: str, text: str, want: t.StructInfo) -> None:
    assert same(info(text), want), rule


@pytest.mark.parametrize(("rule", "text", "want"), PRIMS, ids=[f"{r} {x}" for r, x, _ in PRIMS])
def test_prim_exprs(rule: str, text: str, want: t.PrimExpr) -> None:
    assert same(prim(text), want), rule


def test_G_24_what_a_dataflow_block_binds_is_a_plain_name() -> None:
    (function,) = module(
        "def @f(x: Tensor) -> Tensor { dataflow { let a = x; let b = a; output b; } b }"
    ).items
    (block,) = function.body.blocks
    assert [type(b.var) for b in block.bindings] == [t.Var, t.Var]
    assert [v.name_hint for v in block.outputs] == ["b"]


def test_G_36_adjacent_statements_are_one_block() -> None:
    text = "def @f(x: Tensor) -> Tensor { let a = x; a; bindings { let b = a; } dataflow { } let c = a; c }"
    (function,) = module(text).items
    kinds = [(type(b), len(b.bindings), getattr(b, "explicit", None)) for b in function.body.blocks]
    assert kinds == [
        (t.BindingBlock, 2, False),
        (t.BindingBlock, 1, True),
        (t.DataflowBlock, 0, None),
        (t.BindingBlock, 1, False),
    ]


def test_G_38_a_bare_expression_binds_the_underscore() -> None:
    left, right = (module(f"def @f(x: Tensor) -> Tensor {{ {s} x }}") for s in ("f(x);", "let _ = f(x);"))
    assert same(left, right)


def test_G_39_match_cast_statements() -> None:
    text = "def @f(x: Tensor) -> Tensor { let y: Tensor = match_cast(x, Tensor[(n,)]); match_cast(y, Tensor,); y }"
    (function,) = module(text).items
    first, second = function.body.blocks[0].bindings
    assert type(first) is type(second) is t.MatchCast
    assert first.var.name_hint == "y"
    assert second.var is None


def test_B_1_match_shape_keeps_its_pattern() -> None:
    (function,) = module("def @f(x: Tensor) -> Tensor { match_shape(x, (n, 4)); x }").items
    (binding,) = function.body.blocks[0].bindings
    assert same(binding.struct_info, t.MatchShapeInfo((t.PrimVar("n"), t.IntImm(4))))


def test_G_34_only_a_name_with_dots_is_read_as_an_operator() -> None:
    for text, kind in (("add(x)", t.Var), ("`nn.relu`(x)", t.Var), ("(add)(x)", t.Var), ("nn.relu(x)", t.Op)):
        assert type(expr(text).op) is kind, text


def test_G_40_module() -> None:
    tree = module(
        'module attrs { author: "me", "a b": 1 }\nprivate def @f() -> () { () }\nprim_func @p() { }\n'
    )
    assert [a.key for a in tree.attrs] == ["author", "a b"]
    assert [(type(i), i.private) for i in tree.items] == [(t.Function, True), (t.PrimFunc, False)]


def test_G_41_prim_func_statements() -> None:
    (func,) = module(PRIM_FUNC).items
    kinds = [type(s).__name__ for s in func.body]
    assert kinds == [
        *("Allocate", "Allocate", "LetStmt", "LetStmt", "AssertStmt", "For", "For", "For", "Block", "Block"),
        *("IfThenElse", "While", "CallExtern"),
    ]
    assert [p.name for p in func.params] == ["X", "k", "Y"]
    assert [(f.kind, f.thread) for f in func.body[5:8]] == [
        ("serial", None),
        ("parallel", None),
        ("thread", "threadIdx.x"),
    ]
    block = func.body[8]
    assert [(a.var.name, a.kind, a.dom is None) for a in block.axes] == [
        ("vi", "spatial", True),
        ("vk", "reduce", False),
    ]
    assert block.init is not None
    assert func.body[9].init is None
    assert block.reads is not None
    assert type(block.reads[0].region[1]) is t.Range
    assert func.body[0].scope == "local"
    assert func.body[1].scope is None
    assert [s.op for s in func.body[7].body] == ["-=", "*="]


def test_the_generated_files_are_current() -> None:
    for tool in ("make_tree.py", "make_table.py"):
        subprocess.run(
            [sys.executable, str(ROOT / "tools" / tool), "--check"], check=True, env={"PYTHONHASHSEED": "7"}
        )
