"""Calls that are about functions: `R.call_tir`, packed functions, closures; and the constructors of values.

`SPECIAL` has a row for every function of TVM's dialect that is not simply an operator with its arguments.
"""

from __future__ import annotations

import ast

from relax_lang.syntax import tree
from relax_lang.tvmscript import diagnostics as diag
from relax_lang.tvmscript.reader.expressions import ExpressionReader
from relax_lang.tvmscript.reader.operator_calls import operator_name, read_operator
from relax_lang.tvmscript.reader.scalar_values import bound, is_scalar, is_size, passed, scalar_argument_value
from relax_lang.tvmscript.reader.value_calls import RESULTS, VALUES, parts_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Named = dict[str, ast.keyword]


class CallExpressionReader(ExpressionReader):
    """Reads expressions with calls in them."""

    def field(self, node: ast.expr) -> tree.Expr:
        """Read a field of a tuple: `n` is a scalar there."""
        return bound(self, node, None)

    def table_entry(self, node: ast.Subscript) -> tree.Expr:
        """Read a constant of a table."""
        from relax_lang.tvmscript.reader.metadata import read_entry  # rare

        return read_entry(self.reading, node)

    def application(self, node: ast.Call) -> tree.Expr:
        """Read a call: of an operator, of another function of TVM's dialect, or of a function of the program."""
        dialect, name = self.reading.called(node)
        if dialect == "R":
            row = SPECIAL.get(name)
            return row(self, node) if row is not None else read_operator(self, node, name)
        if dialect == "T":
            return self.scalar_argument(node)
        return read_function_call(self, node)


def read_function_call(reader: ExpressionReader, node: ast.Call) -> tree.Expr:
    """Read a call of an item of the module, of a variable; anything else is Python."""
    reading = reader.reading
    callee: tree.Expr | None = reader.global_name(node.func)
    if callee is None and isinstance(node.func, ast.Name) and node.func.id in reader.names.variables:
        callee = tree.Var(node.func.id, None, *reading.span(node.func))
    if (
        callee is None
        and isinstance(node.func, ast.Attribute)
        and node.func.attr == "astype"
        and len(node.args) == 1
    ):
        dtype = reading.dtype(node.args[0])
        if dtype is not None:
            attr = tree.Attr("dtype", dtype, *reading.span(node.args[0]))
            args = (reader.expression(node.func.value),)
            return tree.Call(operator_name(reader, node, "astype"), args, (attr,), None, *reading.span(node))
    if callee is None and isinstance(node.func, ast.Call | ast.Subscript):
        callee = reader.expression(node.func)
    if callee is None:
        shown = reading.py.shown(node.func)
        if isinstance(node.func, ast.Name):
            return reader.python_constant(node, reading.value(node))
        raise reading.unsupported(node, f"`{shown}(…)`", "it needs Python to run")
    return tree.Call(callee, _values(reader, node), (), _result(reader, node), *reading.span(node))


def _values(reader: ExpressionReader, node: ast.Call, skip: int = 0) -> tuple[tree.Expr, ...]:
    for one in node.args:
        if isinstance(one, ast.Starred):
            raise reader.reading.unsupported(one, "`*` arguments", "they need Python to run")
    return tuple([passed(reader, one) for one in node.args[skip:]])


def _result(reader: ExpressionReader, node: ast.Call, others: tuple[str, ...] = ()) -> tree.StructInfo | None:
    """Return the struct info that a call names for its result."""
    reading = reader.reading
    found: tree.StructInfo | None = None
    for keyword in node.keywords:
        if keyword.arg in RESULTS:
            found = _infos(reader, keyword.value)
        elif keyword.arg not in others:
            raise reading.unsupported(keyword, f"`{keyword.arg}=` of a call")
    return found


def _infos(reader: ExpressionReader, node: ast.expr) -> tree.StructInfo | None:
    """Read one struct info, or a list of them: of one, or the fields of a tuple."""
    if isinstance(node, ast.List | ast.Tuple):
        if not node.elts:
            return (
                tree.TupleStructInfo((), *reader.reading.span(node)) if isinstance(node, ast.Tuple) else None
            )
        infos = [reader.info(one) for one in node.elts]
        if len(infos) == 1:
            return infos[0]
        return tree.TupleStructInfo(tuple(infos), *reader.reading.span(node))
    return reader.info(node)


def _outputs(reader: ExpressionReader, node: ast.Call, out: ast.expr | None) -> tree.StructInfo | None:
    """Read the results of a call in destination-passing style: a list of several is a tuple."""
    if out is None:
        return None
    if isinstance(out, ast.List | ast.Tuple) and len(out.elts) > 1:
        infos = [reader.info(one) for one in out.elts]
        return tree.TupleStructInfo(tuple(infos), *reader.reading.span(out))
    if isinstance(out, ast.List | ast.Tuple) and len(out.elts) == 1:
        return reader.info(out.elts[0])
    return reader.info(out)


def _argument_tuple(
    reader: ExpressionReader, node: ast.expr | None, place: ast.Call, *, sizes: bool = True
) -> tuple[tree.Tuple | tree.Expr, list[tree.PrimExpr]]:
    """Return the tuple of arguments, and with `sizes` the scalars that are the last of them, if these are sizes.

    Other scalars are arguments as tensors are, in the order of the parameters.
    """
    reading = reader.reading
    if node is None:
        end = reading.py.end(place)
        return tree.Tuple((), end - 1, end - 1), []
    if not isinstance(node, ast.Tuple | ast.List):
        if (isinstance(node, ast.Call) and reading.called(node) == ("R", "tuple")) or (
            isinstance(node, ast.Call) and reading.called(node)[1] == "Tuple"
        ):
            given, span = node.args, reading.span(node)
        else:
            made = reader.expression(node)
            return tree.Tuple((made,), made.pos, made.end), []
    else:
        given, span = node.elts, reading.span(node)
    numbers = [is_scalar(reader, one) for one in given]
    count = numbers.index(True) if True in numbers else len(given)
    last = given[count:]
    if sizes and all(numbers[count:]) and all(is_size(reader, one) for one in last):
        fields = [reader.expression(one) for one in given[:count]]
        return tree.Tuple(tuple(fields), *span), [scalar_argument_value(reader, one) for one in last]
    return tree.Tuple(tuple([passed(reader, one) for one in given]), *span), []


def _call_tir(reader: ExpressionReader, node: ast.Call) -> tree.Expr:
    reading = reader.reading
    _, name = reading.called(node)
    names = _ORDER[name]
    parts = parts_of(reader, node, names)
    if "func" not in parts:
        raise reading.wrong(node, "the function is missing")
    callee = reader.callee(parts["func"])
    given = parts.get("args")
    if given is not None and "out_ty" not in parts and "output_shape" not in parts:
        shown = reading.py.shown(node.func)
        raise reading.wrong(node, f"`{shown}` needs the struct info of its result, `out_ty=`")
    is_packed = isinstance(callee, tree.ExternFunc) or name == "call_dps_packed"
    args, scalars = _argument_tuple(reader, given, node, sizes=not is_packed)
    result = _drafted(reader, node, parts) or _outputs(reader, node, parts.get("out_ty"))
    pos, end = reading.span(node)
    rest: tuple[tree.Expr, ...] = ()
    if "tir_vars" in parts:
        shape = parts["tir_vars"]
        dims = reader.dimensions(shape)
        rest = (
            tree.ShapeExpr(dims, *reading.span(shape)) if dims is not None else reader.shape_argument(shape),
        )
    elif scalars:
        rest = (tree.ShapeExpr(tuple(scalars), scalars[0].pos, scalars[-1].end),)
    attrs: list[tree.Attr] = []
    if name == "call_tir_inplace" and "inplace_indices" in parts:
        attrs.append(_indices(reader, parts["inplace_indices"]))
    if name == "call_tir_with_grad" and "te_grad_name" in parts:
        text = parts["te_grad_name"]
        span = reading.span(text)
        attrs.append(
            tree.Attr("te_grad_name", tree.StrLit(reading.string(text, "`te_grad_name`"), *span), *span)
        )
        if "te_grad_kwargs" in parts:
            reading.drop(parts["te_grad_kwargs"], "`te_grad_kwargs`")
    op = operator_name(reader, node, name)
    if is_packed:  # `R.call_tir("f", …)` is the older form
        op = tree.Op("call_dps_packed", op.pos, op.end)
        attrs.append(tree.Attr("pure", tree.BoolLit(True, end, end), end, end))
    return tree.Call(op, (callee, args, *rest), tuple(attrs), result, pos, end)


def _drafted(reader: ExpressionReader, node: ast.Call, parts: dict[str, ast.expr]) -> tree.StructInfo | None:
    """Read the result of `R.call_tir(f, (x,), (n, 4), dtype="float32")`, as the first drafts have it."""
    shape = parts.get("output_shape", parts.get("out_ty"))
    dtype = parts.get("output_dtype", parts.get("dtype"))
    if shape is None or dtype is None:
        return None
    reader.reading.read_as(
        reader.reading.span(dtype), "dtype=", "the struct info of the result, `out_ty=R.Tensor(…)`"
    )
    return reader.tensor(shape, [shape, dtype], {})


def _dot(reader: ExpressionReader, node: ast.Call) -> tree.Expr:
    """Read `R.dot(x, y)` of the first drafts."""
    reader.reading.read_as(reader.reading.span(node.func), reader.reading.py.shown(node.func), "`R.matmul`")
    return read_operator(reader, node, "matmul")


def _indices(reader: ExpressionReader, node: ast.expr) -> tree.Attr:
    from relax_lang.tvmscript.scalar_reader.attributes import literal

    span = reader.reading.span(node)
    made = literal(reader.literal_value(node), span)
    if made is None:
        raise reader.reading.wrong(node, "`inplace_indices` is a list of integers")
    if isinstance(made, tree.ListLit) and len(made.items) == 1:
        made = made.items[0]
    return tree.Attr("inplace_indices", made, *span)


_ORDER = {
    "call_tir": ("func", "args", "out_ty", "tir_vars"),
    "call_dps_packed": ("func", "args", "out_ty"),
    "call_tir_inplace": ("func", "args", "inplace_indices", "out_ty", "tir_vars"),
    "call_tir_with_grad": ("func", "args", "out_ty", "te_grad_name", "te_grad_kwargs", "tir_vars"),
}


def _call_packed(reader: ExpressionReader, node: ast.Call) -> tree.Expr:
    """Read `R.call_packed("f", x, ty_args=S)`, `R.call_pure_packed(…)`."""
    reading = reader.reading
    _, name = reading.called(node)
    if not node.args:
        raise reading.wrong(node, "the name of the function is missing")
    callee = reader.callee(node.args[0])
    args = _values(reader, node, 1)
    pure = name == "call_pure_packed"
    result: tree.StructInfo | None = None
    attrs: list[tree.Attr] = []
    for keyword in node.keywords:
        if keyword.arg in RESULTS:
            result = _infos(reader, keyword.value)
            if keyword.arg == "sinfo_args" and reading.aliases.is_current:
                pos = reading.py.start(keyword)
                place = pos, pos + len(keyword.arg)
                reading.found.append(diag.ignored_by_tvm(place, keyword.arg, "ty_args"))
        elif keyword.arg == "inplace_indices" and name == "call_inplace_packed":
            attrs.append(_indices(reader, keyword.value))
        elif keyword.arg == "pure":
            pure = bool(reading.value(keyword.value))
        else:
            raise reading.unsupported(keyword, f"the attribute `{keyword.arg}=` of a packed call")
    pos, end = reading.span(node)
    if name == "call_inplace_packed":
        op = operator_name(reader, node, name)
        return tree.Call(op, (callee, *args), tuple(attrs), result, pos, end)
    if pure and not isinstance(callee, tree.ExternFunc):
        op = operator_name(reader, node, "call_pure_packed")
        return tree.Call(op, (callee, *args), (), result, pos, end)
    if pure:
        attrs.append(tree.Attr("pure", tree.BoolLit(True, end, end), end, end))
    return tree.Call(callee, args, tuple(attrs), result, pos, end)


def _call_with_result(reader: ExpressionReader, node: ast.Call) -> tree.Expr:
    """Read `R.invoke_closure(c, (x,), ty_args=S)`, `R.call_builtin_with_ctx("vm.…", (x,))`."""
    reading = reader.reading
    _, name = reading.called(node)
    parts = parts_of(reader, node, ("func", "args", "out_ty"))
    for key in ("closure", "func"):
        if key in parts:
            callee = reader.callee(parts[key])
            break
    else:
        raise reading.wrong(node, "the function is missing")
    if set(parts) - {"func", "closure", "args", "out_ty"}:
        raise reading.unsupported(node, f"`{reading.py.shown(node)}`")
    given = parts.get("args")
    args: tree.Expr = tree.Tuple((), *reading.span(node)) if given is None else _arguments(reader, given)
    if not isinstance(given, ast.Tuple | ast.List | None) and not (isinstance(args, tree.Tuple | tree.Var)):
        args = tree.Tuple((args,), args.pos, args.end)
    result = None if "out_ty" not in parts else _infos(reader, parts["out_ty"])
    op = operator_name(reader, node, name)
    return tree.Call(op, (callee, args), (), result, *reading.span(node))


def _arguments(reader: ExpressionReader, node: ast.expr) -> tree.Expr:
    if isinstance(node, ast.Tuple | ast.List):
        fields = tuple([passed(reader, one) for one in node.elts])
        return tree.Tuple(fields, *reader.reading.span(node))
    return reader.expression(node)


SPECIAL: dict[str, Callable[[ExpressionReader, ast.Call], tree.Expr]] = {
    **VALUES,
    "dot": _dot,
    "call_tir": _call_tir,
    "call_tir_inplace": _call_tir,
    "call_tir_with_grad": _call_tir,
    "call_dps_packed": _call_tir,
    "call_packed": _call_packed,
    "call_pure_packed": _call_packed,
    "call_inplace_packed": _call_packed,
    "invoke_closure": _call_with_result,
    "invoke_pure_closure": _call_with_result,
    "call_builtin_with_ctx": _call_with_result,
    "vm.call_tir_dyn": _call_with_result,
}
