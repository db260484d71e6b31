"""Loops whose variable is taken apart into several digits are lowered as one loop for each. [TIR.21]"""

from __future__ import annotations

import os
import random

import numpy as np
import pytest

from relax_lang.tir.compile import compile_prim_func
from relax_lang.tir.interp import interpreter
from tests.tir.support import prim_func


def digits(variable: str, radices: list[int], draw: random.Random) -> list[str]:
    """Return the digits of a variable, the first one open, written in one of several ways."""
    found: list[str] = []
    weight = 1
    for radix in reversed(radices):
        quotient = variable if weight == 1 else f"{variable} // {weight}"
        if draw.random() < 0.3 and weight > 1:
            quotient = f"{variable} % {weight * radix} // {weight}"
            found.append(quotient)
        elif draw.random() < 0.3:
            quotient = "".join([f"({quotient.split(' // ')[0]})"])
            found.append(f"{quotient} // {weight} % {radix}")
        else:
            found.append(f"{quotient} % {radix}")
        weight *= radix
    found.append(f"{variable} // {weight}")
    return found[::-1]


def text_of(seed: int) -> tuple[str, list[int], int]:
    """Return a PrimFunc that moves elements of a matrix whose digits are in some order; its radices, and the rows."""
    draw = random.Random(seed)
    radices = [draw.choice([2, 2, 3, 4, 5]) for _ in range(draw.randint(1, 3))]
    rows = draw.randint(0, 3)
    first = draw.randint(1, 4)
    shape = [first, *radices]
    size = int(np.prod(shape))
    parts = digits("j", radices, draw)
    order = list(range(len(shape)))
    draw.shuffle(order)
    place = ", ".join(["i", *[parts[at] for at in order]])
    extents = ", ".join(map(str, [shape[at] for at in order]))
    n = "n" if draw.random() < 0.5 else str(rows)
    stored = draw.random() < 0.5
    if stored:
        body = f"Y[{place}] = X[i, j] + 1.0;"
        buffers = f"X: Buffer[({n}, {size}), float32], Y: Buffer[({n}, {extents}), float32]"
    else:
        body = f"Y[i, j] = X[{place}] + 1.0;"
        buffers = f"X: Buffer[({n}, {extents}), float32], Y: Buffer[({n}, {size}), float32]"
    text = f"prim_func @moved({buffers}) {{ for i, j in grid({n}, {size}) {{ {body} }} }}"
    folded, apart = [rows, size], [rows, *[shape[at] for at in order]]
    return text, folded if stored else apart, apart if stored else folded  # pyright: ignore[reportReturnType]


def hold(seed: int) -> str:
    text, given, made = text_of(seed)
    func = prim_func(text)
    x = np.random.default_rng(seed).standard_normal(given).astype(np.float32)
    expected, found = np.zeros(made, np.float32), np.zeros(made, np.float32)
    interpreter.run(func, (x, expected))
    compiled = compile_prim_func(func)
    compiled.run(x, found)
    assert np.array_equal(found, expected), f"seed {seed}\n{text}"
    return compile_prim_func(func).source.split("@np.errstate")[-1]


def test_random_digits() -> None:
    texts = [hold(seed) for seed in range(60)]
    assert not [text for text in texts if "arange" in text], "nothing is gathered"


@pytest.mark.slow
@pytest.mark.skipif("RELAX_NIGHTLY" not in os.environ, reason="takes minutes; set RELAX_NIGHTLY=1")
def test_many_random_digits() -> None:
    for seed in range(1000, 4000):
        hold(seed)


def test_a_reshape_of_four_dimensions_is_one() -> None:
    func = prim_func(
        "prim_func @flat(X: Buffer[(n, 16, 2, 2), float32], Y: Buffer[(n, 64), float32]) {\n"
        "  for i, j in grid(n, 64) {\n"
        "    Y[i, j] = X[(i * 64 + j) // 2 // 2 // 16, (i * 64 + j) // 2 // 2 % 16, (i * 64 + j) // 2 % 2,\n"
        "      (i * 64 + j) % 2];\n  }\n}"
    )
    assert "Y.reshape(n, 16, 2, 2)[...] = X" in compile_prim_func(func).source
