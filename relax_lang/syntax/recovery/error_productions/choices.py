"""Error productions for choices between two values: `c ? a : b`, `a if c else b`. [Y.7]"""

from __future__ import annotations

from relax_lang.base.diagnostic import SAFE
from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import lalr_table
from relax_lang.syntax.lalr_table import KIND
from relax_lang.syntax.recovery.token_edits import STATEMENTS, in_prim_func, outside_brackets, replace_tokens

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.syntax.driver import Run

BEFORE_VALUE = STATEMENTS | {
    *("ASSIGN", "PLUS_ASSIGN", "MINUS_ASSIGN", "STAR_ASSIGN", "store_op"),
    *("LPAR", "LSQB", "LBRACE", "COMMA", "arg_list", "expr_list", "prim_arg_list", "prim_list"),
}
"""What a whole value comes after."""


def form_of_choice(run: Run) -> str:
    """Return how a choice between two values is written here."""
    return "if_then_else(c, a, b)" if in_prim_func(run) else "if c { a } else { b }"


def question_mark(run: Run, pos: int) -> int | None:
    """`c ? a : b`."""
    second = _value_end(run.text, pos + 1, ":")
    if second is None:
        return None
    last = _value_end(run.text, second + 1, "")
    yes, no = run.text[pos + 1 : second].strip(), _nested(run, run.text[second + 1 : last].strip())
    return _report(run, (pos, pos + 1), last, lambda value: (value, yes, no))


def _nested(run: Run, value: str) -> str:
    """Return `b ? c : d` as it is written here; any other value as it is."""
    text = value + ";"
    heads: list[str] = []
    is_scalar, at = in_prim_func(run), 0
    while True:
        mark = _value_end(text, at, "?")
        second = None if mark is None else _value_end(text, mark + 1, ":")
        if mark is None or second is None:
            break
        condition, yes = text[at:mark].strip(), text[mark + 1 : second].strip()
        heads.append(
            f"if_then_else({condition}, {yes}, " if is_scalar else f"if {condition} {{ {yes} }} else {{ "
        )
        at = second + 1
    last = text[at:-1].strip()
    return "".join(heads) + last + (")" if is_scalar else " }") * len(heads)


def _written(run: Run, condition: str, yes: str, no: str) -> str:
    if in_prim_func(run):
        return f"if_then_else({condition}, {yes}, {no})".replace("[]", "[()]")  # `S[]` is reported with it
    return f"if {condition} {{ {yes} }} else {{ {no} }}"


def conditional_expression(run: Run, pos: int, end: int) -> int | None:
    """`a if c else b`."""
    word = run.text.find(" else ", end)
    last = _value_end(run.text, end, "")
    if word < 0 or last is None or word > last:
        return None
    parts = run.text[end:word].strip(), run.text[word + len(" else ") : last].strip()
    return _report(run, (pos, end), last, lambda value: (parts[0], value, parts[1]))


def without_braces(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`if c then a else b`, `if (c) a else b`."""
    at = next(
        (at for at in range(len(run.states) - 1, 0, -1) if lalr_table.symbol(run.states[at]) == "IF"), 0
    )
    if at == 0 or len(run.starts) <= at + 1 or in_prim_func(run):
        return None
    text, has_word = run.text, run.text[pos:end] == "then"
    condition = text[run.starts[at + 1] : run.last_end]
    if not (has_word or condition.endswith(")")) or lalr_table.feed(run.states, KIND["LBRACE"]) is None:
        return None
    begin = end if has_word else pos
    word, last = text.find(" else ", begin), _value_end(text, begin, "")
    if word < 0 or last is None or word > last:
        return None
    yes, no = text[begin:word].strip(), text[word + len(" else ") : last].strip()
    if "\n" in condition or not (yes and no) or yes[0] == "{" or no[0] == "{":
        return None
    start = run.starts[at]
    form = f"if {condition} {{ {yes} }} else {{ {no} }}"
    if not replace_tokens(run, at, form, start, last):
        return None
    found = diag.syntax((start, start + 2), f"a choice between two values is written `{form_of_choice(run)}`")
    run.builder.report(found.replace((start, last), form, f"write `{form}`", applicability=SAFE))
    return last


def _report(
    run: Run, operator: tuple[int, int], last: int | None, arranged: Callable[[str], tuple[str, str, str]]
) -> int | None:
    depth = _before_value(run)
    if last is None or depth + 1 >= len(run.starts):
        return None
    start = run.starts[depth + 1]
    value = run.text[start : run.last_end]
    condition, yes, no = arranged(value)
    if "\n" in value or not (condition and yes and no):
        return None
    form = _written(run, condition, yes, no)
    if not replace_tokens(run, depth + 1, form, start, last):
        return None
    found = diag.syntax(operator, f"a choice between two values is written `{form_of_choice(run)}`")
    run.builder.report(found.replace((start, last), form, f"write `{form}`", applicability=SAFE))
    return last


def _before_value(run: Run) -> int:
    """Return the index on the stacks of what comes before the value at hand; brackets that are closed belong to it."""
    closed = 0
    for depth in range(len(run.states) - 1, 0, -1):
        name = lalr_table.symbol(run.states[depth])
        if name in ("RPAR", "RSQB"):
            closed += 1
        elif closed:
            closed -= name in ("LPAR", "LSQB")
        elif name in BEFORE_VALUE:
            return depth
    return 0


def _value_end(text: str, start: int, mark: str) -> int | None:
    """Return where a value ends on its line: before `mark`, or before what ends any value; None if it has no end."""
    nested = "?" if mark == ":" else ""
    at = outside_brackets(text, start, f"{mark}{nested},;)]}}\n", '"{#')
    if at is None or (mark and text[at] != mark):
        return None
    if mark:
        return at
    if text[at] == "\n" and text[at:].lstrip()[:1] != "}":  # before the brace after the value of a function
        return None
    return start + len(text[start:at].rstrip())
