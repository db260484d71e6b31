"""docs/running.md: every command is run and prints what the page shows, but for times; the Python examples run."""

from __future__ import annotations

import re

import pytest

from tests.docs.tools import ROOT, relax

PAGE = (ROOT / "docs" / "running.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^```console\n\$ (relax .*)\n((?:.*\n)*?)```", PAGE, re.M)
FENCES = re.findall(r"^```python\n(.*?)^```", PAGE, re.M | re.S)


def without_times(text: str) -> str:
    """Replace times and what follows from them."""
    text = re.sub(r" +[\d.]+ (?:µs|ms|s)\b", " TIME", text)
    text = re.sub(r"\[[\d.]+ (?:µs|ms|s)\]", "[TIME]", text)
    return re.sub(r" +[\d.]+%", " SHARE", text)


@pytest.mark.parametrize(("command", "shown"), COMMANDS, ids=[command for command, _ in COMMANDS])
def test_commands_print_what_the_page_shows(command, shown, capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    status, out, err = relax(command, capsys)
    assert status == (1 if "error[" in shown else 0)
    if not shown:
        return
    got = without_times(out + err).splitlines()
    wanted = without_times(shown).splitlines()
    # The rows of a profile are sorted by time.
    assert (sorted(got) == sorted(wanted)) if "--profile" in command else (got == wanted)


def test_there_are_commands_and_examples():
    assert len(COMMANDS) >= 6
    assert len(FENCES) == 2


@pytest.mark.parametrize("text", FENCES)
def test_python_examples_run(text, capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    exec(compile(text, "docs/running.md", "exec"), {})
    shown = re.search(r"print\(.*# (\[[^\]]*\])", text)
    assert capsys.readouterr().out == (f"{shown[1]}\n" if shown else "")
