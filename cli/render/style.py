"""What a stream can show: colours, Unicode, width. Knows nothing of diagnostics."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import TextIO

MAX_WIDTH = 100
PLAIN_WIDTH = 80  # where there is no terminal to ask
NARROW = 60  # below this, lines are cut and wrapped even in a file
UNLIMITED = 1 << 20

STYLES = {
    "error": "1;31",
    "warning": "1;33",
    "hint": "1;36",
    "help": "1;36",
    "note": "1",
    "headline": "1",
    "frame": "34",
    "secondary": "34",
    "added": "32",
    "removed": "31",
    "muted": "2",
    "keyword": "35",
    "type": "36",
    "global": "34",
    "number": "33",
    "string": "32",
    "comment": "2",
}


class Glyphs:
    """The signs that frames are drawn with."""

    __slots__ = (
        "arrow",
        "bar",
        "bottom",
        "cut",
        "gap",
        "primary",
        "secondary",
        "top",
    )

    def __init__(self, *, unicode: bool) -> None:
        self.arrow = "──▸" if unicode else "-->"
        self.bar = "│" if unicode else "|"
        self.primary = "━" if unicode else "^"
        self.secondary = "─" if unicode else "-"
        self.gap = "⋮" if unicode else "..."
        self.cut = "…" if unicode else "..."
        self.top = "╭" if unicode else "/"
        self.bottom = "╰" if unicode else "\\"


class Style:
    """How to write to one stream: glyphs, colours, and the width of text and of source lines."""

    __slots__ = ("color", "glyphs", "headline_width", "links", "source_width", "width")

    def __init__(
        self,
        *,
        width: int = PLAIN_WIDTH,
        source_width: int = 0,
        headline_width: int = 0,
        color: bool = False,
        unicode: bool = True,
        links: bool = False,
    ) -> None:
        self.width = width
        self.source_width = source_width or width
        self.headline_width = headline_width or width
        self.color = color
        self.links = links
        self.glyphs = Glyphs(unicode=unicode)

    def paint(self, text: str, style: str) -> str:
        """Colour a text, if colours are on."""
        return f"\x1b[{STYLES[style]}m{text}\x1b[0m" if self.color and text else text


def style_for(
    stream: TextIO,
    *,
    color: str = "auto",
    ascii_only: bool = False,
    environment: Mapping[str, str] = os.environ,
) -> Style:
    """Find out what a stream can show, from its kind, the options and the environment."""
    is_terminal = stream.isatty()
    dumb = environment.get("TERM") == "dumb"
    width = _width(stream, environment) if is_terminal else _columns(environment) or PLAIN_WIDTH
    # In a file, or a log, a long line is better than a cut one, and a headline is searched for.
    is_loose = not is_terminal and width >= NARROW
    return Style(
        width=min(width, MAX_WIDTH),
        source_width=MAX_WIDTH + 8 if is_loose else width,
        headline_width=UNLIMITED if is_loose else 0,
        color=_wants_color(color, is_terminal and not dumb, environment),
        unicode=not ascii_only and not (is_terminal and dumb) and _has_unicode(stream),
        links=is_terminal and not dumb,
    )


def _wants_color(choice: str, default: bool, environment: Mapping[str, str]) -> bool:
    if choice != "auto":
        return choice == "always"
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR", "0") not in ("", "0", "false"):
        return True
    return default


def _has_unicode(stream: TextIO) -> bool:
    encoding = (getattr(stream, "encoding", None) or "ascii").lower().replace("_", "-")
    return encoding in ("utf-8", "utf8", "utf-16", "utf-32", "utf-8-sig", "cp65001")


def _columns(environment: Mapping[str, str]) -> int:
    columns = environment.get("COLUMNS", "")
    return max(20, int(columns)) if columns.isascii() and columns.isdigit() and int(columns) else 0


def _width(stream: TextIO, environment: Mapping[str, str]) -> int:
    asked = _columns(environment)
    if asked:
        return asked
    try:
        return max(20, os.get_terminal_size(stream.fileno()).columns or PLAIN_WIDTH)
    except (OSError, ValueError):
        return PLAIN_WIDTH
