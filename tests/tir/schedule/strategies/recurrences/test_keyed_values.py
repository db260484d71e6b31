"""Elements that data choose in a loop, each read before or after it is changed. [TIR.21]"""

from __future__ import annotations

import random

import numpy as np
import pytest

from relax_lang.tir.check.driver import check_prim_func
from relax_lang.tir.compile import compile_prim_func
from tests.tir.support import assert_same_outcome, prim_func

DTYPES = ("int64", "int64", "int32", "uint8", "int8", "uint64", "float32", "float64", "bool")
KEYS = ("int64", "int64", "int32", "uint8", "int8")


class Keyed:
    """A random loop that changes elements that data choose, with statements beside that that read them."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(f"keyed values {seed}")
        self.dtype, self.keys = self.pick(*DTYPES), self.pick(*KEYS)
        loops = self.pick(["i"], ["i"], ["i", "j"])
        rows = self.pick(False, False, True)
        self.shape = "m, k" if rows else "k"
        at = self.pick("i", "n - 1 - i", "(i + j) % n" if len(loops) > 1 else "i")
        given = f"K[{at}]" if self.keys == "int64" else f"cast(K[{at}], int64)"
        key = self.pick(
            given, given, given, f"min(max({given}, 0), k - 1)", f"{given} % k", f"{given} * 2", "i % k", "i // 2", "0",
        )  # fmt: skip
        row = self.pick("j" if len(loops) > 1 else "0", f"{given} % m")
        self.element = f"U[{row}, {key}]" if rows else f"U[{key}]"
        other = (
            self.element.replace(key, given.replace(f"[{at}]", "[0]"))
            if self.random.random() < 0.1
            else self.element
        )
        change = self.change(at)
        readers = [self.reader(loops, other) for _ in range(self.pick(1, 1, 2, 3))]
        body = [*readers]
        if self.random.random() < 0.3:
            body = [one.replace(other, "u") for one in readers]
            body[0] = f"let u: {self.dtype} = {other}; {body[0]}"
        body.insert(self.random.randrange(len(body) + 1), change)
        text = " ".join(body)
        condition = self.pick(
            "", "", "", "C[i]", "C[i]", "X[i] == X[0]", "i > 1", f"{self.element} == {self.number(1)}"
        )
        if condition:
            text = f"if {condition} {{ {text} }}"
        if self.random.random() < 0.1:
            text += " " + self.pick("U[0] = X[i];", "P[i] = X[i];", "X[i] = P[i];") if not rows else ""
        size = {"i": "n", "j": "m"}
        bounds = f"({', '.join([size[name] for name in loops])})" if len(loops) > 1 else "0..n"
        grid = f"grid{bounds}" if len(loops) > 1 else bounds
        text = f"for {', '.join(loops)} in {grid} {{ {text} }}"
        if self.random.random() < 0.15:
            text = f"for s in 0..2 {{ {text} }}"
        self.text = (
            f"prim_func @f(K: Buffer[(n,), {self.keys}], X: Buffer[(n,), {self.dtype}], C: Buffer[(n,), bool],"
            f" U: Buffer[({self.shape},), {self.dtype}], P: Buffer[(n,), {self.dtype}], Q: Buffer[(q,), int64],"
            " W: Buffer[(m,), bool])"
            f" {{ {text} }}"
        )

    def pick(self, *options):
        return self.random.choice(options)

    def number(self, value: int) -> str:
        return {"b": "true", "f": f"{value}.0"}.get(self.dtype[0], str(value))

    def change(self, at: str) -> str:
        """Return what changes the element."""
        if self.dtype == "bool":
            value = self.pick("true", "C[i]", f"X[{at}]", "i % 2 == 0")
            return f"{self.element} = {value};"
        value = self.pick(
            self.number(1), self.number(3), f"X[{at}]", f"X[{at}]", f"cast(i, {self.dtype})", "P[i]"
        )
        op = self.pick("+=", "+=", "+=", "-=", "=", "=", "=", "*=", "max")
        if op == "max":
            return f"{self.element} = max({self.element}, {value});"
        if op == "+=" and self.random.random() < 0.3:
            return f"{self.element} = {value} + {self.element};"
        return f"{self.element} {op} {value};"

    def reader(self, loops: list[str], element: str) -> str:
        """Return a statement that reads the element, as a value, a condition, or an index."""
        index = f"cast({element}, int64)"
        options = [
            f"P[i] = {element};",
            f"P[i] = {element};",
            f"if {element} == {self.number(1)} {{ P[i] = X[i]; }} else {{ P[i] = X[0]; }}",
            f"Q[{index} % q] = i;",
            f"Q[{index}] = i;",
            f"Q[{index} % q] += 1;",
            f"for e in 0..q {{ if {index} > e {{ Q[e] += 1; }} }}",
            f'assert {index} < 200, "large";',
        ]
        if self.dtype != "bool":
            options += [f"P[i] += {element};", f"P[i] = X[i] - {element};"]
        return self.pick(*options)

    def arguments(self, n: int, m: int, k: int) -> list[object]:
        rng = np.random.default_rng(self.random.randrange(1 << 30))
        low = -1 if self.keys[0] == "i" and self.random.random() < 0.1 else 0
        keys = rng.integers(low, max(k, 1) + (self.random.random() < 0.05), n).astype(self.keys)
        shape = (m, k) if self.shape == "m, k" else (k,)
        return [
            keys, self.values(rng, (n,)), rng.random(n) < 0.6, self.values(rng, shape), self.values(rng, (n,)),
            rng.integers(-3, 3, 9), np.zeros(m, np.bool_),
        ]  # fmt: skip

    def values(self, rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        dtype = np.dtype(self.dtype)
        if dtype.kind == "b":
            return rng.random(shape) < 0.5
        if dtype.kind == "f":
            return rng.choice(np.array([0.0, -0.0, 1.0, 2.0, np.nan, -3.0]), shape).astype(dtype)
        some = np.iinfo(dtype)
        low, high = self.pick((0, 4), (0, 4), (some.min, some.max), (some.max - 1, some.max))
        return rng.integers(low, high, shape, dtype=dtype, endpoint=True)


SIZES = ((0, 2, 3), (1, 1, 1), (4, 0, 2), (4, 2, 0), (6, 3, 4), (90, 2, 5))


def is_valid(func) -> bool:
    return not any(found.severity == "error" for found in check_prim_func(func))


@pytest.mark.parametrize("start", range(0, 400, 50))
def test_TIR_21_random_keyed_values(start: int) -> None:
    for seed in range(start, start + 50):
        keyed = Keyed(seed)
        func = prim_func(keyed.text)
        if is_valid(func):
            for sizes in SIZES:
                assert_same_outcome(func, keyed.arguments(*sizes))


def test_random_keyed_values_are_worth_running() -> None:
    """Many are found by key, and many are not."""
    funcs = [prim_func(Keyed(seed).text) for seed in range(150)]
    right = [func for func in funcs if is_valid(func)]
    found = ["running_by_key(" in compile_prim_func(func).source for func in right]
    assert len(right) > 90
    assert 20 < sum(found) < len(right) - 20
