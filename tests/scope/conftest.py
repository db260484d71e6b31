"""Deep programs: the api raises the recursion limit for the parts that are tested here alone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from relax_lang.base.python.recursion import deep_recursion


@pytest.fixture(autouse=True)
def _deep_programs() -> Iterator[None]:
    with deep_recursion():
        yield
