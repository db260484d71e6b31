"""What people write in Relay who write Python, Relax or TVM's Python. [R.29]

Such a form is recognized by the text around the first token that does not fit.
"""

from __future__ import annotations

import re

from relax_lang.base.diagnostic import SAFE
from relax_lang.relay.diagnostics import texts as diag

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic

_BODY = "the body of a function is in braces: `{{ … }}`"
_LOOPS = "there are no loops: a function that calls itself repeats what it does"
_NO_ASSIGNMENT = "there is no `:=`: `let %x = …;` binds, `ref_write(%r, …)` writes a reference"
_IMPORTS = (
    "operators are known by their names; texts of the standard library are imported in quotes: "
    '`import "std/prelude.relay"`'
)
_FORMS = (
    # What is before the token, the token with what follows it, the message, what to write for the token.
    (r"\bdef\s*$", r"[A-Za-z_]\w*", "the name of a function begins with `@`: `@{0}`", "@{0}"),
    (r"(?:^|\})\s*$", r"(?:fn|func|function)\b", "a function of the module begins with `def`", "def"),
    (
        r"(?:^|\})\s*$",
        r"(?:enum|struct|class)\b",
        "a type is defined by `type Name {{ Constructor, … }}`",
        None,
    ),
    (r"(?:^|\})\s*$", r"from\b", _IMPORTS, None),
    (r"\bimport\s*$", r"[A-Za-z_]", _IMPORTS, None),
    (r"(?:^|\})\s*$", r"@\w+", "a function of the module is written `def {0}(…) {{ … }}`", None),
    (r"\bTensor\[\([^()]*\),\s*$", r'"\w*"', "the dtype of a tensor is written without quotes", "{bare}"),
    (
        r"\bTensor\[\s*$",
        r"[\d?]",
        "the extents of a tensor are in parentheses: `Tensor[(2, 3), float32]`",
        None,
    ),
    (r"\bTensor\s*$", r"\(", "the type of a tensor is in brackets: `Tensor[(2, 3), float32]`", None),
    (r"\bcase\s[^{}]*$", r":", "the value of a case is in braces: `case Nil() {{ 0 }}`", None),
    (r"\b(?:if|else)\s*(?:\([^{}]*\))?\s*$", r":", "a branch is in braces: `{{ … }}`", None),
    (r"\bdef[^{}]*\)[^{}]*$", r":\s*\n", _BODY, None),
    (r"\bdef[^{}]*\)\s*$", r":", "the type of the result is behind `->`", " ->"),
    (r"\bdef[^{}]*\)[^{}]*$", r"=", _BODY, None),
    (r"\bfn\b[^{}]*\)\s*$", r"=>", _BODY, None),
    (r"\bdef[^{}]*[(,]\s*$", r"\*", "a function takes a fixed number of parameters", None),
    (r"\bdef[^{}]*:[^{}]*$", r"=", "parameters have no defaults", None),
    (r"^\s*$", r'"', "a comment begins with `//`; there are no other texts before the definitions", None),
    (r"\blet\s+%\w+\s*:\s*$", r"=", _NO_ASSIGNMENT, None),
    (
        r"%\w+\s*[-+*/]\s*$",
        r"=",
        "a variable is not changed: `let %x = %x + …;` binds another one of its name",
        None,
    ),
    (r"\bmatch[^{}]*$", r"with\b", "the clauses of a match are in braces: `match (e) {{ … }}`", None),
    (r"\bswitch\s*\([^{}]*\)\s*$", r"\{", "there is no `switch`: `match (e) {{ … }}`", None),
    (r"\bfor\s*\([^{}]*$", r"in\b", _LOOPS, None),
    (
        r"\btype\s+\w+\s*$",
        r"=",
        "the constructors of a type are in braces: `type Name {{ A, B(int32) }}`",
        None,
    ),
    (r"\btype\s+\w+\s*$", r"\(", "the parameters of a type are in brackets: `type Name[A] {{ … }}`", None),
    (r"[{,]\s*[A-Z]\w*\s*$", r"of\b", "the fields of a constructor are in parentheses: `Name(int32)`", None),
    (r"[(,:>]\s*[A-Z]\w*\s*$", r"<", "the arguments of a type are in brackets: `List[int32]`", None),
    (
        r"\bTensor\s*$",
        r"[^(\[]",
        "the type of a tensor has extents and a dtype: `Tensor[(2, 3), float32]`",
        None,
    ),
    (
        r"@\w+\s*$",
        r"\[",
        "type arguments of a call are inferred; those that are written are in `<…>`: `@f<int32>(1)`",
        None,
    ),
    (r"", r":=", _NO_ASSIGNMENT, None),
    (r"\*$", r"\*", "there is no operator for powers: `power(a, b)`", None),
    (
        r"%\w+\s*$",
        r"\[\s*\d+\s*\]",
        "a field of a tuple is `.0`; a part of a tensor is taken by an operator",
        None,
    ),
    (r"[\w)]\s*$", r"\[", "parts of a tensor are taken by operators: `take`, `strided_slice`", None),
    (r"\blet\s*$", r"\(", "`let` binds one variable: take the fields of a tuple by `.0` and `.1`", None),
    (r"[\w)]\s*$", r"and\b", "`and` is written `&&`", "&&"),
    (r"[\w)]\s*$", r"or\b", "`or` is written `||`", "||"),
    (r"\bnot\s*$", r"[%(]", "there is no `not`: `logical_not(…)`", None),
    (r"[\w)]\s+$", r"if\b", "an `if` is before its values: `if (c) {{ a }} else {{ b }}`", None),
    (r"\bif\s*$", r"[^({\s]", "the condition of an `if` is in parentheses", None),
    (r"\blambda\s*$", r"%?\w", "there is no `lambda`: `fn (%x) {{ … }}`", None),
    (r"\b(?:for|while)\s*$", r"[%\w]", _LOOPS, None),
    (r"\bwhile\s*\([^{}]*\)\s*$", r"\{", _LOOPS, None),
)
_NEAR = 200
"""Characters before a token that are looked at."""


def explain(text: str, pos: int, end: int) -> Diagnostic | None:
    """Return what is wrong with a token that does not fit, if it is a known form of another language."""
    before = text[max(0, pos - _NEAR) : pos]
    word = text[pos:end]
    for head, tail, message, instead in _FORMS:
        if re.match(tail, text[pos : pos + _NEAR]) is None or re.search(head, before) is None:
            continue
        found = diag.syntax((pos, end), message.format(word))
        if instead is not None:
            made = instead.format(word, bare=word[1:-1])
            found.replace((pos, end), made, f"write `{made.strip()}`", applicability=SAFE)
        return found
    return None
