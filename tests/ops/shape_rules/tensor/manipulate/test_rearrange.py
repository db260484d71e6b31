"""Operators that rearrange the elements of one tensor: what is known of the result, and what is wrong."""

from __future__ import annotations

import pytest

from tests.ops.typed import rejected, typed

# parameters, call, what is known of the result
TYPED = [
    ("x: Tensor[(n, 1), float32], s: Shape[ndim=3]", "broadcast_to(x, s)", "Tensor[s, float32]"),
    ("x: Tensor[(n, 1), float32], s: Shape", "broadcast_to(x, s)", "Tensor[s, float32]"),
    (
        "x: Tensor[(n,), float32], m: Tensor[(m,), float32]",
        "broadcast_to(x, shape(m))",
        "Tensor[(m,), float32]",
    ),
    ("x: Tensor[(n,), float32]", "broadcast_to(x, shape(n + 1))", "Tensor[(n + 1,), float32]"),
    ("x: Tensor[(n, m), float32]", "expand_dims(x, axis=[0, -1])", "Tensor[(1, n, m, 1), float32]"),
    ("x: Tensor[ndim=2, float32]", "expand_dims(x, axis=1)", "Tensor[ndim=3, float32]"),
    ("x: Tensor[_, float32]", "expand_dims(x, axis=1)", "Tensor[_, float32]"),
    ("x: Tensor[(1, 2, 1), float32]", "squeeze(x)", "Tensor[(2,), float32]"),
    ("x: Tensor[(n, 2, 1), float32]", "squeeze(x)", "Tensor[_, float32]"),
    ("x: Tensor[(n, 2, 1), float32], y: Tensor[(n - 2,), int8]", "squeeze(x)", "Tensor[(n, 2), float32]"),
    ("x: Tensor[(n, 2, 1), float32]", "squeeze(x, axis=[0, -1])", "Tensor[(2,), float32]"),
    ("x: Tensor[ndim=3, float32]", "squeeze(x, axis=[0, -1])", "Tensor[ndim=1, float32]"),
    ("x: Tensor[(n, m, 3), float32]", "flatten(x)", "Tensor[(m * n * 3,), float32]"),
    ("x: Tensor[(), float32]", "flatten(x)", "Tensor[(1,), float32]"),
    ("x: Tensor", "flatten(x)", "Tensor[ndim=1]"),
    ("x: Tensor[(n, m, 3), float32]", "permute_dims(x)", "Tensor[(3, m, n), float32]"),
    ("x: Tensor[(n, m, 3), float32]", "permute_dims(x, axes=[2, 0, -2])", "Tensor[(3, n, m), float32]"),
    ("x: Tensor[_, float32]", "permute_dims(x, axes=[1, 0])", "Tensor[ndim=2, float32]"),
    ("x: Tensor[(2, n, 3), float32]", "reshape(x, shape(6, -1))", "Tensor[(6, n), float32]"),
    ("x: Tensor[(2, n, 3), float32]", "reshape(x, shape(-1, 6))", "Tensor[(n, 6), float32]"),
    ("x: Tensor[(n, 3), float32]", "reshape(x, shape(4, -1))", "Tensor[(4, n * 3 // 4), float32]"),
    ("x: Tensor[(n, m), float32]", "reshape(x, shape(n * m))", "Tensor[(n * m,), float32]"),
    ("x: Tensor[(n, m), float32]", "reshape(x, shape(m, 4))", "Tensor[(m, 4), float32]"),
    ("x: Tensor[(n, m), float32], s: Shape[ndim=1]", "reshape(x, s)", "Tensor[s, float32]"),
    ("x: Tensor[(n, m), float32]", "reshape(x, shape(0, 0))", "Tensor[(0, 0), float32]"),
    ("x: Tensor[(2, n), float32]", "repeat(x, repeats=3, axis=-1)", "Tensor[(2, n * 3), float32]"),
    ("x: Tensor[(2, n), float32]", "repeat(x, repeats=3)", "Tensor[(n * 6,), float32]"),
    ("x: Tensor[ndim=2, float32]", "repeat(x, repeats=3)", "Tensor[ndim=1, float32]"),
    ("x: Tensor[(2, n), float32]", "tile(x, repeats=[2, 1, 3])", "Tensor[(2, 2, n * 3), float32]"),
    ("x: Tensor[ndim=2, float32]", "tile(x, repeats=[2, 1, 3])", "Tensor[ndim=3, float32]"),
    ("x: Tensor[(2, n), float32]", "flip(x, axis=-1)", "Tensor[(2, n), float32]"),
    (
        "x: Tensor[(2, n), float32], l: Tensor[(2,), int32]",
        "reverse_sequence(x, l)",
        "Tensor[(2, n), float32]",
    ),
    (
        "x: Tensor[(2, n), float32], t: Tensor[(n,), float32]",
        "collapse_sum_like(x, t)",
        "Tensor[(n,), float32]",
    ),
    ("x: Tensor[(2, n), float32]", "collapse_sum_to(x, shape(1, n))", "Tensor[(1, n), float32]"),
    (
        "x: Tensor[(7, n), float32]",
        'layout_transform(x, index_map="(i, j) -> (i // 4, j, i % 4)")',
        "Tensor[(2, n, 4), float32]",
    ),
    (
        "x: Tensor[(n, m), float32]",
        'layout_transform(x, index_map="(i, j) -> (i // 4, j * 2, i * 4 + j, 7 - 0 * i)")',
        "Tensor[((n + 3) // 4, max(m * 2 - 1, 0), max(m + n * 4 - 4, 0), 8), float32]",
    ),
    (
        "x: Tensor[(n, m), float32]",
        'layout_transform(x, index_map="(i, j) -> (i * j,)")',
        "Tensor[ndim=1, float32]",
    ),
    ("x: Tensor[(n, m), float32]", "memory.view(x, shape(n, m, 4), dtype=int8)", "Tensor[(n, m, 4), int8]"),
    ("x: Tensor[(n, 3, m), float32]", "nn.batch_flatten(x)", "Tensor[(n, m * 3), float32]"),
    ("x: Tensor[(n, 3), float32]", "nn.pad(x, pad_width=[1, 1, 0, 2])", "Tensor[(n + 2, 5), float32]"),
    ("x: Tensor[_, float32]", "nn.pad(x, pad_width=[1, 1, 0, 2])", "Tensor[ndim=2, float32]"),
    (
        "x: Tensor[(n, 8, m, k), float32]",
        "nn.pixel_shuffle(x, upscale_factor=2)",
        "Tensor[(n, 2, m * 2, k * 2), float32]",
    ),
    ("x: Tensor[(n, 3), float32], s: Shape[ndim=1]", "collapse_sum_to(x, s)", "Tensor[s, float32]"),
    (
        "x: Tensor[(n, 3), float32]",
        'layout_transform(x, index_map="(i, j) -> (i - j + 3 * 7, 0)")',
        "Tensor[(n + 21, 1), float32]",
    ),
]

# parameters, call, what is wrong with it
REJECTED = [
    (
        "x: Tensor[(n, 3), float32]",
        "broadcast_to(x, shape(n, 4))",
        (
            "op-shape-mismatch: broadcast_to: shapes `(n, 3)` and `(n, 4)` do not fit: axis 1 of `x` is 3, where "
            "4 is wanted"
        ),
    ),
    (
        "x: Tensor[(n, 3), float32]",
        "broadcast_to(x, shape(4))",
        (
            "op-shape-mismatch: broadcast_to: shapes `(n, 3)` and `(4,)` do not fit: `x` has rank 2, the shape "
            "has rank 1"
        ),
    ),
    (
        "x: Tensor[(n, 3), float32]",
        "broadcast_to(x, shape(2, n, -3))",
        "negative-dimension: a dimension is never negative, this one is -3",
    ),
    (
        "x: Tensor[(n, m), float32]",
        "expand_dims(x, axis=-4)",
        "op-axis: expand_dims: axis -4 is outside [-3, 2]",
    ),
    (
        "x: Tensor[(n, m), float32]",
        "expand_dims(x, axis=[0, -4])",
        "op-axis: expand_dims: axis -4 is given twice",
    ),
    (
        "x: Tensor[(n, 2, 1), float32]",
        "squeeze(x, axis=1)",
        "op-shape-mismatch: squeeze: shape `(n, 2, 1)`: axis 1 has extent 2; only axes of extent 1 can be dropped",
    ),
    (
        "x: Tensor[(n, m, 3), float32]",
        "permute_dims(x, axes=[1, 0])",
        "op-attribute: permute_dims: bad attribute `axes`: 2 axes for a tensor of rank 3",
    ),
    (
        "x: Tensor[(n, m, 3), float32]",
        "permute_dims(x, axes=[1, 0, -2])",
        "op-axis: permute_dims: axis -2 is given twice",
    ),
    (
        "x: Tensor[(2, 3), float32]",
        "reshape(x, shape(7))",
        "op-shape-mismatch: reshape: shapes `(2, 3)` and `(7,)` do not fit: 6 and 7 elements",
    ),
    (
        "x: Tensor[(n,), float32]",
        "reshape(x, shape(n + 1))",
        "op-shape-mismatch: reshape: shapes `(n,)` and `(n + 1,)` do not fit: n and n + 1 elements",
    ),
    (
        "x: Tensor[(2, 3), float32]",
        "reshape(x, shape(4, -1))",
        "op-shape-mismatch: reshape: shapes `(2, 3)` and `(4, -1)` do not fit: 6 elements cannot be divided by 4",
    ),
    (
        "x: Tensor[(2, 3), float32]",
        "reshape(x, shape(-1, -1))",
        "op-shape-mismatch: reshape: shape `(-1, -1)`: only one extent can be -1",
    ),
    (
        "x: Tensor[(2, 3), float32]",
        "reshape(x, shape(-2, 3))",
        "negative-dimension: a dimension is never negative, this one is -2",
    ),
    (
        "x: Tensor[(2, 3), float32]",
        "reshape(x, shape(-1, 0))",
        "op-shape-mismatch: reshape: shape `(-1, 0)`: the extent -1 does not follow from the others",
    ),
    (
        "x: Tensor[(2, n), float32]",
        "repeat(x, repeats=3, axis=2)",
        "op-axis: repeat: axis 2 is outside [-2, 1]",
    ),
    ("x: Tensor[(2, n), float32]", "flip(x, axis=-3)", "op-axis: flip: axis -3 is outside [-2, 1]"),
    (
        "x: Tensor[(2, n), float32], l: Tensor[(3,), int32]",
        "reverse_sequence(x, l)",
        (
            "op-shape-mismatch: reverse_sequence: shapes `(2, n)` and `(3,)` do not fit: axis 0 of `data` is 2, "
            "`seq_lengths` has 3 elements"
        ),
    ),
    (
        "x: Tensor[(2, n), float32], l: Tensor[(2,), int32]",
        "reverse_sequence(x, l, seq_axis=1, batch_axis=-1)",
        "op-axis: reverse_sequence: axis 1 is given twice",
    ),
    (
        "x: Tensor[(2, n), float32]",
        "collapse_sum_to(x, shape(n + 2))",
        (
            "op-shape-mismatch: collapse_sum_to: shapes `(2, n)` and `(n + 2,)` do not fit: axis 0 of the target "
            "is n + 2, not n"
        ),
    ),
    (
        "x: Tensor[(2, 3), float32]",
        "collapse_sum_to(x, shape(2, 2))",
        (
            "op-shape-mismatch: collapse_sum_to: shapes `(2, 3)` and `(2, 2)` do not fit: axis 1 of the target "
            "is 2, not 3"
        ),
    ),
    (
        "x: Tensor[(2, n), float32]",
        "collapse_sum_to(x, shape(1, 2, n))",
        (
            "op-shape-mismatch: collapse_sum_to: shapes `(2, n)` and `(1, 2, n)` do not fit: the target has rank "
            "3, `data` has rank 2"
        ),
    ),
    (
        "x: Tensor[(n, m), float32]",
        'layout_transform(x, index_map="(i, j) -> (j - 3, i)")',
        "op-attribute: layout_transform: bad attribute `index_map`: an index may become -3",
    ),
    (
        "x: Tensor[(n, m), float32]",
        'layout_transform(x, index_map="(i) -> (i, i)")',
        "op-attribute: layout_transform: bad attribute `index_map`: 1 names for a tensor of rank 2",
    ),
    (
        "x: Tensor[(n, m), float32]",
        'layout_transform(x, index_map="(i, j) -> (k, i)")',
        (
            'op-attribute: layout_transform: bad attribute `index_map`: "(i, j) -> (k, i)" is not an index map such as '
            '"(i, j) -> (i // 4, j, i % 4)"'
        ),
    ),
    (
        "x: Tensor[(n, m), int32]",
        'layout_transform(x, index_map="(i, j) -> (j, i)", pad_value=0.5)',
        "op-attribute: layout_transform: bad attribute `pad_value`: `0.5` is not a value of int32",
    ),
    (
        "x: Tensor[(2, 3), float32]",
        "memory.view(x, dtype=int64)",
        "op-shape-mismatch: memory.view: shape `(2, 3)`: the view needs 48 bytes, there are 24",
    ),
    (
        "x: Tensor[(n, 3), float32]",
        "memory.view(x, shape(n, 3), 4)",
        (
            "op-shape-mismatch: memory.view: shape `(n, 3)`: the view needs n * 12 bytes from byte 4 on, there "
            "are n * 12"
        ),
    ),
    (
        "x: Tensor[(n, 3), float32]",
        "memory.view(x, shape(n, 2), -4)",
        "op-attribute: memory.view: `relative_byte_offset`: the offset is -4; it counts from the start of `x`",
    ),
    (
        "x: Tensor[(n,), float32]",
        "nn.batch_flatten(x)",
        (
            "op-argument: argument 1 of nn.batch_flatten must be a tensor of rank 2 or more, not `Tensor[(n,), "
            "float32]`"
        ),
    ),
    (
        "x: Tensor[(n, 3), float32]",
        "nn.pad(x, pad_width=[1, 1, 0])",
        (
            "op-attribute: nn.pad: bad attribute `pad_width`: 3 numbers for a tensor of rank 2; two per axis are "
            "needed"
        ),
    ),
    (
        "x: Tensor[_, float32]",
        "nn.pad(x, pad_width=[1, 1, 0])",
        "op-attribute: nn.pad: bad attribute `pad_width`: 3 numbers; two per axis are needed",
    ),
    (
        "x: Tensor[(n, 1), float32]",
        'nn.pad(x, pad_width=[1, 1, 0, 1], pad_mode="reflect")',
        'op-shape-mismatch: nn.pad: shape `(n, 1)`: axis 1 has extent 1; "reflect" needs at least 2',
    ),
    (
        "x: Tensor[(n, 6, m, k), float32]",
        "nn.pixel_shuffle(x, upscale_factor=2)",
        (
            "op-shape-mismatch: nn.pixel_shuffle: shape `(n, 6, m, k)`: 6 channels (axis 1) cannot be divided by "
            "2² = 4"
        ),
    ),
    (
        "x: Tensor[(n, 6), float32]",
        "nn.pixel_shuffle(x, upscale_factor=2)",
        (
            "op-argument: argument 1 of nn.pixel_shuffle must be a tensor of rank 3 or more, not `Tensor[(n, 6), "
            "float32]`"
        ),
    ),
    (
        "x: Tensor[(n, 3), float32], s: Shape[ndim=1]",
        "broadcast_to(x, s)",
        (
            "op-shape-mismatch: broadcast_to: shapes `(n, 3)` and `Shape[ndim=1]` do not fit: `x` has rank 2, "
            "the shape has rank 1"
        ),
    ),
]


@pytest.mark.parametrize(("params", "call", "info"), TYPED)
def test_D_11_1_typed(params: str, call: str, info: str) -> None:
    assert typed(params, call) == info


@pytest.mark.parametrize(("params", "call", "message"), REJECTED)
def test_OP_rejected(params: str, call: str, message: str) -> None:
    assert rejected(params, call) == [message]
