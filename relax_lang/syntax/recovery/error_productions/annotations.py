"""Error productions in struct infos and attributes. [Y.7]"""

from __future__ import annotations

import re

from relax_lang.base.diagnostic import SAFE
from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import lalr_table
from relax_lang.syntax.builders import foreign_infos
from relax_lang.syntax.foreign_words import dtype_of
from relax_lang.syntax.lalr_table import KIND
from relax_lang.syntax.recovery.token_edits import SKIP, begins_statement, in_prim_func, replace_tokens
from relax_lang.syntax.words import STRUCT_INFOS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax.driver import Run

_INFO = [KIND[name] for name in ("NAME", "LSQB", "NAME", "ASSIGN", "INT", "RSQB")]
"""`Tensor[ndim=2]`: what only fits where there is to be a struct info."""

ANGLES = re.compile(r"<[^<>;{}\n]*>")


def quoted_dimension(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`Tensor[("n", 4), float32]`."""
    name = run.text[pos + 1 : end - 1]
    if (
        kind != KIND["STRING"]
        or not name.isidentifier()
        or lalr_table.feed(run.states, KIND["TILDE"]) is None
        or (in_prim_func(run) and not _in_brackets(run))
    ):
        return None
    found = diag.syntax((pos, end), "shape variables are written without quotes")
    run.builder.report(found.replace((pos, end), name, f"write `{name}`", applicability=SAFE))
    run.shift(KIND["NAME"], name, pos, end)
    return end


def _in_brackets(run: Run) -> bool:
    """Return whether a `[` is open in the statement at hand."""
    closed = 0
    for state in reversed(run.states):
        symbol = lalr_table.symbol(state)
        if symbol in ("LBRACE", "tir_statements"):
            return False
        closed += symbol == "RSQB"
        if symbol == "LSQB":
            closed -= 1
            if closed < 0:
                return True
    return False


def angle_brackets(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`Tensor<float32>`."""
    if kind != KIND["LT"] or lalr_table.symbol(run.states[-1]) not in ("NAME", "struct_info"):
        return None
    name = run.text[run.starts[-1] : run.last_end]
    if not name.isidentifier() or lalr_table.feed(run.states, KIND["PLUS"]) is not None:
        return None
    stop = ANGLES.match(run.text, pos)
    place = (run.starts[-1], stop.end() if stop else end)
    known = name if name in STRUCT_INFOS else "Tensor"
    found = diag.syntax(place, f"what is known of a `{known}` is written in brackets: `{known}[…]`")
    form = bracketed(stop[0][1:-1]) if stop and known == "Tensor" else None
    if form is not None:
        found.replace(place, form, f"write `{form}`")
    run.builder.report(found)
    return stop.end() if stop else SKIP


def bracketed(inner: str) -> str | None:
    """Return `n, 4, float32` as it is written in a tensor's struct info; None if it is anything else."""
    words = [word.strip() for word in inner.split(",")]
    dtype = dtype_of(words[-1])
    if dtype is not None:
        words.pop()
    if words == ["_"]:
        words = []  # no dimension is known
    if (
        "_" in words
        or not all(word.isdigit() or word.isidentifier() for word in words)
        or any(dtype_of(word) for word in words)
    ):
        return None
    dims = f"({', '.join(words)}{',' if len(words) == 1 else ''})" if words else "_"
    return f"Tensor[{dims}, {dtype}]" if dtype else f"Tensor[{dims}]"


def foreign_info(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`R.Tuple(R.Tensor((n,), "float32"), R.Shape([n]))`, `[Tensor, Shape]`: what the grammar cannot read of such."""
    depth = _start_of_info(run, kind)
    if depth is None:
        return None
    start = run.starts[depth] if depth < len(run.states) else pos
    found = foreign_infos.read(run.text, start, run.stop)
    if found is None or found.end <= pos or not replace_tokens(run, depth, found.form, start, found.end):
        return None
    place = start, found.end
    run.builder.report(diag.syntax(place, found.message).replace(place, found.form, f"write `{found.shown}`"))
    return found.end


def _start_of_info(run: Run, kind: int) -> int | None:
    """Return where on the stacks the outermost struct info of another language begins that is not complete yet."""
    states = run.states
    for depth in range(1, len(states)):
        if lalr_table.symbol(states[depth]) in ("NAME", "DOTTED"):
            name = str(run.values[depth])
            if foreign_infos.is_foreign(name) and _wants_info(states[:depth]):
                return depth
    return len(states) if kind == KIND["LSQB"] and _wants_info(states) else None


def _wants_info(states: list[int]) -> bool:
    return lalr_table.fits(states, _INFO) == len(_INFO)


def key_and_value(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`attrs { key = 1 }`, `f(x, axis: 1)`."""
    if kind == KIND["ASSIGN"]:
        name, mark, what = "COLON", ":", "the attributes of an item are written `key: value`"
    elif kind == KIND["COLON"]:
        name, mark, what = "ASSIGN", "=", "the attributes of a call are written `key=value`"
    else:
        return None
    after = lalr_table.feed(run.states, KIND[name])
    if after is None or run.text[end : end + 1] in ("=", ":"):
        return None
    if lalr_table.feed(after, KIND["NULL"]) is None:
        if name == "COLON" or lalr_table.fits(after, upcoming[1:3]) < 2 or begins_statement(run):
            return None
        what = "expected `=`, found `:`"
    found = diag.syntax((pos, end), what)
    run.builder.report(found.replace((pos, end), mark, f"write `{mark}`", applicability=SAFE))
    run.shift(KIND[name], mark, pos, end)
    return end
