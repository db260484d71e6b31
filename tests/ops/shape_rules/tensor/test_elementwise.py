"""Functions element by element and broadcasting: what is known of the result, and what is wrong."""

from __future__ import annotations

import pytest

from tests.ops.typed import rejected, typed

# parameters, call, what is known of the result
TYPED = [
    ("x: Tensor[(n, 3), float32]", "abs(x)", "Tensor[(n, 3), float32]"),
    ("x: Tensor[ndim=2, float32]", "exp(x)", "Tensor[ndim=2, float32]"),
    ("x: Tensor", "exp(x)", "Tensor"),
    ("x: Tensor[(), float32]", "exp(x)", "Tensor[(), float32]"),
    ("s: Shape, x: Tensor[s, float32]", "tanh(x)", "Tensor[s, float32]"),
    ("s: Shape[(n, 3)], x: Tensor[s, float32]", "tanh(x)", "Tensor[(n, 3), float32]"),
    ("x: Tensor[(n, 3), float32]", "isnan(x)", "Tensor[(n, 3), bool]"),
    ("x: Tensor", "isinf(x)", "Tensor[_, bool]"),
    ("x: Tensor[(n,), int32]", "clip(x, 0, 6)", "Tensor[(n,), int32]"),
    ("x: Tensor[(n, 3), float32], y: Tensor[(n, 3), float32]", "x + y", "Tensor[(n, 3), float32]"),
    ("x: Tensor[(n, 1), float32], y: Tensor[(1, m), float32]", "x + y", "Tensor[(n, m), float32]"),
    (
        "x: Tensor[(n * 2,), float32], y: Tensor[(n + n,), float32], z: Tensor[(n,), float32]",
        "x + y",
        "Tensor[(n * 2,), float32]",
    ),
    ("x: Tensor[(n,), float32], y: Tensor[(m,), float32]", "x + y", "Tensor[ndim=1, float32]"),
    ("x: Tensor[(n,), float32], y: Tensor[(m, 1), float32]", "x + y", "Tensor[(m, n), float32]"),
    ("x: Tensor[(n, 4), float32], y: Tensor[(m, 4), float32]", "x + y", "Tensor[ndim=2, float32]"),
    ("x: Tensor[(n,), float32], y: Tensor[(3,), float32]", "x + y", "Tensor[(3,), float32]"),
    ("x: Tensor[(n,), float32], y: Tensor[(n + 2,), float32]", "x + y", "Tensor[(n + 2,), float32]"),
    ("x: Tensor[(0,), float32], y: Tensor[(1,), float32]", "x + y", "Tensor[(0,), float32]"),
    ("x: Tensor[(0,), float32], y: Tensor[(n,), float32]", "x + y", "Tensor[(0,), float32]"),
    ("x: Tensor[ndim=2, float32], y: Tensor[(3,), float32]", "x + y", "Tensor[ndim=2, float32]"),
    ("x: Tensor[_, float32], y: Tensor[(3,), float32]", "x + y", "Tensor[_, float32]"),
    ("x: Tensor[(3,), float32], y: Tensor[(3,)]", "x + y", "Tensor[(3,)]"),
    ("x: Tensor[_, float32], y: Tensor[(), float32]", "x + y", "Tensor[_, float32]"),
    ("s: Shape, x: Tensor[s, float32], y: Tensor[s, float32]", "x + y", "Tensor[s, float32]"),
    ("s: Shape, x: Tensor[s, float32]", "x * 2.0", "Tensor[s, float32]"),
    ("s: Shape[ndim=2], x: Tensor[s, float32], y: Tensor[(1,), float32]", "x * y", "Tensor[s, float32]"),
    (
        "s: Shape[ndim=1], x: Tensor[s, float32], y: Tensor[(1, 1), float32]",
        "x * y",
        "Tensor[ndim=2, float32]",
    ),
    ("s: Shape, t: Shape, x: Tensor[s, float32], y: Tensor[t, float32]", "x + y", "Tensor[_, float32]"),
    ("x: Tensor[(n, 3), float32], y: Tensor[(n, 1), int32]", "x < y", "Tensor[(n, 3), bool]"),
    ("x: Tensor, y: Tensor[(2, 3)]", "equal(x, y)", "Tensor[_, bool]"),
    ("x: Tensor[(n,), int32]", "left_shift(x, 1)", "Tensor[(n,), int32]"),
    (
        "c: Tensor[(n, 1), bool], x: Tensor[(3,), float32], y: Tensor[(), float32]",
        "where(c, x, y)",
        "Tensor[(n, 3), float32]",
    ),
    (
        "c: Tensor[(3,), bool], x: Tensor[(n,), float32], y: Tensor[(m,), float32]",
        "where(c, x, y)",
        "Tensor[(3,), float32]",
    ),
    (
        "c: Tensor[(n,), bool], x: Tensor[(m,), float32], y: Tensor[(k,), float32]",
        "where(c, x, y)",
        "Tensor[ndim=1, float32]",
    ),
    (
        "c: Tensor, x: Tensor[(n, m), float32], y: Tensor[(n, m), float32]",
        "where(c, x, y)",
        "Tensor[_, float32]",
    ),
    (
        "c: Tensor[ndim=3, bool], x: Tensor[(n, m), float32], y: Tensor[(n, m)]",
        "where(c, x, y)",
        "Tensor[ndim=3]",
    ),
    ("s: Shape, c: Tensor[s, bool], x: Tensor[s, float32]", "where(c, x, 0.0)", "Tensor[s, float32]"),
    (
        "x: Tensor[ndim=2, float32], y: Tensor[(n, m), float32], z: Tensor[(n, m), float32]",
        "ewise_fma(x, y, z)",
        "Tensor[(n, m), float32]",
    ),
    ("s: Shape, x: Tensor[_, float32], y: Tensor[s, float32], z: Tensor", "ewise_fma(x, y, z)", "Tensor[s]"),
    ("x: Tensor[(n,), float32], y: Tensor[(m,), float32]", "ewise_fma(x, y, y)", "Tensor[(n,), float32]"),
    ("x: Tensor[(n, 1), float32], m: Tensor[(4,), bool]", "masked_fill(x, m, 0)", "Tensor[(n, 4), float32]"),
]

# parameters, call, what is wrong
REJECTED = [
    (
        "x: Tensor[(n, 3), int32]",
        "exp(x)",
        ["op-dtype-mismatch: exp: does not take int32 for `x`: a float dtype is needed"],
    ),
    (
        "x: Tensor[(n, 3), bool]",
        "negative(x)",
        ["op-dtype-mismatch: negative: does not take bool for `x`: a number dtype is needed"],
    ),
    (
        "x: Tensor[_, int32]",
        "clip(x, nan, 1)",
        ["op-attribute: clip: `min`: nan cannot be a bound for int32"],
    ),
    (
        "x: Object",
        "abs(x)",
        ["needs-match-cast: `Object` is not known to be `Tensor`"],
    ),
    ("s: Shape", "abs(s)", ["op-argument: argument 1 of abs must be a tensor, not `Shape`"]),
    (
        "x: Tensor[(2,), float32], y: Tensor[(3,), float32]",
        "x + y",
        [("op-shape-mismatch: add: shapes `(2,)` and `(3,)` do not fit: axis 0 is 2 in `x1` and 3 in `x2`")],
    ),
    (
        "x: Tensor[(0,), float32], y: Tensor[(3,), float32]",
        "x + y",
        [("op-shape-mismatch: add: shapes `(0,)` and `(3,)` do not fit: axis 0 is 0 in `x1` and 3 in `x2`")],
    ),
    (
        "x: Tensor[(n, 2), float32], y: Tensor[(m, n, 3), float32]",
        "x * y",
        [
            (
                "op-shape-mismatch: multiply: shapes `(n, 2)` and `(m, n, 3)` do not fit: axis -1 is 2 "
                "in `x1` and 3 in `x2`"
            )
        ],
    ),
    (
        "x: Tensor[(2, 3)], y: Tensor[(2, 4)]",
        "x + y",
        [
            (
                "op-shape-mismatch: add: shapes `(2, 3)` and `(2, 4)` do not fit: axis 1 is 3 in `x1` "
                "and 4 in `x2`"
            )
        ],
    ),
    (
        "x: Tensor[(n + 2,), float32], y: Tensor[(n + 3,), float32], z: Tensor[(n,), float32]",
        "x + y",
        [
            (
                "op-shape-mismatch: add: shapes `(n + 2,)` and `(n + 3,)` do not fit: axis 0 is n + 2 in "
                "`x1` and n + 3 in `x2`"
            )
        ],
    ),
    (
        "x: Tensor[(3,), float32]",
        "x + 1",
        ["op-dtype-mismatch: add: `x1` is float32, `x2` is int32; one dtype is needed"],
    ),
    (
        "x: Tensor[(3,), float32], y: Tensor[(3,), float16]",
        "x + y",
        ["op-dtype-mismatch: add: `x1` is float32, `x2` is float16; one dtype is needed"],
    ),
    (
        "x: Tensor[(3,), float32], y: Tensor[(2,), float16]",
        "x + y",
        [
            "op-dtype-mismatch: add: `x1` is float32, `x2` is float16; one dtype is needed",
            (
                "op-shape-mismatch: add: shapes `(3,)` and `(2,)` do not fit: axis 0 is 3 in `x1` and 2 "
                "in `x2`"
            ),
        ],
    ),
    (
        "x: Tensor[(3,), float32], y: Tensor[(2,), int32]",
        "x < y",
        [("op-shape-mismatch: less: shapes `(3,)` and `(2,)` do not fit: axis 0 is 3 in `x1` and 2 in `x2`")],
    ),
    (
        "x: Tensor[(3,), float32]",
        "logical_and(x, x)",
        [
            "op-dtype-mismatch: logical_and: does not take float32 for `x1` and `x2`: bool is needed",
        ],
    ),
    (
        "c: Tensor[(4,), bool], x: Tensor[(3,), float32], y: Tensor[(1,), float32]",
        "where(c, x, y)",
        [
            (
                "op-shape-mismatch: where: shapes `(3,)` and `(4,)` do not fit: axis 0 is 3 in `x1` and "
                "4 in `condition`"
            )
        ],
    ),
    (
        "c: Tensor[(4,), int32], x: Tensor[(4,), float32], y: Tensor[(4,), float64]",
        "where(c, x, y)",
        [
            "op-dtype-mismatch: where: does not take int32 for `condition`: bool is needed",
            "op-dtype-mismatch: where: `x1` is float32, `x2` is float64; one dtype is needed",
        ],
    ),
    (
        "x: Tensor[(n,), float32], y: Tensor[(n, 1), float32]",
        "ewise_fma(x, x, y)",
        [
            (
                "op-shape-mismatch: ewise_fma: shapes `(n,)` and `(n, 1)` do not fit: `x1` has rank 1, "
                "`x3` has rank 2"
            )
        ],
    ),
    (
        "x: Tensor[(n,), float32], y: Tensor[ndim=2, float32]",
        "ewise_fma(y, x, y)",
        [
            (
                "op-shape-mismatch: ewise_fma: shapes `Tensor[ndim=2, float32]` and `(n,)` do not fit: "
                "`x1` has rank 2, `x2` has rank 1"
            )
        ],
    ),
    (
        "x: Tensor[(n,), float32], y: Tensor[(n + 1,), float32]",
        "ewise_fma(x, y, x)",
        [
            (
                "op-shape-mismatch: ewise_fma: shapes `(n,)` and `(n + 1,)` do not fit: axis 0 is n in "
                "`x1` and n + 1 in `x2`"
            )
        ],
    ),
    (
        "x: Tensor[(3,), float32], m: Tensor[(4,), bool]",
        "masked_fill(x, m, 0)",
        [
            (
                "op-shape-mismatch: masked_fill: shapes `(3,)` and `(4,)` do not fit: axis 0 is 3 in `x` "
                "and 4 in `mask`"
            )
        ],
    ),
    (
        "x: Tensor[(3,), float32], m: Tensor[(3,), bool]",
        "masked_fill(x, m, const([1.0]))",
        [("op-argument: argument 3 of masked_fill must be a tensor of rank 0, not `Tensor[(1,), float32]`")],
    ),
]


@pytest.mark.parametrize(("params", "call", "info"), TYPED)
def test_D_11_1_known(params: str, call: str, info: str) -> None:
    assert typed(params, call) == info


@pytest.mark.parametrize(("params", "call", "messages"), REJECTED)
def test_OP_rejected(params: str, call: str, messages: list[str]) -> None:
    assert rejected(params, call) == messages
