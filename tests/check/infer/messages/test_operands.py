"""Operands that nothing relates: a hint with an example that fails, and what the run makes known. [OP.6] [Z.4]"""

from __future__ import annotations

import re

import numpy as np
import pytest

from relax_lang import RelaxError, api
from relax_lang.base.diagnostic import HINT, WARNING
from tests.check.infer.harness import check, found

PAIRS = [
    ("x: Tensor[(n, k), float32], y: Tensor[(j, m), float32]", "matmul(x, y)", "k = 1, j = 2"),
    ("x: Tensor[(n,), float32], y: Tensor[(m,), float32]", "x + y", "n = 2, m = 3"),
    ("x: Tensor[(n,), float32], y: Tensor[(n + 1,), float32]", "x + y", "n = 2"),
    ("x: Tensor[(n,), float32], y: Tensor[(3,), float32]", "x + y", "n = 2"),
    ("x: Tensor[(n, 2), float32], y: Tensor[(m, 3), float32]", "concat((x, y), axis=1)", "n = 1, m = 2"),
    ("x: Tensor[(1, c, 8, 8), float32], y: Tensor[(4, d, 3, 3), float32]", "nn.conv2d(x, y)", "c = 1, d = 2"),
    ("x: Tensor[(n, 4), float32], y: Tensor[(m,), float32]", "reshape(x, shape(m))", "n = 1, m = 1"),
    ("x: Tensor[(n * 2, 4), float32], y: Tensor[(n, m), float32]", "einsum((x, y), subscripts=\"ij,ik->jk\")", "n = 2"),
    ("x: Tensor[(n,), float32], y: Tensor[(m,), float32]", "where(x > 0.0, x, y)", "n = 2, m = 3"),
    ("x: Tensor[(n - m,), float32], y: Tensor[(m,), float32], z: Tensor[(n,), float32]", "x * y", "n = 2, m = 2"),
    ("x: Tensor[(k, max(m, 1)), float32], y: Tensor[(m,), float32]", "nn.prelu(x, y)", "m = 0"),
    ("x: Tensor[(k, max(m, 1)), float32], y: Tensor[(m,), float32]", "collapse_sum_like(x, y)", "m = 0"),
]  # fmt: skip


@pytest.mark.parametrize(("params", "call", "example"), PAIRS)
def test_Z_4_a_hint_with_an_example_that_fails(params: str, call: str, example: str) -> None:
    text = f"def @main({params}) {{ {call} }}"
    hints = [one for one in api.check(text).diagnostics if one.slug == "operands-may-differ"]
    assert [one.severity for one in hints] == [HINT]
    assert hints[0].notes
    sizes = hints[0].data["counterexample"]
    assert isinstance(sizes, dict)
    assert len(hints[0].labels) == 2, "both declarations"
    names: dict[str, int] = dict.fromkeys(re.findall(r"\b[a-z]\b", params), 3) | sizes
    shapes = [eval(dims, {}, names) for dims in re.findall(r"Tensor\[(\(.*?\)), float32\]", params)]
    with pytest.raises(RelaxError) as failed:
        api.run(text, *[np.ones(shape, np.float32) for shape in shapes])
    assert failed.value.diagnostics[0].slug.startswith("op-"), failed.value
    assert hints[0].notes == [f"fails for {example}"]


HEADS = "Tensor[(1, 2, 1, 3), float32]"
DRAWN = "multinomial_from_uniform"
POOLED = "pooled_size=1, spatial_scale=1.0"
OPERANDS = [
    ("x: Tensor[(2, n), float32], y: Tensor[(m,), float32]", "nn.prelu(x, y)"),
    ("x: Tensor[(2, n), float32], y: Tensor[(3,), float32]", "nn.prelu(x, y)"),
    ("x: Tensor[(2, 3), float32], y: Tensor[(m,), float32]", "nn.prelu(x, y)"),
    ("x: Tensor[(2, 1), float32], y: Tensor[(m,), float32]", "nn.prelu(x, y)"),
    ("x: Tensor[(n, 3), float32], y: Tensor[(m,), int64]", "reverse_sequence(x, y)"),
    ("x: Tensor[(2, n), float32], y: Tensor[(m,), float32], z: Tensor[(), int8]", "quantize(x, y, z)"),
    ("x: Tensor[(2, n), float32], y: Tensor[(m, 1), float32], z: Tensor[(), int8]", "dequantize(x, y, z)"),
    ("x: Tensor[(2, n), float32], y: Tensor[(4,), float32], z: Tensor[(), int8]", "dequantize(x, y, z)"),
    ("x: Tensor[(2, n, 3), float32]", "image.affine_grid(x, shape(2, 2))"),
    ("x: Tensor[(1, 1, 2, 2), float32], y: Tensor[(n, 2, 1, 1), float32]", "image.grid_sample(x, y)"),
    ("x: Tensor[(1, 1, 2, 2), float32], y: Tensor[(1, n, 1, 1), float32]", "image.grid_sample(x, y)"),
    ("x: Tensor[(1, 1, 2, 2), float32], y: Tensor[(1, n), float32]", f"vision.roi_align(x, y, {POOLED})"),
    ("x: Tensor[(1, 1, 2, 2), float32], y: Tensor[(1, n), float32]", f"vision.roi_pool(x, y, {POOLED})"),
    ("x: Tensor[(2, 2), float32], y: Tensor[(n, 1), float32], z: Tensor[(m, 1), int8]", f"{DRAWN}(x, y, z)"),
    ("x: Tensor[(2, 2), float32], y: Tensor[(3, n), float32], z: Tensor[(3, 1), int64]", f"{DRAWN}(x, y, z)"),
    ("x: Tensor[(2, 2), float32], y: Tensor[(n,), int64]", "dynamic_strided_slice(x, y, y, y)"),
    ("x: Tensor[(2, n), float32], y: Tensor[(2, m), int64]", "gather_elements(x, y, axis=0)"),
    ("x: Tensor[(n,), float32], y: Tensor[(m,), float32]", "memory.view(x, shape(m, 2))"),
    (f"x: {HEADS}, y: {HEADS}, z: Tensor[(1, k, 2, 2), float32]", "nn.attention_bias(x, y, y, z)"),
    ("x: Tensor[(4,), float32], y: Tensor[(n,), int64], z: Tensor[(m,), float32]", "index_put(x, (y,), z)"),
]  # fmt: skip
"""Calls that fail by the extents of their operands for some sizes only."""


@pytest.mark.parametrize(("params", "call"), OPERANDS)
def test_Z_4_what_fails_by_its_extents_is_announced(params: str, call: str) -> None:
    text = f"def @main({params}) {{ {call} }}"
    (hint,) = [one for one in api.check(text).diagnostics if one.slug == "operands-may-differ"]
    sizes = hint.data["counterexample"]
    assert isinstance(sizes, dict)
    names: dict[str, int] = dict.fromkeys(re.findall(r"\b[a-z]\b", params), 1) | sizes
    arrays = [
        np.zeros(eval(dims, {}, names), dtype)
        for dims, dtype in re.findall(r"Tensor\[(\([^)]*\)), (\w+)\]", params)
    ]
    with pytest.raises(RelaxError) as failed:
        api.run(text, *arrays)
    assert failed.value.diagnostics[0].slug.startswith("op-"), failed.value


@pytest.mark.parametrize(
    ("params", "call"),
    [
        ("x: Tensor[(n, 8), float32]", "reshape(x, shape(n, 4))"),
        ("x: Tensor[(n, m, 2), float32]", "reshape(x, shape(n, m, 4))"),
        ("x: Tensor[(n, n * 2), float32], y: Tensor[(n, 3), float32]", "matmul(x, y)"),
    ],
)
def test_OP_6_extents_that_differ_unless_a_size_is_0(params: str, call: str) -> None:
    (found,) = api.check(f"def @main({params}) {{ {call} }}").diagnostics
    assert (found.slug, found.severity) == ("operands-fit-empty-only", WARNING)
    assert found.primary == "they differ, unless a size is 0"
    assert found.data["counterexample"]


MULTIPLES = [
    ("x: Tensor[(n, m), float32]", "broadcast_to(x, shape(4, m))", "n = 2"),
    ("x: Tensor[(n, m), float32]", "reshape(x, shape(-1, 4))", "m = 1, n = 1"),
    ("x: Tensor[(n, m), float32]", "reshape(x, shape(m, 2, -1))", "m = 1, n = 1"),
    ("x: Tensor[(1, c, 4, 4), float32]", "nn.pixel_shuffle(x, upscale_factor=2)", "c = 1"),
    (
        "x: Tensor[(1, 4, 8, 8), float32], w: Tensor[(o, 2, 3, 3), float32]",
        "nn.conv2d(x, w, groups=2)",
        "o = 1",
    ),
    (
        "q: Tensor[(1, 2, h, 8), float32], k: Tensor[(1, 2, g, 8), float32]",
        "nn.attention(q, k, k)",
        "h = 1, g = 2",
    ),
    (
        "q: Tensor[(1, 2, 2, 8), float32], k: Tensor[(1, 2, 2, 8), float32], m: Tensor[(1, p, 1, 2), float32]",
        "nn.attention_bias(q, k, k, m)",
        "p = 3",
    ),
    (
        "x: Tensor[(1, c, 8), float32], w: Tensor[(c,), float32]",
        "nn.group_norm(x, w, w, num_groups=4, channel_axis=1, axes=[2])",
        "c = 1",
    ),
]


@pytest.mark.parametrize(("params", "call", "example"), MULTIPLES)
def test_Z_4_a_hint_where_a_multiple_or_an_expansion_is_not_known(
    params: str, call: str, example: str
) -> None:
    text = f"def @main({params}) {{ {call} }}"
    (hint,) = [one for one in api.check(text).diagnostics if one.slug == "operands-may-differ"]
    assert hint.severity == HINT
    assert hint.notes == [f"fails for {example}"]
    sizes = hint.data["counterexample"]
    assert isinstance(sizes, dict)
    names: dict[str, int] = dict.fromkeys(re.findall(r"\b[a-z]\b", params), 3) | sizes
    shapes = [eval(dims, {}, names) for dims in re.findall(r"Tensor\[(\([^)]*\))", params)]
    with pytest.raises(RelaxError) as failed:
        api.run(text, *[np.ones(shape, np.float32) for shape in shapes])
    assert failed.value.diagnostics[0].slug.startswith("op-"), failed.value


@pytest.mark.parametrize(
    ("params", "call"),
    [
        ("x: Tensor[(n, k), float32], y: Tensor[(k, m), float32]", "matmul(x, y)"),
        ("x: Tensor[(n, m), float32]", "reshape(x, shape(n, -1))"),
        ("s: Shape[(n, c)], x: Tensor[(n, c * 4), float32]", "reshape(x, shape(n, 4, -1))"),
        ("s: Shape[(c,)], x: Tensor[(1, 4 * c, 4, 4), float32]", "nn.pixel_shuffle(x, upscale_factor=2)"),
        ("q: Tensor[(1, 2, h, 8), float32], k: Tensor[(1, 2, h, 8), float32]", "nn.attention(q, k, k)"),
        ("q: Tensor[(1, 2, h, 8), float32], k: Tensor[(1, 2, 1, 8), float32]", "nn.attention(q, k, k)"),
        ("x: Tensor[(n,), float32], y: Tensor[(1,), float32]", "x + y"),
        ("x: Tensor[(n, 1), float32], y: Tensor[(m,), float32]", "x + y"),
        ("x: Tensor[ndim=2, float32], y: Tensor[(m,), float32]", "x + y"),
        ("s: Shape[(n,)], x: Tensor[(n * 2,), float32], y: Tensor[(n + n,), float32]", "x + y"),
        ("s: Shape[(n,)], x: Tensor[(n % 2,), float32], y: Tensor[(1,), float32]", "x + y"),
    ],
)
def test_Z_4_no_hint_where_operands_fit(params: str, call: str) -> None:
    assert found(f"def @main({params}) {{ {call} }}") == []


def test_Z_4_a_warning_under_strict() -> None:
    from relax_lang.check.selection import Selection

    params, call, _ = PAIRS[0]
    (one,) = Selection(strict=True).apply(api.check(f"def @main({params}) {{ {call} }}").diagnostics)
    assert one.severity == "warning"


RELATED = """
def @main(x: Tensor[(n, k), float32], y: Tensor[(j, m), float32]) -> Tensor[(n, m), float32] {
  OPEN let r = matmul(x, y); CLOSE
  let z: Tensor[(k, m), float32] = y;
  REST
}
"""


def test_D_14_what_an_operator_compared_is_known_after_it() -> None:
    text = RELATED.replace("OPEN", "").replace("CLOSE", "").replace("REST", "r")
    assert [slug for slug, _ in found(text)] == ["operands-may-differ"]
    wrong = text.replace("z: Tensor[(k, m)", "z: Tensor[(k + 1, m)")
    assert [slug for slug, _ in found(wrong)] == ["operands-may-differ", "annotation-mismatch"]


def test_D_14_not_in_a_dataflow_block_where_calls_have_no_order() -> None:
    text = RELATED.replace("OPEN", "dataflow {").replace("CLOSE", "output r; }").replace("REST", "r")
    inside = text.replace("output r; }", "").replace("= y;", "= y; output r, z; }")
    assert [slug for slug, _ in found(inside)] == ["operands-may-differ", "possibly-incompatible"]


CALLED = """
def @twice(a: Tensor[(p,), float32], b: Tensor[(p,), float32]) -> Tensor[(p,), float32] { a + b }
prim_func @copy(A: Buffer[(p,), float32], B: Buffer[(p,), float32]) { for i in 0..p { B[i] = A[i]; } }
"""


@pytest.mark.parametrize(
    ("call", "warned"),
    [
        ("@twice(x, y);", ["y"]),
        ("call_tir(@copy, (x,)) -> Tensor[(m,), float32];", ["Tensor[(m,), float32]"]),
        ("dataflow { let w = @twice(x, y); output w; }", ["y", "y"]),
    ],
)
def test_D_14_what_a_call_compared_is_known_after_it(call: str, warned: list[str]) -> None:
    params = "x: Tensor[(n,), float32], y: Tensor[(m,), float32]"
    text = f"def @main({params}) {{ {call} let z: Tensor[(n,), float32] = y; z }} {CALLED}"
    assert found(text) == [("possibly-incompatible", place) for place in warned]


@pytest.mark.parametrize("axis", ["0", "[0]", "[-2, 2]"])
def test_OP_6_an_axis_that_is_dropped_may_not_be_1(axis: str) -> None:
    text = f"def @main(x: Tensor[(n, m, 1), float32]) {{ squeeze(x, axis={axis}) }}"
    (hint,) = api.check(text).diagnostics
    assert (hint.slug, hint.severity, hint.primary) == (
        "operands-may-differ",
        "hint",
        "nothing says that it is 1",
    )
    assert set(hint.data["counterexample"].values()) == {2}  # type: ignore[attr-defined]


def test_D_14_an_axis_that_was_dropped_is_1() -> None:
    text = "def @main(x: Tensor[(n,), int8]) { let a = squeeze(x, axis=0); let y: Tensor[(1,), int8] = x; (a, y) }"
    assert [slug for slug, _ in found(text)] == ["operands-may-differ"]


@pytest.mark.parametrize(
    ("call", "counterexample"),
    [
        ("broadcast_to(x, shape(1))", {"n": 2}),
        ("broadcast_to(x, shape(m))", {"n": 2, "m": 1}),
        ("collapse_sum_to(x, shape(m))", {"m": 2, "n": 1}),
        ("collapse_sum_like(x, y)", {"m": 2, "n": 1}),
    ],
)
def test_OP_6_extents_of_which_one_may_be_1(call: str, counterexample: dict[str, int]) -> None:
    text = f"def @main(x: Tensor[(n,), int32], y: Tensor[(m,), int32]) {{ ({call}, y) }}"
    (hint,) = api.check(text).diagnostics
    assert (hint.slug, hint.data["counterexample"]) == ("operands-may-differ", counterexample)


def test_OP_3_operands_of_a_wrong_rank_are_one_mistake() -> None:
    column = "Tensor[(3, 1), float32]"
    text = (
        f"def @main(x: Tensor[(2, 3, 4, 4), float32], g: {column}, v: Tensor[(3,), float32], m: {column}) "
        "{ nn.batch_norm(x, g, v, m, v, axis=1) }"
    )
    (one,) = check(text).diagnostics
    assert (one.slug, text[one.pos : one.end]) == ("op-argument", "g")
    assert "m" in [text[label.pos : label.end] for label in one.labels]


def test_Z_5_no_label_has_a_name_that_is_not_in_the_text() -> None:
    found = api.check(
        "def @main(x: Tensor[(n, m), float32], y: Tensor) {\n"
        "  matmul(x, match_cast(y, Tensor[(k,), float32]))\n"
        "}\n"
    ).diagnostics
    (hint,) = [one for one in found if one.slug == "operands-may-differ"]
    assert [label.message for label in hint.labels] == [
        "`x` is `Tensor[(n, m), float32]`",
        "Tensor[(k,), float32]",
    ]
