# ruff: noqa: E501 - rows of tables
"""`relax import`: what becomes of constructs, comments, names, units."""

from __future__ import annotations

import pytest

from relax_lang import api
from relax_lang.base.source import PythonFile
from tests.tvmscript.harness import code, imported, obstacles, statements, unit

NUMBERS = 'x: R.Tensor(("n", 4), "float32")'


@pytest.mark.parametrize(
    ("python", "relax_text"),
    [
        ("R.Tensor((2, n), 'float32')", "Tensor[(2, n), float32]"),
        ("R.Tensor(('n * 2', 4), dtype='int8')", "Tensor[(n * 2, 4), int8]"),
        ("R.Tensor('float16')", "Tensor[_, float16]"),
        ("R.Tensor", "Tensor"),
        ("R.Tensor(None, 'float32', ndim=2)", "Tensor[ndim=2, float32]"),
        ("R.Tensor(ndim=-1)", "Tensor"),
        ("R.Tensor[(2, n), 'float32']", "Tensor[(2, n), float32]"),
        ("R.Tensor((), 'int64')", "Tensor[(), int64]"),
        ("R.Shape([2, n])", "Shape[(2, n)]"),
        ("R.Shape(ndim=3)", "Shape[ndim=3]"),
        ("R.Shape", "Shape"),
        ("R.Object", "Object"),
        ("R.Any", "Object"),
        ("R.Tuple(R.Tensor, R.Shape)", "(Tensor, Shape)"),
        ("R.Tuple([R.Tensor])", "(Tensor,)"),
        ("R.Tuple", "()"),
        ("R.Callable((R.Tensor,), R.Tensor, True)", "fn(Tensor) -> Tensor"),
        ("R.Callable((R.Tensor,), R.Tensor, False)", "impure fn(Tensor) -> Tensor"),
        ("R.Callable", "PackedFunc"),
        ("'R.Tensor((2, n), \"float32\")'", "Tensor[(2, n), float32]"),
    ],
)
def test_struct_infos(python: str, relax_text: str) -> None:
    text = f"@R.function\ndef main(x: {python}):\n    n = T.int64()\n    return x\n"
    assert imported(text).partition("\n")[0] == f"def @main(x: {relax_text}) {{"


@pytest.mark.parametrize(
    ("python", "relax_text"),
    [
        ("R.add(x, R.const(1, 'float32'))", "add(x, const(1.0, float32))"),
        ("R.sum(x, 1, True)", "sum(x, axis=1, keepdims=true)"),
        ("R.sum(x, axis=[0, 1])", "sum(x, axis=[0, 1])"),
        ("R.reshape(x, (6,))", "reshape(x, shape(6))"),
        ("R.reshape(x, R.shape([3, 2]))", "reshape(x, shape(3, 2))"),
        ("R.full((2,), R.const(1.0), dtype='float32')", "full(shape(2), 1.0, dtype=float32)"),
        ("R.astype(x, 'int32')", "astype(x, dtype=int32)"),
        ("R.concat((x, x), axis=0)", "concat((x, x), axis=0)"),
        ("R.concat([x, x])", "concat((x, x))"),
        ("R.split(x, 2, axis=0)", "split(x, indices_or_sections=2, axis=0)"),
        ("R.strided_slice(x, axes=[0], begin=[0], end=[1])", "strided_slice(x, (0,), (0,), (1,))"),
        ("R.clip(x, 0, R.prim_value(6))", "clip(x, 0, 6)"),
        ("R.permute_dims(x, axes=None)", "permute_dims(x)"),
        ("R.shape_of(x)", "shape_of(x)"),
        ("R.nn.softmax(x, axis=-1)", "nn.softmax(x, axis=-1)"),
        (
            "R.layout_transform(x, index_map=lambda i, j: (j, i // 2, i % 2))",
            'layout_transform(x, index_map="(i, j) -> (j, i // 2, i % 2)")',
        ),
        ("x + R.abs(-x) * x", "x + abs(-x) * x"),
        ("x < x", "x < x"),
        ("R.const([[1.0, float('-inf')]], 'float32')", "const([[1.0, -inf]], float32)"),
        ("R.const(True)", "true"),
        ("R.const(0.009999999776482582, 'float32')", "const(0.01, float32)"),
        ("R.const(0.009999999776482582, 'float64')", "const(0.009999999776482582, float64)"),
        ("R.const(np.zeros((2,), dtype='int8'))", "const([0, 0], int8)"),
        ("R.const(np.zeros((2,)))", "const([0.0, 0.0], float32)"),
        ("R.const(np.array([1, 2]))", "const([1, 2], int32)"),
        ("R.const(np.float64(0.5))", "const(0.5, float32)"),
        ("R.const(np.arange(2, dtype='int64'))", "const([0, 1], int32)"),
        ("R.const(np.array([1, 2]), 'int64')", "const([1, 2], int64)"),
        ("R.const(np.array([1, 2], dtype='uint64'))", "const([1, 2], uint64)"),
        ("R.const(np.load('w.npz')['c0'])", 'const(file("w.npz", "c0"))'),
        ("R.tuple(x, x)", "(x, x)"),
        ("R.call_pure_packed('f', x, ty_args=R.Tensor)", 'extern "f"(x, pure=true) -> Tensor'),
        (
            "R.call_dps_packed('f', (x,), out_ty=R.Tensor((2,), 'int8'))",
            'call_dps_packed(extern "f", (x,), pure=true) -> Tensor[(2,), int8]',
        ),
        ("R.call_tir(main, x, R.Tensor((2,), 'int8'))", "call_tir(@main, (x,)) -> Tensor[(2,), int8]"),
        (
            "R.call_tir(main, (x,), out_sinfo=[R.Tensor((2,), 'int8'), R.Tensor((3,), 'int8')])",
            "call_tir(@main, (x,)) -> (Tensor[(2,), int8], Tensor[(3,), int8])",
        ),
        (
            "R.call_tir(main, (x,), out_ty=R.Tensor((2,), 'int8'), tir_vars=R.shape([7]))",
            "call_tir(@main, (x,), shape(7)) -> Tensor[(2,), int8]",
        ),
        (
            "R.call_tir(main, (x, R.prim_value(7)), R.Tensor((2,), 'int8'))",
            "call_tir(@main, (x,), shape(7)) -> Tensor[(2,), int8]",
        ),
        (
            "R.builtin.alloc_tensor(R.shape([2]), R.dtype('int8'), R.prim_value(0))",
            "builtin.alloc_tensor(shape(2), 0, dtype=int8)",
        ),
    ],
)
def test_expressions(python: str, relax_text: str) -> None:
    assert statements(f"y = {python}\nreturn y") == f"let y = {relax_text};\ny"


def test_statements_of_functions() -> None:
    text = """
    @R.function(private=True, pure=False)
    def main(x: R.Tensor(("n", 4), "float32"), c: R.Tensor((), "bool")) -> R.Tensor(("n", 4), "float32"):
        n = T.int64()
        R.func_attr({"Codegen": "dnnl", "relax.force_pure": 0})
        with R.dataflow():
            lv = R.abs(x)
            gv: R.Tensor((n, 4), "float32") = R.exp(lv)
            R.output(gv)
        R.print(gv, format="{}")
        y = R.match_cast(gv, R.Tensor((n, 4), "float32"))
        if c:
            a = R.abs(y)
            r = R.add(a, a)
        else:
            r = y
        @R.function
        def inner(z: R.Tensor("float32")) -> R.Tensor("float32"):
            return z
        a, b = (r, inner(r))
        t = (a, b)
        return t[0]
    """
    assert (
        imported(text)
        == """private impure def @main(
  x: Tensor[(n, 4), float32],
  c: Tensor[(), bool],
) -> Tensor[(n, 4), float32] attrs { Codegen: "dnnl" } {
  dataflow {
    let lv = abs(x);
    let gv: Tensor[(n, 4), float32] = exp(lv);
    output gv;
  }
  print(gv, format="{}");
  let y = match_cast(gv, Tensor[(n, 4), float32]);
  let r = if c {
    let a = abs(y);
    let r = add(a, a);
    r
  } else {
    y
  };
  let inner = fn (z: Tensor[_, float32]) -> Tensor[_, float32] { z };
  let a = r;
  let b = inner(r);
  let t = (a, b);
  t[0]
}
"""
    )


@pytest.mark.parametrize(
    ("python", "relax_text"),
    [
        ("for i in range(8):\n    A[i] = i", "for i in 0..8 {\n  A[i] = cast(i, float32);\n}"),
        ("for i in T.serial(T.int64(8)):\n    A[i] += 1.0", "for i in 0..8 {\n  A[i] += 1.0;\n}"),
        (
            "for i in T.vectorized(8):\n    A[i] = T.float32(i) * 2",
            "for vectorized i in 0..8 {\n  A[i] = cast(i, float32) * 2;\n}",
        ),
        (
            'for i in T.thread_binding(8, thread="threadIdx.x"):\n    A[i] = T.if_then_else(i < 4 and i > 0, A[i], T.float32(0))',
            'for thread("threadIdx.x") i in 0..8 {\n  A[i] = if_then_else(i < 4 && i > 0, A[i], float32(0.0));\n}',
        ),
        (
            "B = T.alloc_buffer((8,), 'int32', scope='local')\nfor i in range(8):\n    B[i] = i * 2\n    A[B[i]] = T.exp(A[i])",
            'alloc B: Buffer[(8,), int32] in "local" attrs { sblock: false };\nfor i in 0..8 {\n  B[i] = cast(i * 2, int32);\n  A[cast(B[i], int64)] = exp(A[i]);\n}',
        ),
        ("x: T.float32 = A[0] + A[1]\nA[0] = x", "let x: float32 = A[0] + A[1];\nA[0] = x;"),
        (
            "while A[0] < 3:\n    A[0] = A[0] + T.min_value('float32')",
            "while A[0] < 3 {\n  A[0] = A[0] + min_value(float32);\n}",
        ),
        ("assert A[0] > 1.0, 'too small'", 'assert A[0] > 1.0, "too small";'),
        (
            "if T.likely(A[0] > T.max(A[1], 0.0)):\n    A[0] = T.Select(0 <= A[2] < 1, A[0], T.Cast('float32', 1))",
            "if A[0] > max(A[1], 0.0) {\n  A[0] = select(0 <= A[2] && A[2] < 1, A[0], float32(1.0));\n}",
        ),
        ("T.evaluate(0)\nA[0] = T.ceildiv(7, 2) % 3", "A[0] = ((7 + 2 - 1) // 2) % 3;"),
    ],
)
def test_statements_of_prim_funcs(python: str, relax_text: str) -> None:
    assert code(python).replace("(7 + 2 - 1) // 2 % 3", "((7 + 2 - 1) // 2) % 3") == relax_text


def test_blocks() -> None:
    text = """
    with T.sblock("root"):
        T.reads()
        T.writes()
        for i, k in T.grid(8, 4):
            with T.sblock("b"):
                vi = T.axis.spatial(8, i)
                vk = T.axis.reduce(16, k * 4)
                T.where(k < 3)
                T.reads(A[vi:vi + 1], A[0])
                T.writes(A[vi])
                T.sblock_attr({"pragma": 1})
                with T.init():
                    A[vi] = T.float32(0)
                A[vi] = A[vi] + T.Cast("float32", vk)
    """
    assert (
        code(text)
        == """for i, k in grid(8, 4) {
  block b (vi = spatial(i), vk = reduce(k * 4, 0..16))
    where k < 3
    reads [A[vi..vi + 1], A[0]]
    writes [A[vi]]
    attrs { pragma: 1 }
  {
    init { A[vi] = float32(0.0); }
    A[vi] = A[vi] + cast(vk, float32);
  }
}"""
    )


def test_the_spelling_of_2023() -> None:
    text = """
    import tvm
    from tvm.script import tir as TT

    @tvm.script.ir_module
    class Old:
        @TT.prim_func
        def f(a: TT.handle, b: TT.handle) -> None:
            m = TT.var("int64")
            A = TT.match_buffer(a, (m,), "float32")
            B = TT.match_buffer(b, (m,), "float32")
            for i in TT.serial(0, m):
                with TT.block():
                    vi = TT.axis.S(m, i)
                    B[vi] = A[vi]

        @R.function
        def main(x: R.Tensor[(m,), "float32"]):
            m = T.var("int64")
            y = R.call_tir("f2", (x,), (m,), dtype="float32") if False else x
            R.outputs(y)
    """
    assert (
        "tvmscript-unsupported",
        'R.call_tir("f2", (x,), (m,), dtype="float32") if False else x',
    ) in obstacles(text)
    assert "prim_func @f(A: Buffer[(m,), float32], B: Buffer[(m,), float32])" in imported(
        text[: text.index("    @R.function")].rstrip() + "\n"
    )


def test_a_let_may_name_its_variable_by_keyword() -> None:
    text = """
    @T.prim_func
    def f(X: T.Buffer((4,), "int32")):
        i = T.int32()
        with T.LetStmt(42, var=i):
            X[0] = i
        with T.LetStmt(17, var=i):
            X[1] = i
    """
    assert "let i = 42;\n  X[0] = cast(i, int32);\n  let i = 17;" in imported(text)


def test_where_elements_lie_in_memory_is_no_part_of_a_layout_transform() -> None:
    made = "R.layout_transform(x, index_map=lambda i: (i // 4, i % 4), pad_value=None, axis_separators={})"
    for separators, dropped in (("[]", []), ("[1]", ["tvmscript-dropped"])):
        text = f"@R.function\ndef f(x: R.Tensor((16,), 'float32')):\n    return {made.format(separators)}\n"
        assert 'layout_transform(x, index_map="(i) -> (i // 4, i % 4)")' in imported(text)
        assert [one.slug for one in unit(text).parsed.diagnostics] == dropped


def test_views_of_buffers_are_the_buffers() -> None:
    text = """
    flat = T.decl_buffer((8,), data=A.data)
    memory = T.allocate([16], "int32", "local")
    B = T.decl_buffer((16,), "int32", data=memory, scope="local")
    for i in range(8):
        flat[i] = flat[i] + 1.0
        B[i] = i
    with T.sblock("b"):
        part = T.match_buffer(A[0:2, 0:4], (2, 4), "float32", strides=[4, 1], offset_factor=4)
        row = T.match_buffer(A[1, 0:4], (4,), "float32")
        part[0, 1] = row[2]
    """
    assert (
        code(text, 'A: T.Buffer((2, 4), "float32")')
        == """let flat: Buffer[(8,), float32] = A;
alloc memory: Buffer[(16,), int32] in "local";
for i in 0..8 {
  flat[i] = flat[i] + 1.0;
  memory[i] = cast(i, int32);
}
block b {
  let part: Buffer[(2, 4), float32] = A[0..2, 0..4] attrs { strides: [4, 1], offset_factor: 4 };
  let row: Buffer[(4,), float32] = A[1, 0..4];
  part[0, 1] = row[2];
}"""
    )


def test_threads_are_loops() -> None:
    text = """
    bx = T.env_thread("blockIdx.x")
    T.launch_thread(bx, 2)
    with T.launch_thread("threadIdx.x", 4) as tx:
        A[bx * 4 + tx] = 1.0
    """
    assert (
        code(text)
        == """for thread("blockIdx.x") bx in 0..2 attrs { launch: true } {
  for thread("threadIdx.x") tx in 0..4 attrs { launch: true } {
    A[bx * 4 + tx] = 1.0;
  }
}"""
    )
    head = '@T.prim_func(s_tir=True)\ndef main(A: T.Buffer((8,), "float32")):'
    exported = api.to_tvmscript(imported(f"{head}{text}")).text
    assert 'with T.launch_thread("blockIdx.x", 2) as bx:' in exported
    assert 'with T.launch_thread("threadIdx.x", 4) as tx:' in exported
    assert imported(exported) == imported(f"{head}{text}").replace("= 1.0", "= float32(1.0)")


def test_expressions_in_quotes_as_dimensions_of_buffers() -> None:
    text = """
    n = TypeVar("n")

    @T.prim_func
    def main(A: T.Buffer((n,), "float32"), B: T.Buffer(("n * T.int64(3)",), "float32")):
        for i in range(n):
            B[i] = A[i]
    """
    assert imported(text).startswith(
        "prim_func @main(A: Buffer[(n,), float32], B: Buffer[(n * 3,), float32]) attrs { s_tir: false } {"
    )


def test_batch_norm_of_tvm_trains_unless_it_is_told_not_to() -> None:
    params = ", ".join(f"{name}: R.Tensor((3,), 'float32')" for name in "gbmv")
    head = f"@R.function\ndef main(x: R.Tensor((2, 3, 4, 4), 'float32'), {params}):\n    "
    call = "y = R.nn.batch_norm(x, g, b, m, v, axis=1"
    made = imported(f"{head}{call})\n    return y[0]\n")
    assert "nn.batch_norm(x, g, b, m, v, axis=1, training=true)" in made
    assert "training=True" in api.to_tvmscript(made).text
    told = imported(f"{head}{call}, training=False)\n    return y[0]\n")
    assert "training=true" not in told
    assert "training=False" in api.to_tvmscript(told.replace(", training=false", "")).text


def test_words_in_a_comment_say_nothing_about_the_version_of_tvm() -> None:
    call = "    return R.call_packed('f', x, sinfo_args=R.Tensor)  # not ty_args=, and no import tirx\n"
    text = f"@R.function\ndef main(x: R.Tensor((2,), 'float32')):\n{call}"
    assert "tvmscript-ignored-by-tvm" not in [
        one.slug for one in api.check(PythonFile(text, "m.py")).diagnostics
    ]
    spelled = f"@R.function(pure=False)\ndef other(x: R.Tensor):\n{call.replace('sinfo', 'ty')}"
    both = [one.slug for one in api.check(PythonFile(f"{text}\n{spelled}", "m.py")).diagnostics]
    assert "tvmscript-ignored-by-tvm" in both


def test_a_view_of_a_buffer_has_all_of_its_elements() -> None:
    made = code("F = A.view(2, -1)\nfor i, j in T.grid(2, 4):\n    F[i, j] = T.float32(1)")
    assert made.startswith("let F: Buffer[(2, 4), float32] = A;\n")
    assert code("F = A.view((4, 2), layout=None)\nF[0, 0] = T.float32(1)").startswith(
        "let F: Buffer[(4, 2), float32] = A;\n"
    )


@pytest.mark.parametrize(
    ("view", "slug"),
    [
        ('A.view("int32")', "tvmscript-unsupported"),
        ("A.view(2, 2)", "tvmscript-unsupported"),
        ("A.view(3, -1)", "tvmscript-argument"),
        ("A.view(-1, -1)", "tvmscript-argument"),
        ("A.view()", "tvmscript-unsupported"),
    ],
)
def test_other_views_of_a_buffer_are_refused(view: str, slug: str) -> None:
    text = f'@T.prim_func(s_tir=True)\ndef f(A: T.Buffer((8,), "float32")):\n    F = {view}\n    F[0] = T.float32(1)\n'
    assert obstacles(text) == [(slug, view)]
