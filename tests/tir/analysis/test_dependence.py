"""Dependences of random accesses against enumeration, and against islpy where everything is affine. [TIR.21]"""

from __future__ import annotations

import os

import pytest

from relax_lang.arith.constraints.analyzer import Analyzer
from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.tir.analysis.accesses import Access, Loop
from relax_lang.tir.analysis.dependence import Dependences, Relation
from relax_lang.tir.analysis.lowered.statements import Statement
from relax_lang.tir.analysis.lowered.vector_ir import Space
from tests.tir.analysis.random_accesses import ARRAY, NODE, SIZES, Pair, told

CASES = 20_000 if "RELAX_NIGHTLY" in os.environ else 1_500
STEP = CASES // 5


@pytest.mark.parametrize("start", range(0, CASES, STEP))
def test_TIR_21_never_independent_where_iterations_meet(start: int) -> None:
    """Whatever small sizes show is found; most of what is found is shown by small sizes."""
    may = shown = 0
    for seed in range(start, start + STEP):
        pair = Pair(seed, products=seed % 3 == 0)
        found, meetings = told(pair.relation()), pair.meetings(4)
        assert meetings <= found, (seed, str(pair), meetings - found)
        may += len(found)
        shown += len(meetings)
    assert shown > 0.75 * may


@pytest.mark.parametrize("start", range(0, CASES, STEP))
def test_TIR_21_as_islpy_decides(start: int) -> None:
    """An exact library: what it calls possible is never excluded, and little more than that is called possible."""
    isl = pytest.importorskip("islpy")
    may = possible = 0
    for seed in range(start, start + STEP // 3):
        pair = Pair(seed, products=False)
        found, exact = told(pair.relation()), islpy_meetings(isl, pair)
        assert exact <= found, (seed, str(pair), exact - found)
        may += len(found)
        possible += len(exact)
    assert possible > 0.9 * may


def islpy_meetings(isl, pair: Pair) -> set[tuple[str, str]]:
    """Return how iterations meet for some sizes."""
    renames = {loop.name: f"{loop.name}_2" for loop in pair.second.loops}

    def text(value: Polynomial, second: bool) -> str:
        parts = [str(value.terms.get((), 0))]
        for monomial, factor in value.terms.items():
            if monomial:
                name = renames.get(monomial[0], monomial[0]) if second else monomial[0]
                parts.append(f"{factor} * {name}")
        return " + ".join(parts)

    constraints = ["n >= 0", "m >= 0"]
    for access, second in ((pair.first, False), (pair.second, True)):
        values = [*access.given, *[part for loop in access.loops for part in loop.constraints]]
        constraints += [f"{text(value, second)} >= 0" for value in values]
    for mine, other in zip(pair.first.index or (), pair.second.index or (), strict=True):
        constraints.append(f"{text(mine, False)} = {text(other, True)}")
    names = [loop.name for loop in pair.first.loops] + list(renames.values())
    found: set[tuple[str, str]] = set()
    around: list[str] = []
    for loop in (*pair.common, None):
        name = "" if loop is None else loop.name
        cases = [("equal", [])] if loop is None else [("before", ["<"]), ("after", [">"])]
        for case, order in cases:
            wanted = [*constraints, *around, *[f"{name} {sign} {name}_2" for sign in order]]
            text_of_set = f"[n, m] -> {{ [{', '.join(names)}] : {' and '.join(wanted)} }}"
            if not isl.Set(text_of_set).is_empty():
                found.add((name, case))
        around.append(f"{name} = {name}_2")
    return found


def relation(loops: dict[str, str], first: list[str], second: list[str], given: str = "") -> Relation:
    """Relate two accesses of an array in the same loops, each `name: extent`, over the sizes n and m."""
    space = Space(lambda name: name)
    made: list[Loop] = []
    for name, extent in loops.items():
        made.append(Loop(name, poly(extent), NODE))
        space.loops[name] = made[-1]
    analyzer = Analyzer((), SIZES.__contains__)
    statement = Statement(tuple(made), (), "", NODE)
    facts = [poly(given)] if given else []
    accesses = [
        Access(ARRAY, tuple([poly(part) for part in index]), True, tuple(made), facts)
        for index in (first, second)
    ]
    return Dependences(space, lambda: analyzer).relate(statement, statement, [(accesses[0], accesses[1])])


def poly(text: str) -> Polynomial:
    """Return a polynomial of the names in a Python expression."""
    names = {name: Polynomial.name(name) for name in ("n", "m", "i", "j", "k")}
    value = eval(text, {}, names)
    return value if isinstance(value, Polynomial) else Polynomial.constant(value)


@pytest.mark.parametrize(
    ("loops", "first", "second", "given", "expected"),
    [
        ({"i": "n"}, ["i"], ["i"], "", {("", "equal")}),
        ({"i": "n"}, ["i"], ["i - 1"], "", {("i", "before")}),
        ({"i": "n"}, ["i * 2"], ["i * 2 + 1"], "", set()),
        ({"i": "n"}, ["i"], ["i + n"], "", set()),
        ({"i": "3"}, ["i"], ["i + 4"], "", set()),
        ({"i": "n", "j": "m"}, ["i * m + j"], ["i * m + j"], "", {("", "equal")}),
        ({"i": "n", "j": "m"}, ["i", "j"], ["i - 1", "j + 1"], "", {("i", "before")}),
        ({"i": "n", "j": "m"}, ["j"], ["j"], "", {("i", "before"), ("i", "after"), ("", "equal")}),
        ({"i": "n", "j": "n"}, ["i"], ["j"], "i - j - 1", {("i", "before")}),
        ({"i": "n", "j": "i"}, ["i"], ["j"], "", {("i", "before")}),
        ({"k": "n", "i": "n"}, ["i"], ["k"], "i - k - 1", {("k", "before")}),
    ],
)  # fmt: skip
def test_TIR_21_relations(loops, first, second, given, expected) -> None:
    assert told(relation(loops, first, second, given)) == expected


def test_TIR_21_pairs_beyond_the_budget_may_meet(monkeypatch: pytest.MonkeyPatch) -> None:
    loops, apart = {"i": "n", "j": "n"}, (["i"], ["j"], "i - j - 1")
    assert told(relation(loops, *apart)) == {("i", "before")}
    monkeypatch.setattr("relax_lang.tir.analysis.dependence.MOST_CONFLICTS", 0)
    assert {("i", "before"), ("i", "after")} <= told(relation(loops, *apart))
    at_one_step = ({"i": "n"}, ["i"], ["i"], "")
    assert told(relation(*at_one_step)) == {("", "equal")}
    monkeypatch.setattr("relax_lang.tir.analysis.dependence.MOST_EQUATIONS", -1)
    assert {("i", "before"), ("i", "after")} <= told(relation(*at_one_step))
