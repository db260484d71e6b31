"""Calls of operators: the arguments of TVM's Python function, in its order, become arguments and attributes of ours.

The order of an operator's parameters and attributes is that of TVM's function unless its declaration has another one
(`tvm=`), so there is no second list of operators.
"""

from __future__ import annotations

import ast

from relax_lang.base.names import nearest
from relax_lang.ops import registry
from relax_lang.syntax import tree
from relax_lang.tvmscript import diagnostics as diag
from relax_lang.tvmscript.python.units import DEFAULTS_OF_TVM
from relax_lang.tvmscript.reader.expressions import ExpressionReader
from relax_lang.tvmscript.scalar_reader.attributes import literal
from relax_lang.tvmscript.scalar_reader.reading import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.core.operator import Operator
    from relax_lang.ops.core.signature import AttrSpec, Param

RENAMED = {"batch_matmul": "matmul"}
WITH_BIAS = {"nn.attention": "nn.attention_bias"}
"""Functions of TVM that are another operator where a bias is given."""


def read_operator(reader: ExpressionReader, node: ast.Call, name: str) -> tree.Expr:
    """Read a call of an operator. Raises Refused."""
    reading = reader.reading
    if name in WITH_BIAS and (len(node.args) > 3 or any(one.arg == "bias" for one in node.keywords)):
        name = WITH_BIAS[name]
    operator = registry.lookup(name)
    if operator is None:
        raise _unknown(reader, node, name)
    given = _bound(reader, node, operator)
    args = _arguments(reader, node, operator, given)
    attrs = _attributes(reader, node, operator, given)
    pos, end = reading.span(node)
    if name in DEFAULTS_OF_TVM and reading.aliases.is_current:
        written = [one.key for one in attrs]
        attrs += [
            tree.Attr(key, tree.BoolLit(value, end, end), end, end)
            for key, value in DEFAULTS_OF_TVM[name].items()
            if key not in written
        ]
    return tree.Call(operator_name(reader, node, name), tuple(args), tuple(attrs), None, pos, end)


def operator_name(reader: ExpressionReader, node: ast.Call, name: str) -> tree.Op:
    """Return the callee of an operator call; its place is that of the name, without the dialect before it."""
    end = reader.reading.py.end(node.func)
    text = reader.reading.py.text
    pos = end - len(name) if text.endswith(name, 0, end) else reader.reading.py.start(node.func)
    return tree.Op(name, pos, end)


def _unknown(reader: ExpressionReader, node: ast.Call, name: str) -> Refused:
    reading = reader.reading
    if name.startswith("dist.") or name in ("device_mesh", "Placement"):
        return reading.unsupported(node, f"`{reading.py.shown(node.func)}(…)`", "it is about several devices")
    if name in _PYTHON:
        return reading.unsupported(node, f"`{reading.py.shown(node.func)}(…)`", _PYTHON[name])
    near = nearest(name, registry.names())
    op = operator_name(reader, node, name)
    return Refused(diag.unknown_operator((op.pos, op.end), name, near))


_PYTHON = {
    "emit_te": "it runs Python to make a PrimFunc",
    "call_py_func": "it calls Python",
    "macro": "it is expanded by Python",
}


_OF_MEMORY = {"layout_transform": ("axis_separators", "input_axis_separators")}
"""Arguments that say how elements lie in the memory of a device, which no value depends on."""


def _bound(
    reader: ExpressionReader, node: ast.Call, operator: Operator
) -> dict[str, ast.expr | list[ast.expr]]:
    """Return the arguments of a call by the names of our parameters and attributes."""
    reading = reader.reading
    ours = [*[one.name for one in operator.params], *[one.name for one in operator.attrs]]
    theirs = operator.tvm.split() or ours
    mapped = _ours_for(theirs, ours, operator)
    variadic = {one.name for one in operator.params if one.variadic}
    given: dict[str, ast.expr | list[ast.expr]] = {}
    position = 0
    for argument in node.args:
        if isinstance(argument, ast.Starred):
            raise reading.unsupported(argument, "`*` arguments", "they need Python to run")
        if position >= len(theirs):
            raise reading.wrong(argument, f"`{operator.name}` takes {len(theirs)} arguments")
        name = mapped[theirs[position]]
        if name in variadic:
            rest = given.setdefault(name, [])
            assert isinstance(rest, list)
            rest.append(argument)
            continue
        given[name] = argument
        position += 1
    for keyword in node.keywords:
        if keyword.arg is None:
            raise reading.unsupported(keyword, "`**` arguments", "they need Python to run")
        name = mapped.get(keyword.arg, keyword.arg if keyword.arg in ours else None)
        if name is None and keyword.arg in _OF_MEMORY.get(operator.name, ()):
            if not (isinstance(keyword.value, ast.List | ast.Tuple) and not keyword.value.elts):
                reading.drop(keyword, f"`{keyword.arg}`")
            continue
        if name is None:
            near = nearest(keyword.arg, theirs)
            found = reading.wrong(keyword, f"`{operator.name}` has no argument `{keyword.arg}`")
            raise Refused(found.diagnostic.helped(f"did you mean `{near}`?")) if near else found
        given[name] = keyword.value
    return given


def _ours_for(theirs: list[str], ours: list[str], operator: Operator) -> dict[str, str]:
    """Return our name for each of TVM's; those that differ are matched in order, parameters with parameters."""
    mapped = {name: name for name in theirs if name in ours}
    left = [one.name for one in operator.params if one.name not in mapped]
    for name in theirs:
        if name not in mapped and left:
            mapped[name] = left.pop(0)
    return mapped


def _arguments(
    reader: ExpressionReader, node: ast.Call, operator: Operator, given: dict[str, ast.expr | list[ast.expr]]
) -> list[tree.Expr]:
    args: list[tree.Expr | None] = []
    for param in operator.params:
        value = given.get(param.name)
        if isinstance(value, list):
            args += [reader.expression(one) for one in value]
        elif param.variadic and value is not None:
            args += _fields(reader, value)
        elif value is None or _is_nothing(reader, value):
            args.append(None)
        else:
            args.append(argument(reader, param, value))
    while args and args[-1] is None:
        args.pop()
    end = reader.reading.py.end(node)
    return [tree.Tuple((), end - 1, end - 1) if one is None else one for one in args]


def _is_nothing(reader: ExpressionReader, node: ast.expr) -> bool:
    """Return whether an argument means that there is none: `None`, or as TVM prints it, `R.tuple()`, a null value."""
    if isinstance(node, ast.Name):
        return node.id in reader.names.nulls
    if isinstance(node, ast.Call):
        return reader.reading.called(node) in (("R", "tuple"), ("R", "null_value")) and not node.args
    return isinstance(node, ast.Constant) and node.value is None


def _fields(reader: ExpressionReader, node: ast.expr) -> list[tree.Expr]:
    if isinstance(node, ast.Tuple | ast.List):
        return [reader.expression(one) for one in node.elts]
    return [reader.expression(node)]


def argument(reader: ExpressionReader, param: Param, node: ast.expr) -> tree.Expr:
    """Read the argument for a parameter, as its kind asks."""
    kind = param.kind
    if kind == "shape":
        return reader.shape_argument(node)
    if kind == "prim":
        return reader.scalar_argument(node)
    if kind == "prims" and isinstance(node, ast.Tuple | ast.List):
        return tree.Tuple(
            tuple([reader.scalar_argument(one) for one in node.elts]), *reader.reading.span(node)
        )
    if kind == "prims" and not isinstance(node, ast.Call | ast.Subscript):
        if isinstance(node, ast.Name) and node.id in reader.names.variables:
            return reader.expression(node)
        return tree.Tuple((reader.scalar_argument(node),), *reader.reading.span(node))
    if kind == "callee":
        return reader.callee(node)
    return reader.expression(node)


def _attributes(
    reader: ExpressionReader, node: ast.Call, operator: Operator, given: dict[str, ast.expr | list[ast.expr]]
) -> list[tree.Attr]:
    attrs: list[tree.Attr] = []
    for spec in operator.attrs:
        value = given.get(spec.name)
        if value is None or isinstance(value, list):
            continue
        if _is_nothing(reader, value) and not isinstance(value, ast.Constant):
            continue
        made = _attribute(reader, operator, spec, value)
        if made is not None:
            pos = value_start = reader.reading.py.start(value)
            for keyword in node.keywords:
                if keyword.value is value:
                    pos = reader.reading.py.start(keyword)
            assert pos <= value_start
            attrs.append(tree.Attr(spec.name, made, pos, reader.reading.py.end(value)))
    return attrs


def _attribute(
    reader: ExpressionReader, operator: Operator, spec: AttrSpec, node: ast.expr
) -> tree.Literal | None:
    """Read the value of an attribute; None where it is the one that is meant without it."""
    reading = reader.reading
    if isinstance(node, ast.Lambda) or reading.called(node)[1] == "index_map":
        from relax_lang.tvmscript.scalar_reader.index_maps import read_index_map  # rare

        return read_index_map(reading, node)
    if "dtype" in spec.type:
        dtype = reading.dtype(node)
        return (
            dtype
            if dtype is not None or spec.default is None or spec.required
            else tree.NullLit(*reading.span(node))
        )
    value = reader.literal_value(node)
    if value is None and (spec.default is None or "none" not in spec.type):
        return None
    if value == "" and "none" in spec.type and '""' not in spec.type:
        return None
    made = literal(value, reading.span(node))
    if made is None:
        raise reading.wrong(
            node, f"`{spec.name}` of `{operator.name}` is a literal, not `{reading.py.shown(node)}`"
        )
    if spec.type.startswith("float") and isinstance(made, tree.IntLit):
        return made
    return made
