"""How long kernels of operators take, as parts of the best NumPy code that one would write by hand.

    python benchmarks/operators.py [NAME …] [--rounds 40]

Every tier-1 operator is called through `Operator.apply` on few elements (about a thousand, where the cost of a call
shows) and on many (about a million), by turns with the code by hand, so that a busy machine slows both alike; figures
are minima. The aim is 1.15 for each and 1.0 for the geometric mean. Operators that only make views are a table of their
own: there is no work in them that could hide a call. With torch installed, its times stand beside.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # two threads on a busy machine wait for each other

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.operator_cases import LARGE, ROWS, SMALL, VIEWS, WITHOUT, code
from benchmarks.peers import imported
from relax_lang.ops.registry import BY_KERNEL, all_operators, lookup

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from benchmarks.operator_cases import Row

    Form = Callable[[], object]

LIMIT = 1.15
SECONDS = 0.0005
"""A measurement takes about so long, if need be by repeating the call."""


def in_torch(torch: Any, value: Any) -> Any:
    """Return an argument as torch takes it."""
    if isinstance(value, tuple):
        return tuple([in_torch(torch, field) for field in value])
    return torch.from_numpy(value) if isinstance(value, np.ndarray) else value


def forms_of(row: Row, size: int) -> list[Form]:
    """Return the operator and the code by hand on the same arguments, and torch if it is there."""
    name, make, attrs, by_hand, by_torch = row
    operator = lookup(name)
    assert operator is not None
    args, options = make(size), operator.options(attrs)
    function = code(by_hand, "numpy", len(args))
    forms: list[Form] = [lambda: operator.apply(args, options), lambda: function(*args)]
    check(name, *[form() for form in forms])
    torch = imported("torch")
    if torch is not None and by_torch:
        torch_function = code(by_torch, "torch", len(args))
        torch_args = [in_torch(torch, arg) for arg in args]
        forms.append(lambda: torch_function(*torch_args))
    return forms


def check(name: str, ours: Any, by_hand: Any) -> None:
    """Require that both forms give the same."""
    if isinstance(by_hand, tuple):
        for left, right in zip(ours, by_hand, strict=True):
            check(name, left, right)
    elif isinstance(by_hand, np.ndarray):
        assert (ours.dtype, ours.shape) == (by_hand.dtype, by_hand.shape), name
        np.testing.assert_allclose(ours, by_hand, 1e-3, 1e-3, err_msg=name)
    else:
        assert ours == by_hand, name


def seconds(form: Form, count: int) -> float:
    """Return how long one call takes, of so many."""
    start = time.perf_counter()
    for _ in range(count):
        form()
    return (time.perf_counter() - start) / count


def best(rounds: int, forms: Sequence[Form]) -> list[float]:
    """Return the shortest time of each form, in microseconds."""
    count = max(1, int(SECONDS / max(1e-7, seconds(forms[1], 1))))
    times = [math.inf] * len(forms)
    for _ in range(rounds):
        for at, form in enumerate(forms):
            times[at] = min(times[at], seconds(form, count))
    return [each * 1e6 for each in times]


def table(title: str, rows: Sequence[Row], rounds: int) -> dict[int, list[tuple[float, str]]]:
    """Measure and print some operators; return the ratios by size."""
    with_torch = "torch us" if imported("torch") is not None else ""
    head = f"{'relax us':>11}{'by hand us':>11}{'ratio':>7}{with_torch:>11}"
    print(f"{title:<24}{head}{'|':>3}{head}")
    ratios: dict[int, list[tuple[float, str]]] = {SMALL: [], LARGE: []}
    for row in rows:
        line = f"{label(row):<24}"
        for size in (SMALL, LARGE):
            ours, hand, *torch = best(rounds if size == SMALL else max(15, rounds // 2), forms_of(row, size))
            ratios[size].append((ours / hand, label(row)))
            shown = f"{torch[0]:>11.1f}" if torch else " " * (11 if with_torch else 0)
            line += f"{ours:>11.2f}{hand:>11.2f}{ours / hand:>7.2f}{shown}" + ("  |" if size == SMALL else "")
        print(line, flush=True)
    return ratios


def label(row: Row) -> str:
    """Return the name of an operator, with the dtype where that is not float32."""
    first = row[1](8)[0]
    dtype = first.dtype.name if isinstance(first, np.ndarray) else "float32"
    return row[0] if dtype in ("float32", "bool", "int64") else f"{row[0]} {dtype}"


def summary(title: str, ratios: list[tuple[float, str]]) -> None:
    """Print the geometric mean, and what is slower than it should be."""
    mean = math.exp(sum(math.log(ratio) for ratio, _ in ratios) / len(ratios))
    slow = [f"{name} {ratio:.2f}" for ratio, name in sorted(ratios, reverse=True) if ratio > LIMIT]
    print(
        f"{title}: geometric mean {mean:.2f}, worst {max(ratios)[0]:.2f}; above {LIMIT}: {', '.join(slow) or 'none'}"
    )


def main() -> None:
    """Measure and print two tables and what follows from them."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("names", nargs="*", help="only these operators")
    options.add_argument("--rounds", type=int, default=40)
    given = options.parse_args()
    measured = {row[0] for row in (*ROWS, *VIEWS)} | WITHOUT
    missing = {one.name for one in all_operators() if one.tier == 1 and one.evaluated == BY_KERNEL} - measured
    assert not missing, missing
    chosen = [[row for row in rows if not given.names or row[0] in given.names] for rows in (ROWS, VIEWS)]
    with np.errstate(all="ignore"):
        for title, rows in zip(("operator", "view"), chosen, strict=True):
            if rows:
                ratios = table(title, rows, given.rounds)
                for size, words in ((SMALL, "few elements"), (LARGE, "many elements")):
                    summary(f"{title}s, {words}", ratios[size])
                print()


if __name__ == "__main__":
    main()
