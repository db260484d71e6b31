"""These tests say themselves which engine they mean."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def engine_of_the_harness() -> None:
    """Leave the harness as it is: compiled."""
