"""How long Relax functions take, and how much memory: compiled, interpreted, and as plain NumPy written by hand.

    python benchmarks/runtime.py [--rounds 200]

Times are of chains of 200 operators; every round runs the compiled and the hand-written form once, so that a busy
machine slows both alike, and figures are minima. The aim is 1.15 times the time of the hand-written form on the
tiny chains, where next to nothing hides what a call costs. Memory is the peak of what NumPy allocates while a deep
MLP runs; the aim is 1.1 times that of the hand-written form.
"""

from __future__ import annotations

import argparse
import math
import sys
import time
import tracemalloc
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from relax_lang import api

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Form = Callable[[], object]

OPERATORS = 200
DEPTH = 24
SIZE = 512
"""The MLP: layers, and rows and columns of everything."""

BINARY = [
    ("add", "np.add"),
    ("multiply", "np.multiply"),
    ("subtract", "np.subtract"),
    ("maximum", "np.maximum"),
]
MIXED = [("add", "np.add"), ("tanh", "np.tanh"), ("multiply", "np.multiply"), ("negative", "np.negative")]
UNARY = ("tanh", "negative")


def chain(steps: list[tuple[str, str]], signature: str) -> tuple[str, str]:
    """Return a chain of operators as a Relax program and as Python."""
    relax = [f"def @main(x: {signature}, w: {signature}) -> {signature} {{", "  let v0 = x;"]
    python = ["def by_hand(x, w):", "    v = x"]
    for at in range(OPERATORS):
        name, function = steps[at % len(steps)]
        second = "" if name in UNARY else ", w"
        relax.append(f"  let v{at + 1} = {name}(v{at}{second});")
        python.append(f"    v = {function}(v{second})")
    return "\n".join([*relax, f"  v{OPERATORS}", "}"]), "\n".join([*python, "    return v"])


def layers(count: int) -> tuple[str, str]:
    """Return a deep MLP as a Relax program and as Python."""
    square, row = f"Tensor[({SIZE}, {SIZE}), float32]", f"Tensor[({SIZE},), float32]"
    params = ", ".join([f"w{at}: {square}, b{at}: {row}" for at in range(count)])
    relax = [f"def @main(x: {square}, {params}) -> {square} {{", "  dataflow {", "    let h0 = x;"]
    names = ", ".join([f"w{at}, b{at}" for at in range(count)])
    python = [f"def by_hand(x, {names}):", "    h = x"]
    for at in range(count):
        relax.append(f"    let h{at + 1} = nn.relu(matmul(h{at}, w{at}) + b{at});")
        python += [f"    h = np.matmul(h, w{at})", f"    h += b{at}", "    h = np.maximum(h, 0, out=h)"]
    relax += [f"    let y = h{count};", "    output y;", "  }", "  y", "}"]
    return "\n".join(relax), "\n".join([*python, "    return h"])


def by_hand(text: str) -> Callable[..., object]:
    """Return the function that a Python text defines."""
    namespace: dict[str, Callable[..., object]] = {"np": np}  # pyright: ignore[reportAssignmentType]
    exec(text, namespace)
    return namespace["by_hand"]


def runs(program: str, python: str, arguments: list[np.ndarray]) -> list[Form]:
    """Return the forms of one program: compiled, by hand, interpreted."""
    compiled, interpreted = api.start(program), api.start(program, engine="interpreter")
    hand = by_hand(python)

    def run_by_hand() -> object:
        with np.errstate(all="ignore"):
            return hand(*arguments)

    forms = [
        lambda: compiled.call("main", arguments),
        run_by_hand,
        lambda: interpreted.call("main", arguments),
    ]
    first, *others = [form() for form in forms]
    for other in others:
        np.testing.assert_allclose(first, other, rtol=1e-5)
    return forms


def best(rounds: int, forms: list[Form]) -> list[float]:
    """Return the shortest time of each form, in microseconds."""
    times = [math.inf] * len(forms)
    for _ in range(rounds):
        for at, form in enumerate(forms):
            start = time.perf_counter()
            form()
            times[at] = min(times[at], time.perf_counter() - start)
    return [seconds * 1e6 for seconds in times]


def peak(form: Form) -> int:
    """Return the most bytes that were allocated at one time while a form ran."""
    tracemalloc.start()
    form()
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return most


def main() -> None:
    """Measure and print two tables."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=200)
    rounds: int = options.parse_args().rounds
    numbers = np.random.default_rng(0)
    cases = [
        ("binary, (4,)", BINARY, "Tensor[(4,), float32]", (4,)),
        ("binary, (n, m)", BINARY, "Tensor[(n, m), float32]", (4, 4)),
        ("mixed, (4, 4)", MIXED, "Tensor[(4, 4), float32]", (4, 4)),
        ("mixed, (n, m)", MIXED, "Tensor[(n, m), float32]", (4, 4)),
        ("mixed, 512 x 512", MIXED, "Tensor[(n, m), float32]", (512, 512)),
    ]
    print(f"{'200 operators':<18}{'compiled us':>12}{'by hand us':>12}{'ratio':>8}{'interpreter us':>16}")
    for label, steps, signature, shape in cases:
        arguments = [numbers.standard_normal(shape, dtype=np.float32) for _ in range(2)]
        forms = runs(*chain(steps, signature), arguments)
        count = rounds if shape[0] < 100 else max(3, rounds // 20)
        vector, hand = best(count, forms[:2])
        (scalar,) = best(max(3, count // 20), forms[2:])
        print(f"{label:<18}{vector:>12.1f}{hand:>12.1f}{vector / hand:>8.2f}{scalar:>16.1f}")
    program, python = layers(DEPTH)
    arguments = [numbers.standard_normal((SIZE, SIZE), dtype=np.float32)]
    for _ in range(DEPTH):
        arguments += [
            numbers.standard_normal((SIZE, SIZE), dtype=np.float32) / 16,
            numbers.standard_normal(SIZE, dtype=np.float32),
        ]
    forms = runs(program, python, arguments)
    vector, hand, scalar = [peak(form) / 2**20 for form in forms]
    print(f"\n{'peak memory':<18}{'compiled MiB':>12}{'by hand MiB':>12}{'ratio':>8}{'interpreter MiB':>16}")
    print(f"{f'MLP, {DEPTH} layers':<18}{vector:>12.2f}{hand:>12.2f}{vector / hand:>8.2f}{scalar:>16.2f}")


if __name__ == "__main__":
    main()
