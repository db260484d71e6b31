"""Lines of Python from trees of Python: brackets where precedence asks for them, and no line that is too long.

Expressions are trees of `ast`, which the printer of the array IR builds; no text is read. Lines come out the way the
usual formatters of Python give them.
"""

from __future__ import annotations

import ast
from contextlib import contextmanager

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from typing import Any

_BINARY: dict[type[ast.operator], tuple[str, int]] = {
    ast.BitOr: ("|", 6), ast.BitXor: ("^", 7), ast.BitAnd: ("&", 8), ast.LShift: ("<<", 9), ast.RShift: (">>", 9),
    ast.Add: ("+", 10), ast.Sub: ("-", 10), ast.Mult: ("*", 11), ast.MatMult: ("@", 11), ast.Div: ("/", 11),
    ast.FloorDiv: ("//", 11), ast.Mod: ("%", 11),
}  # fmt: skip
_UNARY: dict[type[ast.unaryop], str] = {ast.USub: "-", ast.UAdd: "+", ast.Invert: "~"}
_COMPARED: dict[type[ast.cmpop], str] = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Is: "is",
    ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in",
}  # fmt: skip
_ANY, _CHOICE, _OR, _AND, _NOT, _COMPARISON, _SIGN, _POSTFIX = 0, 1, 2, 3, 4, 5, 12, 14
"""How tightly operators bind; those of `_BINARY` are between."""
_WORTH = 12
"""A shorter part of an expression gets no name."""


class Lines:
    """The lines of a function as they grow. `fresh` gives out names for the parts of what is too long for a line."""

    def __init__(self, width: int, depth: int, fresh: Callable[[str], str]) -> None:
        self.lines: list[str] = []
        self._width = width
        self._depth = depth
        self._fresh = fresh
        self._is_empty = True
        """Whether the current body has no statement yet."""

    @contextmanager
    def indented(self) -> Generator[None]:
        """Write the body of a statement; one without a statement does nothing."""
        self._depth += 1
        outer, self._is_empty = self._is_empty, True
        yield
        if self._is_empty:
            self.line("pass")
        self._is_empty = outer
        self._depth -= 1

    def comment(self, text: str) -> None:
        """Write a comment."""
        self.lines.append("    " * self._depth + f"# {text}")

    def line(self, text: str) -> None:
        """Write a line that needs no second one."""
        self.lines.append("    " * self._depth + text)
        self._is_empty = False

    def _fits(self, text: str, deeper: int = 0) -> bool:
        return 4 * (self._depth + deeper) + len(text) <= self._width

    def statement(self, before: str, value: ast.expr, after: str = "") -> None:
        """Write a statement with an expression in it; parts of a long one get names, or lines, of their own."""
        text = f"{before}{expression(value)}{after}"
        while not self._fits(text):
            lines = self._broken(before, value, after)
            if lines:
                self.lines += [" " * 4 * self._depth + line for line in lines]
                self._is_empty = False
                return
            part = _longest_part(value)
            if part is None:
                break
            name = self._fresh("part")
            self.statement(f"{name} = ", part)
            value = _Replacing(part, name).visit(value)
            text = f"{before}{expression(value)}{after}"
        self.line(text)

    def assignment(self, target: ast.Subscript, value: ast.expr) -> None:
        """Write an assignment to elements; an array that must be computed first gets a name if the line is long."""
        if isinstance(target.value, ast.Call) and not self._fits(
            f"{expression(target)} = {expression(value)}"
        ):
            name = self._fresh("part")
            self.statement(f"{name} = ", target.value)
            target = ast.Subscript(ast.Name(name), target.slice)
        self.statement(f"{expression(target)} = ", value)

    def _broken(self, before: str, value: ast.expr, after: str, deeper: int = 0) -> list[str]:
        """Return the lines of a call or a row of conditions in brackets, if that is how it fits; else none."""
        if isinstance(value, ast.Call):
            if isinstance(value.func, ast.Attribute) and not isinstance(value.func.value, ast.Name):
                return []
            opening, closing, items = f"{before}{expression(value.func, _POSTFIX)}(", ")", _arguments(value)
            parts = [*value.args, *[word.value for word in value.keywords]]
        elif isinstance(value, ast.Tuple):
            opening, closing, parts = f"{before}(", ")", value.elts
            items = [expression(one) for one in parts]
        elif isinstance(value, ast.BoolOp):
            opening, closing, items, parts = f"{before}(", ")", [expression(value)], [value]
        else:
            return []
        inside = ", ".join(items)
        if not self._fits(opening, deeper) or not items:
            return []
        if self._fits(inside, deeper + 1) and not isinstance(value, ast.BoolOp | ast.Tuple):
            return [opening, f"    {inside}", f"{closing}{after}"]
        lines = self._items(parts, items, deeper + 1)
        return [opening, *[f"    {line}" for line in lines], f"{closing}{after}"] if lines else []

    def _items(self, parts: Sequence[ast.expr], items: list[str], deeper: int) -> list[str]:
        """Return the lines of what is between brackets, one for each part; none if that does not fit."""
        if len(parts) == 1 and isinstance(parts[0], ast.BoolOp):
            row = _conditions(parts[0])
            return row if all(self._fits(line, deeper) for line in row) else []
        lines: list[str] = []
        for item, part in zip(items, parts, strict=True):
            more = [f"{item},"]
            if not self._fits(more[0], deeper):
                more = self._broken(item[: len(item) - len(expression(part))], part, ",", deeper)
            if not more:
                return []
            lines += more
        return lines


class _Replacing(ast.NodeTransformer):
    """Puts a name in the place of a part."""

    def __init__(self, part: ast.expr, name: str) -> None:
        self._part = part
        self._name = name

    def visit(self, node: ast.AST) -> Any:
        """Visit a node."""
        return ast.Name(self._name, ast.Load()) if node is self._part else self.generic_visit(node)


def _longest_part(value: ast.expr) -> ast.expr | None:
    """Return the longest part that is always evaluated, when nothing else is left to do but what is around it.

    An array with a name lives on until the name gets another value. A reshape may be a copy, so it gets none: what is
    reshaped does. Of what may get a name the parts are shorter, so that they are not looked at.
    """
    best: tuple[int, ast.expr] | None = None
    pending = _sure_parts(value)
    while pending:
        part = pending.pop()
        if not _takes_name(part):
            pending += _sure_parts(part)
            continue
        size = len(expression(part))
        if size >= _WORTH and (best is None or size > best[0]):
            best = size, part
    return best[1] if best else None


def _takes_name(part: ast.expr) -> bool:
    """Return whether a part may get a name; a reshape only of what has one."""
    match part:
        case ast.Name() | ast.Constant() | ast.Attribute() | ast.Tuple() | ast.Slice():
            return False
        case ast.Call(ast.Attribute(array, "reshape")):
            return not _takes_name(array)
        case _:
            return True


def _conditions(value: ast.expr, word: str = "", around: int = _ANY) -> list[str]:
    """Return a row of conditions as lines, each with the word before it."""
    binds = _OR if isinstance(value, ast.BoolOp) and isinstance(value.op, ast.Or) else _AND
    if not isinstance(value, ast.BoolOp) or binds < around:
        return [f"{word}{expression(value, max(around, _NOT))}"]
    inner = "or " if binds == _OR else "and "
    lines = _conditions(value.values[0], word, binds + 1)
    for other in value.values[1:]:
        lines += _conditions(other, inner, binds + 1)
    return lines


def _sure_parts(value: ast.expr) -> list[ast.expr]:
    """Return the parts of an expression that are evaluated whenever it is."""
    if isinstance(value, ast.Call):
        return [*value.args, *[word.value for word in value.keywords], *_sure_parts(value.func)]
    if isinstance(value, ast.BinOp):
        return [value.left, value.right]
    if isinstance(value, ast.Compare):
        return [value.left, *value.comparators[:1]]
    if isinstance(value, ast.Subscript):
        return [value.value, value.slice]
    if isinstance(value, ast.Tuple | ast.List):
        return value.elts
    if isinstance(value, ast.UnaryOp):
        return [value.operand]
    if isinstance(value, ast.Attribute | ast.Starred):
        return [value.value]
    if isinstance(value, ast.BoolOp):
        return value.values[:1]
    if isinstance(value, ast.IfExp):
        return [value.test]
    return [part for part in (value.lower, value.upper) if part] if isinstance(value, ast.Slice) else []


# ---- expressions


def expression(node: ast.expr, around: int = _ANY) -> str:
    """Return an expression as it is written beside an operator that binds as tightly as `around`."""
    text, binds = _EXPRESSIONS[type(node)](node)
    return f"({text})" if binds < around else text


def _name(node: ast.Name) -> tuple[str, int]:
    return node.id, _POSTFIX


def _constant(node: ast.Constant) -> tuple[str, int]:
    if isinstance(node.value, str):
        text = repr(node.value)
        plain = text.startswith("'") and '"' not in text and "\\'" not in text
        return (f'"{text[1:-1]}"' if plain else text), _POSTFIX
    return ("..." if node.value is Ellipsis else repr(node.value).replace("e+", "e")), _POSTFIX


def _attribute(node: ast.Attribute) -> tuple[str, int]:
    number = isinstance(node.value, ast.Constant) and isinstance(node.value.value, int)
    value = expression(node.value, _POSTFIX)
    return f"({value}).{node.attr}" if number else f"{value}.{node.attr}", _POSTFIX


def _arguments(node: ast.Call) -> list[str]:
    words = [
        f"{word.arg}={expression(word.value)}" if word.arg else f"**{expression(word.value)}"
        for word in node.keywords
    ]
    return [*[expression(argument) for argument in node.args], *words]


def _call(node: ast.Call) -> tuple[str, int]:
    return f"{expression(node.func, _POSTFIX)}({', '.join(_arguments(node))})", _POSTFIX


def _subscript(node: ast.Subscript) -> tuple[str, int]:
    inside = expression(node.slice)
    if isinstance(node.slice, ast.Tuple) and node.slice.elts:
        inside = inside[1:-1]
    return f"{expression(node.value, _POSTFIX)}[{inside}]", _POSTFIX


def _slice(node: ast.Slice) -> tuple[str, int]:
    parts = (node.lower, node.upper, node.step)
    gap = "" if all(part is None or _is_simple(part) for part in parts) else " "
    lower, upper, step = [expression(part) if part is not None else "" for part in parts]
    text = f"{lower}{gap if lower else ''}:{gap if upper else ''}{upper}"
    if step:
        text += f"{gap if upper else ''}:{gap}{step}"
    return text, _POSTFIX


def _is_simple(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        return not isinstance(node.op, ast.Not) and _is_simple(node.operand)
    return isinstance(node, ast.Name | ast.Constant)


def _tuple(node: ast.Tuple) -> tuple[str, int]:
    items = ", ".join([expression(item) for item in node.elts])
    return f"({items},)" if len(node.elts) == 1 else f"({items})", _POSTFIX


def _list(node: ast.List) -> tuple[str, int]:
    return f"[{', '.join([expression(item) for item in node.elts])}]", _POSTFIX


def _starred(node: ast.Starred) -> tuple[str, int]:
    return f"*{expression(node.value, _POSTFIX)}", _POSTFIX


def _binary(node: ast.BinOp) -> tuple[str, int]:
    operator, binds = _BINARY[type(node.op)]
    return f"{expression(node.left, binds)} {operator} {expression(node.right, binds + 1)}", binds


def _unary(node: ast.UnaryOp) -> tuple[str, int]:
    if isinstance(node.op, ast.Not):
        if isinstance(node.operand, ast.Compare) and isinstance(node.operand.ops[0], ast.Eq | ast.NotEq):
            opposite = ast.NotEq() if isinstance(node.operand.ops[0], ast.Eq) else ast.Eq()
            return _comparison(ast.Compare(node.operand.left, [opposite], node.operand.comparators))
        inner = expression(node.operand, _NOT)
        return f"not ({inner})" if isinstance(node.operand, ast.Compare) else f"not {inner}", _NOT
    return f"{_UNARY[type(node.op)]}{expression(node.operand, _SIGN)}", _SIGN


def _logic(node: ast.BoolOp) -> tuple[str, int]:
    word, binds = (" or ", _OR) if isinstance(node.op, ast.Or) else (" and ", _AND)
    return word.join([expression(value, binds + 1) for value in node.values]), binds


def _comparison(node: ast.Compare) -> tuple[str, int]:
    text = expression(node.left, _COMPARISON + 1)
    for op, other in zip(node.ops, node.comparators, strict=True):
        text += f" {_COMPARED[type(op)]} {expression(other, _COMPARISON + 1)}"
    return text, _COMPARISON


def _choice(node: ast.IfExp) -> tuple[str, int]:
    yes, test = expression(node.body, _CHOICE + 1), expression(node.test, _CHOICE + 1)
    return f"{yes} if {test} else {expression(node.orelse, _CHOICE)}", _CHOICE


_EXPRESSIONS: dict[type[ast.expr], Callable[[Any], tuple[str, int]]] = {
    ast.Name: _name,
    ast.Constant: _constant,
    ast.Attribute: _attribute,
    ast.Call: _call,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.Tuple: _tuple,
    ast.List: _list,
    ast.Starred: _starred,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _logic,
    ast.Compare: _comparison,
    ast.IfExp: _choice,
}
