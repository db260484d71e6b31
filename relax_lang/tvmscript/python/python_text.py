"""A Python text as `ast` sees it: its tree, and the places of nodes as offsets of code points."""

from __future__ import annotations

import ast
import re
import warnings

from relax_lang.base import nested_text
from relax_lang.tvmscript import diagnostics as diag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.source import Span

    Placed = ast.expr | ast.stmt | ast.arg | ast.keyword | ast.alias

_LINE_END = re.compile("\r\n|\r|\n")
BYTE_ORDER_MARK = "\ufeff"


class PythonText:
    """A text, and what maps the lines and columns of its Python nodes to offsets.

    Python counts columns in bytes of UTF-8; most lines are ASCII, where these are characters.
    """

    __slots__ = ("_lines", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        first = 1 if text.startswith(BYTE_ORDER_MARK) else 0
        self._lines = [first, *[match.end() for match in _LINE_END.finditer(text)]]

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a line (from 1) and a column in bytes (from 0)."""
        start = self._lines[min(line, len(self._lines)) - 1]
        end = start + column
        if self.text.isascii():
            return end
        piece = self.text[start : start + column]
        if piece.isascii():
            return end
        return start + len(piece.encode("utf-8", "surrogatepass")[:column].decode("utf-8", "ignore"))

    def start(self, node: Placed) -> int:
        """Return where a node begins."""
        return self.offset(node.lineno, node.col_offset)

    def end(self, node: Placed) -> int:
        """Return where a node ends."""
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        return self.offset(node.end_lineno, node.end_col_offset)

    def span(self, node: Placed) -> Span:
        """Return the place of a node."""
        return self.start(node), self.end(node)

    def shown(self, node: Placed, width: int = 40) -> str:
        """Return the text of a node on one line, for messages."""
        pos, end = self.span(node)
        text = " ".join(self.text[pos : min(end, pos + 2 * width)].split())
        return text if len(text) <= width else text[: width - 1] + "…"

    def line_of(self, node: Placed) -> int:
        """Return the line of a node, from 1, as other files are counted: by line feeds."""
        return self.text.count("\n", 0, self.start(node)) + 1


def parse_python(text: PythonText) -> tuple[ast.Module | None, Diagnostic | None]:
    """Return the Python tree of a text, or what is wrong with it."""
    source = text.text.removeprefix(BYTE_ORDER_MARK)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # bad escapes in strings are not our business
            return nested_text.parse_python(source), None
    except SyntaxError as error:
        return None, diag.python_syntax(_place(text, error), (error.msg or "invalid syntax").rstrip("."))
    except (RecursionError, MemoryError):
        return None, diag.python_syntax((0, 0), "this is nested too deeply for Python")
    except ValueError as error:
        return None, diag.python_syntax((0, 0), str(error))


def _place(text: PythonText, error: SyntaxError) -> Span:
    if error.lineno is None or error.lineno < 1:
        return (0, 0)
    line = text.offset(error.lineno, 0)
    pos = min(line + max((error.offset or 1) - 1, 0), len(text.text))
    end = pos + 1
    if error.end_lineno == error.lineno and error.end_offset:
        end = max(line + error.end_offset - 1, pos + 1)
    return pos, min(end, len(text.text))
