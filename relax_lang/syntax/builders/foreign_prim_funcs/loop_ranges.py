"""What other languages write for the range of a loop: `range(n)`, `T.parallel(n)`, `n`. [Y.7]"""

from __future__ import annotations

import re

from relax_lang.base.diagnostic import SAFE, UNSAFE, Edit
from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import tree
from relax_lang.syntax.builders.foreign_prim_funcs import elements_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.syntax.builders.parts import PartBuilder

KINDS = {
    "range": "",
    "static_range": "unrolled",
    "prange": "parallel",
    "serial": "",
    "parallel": "parallel",
    "vectorized": "vectorized",
    "unroll": "unrolled",
    "unrolled": "unrolled",
}
"""Ranges of Python and TVMScript, and the kind of loop that they mean."""
LOOSER = re.compile(r"[<>=&|^?!]|\b(?:if|and|or|not)\b")
"""Operators that bind less than `-`."""
LONGEST_NUMBER = 30
"""Digits of a number that is added to others; Python refuses to read thousands of them."""
ENDING = re.compile(rf"(?<=[\w)\]])\s*([-+])\s*(\d{{1,{LONGEST_NUMBER}}})\Z")
"""The number that an expression adds or subtracts last."""
THREAD = re.compile(r"(?:\w+\.)?thread_binding\(([^()\"']*?),\s*[\"']([\w.]+)[\"']\s*\)")
BODY = re.compile(r"\s*(?:attrs\s*\{[^{}]*\}\s*)?\{")
VARIABLES = re.compile(r"\bfor\s+([^\W\d]\w*(?:\s*,\s*[^\W\d]\w*)*)\s+in\s+\Z")


def other(builder: PartBuilder, pos: int, end: int, given: tree.PrimExpr) -> tree.Range:
    """Report an expression in the place of a range; return the range that is meant."""
    found = diag.syntax((pos, end), "a loop runs over `low..high` or `grid(n, m)`")
    zero = tree.IntImm(0, None, "0", pos, pos)
    kind = KINDS.get(given.name) if type(given) is tree.PrimCall else None
    if type(given) is tree.IntImm and given in builder.wrong:  # read for a call that was reported
        return _reported(builder, pos, end)
    elements = elements_of.report(builder, (pos, end), given)
    if elements:
        return _reported(builder, pos, end)
    thread = THREAD.fullmatch(builder.text[pos:end])
    if thread is not None:
        return _over_threads(builder, (pos, end), thread)
    if type(given) is tree.PrimCall and given.name in ("reversed", "rev"):
        return _reversed(builder, (pos, end), given, found)
    if type(given) is tree.PrimCall and kind is None and given.name not in ("min", "max"):
        builder.report(found.helped("write `0..n`"))
        return tree.Range(zero, given, pos, end)
    if kind is None or type(given) is not tree.PrimCall:
        shown = builder.text[pos:end]
        builder.report(found.replace((pos, end), f"0..{shown}", f"write `0..{shown}`"))
        return tree.Range(zero, given, pos, end)
    builder.mute(pos, end)  # `T.serial`: what was said of the prefix
    bounds = [_bound(builder, arg) for arg in given.args]
    if len(bounds) == 3 and not kind:
        _in_steps(builder, (pos, end), (bounds[0], bounds[1], bounds[2]), found)
        return tree.Range(given.args[0], given.args[1], pos, end)
    if len(bounds) not in (1, 2):
        builder.report(found.helped("write `0..n`"))
        return tree.Range(zero, given, pos, end)
    form = "..".join(["0", *bounds][-2:])
    edits = [Edit(pos, end, form)]
    head = VARIABLES.search(builder.text, max(0, pos - 200), pos) if kind else None
    if head is not None:
        edits.insert(0, Edit(head.start(1), head.start(1), f"{kind} "))
        form = f"for {kind} {head[1]} in {form}"
    builder.report(found.fix(f"write `{form}`", *edits, applicability=SAFE))
    if any(arg in builder.wrong for arg in given.args):
        return _reported(builder, pos, end)
    return tree.Range(given.args[0] if len(bounds) == 2 else zero, given.args[-1], pos, end)


def _bound(builder: PartBuilder, arg: tree.PrimExpr) -> str:
    """Return the text of a bound: the first dimension of a buffer for `len(A)`."""
    if type(arg) is tree.PrimCall and arg.name == "len" and len(arg.args) == 1:
        buffer = elements_of.declared(builder, arg.args[0])
        if buffer is not None and buffer.shape and buffer.shape[0].pos >= 0:
            builder.wrong.add(arg)
            return builder.text[buffer.shape[0].pos : buffer.shape[0].end]
    return builder.text[arg.pos : arg.end]


def _reported(builder: PartBuilder, pos: int, end: int) -> tree.Range:
    """Return a range for one that was reported, with how many variables it has."""
    made = tree.Range(tree.IntImm(0, None, "0", pos, pos), tree.IntImm(0, None, "0", pos, pos), pos, end)
    builder.wrong.add(made)
    return made


def as_grid(builder: PartBuilder, pos: int, end: int, given: tree.PrimExpr) -> list[tree.Range]:
    """Report `ndindex(n, m)` and `product(range(n), range(m))`, which are grids; return their ranges, [] for others."""
    if type(given) is not tree.PrimCall or given.name not in ("ndindex", "product") or not given.args:
        return []
    stops = list(given.args)
    if given.name == "product":
        stops = [
            arg.args[0]
            for arg in given.args
            if type(arg) is tree.PrimCall and arg.name == "range" and len(arg.args) == 1
        ]
    if len(stops) < len(given.args):
        return []
    builder.mute(pos, end)  # what was said of the prefix
    form = f"grid({', '.join([builder.text[stop.pos : stop.end] for stop in stops])})"
    found = diag.syntax((pos, end), "several variables run over a `grid`")
    builder.report(found.replace((pos, end), form, f"write `{form}`", applicability=SAFE))
    zero = tree.IntImm(0, None, "0", pos, pos)
    return [tree.Range(zero, stop, stop.pos, stop.end) for stop in stops]


def _over_threads(builder: PartBuilder, place: tuple[int, int], thread: re.Match[str]) -> tree.Range:
    """Report `T.thread_binding(0, 8, "threadIdx.x")`."""
    pos, end = place
    builder.mute(pos, end)
    found = diag.syntax(place, "a loop over a thread axis has the name of the axis before its variable")
    low, stop = ["0", *thread[1].split(",")][-2:]
    form = f"{low.strip()}..{stop.strip()}"
    head = VARIABLES.search(builder.text, max(0, pos - 200), pos)
    if head is not None:
        edits = Edit(head.start(1), head.start(1), f'thread("{thread[2]}") '), Edit(pos, end, form)
        shown = f'for thread("{thread[2]}") {head[1]} in {form}'
        found.fix(f"write `{shown}`", *edits, applicability=SAFE)
    builder.report(found)
    return _reported(builder, pos, end)


def _reversed(
    builder: PartBuilder, place: tuple[int, int], given: tree.PrimCall, found: Diagnostic
) -> tree.Range:
    """Report `reversed(range(n))`, `reversed(n)`."""
    zero = tree.IntImm(0, None, "0", place[0], place[0])
    inner = given.args[0] if given.args else zero
    args = inner.args if type(inner) is tree.PrimCall and inner.name == "range" else given.args
    bounds = [builder.text[arg.pos : arg.end] for arg in args]
    if len(bounds) in (1, 2):
        low, stop = ["0", *bounds][-2:]
        _in_steps(builder, place, (low, stop, ""), found)
    else:
        builder.report(found.helped("write `0..n`"))
    return tree.Range(args[0] if len(bounds) == 2 else zero, args[-1] if args else zero, *place)


def _in_steps(
    builder: PartBuilder, place: tuple[int, int], bounds: tuple[str, str, str], found: Diagnostic
) -> None:
    """Report `range(0, n, 2)`: a loop that counts from 0, and computes the variable, is the same."""
    head = VARIABLES.search(builder.text, max(0, place[0] - 200), place[0])
    body = BODY.match(builder.text, place[1])
    found.message = "a loop counts upwards by 1"
    if head is not None and body is not None and "," not in head[1]:
        variable, extent, value = counted_in_steps(builder.text, head[1], *bounds)
        edits = (
            Edit(*head.span(1), variable),
            Edit(*place, f"0..{extent}"),
            Edit(body.end(), body.end(), f" let {head[1]} = {value};"),
        )
        title = f"write `for {variable} in 0..{extent} {{ let {head[1]} = {value}; …`"
        found.fix(title, *edits, applicability=how_sure(bounds[2]))
    builder.report(found)


def how_sure(step: str) -> str:
    """Return how sure it is that a loop counts by `step`, upwards or downwards as its text has it."""
    return SAFE if (step.lstrip("-") or "1").isdecimal() else UNSAFE


def counted_in_steps(text: str, name: str, low: str, stop: str, step: str) -> tuple[str, str, str]:
    """Return variable, extent and value of `name` for a loop that counts from 0 by 1 instead of from `low` by `step`.

    A step of nothing counts down from `stop` - 1 to `low`, a negative one from `low` to before `stop`.
    """
    taken_names = set(re.findall(rf"\b{name}_step_*\b", text))
    variable = f"{name}_step"
    while variable in taken_names:
        variable += "_"
    amount = step.removeprefix("-") or "1"
    if not step:
        return variable, difference(stop, low), f"{difference(stop, '1')} - {variable}"
    span = difference(low, stop) if step.startswith("-") else difference(stop, low)
    extent = span if amount == "1" else f"{_operand(_rounding_up(span, amount))} // {_operand(amount)}"
    taken = variable if amount == "1" else f"{variable} * {_operand(amount)}"
    if step.startswith("-"):
        return variable, extent, f"{low} - {taken}"
    return variable, extent, taken if low == "0" else f"{low} + {taken}"


def _rounding_up(extent: str, amount: str) -> str:
    """Return what is divided by `amount` to round up."""
    return difference(extent, f"-{int(amount) - 1}") if _is_number(amount) else f"{extent} + {amount} - 1"


def difference(left: str, right: str) -> str:
    """Return `left - right`, with the numbers at the ends of both taken together."""
    if LOOSER.search(left):
        left = f"({left})"
    if not _is_number(right.removeprefix("-")):
        return f"{left} - {_operand(right)}"
    ending = ENDING.search(left)
    number = int(f"{ending[1]}{ending[2]}") if ending else int(left) if _is_number(left) else 0
    rest = left[: ending.start()] if ending else "" if _is_number(left) else left
    number -= int(right)
    if not rest:
        return str(number)
    return rest if number == 0 else f"{rest} {'-' if number < 0 else '+'} {abs(number)}"


def _is_number(text: str) -> bool:
    """Return whether a text is an integer with which one can compute."""
    return text.isdecimal() and len(text) <= LONGEST_NUMBER


def _operand(text: str) -> str:
    """Return an expression in parentheses, unless it is a name or a number."""
    return text if re.fullmatch(r"\w+", text) else f"({text})"
