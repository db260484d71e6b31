"""PolyBench/C 4.2, all thirty kernels: generated NumPy against NumPy as a person writes it, at two sizes.

    python benchmarks/polybench.py [--rounds 5] [--only lu gemm] [--size small|large]

Processor time of one call, generated and by hand (`polybench_by_hand.py`), each on copies of the same arguments; every
round runs both in turn and figures are minima. `sequential` are the statements that keep a loop around NumPy calls or
scalars, of all statements. One BLAS thread. Results are compared first. The last lines are geometric means.
"""

from __future__ import annotations

import argparse
import copy
import math
import os
import sys
import time
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["MKL_NUM_THREADS"] = "1"

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.by_hand import polybench as polybench_by_hand
from relax_lang.tir.compile import compile_prim_func
from tests.tir.polybench.kernels import KERNELS, LARGE, SMALL, arguments, sizes_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

SIZES = {"small": (SMALL, 80), "large": (LARGE, 400)}
ENOUGH = 0.02
"""Seconds: a round repeats a call until it has taken as long."""


def copied(args: list[object]) -> list[object]:
    """Copy arguments; numbers need no copy."""
    return [copy.deepcopy(value) for value in args]


def arrays_in(args: list[object]) -> list[np.ndarray]:
    """Return the arrays among arguments."""
    return [value for value in args if isinstance(value, np.ndarray)]


def timed(function: Callable[..., object], args: list[object]) -> float:
    """Return the processor time of one call in milliseconds, without that of copying its arguments."""
    total, calls = 0, 0
    while not calls or (total < ENOUGH * 1e9 and calls < 1000):
        copies = copied(args)
        start = time.process_time_ns()
        function(*copies)
        total += time.process_time_ns() - start
        calls += 1
    return total / calls / 1e6


def agree(functions: list[Callable[..., object]], args: list[object], relative: float = 1e-7) -> bool:
    """Return whether all forms compute the same, floats up to a relative difference."""
    results: list[list[np.ndarray]] = []
    for function in functions:
        copies = copied(args)
        function(*copies)
        results.append(arrays_in(copies))
    return all(
        np.allclose(one, other, rtol=relative, atol=relative / 100)
        for made in results[1:]
        for one, other in zip(results[0], made, strict=True)
    )


def geometric_mean(values: list[float]) -> float:
    """Return the geometric mean; there is at least one value."""
    return math.exp(sum([math.log(value) for value in values]) / len(values))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="*", default=list(KERNELS))
    parser.add_argument("--size", choices=[*SIZES], default="")
    given = parser.parse_args()
    for size in [given.size] if given.size else SIZES:
        table, usual = SIZES[size]
        ratios: list[float] = []
        print(f"{size:<16}{'by hand':>12}{'generated':>12}{'ratio':>8}")
        for name in given.only:
            compiled = compile_prim_func(KERNELS[name])
            hand, args = (
                getattr(polybench_by_hand, name),
                arguments(KERNELS[name], sizes_of(name, table, usual)),
            )
            if not agree([hand, compiled.run], args):
                print(f"{name:<16} the results differ")
                continue
            best = [math.inf, math.inf]
            for _ in range(given.rounds):
                best = [min(best[0], timed(hand, args)), min(best[1], timed(compiled.run, args))]
            ratios.append(best[1] / best[0])
            where = "" if compiled.vectorized else "  interpreter"
            print(f"{name:<16}{best[0]:>9.3f} ms{best[1]:>9.3f} ms{ratios[-1]:>8.2f}{where}", flush=True)
        print(f"{'geometric mean':<40}{geometric_mean(ratios):>8.2f}\n")


if __name__ == "__main__":
    main()
