"""Bodies after a colon, as Python writes them: which lines they are, and the edits that put them in braces. [Y.7]"""

from __future__ import annotations

from relax_lang.base.diagnostic import Edit
from relax_lang.syntax.recovery.token_edits import rest_of_line

_PAIRS = ("()", "[]", "{}")


def in_braces(
    text: str, start: int, colon: int, head: str, *, has_value: bool = False, is_closed: bool = False
) -> list[Edit]:
    """Return the edits that write `head` and a brace for the text from `start` to a colon, and close it after the body,
    unless that has its brace.

    Statements get the `;` that they lack, the last one not if it is the value of the body. There are no edits if the
    body is not clear.
    """
    ends = _ends_of_lines(text, colon)
    if not ends or any(
        text.count(one, colon, ends[-1]) != text.count(two, colon, ends[-1]) for one, two in _PAIRS
    ):
        return []
    edits = [Edit(start, colon + 1, f"{head} {{")]
    for begin, end in zip([colon + 1, *ends], ends, strict=False):
        line = text[begin:end]
        is_whole = all(line.count(one) == line.count(two) for one, two in _PAIRS)
        is_value = has_value and end == ends[-1]
        if is_whole and not is_value and (line[-1].isalnum() or line[-1] in ")]_\"'"):
            edits.append(Edit(end, end, ";"))
    return edits if is_closed else [*edits, Edit(ends[-1], ends[-1], " }")]


def _ends_of_lines(text: str, colon: int) -> list[int]:
    """Return where the lines of the body end, without comments: that of the colon, or those that are indented more."""
    line = text.rfind("\n", 0, colon) + 1
    on_line = _without_comment(rest_of_line(text, colon + 1))
    while on_line and on_line.count("}") > on_line.count("{"):
        on_line = on_line[: on_line.rfind("}")].rstrip()
    if on_line is None or on_line:
        return [] if on_line is None else [colon + 1 + len(on_line)]
    own, at = _indentation(text[line:colon]), colon + 1
    ends: list[int] = []
    while (at := text.find("\n", at) + 1) > 0:
        written = rest_of_line(text, at)
        code = _without_comment(written)
        if code is None or (code and _indentation(written) <= own):
            return [] if code is None else ends
        if code:
            ends.append(at + len(code))
    return ends


def _without_comment(line: str) -> str | None:
    """Return a line without its comment and blanks at the end; None if a string is in it, which may hold a `#`."""
    return None if '"' in line and "#" in line else line.partition("#")[0].rstrip()


def _indentation(line: str) -> int:
    return len(line) - len(line.lstrip())
