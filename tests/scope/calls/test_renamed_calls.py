"""Calls by the names of other frameworks: one message each, and a fix only where it computes the same. [Y.7] [Z.5]"""

from __future__ import annotations

import pytest

from relax_lang import api
from relax_lang.base.diagnostic import ERROR, UNSAFE, Diagnostic

FUNCTION = """\
def @main(
  x: Tensor[(n, 3, 8, 8), float32],
  y: Tensor[(n, 3, 8, 8), float32],
  m: Tensor[(4, 6), float32],
  c: Tensor[(4, 6), bool],
  i: Tensor[(5,), int64],
  w: Tensor[(4, 3, 3, 3), float32],
  b: Tensor[(4,), float32],
) -> Object {{
  {}
}}
"""

REPLACED = (
    "no value changes; one with other elements is `index_put(x, (indices,), values)`, of a slice "
    "`slice_scatter(x, src, start, end, step, axis=…)`"
)
CALLED = (
    "write `call_tir(@f, (…)) -> Tensor[…]`; a packed function is called by "
    '`call_dps_packed(extern "f", (…)) -> Tensor[…]`'
)


def errors(text: str) -> list[Diagnostic]:
    return [one for one in api.check(text).diagnostics if one.severity == ERROR]


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("torch.sum(x, dim=1, keepdim=True)", "sum(x, axis=1, keepdims=true)"),
        ("torch.mean(x, 1, keepdim=True)", "mean(x, axis=1, keepdims=true)"),
        ("torch.cat([x, y], dim=1)", "concat((x, y), axis=1)"),
        ("np.concatenate([x, y], axis=-1)", "concat((x, y), axis=-1)"),
        ("torch.zeros(2, 3)", "zeros(shape(2, 3), dtype=float32)"),
        ("jnp.ones((n, n))", "ones(shape(n, n), dtype=float32)"),
        ("np.zeros((2, 3))", "zeros(shape(2, 3), dtype=float64)"),
        ("np.zeros((2, 3), np.int32)", "zeros(shape(2, 3), dtype=int32)"),
        ('np.zeros((2, 3), "int32")', "zeros(shape(2, 3), dtype=int32)"),
        ('np.astype(m, "float16")', "astype(m, dtype=float16)"),
        ("cast(m, float16)", "astype(m, dtype=float16)"),
        ("torch.triu(m, diagonal=1)", "triu(m, k=1)"),
        ("T.float32(1.0)", "const(1.0, float32)"),
        ("np.take(m, i, axis=0)", "take(m, i, axis=0)"),
        ("torch.max(x, y)", "maximum(x, y)"),
        ("F.max_pool2d(x, 2, 2)", "nn.max_pool2d(x, pool_size=2, strides=2)"),
        ("F.conv2d(x, w, stride=2)", "nn.conv2d(x, w, strides=2)"),
        (
            "F.conv2d(x, w, b, stride=2) * 2.0",
            "(nn.conv2d(x, w, strides=2) + reshape(b, shape(1, -1, 1, 1))) * 2.0",
        ),
        ("F.conv2d((x), (w), (b))", "(nn.conv2d((x), (w)) + reshape(b, shape(1, -1, 1, 1)))"),
    ],
)
def test_Y_7_a_fix_changes_all_of_the_call(wrong: str, right: str) -> None:
    (found,) = errors(FUNCTION.format(wrong))
    assert [fix.applicability for fix in found.fixes] == [UNSAFE]
    assert api.fix_text(FUNCTION.format(wrong), unsafe=True).text == FUNCTION.format(right)
    assert errors(FUNCTION.format(right)) == []


@pytest.mark.parametrize(
    ("wrong", "helped"),
    [
        ("F.max_pool2d(x, 2)", "write `nn.max_pool2d(x, pool_size=k, strides=k)`"),
        (
            "F.avg_pool2d(x, 2, stride=2, padding=1)",
            "write `nn.avg_pool2d(x, pool_size=k, strides=s, padding=p, count_include_pad=true)`",
        ),
        ("torch.max(x, 1)", "PyTorch's pair is `(max(x, axis=…), argmax(x, axis=…))`"),
        ("x.max(dim=1)[0]", "PyTorch's pair is `(max(x, axis=…), argmax(x, axis=…))`"),
        ("torch.split(x, 2)", "write `split(x, indices_or_sections=[…], axis=…)`"),
        ("x.split(2)", "write `split(x, indices_or_sections=[…], axis=…)`"),
        (
            "x.repeat(2, 1)",
            "of PyTorch it is `tile(x, repeats=[…])`, of NumPy `repeat(x, repeats=…, axis=…)`",
        ),
        ("F.interpolate(x, scale_factor=2)", "write `image.resize2d(x, shape(…))`"),
        ("Identity(x)", "write `x`"),
        (
            "np.array_split(x, 2)",
            "where the pieces are equal, it is `split(x, indices_or_sections=…, axis=…)`",
        ),
        ("np.moveaxis(x, 0, 1)", "write `permute_dims(x, axes=[…])`"),
        ("x.moveaxis(0, 1)", "write `permute_dims(x, axes=[…])`"),
        ("np.take(m, i)", "write `take(flatten(x), indices)`"),
        ("F.layer_norm(x, [8])", "write `nn.layer_norm(x, weight, bias, axes=[-1])`"),
        ("F.batch_norm(x, b, b)", "write `nn.batch_norm(x, weight, bias, mean, var, axis=1)[0]`"),
        ("F.one_hot(i, 10)", "write `one_hot(x, 1, 0, depth=…)`"),
        ("jax.nn.gelu(x)", "write `nn.gelu_tanh(x)`"),
        (
            'F.gelu(x, approximate="tanh")',
            "with the approximation by tanh it is `nn.gelu_tanh(x)`, without it `nn.gelu(x)`",
        ),
        ("np.vstack((x, y))", "write `concat((x, y), axis=0)`"),
        ("torch.svd(m)", ""),
        ("torch.add(x, y, alpha=2)", "compare the arguments: `relax ops add`"),
        ('m.to("cuda")', "compare the arguments: `relax ops astype`"),
        ('jnp.einsum("ij,kj->ik", m, m, precision="high")', "compare the arguments: `relax ops einsum`"),
        ('R.ExternFunc("f")(x)', 'a packed function is called by its name: `extern "f"(…)`'),
        (
            "m.at[0].set(b)",
            REPLACED,
        ),
        (
            "m.at[0, 1:].add(b)",
            "no value changes; one with other elements is `index_put(x, (indices,), values, accumulate=true)`",
        ),
        (
            'R.call_tir("f", (x,), out_sinfo=R.Tensor((2, 3), dtype="float32"))',
            CALLED,
        ),
    ],
)
def test_Y_7_where_the_name_is_not_all_there_is_advice_and_no_fix(wrong: str, helped: str) -> None:
    (found,) = errors(FUNCTION.format(wrong))
    assert (found.help, found.fixes) == (helped, [])


def test_OP_2_a_call_with_too_few_operands_and_a_foreign_attribute_is_one_mistake() -> None:
    (found,) = errors(FUNCTION.format("one_hot(i, num_classes=10)"))
    assert found.slug == "arity"
    assert found.help == "missing: `on_value` and `off_value`; `num_classes` is `depth` here"


def test_OP_7_a_mask_is_not_converted_to_indices() -> None:
    (found,) = errors(FUNCTION.format("take(m, c, axis=0)"))
    form = "gather_nd(m, permute_dims(nonzero(c)))"
    assert found.help == f"a mask is not indices; elements where it is true are `{form}`"
    assert found.fixes == []
    assert errors(FUNCTION.format(form)) == []


def test_Y_7_the_callee_of_a_call_of_tvmscript_is_no_name_among_its_operands() -> None:
    call = 'R.call_tir({}, (x,), out_sinfo=R.Tensor((n, 3, 8, 8), dtype="float32"))'
    fixed = api.fix_text(FUNCTION.format(call.format("cls.f"))).text
    assert fixed == FUNCTION.format("call_tir(@f, (x,)) -> Tensor[(n, 3, 8, 8), float32]")
    for callee in ('"f"', "f[0]", "f()"):
        wrong = FUNCTION.format(call.format(callee))
        assert "@x" not in api.fix_text(wrong, unsafe=True).text


def test_Y_7_what_onnx_does_by_default_is_said() -> None:
    (found,) = errors(FUNCTION.format("onnx.ReduceSum(x)"))
    assert found.notes == ["ONNX keeps the axes, as `keepdims=true` does here"]
    (found,) = errors(FUNCTION.format("onnx.ReduceSum(x, keepdims=true)"))
    assert found.notes == []
