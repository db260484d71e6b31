"""The output of commands must not depend on the terminal that the tests run in."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _no_terminal(monkeypatch):
    for name in ("COLUMNS", "LINES", "FORCE_COLOR", "CLICOLOR_FORCE", "GITHUB_ACTIONS"):
        monkeypatch.delenv(name, raising=False)
