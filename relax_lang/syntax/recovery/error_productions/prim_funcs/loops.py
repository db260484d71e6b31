"""Error productions for heads of loops, as Python, C, Fortran and Rust write them. [Y.7] [TIR.15]"""

from __future__ import annotations

import re

from relax_lang.base.diagnostic import SAFE, UNSAFE
from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import lalr_table
from relax_lang.syntax.builders.foreign_prim_funcs.loop_ranges import counted_in_steps, difference, how_sure
from relax_lang.syntax.lalr_table import KIND
from relax_lang.syntax.recovery.loop_heads import LoopHead
from relax_lang.syntax.recovery.token_edits import depth_of, in_prim_func, replace_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax.driver import Run

HEAD = re.compile(r"for\b[^{}\n]*")
OF_MLIR = re.compile(
    r"(?:affine|scf)\.(for|parallel)\s+(%?\w+)\s*=\s*(%?\w+)\s+to\s+(%?\w+)(?:\s+step\s+(%?\w+))?\s*\{"
)
CONSTANT = re.compile(r"\Ac(\d+)\Z")
C_TYPES = frozenset(("auto", "size_t", "unsigned", "let", "var"))


def other_loop(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`for (i, j) in grid(n, m)`, `for i = 0 to n`, `for (int i = 0; i < n; i++)`, `for i in 0..n step 2`."""
    depth = _start_of_loop(run)
    if depth is None:
        return None
    head = LoopHead(run.text, run.starts[depth], run.stop)
    for form in FORMS:
        head.rewind()
        rewritten = form(head)
        if rewritten is not None and head.end > pos:
            return _rewrite(run, depth, head, rewritten)
    return _unreadable(run, depth, kind)


def loop_of_mlir(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`affine.for %i = 0 to 8 {`, `scf.for %i = %c0 to %n step %c1 {`."""
    depth = depth_of(run, "tir_statements")
    if depth == 0 or not in_prim_func(run):
        return None
    start = run.starts[depth + 1] if depth + 1 < len(run.starts) else pos
    match = OF_MLIR.match(run.text, start)
    if match is None or match.end() <= pos:
        return None
    name, low, stop, step = [(one or "").removeprefix("%") for one in match.group(2, 3, 4, 5)]
    constants = [CONSTANT.sub(r"\1", one) for one in (low, stop, step)]
    sure = SAFE if constants == [low, stop, step] else UNSAFE  # `%c1` is a name, which says what it holds
    low, stop, step = constants
    name = name if name[:1].isalpha() else f"i{name}"
    word = "for parallel" if match[1] == "parallel" else "for"
    form = f"{word} {name} in {low}..{stop} {{"
    if step not in ("", "1"):
        variable, extent, value = counted_in_steps(run.text, name, low, stop, step)
        form = f"{word} {variable} in 0..{extent} {{ let {name} = {value};"
        sure = sure if how_sure(step) == SAFE else UNSAFE
    if not replace_tokens(run, depth + 1, form, start, match.end()):
        return None
    found = diag.syntax((start, match.end() - 1), LOOP)
    run.builder.report(found.replace((start, match.end()), form, f"write `{form} …`", applicability=sure))
    return match.end()


def _start_of_loop(run: Run) -> int | None:
    """Return where on the stacks the head of a loop begins that is being read."""
    for depth in range(len(run.states) - 1, 0, -1):
        name = lalr_table.symbol(run.states[depth])
        if name == "FOR":
            return depth if in_prim_func(run) else None
        if name in ("tir_statements", "LBRACE", "SEMICOLON"):
            return None
    return None


class Rewritten:
    """What a head is here: the text whose tokens take its place, and what is reported."""

    __slots__ = ("applicability", "form", "help", "message")

    def __init__(self, form: str, message: str, applicability: str = SAFE, help_: str = "") -> None:
        self.form = form
        self.message = message
        self.applicability = applicability
        self.help = help_
        """What is said instead of a fix."""


def _rewrite(run: Run, depth: int, head: LoopHead, rewritten: Rewritten) -> int | None:
    """Report a head, or its beginning, and go on with what it is here."""
    form = rewritten.form
    if not replace_tokens(run, depth, form, head.start, head.end):
        return None
    found = diag.syntax(head.span, rewritten.message)
    if rewritten.help:
        run.builder.report(found.helped(rewritten.help))
        return head.end
    place, shown = head.span, form.removesuffix(" {")
    if form.endswith(";"):  # with the first statement of the body
        place, shown = (head.start, head.end), f"{form} …"
    found.replace(place, form.removesuffix(" {"), f"write `{shown}`", applicability=rewritten.applicability)
    run.builder.report(found)
    return head.end


def _in_parentheses(head: LoopHead) -> Rewritten | None:
    """`for (i, j) in`."""
    if not head.takes("("):
        return None
    names: list[str] = []
    while (name := head.name()) is not None:
        names.append(name)
        if not head.takes(","):
            break
    if not names or not head.takes(")", "in"):
        return None
    return Rewritten(f"for {', '.join(names)} in", "loop variables have no parentheses")


def _of_c(head: LoopHead) -> Rewritten | None:
    """`for (int i = 0; i < n; i++) {`."""
    head.takes("(")
    type_ = head.takes_one(C_TYPES) or head.name()
    name = head.name() if type_ is not None and (type_ in C_TYPES or type_.startswith("int")) else None
    name = name or type_
    if name is None or not head.takes("="):
        return None
    low = head.bound(ends=";")
    if low is None or not head.takes(";", name):
        return None
    comparison = head.takes_one(("<", "<="))
    stop = head.bound(ends=";") if comparison else None
    if stop is None or not head.takes(";"):
        return None
    steps = ((name, "+", "+"), ("+", "+", name), (name, "+=", "1"))
    if not any(head.takes(*step) for step in steps):
        return None
    head.takes(")")
    if not head.takes("{"):
        return None
    stop = stop if comparison == "<" else difference(stop, "-1")
    return Rewritten(f"for {name} in {low}..{stop} {{", LOOP)


def _counted(head: LoopHead) -> Rewritten | None:
    """`for i = 0 to n {`: whether the end is reached depends on the language that is meant."""
    name = head.name()
    if name is None or not head.takes("="):
        return None
    low = head.bound()
    if low is None or not head.takes_one(("to", "..", ",", ":")):
        return None
    stop = head.bound()
    head.takes("do")
    if stop is None or not head.takes("{"):
        return None
    return Rewritten(f"for {name} in {low}..{stop} {{", LOOP, UNSAFE)


def _several(head: LoopHead) -> Rewritten | None:
    """`for i in 0..n, j in 0..m {`: one `grid` if all begin at 0, else one loop in the other."""
    loops: list[tuple[str, str, str]] = []
    while True:
        name = head.name()
        bounds = head.range() if name is not None and head.takes("in") else None
        if name is None or bounds is None:
            return None
        loops.append((name, *bounds))
        if not head.takes(","):
            break
    if len(loops) < 2 or not head.takes("{"):
        return None
    if all(low == "0" for _, low, _ in loops):
        names, stops = ", ".join([name for name, *_ in loops]), ", ".join([stop for *_, stop in loops])
        return Rewritten(f"for {names} in grid({stops}) {{", "several variables run over a `grid`")
    nested = " { ".join([f"for {name} in {low}..{stop}" for name, low, stop in loops])
    lets = "".join([f" let {name} = {low};" for name, low, _ in loops[1:]])
    first, low, stop = loops[0]
    return Rewritten(
        f"for {first} in {low}..{stop} {{{lets}",
        "several variables run over a `grid`, which begins at 0",
        help_=f"write one loop inside of the other: `{nested} {{ … }}`",
    )


def _in_steps(head: LoopHead) -> Rewritten | None:
    """`for i in 0..n step 2 {`."""
    name = head.name()
    bounds = head.range() if name is not None and head.takes("in") else None
    if name is None or bounds is None or not head.takes_one(("step", "by")):
        return None
    step = head.bound()
    if step is None or not head.takes("{"):
        return None
    return _other_count(head, name, bounds, step)


def _reversed(head: LoopHead) -> Rewritten | None:
    """`for i in reversed(0..n) {`."""
    name = head.name()
    if name is None or not head.takes("in") or not head.takes_one(("reversed", "rev")) or not head.takes("("):
        return None
    bounds = head.range()
    if bounds is None or not head.takes(")", "{"):
        return None
    return _other_count(head, name, bounds, "")


def _other_count(head: LoopHead, name: str, bounds: tuple[str, str], step: str) -> Rewritten:
    """Count from 0 by 1, and compute the variable from that: `for k in 0..(n + 1) // 2 { let i = k * 2; …`."""
    variable, extent, value = counted_in_steps(head.text, name, *bounds, step)
    form = f"for {variable} in 0..{extent} {{ let {name} = {value};"
    return Rewritten(form, "a loop counts upwards by 1", how_sure(step))


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
FORMS = (_in_parentheses, _of_c, _counted, _in_steps, _several, _reversed)
ERROR_PRODUCTIONS = (other_loop, loop_of_mlir)
