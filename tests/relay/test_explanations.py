"""Every diagnostic of Relay explains itself with a wrong program, which gives it alone, and a right one."""

from __future__ import annotations

import pathlib
import re

import pytest

from relax_lang import api
from relax_lang.base.source import RelayFile
from relax_lang.check import explain

ROOT = pathlib.Path(__file__).parents[2]
BAD = sorted((ROOT / "samples/bad/relay").glob("*.relay"))
RULES = [rule for rule in explain.all_rules() if rule.slug.startswith("relay-")]
AT_RUN_TIME = {"relay-no-clause", "relay-not-translated"}


def programs(rule, kind: str) -> list[str]:
    return re.findall(rf"```relay {kind}\n(.*?)```", explain.text_of(rule), re.DOTALL)


def slugs(text: str) -> list[str]:
    return [one.slug for one in api.check(RelayFile(text, "model.relay")).diagnostics]


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.slug)
def test_wrong_gives_the_diagnostic_and_right_gives_none(rule):
    wrong, right = programs(rule, "wrong"), programs(rule, "right")
    assert wrong
    assert right
    for text in wrong:
        expected = [] if rule.slug in AT_RUN_TIME else [rule.slug]
        assert slugs(text) == expected
    for text in right:
        assert slugs(text) == []


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.stem)
def test_bad_sample_gives_its_diagnostic_and_no_other(path):
    expected = [] if path.stem in AT_RUN_TIME else [path.stem]
    assert slugs(path.read_text(encoding="utf-8")) == expected


def test_relay_programs_are_found_in_folders_and_checked(tmp_path, capsys):
    from tests.docs.tools import relax

    (tmp_path / "a.relay").write_text("def @main() { %x }")
    (tmp_path / "b.rly").write_text("def @main() { 1 }")
    status, out, _ = relax(f"relax check --output-format concise {tmp_path}", capsys)
    assert status == 1
    assert "a.relay:1:15: error[RLX1054 relay-undefined-variable]" in out
