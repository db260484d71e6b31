"""Blanks take linear time wherever they are: behind the last token, before an error, before the cursor. [Y.9]

Each of these takes minutes where every blank is tried as the beginning of a token.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from relax_lang import api
from relax_lang.check.expectations.findings import split_modules
from relax_lang.relay.syntax.parser import parse as parse_relay
from relax_lang.syntax import lalr_table
from relax_lang.syntax.parser import parse
from relax_lang.workspace.queries.token_context import TokenContext

COUNT = 200_000


def test_what_is_between_tokens_is_what_the_grammar_leaves_out() -> None:
    blanks = re.match(r"\[([^]]*)\]\*", lalr_table.TOKEN.pattern)
    assert blanks is not None
    assert set(blanks[1]) == set(lalr_table.BLANKS)


def test_the_last_blanks_are_left_out() -> None:
    text = "a  b \t\r\n\f"
    assert [match[0] for match in lalr_table.tokens(text)] == ["a", "  b"]
    assert [match[0] for match in lalr_table.tokens(text, 1, 3)] == []
    assert lalr_table.without_blanks(text, 4, len(text)) == 4
    assert lalr_table.without_blanks(text, 0, 2) == 1


@pytest.mark.parametrize("blank", lalr_table.BLANKS, ids=repr)
@pytest.mark.parametrize(
    "read",
    [
        pytest.param(lambda blanks: api.check("def @f(x: Tensor) { x }" + blanks), id="at the end"),
        pytest.param(lambda blanks: api.check("def @f(x: Tensor) {" + blanks), id="not closed"),
        pytest.param(lambda blanks: api.check("def @f(x: Tensor)" + blanks + "x }"), id="no brace"),
        pytest.param(lambda blanks: api.check(blanks + "x" + blanks), id="no item"),
        pytest.param(
            lambda blanks: api.check("def @f(x: Tensor) { x" + blanks + "\ndef @g(x: Tensor) { x }"),
            id="before an item",
        ),
        pytest.param(lambda blanks: parse("const((1, 2" + blanks + "))", "expr"), id="in parentheses"),
        pytest.param(lambda blanks: parse("const(" + blanks + "[1]" + blanks + ")", "expr"), id="a list"),
        pytest.param(
            lambda blanks: parse("fn (a: Tensor) =>" + blanks + "a" + blanks + ";", "expr"), id="arrow"
        ),
        pytest.param(lambda blanks: parse_relay("def @f(%x: int32) { %x }" + blanks), id="Relay"),
        pytest.param(lambda blanks: split_modules("def @f(x: Tensor) { x }" + blanks), id="modules"),
        pytest.param(
            lambda blanks: TokenContext("def @f(x: Tensor) { x" + blanks, COUNT), id="before the cursor"
        ),
    ],
)
def test_Y_9_blanks_take_linear_time(read: Callable[[str], object], blank: str) -> None:
    read(blank * COUNT)
