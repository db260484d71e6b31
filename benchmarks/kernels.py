"""Generated NumPy code against the best NumPy that we can write by hand, in one run.

    python benchmarks/kernels.py [--rounds 15] [--only softmax cumsum] [--quick]

For each PrimFunc of `kernels.rlx`: the time of the generated code, then as multiples of the best hand-written form
(lower is better) the generated code, plain NumPy, and numba, numexpr, torch and TVM where they can be imported. Every
round runs all forms of a kernel once, so that a busy machine slows all of them alike; figures are minima. `memory` is
the peak during a call over inputs, output and declared intermediates; `compile` the time from tree to function.
All results are compared with each other first. BLAS runs on one thread.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
import time
import tracemalloc
from pathlib import Path

for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[variable] = "1"

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import by_hand, peers
from relax_lang.arith.evaluate import evaluate
from relax_lang.base.node import walk
from relax_lang.ops.dtypes import named_dtype
from relax_lang.syntax import tree
from relax_lang.syntax.parser import parse
from relax_lang.tir import signature
from relax_lang.tir.compile import compile_prim_func

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

TEXT = (Path(__file__).parent / "kernels.rlx").read_text(encoding="utf-8")
SIZES: dict[str, dict[str, int]] = {
    "matmul": {"n": 512, "m": 512, "k": 512},
    "batched_matmul": {"b": 16, "n": 128, "m": 64, "k": 128},
    "conv2d": {"b": 1, "c": 64, "o": 64, "h": 56, "w": 56},
    "depthwise": {"b": 1, "c": 64, "h": 56, "w": 56},
    "max_pool": {"b": 1, "c": 64, "h": 56, "w": 56},
    "transpose": {"n": 2048, "m": 2048},
    "take": {"n": 10_000, "m": 256, "k": 4096},
    "one_hot": {"n": 4096, "m": 1000},
    "quantized_matmul": {"n": 512, "m": 512, "k": 512},
    "causal_mask": {"b": 8, "n": 512},
    "concat": {"n": 1024, "k": 512, "m": 512},
    "strided_slice": {"n": 1024, "m": 682},
}
"""The sizes of the dimensions; 1024 where nothing else is said."""
HIGHEST = {"take": 10_000, "one_hot": 1000}
"""Indices are below this number."""
SCALARS = {"recurrence": (0.9,)}
GOAL, WORST, MEMORY, COMPILE_MS = 1.1, 1.6, 1.5, 30.0
"""What is held to: geometric mean and maximum over best NumPy, peak memory, milliseconds of a median kernel."""


class Kernel:
    """A PrimFunc with its arguments; the last array is the result."""

    def __init__(self, func: tree.PrimFunc, quick: bool) -> None:
        self.func = func
        self.name = func.name.name_hint
        names = {node.name for buffer in signature.buffers(func) for dim in buffer.shape for node in walk(dim)
                 if isinstance(node, tree.PrimVar)}  # fmt: skip
        self.sizes = {name: SIZES.get(self.name, {}).get(name, 1024) for name in names}
        if quick:
            self.sizes = {name: -(-size // 8) for name, size in self.sizes.items()}
        numbers = np.random.default_rng(0)
        self.arrays = [self._array(buffer, numbers) for buffer in signature.buffers(func)]
        self.scalars = SCALARS.get(self.name, ())

    def _array(self, buffer: tree.Buffer, numbers: np.random.Generator) -> np.ndarray:
        shape, dtype = self._shape(buffer), buffer.dtype.name
        if dtype == "float32":
            return numbers.standard_normal(shape, dtype=np.float32)
        low, high = (-128, 128) if dtype == "int8" else (0, HIGHEST.get(self.name, 1024))
        return numbers.integers(low, min(high, self.sizes.get("n", high)), shape, dtype=dtype)

    def _shape(self, buffer: tree.Buffer) -> tuple[int, ...]:
        return tuple([int(evaluate(dim, self.sizes)) for dim in buffer.shape])

    @property
    def declared_bytes(self) -> int:
        """The memory of inputs, output, and what the PrimFunc allocates."""
        intermediates = [
            math.prod(self._shape(node.buffer)) * named_dtype(node.buffer.dtype.name).itemsize
            for node in walk(self.func)
            if isinstance(node, tree.Allocate)
        ]
        return sum([array.nbytes for array in self.arrays]) + sum(intermediates)

    def call(self, function: Callable[..., object]) -> Callable[[], object]:
        """Return a call of one form of this kernel."""
        return lambda: function(*self.arrays, *self.scalars)

    def result_of(self, function: Callable[..., object]) -> np.ndarray:
        """Return what one form of this kernel computes."""
        self.arrays[-1].fill(0)
        function(*self.arrays, *self.scalars)
        return self.arrays[-1].copy()


def best(rounds: int, forms: list[Callable[[], object]]) -> list[float]:
    """Return the shortest time of each form, in microseconds."""
    times = [math.inf] * len(forms)
    for _ in range(rounds):
        for at, form in enumerate(forms):
            start = time.perf_counter()
            form()
            times[at] = min(times[at], time.perf_counter() - start)
    return [seconds * 1e6 for seconds in times]


def peak_memory(kernel: Kernel, function: Callable[..., object]) -> float:
    """Return the memory at the worst moment of a call, relative to what the PrimFunc declares."""
    call = kernel.call(function)
    call()
    tracemalloc.start()
    call()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return (peak + sum([array.nbytes for array in kernel.arrays])) / kernel.declared_bytes


def compile_milliseconds(name: str, rounds: int) -> float:
    """Return the shortest time to compile a tree that was never seen before."""
    times: list[float] = []
    for _ in range(rounds):
        func = prim_funcs()[name]
        start = time.perf_counter()
        compile_prim_func(func)
        times.append((time.perf_counter() - start) * 1e3)
    return min(times)


def prim_funcs() -> dict[str, tree.PrimFunc]:
    """Parse the kernels anew."""
    items = parse(TEXT).tree.items
    return {item.name.name_hint: item for item in items if isinstance(item, tree.PrimFunc)}


def agrees(found: np.ndarray, wanted: np.ndarray) -> bool:
    """Compare results; sums may have been taken in another order."""
    if wanted.dtype.kind != "f":
        return np.array_equal(found, wanted)
    return np.allclose(found, wanted, rtol=1e-3, atol=1e-4 * max(1.0, float(np.abs(wanted).max(initial=0))))


def measure(kernel: Kernel, rounds: int) -> dict[str, float]:
    """Return the times of all forms, after a comparison of their results."""
    compiled = compile_prim_func(kernel.func)
    forms: dict[str, Callable[..., object]] = {
        "generated": compiled.run,
        "best": by_hand.BEST[kernel.name],
        "plain": by_hand.PLAIN[kernel.name],
        **peers.forms(kernel.func, kernel.arrays, kernel.scalars),
    }
    wanted = kernel.result_of(forms["best"])
    for name, form in forms.items():
        if not agrees(kernel.result_of(form), wanted):
            print(f"{kernel.name}: {name} computes something else than the best form", file=sys.stderr)
    once = dict(zip(forms, best(1, [kernel.call(form) for form in forms.values()]), strict=True))
    slow = {name for name in forms if once[name] > 100 * once["best"]}  # not worth many rounds
    fast = {name: form for name, form in forms.items() if name not in slow}
    times = best(rounds, [kernel.call(form) for form in fast.values()])
    return once | dict(zip(fast, times, strict=True))


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", nargs="*", default=[], metavar="KERNEL")
    parser.add_argument("--quick", action="store_true", help="small arrays: shows the overhead per call")
    options = parser.parse_args()
    columns = ["plain", *peers.names()]
    titles = "".join([f"{title:>10}" for title in ("memory", "compile", *columns)])
    print(f"{'kernel':<17}{'best us':>10}{'generated':>11}{titles}")
    ratios: dict[str, list[float]] = {}
    peaks: list[float] = []
    compiling: list[float] = []
    for name, func in prim_funcs().items():
        if options.only and name not in options.only:
            continue
        kernel = Kernel(func, options.quick)
        times = measure(kernel, options.rounds)
        multiples = {form: value / times["best"] for form, value in times.items()}
        for form, value in multiples.items():
            ratios.setdefault(form, []).append(value)
        peaks.append(peak_memory(kernel, compile_prim_func(func).run))
        compiling.append(compile_milliseconds(name, 3))
        cells = [f"{multiples[form]:>10.2f}" if form in multiples else f"{'-':>10}" for form in columns]
        line = f"{name:<17}{times['best']:>10.0f}{multiples['generated']:>11.2f}"
        print(f"{line}{peaks[-1]:>10.2f}{compiling[-1]:>7.1f} ms{''.join(cells)}", flush=True)
    _summary(ratios, peaks, compiling)


def _summary(ratios: dict[str, list[float]], peaks: list[float], compiling: list[float]) -> None:
    """Print what the goals are about."""
    mean, worst = geometric_mean(ratios["generated"]), max(ratios["generated"])
    print(f"generated over best: geometric mean {mean:.2f} (goal {GOAL}), worst {worst:.2f} (goal {WORST})")
    others = [name for name in ratios if name not in ("generated", "best")]
    for name in others:
        print(f"{name} over best: geometric mean {geometric_mean(ratios[name]):.2f} of {len(ratios[name])}")
    print(f"memory: worst {max(peaks):.2f} (goal {MEMORY})")
    print(f"compile: median {np.median(compiling):.1f} ms (goal {COMPILE_MS:.0f}), worst {max(compiling):.1f} ms")


def geometric_mean(values: list[float]) -> float:
    """Return the geometric mean."""
    return math.exp(sum([math.log(value) for value in values]) / len(values))


if __name__ == "__main__":
    main()
