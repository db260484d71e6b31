"""Reading texts in which values are nested, with readers in C: however deep a text is, the process goes on.

Readers in C use the C stack, and stop where Python's recursion limit is reached. The limit that our own passes run
with is far beyond what that stack can hold, so these readers get the usual one.
"""

from __future__ import annotations

import sys

from relax_lang.base.python.recursion import host_recursion

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from typing import Any

MAX_DEPTH = 1_000
"""Of JSON values in each other."""
MAX_EXPRESSION = 400
"""Of Python expressions in each other."""
MAX_CHAIN = 5_000
"""Of operators that follow each other in a Python expression: `a + b + c` is a chain, not a nest."""
SAFE_LIMIT = 20_000
"""A recursion limit with which no reader in C runs out of stack."""


class NestedTooDeepError(ValueError):
    """The values of a text are nested deeper than can be read."""


def parse_json(text: str | bytes) -> Any:
    """Return the value of a JSON text. Raises ValueError for a text that is not JSON; NestedTooDeepError is one."""
    import json

    with host_recursion():
        # Another thread may need the high limit at this moment.
        if sys.getrecursionlimit() > SAFE_LIMIT and _brackets_are_deep(text):
            raise NestedTooDeepError("values are nested too deep")
        try:
            return json.loads(text)
        except RecursionError:
            raise NestedTooDeepError("values are nested too deep") from None


def _brackets_are_deep(text: str | bytes) -> bool:
    import re

    if isinstance(text, bytes):
        text = text.decode("latin-1")
    depth = 0
    for found in re.finditer(r'"(?:[^"\\]|\\.)*+"|[\[{]|[\]}]', text, re.DOTALL):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(found[0], 0)
        if depth > MAX_DEPTH:
            return True
    return False


def parse_python(text: str) -> ast.Module:
    """Return the tree of a Python text. Raises what `ast.parse` raises.

    That is SyntaxError, ValueError, RecursionError or MemoryError; RecursionError also for expressions that are
    deeper than passes over them can go.
    """
    import ast

    tree = _parsed_python(text, "exec")
    assert isinstance(tree, ast.Module)
    return tree


def parse_python_expression(text: str) -> ast.expr:
    """Return the tree of a Python expression. Raises SyntaxError for all that cannot be read."""
    import ast

    try:
        tree = _parsed_python(text, "eval")
    except (ValueError, RecursionError, MemoryError) as error:
        raise SyntaxError(str(error)) from None
    assert isinstance(tree, ast.Expression)
    return tree.body


def _parsed_python(text: str, mode: str) -> ast.AST:
    import ast

    with host_recursion():
        tree = ast.parse(text, mode=mode)
    _refuse_deep_expressions(tree)
    return tree


def _refuse_deep_expressions(tree: ast.AST) -> None:
    """Raise RecursionError if an expression of a tree is too deep. Only those are looked at that are long enough."""
    import ast

    rest = [tree]
    while rest:
        for node in ast.iter_child_nodes(rest.pop()):
            if not isinstance(node, ast.expr):
                rest.append(node)
            elif (
                node.end_lineno != node.lineno
                or (node.end_col_offset or 0) - node.col_offset > MAX_EXPRESSION
            ):
                _refuse_deep(node)


def _refuse_deep(expression: ast.expr) -> None:
    import ast

    rest: list[tuple[ast.AST, int]] = [(expression, 0)]
    while rest:
        node, depth = rest.pop()
        if depth > MAX_CHAIN:
            raise RecursionError("an expression is nested too deep")
        first = node.left if isinstance(node, ast.BinOp) else None
        step = MAX_CHAIN // MAX_EXPRESSION
        rest += [(child, depth + (1 if child is first else step)) for child in ast.iter_child_nodes(node)]
