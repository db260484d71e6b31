"""Comments in every place where a comment can stand: none is lost, and nothing else changes. [G.42]"""

from __future__ import annotations

from random import Random

import pytest

from relax_lang.format.printer import print_tree
from relax_lang.format.safe import format_text
from relax_lang.syntax.parser import parse
from tests.format import support
from tests.generate import Trees

INSERTED = ("\n# c1\n", " # c1\n", " # c1\n# c2\n")
"""On a line of its own, at the end of a line, both."""
SEPARATORS = ("\n# {}\n", " # {}\n", "\n\n# {}\n\n", " ## {}\n", "\n", "\n\n\n")


def samples() -> dict[str, str]:
    """Return the sample programs, the larger ones an item at a time."""
    found: dict[str, str] = {}
    for name in support.names():
        text = support.source(name)
        module = parse(text).tree
        if module.attrs or len(module.items) < 2:
            found[name] = text
            continue
        for i, item in enumerate(module.items):
            found[f"{name}-{i}"] = text[item.pos : item.end]
    return found


def programs(*seeds: int) -> list[str]:
    """Return the names of the sample programs, and of generated ones."""
    return [*SAMPLES, *[f"seed-{seed}" for seed in seeds]]


def text_of(program: str) -> str:
    if program in SAMPLES:
        return SAMPLES[program]
    return without_errors(Trees(Random(int(program.removeprefix("seed-"))), depth=3, width=2))


def without_errors(trees: Trees) -> str:
    """Print generated modules until one reads without a complaint (a dtype that cannot hold a number, say)."""
    while True:
        module = trees.module()
        text = print_tree(module)
        if not [d for d in parse(text).diagnostics if d.severity == "error"]:
            return text


SAMPLES = samples()


@pytest.mark.parametrize("program", programs(*range(6)))
def test_G_42_a_comment_in_every_gap(program: str) -> None:
    """Each gap gets one kind of comment and one width; the slow test below tries every kind."""
    text = text_of(program)
    like, words = parse(text), support.tokens(text)
    for gap in range(len(words) + 1):
        inserted = " ".join(words[:gap]) + INSERTED[gap % 3] + " ".join(words[gap:])
        support.obeys_laws(inserted, support.WIDTHS[gap // 3 % 3], like=like)


@pytest.mark.slow
@pytest.mark.parametrize("program", programs(*range(100, 116)))
def test_G_42_every_comment_in_every_gap(program: str) -> None:
    text = text_of(program)
    like, words = parse(text), support.tokens(text)
    for gap in range(len(words) + 1):
        for kind, comment in enumerate(INSERTED):
            inserted = " ".join(words[:gap]) + comment + " ".join(words[gap:])
            support.obeys_laws(inserted, support.WIDTHS[(gap + kind) % 3], like=like)


@pytest.mark.parametrize("separator", ["\n# c{}\n", " # c{}\n"])
@pytest.mark.parametrize("program", programs(*range(20, 26)))
def test_G_42_the_order_of_comments(program: str, separator: str) -> None:
    """With a comment in every gap at once, all of them are kept in their order, in the same program."""
    text = text_of(program)
    words = support.tokens(text)
    commented = "".join([word + separator.format(at) for at, word in enumerate(words)])
    result = format_text(commented)
    assert not [one for one in result.diagnostics if one.severity == "error"]
    kept = [comment.text.strip() for comment in parse(result.text).comments]
    assert kept == [f"# c{at}" for at in range(len(words))]


def test_G_42_comments_before_else_stay_there() -> None:
    text = (
        "prim_func @k(A: Buffer[(n,), float32]) {\n  if n > 1 {\n    A[0] = 1.0;\n  }\n  # one\n  # two\n"
        "  else if n > 2 {\n    A[1] = 1.0;\n  }\n  # three\n  else {\n    A[2] = 1.0;\n  }\n}\n\n"
        "def @main(c: Tensor[(), bool], x: Tensor) -> Tensor {\n  if c {\n    x\n  }\n  # four\n  else if c {\n"
        "    x\n  }\n  # five\n  else {\n    x\n  }\n}\n"
    )
    assert format_text(text).text == text


@pytest.mark.parametrize("program", programs(*range(6)))
def test_G_42_many_comments(program: str) -> None:
    text = text_of(program)
    like, words = parse(text), support.tokens(text)
    random = Random(program)
    for i in range(10):
        parts: list[str] = []
        for word in words:
            parts += [random.choice(SEPARATORS).format(len(parts)) if random.random() < 0.2 else " ", word]
        support.obeys_laws("".join(parts), support.WIDTHS[i % 3], like=like)


GAPS_OF_ELSE_IF = [
    "def @main(x: Tensor, c: Tensor) { if c { x }~ else~ if~ (~c~)~ { let y = x; y } else { x } }",
    (
        "prim_func @f(A: Buffer[(4,), int32], n: int64) "
        "{ if n > 1 { A[0] = 1; }~ else~ if~ (~n~)~ < 3~ { A[1] = 2; } else { A[2] = 3; } }"
    ),
]


@pytest.mark.parametrize("program", GAPS_OF_ELSE_IF, ids=["relax", "tir"])
def test_G_42_comments_around_else_if_stay_in_order(program: str) -> None:
    pieces = program.split("~")
    for first in range(len(pieces) - 1):
        for second in range(first, len(pieces) - 1):
            text = ""
            for at, piece in enumerate(pieces):
                text += piece + " # one\n" * (at == first) + " # two\n" * (at == second)
            formatted = format_text(text).text
            assert formatted != text
            assert formatted.index("# one") < formatted.index("# two"), formatted


def test_G_20_a_derive_function_without_a_name_stays() -> None:
    found = format_text('def @f(x:PackedFunc[derive=""]) { x }')
    assert not found.diagnostics
    assert 'PackedFunc[derive=""]' in found.text
