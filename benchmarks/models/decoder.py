"""A decoder whose keys and values grow with each step: every call has sizes that no call had before.

    python benchmarks/models/decoder.py [--rounds 5] [--steps 300] [--size small|middle|large]

Processor time of a loop in Python that calls `module["step"](x, keys, values, ...)` for 1, 2, 3, ... rows of keys, in
microseconds a step (`by_hand/decoder.py` has the program and NumPy as a person writes it). Columns: by hand; operators
and legalized as ratios to it, when all sizes are new to the module and when they came before. A module that is new
has run a few steps with more rows, so nothing is compiled in a loop. Every round runs all forms in turn, figures are
minima; one BLAS thread and one processor. Results are compared first. Aim: 1.4, middle, whether sizes are new or not.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["MKL_NUM_THREADS"] = "1"

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import relax_lang
from benchmarks.by_hand import decoder as by_hand
from benchmarks.models.models import legalized

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    Array = np.ndarray
    Step = Callable[..., Any]

WIDTHS = {"small": 64, "middle": 256, "large": 1024}
ROW = "{:<10}{:>10}{:>14}{:>14}{:>14}{:>14}"
WARM = 4


def inputs(width: int) -> tuple[Array, list[Array]]:
    """Return the first token and the weights."""
    numbers = np.random.default_rng(0)
    weights = [numbers.standard_normal((width, width)) / 2 / math.sqrt(width) for _ in range(4)]
    return np.asarray(numbers.standard_normal((1, width)), np.float32), [
        np.asarray(weight, np.float32) for weight in weights
    ]


def loop(step: Step, width: int, steps: int, rows: int = 1) -> tuple[Array, float]:
    """Run some steps from that many rows on; return the last token and the microseconds of processor time a step."""
    x, weights = inputs(width)
    keys = values = np.zeros((rows, width), np.float32)
    start = time.process_time_ns()
    for _ in range(steps):
        x, keys, values = step(x, keys, values, *weights)
    return x, (time.process_time_ns() - start) / steps / 1000


def new_module(program: str, width: int, steps: int) -> Step:
    """Return the step of a module that has not seen the sizes of the loop, but some larger ones."""
    step = relax_lang.loads(program)["step"]
    loop(step, width, WARM, steps + 100)
    loop(step, width, WARM, steps + 100)
    return step


def measured(width: int, steps: int, rounds: int) -> list[float]:
    """Return the microseconds of a step: by hand; operators, new and known sizes; legalized, new and known sizes."""
    programs = [by_hand.decoder(width), legalized(by_hand.decoder(width))]
    best = [math.inf] * 5
    expected, _ = loop(by_hand.step, width, steps)
    for _ in range(rounds):
        found = [loop(by_hand.step, width, steps)[1]]
        for program in programs:
            step = new_module(program, width, steps)
            for _ in range(2):
                last, taken = loop(step, width, steps)
                np.testing.assert_allclose(last, expected, rtol=1e-3, atol=1e-4)
                found.append(taken)
        best = [min(pair) for pair in zip(best, found, strict=True)]
    return best


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--size", choices=[*WIDTHS], default="")
    given = parser.parse_args()
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    print(ROW.format("", "hand us", "op., new", "op., known", "leg., new", "leg., known"))
    for size, width in WIDTHS.items():
        if given.size in ("", size):
            hand, *others = measured(width, given.steps, given.rounds)
            print(ROW.format(size, f"{hand:.1f}", *[f"{one / hand:.2f}" for one in others]), flush=True)


if __name__ == "__main__":
    main()
