"""What PrimFuncs say about memory: vectors, slices, strides, layouts, pointers, views; and fixed-point numbers."""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang import api
from relax_lang.syntax import tree
from relax_lang.tir.compile import compile_prim_func
from relax_lang.tir.interp import interpreter
from tests.tir.support import prim_func
from tests.tvmscript.harness import code, imported, obstacles, statements, unit


def run(text: str, *arrays: np.ndarray) -> None:
    """Run the only PrimFunc of a text on arrays, which it writes to: compiled and interpreted, with one result."""
    found = unit(text)
    assert found.obstacles == []
    (func,) = found.parsed.tree.items
    assert isinstance(func, tree.PrimFunc)
    again = [array.copy() for array in arrays]
    interpreter.run(func, again)
    compile_prim_func(func).run(*arrays)
    for array, other in zip(arrays, again, strict=True):
        np.testing.assert_array_equal(array, other)


@pytest.mark.parametrize(
    ("python", "relax"),
    [
        (
            "A[T.Ramp(0, 1, 4)] = A[T.Ramp(0, 1, 4)] * T.Broadcast(T.float32(2), 4)",
            "for vectorized lane in 0..4 {\n  A[lane] = A[lane] * float32(2.0);\n}",
        ),
        ("A[T.ramp(1, 2, 3)] = T.broadcast(T.float32(1), 3)", "A[1 + lane * 2] = float32(1.0);"),
        ("A[2:6] = T.Broadcast(T.float32(0), 4)", "A[2 + lane] = float32(0.0);"),
        ("for i in range(2):\n    A[i * 4:i * 4 + 4] += T.float32(1)", "A[i * 4 + lane] += float32(1.0);"),
        (
            'A.vstore([T.Ramp(0, 1, 4)], T.Cast("float32x4", A.vload([T.Ramp(0, 1, 4)])))',
            "for vectorized lane in 0..4 {\n  A[lane] = A[lane];\n}",
        ),
        ("lane = T.float32(1)\nA[0:4] = T.Broadcast(lane, 4)", "for vectorized lane_1 in 0..4 {"),
    ],
)
def test_vectors_are_loops_over_their_lanes(python: str, relax: str) -> None:
    made = code(python)
    assert all(line.strip() in made for line in relax.split("\n"))


def test_a_vector_that_is_read_from_where_it_is_stored_is_refused() -> None:
    text = '@T.prim_func\ndef main(A: T.Buffer((8,), "float32")):\n    A[1:5] = A[0:4]\n'
    assert [slug for slug, _ in obstacles(text)] == ["tvmscript-unsupported"]
    masked = (
        "A.vstore([T.Ramp(0, 1, 4)], T.Broadcast(1.0, 4), predicate=T.get_active_lane_mask('uint1x4', 0, 3))"
    )
    text = f'@T.prim_func\ndef main(A: T.Buffer((8,), "float32")):\n    {masked}\n'
    assert [slug for slug, _ in obstacles(text)] == ["tvmscript-unsupported"]


def test_where_elements_lie_in_memory_is_left_out() -> None:
    text = """
    @T.prim_func
    def main(a: T.handle, b: T.handle):
        A = T.match_buffer(a, (4, 8), "float32", strides=[16, 1], elem_offset=3)
        B = T.match_buffer(b, (4, 8), "float32", layout=T.TileLayout(T.S[4, 8]))
        for i, j in T.grid(4, 8):
            B[i, j] = A[i, j]
    """
    assert "A: Buffer[(4, 8), float32]" in imported(text)
    a, b = np.arange(32, dtype="float32").reshape(4, 8), np.zeros((4, 8), "float32")
    run(text, a, b)
    np.testing.assert_array_equal(a, b)
    view = text.replace(
        "        for i", "        C = T.decl_buffer((32,), 'float32', data=A.data)\n        for i"
    )
    assert [slug for slug, _ in obstacles(view)] == ["tvmscript-unsupported"]


def test_views_have_offsets_and_strides() -> None:
    text = """
    @T.prim_func
    def main(A: T.Buffer((12,), "float32"), B: T.Buffer((2, 3), "float32")):
        C = T.decl_buffer((2, 3), "float32", data=A.data, strides=[4, 2], elem_offset=1)
        D = T.decl_buffer((6,), "float32", data=A.data, elem_offset=6)
        for i, j in T.grid(2, 3):
            B[i, j] = C[i, j] + D[i * 3 + j]
    """
    a, b = np.arange(12, dtype="float32"), np.zeros((2, 3), "float32")
    run(text, a, b)
    expected = a[1:][np.array([[0, 2, 4], [4, 6, 8]])] + a[6:].reshape(2, 3)
    np.testing.assert_array_equal(b, expected)


def test_a_pointer_is_the_buffer_that_is_declared_over_it() -> None:
    text = """
    @T.prim_func
    def main(a: T.handle("float32"), n: T.int32, b: T.handle("float32")):
        A = T.decl_buffer(n, "float32", data=a)
        B = T.decl_buffer((n,), data=b)
        A_1 = T.decl_buffer((n,), "float32", data=a)
        for i in range(n):
            B[i] = A_1[i] + A[i]
    """
    made = imported(text)
    assert "  A: Buffer[(n,), float32],\n  n: int64,\n  B: Buffer[(n,), float32],\n)" in made
    assert "B[i] = A[i] + A[i];" in made
    alone = '@T.prim_func\ndef main(a: T.handle("float32")):\n    T.evaluate(0)\n'
    assert obstacles(alone) == [("tvmscript-unsupported", 'a: T.handle("float32")')]


def test_one_name_for_the_variables_of_a_loop() -> None:
    text = """
    @T.prim_func
    def main(A: T.Buffer((2, 3), "float32")):
        for iters in T.grid(*A.shape):
            with T.block("b"):
                i, j = T.axis.remap("SS", iters)
                A[i, j] = T.float32(A.shape[1])
    """
    made = imported(text)
    assert "for iters_0, iters_1 in grid(2, 3) {" in made
    assert "block b (i = spatial(iters_0), j = spatial(iters_1))" in made
    assert "A[i, j] = cast(int32(3), float32);" in made


@pytest.mark.parametrize("shift", [-3, 0, 2])
def test_products_of_fixed_point_numbers(shift: int) -> None:
    text = f"""
    @T.prim_func
    def main(A: T.Buffer((5,), "int32"), B: T.Buffer((5,), "int32")):
        for i in range(5):
            B[i] = T.q_multiply_shift(A[i], 1395864371, 31, {shift})
    """
    a, b = np.array([0, 7, -7, 100_000, -99_999], dtype="int32"), np.zeros(5, "int32")
    run(text, a, b)
    exact = [int(one) * 1395864371 * 2 ** max(shift, 0) for one in a]
    by = 31 + max(-shift, 0)
    np.testing.assert_array_equal(b, [(one + (1 << (by - 1))) >> by for one in exact])


def test_products_of_fixed_point_numbers_per_axis() -> None:
    text = """
    @T.prim_func
    def main(a: T.handle, m: T.handle, r: T.handle, b: T.handle):
        A = T.match_buffer(a, (3,), "int32")
        M = T.match_buffer(m, (3,), "int32")
        R = T.match_buffer(r, (3,), "int32")
        B = T.match_buffer(b, (3,), "int32")
        for i in range(3):
            B[i] = T.q_multiply_shift_per_axis(A[i], M[i], 0, R[i], 31, False, True)
    """
    a, m = np.array([900, -900, 12345], "int32"), np.array([1 << 30, 1395864371, 1 << 29], "int32")
    r, b = np.array([1, 2, 3], "int32"), np.zeros(3, "int32")
    run(text, a, m, r, b)
    expected = [
        (int(x) * int(y) + (1 << (30 + int(s)))) >> (31 + int(s)) for x, y, s in zip(a, m, r, strict=True)
    ]
    np.testing.assert_array_equal(b, expected)


def test_the_struct_info_of_a_variable_is_that_of_its_annotation() -> None:
    text = """
    @R.function(pure=False)
    def main(x: R.Tensor((2, 3), "float32")):
        y = R.call_packed("f", x, ty_args=[x.ty])
        return y
    """
    assert 'extern "f"(x) -> Tensor[(2, 3), float32]' in imported(text)


def test_packed_functions_that_write_in_place() -> None:
    text = """
    @R.function(pure=False)
    def main(x: R.Tensor((2, 3), "float32")):
        y = R.call_inplace_packed("f", x, inplace_indices=[0], ty_args=R.Tensor((2, 3), "float32"))
        return y
    """
    assert 'call_inplace_packed(extern "f", x, inplace_indices=0) -> Tensor[(2, 3), float32]' in imported(
        text
    )


VIEWS = """
@I.ir_module
class M:
    @T.prim_func(s_tir=True)
    def main(A: T.Buffer((16, 16), "float32"), B: T.Buffer((256,), "float32")):
        flat = T.decl_buffer((256,), "float32", data=A.data, scope="global")
        for i in range(16):
            with T.sblock("rows"):
                vi = T.axis.spatial(16, i)
                T.reads(A[vi, 0:16])
                T.writes(B[vi * 16:vi * 16 + 16])
                row = T.match_buffer(A[vi, 0:16], (16,), "float32", offset_factor=1)
                made = T.match_buffer(B[vi * 16:vi * 16 + 16], (16,), "float32", strides=[1])
                one = T.match_buffer(A[vi, 3], (1,), "float32")
                for j in range(16):
                    made[j] = row[j] + one[0] + flat[i]
"""


def test_views_come_back_as_views() -> None:
    made = imported(VIEWS)
    assert "let flat: Buffer[(256,), float32] = A;" in made
    assert "let row: Buffer[(16,), float32] = A[vi, 0..16] attrs { offset_factor: 1 };" in made
    assert "let one: Buffer[(1,), float32] = A[vi, 3..4];" in made
    exported = api.to_tvmscript(made).text
    for line in (
        'flat = T.decl_buffer((256,), "float32", data=A.data)',
        'row = T.match_buffer(A[vi, 0:16], (16,), "float32", offset_factor=1)',
        'one = T.match_buffer(A[vi, 3:4], (1,), "float32")',
    ):
        assert line in exported
    assert imported(exported) == made
    a, b = np.arange(256, dtype="float32").reshape(16, 16), np.zeros(256, "float32")
    run(VIEWS, a, b)
    np.testing.assert_array_equal(b.reshape(16, 16), a + a[:, 3:4] + a.ravel()[:16, None])


def test_a_view_that_init_names_is_expanded() -> None:
    text = """
    with T.sblock("b"):
        V = T.match_buffer(A[0:4], (4,), "float32")
        with T.init():
            V[0] = 0.0
        V[1] = 1.0
    """
    assert code(text) == "block b {\n  init { A[0] = 0.0; }\n  A[1] = 1.0;\n}"


def test_views_that_tvm_has_no_place_for_are_expanded_by_export() -> None:
    program = """prim_func @f(A: Buffer[(8, 4), float32], B: Buffer[(8,), float32]) {
      let all: Buffer[(32,), float32] = A;
      for i in 0..8 {
        let row: Buffer[(4,), float32] = A[i, 0..4];
        B[i] = row[1] + all[i];
      }
    }
    """
    exported = api.to_tvmscript(program).text
    assert "match_buffer" not in exported
    assert 'all = T.decl_buffer((32,), "float32", data=A.data)' in exported
    again = imported(exported)
    a = np.arange(32, dtype="float32").reshape(8, 4)
    for text in (program, again):
        b = np.zeros(8, "float32")
        compile_prim_func(prim_func(text)).run(a, b)
        np.testing.assert_array_equal(b, a[:, 1] + a.ravel()[:8])


def test_the_arguments_of_storages_are_read_as_tvm_prints_them() -> None:
    made = statements(
        """
        s: R.Any = R.vm.alloc_storage(R.shape([64]), 0, R.dtype("uint8"), R.str("global"))
        y: R.Tensor((4,), "int32") = R.vm.alloc_tensor(s, 0, R.shape([4]), R.dtype("int32"), 0)
        return y
        """
    )
    assert 'vm.alloc_storage(shape(64), 0, storage_scope="global", dtype=uint8)' in made
    assert "vm.alloc_tensor(s, 0, shape(4), 0, dtype=int32)" in made


def test_arguments_that_tvm_prints_for_nothing_are_left_out() -> None:
    made = statements(
        """
        n: R.Any = R.null_value()
        y: R.Tensor((2, 3), "float32") = R.memory.view(x, R.tuple(), n, R.tuple())
        return y
        """
    )
    assert "= memory.view(x);" in made


@pytest.mark.parametrize(
    "attribute",
    [
        'T.attr(T.target("cuda"), "target", 0)',
        'T.attr("default", "device_type", 2)',
        'T.attr(0, "device_id", 1)',
    ],
)
@pytest.mark.parametrize("form", ["{}", "with {}:"])
def test_what_is_for_another_device_is_not_left_out(attribute: str, form: str) -> None:
    """Without the attribute the statements would be for the device that calls the function."""
    indent = "    " if form.endswith(":") else ""
    text = f"""@T.prim_func(s_tir=True)
def f(A: T.Buffer((4,), "float32")):
    {form.format(attribute)}
    {indent}A[0] = T.float32(1)
"""
    assert obstacles(text) == [("tvmscript-unsupported", attribute)]
