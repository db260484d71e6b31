"""Names in dimensions, and what is put in their place."""

from __future__ import annotations

from random import Random

import pytest

from relax_lang.arith.substitute import free_variables, substitute
from relax_lang.base.node import same
from relax_lang.format.printer import show
from relax_lang.syntax import tree
from tests.arith.support import NAMES, SIZES, Expressions, condition, dim, value


@pytest.mark.parametrize(
    ("text", "mapping", "result"),
    [
        ("n * 2", {"n": "2"}, "2 * 2"), ("a + b", {"a": "b", "b": "a"}, "b + a"), ("a", {"a": "a + 1"}, "a + 1"),
        ("n * m", {"n": "n + m", "m": "k"}, "(n + m) * k"),
        ("min(n, select(n > m, n // 2, m % 3))", {"n": "m", "m": "4"}, "min(m, select(m > 4, m // 2, 4 % 3))"),
        ("-(n - 1)", {"n": "-k"}, "-(-k - 1)"), ("n", {"m": "1"}, "n"),
    ],
)  # fmt: skip
def test_E_14_substitution_is_simultaneous(text: str, mapping: dict[str, str], result: str) -> None:
    assert show(substitute(dim(text), {name: dim(by) for name, by in mapping.items()})) == result


def test_E_14_conditions_and_code_too() -> None:
    put = {"n": dim("m + 1"), "X": dim("n")}
    assert show(substitute(condition("!(n < 3 && n != m)"), put)) == "!(m + 1 < 3 && m + 1 != m)"
    load = tree.BufferLoad(tree.PrimVar("X"), (tree.PrimVar("n"), tree.IntImm(0)))
    assert show(substitute(load, put)) == "X[m + 1, 0]"
    call = tree.PrimCall("exp", (tree.Cast(tree.PrimVar("n"), tree.DType("float32")),))
    assert show(substitute(call, put)) == "exp(cast(m + 1, float32))"


def test_E_14_what_does_not_change_is_shared() -> None:
    expr = dim("n * 2 + m // 3")
    assert substitute(expr, {}) is expr
    assert substitute(expr, {"k": tree.IntImm(1)}) is expr
    changed = substitute(expr, {"n": tree.PrimVar("k")})
    assert isinstance(expr, tree.Add)
    assert isinstance(changed, tree.Add)
    assert changed.b is expr.b
    assert (changed.pos, changed.end) == (expr.pos, expr.end)
    assert same(expr, dim("n * 2 + m // 3"))


def test_E_14_values_are_those_of_what_was_put_in() -> None:
    for seed in range(300):
        made = Expressions(Random(seed))
        expr = made.number(3)
        put = {name: made.number(2) for name in NAMES}
        result = substitute(expr, put)
        for point in SIZES[::9]:
            inner = {name: value(by, point) for name, by in put.items()}
            if None in inner.values():
                continue
            assert value(result, point) == value(expr, inner)  # type: ignore[arg-type]


def test_S_10_names_in_order() -> None:
    assert free_variables(dim("m * n + m // k")) == ("m", "n", "k")
    assert free_variables(dim("select(a > b, 1, c)")) == ("a", "b", "c")
    assert free_variables(dim("4")) == ()
