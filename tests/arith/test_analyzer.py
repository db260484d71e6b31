"""The analyser of integer constraints: what it proves, and that it is never wrong. [D.13 TIR.8]"""

from __future__ import annotations

from itertools import product
from pathlib import Path
from random import Random

import pytest

from relax_lang.arith.case_split import CaseAnalyzer
from relax_lang.arith.constraints.analyzer import Analyzer
from relax_lang.arith.constraints.fourier_motzkin import System
from relax_lang.arith.constraints.proofs import is_nonnegative, is_positive, least
from relax_lang.arith.facts import Facts
from relax_lang.arith.normal_form import condition_of, polynomial_of
from relax_lang.arith.polynomials.polynomial import Polynomial
from tests.arith.support import condition, dim, facts

CORPUS = Path(__file__).with_name("corpus_questions.txt").read_text(encoding="utf-8").splitlines()


def poly(text: str) -> Polynomial:
    """Return a polynomial from text."""
    return polynomial_of(dim(text), Facts(None).known)


def analyzer(*facts: str, sizes: str = "n m k") -> Analyzer:
    return Analyzer([poly(fact) for fact in facts], sizes.split().__contains__)


def loops(*bounds: str) -> list[Polynomial]:
    """Return the constraints of loops from 0, each given as `i < n`."""
    found: list[Polynomial] = []
    for bound in bounds:
        name, stop = bound.split(" < ")
        found += [poly(name), poly(stop) - poly(name) - 1]
    return found


@pytest.mark.parametrize("line", CORPUS)
def test_D_13_proves_what_the_corpus_asks(line: str) -> None:
    """Each line is `value; variable <= most, …; facts; sizes`, asked while the corpus is compiled."""
    value, bounds, facts, sizes = [part.strip() for part in line.split(";")]
    given: list[Polynomial] = []
    for bound in bounds.split(", ") if bounds else ():
        name, most = bound.split(" <= ")
        given += [poly(name), poly(most) - poly(name)]
    asked = analyzer(*[fact for fact in facts.split(", ") if fact], sizes=sizes)
    assert asked.proves(poly(value), given)


@pytest.mark.parametrize(
    ("value", "given"),
    [
        ("n * m - 1 - i * m - j", loops("i < n", "j < m")),
        ("n * m * k - 1 - (i * m + j) * k - l", loops("i < n", "j < m", "l < k")),
        ("n - 1", loops("i < n")), ("n * m - 1", loops("i < n", "j < m")),
        ("n - 1 - i - j", loops("i < n", "j < n - i")),
        ("m - 1 - (n - 1 - i)", [*loops("i < n"), poly("m - n")]),
        ("i * (m - k)", [*loops("i < n"), poly("m - k")]), ("3 * n - 2 * i - j", loops("i < n", "j < n")),
        ("n * n - n", []), ("i * i + i", []), ("2 * n - 1", [poly("3 * n - 2")]),
    ],
)  # fmt: skip
def test_D_13_proves(value: str, given: list[Polynomial]) -> None:
    assert analyzer().proves(poly(value), given)
    assert analyzer(*[str(fact) for fact in given]).proves(poly(value))
    assert not analyzer().proves(-poly(value) - 1, given)


@pytest.mark.parametrize(
    ("value", "given"), [("n - 1", []), ("i", []), ("n - m", []), ("n * m - 1", loops("i < n"))]
)
def test_D_13_does_not_prove(value: str, given: list[Polynomial]) -> None:
    assert not analyzer().proves(poly(value), given)


def test_D_13_equations_and_common_divisors() -> None:
    asked = analyzer()
    assert asked.differ(poly("2 * i - 2 * j - 1"))
    assert asked.differ(poly("i * m + j - p * m - q"), [*loops("i < n", "p < i", "j < m", "q < m")])
    assert not asked.differ(poly("2 * i - 4 * j - 2"))
    assert asked.empty([poly("i - 3")], [poly("3 * i - 2 * j"), poly("j - 2 * k"), poly("i - k")])
    assert asked.empty([], [poly("6 * i + 4 * j - 3 * k"), poly("k - 2 * m - 1"), poly("i - 2 * n - 1")])
    assert not asked.empty([poly("n")], [poly("n - m")])


def test_D_13_no_answer_where_the_elimination_would_be_too_large() -> None:
    names = [f"v{at}" for at in range(14)]
    rng = Random(3)
    facts = [
        " + ".join([f"{rng.choice((-3, -2, 2, 3))} * {name}" for name in rng.sample(names, 5)])
        for _ in range(60)
    ]
    assert not analyzer(*facts, sizes="").proves(poly("v0 + v1 + 1"))
    assert analyzer(*facts, sizes="").bounds(poly("v0 + v1")) == (None, None)


@pytest.mark.parametrize(
    ("value", "given", "limits"),
    [
        ("i", loops("i < 7"), (0, 6)), ("i + j", loops("i < 7", "j < 3"), (0, 8)), ("n - i", loops("i < n"), (1, None)),
        ("2 * i - j", [poly("i - 1"), poly("j"), poly("5 - i - j")], (-2, 10)), ("i", [], (None, None)),
        ("i", [poly("3 * i - 7"), poly("11 - 2 * i")], (3, 5)), ("7", [], (7, 7)),
    ],
)  # fmt: skip
def test_D_13_bounds(value: str, given: list[Polynomial], limits: tuple[int | None, int | None]) -> None:
    assert analyzer().bounds(poly(value), given) == limits


def random_constraint(rng: Random) -> Polynomial:
    """Return a small random polynomial; some have products."""
    terms: dict[tuple[str, ...], int] = {(): rng.randint(-4, 4)}
    for _ in range(rng.randint(1, 3)):
        names = rng.sample(["n", "m", "i", "j"], rng.choice((1, 1, 1, 2)))
        terms[tuple(sorted(names))] = rng.choice((-3, -2, -1, -1, 1, 1, 2, 3))
    return Polynomial(terms)


def value_at(polynomial: Polynomial, point: dict[str, int]) -> int:
    total = 0
    for monomial, factor in polynomial.terms.items():
        for name in monomial:
            factor *= point[name]
        total += factor
    return total


POINTS = [
    dict(zip("nmij", point, strict=True)) for point in product(range(5), range(5), range(-3, 6), range(-3, 6))
]


@pytest.mark.parametrize("start", range(0, 1500, 300))
def test_D_13_never_wrong(start: int) -> None:
    """No system is called empty that has a solution; limits hold at every solution."""
    empty = 0
    for seed in range(start, start + 300):
        rng = Random(seed)
        nonnegative = [random_constraint(rng) for _ in range(rng.randint(1, 4))]
        zero = [random_constraint(rng) for _ in range(rng.choice((0, 0, 1, 2)))]
        asked = analyzer(sizes="n m")
        solutions = [
            point
            for point in POINTS
            if all(value_at(one, point) >= 0 for one in nonnegative)
            and all(value_at(one, point) == 0 for one in zero)
        ]
        if asked.empty(nonnegative, zero):
            assert not solutions, (nonnegative, zero, solutions[0])
            empty += 1
        value = random_constraint(rng)
        low, high = asked.bounds(value, [*nonnegative, *zero, *[-one for one in zero]])
        for point in solutions:
            found = value_at(value, point)
            assert low is None or low <= found, (value, nonnegative, point)
            assert high is None or found <= high, (value, nonnegative, point)
    assert empty > 10


def test_D_13_cases_are_looked_at_where_all_constraints_at_once_give_no_answer() -> None:
    value = poly("min(n, m) + max(n, m) - n - m")
    known = facts().known
    assert not Analyzer([], ["n", "m"].__contains__).proves(value)
    by_cases = CaseAnalyzer(known)
    assert by_cases.proves(value)
    assert by_cases.is_zero(value)
    assert not by_cases.proves(value - 1)
    assert not by_cases.is_zero(value + poly("k"))


def test_D_13_an_analyser_that_assumes_conditions_leaves_the_other_as_it_was() -> None:
    known = facts("n <= 4 || m <= 4").known
    before = CaseAnalyzer(known)
    small, large = condition_of(condition("n <= 4"), known), condition_of(condition("m > 4"), known)
    after = before.assuming([large])
    assert after.holds(small)
    assert not before.holds(small)
    assert not after.is_impossible
    assert after.assuming([condition_of(condition("n > 4"), known)]).is_impossible


def test_D_13_a_value_its_opposite_and_both_with_a_number_added_are_one_question(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    known = facts("n >= m * 2", "m >= k + 3").known
    value = poly("n - k * 2")
    solved = 0
    whole = System.solve

    def solve(system: System) -> None:
        nonlocal solved
        solved += 1
        whole(system)

    monkeypatch.setattr(System, "solve", solve)
    assert is_nonnegative(value - 6, known)
    assert not is_nonnegative(value - 7, known)
    assert not is_positive(-value, known)
    assert least(value, known) == 6
    assert least(-value, known) is None
    assert solved == 1
