"""Seeds of random tests, tried from the command line: `python -m tests.… FIRST COUNT`."""

from __future__ import annotations

import sys
from collections.abc import Callable


def print_failing(problem: Callable[[int], str]) -> None:
    """Print the seeds, of those that the command line names, of which a problem is found, with that."""
    first, count = [int(arg) for arg in sys.argv[1:]]
    for seed in range(first, first + count):
        found = problem(seed)
        if found:
            sys.stdout.write(f"{seed} {found}\n")
            sys.stdout.flush()
