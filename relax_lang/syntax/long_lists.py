"""Long lists of numbers, as constants have them, read row by row instead of token by token.

Only imported for texts that are long enough to have one. What is not a plain list of numbers (comments, `inf`, a blank
after a sign) is left to the driver, and so is every text with an error. The numbers of a row share its place in the
text; a report on one of them looks for it there.
"""

from __future__ import annotations

import re
from itertools import repeat

from relax_lang.syntax import lalr_table, tree
from relax_lang.syntax.lalr_table import KIND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax.lalr_driver import LalrDriver

SHORTEST = 4_000
"""How many characters a list has that is read here."""

DEEPEST = 64
"""How many lists may be in each other; NumPy has no more axes. The driver reports what is too deep for it."""

_BEGIN = re.compile(rf"\[[-+\d\s.,eE_\[\]]{{{SHORTEST}}}")
_BRACKET = re.compile(r"[\[\]]")
_INT = r"-?\d+(?:_\d+)*"
_INTS = re.compile(rf"{_INT}(?:,{_INT})*")
_FLOAT = r"-?\d+(?:_\d+)*(?:\.\d+(?:_\d+)*(?:[eE][+-]?\d+)?|[eE][+-]?\d+)"
_FLOATS = re.compile(rf"{_FLOAT}(?:,{_FLOAT})*")
_PLAIN = re.compile(r"-?\d+\.\d+(?:,-?\d+\.\d+)*")
"""The usual form, which is matched in a third of the time."""
_TOGETHER = 1 << 10
"""How many numbers are matched at once: a match of all would need memory for each."""


class Interrupted(Exception):  # noqa: N818
    """The driver met an error where the text was cut off before a long list."""


def read_before(run: LalrDriver, at: int) -> int:
    """Drive a parse up to behind its last long list; return the offset to go on from.

    Raises `Interrupted` at an error: the text is then read anew, without what is done here.
    """
    text, end = run.text, run.stop
    while begin := _BEGIN.search(text, at):
        start = begin.start()
        line = text.rfind("\n", 0, start) + 1
        found = None if "#" in text[line:start] else _list(text, start)
        if found is None:  # looking further would look at the same text again
            break
        run.stop = start
        run.read(at, start)
        run.stop, at = end, start
        if not _shift(run, *found):
            break
        at = found[0].end
    return at


def _shift(run: LalrDriver, made: tree.ListLit, last: int) -> bool:
    """Shift the bracket and the items of a list, if a list of literals is what may follow; `last` is where they end."""
    states = lalr_table.feed(run.states, KIND["LSQB"])
    if states is None:
        return False
    key = states[-1] * lalr_table.N_NONTERMINALS + lalr_table.NONTERMINAL["literal_list"]
    if key not in lalr_table.GOTO:
        return False
    run.shift(KIND["LSQB"], "[", made.pos, made.pos + 1)
    run.states.append(lalr_table.GOTO[key])
    run.values.append(list(made.items))
    run.starts.append(made.pos + 1)
    run.last_end = last
    return run.shift(KIND["RSQB"], "]", made.end - 1, made.end)


def _list(text: str, start: int) -> tuple[tree.ListLit, int] | None:
    """Return the list that begins at an offset, and where its last item ends; None if it has anything but numbers."""
    rows: list[tuple[int, list[tree.Literal]]] = []
    at, needs_comma = start, False
    for bracket in _BRACKET.finditer(text, start):
        between = text[at : bracket.start()].strip()
        if bracket[0] == "[":
            if between != ("," if needs_comma else "") or len(rows) == DEEPEST:
                return None
            rows.append((bracket.start(), []))
            needs_comma = False
        else:
            begin, items = rows.pop()
            if items:
                if between.rstrip(",") or len(between) > 1:
                    return None
            else:
                numbers = _numbers(between, begin, bracket.end()) if between else []
                if numbers is None:
                    return None
                items = numbers
            made = tree.ListLit(tuple(items), begin, bracket.end())
            if not rows:
                return (made, _end_before(text, bracket.start())) if items else None
            rows[-1][1].append(made)
            needs_comma = True
        at = bracket.end()
    return None


def _end_before(text: str, at: int) -> int:
    """Return where the text before an offset ends, without blanks and a comma."""
    while text[at - 1] in ", \n\r\t":
        at -= 1
    return at


def _numbers(row: str, pos: int, end: int) -> list[tree.Literal] | None:
    """Return the numbers between the brackets of a row; None if there is anything else."""
    words = list(map(str.strip, row.split(",")))
    if not words[-1]:
        words.pop()
    parts = [",".join(words[at : at + _TOGETHER]) for at in range(0, len(words), _TOGETHER)]
    if all(_PLAIN.fullmatch(part) or _FLOATS.fullmatch(part) for part in parts):
        return list(map(tree.FloatLit, map(float, words), words, repeat(pos), repeat(end)))
    if max(map(len, words)) > 18 or not all(map(_INTS.fullmatch, parts)):
        return None
    return list(map(tree.IntLit, map(int, words), words, repeat(pos), repeat(end)))
