"""What export alone reads: facts of TVM that change nothing about types and values come back as they were."""

from __future__ import annotations

from textwrap import dedent

import pytest

from relax_lang import api
from relax_lang.base.source import PythonFile
from tests.tvmscript.harness import HEADER, findings, imported, obstacles, unbroken


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


@pytest.mark.parametrize(
    ("body", "relax"),
    [
        ("if n > 0:\n return T.int32(10)\nelse:\n return T.int32(20)", 'branches: ["else"]'),
        ("if n > 0:\n return T.int32(10)\nreturn T.int32(20)", 'branches: ["after"]'),
        (
            "if n > 0:\n return T.int32(10)\nif n > 1:\n return T.int32(5)\nelse:\n return T.int32(20)",
            'branches: ["after", "else"]',
        ),
    ],
)
def test_a_result_of_two_returns_is_written_as_two(body: str, relax: str) -> None:
    lines = (
        body.replace("\n ", "\n    ").replace("n > 0", "n > T.int32(0)").replace("n > 1", "n > T.int32(1)")
    )
    written = "\n    ".join(lines.splitlines())
    text = f"@T.prim_func(s_tir=True)\ndef main(n: T.int32) -> T.int32:\n    {written}\n"
    made, back = there_and_back(text)
    assert relax in made
    assert "if_then_else(n > 0, 10" in made
    assert unbroken(dedent(text)) in back


def test_branches_that_the_result_does_not_have_are_left_out() -> None:
    program = 'prim_func @f(n: int32) -> int32 attrs { branches: ["else"] } { n }'
    assert "return n" in api.to_tvmscript(program).text


@pytest.mark.parametrize(
    ("call", "relax"),
    [
        ('T.evaluate(T.call_extern("void", "g", A.data))', 'extern_results: { g: "void" }'),
        ('T.call_extern("g", A.data, dtype="void")', 'extern_results: { g: "void" }'),
        ('T.evaluate(T.call_extern("int32", "g", A.data))', 'call_extern("g", A)'),
    ],
)
def test_the_dtype_of_what_a_packed_function_returns_is_kept(call: str, relax: str) -> None:
    text = f'@T.prim_func(s_tir=True)\ndef main(A: T.Buffer((8,), "float32")):\n    {call}\n'
    made, back = there_and_back(text)
    assert relax in made
    assert f'T.call_extern("{"void" if "void" in call else "int32"}", "g", A.data)' in back


def test_a_loop_with_a_step_is_written_with_it() -> None:
    text = '@T.prim_func(s_tir=True)\ndef main(A: T.Buffer((8,), "float32")):\n'
    text += "    for i in range(1, 8, 3):\n        A[i] = T.float32(1.0)\n"
    made, back = there_and_back(text)
    assert "for i_step in 0..3 attrs { range: [1, 8, 3] } {" in made
    assert "for i in range(1, 8, 3): A[i] = T.float32(1.0)" in back


@pytest.mark.parametrize("step", ["-3", "0"])
def test_a_step_that_is_not_positive_is_refused(step: str) -> None:
    text = '@T.prim_func(s_tir=True)\ndef main(A: T.Buffer((8,), "float32")):\n'
    text += f"    for i in range(0, 7, {step}):\n        A[i] = T.float32(1.0)\n"
    assert obstacles(text) == [("tvmscript-unsupported", step)]


def test_a_block_that_names_no_regions_has_none_when_it_comes_back() -> None:
    text = """
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((8,), "float32")):
        with T.sblock("root"):
            with T.sblock("outer"):
                T.reads()
                T.writes()
                for i in range(8):
                    with T.sblock("inner"):
                        v = T.axis.remap("S", [i])
                        A[v] = T.float32(1.0)
    """
    made, back = there_and_back(text)
    assert "block outer attrs { reads: [], writes: [] } {" in made
    assert 'with T.sblock("root"): with T.sblock("outer"): T.reads() T.writes() for i' in back


def test_an_allocation_keeps_its_annotations_and_an_offset_of_nothing() -> None:
    text = """
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((8,), "float32")):
        B = T.alloc_buffer((8,), "float32", annotations={"where": []})
        C = T.sblock_alloc_buffer((8,), "float32", elem_offset=0, align=64, offset_factor=1)
        for i in range(8):
            B[i] = A[i]
        for i in range(8):
            C[i] = B[i]
        for i in range(8):
            A[i] = C[i]
    """
    _, back = there_and_back(text)
    assert 'annotations={"where": []}' in back
    assert "elem_offset=0, align=64, offset_factor=1" in back


def test_devices_of_several_tensors_and_of_names_that_are_bound_twice_come_back() -> None:
    text = """
    @I.ir_module
    class Module:
        I.module_global_infos({"vdevice": [I.vdevice("cuda", 0, "global"), I.vdevice("llvm", 0, "global")]})

        @R.function
        def main(
            x: R.Tensor((4,), dtype="float32", vdevice="cuda:0"),
        ) -> R.Tuple(R.Tensor((4,), dtype="float32", vdevice="llvm:0"), R.Tensor((4,), dtype="float32")):
            lv = R.call_dps_packed("f", (x,), out_ty=[
                R.Tensor((4,), dtype="float32", vdevice="cuda:0"),
                R.Tensor((4,), dtype="float32", vdevice="llvm:0"),
            ])
            y: R.Tensor((4,), dtype="float32", vdevice="cuda:0") = lv[0]
            y: R.Tensor((4,), dtype="float32", vdevice="llvm:0") = lv[1]
            x: R.Tensor((4,), dtype="float32", vdevice="cuda:0") = R.add(x, x)
            return (y, x)
    """
    made, back = there_and_back(text)
    for entry in (
        'x: "cuda:0"', '"x#2": "cuda:0"', 'y: "cuda:0"', '"y#2": "llvm:0"', 'lv: ["cuda:0", "llvm:0"]',
        'return: ["llvm:0", ""]',
    ):  # fmt: skip
        assert entry in made
    tensor = 'R.Tensor((4,), dtype="float32", vdevice='
    for line in (
        f'-> R.Tuple({tensor}"llvm:0"), R.Tensor((4,), dtype="float32")):',
        f'out_ty=[{tensor}"cuda:0"), {tensor}"llvm:0")]',
        f'y: {tensor}"cuda:0") = lv[0]',
        f'y_1: {tensor}"llvm:0") = lv[1]',
        f'x_1: {tensor}"cuda:0") = R.add(x, x)',
    ):
        assert unbroken(line) in back


def test_what_names_no_device_of_a_tensor_is_left_out_with_a_hint() -> None:
    text = '@R.function\ndef main(x: R.Tensor((4,), "float32")):\n    return R.abs(x)\n'
    assert "tvmscript-dropped" not in [slug for slug, _ in findings(text)]
    placed = text.replace('"float32")', '"float32", vdevice=I.vdevice("cuda"))')
    assert ("tvmscript-dropped", 'I.vdevice("cuda")') in findings(placed)
