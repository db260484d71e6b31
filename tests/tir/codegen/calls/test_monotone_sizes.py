"""Conditions that change in one direction: what holds at both ends of a range of sizes holds within. [TIR.21]"""

from __future__ import annotations

from itertools import product
from random import Random

import pytest

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import Ref
from relax_lang.tir.array_ir.nodes import At, Literal, Scalar, ScalarOp, View
from relax_lang.tir.codegen.calls.monotone_sizes import are_monotone

N, K = Polynomial.name("n"), Polynomial.name("k")
SIZE = ir.Define("n", View(ir.Property(Ref("A"), "shape"), (At(Literal(0)),)))


def monotone(*conditions: Scalar, wanted: list[tuple[str, Scalar]] | None = None, made: Scalar = N) -> bool:
    return are_monotone([SIZE, ir.Require(tuple(conditions))], ["k"], wanted or [], [made])


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        (ScalarOp("<", (Literal(-9), Ref("k"), Literal(1 << 31))), True),
        (ScalarOp("<=", (N * K + 3, Literal(100))), True),
        (ScalarOp(">=", (N, K)), False),
        (ScalarOp("==", (N, Polynomial.constant(4))), True),
        (ScalarOp("==", (N, K)), False),
        (ScalarOp("!=", (N, Polynomial.constant(4))), False),
        (ScalarOp("==", (ScalarOp("%", (N, Literal(2))), Literal(0))), False),
        (ScalarOp("<=", (ScalarOp("//", (N, Literal(2))), Literal(7))), True),
        (ScalarOp("<=", (ScalarOp("//", (N, Literal(-2))), Literal(7))), False),
        (ScalarOp("<=", (ScalarOp("//", (Literal(9), N)), Literal(7))), False),
        (ScalarOp("<=", (ScalarOp("//", (Literal(9), N + 1)), Literal(7))), True),
        (ScalarOp("<=", (ScalarOp("//", (K, N + 1)), Literal(7))), False),
        (ScalarOp("<=", (N * N - N, Literal(7))), False),
        (ScalarOp("<=", ((N - 5) * (N - 5), Literal(7))), False),
        (ScalarOp("<=", (Polynomial.name("other"), Literal(7))), False),
        (ScalarOp("or", (ScalarOp("<=", (N, Literal(3))), ScalarOp(">=", (N, Literal(9))))), False),
        (ScalarOp("or", (ScalarOp("<=", (N, Literal(3))), ScalarOp(">=", (K, Literal(0))))), True),
        (ScalarOp("or", (ScalarOp("<=", (N, Literal(3))), ScalarOp(">=", (K - 2, Literal(0))))), False),
        (ScalarOp("not", (ScalarOp("<=", (N, Literal(3))),)), False),
    ],
)
def test_conditions(condition: Scalar, expected: bool) -> None:
    assert monotone(condition) is expected


def test_what_is_defined_is_followed() -> None:
    rows = ScalarOp("max", (Literal(1), ScalarOp("min", (Literal(4), ScalarOp("//", (Literal(64), N + 1))))))
    defined = [SIZE, ir.Define("rows", rows)]
    assert are_monotone(defined, [], [("rows", Polynomial.constant(4))], [Polynomial.name("rows")])
    assert not are_monotone(defined, [], [("rows", N)][:0], [Polynomial.name("rows") * N])
    assert not are_monotone([*defined, ir.Evaluate(Ref("rows"))], [], [], [])
    assert not monotone(made=Polynomial.name("other"))


def _drawn(draw: Random, depth: int) -> Scalar:
    if depth == 0:
        return draw.choice([N, K, Polynomial.constant(draw.randint(-3, 6)), Literal(draw.randint(-3, 6))])
    kind = draw.choice(["min", "max", "//", "+", "polynomial"])
    if kind == "polynomial":
        a, b = [draw.choice([N, K, N + 1, K - 2, N * K]) for _ in range(2)]
        return draw.choice([a + b, a * b, a - b, a * -2])
    return ScalarOp(kind, (_drawn(draw, depth - 1), _drawn(draw, depth - 1)))


def _value(expr: Scalar, n: int, k: int) -> int:
    match expr:
        case Polynomial():
            known = {"n": n, "k": k}
            total = 0
            for names, factor in expr.terms.items():
                term = factor
                for name in names:
                    term *= known[name]
                total += term
            return total
        case Literal(int(value)):
            return value
        case ScalarOp(op, (a, b)):
            x, y = _value(a, n, k), _value(b, n, k)  # pyright: ignore[reportArgumentType]
            return {"min": min, "max": max, "//": _quotient, "+": int.__add__}[op](x, y)
        case _:
            raise AssertionError(expr)


def _quotient(x: int, y: int) -> int:
    return x // y


def test_random_conditions_hold_in_between() -> None:
    draw, compared = Random(4), 0
    sizes = range(8)
    for _ in range(4000):
        a, b = _drawn(draw, draw.randint(0, 2)), _drawn(draw, draw.randint(0, 2))
        op = draw.choice(["<", "<=", ">", ">=", "=="])
        if not monotone(ScalarOp(op, (a, b))):
            continue
        compare = {"<": int.__lt__, "<=": int.__le__, ">": int.__gt__, ">=": int.__ge__, "==": int.__eq__}[op]
        holds = {(n, k): compare(_value(a, n, k), _value(b, n, k)) for n, k in product(sizes, sizes)}
        for low, high in ((0, 7), (1, 5), (2, 4)):
            for other, most in ((0, 7), (0, 3)):
                if holds[low, other] and holds[high, most]:
                    inside = product(range(low, high + 1), range(other, most + 1))
                    assert all(holds[pair] for pair in inside), (a, op, b)
                    compared += 1
    assert compared > 1000
