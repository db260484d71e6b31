"""Places of nodes and comments."""

from __future__ import annotations

import pytest

from relax_lang.base.node import children, walk
from relax_lang.syntax import tree as t
from relax_lang.syntax.parser import parse
from tests.syntax.parsed_texts import every_text, module


@pytest.mark.parametrize("text", every_text(), ids=lambda text: text[:40])
def test_every_node_has_a_real_span(text: str) -> None:
    """The span of a node lies in the text and holds the spans of its children."""
    parsed = parse(text)
    for node in walk(parsed.tree):
        assert 0 <= node.pos <= node.end <= len(text), node
        for child in children(node):
            assert node.pos <= child.pos, (node, child)
            assert child.end <= node.end, (node, child)


def test_spans_are_exact() -> None:
    text = "def @f(x: Tensor) -> Tensor {\n  let y = (x + x) * `q r`[0];\n  y\n}\n"
    (function,) = module(text).items
    found = {type(node).__name__ + ":" + text[node.pos : node.end] for node in walk(function)}
    assert {
        "VarBinding:let y = (x + x) * `q r`[0];",
        "BinaryOp:(x + x) * `q r`[0]",
        "BinaryOp:x + x",
        "TupleGetItem:`q r`[0]",
        "Var:`q r`",
        "GlobalVar:@f",
        "TensorStructInfo:Tensor",
    } <= found


def test_comments_and_parens_are_remembered() -> None:
    text = "# one\n## doc\ndef @f(x: Tensor) -> Tensor {\n  ((x)) # two\n}\n"
    parsed = parse(text)
    assert [(c.text, c.is_doc, text[c.pos : c.end]) for c in parsed.comments] == [
        ("# one", False, "# one"),
        ("## doc", True, "## doc"),
        ("# two", False, "# two"),
    ]
    ((node, span),) = parsed.parens.items()
    assert type(node) is t.Var
    assert text[slice(*span)] == "((x))"
