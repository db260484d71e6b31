"""A reduction that is taken twice is read from where the first one is stored, as long as it is there. [TIR.21]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.tir.check.driver import analyse
from relax_lang.tir.lower.lower import lowered
from relax_lang.tir.schedule.pipeline import scheduled
from relax_lang.tir.schedule.plan import CONTRACTION, REDUCTION, WINDOW, Kernel, walk
from tests.tir.support import assert_same_outcome, checked

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.syntax import tree

ROW_SUM = "for i in 0..n { F[i] = 0; for j in 0..m { F[i] += X[i, j]; } }"
PRODUCT = "for i, j in grid(n, n) { P[i, j] = 0; for k in 0..m { P[i, j] += X[i, k] * Z[j, k]; } }"
ONCE = {
    "added": f"{ROW_SUM} for i, j in grid(n, m) {{ G[i] += X[i, j]; }}",
    "subtracted": f"{ROW_SUM} for i, j in grid(n, m) {{ G[i] -= X[i, j]; }}",
    "from a number": f"{ROW_SUM} for i in 0..n {{ G[i] = 5; for j in 0..m {{ G[i] += X[i, j]; }} }}",
    "elsewhere": f"{ROW_SUM} for i in 0..n {{ G[n - 1 - i] = 0; for j in 0..m {{ G[n - 1 - i] += X[i, j]; }} }}",
    "a product": f"{PRODUCT} for i, j in grid(n, n) {{ for k in 0..m {{ Q[j, i] += Z[j, k] * X[i, k]; }} }}",
    "in steps": f"for t in 0..3 {{ {ROW_SUM} for i, j in grid(n, m) {{ G[i] -= X[i, j]; }}"
    " for i, j in grid(n, m) { X[i, j] = X[i, j] + G[i] + F[i]; } }",
}
AGAIN = {
    "the array has changed": f"{ROW_SUM} for i in 0..n {{ X[i, i % m] = 3; }}"
    " for i, j in grid(n, m) { G[i] += X[i, j]; }",
    "the sum has changed": f"{ROW_SUM} for i in 0..n {{ F[i] = 7; }} for i, j in grid(n, m) {{ G[i] += X[i, j]; }}",
    "added to something": "for i, j in grid(n, m) { F[i] += X[i, j]; } for i, j in grid(n, m) { G[i] += X[i, j]; }",
    "to itself": f"{ROW_SUM} for i, j in grid(n, m) {{ F[i] += X[i, j]; }}",
    "something else": f"{ROW_SUM} for i, j in grid(n, m) {{ G[i] += Z[i, j]; }}",
    "the greatest": f"{ROW_SUM} for i, j in grid(n, m) {{ G[i] = max(G[i], X[i, j]); }}",
    "under a condition": f"{ROW_SUM} for i, j in grid(n, m) {{ if Z[i, j] > 2 {{ G[i] += X[i, j]; }} }}",
}


def program(body: str, dtype: str) -> tree.PrimFunc:
    shapes = {"X": "n, m", "Z": "n, m", "F": "n,", "G": "n,", "P": "n, n", "Q": "n, n"}
    buffers = ", ".join([f"{name}: Buffer[({shape}), {dtype}]" for name, shape in shapes.items()])
    return checked(f"prim_func @f({buffers}) {{ {body} }}")


def reductions(func: tree.PrimFunc) -> int:
    nodes, _ = scheduled(lowered(analyse(func)))
    return sum(
        [
            isinstance(node, Kernel) and node.strategy in (CONTRACTION, REDUCTION, WINDOW)
            for node in walk(nodes)
        ]
    )


@pytest.mark.parametrize("dtype", ["int64", "uint8", "float32"])
@pytest.mark.parametrize("name", [*ONCE, *AGAIN])
def test_reductions_are_taken_once_or_again(name: str, dtype: str) -> None:
    func = program({**ONCE, **AGAIN}[name], dtype)
    assert reductions(func) == (1 if name in ONCE else 2)
    random = np.random.default_rng(5)
    for n, m in ((1, 1), (4, 7), (3, 1), (0, 2), (3, 0)):
        if "% m" in AGAIN.get(name, "") and not m:
            continue
        shapes = [(n, m), (n, m), (n,), (n,), (n, n), (n, n)]
        args = [random.integers(0, 99, shape).astype(dtype) for shape in shapes]
        assert_same_outcome(func, [*args], ulps=8)


def test_a_sum_that_was_rounded_is_taken_again() -> None:
    func = program(ONCE["added"], "float16")
    random = np.random.default_rng(6)
    args = [
        random.normal(size=shape).astype(np.float16) for shape in ((5, 9), (5, 9), (5,), (5,), (5, 5), (5, 5))
    ]
    assert reductions(func) == 2
    assert_same_outcome(func, [*args], ulps=4)
