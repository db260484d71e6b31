"""Mistakes that people make, one of which is planted at a random place of a right program.

A kind is a name and a function from a text to the text with the mistake, None where there is no place for it. Most are
what somebody types who knows another language or framework; the rest are slips of the hand.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable

Plant = Callable[[str, random.Random], "str | None"]


def _swapped(pattern: str, *replacements: str) -> Plant:
    """Return a mistake that writes one place in another way."""
    compiled = re.compile(pattern, re.MULTILINE)

    def plant(text: str, rng: random.Random) -> str | None:
        places = list(compiled.finditer(text))
        if not places:
            return None
        match = rng.choice(places)
        return text[: match.start()] + match.expand(rng.choice(replacements)) + text[match.end() :]

    return plant


_FRAMEWORKS = {
    "expand_dims": ("unsqueeze", "torch.unsqueeze"),
    "permute_dims": ("transpose", "permute", "swapaxes"),
    "concat": ("cat", "concatenate", "torch.cat", "np.concatenate"),
    "astype": ("cast", "to"),
    "matmul": ("bmm", "dot", "mm", "np.dot", "torch.matmul"),
    "reshape": ("view", "torch.reshape"),
    "broadcast_to": ("expand",),
    "sum": ("reduce_sum", "np.sum"),
    "mean": ("reduce_mean",),
    "max": ("reduce_max", "amax"),
    "negative": ("neg",),
    "multiply": ("mul", "times"),
    "subtract": ("sub",),
    "divide": ("div", "true_divide"),
    "maximum": ("max", "fmax"),
    "flip": ("reverse", "np.flip"),
    "clip": ("clamp",),
    "nn.relu": ("relu", "torch.relu", "F.relu", "jax.nn.relu"),
    "nn.softmax": ("softmax", "F.softmax"),
    "nn.gelu": ("gelu",),
    "repeat": ("repeat_interleave",),
    "tile": ("repeat",),
    "power": ("pow",),
    "sigmoid": ("nn.sigmoid", "expit"),
}


def _renamed(text: str, rng: random.Random) -> str | None:
    places = [
        match
        for match in re.finditer(r"(?<![\w@.])([a-z]+(?:[._][a-z]+)*)\(", text)
        if match[1] in _FRAMEWORKS
    ]
    if not places:
        return None
    match = rng.choice(places)
    return text[: match.start(1)] + rng.choice(_FRAMEWORKS[match[1]]) + text[match.end(1) :]


def _misspelled(text: str, rng: random.Random) -> str | None:
    places = list(re.finditer(r"[A-Za-z_]\w{2,}", text))
    if not places:
        return None
    match = rng.choice(places)
    word, at = match[0], rng.randrange(1, len(match[0]))
    changed = rng.choice(
        (
            word[:at] + word[at + 1 :],
            word[:at] + word[at] + word[at:],
            word[: at - 1] + word[at] + word[at - 1] + word[at + 1 :],
            word.swapcase() if rng.random() < 0.3 else word.capitalize(),
        )
    )
    return text[: match.start()] + changed + text[match.end() :]


def _without_a_line(text: str, rng: random.Random) -> str | None:
    lines = text.splitlines(keepends=True)
    at = rng.randrange(len(lines))
    return "".join(lines[:at] + lines[at + 1 :])


def _without_a_pair(text: str, rng: random.Random) -> str | None:
    """Leave out what is around something: both parentheses, or both brackets."""
    places = list(re.finditer(r"\(([^()]*)\)|\[([^\[\]]*)\]", text))
    if not places:
        return None
    match = rng.choice(places)
    return f"{text[: match.start()]} {match[0][1:-1]}{text[match.end() :]}"


def _as_method(text: str, rng: random.Random) -> str | None:
    return _swapped(r"\b(?:nn\.)?(?!shape)([a-z_]+)\((\w+)\)", r"\2.\1()")(text, rng) or _swapped(
        r"\b(?!shape)([a-z_]+)\((\w+), ", r"\2.\1("
    )(text, rng)


def _everywhere(pattern: str, replacement: str) -> Plant:
    def plant(text: str, rng: random.Random) -> str | None:
        changed = re.sub(pattern, replacement, text)
        return changed if changed != text else None

    return plant


KINDS: dict[str, Plant] = {
    # slips of the hand
    "no semicolon": _swapped(r";\n", "\n"),
    "no parenthesis that closes": _swapped(r"\)", ""),
    "no parenthesis that opens": _swapped(r"\(", ""),
    "no bracket": _swapped(r"[\[\]]", ""),
    "no brace": _swapped(r"[{}]", ""),
    "no pair": _without_a_pair,
    "a parenthesis too many": _swapped(r"[()]", r"\g<0>\g<0>"),
    "no comma": _swapped(r",", ""),
    "two commas": _swapped(r",", ",,"),
    "a semicolon for a comma": _swapped(r", ", "; "),
    "no arrow": _swapped(r"-> ", "", ": ", "=> "),
    "a misspelled word": _misspelled,
    "no line": _without_a_line,
    "a number too many": _swapped(r"\b\d+\b(?!\.)", r"\g<0> \g<0>"),
    "an operator twice": _swapped(r" ([+\-*]) ", r" \1 \1 "),
    "no operand": _swapped(r" ([+\-*<]) [\w.]+", r" \1 "),
    "`=` for `==`": _swapped(r" == ", " = ", " === "),
    "signs from a web page": _swapped(r" - ", " – ", " − ", "\u00a0- "),
    "typographic quotes": _swapped(r'"([^"\n]*)"', "“\\1”", "'\\1'"),
    # bindings
    "no `let`": _swapped(r"\blet (\w+)(: [^=\n]+)? =(?!=)", r"\1\2 =", r"\1\2 := "),
    "`var`": _swapped(r"\blet (\w+)", r"var \1", r"let mut \1", r"const \1", r"auto \1", r"val \1"),
    "C's declaration": _swapped(r"\blet (\w+): (\w+) =", r"\2 \1 ="),
    "`return`": _swapped(r"^( +)([^\n{};]+)\n( *\})", r"\1return \2;\n\3", r"\1return \2\n\3"),
    "a bound name again": _swapped(r"\blet (\w+) = (.*);\n", r"let \1 = \2;\n  \1 = \1;\n"),
    # words
    "`or`": _swapped(r" \|\| ", " or ", " | "),
    "`and`": _swapped(r" && ", " and ", " & "),
    "`not`": _swapped(r"!(?!=)", "not ", "~"),
    "`True`": _swapped(r"\btrue\b", "True", "TRUE"),
    "`False`": _swapped(r"\bfalse\b", "False", "FALSE"),
    "`elif`": _swapped(r"\belse if\b", "elif", "elseif", "else\nif"),
    "a colon for a brace": _swapped(r" \{\n", ":\n"),
    "a comment of C": _swapped(r"# ", "// ", "/* "),
    "`func`": _swapped(r"\bdef @", "func @", "fn @", "function @", "def ", "fn "),
    "`primfunc`": _swapped(r"\bprim_func\b", "primfunc", "prim_fn", "def"),
    # types
    "dtype as a text": _swapped(r"\b(float32|float64|int32|int64|bool)\b", r'"\1"', r"'\1'"),
    "dtype of a framework": _swapped(r"\bfloat32\b", "float", "f32", "torch.float32", "np.float32", "Float32"),
    "an integer of a framework": _swapped(r"\bint(32|64)\b", r"i\1", r"int_\1"),
    "C's `long`": _swapped(r"\bint64\b", "long"),
    "Python's `int`": _swapped(r"\bint32\b", "int"),
    "types of TVM": _swapped(r"\b(Tensor|Buffer)\[(\([^()]*\)), (\w+)\]", r'\1(\2, "\3")', r"R.\1(\2, \3)"),
    "types of another order": _swapped(r"\b(Tensor|Buffer)\[(\([^()]*\)), (\w+)\]", r"\1[\3, \2]", r"\3[\2]"),
    "a shape in brackets": _swapped(r"(Tensor|Buffer)\[\(([^()]*?),?\), ", r"\1[[\2], ", r"\1[\2, "),
    "angles": _swapped(r"(Tensor|Buffer)\[([^\[\]]*)\]", r"\1<\2>"),
    "a type before its name": _swapped(r"(\w+): ((?:Tensor|Buffer)\[[^\[\]]*\])", r"\2 \1"),
    "no comma in a shape": _swapped(r"\((\w+),\)", r"(\1)"),
    # calls
    "an operator of a framework": _renamed,
    "the prefix of TVM": _swapped(r"(?<![@\w.`])(\w+)\((?=\w)", r"R.\1(", r"relax.op.\1(", r"T.\1("),
    "a method": _as_method,
    "an attribute as an operand": _swapped(r"\b(axis|axes|dtype|keepdims|repeats|shape)=", ""),
    "an attribute of PyTorch": _swapped(r"\baxis=", "dim=", "axes="),
    "`keepdim`": _swapped(r"\bkeepdims=", "keepdim=", "keep_dims="),
    "a colon for `=`": _swapped(r"\b(axis|axes|dtype|keepdims|repeats)=", r"\1: ", r"\1 := "),
    "a tuple for a list": _swapped(r"=\[([^\[\]]*)\]", r"=(\1)", r"=(\1,)"),
    "a shape as a tuple": _swapped(r"\bshape\(([^()]*)\)", r"(\1)", r"[\1]", r"(\1,)"),
    "no `@`": _swapped(r"@(\w)", r"\1"),
    "`@` at a variable": _swapped(r"= (\w+)\(", r"= @\1("),
    "a call with two commas": _swapped(r"call_tir\((@\w+), \((\w+),\)\)", r"call_tir(\1, \2)", r"call_tir(\1, (\2))"),
    "Python's product": _swapped(r"\bmatmul\((\w+), (\w+\([^()]*\([^()]*\)[^()]*\))\)", r"\1 @ \2"),
    "no operand of a call": _swapped(r"(\w+)\((\w+), (\w+)\)", r"\1(\2)"),
    "an operand too many": _swapped(r"(\w+)\((\w+)\)", r"\1(\2, \2)"),
    "Python's field": _swapped(r"(\w+)\[(\d)\]", r"\1.\2"),
    # statements and expressions of PrimFuncs
    "`++`": _swapped(r"(\w+\[[^\[\]\n]*\]) \+= 1(?:\.0)?;", r"\1++;", r"\1 =+ 1;", r"++\1;"),
    "`+=` without `=`": _swapped(r" ([+*\-])= ", r" \1 ", r" =\1 "),
    "a loop of Python": _swapped(
        r"\bfor (\w+) in 0\.\.([^{\n]+) \{", r"for \1 in range(\2) {", r"for \1 in range(\2):"
    ),
    "a loop of C": _swapped(
        r"\bfor (\w+) in 0\.\.([^{\n]+) \{",
        r"for (int \1 = 0; \1 < \2; \1++) {",
        r"for (\1 = 0; \1 < \2; ++\1) {",
        r"for \1 = 0 to \2 {",
    ),
    "a range of another language": _swapped(r"\b(\w+)\.\.(?=[\w(])", r"\1:", r"\1...", r"\1, "),
    "a range with its end": _swapped(r"\b0\.\.(\w+) \{", r"0..=\1 - 1 {"),
    "nested indices": _swapped(r"\b([A-Z]\w*)\[([^\[\],]+), ([^\[\],]+)\]", r"\1[\2][\3]", r"\1(\2, \3)"),
    "a ternary of C": _swapped(r"\b(?:if_then_else|select)\(([^(),]*), ([^(),]*), ([^(),]*)\)", r"(\1 ? \2 : \3)"),
    "a ternary of Python": _swapped(
        r"\b(?:if_then_else|select)\(([^(),]*), ([^(),]*), ([^(),]*)\)", r"(\2 if \1 else \3)"
    ),
    "`/` for `//`": _swapped(r" // ", " / "),
    "no cast": _swapped(r"\bcast\((\w[^(),]*), \w+\)", r"\1"),
    "a cast of C": _swapped(r"\bcast\((\w+), (\w+)\)", r"(\2)\1", r"\2(\1)", r"\1.astype(\2)"),
    "a literal of another dtype": _swapped(r"(?<![\w.])(\d)\.0\b", r"\1"),
    "a float for an integer": _swapped(r"= (\d)\b(?!\.)", r"= \1.0", r"= \1.5"),
    "half a number": _swapped(r"(?<![\w.])(?:(\d)\.0|0\.(\d))\b", r"\1.\2"),
    "a literal of C": _swapped(r"(?<![\w.])(\d)\.(\d)\b", r"\1.\2f"),
    "a text as the block's name": _swapped(r"\bblock (\w+)", r'block("\1")', "block"),
    "axes without a kind": _swapped(r"= (?:spatial|reduce|opaque|scan)\(([^()]*)\)", r"= \1", r"= T.axis.spatial(\1)"),
    "`alloc` as a `let`": _swapped(r"\balloc (\w+): Buffer\[([^\[\]]*)\]", r"let \1: Buffer[\2]", r"alloc \1[\2]"),
    "an element as a name": _swapped(r"\b([A-Z]\w*)\[[^\[\]]*\] ([+\-*]?=) ", r"\1 \2 "),
    "a store as a `let`": _swapped(r"^( +)([A-Z]\w*\[[^\[\]]*\]) = ", r"\1let \2 = "),
    "`pass`": _swapped(r"^( +)[^\n{}]*;\n( *\})", r"\1pass\n\2", r"\1pass;\n\2"),
    "every `let`": _everywhere(r"\blet (\w+) =", r"\1 ="),
    "every semicolon": _everywhere(r";\n", "\n"),
}  # fmt: skip
