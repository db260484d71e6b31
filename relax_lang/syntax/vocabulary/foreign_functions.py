"""Functions of numbers that other notations have, and what is written for them in PrimFuncs. [Y.7] [TIR.7]

Only imported once such a call is to be reported.
"""

from __future__ import annotations

from relax_lang.base.diagnostic import Edit
from relax_lang.syntax import tree

OTHER_FORMS = {
    "floordiv": ("", " // ", ""),
    "floormod": ("", " % ", ""),
    "truncdiv": ("", " / ", ""),
    "indexdiv": ("", " // ", ""),
    "indexmod": ("", " % ", ""),
    "div": ("", " / ", ""),
    "mod": ("", " % ", ""),
    "shift_left": ("", " << ", ""),
    "shift_right": ("", " >> ", ""),
    "bitwise_and": ("", " & ", ""),
    "bitwise_or": ("", " | ", ""),
    "bitwise_xor": ("", " ^ ", ""),
    "bitwise_not": ("~", ""),
    "logical_and": ("", " && ", ""),
    "logical_or": ("", " || ", ""),
    "logical_not": ("!", ""),
    "not": ("!", ""),
    "neg": ("-", ""),
    "likely": ("", ""),
    "relu": ("max(", ", 0)"),
    "astype": ("cast(", ", ", ")"),
    "where": ("select(", ", ", ", ", ")"),
    "Select": ("select(", ", ", ", ", ")"),
    "float": ("cast(", ", float32)"),
    "double": ("cast(", ", float64)"),
    "int": ("cast(", ", int32)"),
    "long": ("cast(", ", int64)"),
    "infinity": ("", "(inf)"),
    "ternary": ("select(", ", ", ", ", ")"),
    "if_else": ("select(", ", ", ", ", ")"),
    "maximum": ("max(", ", ", ")"),
    "minimum": ("min(", ", ", ")"),
    "fmax": ("max(", ", ", ")"),
    "fmaxf": ("max(", ", ", ")"),
    "fminf": ("min(", ", ", ")"),
    "fabsf": ("abs(", ")"),
    "fmin": ("min(", ", ", ")"),
    "fabs": ("abs(", ")"),
    "rint": ("nearbyint(", ")"),
    "power": ("pow(", ", ", ")"),
}
"""What the language writes for functions that readers of other notations look for: the text around the arguments."""


def other_form(call: tree.PrimCall, written: tuple[str, ...]) -> tuple[str, list[Edit]]:
    """Return what the language writes for a call, and the edits that put it around the arguments.

    There are none if the call does not have as many arguments, or no place.
    """
    count = len(written) - 1
    names = ("c", "a", "b")[-count:]
    if count == 1:
        names = ("x",) if written[0] or not written[1] else ("dtype",)
    elif written[0] == "cast(":
        names = ("x", "dtype")
    form = written[0] + "".join([name + text for name, text in zip(names, written[1:], strict=True)])
    if len(call.args) != count or call.pos < 0:
        return form, []
    operator = not written[-1].endswith(")")
    texts = [f"({written[0]}", *written[1:-1], f"{written[-1]})"] if operator else list(written)
    if operator:  # what binds looser than an operator is put in parentheses
        for at, argument in enumerate(call.args):
            if argument.CHILDREN and not isinstance(argument, tree.BufferLoad | tree.PrimCall | tree.IntImm):
                texts[at] += "("
                texts[at + 1] = ")" + texts[at + 1]
    ends = [call.pos, *[argument.end for argument in call.args]]
    starts = [*[argument.pos for argument in call.args], call.end]
    return form, [Edit(end, start, text) for end, start, text in zip(ends, starts, texts, strict=True)]
