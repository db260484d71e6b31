"""Variables of TVM 0.27 that change: `x = e` is memory of one element there."""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang import api
from relax_lang.base.source import PythonFile
from tests.tvmscript.harness import code, obstacles, script, unbroken

PARAMS = 'A: T.Buffer((8,), "int32"), B: T.Buffer((1,), "int32")'
GIVEN = np.arange(1, 9, dtype=np.int32)


def ran(body: str) -> list[int]:
    """Return what a PrimFunc stores to `B`, in both engines, and after it was exported and read again."""
    lines = "".join([f"        {line}\n" for line in body.splitlines()])
    text = script(
        f"@I.ir_module\nclass Module:\n    @T.prim_func(s_tir=True)\n    def f({PARAMS}):\n{lines}\n"
        '    @R.function\n    def main(A: R.Tensor((8,), "int32")) -> R.Tensor((1,), "int32"):\n'
        '        return R.call_tir(Module.f, (A,), out_ty=R.Tensor((1,), "int32"))\n'
    )
    source = PythonFile(text, "cells.py")
    again = PythonFile(api.to_tvmscript(source).text, "again.py")
    return [
        int(np.asarray(api.run(one, GIVEN.copy(), engine=engine))[0])
        for one in (source, again)
        for engine in ("compiled", "interpreter")
    ]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("x: T.int32 = 0\nfor i in range(8):\n    x = x + A[i]\nB[0] = x", 36),
        ("x: T.int32 = 5\nfor i in range(8):\n    x += A[i]\nB[0] = x", 41),
        ("x = A[0]\nx = x + A[7]\nfor i in range(8):\n    x = x + A[i]\nB[0] = x", 45),
        ("x: T.int32\nx = A[1]\nif A[0] > 0:\n    x = T.int32(7)\nelse:\n    x = T.int32(9)\nB[0] = x", 7),
        ('x = T.local_scalar("int32")\nx = T.int32(3)\nwhile x < 20:\n    x = x * 2\nB[0] = x', 24),
        ("x = A[0]\nx = x + A[7]\nB[0] = x", 9),
        ("for i in range(8):\n    y = A[i]\n    B[0] = y", 8),
        ("y = T.int32(4)\nfor i in range(8):\n    z = y\n    for j in range(2):\n        z = z + 1\n    B[0] = z", 6),
        ("for i in range(2):\n    x = A[i]\nfor i in range(8):\n    x = A[i]\n    B[0] = x", 8),
        ("B[0] = 0\nfor i in range(8):\n    B[0] = B[0] + A[i]", 36),
        ("B = 4", 4),
        ("B = A[3]\nfor i in range(8):\n    B = A[i]", 8),
    ],
)  # fmt: skip
def test_a_variable_that_changes_has_the_value_that_it_has_in_tvm(body: str, expected: int) -> None:
    assert ran(body) == [expected] * 4


def test_a_variable_that_changes_is_an_allocation_and_others_are_not() -> None:
    made = code("x = A[0]\ny = A[1]\nfor i in range(8):\n    x = x + y\nB[0] = x", PARAMS)
    assert made.startswith(
        "alloc x: Buffer[(1,), int32] attrs { cell: true };\nx[0] = A[0];\nlet y: int32 = A[1];"
    )


def test_a_variable_that_changes_is_written_as_tvm_prints_it() -> None:
    text = script(
        f"@T.prim_func(s_tir=True)\ndef f({PARAMS}):\n    x = T.int32(1)\n    while x < 9:\n        x += x\n"
    )
    for version, lines in (
        ("0.27", 'x = T.local_scalar("int32") x = T.int32(1) while x < T.int32(9): x = x + x'),
        ("0.20", 'x = T.alloc_buffer((1,), "int32") x[0] = T.int32(1) while x[0] < T.int32(9):'),
    ):
        assert lines in unbroken(api.to_tvmscript(PythonFile(text, "f.py"), version=version).text)


def test_in_older_files_an_assignment_is_a_variable_for_what_follows_it() -> None:
    text = f"from tvm.script import tir as T\n@T.prim_func\ndef f({PARAMS}):\n    x = A[0]\n    for i in range(8):\n"
    text += "        x = x + 1\n        B[0] = x\n"
    exported = api.to_tvmscript(PythonFile(text, "f.py")).text
    assert "local_scalar" not in exported


def test_a_buffer_of_more_elements_is_no_variable() -> None:
    text = f"@T.prim_func(s_tir=True)\ndef f({PARAMS}):\n    A += 1\n"
    assert obstacles(text) == [("tvmscript-unsupported", "A += 1")]
