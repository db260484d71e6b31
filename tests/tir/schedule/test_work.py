"""Compiling takes work that grows with the text: questions asked and expressions made are counted, not time."""

from __future__ import annotations

import ast
from collections.abc import Callable
from itertools import pairwise

import pytest

from benchmarks.compile_time import chained, independent, lets, polynomials
from relax_lang.arith.constraints.fourier_motzkin import System
from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.syntax import tree
from relax_lang.tir import compile as compiler
from relax_lang.tir.analysis import dependence
from relax_lang.tir.analysis.accesses import Access, Loop, Storage
from relax_lang.tir.analysis.dependence import Dependences
from relax_lang.tir.analysis.lowered import vector_ir
from relax_lang.tir.array_ir.ir_node import Node
from relax_lang.tir.check.driver import analyse
from relax_lang.tir.codegen.printer import lines
from relax_lang.tir.compile import compile_prim_func
from relax_lang.tir.loops.function import LoopsFunction
from relax_lang.tir.loops.spelling import Unspelled
from relax_lang.tir.lower import values
from relax_lang.tir.schedule.dependence_graph import components, conflicts
from tests.tir.random_programs.test_random_programs import difference
from tests.tir.reference.interpreter import Array
from tests.tir.support import prim_func
from tests.work import executed_lines


def work(text: str, monkeypatch) -> tuple[int, int]:
    """Return how many pairs of accesses are compared, and how many expressions are made."""
    counts = {"pairs": 0, "expressions": 0}
    relate, number_of = Dependences._relate, vector_ir._number_of

    def counted_relate(self, *args):
        counts["pairs"] += 1
        return relate(self, *args)

    def counted_number_of(what):
        counts["expressions"] += 1
        return number_of(what)

    with monkeypatch.context() as patch:
        patch.setattr(Dependences, "_relate", counted_relate)
        patch.setattr(vector_ir, "_number_of", counted_number_of)
        assert compile_prim_func(prim_func(text)).vectorized
    return counts["pairs"], counts["expressions"]


@pytest.mark.parametrize("kind", [independent, chained])
def test_work_is_linear_in_the_statements_of_a_loop(kind, monkeypatch):
    few, many = work(kind(30), monkeypatch), work(kind(120), monkeypatch)
    assert many[0] <= 4.2 * few[0] + 8
    assert many[1] <= 4.2 * few[1] + 8


def compared(text: str, monkeypatch) -> int:
    """Return how many nodes of the array IR are compared with others."""
    count, equal = 0, Node.__eq__

    def counted(self, other):
        nonlocal count
        count += 1
        return equal(self, other)

    func = prim_func(text)
    with monkeypatch.context() as patch:
        patch.setattr(Node, "__eq__", counted)
        assert compile_prim_func(func).vectorized
    return count


def otherwise(count: int) -> str:
    """Return a chain of conditions, each in the `else` of the one before."""
    head = "".join([f"if X[i] < {at}.0 {{ Y[i] = {at}.0; }} else {{ " for at in range(count)])
    params = "X: Buffer[(n,), float32], Y: Buffer[(n,), float32]"
    return f"prim_func @f({params}) {{ for i in 0..n {{ {head} Y[i] = X[i]; {'} ' * count} }} }}"


def test_conditions_that_hold_each_other_are_not_compared_part_by_part(monkeypatch):
    """The condition of each store has those before it in it: 16 of them have 136 parts, 32 have 528."""
    assert compared(otherwise(32), monkeypatch) <= 4.4 * compared(otherwise(16), monkeypatch)


@pytest.mark.parametrize("kind", [lets, polynomials])
def test_work_is_linear_in_chains_of_let(kind, monkeypatch):
    few, many = work(kind(60), monkeypatch), work(kind(240), monkeypatch)
    assert many[1] <= 4.2 * few[1] + 8


def on_one_element(count: int) -> str:
    """Return a loop with statements that all update one element of each row, and read another one."""
    body = " ".join(["Y[i, 0] = Y[i, 0] * 2.0 + Y[i, j];" for _ in range(count)])
    return f"prim_func @f(Y: Buffer[(n, m), float32]) {{ for i, j in grid(n, m) {{ {body} }} }}"


def loaded_lets(count: int) -> str:
    """Return a chain of lets each of which reads an array."""
    chain = "".join([f"let a{at + 1} = a{at} + X[i];" for at in range(count)])
    params = "X: Buffer[(n,), float32], Y: Buffer[(n,), float32]"
    return f"prim_func @f({params}) {{ for i in 0..n {{ let a0 = X[i]; {chain} Y[i] = a{count}; }} }}"


def arrays(count: int) -> str:
    """Return loops each of which fills an array of its own from that of the loop before."""
    heads = "".join([f"alloc A{at}: Buffer[(n,), float32];" for at in range(1, count)])
    names = ["X", *[f"A{at}" for at in range(1, count)], "Y"]
    loops = "".join(
        [f"for i in 0..n {{ {two}[i] = {one}[i] + 1.0; }}" for one, two in pairwise(names)],
    )
    params = "X: Buffer[(n,), float32], Y: Buffer[(n,), float32]"
    return f"prim_func @f({params}) {{ {heads} {loops} }}"


@pytest.mark.parametrize(("kind", "size"), [(loaded_lets, 150), (arrays, 32)])
def test_executed_lines_are_linear_in_lets_that_read_and_in_arrays(
    kind: Callable[[int], str], size: int
) -> None:
    def work(count: int) -> int:
        # What is compiled is kept by its content, and the work is done twice.
        funcs = iter([prim_func(kind(count).replace("@f", f"@{name}_{kind.__name__}")) for name in "gh"])
        return executed_lines(lambda: compile_prim_func(next(funcs)))

    few, many = work(size), work(2 * size)
    assert many < 2.2 * few


def test_statements_on_one_element_are_related_once(monkeypatch):
    assert work(on_one_element(40), monkeypatch)[0] == work(on_one_element(4), monkeypatch)[0]


def test_of_accesses_of_one_element_those_next_to_each_other_are_paired():
    loops = (Loop("i", Polynomial.name("n"), tree.PrimVar("i")),)
    array = Storage("Y", "float32", (Polynomial.name("n"),))
    kinds = [True, False, False, True, True, False]
    statements = [[Access(array, (Polynomial.name("i"),), is_store, loops)] for is_store in kinds]
    assert sorted(conflicts(statements).pairs) == [(0, 1), (0, 2), (0, 3), (1, 3), (2, 3), (3, 4), (4, 5)]


def test_components_are_in_topological_order_earlier_text_first():
    edges = {0: {3}, 1: {2}, 2: {1, 4}, 3: set(), 4: set(), 5: {0}}
    assert components(edges) == [[1, 2], [4], [5], [0], [3]]


@pytest.mark.parametrize("count", [150, 200])
def test_what_is_nested_too_deep_is_left_to_the_interpreter(count):
    terms = " + ".join(["X[i]"] * count)
    func = prim_func(f"prim_func @f(X: Buffer[(n,), float32]) {{ for i in 0..n {{ X[i] = {terms}; }} }}")
    compiled = compile_prim_func(func)
    assert not compiled.vectorized
    assert "nested" in compiled.remarks[0].reason


def test_what_has_too_many_operations_is_left_to_the_interpreter(monkeypatch):
    monkeypatch.setattr(values, "MOST_VALUES", 500)
    monkeypatch.setattr(compiler, "_COMPILED", {})  # of the same programs under other limits
    assert compile_prim_func(prim_func(independent(20))).vectorized
    compiled = compile_prim_func(prim_func(independent(100)))
    assert not compiled.vectorized
    assert compiled.remarks[0].reason == "the function has more than 500 operations"


def branches(count: int, *, chained: bool = False) -> str:
    """Return a loop with branches that all store to one buffer at different elements, or as a chain of `else if`."""
    parts = [f"if i * {at + 1} < n {{ B[i * {at + 1}] = B[i] + A[i]; }}" for at in range(count)]
    body = (" else " if chained else " ").join(parts)
    params = "A: Buffer[(n,), float32], B: Buffer[(n,), float32]"
    return f"prim_func @f({params}) {{ for i in 0..n {{ {body} }} }}"


def test_dependence_tests_have_a_budget_however_many_branches_store_to_one_buffer(monkeypatch) -> None:
    made: list[object] = []
    asked: list[object] = []
    start, happens = dependence.Conflict.__init__, dependence.Conflict._domain
    monkeypatch.setattr(dependence.Conflict, "__init__", lambda *args: (made.append(0), start(*args))[1])
    monkeypatch.setattr(dependence.Conflict, "_domain", lambda *args: (asked.append(0), happens(*args))[1])
    monkeypatch.setattr(dependence, "MOST_CONFLICTS", 40)
    monkeypatch.setattr(dependence, "MOST_EQUATIONS", 60)
    monkeypatch.setattr(compiler, "_COMPILED", {})
    counts: list[tuple[int, int]] = []
    for count in (15, 30):
        made.clear()
        asked.clear()
        assert compile_prim_func(prim_func(branches(count))).vectorized
        counts.append((len(made), len(asked)))
    (few, few_asked), (many, many_asked) = counts
    assert few <= 101 + 15 * 3
    assert many <= 101 + 30 * 3
    assert few_asked == many_asked


@pytest.mark.parametrize(
    ("name", "chained", "reason"),
    [
        ("schedule.dependence_graph.MOST_PAIRS", False, "pairs of statements may depend on each other"),
        ("lower.lower.MOST_CONDITIONS", True, "conditions would be evaluated"),
    ],
)
def test_what_grows_faster_than_the_text_is_left_to_the_interpreter(
    name: str, chained: bool, reason: str, monkeypatch
) -> None:
    assert compile_prim_func(prim_func(branches(16, chained=chained))).vectorized
    monkeypatch.setattr(f"relax_lang.tir.{name}", 60)
    compiled = compile_prim_func(prim_func(branches(17, chained=chained)))
    assert not compiled.vectorized
    assert reason in compiled.remarks[0].reason


def test_long_lines_are_broken_with_work_that_is_linear_in_each(monkeypatch) -> None:
    written: list[int] = []
    binary = lines._EXPRESSIONS[ast.BinOp]
    monkeypatch.setitem(lines._EXPRESSIONS, ast.BinOp, lambda node: (written.append(0), binary(node))[1])
    counts: list[int] = []
    for count in (40, 80):
        written.clear()
        names = iter(range(1000))
        writer = lines.Lines(80, 0, lambda _, names=names: f"part_{next(names)}")
        writer.statement("x = ", ast.parse(" & ".join(["condition"] * count), mode="eval").body)
        counts.append(len(written))
    assert counts[1] <= 4.5 * counts[0]


def test_unknowns_with_one_bound_are_dropped_together(monkeypatch) -> None:
    rounds: list[int] = []
    step = System._counts
    monkeypatch.setattr(System, "_counts", lambda self: (rounds.append(0), step(self))[1])
    n = Polynomial.name("n")
    system = System()
    system.require([Polynomial.name(f"s{at}") - n + at for at in range(40)] + [n - 1])
    system.solve()
    assert len(rounds) <= 4


def nested_loops(head: str, step: str) -> Callable[[int], str]:
    """Return what makes a PrimFunc of loops in each other."""
    params = "A: Buffer[(n,), float32], B: Buffer[(n,), float32], k: Buffer[(), int64]"

    def made(count: int) -> str:
        heads = "".join([head.format(at=at) for at in range(count)])
        return f"prim_func @f({params}) {{ {heads} {step} {'}' * heads.count('{')} }}"

    return made


@pytest.mark.parametrize(
    ("head", "step"),
    [
        ("for i{at} in 0..1 {{ ", "B[0] = B[0] + 1.0; if B[0] > 3.0 { break; }"),
        ("for i{at} in 0..1 {{ if A[i{at}] > 1.0 {{ ", "B[0] = B[0] * 2.0 + A[1];"),
        ("while k[()] < {at} {{ k[()] = k[()] + 1; ", "B[0] = 1.0;"),
    ],
)
def test_TIR_21_more_loops_than_python_nests_are_left_to_the_interpreter(head: str, step: str) -> None:
    text = nested_loops(head, step)
    for count in (15, 21):
        arrays = {
            "A": ((3,), "float32", [2.0] * 3),
            "B": ((3,), "float32", [0.0] * 3),
            "k": ((), "int64", [0]),
        }
        assert difference(text(count), {name: Array(*parts) for name, parts in arrays.items()}) == ""
    with pytest.raises(Unspelled, match="nested too deep"):
        LoopsFunction(analyse(prim_func(text(21))), native=False)


def test_quotients_in_quotients_are_looked_at_once() -> None:
    def walked(count: int) -> int:
        quotient = "(" * count + "i" + "".join([f" * {at + 3} + {at}) // {at + 2}" for at in range(count)])
        text = f"prim_func @f(B: Buffer[(n,), float32]) {{ for i in 0..n {{ B[{quotient} % n] = 1.0; }} }}"
        return executed_lines(lambda: compile_prim_func(prim_func(text)))

    assert walked(20) < 8 * walked(10)


def alternatives(count: int) -> str:
    """Return a loop with one condition that is a chain of `||`."""
    params = "X: Buffer[(n,), float32], Y: Buffer[(n,), float32]"
    condition = " || ".join([f"X[i] > {at}.0" for at in range(count)])
    return f"prim_func @f({params}) {{ for i in 0..n {{ if {condition} {{ Y[i] = 0.0; }} else {{ Y[i] = 1.0; }} }} }}"


def test_executed_lines_are_linear_in_the_operands_of_a_condition() -> None:
    def work(count: int) -> int:
        funcs = iter([prim_func(alternatives(count).replace("@f", f"@{name}_or")) for name in "gh"])
        return executed_lines(lambda: compile_prim_func(next(funcs)))

    assert work(120) < 2.3 * work(60)
