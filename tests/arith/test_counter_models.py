"""The values that a message shows where two dimensions may differ."""

from __future__ import annotations

import pytest

from relax_lang.arith.counter_models import counterexample, division_by_zero
from relax_lang.arith.evaluate import evaluate
from relax_lang.arith.facts import NO_FACTS, Facts
from tests.arith.support import condition, dim, facts


@pytest.mark.parametrize(
    ("a", "b", "given", "differ"),
    [
        ("n", "m", [], {"n": 1, "m": 2}), ("n * n", "n", [], {"n": 2}),
        ("n", "3", [], {"n": 1}),
        ("n + 1", "n", [], {"n": 1}), ("n", "n", [], None),
        ("6 * n // n", "6", [], None),
        ("n", "m", ["n >= 100"], {"n": 100, "m": 1}),
        ("n", "m", ["n < m"], {"n": 1, "m": 2}),
        ("max(n - 5, 0)", "n - 5", [], {"n": 1}),
        ("n - 3", "m", [], {"n": 3, "m": 1}),
        ("k", "n", ["n == 64 * m", "k == 2 * n"], {"k": 128, "n": 64, "m": 1}),
        ("n // 4", "n", ["n % 4 == 0"], {"n": 4}),
        ("n", "0", ["n <= 0"], None), ("n // 0", "n", [], None),
        ("n", "1 - k", ["n == m - 5"], {"n": 1, "k": 1, "m": 6}), ("2", "3", [], {}),
        ("n", "m", ["n == m"], None),
    ],
)  # fmt: skip
def test_D_13_examples(a: str, b: str, given: list[str], differ: dict[str, int] | None) -> None:
    assert counterexample(dim(a), dim(b), facts(*given)) == differ


def test_D_13_examples_of_signed_names() -> None:
    found = counterexample(dim("max(i, 0)"), dim("i"), Facts(signed=("i",)))
    assert found is not None
    assert found["i"] < 0


def test_D_13_examples_of_many_names() -> None:
    names = [f"x{i}" for i in range(60)]
    found = counterexample(dim(" + ".join(names)), dim(" + ".join(names[1:]) + " + y"))
    assert found is not None
    assert found["x0"] != found["y"]


def test_D_13_other_facts_do_not_matter() -> None:
    given = NO_FACTS
    for i in range(40):
        given = given.with_(condition(f"y{i} == z{i} * 3 + 1"))
    assert counterexample(dim("n"), dim("m"), given) == {"n": 1, "m": 2}


def test_D_13_examples_fulfil_facts_that_are_too_large_for_proofs() -> None:
    given = facts("n * 9223372036854775807 * 2 == -2")  # wraps around: true for n = 1 and few others
    assert counterexample(dim("n"), dim("7"), given) == {"n": 1}
    assert counterexample(dim("n"), dim("1"), given) is None


def test_D_13_examples_fulfil_facts_on_connected_names() -> None:
    given = facts("n == m + k", "k >= 7", "m > k")
    found = counterexample(dim("n"), dim("15 + 0 * m"), given)
    assert found is not None
    assert evaluate(condition("n - m >= 7 && m > n - m"), found)


@pytest.mark.parametrize(
    ("dims", "given", "zero"),
    [
        (("n * m // m", "n"), (), {"m": 0}),
        (("n % (m - 2)",), (), {"m": 2}),
        (("n * m // m",), ("m > 0",), None),
        (("n * (m + 1) // (m + 1)",), (), None),
        (("n // 4", "n"), (), None),
        (("n * m // m",), ("n * m // m >= 0",), {"m": 0}),
    ],
)
def test_D_13_a_division_by_zero_is_found(
    dims: tuple[str, ...], given: tuple[str, ...], zero: dict[str, int] | None
) -> None:
    assert division_by_zero(tuple(dim(each) for each in dims), facts(*given)) == zero
