"""The line of the caller's Python: where a mistake in a call of this package is reported."""

from __future__ import annotations

import contextlib
import linecache
import os
import sys

from relax_lang.base.source import SourceFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType

    Place = tuple[str, int]
    """The path of a Python file, and a line of it."""

_OURS = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def calling_line() -> Place:
    """Return file and line of the innermost call that is not in this package."""
    ours = (_OURS, contextlib.__file__)  # which is between a `with` and its context manager
    frame: FrameType | None = sys._getframe(1)  # pyright: ignore[reportPrivateUsage]
    while frame is not None and frame.f_code.co_filename.startswith(ours):
        frame = frame.f_back
    return ("<python>", 1) if frame is None else (frame.f_code.co_filename, frame.f_lineno)


def raising_line(error: BaseException, function: Callable[..., object]) -> str:
    """Return the innermost line of the file of a function that an exception went through: `passes.py:12: text`.

    What the function calls elsewhere fails because of how it is called.
    """
    path = function.__code__.co_filename
    place = (path, function.__code__.co_firstlineno)
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == path:
            place = (path, trace.tb_lineno)
        trace = trace.tb_next
    source, (start, end) = line_of(place)
    text = source.text[start:end]
    return f"{source.path}:{place[1]}" + (f": {text}" if text else "")


def line_of(place: Place) -> tuple[SourceFile, tuple[int, int]]:
    """Return a Python file and the span of one of its lines, without the blanks around it.

    A file that cannot be read (a console, `exec`) is as many empty lines.
    """
    path, line = place
    lines = linecache.getlines(path)
    text = "".join(lines) if len(lines) >= line else "\n" * line
    if path.startswith(os.getcwd() + os.sep):
        path = os.path.relpath(path)
    source = SourceFile(text, path)
    return source, span_of_line(source, line)


def span_of_line(source: SourceFile, line: int) -> tuple[int, int]:
    """Return the span of a line, without the blanks around it."""
    start, text = source.line_starts[line - 1], source.line(line)
    return start + len(text) - len(text.lstrip()), start + len(text.rstrip())
