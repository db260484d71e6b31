"""All highlighters see the same in every sample, and nothing that they do not know."""

from __future__ import annotations

import json
from importlib.metadata import entry_points
from pathlib import Path

import pytest
from pygments.token import Error

from relax_lang.base.python.recursion import deep_recursion
from relax_lang.pygments_lexer import TOKENS, RelaxLexer
from relax_lang.syntax.vocabulary.word_lists import keywords
from relax_lang.workspace.queries.token_classes import tokens
from relax_lang.workspace.workspace import Workspace

ROOT = Path(__file__).parents[2]
SAMPLES = sorted(
    [*ROOT.glob("samples/*.rlx"), *ROOT.glob("samples/models/*.rlx"), *ROOT.glob("samples/digits/*.rlx")]
)
NAMES = {"variable", "parameter", "typeParameter", "function", "property"}
"""Classes between which only the analysis tells apart."""


@pytest.mark.parametrize("path", SAMPLES, ids=[path.name for path in SAMPLES])
def test_the_lexer_sees_what_semantic_tokens_show(path: Path) -> None:
    text = path.read_text("utf-8")
    workspace = Workspace()
    workspace.open("a", text)
    with deep_recursion():
        made = workspace.analyse("a")
    kinds = {kind: name for name, kind in TOKENS.items()}
    lexed = {
        (at, at + len(value)): kinds[kind]
        for at, kind, value in RelaxLexer().get_tokens_unprocessed(text)
        if kind in kinds
    }
    shown = {(token.pos, token.end): token.kind for token in tokens(made, (0, len(text)))}
    assert {place for place, kind in lexed.items() if kind is not None} == set(shown)
    for place, kind in shown.items():
        assert lexed[place] == kind or {lexed[place], kind} <= NAMES, text[slice(*place)]


@pytest.mark.parametrize("path", SAMPLES, ids=[path.name for path in SAMPLES])
def test_nothing_is_lost_or_unknown(path: Path) -> None:
    text = path.read_text("utf-8")
    found = list(RelaxLexer(stripnl=False, ensurenl=False).get_tokens(text))
    assert "".join(value for _, value in found) == text
    assert not [value for kind, value in found if kind is Error]


def test_text_that_is_no_relax_is_kept() -> None:
    text = "def @f( $$ \u201cx\u201d \U0001d11e\n'"
    assert "".join(value for _, _, value in RelaxLexer().get_tokens_unprocessed(text)) == text


def test_the_lexer_is_found_by_name() -> None:
    names = [one.value for one in entry_points(group="pygments.lexers") if one.name == "relax"]
    if not names:
        pytest.skip("relax-lang is not installed")
    assert names == ["relax_lang.pygments_lexer:RelaxLexer"]


def test_the_grammars_of_editors_have_the_words_of_the_language() -> None:
    grammar = json.loads((ROOT / "editors/vscode/syntaxes/relax.tmLanguage.json").read_text("utf-8"))
    (words,) = [one["match"] for one in grammar["patterns"] if one["name"] == "keyword.control.relax"]
    assert set(keywords()) == set(words.removeprefix("\\b(").removesuffix(")\\b").split("|"))
