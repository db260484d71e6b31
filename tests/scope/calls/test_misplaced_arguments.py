"""Arguments of operators in another form: one message for one mistake, and a fix that is all it needs. (Y.7, Z.5)"""

from __future__ import annotations

import pytest

from relax_lang import api
from relax_lang.base.diagnostic import ERROR, SAFE, UNSAFE, Diagnostic
from tests.edits import applied

PROGRAM = """\
def @main(x: Tensor[(2, 3), float32], s: Tensor[(n, m), float32], c: Tensor[(2, 3), bool]) -> Object {{
  {}
}}

prim_func @copy(A: Buffer[(h, w), float32], B: Buffer[(h, w), float32]) {{
  for i, j in grid(h, w) {{
    B[i, j] = A[i, j];
  }}
}}
"""


def errors(body: str) -> list[Diagnostic]:
    return [one for one in api.check(PROGRAM.format(body)).diagnostics if one.severity == ERROR]


def mended(body: str, applicability: str) -> str:
    """Apply the first fix of the one error."""
    (found,) = errors(body)
    fix = found.fixes[0]
    assert fix.applicability == applicability
    text = PROGRAM.format(body)
    return applied(text, fix)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        # Attributes without their names.
        ("astype(x, float32)", "astype(x, dtype=float32)"),
        ("split(x, 3, 1)", "split(x, indices_or_sections=3, axis=1)"),
        ("split(x, 2)", "split(x, indices_or_sections=2)"),
        ("expand_dims(x, 0)", "expand_dims(x, axis=0)"),
        ("expand_dims(x, (0, -1))", "expand_dims(x, axis=[0, -1])"),
        ("sum(x, 1)", "sum(x, axis=1)"),
        ("sum(x, (1))", "sum(x, axis=1)"),
        ("sum(x, 1, true)", "sum(x, axis=1, keepdims=true)"),
        ("sum(x, true)", "sum(x, keepdims=true)"),
        ("sum(x, 1, keepdims=true)", "sum(x, axis=1, keepdims=true)"),
        ("sum(x, (0, 1))", "sum(x, axis=[0, 1])"),
        ("sum(x, [0, 1])", "sum(x, axis=[0, 1])"),
        ("nn.softmax(x, -1)", "nn.softmax(x, axis=-1)"),
        ("concat((x, x), 1)", "concat((x, x), axis=1)"),
        ("permute_dims(x, (1, 0))", "permute_dims(x, axes=[1, 0])"),
        ("permute_dims(x, [1, 0])", "permute_dims(x, axes=[1, 0])"),
        ("take(x, const([0], int64), 1)", "take(x, const([0], int64), axis=1)"),
        ("full(shape(2), 1.0, float64)", "full(shape(2), 1.0, dtype=float64)"),
        ("arange(3, int32)", "arange(3, dtype=int32)"),
        ("arange(0, n, 2, float32)", "arange(0, n, 2, dtype=float32)"),
        # Shapes.
        ("zeros((2, 3), float32)", "zeros(shape(2, 3), dtype=float32)"),
        ("zeros([2, 3], dtype=float32)", "zeros(shape(2, 3), dtype=float32)"),
        ("zeros((n,), dtype=float32)", "zeros(shape(n), dtype=float32)"),
        ("zeros((), dtype=float32)", "zeros(shape(), dtype=float32)"),
        ("reshape(s, (n, -1))", "reshape(s, shape(n, -1))"),
        ("reshape(s, [n, -1])", "reshape(s, shape(n, -1))"),
        ("reshape(s, (n * m))", "reshape(s, shape(n * m))"),
        ("reshape(s, n * m)", "reshape(s, shape(n * m))"),
        ("reshape(x, 6)", "reshape(x, shape(6))"),
        ("reshape(x, -1)", "reshape(x, shape(-1))"),
        ("ones(n, float32)", "ones(shape(n), dtype=float32)"),
        ("broadcast_to(x, (n, 2, 3))", "broadcast_to(x, shape(n, 2, 3))"),
        ("full((2, m), n, float32)", "full(shape(2, m), n, dtype=float32)"),
        # A tuple of one.
        ("call_tir(@copy, x) -> Tensor[(2, 3), float32]", "call_tir(@copy, (x,)) -> Tensor[(2, 3), float32]"),
        # Lists where attributes are.
        ("sum(x, axis=(0, 1))", "sum(x, axis=[0, 1])"),
        ("permute_dims(x, axes=(1, 0))", "permute_dims(x, axes=[1, 0])"),
    ],
)
def test_Y_7_OP_4_what_is_meant_is_clear(wrong: str, right: str) -> None:
    text = mended(wrong, SAFE)
    assert text == PROGRAM.format(right)
    assert errors(right) == []
    assert api.fix_text(PROGRAM.format(wrong)).text == text


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("max(x, 0)", "max(x, axis=0)"),  # or maximum(x, 0.0)
        ("sum(x, axes=(0, 1))", "sum(x, axis=[0, 1])"),
        ("zeros(shape(4), kind=int32)", "zeros(shape(4), dtype=int32)"),
        ("concat([x, x], axis=0)", "concat((x, x), axis=0)"),
        ("let y = [[1, 2], [3, 4]]; y", "let y = const([[1, 2], [3, 4]]); y"),
        ("let y = [x]; y", "let y = (x,); y"),
    ],
)
def test_Y_7_Z_5_what_is_guessed_is_one_message_too(wrong: str, right: str) -> None:
    assert mended(wrong, UNSAFE) == PROGRAM.format(right)
    assert errors(right) == []
    assert api.fix_text(PROGRAM.format(wrong)).text == PROGRAM.format(wrong)


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("add(x, x, x)", [("arity", "add takes 2 arguments, 3 are given")]),
        ("sum(x, x)", [("arity", "sum takes 1 argument, 2 are given")]),
        ("sum(x, 1.5)", [("arity", "sum takes 1 argument, 2 are given")]),
        (
            "reshape(x, x)",
            [("op-argument", "argument 2 of reshape must be a shape, not `Tensor[(2, 3), float32]`")],
        ),
        ("let float32 = x; add(x, float32)", []),
        (
            "x && x",
            [("op-dtype-mismatch", "logical_and: does not take float32 for `x1` and `x2`: bool is needed")],
        ),
        ("zeros(shape(4), kind=0)", [("op-attribute", "zeros: unknown attribute `kind`")]),
        ("let y: Tensor[s[k], float32] = x; y", [("shape-field-not-var-or-literal", "a shape is written")]),
    ],
)
def test_Z_5_others_are_reported_as_before(body: str, found: list[tuple[str, str]]) -> None:
    reported = [(one.slug, one.message) for one in errors(body)]
    assert [slug for slug, _ in reported] == [slug for slug, _ in found]
    assert all(message.startswith(start) for (_, message), (_, start) in zip(reported, found, strict=True))


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("add(x1=x, x2=x)", "add(x, x)"),
        ("add(x, x2=x)", "add(x, x)"),
        ("add(x1=x, x2=1.0)", "add(x, 1.0)"),
        ("clip(x, min=0.0, max=1.0)", "clip(x, 0.0, 1.0)"),
        ("sum(x=x, axis=1)", "sum(x, axis=1)"),
        ("take(x, indices=c, axis=0)", "take(x, c, axis=0)"),
        ("eye(n, k=m)", "eye(n, (), m)"),
        ("strided_slice(s, axes=[0], begin=[0], end=[n])", "strided_slice(s, (0,), (0,), (n,))"),
    ],
)
def test_OP_2_operands_by_name_are_given_by_position(wrong: str, right: str) -> None:
    assert mended(wrong, SAFE) == PROGRAM.format(right)
    assert [one.slug for one in errors(wrong)] == ["op-attribute"]


def test_OP_2_operands_by_name_in_another_order() -> None:
    assert mended("add(x2=x, x1=x)", UNSAFE) == PROGRAM.format("add(x, x)")
    (found,) = errors("where(condition=c, x2=x)")
    assert (found.help, found.fixes) == ("missing: `x1`", [])


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("reshape(x, shape=shape(6))", "reshape(x, shape(6))"),
        ("reshape(x, shape=(3, 2))", "reshape(x, (3, 2))"),
        ("zeros(shape=[2, 3], dtype=float32)", "zeros([2, 3], dtype=float32)"),
        ("concat(tensors=(x, x), axis=0)", "concat((x, x), axis=0)"),
        ("add(x1=x, x2=x + 1.0)", "add(x, x + 1.0)"),
        ("call_tir(@copy, args=(x,)) -> Tensor[(2, 3), float32]", None),
        ("eye(n, k=m + 1)", None),
    ],
)
def test_OP_2_operands_by_name_that_read_as_no_attribute(wrong: str, right: str | None) -> None:
    (found,) = errors(wrong)
    assert (found.slug, found.message) == ("syntax", "operands are given by position, without their names")
    if right is None:  # what is before it is known only to those who read operators
        assert not found.fixes
        assert "()" in (found.help or "")
    else:
        assert mended(wrong, UNSAFE) == PROGRAM.format(right)


def test_G_31_names_where_attributes_have_literals_are_one_mistake() -> None:
    (found,) = errors("nn.softmax(x, axis=k)")
    assert found.message == "nn.softmax: bad attribute `axis`: expected an integer, found `k`"
    assert not found.fixes
    assert mended("take(x, const([0], int64), axis=0, mode=clip)", UNSAFE).count('mode="clip"') == 1
    (found,) = errors("@main(x, s, d=c)")
    assert (found.slug, found.help) == (
        "bad-attribute-value",
        "arguments are given by position; attributes are literals",
    )


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ('to_vdevice(x, "cuda")', 'to_vdevice(x, dst_vdevice="cuda")'),
        ('take(x, i, 0, "clip")', 'take(x, i, axis=0, mode="clip")'),
        ('topk(x, 2, -1, "values")', 'topk(x, k=2, axis=-1, ret_type="values")'),
        ("topk(x, 2, -1, 'values')", 'topk(x, k=2, axis=-1, ret_type="values")'),
        ('arange(0, 4, 1, "int64")', "arange(0, 4, 1, dtype=int64)"),
    ],
)
def test_Y_7_strings_are_attributes(wrong: str, right: str) -> None:
    head = "def @main(x: Tensor[(2, 3), float32], i: Tensor[(2,), int64]) {{ {} }}\n"
    (found,) = [one for one in api.check(head.format(wrong)).diagnostics if one.severity == ERROR]
    assert found.slug == "op-attribute"
    result = api.fix_text(head.format(wrong))
    assert (result.text, [one.slug for one in result.left]) == (head.format(right), [])


def test_Y_7_a_string_that_no_attribute_takes_is_reported_as_one() -> None:
    text = 'def @main(x: Tensor[(2, 3), float32]) { add(x, "cuda") }\n'
    (found,) = [one for one in api.check(text).diagnostics if one.severity == ERROR]
    assert found.slug == "syntax"
    assert found.fixes == []


def test_OP_3_arguments_that_fit_neither_place_are_not_said_to_be_exchanged() -> None:
    text = "def @main(x: Tensor[(n, 3), float32], w: Tensor[(3, 4), float32]) -> Object {\n  nn.conv2d(x, w)\n}\n"
    found = [one for one in api.check(text).diagnostics if one.severity == "error"]
    assert [one.message.partition(" of ")[0] for one in found] == ["argument 1", "argument 2"]
    assert not any(one.fixes for one in found)
    swapped = "def @main(x: Tensor[(1, 1, 3, 4), float32]) -> Object {\n  image.resize2d(shape(2, 2), x)\n}\n"
    (found,) = [one for one in api.check(swapped).diagnostics if one.severity == "error"]
    assert found.message == "arguments 1 and 2 of image.resize2d are the other way round"


@pytest.mark.parametrize(
    ("written", "right"),
    [
        ("[1.0, 2.0]", "const([1.0, 2.0])"),
        (
            "let y: Tensor[(2,), float32] = [1.0, 2.0]; y",
            "let y: Tensor[(2,), float32] = const([1.0, 2.0]); y",
        ),
        ("@g([1.0, 2.0])", "@g(const([1.0, 2.0]))"),
    ],
)
def test_Z_5_that_a_list_is_no_tensor_is_one_mistake(written: str, right: str) -> None:
    text = "def @g(x: Tensor) -> Tensor {{\n  x\n}}\n\ndef @main(x: Tensor) -> Tensor {{\n  {}\n}}\n"
    (found,) = [one for one in api.check(text.format(written)).diagnostics if one.severity == "error"]
    assert found.message == "there are no lists of values"
    assert api.fix_text(text.format(written), unsafe=True).text == text.format(right)
