"""Foreign syntax in statements: other ways to bind, to return and to repeat. [Y.7]"""

from __future__ import annotations

import re

from relax_lang.base.diagnostic import SAFE, Edit
from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import lalr_table
from relax_lang.syntax.lalr_table import KIND
from relax_lang.syntax.recovery.token_edits import (
    LISTS,
    SKIP,
    begins_statement,
    binds_later,
    depth_of,
    drop_last,
    in_prim_func,
    last_name,
    outside_brackets,
    previous,
    replace_tokens,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.syntax.driver import Run

ELEMENT = re.compile(r"([^\W\d]\w*)\s*\[[^;{}\n]*\]\s*")
NAMES = re.compile(r"\(\s*+([^\W\d]\w*(?:\s*+,\s*+[^\W\d]\w*)*)\s*+(?:,\s*+)?\)")
COMPOUND = frozenset(KIND[name] for name in ("PLUS_ASSIGN", "MINUS_ASSIGN", "STAR_ASSIGN"))
PRIM_FUNC_WORDS = frozenset(KIND[name] for name in ("FOR", "WHILE", "ALLOC", "ASSERT", "BLOCK"))
FUNCTION_WORDS = frozenset(
    KIND[name] for name in ("DATAFLOW", "BINDINGS", "OUTPUT", "MATCH_CAST", "MATCH_SHAPE")
)
LOOP_WORDS = ("do", "loop", "forall", "foreach", "parfor", "repeat", "DO")


def returning(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`return x;`"""
    if previous(run) != "return" or not isinstance(run.values[-1], str):
        return None
    place = drop_last(run)
    if lalr_table.symbol(run.states[-1]) == "tir_statements":
        message = "a prim_func returns no arrays: its results are its last buffers"
        run.builder.report(diag.syntax(place, message))
        return SKIP
    found = diag.no_return(place)
    edits = [Edit(place[0], pos, "")]
    stop = re.compile(r"[^;{}]*;(?=\s*\})").match(run.text, pos)
    if stop:
        edits.append(Edit(stop.end() - 1, stop.end(), ""))
    values = _several(run.text, pos)
    if values is not None:  # `return a, b;`
        edits = [Edit(place[0], pos, "("), Edit(values, values + (stop is not None), ")")]
        run.builder.report(found.fix("write the values as a tuple", *edits, applicability=SAFE))
        run.builder.returned.add(pos)
        form = f"({run.text[pos:values]})"
        return values if replace_tokens(run, len(run.states), form, pos, values) else SKIP
    run.builder.report(found.fix("write the value alone", *edits, applicability=SAFE))
    run.builder.returned.add(pos)
    return pos


def _several(text: str, start: int) -> int | None:
    """Return where values end that are separated by commas, before `;` or `}`; None if there is only one."""
    comma = outside_brackets(text, start, ",;}\n", '"{#')
    if comma is None or text[comma] != ",":
        return None
    stop = outside_brackets(text, start, ";}\n", '"{#')
    return None if stop is None else start + len(text[start:stop].rstrip())


def relay_variable(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`%x`, `%0 = …`."""
    if kind != KIND["PERCENT"] or run.text[end : end + 1].isspace() or len(upcoming) < 2:
        return None
    number = re.compile(r"\d+").match(run.text, end)
    if number is None and lalr_table.fits(run.states, upcoming[1:2]) < 1:
        return None
    binds = upcoming[2:3] == [KIND["ASSIGN"]] and lalr_table.feed(run.states, KIND["LET"]) is not None
    if number is None:
        found = diag.syntax((pos, end), "names of variables have no `%`")
        if binds:  # one mistake: Relay binds without a word
            run.builder.report(found.replace((pos, end), "let ", "write `let`", applicability=SAFE))
            run.shift(KIND["LET"], None, pos, pos)
            return end
        run.builder.report(found.replace((pos, end), "", "remove `%`", applicability=SAFE))
        return end
    if lalr_table.feed(run.states, KIND["NAME"]) is None:
        return None
    name, place = f"v{number[0]}", (pos, number.end())
    form = f"let {name}" if binds else name
    found = diag.syntax(place, f"names of variables have no `%` and begin with a letter: `{form}`")
    run.builder.report(found.replace(place, form, f"write `{form}`", applicability=SAFE))
    if binds:
        run.shift(KIND["LET"], None, pos, pos)
    run.shift(KIND["NAME"], name, *place)
    return number.end()


def walrus(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`let y := x;`, `y := x;`"""
    text = run.text
    if kind == KIND["ASSIGN"] and text[pos - 1 : pos] == ":" and lalr_table.symbol(run.states[-1]) == "COLON":
        drop_last(run)
        found = diag.syntax((pos - 1, end), "a binding is written with `=`")
        run.builder.report(found.replace((pos - 1, end), "=", "write `=`", applicability=SAFE))
        return pos
    if kind != KIND["COLON"] or text[end : end + 1] != "=":
        return None
    if last_name(run) and begins_statement(run):  # `y := x`
        at = run.starts[-1]
        run.builder.report_assignment(at, with_let(run, (at, end + 1), f"let {last_name(run)} ="))
        return end
    if lalr_table.fits(run.states, upcoming[1:2]):
        found = diag.syntax((pos, end + 1), "a binding is written with `=`")
        run.builder.report(found.replace((pos, end + 1), "=", "write `=`", applicability=SAFE))
        return end
    return None


def with_let(run: Run, place: tuple[int, int], form: str) -> Diagnostic:
    """Put `let` before the name on the stacks; return the diagnostic for that."""
    name = last_name(run)
    at = drop_last(run)
    run.shift(KIND["LET"], None, at[0], at[0])
    run.shift(KIND["NAME"], name, *at)
    found = diag.syntax(place, "a statement that binds a variable begins with `let`")
    return found.replace(place, form, "write `let`", applicability=SAFE)


def annotated_name(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`y: Tensor = x;`"""
    if kind != KIND["COLON"] or not last_name(run) or not begins_statement(run):
        return None
    if run.text[end : end + 1] == ":" or lalr_table.feed(run.states, KIND["LBRACE"]) is not None:
        return None
    name, at = last_name(run), run.starts[-1]
    run.builder.report_assignment(at, with_let(run, (at, at + len(name)), f"let {name}"))
    return pos


def other_let(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`var y = x;`, `const y = x;`, `float y = x;`"""
    if kind != KIND["NAME"] or upcoming[1:2] not in ([KIND["ASSIGN"]], [KIND["COLON"]]):
        return None
    if lalr_table.symbol(run.states[-1]) not in ("NAME", "name", "CONST") or not begins_statement(run):
        return None
    if "\n" in run.text[run.last_end : pos]:
        return None  # the line before lacks its `;`
    if previous(run) == "lambda":
        return None  # a function without a name
    if last_name(run) in LOOP_WORDS:
        place = drop_last(run)
        run.builder.report(diag.syntax(place, "a loop is written `for i in 0..n { … }`, in a prim_func"))
        return SKIP
    place = drop_last(run)
    word = run.text[place[0] : place[1]]
    found = diag.syntax(place, f"a variable is bound with `let`, not `{word}`")
    run.builder.report(found.replace(place, "let", "write `let`", applicability=SAFE))
    run.shift(KIND["LET"], None, *place)
    return pos


def compound_assignment(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`x += 1.0;`"""
    name = last_name(run)
    if kind not in COMPOUND or not name or not begins_statement(run):
        return None
    place = drop_last(run)
    found = diag.syntax(place, "a variable never changes; bind the new value with `let`")
    run.builder.compounds[place[0]] = run.text[pos], end  # the fix is offered when the value is known
    run.builder.report_assignment(place[0], found)
    run.shift(KIND["LET"], None, place[0], place[0])
    run.shift(KIND["NAME"], name, *place)
    run.shift(KIND["ASSIGN"], "=", pos, end)
    return end


def stored_element(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`x[0] = e;` in a function, `x[i] += e;`: what is behind the sign is read as a statement of its own."""
    if kind not in (*COMPOUND, KIND["ASSIGN"]) or in_prim_func(run):
        return None
    depth = depth_of(run, *LISTS)
    if depth == 0 or len(run.starts) <= depth + 1:
        return None
    start = run.starts[depth + 1]
    element = ELEMENT.fullmatch(run.text, start, run.last_end)
    if element is None:
        return None
    name = element[1]
    del run.states[depth + 1 :], run.values[depth + 1 :], run.starts[depth + 1 :]
    run.builder.mute(start, pos)
    found = diag.syntax((start, element.end()), "the elements of a tensor never change")
    makers = "`where`, `scatter_elements` and `index_put` make one of it that has others"
    run.builder.report(found.helped(f"bind another tensor, `let {name} = …;`: {makers}"))
    return end


def no_assign(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`let y add(x, x);`, `let y Object = x;`: the grammar has read two names, for the sake of `let mut y`."""
    if not last_name(run) or not last_name(run, 2) or lalr_table.symbol(run.states[-3]) != "LET":
        return None
    if last_name(run, 2) == "mut" or kind in (KIND["ASSIGN"], KIND["COLON"], KIND["COMMA"]):
        return None
    at, _ = drop_last(run)
    behind = run.last_end
    name, mark, what = "ASSIGN", " =", "expected `=` and a value"
    if binds_later(run, at) and not in_prim_func(run):
        name, mark, what = "COLON", ":", "expected `:` before the struct info of a variable"
    shown = mark.strip()
    found = diag.syntax((behind, behind + 1), what, f"`{shown}` is missing here")
    run.builder.report(found.fix(f"add `{shown}`", Edit(behind, behind, mark), applicability=SAFE))
    run.shift(KIND[name], shown, behind, behind)
    return at


def store_by_call(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`Y(i) = e;` in a prim_func."""
    if lalr_table.symbol(run.states[-1]) != "RPAR" or kind not in (*COMPOUND, KIND["ASSIGN"]):
        return None
    depth = depth_of(run, "tir_statements")
    if depth == 0 or lalr_table.symbol(run.states[depth + 1]) not in ("NAME", "name"):
        return None
    if lalr_table.symbol(run.states[depth + 2]) != "LPAR":
        return None
    name = run.values[depth + 1]
    place = (run.starts[depth + 1], run.last_end)
    found = diag.syntax(place, f"the elements of a buffer are indexed in brackets: `{name}[…]`")
    inner = run.text[run.starts[depth + 2] + 1 : place[1] - 1].strip() or "()"
    run.builder.report(found.replace(place, f"{name}[{inner}]", "use brackets"))
    return SKIP


def index_not_closed(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`Y[i = e;`, `Y[(i) += e;` in a prim_func."""
    depth = depth_of(run, "tir_statements")
    if kind not in (*COMPOUND, KIND["ASSIGN"]) or depth == 0 or len(run.states) < depth + 4:
        return None
    symbols = [lalr_table.symbol(state) for state in run.states[depth + 1 :]]
    if (
        symbols[0] not in ("NAME", "name")
        or symbols[1] != "LSQB"
        or {"LSQB", "LPAR"} & set(_open(symbols[2:]))
    ):
        return None
    after = lalr_table.feed(run.states, KIND["RSQB"])
    if after is None or lalr_table.feed(after, kind) is None or run.text[run.last_end - 1] in ",[":
        return None
    at, behind = run.starts[depth + 2], run.last_end
    found = diag.syntax((at, at + 1), "this `[` is never closed", "expected `]`")
    found.label((behind, behind + 1), "`]` is missing here")
    run.builder.report(found.fix("add `]`", Edit(behind, behind, "]"), applicability=SAFE))
    run.shift(KIND["RSQB"], "]", behind, behind)
    return pos


def _open(symbols: list[str]) -> list[str]:
    """Return the brackets on the stack that are not closed."""
    found: list[str] = []
    for symbol in symbols:
        if symbol in ("LPAR", "LSQB"):
            found.append(symbol)
        elif symbol in ("RPAR", "RSQB") and found:
            found.pop()
    return found


def other_kind_of_function(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """Loops in a function; a dataflow block in a prim_func."""
    word = run.text[pos:end]
    in_prim_func = lalr_table.feed(run.states, KIND["FOR"]) is not None
    if kind in PRIM_FUNC_WORDS and not in_prim_func and lalr_table.feed(run.states, KIND["LET"]) is not None:
        if kind == KIND["BLOCK"] and upcoming[1:2] != [KIND["NAME"]]:
            return None
        found = diag.syntax((pos, end), f"`{word}` belongs in a prim_func, not in a function")
        if kind in (KIND["FOR"], KIND["WHILE"]):
            found.helped(
                "a function repeats something by calling itself; loops over elements are written in a prim_func"
            )
        run.builder.report(found)
        return SKIP
    if kind in FUNCTION_WORDS and in_prim_func:
        run.builder.report(diag.syntax((pos, end), f"`{word}` belongs in a function, not in a prim_func"))
        return SKIP
    return None


def output_as_call(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`output(a, b);`"""
    if kind != KIND["LPAR"] or lalr_table.symbol(run.states[-1]) != "OUTPUT":
        return None
    match = NAMES.match(run.text, pos)
    if match is None:
        return None
    place = (pos, match.end())
    names = [name.strip() for name in match[1].split(",")]
    found = diag.syntax(place, "`output` is not a call: the names follow it")
    run.builder.report(
        found.replace(place, f" {', '.join(names)}", "remove the parentheses", applicability=SAFE)
    )
    for index, name in enumerate(names):
        if index:
            run.shift(KIND["COMMA"], ",", *place)
        run.shift(KIND["NAME"], name, *place)
    return match.end()


def python_statement(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`with R.dataflow():`, `try:`, `def f(x):` and others whose body would follow a colon."""
    word = last_name(run)
    if word == "with" and begins_statement(run):
        in_function = lalr_table.symbol(run.states[-2]) == "statements"
        form = "dataflow { … output y; }" if in_function else "block b (…) { … }"
        place = drop_last(run)
        message = f"there is no `with`; a block is written `{form}`"
        if kind in FUNCTION_WORDS and in_function:
            found = diag.syntax(place, message)
            run.builder.report(found.replace((place[0], pos), "", "remove `with`", applicability=SAFE))
            return pos
        run.builder.report(diag.syntax(place, message))
        return SKIP
    return None


ERROR_PRODUCTIONS = (
    returning,
    relay_variable,
    walrus,
    annotated_name,
    python_statement,
    output_as_call,
    other_let,
    no_assign,
    compound_assignment,
    stored_element,
    store_by_call,
    index_not_closed,
    other_kind_of_function,
)
