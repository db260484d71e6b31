"""Mistakes in programs built by Python: diagnostics at lines of Python."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from relax_lang import BlockBuilder, RelaxError, Tensor, api, dim, op
from tests.builder.programs import N, whole


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
    assert error.source.path.endswith("test_mistakes.py")
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
