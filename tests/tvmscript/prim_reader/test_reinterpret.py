"""`T.reinterpret`: the bits of a number as another dtype."""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang import api
from relax_lang.base.source import PythonFile
from tests.tvmscript.harness import code, obstacles, script

UNIT = """
@T.prim_func(s_tir=True)
def f(X: T.Buffer((4,), "float32"), Y: T.Buffer((4,), "uint32")):
    for i in range(4):
        Y[i] = T.shift_right(T.reinterpret("uint32", X[i]), T.uint32(23))
"""


@pytest.mark.parametrize("spelled", ['T.reinterpret("int32", A[0])', 'T.reinterpret(A[0], dtype="int32")'])
def test_both_spellings_are_read(spelled: str) -> None:
    params = 'A: T.Buffer((8,), "float32"), B: T.Buffer((8,), "int32")'
    assert code(f"B[0] = {spelled}", params) == "B[0] = reinterpret_int32(A[0]);"


def test_the_dtype_that_a_number_has_already_is_left_out() -> None:
    assert code('A[0] = T.reinterpret("float32", A[1])') == "A[0] = A[1];"


def test_an_index_has_the_dtype_that_it_has_in_tvm() -> None:
    text = 'for i in range(8):\n    A[i] = T.reinterpret("float32", i)'
    assert "reinterpret_float32(cast(i, int32))" in code(text)


def test_it_is_written_as_it_was_read() -> None:
    written = api.to_tvmscript(PythonFile(script(UNIT), "unit.py")).text
    assert 'Y[i] = T.shift_right(T.reinterpret("uint32", X[i]), T.uint32(23))' in written
    older = api.to_tvmscript(PythonFile(script(UNIT), "unit.py"), version="0.20").text
    assert 'T.reinterpret(X[i], dtype="uint32")' in older


def test_other_numbers_of_bits_are_refused() -> None:
    unit = """
    @T.prim_func
    def f(X: T.Buffer((4,), "float32"), Y: T.Buffer((4,), "int64")):
        Y[0] = T.reinterpret("int64", X[0])
    """
    assert obstacles(unit) == [("tvmscript-unsupported", 'T.reinterpret("int64", X[0])')]


def test_it_runs() -> None:
    module = """
    @I.ir_module
    class M:
        @T.prim_func(s_tir=True)
        def f(X: T.Buffer((4,), "float32"), Y: T.Buffer((4,), "uint32")):
            for i in range(4):
                Y[i] = T.shift_right(T.reinterpret("uint32", X[i]), T.uint32(23))

        @R.function
        def main(x: R.Tensor((4,), "float32")) -> R.Tensor((4,), "uint32"):
            cls = M
            y = R.call_tir(cls.f, (x,), out_ty=R.Tensor((4,), "uint32"))
            return y
    """
    found = api.run(PythonFile(script(module), "unit.py"), np.array([1, 2, 0.5, 8], np.float32))
    assert np.asarray(found).tolist() == [127, 128, 126, 130]
