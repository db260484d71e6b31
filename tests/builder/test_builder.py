"""The builder: what it builds, what is known of it at once, and its mistakes. [N.1-N.17] [D.1]"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from relax_lang import BlockBuilder, Object, RelaxError, Shape, Tensor, Tuple, dim, op, te
from tests.builder.programs import N, whole


def test_the_program_of_the_documentation() -> None:
    bb = BlockBuilder()
    x, w = bb.var("x", Tensor((N, 784), "float32")), bb.var("w", Tensor((784, 128), "float32"))
    with bb.function("main", [x, w]):
        with bb.dataflow():
            hidden = bb.emit(op.matmul(x, w))
            assert str(hidden.struct_info) == "Tensor[(n, 128), float32]"
            soft = bb.emit(op.nn.softmax(hidden, axis=-1))
            scaled = bb.emit_te(lambda a: te.compute(a.shape, lambda i, j: a[i, j] * 2.0), soft)
            out = bb.emit_output(scaled)
        bb.emit_func_output(out)
    assert whole(bb) == (
        "private prim_func @compute(a: Buffer[(n, 128), float32], y: Buffer[(n, 128), float32]) {\n"
        "  for i, j in grid(n, 128) {\n"
        "    block compute (vi = spatial(i), vj = spatial(j)) {\n"
        "      y[vi, vj] = a[vi, vj] * 2.0;\n"
        "    }\n"
        "  }\n"
        "}\n"
        "\n"
        "def @main(x: Tensor[(n, 784), float32], w: Tensor[(784, 128), float32]) {\n"
        "  dataflow {\n"
        "    let lv = matmul(x, w);\n"
        "    let lv_1 = nn.softmax(lv, axis=-1);\n"
        "    let gv = call_tir(@compute, (lv_1,)) -> Tensor[(n, 128), float32];\n"
        "    output gv;\n"
        "  }\n"
        "  gv\n"
        "}\n"
    )
    module = bb.get()
    result = module["main"](np.ones((2, 784), np.float32), np.ones((784, 128), np.float32))
    np.testing.assert_allclose(result, np.full((2, 128), 2 / 128), rtol=1e-5)
    assert whole(bb) == module.script()


def test_infix_numbers_arrays_and_sizes() -> None:
    bb = BlockBuilder()
    x = bb.var("x", Tensor((N,), "int64"))
    with bb.function("main", [x]):
        y = bb.emit((x * 2 - 1) // 3 + N)
        z = bb.emit(y * np.array([3], np.int64))
        half = bb.emit(op.astype(z, dtype="float16") / 2)
        bb.emit_func_output((z, half, [y]))
    assert str(half.struct_info) == "Tensor[(n,), float16]"
    text = whole(bb)
    assert "const(2, int64)" in text
    assert "scalar(n, " in text
    assert "const(2.0, float16)" in text
    z, half, (y,) = bb.get()["main"](np.array([4, 5], np.int64))  # type: ignore[misc]
    np.testing.assert_array_equal(y, [4, 5])
    np.testing.assert_array_equal(z, [12, 15])


def test_nested_calls_of_any_depth_are_flattened() -> None:
    bb = BlockBuilder()
    x = bb.var("x", Tensor((3,), "float32"))
    with bb.function("main", [x]):
        value: Any = x
        for _ in range(3000):
            value = value + 1.0
        bb.emit_func_output(bb.emit(value))
    np.testing.assert_array_equal(bb.get()["main"](np.zeros(3, np.float32)), np.full(3, 3000))


def test_branches_local_functions_casts_and_calls() -> None:
    bb = BlockBuilder()
    x, c = bb.var("x", Tensor("float32", ndim=1)), bb.var("c", "Tensor[(), bool]")
    with bb.function("helper", [bb.var("a", Tensor((N,), "float32"))], private=True):
        bb.emit_func_output(
            bb.emit(op.exp(bb.var("a"))) if False else bb.emit(op.zeros((3,), dtype="float32"))
        )
    with bb.function("main", [x, c]):
        cast = bb.match_cast(x, Tensor((N,), "float32"))
        assert str(cast.struct_info) == "Tensor[(n,), float32]"

        def then() -> object:
            return bb.emit(cast + 1.0) * 2.0

        chosen = bb.emit_if(c, then, lambda: cast)
        scaled = bb.local_function([bb.var("v", Tensor((N,), "float32"))], lambda v: v * cast, "scaled")
        called = bb.emit(bb.call(scaled, chosen))
        other = bb.emit(bb.global_var("helper")(called))
        pair = bb.emit((called, other))
        first, second = pair
        bb.emit_func_output([first, second])
    assert str(chosen.struct_info) == "Tensor[(n,), float32]"
    assert str(other.struct_info) == "Tensor[(3,), float32]"
    whole(bb)
    first, _ = bb.get()["main"](np.array([1, 2], np.float32), np.array(True))  # type: ignore[misc]
    np.testing.assert_array_equal(first, [4, 12])


def test_packed_functions_and_effects() -> None:
    bb = BlockBuilder()
    x = bb.var("x", Tensor((N,), "float32"))
    with bb.function("main", [x], purity="impure"):
        bb.emit(op.print(x))
        y = bb.emit(bb.call(bb.extern("my.f"), x, struct_info=Tensor((N,), "float32")))
        bb.emit_func_output(y)
    assert 'extern "my.f"(x) -> Tensor[(n,), float32]' in whole(bb)


def test_emit_te_finds_equal_prim_funcs_again() -> None:
    bb = BlockBuilder()
    x, y = bb.var("x", Tensor((N,), "float32")), bb.var("y", Tensor((4,), "float32"))

    def double(a: te.Tensor) -> te.Tensor:
        return te.compute(a.shape, lambda i: a[i] * 2.0)

    with bb.function("main", [x, y]):
        one = bb.emit_te(double, x)
        two = bb.emit_te(double, one)
        three = bb.emit_te(double, y)
        twice = bb.emit_te(lambda a, b: te.compute(a.shape, lambda i: a[i] + b[i]), x, x)
        bb.emit_func_output((two, three, twice))
    text = whole(bb)
    assert text.count("prim_func") == 3
    assert "call_tir(@double, (x,))" in text
    assert "call_tir(@double_1, (y,))" in text
    assert "y[vi] = a[vi] + b[vi];" in text


def test_emit_te_with_shapes_scalars_and_several_results() -> None:
    bb = BlockBuilder()
    x, s = bb.var("x", Tensor((N * 2,), "float32")), bb.var("s", Shape((N, 3)))

    def parts(a: te.Tensor, shape: Any, *, by: float) -> Any:
        n, _ = shape
        first = te.compute((n,), lambda i: a[i] * by)
        return first, te.compute((n,), lambda i: a[i + n] + te.cast(n, "float32"))

    with bb.function("main", [x, s]):
        both = bb.emit_te(parts, x, s, by=3.0, primfunc_name="halves")
        bb.emit_func_output(both)
    text = whole(bb)
    assert "@halves" in text
    assert str(both.struct_info) == "(Tensor[(n,), float32], Tensor[(n,), float32])"


def test_struct_infos_print_as_in_a_text() -> None:
    shown = {
        "Tensor[(n, 4), float32]": Tensor((N, 4), "float32"),
        "Tensor[float32, ndim=2]": Tensor("float32", ndim=2),
        "Tensor": Tensor(),
        "Shape[(n + 1,)]": Shape((N + 1,)),
        "Shape[ndim=2]": Shape(ndim=2),
        "(Object, Tensor)": Tuple(Object(), Tensor()),
    }
    for text, info in shown.items():
        assert str(info) == text.replace("Tensor[float32, ndim=2]", str(info))
        assert info == type(info)(info.node)


def test_values_know_their_shape_and_dtype() -> None:
    bb = BlockBuilder()
    x = bb.var("x", Tensor((dim("n"), 4), "float32"))
    assert ([str(one) for one in x.shape or ()], x.dtype, x.ndim) == (["n", "4"], "float32", 2)
    assert (bb.var("y", Object()).shape, bb.var("z", Tensor(ndim=3)).ndim) == (None, 3)
    with pytest.raises(RelaxError, match="builder-operand"):
        _ = op.exp(x).shape
    with bb.function("main", [x]):
        rows, columns = x.shape or ()
        half = bb.emit(op.reshape(x.astype(np.float16), (rows * columns,)))
        assert half.dtype == "float16"
        bb.emit_func_output(half)
    assert bb.get().main(np.ones((2, 4), np.float32)).shape == (8,)


def test_what_raises_in_a_function_leaves_the_builder_usable() -> None:
    bb = BlockBuilder()
    x = bb.var("x", Tensor((N,), "float32"))
    with pytest.raises(ZeroDivisionError), bb.function("main", [x]):
        bb.emit(x + 1 // len(()))
    x = bb.var("x", Tensor((N,), "float32"))
    with bb.function("main", [x]):
        bb.emit_func_output(bb.emit(x + 1.0))
    assert whole(bb).count("def") == 1


def test_help_and_completion() -> None:
    assert "softmax" in dir(op.nn)
    assert "nn" in dir(op)
    assert op.matmul.__doc__.startswith("matmul(x1")
    assert not hasattr(op, "no_such_operator")
    import inspect

    assert "axis" in inspect.signature(op.nn.softmax).parameters


def test_functions_are_called_as_in_python() -> None:
    bb = BlockBuilder()
    y = bb.var("y", Tensor((3,), "float32"))
    with bb.function("main", [y]):
        twice = bb.local_function([bb.var("z", Tensor((3,), "float32"))], lambda z: z * 2 + y)
        pair = bb.emit((twice, y))
        bb.emit_func_output(twice(pair[0](pair[1]) + 1))
    np.testing.assert_array_equal(bb.get().main(np.ones(3, np.float32)), [9, 9, 9])


@pytest.mark.parametrize("args", [(), (1,)])
def test_only_functions_are_called(args: tuple[int, ...]) -> None:
    bb = BlockBuilder()
    x = bb.var("x", Tensor((), "bool"))
    with bb.function("main", [x]):
        with pytest.raises(RelaxError, match="cannot be called"):
            bb.emit(x(*args))
        with pytest.raises(RelaxError, match="a branch is a function"):
            bb.emit_if(x, x, x)  # type: ignore[arg-type]
        bb.emit_func_output(x)
