"""Calls in PrimFuncs with the prefixes of TVMScript, NumPy and Triton: one message with all that changes. (Y.7, Z.5)"""

from __future__ import annotations

import pytest

from relax_lang import api
from relax_lang.base.diagnostic import ERROR, SAFE, UNSAFE, Diagnostic

PRIM_FUNC = """\
prim_func @k(A: Buffer[(n,), float32], B: Buffer[(n,), float32], L: Buffer[(n,), int8], K: Buffer[(n,), int64]) {{
  for i in 0..n {{
    {}
  }}
}}
"""


def errors(text: str) -> list[Diagnostic]:
    return [one for one in api.check(text).diagnostics if one.severity == ERROR]


@pytest.mark.parametrize(
    ("wrong", "right", "applicability"),
    [
        ('B[i] = T.Cast("float32", i);', "B[i] = cast(i, float32);", SAFE),
        ('B[i] = T.cast(i, "float32");', "B[i] = cast(i, float32);", SAFE),
        ('B[i] = T.cast(i, dtype="float32");', "B[i] = cast(i, float32);", SAFE),
        ('B[i] = 2.0 * tirx.Cast("float32", i + 1);', "B[i] = 2.0 * cast(i + 1, float32);", SAFE),
        ('B[i] = Cast("float32", i);', "B[i] = cast(i, float32);", SAFE),
        ('B[i] = cast(i, "float");', "B[i] = cast(i, float32);", SAFE),
        ("B[i] = tl.cast(i, tl.float32);", "B[i] = cast(i, float32);", SAFE),
        ("B[i] = cast(i, np.float32);", "B[i] = cast(i, float32);", SAFE),
        ("B[i] = T.float32(i);", "B[i] = cast(i, float32);", SAFE),
        ("B[i] = T.float32(-0.5);", "B[i] = float32(-0.5);", SAFE),
        ("B[i] = i as f32;", "B[i] = cast(i, float32);", SAFE),
        ('L[i] = T.min_value("int8");', "L[i] = min_value(int8);", SAFE),
        ("B[i] = T.max(A[i], 0.0);", "B[i] = max(A[i], 0.0);", SAFE),
        ("B[i] = T.if_then_else(i < 4, A[i], 0.0);", "B[i] = if_then_else(i < 4, A[i], 0.0);", SAFE),
        ("B[i] = T.Select(i < 4, A[i], 0.0);", "B[i] = select(i < 4, A[i], 0.0);", UNSAFE),
        ("B[i] = torch.max(A[i], 0.0);", "B[i] = max(A[i], 0.0);", UNSAFE),
        ("B[i] = np.exp(A[i]);", "B[i] = exp(A[i]);", UNSAFE),
        ("K[i] = T.floordiv(i + 1, 2) * 2;", "K[i] = ((i + 1) // 2) * 2;", UNSAFE),
        ("K[i] = T.shift_left(i, 2);", "K[i] = (i << 2);", UNSAFE),
    ],
)
def test_Y_7_a_prefix_is_one_mistake_with_what_it_brings(wrong: str, right: str, applicability: str) -> None:
    text, mended = PRIM_FUNC.format(wrong), PRIM_FUNC.format(right)
    (found,) = errors(text)
    assert [fix.applicability for fix in found.fixes] == [applicability]
    assert api.fix_text(text, unsafe=applicability == UNSAFE).text == mended
    assert errors(mended) == []


def test_Y_7_two_functions_of_other_names_are_mended_together() -> None:
    text = PRIM_FUNC.format("K[i] = T.floordiv(i, 2) + T.floormod(i, 2);")
    assert api.fix_text(text, unsafe=True).text == PRIM_FUNC.format("K[i] = (i // 2) + (i % 2);")


def test_Z_5_what_is_wrong_in_the_value_of_a_cast_is_reported_too() -> None:
    text = PRIM_FUNC.format('B[i] = T.Cast("float32", T.exp(A[i]));')
    assert len(errors(text)) == 2
    assert api.fix_text(text, unsafe=True).text == PRIM_FUNC.format("B[i] = cast(exp(A[i]), float32);")


@pytest.mark.parametrize(
    ("wrong", "advice"),
    [
        ("B[i] = cast(A[i], A.dtype);", "a dtype is written by its name: `float32`"),
        ("B[i] = A[i] * A.size;", "extents have names: in `A: Buffer[(n, m), float32]`, `n` and `m`"),
        ("B[i] = A.foo;", ""),
    ],
)
def test_Y_7_buffers_have_no_fields(wrong: str, advice: str) -> None:
    (found,) = errors(PRIM_FUNC.format(wrong))
    assert (found.message, found.help) == ("buffers and numbers have no fields", advice)
