"""A comment in every gap of programs that are written from the grammar in `docs/language.md` alone. [G.42]

None is lost, all stay in order, the program stays the same, formatting again changes nothing, and no comment goes over
to what follows its statement or element: it goes forward by a few words of a header at most, else before what it is in.
"""

from __future__ import annotations

import os
import random
from itertools import pairwise

import pytest

from relax_lang.base.node import difference
from relax_lang.format.printer import format_parsed
from relax_lang.syntax.parser import Parsed, parse
from tests.format.support import TOKEN, obeys_laws
from tests.format.written_grammar import Written

SEEDS = 2_000 if os.environ.get("RELAX_NIGHTLY") else 24
SINGLE = 400 if os.environ.get("RELAX_NIGHTLY") else 6
FORWARD = 3
"""The most words of a header that a comment goes over: `private pure def @f(` has three."""
BREAKS = ("\n# c{}\n", " # c{}\n", "\n\n# c{}\n\n")
WIDTHS = (100, 40, 20)


def commented(words: list[str], draw: random.Random, part: float) -> str:
    """Return a text with comments in a part of its gaps."""
    parts: list[str] = []
    for at, word in enumerate([*words, ""]):
        parts.append(draw.choice(BREAKS).format(at) if draw.random() < part else " ")
        parts.append(word)
    return "".join(parts)


def places(text: str) -> tuple[dict[str, int], list[str]]:
    """Return how many words stand before each comment, and all words."""
    found: dict[str, int] = {}
    words: list[str] = []
    for match in TOKEN.finditer(text):
        token = match[0]
        if token.startswith("#"):
            found[token.strip()] = len(words)
        elif token[0].isalnum() or token[0] in '_@`"':
            words.append(token)
    return found, words


def in_order(parsed: Parsed) -> list[str]:
    return [comment.text.strip() for comment in parsed.comments]


@pytest.mark.parametrize("seed", range(SEEDS))
def test_G_42_comments_anywhere_are_kept_in_order(seed: int) -> None:
    words, draw = Written(seed, depth=2 + seed % 2).tokens, random.Random(seed)
    plain = parse(" ".join(words))
    assert not [one for one in plain.diagnostics if one.severity == "error"], " ".join(words)
    for part in (1.0, 0.15, 0.02):
        text = commented(words, draw, part)
        formatted = obeys_laws(text, draw.choice(WIDTHS), like=plain)
        assert in_order(parse(formatted)) == in_order(parse(text)), formatted


@pytest.mark.parametrize("seed", range(SINGLE))
def test_G_42_a_comment_stays_with_what_it_is_in(seed: int) -> None:
    words = Written(1000 + seed, depth=2).tokens[:]
    plain = parse(" ".join(words))
    for gap in range(0, len(words) + 1, 1 + len(words) // 150):
        text = " ".join(words[:gap]) + ("\n# c\n", " # c\n")[gap % 2] + " ".join(words[gap:])
        formatted = format_parsed(parse(text), WIDTHS[gap // 2 % 3])
        assert difference(parse(formatted).tree, plain.tree) is None
        (before, given), (after, made) = places(text), places(formatted)
        if given == made:  # else quotes or parentheses changed
            assert after["# c"] - before["# c"] <= FORWARD, formatted


HEADERS = [
    ("let v # c\n = if x { y } else { z };", "# c\n  let v"),
    ("let v: Tensor[ # c\n _, float32] = { let a = y; a };", "# c\n  let v: Tensor[_, float32] = {"),
    ("let v # c\n = fn (a: Tensor) { a };", "# c\n  let v = fn (a: Tensor)"),
    ("let # c\n v: Tensor[_, bool] = match_cast(y, Tensor);", "# c\n  let v: Tensor[_, bool] = match_cast(y"),
    ("let v: Tensor # c\n = match_cast(y, Tensor);", "# c\n  let v: Tensor = match_cast(y, Tensor);"),
    ("let v = match_cast # c\n (y, Tensor);", "# c\n  let v = match_cast(y, Tensor);"),
    ("let v = match_cast( # c\n y, Tensor);", "let v = match_cast(  # c\n    y,"),
    ("let # c\n v = match_shape(y, (n,));", "# c\n  let v = match_shape(y, (n,));"),
    ("let f = fn (a: Tensor) -> # c\n Tensor attrs { k: 1 } { a };", "# c\n  let f = fn"),
]


@pytest.mark.parametrize(("statement", "wanted"), HEADERS)
def test_G_42_the_value_of_a_let_does_not_take_what_stands_before_it(statement: str, wanted: str) -> None:
    formatted = obeys_laws(f"def @f(x: Tensor) {{ {statement} x }}")
    assert wanted in formatted


STEPS = [
    ("alloc T: Buffer[(n, # a\n n), # c\n float32];", "),  # c\n    float32,\n  ];"),
    (
        "alloc T: Buffer[ # a\n ( # b\n n,), float32 # c\n];",
        "[  # a\n    (  # b\n      n,\n    ),\n    float32,  # c\n  ];",
    ),
    (
        "alloc T: Buffer[(n,), # a\n # b\n float32\n # c\n];",
        "(n,),  # a\n    # b\n    float32,\n    # c\n  ];",
    ),
    ("alloc T: # a\n Buffer # b\n [(n,), float32];", "# a\n  # b\n  alloc T: Buffer[(n,), float32];"),
    ("A[ # a\n 0] # c\n = 1.0;", "]  # c\n    = 1.0;"),
    ("A[0] # a\n # b\n = # c\n # d\n 1.0;", "A[0]  # a\n    # b\n    =  # c\n    # d\n    1.0;"),
    ("A[0] # a\n += # b\n 1.0;", "A[0]  # a\n    +=  # b\n    1.0;"),
    ("A[0] = # a\n 1.0;", "A[0] =  # a\n    1.0;"),
    ("let v # a\n = # b\n 1.0;", "let v  # a\n    =  # b\n    1.0;"),
    ("let v: float32 # a\n = 1.0;", "let v: float32  # a\n    = 1.0;"),
    ("let v: # a\n float32 = 1.0;", "# a\n  let v: float32 = 1.0;"),
    ("let v = # a\n A[0] # b\n + 1.0;", "let v =  # a\n    A[0]  # b\n      + 1.0;"),
    (
        "for i in min_value( # c\n int8)..max(1, n) { A[i] = 0.0; }",
        "min_value(  # c\n    int8\n  )..max(1, n)",
    ),
    ("for i in 0 # c\n ..max(1, n) { A[i] = 0.0; }", "# c\n  for i in 0..max(1, n)"),
    ("for # c\n i in grid(n) { A[i] = 0.0; }", "# c\n  for i in"),
    ("for i # c\n in 0..n { A[i] = 0.0; }", "# c\n  for i in"),
]


@pytest.mark.parametrize(("step", "wanted"), STEPS)
def test_G_42_a_statement_of_a_prim_func_keeps_its_comments(step: str, wanted: str) -> None:
    formatted = obeys_laws(f"prim_func @f(A: Buffer[(n,), float32]) {{ {step} A[1] = 2.0; }}")
    assert wanted in formatted


def test_the_programs_have_the_whole_grammar() -> None:
    words = {word for seed in range(120) for word in Written(seed).tokens}
    wanted = (
        "module attrs private pure impure force_pure def fn prim_func let match_cast match_shape dataflow output "
        "bindings if else extern shape const file Prim PackedFunc derive ndim for grid parallel unrolled thread block "
        "spatial reduce scan opaque where reads writes init alloc in assert call_extern while select cast -> ** && "
        "|| << .. += ~"
    )
    assert set(wanted.split()) - words == set()
    pairs = {pair for seed in range(120) for pair in pairwise(Written(seed).tokens)}
    assert {("else", "if"), (",", ")"), (",", "]")} <= pairs
