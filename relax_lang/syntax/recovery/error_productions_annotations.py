"""Error productions in struct infos and attributes. [Y.7]"""

from __future__ import annotations

import re

from relax_lang.base.diagnostic import SAFE
from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import lalr_table
from relax_lang.syntax.lalr_table import KIND
from relax_lang.syntax.recovery.token_edits import SKIP, begins_statement
from relax_lang.syntax.words import STRUCT_INFOS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax.driver import Run

ANGLES = re.compile(r"<[^<>;{}\n]*>")


def quoted_dimension(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`Tensor[("n", 4), float32]`."""
    name = run.text[pos + 1 : end - 1]
    if (
        kind != KIND["STRING"]
        or not name.isidentifier()
        or lalr_table.feed(run.states, KIND["TILDE"]) is None
    ):
        return None
    found = diag.syntax((pos, end), "shape variables are written without quotes")
    run.builder.report(found.replace((pos, end), name, f"write `{name}`", applicability=SAFE))
    run.shift(KIND["NAME"], name, pos, end)
    return end


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
    message = f"what is known of a `{known}` stands in brackets: `{known}[…]`"
    run.builder.report(diag.syntax(place, message))
    return stop.end() if stop else SKIP


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
