"""Arrays that are read at many indices that wrap around are copied once, with the other end beyond each end. [TIR.21]

`python -m tests.tir.schedule.layout.test_wrapped_windows FIRST COUNT` tries seeds and prints those that differ.
"""

from __future__ import annotations

import os
import re
from random import Random

import numpy as np
import pytest

from relax_lang.tir.compile import compile_prim_func
from relax_lang.tir.interp import interpreter
from tests.seeds import print_failing
from tests.tir.support import REPEATED, assert_same_outcome, checked, outcome

SEEDS = 5_000 if os.environ.get("RELAX_NIGHTLY") else 60
CHUNK = 20

TORUS = """
prim_func @torus(X: Buffer[(n, m), DTYPE], Y: Buffer[(n, m), DTYPE]) {
  for i, j in grid(n, m) {
    Y[i, j] = X[(i + 1) % n, j] + X[(i + n - 1) % n, j] + X[i, (j + 1) % m] + X[i, (j + m - 1) % m] - X[i, j];
  }
}
"""


def text_of(draw: Random) -> str:
    """Return a random stencil on a torus."""
    rows = [
        "(i + 1) % n", "(i + n - 1) % n", "i", "(i + 2) % n", "(i - 2) % n", "i % n", "(i + n + 1) % n", "(2 * i) % n",
        "min(i + 1, n - 1)", "(n - 1 - i) % n", "(i + k) % n", "i // 2", "(i + 1) % m",
    ]  # fmt: skip
    weights = [6, 6, 6, 2, 2, 2, 1, 1, 1, 1, 1, 1, 1]
    other = {"i": "j", "n": "m", "m": "n"}
    columns = [re.sub(r"\b[inm]\b", lambda name: other[name[0]], row) for row in rows]

    def read(array: str) -> str:
        return f"{array}[{draw.choices(rows, weights)[0]}, {draw.choices(columns, weights)[0]}]"

    def value() -> str:
        terms = [read(draw.choice("XXXXW")) for _ in range(draw.randint(2, 7))]
        return " + ".join([term if draw.random() < 0.8 else f"2 * {term}" for term in terms])

    body = f"Y[i, j] = {value()};"
    if draw.random() < 0.3:
        body = f"for a in 0..3 {{ Y[i, j] += X[(i + a) % n, (j + a + m - 1) % m] + {read('X')}; }}"
    if draw.random() < 0.2:
        body = f"if {draw.choice(['i > 0', 'X[i, j] > 0', 'i != j'])} {{ {body} }}"
    if draw.random() < 0.3:
        body += f" Z[i, j] = {value()};"
    after = draw.choice(
        ["", "", "for i, j in grid(n, m) { W[i, j] = Y[(i + 1) % n, j] + Y[i, (j + m - 1) % m]; }"]
    )
    params = ", ".join([f"{name}: Buffer[(n, m), int32]" for name in "XWYZ"])
    return f"prim_func @f({params}, k: int64) {{ for i, j in grid(n, m) {{ {body} }} {after} }}"


def differs(seed: int) -> str:
    """Return in what a random stencil differs from what the interpreter makes of it; "" if in nothing."""
    draw = Random(seed)
    func = checked(text_of(draw))
    rng = np.random.default_rng(seed)
    compiled = compile_prim_func(func)
    for n, m in ((0, 2), (2, 0), (1, 1), (2, 1), (2, 3), (5, 5)):
        arrays = [rng.integers(-9, 9, (n, m)).astype(np.int32) for _ in range(4)]
        for args in (
            [*arrays, 1],
            [arrays[0], arrays[0], *arrays[2:], 0],
            [arrays[0], *arrays[1:3], arrays[0], -1],
        ):
            wanted = outcome(lambda *values: interpreter.run(func, values), args)
            for _ in range(REPEATED):
                found = outcome(compiled.run, args)
                if found[0] != wanted[0]:
                    return f"{(n, m)}: {found[0] or 'no failure'}, not {wanted[0] or 'no failure'}"
                if not all(map(np.array_equal, found[1], wanted[1])):
                    return f"{(n, m)}: {found[1]}, not {wanted[1]}"
    return ""


@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_TIR_21_random_stencils_on_a_torus(first: int) -> None:
    for seed in range(first, first + CHUNK):
        assert not differs(seed), f"seed {seed}: {differs(seed)}\n{text_of(Random(seed))}"


@pytest.mark.parametrize("dtype", ["float64", "float32", "int32", "uint8", "float16"])
def test_TIR_21_a_stencil_on_a_torus_is_one_part(dtype: str) -> None:
    func = checked(TORUS.replace("DTYPE", dtype))
    rng = np.random.default_rng(3)
    for shape in ((0, 0), (0, 3), (1, 1), (1, 4), (2, 2), (30, 40)):
        x = rng.integers(0, 9, shape).astype(dtype)
        assert_same_outcome(func, [x, np.zeros_like(x)])
        assert_same_outcome(func, [x, x])
        assert_same_outcome(func, [np.asfortranarray(x), np.zeros_like(x)])
    source = compile_prim_func(func).source.split("@np.errstate")[-1]
    assert source.count("copy_wrapped(") == 1
    assert source.count("elementwise over") == 2


def test_TIR_21_an_array_that_is_stored_to_is_not_copied() -> None:
    stored = TORUS.replace("Y[i, j] =", "X[i, j] =").replace("DTYPE", "int32")
    assert "copy_wrapped(" not in compile_prim_func(checked(stored)).source
    one_step = (
        TORUS.replace("DTYPE", "int32")
        .replace(" + X[(i + n - 1) % n, j]", "")
        .replace(" + X[i, (j + 1) % m]", "")
    )
    assert "copy_wrapped(" not in compile_prim_func(checked(one_step)).source, (
        "four parts cost less than a copy"
    )


if __name__ == "__main__":
    print_failing(differs)
