"""What people write by habit from Python, Rust, Relay and TVMScript, and what to write instead. [Y.7]

Each habit is a function that looks at the token which does not fit. If it knows the habit it reports it with
the right form, mends the stacks and returns where to read on; otherwise it returns None. Habits that the
grammar itself can read have productions marked "error" in grammar/*.lark.
"""

from __future__ import annotations

import re

from relax_lang.base.diagnostic import SAFE, Edit
from relax_lang.syntax import lalr, problems
from relax_lang.syntax.lalr import KIND

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.syntax.run import Run

    Habit = Callable[["Run", int, int, int, list[int]], "int | None"]

SKIP = -2
"""Returned by a habit after which the rest of the statement is to be skipped."""

PREVIOUS = re.compile(r"(\w+|->|:=|[^\w\s])\s*\Z")
WORD_OPERATORS = {"and": ("ANDAND", "&&"), "or": ("OROR", "||"), "is": ("EQ", "==")}
FOREIGN_ITEMS = {
    "import": "a file of the language imports nothing; packed functions are registered from Python",
    "from": "a file of the language imports nothing; packed functions are registered from Python",
    "class": "a file is one module; its functions are written `def @name(…) { … }` without a class around them",
    "function": "a function is written `def @name(…) { … }`",
    "func": "a function is written `def @name(…) { … }`",
    "fn": "a function of the module is written `def @name(…) { … }`; `fn` is a function without a name",
    "type": "there are no type definitions",
    "let": "statements stand in functions: `def @main(…) { … }`",
    "return": "statements stand in functions: `def @main(…) { … }`",
}


def deal_with(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """Try every habit; return where to read on, or None if none applies."""
    for habit in HABITS:
        at = habit(run, pos, end, kind, upcoming)
        if at is not None:
            return at
    return None


def previous(run: Run) -> str:
    """Return the word or mark before the token at hand."""
    match = PREVIOUS.search(run.text[max(0, run.last_end - 80) : run.last_end])
    return match[1] if match else ""


def drop_last(run: Run) -> tuple[int, int]:
    """Take the last token from the stacks again; return its span."""
    pos = run.starts.pop()
    run.states.pop()
    run.values.pop()
    place = (pos, run.last_end)
    run.last_end = len(run.text[:pos].rstrip())
    return place


def returning(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`return x;`"""
    if previous(run) != "return" or not isinstance(run.values[-1], str):
        return None
    place = drop_last(run)
    found = problems.syntax(
        place, "there is no `return`: the value of a block is its last expression, without `;`"
    )
    edits = [Edit(place[0], pos, "")]
    stop = re.compile(r"[^;{}]*;(?=\s*\})").match(run.text, pos)
    if stop:
        edits.append(Edit(stop.end() - 1, stop.end(), ""))
    run.builder.report(found.fix("write the value alone", *edits, applicability=SAFE))
    run.builder.returned.add(pos)
    return pos


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


def relay_variable(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`%x`."""
    if kind != KIND["PERCENT"] or run.text[end : end + 1].isspace() or len(upcoming) < 2:
        return None
    if lalr.fits(run.states, upcoming[1:2]) < 1:
        return None
    found = problems.syntax((pos, end), "names of variables have no `%`")
    run.builder.report(found.replace((pos, end), "", "remove `%`", applicability=SAFE))
    return end


def walrus(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`let y := x;`, `y := x;`"""
    text = run.text
    if kind == KIND["ASSIGN"] and text[pos - 1 : pos] == ":" and lalr.symbol(run.states[-1]) == "COLON":
        drop_last(run)
        found = problems.syntax((pos - 1, end), "a binding is written with `=`")
        run.builder.report(found.replace((pos - 1, end), "=", "write `=`", applicability=SAFE))
        return pos
    if kind == KIND["COLON"] and text[end : end + 1] == "=" and lalr.fits(run.states, upcoming[1:2]):
        found = problems.syntax((pos, end + 1), "a binding is written with `=`")
        run.builder.report(found.replace((pos, end + 1), "=", "write `=`", applicability=SAFE))
        return end
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


def name_without_at(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`def main(…)`."""
    if kind != KIND["NAME"] or lalr.symbol(run.states[-1]) not in ("DEF", "PRIM_FUNC"):
        return None
    name = run.text[pos:end]
    found = problems.syntax((pos, end), f"functions of the module are written with `@`: `@{name}`")
    run.builder.report(found.fix(f"write `@{name}`", Edit(pos, pos, "@"), applicability=SAFE))
    run.shift(KIND["GLOBAL"], f"@{name}", pos, end)
    return end


def python_body(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`def @f(x: Tensor):`, `if c:`."""
    if kind != KIND["COLON"] or lalr.feed(run.states, KIND["LBRACE"]) is None:
        return None
    if run.text[end : end + 1] not in "\r\n \t":
        return None
    run.builder.report(problems.syntax((pos, end), "bodies stand in braces: `{ … }`, not after `:`"))
    return SKIP


def foreign_item(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`import tvm`, `class Module:`, `@R.function` at the level of items."""
    if lalr.feed(run.states, KIND["DEF"]) is None or lalr.feed(run.states, KIND["LET"]) is not None:
        return None
    word = run.text[pos:end]
    message = FOREIGN_ITEMS.get(word)
    if kind == KIND["MODULE"]:
        message = "`module attrs { … }` stands at the head of the file"
    elif kind == KIND["GLOBAL"]:
        message = "there are no decorators; a function is written `def @name(…) { … }`"
    elif message is None:
        return None
    run.builder.report(problems.syntax((pos, end), message))
    line_end = run.text.find("\n", pos)
    if word in ("import", "from", "class") or kind == KIND["GLOBAL"]:
        run.parsed.broken.append((pos, pos))
        return len(run.text) if line_end < 0 else line_end
    return SKIP


def merge_conflict(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`<<<<<<< HEAD`, left by a version control system."""
    line = run.text[run.text.rfind("\n", 0, pos) + 1 :].split("\n", 1)[0]
    if line[:7] not in ("<<<<<<<", "=======", ">>>>>>>"):
        return None
    start = run.text.rfind("\n", 0, pos) + 1
    run.builder.report(problems.syntax((start, start + 7), "a merge conflict is not resolved here"))
    return start + len(line)


HABITS: tuple[Habit, ...] = (
    merge_conflict,
    returning,
    comment_marks,
    relay_variable,
    walrus,
    elif_chain,
    assign_for_equal,
    word_operators,
    lambda_expression,
    name_without_at,
    python_body,
    foreign_item,
)
