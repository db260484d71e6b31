"""Normal forms as expressions: how they look, and that they have the normal form that they were made from."""

from __future__ import annotations

from random import Random

import pytest

from relax_lang.arith.facts import NO_FACTS
from relax_lang.arith.normal_form import condition_of, polynomial_of
from relax_lang.arith.printing import condition_expression, expression, simplified
from relax_lang.format.printer import show
from relax_lang.syntax import tree
from tests.arith.support import Expressions, condition, dim, facts


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("1 + n * 2", "n * 2 + 1"), ("2 * n + n", "n * 3"), ("n * m * 2 + n", "m * n * 2 + n"),
        ("1 - n", "1 - n"),
        ("-1 - n", "-n - 1"), ("-2 * n", "-n * 2"), ("-3", "-3"), ("n - n", "0"), ("m - n", "m - n"),
        ("n // 2 + n", "n + n // 2"), ("n - n // 4 * 4", "n % 4"), ("m * (n % 4) + 1", "m * (n % 4) + 1"),
        ("64 - n % 64", "64 - n % 64"), ("n % m", "n % m"), ("n % 4 + 2 * (m % 3)", "m % 3 * 2 + n % 4"),
        ("(n + 3) // 4", "(n + 3) // 4"), ("(m - n) // 4", "(m - n) // 4"), ("6 * n // n", "n * 6 // n"),
        ("(m - n) / 2", "(m - n) / 2"), ("max(0, n - 3)", "max(n - 3, 0)"),
        ("min(k, min(n, m))", "min(min(k, m), n)"),
        ("select(n > 3, m, n)", "select(n <= 3, n, m)"), ("select(n == m, 1, 2)", "select(m == n, 0, 1) + 1"),
        ("n * n * n", "n * n * n"), ("(n + m) * (n - m)", "n * n - m * m"), ("n // m * 2", "n // m * 2"),
    ],
)  # fmt: skip
def test_D_13_shown_dimensions(text: str, shown: str) -> None:
    assert show(simplified(dim(text))) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("n > 3", "n >= 4"), ("3 > n", "n <= 2"), ("n < m", "m > n"), ("n <= m", "m >= n"),
        ("n - m >= 2", "n >= m + 2"),
        ("m == n", "m == n"), ("n != 0", "n != 0"), ("2 * n == 4 * m + 2", "m * 2 + 1 == n"),
        ("n >= 0", "true"),
        ("n < 0", "false"), ("!(n < m)", "n >= m"),
        ("n > 1 && m > 2 || n == m", "m >= 3 && n >= 2 || m == n"),
        ("n >= 1 && n >= 1", "n >= 1"), ("n > 5 || !(n > 5)", "true"), ("n % 4 == 0", "n % 4 == 0"),
        ("n * n <= 3 - m", "n * n + m <= 3"),
    ],
)  # fmt: skip
def test_D_13_shown_conditions(text: str, shown: str) -> None:
    assert show(simplified(condition(text))) == shown


def test_D_13_shown_under_facts() -> None:
    given = facts("n == 2 * m", "k >= 1")
    assert show(simplified(dim("n + 6 * k // k"), given)) == "m * 2 + 6"
    assert show(simplified(condition("n > m"), given)) == "m >= 1"


def test_D_13_odd_names_are_shown() -> None:
    odd = tree.Mul(tree.PrimVar("a b"), tree.IntImm(1))
    assert show(simplified(odd)) == "`a b`"


def test_D_13_what_has_no_normal_form_stays() -> None:
    for expr in (
        tree.FloatImm(1.5),
        tree.BufferLoad(tree.PrimVar("X"), ()),
        dim("n * 9223372036854775807 * 2"),
    ):
        assert simplified(expr) is expr


def test_D_13_round_trip() -> None:
    known = NO_FACTS.known
    for seed in range(1500):
        made = Expressions(Random(seed))
        number = polynomial_of(made.number(4), known)
        assert polynomial_of(expression(number), known) == number, str(number)
        truth = condition_of(made.condition(3), known)
        assert condition_of(condition_expression(truth), known) == truth


def test_D_13_a_case_is_not_shown_as_a_division_by_zero() -> None:
    text = "select(n == 3, n * n // (2 // n), n)"
    assert show(simplified(dim(text))) == text
