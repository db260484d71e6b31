"""The text of generated Python, so that tracebacks and debuggers can show its lines."""

from __future__ import annotations

import linecache

MOST_NESTED = 16
"""How many loops and `with`s generated code has in each other; Python takes 20, and some are written around it."""


def remember_lines(file: str, text: str) -> None:
    """Give Python the lines of a file that is nowhere on disk."""
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)


def forget_lines(file: str) -> None:
    """Drop what `remember_lines` gave."""
    linecache.cache.pop(file, None)
