"""Comments are found in every part of a text, also where the parser had to leave something out."""

from __future__ import annotations

from pathlib import Path

import pytest

from relax_lang.syntax.driver import all_comments
from relax_lang.syntax.parser import parse

SAMPLES = Path(__file__).parents[2] / "samples"


@pytest.mark.parametrize(
    "text",
    [
        "def @t(x: Tensor) {\n  (x + ?)  # one\n}\n# two\n",
        "def @t() {\n  x = = = 3  # one\n  foo bar\n}\n  ## two",
        'def @t() {\n  "abc  # one\n}  # two\n',
        "def @t() {  # one\n  a ! b ;\n} } }  # two\n def @",
        "%x = 3  # one\nnonsense  # two",
        "def @t() {\n  (((  # one\n  1\r\n}\n# two\r\n",
    ],
)
def test_Y_4_comments_of_broken_texts(text: str) -> None:
    parsed = parse(text)
    assert parsed.diagnostics
    found = parsed.comments
    assert [comment.text.lstrip("# ") for comment in found] == ["one", "two"]
    assert [text[comment.pos : comment.end].rstrip() for comment in found] == [one.text for one in found]


def test_Y_4_hashes_in_strings_begin_no_comment() -> None:
    parsed = parse('def @t() attrs { a: "# one" } {\n  ?  # two\n}\n')
    assert [comment.text for comment in parsed.comments] == ["# two"]


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.rlx")), ids=lambda path: path.name)
def test_Y_4_both_ways_to_comments_find_the_same(path: Path) -> None:
    parsed = parse(path.read_text(encoding="utf-8"))
    expected = [(one.pos, one.end, one.text) for one in parsed.comments]
    assert [(one.pos, one.end, one.text) for one in all_comments(parsed.text)] == expected
