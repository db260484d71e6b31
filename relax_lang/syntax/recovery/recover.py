"""After a syntax error: say what was expected, mend the parser's stacks, and find where to read on.

Tried in this order: the syntax of other languages (`error_productions`), a keyword used as a name, one missing piece of
punctuation, one piece too many; else the rest of the statement or item is skipped. Only loaded when there is
an error.
"""

from __future__ import annotations

import re

from relax_lang.base.diagnostic import SAFE, Edit
from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import lalr_table
from relax_lang.syntax.lalr_table import KIND
from relax_lang.syntax.recovery import error_productions
from relax_lang.syntax.recovery.lexical_errors import at_bad_text
from relax_lang.syntax.recovery.token_edits import SKIP, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax.driver import Run

__all__ = ["at_bad_text", "at_end", "at_token"]

CLOSER_OF = {"LPAR": "RPAR", "LSQB": "RSQB", "LBRACE": "RBRACE"}
OPENERS = frozenset(KIND[name] for name in CLOSER_OF)
CLOSERS = frozenset(KIND[name] for name in CLOSER_OF.values())
CLOSING = ("RBRACE", "RPAR", "RSQB", "SEMICOLON")
INSERTIONS = ("SEMICOLON", "COLON", "COMMA", "ARROW", "ASSIGN", "LPAR", "LBRACE", "IN")
LISTS = frozenset(("statements", "tir_statements", "items"))
"""Symbols at which parsing can start anew."""

STATEMENT_WORDS = frozenset(
    KIND[n] for n in ("LET", "DATAFLOW", "BINDINGS", "OUTPUT", "FOR", "BLOCK", "WHILE", "ALLOC")
)
ITEM_WORDS = frozenset(KIND[n] for n in ("DEF", "PRIM_FUNC", "PRIVATE", "PURE", "IMPURE", "FORCE_PURE"))
EXPRESSION_STARTS = frozenset(
    KIND[n]
    for n in (
        *(
            "NAME",
            "DOTTED",
            "QUOTED_NAME",
            "GLOBAL",
            "INT",
            "FLOAT",
            "TRUE",
            "FALSE",
            "INF",
            "NAN",
            "CONST",
            "LPAR",
        ),
        *(
            "LBRACE",
            "IF",
            "FN",
            "EXTERN",
            "SHAPE",
            "MINUS",
            "NOT",
            "TILDE",
            "MATCH_CAST",
            "MATCH_SHAPE",
            "STRING",
        ),
        *("PRIM_FUNC", "PURE", "IMPURE", "FORCE_PURE", "PRIVATE", "LSQB", "NULL"),
    )
)
OPERATORS = frozenset(
    KIND[n]
    for n in (
        *(
            "OROR",
            "ANDAND",
            "EQ",
            "NE",
            "LT",
            "LE",
            "GT",
            "GE",
            "PLUS",
            "MINUS",
            "STAR",
            "SLASH",
            "DSLASH",
            "PERCENT",
        ),
        *("DSTAR", "BAR", "CARET", "AMP", "SHL", "SHR", "ARROW", "LPAR", "LSQB", "DOTDOT"),
    )
)
LOST = re.compile(r"^(?:\w+[ \t]+)+@(\w+)", re.MULTILINE)
"""What looks like the head of an item, whatever word it was written with."""


def at_token(run: Run, pos: int, end: int, kind: int) -> int:
    """Deal with a token that does not fit; return the offset to read on from."""
    if kind in ITEM_WORDS and begins_line(run.text, pos) and open_brackets(run):
        run.builder.gaps.append((run.last_end, run.last_end))
        close_function(run, pos)
        return pos
    upcoming = peek(run, pos, 8)
    if run.bad_at < run.last_end or run.bad_at > pos:  # otherwise the bad character has been reported
        at = error_productions.deal_with(run, pos, end, kind, upcoming)
        if at == SKIP:
            return skip(run, pos, end)
        if at is None:
            at = keyword_as_name(run, pos, end, kind, upcoming)
        if at is None:
            at = missing(run, pos, upcoming)
        if at is None:
            at = stray(run, pos, end, kind, upcoming)
        if at is not None:
            return at
        found = diag.syntax((pos, end), expectation(run, run.text[pos:end]))
        if lalr_table.symbol(run.states[-1]) == "items" and run.text[run.last_end - 1 : run.last_end] == "}":
            found.label((run.last_end - 1, run.last_end), "the item before it ends here")
        run.builder.report(found)
    return skip(run, pos, end)


def peek(run: Run, pos: int, count: int) -> list[int]:
    """Return the kinds of the next tokens; END behind the last one."""
    kinds: list[int] = []
    for match in lalr_table.TOKEN.finditer(run.text, pos):
        kind = kind_of(match)
        if kind >= 0:
            kinds.append(kind)
            if len(kinds) == count:
                return kinds
        elif kind == -3:
            return kinds
    return [*kinds, lalr_table.END]


def keyword_as_name(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`let block = x;` [Y.5]"""
    word = run.text[pos:end]
    if not word[0].isalpha() or kind == KIND["NAME"]:
        return None
    after = lalr_table.feed(run.states, KIND["NAME"])
    if after is None or lalr_table.fits(after, upcoming[1:3]) < min(2, len(upcoming) - 1):
        return None
    run.builder.report(diag.reserved_word((pos, end), word))
    run.shift(KIND["NAME"], word, pos, end)
    return end


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


def missing(run: Run, pos: int, upcoming: list[int]) -> int | None:
    """Find the one piece of punctuation without which the text does not go on, and put it in."""
    best: tuple[int, list[str]] | None = None
    for names in pieces(run, upcoming[0]):
        states: list[int] | None = run.states
        for name in names:
            states = lalr_table.feed(states, KIND[name])
            if states is None:
                break
        if states is None:
            continue
        progress = lalr_table.fits(states, upcoming) - len(names) + 1
        if best is None or progress > best[0]:
            best = (progress, names)
    if best is None or best[0] < min(3, len(upcoming) - (upcoming[-1] == lalr_table.END)):
        return None
    if upcoming[0] in ITEM_WORDS and best[1][0] == "RBRACE":
        return None  # an unclosed function; `skip` says so
    put_in(run, pos, best[1])
    return pos


def pieces(run: Run, following: int) -> list[list[str]]:
    """Return what could be missing before a token: marks, and closers for the innermost brackets."""
    tries = [[name] for name in INSERTIONS if name != "LPAR" or following not in CLOSERS]
    if following in STATEMENT_WORDS and lalr_table.feed(run.states, KIND["NAME"]) is not None:
        tries.remove(["LBRACE"])  # a value is missing, hardly the brace of a block that would be one
    closers = [CLOSER_OF[name] for name, _ in reversed(open_brackets(run)[-3:])]
    for count in range(1, len(closers) + 1):
        tries += [closers[:count], [*closers[:count], "SEMICOLON"]]
    return tries


def put_in(run: Run, pos: int, names: list[str]) -> None:
    """Report what is missing, and feed it to the parser."""
    report_missing(run, pos, names)
    if names[0] == "LBRACE":
        run.builder.added_braces.append(run.last_end)
    count = len(run.builder.diagnostics)
    for name in names:
        run.shift(KIND[name], lalr_table.SPELLING[KIND[name]], run.last_end, run.last_end)
    if any(found.slug == "if-needs-else" for found in run.builder.diagnostics[count:]):
        del run.builder.diagnostics[count - 1]  # with its `else` the `if` could be the value of the block


def report_missing(run: Run, pos: int, names: list[str]) -> None:
    """Report what was put in: at the end of what stands before it."""
    text = "".join(lalr_table.SPELLING[KIND[name]] for name in names)
    if names[0] in ("ARROW", "ASSIGN", "IN"):
        text = f" {text}"
    place = (run.last_end, run.last_end + 1) if run.last_end < pos else (run.last_end - 1, run.last_end)
    shown = text.strip()
    what = {
        "SEMICOLON": "expected `;` after this statement",
        "ARROW": "expected `->` before the result",
        "COMMA": "expected `,` between two elements",
        "IN": "expected `in` between the loop variables and their range",
        "ASSIGN": "expected `=` and a value",
    }.get(names[0], f"expected `{shown}`")
    found = diag.syntax(place, what, f"`{shown}` is missing here")
    brackets = open_brackets(run)
    if names[0] in CLOSER_OF.values() and brackets:
        name, at = brackets[-1]
        mark = lalr_table.SPELLING[KIND[name]]
        found.label((at, at + 1), f"to close this `{mark}`")
    edit = Edit(run.last_end, run.last_end, text)
    run.builder.report(found.fix(f"add `{shown}`", edit, applicability=SAFE))


def stray(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """Leave out one token that is too much, if the text goes on without it."""
    if run.text[pos:end] not in (";", ",", ")", "]", "}", ":", "=") or len(upcoming) < 2:
        return None
    if lalr_table.fits(run.states, upcoming[1:]) < min(3, len(upcoming) - 1):
        return None
    mark = run.text[pos:end]
    message = f"unexpected `{mark}`"
    if kind in CLOSERS:
        message = f"this `{mark}` closes nothing"
    elif mark == ";":
        message = "no `;` belongs here"
    found = diag.syntax((pos, end), message)
    run.builder.report(found.replace((pos, end), "", f"remove `{mark}`", applicability=SAFE))
    return end


def skip(run: Run, pos: int, end: int) -> int:
    """Drop the statement or item at hand; return where the next one begins."""
    depth = len(run.states) - 1
    while depth > 0 and lalr_table.symbol(run.states[depth]) not in LISTS:
        depth -= 1
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


def begin_items(run: Run) -> None:
    """Start the list of items: nothing sensible has been read yet."""
    del run.states[1:], run.values[1:], run.starts[1:]
    run.states.append(
        lalr_table.GOTO[run.states[0] * lalr_table.N_NONTERMINALS + lalr_table.NONTERMINAL["items"]]
    )
    run.values.append([])
    run.starts.append(0)


def resume_at(run: Run, pos: int, level: int, *, items: bool) -> tuple[int, bool]:
    """Return where to read on after an error at `pos`, and whether a new item begins there.

    `level` counts the brackets that the dropped part had opened.
    """
    text = run.text
    # The token at hand may begin the next statement, unless it is what does not fit into this one.
    first = pos if lalr_table.feed(run.states, (peek(run, pos, 1) or [0])[0]) is not None else pos + 1
    for match in lalr_table.TOKEN.finditer(text, pos):
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


def begins_line(text: str, at: int) -> bool:
    """Tell whether only blanks stand before an offset on its line."""
    return not text[text.rfind("\n", 0, at) + 1 : at].strip()


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
    """Tell whether an opening brace was put in behind `begin`: that nothing closes it is said already."""
    return any(at >= begin for at in run.builder.added_braces)


def suspect(text: str, begin: int, stop: int, opener: int) -> int:
    """Return the brace that was probably left open, which need not be the one that the end of the text finds.

    It is the last one that is closed by a `}` with less indentation than the line it stands on, for that was
    meant for a brace further out.
    """
    open_braces: list[int] = []
    found = opener
    for match in lalr_table.TOKEN.finditer(text, begin, stop):
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
                found.fix(f"add `{closers}`", Edit(length, length, closers))
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


def expectation(run: Run, word: str) -> str:
    """Say what fits here, in the reader's terms: `expected a statement, found …`."""
    fitting = set(lalr_table.accepted(run.states))
    parts: list[str] = []
    if KIND["DEF"] in fitting and KIND["CONST"] not in fitting:
        parts.append("`def` or `prim_func`")
        fitting -= ITEM_WORDS | {KIND["MODULE"]}
    kind, starts = category(run, fitting)
    if kind:
        parts.append(kind)
        fitting -= starts
    if len(fitting - OPERATORS) + len(parts) > 0 or len(fitting & OPERATORS) > 2:
        fitting -= OPERATORS
    if KIND["SEMICOLON"] in fitting:
        fitting.discard(KIND["ASSIGN"])  # `y = x;` is read, for the sake of its message
    names = [f"`{lalr_table.SPELLING[k]}`" for k in sorted(fitting) if k in lalr_table.SPELLING]
    others = (("STRING", "a string"), ("GLOBAL", "`@name`"), ("NAME", "a name"))
    names += [shown for terminal, shown in others if KIND[terminal] in fitting]
    parts += names[:4]
    found = "the end of the text" if not word else word if word.startswith("the end") else f"`{word[:40]}`"
    if not parts:
        return f"{found} does not belong here"
    listed = parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " or " + parts[-1]
    return f"expected {listed}, found {found}"


def category(run: Run, fitting: set[int]) -> tuple[str, frozenset[int]]:
    """Return what all the tokens that fit begin, and these tokens."""
    if KIND["LET"] in fitting or KIND["FOR"] in fitting:
        return "a statement", EXPRESSION_STARTS | STATEMENT_WORDS | {KIND["ASSERT"]}
    if KIND["CONST"] in fitting:
        return "an expression", EXPRESSION_STARTS
    if KIND["TILDE"] in fitting:
        return "a number or a name", EXPRESSION_STARTS
    if lalr_table.symbol(run.states[-1]) == "LSQB" and KIND["LPAR"] in fitting:
        return "dimensions, `ndim=` or a dtype", EXPRESSION_STARTS | {KIND["RSQB"]}
    if KIND["FN"] in fitting and KIND["NAME"] in fitting:
        return "a struct info", EXPRESSION_STARTS
    if KIND["NULL"] in fitting:
        return "a literal", EXPRESSION_STARTS
    if lalr_table.symbol(run.states[-1]) == "EXTERN":
        return "a string", EXPRESSION_STARTS
    if KIND["NAME"] in fitting and KIND["STRING"] in fitting:
        return "a dtype", EXPRESSION_STARTS
    if KIND["QUOTED_NAME"] in fitting:
        return "a name", frozenset((KIND["NAME"], KIND["QUOTED_NAME"]))
    return "", frozenset()
