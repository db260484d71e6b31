"""An element that each iteration of a loop takes over from the one before, with statements that read it. [TIR.21]"""

from __future__ import annotations

import random

import numpy as np
import pytest

from relax_lang.tir.check.driver import check_prim_func
from relax_lang.tir.compile import compile_prim_func
from tests.tir.support import assert_same_outcome, checked, prim_func

DTYPES = ("int64", "int32", "uint8", "int8", "uint64", "float32", "float64", "float64", "float16", "bool")


class Carried:
    """A random loop that changes an element, in rows or not, with statements beside that that read it."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(f"carried values {seed}")
        self.dtype = self.pick(*DTYPES)
        rows = self.pick(False, False, True)
        self.element = (
            self.pick("S[r]", "S[r]", "S[2 * r]", "S[0]") if rows else self.pick("S[0]", "S[1]", "S[2]")
        )
        self.item = "X[r, i]" if rows else "X[0, i]"
        self.result = self.item.replace("X", "Y")
        body = [self.reader() for _ in range(self.pick(1, 1, 2, 3))]
        body.insert(self.random.randrange(len(body) + 1), self.change())
        if self.random.random() < 0.2:
            body.insert(self.random.randrange(len(body) + 1), self.change().replace(self.element, "T[0]"))
        if self.random.random() < 0.1:
            body.append(
                self.pick(f"{self.item} = {self.result};", f"S[3] = {self.item};", f"T[1] = {self.element};")
            )
        if self.random.random() < 0.3:
            body[0] = f"if {self.condition()} {{ {body[0]} }}"
        text = f"for i in {self.pick('0..n', '0..n', '1..n')} {{ {' '.join(body)} }}"
        if rows:
            start = self.pick("", f"{self.element} = {self.number(1)};", f"{self.element} = X[r, 0];")
            text = f"for r in 0..b {{ {start} {text} }}"
        if self.random.random() < 0.15:
            text = f"for s in 0..2 {{ {text} }}"
        self.text = (
            f"prim_func @f(X: Buffer[(b, n), {self.dtype}], V: Buffer[(n,), bool], S: Buffer[(q,), {self.dtype}],"
            f" T: Buffer[(2,), {self.dtype}], Y: Buffer[(b, n), {self.dtype}], Q: Buffer[(9,), int64]) {{ {text} }}"
        )

    def pick(self, *options):
        return self.random.choice(options)

    def number(self, value: int) -> str:
        return {"b": "true", "f": f"{value}.0"}.get(self.dtype[0], str(value))

    def condition(self) -> str:
        old = self.pick("V[i]", f"{self.element} == {self.number(2)}", f"{self.item} == {self.number(1)}")
        return self.pick("V[i]", "i > 2", old)

    def change(self) -> str:
        """Return what changes the element."""
        old, item = self.element, self.item
        if self.dtype == "bool":
            value = self.pick(
                f"{old} || {item}", f"V[i] && {old}", f"!{old}", f"if_then_else(V[i], {item}, {old})"
            )
            return f"{old} = {value};"
        return self.pick(
            f"{old} += {item};", f"{old} += {item};", f"{old} -= {item};", f"{old} *= {item};",
            f"{old} = max({old}, {item});", f"{old} = min({item}, {old});",
            f"{old} = {item} + {old};", f"{old} = {item} - {old};",
            f"{old} = if_then_else(V[i], {item}, {old});",
            f"{old} = if_then_else(V[i], {self.number(0)}, {old} + {item});",
            f"{old} = max({old} + {item}, {self.number(0)});", f"{old} = {old} * {self.number(3)} + {item};",
            f"{old} = {item};", f"{old} += {self.result};",
        )  # fmt: skip

    def reader(self) -> str:
        """Return a statement that reads the element, as a value, a condition, or an index."""
        index = f"cast({self.element}, int64)"
        options = [
            f"{self.result} = {self.element};",
            f"{self.result} = {self.element};",
            f"if {self.element} == {self.number(1)} {{ {self.result} = {self.item}; }}",
            f"Q[{index} % 9] += i;",
            f"Q[min(max({index}, 0), 8)] = i;",
            f'assert {index} < 120, "large";',
            f"for e in 0..4 {{ if {index} > e {{ Q[e] += 1; }} }}",
        ]
        if self.dtype != "bool":
            options += [f"{self.result} += {self.element};", f"{self.result} = {self.item} - {self.element};"]
        return self.pick(*options)

    def arguments(self, b: int, n: int, q: int) -> list[object]:
        rng = np.random.default_rng(self.random.randrange(1 << 30))
        return [
            self.values(rng, (b, n)), rng.random(n) < 0.4, self.values(rng, (q,)), self.values(rng, (2,)),
            self.values(rng, (b, n)), rng.integers(-3, 3, 9),
        ]  # fmt: skip

    def values(self, rng: np.random.Generator, shape: tuple[int, ...]) -> np.ndarray:
        dtype = np.dtype(self.dtype)
        if dtype.kind == "b":
            return rng.random(shape) < 0.5
        if dtype.kind == "f":  # sums that nothing reads on the way may be made in another order
            some = (
                [0.5, 1.0, -2.0, 0.0]
                if "T[0]" in self.text or self.dtype == "float16"
                else self.pick(
                    [0.1, -0.0, 1.0, 2.0, np.nan, -3.0, np.inf], [0.1, 0.3, -0.7, 1e-3], [-0.0], [0.0, -0.0]
                )
            )
            return rng.choice(np.array(some), shape).astype(dtype)
        some = np.iinfo(dtype)
        low, high = self.pick((0, 4), (0, 4), (some.min, some.max), (some.max - 1, some.max))
        return rng.integers(low, high, shape, dtype=dtype, endpoint=True)


SIZES = ((1, 0, 4), (1, 1, 4), (2, 1, 6), (1, 9, 4), (3, 6, 8), (2, 70, 8), (4, 3, 2), (0, 3, 4))


def is_valid(func) -> bool:
    return not any(found.severity == "error" for found in check_prim_func(func))


@pytest.mark.parametrize("start", range(0, 400, 50))
def test_TIR_21_random_carried_values(start: int) -> None:
    for seed in range(start, start + 50):
        carried = Carried(seed)
        func = prim_func(carried.text)
        if is_valid(func):
            for sizes in SIZES:
                with np.errstate(all="ignore"):
                    assert_same_outcome(func, carried.arguments(*sizes))


def test_random_carried_values_are_worth_running() -> None:
    """Many are found beforehand, and many are not."""
    funcs = [prim_func(Carried(seed).text) for seed in range(150)]
    right = [func for func in funcs if is_valid(func)]
    found = ["taken" in compile_prim_func(func).source for func in right]
    assert len(right) > 100
    assert 20 < sum(found) < len(right) - 20


PARAMS = "X: Buffer[(b, n), float32], Y: Buffer[(b, n), float32], Z: Buffer[(n,), float32]"
WITHOUT_A_LOOP = {
    "a running total": "alloc S: Buffer[(1,), float32]; S[0] = 0.0; for i in 0..n { S[0] += X[0, i]; Y[0, i] = S[0]; }",
    "before and after": (
        "alloc S: Buffer[(1,), float32]; S[0] = 1.0;"
        " for i in 0..n { Y[0, i] = S[0]; S[0] *= X[0, i]; Y[1, i] = S[0] - X[1, i]; }"
    ),
    "the greatest so far": (
        "alloc S: Buffer[(1,), float32]; S[0] = 0.0;"
        " for i in 0..n { S[0] = max(S[0], X[0, i]); Y[0, i] = X[0, i] / S[0]; }"
    ),
    "a total of each row": (
        "alloc S: Buffer[(), float32]; for r in 0..b { S[()] = 0.0;"
        " for i in 0..n { S[()] += X[r, i]; if X[r, i] > 0.5 { Y[r, i] = S[()]; } } }"
    ),
    "one value decides another": (
        "alloc S: Buffer[(2,), float32]; S[0] = 0.0; S[1] = 0.0;"
        " for i in 0..n { S[0] += X[0, i]; S[1] = max(S[1], S[0]); Y[0, i] = S[1] - S[0]; }"
    ),
    "not in the first and last step": (
        "alloc S: Buffer[(1,), float32]; S[0] = 0.0; for i in 1..n - 1 { S[0] += X[0, i]; Y[0, i] = S[0]; }"
    ),
    "the last good one": (
        "alloc S: Buffer[(1,), float32]; S[0] = 0.0;"
        " for i in 0..n { if Z[i] > 0.5 { S[0] = Z[i]; } Y[0, i] = S[0]; }"
    ),
}


@pytest.mark.parametrize("name", WITHOUT_A_LOOP)
def test_TIR_21_no_loop_carries_the_element(name: str) -> None:
    func = checked(f"prim_func @f({PARAMS}) {{ {WITHOUT_A_LOOP[name]} }}")
    compiled = compile_prim_func(func)
    assert not compiled.stays_sequential
    assert not any(remark.strategy == "loop" for remark in compiled.remarks)
    numbers = np.random.default_rng(0)
    for b, n in ((2, 0), (2, 1), (3, 50)):
        x, y = numbers.random((2, b, n)).astype(np.float32)
        assert_same_outcome(func, [x, y, numbers.random(n).astype(np.float32)])
