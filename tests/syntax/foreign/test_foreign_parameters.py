"""Parameters as Halide, Triton, MLIR, TVMScript and Python write them: one message with what is meant. (Y.7)"""

from __future__ import annotations

import pytest

from relax_lang import api
from relax_lang.base.diagnostic import ERROR, SAFE, UNSAFE, Diagnostic

PRIM_FUNC = "prim_func @k({}) {{\n  for i in 0..8 {{ S[i] = 1.0; }}\n}}\n"
LAST = ", S: Buffer[(8,), float32]"


def errors(text: str) -> list[Diagnostic]:
    return [one for one in api.check(text).diagnostics if one.severity == ERROR]


@pytest.mark.parametrize(
    ("wrong", "right", "applicability"),
    [
        ("A: Buffer[float, 1]", "A: Buffer[(n,), float32]", UNSAFE),
        ("A: Buffer[uint8, 2]", "A: Buffer[(n, m), uint8]", UNSAFE),
        ("A: Buffer[float32, (4, n)]", "A: Buffer[(4, n), float32]", UNSAFE),
        ("A: Buffer[float32, n, m]", "A: Buffer[(n, m), float32]", UNSAFE),
        ("A: Buffer[n, float32]", "A: Buffer[(n,), float32]", UNSAFE),
        ("A: Buffer[16, 8, float32]", "A: Buffer[(16, 8), float32]", UNSAFE),
        ("A: Buffer(float32, 1)", "A: Buffer[(n,), float32]", UNSAFE),
        ('A: T.Buffer(("n", 4), "float32")', "A: Buffer[(n, 4), float32]", UNSAFE),
        ('A: R.Tensor((4,), "float32")', "A: Buffer[(4,), float32]", UNSAFE),
        ("A: memref<16xf32>", "A: Buffer[(16,), float32]", UNSAFE),
        ("A: memref<?x?xi8>", "A: Buffer[(n, m), int8]", UNSAFE),
        ("BLOCK: constexpr = 16", "BLOCK: int64", UNSAFE),
        ("BLOCK: tl.constexpr = 16", "BLOCK: int64", UNSAFE),
        ("BLOCK: constexpr", "BLOCK: int64", UNSAFE),
        ("BLOCK: tl.constexpr", "BLOCK: int64", UNSAFE),
        ("k: int = 4", "k: int32", UNSAFE),
        ("k: np.float32 = 0.5", "k: float32", UNSAFE),
        ("k: int64 = 4", "k: int64", UNSAFE),
        ("k = 4", "k: int64", UNSAFE),
        ("k = 0.5", "k: float32", UNSAFE),
        ("k: T.int32", "k: int32", SAFE),
        ("in A: Buffer[(4,), float32]", "A: Buffer[(4,), float32]", SAFE),
        ("out A: Buffer[(4,), float32]", "A: Buffer[(4,), float32]", SAFE),
        ("A: mut Buffer[(4,), float32]", "A: Buffer[(4,), float32]", SAFE),
        ("A: &Buffer[(4,), float32]", "A: Buffer[(4,), float32]", SAFE),
        ("A: const Buffer[(4,), float32]", "A: Buffer[(4,), float32]", SAFE),
    ],
)
def test_Y_7_a_parameter_of_a_prim_func(wrong: str, right: str, applicability: str) -> None:
    text, mended = PRIM_FUNC.format(wrong + LAST), PRIM_FUNC.format(right + LAST)
    (found,) = errors(text)
    assert [fix.applicability for fix in found.fixes] == [applicability]
    assert api.fix_text(text, unsafe=True).text == mended
    assert errors(mended) == []


@pytest.mark.parametrize(
    ("wrong", "advice"),
    [
        ("A: Buffer[float32]", "write `Buffer[(…), float32]`, with its dimensions"),
        ("A: Buffer[(4,)]", "write `Buffer[(4,), …]`, with its dtype"),
        ("A: Buffer[_, float32]", ""),
        ("A: Buffer", ""),
        ("A: T.handle", ""),
    ],
)
def test_Y_7_what_a_buffer_lacks_is_said(wrong: str, advice: str) -> None:
    (found,) = errors(PRIM_FUNC.format(wrong + LAST))
    assert found.message == "a buffer has dimensions and a dtype: `Buffer[(n, m), float32]`"
    assert (found.help, found.fixes) == (advice, [])


def test_Y_7_a_number_after_the_dtype_of_an_allocation_is_an_extent() -> None:
    text = "prim_func @k(S: Buffer[(8,), float32]) {\n  alloc t: Buffer[float32, 4];\n  S[0] = t[0];\n}\n"
    (found,) = errors(text)
    assert found.help == "write `Buffer[(4,), float32]`"


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("k: int = 4", "k: Tensor[(), int32]"),
        ("k: float32 = 0.5", "k: Tensor[(), float32]"),
        ("k = 4", "k: Tensor[(), int64]"),
        ("k: Tensor = 4", "k: Tensor"),
    ],
)
def test_Y_7_a_parameter_of_a_function_has_no_default_value(wrong: str, right: str) -> None:
    text = "def @main(x: Tensor, {}) -> Object {{\n  (x, k)\n}}\n"
    (found,) = errors(text.format(wrong))
    assert found.message == "parameters have no default values"
    assert api.fix_text(text.format(wrong), unsafe=True).text == text.format(right)
    assert errors(text.format(right)) == []


@pytest.mark.parametrize("wrong", ["*xs: Tensor", "*xs", "**kwargs", "..."])
def test_Y_7_there_is_no_parameter_for_any_number_of_values(wrong: str) -> None:
    (found,) = errors(f"def @main(x: Tensor, {wrong}) -> Object {{\n  x\n}}\n")
    assert found.message == "a function has as many parameters as are written"
    (found,) = errors(PRIM_FUNC.format("S: Buffer[(8,), float32], " + wrong.replace("Tensor", "int64")))
    assert found.message == "a function has as many parameters as are written"
