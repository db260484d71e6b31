"""Error productions for statements of PrimFuncs: chains, loops and stores as other notations write them. [Y.7]"""

from __future__ import annotations

import re

from relax_lang.base.diagnostic import SAFE, Edit
from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import lalr_table
from relax_lang.syntax.builders.foreign_prim_funcs.kernel_words import instead_of_call
from relax_lang.syntax.lalr_table import KIND
from relax_lang.syntax.recovery.token_edits import (
    SKIP,
    begins_statement,
    depth_of,
    drop_last,
    in_prim_func,
    last_name,
    outside_brackets,
)
from relax_lang.syntax.vocabulary import foreign_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax.driver import Run

UPPER_BOUND = re.compile(r"\s*+[\w.+*/ -]++\{")
ASSERTIONS = ("require", "assume", "ensure", "check")
CONDITION = re.compile(r"\w++\s*+([^;{}\"\\#\n]++)(?:;|(?=\n))")
ASSERTED = 'a condition is checked by `assert c, "message";`'
LOOP_KINDS = ("parallel", "vectorized", "unrolled")
EXTERN_CALL = re.compile(r"\s*(T\.)?(call_extern|call_packed|extern)\(")
FIELDS = {
    "dtype": "a dtype is written by its name: `float32`",
    **dict.fromkeys(
        ("shape", "size", "width", "height"),
        "extents have names: in `A: Buffer[(n, m), float32]`, `n` and `m`",
    ),
    "ndim": "the rank of a buffer is in its declaration",
    "data": "an element is written `A[i]`",
}
"""Fields of arrays in other languages, and what is written instead."""
OTHER_STORE_SIGN = re.compile(r"\s*[^\W\d]\w*\[[^\[\];{}\n]*\]\s*(==|<-)")


def elif_chain(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`} elif c {`: read as an `if` of its own, since the one before it is complete."""
    if (
        last_name(run) not in ("elif", "elsif", "elseif")
        or not begins_statement(run)
        or not in_prim_func(run)
    ):
        return None
    at = run.starts[-1]
    if not run.text[:at].rstrip().endswith("}"):
        return None
    place = drop_last(run)
    found = diag.syntax(place, "a chain is written `else if`")
    run.builder.report(found.replace(place, "else if", "write `else if`", applicability=SAFE))
    run.shift(KIND["IF"], "if", *place)
    return pos


def mutable_variable(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`let mut s = 0.0;`"""
    word = last_name(run)
    if word != "mut" or kind != KIND["NAME"] or lalr_table.symbol(run.states[-2]) != "LET":
        return None
    place = drop_last(run)
    found = diag.syntax(place, "variables are bound once; there is no `mut`")
    run.builder.report(found.replace((place[0], pos), "", "remove `mut`", applicability=SAFE))
    return pos


def kind_before_for(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`parallel for i in 0..n {`."""
    word = last_name(run)
    if kind != KIND["FOR"] or word not in LOOP_KINDS or not begins_statement(run):
        return None
    place = drop_last(run)
    found = diag.syntax(place, f"`{word}` comes behind `for`")
    edits = Edit(place[0], end, f"for {word}")
    run.builder.report(found.fix(f"write `for {word}`", edits, applicability=SAFE))
    run.shift(KIND["FOR"], "for", pos, end)
    run.shift(KIND["NAME"], word, *place)
    return end


def colon_in_range(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`for i in 0:n {`."""
    if kind != KIND["COLON"] or lalr_table.feed(run.states, KIND["DOTDOT"]) is None or not in_prim_func(run):
        return None
    if UPPER_BOUND.match(run.text, end) is None:
        return None  # the colon of Python, before a body
    found = diag.syntax((pos, end), "a range is written `low..high`")
    run.builder.report(found.replace((pos, end), "..", "write `..`", applicability=SAFE))
    run.shift(KIND["DOTDOT"], "..", pos, end)
    return end


def other_assert(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`require n > 0;`, `require(n > 0);`."""
    word = last_name(run)
    if word not in ASSERTIONS or not begins_statement(run) or not in_prim_func(run):
        return None
    if kind not in (KIND["NAME"], KIND["LPAR"], KIND["INT"], KIND["NOT"], KIND["MINUS"], KIND["TRUE"]):
        return None
    at = run.starts[-1]
    statement = CONDITION.match(run.text, at)
    place = drop_last(run)
    found = diag.syntax(place, ASSERTED)
    if statement is None:
        run.builder.report(found)
        return SKIP
    condition = statement[1].strip()
    form = f'assert {condition}, "{condition}";'
    run.builder.report(found.replace((at, statement.end()), form, f"write `{form}`", applicability=SAFE))
    run.builder.gaps.append((at, statement.end()))
    return statement.end()


def value_as_statement(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`S[0] == 1.0;`, `nn.relu(A);`: a value is the result of a prim_func, and only behind its last statement."""
    if (
        kind != KIND["SEMICOLON"]
        or not in_prim_func(run)
        or lalr_table.feed(run.states, KIND["RBRACE"]) is None
    ):
        return None
    depth = depth_of(run, "tir_statements")
    if depth == 0 or depth + 1 >= len(run.starts):
        return None
    start = run.starts[depth + 1]
    builder = run.builder
    builder.mute(start, pos)
    store, extern = OTHER_STORE_SIGN.match(run.text, start), EXTERN_CALL.match(run.text, start)
    if store is not None:
        found = diag.syntax(store.span(1), "a store is written with `=`")
        found.replace(store.span(1), "=", "write `=`")
    elif extern is not None:
        found = diag.syntax((start, extern.end() - 1), "a packed function is called by `call_extern`")
        found.replace((start, extern.end()), "call_extern(", "write `call_extern(…)`", applicability=SAFE)
    elif run.text[pos - 1] == ")":
        found = diag.syntax(
            (start, pos), 'a call is not a statement here, except `call_extern("name", …);`'
        ).helped(instead_of_call(run.text[start:pos].partition("(")[0].rstrip()))
    else:
        found = diag.syntax((start, pos), "a value is not a statement; it has no effect")
    builder.report(found)
    del run.states[depth + 1 :], run.values[depth + 1 :], run.starts[depth + 1 :]
    builder.gaps.append((start, end))
    return end


def word_with_prefix(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`S[0] = np.inf;`, `cast(i, tl.float32)`, `A.dtype`"""
    if lalr_table.symbol(run.states[-1]) != "DOTTED" or kind == KIND["LPAR"] or not in_prim_func(run):
        return None
    number = foreign_words.number_with_prefix(str(run.values[-1]))
    dtype = foreign_words.dtype_with_prefix(str(run.values[-1]))
    if dtype is not None:
        place = drop_last(run)
        found = diag.syntax(place, f"a dtype has no prefix: `{dtype}`")
        run.builder.report(found.replace(place, dtype, f"write `{dtype}`", applicability=SAFE))
        run.shift(KIND["NAME"], dtype, *place)
        return pos
    if number is None:
        return _field(run, pos)
    place = drop_last(run)
    word = run.text[place[0] : place[1]]
    found = diag.syntax(place, f"`{word}` is written `{number}`")
    run.builder.report(found.replace(place, number, f"write `{number}`", applicability=SAFE))
    run.shift(KIND["FLOAT" if number[0].isdigit() else number.upper()], number, *place)
    return pos


def call_of_a_function(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`B[i] = @g(A[i]);`, whose name was reported."""
    symbol = lalr_table.symbol(run.states[-1])
    if kind != KIND["LPAR"] or symbol != "global_name" or not depth_of(run, "tir_statements"):
        return None
    closing = outside_brackets(run.text, end, ")", "\n")
    place = drop_last(run)
    found = diag.syntax(place, "a function of the module is not a number")
    run.builder.report(
        found.helped('a prim_func never calls another; `call_extern("name", …);` calls a packed function')
    )
    run.shift(KIND["INT"], "0", *place)
    run.last_end = end if closing is None else closing + 1
    return run.last_end


def jump_without_semicolon(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`if c { break }`, whose word was read as the name of a buffer."""
    word = last_name(run)
    if word not in ("break", "continue") or not begins_statement(run) or not in_prim_func(run):
        return None
    if kind != KIND["RBRACE"] and "\n" not in run.text[run.last_end : pos]:
        return None
    place = drop_last(run)
    found = diag.syntax((place[1], place[1] + 1), "expected `;` after this statement", "`;` is missing here")
    run.builder.report(found.replace((place[1], place[1]), ";", "add `;`", applicability=SAFE))
    run.shift(KIND["NAME"], word, *place)
    run.shift(KIND["SEMICOLON"], ";", place[1], place[1])
    run.last_end = place[1]
    return pos


def _field(run: Run, pos: int) -> int | None:
    """`A.dtype`, `A.size`, where a number is needed."""
    owner, _, field = str(run.values[-1]).rpartition(".")
    if lalr_table.feed(run.states[:-1], KIND["NAME"]) is None or not depth_of(run, "tir_statements"):
        return None
    place = drop_last(run)
    found = diag.syntax(place, "buffers and numbers have no fields").helped(FIELDS.get(field, ""))
    if owner in ("threadIdx", "blockIdx", "blockDim", "gridDim"):
        found.message = "the threads of a GPU are a loop here"
        found.helped(f'write `for thread("{owner}.{field}") i in 0..n {{ … }}`')
    run.builder.report(found)
    run.shift(KIND["NAME"], "float32" if field == "dtype" else "_", *place)
    return pos


ERROR_PRODUCTIONS = (
    elif_chain,
    mutable_variable,
    kind_before_for,
    colon_in_range,
    other_assert,
    value_as_statement,
    word_with_prefix,
    call_of_a_function,
    jump_without_semicolon,
)
