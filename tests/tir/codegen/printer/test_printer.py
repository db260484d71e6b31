"""The printer of the array IR: brackets, gaps and long lines; tree, text and tree again."""

from __future__ import annotations

import ast
import random
from inspect import signature

import pytest

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import Ref
from relax_lang.tir.array_ir.nodes import Literal, ScalarOp
from relax_lang.tir.array_ir.operations import OPERATORS, takes_destination, takes_plain_numbers
from relax_lang.tir.codegen.printer.lines import Lines, expression
from relax_lang.tir.codegen.printer.numpy_names import UFUNCS, function_of
from relax_lang.tir.codegen.printer.statements import Printer
from relax_lang.tir.ir.intrinsics import INTRINSICS
from relax_lang.tir.runtime_library import FUNCTIONS

N, M = Polynomial.name("n"), Polynomial.name("m")
A, B = Ref("a"), Ref("b")


def printed(*statements: ir.Statement) -> list[str]:
    numbers = iter(range(1, 100))
    printer = Printer(lambda wanted: f"{wanted}_{next(numbers)}", depth=0)
    printer.body(statements)
    return printer.lines


def shown(value: ir.Expr) -> str:
    return expression(Printer(str).expression(value))


@pytest.mark.parametrize(
    "text",
    [
        "a + b - (c - d)", "a * (b + c) // -d", "y[a : b + 1, ::2, n:]", "a if b else c if d else e", "not (a < b)",
        "(1).item()", "-(-1)", "~a & (b < c)", "f(a, out=b[()])", "a % (b * c)", "a // (b % c)", "(a, b)[0]",
        "(a and b or c) and (not d)", "(a < b) == c", "(-a).astype(np.int8)", "x[:, None]", "a - (b + c) - d",
    ],
)  # fmt: skip
def test_brackets_are_those_of_the_tree(text: str) -> None:
    tree = ast.parse(text, mode="eval").body
    found = expression(tree)
    assert ast.dump(ast.parse(found, mode="eval").body) == ast.dump(tree)
    assert len(found) <= len(text)


def random_tree(numbers: random.Random, depth: int) -> ast.expr:
    if depth == 0:
        return numbers.choice([ast.Name("a", ast.Load()), ast.Name("b", ast.Load()), ast.Constant(3)])
    parts = [random_tree(numbers, numbers.randrange(depth)) for _ in range(3)]
    kind = numbers.randrange(7)
    operators = [
        ast.Add,
        ast.Sub,
        ast.Mult,
        ast.FloorDiv,
        ast.Mod,
        ast.BitAnd,
        ast.BitOr,
        ast.BitXor,
        ast.LShift,
    ]
    if kind <= 1:
        return ast.BinOp(parts[0], numbers.choice(operators)(), parts[1])
    if kind == 2:
        return ast.UnaryOp(numbers.choice([ast.USub, ast.Invert])(), parts[0])
    if kind == 3:
        return ast.Compare(parts[0], [numbers.choice([ast.Lt, ast.Eq])()], [parts[1]])
    if kind == 4:
        return ast.BoolOp(numbers.choice([ast.And, ast.Or])(), parts[:2])
    if kind == 5:
        return ast.IfExp(*parts)
    return ast.Subscript(parts[0], ast.Slice(parts[1], None, parts[2]), ast.Load())


def test_random_trees_come_back_from_their_text() -> None:
    numbers = random.Random(0)
    for _ in range(2000):
        tree = random_tree(numbers, 5)
        again = ast.parse(expression(tree), mode="eval").body
        assert expression(again) == expression(tree)
        assert eval_all(again) == eval_all(tree)


def eval_all(tree: ast.expr) -> str:
    """Return a tree as text with brackets everywhere."""
    return ast.dump(ast.fix_missing_locations(ast.Expression(tree)), annotate_fields=False)


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (ScalarOp("//", (N, N * M)), "n // (m * n)"),
        (ScalarOp("%", (N, N * 3)), "n % (3 * n)"),
        (ScalarOp("-", (N, M - 1)), "n - (m - 1)"),
        (ScalarOp("not", (ScalarOp("==", (N, M)),)), "n != m"),
        (ScalarOp("and", (ScalarOp("or", (A, B)), A)), "(a or b) and a"),
        (ScalarOp("<", (Literal(-2), N, Literal(3))), "-2 < n < 3"),
        (Literal(0.1, "float32"), "0.1"),
        (ir.Typed(Literal(float("-inf"), "float32"), "float32"), "np.float32(-np.inf)"),
        (ir.View(A, (ir.Slice(N, M), ir.Whole())), "a[n : m + n]"),
        (ir.View(A, (ir.Slice(N - 1, N, -1),)), "a[:n][::-1]"),
        (ir.View(A, (ir.Slice(N - 1, N, -1, whole=True), ir.At(M))), "a[:, m][::-1]"),
        (ir.View(A, (ir.Slice(N * 2 - 2, N, -2), ir.Whole())), "a[: 2 * n : 2][::-1]"),
        (ir.View(A, ()), "a[()]"),
        (ir.View(A, (ir.Whole(), ir.NewAxis())), "a[:, None]"),
        (ir.Elementwise("max", (A, B), "int8"), "np.maximum(a, b)"),
        (ir.Elementwise("/", (A, B), "int8"), "truncated_quotient(a, b)"),
        (ir.Cast(ir.Elementwise("+", (A, B), "int8"), "int64"), "(a + b).astype(np.int64)"),
        (ir.Contract((("ab", A), ("ab", B)), "a"), "np.vecdot(a, b)"),
        (ir.Contract((("ab", A), ("ab", B)), "b"), "products_of_columns(a, b)"),
    ],
)  # fmt: skip
def test_expressions(value: ir.Expr, wanted: str) -> None:
    assert shown(value) == wanted


def test_conditions_in_each_other_are_one_unless_there_is_a_comment() -> None:
    store = ir.Store(A, B)
    assert printed(ir.If(A, [ir.If(ScalarOp("or", (A, B)), [store])])) == [
        "if a and (a or b):",
        "    a[...] = b",
    ]
    lines = printed(ir.If(A, [ir.Remark("why"), ir.If(B, [store])]))
    assert lines == ["if a:", "    # why", "    if b:", "        a[...] = b"]
    assert printed(ir.If(A, [ir.Remark("nothing")])) == ["if a:", "    # nothing", "    pass"]


def test_loops_name_the_functions_that_they_call() -> None:
    step = ir.Into(A, ir.Elementwise("+", (A, B), "float32"))
    loop = ir.For("i", Literal(1), N, Literal(1), [step], (ir.Row("b", B),), hot=True)
    assert printed(loop, step) == [
        "add_1 = np.add",
        "for i, b in zip(range(1, n), b):",
        "    add_1(a, b, out=a)",
        "np.add(a, b, out=a)",
    ]


def test_long_lines_are_broken() -> None:
    text = "f(aaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbbbbbb) + g(ccccccccccccccccccccc, ddddddddddddd)"
    numbers = iter(range(100))
    lines = Lines(60, 0, lambda wanted: f"{wanted}_{next(numbers)}")
    lines.statement("x = ", ast.parse(text, mode="eval").body)
    assert all(len(line) <= 60 for line in lines.lines)
    namespace: dict[str, object] = {"f": lambda a, b: a - b, "g": lambda c, d: c * d}
    names = ("aaaaaaaaaaaaaaaaaaa", "bbbbbbbbbbbbbbbbbbbbbbbbb", "ccccccccccccccccccccc", "ddddddddddddd")
    namespace |= dict(zip(names, (7, 2, 3, 4), strict=True))
    exec("\n".join(lines.lines), namespace)
    assert namespace["x"] == 17


def test_long_conditions_keep_their_brackets() -> None:
    names = [Ref("c" * 20 + str(at)) for at in range(6)]
    either = ScalarOp("or", (names[0], ScalarOp("and", (names[1], names[2]))))
    lines = printed(ir.Require((either, *names[3:])))
    assert len(lines) > 1
    text = " ".join([line.strip() for line in lines])
    (call,) = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    assert isinstance(call.args[0], ast.BoolOp)
    assert isinstance(call.args[0].op, ast.And)


def test_what_is_reshaped_gets_a_name_not_the_reshape_which_may_be_a_copy() -> None:
    number = Polynomial.constant(1)
    windows = ir.AffineView(A, (N, M, N), (N, M, N, M, N), tuple([ir.Tuple((number,) * 5)] * 3))
    call = ir.Call(
        "product_into", (Ref("left_factor"), ir.Reshaped(windows, (N, M * N, M * N)), Ref("result"))
    )
    lines = printed(ir.Evaluate(call))
    assert lines[0].startswith("part_1 = affine_view(")
    assert lines[-1] == "product_into(left_factor, part_1.reshape(n, m * n, m * n), result)"


@pytest.mark.parametrize("op", sorted({*OPERATORS, *INTRINSICS}))
@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_properties_of_operations_are_those_of_the_functions_that_are_printed(op: str, dtype: str) -> None:
    function = function_of(op, dtype)
    library = FUNCTIONS.get(function)
    writes = library is None or "out" in signature(library).parameters
    is_test = op in ("isnan", "isinf", "isfinite")  # of which NumPy stores wrong results
    assert takes_destination(op, dtype) is (writes and not is_test)
    assert takes_plain_numbers(op) is (op in UFUNCS or op == "/")
