"""What the prover is able to show: tables of examples. That it is never wrong is in test_brute_force."""

from __future__ import annotations

import pytest

from relax_lang.arith.facts import NO_FACTS, Facts
from relax_lang.arith.prover import DIFFERENT, EQUAL, UNKNOWN, bounds, compare, prove
from relax_lang.syntax import tree
from tests.arith.support import condition, dim, facts

ALWAYS_EQUAL = [
    ("n", "n"), ("n + 1", "1 + n"), ("n * 2", "n + n"), ("n * m", "m * n"), ("(n + 1) * 2", "n * 2 + 2"),
    ("n - n", "0"), ("-(n - m)", "m - n"), ("(n + m) * (n - m)", "n * n - m * m"), ("3 * 4", "12"),
    ("n * 2 // 2", "n"), ("3 * n // 3", "n"), ("(3 * n + 2) // 3", "n"), ("n // 1", "n"), ("n % 1", "0"),
    ("(n + 4 * m) % 4", "n % 4"), ("(n + 4 * m) // 4", "n // 4 + m"), ("n // 4 * 4 + n % 4", "n"),
    ("n // 2 // 3", "n // 6"), ("(n // 2 + m) // 3", "(n + 2 * m) // 6"), ("n % 4 // 2", "n // 2 % 2"),
    ("(2 * n + 1) // 4", "n // 2"), ("(4 * n + 6) // 2", "2 * n + 3"), ("n // -2", "-n // 2"),
    ("n % 6 % 3", "n % 3"),
    ("(n + 3) // 4", "(n - 1) // 4 + 1"), ("(n + 4 - 1) // 4 * 4 - n", "-n % 4"), ("n % 4 // 4", "0"),
    ("n % 4 // 2 // 3", "n % 4 // 6"),
    ("n % 3 % 5", "n % 3"),
    ("n // m // k", "n // (m * k)"), ("n - n // m * m", "n % m"), ("(n * m + k) // m", "n + k // m"),
    ("(n * m + 1) % m", "1 % m"), ("0 * (n // m)", "0"), ("n / 2", "n // 2"), ("-n / 2", "-(n // 2)"),
    ("n / -2", "-(n / 2)"),
    ("(n - m) / 1", "n - m"), ("(2 * n - 2 * m) / 4", "(n - m) / 2"), ("(m - n) / 2", "-((n - m) / 2)"),
    ("min(n, n)", "n"), ("min(n, m)", "min(m, n)"), ("max(n, 0)", "n"), ("min(n, 0)", "0"),
    ("min(n, n + 3)", "n"),
    ("min(min(n, m), k)", "min(n, min(k, m))"), ("min(n + 1, m + 1)", "min(n, m) + 1"),
    ("min(2 * n, 6)", "2 * min(n, 3)"),
    ("-max(-n, -m)", "min(n, m)"), ("min(n, m) + max(n, m)", "n + m"), ("min(n, max(n, m))", "n"),
    ("max(min(n, 4), 2)", "min(max(n, 2), 4)"), ("max(n // 2, n)", "n"), ("min(n, 2 * n)", "n"),
    ("max(n % 4, 3)", "3"),
    ("min(n, m) * 2 // 2", "min(m, n)"), ("max(n - m, 0) + min(n, m)", "n"),
    ("select(n >= 0, n, m)", "n"), ("select(n < 0, n, m)", "m"), ("select(n > m, n, n)", "n"),
    ("select(n < m, n, m)", "min(n, m)"), ("select(n > m, n, m)", "max(m, n)"), ("select(n == m, n, m)", "m"),
    ("select(n > 3, n + 1, m + 1)", "select(n <= 3, m, n) + 1"), ("select(n == 0, 1, n)", "max(n, 1)"),
    ("select(n > 0, 6 * n // n, 6)", "6"), ("select(n > m && m > n, 1, 2)", "2"),
    ("select(n % 2 == 0, n, n + 1)", "(n + 1) // 2 * 2"),
    ("n * 0", "m * 0"),
]  # fmt: skip

NEVER_EQUAL = [
    ("n", "n + 1"), ("2", "4"), ("2 * n", "2 * m + 1"), ("n * m + 1", "0"), ("4 * n + 6 * m", "8 * k + 1"),
    ("n", "-1"),
    ("n * n", "n - 1"), ("n % 4", "4"), ("n % 4", "-1"), ("min(n, 3)", "4"), ("max(n, 3)", "m % 3"),
    ("n // 2", "n + 1"),
    ("n // 2 * 2 + 1", "m * 2"), ("(n + 3) // 4 * 4", "n + 4"), ("min(n, m)", "n + m + 1"),
    ("select(n > 3, n, 5)", "2"),
    ("(n - m) / 2 * 2 + 1", "0"), ("2 * (n // m)", "1"), ("n + n % 2", "2 * m + 1"),
    ("max(n, m)", "min(n, m) - 1"),
    ("n * (n + 1) + 1", "0"), ("6 * n // 4 * 2", "2 * k + 1"),
]  # fmt: skip

UNDECIDED = [
    ("n", "m"), ("n * n", "n"), ("n", "3"), ("n * m", "n"), ("2 * n", "3 * m"), ("n // 2", "n"),
    ("min(n, m)", "n"), ("max(n, 1)", "n"),
    ("6 * n // n", "6"), ("n // n", "1"), ("n % n", "0"), ("n / 2 * 2", "n"),
    ("(n - m) / 2", "(n - m) // 2"), ("select(n > 3, n, m)", "n"),
    ("n * m // m", "n"), ("max(n - 5, 0)", "n - 5"), ("n ", "2 * (n // 2)"), ("n * n", "4"),
]  # fmt: skip


@pytest.mark.parametrize(("a", "b"), ALWAYS_EQUAL)
def test_D_13_equal(a: str, b: str) -> None:
    assert compare(dim(a), dim(b)) == EQUAL
    assert prove(tree.EQ(dim(a), dim(b))) is True
    assert prove(tree.NE(dim(b), dim(a))) is False


@pytest.mark.parametrize(("a", "b"), NEVER_EQUAL)
def test_D_13_different(a: str, b: str) -> None:
    assert compare(dim(a), dim(b)) == DIFFERENT
    assert prove(tree.NE(dim(a), dim(b))) is True
    assert prove(tree.EQ(dim(b), dim(a))) is False


@pytest.mark.parametrize(("a", "b"), UNDECIDED)
def test_D_13_undecided(a: str, b: str) -> None:
    assert compare(dim(a), dim(b)) == UNKNOWN
    assert prove(tree.EQ(dim(a), dim(b))) is None


@pytest.mark.parametrize(
    ("given", "a", "b", "answer"),
    [
        (["n >= 1"], "6 * n // n", "6", EQUAL), (["n != 0"], "n * m // n", "m", EQUAL),
        (["n > 0"], "n % n", "0", EQUAL),
        (["n * m >= 1"], "n * m // n", "m", EQUAL), (["n >= 5"], "max(n - 5, 0)", "n - 5", EQUAL),
        (["n < m"], "n // m", "0", EQUAL),
        (["n < m"], "n % m", "n", EQUAL), (["n == m"], "n * 2", "m + n", EQUAL),
        (["n == 2 * m"], "n // 2", "m", EQUAL),
        (["n % 4 == 0"], "n // 4 * 4", "n", EQUAL), (["n % 4 == 0"], "n % 2", "0", EQUAL),
        (["n % 4 == 0"], "(n + 3) // 4", "n // 4", EQUAL),
        (["n % 2 == 1"], "n", "2 * m", DIFFERENT), (["n % 2 != 0"], "n", "2 * m", DIFFERENT),
        (["n // 4 == 3"], "n", "17", DIFFERENT),
        (["n < m"], "n", "m", DIFFERENT), (["n < m", "m < k"], "n", "k", DIFFERENT),
        (["n <= m", "m <= k"], "n", "k + 1", DIFFERENT),
        (["n <= m", "m <= n"], "n", "m", EQUAL), (["n <= m"], "min(n, m)", "n", EQUAL),
        (["n >= m"], "max(n, m) - n", "0", EQUAL),
        (["min(n, m) == n"], "max(n, m)", "m", EQUAL), (["n != m"], "n", "m", DIFFERENT),
        (["n + 1 != m"], "m - n", "1", DIFFERENT),
        (["n != m", "m >= n"], "m", "0", DIFFERENT), (["n == m || n == m + 1"], "n - m", "2", DIFFERENT),
        (["n == 3 || n == 5", "n != 3"], "n", "5", EQUAL), (["n > 2 && n < 4"], "n", "3", EQUAL),
        (["!(n < 4 || m == 0)"], "m * n // m", "n", EQUAL),
        (["n <= 0"], "n * m", "0", EQUAL), (["n == m * k", "m == 2", "k == 3"], "n", "6", EQUAL),
        (["2 * n == 3 * m"], "4 * n", "6 * m", EQUAL),
        (["n == m + 1"], "n", "0", DIFFERENT), (["n >= 1", "m >= 1"], "n * m", "0", DIFFERENT),
        (["k == n // 2", "n == 8"], "k", "4", EQUAL),
        (["n == 8"], "m // n", "m // 8", EQUAL), (["n >= 2"], "n * n", "n", DIFFERENT),
        (["n < m"], "m", "k", UNKNOWN), (["n >= 1"], "n", "m", UNKNOWN), (["n == 2 * m"], "k", "m", UNKNOWN),
    ],
)  # fmt: skip
def test_D_13_facts(given: list[str], a: str, b: str, answer: str) -> None:
    assert compare(dim(a), dim(b), facts(*given)) == answer
    assert compare(dim(a), dim(b), facts(*reversed(given))) == answer
    if answer != UNKNOWN:
        assert compare(dim(a), dim(b)) == UNKNOWN


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("n >= 0", True), ("n < 0", False), ("n > 0", None), ("n * n >= n", True), ("n % 4 < 4", True),
        ("n % 4 >= 4", False),
        ("n // 2 <= n", True), ("n // m <= n", True), ("(n + 3) // 4 * 4 >= n", True),
        ("(n + 3) // 4 * 4 - n <= 3", True),
        ("min(n, m) <= max(n, m)", True), ("min(n, m) > n", False), ("n < m || n >= m", True),
        ("n < 3 || n > 1", True),
        ("n < m && m < n", False), ("n < m && m < k && k <= n", False), ("!(n == m) || n - m == 0", True),
        ("n == m", None), ("true", True), ("!true", False),
        ("n < m", None), ("select(n > 3, n, 4) >= 4", True), ("n * m >= 0", True), ("n - m >= 0", None),
        ("n == 1 || n * n != 1", True), ("n == 2 || n * n != 4", None),
        ("2 * n < 2 * m + 1 || n > m", True), ("n > 2 && n * 2 < 5", False), ("n / 2 <= n", True),
        ("n // m % 2 < 2", True),
        ("(n - m) / 2 <= max(n, m)", True),
    ],
)  # fmt: skip
def test_D_13_prove(text: str, answer: bool | None) -> None:
    assert prove(condition(text)) is answer


@pytest.mark.parametrize(
    ("text", "given", "limits"),
    [
        ("n", [], (0, None)), ("n", ["n >= 3", "n < 9"], (3, 8)), ("n % 4", [], (0, 3)),
        ("n // 4", ["n <= 9"], (0, 2)),
        ("min(n, 7) + 1", [], (1, 8)), ("n - n // 2", [], (0, None)), ("n - m", [], (None, None)),
        ("n - m", ["n > m"], (1, None)),
        ("(n + 3) // 4 * 4 - n", [], (0, 3)), ("n * m", ["n <= 3", "m <= 4"], (0, 12)), ("5", [], (5, 5)),
        ("n * n - n", [], (0, None)),
        ("select(n > 2, 10, 20)", [], (10, 20)), ("max(n, 3)", [], (3, None)),
        ("2 * n + 1", ["n <= m", "m <= 4"], (1, 9)),
        ("n % 4 + m % 3", [], (0, 5)), ("7 - n", [], (None, 7)), ("n // m", [], (0, None)),
    ],
)  # fmt: skip
def test_D_13_bounds(text: str, given: list[str], limits: tuple[int | None, int | None]) -> None:
    assert bounds(dim(text), facts(*given)) == limits


def test_D_13_names_may_be_signed() -> None:
    integers = Facts(signed=None)
    assert compare(dim("max(n, 0)"), dim("n"), integers) == UNKNOWN
    assert prove(condition("i >= 0"), Facts(signed=("i",))) is None
    assert prove(condition("n >= 0"), Facts(signed=("i",))) is True
    assert prove(condition("i * i >= i"), integers) is True
    assert prove(condition("4 * i * i * i >= i"), integers) is None
    assert compare(dim("i // 4 * 4 + i % 4"), dim("i"), integers) == EQUAL
    assert compare(dim("i / 2"), dim("i // 2"), integers) == UNKNOWN
    assert compare(dim("i / 2"), dim("i // 2"), integers.with_(condition("i > 3"))) == EQUAL


def test_V_9_sizes_are_facts() -> None:
    given = NO_FACTS.with_sizes([dim("n"), dim("4"), dim("n - 5")])
    assert bounds(dim("n"), given) == (5, None)
    assert compare(dim("max(n - 5, 0)"), dim("n - 5"), given) == EQUAL
    assert bounds(dim("i"), Facts(signed=("i",)).with_sizes([dim("i")])) == (0, None)


def test_D_13_equal_dimensions_are_facts() -> None:
    given = NO_FACTS.with_equal(dim("n * 2"), dim("m + 2"))
    assert compare(dim("m"), dim("2 * n - 2"), given) == EQUAL
    assert compare(dim("n"), dim("0"), given) == DIFFERENT


def test_D_13_facts_are_values() -> None:
    given = facts("n > 3")
    more = given.with_(condition("n < 5"))
    assert compare(dim("n"), dim("4"), more) == EQUAL
    assert compare(dim("n"), dim("4"), given) == UNKNOWN
    assert compare(dim("n"), dim("4"), given.with_(condition("n < 5"), truth=False)) == DIFFERENT
    assert len(more.conditions) == 2


@pytest.mark.parametrize(
    "given",
    [
        ["n < 0"], ["n > 3", "n < 3"], ["n == m", "n < m"], ["2 * n == 2 * m + 1"], ["n == 3", "n == 4"],
        ["n < m", "m < k", "k < n"], ["n % 2 == 0", "n % 2 == 1"], ["n == 1 || n == 2", "n > 2"],
        ["min(n, m) > n"], ["!true"],
    ],
)  # fmt: skip
def test_D_13_impossible_facts_answer_nothing(given: list[str]) -> None:
    assert facts(*given).impossible
    assert compare(dim("a"), dim("a + 1"), facts(*given)) == UNKNOWN
    assert prove(condition("a > b"), facts(*given)) is None
    assert bounds(dim("a + 1"), facts(*given)) == (None, None)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("n + 9223372036854775807 + 1", "n"), ("n * 4611686018427387904 * 4", "0"),
        ("9223372036854775807 + 1", "0"),
        ("*".join([f"(x{i} + 1)" for i in range(40)]), "0"), ("n" + " // m" * 300, "n + 1"),
    ],
)  # fmt: skip
def test_D_13_too_large_is_undecided(a: str, b: str) -> None:
    assert compare(dim(a), dim(b)) == UNKNOWN
    assert compare(dim(a), dim(a)) == EQUAL
    assert bounds(dim(a)) == (None, None)
    assert prove(tree.GE(dim(a), dim(b))) is None


def test_D_13_what_is_no_dimension_is_undecided() -> None:
    load = tree.BufferLoad(tree.PrimVar("X"), (tree.IntImm(0),))
    for odd in (load, tree.PrimCall("exp", (tree.PrimVar("n"),)), tree.FloatImm(1.5), condition("n < m")):
        assert compare(odd, tree.IntImm(1)) == UNKNOWN
        assert bounds(tree.Add(odd, tree.IntImm(1))) == (None, None)
        assert prove(tree.GE(odd, odd)) is None
        assert NO_FACTS.with_(tree.GE(odd, tree.IntImm(1))) is NO_FACTS
    assert compare(load, tree.BufferLoad(tree.PrimVar("X"), (tree.IntImm(0),))) == UNKNOWN
    assert prove(dim("n")) is None


def test_D_13_odd_names_are_names() -> None:
    odd, plain = tree.PrimVar("n // 2"), dim("n // 2")
    assert compare(odd, plain) == UNKNOWN
    assert compare(tree.Add(odd, tree.IntImm(1)), tree.Add(tree.IntImm(1), odd)) == EQUAL
    assert compare(tree.PrimVar("(n // 2)"), plain) == UNKNOWN
    assert compare(tree.PrimVar("((n) // (2))"), plain) == UNKNOWN
    assert bounds(odd, NO_FACTS.with_(tree.GE(odd, tree.IntImm(2)))) == (2, None)


def test_D_13_division_by_zero_has_no_value() -> None:
    assert compare(dim("n // 0"), dim("1")) == UNKNOWN
    assert compare(dim("n // (m - m)"), dim("n // 0")) == EQUAL
    assert prove(condition("n / 0 > 1")) is None


def test_D_13_long_sums() -> None:
    forward = " + ".join([f"x{i} * {i + 1}" for i in range(200)])
    backward = " + ".join([f"{i + 1} * x{i}" for i in reversed(range(200))])
    assert compare(dim(forward), dim(backward)) == EQUAL
    assert compare(dim(forward), dim(backward + " + 1")) == DIFFERENT
    assert compare(dim(forward), dim(backward + " + y")) == UNKNOWN
    assert compare(dim(" + ".join(["n"] * 5000)), dim("n * 5000")) == EQUAL
