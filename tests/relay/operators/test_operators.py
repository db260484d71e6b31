"""Operators of Relay: the types that relations give are those of the values, over all small shapes. [R.33] [R.34]"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from relax_lang import api
from relax_lang.base.source import RelayFile
from relax_lang.relay.operators.registry import OPERATORS
from relax_lang.relay.unification.printing import show
from relax_lang.values import RunFailure
from tests.relay.support import checked

SHAPES = [(), (1,), (2,), (3,), (1, 1), (1, 2), (2, 1), (2, 3), (1, 2, 3), (2, 1, 3)]
ONE = {
    "same shape": "nn.relu(%x)",
    "float": "exp(%x)",
    "bool": "isnan(%x)",
    "cast": 'cast(%x, dtype="int32")',
    "clip": "clip(%x, a_min=0, a_max=1)",
    "softmax": "nn.softmax(%x)",
    "softmax 0": "nn.softmax(%x, axis=0)",
    "sum": "sum(%x)",
    "sum 0": "sum(%x, axis=[0])",
    "sum keep": "sum(%x, axis=[-1], keepdims=True)",
    "sum exclude": "sum(%x, axis=[0], exclude=True)",
    "argmax": "argmax(%x, axis=[0])",
    "all": 'all(cast(%x, dtype="bool"), axis=[0])',
    "reshape -1": "reshape(%x, newshape=[-1])",
    "reshape 0 -1": "reshape(%x, newshape=[0, -1])",
    "reshape -3 -2": "reshape(%x, newshape=[-3, -2])",
    "reshape -4": "reshape(%x, newshape=[-4, 1, -1, -2])",
    "transpose": "transpose(%x, axes=None)",
    "transpose 1 0": "transpose(%x, axes=[1, 0])",
    "expand_dims": "expand_dims(%x, axis=1, num_newaxis=2)",
    "squeeze": "squeeze(%x)",
    "squeeze 0": "squeeze(%x, axis=[0])",
    "flatten": "nn.batch_flatten(%x)",
    "concatenate": "concatenate((%x, %x), axis=-1)",
    "stack": "stack((%x, %x), axis=1)",
    "split": "split(%x, indices_or_sections=2, axis=0).1",
    "tile": "tile(%x, reps=[2, 1])",
    "repeat": "repeat(%x, repeats=2, axis=0)",
    "reverse": "reverse(%x, axis=[0])",
    "strided_slice": "strided_slice(%x, begin=[0], end=[1], strides=None, axes=None)",
    "take": "take(%x, 0, axis=0)",
    "take flat": "take(%x, 0)",
    "cumsum": "cumsum(%x, axis=0)",
    "sort": "sort(%x)",
    "argsort": "argsort(%x)",
    "topk": "topk(%x, k=1).0",
    "zeros_like": "zeros_like(%x)",
    "full_like": "full_like(%x, 1f)",
    "shape_of": "shape_of(%x)",
    "size": "ndarray_size(%x)",
    "pad": "nn.pad(%x, 0f, pad_width=[[1, 0], [0, 1]])",
    "l2": "nn.l2_normalize(%x, eps=0.001, axis=[0])",
    "dropout": "nn.dropout(%x).0",
    "log2": "log2(%x)",
}
TWO = {
    "add": "%x + %y",
    "less": "%x < %y",
    "dense": "nn.dense(%x, %y, units=None)",
    "matmul": "nn.matmul(%x, %y, units=None)",
    "batch_matmul": "nn.batch_matmul(%x, %y, transpose_b=True)",
    "bias_add": "nn.bias_add(%x, %y, axis=-1)",
    "where": "where(isnan(%x), %x, %y)",
    "concatenate": "concatenate((%x, %y))",
    "reshape_like": "reshape_like(%x, %y)",
    "broadcast_to_like": "broadcast_to_like(%x, %y)",
    "slice_like": "slice_like(%x, %y, axes=None)",
    "layer_norm": "nn.layer_norm(%x, %y, %y)",
    "prelu": "nn.prelu(%x, %y, axis=-1)",
    "variance": "variance(%x, %y, axis=[0])",
}


def type_text(shape: tuple[int, ...]) -> str:
    return f"Tensor[({', '.join(map(str, shape))}), float32]"


def compare(text: str, args: list[np.ndarray]) -> None:
    """Either the type is that of the value, or both say that the arguments do not fit."""
    found = checked(text)
    if found.has_errors:
        return
    claimed = show(found.typed.functions["main"].type.result)
    for engine in ("relay", "interpreter"):
        try:
            value = api.run_session(api.start(RelayFile(text), engine=engine), "main", args)
        except (api.RelaxError, RunFailure) as wrong:
            raise AssertionError(f"{text}: {claimed}, but {wrong}") from None
        shape = f"({', '.join(map(str, value.shape))})"
        shown = f"Tensor[{shape}, {value.dtype}]" if value.ndim else str(value.dtype)
        assert shown == claimed, text


@pytest.mark.parametrize("call", ONE.values(), ids=ONE)
def test_R_34_types_are_those_of_the_values(call):
    sound = 0
    for shape in SHAPES:
        text = f"def @main(%x: {type_text(shape)}) {{ {call} }}"
        compare(text, [np.full(shape, 0.5, dtype=np.float32)])
        sound += not checked(text).has_errors
    assert sound


@pytest.mark.parametrize("call", TWO.values(), ids=TWO)
def test_R_34_types_of_two_arguments_are_those_of_the_values(call):
    sound = 0
    for one, other in itertools.product(SHAPES[1:8], SHAPES[1:8]):
        text = f"def @main(%x: {type_text(one)}, %y: {type_text(other)}) {{ {call} }}"
        found = checked(text)
        if found.has_errors:
            assert len([one for one in found.diagnostics if one.severity == "error"]) == 1, text
            continue
        sound += 1
        if sound <= 12:
            compare(text, [np.full(one, 0.5, dtype=np.float32), np.full(other, 0.25, dtype=np.float32)])
    assert sound


def test_R_34_broadcast_is_that_of_numpy():
    for one, other in itertools.product(SHAPES, SHAPES):
        text = f"def @main(%x: {type_text(one)}, %y: {type_text(other)}) {{ %x + %y }}"
        found = checked(text)
        try:
            shape = np.broadcast_shapes(one, other)
        except ValueError:
            assert [diagnostic.slug for diagnostic in found.diagnostics] == ["relay-broadcast"]
            continue
        expected = type_text(shape) if shape else "float32"
        assert show(found.typed.functions["main"].type.result) == expected


@pytest.mark.parametrize("call", [*ONE.values(), *TWO.values()], ids=[*ONE, *TWO])
def test_R_32_unknown_arguments_wait(call):
    """With parameters of which nothing is known there is one finding at most, and it is that they are not known."""
    found = checked(f"def @main(%x, %y) {{ {call} }}").diagnostics
    assert {one.slug for one in found} <= {"relay-under-constrained"}


def test_R_33_there_are_all_operators():
    assert len(OPERATORS) == 235
