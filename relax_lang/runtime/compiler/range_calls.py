"""Code for the calls at one place of a program whose sizes are in the range that was used last. [X.O4]

A tensor that grows with each call stays in one range for many calls. Comparing its sizes with the ends of this range,
in code that is made for the number of arguments, takes less time than looking for the range among others.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    Values = tuple[int, ...]
    Function = Callable[..., Any]


class RangeCall(NamedTuple):
    """`call` takes the values of shape variables, then the arrays. `use` is given the ends of a range, and what runs
    the calls in it from now on: it takes the arrays, then the scalars.
    """

    call: Function
    use: Callable[[Values, Values, Function], None]


def range_call(dims: int, arrays: int, scalars: Sequence[str], others: Function) -> RangeCall:
    """Return what runs calls with so many shape variables and arrays. The `scalars` are texts in which the variables
    are `d0`, `d1` and so on; `others` runs calls outside of the range: it takes the tuple of values, then the arrays.
    """
    return RangeCall(*_code(dims, arrays, tuple(scalars))(others))


@lru_cache(maxsize=256)
def _code(dims: int, arrays: int, scalars: tuple[str, ...]) -> Function:
    """Return a function that makes the two. For one shape variable, two arrays and a scalar it is

    def make(others):
        used = 1, 0, None
        def call(d0, a0, a1):
            low0, high0, run = used
            if low0 <= d0 <= high0:
                return run(a0, a1, (d0 + 1))
            return others((d0,), a0, a1)
        def use(low, high, run):
            nonlocal used
            used = low[0], high[0], run
        return call, use

    One tuple has the ends and what runs, as another thread may come between two steps.
    """
    names = [f"d{at}" for at in range(dims)]
    given = [f"a{at}" for at in range(arrays)]
    ends = [f"low{at}, high{at}" for at in range(dims)]
    values = f"({', '.join(names)},)"
    lines = [
        "def make(others):",
        f"    used = {'1, 0, ' * dims}None",
        f"    def call({', '.join([*names, *given])}):",
        f"        {', '.join(ends)}, run = used",
        f"        if {' and '.join([f'low{at} <= d{at} <= high{at}' for at in range(dims)])}:",
        f"            return run({', '.join([*given, *scalars])})",
        f"        return others({', '.join([values, *given])})",
        "    def use(low, high, run):",
        "        nonlocal used",
        f"        used = {', '.join([f'low[{at}], high[{at}]' for at in range(dims)])}, run",
        "    return call, use",
    ]
    namespace: dict[str, Any] = {}
    exec(compile("\n".join(lines), "<calls in a range>", "exec"), namespace)
    return namespace["make"]
