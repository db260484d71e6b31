"""Whole functions of other languages at the level of items: one message, and the rest of the file is read. [Y.7]"""

from __future__ import annotations

import re

from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import lalr_table
from relax_lang.syntax.lalr_table import KIND
from relax_lang.syntax.recovery.token_edits import drop_last

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax.driver import Run

NEXT_ITEM = re.compile(
    r"^(?:(?:private|pure|impure|force_pure)\s+)*(?:def\s+@|prim_func\b)|^module\s+attrs\b", re.MULTILINE
)
_PRIM_FUNC = (
    "a function on arrays is written `prim_func @f(A: Buffer[(n,), float32], B: Buffer[(n,), float32]) { … }`"
)
_FUNCTION = "a function is written `def @main(x: Tensor[(2, 3), float32]) -> Tensor[(2, 3), float32] { … }`"
_PROGRAMS = (
    (
        re.compile(
            r"@(?!(?:R|T|I)\.)[\w.][^\n]*+\n(?:[ \t]*@[^\n]*+\n)*[ \t]*+def\s++\w++\s*+\([^{}]*\)[^\n{:)]*+:[^\n{]*+\n"
        ),
        "this is Python",
        _PRIM_FUNC,
    ),
    (
        re.compile(
            r"(?:(?:__global__|__kernel|kernel|static|inline|const|unsigned|extern)\s+)*"
            r"(?:void|float|double|int|half|auto)\b[\s*&]*+\w+\s*\([^;{}]*\)\s*\{"
        ),
        "this is C",
        _PRIM_FUNC,
    ),
    (
        re.compile(
            r"(?:module\b(?!\s+attrs)[^\n{]*\{\s*)?(?:(?:func\.func|tt\.func)\b|func\s+@\w+\s*\(\s*%)"
        ),
        "this is MLIR",
        _FUNCTION,
    ),
    (
        re.compile(r"(?:Halide::)?(?:Func|Var|RDom|Expr|ImageParam|Buffer<[^<>\n]*>)\s+\w+\s*[(,;={]"),
        "this is Halide",
        _PRIM_FUNC,
    ),
)


def foreign_program(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`void add(float* A, int n) { … }`, `@njit def add(A):`, `func.func @main(%x: …)`."""
    if lalr_table.symbol(run.states[-1]) == "MODULE" and run.text[pos:end] == "{":
        pos = run.starts[-1]
        found = _foreign(run, pos, end)
        if found is not None:
            drop_last(run)
        return found
    is_item = lalr_table.feed(run.states, KIND["DEF"]) is not None
    if not is_item or lalr_table.feed(run.states, KIND["LET"]) is not None:
        return None
    return _foreign(run, pos, end)


def _foreign(run: Run, pos: int, end: int) -> int | None:
    """Report a program of another language that begins at `pos`; return where it ends, or None if it is none."""
    for pattern, message, help_ in _PROGRAMS:
        match = pattern.match(run.text, pos)
        if match is None:
            continue
        following = NEXT_ITEM.search(run.text, end)
        stop = len(run.text) if following is None else following.start()
        run.builder.report(diag.syntax((pos, end), message).helped(help_))
        run.builder.gaps.append((pos, stop))
        return stop
    return None
