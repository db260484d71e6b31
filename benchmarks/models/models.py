"""Whole models: operators, legalized to PrimFuncs, and NumPy as a person writes it, at three sizes; time and memory.

    python benchmarks/models/models.py [--rounds 5] [--only mlp lstm] [--size small|middle|large] [--markdown]

Processor time of one call from Python in milliseconds (`models_by_hand.py` has the programs and the forms by hand);
every round runs all forms in turn and figures are minima. Memory is the peak of what NumPy allocates in one call.
One BLAS thread and one processor: rows on two threads take less time, but more of the processors. Results are
compared first. Columns: by hand; operators and legalized as ratios to it; their memory.
Aims: operators 1.1 small, 1.4 middle, 1.1 large; memory 1.3; legalized 1.5 of operators small, 1.0 large.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
import tracemalloc
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["MKL_NUM_THREADS"] = "1"

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import relax_lang
from benchmarks.by_hand.models import MODELS, SHAPES
from benchmarks.polybench import geometric_mean
from relax_lang import api, transform
from relax_lang.typed import text_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Form = Callable[[], object]

SIZES = ("small", "middle", "large")
ROW = "{:<12}{:>10}{:>11}{:>11}{:>11}{:>11}"
MARKDOWN = "| `{}` | {} | {} | {} | {} | {} |"
ENOUGH = 0.05


def legalized(program: str) -> str:
    """Return a program whose operators are PrimFuncs."""
    return text_of(transform.LegalizeOps()(api.typed(program)).module)


def timed(form: Form) -> float:
    """Return the processor time of one call in milliseconds, of as many as take some time."""
    start, calls = time.process_time_ns(), 0
    while True:
        form()
        calls += 1
        taken = time.process_time_ns() - start
        if taken > ENOUGH * 1e9:
            return taken / calls / 1e6


def peak(form: Form) -> int:
    """Return the most bytes that are allocated at one time in a call."""
    tracemalloc.start()
    before, _ = tracemalloc.get_traced_memory()
    form()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most - before


def forms_of(name: str, size: int) -> list[Form]:
    """Return the forms of a model as calls: by hand, operators, legalized; they agree."""
    program, hand, _ = MODELS[name]
    numbers = np.random.default_rng(0)
    arrays: list[np.ndarray] = []
    for shape in SHAPES[name].values():
        made = numbers.standard_normal([size if extent == "n" else int(extent) for extent in shape])
        arrays.append(np.asarray(made / 8, np.float32))
    operators = relax_lang.loads(program)["main"]
    lowered = relax_lang.loads(legalized(program))["main"]
    forms: list[Form] = [lambda: hand(*arrays), lambda: operators(*arrays), lambda: lowered(*arrays)]
    expected = hand(*arrays)
    for form in forms[1:]:
        for _ in range(2):
            np.testing.assert_allclose(np.asarray(form()), expected, rtol=1e-3, atol=1e-4)
    return forms


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="*", default=list(MODELS))
    parser.add_argument("--size", choices=SIZES, default="")
    parser.add_argument("--markdown", action="store_true")
    given = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    row = MARKDOWN if given.markdown else ROW
    for at, size in enumerate(SIZES):
        if given.size not in ("", size):
            continue
        print(row.format(size, "hand ms", "operators", "legalized", "op. mem", "leg. mem"))
        ratios: list[list[float]] = []
        for name in given.only:
            forms = forms_of(name, MODELS[name][2][at])
            best = [math.inf] * len(forms)
            for _ in range(given.rounds):
                best = [min(least, timed(form)) for least, form in zip(best, forms, strict=True)]
            memory = [peak(form) for form in forms]
            found = [*[one / best[0] for one in best[1:]], *[one / memory[0] for one in memory[1:]]]
            ratios.append(found)
            print(row.format(name, f"{best[0]:.3f}", *[f"{one:.2f}" for one in found]), flush=True)
        means = [geometric_mean(list(column)) for column in zip(*ratios, strict=True)]
        print(row.format("mean", "", *[f"{one:.2f}" for one in means]))


if __name__ == "__main__":
    main()
