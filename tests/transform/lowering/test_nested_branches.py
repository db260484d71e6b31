"""Passes that place tensors and end their lives walk a nest of `if`s once, not on every level."""

from __future__ import annotations

import pytest

from relax_lang import api
from relax_lang.analysis import bindings
from relax_lang.base.node import walk
from relax_lang.syntax import tree
from relax_lang.transform.catalogue import parse_passes
from relax_lang.transform.lowering import kill_after_last_use, static_plan_block_memory

RELU = """
prim_func @relu(X: Buffer[(40, 40), float32], Y: Buffer[(40, 40), float32]) {
  for i, j in grid(40, 40) { Y[i, j] = max(X[i, j], 0.0); }
}
"""


def nested(depth: int) -> str:
    """Return a program of so many `if`s in each other; each branch allocates a tensor, and the next one reads it."""
    body = f"let y{depth} = exp(x); y{depth}"
    for level in reversed(range(depth)):
        of = "x" if level == 0 else f"a{level - 1}"
        body = (
            f"let a{level} = builtin.alloc_tensor(shape(40, 40), 0, dtype=float32); @relu({of}, a{level}); "
            f"let y{level} = if c {{ {body} }} else {{ let z{level} = exp(a{level}); z{level} }}; y{level}"
        )
    head = "force_pure def @main(x: Tensor[(40, 40), float32], c: Tensor[(), bool]) -> Tensor"
    return f"{head} {{ {body} }}\n{RELU}"


def visited(name: str, depth: int, monkeypatch: pytest.MonkeyPatch) -> int:
    """Return how many nodes a pass comes by in its own walks and in those for names."""
    typed = api.typed(nested(depth))
    counted = 0

    def counting(root: tree.Expr) -> object:
        nonlocal counted
        for node in walk(root):
            counted += 1
            yield node

    with monkeypatch.context() as patch:
        for module in (bindings, kill_after_last_use, static_plan_block_memory):
            patch.setattr(module, "walk", counting)
        parse_passes(name)(typed)
    return counted


@pytest.mark.parametrize("name", ["StaticPlanBlockMemory", "KillAfterLastUse"])
def test_the_work_is_linear_in_the_depth(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert visited(name, 60, monkeypatch) <= 2.1 * visited(name, 30, monkeypatch)


PLANNED = "StaticPlanBlockMemory(least=0)"
BRANCH = "let b = builtin.alloc_tensor(shape(40, 40), 0, dtype=float32); @relu(a, b);"


@pytest.mark.parametrize(
    ("branch", "rest", "storages"),
    [
        ("let z = exp(b); z", "y", 2),
        ("b", "let w = exp(y); w", 1),  # it may be the argument, and is used after the branch
        ("let f = fn (t: Tensor) -> Tensor { let s = exp(b); s }; let z = f(b); z", "y", 1),
    ],
)
def test_tensors_are_placed_where_all_of_their_names_are_bound(branch: str, rest: str, storages: int) -> None:
    text = (
        "force_pure def @main(x: Tensor[(40, 40), float32], c: Tensor[(), bool]) -> Tensor { "
        "let a = builtin.alloc_tensor(shape(40, 40), 0, dtype=float32); @relu(x, a); "
        f"let y = if c {{ {BRANCH} {branch} }} else {{ x }}; {rest} }}\n{RELU}"
    )
    made = parse_passes(PLANNED)(api.typed(text))
    names = [node.op_name for node in walk(made.module) if isinstance(node, tree.Op)]
    assert names.count("memory.alloc_storage") == storages
