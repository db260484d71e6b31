"""Error productions for parameters: types before names, default values, constants of Triton. [Y.7]"""

from __future__ import annotations

import re

from relax_lang.base.diagnostic import SAFE, UNSAFE, Edit
from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import lalr_table
from relax_lang.syntax.builders.prim_funcs.parameters import CONSTANT, CONSTANT_MESSAGE
from relax_lang.syntax.dtypes import DTYPES
from relax_lang.syntax.lalr_table import KIND
from relax_lang.syntax.recovery.token_edits import (
    depth_of,
    drop_last,
    in_prim_func,
    last_name,
    replace_tokens,
)
from relax_lang.syntax.vocabulary import foreign_words
from relax_lang.syntax.vocabulary.words import STRUCT_INFOS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax.driver import Run

DEFAULT = re.compile(r"=\s*(?:[^(),\[\]{}\n]|\([^()\n]*\)|\[[^\[\]\n]*\])*")
ANY_NUMBER = re.compile(r"(\.\.\.|\*\*?\s*+\w++)(?=\s*+[,)])|\*\*?(?=\s*+[^\W\d])")
DIRECTIONS = ("in", "inout", "out", "mut", "const", "ref", "var", "restrict")
NO_DEFAULT = "parameters have no default values"
WHOLE = re.compile(r"-?\d+")
FRACTION = re.compile(r"-?(?:\d+\.\d*|\.\d+|\d+(?:\.\d*)?e[-+]?\d+)", re.IGNORECASE)


def typed_first(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`(Tensor x)` for `(x: Tensor)`."""
    word = last_name(run)
    dtype = foreign_words.dtype_of(word) if in_prim_func(run) else None
    if kind != KIND["NAME"] or not (dtype or word in (*STRUCT_INFOS, *DTYPES)) or len(run.states) < 2:
        return None
    if (
        lalr_table.feed(run.states, KIND["COLON"]) is None
        or lalr_table.feed(run.states, KIND["COMMA"]) is None
    ):
        return None
    name, word = run.text[pos:end], dtype or word
    first, _ = place = drop_last(run)
    found = diag.syntax((first, end), f"the name of a parameter comes first: `{name}: {word}`")
    run.builder.report(found.replace((first, end), f"{name}: {word}", "turn them round", applicability=SAFE))
    run.shift(KIND["NAME"], name, pos, end)
    run.shift(KIND["COLON"], ":", end, end)
    run.shift(KIND["NAME"], word, *place)
    run.last_end = end
    return end


def default_value(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`x: Tensor = 0`, `BLOCK: constexpr = 16`, `k = 4` in a list of parameters."""
    if (
        kind != KIND["ASSIGN"]
        or lalr_table.feed(run.states, KIND["RPAR"]) is None
        or run.text[end : end + 1] in "=>"
    ):
        return None
    with_comma = lalr_table.feed(run.states, KIND["COMMA"])
    if (
        with_comma is None
        or lalr_table.feed(lalr_table.feed(with_comma, KIND["NAME"]) or with_comma, KIND["COLON"]) is None
    ):
        return None
    stop = DEFAULT.match(run.text, pos)
    assert stop
    place = (pos, max(end, pos + len(stop[0].rstrip())))
    if _with_type(run, place):
        return place[1]
    found = diag.syntax(place, NO_DEFAULT)
    blank = run.last_end
    run.builder.report(found.fix("leave the value out", Edit(blank, place[1], "")))
    return place[1]


def _with_type(run: Run, place: tuple[int, int]) -> bool:
    """Report a default value with the type before it, which another language has, or with none; return whether it was
    reported.
    """
    start = run.starts[-1]
    word = run.text[start : run.last_end]
    has_type = lalr_table.symbol(run.states[-2]) == "COLON"
    value = run.text[place[0] + 1 : place[1]].strip()
    form = _type_of(word, value, is_scalar=in_prim_func(run)) if has_type else _type_of_value(run, value)
    if form is None:
        return False
    depth, written = len(run.states) - 1, form if has_type else f"{word}: {form}"
    if not replace_tokens(run, depth, written, start, run.last_end):
        return False
    constant = word.rpartition(".")[2] == CONSTANT
    found = diag.syntax((start, place[1]), CONSTANT_MESSAGE if constant else NO_DEFAULT)
    title = f"write `{written}`, and give the value with each call"
    run.builder.report(found.replace((start, place[1]), written, title, applicability=UNSAFE))
    run.last_end = place[1]
    return True


def _type_of(word: str, value: str, *, is_scalar: bool) -> str | None:
    """Return what the type of a parameter is here, if another language has it."""
    last = word.rpartition(".")[2]
    if last == CONSTANT:
        return "int64" if is_scalar else "Prim[int64]"
    dtype = foreign_words.dtype_with_prefix(word) or foreign_words.dtype_of(word)
    if dtype is None or (word in DTYPES and is_scalar):
        return None
    return dtype if is_scalar else f"Tensor[(), {dtype}]"


def _type_of_value(run: Run, value: str) -> str | None:
    """Return a type for a parameter without one, by its default value."""
    dtype = "int64" if WHOLE.fullmatch(value) else "float32" if FRACTION.fullmatch(value) else None
    if dtype is None or last_name(run) == "":
        return None
    return dtype if in_prim_func(run) else f"Tensor[(), {dtype}]"


def any_number(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`*xs: Tensor`, `**kwargs`, `...` in a list of parameters."""
    mark = ANY_NUMBER.match(run.text, pos)
    if mark is None or lalr_table.symbol(run.states[-1]) not in ("LPAR", "COMMA"):
        return None
    with_name = lalr_table.fits(
        run.states, [KIND["NAME"], KIND["COLON"], KIND["NAME"], KIND["COMMA"], KIND["NAME"]]
    )
    if (
        with_name < 5
        or depth_of(run, "statements", "tir_statements")
        or not depth_of(run, "DEF", "PRIM_FUNC")
    ):
        return None
    found = diag.syntax(mark.span(), "a function has as many parameters as are written")
    if not in_prim_func(run):
        found.helped("several values in one parameter are a tuple: `xs: (Tensor, Tensor)`")
    run.builder.report(found)
    if mark[1]:  # nothing else is to be said of it
        info = "int64" if in_prim_func(run) else "Object"
        for terminal, word in (("NAME", mark[1].strip("*. ") or "_"), ("COLON", ":"), ("NAME", info)):
            run.shift(KIND[terminal], word, *mark.span())
    run.builder.gaps.append(mark.span())
    run.last_end = mark.end()
    return mark.end()


def direction(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`in A: Buffer[…]`, `B: mut Buffer[…]`, `A: &Buffer[…]` in a list of parameters."""
    if not depth_of(run, "DEF", "PRIM_FUNC") or depth_of(run, "statements", "tir_statements"):
        return None
    word, top = run.text[pos:end], lalr_table.symbol(run.states[-1])
    is_before = top in ("LPAR", "COMMA") and word == "in" and upcoming[1:2] == [KIND["NAME"]]
    if is_before or (top == "COLON" and word in ("&", "const")):
        place, following = (pos, end), end
    elif kind == KIND["NAME"] and last_name(run) in DIRECTIONS and upcoming[1:2] != [KIND["ASSIGN"]]:
        place = drop_last(run)
        following = pos
    else:
        return None
    written = run.text[place[0] : place[1]]
    rest = len(run.text[place[1] :]) - len(run.text[place[1] :].lstrip())
    found = diag.syntax(place, f"parameters have no `{written}`: any buffer may be stored to")
    if not in_prim_func(run):
        found.message = f"parameters have no `{written}`: values never change"
    run.builder.report(
        found.replace((place[0], place[1] + rest), "", f"remove `{written}`", applicability=SAFE)
    )
    return following


ERROR_PRODUCTIONS = (typed_first, direction, default_value, any_number)
