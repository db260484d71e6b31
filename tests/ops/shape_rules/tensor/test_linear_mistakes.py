"""Calls of products and attention whose operands do not go together. [OP]"""

from __future__ import annotations

import pytest

from tests.ops.typed import rejected

# parameters, call, what is wrong
REJECTED = [
    (
        "x: Tensor[(n, 3), float32], y: Tensor[(4, m), float32]",
        "matmul(x, y)",
        [
            (
                "op-shape-mismatch: matmul: shapes `(n, 3)` and `(4, m)` do not fit: axis 1 of `x1` is "
                "3, axis 0 of `x2` is 4"
            )
        ],
    ),
    (
        "x: Tensor[(n, k + 1), float32], y: Tensor[(k, m), float32]",
        "matmul(x, y)",
        [
            (
                "op-shape-mismatch: matmul: shapes `(n, k + 1)` and `(k, m)` do not fit: axis 1 of `x1` "
                "is k + 1, axis 0 of `x2` is k"
            )
        ],
    ),
    (
        "x: Tensor[(3,), float32], y: Tensor[(2, 4, m), float32]",
        "matmul(x, y)",
        [
            (
                "op-shape-mismatch: matmul: shapes `(3,)` and `(2, 4, m)` do not fit: axis 0 of `x1` is "
                "3, axis 1 of `x2` is 4"
            )
        ],
    ),
    (
        "x: Tensor[(2, n, 3), float32], y: Tensor[(5, 3, m), float32]",
        "matmul(x, y)",
        [
            (
                "op-shape-mismatch: matmul: shapes `(2, n, 3)` and `(5, 3, m)` do not fit: axis 0 is 2 "
                "in `x1` and 5 in `x2`"
            )
        ],
    ),
    (
        "x: Tensor[(6, 2, n, 3), float32], y: Tensor[(5, 3, m), float32]",
        "matmul(x, y)",
        [
            (
                "op-shape-mismatch: matmul: shapes `(6, 2, n, 3)` and `(5, 3, m)` do not fit: axis -3 is "
                "2 in `x1` and 5 in `x2`"
            )
        ],
    ),
    (
        "x: Tensor[(), float32], y: Tensor[(n, 3), float32]",
        "matmul(x, y)",
        [("op-argument: argument 1 of matmul must be a tensor of rank 1 or more, not `Tensor[(), float32]`")],
    ),
    (
        "x: Tensor[(2, 3), float32], y: Tensor[(4, 3), int32]",
        "matmul(x, y)",
        [
            "op-dtype-mismatch: matmul: `x1` is float32, `x2` is int32; one dtype is needed",
            (
                "op-shape-mismatch: matmul: shapes `(2, 3)` and `(4, 3)` do not fit: axis 1 of `x1` is "
                "3, axis 0 of `x2` is 4"
            ),
        ],
    ),
    (
        "x: Tensor[(2, 3), bool]",
        "matmul(x, x)",
        [
            "op-dtype-mismatch: matmul: does not take bool for `x1` and `x2`: a number dtype is needed",
            (
                "op-shape-mismatch: matmul: shapes `(2, 3)` and `(2, 3)` do not fit: axis 1 of `x1` is "
                "3, axis 0 of `x2` is 2"
            ),
        ],
    ),
    (
        "x: Tensor[(n, 3), float32], w: Tensor[(4, 5), float32]",
        "linear(x, w)",
        [
            (
                "op-shape-mismatch: linear: shapes `(n, 3)` and `(4, 5)` do not fit: axis 1 of `data` is "
                "3, axis 1 of `weight` is 5"
            )
        ],
    ),
    (
        "x: Tensor[(n, 3), float32], w: Tensor[(4, 3), float32], b: Tensor[(5,), float32]",
        "linear(x, w, b)",
        [
            (
                "op-shape-mismatch: linear: shapes `(n, 3)`, `(4, 3)`, `(5,)`: axis -1 is 4 in "
                "`matmul(data, weight)` and 5 in `bias`"
            )
        ],
    ),
    (
        "x: Tensor[(n, 3), float32], w: Tensor[(4, 3), float32], b: Tensor[(4,), float16]",
        "linear(x, w, b)",
        ["op-dtype-mismatch: linear: `data` is float32, `bias` is float16; one dtype is needed"],
    ),
    (
        "x: Tensor[(n, 3), float32], w: Tensor[(4, 3), float32], b: Tensor[(4,), float32]",
        "linear(x, w, b, out_dtype=float16)",
        ["op-dtype-mismatch: linear: does not take float32 for `bias`: float16 is needed"],
    ),
    (
        "x: Tensor[(n,), float32], y: Tensor[(m,), float16]",
        "outer(x, y)",
        ["op-dtype-mismatch: outer: `x1` is float32, `x2` is float16; one dtype is needed"],
    ),
    (
        "x: Tensor[(n, 3), float32], y: Tensor[(4, m), float32]",
        'einsum((x, y), subscripts="ij,jk->ik")',
        [
            (
                "op-shape-mismatch: einsum: shapes `(n, 3)` and `(4, m)` do not fit: `j` is 3 in "
                "operands[0] and 4 in operands[1]"
            )
        ],
    ),
    (
        "x: Tensor[(n, 2, 3), float32], y: Tensor[(4, m), float32]",
        'einsum((x, y), subscripts="...i,...j->...ij")',
        [
            (
                "op-shape-mismatch: einsum: shapes `(n, 2, 3)` and `(4, m)` do not fit: `...`: axis -1 "
                "is 2 in operands[0] and 4 in operands[1]"
            )
        ],
    ),
    (
        "x: Tensor[(1, 3), float32]",
        'einsum((x,), subscripts="ii->i")',
        ["op-shape-mismatch: einsum: shape `(1, 3)`: `i` is 1 and 3 in operands[0]"],
    ),
    (
        "x: Tensor[(n, 3), float32]",
        'einsum((x,), subscripts="ij,jk->ik")',
        ['op-attribute: einsum: bad attribute `subscripts`: "ij,jk" names 2 operands, 1 is given'],
    ),
    (
        "x: Tensor[(n, 3), float32]",
        'einsum((x,), subscripts="i->i")',
        [('op-attribute: einsum: bad attribute `subscripts`: "i" has 1 letter, operands[0] has rank 2')],
    ),
    (
        "x: Tensor[(n, 3), float32]",
        'einsum((x,), subscripts="ij->k")',
        [
            (
                "op-attribute: einsum: bad attribute `subscripts`: `k` right of the arrow must name one "
                "axis on its left"
            )
        ],
    ),
    (
        "x: Tensor[(n, 3), float32]",
        'einsum((x,), subscripts="i...->i")',
        [
            (
                "op-attribute: einsum: bad attribute `subscripts`: the axes of `...` must be on the right of "
                "the arrow too"
            )
        ],
    ),
    (
        "x: Tensor[(n, 3), float32], y: Tensor[(3,), int32]",
        'einsum((x, y), subscripts="ij,j->i")',
        [
            (
                "op-dtype-mismatch: einsum: field 0 of `operands` is float32, "
                "field 1 of `operands` is int32; one dtype is needed"
            )
        ],
    ),
    (
        "d: Shape[(n,)]",
        'einsum((), subscripts="->")',
        ["op-argument: argument 1 of einsum must be a tuple of one tensor or more, not `()`"],
    ),
    (
        "q: Tensor[(b, s, 8, d), float32], k: Tensor[(b, t, 3, d), float32]",
        "nn.attention(q, k, k)",
        [
            (
                "op-shape-mismatch: nn.attention: shapes `(b, s, 8, d)` and `(b, t, 3, d)` do not fit: 8 "
                "query heads are not a multiple of 3 key heads (axis 2)"
            )
        ],
    ),
    (
        "q: Tensor[(b, s, 8, 4), float32], k: Tensor[(b, t, 8, 5), float32]",
        "nn.attention(q, k, k)",
        [
            (
                "op-shape-mismatch: nn.attention: shapes `(b, s, 8, 4)` and `(b, t, 8, 5)` do not fit: "
                "axis 3 is 4 in `query` and 5 in `key`"
            )
        ],
    ),
    (
        (
            "q: Tensor[(b, s, 8, d), float32], k: Tensor[(b, 5, 8, d), float32], v: Tensor[(b, 6, 8, "
            "d), float32]"
        ),
        "nn.attention(q, k, v)",
        [
            (
                "op-shape-mismatch: nn.attention: shapes `(b, 5, 8, d)` and `(b, 6, 8, d)` do not fit: "
                "axis 1 is 5 in `key` and 6 in `value`"
            )
        ],
    ),
    (
        "q: Tensor[(b, s, 8, d), float32], k: Tensor[(b, t, 8, d), float16]",
        "nn.attention(q, k, k)",
        [
            "op-dtype-mismatch: nn.attention: `query` is float32, `key` and `value` are float16; one dtype is needed"
        ],
    ),
    (
        "q: Tensor[(b, s, 8), float32]",
        "nn.attention(q, q, q)",
        [
            (
                "op-argument: argument 1 of nn.attention must be a tensor of rank 4, not `Tensor[(b, s, "
                "8), float32]`"
            ),
        ],
    ),
    (
        (
            "q: Tensor[(b, s, 8, d), float32], k: Tensor[(b, 5, 8, d), float32], m: Tensor[(1, 1, 1, "
            "1), float32]"
        ),
        "nn.attention_bias(q, k, k, m)",
        [
            (
                "op-shape-mismatch: nn.attention_bias: shape `(1, 1, 1, 1)`: axis 3 of `bias` is 1, "
                "where 5 is needed"
            )
        ],
    ),
    (
        (
            "q: Tensor[(b, s, 8, d), float32], k: Tensor[(b, 5, 8, d), float32], m: Tensor[(b, 4, s, "
            "5), float32]"
        ),
        "nn.attention_bias(q, k, k, m)",
        [
            (
                "op-shape-mismatch: nn.attention_bias: shape `(b, 4, s, 5)`: axis 1 of `bias` is 4, "
                "where 8 is needed"
            )
        ],
    ),
]


@pytest.mark.parametrize(("params", "call", "messages"), REJECTED)
def test_OP_rejected(params: str, call: str, messages: list[str]) -> None:
    assert rejected(params, call) == messages
