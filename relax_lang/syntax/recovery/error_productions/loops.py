"""Error productions for heads of loops, as Python, C, Fortran and Rust write them. [Y.7] [TIR.15]"""

from __future__ import annotations

import re

from relax_lang.base.diagnostic import SAFE, UNSAFE
from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import lalr_table
from relax_lang.syntax.builders.loop_ranges import counted_in_steps, difference
from relax_lang.syntax.lalr_table import KIND
from relax_lang.syntax.recovery.token_edits import in_prim_func, replace_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax.driver import Run

_NAME = r"[^\W\d]\w*"
_BOUND = r"(?:(?!\.\.|\bto\b|\bstep\b|\bby\b)[^{};,\n])+?"
_RANGE = rf"({_BOUND})\s*\.\.\s*({_BOUND})"

PARENTHESES = re.compile(rf"for\s*\(\s*({_NAME}(?:\s*,\s*{_NAME})*)\s*,?\s*\)\s*in\b")
COUNTED = re.compile(
    rf"for\s+({_NAME})\s*=\s*({_BOUND})\s*(?:\bto\b|\.\.|,|:)\s*({_BOUND})\s*(?:\bdo\s*)?\{{"
)
C_LOOP = re.compile(
    rf"for\s*\(?\s*(?:(?:int\w*|auto|size_t|unsigned|let|var)\s+)?({_NAME})\s*=\s*([^;{{}}\n]+?)\s*;"
    rf"\s*\1\s*(<=?)\s*([^;{{}}\n]+?)\s*;\s*(?:\1\s*\+\+|\+\+\s*\1|\1\s*\+=\s*1)\s*\)?\s*\{{"
)
SEVERAL = re.compile(rf"for\s+({_NAME}\s+in\s+{_RANGE}(?:\s*,\s*{_NAME}\s+in\s+{_RANGE})+)\s*\{{")
ONE = re.compile(rf"({_NAME})\s+in\s+{_RANGE}\s*(?:,|\Z)")
STEPS = re.compile(rf"for\s+({_NAME})\s+in\s+{_RANGE}\s+(?:step|by)\s+({_BOUND})\s*\{{")
REVERSED = re.compile(rf"for\s+({_NAME})\s+in\s+(?:reversed|rev)\s*\(\s*{_RANGE}\s*\)\s*\{{")
HEAD = re.compile(r"for\b[^{}\n]*")


def other_loop(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`for (i, j) in grid(n, m)`, `for i = 0 to n`, `for (int i = 0; i < n; i++)`, `for i in 0..n step 2`."""
    depth = _start_of_loop(run)
    if depth is None:
        return None
    start = run.starts[depth]
    written = PARENTHESES.match(run.text, start)
    if written is not None and written.end() > pos:
        return _rewrite(run, depth, written, f"for {written[1]} in", "loop variables have no parentheses")
    for form, rewritten in FORMS:
        written = form.match(run.text, start)
        if written is not None and written.end() > pos:
            return rewritten(run, depth, written)
    return _unreadable(run, depth, kind)


def _start_of_loop(run: Run) -> int | None:
    """Return where on the stacks the head of a loop begins that is being read."""
    for depth in range(len(run.states) - 1, 0, -1):
        name = lalr_table.symbol(run.states[depth])
        if name == "FOR":
            return depth if in_prim_func(run) else None
        if name in ("tir_statements", "LBRACE", "SEMICOLON"):
            return None
    return None


def _rewrite(
    run: Run, depth: int, written: re.Match[str], form: str, message: str, applicability: str = SAFE
) -> int | None:
    """Report a head, or its beginning, and go on with what it is here."""
    place = written.span()
    if not replace_tokens(run, depth, form, *place):
        return None
    shown = form.removesuffix(" {")
    if shown != form:
        place = _head(written)
    found = diag.syntax(place, message)
    run.builder.report(found.replace(place, shown, f"write `{shown}`", applicability=applicability))
    return written.end()


def _head(written: re.Match[str]) -> tuple[int, int]:
    """Return the span of a head without the brace after it."""
    return written.start(), written.start() + len(written[0][:-1].rstrip())


def _counted(run: Run, depth: int, written: re.Match[str]) -> int | None:
    """`for i = 0 to n {`: whether the end is reached depends on the language that is meant."""
    form = f"for {written[1]} in {written[2].strip()}..{written[3].strip()} {{"
    return _rewrite(run, depth, written, form, LOOP, UNSAFE)


def _of_c(run: Run, depth: int, written: re.Match[str]) -> int | None:
    """`for (int i = 0; i < n; i++) {`."""
    stop = written[4] if written[3] == "<" else difference(written[4], "-1")
    return _rewrite(run, depth, written, f"for {written[1]} in {written[2]}..{stop} {{", LOOP)


def _several(run: Run, depth: int, written: re.Match[str]) -> int | None:
    """`for i in 0..n, j in 0..m {`: one `grid` if all begin at 0, else one loop in the other."""
    heads = [(name, low.strip(), stop.strip()) for name, low, stop in ONE.findall(written[1])]
    if all(low == "0" for _, low, _ in heads):
        names, stops = ", ".join([name for name, *_ in heads]), ", ".join([stop for *_, stop in heads])
        return _rewrite(
            run, depth, written, f"for {names} in grid({stops}) {{", "several variables run over a `grid`"
        )
    found = diag.syntax(_head(written), "several variables run over a `grid`, which begins at 0")
    loops = " { ".join([f"for {name} in {low}..{stop}" for name, low, stop in heads])
    lets = "".join([f" let {name} = {low};" for name, low, _ in heads[1:]])
    if not replace_tokens(
        run, depth, f"for {heads[0][0]} in {heads[0][1]}..{heads[0][2]} {{{lets}", *written.span()
    ):
        return None
    run.builder.report(found.helped(f"write one loop inside of the other: `{loops} {{ … }}`"))
    return written.end()


def _in_steps(run: Run, depth: int, written: re.Match[str]) -> int | None:
    """`for i in 0..n step 2 {`."""
    return _other_count(run, depth, written, written[4].strip())


def _reversed(run: Run, depth: int, written: re.Match[str]) -> int | None:
    """`for i in reversed(0..n) {`."""
    return _other_count(run, depth, written, "")


def _other_count(run: Run, depth: int, written: re.Match[str], step: str) -> int | None:
    """Count from 0 by 1, and compute the variable from that: `for k in 0..(n + 1) // 2 { let i = k * 2; …`."""
    name, low, stop = written[1], written[2].strip(), written[3].strip()
    variable, extent, value = counted_in_steps(run.text, name, low, stop, step)
    form = f"for {variable} in 0..{extent} {{ let {name} = {value};"
    if not replace_tokens(run, depth, form, *written.span()):
        return None
    found = diag.syntax(_head(written), "a loop counts upwards by 1")
    run.builder.report(found.replace(written.span(), form, f"write `{form} …`", applicability=SAFE))
    return written.end()


def _unreadable(run: Run, depth: int, kind: int) -> int | None:
    """Report any other head that begins as one of C or Fortran does."""
    top = [lalr_table.symbol(state) for state in run.states[depth:]]
    if (top, kind) != (["FOR"], KIND["LPAR"]) and not (kind == KIND["ASSIGN"] and len(top) == 2):
        return None
    head = HEAD.match(run.text, run.starts[depth])
    assert head, "a loop begins with `for`"
    place = (head.start(), head.start() + len(head[0].rstrip()))
    run.builder.report(diag.syntax(place, LOOP))
    name = [("NAME", "_")] if len(top) == 1 else []
    for terminal, word in (*name, ("IN", "in"), ("INT", "0"), ("DOTDOT", ".."), ("INT", "0")):
        run.shift(KIND[terminal], word, *place)
    run.builder.gaps.append(place)
    return place[1]


LOOP = "a loop is written `for i in 0..n { … }`"
FORMS = (
    (C_LOOP, _of_c),
    (COUNTED, _counted),
    (STEPS, _in_steps),
    (SEVERAL, _several),
    (REVERSED, _reversed),
)
ERROR_PRODUCTIONS = (other_loop,)
