"""Configurations of editors that tests cannot start: their syntax, and that they say so."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

EDITORS = Path(__file__).parents[2] / "editors"


def commands(configuration: Any) -> list[list[str]]:
    """Return every command line that starts a server."""
    if isinstance(configuration, list):
        return [one for value in configuration for one in commands(value)]
    if not isinstance(configuration, dict):
        return []
    command = configuration.get("command")
    own = (
        []
        if command is None
        else [command if isinstance(command, list) else [command, *configuration["args"]]]
    )
    return own + [one for value in configuration.values() for one in commands(value)]


@pytest.mark.parametrize(
    "name", ["helix/languages.toml", "kakoune/kak-lsp.toml", "sublime/LSP-relax.sublime-settings"]
)
def test_the_configuration_is_read_and_starts_the_server(name: str) -> None:
    text = (EDITORS / name).read_text("utf-8")
    configuration = tomllib.loads(text) if name.endswith(".toml") else json.loads(text)
    assert commands(configuration) == [["relax", "lsp"]]


def test_what_was_not_tried_is_named() -> None:
    text = (EDITORS / "README.md").read_text("utf-8")
    untried = [line for line in text.splitlines() if "untried" in line.lower()]
    assert all(any(name in line for line in untried) for name in ("Helix", "Kakoune", "Sublime")), untried
