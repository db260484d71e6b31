"""Proofs by remainders: what holds for every remainder of a size holds for the size. [D.13]"""

from __future__ import annotations

from random import Random

import pytest

from relax_lang.arith.evaluate import evaluate
from relax_lang.arith.facts import Facts
from relax_lang.arith.prover import DIFFERENT, EQUAL, UNKNOWN, compare, prove
from tests.arith.support import dim


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("v * (v + 1) % 2", "0"),
        ("n // 3 + (n + 1) // 3 + (n + 2) // 3", "n"),
        ("n // 2 + (n + 1) // 2", "n"),
        ("n * n * n % 3", "n % 3"),
        ("n * n % 4", "n % 2"),
        ("(2 * n + 1) * (2 * n + 1) % 8", "1"),
        ("n * (n + 1) // 2 * 2", "n * (n + 1)"),
        ("n * m * (n + m) % 2", "0"),
        ("n * (n + 1) * (n + 2) % 6", "0"),
        ("n % 2 * m % 2", "n * m % 2"),
    ],
)
def test_D_13_equal_for_every_remainder(a: str, b: str) -> None:
    assert compare(dim(a), dim(b)) == EQUAL


@pytest.mark.parametrize(
    ("a", "b"), [("(n * n + 1) % 3", "0"), ("n * n % 4", "2"), ("n * n * n % 9", "3 * m % 9 + 2")]
)
def test_D_13_different_for_every_remainder(a: str, b: str) -> None:
    assert compare(dim(a), dim(b)) in (DIFFERENT, UNKNOWN)
    if "m" not in b:
        assert compare(dim(a), dim(b)) == DIFFERENT


@pytest.mark.parametrize(
    ("a", "b"), [("n // 4", "m // 4"), ("n * n % 5", "n % 5"), ("n // 1000", "m // 999")]
)
def test_D_13_what_does_not_hold_for_all_is_not_known(a: str, b: str) -> None:
    assert compare(dim(a), dim(b)) == UNKNOWN


def test_D_13_of_signed_names_nothing_is_split() -> None:
    assert compare(dim("n * (n + 1) % 2"), dim("0"), Facts(signed=None)) in (EQUAL, UNKNOWN)
    assert prove(dim("n * (n + 1) % 2 == 1"), Facts(signed=None)) in (False, None)


def test_D_13_random_polynomials_under_remainders() -> None:
    random = Random(7)
    decided = 0
    for _ in range(120):
        degree = random.randint(1, 3)
        number = random.choice((2, 3, 4, 6))
        powers = [
            f"{random.randint(0, 5)} * {' * '.join(['n'] * power) or '1'}" for power in range(degree + 1)
        ]
        a = f"({' + '.join(powers)}) % {number}"
        b = random.choice(
            (str(random.randrange(number)), f"n % {number}", f"(n + {random.randint(1, 4)}) // {number} % 2")
        )
        answer = compare(dim(a), dim(b))
        equal = {evaluate(dim(a), {"n": n}) == evaluate(dim(b), {"n": n}) for n in range(40)}
        assert answer != EQUAL or equal == {True}, (a, b)
        assert answer != DIFFERENT or equal == {False}, (a, b)
        decided += answer != UNKNOWN
    assert decided > 20
