"""Name resolution takes any tree and any text: no exception, places and edits inside the text, normal form if clean."""

from __future__ import annotations

from random import Random

import pytest

from relax_lang.base.diagnostic import ERROR, Diagnostic
from relax_lang.format.printer import print_tree
from relax_lang.normalize.normalize import normalize
from relax_lang.normalize.verify import verify_normal_form
from relax_lang.scope.resolve import resolve
from relax_lang.scope.verify import verify
from relax_lang.syntax.parser import parse
from tests.generate import Trees

SNIPPETS = ("", "x", "n", "_", "add", "{ }", "@f", ", ", "output x;", "Tensor[(n,), float32]")


def check_places(found: list[Diagnostic], text: str) -> None:
    for one in found:
        assert -1 <= one.pos <= one.end <= len(text)
        for label in one.labels:
            assert -1 <= label.pos <= label.end <= len(text)
        for fix in one.fixes:
            for edit in fix.edits:
                assert 0 <= edit.pos <= edit.end <= len(text)


@pytest.mark.parametrize("case", range(10))
def test_any_tree_and_any_text(case: int) -> None:
    clean = 0
    for seed in range(case * 15, (case + 1) * 15):
        random = Random(seed)
        module = Trees(random).module()
        found = resolve(module)
        assert verify(module) == []
        verify_normal_form(module)
        if not [one for one in found.diagnostics if one.severity == ERROR]:
            clean += 1
            assert verify_normal_form(normalize(module, found)) == []
        text = print_tree(module)
        start = random.randrange(len(text) + 1)
        broken = text[:start] + random.choice(SNIPPETS) + text[start + random.randrange(30) :]
        check_places(resolve(parse(broken).tree).diagnostics, broken)
    assert clean
