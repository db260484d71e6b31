"""Passes that make models in use smaller: batch normalization in weights, sizes with names, views. [X.O1] [X.O2]"""

from __future__ import annotations

import re

import numpy as np
import pytest

from relax_lang import api, transform
from relax_lang.format.printer import show
from relax_lang.runtime.session import Session
from relax_lang.transform.catalogue import parse_passes
from relax_lang.typed import Typed
from tests.transform.core.changes import after

CONVOLUTION = {
    "conv2d": ("nn.conv2d(x, w)", (2, 3, 6, 5), (4, 3, 3, 3), 1),
    "with padding": ("nn.conv2d(x, w, strides=2, padding=1)", (2, 3, 6, 5), (4, 3, 3, 3), 1),
    "groups": ("nn.conv2d(x, w, groups=3)", (2, 3, 6, 5), (6, 1, 3, 3), 1),
    "channels last": (
        'nn.conv2d(x, w, data_layout="NHWC", kernel_layout="HWIO")', (2, 6, 5, 3), (3, 3, 3, 4), -1,
    ),
    "other layout": ('nn.conv2d(x, w, out_layout="NHWC")', (2, 3, 6, 5), (4, 3, 3, 3), 3),
    "conv1d": ("nn.conv1d(x, w)", (2, 3, 6), (4, 3, 3), 1),
    "conv3d": ("nn.conv3d(x, w)", (2, 3, 4, 4, 4), (4, 3, 2, 2, 2), 1),
}  # fmt: skip


def bound(
    convolution: str, shape: tuple[int, ...], more: str, attrs: str, weights: dict[str, np.ndarray]
) -> Typed:
    """Return a program of a convolution and a batch normalization, its weights bound."""
    dims = ", ".join(map(str, shape))
    params = ", ".join(
        f"{name}: Tensor[({', '.join(map(str, array.shape))},), float32]" for name, array in weights.items()
    )
    text = (
        f"def @main(x: Tensor[({dims}), float32], {params}) {{ dataflow {{ let a = {convolution}; {more}"
        f" let c = nn.batch_norm(b, gamma, beta, mu, sigma, {attrs}); let d = c[0]; let y = nn.relu(d);"
        " output y; } y }"
    )
    return parse_passes("ConvertToDataflow")(transform.BindParams(**weights)(api.typed(text)))


def run(program: Typed, x: np.ndarray) -> np.ndarray:
    load = program.source.arrays
    session = Session(program.module, program.source, load_constant=lambda path, key: load[path, key].copy())
    result = session.call("main", [x])
    assert isinstance(result, np.ndarray)
    return result


def operators(program: Typed) -> list[str]:
    """Return the operators that a program calls, in order."""
    found = re.findall(r"= ([\w.]+)\(", str(program))
    return [name for name in found if name != "const"]


@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("kind", CONVOLUTION)
def test_X_O1_batch_norm_becomes_part_of_a_convolution(kind: str, bias: bool) -> None:
    convolution, shape, kernel, axis = CONVOLUTION[kind]
    rng = np.random.default_rng(7)
    channels = kernel[-1] if "HWIO" in convolution else kernel[0]
    weights = {"w": rng.normal(size=kernel).astype(np.float32)}
    for name in ("gamma", "beta", "mu"):
        weights[name] = rng.normal(size=channels).astype(np.float32)
    weights["sigma"] = rng.uniform(0.5, 2, channels).astype(np.float32)
    more = "let b = a;"
    if bias:
        rank = len(shape)
        weights["bias"] = rng.normal(
            size=[channels if at == axis % rank else 1 for at in range(rank)]
        ).astype(np.float32)
        more = "let b = bias + a;"
    for attrs in (f"axis={axis}", f"axis={axis}, scale=false, epsilon=0.01", f"axis={axis}, center=false"):
        before = parse_passes("CanonicalizeBindings")(bound(convolution, shape, more, attrs, weights))
        with transform.PassContext(instruments=[transform.Verify()]):
            made = parse_passes("FoldBatchNormToConv2D")(before)
            small = parse_passes("FoldConstant, CanonicalizeBindings, DeadCodeElimination")(made)
        assert "batch_norm" not in str(made)
        assert str(parse_passes("FoldBatchNormToConv2D")(made)) == str(made)
        assert operators(small) == [f"nn.conv{len(shape) - 2}d", "add", "nn.relu"]
        x = rng.normal(size=shape).astype(np.float32)
        np.testing.assert_allclose(run(small, x), run(before, x), rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize(
    ("more", "attrs"),
    [
        ("let b = a;", "axis=0"),  # of something else than the channels
        ("let b = a;", "axis=1, training=true"),
        ("let b = x;", "axis=1"),  # behind no convolution
        ("let b = a + x;", "axis=1"),  # after a sum that is not a bias
    ],
)
def test_other_normalizations_stay(more: str, attrs: str) -> None:
    size = np.ones(4, np.float32)
    weights = {"w": np.ones((4, 4, 1, 1), np.float32)}
    weights |= dict.fromkeys(("gamma", "beta", "mu", "sigma"), size)
    program = bound("nn.conv2d(x, w)", (4, 4, 2, 2), more, attrs, weights)
    program = parse_passes("CanonicalizeBindings")(program)
    assert parse_passes("FoldBatchNormToConv2D")(program) is program


def test_decomposed_batch_norm_is_one_product_and_one_sum_when_constants_are_folded() -> None:
    four = {name: np.ones(4, np.float32) for name in ("gamma", "beta", "mu", "sigma")}
    text = (
        "def @main(x: Tensor[(n, 4), float32], gamma: Tensor[(4,), float32], beta: Tensor[(4,), float32],"
        " mu: Tensor[(4,), float32], sigma: Tensor[(4,), float32]) { dataflow {"
        " let c = nn.batch_norm(x, gamma, beta, mu, sigma, axis=1); let d = c[0]; output d; } d }"
    )
    program = parse_passes(
        "ConvertToDataflow, DecomposeOps, CanonicalizeBindings, FoldConstant, DeadCodeElimination"
    )(transform.BindParams(**four)(api.typed(text)))
    assert operators(program) == ["multiply", "add"]


def test_large_constants_keep_their_struct_info() -> None:
    program = api.typed("def @main(x: Tensor[(n,), float32], w: Tensor[(100,), float32]) { exp(w) }")
    program = transform.BindParams(w=np.ones(100, np.float32))(program)
    for names in ("ConvertToDataflow(min_size=1)", "CanonicalizeBindings"):
        assert "Tensor[(100,), float32]" in {show(info) for info in program.infos.values()}
        program = parse_passes(names)(program)


def test_sizes_that_are_computed_get_names() -> None:
    text = (
        "def @main(x: Tensor[(6,), float32], s: Tensor[(2,), int64]) {"
        " dataflow { let z = tensor_to_shape(s); let y = reshape(x, z); let w = exp(y); output w; } w }"
    )
    with transform.PassContext(instruments=[transform.Verify()]):
        program = parse_passes("DecomposeOps, LegalizeOps")(api.typed(text))
    assert str(program).count("call_tir") == 2
    assert "match_cast(z_sizes, Shape[(z_0, z_1)])" in str(program)
    assert parse_passes("DecomposeOps")(program) is program
    x, s = np.arange(6, dtype=np.float32), np.array([2, 3], np.int64)
    result = Session(program.module, program.source).call("main", [x, s])
    np.testing.assert_allclose(result, np.exp(x).reshape(2, 3), rtol=1e-6)


@pytest.mark.parametrize(
    ("params", "call", "view"),
    [
        (
            "x: Tensor[(2, 3, 4), float32]",
            "permute_dims(a, axes=[2, 0, 1])",
            "permute_dims(a, axes=[2, 0, 1])",
        ),
        (
            "x: Tensor[(8, 6, m), float32]",
            "strided_slice(a, (0, 1), (1, 0), (7, 4), (2, 1))",
            "strided_slice(a, (0, 1), (1, 0), (6, 4), (2, 1))",
        ),
        ("x: Tensor[(8, 6), float32]", "flip(a, axis=0)", None),
        ("x: Tensor[(1, 6), float32]", "broadcast_to(a, shape(8, 6))", None),
        ("x: Tensor[(n, m), float32]", "strided_slice(a, (0,), (0,), (2,))", None),
    ],
)
def test_X_O2_prim_funcs_that_permute_and_slice_are_views(params: str, call: str, view: str | None) -> None:
    text = f"def @main({params}) {{ dataflow {{ let a = exp(x); let b = {call}; let c = sin(b); output c; }} c }}"
    made = after("LegalizeOps, RewriteDataflowView", text)
    assert ("let b = call_tir" in made) == (view is None)
    assert view is None or f"let b = {view};" in made


def test_a_copy_that_can_be_told_from_its_source_stays() -> None:
    text = (
        "def @main(x: Tensor[(2, 3), float32]) {"
        " dataflow { let b = call_tir(@t, (x,)) -> Tensor[(3, 2), float32]; output b; } (x, b) }"
        " private prim_func @t(X: Buffer[(2, 3), float32], Y: Buffer[(3, 2), float32]) {"
        " for i, j in grid(3, 2) { Y[i, j] = X[j, i]; } }"
    )
    assert "call_tir" in after("RewriteDataflowView", text)
