"""Edits of one fix: none overlaps another, and those that touch are one, as nothing else orders them. [Z.6]"""

from __future__ import annotations

import pytest

from relax_lang import api
from relax_lang.base.diagnostic import Edit, Fix
from tests.edits import applied

TEXT = "0123456789"


@pytest.mark.parametrize(
    ("edits", "joined", "text"),
    [
        ([(4, 4, "a"), (4, 5, "b")], [(4, 5, "ab")], "0123ab56789"),
        ([(4, 5, "b"), (4, 4, "a")], [(4, 5, "ab")], "0123ab56789"),
        ([(2, 4, "a"), (4, 4, "b")], [(2, 4, "ab")], "01ab456789"),
        ([(4, 4, "a"), (4, 4, "b")], [(4, 4, "ab")], "0123ab456789"),
        ([(6, 7, ""), (1, 2, "")], [(1, 2, ""), (6, 7, "")], "02345789"),
        ([(2, 6, "a"), (3, 3, "b"), (5, 8, "c")], [(2, 6, "a")], "01a6789"),
        ([(2, 3, "a"), (3, 4, "b"), (4, 5, "c")], [(2, 5, "abc")], "01abc56789"),
    ],
)
def test_Z_6_edits_are_joined(edits: list[tuple[int, int, str]], joined: list[object], text: str) -> None:
    fix = Fix("title", [Edit(*edit) for edit in edits])
    assert [(edit.pos, edit.end, edit.text) for edit in fix.edits] == joined
    assert applied(TEXT, fix) == text


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        (
            "def @main(x: Tensor[(2, 3), float32]) -> Tensor { let y = add(x1=x, x2:x); y }",
            "def @main(x: Tensor[(2, 3), float32]) -> Tensor { let y = add(x, x); y }",
        ),
        (
            "def @main(x: Tensor[(2, 3), float32]) -> Tensor { reshape(x, shape(3, 2); }",
            "def @main(x: Tensor[(2, 3), float32]) -> Tensor { reshape(x, shape(3, 2)) }",
        ),
    ],
)
def test_Z_6_two_mistakes_at_one_place_have_one_fix_that_can_be_applied(text: str, mended: str) -> None:
    (found,) = api.check(text).diagnostics
    assert applied(text, found.fixes[0]) == mended
    assert api.fix_text(text, unsafe=True).text == mended
