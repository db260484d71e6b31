"""How fast passes are: bindings per second of the pipeline `optimize`, and whether that stays so for long functions.

    python benchmarks/pipeline.py [--rounds 5]

The program is one dataflow block of element-by-element operators with some common subexpressions, dead bindings and
names for names, and no constants to fold. Time is processor time, the best of all rounds; infos of the program are
known before. Aims: 20,000 bindings a second, and at 50,000 bindings at most 1.3 times the cost of a binding at 1,000.
The last row is the builder: bindings a second, with the struct info of each; aim 15,000.
"""

from __future__ import annotations

import argparse
import time

from relax_lang import BlockBuilder, Tensor, api, dim, op, transform

SIZES = (1_000, 10_000, 50_000)
OPERATORS = ("exp", "tanh", "nn.relu", "sigmoid")


def program(bindings: int) -> str:
    """Return a program of about so many bindings."""
    lines = [
        "def @main(x: Tensor[(n, 8), float32], w: Tensor[(8,), float32]) {",
        "dataflow {",
        "let v0 = add(x, w);",
    ]
    for at in range(1, bindings):
        before = f"v{at - 1}"
        value = f"{OPERATORS[at % 4]}({before})" if at % 3 else f"multiply({before}, v{max(0, at - 5)})"
        lines.append(f"let v{at} = {value};")
        if at % 10 == 0:
            lines += [f"let u{at} = exp(x);", f"let z{at} = v{at};"]
    lines += [f"let out = v{bindings - 1};", "output out;", "}", "out", "}"]
    return "\n".join(lines)


def main() -> None:
    """Print a row for each size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    rounds = parser.parse_args().rounds
    print(f"{'bindings':>9} {'bindings/s':>11} {'us each':>8} {'to 1,000':>9}")
    first = 0.0
    for size in SIZES:
        typed = api.typed(program(size))
        optimize = transform.pipeline("optimize")
        times: list[float] = []
        for _ in range(rounds):
            start = time.process_time()
            optimize(typed)
            times.append(time.process_time() - start)
        each = min(times) / size
        first = first or each
        print(f"{size:>9} {1 / each:>11.0f} {each * 1e6:>8.1f} {each / first:>9.2f}")
    print(f"{'builder':>9} {max(built(20_000) for _ in range(rounds)):>11.0f} emits with inference a second")


def built(bindings: int) -> float:
    """Return how many bindings a second the builder emits, with the struct info of each known at once."""
    bb, n = BlockBuilder(), dim("n")
    x, w = bb.var("x", Tensor((n, 64), "float32")), bb.var("w", Tensor((64, 64), "float32"))
    with bb.function("main", [x, w]):
        with bb.dataflow():
            y: object = x
            start = time.process_time()
            for _ in range(bindings // 4):
                y = bb.emit(op.matmul(y, w))
                y = bb.emit(op.nn.relu(y))
                y = bb.emit(op.nn.softmax(y, axis=-1))
                y = bb.emit(op.add(y, x))
            taken = time.process_time() - start
            out = bb.emit_output(y)
        bb.emit_func_output(out)
    return bindings / taken


if __name__ == "__main__":
    main()
