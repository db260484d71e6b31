"""Output, assertions, devices, and what results share with arguments."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from relax_lang.ops.attribute_syntax.format_string import render
from relax_lang.ops.core.attributes import attribute_values
from relax_lang.ops.core.operator import BY_KERNEL, Operator
from relax_lang.ops.registry import all_operators
from relax_lang.syntax import tree
from relax_lang.syntax.parser import parse
from relax_lang.values import Storage
from tests.ops import harness
from tests.ops.harness import check, f32, fails, i32, run, run_operator, shape


def test_O_10_print(capsys: pytest.CaptureFixture[str]) -> None:
    assert run("print", i32(1, 2), (shape(2, 3), (f32(1.5),)), None, 3, True) == ()
    assert capsys.readouterr().out == "[1 2] ((2, 3), ([1.5])) null 3 true\n"
    run("print", np.array(5), shape(2), format="{} and {}")
    assert capsys.readouterr().out == "5 and (2)\n"
    run("print")
    assert capsys.readouterr().out == "\n"
    fails("op-runtime-value", "print", i32(1), format="{} {}")
    fails("op-runtime-value", "print", i32(1), format="{")
    fails("op-runtime-value", "print", i32(1), format="{0.x}")
    assert render(()) == "()"


def test_O_10_assert_op() -> None:
    yes, no = np.array(True), np.array(False)
    assert run("assert_op", yes) == ()
    assert fails("assertion-failed", "assert_op", no).message == "assertion failed"
    found = fails("assertion-failed", "assert_op", no, i32(3), shape(2), format="n is {}, s {}")
    assert found.message == "n is [3], s (2)"
    assert fails("assertion-failed", "assert_op", no, i32(3), 4).message == "[3], 4"
    fails("op-dtype-mismatch", "assert_op", np.array(1))
    fails("op-argument", "assert_op", np.array([True]))


def test_null_value_and_devices() -> None:
    assert run("null_value") is None
    x = f32(1)
    assert run("to_vdevice", x, dst_vdevice="cpu") is x
    assert run("hint_on_device", x, dst_vdevice="cpu") is x


def arrays(value: Any) -> list[Any]:
    if isinstance(value, tuple):
        return [array for field in value for array in arrays(field)]
    if isinstance(value, Storage):
        return [value.octets]
    return [value] if isinstance(value, np.ndarray) else []


@pytest.mark.parametrize("each", [o for o in all_operators() if o.evaluated == BY_KERNEL], ids=repr)
def test_X_9_1_results_share_memory_only_as_declared(
    each: Operator, capsys: pytest.CaptureFixture[str]
) -> None:
    call = parse(each.example, start="expr").tree
    assert isinstance(call, tree.Call)
    kinds = [param.kind for param in each.params]
    kinds += kinds[-1:] * len(call.args)
    args = [harness._value(arg, kind) for arg, kind in zip(call.args, kinds, strict=False)]
    names = [param.name for param in each.params]
    names += names[-1:] * len(call.args)
    kept = arrays(tuple([arg for arg, name in zip(args, names, strict=False) if name not in each.writes]))
    before = [array.copy() for array in kept]
    result = arrays(run_operator(each, args, attribute_values(call.attrs)))
    for array, copy in zip(kept, before, strict=True):
        check(array, copy)
    given = arrays(tuple(args))
    shared = any(np.may_share_memory(one, other) for one in result for other in given)
    assert shared == bool(each.aliases)
    for array in result:
        if not each.aliases:
            assert array.flags.writeable


def test_bfloat16_everywhere() -> None:
    """Every operator that takes a float32 tensor gives bfloat16 for bfloat16, close to the float32 result."""
    from relax_lang.ops.core.dtypes import numpy_dtype

    kind, seen = numpy_dtype("bfloat16"), 0
    for each in all_operators():
        if each.evaluated != BY_KERNEL or each.family.name in ("program.effects", "tensor.quantize"):
            continue
        if each.name == "memory.view":  # a dtype of another size
            continue
        call = parse(each.example, start="expr").tree
        assert isinstance(call, tree.Call)
        kinds = [param.kind for param in each.params]
        args = [harness._value(arg, kind) for arg, kind in zip(call.args, kinds, strict=False)]
        wide = arrays(run_operator(each, args, attribute_values(call.attrs)))
        narrow_args = [_narrowed(arg, kind) for arg in args]
        narrow = arrays(run_operator(each, narrow_args, attribute_values(call.attrs)))
        for one, other in zip(wide, narrow, strict=True):
            if one.dtype == np.float32 and other.dtype == kind:
                seen += 1
                np.testing.assert_allclose(other.astype(np.float32), one, 0.02, 0.02)
    assert seen > 90


def _narrowed(value: Any, kind: Any) -> Any:
    if isinstance(value, tuple):
        return tuple(_narrowed(field, kind) for field in value)
    return value.astype(kind) if isinstance(value, np.ndarray) and value.dtype == np.float32 else value


def test_O_10_the_text_of_a_tuple_that_was_doubled_again_and_again_is_cut() -> None:
    value: tuple[object, ...] = (1,)
    for _ in range(60):
        value = (value, value)
    text = render(value)
    assert text.endswith("...")
    assert len(text) < 1_000_000
    assert render(((1, 2), ())) == "((1, 2), ())"
