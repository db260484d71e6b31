"""How long PrimFuncs take: compiled, in plain NumPy written by hand, and in the scalar interpreter.

    python benchmarks/tir.py [--rounds 20]

Every round runs all forms of a kernel once, so that a busy machine slows all of them alike; figures are minima.
The interpreter runs on smaller arrays; its column is nanoseconds per innermost step.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from relax_lang.syntax import tree
from relax_lang.syntax.parser import parse
from relax_lang.tir import interpreter
from relax_lang.tir.compile import compile_prim_func

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

KERNELS = """
prim_func @relu(X: Buffer[(n, m), float32], Y: Buffer[(n, m), float32]) {
  for i, j in grid(n, m) { Y[i, j] = max(X[i, j], 0.0); }
}

prim_func @bias_relu(X: Buffer[(n, m), float32], Y: Buffer[(n, m), float32], b: Buffer[(m,), float32]) {
  for i, j in grid(n, m) { Y[i, j] = max(X[i, j] * 2.0 + b[j], 0.0); }
}

prim_func @matmul(A: Buffer[(n, k), float32], C: Buffer[(n, m), float32], B: Buffer[(k, m), float32]) {
  for i, j, l in grid(n, m, k) {
    block matmul (vi = spatial(i), vj = spatial(j), vl = reduce(l)) {
      init { C[vi, vj] = 0.0; }
      C[vi, vj] += A[vi, vl] * B[vl, vj];
    }
  }
}

prim_func @row_max(X: Buffer[(n, m), float32], Y: Buffer[(n,), float32]) {
  for i, j in grid(n, m) {
    block row_max (vi = spatial(i), vj = reduce(j)) {
      init { Y[vi] = -inf; }
      Y[vi] = max(Y[vi], X[vi, vj]);
    }
  }
}

prim_func @exponent(X: Buffer[(n, m), float32], Y: Buffer[(n, m), float32], M: Buffer[(n,), float32]) {
  for i, j in grid(n, m) { Y[i, j] = exp(X[i, j] - M[i]); }
}

prim_func @softmax(X: Buffer[(n, m), float32], Y: Buffer[(n, m), float32]) {
  for i in 0..n {
    alloc Max: Buffer[(), float32];
    alloc Sum: Buffer[(), float32];
    Max[()] = -inf;
    for j in 0..m { Max[()] = max(Max[()], X[i, j]); }
    Sum[()] = 0.0;
    for j in 0..m {
      Y[i, j] = exp(X[i, j] - Max[()]);
      Sum[()] += Y[i, j];
    }
    for j in 0..m { Y[i, j] = Y[i, j] / Sum[()]; }
  }
}

prim_func @distances(A: Buffer[(n, k), float32], D: Buffer[(n, m), float32], B: Buffer[(m, k), float32]) {
  for i, j, l in grid(n, m, k) {
    block distances (vi = spatial(i), vj = spatial(j), vl = reduce(l)) {
      init { D[vi, vj] = 0.0; }
      D[vi, vj] += abs(A[vi, vl] - B[vj, vl]);
    }
  }
}
"""


def softmax(x: np.ndarray, y: np.ndarray) -> None:
    """Write softmax as a NumPy user would."""
    e = np.exp(x - x.max(1, keepdims=True))
    y[...] = e / e.sum(1, keepdims=True)


BY_HAND: dict[str, tuple[Callable[..., object], tuple[str, ...]]] = {
    "relu": (lambda x, y: np.maximum(x, 0, out=y), ("nm", "nm")),
    "bias_relu": (lambda x, y, b: np.maximum(x * 2 + b, 0, out=y), ("nm", "nm", "m")),
    "matmul": (lambda a, c, b: np.matmul(a, b, out=c), ("nk", "nm", "km")),
    "row_max": (lambda x, y: np.max(x, axis=1, out=y), ("nm", "n")),
    "exponent": (lambda x, y, m: np.exp(x - m[:, None], out=y), ("nm", "nm", "n")),
    "softmax": (softmax, ("nm", "nm")),
    "distances": (lambda a, d, b: np.sum(np.abs(a[:, None] - b), axis=2, out=d), ("nk", "nm", "mk")),
}
"""Kernel: the hand-written form, and the sizes of its arrays."""
STEPS = {"matmul": "nmk", "distances": "nmk", "softmax": "nm"}
"""What one innermost step of the interpreter is counted over, where it is not the elements."""


def arrays(shapes: tuple[str, ...], sizes: dict[str, int]) -> list[np.ndarray]:
    """Make random arrays."""
    numbers = np.random.default_rng(0)
    return [numbers.standard_normal([sizes[name] for name in shape], dtype=np.float32) for shape in shapes]


def best(rounds: int, *forms: Callable[[], object]) -> list[float]:
    """Return the shortest time of each form, in microseconds."""
    times = [math.inf] * len(forms)
    for _ in range(rounds):
        for at, form in enumerate(forms):
            start = time.perf_counter()
            form()
            times[at] = min(times[at], time.perf_counter() - start)
    return [seconds * 1e6 for seconds in times]


def main() -> None:
    """Measure and print a table."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=20)
    rounds = options.parse_args().rounds
    funcs = {
        item.name.name_hint: item for item in parse(KERNELS).tree.items if isinstance(item, tree.PrimFunc)
    }
    large, small = {"n": 256, "m": 512, "k": 128}, {"n": 8, "m": 12, "k": 10}
    print(
        f"{'kernel':<12}{'compiled us':>12}{'by hand us':>12}{'ratio':>8}{'compile ms':>12}{'interpreter ns/step':>21}"
    )
    ratios: list[float] = []
    for name, (by_hand, shapes) in BY_HAND.items():
        start = time.perf_counter()
        compiled = compile_prim_func(funcs[name])
        compile_ms = (time.perf_counter() - start) * 1e3
        args = arrays(shapes, large)
        vector_us, hand_us = best(rounds, lambda: compiled.run(*args), lambda: by_hand(*args))  # noqa: B023
        few = arrays(shapes, small)
        (scalar_us,) = best(3, lambda: interpreter.run(funcs[name], few))  # noqa: B023
        steps = math.prod([small[size] for size in STEPS.get(name, "nm")])
        ratios.append(vector_us / hand_us)
        figures = f"{vector_us:>12.0f}{hand_us:>12.0f}{ratios[-1]:>8.2f}{compile_ms:>12.1f}"
        print(f"{name:<12}{figures}{scalar_us * 1e3 / steps:>21.0f}")
    print(f"geometric mean of the ratios: {math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f}")


if __name__ == "__main__":
    main()
