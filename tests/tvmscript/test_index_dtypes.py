"""Indices are int64 here, and of the dtype of their extents in TVM: import notes it, export writes it."""

from __future__ import annotations

import re

import pytest

from relax_lang import api
from relax_lang.base.source import PythonFile
from tests.tvmscript.harness import imported, script, unbroken

PLAIN = """
@T.prim_func(s_tir=True)
def f(X: T.Buffer((2, 3), "float32"), Y: T.Buffer((2, 3), "int32")):
    for i, j in T.grid(2, 3):
        with T.sblock("b"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(X[vi, 0:3])
            T.writes(Y[vi, 0])
            Y[vi, 0] = T.max(vi + 1, vj) + T.Cast("int32", X[vi, 2])
"""
WIDE = """
@T.prim_func(s_tir=True)
def f(X: T.Buffer((T.int64(2), T.int64(3)), "float32"), Y: T.Buffer((T.int64(2), T.int64(3)), "int32")):
    for i, j in T.grid(T.int64(2), T.int64(3)):
        with T.sblock("b"):
            vi, vj = T.axis.remap("SS", [i, j])
            T.reads(X[vi, T.int64(0):T.int64(3)])
            T.writes(Y[vi, T.int64(0)])
            Y[vi, T.int64(0)] = T.Cast("int32", T.max(vi + 1, vj))
"""


def exported(text: str) -> str:
    """Return what is exported of a unit, from its decorator on and without the class around it, in no lines."""
    written = api.to_tvmscript(PythonFile(script(text), "unit.py")).text
    return unbroken(written[written.index("    @") :])


@pytest.mark.parametrize("text", [PLAIN, WIDE], ids=["int32", "int64"])
def test_a_prim_func_comes_back_with_the_dtypes_of_its_indices(text: str) -> None:
    assert exported(text) == unbroken(text)


def test_bare_numbers_are_int32_in_tvm_and_need_no_attribute() -> None:
    assert "attrs" not in imported(PLAIN)


def test_numbers_of_the_dtype_int64_are_an_attribute() -> None:
    assert "attrs { index_dtype: int64 }" in imported(WIDE)


def test_sizes_are_int64_in_tvm_unless_they_are_declared_otherwise() -> None:
    sized = """
    @T.prim_func(s_tir=True)
    def f(x: T.handle, y: T.handle):
        n = T.{}()
        X = T.match_buffer(x, (n,), "float32")
        Y = T.match_buffer(y, (n,), "float32")
        for i in range(n):
            k: T.let[T.{}] = i
            Y[k] = X[k]
    """
    wide, narrow = sized.format("int64", "int64"), sized.format("int32", "int32")
    assert "attrs" not in imported(wide)
    assert "attrs { index_dtype: int32 }" in imported(narrow)
    for text, dtype in ((wide, "int64"), (narrow, "int32")):
        assert f"n = T.{dtype}()" in exported(text)
        assert f"k: T.let[T.{dtype}] = i" in exported(text)


def test_a_parameter_that_is_a_size_has_the_dtype_of_indices() -> None:
    text = """
    @T.prim_func
    def f(x: T.handle, n: T.int32):
        X = T.match_buffer(x, (n,), "int32")
        for i in range(n):
            X[i] = n
    """
    assert "n: T.int32" in exported(text)
    assert "X[i] = n" in exported(text)


def test_a_place_in_an_index_is_of_any_integer_dtype() -> None:
    text = """
    @T.prim_func(s_tir=True)
    def f(X: T.Buffer((8,), "float32"), P: T.Buffer((8,), "int32"), Y: T.Buffer((8,), "float32")):
        for i in range(8):
            Y[i] = X[P[i]]
    """
    assert "X[cast(P[i], int64)]" in imported(text)
    assert "Y[i] = X[P[i]]" in exported(text)


def test_a_buffer_of_more_elements_than_an_int32_counts_has_int64_indices() -> None:
    program = "prim_func @f(X: Buffer[(4294967296,), int8]) { for i in 0..4294967296 { X[i] = int8(0); } }"
    assert "range(T.int64(4294967296))" in api.to_tvmscript(program).text


def test_arguments_of_packed_functions_keep_their_dtype() -> None:
    program = 'prim_func @f(X: Buffer[(8,), int8]) { for i in 0..8 { call_extern("g", i); } }'
    assert 'T.call_extern("int32", "g", T.Cast("int64", i))' in api.to_tvmscript(program).text


def test_the_attributes_of_the_root_block_are_kept() -> None:
    text = """
    @T.prim_func(s_tir=True)
    def f(X: T.Buffer((8,), "float32")):
        with T.sblock("root"):
            T.sblock_attr({"meta_schedule.unroll_explicit": 16})
            for i in range(8):
                X[i] = T.float32(1.0)
    """
    assert 'block root attrs { "meta_schedule.unroll_explicit": 16 } {' in imported(text)
    assert 'T.sblock_attr({"meta_schedule.unroll_explicit": 16})' in exported(text)


def test_a_number_among_the_arguments_of_a_packed_function_is_no_variable() -> None:
    text = """
    @R.function(pure=False)
    def f(x: R.Tensor((2, 3), "float32")):
        y = R.call_packed("g", x, 80, ty_args=(R.Tensor((2, 3), "float32"),))
        return y
    """
    assert 'R.call_packed("g", x, R.prim_value(80), ty_args=' in exported(text)


MIXED = """
@T.prim_func(s_tir=True)
def f(x: T.handle, Y: T.Buffer((T.int64(4), T.int64(3)), "float32"), w: T.handle):
    n = T.int32()
    X = T.match_buffer(x, (n, 3), "float32")
    W = T.match_buffer(w, (n,), "int32")
    for i, j in T.grid(T.int64(4), 3):
        with T.sblock("b"):
            vi, vj = T.axis.remap("SS", [i, j])
            Y[vi, vj] = X[0, vj] + Y[T.int64(0), T.int64(1)]
    for i in range(n):
        with T.sblock("c"):
            vo = T.axis.spatial(1, T.int64(0))
            vi = T.axis.spatial(n, i)
            W[vi] = vi
    for i in range(4):
        Y[i, T.int64(0)] = T.Cast("float32", i)
"""


def test_a_prim_func_with_indices_of_both_dtypes_comes_back() -> None:
    text = imported(MIXED)
    assert 'index_dtypes: { X: int32, j: int32, "X[]": int32, vo: int32, "i#3": int32, n: int32 }' in text
    mixed = MIXED.replace("vi = T.axis.spatial(n, i)", 'vi = T.axis.remap("S", [i])')
    mixed = mixed.replace("(x,", "(var_X,").replace("(x:", "(var_X:")
    mixed = mixed.replace("(w,", "(var_W,").replace("w:", "var_W:")
    assert exported(MIXED) == unbroken(mixed)


def test_the_second_loop_over_a_name_may_have_another_dtype() -> None:
    text = """
    @T.prim_func(s_tir=True)
    def f(X: T.Buffer((8,), "float32")):
        for i in range(8):
            X[i] = T.float32(1.0)
        for i in range(T.int64(8)):
            X[i] = T.float32(2.0)
    """
    assert 'index_dtypes: { "i#2": int64 }' in imported(text)
    assert "for i in range(8):" in exported(text)
    assert "for i in range(T.int64(8)):" in exported(text)


def test_a_program_written_out_with_exceptions_is_read_with_them() -> None:
    text = imported(MIXED)
    once = api.to_tvmscript(text).text
    assert api.from_tvmscript(once) == api.from_tvmscript(api.to_tvmscript(api.from_tvmscript(once)).text)
    assert once == api.to_tvmscript(PythonFile(once, "once.py")).text


def test_one_axis_of_a_buffer_may_have_another_dtype() -> None:
    text = """
    @T.prim_func(s_tir=True)
    def f(B: T.Buffer((T.int64(4), 3), "int32")):
        for i in range(T.int64(4)):
            B[i, 0] = 1
    """
    assert 'index_dtypes: { B: int64, "B.1": int32, i: int64 }' in imported(text)
    assert 'B: T.Buffer((T.int64(4), 3), "int32")' in exported(text)


def test_an_assumption_is_an_assertion_and_comes_back() -> None:
    text = """
    @T.prim_func(s_tir=True)
    def f(A: T.Buffer((4,), "float32"), B: T.Buffer((4,), "float32")):
        for i in range(4):
            T.assume(A[i] > T.float32(0))
            B[i] = A[i]
    """
    assert 'assert A[i] > float32(0.0), "assumption";' in imported(text)
    assert "T.evaluate(T.assume(A[i] > T.float32(0.0)))" in exported(text)


def test_a_bare_info_of_a_packed_call_is_called() -> None:
    text = 'def @main(x: Tensor[(2,), float32]) { extern "f"(x) -> Object }'
    assert "ty_args=(R.Any(),)" in api.to_tvmscript(text).text


@pytest.mark.parametrize(
    ("params", "body"),
    [
        ("n: T.int32", "for i in range(n): T.evaluate(i)"),
        ("n: T.int32", 'A = T.alloc_buffer((n,), "float32") for i in range(n): T.evaluate(A[i])'),
        ('n: T.int64, X: T.Buffer((8,), "float32")',
         'A = T.alloc_buffer((n,), "float32") for i in range(8): X[i] = A[0]'),
        ('n: T.int64, X: T.Buffer((8,), "float32")', 'for i in range(n): X[i] = T.Cast("float32", i + n)'),
        ('n: T.int32, X: T.Buffer((T.int64(8),), "float32")', 'for i in range(n): X[i] = T.Cast("float32", i + n)'),
    ],
)  # fmt: skip
def test_what_runs_over_a_number_has_its_dtype(params: str, body: str) -> None:
    lines = re.sub(r" (?=for |T\.ev|X\[i\] )", "\n    ", body).replace(":\n    ", ":\n        ")
    text = script(f"@T.prim_func(s_tir=True)\ndef main({params}):\n    {lines}\n")
    exported = unbroken(api.to_tvmscript(PythonFile(text, "unit.py")).text)
    assert f"def main({params}): {body}" in exported
