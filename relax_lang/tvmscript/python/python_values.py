"""Values of Python expressions, without Python: literals, arithmetic on them, and names that are assigned once.

A closed list of kinds of nodes, with bounds on steps and sizes; nothing is executed. What is not on the list raises
`Unknown`, which has the reason and the place.
"""

from __future__ import annotations

import ast
import math

from relax_lang.tvmscript.python.parameters import given_value
from relax_lang.tvmscript.python.python_scopes import defined_in
from relax_lang.tvmscript.python.values import (
    MAX_ITEMS,
    Unknown,
    binary,
    bounded,
    compared,
    items_of,
    unary,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from relax_lang.tvmscript.python.values import Value

MAX_STEPS = 20_000


class Environment:
    """The Python scopes around a unit: what each assigns, the innermost scope last.

    `defines` are the values that the user gives to names, which come first. `line` is where the unit begins: of the
    scope around it, the assignments before count.
    """

    __slots__ = ("_known", "_tables", "assumed", "defines", "line", "scopes", "steps")

    def __init__(self, scopes: Sequence[ast.AST], defines: Mapping[str, Value], line: int = 0) -> None:
        self.scopes = scopes
        self.line = line
        self.assumed: dict[str, tuple[ast.arg, Value]] = {}
        """Parameters of functions around the unit that were given the value of a default or of a call."""
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
        place = self._latest(found) if len(found) > 1 else found[0]
        if place is None:
            raise Unknown(use, "it is assigned more than once", name, found[0])
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
        elif isinstance(place, ast.arg):
            value = self._given(use, place)
        else:
            raise Unknown(use, _WHY.get(type(place), "its value is not a constant"), use.id, place)
        return value

    def _latest(self, places: list[ast.AST]) -> ast.AST | None:
        """Return the last assignment before the unit, where all of them are statements of the scope around it."""
        body = getattr(self.scopes[-1], "body", [])
        if not self.line or not all(isinstance(one, ast.Assign) and one in body for one in places):
            return None
        before = [one for one in places if isinstance(one, ast.Assign) and one.lineno < self.line]
        return before[-1] if before else None

    def _given(self, use: ast.Name, place: ast.arg) -> Value:
        """Return a value that a parameter has in some call: its default, or what tests or the file pass."""
        for at in range(len(self.scopes) - 1, 0, -1):
            scope = self.scopes[at]
            if isinstance(scope, ast.FunctionDef) and place in (*scope.args.args, *scope.args.kwonlyargs):
                outer = Environment(self.scopes[:at], self.defines)
                for node in given_value(scope, place, self.scopes[0]):
                    try:
                        value = evaluate(node, outer)
                    except Unknown:
                        continue
                    self.assumed[use.id] = place, value
                    self.assumed |= outer.assumed
                    return value
        raise Unknown(use, _WHY[ast.arg], use.id, place)

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
    raise Unknown(node, "it is neither a number nor a string")


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
                raise Unknown(node, "it is not a list")
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
            raise Unknown(key, "it is not a key")
        made[name] = evaluate(value, env)
    return made


def _binary(node: ast.BinOp, env: Environment) -> Value:
    return binary(node, evaluate(node.left, env), evaluate(node.right, env))


def _unary(node: ast.UnaryOp, env: Environment) -> Value:
    return unary(node, evaluate(node.operand, env))


def _logic(node: ast.BoolOp, env: Environment) -> Value:
    value: Value = None
    for one in node.values:
        value = evaluate(one, env)
        if bool(value) == isinstance(node.op, ast.Or):
            return value
    return value


def _compare(node: ast.Compare, env: Environment) -> Value:
    left = evaluate(node.left, env)
    for comparison, right_node in zip(node.ops, node.comparators, strict=True):
        right = evaluate(right_node, env)
        if not compared(node, comparison, left, right):
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
    return bounded(node, "".join(parts))


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
        return bounded(node, known(*arguments))
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
