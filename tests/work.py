"""The work that something takes, counted rather than timed: tests of cost that no busy machine can fail."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import FrameType


def executed_lines(job: Callable[[], object]) -> int:
    """Return how many lines of the project a job executes. It runs twice: the first time loads modules and caches."""
    counted = 0

    def count(frame: FrameType, event: str, _argument: object) -> object:
        nonlocal counted
        if not str(frame.f_globals.get("__name__")).startswith("relax_lang"):
            return None
        counted += event == "line"
        return count

    job()
    before = sys.gettrace()
    sys.settrace(count)
    try:
        job()
    finally:
        sys.settrace(before)
    return counted
