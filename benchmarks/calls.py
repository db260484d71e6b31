"""What a call from Python costs: of a loaded program's function, against the same NumPy calls in a Python function.

    python benchmarks/calls.py [--rounds 40]

Each program adds its parameters up, on 16 elements, where arithmetic is next to nothing. Processor time in
microseconds; every round runs all forms in turn and figures are minima, so that a busy machine slows all alike. The
aim is 6 us and 0.4 us per parameter over the hand-written form. Chains of `call_tir` and of the operator that does
the same are measured per binding; the aim for `call_tir` is twice the hand-written form.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import relax_lang

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Form = Callable[[], object]

PARAMETERS = (1, 8, 32)
CHAIN = 50
SIZE = 16

ADD = """prim_func @add(A: Buffer[(16,), float32], B: Buffer[(16,), float32], C: Buffer[(16,), float32]) {
  for i in 0..16 {
    C[i] = A[i] + B[i];
  }
}
"""


def sum_of_parameters(count: int) -> str:
    """Return a program that adds its parameters up."""
    params = ", ".join([f"x{at}: Tensor[(n,), float32]" for at in range(count)])
    lines = [f"def @main({params}) -> Tensor[(n,), float32] {{", "  let y = add(x0, x0);"]
    lines += [f"  let y = add(y, x{at});" for at in range(1, count)]
    return "\n".join([*lines, "  y", "}"])


def by_hand(*arrays: np.ndarray) -> np.ndarray:
    """Add arrays up as a person writes it."""
    total = np.add(arrays[0], arrays[0])
    for array in arrays[1:]:
        total = np.add(total, array)
    return total


def chain(binding: str) -> str:
    """Return a program of many equal bindings."""
    info = f"Tensor[({SIZE},), float32]"
    lines = [f"def @main(x: {info}, y: {info}) -> {info} {{"]
    lines += [f"  let x = {binding};"] * CHAIN
    return "\n".join([ADD, *lines, "  x", "}"])


def chain_by_hand(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Add the same array many times."""
    for _ in range(CHAIN):
        x = np.add(x, y)
    return x


def minima(forms: list[Form], rounds: int) -> list[float]:
    """Return the least processor time of each form in microseconds; all run in every round."""
    best = [float("inf")] * len(forms)
    for _ in range(rounds):
        for at, form in enumerate(forms):
            start = time.process_time_ns()
            for _ in range(200):
                form()
            best[at] = min(best[at], (time.process_time_ns() - start) / 200_000)
    return best


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=40)
    rounds = parser.parse_args().rounds
    print(f"{'parameters':<14}{'by hand':>10}{'a call':>10}{'more':>10}{'aim':>10}   us")
    for count in PARAMETERS:
        function = relax_lang.loads(sum_of_parameters(count))["main"]
        arrays = [np.ones(SIZE, np.float32) for _ in range(count)]
        hand, call = minima([lambda a=arrays: by_hand(*a), lambda a=arrays, f=function: f(*a)], rounds)
        print(f"{count:<14}{hand:>10.2f}{call:>10.2f}{call - hand:>10.2f}{6 + 0.4 * count:>10.2f}")
    x, y = np.ones(SIZE, np.float32), np.ones(SIZE, np.float32)
    operators = relax_lang.loads(chain("add(x, y)"))["main"]
    calls = relax_lang.loads(chain(f"call_tir(@add, (x, y)) -> Tensor[({SIZE},), float32]"))["main"]
    hand, add, tir = minima(
        [lambda: chain_by_hand(x, y), lambda: operators(x, y), lambda: calls(x, y)], max(rounds // 2, 1)
    )
    print(f"\n{'a binding':<14}{'by hand':>10}{'operator':>10}{'call_tir':>10}{'ratio':>10}   us")
    print(f"{'':<14}{hand / CHAIN:>10.2f}{add / CHAIN:>10.2f}{tir / CHAIN:>10.2f}{tir / hand:>10.2f}")


if __name__ == "__main__":
    main()
