"""Text as a terminal shows it: how wide it is, what must not reach it, how it is wrapped and cut."""

from __future__ import annotations

TAB = "    "
MAX_TEXT = 4_000  # characters of one message or line; more is not read


def visible(text: str) -> str:
    """Replace what a terminal would obey or not show: tabs by four blanks, control characters by pictures.

    Diagnostics quote programs and file names, and neither may move the cursor, or fill the screen.
    """
    if len(text) > MAX_TEXT:
        text = text[:MAX_TEXT] + "…"
    if text.isascii() and text.isprintable():
        return text
    return "".join([_visible(char) for char in text])


def _visible(char: str) -> str:
    if char == "\t":
        return TAB
    if char < " ":
        return chr(0x2400 + ord(char))
    if char == "\x7f":
        return "\u2421"
    # Direction overrides make a line read differently from its characters; lone surrogates have no encoding.
    if "\x80" <= char <= "\x9f" or "\u202a" <= char <= "\u202e" or "\u2066" <= char <= "\u2069":
        return "\ufffd"
    if "\ud800" <= char <= "\udfff":
        return "\ufffd"
    return char


def width(text: str) -> int:
    """Return the number of columns of a text without control characters."""
    if text.isascii():
        return len(text)
    from unicodedata import category, east_asian_width

    total = 0
    for char in text:
        if east_asian_width(char) in "WF":
            total += 2
        elif category(char) not in ("Mn", "Me", "Cf"):
            total += 1
    return total


def columns(line: str) -> list[int]:
    """Return the column of every character of a source line as `visible` shows it, and of its end."""
    places = [0]
    at = 0
    if line.isascii() and line.isprintable():
        return list(range(len(line) + 1))
    for char in line:
        at += width(_visible(char))
        places.append(at)
    return places


def wrap(text: str, first: int, rest: int) -> list[str]:
    """Break a text at blanks: the first line to `first` columns, others to `rest`. Long words stay whole."""
    lines: list[str] = []
    for paragraph in text.split("\n"):
        line = ""
        for word in paragraph.split(" "):
            room = rest if lines else first
            joined = f"{line} {word}" if line else word
            if line and width(joined) > room:
                lines.append(line)
                joined = word
            line = joined
        lines.append(line)
    return lines


def window(text: str, start: int, room: int, sign: str) -> str:
    """Return what `room` columns from `start` on show of a text; `…` marks where something is cut off."""
    left = sign if start else ""
    right = sign if width(text) > start + room else ""
    low, high = start + len(left), start + room - len(right)
    kept = [left]
    column = 0
    for char in text:
        after = column + width(char)
        if low <= column and after <= high:
            kept.append(char)
        elif column < low < after:
            kept.append(" ")  # half of a wide character
        column = after
    return "".join(kept) + right
