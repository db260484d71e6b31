"""Generated NumPy code against the best NumPy that we can write by hand, in one run.

    python benchmarks/kernels.py [--rounds 15] [--only softmax cumsum] [--quick]

For each PrimFunc of `kernels.rlx`: the time of the generated code, then as multiples of the best hand-written form
(lower is better) the generated code, plain NumPy, and numba, numexpr, torch and TVM where they can be imported. Every
round runs all forms of a kernel once, so that a busy machine slows all of them alike; figures are minima of the time
on the processor. `memory` is the peak during a call over inputs, output and declared intermediates; `compile` the time
from tree to function. All results are compared with each other first. Everything runs on one thread. The last line is
about the scalar interpreter, which runs what does not vectorize.
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

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks import peers
from benchmarks.by_hand import kernels as by_hand
from relax_lang.arith.evaluate import evaluate
from relax_lang.base.node import walk
from relax_lang.ops.core.dtypes import named_dtype
from relax_lang.syntax import tree
from relax_lang.syntax.parser import parse
from relax_lang.tir.compile import compile_prim_func
from relax_lang.tir.interp import interpreter
from relax_lang.tir.ir import signature

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
    "strided_slice": {"n": 1024, "m": 683},
}
"""The sizes of the dimensions; 1024 where nothing else is said."""
HIGHEST = {"take": "n", "one_hot": "m"}
"""Indices are below this dimension."""
SCALARS = {"recurrence": (0.9,)}
ALIGNMENT = 64
GOAL, WORST, MEMORY, COMPILE_MS = 1.1, 1.6, 1.5, 30.0
"""What is held to: geometric mean and maximum over best NumPy, peak memory, milliseconds of a median kernel."""


class Kernel:
    """A PrimFunc with its arguments; the last array is the result."""

    def __init__(self, func: tree.PrimFunc, divided_by: int = 1) -> None:
        self.func = func
        self.name = func.name.name_hint
        names = {node.name for buffer in signature.buffers(func) for dim in buffer.shape for node in walk(dim)
                 if isinstance(node, tree.PrimVar)}  # fmt: skip
        self.sizes = {name: SIZES.get(self.name, {}).get(name, 1024) for name in names}
        self.sizes = {name: -(-size // divided_by) for name, size in self.sizes.items()}
        numbers = np.random.default_rng(0)
        self.arrays = [self._array(buffer, numbers) for buffer in signature.buffers(func)]
        self.scalars = SCALARS.get(self.name, ())

    def _array(self, buffer: tree.Buffer, numbers: np.random.Generator) -> np.ndarray:
        shape, dtype = self._shape(buffer), buffer.dtype.name
        if dtype == "float32":
            return aligned(numbers.standard_normal(shape, dtype=np.float32))
        low, high = (-128, 128) if dtype == "int8" else (0, self.sizes[HIGHEST.get(self.name, "n")])
        return aligned(numbers.integers(low, high, shape, dtype=dtype))

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


def aligned(array: np.ndarray) -> np.ndarray:
    """Return a copy that begins at the start of a cache line, as TVM wants it."""
    memory = np.empty(array.nbytes + ALIGNMENT, np.uint8)
    start = -memory.ctypes.data % ALIGNMENT
    result = memory[start : start + array.nbytes].view(array.dtype).reshape(array.shape)
    result[...] = array
    return result


def best(rounds: int, forms: list[Callable[[], object]]) -> list[float]:
    """Return the shortest time of each form, in microseconds; all find the caches as they left them themselves.

    It is the time of the processor: all forms run on one thread, and a busy machine interrupts the longer ones.
    """
    times = [math.inf] * len(forms)
    for _ in range(rounds):
        for at, form in enumerate(forms):
            form()
            start = time.process_time()
            form()
            times[at] = min(times[at], time.process_time() - start)
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
    for at in range(rounds):
        func = prim_funcs(1 + at)[name]
        start = time.process_time()
        compile_prim_func(func)
        times.append((time.process_time() - start) * 1e3)
    return min(times)


def interpreter_nanoseconds(func: tree.PrimFunc) -> float:
    """Return the time of one innermost step in the scalar interpreter."""
    kernel = Kernel(func, divided_by=16)
    (microseconds,) = best(3, [lambda: interpreter.run(func, [*kernel.arrays, *kernel.scalars])])
    return 1e3 * microseconds / steps(func.body, kernel.sizes)


def steps(body: tuple[tree.Stmt, ...], sizes: dict[str, int]) -> int:
    """Return how many innermost steps the loops of some statements make."""
    total = 0
    for loop in body:
        if isinstance(loop, tree.For):
            extents = [int(evaluate(bounds.stop, sizes)) for bounds in loop.ranges]
            total += math.prod(extents) * max(1, steps(loop.body, sizes))
    return total


def prim_funcs(lines_before: int = 0) -> dict[str, tree.PrimFunc]:
    """Parse the kernels anew; at another place they are others to the compiler, which remembers what it made."""
    items = parse("\n" * lines_before + TEXT).tree.items
    return {item.name.name_hint: item for item in items if isinstance(item, tree.PrimFunc)}


def agrees(found: np.ndarray, wanted: np.ndarray) -> bool:
    """Compare results; sums may have been taken in another order."""
    if wanted.dtype.kind != "f":
        return np.array_equal(found, wanted)
    return np.allclose(found, wanted, rtol=1e-3, atol=1e-4 * max(1.0, float(np.abs(wanted).max(initial=0))))


def forms_of(kernel: Kernel) -> dict[str, Callable[..., object]]:
    """Return all forms of a kernel that there are, by name."""
    return {
        "best": by_hand.BEST[kernel.name],
        "generated": compile_prim_func(kernel.func).run,
        "plain": by_hand.PLAIN[kernel.name],
        **peers.forms(kernel.func, kernel.sizes, [*kernel.arrays, *kernel.scalars]),
    }


def measure(kernel: Kernel, forms: dict[str, Callable[..., object]], rounds: int) -> dict[str, float]:
    """Return the times of some forms of a kernel, after a comparison of their results."""
    wanted = kernel.result_of(forms["best"])
    for name, form in forms.items():
        if not agrees(kernel.result_of(form), wanted):
            print(f"{kernel.name}: {name} computes something else than the best form", file=sys.stderr)
    once = dict(zip(forms, best(1, [kernel.call(form) for form in forms.values()]), strict=True))
    fast = {name: form for name, form in forms.items() if once[name] < max(50 * once["best"], 1e5)}
    times = best(rounds, [kernel.call(form) for form in fast.values()])
    return once | dict(zip(fast, times, strict=True))


def scalar_forms(func: tree.PrimFunc) -> set[str]:
    """Return the forms that run scalar code: so slow on small arrays that large ones would take minutes."""
    small = Kernel(func, divided_by=8)
    times = measure(small, forms_of(small), 3)
    return {name for name, time in times.items() if time > 20 * times["best"] + 3_000 and name != "plain"}


class Row:
    """What was measured of a kernel; `multiples` are times by form, relative to the best form."""

    def __init__(self, func: tree.PrimFunc, rounds: int, divided_by: int) -> None:
        self.name = func.name.name_hint
        slow = scalar_forms(func)
        kernel = Kernel(func, divided_by)
        forms = {name: form for name, form in forms_of(kernel).items() if name not in slow}
        times = measure(kernel, forms, rounds)
        self.best = times["best"]
        self.multiples = {name: value / self.best for name, value in times.items()}
        self.memory = peak_memory(kernel, forms["generated"]) if "generated" in forms else None
        self.compiling = compile_milliseconds(self.name, 3)
        self.step = interpreter_nanoseconds(func)

    def __str__(self) -> str:
        generated = f"{self.multiples['generated']:.2f}" if self.memory is not None else "scalar"
        memory = f"{self.memory:.2f}" if self.memory is not None else "-"
        others = [self.multiples.get(name) for name in ("plain", *peers.names())]
        cells = "".join([f"{value:>10.2f}" if value is not None else f"{'-':>10}" for value in others])
        return f"{self.name:<17}{self.best:>10.0f}{generated:>11}{memory:>10}{self.compiling:>7.1f} ms{cells}"


def main() -> None:
    """Measure and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--only", nargs="*", default=[], metavar="KERNEL")
    parser.add_argument("--quick", action="store_true", help="small arrays: shows the overhead per call")
    options = parser.parse_args()
    titles = "".join([f"{title:>10}" for title in ("memory", "compile", "plain", *peers.names())])
    print(f"{'kernel':<17}{'best us':>10}{'generated':>11}{titles}")
    rows: list[Row] = []
    for name, func in prim_funcs().items():
        if not options.only or name in options.only:
            rows.append(Row(func, options.rounds, divided_by=8 if options.quick else 1))
            print(rows[-1], flush=True)
    summarize(rows)


def summarize(rows: list[Row]) -> None:
    """Print what the goals are about."""
    scalar = [row.name for row in rows if row.memory is None]
    if scalar:
        print(f"not vectorized, and in no mean: {', '.join(scalar)}")
    generated = [row.multiples["generated"] for row in rows if row.memory is not None]
    if generated:
        mean, worst = geometric_mean(generated), max(generated)
        print(
            f"generated over best: geometric mean {mean:.2f} (goal {GOAL}), worst {worst:.2f} (goal {WORST})"
        )
        print(f"memory: worst {max([row.memory or 0 for row in rows]):.2f} (goal {MEMORY})")
    for name in ("plain", *peers.names()):
        both = [row for row in rows if name in row.multiples and row.memory is not None]
        if both:
            quotients = [row.multiples[name] / row.multiples["generated"] for row in both]
            print(
                f"{name} over generated: geometric mean {geometric_mean(quotients):.2f} of {len(both)} kernels"
            )
    compiling = [row.compiling for row in rows]
    median = np.median(compiling)
    print(f"compile: median {median:.1f} ms (goal {COMPILE_MS:.0f}), worst {max(compiling):.1f} ms")
    step = [row.step for row in rows]
    print(f"interpreter: median {np.median(step):.0f} ns per innermost step, worst {max(step):.0f} ns")


def geometric_mean(values: list[float]) -> float:
    """Return the geometric mean."""
    return math.exp(sum([math.log(value) for value in values]) / len(values))


if __name__ == "__main__":
    main()
