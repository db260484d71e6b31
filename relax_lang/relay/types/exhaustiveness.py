"""Whether the clauses of a match cover every value, and which of them are never used, after Maranget. [R.17]"""

from __future__ import annotations

from relax_lang.base.node import assert_never
from relax_lang.relay.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.relay.scope.resolved import Resolved

    Row = tuple[tree.Pattern, ...]

MOST_CASES = 5
"""How many missing cases are listed."""
MOST_WORK = 20_000
"""Steps after which nothing is claimed: the question is exponential at worst."""

_WILD = tree.PWild()


class TooMuch(Exception):  # noqa: N818 - it is not an error of the program
    """The answer would take too long."""


class Patterns:
    """Questions about lists of patterns over the types of one module."""

    def __init__(self, resolved: Resolved) -> None:
        self._resolved = resolved
        self._work = 0

    def unused(self, patterns: Sequence[tree.Pattern]) -> list[int]:
        """Return the indices of patterns that fit no value which those above them leave."""
        self._work = 0
        found: list[int] = []
        rows: list[Row] = []
        try:
            for index, pattern in enumerate(patterns):
                if not self._useful(rows, (pattern,)):
                    found.append(index)
                rows.append((pattern,))
        except TooMuch:
            pass
        return found

    def missing(self, patterns: Sequence[tree.Pattern]) -> list[str]:
        """Return values that no pattern fits, in source syntax."""
        self._work = 0
        try:
            return [shown[0] for shown in self._missing([(one,) for one in patterns], 1)]
        except TooMuch:
            return []

    def _step(self) -> None:
        self._work += 1
        if self._work > MOST_WORK:
            raise TooMuch

    def _signature(self, pattern: tree.Pattern) -> list[tuple[str, int]]:
        """Return the constructors of what is compared with a pattern: names and numbers of fields."""
        if isinstance(pattern, tree.PTuple):
            return [("", len(pattern.fields))]
        if isinstance(pattern, tree.PCtor) and pattern.name in self._resolved.ctors:
            owner = self._resolved.ctors[pattern.name].owner
            return [(one.name, len(one.fields)) for one in owner.ctors]
        return []

    def _useful(self, rows: list[Row], row: Row) -> bool:
        self._step()
        if not row:
            return not rows
        first = row[0]
        if _is_wild(first):
            heads = [one[0] for one in rows if not _is_wild(one[0])]
            if not heads:
                return self._useful([one[1:] for one in rows], row[1:])
            return any(
                self._useful(_specialized(rows, name, count), _fields(first, name, count) + row[1:])
                for name, count in self._signature(heads[0])
            )
        name, count = _head(first)
        return self._useful(_specialized(rows, name, count), _fields(first, name, count) + row[1:])

    def _missing(self, rows: list[Row], width: int) -> list[list[str]]:
        """Return values for columns that no row fits: at most one more than are listed."""
        self._step()
        if width == 0:
            return [] if rows else [[]]
        heads = [one[0] for one in rows if not _is_wild(one[0])]
        if not heads:
            rest = self._missing([one[1:] for one in rows], width - 1)
            return [["_", *one] for one in rest]
        found: list[list[str]] = []
        for name, count in self._signature(heads[0]):
            for one in self._missing(_specialized(rows, name, count), count + width - 1):
                found.append([_shown(name, one[:count]), *one[count:]])
                if len(found) > MOST_CASES + 20:
                    return found
        return found


def _is_wild(pattern: tree.Pattern) -> bool:
    match pattern:
        case tree.PWild() | tree.PVar():
            return True
        case tree.PCtor() | tree.PTuple():
            return False
        case _:
            return assert_never(pattern)


def _head(pattern: tree.Pattern) -> tuple[str, int]:
    if isinstance(pattern, tree.PCtor):
        return pattern.name, len(pattern.fields)
    assert isinstance(pattern, tree.PTuple)
    return "", len(pattern.fields)


def _fields(pattern: tree.Pattern, name: str, count: int) -> Row:
    if _is_wild(pattern):
        return (_WILD,) * count
    assert isinstance(pattern, tree.PCtor | tree.PTuple)
    # A wrong number of fields was reported.
    return (*pattern.fields, *(_WILD,) * count)[:count]


def _specialized(rows: list[Row], name: str, count: int) -> list[Row]:
    """Return the rows that fit values with a constructor, with the fields of these in front."""
    found: list[Row] = []
    for row in rows:
        first = row[0]
        if _is_wild(first) or _head(first)[0] == name:
            found.append(_fields(first, name, count) + row[1:])
    return found


def _shown(name: str, fields: list[str]) -> str:
    if not name:
        return f"({', '.join(fields)}{',' if len(fields) == 1 else ''})"
    return f"{name}({', '.join(fields)})" if fields else name
