"""The grammar files are a grammar for stock Lark too, and our driver accepts exactly what Lark accepts."""

from __future__ import annotations

import doctest
import random
from pathlib import Path

import pytest
from lark import Lark
from lark.exceptions import UnexpectedInput
from relax_lang.grammar import lark_parser

from relax_lang import grammar
from relax_lang.syntax.parser import parse

ROOT = Path(__file__).resolve().parents[2]
SAMPLES = sorted((ROOT / "samples").glob("*.rlx"))


@pytest.fixture(scope="module")
def lark() -> Lark:
    return lark_parser()


def accepts(lark: Lark, text: str) -> bool:
    try:
        lark.parse(text)
    except UnexpectedInput:
        return False
    return True


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_lark_reads_the_samples(lark: Lark, path: Path) -> None:
    assert accepts(lark, path.read_text(encoding="utf-8"))


def test_the_driver_accepts_what_lark_accepts(lark: Lark) -> None:
    """On 400 texts with one token too few or one in the wrong place."""
    rng = random.Random(11)
    texts = [path.read_text(encoding="utf-8") for path in SAMPLES]
    verdicts = {True: 0, False: 0}
    for index in range(400):
        words = texts[index % len(texts)].split(" ")
        at = rng.randrange(len(words))
        if rng.random() < 0.5:
            del words[at]
        else:
            words[at] = rng.choice(words)
        text = " ".join(words)
        accepted = accepts(lark, text)
        verdicts[accepted] += 1
        parsed = parse(text)
        if accepted:
            assert not parsed.losses.some, text
        else:
            assert any(d.severity == "error" for d in parsed.diagnostics), text
    assert min(verdicts.values()) > 20, verdicts


def test_every_production_has_a_callback() -> None:
    from relax_lang.syntax import table
    from relax_lang.syntax.builders.items import Builder

    builder = Builder("")
    assert [name for name in table.RULE_ACTION if not callable(getattr(builder, name, None))] == []


def test_every_rule_of_the_grammar_has_a_comment_with_an_example() -> None:
    """A group of rules is introduced by a `//` line."""
    for name in ("relax", "tir"):
        lines = (ROOT / "grammar" / f"{name}.lark").read_text(encoding="utf-8").splitlines()
        blocks = "\n".join(lines).split("\n\n")
        for block in blocks:
            assert "//" in block, block


def test_the_parser_for_other_tools_starts_where_it_is_told() -> None:
    tree = lark_parser(start="expr").parse("nn.relu(x)")
    assert "nn.relu" in "".join(str(token) for token in tree.scan_values(lambda _: True))


def test_the_example_of_the_grammar_package() -> None:
    assert doctest.testmod(grammar).failed == 0
