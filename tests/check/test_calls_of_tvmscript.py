"""Calls of operators in the form of TVMScript: prefix and arguments are one mistake, with one fix. (Y.7, Z.5)"""

from __future__ import annotations

import pytest

from relax_lang import api
from relax_lang.base.diagnostic import ERROR, SAFE, UNSAFE, Diagnostic

FUNCTION = """\
def @main(x: Tensor[(2, 3), float32], d: Tensor[(1, 3, 8, 8), float32], w: Tensor[(4, 3, 3, 3), float32]) -> Object {{
  {}
}}
"""


def errors(text: str) -> list[Diagnostic]:
    return [one for one in api.check(text).diagnostics if one.severity == ERROR]


@pytest.mark.parametrize(
    ("wrong", "right", "applicability"),
    [
        ('R.to_vdevice(x, "cuda")', 'to_vdevice(x, dst_vdevice="cuda")', SAFE),
        ('R.hint_on_device(x, "cuda")', 'hint_on_device(x, dst_vdevice="cuda")', SAFE),
        ('R.print(x, "{}")', 'print(x, format="{}")', SAFE),
        ("R.sum(x, 1)", "sum(x, axis=1)", SAFE),
        ("R.reshape(x, (3, 2))", "reshape(x, shape(3, 2))", SAFE),
        ("R.nn.softmax(x, -1)", "nn.softmax(x, axis=-1)", SAFE),
        ("R.permute_dims(x, [1, 0])", "permute_dims(x, axes=[1, 0])", SAFE),
        ("R.strided_slice(x, [0], [0], [1])", "strided_slice(x, (0,), (0,), (1,))", UNSAFE),
        ("R.concat([x, x], 1)", "concat((x, x), axis=1)", UNSAFE),
        (
            'R.nn.conv2d(d, w, (1, 1), (0, 0), (1, 1), 1, "NCHW")',
            'nn.conv2d(d, w, strides=[1, 1], padding=[0, 0], dilation=[1, 1], groups=1, data_layout="NCHW")',
            SAFE,
        ),
    ],
)
def test_Y_7_prefix_and_arguments_are_one_mistake(wrong: str, right: str, applicability: str) -> None:
    text = FUNCTION.format(wrong)
    (found,) = errors(text)
    assert found.slug == "unknown-operator"
    assert [fix.applicability for fix in found.fixes] == [applicability]
    assert api.fix_text(text, unsafe=applicability == UNSAFE).text == FUNCTION.format(right)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        (
            'let a = R.to_vdevice(x, "cuda"); R.to_vdevice(a, "cuda")',
            'let a = to_vdevice(x, dst_vdevice="cuda"); to_vdevice(a, dst_vdevice="cuda")',
        ),
        (
            "let a = torch.cat([x, x], 1); torch.cat([a, a], dim=1)",
            "let a = concat((x, x), axis=1); concat((a, a), axis=1)",
        ),
    ],
)
def test_Z_5_a_second_call_has_no_message_of_its_own(wrong: str, right: str) -> None:
    text = FUNCTION.format(wrong)
    assert len(errors(text)) == 1
    assert api.fix_text(text, unsafe=True).text == FUNCTION.format(right)


def test_Z_5_what_else_is_wrong_with_an_argument_is_reported() -> None:
    slugs = [one.slug for one in errors(FUNCTION.format("R.sum(z, 1)"))]
    assert slugs == ["unknown-operator", "undefined-variable"]


PRIM_FUNCS = """\
prim_func @g(A: Buffer[(2, 3), float32], B: Buffer[(2, 3), float32]) {
  for i, j in grid(2, 3) {
    B[i, j] = A[i, j];
  }
}

prim_func @two(A: Buffer[(2, 3), float32], B: Buffer[(2, 3), float32], C: Buffer[(2, 3), float32]) {
  for i, j in grid(2, 3) {
    B[i, j] = A[i, j];
    C[i, j] = A[i, j];
  }
}

"""
INFO = 'R.Tensor((2, 3), dtype="float32")'
OURS = "Tensor[(2, 3), float32]"


@pytest.mark.parametrize(
    ("wrong", "right", "applicability"),
    [
        (f'R.call_packed("my.f", x, sinfo_args=({INFO}))', f'extern "my.f"(x) -> {OURS}', UNSAFE),
        (f'R.call_packed("my.f", x, sinfo_args=({INFO},))', f'extern "my.f"(x) -> {OURS}', UNSAFE),
        (f'R.call_packed("my.f", x, sinfo_args=[{INFO}])', f'extern "my.f"(x) -> {OURS}', UNSAFE),
        (
            'R.call_packed("my.f", x, d, sinfo_args=R.Tensor(ndim=1))',
            'extern "my.f"(x, d) -> Tensor[ndim=1]',
            UNSAFE,
        ),
        ('R.call_packed("my.f", sinfo_args=(R.Object,))', 'extern "my.f"() -> Object', UNSAFE),
        (
            'R.call_packed("my.f", x, sinfo_args=R.Tuple(R.Tensor, R.Shape))',
            'extern "my.f"(x) -> (Tensor, Shape)',
            UNSAFE,
        ),
        (
            'R.call_pure_packed("my.f", x, sinfo_args=(R.Object,))',
            'extern "my.f"(x, pure=true) -> Object',
            UNSAFE,
        ),
        (
            f'R.call_dps_packed("my.f", (x,), out_sinfo={INFO})',
            f'call_dps_packed(extern "my.f", (x,)) -> {OURS}',
            UNSAFE,
        ),
        (
            f'R.call_dps_packed("my.f", (x,), out_sinfo=[{INFO}, {INFO}])',
            f'call_dps_packed(extern "my.f", (x,)) -> ({OURS}, {OURS})',
            UNSAFE,
        ),
        (
            f'R.call_dps_packed("my.f", (x,), {INFO})',
            f'call_dps_packed(extern "my.f", (x,)) -> {OURS}',
            UNSAFE,
        ),
        (f"R.call_tir(cls.g, (x,), out_sinfo={INFO})", f"call_tir(@g, (x,)) -> {OURS}", SAFE),
        (f"R.call_tir(g, (x,), out_sinfo=[{INFO}])", f"call_tir(@g, (x,)) -> {OURS}", SAFE),
        (f"R.call_tir(g, [x], {INFO})", f"call_tir(@g, (x,)) -> {OURS}", SAFE),
        (
            f"R.call_tir(cls.two, [x], out_sinfo=[{INFO}, {INFO}])",
            f"call_tir(@two, (x,)) -> ({OURS}, {OURS})",
            SAFE,
        ),
    ],
)
def test_Y_7_a_result_among_the_arguments_is_written_behind_the_call(
    wrong: str, right: str, applicability: str
) -> None:
    text, mended = PRIM_FUNCS + FUNCTION.format(wrong), PRIM_FUNCS + FUNCTION.format(right)
    (found,) = errors(text)
    assert [fix.applicability for fix in found.fixes] == [applicability]
    assert api.fix_text(text, unsafe=True).text == mended
    assert errors(mended) == []


@pytest.mark.parametrize(
    ("written", "advice"),
    [
        (
            "R.nn.bias_add(x, x)",
            "with channels last it is `x + bias`, of (N, C, H, W) `x + reshape(bias, shape(1, -1, 1, 1))`",
        ),
        (
            "nn.bias_add(x, x)",
            "with channels last it is `x + bias`, of (N, C, H, W) `x + reshape(bias, shape(1, -1, 1, 1))`",
        ),
        ("R.emit_func_output(x)", "the value of a function is its last expression, without `;`"),
    ],
)
def test_Y_7_what_depends_on_the_layout_or_is_no_call_is_said(written: str, advice: str) -> None:
    (found,) = errors(FUNCTION.format(written))
    assert (found.help, found.fixes) == (advice, [])
