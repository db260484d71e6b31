"""Updates at places that data choose, alike but for numbers, are one statement in a loop. [TIR.21]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.tir.compile import compile_prim_func
from tests.tir.support import assert_same_outcome, checked

PARAMS = (
    "E: Buffer[(z, 4), int64], X: Buffer[(z, 4), DTYPE], W: Buffer[(z,), DTYPE], D: Buffer[(n,), DTYPE],"
    " M: Buffer[(n, n), DTYPE]"
)
ROLLED = {
    "both ends of edges": "D[E[p, 0]] += cast(1, DTYPE); D[E[p, 1]] += cast(1, DTYPE);",
    "three corners": "D[E[p, 0]] += X[p, 0]; D[E[p, 1]] += X[p, 1]; D[E[p, 2]] += X[p, 2];",
    "every second column": "D[E[p, 0]] += X[p, 3] * W[p]; D[E[p, 2]] += X[p, 2] * W[p];",
    "backwards": "D[E[p, 3]] -= X[p, 0]; D[E[p, 2]] -= X[p, 1]; D[E[p, 1]] -= X[p, 2];",
    "elements of a matrix": "M[E[p, 0], E[p, 1]] += W[p]; M[E[p, 1], E[p, 2]] += W[p];",
    "numbers that grow": "D[E[p, 0]] += cast(2, DTYPE) * X[p, 0]; D[E[p, 1]] += cast(2, DTYPE) * X[p, 1];",
    "places beside others": "D[max(E[p, 0] - 1, 0)] += W[p]; D[max(E[p, 1] - 1, 0)] += W[p];",
}
OTHERS = {
    "steps of two lengths": "D[E[p, 0]] += W[p]; D[E[p, 1]] += W[p]; D[E[p, 3]] += W[p];",
    "other numbers": "D[E[p, 0]] += W[p]; D[E[p, 1]] += W[p] * cast(2, DTYPE);",
    "another operation": "D[E[p, 0]] += W[p]; D[E[p, 1]] -= W[p];",
    "another statement between": "D[E[p, 0]] += W[p]; M[p % n, 0] = W[p]; D[E[p, 1]] += W[p];",
    "a condition": "if W[p] > cast(1, DTYPE) { D[E[p, 0]] += W[p]; } D[E[p, 1]] += W[p];",
    "what it stores": "D[E[p, 0]] += D[0]; D[E[p, 1]] += D[0];",
    "the same twice": "D[E[p, 1]] += W[p]; D[E[p, 1]] += W[p];",
    "stores": "D[E[p, 0]] = W[p]; D[E[p, 1]] = W[p];",
}
BODIES = {**ROLLED, **OTHERS}


def function(body: str, dtype: str) -> str:
    text = f"prim_func @f({PARAMS}) {{ for p in 0..z {{ {body} }} }}"
    return text.replace("DTYPE", dtype)


def arguments(z: int, n: int, dtype: str) -> list[object]:
    numbers = np.random.default_rng(3 * z + n)
    if dtype == "int64":
        limits = np.array([-(1 << 63), (1 << 63) - 1, 1, 0, -1])
        shapes = (z, 4), z, n, (n, n)
        x, w, d, m = [limits[numbers.integers(0, 5, shape)] for shape in shapes]
    else:
        some = np.array([0.5, -0.0, 2.0, -3.0, np.inf, 7.0])
        x, w, d, m = [some[numbers.integers(0, 6, shape)].astype(dtype) for shape in ((z, 4), z, n, (n, n))]
    return [numbers.integers(0, max(n, 1), (z, 4)), x, w, d, m]


@pytest.mark.parametrize("dtype", ["int64", "float32"])
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_TIR_21_they_do_what_the_statements_do(body: str, dtype: str) -> None:
    func = checked(function(body, dtype))
    for z, n in ((0, 3), (1, 1), (5, 3), (40, 7)):
        args = arguments(z, n, dtype)
        assert_same_outcome(func, args)
        edges = args[0]
        assert isinstance(edges, np.ndarray)
        if z:
            edges[z // 2, 1] = n  # the statements before it have been run when this one fails
            assert_same_outcome(func, args)


@pytest.mark.parametrize("name", BODIES)
def test_TIR_21_one_list_has_the_places_of_all(name: str) -> None:
    func = checked(function(BODIES[name], "int64"))
    scatters = [one for one in compile_prim_func(func).remarks if one.strategy == "scatter"]
    assert (len(scatters) == 1) == (name in ROLLED)
