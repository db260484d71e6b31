"""Deep programs: the api raises the recursion limit for the parts that are tested here alone."""

from __future__ import annotations

import sys
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def _deep_programs() -> Iterator[None]:
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(200_000)
    yield
    sys.setrecursionlimit(limit)
