"""Laws of arithmetic, which the normal form has to know, on arbitrary expressions."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from relax_lang.arith.facts import NO_FACTS
from relax_lang.arith.normal_form import polynomial_of
from relax_lang.arith.prover import DIFFERENT, EQUAL, UNKNOWN, compare, prove
from relax_lang.syntax import tree
from tests.arith.support import Expressions

numbers = st.builds(
    lambda seed, depth: Expressions(Random(seed)).number(depth), st.integers(0, 1 << 30), st.integers(0, 3)
)
conditions = st.builds(
    lambda seed, depth: Expressions(Random(seed)).condition(depth), st.integers(0, 1 << 30), st.integers(0, 2)
)
positive = st.integers(1, 12).map(tree.IntImm)
laws = settings(max_examples=100, deadline=None)


def equal(a: tree.PrimExpr, b: tree.PrimExpr) -> bool:
    return polynomial_of(a, NO_FACTS.known) == polynomial_of(b, NO_FACTS.known)


@laws
@given(numbers, numbers, numbers)
def test_D_13_ring(a: tree.PrimExpr, b: tree.PrimExpr, c: tree.PrimExpr) -> None:
    assert equal(tree.Add(a, b), tree.Add(b, a))
    assert equal(tree.Mul(a, b), tree.Mul(b, a))
    assert equal(tree.Add(tree.Add(a, b), c), tree.Add(a, tree.Add(b, c)))
    assert equal(tree.Mul(tree.Mul(a, b), c), tree.Mul(a, tree.Mul(b, c)))
    assert equal(tree.Mul(a, tree.Add(b, c)), tree.Add(tree.Mul(a, b), tree.Mul(a, c)))
    assert equal(tree.Sub(a, b), tree.Neg(tree.Sub(b, a)))
    assert equal(tree.Sub(tree.Add(a, b), b), a)


@laws
@given(numbers, numbers, positive, positive)
def test_D_13_division(a: tree.PrimExpr, b: tree.PrimExpr, c: tree.IntImm, d: tree.IntImm) -> None:
    quotient, remainder = tree.FloorDiv(a, c), tree.FloorMod(a, c)
    assert equal(tree.Add(tree.Mul(quotient, c), remainder), a)
    assert equal(tree.FloorDiv(tree.Add(a, tree.Mul(b, c)), c), tree.Add(quotient, b))
    assert equal(tree.FloorMod(tree.Add(a, tree.Mul(b, c)), c), remainder)
    assert equal(tree.FloorDiv(tree.Mul(a, c), c), a)
    assert equal(tree.FloorMod(remainder, c), remainder)
    assert equal(tree.FloorDiv(tree.Mul(a, d), tree.Mul(c, d)), quotient)
    # What is within `a` may hide the following; see test_prover for what is always found.
    assert compare(tree.FloorDiv(quotient, d), tree.FloorDiv(a, tree.Mul(c, d))) != DIFFERENT
    assert prove(tree.And(tree.GE(remainder, tree.IntImm(0)), tree.LT(remainder, c))) is not False


@laws
@given(numbers, numbers, numbers)
def test_D_13_minimum_and_maximum(a: tree.PrimExpr, b: tree.PrimExpr, c: tree.PrimExpr) -> None:
    smaller, larger = tree.Min(a, b), tree.Max(a, b)
    assert equal(smaller, tree.Min(b, a))
    assert equal(larger, tree.Neg(tree.Min(tree.Neg(a), tree.Neg(b))))
    assert equal(tree.Min(a, a), a)
    assert equal(tree.Min(a, tree.Add(a, tree.IntImm(1))), a)
    more = tree.Min(tree.Add(a, tree.IntImm(3)), tree.Add(b, tree.IntImm(3)))
    assert compare(tree.Add(smaller, tree.IntImm(3)), more) == EQUAL
    # With quotients of choices in it there may be too many cases to look at.
    assert compare(tree.Min(smaller, c), tree.Min(a, tree.Min(b, c))) in (EQUAL, UNKNOWN)
    assert prove(tree.LE(smaller, a)) is True
    assert prove(tree.GE(larger, b)) is True
    assert compare(tree.Add(smaller, larger), tree.Add(a, b)) in (EQUAL, UNKNOWN)


def test_D_13_minimum_is_associative() -> None:
    n, m, k = tree.PrimVar("n"), tree.PrimVar("m"), tree.PrimVar("k")
    for a, b, c in ((n, m, k), (tree.IntImm(3), n, m), (n, tree.Add(m, k), tree.FloorDiv(k, tree.IntImm(2)))):
        assert compare(tree.Min(tree.Min(a, b), c), tree.Min(a, tree.Min(b, c))) == EQUAL


@laws
@given(conditions, numbers, numbers)
def test_D_13_conditions(c: tree.PrimExpr, a: tree.PrimExpr, b: tree.PrimExpr) -> None:
    assert prove(tree.Or(c, tree.Not(c))) is True
    assert prove(tree.And(c, tree.Not(c))) is False
    assert prove(tree.Not(tree.Not(c))) is prove(c)
    assert equal(tree.Select(c, a, b), tree.Select(tree.Not(c), b, a))
    assert equal(tree.Select(c, a, a), a)
    assert prove(tree.Or(tree.LE(a, b), tree.GT(a, b))) is True
    told = NO_FACTS.with_(c)
    if not told.impossible:
        assert prove(c, told) is True
        assert prove(tree.Not(c), told) is False
