"""Passes on PrimFuncs and their calls."""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang import api, transform
from relax_lang.analysis.prim_funcs.reshapes import is_reshape
from relax_lang.syntax import tree
from relax_lang.tir.interp.interpreter import run
from tests.transform.core.changes import main

TENSORS = (
    "x: Tensor[(n, 8), float32], y: Tensor[(a, b, c), float32], "
    "z: Tensor[(4, 6, 2), float32], s: Tensor[(1, n, 1), float32]"
)
RESHAPES = (
    "reshape(x, shape(n * 8))", "reshape(x, shape(8, n))", "flatten(y)", "reshape(y, shape(a * b, c))",
    "reshape(z, shape(8, 6))", "reshape(z, shape(2, 24))", "expand_dims(x, axis=[0, 2])",
    "reshape(y, shape(c, b, a))",
    "permute_dims(s, axes=[2, 1, 0])", "concat((x,), axis=0)", "reshape(y, shape(b * c, a))",
)  # fmt: skip
OTHERS = (
    "permute_dims(x)", "strided_slice(x, (0,), (0,), (1,))", "flip(x, axis=0)", "flip(y, axis=2)",
    "permute_dims(y)", "permute_dims(z, axes=[0, 2, 1])", "exp(x)", "astype(x, dtype=float16)", "tile(x, repeats=[2])",
    "strided_slice(z, (0,), (3,), (-5,), (-1,))",
)  # fmt: skip
SIZES = {"n": 3, "a": 2, "b": 3, "c": 2}
SHAPES = {"x": (3, 8), "y": (2, 3, 2), "z": (4, 6, 2), "s": (1, 3, 1)}


def form(call: str) -> tuple[tree.PrimFunc, np.ndarray]:
    """Return the PrimFunc of an operator's call, and its result for the sizes above."""
    typed = api.typed(
        f"def @main({TENSORS}) {{ dataflow {{ let a = {call}; let o = exp(a); output o; }} o }}"
    )
    made = transform.LegalizeOps()(typed)
    func = next(iter(made.prim_funcs.values()))
    source = call.partition("(")[2].lstrip("(")[0]
    given = np.arange(np.prod(SHAPES[source]), dtype=np.float32).reshape(SHAPES[source])
    return func, given


@pytest.mark.parametrize("call", RESHAPES)
def test_what_keeps_the_order_of_elements_is_a_reshape(call: str) -> None:
    func, given = form(call)
    assert is_reshape(func)
    result = np.full(given.size, -1, np.float32)
    shape = api.run(
        f"def @main({TENSORS}) {{ {call} }}", *[np.zeros(one, np.float32) for one in SHAPES.values()]
    )
    assert isinstance(shape, np.ndarray)
    result = result.reshape(shape.shape)
    run(func, [given, result])
    assert result.ravel().tolist() == given.ravel().tolist()


@pytest.mark.parametrize("call", OTHERS)
def test_what_only_looks_like_a_reshape_is_none(call: str) -> None:
    assert not is_reshape(form(call)[0])


@pytest.mark.parametrize(
    "body",
    [
        "for i in 0..n { Y[i] = X[n - 1 - i]; }",
        "for i in 0..n { Y[i] = X[i] + 0.0; }",
        "for i in 0..n { if i > 1 { Y[i] = X[i]; } }",
        "for i in 1..n { Y[i] = X[i]; }",
        "for i in 0..n { Y[i] += X[i]; }",
        "for i in 0..n { for j in 0..i { Y[i] = X[i]; } }",
        "Y[0] = X[0];",
        "for i in 0..n { Y[i] = X[i]; } for i in 0..n { Y[i] = 0.0; }",
        "assert n > 2, \"no\"; for i in 0..n { Y[i] = X[i]; }",
        "for i in 0..n { X[i] = Y[i]; }",
    ],
)  # fmt: skip
def test_bodies_that_are_no_reshape(body: str) -> None:
    typed = api.typed(f"prim_func @f(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {{ {body} }}")
    assert not is_reshape(typed.prim_funcs["f"])


class TestReshapes:
    PASSES = "LegalizeOps(only=[reshape, exp]), RewriteDataflowReshape"

    def test_a_view_that_nothing_can_see(self) -> None:
        text = main(
            self.PASSES,
            "dataflow { let a = exp(x); let b = reshape(a, shape(1, n)); let o = sum(b); output o; } o",
        )
        assert "let b = reshape(a, shape(1, n));" in text

    def test_a_copy_that_can_be_seen_stays(self) -> None:
        copy = "dataflow { let a = exp(x); let b = call_tir(@flat, (a,)) -> Tensor[(1, n), float32]; output a, b; } "
        flat = (
            "} private prim_func @flat(X: Buffer[(n,), float32], Y: Buffer[(1, n), float32])"
            " { for i in 0..n { Y[0, i] = X[i]; } } def @g() { 1"
        )
        both = main("RewriteDataflowReshape", f"{copy}(a, b){flat}")
        assert "call_tir(@flat" in both
        changed = main("RewriteDataflowReshape", f'{copy}extern "change"(a) -> Object; b{flat}')
        assert "call_tir(@flat" in changed
        alone = main("RewriteDataflowReshape", f"{copy}b{flat}")
        assert "let b = reshape(a, shape(1, n));" in alone
        given = copy.replace("exp(x)", "x + x").replace("(a,)", "(x,)")
        assert "call_tir(@flat" in main("RewriteDataflowReshape", f"{given}b{flat}")
