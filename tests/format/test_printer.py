"""Trees built in Python: what is printed is read back as an equal tree, or refused. [G.43]"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import pytest

from relax_lang.base.node import Node, difference, walk
from relax_lang.format import lexemes
from relax_lang.format.printer import ROWS, Unprintable, format_parsed, print_tree, show
from relax_lang.syntax import tree
from relax_lang.syntax.parser import parse
from tests.format.support import WIDTHS
from tests.generate import Trees, as_written

EXAMPLES = 300
X = tree.Var("x")
UNIT = tree.Tuple(())
INFO = tree.ObjectStructInfo()


def test_every_node_has_a_row() -> None:
    # Relay's nodes are in the same table once its printer is loaded.
    assert {one for one in ROWS if one.__module__ == tree.__name__} == set(tree.NODES)


def read_back(node: Node, start: str = "module") -> Node:
    return parse(print_tree(node), start).tree


@pytest.mark.parametrize("chunk", range(10))
def test_G_43_round_trip(chunk: int) -> None:
    for seed in range(chunk, EXAMPLES, 10):
        module = Trees(Random(seed)).module()
        for width in WIDTHS:
            text = print_tree(module, width)
            parsed = parse(text)
            assert difference(parsed.tree, as_written(module)) is None, f"seed {seed}:\n{text}"
            assert format_parsed(parsed, width) == text, f"seed {seed}"


def test_the_generator_makes_every_node() -> None:
    made = {type(node) for seed in range(EXAMPLES) for node in walk(Trees(Random(seed)).module())}
    # PrimValue belongs to the normal form, and what is missing has no text form.
    assert made == set(tree.NODES) - {tree.PrimValue, tree.Missing, tree.MissingField, tree.MissingStructInfo}


@pytest.mark.parametrize("seed", range(60))
def test_G_43_round_trip_of_pieces(seed: int) -> None:
    trees = Trees(Random(seed))
    pieces: list[tuple[str, Node]] = [("expr", trees.expr()), ("struct_info", trees.struct_info())]
    for start, piece in [*pieces, ("prim", trees.prim())]:
        assert difference(read_back(piece, start), as_written(piece)) is None


def test_prim_value_prints_its_scalar() -> None:
    value = tree.PrimValue(tree.Mul(tree.PrimVar("n"), tree.IntImm(2, None)))
    assert print_tree(tree.Call(tree.Op("arange"), (value,))) == "arange(n * 2)"


# -- names, strings, numbers ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("x", "x"),
        ("_y1", "_y1"),
        ("été", "été"),
        ("if", "`if`"),
        ("inf", "`inf`"),
        ("nan", "`nan`"),
        ("true", "`true`"),
        ("block", "`block`"),
        ("lv0.1", "`lv0.1`"),
        ("", "``"),
        ("1", "`1`"),
        ("a b", "`a b`"),
        ("a`b", "`a\\`b`"),
        ("a\\b", "`a\\\\b`"),
        ("a\n\t\rb", "`a\\n\\t\\rb`"),
        ("\x01", "`\\u0001`"),
        ("a·b", "`a·b`"),
        ("\ud800", "`\\ud800`"),
    ],
)
def test_Y_11_names(name: str, text: str) -> None:
    assert lexemes.local_name(name) == text
    assert difference(parse(text, "expr").tree, tree.Var(name)) is None
    assert difference(read_back(tree.GlobalVar(name), "expr"), tree.GlobalVar(name)) is None


@pytest.mark.parametrize(
    "value",
    [
        "",
        'a"b',
        "a\\b",
        "\n\t\r\b\f\x00\x7f",
        "\u2028\u2029\ufeff\x85",
        "über 😀",
        "`",
        "\udfff",
        "\U000e0001",
    ],
)
def test_Y_4_strings(value: str) -> None:
    assert difference(read_back(tree.ExternFunc(value), "expr"), tree.ExternFunc(value)) is None


@pytest.mark.parametrize(
    "value",
    [
        0.0,
        -0.0,
        1.0,
        1e16,
        1e-7,
        5e-324,
        1.7976931348623157e308,
        float("inf"),
        -float("inf"),
        float("nan"),
        -1.5,
    ],
)
def test_G_22_fractions(value: float) -> None:
    constant = tree.Constant(tree.FloatLit(value))
    assert difference(read_back(constant, "expr"), constant) is None


def test_G_22_bare_and_written_out_constants() -> None:
    shown = {
        "5": tree.IntLit(5),
        "const(-5)": tree.IntLit(-5),
        "0.5": tree.FloatLit(0.5),
        "const(-0.0)": tree.FloatLit(-0.0),
        "const(inf)": tree.FloatLit(float("inf")),
        "const(nan)": tree.FloatLit(float("nan")),
        "true": tree.BoolLit(value=True),
        "const([1, 2])": tree.ListLit((tree.IntLit(1), tree.IntLit(2))),
        'const(file("w.npy"))': tree.FileLit("w.npy"),
    }
    for text, data in shown.items():
        assert print_tree(tree.Constant(data)) == text
    assert print_tree(tree.Constant(tree.IntLit(5), tree.DType("int8"))) == "const(5, int8)"


def test_the_spelling_of_a_number_counts_only_while_it_denotes_the_value() -> None:
    assert print_tree(tree.Constant(tree.IntLit(1000, "1_000"))) == "1_000"
    assert print_tree(tree.Constant(tree.IntLit(1001, "1_000"))) == "1001"
    assert print_tree(tree.Constant(tree.IntLit(16, "0x10"))) == "16"
    assert print_tree(tree.Constant(tree.FloatLit(0.5, "5e-1"))) == "5e-1"
    assert print_tree(tree.Constant(tree.FloatLit(5.0, "5"))) == "5.0"
    assert print_tree(tree.IntImm(-3, tree.DType("int8"), "-3")) == "int8(-3)"


def test_G_36_blocks_that_would_run_together_are_written_out() -> None:
    one = tree.BindingBlock((tree.VarBinding(tree.Var("y"), X),))
    text = print_tree(tree.SeqExpr((one, one), X))
    assert text.count("bindings {") == 2
    assert "bindings" not in print_tree(tree.SeqExpr((one, tree.DataflowBlock(), one), X))
    assert "bindings { }" in print_tree(tree.SeqExpr((tree.BindingBlock(),), X))
    chosen = tree.BindingBlock(one.bindings, explicit=True)
    assert print_tree(tree.SeqExpr((one, chosen), X)).count("bindings {") == 1


# -- what has no text form -----------------------------------------------------------------------------------


def function(body: tree.Expr, *params: tree.Var) -> tree.Function:
    return tree.Function(tree.GlobalVar("f"), False, None, params, None, (), body)


def seq(*blocks: tree.BlockOfBindings, body: tree.Expr = UNIT) -> tree.SeqExpr:
    return tree.SeqExpr(blocks, body)


def bind(name: str, value: tree.Expr = UNIT, *, inner: bool = False) -> tree.VarBinding:
    return tree.VarBinding(tree.DataflowVar(name) if inner else tree.Var(name), value)


N = tree.PrimVar("n")
ZERO = tree.IntImm(0, None)
REFUSED: list[Callable[[], Node]] = [
    lambda: tree.DataflowVar("x"),
    lambda: tree.Tuple((tree.DataflowVar("x"),)),
    lambda: tree.Var("x", INFO),
    lambda: function(seq(), tree.Var("x")),
    lambda: function(X),
    lambda: function(seq(), tree.DataflowVar("x", INFO)),  # type: ignore[arg-type]
    lambda: tree.IRModule((), (tree.Function(None, False, None, (), None, (), seq()),)),
    lambda: tree.Tuple((function(seq()),)),
    lambda: tree.Function(None, True, None, (), None, (), seq()),
    lambda: tree.Function(None, False, "clean", (), None, (), seq()),
    lambda: tree.If(X, X, seq()),
    lambda: tree.If(X, seq(), X),
    lambda: tree.Op("add"),
    lambda: tree.Tuple((tree.Op("add"),)),
    lambda: seq(tree.BindingBlock((bind("x", inner=True),))),
    lambda: seq(tree.DataflowBlock((bind("x", inner=True),), (X,))),
    lambda: seq(tree.DataflowBlock((bind("_", inner=True),))),
    lambda: seq(tree.DataflowBlock((), (tree.Var("x", INFO),))),
    lambda: seq(tree.BindingBlock((tree.MatchCast(tree.Var("_"), INFO, X),))),
    lambda: tree.VarBinding(tree.GlobalVar("x"), X),  # type: ignore[arg-type]
    lambda: tree.TupleGetItem(X, -1),
    lambda: tree.TupleGetItem(X, True),
    lambda: tree.BinaryOp("<>", X, X),
    lambda: tree.UnaryOp("~", X),
    lambda: tree.Tuple([X]),  # type: ignore[arg-type]
    lambda: tree.Tuple((N,)),  # type: ignore[arg-type]
    lambda: tree.Tuple((None,)),  # type: ignore[arg-type]
    lambda: tree.Constant(tree.IntLit(True)),
    lambda: tree.Constant(tree.FloatLit(1)),
    lambda: tree.Constant(tree.IntLit(10**4000)),
    lambda: tree.Constant(tree.ListLit((tree.FileLit("w.npy"),))),
    lambda: tree.Constant(tree.DType("a b")),
    lambda: tree.Call(tree.Op("f"), (), (tree.Attr("a", tree.FileLit("w.npy")),)),
    lambda: tree.ExternFunc("\ud83d\ude00"),
    lambda: tree.Var("\ud83d\ude00"),
    lambda: tree.TensorStructInfo(tree.ShapeExpr((N,)), None, 1),
    lambda: tree.TensorStructInfo(tree.Var("_"), None, None),
    lambda: tree.TensorStructInfo(tree.Tuple(()), None, None),
    lambda: tree.TensorStructInfo(None, None, -1),
    lambda: tree.TensorStructInfo(None, tree.DType("_"), None),
    lambda: tree.TensorStructInfo(None, tree.DType("if"), None),
    lambda: tree.TensorStructInfo(tree.Var("s", INFO), None, None),
    lambda: tree.ShapeStructInfo((N,), 1),
    lambda: tree.ShapeStructInfo(None, -1),
    lambda: tree.FuncStructInfo(None, None, None, pure=False),
    lambda: tree.FuncStructInfo(None, None, "default", pure=True),
    lambda: tree.FuncStructInfo(None, INFO, "default", pure=False),
    lambda: tree.FuncStructInfo((), None, None, pure=True),
    lambda: tree.FuncStructInfo((), INFO, "default", pure=True),
    lambda: tree.TupleStructInfo((tree.MatchShapeInfo((N,)),)),
    lambda: tree.IntImm(-1, None),
    lambda: tree.IntImm(1, tree.DType("float32")),
    lambda: tree.FloatImm(-0.0, None),
    lambda: tree.FloatImm(1.0, tree.DType("int8")),
    lambda: tree.PrimCall("min", (N, N)),
    lambda: tree.PrimCall("select", (N, N, N)),
    lambda: tree.PrimCall("int8", (N,)),
    lambda: tree.PrimCall("max_value", (N,)),
    lambda: tree.TypeLimit("least", tree.DType("int8")),
    lambda: tree.For("serial", None, (), ()),
    lambda: tree.For("serial", None, (N, N), (tree.Range(ZERO, N),)),
    lambda: tree.For("serial", None, (N, N), (tree.Range(ZERO, N), tree.Range(N, N))),
    lambda: tree.For("serial", "threadIdx.x", (N,), (tree.Range(ZERO, N),)),
    lambda: tree.For("thread", None, (N,), (tree.Range(ZERO, N),)),
    lambda: tree.For("odd", None, (N,), (tree.Range(ZERO, N),)),
    lambda: tree.BufferStore(N, (), "/=", N),
    lambda: tree.IterVar(N, "spatial kind", N, None),
    lambda: tree.BufferRegion(N, (X,)),  # type: ignore[arg-type]
    lambda: tree.Allocate(tree.ScalarParam("x", tree.DType("int8")), None),  # type: ignore[arg-type]
    Node,
]


@pytest.mark.parametrize("make", REFUSED)
def test_G_43_refused(make: Callable[[], Node]) -> None:
    with pytest.raises(Unprintable) as caught:
        print_tree(make())
    assert caught.value.reason
    assert type(caught.value.node).__name__ in str(caught.value)
    found = caught.value.diagnostic()
    assert (found.code, found.slug, found.severity) == ("RLX0510", "unprintable-node", "error")
    assert caught.value.reason in found.message


def test_G_43_messages_print_what_has_no_text_form() -> None:
    assert show(tree.Call(X, (tree.DataflowVar("lv"), tree.Op("add")))) == "x(lv, add)"
    assert show(tree.If(X, X, X)) == "if x { x } else { x }"
    assert show(function(X)) == "def @f() { x }"
    assert show(tree.TensorStructInfo(tree.ShapeExpr((N,)), tree.DType("int8"), 1)) == "Tensor[(n,), int8]"
    assert show(tree.MatchShapeInfo((N, ZERO))) == "(n, 0)"
    assert show(tree.FuncStructInfo((), None, None, pure=True)) == "fn() -> Object"


def test_show_is_one_line() -> None:
    module = parse("def @f(x: Tensor) -> Tensor { # c\n let y = x; y }").tree
    assert show(module) == "def @f(x: Tensor) -> Tensor { let y = x; y }"
    assert show(module, 20) == "def @f(x: Tensor) -…"
    for seed in range(40):
        assert "\n" not in show(Trees(Random(seed)).module())
