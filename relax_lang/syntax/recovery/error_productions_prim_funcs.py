"""Error productions in PrimFuncs: blocks, axes and indices as other notations write them. [Y.7] [TIR.3] [TIR.9]"""

from __future__ import annotations

import re

from relax_lang.base.diagnostic import SAFE, Edit
from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import lalr_table
from relax_lang.syntax.lalr_table import KIND
from relax_lang.syntax.recovery.token_edits import drop_last, kind_of, last_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax.driver import Run

BLOCK_NAME = re.compile(r'\(\s*"([^"\n]*)"\s*\)|"([^"\n]*)"')
IDENTIFIER = re.compile(r"[^\W\d]\w*")
CLOSERS = {"(": ")", "[": "]", "{": "}"}


def block_name(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`block("sum") {`, `block "sum" {`."""
    match = BLOCK_NAME.match(run.text, pos)
    if lalr_table.symbol(run.states[-1]) != "BLOCK" or match is None:
        return None
    place = (pos, match.end())
    text = match[1] or match[2] or "_"
    name = text if IDENTIFIER.fullmatch(text) else f"`{text}`"
    found = diag.syntax(place, "the name of a block is no string")
    before = "" if run.text[pos - 1].isspace() else " "
    run.builder.report(found.replace(place, before + name, f"write `block {name}`", applicability=SAFE))
    run.shift(KIND["NAME"], text, *place)
    return place[1]


def chained_indices(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`A[i][j]`."""
    if kind != KIND["LSQB"] or lalr_table.symbol(run.states[-1]) != "RSQB":
        return None
    key = run.states[-3] * lalr_table.N_NONTERMINALS + lalr_table.NONTERMINAL["prim_list"]
    is_list = lalr_table.symbol(run.states[-2]) == "indices" and isinstance(run.values[-2], list)
    if not is_list or key not in lalr_table.GOTO:
        return None
    place = (run.last_end - 1, end)
    found = diag.syntax(place, "all indices of a buffer are written in one pair of brackets")
    run.builder.report(found.replace(place, ", ", "write `[i, j]`", applicability=SAFE))
    drop_last(run)
    run.states[-1] = lalr_table.GOTO[key]
    run.shift(KIND["COMMA"], ",", *place)
    return end


def axis_without_kind(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`block b (v = i)`, `block b (v)`: an axis without its kind."""
    text = run.text
    names = [lalr_table.symbol(state) for state in run.states[-4:]]
    if names[-1:] == ["ASSIGN"] and _in_axes(run, 3):
        start = pos
    elif names[-2:] == ["ASSIGN", "NAME"] and _in_axes(run, 4) and kind != KIND["LPAR"]:
        start = run.starts[-1]
    elif last_name(run) and kind in (KIND["COMMA"], KIND["RPAR"]) and _in_axes(run, 2):
        return _bare_axis(run, pos)
    else:
        return None
    stop = _value_end(text, start)
    value = text[start:stop]
    if start < pos:
        drop_last(run)
    if not value or not _shift_axis(run, value, start, stop):
        return None
    found = diag.syntax((start, stop), "an axis has a kind: `spatial`, `reduce`, `scan` or `opaque`")
    edits = Edit(start, start, "spatial("), Edit(stop, stop, ")")
    run.builder.report(found.fix(f"write `spatial({value})`, if every value is computed by itself", *edits))
    return stop


def _in_axes(run: Run, back: int) -> bool:
    """Tell whether the topmost tokens but `back` - 1 end where an axis of a block begins."""
    below = [lalr_table.symbol(state) for state in run.states[: 1 - back]]
    if below[-1:] == ["COMMA"]:
        return below[-2:-1] == ["axis_list"]
    return below[-1:] == ["LPAR"] and below[-3:-2] == ["BLOCK"]


def _bare_axis(run: Run, pos: int) -> int | None:
    name, at = last_name(run), run.starts[-1]
    place = (at, run.last_end)
    run.shift(KIND["ASSIGN"], "=", *place)
    if not _shift_axis(run, name, *place):
        return None
    found = diag.syntax(place, "an axis has a kind and a value")
    run.builder.report(found.helped(f"write `{name} = spatial(i)`, with the variable of the loop for `i`"))
    return pos


def _value_end(text: str, start: int) -> int:
    """Return where the value of an axis ends: before the comma or the parenthesis behind it."""
    open_brackets: list[str] = []
    for at in range(start, len(text)):
        mark = text[at]
        if mark in CLOSERS:
            open_brackets.append(CLOSERS[mark])
        elif open_brackets and mark == open_brackets[-1]:
            open_brackets.pop()
        elif mark in ",)]};{\n":
            return start + len(text[start:at].rstrip())
    return start


def _shift_axis(run: Run, value: str, start: int, stop: int) -> bool:
    """Shift `spatial(value)`; nothing is shifted if the value is no expression."""
    tokens: list[tuple[int, str, int, int]] = []
    for match in lalr_table.TOKEN.finditer(run.text, start, stop):
        group = match.lastindex or 0
        tokens.append((kind_of(match), match[group], match.start(group), match.end()))
    kinds = [KIND["NAME"], KIND["LPAR"], *[kind for kind, *_ in tokens], KIND["RPAR"]]
    if min(kinds) < 0 or lalr_table.fits(run.states, kinds) < len(kinds):
        return False
    run.shift(KIND["NAME"], "spatial", start, start)
    run.shift(KIND["LPAR"], "(", start, start)
    for kind, word, pos, end in tokens:
        run.shift(kind, word, pos, end)
    run.shift(KIND["RPAR"], ")", stop, stop)
    return True


ERROR_PRODUCTIONS = (block_name, chained_indices, axis_without_kind)
