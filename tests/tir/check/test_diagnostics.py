"""The diagnostics of PrimFuncs: each is explained and tested."""

from __future__ import annotations

from pathlib import Path

import pytest

from relax_lang.base.source import SourceFile
from relax_lang.check.driver import check_source
from relax_lang.check.explain import all_rules
from tests.explanations import examples

TIR_RULES = [rule for rule in all_rules() if rule.code.startswith("RLX07")]


@pytest.mark.parametrize("rule", TIR_RULES, ids=lambda rule: rule.slug)
def test_explanations_hold(rule) -> None:
    """The wrong program gives exactly the slug of the rule, the right one nothing; run time rules give nothing."""
    results = {
        kind: [found.slug for found in check_source(SourceFile(text), lints=[rule.slug]).diagnostics]
        for kind, text in examples(rule).items()
    }
    run_time = rule.slug in (
        "tir-runtime-bounds",
        "tir-not-vectorized",
    )  # or reported by `relax compile` alone
    assert results == {"wrong": [] if run_time else [rule.slug], "right": []}


def test_every_diagnostic_of_the_package_is_tested() -> None:
    here = Path(__file__).parent
    paths = [*here.parent.rglob("test_*.py"), here.parents[1] / "check" / "test_prim_func_results.py"]
    text = "".join([path.read_text(encoding="utf-8") for path in paths])
    for rule in TIR_RULES:
        assert rule.slug in text, rule.slug
