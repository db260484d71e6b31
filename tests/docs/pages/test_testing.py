"""docs/testing.md and samples/bad/tests say what `relax test` does, and the settings that are shown are right."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from relax_lang import api
from relax_lang.check.explain import all_rules, text_of
from relax_lang.files.settings.search import Configs
from tests.docs.tools import ROOT, SAMPLES, formatted, relax, transcripts

PAGE = (ROOT / "docs" / "testing.md").read_text(encoding="utf-8")
TESTS = sorted((SAMPLES / "bad/tests").glob("*.rlx"))
FENCES = re.findall(r"^```rlx\n(.*?)^```", PAGE, re.M | re.S)


@pytest.mark.parametrize("text", FENCES)
def test_every_example_passes(text: str):
    assert [one.message for one in api.test(text)] == []


def test_the_examples_announce_something():
    assert len(FENCES) == 4
    announced = ("# error:", "# expect-output", "# reveals:")
    assert all(any(word in text for word in announced) for text in FENCES)


def test_the_command_of_the_page(capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    [(command, shown)] = re.findall(r"^\$ (relax .*)\n(.*)\n```", PAGE, re.M)
    assert relax(command, capsys) == (0, shown + "\n", "")


@pytest.mark.parametrize("path", TESTS, ids=lambda path: path.name)
def test_samples_pass_as_they_say(path: Path, capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    [(command, shown)] = transcripts(path.read_text(encoding="utf-8"))
    assert path.name in command
    assert relax(command, capsys) == (0, "\n".join(shown) + "\n", "")


@pytest.mark.parametrize(
    "path", [path for path in TESTS if path.stem != "syntax"], ids=lambda path: path.name
)
def test_samples_are_formatted(path: Path):
    text = path.read_text(encoding="utf-8")
    assert formatted(text) == text


@pytest.mark.parametrize(
    "rule", [rule for rule in all_rules() if "```rlx" in rule.explanation], ids=lambda r: r.slug
)
def test_examples_of_explanations_pass(rule):
    [text] = re.findall(r"^```rlx\n(.*?)^```", text_of(rule) + "\n", re.M | re.S)
    assert [one.message for one in api.test(text)] == []


@pytest.mark.parametrize("name", ["docs/language.md", "docs/diagnostics.md", "docs/plugins.md"])
def test_settings_that_are_shown_are_understood(name: str, tmp_path: Path):
    texts = re.findall(r"^```toml\n(.*?)^```", (ROOT / name).read_text(encoding="utf-8"), re.M | re.S)
    assert texts
    for text in texts:
        (tmp_path / "relax.toml").write_text(text)
        config = Configs().of(str(tmp_path / "a.rlx"))
        assert config.diagnostics == []
        if "line-length" in text:
            assert config.line_length == 80
            assert config.severity == {"shadowing": "warning"}
