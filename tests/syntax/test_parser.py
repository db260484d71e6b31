"""Text to tree: node names, fields and spans of every construct (G.1-G.43, Y.1-Y.11)."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

from relax_lang.base.node import children, same, walk
from relax_lang.base.recursion import deep_recursion
from relax_lang.base.source import SourceFile
from relax_lang.check.driver import check_source
from relax_lang.syntax import tree as t
from relax_lang.syntax.parser import parse

ROOT = Path(__file__).resolve().parents[2]


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


def module(text: str) -> t.IRModule:
    parsed = parse(text)
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


PRIM_FUNC = """
private prim_func @p(X: Buffer[(n, m), float32], k: int64, Y: Buffer[(), float32]) attrs { tir_kind: 1 } {
  alloc T: Buffer[(n,), float32] in "local";
  alloc U: Buffer[(n,), float32];
  let v: int32 = 3;
  let w = n + 1;
  assert n > 0, "empty";
  for i, j in grid(n, m) { T[i] = X[i, j]; }
  for parallel i in 1..n { T[i] += 1.0; }
  for thread("threadIdx.x") i in 0..n { T[i] -= 1.0; T[i] *= 2.0; }
  block b (vi = spatial(w), vk = reduce(k, 0..n)) where vi < n reads [X[vi, 0..m]] writes [Y[()]] attrs { a: 1 } {
    init { Y[()] = 0.0; }
    Y[()] = Y[()] + X[vi, vk];
  }
  block c { }
  if n > 1 { Y[()] = 1.0; } else if n > 2 { } else { Y[()] = 2.0; }
  while Y[()] > 0.0 { Y[()] -= 1.0; }
  call_extern("log", X, k);
}
"""


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


def every_text() -> list[str]:
    return [
        PRIM_FUNC,
        *(path.read_text(encoding="utf-8") for path in sorted((ROOT / "samples").rglob("*.rlx"))),
    ]


@pytest.mark.parametrize("text", every_text(), ids=lambda text: text[:40])
def test_every_node_has_a_real_span(text: str) -> None:
    """The span of a node lies in the text and holds the spans of its children."""
    parsed = parse(text)
    for node in walk(parsed.tree):
        assert 0 <= node.pos <= node.end <= len(text), node
        for child in children(node):
            assert node.pos <= child.pos, (node, child)
            assert child.end <= node.end, (node, child)


def test_spans_are_exact() -> None:
    text = "def @f(x: Tensor) -> Tensor {\n  let y = (x + x) * `q r`[0];\n  y\n}\n"
    (function,) = module(text).items
    found = {type(node).__name__ + ":" + text[node.pos : node.end] for node in walk(function)}
    assert {
        "VarBinding:let y = (x + x) * `q r`[0];",
        "BinaryOp:(x + x) * `q r`[0]",
        "BinaryOp:x + x",
        "TupleGetItem:`q r`[0]",
        "Var:`q r`",
        "GlobalVar:@f",
        "TensorStructInfo:Tensor",
    } <= found


def test_comments_and_parens_are_remembered() -> None:
    text = "# one\n## doc\ndef @f(x: Tensor) -> Tensor {\n  ((x)) # two\n}\n"
    parsed = parse(text)
    assert [(c.text, c.is_doc, text[c.pos : c.end]) for c in parsed.comments] == [
        ("# one", False, "# one"),
        ("## doc", True, "## doc"),
        ("# two", False, "# two"),
    ]
    ((node, span),) = parsed.parens.items()
    assert type(node) is t.Var
    assert text[slice(*span)] == "((x))"


@pytest.mark.parametrize(
    "text",
    [
        "def @f() -> () { " + "(" * 10_000 + "1" + ")" * 10_000 + " }",
        "def @f() -> () " + "{ " * 10_000,
        "def @f() -> () { " + "-" * 10_000 + "1 }",
        "def @f() -> () { " + " + ".join(["x"] * 10_000) + " }",
        "def @f() -> () { f" + "(x)" * 10_000 + " }",
        "def @f() -> () { " + "if c { x } else " * 10_000 + "{ x } }",
        "def @f(x: " + "(" * 10_000 + "Tensor" + ",)" * 10_000 + ") -> () { x }",
        "prim_func @f() { " + "for i in 0..n { " * 10_000 + "}" * 10_001,
        "def @f() -> () { const(" + "[" * 10_000 + "]" * 10_000 + ") }",
    ],
    ids=lambda text: text[:30],
)
def test_Y_9_depth_is_bounded(text: str) -> None:
    assert [d.slug for d in parse(text).diagnostics] == ["nesting-too-deep"]


@pytest.mark.parametrize(
    "deep",
    [
        "def @deep(x: Tensor) { " + " + ".join(["x"] * 10_000) + " }",
        "def @deep(x: Tensor) { x" + "[0]" * 10_000 + " }",
        "def @deep(x: Tensor) { x" + "[0]" * 10_000 + "(x) -> Tensor[(2,)] }",
        "def @deep(x: Tensor[(" + " + ".join(["n"] * 10_000) + ",)]) { x }",
        "def @deep(x: Tensor) { " + "(" * 10_000 + "1" + ")" * 10_000 + " }",
        "def @deep(x: Tensor) { " + "{ " * 10_000,
        "prim_func @deep() { " + "for i in 0..n { " * 10_000,
    ],
    ids=lambda text: text[:30],
)
def test_Y_9_one_item_that_is_too_deep_hides_nothing_of_the_others(deep: str) -> None:
    text = f"def @before(x: Tensor) {{ y }}\n\n{deep}\n\ndef @after(x: Tensor) {{ let z = @deep(x); v }}\n"
    with deep_recursion():
        found = check_source(SourceFile(text, "deep.rlx")).diagnostics
    places = [(d.slug, text.count("\n", 0, d.pos) + 1) for d in found]
    assert places == [("undefined-variable", 1), ("nesting-too-deep", 3), ("undefined-variable", 5)]


def test_Y_9_a_thousand_terms_and_three_hundred_brackets_are_fine() -> None:
    assert parse("def @f() -> () { " + " + ".join(["x"] * 1_000) + " }").diagnostics == []
    assert parse("def @f() -> () { " + "(" * 300 + "1" + ",)" * 300 + " }").diagnostics == []


def mutate(text: str, rng: random.Random) -> str:
    """Delete, double, swap or replace a few pieces."""
    pieces = list(text)
    for _ in range(rng.randrange(1, 6)):
        at = rng.randrange(len(pieces))
        choice = rng.randrange(5)
        if choice == 0:
            del pieces[at : at + rng.randrange(1, 20)]
        elif choice == 1:
            pieces[at:at] = pieces[at : at + rng.randrange(1, 30)]
        elif choice == 2:
            pieces[at] = chr(rng.randrange(0x250))
        elif choice == 3:
            pieces[at:at] = rng.choice(
                ["(", ")", "{", "}", ";", "def ", "let ", "->", "\0", '"', "`", "#", "@", "0..", "["]
            )
        else:
            other = rng.randrange(len(pieces))
            pieces[at], pieces[other] = pieces[other], pieces[at]
        if not pieces:
            return ""
    return "".join(pieces)


def test_parsing_never_raises() -> None:
    """1,000 mutations of the samples: a tree and diagnostics, all within the text, never an exception."""
    rng = random.Random(20)
    texts = every_text()
    for round_ in range(1_000):
        text = mutate(texts[round_ % len(texts)], rng)
        parsed = parse(text)
        assert isinstance(parsed.tree, t.IRModule)
        for diagnostic in parsed.diagnostics:
            assert 0 <= diagnostic.pos <= diagnostic.end <= len(text) + 1


def test_random_characters() -> None:
    rng = random.Random(3)
    for size in (1, 10, 1_000, 100_000):
        for alphabet in (0x7F, 0x3000, 0x10FFFF):
            parse("".join(chr(rng.randrange(alphabet)) for _ in range(size)))


def test_the_generated_files_are_current() -> None:
    for tool in ("make_tree.py", "make_table.py"):
        subprocess.run(
            [sys.executable, str(ROOT / "tools" / tool), "--check"], check=True, env={"PYTHONHASHSEED": "7"}
        )
