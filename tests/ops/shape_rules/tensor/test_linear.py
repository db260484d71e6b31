"""Products of matrices and attention: what is known of the result, and what is wrong."""

from __future__ import annotations

import pytest

from tests.ops.typed import typed

# parameters, call, what is known of the result
TYPED = [
    ("x: Tensor[(n, k), float32], y: Tensor[(k, m), float32]", "matmul(x, y)", "Tensor[(n, m), float32]"),
    ("x: Tensor[(k,), float32], y: Tensor[(k,), float32]", "matmul(x, y)", "Tensor[(), float32]"),
    ("x: Tensor[(4,), float32], y: Tensor[(2, 4, m), float32]", "matmul(x, y)", "Tensor[(2, m), float32]"),
    (
        "x: Tensor[(n, 1, 3, 4), float32], y: Tensor[(m, 4, 5), float32]",
        "matmul(x, y)",
        "Tensor[(n, m, 3, 5), float32]",
    ),
    ("x: Tensor[(n, 4), float32], y: Tensor[(m, k), float32]", "matmul(x, y)", "Tensor[(n, k), float32]"),
    (
        "x: Tensor[(n, 2, 4), float32], y: Tensor[(m, 4, 3), float32]",
        "matmul(x, y)",
        "Tensor[ndim=3, float32]",
    ),
    (
        "x: Tensor[(n, 2, 4), float32], y: Tensor[(3, 4, 3), float32]",
        "matmul(x, y)",
        "Tensor[(3, 2, 3), float32]",
    ),
    ("x: Tensor[ndim=1, float32], y: Tensor[(m, 4, 3), float32]", "matmul(x, y)", "Tensor[(m, 3), float32]"),
    ("x: Tensor[(m, 4, 3), float32], y: Tensor[ndim=1, float32]", "matmul(x, y)", "Tensor[(m, 4), float32]"),
    ("x: Tensor[ndim=1, float32], y: Tensor[ndim=1, float32]", "matmul(x, y)", "Tensor[(), float32]"),
    ("x: Tensor[ndim=2, float32], y: Tensor[(m, 4, 3), float32]", "matmul(x, y)", "Tensor[ndim=3, float32]"),
    ("x: Tensor[_, float32], y: Tensor[(m, 4, 3), float32]", "matmul(x, y)", "Tensor[_, float32]"),
    (
        "x: Tensor[(2, 3), int8], y: Tensor[(3, 4), int8]",
        "matmul(x, y, out_dtype=int32)",
        "Tensor[(2, 4), int32]",
    ),
    ("x: Tensor[(2, 3), int8], y: Tensor[(3, 4)]", "matmul(x, y)", "Tensor[(2, 4)]"),
    ("x: Tensor[(n, 3), float32], w: Tensor[(4, 3), float32]", "linear(x, w)", "Tensor[(n, 4), float32]"),
    (
        "x: Tensor[(n, 3), float32], w: Tensor[(3,), float32], b: Tensor[(), float32]",
        "linear(x, w, b)",
        "Tensor[(n,), float32]",
    ),
    (
        "x: Tensor[(n, 3), float32], w: Tensor[(4, 3), float32], b: Tensor[(4,), float32]",
        "linear(x, w, b)",
        "Tensor[(n, 4), float32]",
    ),
    (
        "x: Tensor[(n, 3), float32], w: Tensor[(4, 3), float32], b: Tensor[(m, 1, 1), float32]",
        "linear(x, w, b)",
        "Tensor[(m, n, 4), float32]",
    ),
    (
        "x: Tensor[_, float32], w: Tensor[(4, 3), float32], b: Tensor[(4,), float32]",
        "linear(x, w, b)",
        "Tensor[_, float32]",
    ),
    ("x: Tensor[(n,), float32], y: Tensor[(m,), float32]", "outer(x, y)", "Tensor[(n, m), float32]"),
    ("x: Tensor[_, float32], y: Tensor[(m,), float32]", "outer(x, y)", "Tensor[ndim=2, float32]"),
    (
        "x: Tensor[(n, k), float32], y: Tensor[(k, m), float32]",
        'einsum((x, y), subscripts="ij,jk->ik")',
        "Tensor[(n, m), float32]",
    ),
    (
        "x: Tensor[(n, k), float32], y: Tensor[(k, m), float32]",
        'einsum((x, y), subscripts="ij,jk")',
        "Tensor[(n, m), float32]",
    ),
    ("x: Tensor[(n, k), float32]", 'einsum((x,), subscripts="ij->")', "Tensor[(), float32]"),
    ("x: Tensor[(n, n), float32]", 'einsum((x,), subscripts="ii->i")', "Tensor[(n,), float32]"),
    (
        "x: Tensor[(b, n, 3), float32], y: Tensor[(3, m), float32]",
        'einsum((x, y), subscripts="...i,ij->...j")',
        "Tensor[(b, n, m), float32]",
    ),
    (
        "x: Tensor[ndim=3, float32], y: Tensor[(b, j, k), float32]",
        'einsum((x, y), subscripts="bij,bjk->b")',
        "Tensor[ndim=1, float32]",
    ),
    (
        "x: Tensor[ndim=3, float32], y: Tensor[(2, j, k), float32]",
        'einsum((x, y), subscripts="bij,bjk->bk")',
        "Tensor[(2, k), float32]",
    ),
    (
        "x: Tensor[ndim=3, float32], y: Tensor[(2, j, 4), float32]",
        'einsum((x, y), subscripts="bij,bjk->bk")',
        "Tensor[(2, 4), float32]",
    ),
    ("x: Tensor[_, float32]", 'einsum((x,), subscripts="...i->i...")', "Tensor[_, float32]"),
    ("x: Tensor[ndim=4, float32]", 'einsum((x,), subscripts="...i->i...")', "Tensor[ndim=4, float32]"),
    ("x: Tensor[_, float32]", 'einsum((x,), subscripts="ij->ji")', "Tensor[ndim=2, float32]"),
    (
        (
            "q: Tensor[(b, s, 8, d), float32], k: Tensor[(b, t, 2, d), float32], v: Tensor[(b, t, 2, "
            "e), float32]"
        ),
        "nn.attention(q, k, v)",
        "Tensor[(b, s, 8, e), float32]",
    ),
    (
        (
            "q: Tensor[(b, s, h, d), float32], k: Tensor[(c, t, g, d), float32], v: Tensor[(c, t, g, "
            "e), float32]"
        ),
        "nn.attention(q, k, v)",
        "Tensor[(b, s, h, e), float32]",
    ),
    (
        ("q: Tensor[_, float32], k: Tensor[(b, t, 2, d), float32], v: Tensor[(b, t, 2, e), float32]"),
        "nn.attention(q, k, v)",
        "Tensor[ndim=4, float32]",
    ),
    (
        (
            "q: Tensor[(b, s, 8, d), float32], k: Tensor[(b, t, 8, d), float32], m: Tensor[(1, 8, s, "
            "t), float32]"
        ),
        "nn.attention_bias(q, k, k, m)",
        "Tensor[(b, s, 8, d), float32]",
    ),
]


@pytest.mark.parametrize(("params", "call", "info"), TYPED)
def test_D_11_1_known(params: str, call: str, info: str) -> None:
    assert typed(params, call) == info
