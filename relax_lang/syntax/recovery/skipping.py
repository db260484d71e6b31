"""The statement or item at hand is dropped: where the next one begins."""

from __future__ import annotations

from relax_lang.syntax import lalr_table
from relax_lang.syntax.lalr_table import KIND
from relax_lang.syntax.recovery.brackets import CLOSER_OF, LOST, close_function
from relax_lang.syntax.recovery.token_edits import (
    ITEM_WORDS,
    LISTS,
    STATEMENT_WORDS,
    begins_line,
    depth_of,
    kind_of,
    peek,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax.driver import Run

OPENERS = frozenset(KIND[name] for name in CLOSER_OF)
CLOSERS = frozenset(KIND[name] for name in CLOSER_OF.values())


def skip(run: Run, pos: int, end: int) -> int:
    """Drop the statement or item at hand; return where the next one begins."""
    depth = depth_of(run, *LISTS)
    if lalr_table.symbol(run.states[depth]) not in LISTS:
        if run.start != "module":
            run.builder.gaps.append((0, len(run.text)))
            return -1  # a fragment: there is nothing to go on with
        begin_items(run)
        depth = 1
    dropped = run.states[depth + 1 :]
    begin = run.starts[depth + 1] if dropped else pos
    names = [lalr_table.symbol(state) for state in dropped]
    level = sum(name in CLOSER_OF for name in names) - sum(name in CLOSER_OF.values() for name in names)
    del run.states[depth + 1 :], run.values[depth + 1 :], run.starts[depth + 1 :]
    items = lalr_table.symbol(run.states[depth]) == "items"
    at, new_item = resume_at(run, pos, level, items=items)
    run.builder.gaps.append((begin, at))
    run.parsed.losses.names.update(LOST.findall(run.text[begin:at]))
    if new_item and not items:
        close_function(run, at)
        return at
    if at <= pos and not dropped and lalr_table.feed(run.states, (peek(run, at, 1) or [0])[0]) is None:
        at = end  # always get on
    run.last_end = max(run.last_end, min(at, pos))
    return at


def skip_item(run: Run) -> int:
    """Drop the item at hand; return where the next one begins (-1 in a fragment, which has no items)."""
    if run.start != "module":
        run.builder.gaps.append((0, len(run.text)))
        return -1
    if not any(lalr_table.symbol(state) == "items" for state in run.states):
        begin_items(run)
    depth = 1
    while lalr_table.symbol(run.states[depth]) != "items":
        depth += 1
    begin = run.starts[depth + 1] if len(run.starts) > depth + 1 else run.last_end
    del run.states[depth + 1 :], run.values[depth + 1 :], run.starts[depth + 1 :]
    at = len(run.text)
    for match in lalr_table.tokens(run.text, run.last_end, run.stop):
        start = match.start(match.lastindex or 0)
        if kind_of(match) in ITEM_WORDS and begins_line(run.text, start):
            at = start
            break
    run.builder.gaps.append((begin, at))
    run.parsed.losses.names.update(LOST.findall(run.text[begin:at]))
    return at


def begin_items(run: Run) -> None:
    """Start the list of items: nothing sensible has been read yet."""
    del run.states[1:], run.values[1:], run.starts[1:]
    run.states.append(
        lalr_table.GOTO[run.states[0] * lalr_table.N_NONTERMINALS + lalr_table.NONTERMINAL["items"]]
    )
    run.values.append([])
    run.starts.append(run.begin)


def resume_at(run: Run, pos: int, level: int, *, items: bool) -> tuple[int, bool]:
    """Return where to read on after an error at `pos`, and whether a new item begins there.

    `level` counts the brackets that the dropped part had opened.
    """
    text = run.text
    # The token at hand may begin the next statement, unless it is what does not fit into this one.
    first = pos if lalr_table.feed(run.states, (peek(run, pos, 1) or [0])[0]) is not None else pos + 1
    for match in lalr_table.tokens(text, pos, run.stop):
        kind = kind_of(match)
        start = match.start(match.lastindex or 0)
        if (
            kind in ITEM_WORDS
            and (start == 0 or text[start - 1] == "\n" or (items and level == 0))
            and start > pos
        ):
            return start, True
        if kind in ITEM_WORDS and start == pos and (start == 0 or text[start - 1] == "\n") and not items:
            return start, True
        if kind in OPENERS:
            level += 1
        elif kind in CLOSERS:
            if level == 0 and kind == KIND["RBRACE"] and not items:
                return start, False
            level = max(0, level - 1)
            if level == 0 and items and kind == KIND["RBRACE"]:
                return match.end(), False
        elif not items and level == 0 and kind == KIND["SEMICOLON"]:
            return match.end(), False
        elif not items and kind in STATEMENT_WORDS and start >= first and begins_line(text, start):
            return start, False
    return len(text), False
