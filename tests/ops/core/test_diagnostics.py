"""Every explanation holds: the wrong program ends with that slug when it is run, the right one with a value."""

from __future__ import annotations

import inspect

import numpy as np
import pytest

from relax_lang import api
from relax_lang.base.diagnostic import RULES, Rule
from relax_lang.ops.core.diagnostics import calls as diag
from tests.explanations import examples

OURS = [rule for rule in RULES.values() if rule.slug.replace("-", "_") in vars(diag)]
VALUES = {"x": np.ones((2, 3), np.float32), "w": np.ones((3, 4), np.float32)}


def run(text: str) -> object:
    header = text.partition("{")[0]
    return api.run(text, named={name: value for name, value in VALUES.items() if f"{name}: " in header})


def test_all_are_found() -> None:
    source = inspect.getsource(diag)
    assert len(OURS) == source.count("\n@rule(") == 7


@pytest.mark.parametrize("rule", OURS, ids=lambda rule: rule.slug)
def test_explanation(rule: Rule) -> None:
    assert rule.cites
    assert set(examples(rule)) == {"wrong", "right"}
    with pytest.raises(api.RelaxError) as caught:
        run(examples(rule)["wrong"])
    assert [one.slug for one in caught.value.diagnostics] == [rule.slug]
    run(examples(rule)["right"])


@pytest.mark.parametrize("slug", ["arity", "op-attribute"])
def test_found_before_anything_runs(slug: str) -> None:
    found = api.check(examples(RULES[slug])["wrong"]).diagnostics
    assert [one.slug for one in found] == [slug]
