"""Error productions for statements of TVMScript in PrimFuncs: `with T.init():`, `T.block("b"):`, sizes. [Y.7]"""

from __future__ import annotations

import re

from relax_lang.base.diagnostic import SAFE, UNSAFE
from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import lalr_table
from relax_lang.syntax.builders.foreign_prim_funcs.foreign_sizes import SIZE_IN_PRIM_FUNC
from relax_lang.syntax.lalr_table import KIND
from relax_lang.syntax.recovery import python_bodies
from relax_lang.syntax.recovery.token_edits import (
    SKIP,
    begins_statement,
    depth_of,
    drop_last,
    in_prim_func,
    last_name,
    rest_of_line,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax.driver import Run

SCRIPT_BLOCK = re.compile(r"(?:T|tir|tirx)\.s?block\(\s*+(?:[\"']([^\"'\n]*)[\"']\s*+)?\)")
INIT = re.compile(r"(?:(?:T|tir|tirx)\.)?init\(\s*\)")
DATAFLOW = re.compile(r"(?:(?:R|relax)\.)?dataflow\s*\(\s*\)")
OPENER = re.compile(r"\s*+(?::\s*+)?(?=\{)")
COLON = re.compile(r"\s*:")
SIZES = re.compile(
    r"(?:let\s+)?+[^\W\d]\w*(?:\s*,\s*[^\W\d]\w*)*\s*+=\s*+(?:T|tir|tirx)\.u?int\d+\(\s*+\)"
    r"(?:\s*,\s*(?:T|tir|tirx)\.u?int\d+\(\s*\))*[ \t]*+;?"
)
INIT_FORM = "the first values of a reduction are written `init { … }`"


def _at_statement(run: Run, pos: int, kind: int, head: re.Pattern[str]) -> re.Match[str] | None:
    """Return how a head of TVMScript is written with which a statement of a PrimFunc begins; take it from the stacks.

    It begins at the token at hand, `with` before it left out, or was read as a value up to its brace or colon.
    """
    if not in_prim_func(run):
        return None
    match = head.match(run.text, pos)
    if match is not None and last_name(run) == "with":
        return match if begins_statement(run) else None
    if match is not None:
        return match if lalr_table.feed(run.states, KIND["BLOCK"]) is not None else None
    depth = depth_of(run, "tir_statements")
    if kind not in (KIND["LBRACE"], KIND["COLON"]) or depth == 0 or depth + 1 >= len(run.starts):
        return None
    match = head.match(run.text, run.starts[depth + 1])
    if match is None or run.text[match.end() : pos].strip():
        return None
    run.builder.mute(match.start(), pos)
    del run.states[depth + 1 :], run.values[depth + 1 :], run.starts[depth + 1 :]
    run.last_end = match.start()
    return match


def init_of_script(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`with T.init() {`, `with T.init():`, `T.init() {`."""
    match = _at_statement(run, pos, kind, INIT)
    if match is None:
        return None
    start = drop_last(run)[0] if last_name(run) == "with" else match.start()
    return _with_body(run, (start, match.end()), INIT_FORM, [("NAME", "init")])


def init_as_call(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`init() {`, whose first parenthesis fits where a value may be."""
    if kind != KIND["RPAR"] or lalr_table.symbol(run.states[-1]) != "LPAR" or last_name(run, 2) != "init":
        return None
    if not begins_statement(run, 2) or not in_prim_func(run) or OPENER.match(run.text, end) is None:
        return None
    start = run.starts[-2]
    drop_last(run)
    drop_last(run)
    return _with_body(run, (start, end), INIT_FORM, [("NAME", "init")])


def block_of_script(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`T.block("b") {`, `with T.block("b"):`, with its name or without."""
    match = _at_statement(run, pos, kind, SCRIPT_BLOCK)
    if match is None:
        return None
    text = match[1] or "b"
    name = text if text.isidentifier() else f"`{text}`"
    start = drop_last(run)[0] if last_name(run) == "with" else match.start()
    message = f"a block is written `block {name} {{ … }}`"
    return _with_body(run, (start, match.end()), message, [("BLOCK", "block"), ("NAME", text)])


def dataflow_of_script(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`with R.dataflow() {`, `with R.dataflow():`, `R.dataflow() {`, `dataflow() {`, `dataflow:`."""
    if in_prim_func(run):
        return None
    message = "a block of dataflow is written `dataflow { … output y; }`"
    tokens = [("DATAFLOW", "dataflow")]
    match = DATAFLOW.match(run.text, pos)
    if match is not None and last_name(run) == "with" and begins_statement(run):
        return _with_body(run, (drop_last(run)[0], match.end()), message, tokens)
    if lalr_table.symbol(run.states[-1]) == "DATAFLOW" and kind in (KIND["LPAR"], KIND["COLON"]):
        start = run.starts[-1]
        match = DATAFLOW.match(run.text, start)
        place = drop_last(run) if match is None else (drop_last(run)[0], match.end())
        return _with_body(run, place, message, tokens)
    depth = depth_of(run, "statements")
    if kind not in (KIND["LBRACE"], KIND["COLON"]) or depth == 0 or depth + 1 >= len(run.starts):
        return None
    match = DATAFLOW.match(run.text, run.starts[depth + 1])
    if match is None or run.text[match.end() : pos].strip():
        return None
    run.builder.mute(match.start(), pos)
    del run.states[depth + 1 :], run.values[depth + 1 :], run.starts[depth + 1 :]
    run.last_end = match.start()
    return _with_body(run, match.span(), message, tokens)


def _with_body(run: Run, place: tuple[int, int], message: str, tokens: list[tuple[str, str]]) -> int | None:
    """Report the head of a body, which is read as `tokens` if a brace follows it."""
    head = " ".join([word if not word or word.isidentifier() else f"`{word}`" for _, word in tokens])
    brace, colon = OPENER.match(run.text, place[1]), COLON.match(run.text, place[1])
    found = diag.syntax(place, message)
    if brace is not None:
        edited = (place[0], brace.end())
        run.builder.report(found.replace(edited, f"{head} ", f"write `{head}`", applicability=SAFE))
        for terminal, word in tokens:
            run.shift(KIND[terminal], word, *place)
        run.last_end = brace.end()
        return brace.end()
    edits = python_bodies.in_braces(run.text, place[0], colon.end() - 1, head) if colon is not None else []
    run.builder.report(found)
    if not edits:
        return SKIP
    found.fix(f"write `{head} {{ … }}`", *edits, applicability=UNSAFE)
    if tokens[0][0] != "DATAFLOW":
        return SKIP
    run.builder.gaps.append((place[0], edits[-1].end))  # what only such a block may hold
    return edits[-1].end


def declared_sizes(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`n = T.int64()`, `m, n = T.int64(), T.int64()`."""
    if kind not in (KIND["RPAR"], KIND["COMMA"]) or not in_prim_func(run):
        return None
    depth = depth_of(run, "tir_statements")
    if depth == 0 or depth + 1 >= len(run.starts):
        return None
    start = run.starts[depth + 1]
    match = SIZES.match(run.text, start)
    if match is None or match.end() <= pos:
        return None
    line = run.text.rfind("\n", 0, start)
    is_alone = not run.text[line + 1 : start].strip() and not rest_of_line(run.text, match.end()).strip()
    found = diag.syntax((start, match.end()), SIZE_IN_PRIM_FUNC)
    place = (line if is_alone and line >= 0 else start, match.end())
    run.builder.report(found.replace(place, "", "remove it, if a dimension names it", applicability=UNSAFE))
    del run.states[depth + 1 :], run.values[depth + 1 :], run.starts[depth + 1 :]
    run.builder.gaps.append((start, match.end()))
    return match.end()


ERROR_PRODUCTIONS = (init_of_script, init_as_call, block_of_script, declared_sizes, dataflow_of_script)
