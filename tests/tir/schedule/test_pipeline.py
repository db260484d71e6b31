"""The passes of the schedule: their order, leaving one out, looking at the plan after each."""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.tir.check.driver import analyse
from relax_lang.tir.codegen.function import generate
from relax_lang.tir.codegen.printer.module import module_text
from relax_lang.tir.lower.lower import lowered
from relax_lang.tir.schedule.pipeline import LAYOUT_PASSES, PASSES, STRATEGY_PASSES, scheduled
from relax_lang.tir.schedule.plan import Kernel, Sequential, Tile, TransposedScan
from tests.tir.support import checked

SOFTMAX = """prim_func @f(X: Buffer[(n, m), float64], Y: Buffer[(n, m), float64], S: Buffer[(n,), float64]) {
  for i in 0..n { S[i] = 0; }
  for i, j in grid(n, m) { S[i] += exp(X[i, j]); }
  for i, j in grid(n, m) { Y[i, j] = exp(X[i, j]) / S[i]; }
}"""
SCAN = """prim_func @f(X: Buffer[(n, m), float64], Y: Buffer[(n, m), float64], S: Buffer[(n,), float64]) {
  for i, j in grid(n, m) { Y[i, j] = select(j > 0, X[i, j] * if_then_else(j > 0, Y[i, j - 1], 1.0) + 2.0, X[i, j]); }
  for i in 0..n { S[i] = 1.0; }
}"""


def run(text: str, without: tuple[str, ...] = ()) -> tuple[dict, list[np.ndarray]]:
    """Run a PrimFunc scheduled without some passes; return the plan after each pass, and the arrays."""
    plans: dict[str, list] = {}
    func = checked(text)
    lowering = lowered(analyse(func))
    nodes, _ = scheduled(lowering, without, lambda name, nodes: plans.setdefault(name, list(nodes)))
    namespace: dict = {"__name__": "f"}
    code = generate(lowering, nodes, {})
    exec(module_text([(func, code, ())]), namespace)
    arrays = [np.arange(12.0).reshape(3, 4) / 8, np.zeros((3, 4)), np.zeros(3)]
    namespace[code.name](*arrays)
    return plans, arrays


@pytest.mark.parametrize("text", [SOFTMAX, SCAN])
@pytest.mark.parametrize("name", [*STRATEGY_PASSES, *LAYOUT_PASSES])
def test_a_pass_that_is_left_out_changes_no_result(text, name):
    plans, arrays = run(text)
    assert tuple(plans) == PASSES
    for wanted, found in zip(arrays, run(text, (name,))[1], strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-15)


def test_each_pass_does_what_it_is_named_after():
    plans, _ = run(SOFTMAX)
    assert not any(isinstance(node, Tile) for node in plans["transposition"])
    assert any(isinstance(node, Tile) for node in plans["tiling"])
    assert any(isinstance(node, Kernel) and node.folded for node in plans["init-folding"])
    assert not any(isinstance(node, Tile) for node in run(SOFTMAX, ("tiling",))[0]["tiling"])
    plans, _ = run(SCAN)
    assert not any(isinstance(node, TransposedScan) for node in run(SCAN, ("transposition",))[0]["tiling"])


def test_first_iterations_that_a_condition_sets_apart_are_parts_of_their_own():
    text = SCAN.replace("select(j > 0", "select(I[i] > 0").replace("X:", "I: Buffer[(n,), int64], X:")
    text = text.replace(
        "Y[i, j] = select", "if i > 1 { Y[i, j] = Y[i - 2, j] * Y[i - 1, j]; } Y[i, j] = select"
    )
    lowering = lowered(analyse(checked(text)))
    nodes, _ = scheduled(lowering, ("affine-scheduling",))
    parts = [node.parts for node in nodes if isinstance(node, Sequential)]
    assert [(0, 2), (2, None)] in parts
    nodes, _ = scheduled(lowered(analyse(checked(text))), ("peeling", "affine-scheduling"))
    assert all(node.parts == [(0, None)] for node in nodes if isinstance(node, Sequential))
