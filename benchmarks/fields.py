"""Kernels from fields that the corpus lacks: generated NumPy against NumPy as a person writes it, at two sizes.

    python benchmarks/fields.py [--rounds 3] [--only sobel csr] [--size small|large] [--markdown]

Processor time of one call, by hand (`fields_by_hand.py`), generated, and, of kernels with loops that stay sequential,
by numba if it is installed; every round runs all of them in turn and figures are minima. One BLAS thread. Results are
compared first. The last lines are geometric means over all, and over those without a sequential loop.
"""

from __future__ import annotations

import argparse
import math
import sys
from functools import partial
from importlib.util import find_spec
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import fields_by_hand
from benchmarks.polybench import agree, geometric_mean, timed
from relax_lang.tir.compile import compile_prim_func
from tests.tir.fields.kernels import KERNELS, LARGE, SMALL, arguments

SIZES = {"small": SMALL, "large": 0}
ROW = "{:<22}{:>12}{:>12}{:>8}{:>8}"
MARKDOWN = "| `{}` | {} | {} | {} | {} |"


def figures(name: str, size: str, rounds: int) -> tuple[float, float, float | None] | None:
    """Return the milliseconds of a kernel by hand, generated, and by numba; None if the results differ."""
    compiled = compile_prim_func(KERNELS[name])
    forms = [getattr(fields_by_hand, name), partial(compiled.run, sequential="numpy")]
    if compiled.stays_sequential and find_spec("numba") is not None:
        forms.append(partial(compiled.run, sequential="numba"))
    if not agree(forms, arguments(name, 10), relative=1e-3):
        return None
    args = arguments(name, SIZES[size] or LARGE.get(name, 1000))
    best = [math.inf] * len(forms)
    for _ in range(rounds):
        best = [min(least, timed(form, args)) for least, form in zip(best, forms, strict=True)]
    return best[0], best[1], best[2] if len(best) > 2 else None


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--only", nargs="*", default=list(KERNELS))
    parser.add_argument("--size", choices=[*SIZES], default="")
    parser.add_argument("--markdown", action="store_true")
    given = parser.parse_args()
    row = MARKDOWN if given.markdown else ROW
    for size in [given.size] if given.size else SIZES:
        print(row.format(size, "hand ms", "ms", "ratio", "numba"))
        all_ratios: list[float] = []
        vectorized: list[float] = []
        for name in given.only:
            found = figures(name, size, given.rounds)
            if found is None:
                print(f"{name}: the results differ")
                continue
            hand, generated, native = found
            all_ratios.append(generated / hand)
            if native is None:
                vectorized.append(generated / hand)
            shown = "" if native is None else f"{native / hand:.3f}"
            print(
                row.format(name, f"{hand:.3f}", f"{generated:.3f}", f"{generated / hand:.2f}", shown),
                flush=True,
            )
        print(f"geometric mean {geometric_mean(all_ratios):.2f}", end="")
        print(f", without sequential loops {geometric_mean(vectorized):.2f}" if vectorized else "")


if __name__ == "__main__":
    main()
