"""Kernels from fields that the corpus lacks: generated NumPy against NumPy as a person writes it, at two sizes.

    python benchmarks/fields.py [--rounds 3] [--only sobel csr] [--size small|large] [--markdown]

Processor time of one call, by hand (`by_hand/fields`), generated, and, of kernels with loops that stay sequential,
by numba if it is installed; every round runs all of them in turn and figures are minima. One BLAS thread. Results are
compared first. `planned` is the ratio of calls as programs make them from the second one on (`tir.planned`), without
tests at entry. The last lines are geometric means over all, over those without a sequential loop, and over those of
these that can be planned.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from functools import partial
from importlib.util import find_spec
from pathlib import Path

os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["MKL_NUM_THREADS"] = "1"

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.by_hand.fields import by_hand
from benchmarks.polybench import agree, copied, geometric_mean, timed
from relax_lang.tir.compile import Compiled, compile_prim_func
from relax_lang.tir.ir.signature import TensorSpec
from relax_lang.tir.planned import plan_call
from tests.tir.fields.arguments import arguments
from tests.tir.fields.kernels import FIELD_OF, KERNELS, LARGE, SMALL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

SIZES = {"small": SMALL, "large": 0}
ROW = "{:<22}{:>12}{:>12}{:>8}{:>8}{:>9}"
MARKDOWN = "| `{}` | {} | {} | {} | {} | {} |"


def planned_form(compiled: Compiled, args: list[object]) -> Callable[..., object] | None:
    """Return calls with arguments like some as programs make them; None if they are not planned."""
    code = compiled.code
    if code is None or compiled.stays_sequential:
        return None
    arrays = [at for at, value in enumerate(args) if isinstance(value, np.ndarray)]
    results = [at for at, (name, _) in enumerate(code.params) if name in code.written]
    given = arrays[: len(arrays) - len(results)]
    if not results or arrays[len(given) :] != results:
        return None
    numbers = [at for at in range(len(args)) if at not in arrays]
    wanted, others = copied(args), copied(args)
    for at in results:
        np.asarray(others[at]).fill(1)
    compiled.run(*wanted, sequential="numpy")
    compiled.run(*others, sequential="numpy")
    if not all(np.allclose(np.asarray(wanted[at]), np.asarray(others[at])) for at in results):
        return None  # it reads what its results hold before
    specs = [TensorSpec(wanted[at].dtype.name, wanted[at].shape) for at in results]
    plan = plan_call(compiled, [args[at] for at in given], specs, [args[at] for at in numbers], True)
    made = () if plan is None else plan.made if len(results) > 1 else (plan.made,)
    if plan is None or not all(map(np.allclose, made, [wanted[at] for at in results])):
        return None
    run, order = plan.run, [*given, *numbers]
    return lambda *values: run(*[values[at] for at in order])


def figures(name: str, size: str, rounds: int) -> tuple[float, float, float | None, float | None] | None:
    """Return the milliseconds of a kernel by hand, generated, by numba, and planned; None if the results differ."""
    compiled = compile_prim_func(KERNELS[name])
    forms = [by_hand(FIELD_OF[name], name), partial(compiled.run, sequential="numpy")]
    if compiled.stays_sequential and find_spec("numba") is not None:
        forms.append(partial(compiled.run, sequential="numba"))
    if not agree(forms, arguments(name, 10), relative=1e-3):
        return None
    args = arguments(name, SIZES[size] or LARGE.get(name, 1000))
    with np.errstate(all="ignore"):
        planned = planned_form(compiled, args)
        timed_forms = forms if planned is None else [*forms, planned]
        best = [math.inf] * len(timed_forms)
        for _ in range(rounds):
            best = [min(least, timed(form, args)) for least, form in zip(best, timed_forms, strict=True)]
    return best[0], best[1], best[2] if len(forms) > 2 else None, None if planned is None else best[-1]


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
        print(row.format(size, "hand ms", "ms", "ratio", "numba", "planned"))
        all_ratios: list[float] = []
        vectorized: list[float] = []
        of_plans: list[float] = []
        for name in given.only:
            found = figures(name, size, given.rounds)
            if found is None:
                print(f"{name}: the results differ")
                continue
            hand, generated, native, planned = found
            all_ratios.append(generated / hand)
            if native is None:
                vectorized.append(generated / hand)
            shown = "" if native is None else f"{native / hand:.3f}"
            of_plan = "" if planned is None else f"{planned / hand:.2f}"
            if planned is not None:
                of_plans.append(planned / hand)
            print(
                row.format(
                    name, f"{hand:.3f}", f"{generated:.3f}", f"{generated / hand:.2f}", shown, of_plan
                ),
                flush=True,
            )
        print(f"geometric mean {geometric_mean(all_ratios):.2f}", end="")
        print(f", without sequential loops {geometric_mean(vectorized):.2f}" if vectorized else "", end="")
        print(f", planned {geometric_mean(of_plans):.2f} ({len(of_plans)})" if of_plans else "")


if __name__ == "__main__":
    main()
