"""After a syntax error: say what was expected, mend the parser's stacks, and find where to read on.

Tried in this order: the syntax of other languages (`error_productions`), a keyword used as a name, one missing piece
of punctuation, one piece too many; else the rest of the statement or item is skipped. Only loaded when there is
an error.
"""

from __future__ import annotations

import re

from relax_lang.base.diagnostic import SAFE, UNSAFE, Edit
from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import lalr_table
from relax_lang.syntax.lalr_table import KIND
from relax_lang.syntax.recovery.brackets import CLOSER_OF, at_end, close_function, open_brackets
from relax_lang.syntax.recovery.error_productions import catalogue, functions
from relax_lang.syntax.recovery.expected import expectation
from relax_lang.syntax.recovery.lexical_errors import at_bad_text
from relax_lang.syntax.recovery.settle import settle
from relax_lang.syntax.recovery.skipping import CLOSERS, skip
from relax_lang.syntax.recovery.skipping import skip_item as at_depth
from relax_lang.syntax.recovery.token_edits import (
    ITEM_WORDS,
    SKIP,
    STATEMENT_WORDS,
    STATEMENTS,
    begins_line,
    binds_later,
    depth_of,
    kind_of,
    peek,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.syntax.driver import Run

__all__ = ["at_bad_text", "at_depth", "at_end", "at_token", "settle"]

_VALUE = re.compile(r"[\w(@\"\[]")
"""What a value, or another word, begins with."""
PLAIN_LIST = re.compile(r"[\w\s.,@\"]*")
LONGEST_BODY = 4_000
"""How far the end of a body is looked for, in characters."""
UNFINISHED = frozenset(("(", "[", ",", "=", "+", "-", "*", "/", "%", "&", "|", "<", ">", "."))
"""What a line does not end with."""

INSERTIONS = ("SEMICOLON", "COLON", "COMMA", "ARROW", "ASSIGN", "LPAR", "LBRACE", "IN")


def at_token(run: Run, pos: int, end: int, kind: int) -> int:
    """Deal with a token that does not fit; return the offset to read on from."""
    if (
        kind in ITEM_WORDS
        and begins_line(run.text, pos)
        and open_brackets(run)
        and not functions.is_among_statements(run, pos)
    ):
        run.builder.gaps.append((run.last_end, run.last_end))
        close_function(run, pos)
        return pos
    upcoming = peek(run, pos, 8)
    is_closed = kind == KIND["ELSE"] and run.last_end in run.builder.braced  # by the fix of the body
    if is_closed and run.shift(KIND["RBRACE"], "}", run.last_end, run.last_end):
        return pos
    if run.bad_at < run.last_end or run.bad_at > pos:  # otherwise the bad character has been reported
        at = catalogue.deal_with(run, pos, end, kind, upcoming)
        if at == SKIP:
            return skip(run, pos, end)
        if at is None:
            at = keyword_as_name(run, pos, end, kind, upcoming)
        if at is None:
            at = unfinished_line(run, pos, kind)
        if at is None and kind == KIND["COMMA"] and lalr_table.symbol(run.states[-1]) == "COMMA":
            at = stray(run, pos, end, kind, upcoming)  # one of two commas is likelier than a missing bracket
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


def keyword_as_name(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`let block = x;` [Y.5]"""
    word = run.text[pos:end]
    if not word[0].isalpha() or kind in (KIND["NAME"], KIND["DOTTED"]):
        return None
    after = lalr_table.feed(run.states, KIND["NAME"])
    if after is None or lalr_table.fits(after, upcoming[1:3]) < min(2, len(upcoming) - 1):
        return None
    found = diag.reserved_word((pos, end), word)
    if kind == KIND["NULL"] and word not in run.builder.visible and lalr_table.feed(run.states, KIND["LPAR"]):
        found = diag.syntax((pos, end), "`null` is a value of attributes only")
        run.builder.report(
            found.replace((pos, end), "()", "write `()`, which is an operand that is left out")
        )
        run.builder.repairs.null_offsets.add(pos)
        for mark in ("LPAR", "RPAR"):
            run.shift(KIND[mark], lalr_table.SPELLING[KIND[mark]], pos, end)
        return end
    run.builder.report(found)
    run.shift(KIND["NAME"], word, pos, end)
    return end


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
    if ends_before_return(run, pos):
        best = 3, ["SEMICOLON"]
    elif best is not None and best[1] in (["COLON"], ["ASSIGN"]) and follows_let(run):
        best = best[0], ["COLON" if binds_later(run, pos) else "ASSIGN"]
    if best is None or best[0] < min(3, len(upcoming) - (upcoming[-1] == lalr_table.END)):
        return None
    if upcoming[0] in ITEM_WORDS and best[1][0] == "RBRACE":
        return None  # an unclosed function, which `skip` reports
    put_in(run, pos, best[1])
    return pos


def follows_let(run: Run) -> bool:
    """Return whether the variable of a `let` comes before the token at hand."""
    return "LET" in [lalr_table.symbol(state) for state in run.states[-3:-1]]


def ends_before_return(run: Run, pos: int) -> bool:
    """Return whether a statement lacks its `;`, and the next line begins with the `return` of other languages."""
    is_return = run.text.startswith("return", pos) and run.text[pos : pos + 7] in ("return", "return ")
    return (
        is_return
        and "\n" in run.text[run.last_end : pos]
        and lalr_table.feed(run.states, KIND["SEMICOLON"]) is not None
    )


def pieces(run: Run, following: int) -> list[list[str]]:
    """Return what could be missing before a token: marks, and closers for the innermost brackets."""
    tries = [[name] for name in INSERTIONS if name != "LPAR" or following not in CLOSERS]
    value_fits = lalr_table.feed(run.states, KIND["NAME"]) is not None
    if value_fits and (following in STATEMENT_WORDS or following in CLOSERS):
        tries.remove(["LBRACE"])  # a value is missing, hardly the brace of a block that would be one
    closers = [CLOSER_OF[name] for name, _ in reversed(open_brackets(run)[-3:])]
    for count in range(1, len(closers) + 1):
        tries += [closers[:count], [*closers[:count], "SEMICOLON"]]
    if ["LPAR"] in tries and closers[:1] == ["RSQB"]:
        tries.remove(["LPAR"])  # the list of a struct info ends, hardly a call begins in it
    return tries


def put_in(run: Run, pos: int, names: list[str]) -> None:
    """Report what is missing, and feed it to the parser."""
    report_missing(run, pos, names)
    if names[0] == "LBRACE":
        run.builder.added_braces.append(run.last_end)
    if names[0] in CLOSER_OF.values() and "\n" in run.text[run.last_end : pos]:
        run.builder.half_lines.append((run.text.rfind("\n", 0, run.last_end) + 1, run.last_end))
    if names[0] in ("RPAR", "COMMA"):
        run.builder.repairs.punctuation.append(run.last_end)
    count = len(run.builder.diagnostics)
    for name in names:
        run.shift(KIND[name], lalr_table.SPELLING[KIND[name]], run.last_end, run.last_end)
    is_removed = names == ["SEMICOLON"] and run.last_end in run.builder.elsewhere.removed
    if is_removed or any(found.slug == "if-needs-else" for found in run.builder.diagnostics[count:]):
        # With its `else` the `if` could be the value of the block; what is removed needs no `;`.
        del run.builder.diagnostics[count - 1]


def report_missing(run: Run, pos: int, names: list[str]) -> None:
    """Report what was put in: at the end of what comes before it."""
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
    is_only_place = True
    if names[0] in CLOSER_OF.values() and brackets:
        name, at = brackets[-1]
        mark = lalr_table.SPELLING[KIND[name]]
        earlier = run.builder.diagnostics[-1] if run.builder.diagnostics else None
        if (
            at == run.builder.added_parenthesis
            and earlier is not None
            and earlier.pos <= at
            and earlier.fixes
        ):
            # `add x, y`: one mistake
            run.builder.diagnostics.pop()
            edits = [*earlier.fixes[0].edits, Edit(run.last_end, run.last_end, text)]
            found = diag.syntax(
                (earlier.pos, earlier.end), "the operands of a call are written in parentheses"
            )
            run.builder.report(found.fix("add `(` and `)`", *edits))
            return
        found = diag.syntax((at, at + 1), f"this `{mark}` is never closed", f"expected `{shown}`")
        no_call = run.builder.repairs.no_call
        if no_call is not None and earlier is no_call[1] and at < no_call[0]:
            # `call_tir(@f, (x,) -> S;`: one mistake, further to the left
            run.builder.diagnostics.pop()
            stop = no_call[0]
            found.label((stop, stop + 1), "`)` is missing here")
            run.builder.report(found.fix("add `)`", Edit(stop, stop, ")")))
            return
        found.label(place, f"`{shown}` is missing here")
        is_apart = "\n" in run.text[run.last_end : pos] or not _VALUE.match(run.text, pos)
        is_only_place = is_apart and only_place(run, brackets, at)
    elif names[0] in ("SEMICOLON", "COMMA"):
        # On one line an operator may be missing as well.
        is_only_place = "\n" in run.text[run.last_end : pos] or run.text[pos : pos + 4] in ("let ", "")
        is_only_place &= not ends_bindings(run, pos)
    elif names[0] == "LBRACE":
        report_brace(run, pos, found)
        return
    elif names[0] == "ASSIGN":  # or `+=`, of an element
        is_only_place = lalr_table.feed(run.states, KIND["PLUS_ASSIGN"]) is None
    # A name before a value may be one too many, or lack an operator.
    is_only_place &= names[0] not in ("LPAR", "ARROW") or run.text[run.last_end - 1 : run.last_end] == ")"
    blank = pos if names == ["LPAR"] and run.text[run.last_end : pos].strip(" ") == "" else run.last_end
    edit = Edit(run.last_end, blank, text)
    title = f"add `{shown}`" if is_only_place else f"add `{shown}`, if nothing else is missing"
    if names == ["LPAR"]:
        run.builder.added_parenthesis = run.last_end
    run.builder.report(found.fix(title, edit, applicability=SAFE if is_only_place else UNSAFE))


def ends_bindings(run: Run, pos: int) -> bool:
    """Return whether a `}` would close a `bindings` block after a value: that of the block may be missing."""
    depth = depth_of(run, "BINDINGS")
    return (
        run.text[pos : pos + 1] == "}"
        and depth > 0
        and depth == depth_of(run, "BINDINGS", "DATAFLOW", "FN", "IF")
    )


def report_brace(run: Run, pos: int, found: Diagnostic) -> None:
    """Report an opening brace that is missing: with the one that closes it, unless the item has that already."""
    if run.text[pos : pos + 1] == "}":
        run.builder.report(found)  # the block begins further up
        return
    edits = [Edit(run.last_end, run.last_end, " {")]
    begin, stop = item_span(run, pos)
    kinds = [kind_of(match) for match in lalr_table.tokens(run.text, begin, stop)]
    if kinds.count(KIND["RBRACE"]) > kinds.count(KIND["LBRACE"]):
        run.builder.report(found.fix("add `{`", *edits, applicability=SAFE))
        return
    end = statement_end(run, pos, stop)
    if end > pos:
        edits.append(Edit(end, end, " }"))
        run.builder.braced.add(end)
        found.fix("write the body in braces", *edits)
    run.builder.report(found)


def item_span(run: Run, pos: int) -> tuple[int, int]:
    """Return where the item around a token begins, and where the next one does, as far as lines show."""
    begin = run.begin
    for index, state in enumerate(run.states[:-1]):
        if lalr_table.symbol(state) == "items":
            begin = run.starts[index + 1]
    for match in lalr_table.tokens(run.text, pos, run.stop):
        at = match.start(match.lastindex or 0)
        if kind_of(match) in ITEM_WORDS and begins_line(run.text, at):
            return begin, at
    return begin, run.stop


def statement_end(run: Run, pos: int, stop: int) -> int:
    """Return where the statement ends that begins at an offset; the offset if none does that ends before `stop`.

    An `if` in it ends with its `else`.
    """
    depth = choices = 0
    end = pos
    for match in lalr_table.tokens(run.text, pos, min(stop, pos + LONGEST_BODY)):
        kind = kind_of(match)
        if end > pos:
            if kind != KIND["ELSE"] or choices == 0:
                return end
            choices -= 1
            end = pos
        depth += (kind == KIND["LBRACE"]) - (kind == KIND["RBRACE"])
        if depth < 0:
            break
        choices += depth == 0 and kind == KIND["IF"]
        if depth == 0 and kind in (KIND["SEMICOLON"], KIND["RBRACE"]):
            end = match.end()
    return end


def only_place(run: Run, brackets: list[tuple[str, int]], opener: int) -> bool:
    """Return whether what closes the innermost bracket can only be here: it holds a list without operators."""
    is_innermost = len(brackets) < 2 or brackets[-2][0] == "LBRACE"
    return is_innermost and PLAIN_LIST.fullmatch(run.text, opener + 1, run.last_end) is not None


def unfinished_line(run: Run, pos: int, kind: int) -> int | None:
    """A line that ends where an operand is missing, `let b = add(a,`, `let b = a +`, `let b = (`: it is lost."""
    text = run.text
    if "\n" not in text[run.last_end : pos] or not (kind in STATEMENT_WORDS or kind == KIND["RBRACE"]):
        return None
    if (
        text[run.last_end - 1 : run.last_end] not in UNFINISHED
        or "=" in text[run.last_end - 2 : run.last_end - 1]
    ):
        return None
    depth = depth_of(run, *STATEMENTS)
    start = run.starts[depth + 1] if depth + 1 < len(run.starts) else run.last_end
    brackets = [(name, at) for name, at in open_brackets(run) if at >= start]
    if depth == 0 or any(name == "LBRACE" for name, _ in brackets):
        return None
    place = (run.last_end - 1, run.last_end)
    if brackets:
        name, at = brackets[-1]
        mark = lalr_table.SPELLING[KIND[name]]
        found = diag.syntax((at, at + 1), f"this `{mark}` is never closed")
        found.label(place, "the line ends here, before the next statement")
    else:
        found = diag.syntax(place, "the line ends before the statement does", "a value is missing after this")
    run.builder.report(found)
    del run.states[depth + 1 :], run.values[depth + 1 :], run.starts[depth + 1 :]
    run.builder.gaps.append((start, run.last_end))
    return pos


def stray(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """Leave out one token that is too much, if the text goes on without it."""
    if run.text[pos:end] not in (";", ",", ")", "]", "}", ":", "=") or len(upcoming) < 2:
        return None
    if lalr_table.fits(run.states, upcoming[1:]) < min(3, len(upcoming) - 1):
        return None
    mark = run.text[pos:end]
    run.builder.repairs.punctuation.append(end)
    message = f"unexpected `{mark}`"
    if kind in CLOSERS:
        message = f"this `{mark}` closes nothing"
    elif mark == ";":
        message = "no `;` belongs here"
    found = diag.syntax((pos, end), message)
    if mark == ";" and run.text[run.last_end - 1 : run.last_end] in (";", "{", "}"):  # an empty statement
        run.builder.report(found.replace((pos, end), "", f"remove `{mark}`", applicability=SAFE))
    else:
        run.builder.report(found.replace((pos, end), "", f"remove `{mark}`, if nothing is missing before it"))
    return end
