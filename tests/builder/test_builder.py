"""The builder: what it builds, what is known of it at once, and its mistakes. [N.1-N.17] [D.1]"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from relax_lang import BlockBuilder, Object, RelaxError, Shape, Tensor, Tuple, api, dim, op, te
from relax_lang.base.node import same
from relax_lang.scope.verify import verify

N = dim("n")


def whole(bb: BlockBuilder) -> str:
    """Return the text of what was built, which reads back as an equal tree, is normal, and has no errors."""
    module = bb.module()
    assert [one for one in verify(module) if one.severity == "error"] == []
    text = api.print_tree(module)
    checked = api.check(text)
    assert not checked.has_errors, checked.diagnostics
    assert same(checked.normal, module)
    return text


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
        other = bb.emit(bb.call(bb.global_var("helper"), called))
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


def wrong(body: Callable[[BlockBuilder, Any, Any], object]) -> RelaxError:
    """Run a body inside of a function, and return what it raises; the builder must go on after it."""
    bb = BlockBuilder()
    x, i = bb.var("x", Tensor((N, 4), "float32")), bb.var("i", Tensor((N,), "int64"))
    with bb.function("main", [x, i]):
        with pytest.raises(RelaxError) as caught:
            body(bb, x, i)
        if not bb.current_function:
            return caught.value
        bb.emit_func_output(x)
    whole(bb)
    return caught.value


WRONG: dict[str, tuple[str, Callable[[Any, Any, Any], object]]] = {
    "shapes": ("op-shape-mismatch", lambda bb, x, i: bb.emit(op.matmul(x, np.ones((5, 3), np.float32)))),
    "dtypes": ("op-dtype-mismatch", lambda bb, x, i: bb.emit(x + i)),
    "axis": ("op-axis", lambda bb, x, i: bb.emit(op.sum(x, axis=3))),
    "attribute": ("op-attribute", lambda bb, x, i: bb.emit(op.sum(x, axes=3))),
    "arity": ("arity", lambda bb, x, i: bb.emit(op.add(x))),
    "kind": ("op-argument", lambda bb, x, i: bb.emit(op.add(x, (x, x)))),
    "text": ("builder-operand", lambda bb, x, i: bb.emit(op.add(x, "1"))),
    "object": ("builder-operand", lambda bb, x, i: bb.emit(object())),
    "fraction": ("builder-operand", lambda bb, x, i: bb.emit(i + 0.5)),
    "large": ("builder-operand", lambda bb, x, i: bb.emit(op.astype(i, dtype="int8") + 1000)),
    "complex": ("builder-operand", lambda bb, x, i: bb.emit(x + np.ones(4, np.complex64))),
    "truth": ("builder-operand", lambda bb, x, i: bool(x)),
    "uncalled": ("builder-operand", lambda bb, x, i: bb.emit(op.exp)),
    "operator": ("builder-name", lambda bb, x, i: bb.emit(op.nn.sofmax(x))),
    "field": ("not-a-tuple", lambda bb, x, i: bb.emit(x[0])),
    "dataflow variable": ("builder-scope", lambda bb, x, i: _escaping(bb, x)),
    "foreign variable": ("builder-scope", lambda bb, x, i: bb.emit(bb.var("z", Tensor()) + x)),
    "nested function": ("builder-scope", lambda bb, x, i: bb.function("g", []).__enter__()),
    "output outside": ("builder-scope", lambda bb, x, i: bb.emit_output(x)),
    "nested dataflow": ("builder-scope", lambda bb, x, i: _nested(bb)),
    "branch in dataflow": ("builder-scope", lambda bb, x, i: _branch(bb, x)),
    "get inside": ("builder-scope", lambda bb, x, i: bb.get()),
    "impure": ("impure-in-dataflow", lambda bb, x, i: _impure(bb, x)),
    "info": ("builder-operand", lambda bb, x, i: bb.match_cast(x, "Tensr[")),
    "rank": ("builder-operand", lambda bb, x, i: Tensor((1, 2), "float32", ndim=3)),
    "dtype": ("te-dtype", lambda bb, x, i: Tensor((1, 2), "float23")),
    "global": ("builder-name", lambda bb, x, i: bb.global_var("mian")),
    "te of nothing": ("te-expression", lambda bb, x, i: bb.emit_te(lambda a: 3, x)),
    "condition": ("condition-not-bool", lambda bb, x, i: bb.emit_if(x, lambda: x, lambda: x)),
    "impossible cast": ("match-cast-never", lambda bb, x, i: bb.match_cast(x, Tensor((N,), "float32"))),
}


def _escaping(bb: BlockBuilder, x: Any) -> None:
    with bb.dataflow():
        y = bb.emit(x + 1.0)
    bb.emit(y)


def _nested(bb: BlockBuilder) -> None:
    with bb.dataflow(), bb.dataflow():
        pass


def _branch(bb: BlockBuilder, x: Any) -> None:
    with bb.dataflow():
        bb.emit_if(op.sum(x) > 0.0, lambda: x, lambda: x)


def _impure(bb: BlockBuilder, x: Any) -> None:
    with bb.dataflow():
        bb.emit(op.print(x))


@pytest.mark.parametrize("name", WRONG)
def test_a_mistake_is_a_diagnostic_at_the_line_of_python(name: str) -> None:
    slug, body = WRONG[name]
    error = wrong(body)
    assert [one.slug for one in error.diagnostics] == [slug], error
    assert error.source.path.endswith("test_builder.py")
    for one in error.diagnostics:
        line, _ = error.source.position(one.pos)
        assert error.source.line(line).strip()


def test_outside_of_functions() -> None:
    bb = BlockBuilder()
    x = bb.var("x", Tensor((N,), "float32"))
    for call in (
        lambda: bb.emit(x),
        lambda: bb.emit_func_output(x),
        lambda: bb.dataflow().__enter__(),
        lambda: bb.emit_te(lambda a: a, x),
    ):
        with pytest.raises(RelaxError) as caught:
            call()
        assert caught.value.diagnostics[0].slug == "builder-scope"


def test_functions_that_are_not_finished_or_named_twice() -> None:
    bb = BlockBuilder()
    with pytest.raises(RelaxError, match="ends without a result"), bb.function("main", []):
        pass
    with pytest.raises(RelaxError, match="parameters of @main are not known yet"), bb.function("main"):
        bb.emit(op.zeros((2,), dtype="float32"))
    with bb.function("main", []):
        bb.emit_func_output(bb.emit(op.zeros((2,), dtype="float32")))
    with pytest.raises(RelaxError, match="there is a function @main already"), bb.function("main", []):
        pass
    x = bb.var("x", Tensor((2,), "float32"))
    with bb.function("late"):
        bb.emit_func_output((x, x), params=[x])
    with pytest.raises(RelaxError, match="given twice"), bb.function("late2", []):
        bb.emit_func_output((), params=[])
    whole(bb)


def labelled(error: RelaxError) -> list[tuple[str, str]]:
    """Return the lines of Python that labels point at, and what they say."""
    (one,) = error.diagnostics
    return [(error.source.text[label.pos : label.end], label.message) for label in one.labels]


def test_a_mistake_shows_the_lines_where_operands_were_bound() -> None:
    bb = BlockBuilder()
    x = bb.var("x", Tensor((dim("n"), 4), "float32"))
    w = bb.var("w", Tensor((5, 4), "float32"))
    with bb.function("main", [x, w]):
        y = bb.emit(op.exp(x), "y")
        with pytest.raises(RelaxError) as caught:
            bb.emit(op.matmul(y, w))
        bb.emit_func_output(y)
    assert labelled(caught.value) == [
        ('y = bb.emit(op.exp(x), "y")', "`y`: Tensor[(n, 4), float32]"),
        ('w = bb.var("w", Tensor((5, 4), "float32"))', "`w`: Tensor[(5, 4), float32]"),
    ]
    assert not caught.value.diagnostics[0].notes


def test_what_is_said_of_operands_of_one_line_is_one_label() -> None:
    bb = BlockBuilder()
    x, w = bb.var("x", Tensor((3,), "float32")), bb.var("w", Tensor((5,), "float32"))
    with pytest.raises(RelaxError) as caught, bb.function("main", [x, w]):
        bb.emit(op.add(x, w))
    ((_, message),) = labelled(caught.value)
    assert message == "`x`: Tensor[(3,), float32]; `w`: Tensor[(5,), float32]"


def test_a_result_that_does_not_fit_shows_the_line_that_declares_it() -> None:
    bb = BlockBuilder()
    x = bb.var("x", Tensor((N, 4), "float32"))
    declared = Tensor((N, 5), "float32")
    with pytest.raises(RelaxError) as caught, bb.function("main", [x], ret_struct_info=declared):
        bb.emit_func_output(bb.emit(op.exp(x)))
    (one,) = caught.value.diagnostics
    assert one.slug == "return-mismatch"
    assert caught.value.source.text[one.pos : one.end] == "bb.emit_func_output(bb.emit(op.exp(x)))"
    ((line, message),) = labelled(caught.value)
    assert line.endswith('bb.function("main", [x], ret_struct_info=declared):')
    assert message == "expects `Tensor[(n, 5), float32]`"
    with bb.function("main", [x]):
        z = bb.var("z", Tensor((N, 4), "float32"))
        with pytest.raises(RelaxError) as caught:
            bb.local_function([z], op.exp, ret_struct_info=declared)
        assert caught.value.diagnostics[0].notes == ["expects `Tensor[(n, 5), float32]`"]
        bb.emit_func_output(x)
    whole(bb)


def test_what_may_fit_when_it_runs_is_a_declaration_like_in_a_text() -> None:
    bb = BlockBuilder()
    x = bb.var("x", Tensor((N, 4), "float32"))
    with bb.function("main", [x], ret_struct_info=Tensor((4, 4), "float32")):
        bb.emit_func_output(x)
    assert [one.slug for one in bb.get().warnings] == ["possibly-incompatible"]


@pytest.mark.parametrize("inside", [False, True])
def test_an_effect_in_what_is_declared_pure_is_an_error_at_its_line(inside: bool) -> None:
    bb = BlockBuilder()
    x, y = bb.var("x", Tensor((N,), "float32")), bb.var("y", Tensor((N,), "float32"))

    def body(y: Any) -> object:
        return bb.emit(bb.call(bb.extern("f"), y))

    with bb.function("main", [x], purity=None if inside else "pure"):
        with pytest.raises(RelaxError) as caught:
            bb.local_function([y], body, purity="pure") if inside else body(x)
        bb.emit_func_output(x)
    (one,) = caught.value.diagnostics
    assert one.slug == "impure-body"
    assert caught.value.source.text[one.pos : one.end] == 'return bb.emit(bb.call(bb.extern("f"), y))'
    ((line, message),) = labelled(caught.value)
    assert line.endswith('purity="pure") if inside else body(x)' if inside else ' if inside else "pure"):')
    assert message == "declared here"


def test_effects_in_a_function_that_is_only_made_are_none() -> None:
    bb = BlockBuilder()
    x = bb.var("x", Tensor((N,), "float32"))
    y = bb.var("y", Tensor((N,), "float32"))
    with bb.function("main", [x], purity="pure"):
        bb.local_function([y], lambda y: bb.emit(bb.call(bb.extern("f"), y)))
        bb.emit_func_output(x)
    whole(bb)


def test_a_traceback_shows_other_lines_and_what_to_do() -> None:
    bb = BlockBuilder()
    x = bb.var("x", Tensor((3,), "float32"))
    w = bb.var("w", Tensor((5,), "float32"))
    with bb.function("main", [x, w]):
        with pytest.raises(RelaxError) as caught:
            bb.emit(op.add(x, w))
        shown = "".join(traceback.format_exception_only(caught.value)).splitlines()
        assert shown[1].endswith(":5: `x`: Tensor[(3,), float32]")
        assert shown[2].endswith(":5: `w`: Tensor[(5,), float32]")
        with pytest.raises(RelaxError) as caught:
            op.nn.sofmax(x)
        assert caught.value.__notes__ == ["help: there is `nn.softmax`"]
        caught.value.add_note("while the head is built")
        shown = "".join(traceback.format_exception_only(caught.value))
        assert shown.endswith("help: there is `nn.softmax`\nwhile the head is built\n")
        caught.value.__notes__ = ["given back"]  # as those do who pickle tracebacks
        assert traceback.format_exception_only(caught.value)[-1] == "given back\n"
        bb.emit_func_output(x)
    with pytest.raises(RelaxError) as caught:
        api.typed("def @main() { y }\ndef @f(x: Tensor) { neg(x) }")
    assert all(note.startswith("<text>:") for note in caught.value.__notes__)


def test_what_happens_twice_shows_the_first_time() -> None:
    bb = BlockBuilder()
    with bb.function("main", []):
        bb.emit_func_output(())
    with pytest.raises(RelaxError) as caught, bb.function("main", []):
        pass
    assert labelled(caught.value) == [('with bb.function("main", []):', "@main is opened here")]
    with bb.function("other", []):
        bb.emit_func_output(())
        with pytest.raises(RelaxError) as caught:
            bb.emit_func_output((1,))
    assert labelled(caught.value) == [("bb.emit_func_output(())", "its result is given here")]


def test_a_variable_of_a_block_shows_where_it_is_bound() -> None:
    bb = BlockBuilder()
    with bb.function("main", []):
        with bb.dataflow():
            inner = bb.emit(op.ones((2,), dtype="float32"))
        with pytest.raises(RelaxError) as caught:
            bb.emit(op.exp(inner))
        bb.emit_func_output(())
    ((line, message),) = labelled(caught.value)
    assert (line, message) == ('inner = bb.emit(op.ones((2,), dtype="float32"))', "`lv` is bound here")
