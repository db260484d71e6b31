"""Random calls of an operator beside what another library makes of them, where it can be asked. [OP.9]"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from relax_lang.ops.registry import lookup
from relax_lang.values import RunFailure
from tests.ops.test_reference import completed, drawn, outcome

SEEDS = 40
SPATIAL = {1: "W", 2: "HW", 3: "DHW"}
"""The letters of the spatial axes, by how many there are."""


class NotComparableError(Exception):
    """The library has no such attribute, or means something else by it."""


def require(condition: object) -> None:
    """Ask the library only if a condition holds."""
    if not condition:
        raise NotComparableError


def compared(
    name: str, form: Callable[..., Any], fits: Callable[[Any], bool]
) -> Iterator[tuple[Any, Any, Any]]:
    """Yield what the operator and the library give for random calls whose values all fit, and what to tell of the call.

    Fails if there is no such call.
    """
    operator = lookup(name)
    assert operator is not None
    count = 0
    for seed in range(SEEDS):
        _, (args, attrs) = drawn(operator, seed)
        found = outcome(operator, args, attrs)
        results = found if isinstance(found, tuple) else (found,)
        if isinstance(found, RunFailure) or not all(fits(x) for x in (*args, *results)):
            continue
        try:
            with np.errstate(all="ignore"):
                expected = form(*completed(operator, args), **operator.options(attrs))
        except NotComparableError:
            continue
        count += 1
        yield found, expected, (seed, args, attrs)
    assert count, "some drawn calls should be comparable"
