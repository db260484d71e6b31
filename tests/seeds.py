"""Seeds of random tests, tried from the command line: `python -m tests.… FIRST COUNT`."""

from __future__ import annotations

import sys
from collections.abc import Callable


def print_failing(problem: Callable[[int], str]) -> None:
    """Print those of the seeds on the command line of which a problem is found, or an error raised, with that."""
    first, count = [int(arg) for arg in sys.argv[1:]]
    for seed in range(first, first + count):
        try:
            found = problem(seed)
        except Exception as error:  # whatever it is, the seed is printed and the next one tried
            found = f"{type(error).__name__}: {error}"
        if found:
            sys.stdout.write(f"{seed} {found}\n")
            sys.stdout.flush()
