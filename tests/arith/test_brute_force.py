"""Every answer of the prover against all small values: never wrong, with facts and without. [D.13]"""

from __future__ import annotations

from random import Random

import pytest

from relax_lang.arith.counter_models import counterexample
from relax_lang.arith.evaluate import evaluate
from relax_lang.arith.facts import NO_FACTS, Facts
from relax_lang.arith.printing import simplified
from relax_lang.arith.prover import DIFFERENT, EQUAL, UNKNOWN, bounds, compare, prove
from relax_lang.base.node import same
from relax_lang.format.printer import show
from relax_lang.syntax import tree
from tests.arith.support import INTEGERS, SIZES, Expressions, Values, value

CASES = 2500


class Case:
    """Two dimensions and a condition under random facts, with the points that fulfil these."""

    def __init__(self, seed: int) -> None:
        rng = Random(seed)
        made = Expressions(rng)
        self.a = made.number(rng.randint(0, 4))
        self.b = made.related(self.a)
        self.condition = made.condition(rng.randint(0, 2))
        signed = rng.random() < 0.2
        self.facts = Facts(signed=None) if signed else NO_FACTS
        self.points: list[Values] = INTEGERS if signed else SIZES
        for _ in range(rng.choice((0, 0, 1, 2, 3))):
            self.assume(made.condition(rng.choice((0, 0, 1, 2))), rng.random() < 0.8)

    def assume(self, condition: tree.PrimExpr, truth: bool) -> None:
        points = [point for point in self.points if value(condition, point) is truth]
        if points:  # otherwise no value fulfils the facts, and every answer is right
            self.points = points
            self.facts = self.facts.with_(condition, truth)

    def __str__(self) -> str:
        told = [show(each) for each in self.facts.conditions]
        return f"{show(self.a)} | {show(self.b)} | {show(self.condition)} under {told}"


@pytest.mark.parametrize("start", range(0, CASES, 500))
def test_D_13_never_wrong(start: int) -> None:
    answers: dict[object, int] = {}
    for seed in range(start, start + 500):
        case = Case(seed)
        assert not case.facts.impossible, str(case)
        answer = compare(case.a, case.b, case.facts)
        proved = prove(case.condition, case.facts)
        low, high = bounds(case.a, case.facts)
        short = simplified(case.a, case.facts)
        for point in case.points:
            a, b, truth = value(case.a, point), value(case.b, point), value(case.condition, point)
            if a is not None:
                assert low is None or low <= a, f"{case} at {point}"
                assert high is None or a <= high, f"{case} at {point}"
                assert value(short, point) in (a, None), f"{case} at {point}"
                if b is not None and answer != UNKNOWN:
                    assert (a == b) is (answer == EQUAL), f"{case} at {point}"
            assert truth is None or proved is None or truth is proved, f"{case} at {point}"
        answers[answer] = answers.get(answer, 0) + 1
        answers[proved] = answers.get(proved, 0) + 1
    # Answers of every kind, or this would have shown nothing; undecided ones are the exception.
    assert answers[EQUAL] > 100
    assert answers[DIFFERENT] > 50
    assert answers[True] > 40
    assert answers[False] > 40
    assert answers[UNKNOWN] < 250


def test_D_13_answers_do_not_depend_on_the_order() -> None:
    for seed in range(400):
        case = Case(seed)
        assert compare(case.a, case.b, case.facts) == compare(case.b, case.a, case.facts), str(case)


def test_D_13_examples_are_examples() -> None:
    found = 0
    for seed in range(0, CASES, 15):
        case = Case(seed)
        answer = compare(case.a, case.b, case.facts)
        values = counterexample(case.a, case.b, case.facts)
        if values is not None:
            found += 1
            assert evaluate(case.a, values) != evaluate(case.b, values)
            assert answer in (UNKNOWN, DIFFERENT), str(case)
    assert found > 50


def test_D_13_normal_forms_are_stable() -> None:
    for seed in range(CASES):
        case = Case(seed)
        for expr in (case.a, case.condition):
            once = simplified(expr)
            assert same(simplified(once), once), f"{show(expr)} -> {show(once)} -> {show(simplified(once))}"
        assert compare(case.a, simplified(case.a)) == EQUAL
