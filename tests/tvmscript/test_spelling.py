"""What export alone reads: facts of TVM that change nothing about types and values come back as they were."""

from __future__ import annotations

from textwrap import dedent

import pytest

from relax_lang import api
from relax_lang.base.source import PythonFile
from tests.tvmscript.harness import HEADER, imported, unbroken


def there_and_back(text: str) -> tuple[str, str]:
    """Return a program as Relax text, and the export of it; the export of the export is the same."""
    source = PythonFile(HEADER + dedent(text), "unit.py")
    assert [one for one in api.check(source).diagnostics if one.severity in ("error", "warning")] == []
    exported = api.to_tvmscript(source).text
    assert api.to_tvmscript(PythonFile(exported, "unit.py")).text == exported
    return imported(text), unbroken(exported)


BODY = """
        for i in range(8):
            Y[i] = X[i]
"""
PARAMS = 'X: T.Buffer((8,), "float32"), Y: T.Buffer((8,), "float32")'


@pytest.mark.parametrize(
    ("text", "relax", "python"),
    [
        (
            (
                f"@T.prim_func(s_tir=True)\ndef main({PARAMS}):\n"
                '    for i in T.serial(8, annotations={"unroll": 4, "of": {"a": [1, 2]}}):\n        Y[i] = X[i]\n'
            ),
            "for i in 0..8 attrs { unroll: 4, of: { a: [1, 2] } } {",
            'T.serial(8, annotations={"unroll": 4, "of": {"a": [1, 2]}})',
        ),
        (
            (
                f"@T.prim_func(s_tir=True)\ndef main({PARAMS}):\n"
                '    for i in T.parallel(8, annotations={"x": True}):\n        Y[i] = X[i]\n'
            ),
            "for parallel i in 0..8 attrs { x: true } {",
            'T.parallel(8, annotations={"x": True})',
        ),
        (
            (
                '@T.prim_func(s_tir=True)\ndef main(X: T.Buffer((8,), "float32", offset_factor=1, align=8), '
                'Y: T.Buffer((8,), "float32", scope="shared")):\n    for i in range(8):\n        Y[i] = X[i]\n'
            ),
            'buffers: { X: { offset_factor: 1, align: 8 }, Y: { scope: "shared" } }',
            'X: T.Buffer((8,), "float32", offset_factor=1, align=8), Y: T.Buffer((8,), "float32", scope="shared")',
        ),
        (
            (
                f"@T.prim_func(s_tir=True)\ndef main({PARAMS}):\n"
                '    Z = T.sblock_alloc_buffer((8,), "float32", strides=[1])\n'
                "    for i in range(8):\n        Z[i] = X[i]\n        Y[i] = Z[i]\n"
            ),
            "alloc Z: Buffer[(8,), float32] attrs { strides: [1] };",
            'Z = T.sblock_alloc_buffer((8,), "float32", strides=[1])',
        ),
        (
            (
                f"@T.prim_func\ndef main({PARAMS}):\n"
                '    Z = T.alloc_buffer((8,), "float32", scope="local")\n'
                "    for i in range(8):\n        Z[i] = X[i]\n        Y[i] = Z[i]\n"
            ),
            'alloc Z: Buffer[(8,), float32] in "local" attrs { sblock: false };',
            'Z = T.alloc_buffer((8,), "float32", scope="local")',
        ),
        (
            (
                "@T.prim_func(s_tir=True)\n"
                'def main(x: T.handle("float32", storage_scope="shared"), y: T.handle("float32")):\n'
                '    X = T.decl_buffer((8,), "float32", data=x)\n    Y = T.decl_buffer((8,), "float32", data=y)\n'
                "    for i in range(8):\n        Y[i] = X[i]\n"
            ),
            'buffers: { X: { pointer: "shared" }, Y: { pointer: "global" } }',
            'X = T.decl_buffer((8,), "float32", data=X_ptr, scope="shared")',
        ),
        (
            (
                f"@T.prim_func(s_tir=True)\ndef main({PARAMS}):\n    for i in range(8):\n"
                "        x = X[i] * X[i]\n        Y[i] = x\n"
            ),
            'cells: ["x"]',
            "x = X[i] * X[i]",
        ),
        (
            (
                f"@T.prim_func(s_tir=True)\ndef main({PARAMS}):\n"
                '    T.func_attr({"global_symbol": "other", "target": T.target("llvm", host="llvm")})\n'
                "    T.evaluate(X[0])\n    for i in range(8):\n"
                '        with T.sblock(""):\n            v = T.axis.spatial(8, i)\n            Y[v] = X[v]\n'
            ),
            'attrs { symbol: "other", target: { "T.target": "llvm", host: "llvm" } }',
            'T.func_attr({"global_symbol": "other", "target": T.target("llvm", host="llvm")})',
        ),
        (
            (
                f"@T.prim_func(s_tir=True)\ndef main({PARAMS}):\n    T.evaluate(X[0])\n    for i in range(8):\n"
                '        with T.sblock(""):\n            v = T.axis.spatial(8, i)\n            Y[v] = X[v]\n'
            ),
            "let _: float32 = X[0];",
            'T.evaluate(X[0]) for i in range(8): with T.sblock(""):',
        ),
        (
            (
                f'@T.prim_func(s_tir=True)\ndef main({PARAMS}):\n    with T.sblock("root"):\n'
                "        T.reads(X[0:8])\n        T.writes(Y[0:8])\n        for i in range(8):\n"
                "            Y[i] = X[i]\n"
            ),
            "block root reads [X[0..8]] writes [Y[0..8]]",
            'with T.sblock("root"): T.reads(X[0:8])',
        ),
        (
            "@T.prim_func(s_tir=True)\ndef main(n: T.int64) -> T.int64:\n    return T.int64(42)\n",
            "-> int64 {",
            "return T.int64(42)",
        ),
        (
            (
                '@R.function\ndef main(x: R.Tensor(("n", 4), "float32")) -> R.Tensor(("n", 4), "float32"):\n'
                '    R.func_attr({"upper": {"n": 2048}})\n    return R.abs(x)\n'
            ),
            "attrs { upper: { n: 2048 } }",
            'R.func_attr({"upper": {"n": 2048}})',
        ),
        (
            (
                "@I.ir_module\nclass Module:\n"
                '    I.module_global_infos({"vdevice": [I.vdevice("llvm"), I.vdevice("cuda", 1)]})\n\n'
                "    @R.function\n"
                '    def main(x: R.Tensor((2,), "float32", "llvm")) -> R.Tensor((2,), "float32", "cuda:1"):\n'
                '        y = R.to_vdevice(x, "cuda:1")\n        return y\n'
            ),
            'module attrs { vdevices: [["llvm"], ["cuda", 1]] }',
            'x: R.Tensor((2,), dtype="float32", vdevice="llvm")',
        ),
        (
            f"@I.ir_module\nclass Module(BasePyModule):\n    @T.prim_func(s_tir=True)\n    def main({PARAMS}):{BODY}",
            "module attrs { base_py_module: true }",
            'I.module_attrs({"base_py_module": True})',
        ),
    ],
)
def test_facts_of_tvm_come_back(text: str, relax: str, python: str) -> None:
    made, exported = there_and_back(text)
    assert relax in made
    assert " ".join(python.split()) in " ".join(exported.split())


def test_what_tvm_asks_meshes_for_is_refused() -> None:
    text = """
    def @main(x: Tensor[(2,), float32]) -> Tensor[(2,), float32] {
      dist.annotate_sharding(x, device_mesh="mesh[0]", placement="S[0]")
    }
    """
    with pytest.raises(api.RelaxError) as refused:
        api.to_tvmscript(text)
    assert [one.slug for one in refused.value.diagnostics] == ["not-exportable"]


def test_numbers_of_one_hot_have_a_dtype() -> None:
    text = """
    def @main(x: Tensor[(2,), int64]) -> Tensor[(2, 3), float32] {
      one_hot(x, 1.0, 0.0, depth=3)
    }
    """
    assert "R.prim_value(T.float32(1.0)), R.prim_value(T.float32(0.0))" in unbroken(
        api.to_tvmscript(text).text
    )


def test_attributes_of_loops_over_several_variables_are_refused() -> None:
    text = """
    prim_func @f(X: Buffer[(2, 2), float32]) {
      for i, j in grid(2, 2) attrs { unroll: 4 } { X[i, j] = 1.0; }
    }
    """
    with pytest.raises(api.RelaxError) as refused:
        api.to_tvmscript(text)
    assert [one.slug for one in refused.value.diagnostics] == ["not-exportable"]
