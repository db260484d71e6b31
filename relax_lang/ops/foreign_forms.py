"""Calls of other frameworks that are not one operator of ours with the same operands: what to write for them.

Names of operators that differ in the name alone are declared with the operators (`also=…`). Only imported once there
is an unknown name to report.
"""

from __future__ import annotations

FRAMEWORKS = ("np", "torch", "jax", "onnx", "tvm")
METHOD = "method"
"""In place of a framework: the name is that of a method, `x.split(2)`."""

FORMS = {
    # Joining, dividing, moving axes
    "concat((x, y), axis=0)": "vstack row_stack",
    "concat((x, y), axis=1)": "hstack",
    "concat((x, y), axis=2)": "dstack",
    "stack((x, y), axis=1)": "column_stack",
    "permute_dims(x, axes=[…])": "rollaxis moveaxis movedim swapaxes swapdims",
    "expand_dims(x, axis=[…])": "atleast_1d atleast_2d atleast_3d",
    "flip(x, axis=0)": "flipud",
    "flip(x, axis=1)": "fliplr",
    "split(x, indices_or_sections=[…], axis=…)": "torch.split method.split split_with_sizes",
    "split(x, indices_or_sections=…, axis=0)": "vsplit",
    "split(x, indices_or_sections=…, axis=1)": "hsplit",
    "broadcast_to(expand_dims(x, axis=[…]), shape(…))": "broadcast_in_dim",
    # Reading and writing by index
    "take(weight, indices, axis=0)": "embedding",
    "take(x, indices, axis=…)": "index_select",
    "take(x, indices, axis=0)": "onnx.gather",
    "take(flatten(x), indices)": "np.take torch.take method.take",
    "take(x, index, axis=…)": "torch.select method.select",
    "gather_elements(x, index, axis=…)": "torch.gather method.gather",
    "scatter_elements(x, index, src, axis=…)": "torch.scatter method.scatter",
    'scatter_elements(x, index, src, axis=…, reduction="add")': "scatter_add",
    'scatter_elements(x, index, src, axis=…, reduction="…")': "scatter_reduce",
    "index_put(x, (indices,), values)": "index_copy",
    "index_put(x, (indices,), values, accumulate=true)": "index_add",
    "strided_slice(x, (axis,), (start,), (start + length,))": "torch.narrow method.narrow",
    "dynamic_strided_slice(x, begin, end, strides)": "dynamic_slice",
    "slice_scatter(x, update, start, end, step, axis=…)": "dynamic_update_slice",
    "bucketize(x, boundaries, right=true)": "digitize",
    "bucketize(values, boundaries)": "searchsorted",
    "permute_dims(nonzero(x))": "argwhere torch.nonzero",
    "nonzero(flatten(x))": "flatnonzero",
    "one_hot(x, 1, 0, depth=…)": "torch.one_hot",
    "one_hot(x, 1.0, 0.0, depth=…)": "jax.one_hot",
    "one_hot(x, on_value, off_value, depth=…)": "onnx.one_hot",
    "where(c, x, y)": "if_then_else",
    "where(c, y, x)": "select_n",
    # Products
    "matmul(x, permute_dims(y))": "inner",
    "sum(x * y)": "vdot",
    'einsum((x, y), subscripts="…")': "tensordot dot_general",
    'einsum((x,), subscripts="ii->")': "trace",
    'einsum((x,), subscripts="ii->i")': "diagonal",
    "matmul(a, b) + c": "gemm addmm baddbmm",
    # Arithmetic
    "x + a * b": "addcmul",
    "x + a / b": "addcdiv",
    "x + w * (y - x)": "lerp",
    "x + y": "onnx.sum",
    "(x + y) / 2.0": "onnx.mean",
    "y - x": "rsub",
    "1.0 / x": "reciprocal",
    "x - trunc(x)": "frac",
    "(floor_divide(x, y), floor_mod(x, y))": "divmod",
    "power(x, 2.0)": "integer_pow",
    "maximum(x, 0.0)": "clamp_min",
    "minimum(x, 1.0)": "clamp_max",
    "where(isnan(x), y, where(isnan(y), x, maximum(x, y)))": "fmax",
    "where(isnan(x), y, where(isnan(y), x, minimum(x, y)))": "fmin",
    "abs(x)": "fabs",
    "x": "positive clone copy onnx.identity torch.dropout jax.dropout",
    # Functions
    "log(1.0 + x)": "log1p",
    "log(x) / 0.6931472": "log2",
    "log(x) / 2.3025851": "log10",
    "exp(x) - 1.0": "expm1",
    "power(2.0, x)": "exp2",
    "sign(x) * power(abs(x), 0.33333334)": "cbrt",
    "sqrt(x * x + y * y)": "hypot",
    "x * 0.017453292": "deg2rad radians",
    "x * 57.29578": "rad2deg degrees",
    "log(x / (1.0 - x))": "logit",
    "1.0 - erf(x)": "erfc",
    "x == inf": "isposinf",
    "x == -inf": "isneginf",
    # Reductions and comparisons
    "max(c, axis=…)": "any",
    "min(c, axis=…)": "all",
    "sum(astype(x != 0.0, dtype=int64), axis=…)": "count_nonzero",
    "sum(where(isnan(x), 0.0, x), axis=…)": "nansum",
    "sqrt(sum(x * x, axis=…))": "norm vector_norm reduce_l2",
    "sum(abs(x), axis=…)": "reduce_l1",
    "sum(x * x, axis=…)": "reduce_sum_square",
    "log(sum(x, axis=…))": "reduce_log_sum",
    "log(sum(exp(x), axis=…))": "logsumexp reduce_log_sum_exp",
    "max(x, axis=…) - min(x, axis=…)": "ptp",
    "(std(x), mean(x))": "std_mean",
    "(variance(x), mean(x))": "var_mean",
    "sort(x, axis=0)": "msort",
    "abs(x - y) <= 1e-8 + 1e-5 * abs(y)": "isclose",
    "min(abs(x - y) <= 1e-8 + 1e-5 * abs(y))": "allclose",
    "min(x == y)": "array_equal",
    # Networks
    "nn.gelu_tanh(x)": "jax.gelu",
    "permute_dims(nn.attention(permute_dims(q, axes=[0, 2, 1, 3]), permute_dims(k, axes=[0, 2, 1, 3]), "
    "permute_dims(v, axes=[0, 2, 1, 3])), axes=[0, 2, 1, 3])": "torch.scaled_dot_product_attention",
    "clip(x, -1.0, 1.0)": "hardtanh",
    "x * clip(x + 3.0, 0.0, 6.0) / 6.0": "hardswish hard_silu",
    "clip(x / 6.0 + 0.5, 0.0, 1.0)": "hardsigmoid",
    "clip(0.2 * x + 0.5, 0.0, 1.0)": "onnx.HardSigmoid",
    "where(abs(x) > 0.5, x, 0.0)": "hardshrink",
    "sign(x) * maximum(abs(x) - 0.5, 0.0)": "softshrink",
    "x - tanh(x)": "tanhshrink",
    "where(x > 1.0, x, 0.0)": "thresholded_relu",
    "where(x > 0.0, x, exp(x) - 1.0)": "elu celu",
    "x * tanh(nn.softplus(x))": "mish",
    "-nn.softplus(-x)": "logsigmoid",
    "x / (1.0 + abs(x))": "softsign",
    "nn.softmax(-x, axis=…)": "softmin",
    "a * sigmoid(b)": "glu",
    "x / maximum(sqrt(sum(x * x, axis=…, keepdims=true)), 1e-12)": "torch.normalize",
    "sqrt(sum((x - y) ** 2.0))": "dist",
    "sum(x * y, axis=…) / sqrt(sum(x * x, axis=…) * sum(y * y, axis=…))": "cosine_similarity",
    "nn.nll_loss(nn.log_softmax(x, axis=1), target)": "cross_entropy",
    "mean((x - y) ** 2.0)": "mse_loss",
    "mean(abs(x - y))": "l1_loss",
    "mean(where(abs(x - y) < 1.0, 0.5 * (x - y) ** 2.0, abs(x - y) - 0.5))": "huber_loss smooth_l1_loss",
    "mean(nn.softplus(x) - x * y)": "binary_cross_entropy_with_logits",
    "mean(-y * log(x) - (1.0 - y) * log(1.0 - x))": "binary_cross_entropy",
    "nn.batch_norm(x, weight, bias, mean, var, axis=1)[0]": "torch.batch_norm",
    "nn.layer_norm(x, weight, bias, axes=[-1])": "torch.layer_norm",
    "nn.group_norm(x, weight, bias, num_groups=…, channel_axis=1, axes=[2, 3])": "torch.group_norm",
    "nn.instance_norm(x, weight, bias, channel_axis=1, axes=[2, 3])": "torch.instance_norm",
    "nn.rms_norm(x, weight)": "torch.rms_norm",
    "nn.pad(x, pad_width=[…])": "np.pad torch.pad jax.pad",
    "image.grid_sample(x, permute_dims(grid, axes=[0, 3, 1, 2]))": "torch.grid_sample",
    "max(x, axis=[2, 3], keepdims=true)": "global_max_pool global_max_pool2d",
    # Making values
    "zeros(shape(…), dtype=…)": "empty method.new_zeros",
    "zeros_like(x)": "empty_like method.zero_",
    "full_like(x, value)": "method.fill_",
    "ones(shape(…), dtype=…)": "method.new_ones",
    "arange(n)": "iota",
    "const(…)": "torch.tensor torch.as_tensor torch.from_numpy np.array np.asarray constant",
}
"""What to write: the names that it is for, those of one framework with a prefix."""

_RANDOM = "there are no random numbers: let them be a parameter"
_LOOP = "there are no loops between operators: a function calls itself, in the branches of an `if`"

ADVICE = {
    _RANDOM: "rand randn randint random randperm rand_like randn_like normal uniform bernoulli categorical "
    "random_normal random_uniform threefry_generate threefry_split",
    _LOOP: "scan while_loop fori_loop for_loop map_fn",
    "a choice is written `if c { … } else { … }`": "cond",
    "what a dataflow block gives is listed in it: `output y;`": "tvm.output",
    "the value of a function is its last expression, without `;`": "tvm.emit_func_output",
    "a value gets a name by `let y = …;`": "tvm.emit tvm.emit_output",
    "write it as a statement: `let y = match_cast(x, Tensor[…]);`": "tvm.match_cast",
    "write a prim_func, and `call_tir(@f, (x,)) -> …`": "tvm.emit_te tvm.call_te",
    'a packed function is called by its name: `extern "f"(…)`': "tvm.ExternFunc tvm.PackedFunc tvm.get_global_func",
    "of PyTorch it is `tile(x, repeats=[…])`, of NumPy `repeat(x, repeats=…, axis=…)`": "method.repeat",
    "where the pieces are equal, it is `split(x, indices_or_sections=…, axis=…)`": "array_split tensor_split",
    'with mode "CRD" it is `nn.pixel_shuffle(x, upscale_factor=…)`': "onnx.DepthToSpace",
    "with channels last it is `x + bias`, of (N, C, H, W) `x + reshape(bias, shape(1, -1, 1, 1))`": "bias_add",
    "extents have names: a match_cast of the tensor gives them some": "len",
}
"""What there is to say in words: the names that it is for."""

ABSENT = """
adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d alpha_dropout bincount bit_shift block_diag cdist
channel_shuffle checkpoint cholesky choose clz complex compress conj copysign corrcoef cov cross ctc_loss
cummax cummin det diag diag_embed diagflat diff digamma ediff1d eig eigh embedding_bag erfinv extract fft fft2
fold frexp gammaln gcd gradient grad gru hardmax heaviside hist histc histogram i0 ifft imag index_fill interp
inv inverse irfft isin jit kron kthvalue lcm lexsort lgamma linspace logaddexp2 logcumsumexp logspace
lp_pool1d lp_pool2d lrn lstm lstsq lu mask_select masked_scatter masked_select mat_mul_integer matrix_exp
matrix_power max_unpool2d mode multi_head_attention_forward multihead_attention multinomial nanmax nanmean
nanmedian nanmin nanquantile nanstd nanvar nan_to_num nextafter pad_sequence partition pdist percentile pinv
piecewise pixel_unshuffle pmap polygamma polyval population_count put q_linear_conv qr quantile real
reduce_window remat renorm rfft rnn roll rot90 rrelu sequence_mask set_diff setdiff1d signbit sinc slogdet
solve space_to_depth sparse_to_dense stft strided_set svd take_while tri triangular_solve unfold union1d
unravel_index vander vmap xlogy zeta
"""
"""Names of other frameworks that nothing here corresponds to: none is a misspelled name of ours."""


def simplified(name: str) -> str:
    """Return a name without what frameworks write differently: `BitwiseNot` and `bitwise_not` are one."""
    return name.replace("_", "").lower()


def _by_name(table: dict[str, str]) -> dict[str, str]:
    """Return a table the other way round: what to write by each name, `framework.name` or `name`."""
    found: dict[str, str] = {}
    for written, listed in table.items():
        for name in listed.split():
            framework, _, last = name.rpartition(".")
            found[f"{framework}.{simplified(last)}"] = written
    return found


_WRITTEN = _by_name({**FORMS, **ADVICE})
_ABSENT = frozenset(simplified(name) for name in ABSENT.split())


def form_of(name: str, frameworks: tuple[str, ...]) -> str:
    """Return what to write for a name of one of some frameworks, or of any; empty if there is nothing to say. [Y.7]"""
    for framework in (*frameworks, ""):
        written = _WRITTEN.get(f"{framework}.{simplified(name)}")
        if written is not None:
            return written
    return ""


def is_advice(form: str) -> bool:
    """Return whether a form is a sentence rather than code."""
    return form in ADVICE


def is_absent(name: str) -> bool:
    """Return whether nothing here corresponds to a name that other frameworks have."""
    return simplified(name) in _ABSENT
