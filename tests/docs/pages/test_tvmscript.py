"""docs/tvmscript.md: its commands give what it shows."""

from __future__ import annotations

import re

import pytest

from tests.docs.tools import ROOT, relax

PAGE = (ROOT / "docs/tvmscript.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"^```console\n\$ (relax .*)\n((?:.*\n)*?)```$", PAGE, re.MULTILINE)


def test_commands_are_found() -> None:
    assert len(COMMANDS) == 4


@pytest.mark.parametrize(("command", "shown"), COMMANDS, ids=[command.split()[1] for command, _ in COMMANDS])
def test_the_commands_of_the_page(command: str, shown: str, capsys, monkeypatch) -> None:
    monkeypatch.chdir(ROOT)
    status, out, err = relax(command, capsys)
    assert status == int("error[" in shown)
    assert err == ""
    assert out.rstrip() == shown.rstrip()
