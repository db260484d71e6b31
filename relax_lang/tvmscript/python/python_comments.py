"""The comments of a Python text, by Python's own rules for strings."""

from __future__ import annotations

import ast
import io
import re
import tokenize

from relax_lang.syntax.parsed import Comment
from relax_lang.tvmscript.python.python_text import BYTE_ORDER_MARK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from relax_lang.tvmscript.python.python_text import PythonText

_OTHERS = r"fmt:|type:|noqa|pylint:|yapf:|ruff:|pyright:|flake8|isort:|black:"
_PRINTED = r"with \w+\.s?block\(|from typing import|from tvm\."
_NOISE = re.compile(rf"#\s*(?:{_OTHERS}|{_PRINTED})")
"""Comments for other tools, and those that TVM's printer writes."""


def comments_of(text: str) -> list[Comment]:
    """Return the comments of a text, in order, without those for other tools."""
    first = 1 if text.startswith(BYTE_ORDER_MARK) else 0
    lines = io.StringIO(text[first:], newline=None)
    starts = _line_starts(text, first)
    found: list[Comment] = []
    try:
        for token in tokenize.generate_tokens(lines.readline):
            if token.type == tokenize.COMMENT and not _NOISE.match(token.string):
                pos = starts[token.start[0] - 1] + token.start[1]
                found.append(Comment(pos, pos + len(token.string), token.string))
    except (tokenize.TokenError, SyntaxError, IndexError):
        pass  # Python's parser took the text: what was found so far are comments
    return found


def doc_comments(py: PythonText, items: Iterable[ast.FunctionDef]) -> list[Comment]:
    """Return the documentation strings of functions as comments before them."""
    found: list[Comment] = []
    for node in items:
        text = ast.get_docstring(node)
        if not text or "relax:" in text or not node.decorator_list:
            continue
        lines = [f"## {line.rstrip()}".rstrip() for line in text.splitlines()]
        pos = py.start(node.decorator_list[0]) - 1
        found.append(Comment(pos, pos + 1, "\n".join(lines)))
    return found


def _line_starts(text: str, first: int) -> list[int]:
    return [first, *[match.end() for match in re.finditer("\r\n|\r|\n", text)]]
