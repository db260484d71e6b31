"""Error productions for operands with a name: `zeros(shape=shape(2))`, `add(x1=x, x2=y + 1.0)`. [Y.7]

Operands are given by position. A name or a number after `name=` reads as the value of an attribute, and is checked
where the operator is known; everything else does not fit, and is read as an operand here.
"""

from __future__ import annotations

import re

from relax_lang.base.diagnostic import SAFE, Edit
from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import lalr_table, tree
from relax_lang.syntax.dtypes import DTYPES
from relax_lang.syntax.lalr_table import KIND
from relax_lang.syntax.recovery.brackets import open_brackets
from relax_lang.syntax.recovery.token_edits import STATEMENT_WORDS, drop_last, kind_of
from relax_lang.syntax.vocabulary import foreign_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.syntax.driver import Run

_LITERALS = re.compile(
    r'\(\s*+(?:(?:-?[\d.]++(?:e[-+]?\d++)?|true|false|null|"[^"\\\n]*+")\s*+(?:,\s*+)?)*[)\]]'
)
"""A list of literals in parentheses, or with a wrong bracket at its end, which another production reads."""
_DTYPE_OF_CONSTANT = (["dtype", "COMMA", "LPAR", "CONST"], ["NAME", "COMMA", "LPAR", "CONST"])
"""What is on the stack, with the word read as a dtype or not yet."""
_DEPTH_OF_DTYPE = 5
_OPENERS = ("LPAR", "LSQB")
_OPENING = tuple([KIND[name] for name in _OPENERS])
_CLOSERS = (KIND["RPAR"], KIND["RSQB"])
_INFOS = ("Tensor[", "Shape[", "PackedFunc[")
"""So do these begin what another production reads."""


def named_operand(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`x2=y + 1.0`, `tensors=(x, y)`, `shape=[2, 3]`."""
    states = run.states
    if kind == KIND["ASSIGN"] and lalr_table.symbol(states[-1]) == "SHAPE" and _is_argument(run, 1):
        _report(run, run.starts[-1], end)
        drop_last(run)
        run.last_end = end
        return end
    dtype = foreign_words.dtype_with_prefix(run.text[pos:end]) if kind == KIND["DOTTED"] else None
    if dtype is not None and lalr_table.symbol(states[-1]) == "ASSIGN":
        return _foreign_dtype(run, pos, end, dtype)
    if lalr_table.symbol(states[-1]) == "ASSIGN" and kind in (KIND["RPAR"], KIND["COMMA"], KIND["SEMICOLON"]):
        return _no_value(run, pos, kind)
    depth = next((at for at in (1, 2, 3) if len(states) > at and _symbol(run, at) == "ASSIGN"), 0)
    if not depth or _symbol(run, depth + 1) not in ("NAME", "name") or not _is_argument(run, depth + 1):
        return None
    begin = pos if depth == 1 else run.starts[1 - depth]
    if kind in _CLOSERS and depth > 1 and _symbol(run, depth - 1) in _OPENERS:
        return None  # a list whose bracket is missing
    if (depth == 1 and _LITERALS.match(run.text, pos)) or run.text.startswith(_INFOS, begin):
        return None
    follows = lalr_table.feed(states[: -depth - 1], kind if depth == 1 else KIND["NAME"])
    is_list = depth == 2 and lalr_table.fits(states[: -depth - 1], [KIND["LSQB"], kind]) == 2  # `[R.Tensor]`
    if follows is None or (depth > 1 and not is_list and lalr_table.feed(follows, kind) is None):
        return None
    _report(run, run.starts[-depth - 1], begin)
    for _ in range(depth + 1):
        drop_last(run)
    return begin


def dtype_of_constant(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`const([1, 2], dtype=int64)`."""
    if kind != KIND["ASSIGN"] or len(run.states) < _DEPTH_OF_DTYPE:
        return None
    if [_symbol(run, at) for at in (1, 2, 4, 5)] not in _DTYPE_OF_CONSTANT:
        return None
    place = (run.starts[-1], run.last_end)
    if run.text[slice(*place)] != "dtype":
        return None
    drop_last(run)
    run.builder.mute(*place)
    found = diag.syntax((place[0], end), "the dtype of a constant is given by position")
    run.builder.report(found.replace((place[0], end), "", "remove `dtype=`", applicability=SAFE))
    run.last_end = end
    return end


def semicolon_between_arguments(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`add(x; y)`: all of one call are one mistake."""
    if kind != KIND["SEMICOLON"] or lalr_table.feed(run.states, KIND["COMMA"]) is None:
        return None
    brackets = open_brackets(run)
    if not brackets or brackets[-1][0] != "LPAR" or upcoming[1] in STATEMENT_WORDS:
        return None
    if upcoming[1] == KIND["RPAR"]:
        return _turned_round(run, pos, end)
    semicolons = _semicolons(run, pos)
    if not semicolons:
        return None
    earlier = run.builder.diagnostics[-1] if run.builder.diagnostics else None
    if earlier is None or not any(edit.pos == pos for fix in earlier.fixes for edit in fix.edits):
        found = diag.syntax((pos, end), "arguments are separated by `,`")
        edits = [Edit(at, at + 1, ",") for at in semicolons]
        run.builder.report(found.fix("write `,`", *edits, applicability=SAFE))
    run.shift(KIND["COMMA"], ",", pos, end)
    return end


def _turned_round(run: Run, pos: int, end: int) -> int | None:
    """`add(x, y;)`: the parenthesis and the end of the statement have each other's place."""
    stop = run.text.index(")", end) + 1
    if run.text[end:stop].strip() != ")":
        return None
    if lalr_table.fits(run.states, [KIND["RPAR"], KIND["SEMICOLON"]]) < 2:
        return None
    found = diag.syntax((pos, stop), "`)` comes before `;`")
    run.builder.report(found.replace((pos, stop), ");", "write `);`", applicability=SAFE))
    run.shift(KIND["RPAR"], ")", pos, pos + 1)
    run.shift(KIND["SEMICOLON"], ";", pos + 1, pos + 2)
    return stop


def _semicolons(run: Run, pos: int) -> list[int]:
    """Return where semicolons are from an offset to the parenthesis on the same line that closes the arguments, those
    of calls among them, too; none if there is no such parenthesis.
    """
    found: list[int] = []
    depth, last = 0, pos
    for match in lalr_table.tokens(run.text, pos, run.stop):
        begin, kind = match.start(match.lastindex or 0), kind_of(match)
        if "\n" in run.text[last:begin] or kind in (KIND["LBRACE"], KIND["RBRACE"], *STATEMENT_WORDS):
            return []
        last = match.end(match.lastindex or 0)
        depth += (kind in _OPENING) - (kind in _CLOSERS)
        if depth < 0:
            return found if kind == KIND["RPAR"] else []
        if kind == KIND["SEMICOLON"]:
            found.append(begin)
    return []


def _no_value(run: Run, pos: int, kind: int) -> int | None:
    """`sum(x, axis=)`, which is not finished: nothing else is reported of the call."""
    if not _is_argument(run, 2):
        return None
    name = run.text[run.starts[-2] : run.starts[-1]].rstrip()
    if kind != KIND["SEMICOLON"]:  # else the parenthesis is missing, too, and is reported
        place = (run.starts[-2], run.last_end)
        run.builder.report(diag.syntax(place, f"a value is expected after `{name}=`"))
    run.shift(KIND["NULL"], "null", run.last_end, run.last_end)
    run.builder.repairs.punctuation.append(run.last_end)
    return pos


def _foreign_dtype(run: Run, pos: int, end: int, name: str) -> int | None:
    """`dtype=np.float32`."""
    if lalr_table.feed(run.states, KIND["NAME"]) is None:
        return None
    found = diag.syntax((pos, end), f"a dtype has no prefix: `{name}`")
    run.builder.report(found.replace((pos, end), name, f"write `{name}`", applicability=SAFE))
    run.shift(KIND["NAME"], name, pos, end)
    return end


def _symbol(run: Run, back: int) -> str:
    """Return the symbol that is `back` deep on the stack; empty if the stack is not as deep."""
    if back > len(run.states):
        return ""
    return lalr_table.symbol(run.states[-back])


def _is_argument(run: Run, back: int) -> bool:
    """Return whether what is `back` deep on the stacks begins an argument of a call."""
    if len(run.states) < back + 3:
        return False
    before = _symbol(run, back + 1), _symbol(run, back + 2)
    return before in (("LPAR", "postfix"), ("COMMA", "arg_list"))


def _report(run: Run, name: int, value: int) -> None:
    builder = run.builder
    shown = run.text[name:value].rstrip()
    edits = [Edit(name, value, "")]
    edits += [
        Edit(attr.pos, attr.value.pos, "")
        for attr in _earlier(run)
        if isinstance(attr, tree.Attr)
        and isinstance(attr.value, tree.DType)
        and attr.value.name not in DTYPES
    ]
    builder.operands.add(value)
    found = diag.syntax((name, value), _MESSAGE, f"without `{shown}`")
    if not _earlier(run) or shown == "shape=" or len(edits) > len(_earlier(run)):
        found.fix(f"remove `{shown}`, if the operand is in its place", *edits)
    else:  # `eye(n, k=m + 1)`: another operand may come between
        found.helped(f"remove `{shown}`, with `()` for optional operands that are left out before it")
    builder.report(found)


_MESSAGE = "operands are given by position, without their names"


def _earlier(run: Run) -> list[Any]:
    """Return the arguments before the one at hand."""
    for back in range(1, min(6, len(run.states))):
        if _symbol(run, back) == "arg_list":
            return run.values[-back]
        if _symbol(run, back) == "LPAR":
            break
    return []
