"""Error productions for operators of other languages: words, signs of bits and of matrices, choices. [Y.7]

An operator that the language has only as a call is read as one that it has, so that the rest of the text is read as
it is meant. What it computes is not looked at (`replaced_operators`); the fix writes the call once the operands
are known.
"""

from __future__ import annotations

import re

from relax_lang.base.diagnostic import SAFE
from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import lalr_table, tree
from relax_lang.syntax.lalr_table import KIND
from relax_lang.syntax.recovery.error_productions import choices
from relax_lang.syntax.recovery.token_edits import (
    SKIP,
    drop_last,
    in_prim_func,
    last_variable,
    previous,
    reopen,
)
from relax_lang.syntax.vocabulary import foreign_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax.driver import Run

WORD_OPERATORS = {"and": ("ANDAND", "&&"), "or": ("OROR", "||"), "is": ("EQ", "==")}
OPERANDS = {"ANDAND": "prim_and", "OROR": "prim_or", "EQ": "prim_compare"}
BIT_OPERATORS = {
    "AMP": "bitwise_and",
    "BAR": "bitwise_or",
    "CARET": "bitwise_xor",
    "SHL": "left_shift",
    "SHR": "right_shift",
}
READ_AS = {"AMP": "ANDAND", "BAR": "OROR"}
"""Signs of about the same precedence; all others are read as a sum."""
CONDITIONAL = re.compile(r"if\b[^{}\n;]*\belse\b")
NEXT_WORD = re.compile(r"\s*(\w+)")
UNBROKEN = re.compile(r"[\w.]+(?:\[[^\[\]]*\]|\([^()]*\))*")
"""An operand that `as` can only belong to as a whole."""
_CALL = re.compile(r"\w+\(")
MATRIX_PRODUCT = re.compile(r"@\s*")


def word_operators(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`a and b`, `a or b`, `not a`."""
    word = run.text[pos:end]
    if kind == KIND["NAME"] and word in WORD_OPERATORS:
        name, mark = WORD_OPERATORS[word]
        reopen(run, OPERANDS[name])
        if lalr_table.feed(run.states, KIND[name]) is not None:
            found = diag.syntax((pos, end), f"`{word}` is written `{mark}`")
            run.builder.report(found.replace((pos, end), mark, f"write `{mark}`", applicability=SAFE))
            run.shift(KIND[name], mark, pos, end)
            return end
    if previous(run) == "not" and _is_not(run.values[-1]):
        place = drop_last(run)
        found = diag.syntax(place, "`not` is written `!`")
        run.builder.report(found.replace((place[0], pos), "!", "write `!`", applicability=SAFE))
        run.shift(KIND["NOT"], "!", *place)
        return pos
    return None


def _is_not(value: object) -> bool:
    return value == "not" or (isinstance(value, tree.PrimVar) and value.name == "not")


def matrix_product(run: Run, pos: int) -> int | None:
    """`x @ w`, `x @w`."""
    if lalr_table.feed(run.states, KIND["STAR"]) is None or in_prim_func(run):
        return None
    operator = MATRIX_PRODUCT.match(run.text, pos)
    assert operator
    name, begins_name = last_variable(run), operator.end() == pos + 1
    if begins_name and ("\n" in run.text[run.last_end : pos] or (name and name not in run.builder.visible)):
        return None  # `f@g, x)` lacks a parenthesis, and a line before `@g(x)` its end
    found = diag.syntax((pos, pos + 1), "matrices are multiplied by `matmul`, not by `@`")
    run.builder.report(found)
    is_call = (
        begins_name and _CALL.match(run.text, pos + 1) is not None
    )  # `a  @f(x)`: an operator may be missing
    run.builder.elsewhere.operators[pos] = found, "" if is_call else "matmul"
    run.shift(KIND["STAR"], "*", pos, pos + 1)
    return operator.end()


def product_with_a_name(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`x @w`: the operator and the name read as the name of a function."""
    return matrix_product(run, pos) if kind == KIND["GLOBAL"] else None


def bit_operators(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`a & b` of tensors."""
    name = next((name for name in BIT_OPERATORS if KIND[name] == kind), None)
    if name is None or lalr_table.feed(run.states, KIND["ANDAND"]) is None:
        return None
    mark = run.text[pos:end]
    helped = f"call `{BIT_OPERATORS[name]}(a, b)`"
    if name in ("AMP", "BAR"):
        helped += f"; the logical operator is `{mark}{mark}`"
    found = diag.syntax((pos, end), f"`{mark}` is an operator of prim_funcs only")
    run.builder.report(found.helped(helped))
    run.builder.elsewhere.operators[pos] = found, BIT_OPERATORS[name]
    read_as = READ_AS.get(name, "PLUS")
    run.shift(KIND[read_as], lalr_table.SPELLING[KIND[read_as]], pos, end)
    return end


def bit_complement(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`~c` of tensors."""
    if kind != KIND["TILDE"] or lalr_table.feed(run.states, KIND["NOT"]) is None or in_prim_func(run):
        return None
    found = diag.syntax((pos, end), "`~` is an operator of prim_funcs only")
    found.helped("call `bitwise_not(a)`; of bools write `!a`")
    run.builder.report(found.replace((pos, end), "!", "write `!`, if this is a bool"))
    run.builder.elsewhere.operators[pos] = found, ""
    run.shift(KIND["NOT"], "!", pos, end)
    return end


def conditional_expression(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`a if c else b`."""
    if kind != KIND["IF"] or not CONDITIONAL.match(run.text, pos):
        return None
    at = choices.conditional_expression(run, pos, end)
    if at is not None:
        return at
    form = choices.form_of_choice(run)
    run.builder.report(diag.syntax((pos, end), f"the condition comes first: `{form}`"))
    return SKIP


def conversion(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`x as float32`."""
    if kind != KIND["NAME"] or run.text[pos:end] != "as":
        return None
    reopen(run, "prim_atom")
    if lalr_table.feed(run.states, KIND["PLUS"]) is None:
        return None
    form = "cast({}, {})" if in_prim_func(run) else "astype({}, dtype={})"
    found = diag.syntax(
        (pos, end), f"there is no `as`; a conversion is written `{form.format('x', 'float32')}`"
    )
    word = NEXT_WORD.match(run.text, end)
    dtype = None if word is None else foreign_words.dtype_of(word[1])
    operand = run.text[run.starts[-1] : run.last_end]
    if word is None or dtype is None or not UNBROKEN.fullmatch(operand):
        run.builder.report(found)
        return SKIP
    form = form.format(operand, dtype)
    run.builder.report(
        found.replace((run.starts[-1], word.end()), form, f"write `{form}`", applicability=SAFE)
    )
    return word.end()


def doubled_plus(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`x ++ y`, `x++;`."""
    if kind != KIND["PLUS"] or run.text[pos - 1 : pos] != "+" or run.last_end != pos:
        return None
    place = (pos - 1, end)
    if upcoming[1:2] == [KIND["SEMICOLON"]]:
        drop_last(run)
        run.builder.report(
            diag.syntax(place, "there is no `++`: values never change").helped(
                "bind a new value: `let y = x + …;`"
            )
        )
        return end
    found = diag.syntax(place, "there is no `++`").helped(
        "`+` adds, element by element; `concat((a, b), axis=0)` puts one behind the other"
    )
    run.builder.report(found)
    run.builder.elsewhere.operators[place[0]] = found, "+"
    return end


def not_equal(run: Run, pos: int, end: int, kind: int, upcoming: list[int]) -> int | None:
    """`a <> b`."""
    if run.text[pos - 1 : end] != "<>" or lalr_table.symbol(run.states[-1]) not in ("LT", "compare_op"):
        return None
    drop_last(run)
    found = diag.syntax((pos - 1, end), "`<>` is written `!=`")
    run.builder.report(found.replace((pos - 1, end), "!=", "write `!=`", applicability=SAFE))
    run.shift(KIND["NE"], "!=", pos - 1, end)
    return end


ERROR_PRODUCTIONS = (
    word_operators,
    product_with_a_name,
    bit_operators,
    bit_complement,
    conditional_expression,
    choices.without_braces,
    conversion,
    doubled_plus,
    not_equal,
)
