"""Sums under a remainder: running sums where none wraps around, else step by step. [TIR.21]"""

from __future__ import annotations

import random

import numpy as np
import pytest

from relax_lang.tir.check.driver import check_prim_func
from relax_lang.tir.compile import compile_prim_func
from tests.tir.support import assert_same_outcome, checked, prim_func

SUMS = ("int64", "int64", "int32", "uint32", "int16", "uint8", "int8", "uint64")
VALUES = ("uint8", "int8", "int16", "uint16", "int32", "int64", "uint64", "bool")
MODULI = (1, 2, 7, 100, 251, 65521, 1 << 20, 1_000_000_007, (1 << 59) - 1, (1 << 62) - 1)


class Sums:
    """A random loop that takes remainders of sums in elements of an array, and has other statements beside them."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(f"remainders {seed}")
        self.dtype, self.values = self.pick(*SUMS), self.pick(*VALUES)
        self.limits = np.iinfo(self.dtype)
        loops, element = self.pick((["i"], "X[i]"), (["i"], "X[n - 1 - i]"), (["i", "j"], "X[(i + j) % n]"))
        body = [self.step(0, element)]
        if self.random.random() < 0.5:
            body.append(self.step(1, self.pick("S[0]", "S[0]", element, "S[2]", "S[1]")))
        if self.random.random() < 0.4:
            body.insert(self.pick(0, len(body)), self.pick("Y[i] = S[0];", "Y[i] = S[1];", "Y[i] += S[0];"))
        if self.random.random() < 0.1:
            body.append(self.pick("S[0] = 3;", "S[i % 3] = 1;", "if X[i] == X[0] { S[0] += 1; }"))
        size = {"i": "n", "j": "m"}
        self.text = (
            f"prim_func @f(X: Buffer[(n,), {self.values}], S: Buffer[(3,), {self.dtype}],"
            f" Y: Buffer[(n,), {self.dtype}], W: Buffer[(m,), bool])"
            f" {{ for {', '.join(loops)} in grid({', '.join([size[name] for name in loops])})"
            f" {{ {' '.join(body)} }} }}"
        )
        if len(loops) == 1:
            self.text = self.text.replace("in grid(n)", "in 0..n")

    def pick(self, *options):
        return self.random.choice(options)

    def step(self, at: int, element: str) -> str:
        value = element if element.startswith("S") else f"cast({element}, {self.dtype})"
        for _ in range(self.pick(0, 0, 1, 2)):
            value = self.pick(
                f"max({value}, 3)", f"({value} % 9)", f"select(i < 2, {value}, 5)", f"({value} * 3)",
                f"({value} + 2)", f"min({value}, 60)",
            )  # fmt: skip
        terms = self.pick((f"S[{at}]", value), (value, f"S[{at}]"))
        modulus = self.pick(*[one for one in MODULI if one <= self.limits.max])
        condition = self.pick("", "", "", "", "", f"if i > {self.pick(0, 1)} ")
        step = f"S[{at}] = ({' + '.join(terms)}) % {modulus};"
        return f"{condition}{{ {step} }}" if condition else step

    def arguments(self, n: int, m: int) -> list[object]:
        rng = np.random.default_rng(self.random.randrange(1 << 30))
        if self.values == "bool":
            x = rng.random(n) < 0.5
        else:
            some = np.iinfo(self.values)
            low, high = self.pick((some.min, some.max), (0, min(200, some.max)), (some.max - 2, some.max))
            x = rng.integers(low, high, n, dtype=self.values, endpoint=True)
        small = [0, 1, 5, 100 % self.limits.max]
        starts = self.pick(small, small, [self.limits.max, self.limits.min, self.limits.max // 2])
        s = np.array([self.pick(*starts) for _ in range(3)], self.dtype)
        return [x, s, np.zeros(n, self.dtype), np.zeros(m, bool)]


@pytest.mark.parametrize("start", range(0, 400, 50))
def test_TIR_21_random_remainders_of_sums(start: int) -> None:
    for seed in range(start, start + 50):
        sums = Sums(seed)
        func = prim_func(sums.text)
        if not any(found.severity == "error" for found in check_prim_func(func)):
            for n, m in ((0, 2), (1, 1), (4, 0), (5, 3), (30, 2)):
                assert_same_outcome(func, sums.arguments(n, m))


def test_random_remainders_are_worth_running() -> None:
    """Many are running sums, and many are not."""
    funcs = [prim_func(Sums(seed).text) for seed in range(120)]
    right = [func for func in funcs if not any(one.severity == "error" for one in check_prim_func(func))]
    sums = [not compile_prim_func(func).stays_sequential for func in right]
    assert len(right) > 60
    assert 20 < sum(sums) < len(right) - 20


CHECKSUM = (
    "prim_func @f(X: Buffer[(n,), DTYPE], S: Buffer[(2,), int64]) { for i in 0..n {"
    " S[0] = (S[0] + cast(X[i], int64)) % 65521; S[1] = (S[0] + S[1]) % 65521; } }"
)


@pytest.mark.parametrize("dtype", ["uint8", "int8", "bool"])
def test_TIR_21_a_checksum_is_two_running_sums(dtype: str) -> None:
    func = checked(CHECKSUM.replace("DTYPE", dtype))
    compiled = compile_prim_func(func)
    assert not compiled.stays_sequential
    assert "for i" not in compiled.source.split("def f(")[1].replace("loop over", "")
    values = np.random.default_rng(2).integers(0, 2 if dtype == "bool" else 100, 3000).astype(dtype)
    for start in ([1, 0], [-5, 1 << 50], [70000, -(1 << 59)], [(1 << 63) - 1, 3], [-(1 << 63), 0]):
        assert_same_outcome(func, [values[:40], np.array(start)])
    whole = np.array([1, 0])
    compiled.run(values, whole)
    a, b = 1, 0
    for value in values.tolist():
        a = (a + int(value)) % 65521
        b = (b + a) % 65521
    assert whole.tolist() == [a, b]


@pytest.mark.parametrize(
    "step",
    [
        "S[0] = (S[0] + X[i]) % 7;",  # any int64 may be added
        "S[0] = (S[0] + cast(cast(X[i], uint8), int64) * 1048576) % 7;",
        "S[0] = (S[0] - cast(cast(X[i], uint8), int64)) % 7;",
        "S[0] = (S[0] * 2 + cast(cast(X[i], uint8), int64)) % 7;",
        "S[0] = (S[0] + cast(cast(X[i], uint8), int64)) % X[0];",
        "S[0] = (S[0] + S[1]) % 7; S[1] = S[1] * 3;",
    ],
)
def test_TIR_21_other_remainders_stay_sequential(step: str) -> None:
    text = f"prim_func @f(X: Buffer[(n,), int64], S: Buffer[(2,), int64]) {{ for i in 0..n {{ {step} }} }}"
    func = checked(text)
    assert compile_prim_func(func).stays_sequential
    assert_same_outcome(func, [np.array([3, (1 << 63) - 1, -(1 << 63), 9, -4]), np.array([5, 6])])


@pytest.mark.parametrize(
    ("body", "running_sums"),
    [
        ("S[0] = (S[0] + cast(X[i], int64)) % 65521;", 0),
        ("S[0] = (cast(X[i], int64) * 3 + S[0]) % 7; Y[i] = X[i];", 0),
        ("S[0] = (S[0] + cast(X[i], int64)) % 65521; S[1] = (S[1] + S[0]) % 65521;", 1),
        ("S[0] = (S[0] + 200) % 251; Y[i] = cast(S[0], uint8);", 1),
    ],
)
def test_TIR_21_what_nothing_reads_on_the_way_is_one_sum(body: str, running_sums: int) -> None:
    func = checked(
        f"prim_func @f(X: Buffer[(n,), uint8], Y: Buffer[(n,), uint8], S: Buffer[(2,), int64]) "
        f"{{ for i in 0..n {{ {body} }} }}"
    )
    compiled = compile_prim_func(func)
    assert not compiled.stays_sequential
    code = compiled.source.split("@np.errstate")[-1]
    assert code.count("running(") + code.count("accumulate(") == running_sums
    rng = np.random.default_rng(12)
    for n in (0, 1, 2, 300):
        for start in (0, 70000, -5, 1 << 62, -(1 << 62)):
            args = [rng.integers(0, 256, n).astype(np.uint8), np.zeros(n, np.uint8), np.array([start, 3])]
            assert_same_outcome(func, args)
