"""Long lines of Python in several, in the style of the formatters that TVM's `show()` calls: black and ruff.

A line that is too long is broken at the brackets that end it (those of a `def` at its parameters): what is inside goes
on a line of its own, or, if that is too long in turn, each item does, with a comma after the last. A value with
operators that no bracket holds together gets parentheses, and breaks before its loosest operators.
"""

from __future__ import annotations

import re
from functools import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

INDENT = "    "
WIDTH = 88
OPEN, CLOSE = "([{", ")]}"

LOOSEST = (("or",), ("and",), ("==", "!=", "<", "<=", ">", ">="), ("+", "-"), ("*", "//", "/", "%"))
"""Infix operators, as between blanks, those that bind least first."""
_ANY_OPERATOR = tuple([f" {operator} " for operators in LOOSEST for operator in operators])


def broken(line: str) -> list[str]:
    """Return a statement, or the head of one, in lines that fit, as far as there is a place to break it."""
    if len(line) <= WIDTH:
        return [line]
    text = line.lstrip(" ")
    return _statement(text, line[: len(line) - len(text)])


def _statement(text: str, indent: str) -> list[str]:
    if len(indent) + len(text) <= WIDTH:
        return [indent + text]
    pairs = _pairs(text)
    if text.startswith("def ") and pairs:
        left, right = pairs[0]
        return _at(text, indent, pairs[0] if right > left + 1 else pairs[-1], is_def=True)
    start, end = _value(text, pairs)
    if _operators(text[start:end]) is not None:
        head, value, tail = text[:start], text[start:end], text[end:]
        return [f"{indent}{head}(", *_items(value, indent + INDENT), f"{indent}){tail}"]
    fitting = [one for one in pairs if len(indent) + one[0] < WIDTH]
    return _at(text, indent, (fitting or pairs)[-1]) if pairs else [indent + text]


def _at(text: str, indent: str, pair: tuple[int, int], *, is_def: bool = False) -> list[str]:
    """Return a text that is broken at two brackets."""
    left, right = pair
    head, body, tail = text[: left + 1], text[left + 1 : right], text[right:]
    if not body:
        return [indent + text]
    return [
        *_statement(head, indent),
        *_items(body, indent + INDENT, one_item=is_def),
        *_statement(tail, indent),
    ]


def _items(body: str, indent: str, *, one_item: bool = False) -> list[str]:
    """Return what is inside of brackets: on one line if it fits, or each item on lines of its own."""
    items = [one.strip() for one in _split(body, (",",))]
    if not items[-1]:  # a comma ends them already
        items.pop()
        one_item = True
    if len(indent) + len(body) <= WIDTH and (len(items) > 1 or not one_item):
        return [indent + body]
    if len(items) > 1 or one_item:
        lines: list[str] = []
        for one in items:
            inner = _item(one, indent)
            lines += [*inner[:-1], inner[-1] + ","]
        return lines
    return _item(items[0], indent)


def _item(text: str, indent: str) -> list[str]:
    """Return one item, an expression: broken before its loosest operators, or at its last brackets."""
    if len(indent) + len(text) + 1 <= WIDTH:
        return [indent + text]
    operators = _operators(text)
    if operators is not None:
        first, *rest = _split(text, tuple([f" {operator} " for operator in operators]), keep=True)
        return [line for one in (first, *rest) for line in _item(one.strip(), indent)]
    pairs = _pairs(text)
    return _at(text, indent, pairs[-1]) if pairs else [indent + text]


def _value(text: str, pairs: list[tuple[int, int]]) -> tuple[int, int]:
    """Return where the expression of a statement begins and ends: after `=`, `return`, `if`, `assert`."""
    end = len(text) - 1 if text.endswith(":") else len(text)
    parts = _split(text, (" = ",), keep=True)
    if len(parts) == 2:
        return len(parts[0]) + 3, end
    for word in ("return ", "if ", "while ", "assert "):
        if text.startswith(word):
            comma = _split(text, (", ",)) if word == "assert " else [text]
            return len(word), len(comma[0]) if len(comma) > 1 else end
    return len(text), len(text)


def _operators(text: str) -> tuple[str, ...] | None:
    """Return the loosest operators outside of brackets; None if there are none."""
    found = {mark.strip() for mark, _ in _marks(text, _ANY_OPERATOR)}
    return next((operators for operators in LOOSEST if not found.isdisjoint(operators)), None)


_BRACKET = re.compile(r'"(?:\\.|[^"\\])*"?|[()\[\]{}]', re.DOTALL)
"""What a text is divided by: strings, whatever is in them, and brackets."""


def _marks(text: str, marks: tuple[str, ...]) -> Iterator[tuple[str, int]]:
    """Yield the marks of a text that are outside of brackets and strings, each with its place."""
    pattern = _any_of(marks)
    depth, start = 0, 0
    for found in _BRACKET.finditer(text):
        if depth == 0:
            yield from [(one[0], one.start()) for one in pattern.finditer(text, start, found.start())]
        if found[0] in OPEN:
            depth += 1
        elif found[0] in CLOSE:
            depth -= 1
        start = found.end()
    if depth == 0:
        yield from [(one[0], one.start()) for one in pattern.finditer(text, start)]


@cache
def _any_of(marks: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join([re.escape(mark) for mark in marks]))


def _pairs(text: str) -> list[tuple[int, int]]:
    """Return the outermost brackets that have both sides in a text, in its order."""
    found: list[tuple[int, int]] = []
    stack: list[int] = []
    for token in _BRACKET.finditer(text):
        if token[0] in OPEN:
            stack.append(token.start())
        elif token[0] in CLOSE and stack:
            left = stack.pop()
            while found and found[-1][0] > left:
                found.pop()
            found.append((left, token.start()))
    return found


def _split(text: str, marks: tuple[str, ...], *, keep: bool = False) -> list[str]:
    """Return a text split at marks outside of brackets; with `keep` the parts begin with theirs."""
    parts: list[str] = []
    start = 0
    for mark, at in _marks(text, marks):
        parts.append(text[start:at])
        start = at if keep else at + len(mark)
    return [*parts, text[start:]]
