"""Methods of PyTorch and NumPy: one message each, whose fix makes the call of it, or advice. [Y.7] [Z.5]"""

from __future__ import annotations

import pytest

from relax_lang import api
from relax_lang.base.diagnostic import ERROR, UNSAFE, Diagnostic

FUNCTION = """\
def @main(
  x: Tensor[(b, 3, 8), float32],
  y: Tensor[(b, 3, 8), float32],
  i: Tensor[(b, 3, 8), int64],
  w: Tensor[(4, 6), float32],
) -> Object {{
  {}
}}
"""


def errors(text: str) -> list[Diagnostic]:
    return [one for one in api.check(text).diagnostics if one.severity == ERROR]


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("x.abs().max()", "max(abs(x))"),
        ("(x + y).sum(axis=1)", "sum(x + y, axis=1)"),
        ("(x + y).sum(dim=1)", "sum(x + y, axis=1)"),
        ("x.sum(dim=1)", "sum(x, axis=1)"),
        ("x.mean(-1, keepdim=true)", "mean(x, axis=-1, keepdims=true)"),
        ("(x / y).round().clamp(-1.0, 1.0)", "clip(round(x / y), -1.0, 1.0)"),
        ("(x / 2.0).to(torch.int8)", "astype(x / 2.0, dtype=int8)"),
        ("x.float()", "astype(x, dtype=float32)"),
        ("exp(x).half()", "astype(exp(x), dtype=float16)"),
        ("x.long()", "astype(x, dtype=int64)"),
        ("x.type(torch.float16)", "astype(x, dtype=float16)"),
        ("x.clone()", "x"),
        ("(x + y).detach()", "(x + y)"),
        ("((x)).contiguous()", "((x))"),
        ("x.max(axis=1)", "max(x, axis=1)"),
        ("x.chunk(2, dim=2)", "split(x, indices_or_sections=2, axis=2)"),
        ("x.sum(dim=1, keepdim=True)", "sum(x, axis=1, keepdims=true)"),
        ("x.take(i, axis=1)", "take(x, i, axis=1)"),
        ("x.repeat(2, axis=1)", "repeat(x, repeats=2, axis=1)"),
        ("x.max(y)", "maximum(x, y)"),
        ("x.size(0)", "scalar(b)"),
        ("x.size(-1)", "scalar(8)"),
        ("x.size()", "shape_of(x)"),
        ("x.transpose(1, 2)", "permute_dims(x, axes=[0, 2, 1])"),
        ("x.transpose(-2, -1)", "permute_dims(x, axes=[0, 2, 1])"),
        ("torch.transpose(x, 0, 2)", "permute_dims(x, axes=[2, 1, 0])"),
        ("x.permute(0, 2, 1)", "permute_dims(x, axes=[0, 2, 1])"),
        ("x.view(b, -1)", "reshape(x, shape(b, -1))"),
        ("(x * y).reshape(b, 24)", "reshape(x * y, shape(b, 24))"),
        ("x.unsqueeze(0).squeeze(0)", "squeeze(expand_dims(x, axis=0), axis=0)"),
        ("sum(x, axis=1).sqrt()", "sqrt(sum(x, axis=1))"),
        ("(x, y)[0].exp()", "exp((x, y)[0])"),
        ("torch.sum(x, dim=1).relu()", "nn.relu(sum(x, axis=1))"),
    ],
)
def test_Y_7_a_method_is_a_call(wrong: str, right: str) -> None:
    text = FUNCTION.format(wrong)
    found = errors(text)
    assert {one.slug for one in found} == {"unknown-operator"}
    assert all([fix.applicability for fix in one.fixes] == [UNSAFE] for one in found)
    assert api.fix_text(text, unsafe=True).text == FUNCTION.format(right)
    assert errors(FUNCTION.format(right)) == []


@pytest.mark.parametrize(
    ("wrong", "helped"),
    [
        ("x.add_(1.0); x", "no value changes; bind the one that you want: `let x = add(x, …);`"),
        ("(x + y).mul_(2.0); x", "no value changes; bind the one that you want: `let y = multiply(…, …);`"),
        ("x.norm()", "write `sqrt(sum(x * x, axis=…))`"),
        ("x.gather(1, i)", "write `gather_elements(x, index, axis=…)`"),
        ("torch.gather(x, 1, i)", "write `gather_elements(x, index, axis=…)`"),
        ("torch.scatter_add(x, 1, i, y)", 'write `scatter_elements(x, index, src, axis=…, reduction="add")`'),
        ("x.expand(2, -1, -1)", "write `broadcast_to(x, shape(…))`, with all sizes"),
        ("x.dim()", "the rank of a tensor is known: that of `x` is 3"),
        ("(x + y).size(0)", "extents have names: a match_cast of the tensor gives them some"),
        ("F.cross_entropy(w, w)", "write `nn.nll_loss(nn.log_softmax(x, axis=1), target)`"),
        ("(x + y).foo()", "call an operator with the value: `relax ops` lists them"),
        ("x[0].foo()", "call an operator with the value: `relax ops` lists them"),
    ],
)
def test_Y_7_what_a_fix_would_get_wrong_is_advice(wrong: str, helped: str) -> None:
    found = [one for one in errors(FUNCTION.format(wrong)) if one.slug == "unknown-operator"]
    assert [(one.help, one.fixes) for one in found] == [(helped, [])]


@pytest.mark.parametrize("wrong", ["x.std(dim=1)", "torch.std(x, dim=1)", "x.var()"])
def test_Y_7_what_computes_something_else_is_said(wrong: str) -> None:
    (found,) = errors(FUNCTION.format(wrong))
    assert "it divides by the number of elements; PyTorch, by one less" in found.notes


def test_Y_7_a_text_with_a_method_of_a_value_is_not_formatted() -> None:
    with pytest.raises(api.RelaxError):
        api.format_text(FUNCTION.format("(x + y).sum()"))
