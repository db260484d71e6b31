"""Error productions in expressions: comments, numbers, functions, brackets. [Y.7]"""

from __future__ import annotations

import re

from relax_lang.base.diagnostic import SAFE, Edit
from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import lalr_table
from relax_lang.syntax.lalr_table import KIND
from relax_lang.syntax.recovery.brackets import open_brackets
from relax_lang.syntax.recovery.error_productions import annotations, operators
from relax_lang.syntax.recovery.token_edits import (
    SKIP,
    drop_last,
    in_prim_func,
    kind_of,
    last_variable,
    previous,
    rest_of_line,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax.driver import Run

NUMBER_BEFORE = re.compile(r"(?<![\w.@])\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?\Z")
BASED = re.compile(r"0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+")
DOUBLE_COLON = re.compile(r"\s*::\s*([^\W\d]\w*)")
FIRST_STRING = re.compile(r'\(\s*("(?:[^"\\\n]|\\.)*")\s*([,)]?)[ \t]*')
BRACKETS = ("LPAR", "LSQB", "LBRACE")
PARENTHESES = re.compile(r"\(([-\w\s.,]*)\)")
INFO_BEFORE = re.compile(r"\b(Tensor|Shape|PackedFunc|Object)(\[[^;{}\n]*)?\Z")
WORDS = re.compile(r"[\w\s]*")
LAST_OPERAND = re.compile(
    r",\s*+(?:out_sinfo|out_ty|sinfo_args|ret_sinfo)\s*+=\s*+(\w+\[(?:[^\[\]{};\n]|\[[^\[\]{};\n]*\])*\])\s*+(?:,\s*+)?\)"
)
"""The result info of a call, as TVMScript gives it."""
NOT_PROSE = frozenset(("and", "or", "is", "not", "if", "else", "as", "in"))
"""Words that follow an operand in other languages."""


def comment_marks(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`// comment`, `/* comment */`."""
    text = run.text
    if kind == KIND["DSLASH"]:
        stop = text.find("\n", pos)
        stop = len(text) if stop < 0 else stop
        found = diag.syntax((pos, stop), "a comment begins with `#`")
        run.builder.report(found.replace((pos, end), "#", "write `#`", applicability=SAFE))
        return stop
    if kind == KIND["STAR"] and text.startswith("/*", pos - 1) and run.last_end == pos:
        pos, _ = drop_last(run)  # the slash was read as a division
    if text.startswith("/*", pos):
        stop = text.find("*/", pos)
        stop = len(text) if stop < 0 else stop + 2
        found = diag.syntax((pos, stop), "comments go from `#` to the end of the line; there is no `/* */`")
        lines = [line.strip(" *") for line in text[pos + 2 : stop - 2].splitlines()]
        new = "\n".join(f"# {line}".rstrip() for line in lines if line) or "#"
        if rest_of_line(text, stop).strip():  # what follows on the line is not a comment
            new += "\n"
        run.builder.report(found.replace((pos, stop), new, "write `#` comments"))
        return stop
    return None


def words_behind_slashes(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`x // half of it`: a comment that began as a division."""
    line = run.text.rfind("\n", 0, pos) + 1
    slashes = run.text.find("//", line, pos)
    if slashes < 0 or kind != KIND["NAME"] or "#" in run.text[line:slashes]:
        return None
    if WORDS.fullmatch(run.text, slashes + 2, pos) is None or run.text[pos:end] in NOT_PROSE:
        return None  # it is a division, and something else is wrong
    stop = pos + len(rest_of_line(run.text, pos))
    found = diag.syntax((slashes, stop), "a comment begins with `#`")
    run.builder.report(found.replace((slashes, slashes + 2), "#", "write `#`, if this is not a division"))
    while len(run.states) > 1 and run.starts[-1] >= slashes:
        drop_last(run)
    return stop if run.last_end <= slashes else SKIP


def list_in_parentheses(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`axis=(0, 1)`, `const((1, 2))`."""
    if kind != KIND["LPAR"] or lalr_table.feed(run.states, KIND["NULL"]) is None:
        return None
    match = PARENTHESES.match(run.text, pos)
    if match is None:
        return None
    place = (pos, match.end())
    inner = match[1].rstrip(", ")
    found = diag.syntax(place, "a list of literals is written in brackets")
    run.builder.report(found.replace(place, f"[{inner}]", f"write `[{inner}]`", applicability=SAFE))
    as_list(run, *place)
    return match.end()


def as_list(run: Run, pos: int, end: int) -> None:
    """Shift `(0, 1)` as the list of literals `[0, 1]`; as a number if it holds anything else."""
    tokens: list[tuple[int, str, int, int]] = []
    for match in lalr_table.tokens(run.text, pos + 1, end - 1):
        group = match.lastindex or 0
        tokens.append((kind_of(match), match[group], match.start(group), match.end()))
    kinds = [KIND["LSQB"], *[kind for kind, *_ in tokens], KIND["RSQB"]]
    if min(kinds) < 0 or lalr_table.fits(run.states, kinds) < len(kinds):
        run.shift(KIND["INT"], "0", pos, end)
        return
    run.shift(KIND["LSQB"], "[", pos, pos + 1)
    for kind, word, start, stop in tokens:
        run.shift(kind, word, start, stop)
    run.shift(KIND["RSQB"], "]", end - 1, end)


def info_as_value(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`out_sinfo=Tensor[(n,), float32]`, `f(x, Tensor[(n,), float32])`."""
    if kind not in (KIND["LSQB"], KIND["COMMA"], KIND["ASSIGN"]):
        return None
    match = INFO_BEFORE.search(run.text, max(0, run.last_end - 200), run.last_end)
    if match is None or (kind == KIND["LSQB"]) == bool(match[2]):
        return None
    if kind != KIND["LSQB"] and not in_index(run):
        return None
    found = diag.syntax((match.start(1), match.end(1)), "a struct info is not a value")
    found.helped(f"what a call returns is written after it: `f(x) -> {match[1]}[…]`")
    run.builder.report(found)
    last = (
        LAST_OPERAND.match(run.text, run.text.rfind(",", 0, match.start(1))) if kind == KIND["LSQB"] else None
    )
    if last is not None and last.start(1) == match.start(1):
        behind = Edit(last.end(), last.end(), f" -> {last[1]}")
        found.fix(f"write `-> {last[1]}` after the call", Edit(last.start(), last.end(1), ""), behind)
    return SKIP


def in_index(run: Run) -> bool:
    """Return whether the innermost open bracket is that of `t[…]`."""
    depth = len(run.states) - 1
    while depth > 1 and lalr_table.symbol(run.states[depth]) not in BRACKETS:
        depth -= 1
    return (
        depth > 1
        and lalr_table.symbol(run.states[depth]) == "LSQB"
        and lalr_table.symbol(run.states[depth - 1]) == "postfix"
    )


def missing_condition(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`if { x }`: the block reads as the condition."""
    if (
        run.text[run.last_end - 1 : run.last_end] != "}"
        or lalr_table.feed(run.states, KIND["LBRACE"]) is None
    ):
        return None
    at = next((i for i in range(len(run.states) - 1, 0, -1) if lalr_table.symbol(run.states[i]) == "IF"), 0)
    if at == 0 or at + 1 >= len(run.starts) or run.text[run.starts[at + 1]] != "{":
        return None
    start = run.starts[at]
    run.builder.report(diag.syntax((start, start + 2), "this `if` has no condition"))
    return SKIP


def assign_for_equal(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`if x = y { … }`"""
    if kind != KIND["ASSIGN"] or lalr_table.feed(run.states, KIND["EQ"]) is None:
        return None
    found = diag.syntax((pos, end), "`=` binds; `==` compares")
    run.builder.report(found.replace((pos, end), "==", "write `==`"))
    run.shift(KIND["EQ"], "==", pos, end)
    return end


def elif_chain(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`} elif c {`."""
    if (
        run.text[pos:end] not in ("elif", "elsif", "elseif")
        or lalr_table.feed(run.states, KIND["ELSE"]) is None
    ):
        return None
    found = diag.syntax((pos, end), "a chain is written `else if`")
    run.builder.report(found.replace((pos, end), "else if", "write `else if`", applicability=SAFE))
    run.shift(KIND["ELSE"], "else", pos, end)
    run.shift(KIND["IF"], "if", pos, end)
    return end


def lambda_expression(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`lambda x: x`."""
    if previous(run) != "lambda" or run.values[-1] != "lambda":
        return None
    place = drop_last(run)
    run.builder.report(
        diag.syntax(
            place, "a function without a name is written `fn (x: Tensor) -> Tensor { … }`, not `lambda`"
        )
    )
    return SKIP


def closure_bars(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`|a| a + 1` for a function."""
    if kind not in (KIND["BAR"], KIND["OROR"]) or lalr_table.feed(run.states, KIND["FN"]) is None:
        return None
    message = "a function without a name is written `fn (a: Tensor) -> Tensor { … }`"
    run.builder.report(diag.syntax((pos, end), message))
    return SKIP


def number_suffix(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`0x10`, `1.0f32`, `1_`: a word that touches a number."""
    if run.last_end != pos or not (run.text[pos].isalpha() or run.text[pos] == "_"):
        return None
    number = NUMBER_BEFORE.search(run.text, max(0, pos - 40), pos)
    if number is None:
        return None
    place = (number.start(), end)
    written = run.text[number.start() : end]
    found = diag.syntax(place, f"`{written}` is not a number")
    if BASED.fullmatch(written):
        value = int(written, 0)
        found.replace(place, str(value), f"numbers are written in decimal: `{value}`")
    else:
        digits = number[0].rstrip("_")
        if written.endswith(("f", "F", "f32", "f16", "f64")) and digits.isdigit():
            digits += ".0"
        title = f"a number has no suffix: `{digits}`"
        found.replace(place, digits, title)
    run.builder.report(found)
    run.builder.half_numbers.add(number.start())
    return end


def extern_call(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`extern("my.f", x)`."""
    if (
        kind != KIND["LPAR"]
        or lalr_table.symbol(run.states[-1]) != "EXTERN"
        or upcoming[1:2] != [KIND["STRING"]]
    ):
        return None
    match = FIRST_STRING.match(run.text, pos)
    assert match
    place = (pos, match.end(2))
    found = diag.syntax(place, f"the arguments of a packed function follow its name: `extern {match[1]}(…)`")
    if match[2] == ")":  # `extern("my.f")(x)`
        found = diag.syntax(place, f"the name of a packed function follows `extern`: `extern {match[1]}`")
        new, title = f" {match[1]}", "remove the parentheses"
    else:
        new, title = f" {match[1]}(", "move the parenthesis"
    run.builder.report(found.replace((pos, match.end()), new, title))
    run.shift(KIND["STRING"], match[1], *place)
    if match[2] == ",":
        run.shift(KIND["LPAR"], "(", *match.span(2))
    return match.end()


def exclamation(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`println!(x)`."""
    if kind != KIND["NOT"] or run.last_end != pos or run.text[end : end + 1] != "(":
        return None
    found = diag.syntax((pos, end), "there are no macros; a call is written `f(x)`")
    run.builder.report(found.replace((pos, end), "", "remove `!`"))
    return end


def double_colon(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`nn::relu(x)`."""
    name = last_variable(run)
    match = DOUBLE_COLON.match(run.text, run.last_end)
    if kind != KIND["COLON"] or not name or match is None:
        return None
    start, _ = drop_last(run)
    dotted = f"{name}.{match[1]}"
    place = (start, match.end())
    found = diag.syntax(place, f"the parts of a name are joined by a dot: `{dotted}`")
    run.builder.report(found.replace(place, dotted, f"write `{dotted}`", applicability=SAFE))
    run.shift(KIND["DOTTED"], dotted, *place)
    return match.end()


def ellipsis(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`x[..., 0]`: what all of the subscript is in our words, the builder knows when it has all of it."""
    if kind != KIND["DOTDOT"] or run.text[end : end + 1] != "." or not in_index(run):
        return None
    run.shift(KIND["NAME"], "...", pos, end + 1)
    return end + 1


OPERATORS = frozenset(
    KIND[name]
    for name in (
        "STAR",
        "SLASH",
        "DSLASH",
        "PERCENT",
        "PLUS",
        "ANDAND",
        "OROR",
        "EQ",
        "NE",
        "LE",
        "LT",
        "GE",
        "GT",
    )
)
VALUES = frozenset(KIND[name] for name in ("NAME", "DOTTED", "INT", "FLOAT", "GLOBAL", "CONST", "IF"))


def word_twice(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`x: Tensor Tensor[(n,)]`: the text goes on without one of two equal words."""
    word = run.text[pos:end]
    if not word[0].isalpha() or "\n" in run.text[run.last_end : pos] or word in run.builder.visible:
        return None  # between two variables something may be missing
    start = run.starts[-1]
    if run.text[start : run.last_end] != word or lalr_table.fits(run.states, upcoming[1:4]) < len(
        upcoming[1:4]
    ):
        return None
    found = diag.syntax((pos, end), f"`{word}` is written twice")
    run.builder.report(found.fix(f"remove one `{word}`", Edit(run.last_end, end, "")))
    return end


def missing_operand(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`( * x)`, `a + / b`."""
    if kind not in OPERATORS or lalr_table.feed(run.states, KIND["NAME"]) is None:
        return None
    if upcoming[1] not in (*VALUES, KIND["LPAR"], KIND["MINUS"], KIND["NOT"]):
        return None
    mark = run.text[pos:end]
    run.builder.report(diag.syntax((pos, end), f"a value is expected before `{mark}`"))
    if lalr_table.feed(run.states, KIND["STRING"]) is None:
        return SKIP
    run.builder.repaired.add(pos)
    run.shift(KIND["STRING"], '""', pos, pos)
    return pos


def missing_operator(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`(a b)`, where no list goes on."""
    if kind not in VALUES or "\n" in run.text[run.last_end : pos]:
        return None
    brackets = open_brackets(run)
    is_value = (
        lalr_table.symbol(run.states[-1]) == "prim" or lalr_table.feed(run.states, KIND["STAR"]) is not None
    )
    if not brackets or brackets[-1][0] != "LPAR" or not is_value:
        return None
    opener = run.starts.index(brackets[-1][1])
    is_group = in_prim_func(run) and lalr_table.symbol(run.states[opener - 1]) not in (
        "NAME",
        "name",
        "SHAPE",
    )
    if lalr_table.feed(run.states, KIND["COMMA"]) is not None and not is_group:
        return None
    run.builder.report(diag.syntax((run.last_end, pos), "an operator is expected between two values"))
    return SKIP


BEFORE_STATEMENTS = (
    comment_marks,
    words_behind_slashes,
    number_suffix,
    extern_call,
    exclamation,
    double_colon,
    ellipsis,
)
ERROR_PRODUCTIONS = (
    annotations.key_and_value,
    assign_for_equal,
    lambda_expression,
    closure_bars,
    *operators.ERROR_PRODUCTIONS,
    annotations.quoted_dimension,
    annotations.unknown_size,
    list_in_parentheses,
    info_as_value,
    missing_condition,
    annotations.angle_brackets,
    missing_operand,
    missing_operator,
)
