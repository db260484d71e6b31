"""How long PrimFuncs take to compile as they grow: statements of a loop, chains of `let`, nested expressions.

`python benchmarks/compile_time.py` prints milliseconds of processor time, the better of two runs, for each size.
"""

from __future__ import annotations

import sys
import time

from relax_lang.syntax import tree
from relax_lang.syntax.parser import parse
from relax_lang.tir.check.driver import check_prim_func
from relax_lang.tir.compile import compile_prim_func

COUNTS = (25, 50, 100, 200, 400)


def independent(count: int) -> str:
    """Return a loop with statements that have nothing to do with each other."""
    body = " ".join([f"Y[i, {at}] = X[i, {at}] * 2.0 + 1.0;" for at in range(count)])
    params = f"X: Buffer[(n, {count}), float32], Y: Buffer[(n, {count}), float32]"
    return f"prim_func @f({params}) {{ for i in 0..n {{ {body} }} }}"


def chained(count: int) -> str:
    """Return a loop with statements of which each uses the one before."""
    body = " ".join([f"Y[i, {at + 1}] = Y[i, {at}] * 2.0 + X[i, {at}];" for at in range(count)])
    params = f"X: Buffer[(n, {count}), float32], Y: Buffer[(n, {count + 1}), float32]"
    return f"prim_func @f({params}) {{ for i in 0..n {{ {body} }} }}"


def lets(count: int) -> str:
    """Return a chain of `let` of which each uses the one before three times."""
    names = [f"let v{at + 1} = v{at} * v{at} + v{at};" for at in range(count // 12)]
    return (
        "prim_func @f(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) { for i in 0..n { let v0 = X[i];"
        f" {' '.join(names)} Y[i] = v{count // 12}; }} }}"
    )


def polynomials(count: int) -> str:
    """Return a chain of `let` on loop variables of which each multiplies the one before by itself."""
    names = [f"let v{at + 1} = v{at} * v{at} + i;" for at in range(count // 5)]
    return (
        "prim_func @f(Y: Buffer[(n,), int64]) { for i in 0..n { let v0 = i + 1;"
        f" {' '.join(names)} Y[i] = v{count // 5}; }} }}"
    )


def divisions(count: int) -> str:
    """Return nested `//` and `%` of sums."""
    text = "i"
    for at in range(count // 8):
        text = f"({text} + {at + 1}) {'//' if at % 2 else '%'} (n + {at + 2})"
    return f"prim_func @f(Y: Buffer[(n,), int64]) {{ for i in 0..n {{ Y[i] = {text}; }} }}"


KINDS = (independent, chained, lets, polynomials, divisions)


def milliseconds(text: str) -> float:
    """Return the processor time that a PrimFunc takes to be checked and compiled."""
    (func,) = [item for item in parse(text).tree.items if isinstance(item, tree.PrimFunc)]
    started = time.process_time()
    check_prim_func(func)
    checked = time.process_time()
    compile_prim_func(func)
    return max(time.process_time() - checked, checked - started) * 1000


def main() -> None:
    """Print a table: a line for each kind, a column for each size."""
    wanted = sys.argv[1:]
    milliseconds(independent(3))
    sys.stdout.write(f"{'':14}{''.join([f'{count:>10}' for count in COUNTS])}\n")
    for kind in KINDS:
        if wanted and kind.__name__ not in wanted:
            continue
        sys.stdout.write(f"{kind.__name__:14}")
        for count in COUNTS:
            best = min([milliseconds(" " * attempt + kind(count)) for attempt in range(2)])
            sys.stdout.write(f"{best:10.1f}")
            sys.stdout.flush()
        sys.stdout.write("\n")


if __name__ == "__main__":
    main()
