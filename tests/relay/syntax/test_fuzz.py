"""Mutated texts of Relay: whatever is written, there are diagnostics and no traceback. [R.29]"""

from __future__ import annotations

import os
import random

import pytest

from relax_lang import api
from relax_lang.api.forms import relay_form
from relax_lang.base.python.recursion import deep_recursion
from relax_lang.base.source import RelayFile
from relax_lang.relay.checking import analyse
from relax_lang.relay.syntax.formatting import format_text
from tests.relay.syntax.foreign_syntax import FOREIGN
from tests.relay.syntax.test_text import PROGRAMS as TEXTS
from tests.relay.test_imports import IMPORT
from tests.relay.test_imports import VALUES as IMPORTED
from tests.relay.test_types import TYPES
from tests.relay.test_values import PROGRAMS as VALUES

SEEDS = [
    *TEXTS.values(),
    *[text for text, _ in TYPES.values()],
    *[text for text, _ in VALUES.values()],
    *[text for text, _, _ in FOREIGN],
    *[IMPORT + f"def @main() {{ {expr.removeprefix('@list')} }}" for expr in IMPORTED],
]
PIECES = (
    *(
        "%x",
        "%0",
        "@main",
        "add",
        "nn.dense",
        "Cons",
        "Nil",
        "(",
        ")",
        "{",
        "}",
        "[",
        "]",
        "<",
        ">",
        ",",
        ";",
        ":",
    ),
    *(
        "=",
        "=>",
        "->",
        ".0",
        ".1",
        "-",
        "+",
        "*",
        "/",
        "==",
        "1",
        "2f",
        "1.5",
        "3i8",
        '"a"',
        "True",
        "?",
        "_",
        "//",
    ),
    *(
        "/*",
        "*/",
        "#",
        "let",
        "fn",
        "def",
        "type",
        "if",
        "else",
        "match",
        "ref",
        "ref_read",
        "meta",
        "Tensor",
        "float32",
    ),
    *(
        "units=",
        "axis=",
        "None",
        "\n",
        " ",
        "é",
        "$",
        "free_var",
        "extern",
        "data",
        "case",
        "where",
        "99999999999999",
    ),
)
COUNT = int(os.environ.get("RELAX_FUZZ_RELAY", "300"))


def mutated(rng: random.Random) -> str:
    text = rng.choice(SEEDS)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(text) + 1)
        kind = rng.random()
        if kind < 0.35:
            text = text[:at] + rng.choice(PIECES) + text[at:]
        elif kind < 0.65:
            text = text[:at] + text[at + rng.randint(1, 6) :]
        elif kind < 0.8:
            other = rng.choice(SEEDS)
            begin = rng.randrange(len(other))
            text = text[:at] + other[begin : begin + rng.randint(1, 30)] + text[at:]
        else:
            stop = min(len(text), at + rng.randint(1, 10))
            text = text[:at] + rng.choice(PIECES) + text[stop:]
    return text


@pytest.mark.parametrize("part", range(4))
def test_R_29_mutated_texts_give_no_traceback(part):
    rng = random.Random(f"relay {part}")
    for _ in range(COUNT // 4):
        text = mutated(rng)
        try:
            with deep_recursion():
                found = analyse(RelayFile(text))
                formatted = format_text(text)
                slugs = [one.slug for one in formatted.diagnostics]
                assert "format-not-stable" not in slugs
                if not found.has_errors:
                    for form in ("anf", "graph"):
                        made = relay_form(RelayFile(text), form)
                        assert relay_form(RelayFile(made), form) == made
                    try:
                        api.check_sound(RelayFile(text))  # which asserts that the translation is sound
                    except api.RelaxError as refused:
                        if {one.slug for one in refused.diagnostics} != {"relay-not-translated"}:
                            raise
        except Exception as error:
            raise AssertionError(f"{type(error).__name__}: {error}\n{text}") from error
