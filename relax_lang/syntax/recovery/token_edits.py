"""What all error productions share: to look back at the last tokens, and to put others in their place."""

from __future__ import annotations

import re

from relax_lang.syntax import lalr_table, tree
from relax_lang.syntax.lalr_table import KIND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax.driver import Run

SKIP = -2
"""Returned by an error production after which the rest of the statement is to be skipped."""

LISTS = frozenset(("statements", "tir_statements", "items"))
"""Symbols at which parsing can start anew."""

STATEMENT_WORDS = frozenset(
    KIND[n] for n in ("LET", "DATAFLOW", "BINDINGS", "OUTPUT", "FOR", "BLOCK", "WHILE", "ALLOC")
)
ITEM_WORDS = frozenset(KIND[n] for n in ("DEF", "PRIM_FUNC", "PRIVATE", "PURE", "IMPURE", "FORCE_PURE"))

STATEMENTS = frozenset(("statements", "tir_statements"))

_CLOSERS = {"(": ")", "[": "]", "{": "}"}

_OPENING = frozenset(KIND[name] for name in ("LPAR", "LSQB", "LBRACE"))
_CLOSING = frozenset(KIND[name] for name in ("RPAR", "RSQB", "RBRACE"))
_PREVIOUS = re.compile(r"(\w+|->|:=|[^\w\s])\s*\Z")


def previous(run: Run) -> str:
    """Return the word or mark before the token at hand."""
    match = _PREVIOUS.search(run.text[max(0, run.last_end - 80) : run.last_end])
    return match[1] if match else ""


def outside_brackets(text: str, start: int, marks: str, never: str = "") -> int | None:
    """Return where the first of some marks is that is in no bracket; None if what is `never` in between, or the end of
    the line in a bracket, comes first.
    """
    closers: list[str] = []
    for at in range(start, len(text)):
        mark = text[at]
        if mark in never or (closers and mark == "\n"):
            return None
        if closers and mark == closers[-1]:
            closers.pop()
        elif not closers and mark in marks:
            return at
        elif mark in _CLOSERS:
            closers.append(_CLOSERS[mark])
    return None


def in_prim_func(run: Run) -> bool:
    """Return whether the text at hand belongs to a PrimFunc."""
    return any(lalr_table.symbol(state) == "PRIM_FUNC" for state in run.states)


def last_name(run: Run, back: int = 1) -> str:
    """Return the name on top of the stacks (or the one `back` tokens below the top); else nothing."""
    if len(run.states) <= back or lalr_table.symbol(run.states[-back]) not in ("NAME", "name"):
        return ""
    return str(run.values[-back])


def last_variable(run: Run) -> str:
    """Return the name on top of the stacks, read as a variable or not yet; else nothing."""
    value = run.values[-1]
    return value.name_hint if isinstance(value, tree.Var) and value.pos == run.starts[-1] else last_name(run)


def begins_statement(run: Run, back: int = 1) -> bool:
    """Return whether the topmost `back` tokens are the first ones of a statement."""
    return len(run.states) > back and lalr_table.symbol(run.states[-1 - back]) in STATEMENTS


def depth_of(run: Run, *symbols: str) -> int:
    """Return where on the stacks the innermost of some symbols is; 0 if none of them is."""
    depth = len(run.states) - 1
    while depth > 0 and lalr_table.symbol(run.states[depth]) not in symbols:
        depth -= 1
    return depth


def drop_last(run: Run) -> tuple[int, int]:
    """Take the last token from the stacks again; return its span."""
    pos = run.starts.pop()
    run.states.pop()
    run.values.pop()
    place = (pos, run.last_end)
    run.last_end = end_before(run.text, pos)
    return place


def end_before(text: str, pos: int) -> int:
    """Return where the text before an offset ends, blanks left out."""
    while pos > 0 and text[pos - 1].isspace():
        pos -= 1
    return pos


def reopen(run: Run, operand: str) -> None:
    """Make a scalar expression an operand again: a word after it (`where`, `reads`) has ended it."""
    if lalr_table.symbol(run.states[-1]) == "prim":
        key = run.states[-2] * lalr_table.N_NONTERMINALS + lalr_table.NONTERMINAL[operand]
        run.states[-1] = lalr_table.GOTO.get(key, run.states[-1])


def rest_of_line(text: str, at: int) -> str:
    """Return the text from an offset to the end of its line."""
    stop = text.find("\n", at)
    return text[at:] if stop < 0 else text[at:stop]


def kind_of(match: re.Match[str]) -> int:
    """Return the kind of a token; -2 for a comment, -3 for a bad character."""
    group = match.lastindex or 0
    kind = lalr_table.GROUP_KINDS[group]
    return lalr_table.LITERALS.get(match[group], KIND["NAME"]) if kind == -1 else kind


def replace_tokens(run: Run, depth: int, form: str, start: int, end: int) -> bool:
    """Put the tokens of `form`, which was not written, in the place of the topmost ones, from `depth` on.

    What was reported of the text from `start` on is taken back. Returns False, and does nothing, if they do not fit.
    """
    tokens = [(kind_of(match), match[match.lastindex or 0]) for match in lalr_table.tokens(form)]
    kinds = [kind for kind, _ in tokens]
    if min(kinds) < 0 or lalr_table.fits(run.states[:depth], kinds) < len(kinds):
        return False
    diagnostics = run.builder.diagnostics
    while diagnostics and diagnostics[-1].pos >= start:
        diagnostics.pop()
    del run.states[depth:], run.values[depth:], run.starts[depth:]
    count = len(diagnostics)
    for kind, word in tokens:
        run.shift(kind, word, start, start)
    del diagnostics[count:]  # what was written is not the text that was read
    run.last_end = end
    return True


def peek(run: Run, pos: int, count: int) -> list[int]:
    """Return the kinds of the next tokens; END behind the last one."""
    kinds: list[int] = []
    for match in lalr_table.tokens(run.text, pos, run.stop):
        kind = kind_of(match)
        if kinds and match[match.lastindex or 0] == "return":
            continue  # of other languages: what follows would fit without it
        if kind >= 0:
            kinds.append(kind)
            if len(kinds) == count:
                return kinds
        elif kind == -3:
            return kinds
    return [*kinds, lalr_table.END]


def begins_line(text: str, at: int) -> bool:
    """Return whether only blanks are before an offset on its line."""
    while at > 0 and text[at - 1] != "\n" and text[at - 1].isspace():
        at -= 1
    return at == 0 or text[at - 1] == "\n"


def binds_later(run: Run, pos: int) -> bool:
    """Return whether there is a `=` in the statement after an offset, so that a struct info begins there."""
    depth = 0
    for match in lalr_table.tokens(run.text, pos, run.stop):
        kind = kind_of(match)
        depth += (kind in _OPENING) - (kind in _CLOSING)
        if depth < 0 or (depth == 0 and kind in (KIND["SEMICOLON"], KIND["ASSIGN"])):
            return kind == KIND["ASSIGN"]
    return False
