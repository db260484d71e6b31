"""Statements and parameters of PrimFuncs as C, CUDA and Triton write them. [Y.7] [TIR.3]"""

from __future__ import annotations

import re

from relax_lang.base.diagnostic import SAFE, UNSAFE
from relax_lang.base.wording import counted
from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import lalr_table
from relax_lang.syntax.builders.foreign_prim_funcs.kernel_words import advice_on, instead_of_call
from relax_lang.syntax.lalr_table import KIND
from relax_lang.syntax.recovery.token_edits import (
    begins_statement,
    depth_of,
    drop_last,
    in_prim_func,
    last_name,
    outside_brackets,
    replace_tokens,
)
from relax_lang.syntax.vocabulary import foreign_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax.driver import Run

ARRAY = re.compile(
    r"(?:(?:const|static|__shared__|unsigned)\s+)*(?P<dtype>[^\W\d]\w*)\s+(?P<name>[^\W\d]\w*)\s*(?P<dims>(?:\[[^\[\]\n]+\])+)\s*;"
)
LET_ARRAY = re.compile(
    r"let\s+(?P<name>[^\W\d]\w*)\s*:\s*(?P<dtype>[^\W\d]\w*)\s*(?P<dims>\[[^\[\]\n]+\])\s*;"
)
TYPED_CONSTANT = re.compile(r"const\s+([^\W\d]\w*)\s+(?=[^\W\d]\w*\s*=[^=])")
TEMPLATED_BUFFER = re.compile(
    r"([^\W\d]\w*)\s*:\s*Buffer\s*<\s*(?:const\s+)?([^\W\d]\w*)\s*(?:,\s*([1-4])\s*)?>\s*(?=[,)])"
)
HALIDE = {
    **dict.fromkeys(("Var", "RVar"), "a loop binds its variables: `for x, y in grid(n, m) { … }`"),
    "RDom": "a loop reduces: `for r in 0..n { s[()] += A[r]; }`",
    "Func": "memory is allocated by `alloc f: Buffer[(n, m), float32];`",
}
CALLED = re.compile(r"\s*([^\W\d][\w.]*)\s*\(")
POINTER = re.compile(
    r"(?:const\s+)?([^\W\d]\w*)\s*\*\s*(?:__restrict__\s+|restrict\s+)?([^\W\d]\w*)\s*(?=[,)])"
)
VIEW_TYPE = re.compile(r"([^\W\d]\w*)\s*:\s*([^\W\d]\w*)\s*\[\s*(:+\s*(?:,\s*:+\d*\s*)*)\]\s*(?=[,)])")
POINTER_BEHIND = re.compile(r"([^\W\d]\w*)\s*:\s*([^\W\d]\w*)\s*\*\s*(?=[,)])")


def _statement_end(text: str, at: int) -> int | None:
    """Return where the `;` of a statement is, or the end of its line; None if a bracket is open there."""
    stop = outside_brackets(text, at, ";}\n")
    return stop if stop is not None and text[stop] in ";\n" else None


def call_with_prefix(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`tl.store(A + i, v);`, where no value may be."""
    if kind != KIND["DOTTED"] or upcoming[1:2] != [KIND["LPAR"]] or not in_prim_func(run):
        return None
    stop = _statement_end(run.text, pos) if lalr_table.feed(run.states, KIND["FOR"]) else None
    if stop is None:
        return None
    found = diag.syntax((pos, end), 'a call is not a statement here, except `call_extern("name", …);`')
    run.builder.report(found.helped(instead_of_call(run.text[pos:end])))
    run.builder.gaps.append((pos, stop + 1))
    return stop + 1


def arguments_elsewhere(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`let t = tl.zeros((16,), dtype=tl.float32);`, `pid = tl.program_id(0);`: what is called is the mistake."""
    if not in_prim_func(run):
        return None
    place = _callee(run, pos) if kind != KIND["ASSIGN"] or not begins_statement(run) else None
    if (
        kind == KIND["ASSIGN"]
        and last_name(run)
        and begins_statement(run)
        and upcoming[1:2] == [KIND["DOTTED"]]
    ):
        word = CALLED.match(run.text, end)
        place = None if word is None or not advice_on(word[1]) else word.span(1)
    depth = depth_of(run, "tir_statements")
    if place is None or depth == 0 or depth + 1 >= len(run.starts):
        return None
    stop = _statement_end(run.text, place[1])
    if stop is None:
        return None
    start, name = run.starts[depth + 1], run.text[slice(*place)]
    run.builder.mute(start, pos)
    run.builder.report(diag.syntax(place, f"there is no intrinsic `{name}`").helped(advice_on(name)))
    del run.states[depth + 1 :], run.values[depth + 1 :], run.starts[depth + 1 :]
    run.builder.gaps.append((start, stop + 1))
    return stop + 1


def _callee(run: Run, pos: int) -> tuple[int, int] | None:
    """Return where the innermost call with a prefix is called whose name is known to be no intrinsic."""
    for at in range(len(run.states) - 1, 1, -1):
        symbol = lalr_table.symbol(run.states[at])
        if symbol == "tir_statements":
            return None
        if symbol == "LPAR" and lalr_table.symbol(run.states[at - 1]) == "DOTTED":
            name = str(run.values[at - 1])
            start = run.starts[at - 1]
            return (start, start + len(name)) if advice_on(name) else None
    return None


def array_type(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`A: float32[:, :]` in a list of parameters, as numba has it."""
    if run.text[pos:end] not in (":", "::") or not in_prim_func(run) or depth_of(run, "tir_statements"):
        return None
    depth = len(run.states) - 1
    while depth > 0 and not VIEW_TYPE.match(run.text, run.starts[depth]):
        depth -= 1
    match = VIEW_TYPE.match(run.text, run.starts[depth])
    dtype = None if match is None else foreign_words.dtype_of(match[2])
    if match is None or dtype is None or match.end() <= pos:
        return None
    dims = ["n", "m", "k", "l"][: match[3].count(",") + 1]
    form = f"{match[1]}: Buffer[({', '.join(dims)}{',' if len(dims) == 1 else ''}), {dtype}]"
    start = run.starts[depth]
    if not replace_tokens(run, depth, form, start, match.end()):
        return None
    found = diag.syntax((start, match.end()), "an array is a buffer, with its dimensions")
    run.builder.report(found.replace((start, match.end()), form, f"write `{form}`", applicability=UNSAFE))
    return match.end()


def array_of_c(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`float t[4];`"""
    if not in_prim_func(run):
        return None
    depth = depth_of(run, "tir_statements")
    at = depth + 1
    start = run.starts[at] if kind != KIND["CONST"] and depth > 0 and at < len(run.starts) else pos
    match = ARRAY.match(run.text, start) or LET_ARRAY.match(run.text, start)
    dtype = None if match is None else foreign_words.dtype_of(match["dtype"])
    if match is None or dtype is None or match.end() <= pos:
        return None
    if start == pos and lalr_table.feed(run.states, KIND["ALLOC"]) is None:
        return None
    dims = ", ".join(match["dims"][1:-1].split("]["))
    form = f"alloc {match['name']}: Buffer[({dims}{'' if ',' in dims else ','}), {dtype}];"
    if not replace_tokens(run, at if start < pos else len(run.states), form, start, match.end()):
        return None
    found = diag.syntax((start, match.end()), "memory is allocated by `alloc`")
    run.builder.report(found.replace((start, match.end()), form, f"write `{form}`", applicability=SAFE))
    return match.end()


def typed_constant(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`const float c = 2.0;`"""
    if kind != KIND["CONST"] or not in_prim_func(run) or lalr_table.feed(run.states, KIND["LET"]) is None:
        return None
    match = TYPED_CONSTANT.match(run.text, pos)
    if match is None or foreign_words.dtype_of(match[1]) is None:
        return None
    word = run.text[pos : match.end()].rstrip()
    place = (pos, pos + len(word))
    found = diag.syntax(place, f"a variable is bound with `let`, not `{word}`")
    run.builder.report(found.replace(place, "let", "write `let`", applicability=SAFE))
    run.shift(KIND["LET"], None, *place)
    return match.end()


def incremented_variable(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`i++;`, `i--;`"""
    name = last_name(run)
    sign = run.text[pos : pos + 2]
    if sign not in ("++", "--") or not name or not begins_statement(run) or not in_prim_func(run):
        return None
    stop = run.text.find(";", pos)
    if run.text[pos + 2 : stop].strip() or stop < 0:
        return None
    start, _ = drop_last(run)
    found = diag.syntax((start, pos + 2), f"there is no `{sign}`, and a variable never changes")
    advice = f"keep the value in an element of a buffer: `alloc {name}: Buffer[(), int64];`"
    run.builder.report(found.helped(f"{advice}, then `{name}[()] {sign[0]}= 1;`"))
    run.builder.gaps.append((start, stop + 1))
    return stop + 1


def named_argument(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`tl.sum(x, axis=0)` among scalar expressions, which have no names for arguments."""
    name = last_name(run)
    if kind != KIND["ASSIGN"] or not name or not in_prim_func(run) or not depth_of(run, "tir_statements"):
        return None
    before = run.text[: run.starts[-1]].rstrip()[-1:]
    if before not in ("(", ",") or lalr_table.symbol(run.states[-2]) not in ("LPAR", "COMMA"):
        return None
    start, _ = drop_last(run)
    found = diag.syntax((start, end), "the arguments of a function of numbers have no names")
    run.builder.report(found.helped("they are given by position"))
    return end


def pointer(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`float* A`, `A: float*` in a list of parameters."""
    is_first = kind == KIND["CONST"]
    if not (is_first or run.text[pos:end] == "*") or not in_prim_func(run) or depth_of(run, "tir_statements"):
        return None
    depth = len(run.states) - 1 if is_first else depth_of(run, "LPAR", "COMMA")
    if depth == 0 or not (is_first or depth + 1 < len(run.starts)):
        return None
    start = pos if is_first else run.starts[depth + 1]
    first, behind = POINTER.match(run.text, start), POINTER_BEHIND.match(run.text, start)
    match = first or behind
    if match is None or not start <= pos < match.end():
        return None
    name, word = (match[2], match[1]) if first else (match[1], match[2])
    dtype = foreign_words.dtype_of(word)
    form = f"{name}: Buffer[(n,), {dtype}]"
    if dtype is None or not replace_tokens(run, depth + 1, form, start, match.end()):
        return None
    found = diag.syntax((start, match.end()), "an array is a buffer, with its dimensions")
    title = f"write `{form}`, if it has one dimension"
    run.builder.report(found.replace((start, match.end()), form, title, applicability=UNSAFE))
    return match.end()


def halide_word(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`Var x, y;`, `RDom r(0, n);`, `Func f;`"""
    word = last_name(run)
    message = HALIDE.get(word)
    if message is None or kind != KIND["NAME"] or not begins_statement(run) or not in_prim_func(run):
        return None
    stop = _statement_end(run.text, pos)
    if stop is None:
        return None
    start, _ = drop_last(run)
    run.builder.report(diag.syntax((start, start + len(word)), f"there is no `{word}`").helped(message))
    run.builder.gaps.append((start, stop + 1))
    return stop + 1


def stage_of_halide(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`produce f {`, `consume f {`."""
    word = last_name(run)
    if word not in ("produce", "consume") or not begins_statement(run) or not in_prim_func(run):
        return None
    if kind != KIND["NAME"] or upcoming[1:2] != [KIND["LBRACE"]]:
        return None
    place = drop_last(run)
    found = diag.syntax(place, f"there is no `{word}`: statements that belong together are a block")
    run.builder.report(found.replace(place, "block", f"write `block {run.text[pos:end]}`"))
    run.shift(KIND["BLOCK"], "block", *place)
    return pos


def templated_buffer(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`A: Buffer<float, 2>` in a list of parameters."""
    if kind != KIND["LT"] or not in_prim_func(run) or depth_of(run, "tir_statements"):
        return None
    for at in range(len(run.starts) - 1, 0, -1):
        match = TEMPLATED_BUFFER.match(run.text, run.starts[at])
        dtype = None if match is None else foreign_words.dtype_of(match[2])
        if match is None or dtype is None or match.end() <= pos:
            continue
        dims = ["n", "m", "k", "l"][: int(match[3] or 1)]
        form = f"{match[1]}: Buffer[({', '.join(dims)}{',' if len(dims) == 1 else ''}), {dtype}]"
        if not replace_tokens(run, at, form, match.start(), match.end()):
            return None
        found = diag.syntax(match.span(), "a buffer has its dimensions and dtype in brackets")
        found.replace(match.span(), form, f"write `{form}`, if it has {counted(len(dims), 'dimension')}")
        run.builder.report(found)
        return match.end()
    return None


BEFORE_OTHERS = (
    array_type,
    array_of_c,
    typed_constant,
    pointer,
    templated_buffer,
    halide_word,
    stage_of_halide,
)
ERROR_PRODUCTIONS = (
    arguments_elsewhere,
    incremented_variable,
    named_argument,
    call_with_prefix,
)
