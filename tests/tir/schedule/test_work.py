"""Compiling takes work that grows with the text: questions asked and expressions made are counted, not time."""

from __future__ import annotations

import pytest

from benchmarks.compile_time import chained, independent, lets, polynomials
from relax_lang.tir.analysis import vector_ir
from relax_lang.tir.analysis.dependence import Dependences
from relax_lang.tir.compile import compile_prim_func
from relax_lang.tir.schedule.dependence_graph import components
from tests.tir.support import prim_func


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


@pytest.mark.parametrize("kind", [lets, polynomials])
def test_work_is_linear_in_chains_of_let(kind, monkeypatch):
    few, many = work(kind(60), monkeypatch), work(kind(240), monkeypatch)
    assert many[1] <= 4.2 * few[1] + 8


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
