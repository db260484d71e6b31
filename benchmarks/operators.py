"""How long operators take, as parts of the best NumPy code that one would write by hand.

    python benchmarks/operators.py [NAME …] [--rounds 40]

Every operator runs on few elements (about a thousand, where the cost of a call shows) and on many (about a
million), in two ways: *called*, by what a place of a program holds (`Operator.bound`), with all checks; and
*compiled*, in a Relax function that contains the call many times, on inputs whose shapes are written out. The code by
hand runs by turns with them, called as a function and written out as often, so that a busy machine slows all alike;
figures are minima. The aim is 1.15 for each and 1.0 for the geometric mean. Operators that only make views are a table
of their own: there is no work in them that could hide a call; so are the less common operators that NumPy has a natural
form of. With torch installed, its times stand beside.
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

from benchmarks.cases.more_operators import MORE
from benchmarks.cases.operators import LARGE, ROWS, SMALL, VIEWS, WITHOUT, WITHOUT_FAMILIES, code, repeated
from benchmarks.peers import imported
from relax_lang import api
from relax_lang.ops.calls.call_cache import bind
from relax_lang.ops.core.operator import BY_KERNEL
from relax_lang.ops.core.signature import show_value
from relax_lang.ops.registry import all_operators, lookup
from relax_lang.values import ShapeValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from benchmarks.cases.operators import Row

    Form = tuple[Callable[[], object], int]
    """What is measured, and how many calls it stands for."""
    Ratios = dict[tuple[int, str], list[tuple[float, str]]]
    """By size and way: the ratios, with the names of the operators."""

LIMIT = 1.15
SECONDS = 0.0005
"""A measurement takes about so long, if need be by repeating the call."""
ENOUGH, FEWEST = 3.0, 5
"""After so many seconds for one operator there are no more rounds, if there were so many."""
CALLED, COMPILED = "called", "compiled"
MOST_CALLS = 400
"""A compiled function contains the call up to so many times; what it costs to call an empty one is taken off."""


def in_torch(torch: Any, value: Any) -> Any:
    """Return an argument as torch takes it."""
    if isinstance(value, tuple):
        return tuple([in_torch(torch, field) for field in value])
    return torch.from_numpy(value) if isinstance(value, np.ndarray) else value


def forms_of(row: Row, size: int) -> list[Form]:
    """Return the operator and the code by hand, called and many times in a function, and torch if it is there."""
    name, make, attrs, by_hand, by_torch = row
    operator = lookup(name)
    assert operator is not None
    args, call = make(size), bind(operator, operator.options(attrs))
    function = code(by_hand, "numpy", len(args))
    check(name, call(*args), function(*args))
    count = max(2, min(MOST_CALLS, int(0.003 / seconds(lambda: function(*args), 3))))
    tensors = [tensor for arg in args for tensor in _tensors(arg)]
    program = api.start(relax_text(name, args, attrs, count))
    empty = api.start(relax_text(name, args, attrs, 0))
    written_out = repeated(by_hand, "numpy", len(args), count)
    check(name, program.call("main", tensors), function(*args))
    forms: list[Form] = [
        (lambda: call(*args), 1),
        (lambda: function(*args), 1),
        (lambda: program.call("main", tensors), count),
        (lambda: written_out(*args), count),
        (lambda: empty.call("main", tensors), 1),
    ]
    torch = imported("torch")
    if torch is not None and by_torch:
        torch_function = code(by_torch, "torch", len(args))
        torch_args = [in_torch(torch, arg) for arg in args]
        forms.append((lambda: torch_function(*torch_args), 1))
    return forms


def relax_text(name: str, args: Sequence[Any], attrs: dict[str, Any], count: int) -> str:
    """Return a program with a function that calls an operator so many times, and returns the last result if any."""
    params: list[str] = []
    given = [_leaf(arg, params) for arg in args] + [
        f"{key}={show_value(each)}" for key, each in attrs.items()
    ]
    call = f"{name}({', '.join(given)})"
    lets = [f"  let v{at} = {call};" for at in range(count)]
    return "\n".join(
        [f"def @main({', '.join(params)}) {{", *lets, f"  v{count - 1}" if count else "  ()", "}"]
    )


def _leaf(arg: Any, params: list[str]) -> str:
    """Return an argument as programs write it; tensors become parameters."""
    if isinstance(arg, np.ndarray):
        shape = "".join([f"{size}, " for size in arg.shape])
        params.append(f"x{len(params)}: Tensor[({shape}), {arg.dtype.name}]")
        return f"x{len(params) - 1}"
    if isinstance(arg, tuple):
        return f"({''.join([_leaf(field, params) + ', ' for field in arg])})"
    return repr(arg) if isinstance(arg, ShapeValue) else show_value(arg)


def _tensors(arg: Any) -> list[Any]:
    if isinstance(arg, tuple):
        return [tensor for field in arg for tensor in _tensors(field)]
    return [arg] if isinstance(arg, np.ndarray) else []


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


def seconds(function: Callable[[], object], count: int) -> float:
    """Return how long one call takes, of so many."""
    start = time.perf_counter()
    for _ in range(count):
        function()
    return (time.perf_counter() - start) / count


def best(rounds: int, forms: Sequence[Form]) -> list[float]:
    """Return the shortest time of each form, in microseconds for one call of the operator."""
    counts = [max(1, int(SECONDS / max(1e-7, seconds(function, 1)))) for function, _ in forms]
    times = [math.inf] * len(forms)
    end = time.perf_counter() + ENOUGH
    for number in range(rounds):
        if number >= FEWEST and time.perf_counter() > end:
            break
        for at, (function, calls) in enumerate(forms):
            if calls == 1:
                function()  # whoever comes first would pay for memory that the form before gave back
            times[at] = min(times[at], seconds(function, counts[at]) / calls)
    return [each * 1e6 for each in times]


def table(title: str, rows: Sequence[Row], rounds: int) -> Ratios:
    """Measure and print some operators; return the ratios."""
    with_torch = f"{'torch us':>10}" if imported("torch") is not None else ""
    head = (
        f"{'called us':>11}{'by hand':>10}{'ratio':>7}{'compiled':>11}{'by hand':>10}{'ratio':>7}{with_torch}"
    )
    print(f"{title:<24}{head}  |{head}")
    ratios: Ratios = {(size, way): [] for way in (CALLED, COMPILED) for size in (SMALL, LARGE)}
    for row in rows:
        line = f"{label(row):<24}"
        for size in (SMALL, LARGE):
            forms = forms_of(row, size)
            measured = best(rounds if size == SMALL else max(15, rounds // 2), forms)
            called, hand, compiled, written_out, begun, *torch = measured
            compiled -= begun / forms[2][1]
            ratios[size, CALLED].append((called / hand, label(row)))
            ratios[size, COMPILED].append((compiled / written_out, label(row)))
            line += f"{called:>11.2f}{hand:>10.2f}{called / hand:>7.2f}"
            line += f"{compiled:>11.2f}{written_out:>10.2f}{compiled / written_out:>7.2f}"
            line += (f"{torch[0]:>10.1f}" if torch else " " * len(with_torch)) + (
                "  |" if size == SMALL else ""
            )
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
    worst = max(ratios)[0]
    print(
        f"{title}: geometric mean {mean:.2f}, worst {worst:.2f}; above {LIMIT}: {', '.join(slow) or 'none'}"
    )


def summaries(title: str, ratios: Ratios) -> None:
    """Print what follows from a table, for both ways: of few elements, of many, and of all rows together."""
    for way in (CALLED, COMPILED):
        few, many = ratios[SMALL, way], ratios[LARGE, way]
        summary(f"{title} {way}, few elements", few)
        summary(f"{title} {way}, many elements", many)
        summary(f"{title} {way}, all rows", few + many)


def main() -> None:
    """Measure and print the tables and what follows from them."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("names", nargs="*", help="only these operators")
    options.add_argument("--rounds", type=int, default=40)
    given = options.parse_args()
    measured = {row[0].split()[0] for row in (*ROWS, *VIEWS, *MORE)} | WITHOUT
    by_kernel = {one.name for one in all_operators() if one.evaluated == BY_KERNEL}
    missing = {name for name in by_kernel - measured if not name.startswith(WITHOUT_FAMILIES)}
    assert not missing, missing
    tables = (("operators", ROWS), ("views", VIEWS), ("less common operators", MORE))
    with np.errstate(all="ignore"):
        for title, rows in tables:
            chosen = [row for row in rows if not given.names or row[0] in given.names]
            if chosen:
                summaries(title, table(title, chosen, given.rounds))
                print()


if __name__ == "__main__":
    main()
