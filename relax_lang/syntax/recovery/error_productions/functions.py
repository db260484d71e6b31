"""Error productions for functions, tuples and shapes in the code of Relax functions. [Y.7]"""

from __future__ import annotations

import re

from relax_lang.base.diagnostic import SAFE, Edit
from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import lalr_table
from relax_lang.syntax.lalr_table import KIND
from relax_lang.syntax.recovery.brackets import CLOSER_OF, open_brackets
from relax_lang.syntax.recovery.token_edits import (
    SKIP,
    drop_last,
    end_before,
    in_prim_func,
    kind_of,
    last_name,
    last_variable,
)
from relax_lang.syntax.vocabulary.foreign_words import dtype_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax.driver import Run

NAMES = re.compile(r"\(?\s*+([^\W\d]\w*(?:\s*+,\s*+[^\W\d]\w*)*)\s*+(?:,\s*+)?(?:\)\s*+)?=(?!=)")
NAME = re.compile(r"[^\W\d]\w*")
ONE_NAME = re.compile(r"[^\W\d]\w*\s*;")
DEF_HEAD = re.compile(r"def\s+([^\W\d]\w*)\s*\(([^(){};]*)\)")
PLAIN_SIZES = re.compile(r"\[([^\[\]\n;]*)\](?=\s*\))")
DTYPE_IN_PARENTHESES = re.compile(r"(?<!\w)\(\s*([^\W\d]\w*)\s*\)\Z")
ENDS = frozenset(KIND[name] for name in ("SEMICOLON", "RBRACE", "COMMA", "RPAR"))
ATOMS = frozenset((KIND["NAME"], KIND["INT"], KIND["FLOAT"]))
STOPS = frozenset((KIND["SEMICOLON"], *[KIND[name] for name in CLOSER_OF.values()]))
STRING_PREFIXES = ("f", "r", "b", "u", "rb", "fr")


def unpacking(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`let (a, b) = t;`, `let a, b = t;`"""
    plain = kind == KIND["COMMA"] and bool(last_name(run)) and len(run.states) > 2
    if not (lalr_table.symbol(run.states[-1]) == "LET" and kind == KIND["LPAR"]) and not (
        plain and lalr_table.symbol(run.states[-2]) == "LET"
    ):
        return None
    text = run.text
    start = run.starts[-1] if plain else pos
    names = NAMES.match(text, start)
    if names is None:
        stop = re.compile(r"[^=;{}\n]*").match(text, start)
        assert stop
        found = diag.syntax((start, start + len(stop[0].rstrip())), "a `let` binds one variable")
        run.builder.report(found.helped("bind the tuple, then its fields: `let a = t[0];`"))
        return SKIP
    found = diag.syntax((start, end_before(text, names.end() - 1)), "a `let` binds one variable")
    semicolon = _end_of_statement(text, names.end())
    if semicolon is None:
        found.helped("bind the tuple, then its fields: `let a = t[0];`")
    else:
        whole = "fields"
        while whole in run.builder.visible:
            whole += "_1"
        line = text.rfind("\n", 0, start) + 1
        indent = (
            text[line : line + len(text[line:]) - len(text[line:].lstrip())]
            if text[line:start].strip() == "let"
            else ""
        )
        gap = f"\n{indent}" if text[line:start].strip() == "let" else " "
        fields = NAME.findall(names[1])
        lets = "".join([f"{gap}let {name} = {whole}[{at}];" for at, name in enumerate(fields) if name != "_"])
        edits = (
            Edit(start, end_before(text, names.end() - 1), whole),
            Edit(semicolon + 1, semicolon + 1, lets),
        )
        found.fix("bind the tuple, then its fields", *edits, applicability=SAFE)
        run.builder.report(found)
        return _as_tuple(run, whole, names, plain=plain)
    run.builder.report(found)
    return SKIP


def _as_tuple(run: Run, whole: str, names: re.Match[str], *, plain: bool) -> int:
    """Read the statement as the binding of one variable, after which come those of its fields."""
    if plain:
        drop_last(run)
    places = [(name[0], name.start()) for name in NAME.finditer(run.text, names.start(1), names.end(1))]
    run.builder.elsewhere.unpacked[run.starts[-1]] = whole, places
    run.shift(KIND["NAME"], whole, names.start(1), names.end(1))
    return names.end() - 1


def _end_of_statement(text: str, start: int) -> int | None:
    """Return where the `;` of the statement is; None if it is not found."""
    depth = 0
    for at in range(start, min(len(text), start + 2000)):
        mark = text[at]
        if mark in "([{":
            depth += 1
        elif mark in ")]}":
            depth -= 1
        elif mark in '#"':
            return None  # it would need the lexer
        elif mark == ";" and depth == 0:
            return at
        if depth < 0:
            return None
    return None


def is_among_statements(run: Run, pos: int) -> bool:
    """Return whether `def f(` is an indented function without `@`, as Python has them in other functions."""
    return run.text[pos - 1 : pos] in (" ", "\t") and DEF_HEAD.match(run.text, pos) is not None


def other_function(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`let f = def (a: Tensor) { a };`, `fn def (a: Tensor) { a }`, `def f(a: Tensor) { a }` among statements."""
    text = run.text
    if kind != KIND["DEF"] or in_prim_func(run):
        return None
    if lalr_table.symbol(run.states[-1]) == "FN":
        found = diag.syntax((pos, end), "a function without a name is written `fn (…) { … }`")
        run.builder.report(
            found.replace((pos, end + (text[end : end + 1] == " ")), "", "remove `def`", applicability=SAFE)
        )
        return end
    if lalr_table.feed(run.states, KIND["FN"]) is None:
        return None
    if upcoming[1:2] == [KIND["LPAR"]]:
        found = diag.syntax((pos, end), "a function without a name is written `fn (…) { … }`, not with `def`")
        run.builder.report(found.replace((pos, end), "fn", "write `fn`", applicability=SAFE))
        run.shift(KIND["FN"], None, pos, end)
        return end
    head = DEF_HEAD.match(text, pos)
    if head is None or lalr_table.feed(run.states, KIND["LET"]) is None:
        return None
    found = diag.syntax(
        (pos, head.end(1)), f"a function among statements is written `let {head[1]} = fn (…) {{ … }};`"
    )
    stop = _end_of_block(text, head.end())
    if stop is not None:
        edits = [Edit(pos, head.end(1), f"let {head[1]} = fn "), Edit(stop, stop, ";")]
        found.fix(f"write `let {head[1]} = fn`", *edits, applicability=SAFE)
    run.builder.report(found)
    if stop is None:
        return SKIP
    run.builder.gaps.append((pos, stop))
    return stop


def _end_of_block(text: str, start: int) -> int | None:
    """Return where the `{ }` ends that follows."""
    depth = 0
    for at in range(start, min(len(text), start + 20_000)):
        mark = text[at]
        if mark == "{":
            depth += 1
        elif mark == "}":
            depth -= 1
            if depth == 0:
                return at + 1
        elif mark in '#"' or (mark == ";" and depth == 0):
            return None
    return None


def conversion_before(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`(float16) x`, `(float)x`: a conversion as in C."""
    if kind not in (KIND["NAME"], KIND["INT"], KIND["FLOAT"]):
        return None
    match = DTYPE_IN_PARENTHESES.search(run.text, max(0, run.last_end - 40), run.last_end)
    dtype = None if match is None else dtype_of(match[1])
    if (
        match is None
        or dtype is None
        or "\n" in run.text[run.last_end : pos]
        or match[1] in run.builder.visible
    ):
        return None
    form = "cast({0}, {1})" if in_prim_func(run) else "astype({0}, dtype={1})"
    found = diag.syntax((match.start(), match.end()), f"a conversion is written `{form.format('x', dtype)}`")
    if kind == KIND["NAME"] and (upcoming[1:2] or [KIND["SEMICOLON"]])[0] in ENDS:
        written = form.format(run.text[pos:end], dtype)
        found.replace((match.start(), end), written, f"write `{written}`", applicability=SAFE)
    run.builder.report(found)
    return SKIP


def bare_parameters(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`fn a: Tensor { a }`, `fn a { a }`."""
    if lalr_table.symbol(run.states[-1]) != "FN" or kind != KIND["NAME"]:
        return None
    found = diag.syntax((pos, end), "the parameters of a function are in parentheses: `fn (a: Tensor) { … }`")
    run.builder.report(found)
    return SKIP


def return_in_dataflow(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`dataflow { let y = x; return y; }`."""
    if last_name(run) != "return" or not _in_dataflow(run):
        return None
    name = ONE_NAME.match(run.text, pos)
    if name is None:
        return None
    place = drop_last(run)
    found = diag.syntax(place, "there is no `return`: what leaves a dataflow block is listed in `output`")
    run.builder.report(found.replace(place, "output", "write `output`", applicability=SAFE))
    run.shift(KIND["OUTPUT"], None, *place)
    return pos


def _in_dataflow(run: Run) -> bool:
    """Return whether the innermost open brace is that of a dataflow block."""
    braces = [at for name, at in open_brackets(run) if name == "LBRACE"]
    return bool(braces) and run.text[max(0, braces[-1] - 80) : braces[-1]].rstrip().endswith("dataflow")


def compared_binding(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`let y == x;`."""
    if kind != KIND["EQ"] or not last_name(run) or lalr_table.symbol(run.states[-2]) != "LET":
        return None
    found = diag.syntax((pos, end), "a binding is written with `=`")
    run.builder.report(found.replace((pos, end), "=", "write `=`", applicability=SAFE))
    run.shift(KIND["ASSIGN"], "=", pos, end)
    return end


def sizes_in_brackets(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`shape([2, 3])`."""
    text = run.text
    if kind == KIND["RSQB"] and pos in run.builder.left_out:
        return end
    if kind != KIND["LSQB"] or [lalr_table.symbol(state) for state in run.states[-2:]] != ["SHAPE", "LPAR"]:
        return None
    sizes = PLAIN_SIZES.match(text, pos)
    if sizes is None:
        return None
    place = (pos, sizes.end())
    found = diag.syntax(place, "the sizes of a shape are its arguments, without brackets")
    edits = Edit(pos, pos + 1, ""), Edit(sizes.end() - 1, sizes.end(), "")
    run.builder.report(found.fix(f"write `shape({sizes[1]})`", *edits, applicability=SAFE))
    run.builder.left_out.add(sizes.end() - 1)
    return end


def string_prefix(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`f"{x}"`, `r"a"`."""
    if kind != KIND["STRING"] or last_name(run) not in STRING_PREFIXES or run.last_end != pos:
        return None
    drop_last(run)
    return pos


def call_without_parentheses(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`nn.relu x`, and `add x, 2.0`, which is tried after all forms of other languages."""
    is_dotted = lalr_table.symbol(run.states[-1]) == "DOTTED"
    name = run.text[run.starts[-1] : run.last_end] if is_dotted else last_variable(run)
    if not name or name in run.builder.visible or in_prim_func(run):
        return None
    after = lalr_table.feed(run.states, KIND["LPAR"])
    if after is None or lalr_table.feed(after, KIND["CONST"]) is None:
        return None  # among sizes, which are not called
    if kind not in ATOMS or "\n" in run.text[run.last_end : pos]:
        return None
    operands = _operands_on_line(run, pos)
    if operands is None:
        if not is_dotted:
            return None
        message = f"the operands of a call are in parentheses: `{name}(…)`"
        run.builder.report(diag.syntax((run.starts[-1], end), message))
        return SKIP
    stop = operands[-1][2]
    found = diag.syntax((run.starts[-1], stop), "the operands of a call are written in parentheses")
    edits = [Edit(run.last_end, pos, "(")]
    run.shift(KIND["LPAR"], "(", run.last_end, run.last_end)
    for index, (mark, begin, finish) in enumerate(operands):
        if mark in ATOMS and index and operands[index - 1][0] in ATOMS:
            edits.append(Edit(operands[index - 1][2], operands[index - 1][2], ","))
            run.shift(KIND["COMMA"], ",", begin, begin)
        run.shift(mark, run.text[begin:finish], begin, finish)
    run.shift(KIND["RPAR"], ")", stop, stop)
    run.builder.report(found.fix("add `(` and `)`", *edits, Edit(stop, stop, ")")))
    return stop


def _operands_on_line(run: Run, pos: int) -> list[tuple[int, int, int]] | None:
    """Return the kinds and spans of variables, numbers and commas up to the end of the statement or the line; None if
    there is anything else.
    """
    found: list[tuple[int, int, int]] = []
    last = pos
    for match in lalr_table.tokens(run.text, pos, run.stop):
        begin, kind = match.start(match.lastindex or 0), kind_of(match)
        if kind in STOPS or "\n" in run.text[last:begin]:
            break
        last = match.end(match.lastindex or 0)
        is_variable = kind == KIND["NAME"] and run.text[begin:last] in run.builder.visible
        if not is_variable and kind not in (KIND["INT"], KIND["FLOAT"], KIND["COMMA"]):
            return None
        found.append((kind, begin, last))
    return found if found and found[-1][0] in ATOMS else None


def foreign_word(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`import numpy;`, `raise …`, `try { … }` among statements."""
    word = last_name(run)
    message = FOREIGN_WORDS.get(word)
    if (
        message is None
        or word in run.builder.visible
        or in_prim_func(run)
        or kind not in (KIND["NAME"], KIND["DOTTED"], KIND["LBRACE"], KIND["COLON"], KIND["SEMICOLON"])
    ):
        return None
    place = drop_last(run)
    run.builder.report(diag.syntax(place, message))
    return SKIP


FOREIGN_WORDS = {
    "import": "a file of the language imports nothing; packed functions are registered from Python",
    "from": "a file of the language imports nothing; packed functions are registered from Python",
    "try": "there are no exceptions: what fails ends the program",
    "raise": "there are no exceptions: what fails ends the program",
    "class": "there are no classes",
    **dict.fromkeys(
        ("loop", "repeat", "until", "do"),
        "a function repeats something by calling itself; loops over elements are written in a prim_func",
    ),
    **dict.fromkeys(("switch", "case", "match", "unless"), "a choice is written `if c { … } else { … }`"),
    **dict.fromkeys(
        ("require", "assume", "ensure"),
        "a condition is checked by `assert_op(c)`, or by a match_cast of a shape",
    ),
    "del": "nothing is deleted: memory of a variable is free after its last use",
    "global": "there are no global variables",
    "async": "there is no `async`",
    "await": "there is no `await`",
    "yield": "there is no `yield`",
}

ERROR_PRODUCTIONS = (
    return_in_dataflow,
    unpacking,
    other_function,
    bare_parameters,
    compared_binding,
    sizes_in_brackets,
    string_prefix,
    conversion_before,
    foreign_word,
)
