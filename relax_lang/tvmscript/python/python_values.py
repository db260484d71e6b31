"""Values of Python expressions, without Python: literals, arithmetic on them, and names that are assigned once.

A closed list of kinds of nodes, with bounds on steps and sizes; nothing is executed. What is not on the list raises
`Unknown`, which says why and where.
"""

from __future__ import annotations

import ast
import math
import operator

from relax_lang.tvmscript.python.python_scopes import defined_in

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    Value = Any  # None, bool, int, float, str, and tuples, lists and dicts of these

MAX_STEPS = 20_000
MAX_BITS = 256
MAX_ITEMS = 100_000


class Unknown(Exception):  # noqa: N818 - not an error: the expression is simply not one of ours
    """An expression whose value is not known without running Python: the node to blame, and why.

    `name` is the name to give a value for, `definition` where it comes from.
    """

    def __init__(self, node: ast.expr, why: str, name: str = "", definition: ast.AST | None = None) -> None:
        super().__init__(why)
        self.node = node
        self.why = why
        self.name = name
        self.definition = definition


class Environment:
    """The Python scopes around a unit: what each assigns, the innermost scope last.

    `defines` are the values that the user gives to names, which come first.
    """

    __slots__ = ("_known", "_tables", "defines", "scopes", "steps")

    def __init__(self, scopes: Sequence[ast.AST], defines: Mapping[str, Value]) -> None:
        self.scopes = scopes
        self.defines = defines
        self._tables: dict[ast.AST, dict[str, list[ast.AST]]] = {}
        self._known: dict[tuple[ast.AST, str], Value] = {}
        self.steps = 0

    def definitions(self, name: str) -> list[ast.AST]:
        """Return what defines a name in the innermost scope that does: assignments, parameters, imports, …"""
        for scope in reversed(self.scopes):
            table = self._tables.get(scope)
            if table is None:
                table = self._tables[scope] = defined_in(scope)
            if name in table:
                return table[name]
        return []

    def lookup(self, use: ast.Name) -> Value:
        """Return the value of a name. Raises Unknown."""
        name = use.id
        if name in self.defines:
            return self.defines[name]
        found = self.definitions(name)
        if not found:
            raise Unknown(use, "nothing in this file defines it", name)
        if len(found) > 1:
            raise Unknown(use, "it is assigned more than once", name, found[0])
        place = found[0]
        if (place, name) in self._known:
            return self._known[place, name]
        value = self._value_of(use, place)
        self._known[place, name] = value
        return value

    def _value_of(self, use: ast.Name, place: ast.AST) -> Value:
        if isinstance(place, ast.Assign):
            value = self._assigned(use, place)
        elif isinstance(place, ast.AnnAssign) and place.value is not None:
            value = self._evaluated(use, place.value, place)
        else:
            raise Unknown(use, _WHY.get(type(place), "its value is not a constant"), use.id, place)
        return value

    def _assigned(self, use: ast.Name, place: ast.Assign) -> Value:
        for target in place.targets:
            if isinstance(target, ast.Name) and target.id == use.id:
                return self._evaluated(use, place.value, place)
            if isinstance(target, ast.Tuple | ast.List):
                names = [one.id if isinstance(one, ast.Name) else "" for one in target.elts]
                values = items_of(self._evaluated(use, place.value, place))
                if use.id in names and values is not None and len(values) == len(names):
                    return values[names.index(use.id)]
        raise Unknown(use, "its value is not a constant", use.id, place)

    def _evaluated(self, use: ast.Name, node: ast.expr, place: ast.AST) -> Value:
        try:
            return evaluate(node, self)
        except Unknown as unknown:
            why = f"its value depends on `{unknown.name}`" if unknown.name else "its value is computed"
            raise Unknown(use, why, use.id, place) from None

    def step(self, node: ast.expr) -> None:
        """Count one step. Raises Unknown where there were too many."""
        self.steps += 1
        if self.steps > MAX_STEPS:
            raise Unknown(node, "computing it takes too many steps")


_WHY: dict[type[ast.AST], str] = {
    ast.arg: "a parameter of the function around it",
    ast.Import: "an import",
    ast.ImportFrom: "an import",
    ast.FunctionDef: "a Python function",
    ast.AsyncFunctionDef: "a Python function",
    ast.ClassDef: "a Python class",
    ast.For: "the variable of a loop",
    ast.AsyncFor: "the variable of a loop",
    ast.With: "bound by `with`",
    ast.AugAssign: "it is assigned more than once",
}


def items_of(value: Value) -> list[Value] | None:
    """Return the items of a tuple or a list; None for any other value."""
    return list(value) if isinstance(value, tuple | list) else None  # pyright: ignore[reportUnknownArgumentType]


def _length(value: Value) -> int:
    """Return how many items or letters a value has."""
    return len(value) if isinstance(value, str | tuple | list) else 0  # pyright: ignore[reportUnknownArgumentType]


def evaluate(node: ast.expr, env: Environment) -> Value:
    """Return the value of an expression. Raises Unknown."""
    env.step(node)
    row = _ROWS.get(type(node))
    if row is None:
        raise Unknown(node, "it is computed by Python")
    return row(node, env)


def _constant(node: ast.Constant, _env: Environment) -> Value:
    if isinstance(node.value, bool | int | float | str) or node.value is None:
        return node.value
    raise Unknown(node, "it is no number and no string")


def _name(node: ast.Name, env: Environment) -> Value:
    return env.lookup(node)


def _tuple(node: ast.Tuple, env: Environment) -> Value:
    return tuple(_items(node.elts, env))


def _list(node: ast.List, env: Environment) -> Value:
    return _items(node.elts, env)


def _items(nodes: Sequence[ast.expr], env: Environment) -> list[Value]:
    items: list[Value] = []
    for node in nodes:
        if isinstance(node, ast.Starred):
            more = items_of(evaluate(node.value, env))
            if more is None:
                raise Unknown(node, "it is no list")
            items += more
        else:
            items.append(evaluate(node, env))
        if len(items) > MAX_ITEMS:
            raise Unknown(node, "it is too long")
    return items


def _dict(node: ast.Dict, env: Environment) -> Value:
    made: dict[Value, Value] = {}
    for key, value in zip(node.keys, node.values, strict=True):
        if key is None:
            raise Unknown(node, "it is computed by Python")
        name = evaluate(key, env)
        if not isinstance(name, str | int | float | tuple):
            raise Unknown(key, "it is no key")
        made[name] = evaluate(value, env)
    return made


_BINARY: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
    ast.Pow: lambda a, b: a**b,
    ast.LShift: lambda a, b: a << b,
    ast.RShift: lambda a, b: a >> b,
    ast.BitAnd: lambda a, b: a & b,
    ast.BitOr: lambda a, b: a | b,
    ast.BitXor: lambda a, b: a ^ b,
}


def _binary(node: ast.BinOp, env: Environment) -> Value:
    left, right = evaluate(node.left, env), evaluate(node.right, env)
    if not _is_bounded(node.op, left, right):
        raise Unknown(node, "it is too large")
    try:
        value = _BINARY[type(node.op)](left, right)
    except (TypeError, ValueError, ArithmeticError, KeyError):
        raise Unknown(node, "it has no value") from None
    return _bounded(node, value)


def _is_bounded(sign: ast.operator, left: Value, right: Value) -> bool:
    """Tell whether the result of an operation is small, before it is computed."""
    if isinstance(left, str) and isinstance(sign, ast.Mod):  # formats with widths
        return False
    if isinstance(sign, ast.Mult):
        for text, count in ((left, right), (right, left)):
            if isinstance(text, str | tuple | list) and isinstance(count, int):
                return _length(text) * count <= MAX_ITEMS
    if not isinstance(left, int) or not isinstance(right, int):
        return True
    if isinstance(sign, ast.Pow):
        return abs(right) * max(left.bit_length(), 1) <= MAX_BITS
    if isinstance(sign, ast.LShift):
        return right + left.bit_length() <= MAX_BITS
    return True


def _bounded(node: ast.expr, value: Value) -> Value:
    if isinstance(value, int) and value.bit_length() > MAX_BITS:
        raise Unknown(node, "it is too large")
    if _length(value) > MAX_ITEMS:
        raise Unknown(node, "it is too long")
    if isinstance(value, complex):
        raise Unknown(node, "it is no number")
    return value


def _unary(node: ast.UnaryOp, env: Environment) -> Value:
    value = evaluate(node.operand, env)
    if isinstance(node.op, ast.Not):
        return not value
    if isinstance(value, int | float):
        if isinstance(node.op, ast.USub):
            return -value
        if isinstance(node.op, ast.UAdd):
            return +value
        if isinstance(value, int):
            return ~value
    raise Unknown(node, "it has no value")


def _logic(node: ast.BoolOp, env: Environment) -> Value:
    value: Value = None
    for one in node.values:
        value = evaluate(one, env)
        if bool(value) == isinstance(node.op, ast.Or):
            return value
    return value


_COMPARE: dict[type[ast.cmpop], Callable[[Any, Any], Any]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
    ast.In: lambda item, holder: item in holder,
    ast.NotIn: lambda item, holder: item not in holder,
}


def _compare(node: ast.Compare, env: Environment) -> Value:
    left = evaluate(node.left, env)
    for sign, right_node in zip(node.ops, node.comparators, strict=True):
        right = evaluate(right_node, env)
        try:
            holds = _COMPARE[type(sign)](left, right)
        except TypeError:
            raise Unknown(node, "it has no value") from None
        if not holds:
            return False
        left = right
    return True


def _conditional(node: ast.IfExp, env: Environment) -> Value:
    return evaluate(node.body if evaluate(node.test, env) else node.orelse, env)


def _subscript(node: ast.Subscript, env: Environment) -> Value:
    holder = evaluate(node.value, env)
    if isinstance(node.slice, ast.Slice):
        bounds = [None if one is None else evaluate(one, env) for one in (node.slice.lower, node.slice.upper)]
        if isinstance(holder, str) and all(one is None or isinstance(one, int) for one in bounds):
            return holder[slice(*bounds)]
        items = items_of(holder)
        if items is not None and all(one is None or isinstance(one, int) for one in bounds):
            return items[slice(*bounds)]
        raise Unknown(node, "it has no value")
    index = evaluate(node.slice, env)
    try:
        return holder[index]
    except (TypeError, LookupError):
        raise Unknown(node, "it has no value") from None


def _f_string(node: ast.JoinedStr, env: Environment) -> Value:
    parts: list[str] = []
    for piece in node.values:
        if isinstance(piece, ast.Constant):
            parts.append(str(piece.value))
        elif isinstance(piece, ast.FormattedValue) and piece.format_spec is None and piece.conversion == -1:
            value = evaluate(piece.value, env)
            if not isinstance(value, str | int | float):
                raise Unknown(node, "it is computed by Python")
            parts.append(str(value))
        else:
            raise Unknown(node, "it is computed by Python")
    return _bounded(node, "".join(parts))


def _call(node: ast.Call, env: Environment) -> Value:
    if not isinstance(node.func, ast.Name) or node.keywords or env.definitions(node.func.id):
        return _helper(node, env)
    known = _FUNCTIONS.get(node.func.id)
    if known is None:
        raise Unknown(node, f"`{node.func.id}` is computed by Python", node.func.id)
    arguments = _items(node.args, env)
    if node.func.id == "range" and not all(
        isinstance(one, int) and abs(one) <= MAX_ITEMS for one in arguments
    ):
        raise Unknown(node, "it is too long")
    try:
        return _bounded(node, known(*arguments))
    except (TypeError, ValueError, ArithmeticError):
        raise Unknown(node, "it has no value") from None


_FUNCTIONS: dict[str, Callable[..., object]] = {
    "abs": abs,
    "bool": bool,
    "float": float,
    "int": int,
    "len": len,
    "list": list,
    "max": max,
    "min": min,
    "range": lambda *bounds: list(range(*bounds)),
    "str": str,
    "sum": sum,
    "tuple": tuple,
}

MAX_CALLS = 20


def _helper(node: ast.Call, env: Environment) -> Value:
    """Call a Python function of the file that returns one expression of its parameters."""
    path = _math_function(node, env)
    if path is not None:
        return path
    if not isinstance(node.func, ast.Name):
        raise Unknown(node, "it is computed by Python")
    name = node.func.id
    found = env.definitions(name)
    body = (
        [one for one in found[0].body if not _is_doc(one)]
        if len(found) == 1 and isinstance(found[0], ast.FunctionDef)
        else []
    )
    if len(body) != 1 or not isinstance(body[0], ast.Return) or body[0].value is None:
        raise Unknown(node, f"`{name}` is computed by Python", name, found[0] if found else None)
    function = found[0]
    assert isinstance(function, ast.FunctionDef)
    if function.args.vararg or function.args.kwarg or function.decorator_list:
        raise Unknown(node, f"`{name}` is computed by Python", name, function)
    given = _bind(node, function, env)
    inner = Environment(env.scopes, {**env.defines, **given})
    inner.steps = env.steps + MAX_STEPS // MAX_CALLS  # so that calls of calls end
    return evaluate(body[0].value, inner)


def _bind(node: ast.Call, function: ast.FunctionDef, env: Environment) -> dict[str, Value]:
    names = [one.arg for one in (*function.args.posonlyargs, *function.args.args)]
    values = _items(node.args, env)
    if len(values) > len(names):
        raise Unknown(node, "the function takes fewer arguments")
    given = dict(zip(names, values, strict=False))
    for keyword in node.keywords:
        if keyword.arg is None:
            raise Unknown(node, "it is computed by Python")
        given[keyword.arg] = evaluate(keyword.value, env)
    for name, default in zip(reversed(names), reversed(function.args.defaults), strict=False):
        if name not in given:
            given[name] = evaluate(default, env)
    missing = [name for name in names if name not in given]
    if missing:
        raise Unknown(node, f"`{missing[0]}` is not given")
    return given


_MATH: dict[str, Callable[..., Any]] = {
    "ceil": math.ceil,
    "floor": math.floor,
    "sqrt": math.sqrt,
    "log2": math.log2,
}


def _math_function(node: ast.Call, env: Environment) -> Value | None:
    func = node.func
    if not isinstance(func, ast.Attribute) or not isinstance(func.value, ast.Name) or func.value.id != "math":
        return None
    known = _MATH.get(func.attr)
    if known is None:
        return None
    try:
        return known(*_items(node.args, env))
    except (TypeError, ValueError, ArithmeticError):
        raise Unknown(node, "it has no value") from None


def _is_doc(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _attribute(node: ast.Attribute, _env: Environment) -> Value:
    if isinstance(node.value, ast.Name):
        if node.value.id == "math" and node.attr in ("pi", "e", "inf", "nan"):
            return getattr(math, node.attr)
        if node.value.id in ("np", "numpy") and node.attr in ("inf", "nan", "pi"):
            return getattr(math, node.attr)
    raise Unknown(node, "it is computed by Python")


_ROWS: dict[type[ast.expr], Callable[..., Value]] = {
    ast.Attribute: _attribute,
    ast.BinOp: _binary,
    ast.BoolOp: _logic,
    ast.Call: _call,
    ast.Compare: _compare,
    ast.Constant: _constant,
    ast.Dict: _dict,
    ast.IfExp: _conditional,
    ast.JoinedStr: _f_string,
    ast.List: _list,
    ast.Name: _name,
    ast.Subscript: _subscript,
    ast.Tuple: _tuple,
    ast.UnaryOp: _unary,
}
