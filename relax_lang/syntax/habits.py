"""What people write by habit from Python, Rust, Relay and TVMScript, and what to write instead. [Y.7]

Each habit is a function that looks at the token which does not fit. If it knows the habit it reports it with
the right form, mends the stacks and returns where to read on; otherwise it returns None. Habits that the
grammar itself can read have productions marked "error" in grammar/*.lark.
"""

from __future__ import annotations

import re

from relax_lang.base.diagnostic import SAFE, Edit
from relax_lang.syntax import habits_statements, lalr, problems
from relax_lang.syntax.lalr import KIND
from relax_lang.syntax.mending import SKIP, drop_last, last_name, previous, rest_of_line
from relax_lang.syntax.words import STRUCT_INFOS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.syntax.run import Run

    Habit = Callable[["Run", int, int, int, list[int]], "int | None"]

WORD_OPERATORS = {"and": ("ANDAND", "&&"), "or": ("OROR", "||"), "is": ("EQ", "==")}
FUNCTION_WORDS = ("fn", "func", "function", "fun", "sub")
VISIBILITY = ("public", "pub", "export", "static", "inline", "async")
FOREIGN_ITEMS = {
    "import": "a file of the language imports nothing; packed functions are registered from Python",
    "from": "a file of the language imports nothing; packed functions are registered from Python",
    "class": "a file is one module; its functions are written `def @name(…) { … }` without a class around them",
    "type": "there are no type definitions",
    "let": "statements stand in functions: `def @main(…) { … }`",
    "return": "statements stand in functions: `def @main(…) { … }`",
}
IMPORTS = re.compile(r"(?:[^\S\n]*(?:import|from)\b[^\n]*(?:\n\s*)?)+")


def deal_with(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """Try every habit; return where to read on, or None if none applies."""
    for habit in HABITS:
        at = habit(run, pos, end, kind, upcoming)
        if at is not None:
            return at
    return None


def comment_marks(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`// comment`, `/* comment */`."""
    text = run.text
    if kind == KIND["DSLASH"]:
        stop = text.find("\n", pos)
        stop = len(text) if stop < 0 else stop
        found = problems.syntax((pos, stop), "a comment begins with `#`")
        run.builder.report(found.replace((pos, end), "#", "write `#`", applicability=SAFE))
        return stop
    if text.startswith("/*", pos):
        stop = text.find("*/", pos)
        stop = len(text) if stop < 0 else stop + 2
        found = problems.syntax(
            (pos, stop), "comments go from `#` to the end of the line; there is no `/* */`"
        )
        lines = [line.strip(" *") for line in text[pos + 2 : stop - 2].splitlines()]
        new = "\n".join(f"# {line}".rstrip() for line in lines if line) or "#"
        run.builder.report(found.replace((pos, stop), new, "write `#` comments"))
        return stop
    return None


def assign_for_equal(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`if x = y { … }`"""
    if kind != KIND["ASSIGN"] or lalr.feed(run.states, KIND["EQ"]) is None:
        return None
    found = problems.syntax((pos, end), "`=` binds; `==` compares")
    run.builder.report(found.replace((pos, end), "==", "write `==`"))
    run.shift(KIND["EQ"], "==", pos, end)
    return end


def word_operators(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`a and b`, `a or b`, `not a`."""
    word = run.text[pos:end]
    if kind == KIND["NAME"] and word in WORD_OPERATORS:
        name, mark = WORD_OPERATORS[word]
        if lalr.feed(run.states, KIND[name]) is not None:
            found = problems.syntax((pos, end), f"`{word}` is written `{mark}`")
            run.builder.report(found.replace((pos, end), mark, f"write `{mark}`", applicability=SAFE))
            run.shift(KIND[name], mark, pos, end)
            return end
    if previous(run) == "not" and run.values[-1] == "not":
        place = drop_last(run)
        found = problems.syntax(place, "`not` is written `!`")
        run.builder.report(found.replace((place[0], pos), "!", "write `!`", applicability=SAFE))
        run.shift(KIND["NOT"], "!", *place)
        return pos
    return None


def elif_chain(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`} elif c {`."""
    if run.text[pos:end] not in ("elif", "elsif", "elseif") or lalr.feed(run.states, KIND["ELSE"]) is None:
        return None
    found = problems.syntax((pos, end), "a chain is written `else if`")
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
        problems.syntax(
            place, "a function without a name is written `fn (x: Tensor) -> Tensor { … }`, not `lambda`"
        )
    )
    return SKIP


def number_suffix(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`0x10`, `1.0f32`, `1_`: a word that touches a number."""
    number = NUMBER_BEFORE.search(run.text, max(0, run.last_end - 40), run.last_end)
    if run.last_end != pos or number is None or not (run.text[pos].isalpha() or run.text[pos] == "_"):
        return None
    place = (number.start(), end)
    written = run.text[number.start() : end]
    found = problems.syntax(place, f"`{written}` is no number")
    based = BASED.fullmatch(written)
    if based:
        value = int(based[1].replace("_", ""), {"x": 16, "o": 8, "b": 2}[written[1].lower()])
        found.helped(f"numbers are written in decimal: `{value}`").replace(place, str(value), "")
    else:
        found.helped("a number has no suffix; a dtype is given by `const(1.0, float16)`")
        found.replace(place, number[0], "")
    run.builder.report(found)
    return end


NUMBER_BEFORE = re.compile(r"(?<![\w.@])\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d+)?\Z")
BASED = re.compile(r"0[xX]([0-9a-fA-F_]+)|0[oO]([0-7_]+)|0[bB]([01_]+)")
