"""What is said of texts with thousands of mistakes grows as they do: quadratic time is minutes for each of these."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from relax_lang import api
from tests.processor_time import limited

FUNCTION = "def @f(x: Tensor[(n,), float32], c: Tensor[(), bool]) -> Tensor {\n"
PRIM_FUNC = "prim_func @k(A: Buffer[(n, m), float32], B: Buffer[(n,), float32]) {\n"
LIMIT = 20
"""Seconds of processor time."""


def statements(line: str) -> Callable[[int], str]:
    """Return a function of so many lines, in which `%` is the number of the line."""
    return lambda count: FUNCTION + "".join([line.replace("%", str(at)) for at in range(count)]) + "  x\n}\n"


def stores(line: str) -> Callable[[int], str]:
    """Return a PrimFunc of so many lines."""
    return lambda count: PRIM_FUNC + "".join([line.replace("%", str(at)) for at in range(count)]) + "}\n"


def items(line: str) -> Callable[[int], str]:
    """Return so many functions."""
    return lambda count: "".join([line.replace("%", str(at)) for at in range(count)])


SHAPES: dict[str, tuple[Callable[[int], str], int]] = {
    "assignments": (statements("  v% = abs(x);\n"), 20_000),
    "assignments to one name": (statements("  v = abs(x);\n"), 20_000),
    "assignments in blocks": (statements("  let a% = { v = x; v };\n"), 12_000),
    "assignments in branches": (statements("  if c { v = x; } else { v = c; };\n"), 6_000),
    "names bound in branches": (statements("  if c { let v% = x; };\n  let w% = v%;\n"), 6_000),
    "one name bound in branches": (statements("  if c { let v = x; };\n  let w% = v;\n"), 6_000),
    "branches without values": (statements("  if c { print(x); };\n"), 6_000),
    "branches in a dataflow block": (
        lambda count: statements("    let v% = if c { let a = x; a };\n")(count).replace(
            FUNCTION, FUNCTION + "  dataflow {\n"
        ),
        12_000,
    ),
    "values of branches that need a cast": (
        statements("  let v% = if c { x } else { unique(x) };\n  let w%: Tensor[(4,), float32] = v%;\n"),
        4_000,
    ),
    "an assignment in each function": (items("def @f%(x: Tensor) -> Tensor { y = x; y }\n"), 8_000),
    "an `if` in each function": (items("def @f%(x: Tensor) -> Tensor { if x { print(x); }; x }\n"), 6_000),
    "attributes": (
        lambda count: FUNCTION + "  add(x, x" + "".join([f", a{at}=1" for at in range(count)]) + ")\n}\n",
        40_000,
    ),
    "arguments": (lambda count: PRIM_FUNC + "  B[0] = max(1.0" + ", 1.0" * count + ");\n}\n", 60_000),
    "assignments in a prim_func": (stores("  alloc C%: Buffer[(n,), float32];\n  w% = 1.0;\n"), 10_000),
    "elements as names": (stores("  for i% in 0..n { Bi% = 1.0; }\n"), 10_000),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_thousands_of_mistakes_take_linear_time(shape: str) -> None:
    make, count = SHAPES[shape]
    with limited(LIMIT):
        found = api.check(make(count)).diagnostics
    assert found
    assert all(one.slug != "internal-error" for one in found)


def test_a_name_is_split_into_indices_once() -> None:
    """The element `A[a, a, …]` is looked for with each index of one, two or three letters."""
    params = "A: Buffer[(" + "n, " * 40 + "), float32], a: int64, aa: int64, aaa: int64"
    with limited(LIMIT):
        found = api.check(f"prim_func @k({params}) {{ A{'a' * 150}b = 1.0; }}").diagnostics
    assert found
