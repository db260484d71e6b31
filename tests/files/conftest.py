"""What tests of files share."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest

from relax_lang.files.settings import plugins
from relax_lang.ops import registry


@pytest.fixture
def only_our_operators(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Forget what a test declares."""
    known = set(registry.OPERATORS)
    monkeypatch.setattr(plugins, "_loaded", {})
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield
    for name, operator in list(registry.OPERATORS.items()):
        if name not in known and operator.family.name == "plugin":
            registry.forget(operator)
