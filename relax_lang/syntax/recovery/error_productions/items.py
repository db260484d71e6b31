"""Foreign syntax in items and their heads: imports, classes, parameters, results, bodies, merge conflicts. [Y.7]"""

from __future__ import annotations

import re

from relax_lang.base.diagnostic import SAFE, Edit
from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import lalr_table
from relax_lang.syntax.lalr_table import KIND
from relax_lang.syntax.recovery import python_bodies
from relax_lang.syntax.recovery.brackets import open_brackets
from relax_lang.syntax.recovery.error_productions import parameters
from relax_lang.syntax.recovery.token_edits import (
    ITEM_WORDS,
    SKIP,
    begins_line,
    begins_statement,
    depth_of,
    drop_last,
    in_prim_func,
    kind_of,
    last_name,
    rest_of_line,
)
from relax_lang.syntax.vocabulary.words import STRUCT_INFOS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax.driver import Run

ARROW_BODY = re.compile(r"=>\s*+([^;{}#\"\s](?:[^;{}#\"\n]*[^;{}#\"\s])?)\s*+;")
FUNCTION_WORDS = ("fn", "func", "function", "fun")
VISIBILITY = ("public", "pub", "export", "static", "inline", "async")
FOREIGN_ITEMS = {
    "import": "a file of the language imports nothing; packed functions are registered from Python",
    "from": "a file of the language imports nothing; packed functions are registered from Python",
    "class": "a file is one module; its functions are written `def @name(…) { … }` without a class around them",
    "type": "there are no type definitions",
    "let": "statements are written in functions: `def @main(…) { … }`",
    "return": "statements are written in functions: `def @main(…) { … }`",
}
IMPORTS = re.compile(r"[^\n]*(?:\n\s*(?:import|from)\b[^\n]*)*")
BLANK = re.compile(r"(?:\s|#[^\n]*)*")
TVMSCRIPT = re.compile(
    r"(@(?:tvm\.script\.|script\.)?(?:R\.function|T\.prim_func|I\.ir_module|ir_module))\b[^\n]*\n"
    r"(?:[ \t]*@[^\n]*\n)*\s*(?:def|class)\s+\w"
)
ITEM = re.compile(
    r"^(?:(?:private|pure|impure|force_pure)\s+)*(?:def\s+@|prim_func\b)|^module\s+attrs\b", re.MULTILINE
)
FUNCTION_HEAD = re.compile(r'@?(\w+|"(?:[^"\\\n]|\\.)*")\s*\([^{};]*(?:->|\{)')
RESULT = re.compile(r"->[^{;\n]*")


def name_without_at(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`def main(…)`."""
    if kind != KIND["NAME"] or lalr_table.symbol(run.states[-1]) not in ("DEF", "PRIM_FUNC"):
        return None
    name = run.text[pos:end]
    found = diag.syntax((pos, end), f"functions of the module are written with `@`: `@{name}`")
    run.builder.report(found.fix(f"write `@{name}`", Edit(pos, pos, "@"), applicability=SAFE))
    run.shift(KIND["GLOBAL"], f"@{name}", pos, end)
    return end


def modifier_behind_def(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`def private @f()`."""
    if lalr_table.symbol(run.states[-1]) not in ("DEF", "PRIM_FUNC") or upcoming[1:2] != [KIND["GLOBAL"]]:
        return None
    word, item = run.text[pos:end], str(lalr_table.SPELLING[KIND[lalr_table.symbol(run.states[-1])]])
    if word not in ("private", "pure", "impure", "force_pure"):
        return None
    found = diag.syntax((pos, end), f"`{word}` comes before `{item}`")
    start = run.starts[-1]
    edits = Edit(start, start, f"{word} "), Edit(pos, end + 1, "")
    run.builder.report(found.fix(f"write `{word} {item}`", *edits, applicability=SAFE))
    return end


def colon_head(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`def @f(x: Tensor):`, `if c:`, `def @f(x: Tensor): Tensor {`."""
    if kind != KIND["COLON"] or (last_name(run) not in ("", "init") and begins_statement(run)):
        return None
    rest = rest_of_line(run.text, end).split("#")[0].strip()
    in_head = lalr_table.feed(run.states, KIND["ATTRS"]) is not None
    if rest and in_head and lalr_table.feed(run.states, KIND["ARROW"]) is not None and "{" in rest:
        found = diag.syntax((pos, end), "the result of a function is written after `->`")
        run.builder.report(found.replace((pos, end), " ->", "write `->`", applicability=SAFE))
        run.shift(KIND["ARROW"], "->", pos, end)
        return end
    if lalr_table.feed(run.states, KIND["LBRACE"]) is None or (
        rest and not run.text[end : end + 1].isspace()
    ):
        return None
    found = diag.syntax((pos, end), "bodies are written in braces: `{ … }`, not after `:`")
    if rest.startswith("{"):
        run.builder.report(found.replace((pos, end), "", "remove `:`", applicability=SAFE))
        return end
    is_function = in_head and not in_prim_func(run)
    edits = python_bodies.in_braces(
        run.text, run.last_end, pos, "", has_value=is_function, is_closed=_has_closing_brace(run, pos)
    )
    if edits:
        found.fix("write the body in braces", *edits)
    run.builder.report(found)
    return SKIP


def _has_closing_brace(run: Run, pos: int) -> bool:
    """Return whether there are more closing braces in the rest of the item than open ones."""
    depth = sum(name == "LBRACE" for name, _ in open_brackets(run))
    for match in lalr_table.tokens(run.text, pos, run.stop):
        kind = kind_of(match)
        if kind in ITEM_WORDS and begins_line(run.text, match.start(match.lastindex or 0)):
            break
        depth += (kind == KIND["LBRACE"]) - (kind == KIND["RBRACE"])
    return depth < 0


def result_of_prim_func(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`prim_func @p(X: Buffer[…]) -> Tensor {`"""
    symbols = [lalr_table.symbol(state) for state in run.states[-7:]]
    is_named = kind == KIND["LSQB"] and symbols[-2:-1] == ["ARROW"]  # `-> Tensor[…]`
    if "PRIM_FUNC" not in symbols or not (is_named or kind == KIND["ARROW"]):
        return None
    stop = RESULT.match(run.text, run.starts[-2] if is_named else pos)
    if stop is None:
        return None  # another arrow, which was reported
    if is_named:
        drop_last(run)
        pos = drop_last(run)[0]
    place = (pos, pos + len(stop[0].rstrip()))
    found = diag.syntax(place, "a prim_func returns no arrays: its results are its last buffers")
    run.builder.report(found.replace((run.last_end, place[1]), "", "remove the result"))
    return place[1]


def fat_arrow(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`def @f(x: Tensor) => Tensor`, `(a) => a + x`."""
    if run.text[pos : pos + 2] != "=>":
        return None
    place = (pos, pos + 2)
    in_head = lalr_table.feed(run.states, KIND["ATTRS"]) is not None
    if in_head:
        at = _body_behind_arrow(run, pos)
        if at is not None:
            return at
    if in_head and run.shift(KIND["ARROW"], "->", *place):
        found = diag.syntax(place, "the result of a function is written after `->`")
        run.builder.report(found.replace(place, "->", "write `->`", applicability=SAFE))
        return pos + 2
    message = "a function without a name is written `fn (a: Tensor) -> Tensor { … }`, not with `=>`"
    run.builder.report(diag.syntax(place, message))
    return SKIP


def _body_behind_arrow(run: Run, pos: int) -> int | None:
    """`fn (a: Tensor) => a + a;`: what follows the arrow is the body, and no struct info."""
    text = run.text
    depth = depth_of(run, "FN", "DEF", "PRIM_FUNC")
    if lalr_table.symbol(run.states[depth]) != "FN":
        return None
    match = ARROW_BODY.match(text, pos)
    if match is None or match[1].partition("[")[0].strip() in STRUCT_INFOS:
        return None
    stop = match.end(1)
    tokens = [
        (kind_of(token), token[token.lastindex or 0], token.start(token.lastindex or 0), token.end())
        for token in lalr_table.tokens(text, pos + 2, stop)
    ]
    kinds = [KIND["LBRACE"], *[kind for kind, *_ in tokens], KIND["RBRACE"]]
    if min(kinds) < 0 or lalr_table.fits(run.states, kinds) < len(kinds):
        return None
    found = diag.syntax((pos, pos + 2), "the body of a function is written in braces: `fn (a: Tensor) { a }`")
    edits = Edit(pos, match.start(1), "{ "), Edit(stop, stop, " }")
    run.builder.report(found.fix("write the body in braces", *edits, applicability=SAFE))
    run.shift(KIND["LBRACE"], "{", pos, pos + 2)
    for kind, word, start, end in tokens:
        run.shift(kind, word, start, end)
    run.shift(KIND["RBRACE"], "}", stop, stop)
    return stop


def foreign_item(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`import tvm`, `class Module:`, `@R.function`, `fn main()` at the level of items."""
    if (
        lalr_table.feed(run.states, KIND["DEF"]) is None
        or lalr_table.feed(run.states, KIND["LET"]) is not None
    ):
        return None
    word = run.text[pos:end]
    if word in VISIBILITY:
        found = diag.syntax((pos, end), f"there is no `{word}`: every item is visible that is not `private`")
        run.builder.report(found.replace((pos, end + 1), "", f"remove `{word}`", applicability=SAFE))
        return end
    if kind == KIND["GLOBAL"] or (word in FUNCTION_WORDS and upcoming[1:2] != [KIND["LPAR"]]):
        at = function_head(run, pos, end, word)
        if at is not None:
            return at
    script = TVMSCRIPT.match(run.text, _behind_imports(run, pos, word))
    if script is not None:
        return _script(run, script.span(1), pos)
    message = FOREIGN_ITEMS.get(word)
    if kind == KIND["MODULE"]:
        message = "`module attrs { … }` is the head of the file"
    elif kind == KIND["GLOBAL"]:
        message = "there are no decorators; a function is written `def @name(…) { … }`"
    elif word in FUNCTION_WORDS:
        message = "a function of the module is written `def @name(…) { … }`"
    elif message is None:
        return None
    found = diag.syntax((pos, end), message)
    run.builder.report(found)
    if word in ("import", "from"):
        imports = IMPORTS.match(run.text, pos)
        run.builder.gaps.append((pos, pos))
        stop = imports.end() if imports else end
        behind = stop + (run.text[stop : stop + 1] == "\n")
        # Nothing depends on it: names of what was imported are not names of the language.
        found.replace((pos, behind), "", "remove it", applicability=SAFE)
        return stop
    if word == "class" or kind == KIND["GLOBAL"]:
        run.builder.gaps.append((pos, pos))
        return pos + len(rest_of_line(run.text, pos))
    return SKIP


def _behind_imports(run: Run, pos: int, word: str) -> int:
    """Return where the imports end that begin at `pos`: those of TVMScript belong to it, to remove them breaks it."""
    imports = IMPORTS.match(run.text, pos) if word in ("import", "from") else None
    blank = None if imports is None else BLANK.match(run.text, imports.end())
    return pos if blank is None else blank.end()


def _script(run: Run, place: tuple[int, int], pos: int) -> int:
    """Report TVMScript that begins at `pos`, up to the next item: all of it is read by another command."""
    found = diag.syntax(place, "this is TVMScript")
    run.builder.report(
        found.helped(
            "in a file that ends in `.py`, `relax check` reads it, and `relax import` makes Relax text of it"
        )
    )
    following = ITEM.search(run.text, place[1])
    stop = len(run.text) if following is None else following.start()
    run.builder.gaps.append((pos, stop))
    return stop


def function_head(run: Run, pos: int, end: int, word: str) -> int | None:
    """`fn main(…) -> S {`, `@main(…) {`: an item whose `def` is another word, or none."""
    text = run.text
    start = pos
    if not word.startswith("@"):
        start = end
        while text[start : start + 1].isspace():
            start += 1
    head = FUNCTION_HEAD.match(text, start)
    if head is None:
        return None
    stop = head.end(1)
    name = text[start:stop]
    shown = name if name.startswith("@") else f"@{name}"
    has_buffers = any(
        match[match.lastindex or 0] == "Buffer" for match in lalr_table.tokens(text, stop, head.end())
    )
    keyword, what = ("prim_func", "a PrimFunc") if has_buffers else ("def", "a function of the module")
    found = diag.syntax((pos, stop), f"{what} is written `{keyword} {shown}(…) {{ … }}`")
    fix = f"{keyword} {shown}"
    run.builder.report(found.replace((pos, stop), fix, f"write `{fix}`", applicability=SAFE))
    run.shift(KIND[keyword.upper()], None, pos, end)
    run.shift(KIND["GLOBAL"], shown, start, stop)
    return stop


def doc_string(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`\"\"\"What the module is.\"\"\"` where an item begins."""
    begins_item = len(run.states) == 1 or lalr_table.symbol(run.states[-1]) == "items"
    if not begins_item or not run.text.startswith(('"""', "'''"), pos):
        return None
    stop = run.text.find(run.text[pos : pos + 3], pos + 3)
    stop = len(run.text) if stop < 0 else stop + 3
    found = diag.syntax((pos, stop), "what documents an item is written in comments before it: `## …`")
    lines = [line.strip() for line in run.text[pos + 3 : stop - 3].splitlines()]
    new = "\n".join([f"## {line}".rstrip() for line in lines if line])
    if run.text[stop : stop + 1] not in ("\n", ""):
        new += "\n"
    run.builder.report(found.replace((pos, stop), new, "write `##` comments"))
    return stop


def merge_conflict(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """What a version control system leaves: the first version is read, the others are not."""
    text = run.text
    start = text.rfind("\n", 0, pos) + 1
    mark = text[start : start + 7]
    if mark not in ("<<<<<<<", "|||||||", "=======", ">>>>>>>"):
        return None
    while len(run.states) > 1 and run.starts[-1] >= start:  # a part of the mark that looked like an operator
        drop_last(run)
    if mark == "<<<<<<<" or not run.builder.in_conflict:
        run.builder.report(diag.syntax((start, start + 7), "a merge conflict is not resolved here"))
    run.builder.in_conflict = mark == "<<<<<<<"
    closing = text.find("\n>>>>>>>", start)
    if mark in ("|||||||", "=======") and closing >= 0:
        start = closing + 1
    return start + len(rest_of_line(text, start))


BEFORE_OTHERS = (merge_conflict, doc_string)
ERROR_PRODUCTIONS = (
    fat_arrow,
    name_without_at,
    modifier_behind_def,
    result_of_prim_func,
    *parameters.ERROR_PRODUCTIONS,
    colon_head,
    foreign_item,
)
