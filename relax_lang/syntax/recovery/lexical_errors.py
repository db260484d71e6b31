"""Text that begins no token: quotes never closed, typographic characters, methods, half numbers. [Y.4] [Y.6]

Reports it once, puts what was probably meant in its place, and returns where to read on.
"""

from __future__ import annotations

import re

from relax_lang.base.diagnostic import SAFE
from relax_lang.syntax import diagnostics as diag
from relax_lang.syntax import lalr_table
from relax_lang.syntax.dtypes import DTYPES
from relax_lang.syntax.lalr_table import KIND
from relax_lang.syntax.recovery.error_productions import annotations, choices, operators
from relax_lang.syntax.recovery.token_edits import in_prim_func, kind_of, last_variable
from relax_lang.syntax.vocabulary import foreign_words

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax.driver import Run

LOOKALIKES = {
    "–": "-",
    "—": "-",
    "−": "-",
    "×": "*",
    "·": "*",
    "÷": "/",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "→": "->",
    "⇒": "->",
    "∧": "&&",
    "∨": "||",
    "¬": "!",
    "∞": "inf",
    "，": ",",
    "；": ";",
    "：": ":",
    "（": "(",
    "）": ")",
    "［": "[",
    "］": "]",
    "｛": "{",
    "｝": "}",
    "＝": "=",
}
"""What word processors and other keyboards put for signs of the language."""

BLANKS = "\u00a0\u2000\u2001\u2002\u2003\u2009\u200a\u200b\u202f\u2060\u3000\ufeff\u2028\u2029\x0b\x85"
"""Characters that look like blanks and are none."""

QUOTES = {"'": "'", "‘": "’", "“": "”", "”": "”", "’": "’", "«": "»", "„": "“"}

_CONVERSION = re.compile(r"\.(?:astype|to)\(\s*([\"']?)(\w+)\1\s*\)")
_METHOD_CALL = re.compile(r"\.\w+\([^()\[\]{};\n]*(?:\([^()\[\]{};\n]*\)[^()\[\]{};\n]*)*\)")
_METHOD = re.compile(r"\.\w+")
_FIELD = re.compile(r"\.(\d+)(?![\w.])")
_FRACTION = re.compile(r"\.\d+(?:[eE][+-]?\d+)?")
_BLANK_NAME = re.compile(r"@[ \t]+([^\W\d]\w*)")
_DIGIT_NAME = re.compile(r"@\d\w*")
_NAME_BEFORE = re.compile(r"[^\W\d][\w.]*\Z")
_INSIDE = re.compile(r"[^;,)\]}\n]*")


def at_bad_text(run: Run, pos: int) -> int:
    """Report text that begins no token; return the offset to read on from."""
    text = run.text
    char = text[pos]
    if char == "\ufeff" and pos == 0:
        return 1
    opener = pos + 1 if char == "@" and text[pos + 1 : pos + 2] == '"' else pos
    if text[opener] in '"`':
        return unterminated(run, pos, opener)
    line_end = text.find("\n", pos)
    line_end = len(text) if line_end < 0 else line_end
    closer = QUOTES.get(char)
    stop = text.find(closer, pos + 1, line_end) if closer else -1
    if stop > 0:
        return wrong_quotes(run, pos, stop)
    if char in LOOKALIKES:
        return lookalike(run, pos)
    if char in BLANKS:
        return no_blank(run, pos)
    for known in (third_dot, half_number, field, product, item_name):
        at = known(run, pos)
        if at is not None:
            return at
    return bad_run(run, pos, line_end)


def unterminated(run: Run, pos: int, opener: int) -> int:
    """A string or quoted name that is not closed on its line. [Y.4]"""
    mark = run.text[opener]
    run.builder.report(diag.unterminated_string((opener, opener + 1), mark))
    run.builder.repaired.add(pos)
    kind = "GLOBAL" if opener > pos else "NAME" if mark == "`" else "STRING"
    inside = _INSIDE.match(run.text, opener + 1)  # what closes a statement was hardly meant to be in it
    stop = inside.end() if inside else opener + 1
    run.shift(KIND[kind], {"GLOBAL": "@_", "NAME": "_", "STRING": '""'}[kind], pos, stop)
    run.bad_at = stop
    return max(stop, pos + 1)


def wrong_quotes(run: Run, pos: int, stop: int) -> int:
    """`'NHWC'`, `“NHWC”`."""
    inner = run.text[pos + 1 : stop]
    place = (pos, stop + 1)
    if inner in DTYPES and lalr_table.feed(run.states, KIND["STRING"]) is None:
        found = diag.syntax(place, "dtypes are written without quotes")
        run.builder.report(found.replace(place, inner, f"write `{inner}`", applicability=SAFE))
        run.shift(KIND["NAME"], inner, *place)
        return stop + 1
    found = diag.bad_character(place, run.text[pos])
    run.builder.report(found.replace(place, f'"{inner}"', "use double quotes", applicability=SAFE))
    run.builder.repaired.add(pos)
    if not run.shift(KIND["STRING"], f'"{inner}"', *place):
        run.bad_at = pos
    return stop + 1


def lookalike(run: Run, pos: int) -> int:
    """`x – y`, `a ≤ b`: read as the character that was meant."""
    char = run.text[pos]
    meant = LOOKALIKES[char]
    place = (pos, pos + 1)
    found = diag.bad_character(place, char)
    run.builder.report(found.replace(place, meant, f"write `{meant}`", applicability=SAFE))
    if not run.shift(lalr_table.LITERALS[meant], meant, *place):
        run.bad_at = pos
    return pos + 1


def no_blank(run: Run, pos: int) -> int:
    """A no-break space and its kin: read as a blank."""
    stop = pos + 1
    while run.text[stop : stop + 1] and run.text[stop] in BLANKS:
        stop += 1
    found = diag.bad_character((pos, stop), run.text[pos])
    run.builder.report(found.replace((pos, stop), " ", "write an ordinary blank", applicability=SAFE))
    return stop


def third_dot(run: Run, pos: int) -> int | None:
    """`0...n`, `0...4`."""
    if run.text[pos] != "." or lalr_table.symbol(run.states[-1]) != "DOTDOT" or run.last_end != pos:
        return None
    found = diag.syntax((pos - 2, pos + 1), "a range is written `0..n`, without its end")
    run.builder.report(found.replace((pos, pos + 1), "", "write `..`, if the end is not in it"))
    return pos + 1


def half_number(run: Run, pos: int) -> int | None:
    """`1.`, `.5`"""
    text = run.text
    if text[pos] != ".":
        return None
    fraction = _FRACTION.match(text, pos)
    before = text[pos - 1 : pos]
    message = "a fraction has digits on both sides of its point"
    if (
        before.isdigit()
        and run.last_end == pos
        and fraction is None
        and not text[pos + 1 : pos + 2].isalpha()
    ):
        found = diag.syntax((pos, pos + 1), message)
        run.builder.report(found.replace((pos, pos + 1), ".0", "add a zero", applicability=SAFE))
        run.builder.half_numbers.add(run.starts[-1])
        return pos + 1
    if fraction is None or lalr_table.feed(run.states, KIND["FLOAT"]) is None:
        return None
    found = diag.syntax((pos, fraction.end()), message)
    run.builder.report(found.replace((pos, pos), "0", "add a zero", applicability=SAFE))
    run.shift(KIND["FLOAT"], f"0{fraction[0]}", pos, fraction.end())
    return fraction.end()


def field(run: Run, pos: int) -> int | None:
    """`t.0`, as in Relay and Rust."""
    match = _FIELD.match(run.text, pos)
    if match is None or lalr_table.feed(run.states, KIND["LSQB"]) is None:
        return None
    name = last_variable(run)
    if lalr_table.symbol(run.states[-1]) == "GLOBAL" or (name and name not in run.builder.visible):
        return None  # `@f1.0)`: a parenthesis is missing
    place = (pos, match.end())
    found = diag.syntax(place, f"a field of a tuple is written `t[{match[1]}]`")
    run.builder.report(found.replace(place, f"[{match[1]}]", f"write `[{match[1]}]`", applicability=SAFE))
    for kind, word in (("LSQB", "["), ("INT", match[1]), ("RSQB", "]")):
        run.shift(KIND[kind], word, *place)
    return match.end()


def product(run: Run, pos: int) -> int | None:
    """`x @ w`."""
    return operators.matrix_product(run, pos) if run.text[pos] == "@" else None


def item_name(run: Run, pos: int) -> int | None:
    """`@ main`, `@2d`."""
    if lalr_table.feed(run.states, KIND["GLOBAL"]) is None:
        return None
    blank = _BLANK_NAME.match(run.text, pos)
    digit = _DIGIT_NAME.match(run.text, pos)
    if blank is not None:
        word, place, message = f"@{blank[1]}", (pos, blank.end()), "there is no blank after `@`"
    elif digit is not None:
        word, place = f'@"{digit[0][1:]}"', (pos, digit.end())
        message = "a name that begins with a digit is written in quotes"
    else:
        return None
    found = diag.syntax(place, f"{message}: `{word}`")
    run.builder.report(found.replace(place, word, f"write `{word}`", applicability=SAFE))
    run.shift(KIND["GLOBAL"], word, *place)
    return place[1]


def _converted(run: Run, pos: int) -> int | None:
    """`X[i].astype(float16)` in a PrimFunc: report it with its form here; return where to read on."""
    method = _CONVERSION.match(run.text, pos)
    operand = run.text[run.starts[-1] : run.last_end]
    if method is None or method[2] not in DTYPES or not in_prim_func(run) or run.last_end != pos:
        return None
    place = (run.starts[-1], method.end())
    if not operators.UNBROKEN.fullmatch(operand):
        start = _operand(run)
        if start is None:
            return None
        place, operand = (start, method.end()), run.text[start:pos]
    form = f"cast({operand}, {method[2]})"
    found = diag.syntax((pos, method.end()), "there are no methods: a conversion is a call of `cast`")
    run.builder.report(found.replace(place, form, f"write `{form}`", applicability=SAFE))
    return method.end()


def _operand(run: Run) -> int | None:
    """Return where the operand begins that the last token ends: `X[i]` or `f(x)`, not reduced yet."""
    closed, depth = 0, len(run.states) - 1
    while depth > 0:
        name = lalr_table.symbol(run.states[depth])
        closed += (name in ("RSQB", "RPAR")) - (name in ("LSQB", "LPAR"))
        if not closed:
            break
        depth -= 1
    start = run.starts[depth - 1] if depth > 1 else -1
    if start < 0 or not operators.UNBROKEN.fullmatch(run.text[start : run.last_end]):
        return None
    return start


def bad_run(run: Run, pos: int, line_end: int) -> int:
    """Report adjacent bad characters once."""
    text = run.text
    stop = pos + 1
    while (
        stop < line_end
        and text[stop] not in LOOKALIKES
        and (match := lalr_table.TOKEN.match(text, stop))
        and kind_of(match) == -3
    ):
        stop = match.end()
    helped = ""
    call = None
    before = _NAME_BEFORE.search(text, max(0, pos - 80), pos)
    if (
        text[pos] == "."
        and before is not None
        and run.last_end == pos
        and not text[pos + 1 : pos + 2].isalnum()
    ):
        found = diag.syntax((before.start(), pos + 1), f"a name is missing behind `{before[0]}.`")
        run.builder.report(found.helped("`relax ops` lists the operators"))
        run.bad_at = pos
        return pos + 1
    if text[pos] == ".":
        at = _converted(run, pos)
        if at is not None:
            return at
        name = _METHOD.match(text, pos)
        stop = name.end() if name else stop
        call = _METHOD_CALL.match(text, pos)
        form = "cast(x, float16)" if in_prim_func(run) else "astype(x, dtype=float16)"
        helped = f"there are no methods and no fields: call a function, as in `{form}`"
    elif text[pos] == "@":
        helped = "a function of the module is written `@name`; matrices are multiplied by `matmul(a, b)`"
    elif text[pos] == "?" and lalr_table.feed(run.states, KIND["TILDE"]) is not None:
        helped = "a size that is not known is a name, as in `(n, 4)`; with `ndim=2` only the rank is known"
    elif text[pos] == "?" and annotations.is_behind_info(run):
        helped = foreign_words.info_form("Optional")
    elif text[pos] == "?":
        at = choices.question_mark(run, pos)
        if at is not None:
            return at
        helped = f"a choice between two values is written `{choices.form_of_choice(run)}`"
    shown = text[pos:stop] if stop - pos <= 12 else text[pos : pos + 12] + "…"
    run.bad_at = stop - 1
    if run.last_end == pos and text[pos - 1] in ")]" and text[stop : stop + 1] == "(":
        run.builder.report(diag.syntax((pos, stop), "values have no methods").helped(helped))
        if in_prim_func(run):
            return (
                call.end() if call is not None else stop
            )  # its arguments are not those of a call of the value
        run.builder.elsewhere.methods[pos] = text[pos:stop]
        return stop
    run.builder.report(diag.bad_character((pos, stop), shown).helped(helped))
    return stop
