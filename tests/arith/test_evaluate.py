"""Values of dimension expressions, against Python; polynomials, against values at random points."""

from __future__ import annotations

import random

import pytest

from relax_lang.arith.evaluate import DimensionError, evaluate, names_in
from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.syntax import tree
from relax_lang.syntax.parser import parse


def dim(text: str) -> tree.PrimExpr:
    """Parse one dimension."""
    parsed = parse(f"Shape[({text},)]", "struct_info")
    assert not parsed.diagnostics
    info = parsed.tree
    assert isinstance(info, tree.ShapeStructInfo)
    assert info.values is not None
    return info.values[0]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("n + 2 * m - 1", 14), ("-n", -7), ("n / -2", -3), ("-n / 2", -3), ("-n // 2", -4), ("n % -4", -1),
        ("-n % 4", 1), ("min(n, m)", 4), ("max(n, m)", 7), ("select(n > m, n, m)", 7), ("select(n == m, 1, 2)", 2),
        ("n < m", False), ("n >= 7 && m <= 4", True), ("n != 7 || m == 4", True), ("!(n < m)", True), ("true", True),
        ("9223372036854775807 + n - 6", -9223372036854775808), ("n * 4611686018427387904", -4611686018427387904),
    ],
)  # fmt: skip
def test_G_3_to_G_8_values(text: str, value: int) -> None:
    found = evaluate(dim(text), {"n": 7, "m": 4})
    assert found == value
    assert type(found) is type(value)


@pytest.mark.parametrize("text", ["n // (m - 4)", "n % 0", "1 / (n - 7)", "select(n > 0, 1, n // 0)"])
def test_G_4_division_by_zero(text: str) -> None:
    with pytest.raises(DimensionError) as caught:
        evaluate(dim(text), {"n": 7, "m": 4})
    assert caught.value.kind == "division-by-zero"


def test_and_or_stop_early() -> None:
    assert evaluate(dim("n > 0 || 1 // 0 > 0"), {"n": 1}) is True
    assert evaluate(dim("n < 0 && 1 // 0 > 0"), {"n": 1}) is False


def test_unbound_names() -> None:
    with pytest.raises(DimensionError) as caught:
        evaluate(dim("n + q * 2"), {"n": 7})
    assert (caught.value.kind, caught.value.name) == ("unbound", "q")
    assert isinstance(caught.value.node, tree.PrimVar)


def test_what_is_no_dimension() -> None:
    with pytest.raises(DimensionError) as caught:
        evaluate(tree.PrimCall("exp", (tree.PrimVar("n"),)), {"n": 7})
    assert caught.value.kind == "not-a-dimension"


def test_names_in_order() -> None:
    assert [use.name for use in names_in(dim("m * n + m // k"))] == ["m", "n", "m", "k"]


def random_polynomial(rng: random.Random, depth: int) -> Polynomial:
    if depth == 0:
        return rng.choice([Polynomial.constant(rng.randint(-3, 3)), Polynomial.name(rng.choice("nmi"))])
    a, b = random_polynomial(rng, depth - 1), random_polynomial(rng, depth - 1)
    return rng.choice([a + b, a - b, a * b, -a])


def at(polynomial: Polynomial, env: dict[str, int]) -> int:
    return eval(str(polynomial), {}, dict(env))


def test_polynomials_are_what_they_print() -> None:
    rng = random.Random(1)
    for _ in range(300):
        p, q = random_polynomial(rng, 3), random_polynomial(rng, 2)
        env = {name: rng.randint(-5, 5) for name in "nmi"}
        assert at(p + q, env) == at(p, env) + at(q, env)
        assert at(p - q, env) == at(p, env) - at(q, env)
        assert at(p * q, env) == at(p, env) * at(q, env)
        factor = p.coefficient("i")
        if factor is not None:
            assert at(factor * Polynomial.name("i") + p.without({"i"}), env) == at(p, env)
        assert (p - p).value == 0
        assert p + q == q + p


def test_polynomial_facts() -> None:
    n, i = Polynomial.name("n"), Polynomial.name("i")
    assert str(n * 2 - i + 3) == "2 * n - i + 3"
    assert (n * n).coefficient("n") is None
    assert (n + 3 - n).value == 3
    assert n.value is None
    assert (n * 2 + 1).is_nonnegative({"n"}.__contains__)
    assert not (n - 1).is_nonnegative({"n"}.__contains__)
    assert not i.is_nonnegative({"n"}.__contains__)
    assert (i * i + n).is_nonnegative({"n"}.__contains__)
    assert (n * i).names() == {"n", "i"}
