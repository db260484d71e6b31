"""The end of what the author left open: brackets, functions, the text itself."""

from __future__ import annotations

import re

from relax_lang.base.diagnostic import Edit
from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import lalr_table
from relax_lang.syntax.lalr_table import KIND
from relax_lang.syntax.recovery.expected import expectation
from relax_lang.syntax.recovery.token_edits import LISTS, begins_line, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax.driver import Run

CLOSER_OF = {"LPAR": "RPAR", "LSQB": "RSQB", "LBRACE": "RBRACE"}
CLOSING = ("RBRACE", "RPAR", "RSQB", "SEMICOLON")
LOST = re.compile(r"^(?:\w+[ \t]+)+@(\w+)", re.MULTILINE)
"""What looks like the head of an item, whatever word it was written with."""


def open_brackets(run: Run) -> list[tuple[str, int]]:
    """Return (terminal, offset) of the brackets that are open, outermost first."""
    found: list[tuple[str, int]] = []
    for index, state in enumerate(run.states):
        name = lalr_table.symbol(state)
        if name in CLOSER_OF:
            found.append((name, run.starts[index]))
        elif found and CLOSER_OF[found[-1][0]] == name:
            found.pop()  # closed, though its production is not reduced yet
    return found


def close_function(run: Run, at: int) -> None:
    """A new item begins although a function is still open: say which brace is not closed, and close it."""
    brackets = open_brackets(run)
    if brackets and not run.builder.closing and not has_added_brace(run, brackets[0][1]):
        name, opener = brackets[-1]
        if name == "LBRACE":
            opener = suspect(run.text, brackets[0][1], at, opener)
            run.builder.mute_consequences(opener)
        mark = lalr_table.SPELLING[KIND[name]]
        found = diag.syntax((opener, opener + 1), f"this `{mark}` is never closed")
        run.builder.report(found.label((at, at + 1), "a new item begins here"))
    close_all(run, items=True)


def has_added_brace(run: Run, begin: int) -> bool:
    """Return whether an opening brace was put in behind `begin`: that nothing closes it is said already."""
    return any(at >= begin for at in run.builder.added_braces)


def suspect(text: str, begin: int, stop: int, opener: int) -> int:
    """Return the brace that was probably left open, which need not be the one that the end of the text finds.

    It is the last one that is closed by a `}` with less indentation than the line it is on, for that was
    meant for a brace further out.
    """
    open_braces: list[int] = []
    found = opener
    for match in lalr_table.tokens(text, begin, stop):
        kind = kind_of(match)
        at = match.start(match.lastindex or 0)
        if kind == KIND["LBRACE"]:
            open_braces.append(at)
        elif kind == KIND["RBRACE"] and open_braces:
            last = open_braces.pop()
            if begins_line(text, at) and indentation(text, at) < indentation(text, last):
                found = last
    return found


def indentation(text: str, at: int) -> int:
    """Return how far the line of an offset is indented."""
    start = text.rfind("\n", 0, at) + 1
    first = start
    while text[first : first + 1] in (" ", "\t"):
        first += 1
    return len(text[start:first].expandtabs(8))


def close_all(run: Run, *, items: bool) -> None:
    """Close what is open, silently, up to the list of items (or everything)."""
    run.builder.closing = True
    limit = len(run.states) + 1
    while len(run.states) > 1:
        top = lalr_table.symbol(run.states[-1])
        if top == "items" or (not items and lalr_table.feed(run.states, lalr_table.END) is not None):
            break
        if any(run.shift(KIND[name], None, run.last_end, run.last_end) for name in CLOSING):
            if len(run.states) > 1 and lalr_table.feed(run.states, KIND["DEF"]) is not None:
                break
            continue
        # A piece that cannot be completed: drop it, back to a list of statements further out than the last one.
        while len(run.states) > 1 and (
            len(run.states) >= limit or lalr_table.symbol(run.states[-1]) not in LISTS
        ):
            run.states.pop()
            run.values.pop()
            run.starts.pop()
        limit = len(run.states)
    run.builder.closing = False


def at_end(run: Run) -> None:
    """The text ends too early: report it once, then close everything."""
    length = len(run.text)
    reported = run.bad_at >= run.last_end or any(end == length for _, end in run.builder.gaps)
    if not reported:
        brackets = open_brackets(run)
        if brackets and has_added_brace(run, brackets[0][1]):
            close_at_end(run)
            return
        place = (max(0, len(run.text.rstrip()) - 1), max(0, len(run.text.rstrip())))
        if brackets:
            name, opener = brackets[-1]
            if name == "LBRACE":
                opener = suspect(run.text, brackets[0][1], length, opener)
                run.builder.mute_consequences(opener)
            mark = lalr_table.SPELLING[KIND[name]]
            found = diag.unexpected_end(place, (opener, opener + 1), mark)
            closers = "".join(lalr_table.SPELLING[KIND[CLOSER_OF[name]]] for name, _ in reversed(brackets))
            if lalr_table.fits(run.states, [lalr_table.LITERALS[mark] for mark in closers]) == len(closers):
                found.fix(f"add `{closers}`, if nothing else is missing", Edit(length, length, closers))
            run.builder.report(found)
        elif run.start == "module":
            run.builder.report(diag.unexpected_end(place, None, ""))
        else:
            run.builder.report(diag.syntax(place, expectation(run, "the end of the text")))
    close_at_end(run)


def close_at_end(run: Run) -> None:
    """Close everything, silently."""
    run.builder.gaps.append((run.starts[-1], len(run.text)))
    if run.start == "module":
        close_all(run, items=False)
        drop_unfinished(run)
        run.builder.closing = True  # the last reductions follow


def drop_unfinished(run: Run) -> None:
    """Drop what cannot be completed above the list of items."""
    while len(run.states) > 1 and lalr_table.feed(run.states, lalr_table.END) is None:
        begin = run.starts[-1]
        run.parsed.losses.names.update(LOST.findall(run.text[begin:]))
        run.states.pop()
        run.values.pop()
        run.starts.pop()
