"""Whether two threads would make `parallel` loops faster: chains of NumPy operations over blocks of rows.

    python benchmarks/threads.py [--rounds 40]

Every kernel runs on one thread and as two halves on two threads of a pool that is there already, by turns, so that a
busy machine slows both alike. The figures are how many times as fast two threads are; each side has its minimum.
Generated code is divided in this way: see docs/running.md.
"""

from __future__ import annotations

import argparse
import os
import time
from concurrent.futures import ThreadPoolExecutor

os.environ["OPENBLAS_NUM_THREADS"] = "1"
os.environ["OMP_NUM_THREADS"] = "1"
os.environ["MKL_NUM_THREADS"] = "1"

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Kernel = Callable[[np.ndarray, np.ndarray, np.ndarray], None]

WIDTH = 1024
BLOCK = 1 << 17
SIZES = (1 << 16, 1 << 18, 1 << 20, 1 << 22, 1 << 24)


def add(x: np.ndarray, out: np.ndarray, _: np.ndarray) -> None:
    """Add: as fast as memory."""
    np.add(x, x, out=out)


def silu(x: np.ndarray, out: np.ndarray, t: np.ndarray) -> None:
    """Compute x * sigmoid(x)."""
    np.negative(x, out=t)
    np.exp(t, out=t)
    np.add(t, np.float32(1), out=t)
    np.divide(x, t, out=out)


def gelu(x: np.ndarray, out: np.ndarray, t: np.ndarray) -> None:
    """Compute gelu by tanh."""
    np.multiply(x, x, out=t)
    np.multiply(t, x, out=t)
    np.multiply(t, np.float32(0.044715), out=t)
    np.add(t, x, out=t)
    np.multiply(t, np.float32(0.79788), out=t)
    np.tanh(t, out=t)
    np.add(t, np.float32(1), out=t)
    np.multiply(t, x, out=t)
    np.multiply(t, np.float32(0.5), out=out)


def softmax(x: np.ndarray, out: np.ndarray, _: np.ndarray) -> None:
    """Compute softmax along rows."""
    np.subtract(x, x.max(1, keepdims=True), out=out)
    np.exp(out, out=out)
    np.divide(out, np.einsum("ij->i", out)[:, None], out=out)


def layer_norm(x: np.ndarray, out: np.ndarray, _: np.ndarray) -> None:
    """Normalize rows."""
    np.subtract(x, (np.einsum("ij->i", x) / WIDTH)[:, None], out=out)
    deviation = np.sqrt(np.einsum("ij,ij->i", out, out) / WIDTH + 1e-5)
    np.divide(out, deviation[:, None], out=out)


def sines(x: np.ndarray, out: np.ndarray, t: np.ndarray) -> None:
    """Compute cos(sin(x)): much arithmetic for each number."""
    np.sin(x, out=t)
    np.cos(t, out=out)


KERNELS: tuple[Kernel, ...] = (add, silu, gelu, softmax, layer_norm, sines)


def blocks(kernel: Kernel, x: np.ndarray, out: np.ndarray, scratch: np.ndarray) -> None:
    """Run a kernel on some rows at a time, as generated code does."""
    for start in range(0, len(x), len(scratch)):
        rows = slice(start, start + len(scratch))
        kernel(x[rows], out[rows], scratch[: len(x[rows])])


def halves(
    pool: ThreadPoolExecutor, kernel: Kernel, x: np.ndarray, out: np.ndarray, scratch: list[np.ndarray]
) -> None:
    """Run half of the rows on another thread."""
    half = len(x) // 2
    other = pool.submit(blocks, kernel, x[:half], out[:half], scratch[0])
    blocks(kernel, x[half:], out[half:], scratch[1])
    other.result()


def gain(pool: ThreadPoolExecutor, kernel: Kernel, size: int, rounds: int) -> float:
    """Return how many times as fast two threads are."""
    x = np.random.default_rng(0).standard_normal((size // WIDTH, WIDTH)).astype(np.float32)
    out = np.empty_like(x)
    scratch = [np.empty((max(1, min(len(x) // 2, BLOCK // WIDTH)), WIDTH), np.float32) for _ in range(2)]
    one, two = float("inf"), float("inf")
    for _ in range(rounds):
        start = time.perf_counter()
        blocks(kernel, x, out, scratch[0])
        middle = time.perf_counter()
        halves(pool, kernel, x, out, scratch)
        one, two = min(one, middle - start), min(two, time.perf_counter() - middle)
    return one / two


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=40)
    rounds = parser.parse_args().rounds
    print(f"{'elements':>10}" + "".join([f"{kernel.__name__:>12}" for kernel in KERNELS]))
    with ThreadPoolExecutor(2) as pool:
        for size in SIZES:
            few = max(5, min(rounds, (1 << 26) // size))
            row = [f"{gain(pool, kernel, size, few):>11.2f}x" for kernel in KERNELS]
            print(f"{size:>10}" + "".join(row))


if __name__ == "__main__":
    main()
