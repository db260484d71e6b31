"""Expectations about struct infos: comments `# reveals: S` that state what is known of the value on a line.

    let y = add(x, x);  # reveals: Tensor[(n,), float32]
    let a = shape(n); let b = x;  # reveals: a: Shape[(n,)]

Pure: reads the comments and compares. The caller passes a function that returns what is known of a line.
"""

from __future__ import annotations

import re

from relax_lang.check.diagnostics import expectations as report
from relax_lang.format.printer import show
from relax_lang.struct_info.bound_variables import names_in
from relax_lang.struct_info.compatibility import is_equivalent
from relax_lang.struct_info.context import REJECTED, Context
from relax_lang.struct_info.printing import is_large, shown
from relax_lang.syntax import tree
from relax_lang.syntax.parser import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.source import SourceFile

    Revealed = Callable[[int], Sequence[tuple[str, tree.StructInfo]]]
    """Returns the names and infos of the values that begin on a line; a value without a name has an empty one."""

_NAMED = re.compile(r"[ \t]*(?:(?P<name>[A-Za-z_]\w*|`[^`]+`)[ \t]*:)?[ \t]*")


class ExpectedInfo:
    """One info that a comment expects: its line, its variable (empty: any), and the info."""

    __slots__ = ("end", "info", "line", "name", "pos")

    def __init__(self, pos: int, end: int, line: int, name: str, info: tree.StructInfo) -> None:
        self.pos = pos
        self.end = end
        self.line = line
        self.name = name
        self.info = info


def read_reveal(source: SourceFile, pos: int, end: int, line: int) -> ExpectedInfo | Diagnostic:
    """Return the text after `# reveals:` as an expectation about a line, or what is wrong with it."""
    text = source.text
    named = _NAMED.match(text, pos, end)
    assert named is not None  # it matches the empty text
    start = named.end()
    words = text[start:end].rstrip()
    if not words:
        return report.malformed_expectation((pos, max(end, pos + 1)), "no struct info is named")
    parsed = parse(words, start="struct_info")
    for one in parsed.diagnostics:
        at = start + one.pos, start + max(one.end, one.pos + 1)
        return report.malformed_expectation(at, f"this is not a struct info: {one.message}")
    info = parsed.tree
    assert isinstance(info, tree.StructInfo)
    name = (named["name"] or "").strip("`")
    return ExpectedInfo(start, start + len(words), line, name, info)


def compare_reveals(
    source: SourceFile, expected: Sequence[ExpectedInfo], revealed: Revealed
) -> list[Diagnostic]:
    """Return which infos are not as expected. Where a line has several values, each comment is about one."""
    found: list[Diagnostic] = []
    rest: dict[int, list[tuple[str, tree.StructInfo]]] = {}
    for one in expected:
        if one.line not in rest:
            rest[one.line] = list(revealed(one.line)) if one.line <= len(source.line_starts) else []
        values = rest[one.line]
        named = [value for value in values if one.name in ("", value[0])]
        met = [value for value in named if agrees(value[1], one.info)]
        if met:
            values.remove(met[0])
        elif named:
            name, info = named[0]
            found.append(report.info_differs(one, name, shown(info), show(one.info)))
        else:
            found.append(report.nothing_revealed(one, one.name, [name for name, _ in values]))
    return found


def agrees(info: tree.StructInfo, expected: tree.StructInfo) -> bool:
    """Return whether two infos are equivalent, however their dimensions are written. [C.5]"""
    if info is REJECTED:
        return False  # nothing is known of a value with an error; it would agree with everything
    if not is_large(info) and show(info) == show(expected):
        return True
    return is_equivalent(info, expected, Context(frozenset(_free_names(info) | _free_names(expected))))


def _free_names(info: tree.StructInfo) -> set[str]:
    """Return the shape variables of an info; names that only function types have may be bound there."""
    found: set[str] = set()
    seen: set[int] = set()
    stack = [info]
    while stack:
        part = stack.pop()
        if isinstance(part, tree.TupleStructInfo):
            if id(part) not in seen:  # infos may share parts
                seen.add(id(part))
                stack += part.fields
        elif not isinstance(part, tree.FuncStructInfo):
            found |= names_in([part])
    return found
