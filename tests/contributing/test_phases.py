"""What a phase does follows from the tree and from what the parser saw, not from words somewhere in the text."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

ALLOWED = ("cli/run/run.py",)
"""`relax run --out` parses a text again only if it may name files: a program that was kept is not parsed at all."""
ROOT = Path(__file__).resolve().parents[2]


def searches(tree: ast.AST) -> Iterator[int]:
    """Yield the lines that look for a word in a text of a program: `"file" in source.text`."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Compare) or not isinstance(node.left, ast.Constant):
            continue
        word, within = node.left.value, node.comparators[0]
        is_search = isinstance(node.ops[0], ast.In | ast.NotIn) and isinstance(word, str) and word.isalpha()
        if is_search and isinstance(within, ast.Attribute) and within.attr == "text":
            yield node.lineno


def test_no_phase_looks_for_a_word_in_the_text() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for folder in ("relax_lang", "cli")
        for path in sorted((ROOT / folder).rglob("*.py"))
        for line in searches(ast.parse(path.read_text(encoding="utf-8")))
        if path.relative_to(ROOT).as_posix() not in ALLOWED
    ]
    assert not found, "the parser notes what it saw in `Parsed.features`"


def test_a_search_is_found() -> None:
    assert list(searches(ast.parse('if "file" in source.text:\n    pass'))) == [1]
