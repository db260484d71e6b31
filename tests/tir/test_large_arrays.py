"""Compiled PrimFuncs on arrays so large that code for large arrays runs: blocks, strips, BLAS. [TIR.21]

Sizes are odd, so that no block divides them. The interpreter would take minutes here and must not run.
"""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.by_hand import kernels as by_hand
from benchmarks.kernels import Kernel, agrees, prim_funcs
from relax_lang.tir.compile import compile_prim_func
from relax_lang.tir.interp import interpreter
from relax_lang.tir.runtime_library import FUNCTIONS
from tests.tir.cases import Case, compare
from tests.tir.whole_corpus import ALL, CASES, FUNCS, compiled

MATRIX = {"n": 301, "m": 1003, "k": 77}
TALL = {"n": 2101, "m": 67, "b": 3}
VECTOR = {"n": 300_007}
BOX = {"n": 131, "m": 203, "k": 67, "b": 5}
IMAGE = {"b": 2, "c": 19, "o": 17, "h": 41, "w": 53}
GROUPS = [
    (
        MATRIX,
        "relu bias_add where tril gelu_stages clip_values dropout interpolate iota relu_in_place transpose flip",
    ),
    (
        MATRIX,
        "flip_both pad_constant pad_edge roll outer row_sum column_sum total row_max row_min any all accumulate",
    ),
    (
        MATRIX,
        "count_positive norm_two squared_error softmax fused_softmax layer_norm log_softmax softmax_columns",
    ),
    (
        MATRIX,
        "rms_norm_half l2_normalize min_max_scale cumsum_columns",
    ),
    (
        MATRIX,
        "argmax_rows argmin_columns argmax_last masked_fill conditional_update quantize dequantize quantize_rows",
    ),
    (
        MATRIX,
        "unpack_int4 pack_int4 one_hot fake_quantize byte_sum parity_bits swiglu nested_blocks scatter_elements",
    ),
    (
        TALL,
        "cumsum_rows cumsum_backwards cumsum_accumulator cumsum_batched cumprod cummax smoothing affine_scan",
    ),
    (TALL, "decay_batched fibonacci_rows two_filters filter_in_place running_mean least_of_the_rest"),
    (MATRIX, "gelu_half half_sum laplace histogram"),
    (
        VECTOR,
        "scale leaky_relu gelu_erf gelu_tanh silu clip to_int to_float wrapping divisions bits half_product",
    ),
    (VECTOR, "bfloat_sum less not_a_number nan_to_number extremes_of_nan softplus piecewise safe_logarithm"),
    (VECTOR, "round_to_even adam complex_product weighted_count dilate interleave unpack_bits exchange_ends"),
    (VECTOR, "shift_left"),
    (
        BOX,
        "sum_over_0 sum_over_1 sum_over_2 sum_over_01 sum_over_02 sum_over_12 max_over_02 concat embedding",
    ),
    (
        BOX,
        "take_columns scatter_add segment_sum squared_distances absolute_distances batched matmul matmul_tn",
    ),
    (BOX, "matmul_bias_relu matmul_half uint8_matmul_transposed matmul_with_zero_points tropical_matmul"),
    (BOX, "boolean_matmul"),
    (
        IMAGE,
        "conv2d_padded conv2d_strided conv2d_int8 conv2d_bias_relu depthwise_padded conv2d_pointwise conv2d_nhwc",
    ),
    (IMAGE, "max_pool_padded max_pool_overlapping min_pool_nhwc avg_pool_strided batch_norm instance_norm"),
    (IMAGE, "global_avg_pool transpose4 depth_to_space upsample_twice"),
    ({"n": 65, "m": 67, "k": 1101}, "int8_matmul"),
    ({"h": 5, "n": 301}, "causal_softmax causal_bias"),
    ({"c": 3, "h": 61, "w": 47, "o": 151, "k": 163}, "resize_bilinear"),
    ({"n": 20_011}, "wrapping64 counted_bits"),
    ({"n": 1003, "k": 5001}, "binary_search"),
]
SIZES = {name: sizes for sizes, names in GROUPS for name in names.split()}
SUMS = 2000
"""Units in the last place that a long sum may be off by, taken in another order."""
LOOKED_UP = {name: kind for kind, name in ALL}


@pytest.fixture(autouse=True)
def no_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreter, "run", lambda *args: pytest.fail("the interpreter ran"))


@pytest.mark.parametrize("name", SIZES)
def test_TIR_21_corpus(name: str) -> None:
    kind = LOOKED_UP[name]
    given, result = CASES[kind][name], compiled(kind, name)
    sums = not {remark.strategy for remark in result.remarks} <= {"elementwise", "gather", "scatter"}
    case = Case(
        given.reference,
        inputs=given.inputs,
        scalars=given.scalars,
        outputs=given.outputs,
        in_place=given.in_place,
        ulps=max(given.ulps, SUMS) if given.ulps and sums else given.ulps,
    )
    compare(result.run, FUNCS[kind][name], case, SIZES[name], result.source)


@pytest.mark.parametrize("name", list(prim_funcs()))
def test_TIR_21_kernels_of_the_benchmark(name: str) -> None:
    kernel = Kernel(prim_funcs()[name])
    with np.errstate(all="ignore"):
        assert agrees(
            kernel.result_of(compile_prim_func(kernel.func).run), kernel.result_of(by_hand.BEST[name])
        )


@pytest.mark.parametrize("name", ["sigmoid", "erf"])
@pytest.mark.parametrize("size", [7, 300_007])
def test_functions_that_work_in_parts_store_over_what_they_read(name: str, size: int) -> None:
    function = FUNCTIONS[name]
    values = np.linspace(-9, 9, size, dtype=np.float32)
    wanted = function(values)
    whole, later, earlier, turned = [values.copy() for _ in range(4)]
    assert function(whole, out=whole) is whole
    assert np.array_equal(whole, wanted)
    function(later[:-1], out=later[1:])
    assert np.array_equal(later[1:], wanted[:-1])
    function(earlier[1:], out=earlier[:-1])
    assert np.array_equal(earlier[:-1], wanted[1:])
    function(turned, out=turned[::-1])
    assert np.array_equal(turned, wanted[::-1])
