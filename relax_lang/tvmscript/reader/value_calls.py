"""Constructors of values, and effects: `R.const(…)`, `R.shape(…)`, `R.tuple(…)`, `R.print(…)`, `R.assert_op(…)`."""

from __future__ import annotations

import ast

from relax_lang.syntax import tree
from relax_lang.tvmscript.reader.constants import read_const
from relax_lang.tvmscript.reader.operator_calls import operator_name, read_operator

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.tvmscript.reader.expressions import ExpressionReader

RESULTS = ("out_ty", "out_sinfo", "ty_args", "sinfo_args", "type_args")
"""What names the struct info of a result, newest first."""


def parts_of(reader: ExpressionReader, node: ast.Call, names: tuple[str, ...]) -> dict[str, ast.expr]:
    """Return the arguments of a call by TVM's names for them."""
    if len(node.args) > len(names):
        raise reader.reading.wrong(
            node, f"`{reader.reading.py.shown(node.func)}` takes {len(names)} arguments"
        )
    parts = dict(zip(names, node.args, strict=False))
    for keyword in node.keywords:
        name = "out_ty" if keyword.arg in RESULTS else keyword.arg or "**"
        parts[{"gvar": "func", "func": "func"}.get(name, name)] = keyword.value
    return parts


def _const(reader: ExpressionReader, node: ast.Call) -> tree.Expr:
    return read_const(reader.reading, node)


def _shape(reader: ExpressionReader, node: ast.Call) -> tree.Expr:
    if len(node.args) != 1:
        raise reader.reading.wrong(node, "`R.shape` takes a list of sizes")
    return reader.shape_argument(node.args[0])


def _tuple(reader: ExpressionReader, node: ast.Call) -> tree.Expr:
    given = node.args
    if len(given) == 1 and isinstance(given[0], ast.List):
        given = given[0].elts
    return tree.Tuple(tuple([reader.field(one) for one in given]), *reader.reading.span(node))


def _tuple_get_item(reader: ExpressionReader, node: ast.Call) -> tree.Expr:
    if len(node.args) != 2:
        raise reader.reading.wrong(node, "`R.TupleGetItem` takes a tuple and an index")
    index = reader.reading.integer(node.args[1], "the index of a tuple")
    return tree.TupleGetItem(reader.expression(node.args[0]), index, *reader.reading.span(node))


def _extern(reader: ExpressionReader, node: ast.Call) -> tree.Expr:
    if not node.args:
        raise reader.reading.wrong(node, "the name of the function is missing")
    found = reader.packed(node.args[0])
    return tree.ExternFunc(found.global_symbol, *reader.reading.span(node))


def _prim_value(reader: ExpressionReader, node: ast.Call) -> tree.Expr:
    return reader.scalar_argument(node)


def _match_cast(reader: ExpressionReader, node: ast.Call) -> tree.Expr:
    raise reader.reading.unsupported(
        node, "`R.match_cast` inside an expression", "bind its value to a name first"
    )


def _string(reader: ExpressionReader, node: ast.Call) -> tree.Expr:
    raise reader.reading.unsupported(
        node, f"`{reader.reading.py.shown(node)}` as a value", "strings and dtypes occur in attributes only"
    )


def _emit(reader: ExpressionReader, node: ast.Call) -> tree.Expr:
    if len(node.args) != 1:
        raise reader.reading.wrong(node, "`R.emit` takes one value")
    return reader.expression(node.args[0])


def _print(reader: ExpressionReader, node: ast.Call) -> tree.Expr:
    """Read `R.print(x, format="…")`; older files begin with the format."""
    reading = reader.reading
    args = list(node.args)
    form: ast.expr | None = None
    for keyword in node.keywords:
        if keyword.arg != "format":
            raise reading.wrong(keyword, f"`{keyword.arg}=` of `R.print`")
        form = keyword.value
    if form is None and args and isinstance(args[0], ast.Constant) and isinstance(args[0].value, str):
        form = args.pop(0)
    attrs: list[tree.Attr] = []
    if form is not None and reading.string(form, "a format"):
        span = reading.span(form)
        attrs.append(tree.Attr("format", tree.StrLit(reading.string(form, "a format"), *span), *span))
    values = tuple([reader.expression(one) for one in args])
    return tree.Call(operator_name(reader, node, "print"), values, tuple(attrs), None, *reading.span(node))


def _assert_op(reader: ExpressionReader, node: ast.Call) -> tree.Expr:
    """Read `R.assert_op(c, [x], format="…")`."""
    reading = reader.reading
    parts = parts_of(reader, node, ("condition", "format_args", "format"))
    if "condition" not in parts:
        raise reading.wrong(node, "the condition is missing")
    args: list[tree.Expr] = [reader.expression(parts["condition"])]
    more = parts.get("format_args")
    if isinstance(more, ast.List | ast.Tuple):
        args += [reader.expression(one) for one in more.elts]
    elif isinstance(more, ast.Constant) and isinstance(more.value, str):
        parts.setdefault("format", more)
    elif more is not None and not (isinstance(more, ast.Constant) and more.value is None):
        args.append(reader.expression(more))
    attrs: list[tree.Attr] = []
    form = parts.get("format")
    if form is not None:
        span = reading.span(form)
        attrs.append(tree.Attr("format", tree.StrLit(reading.string(form, "a format"), *span), *span))
    return tree.Call(
        operator_name(reader, node, "assert_op"), tuple(args), tuple(attrs), None, *reading.span(node)
    )


def _full(reader: ExpressionReader, node: ast.Call) -> tree.Expr:
    """Read `R.full(shape, 1.0, "float32")`: a bare number takes the dtype that is asked for."""
    made = read_operator(reader, node, reader.reading.called(node)[1])
    assert isinstance(made, tree.Call)
    return made


VALUES: dict[str, Callable[[ExpressionReader, ast.Call], tree.Expr]] = {
    "const": _const,
    "shape": _shape,
    "ShapeExpr": _shape,
    "tuple": _tuple,
    "Tuple": _tuple,
    "TupleGetItem": _tuple_get_item,
    "ExternFunc": _extern,
    "prim_value": _prim_value,
    "match_cast": _match_cast,
    "str": _string,
    "dtype": _string,
    "emit": _emit,
    "print": _print,
    "assert_op": _assert_op,
    "full": _full,
}
