"""Every diagnostic of name resolution explains itself: the wrong program gives that slug, the right one nothing."""

from __future__ import annotations

import pytest

from relax_lang.base.diagnostic import RULES
from relax_lang.scope.diagnostics import blocks, dims, names, trees
from relax_lang.syntax.parser import parse
from tests.edits import applied
from tests.explanations import examples
from tests.scope.harness import resolved

OURS = [
    rule
    for rule in RULES.values()
    if f"{rule.slug.replace('-', '_')}" in {n for t in (blocks, dims, names, trees) for n in vars(t)}
    and rule.slug != "negative-dimension"  # its program has to run to fail: tests/runtime does that
]
ONLY_TREES = {
    "bound-twice",
    "param-shared",
    "dataflow-var-outside",
    "ndim-mismatch",
    "fn-info-shape",
    "not-normal",
}


def test_all_are_found() -> None:
    assert len(OURS) == 36


@pytest.mark.parametrize("rule", OURS, ids=lambda rule: rule.slug)
def test_the_explanation_of(rule) -> None:
    summary = rule.explanation.splitlines()[0]
    assert summary.endswith(".")
    assert rule.cites
    found = examples(rule)
    if rule.slug in ONLY_TREES:
        assert not found
        return
    assert set(found) == {"wrong", "right"}
    assert {one.slug for one in resolved(found["wrong"]).diagnostics} == {rule.slug}
    assert resolved(found["right"]).diagnostics == []


@pytest.mark.parametrize(
    "rule", [one for one in OURS if one.slug not in ONLY_TREES], ids=lambda rule: rule.slug
)
def test_the_messages_of(rule) -> None:
    """Lower case, no full stop, a real place, edits inside the text that leave it without syntax errors."""
    text = examples(rule)["wrong"]
    for one in resolved(text).diagnostics:
        assert one.message[0] in "`@" or not one.message[0].isupper()
        assert not one.message.endswith(".")
        assert 0 <= one.pos < one.end <= len(text)
        for label in one.labels:
            assert 0 <= label.pos < label.end <= len(text)
        for fix in one.fixes:
            mended = applied(text, fix)
            assert parse(mended).diagnostics == []
            assert rule.slug not in {other.slug for other in resolved(mended).diagnostics}
