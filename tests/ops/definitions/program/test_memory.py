"""Explicit memory and shapes in memory: what the operators make, share, store, and refuse."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from relax_lang import api
from relax_lang.runtime.values.display import show_brief
from relax_lang.values import RunFailure, ShapeValue, Storage, kind_of
from tests.ops.harness import f32, fails, run, shape


def test_tensors_of_a_storage_share_its_bytes() -> None:
    storage = run("memory.alloc_storage", shape(2, 8), 0)
    assert isinstance(storage, Storage)
    assert (storage.size, kind_of(storage), show_brief(storage)) == (
        16,
        "a storage",
        "Object (storage of 16 bytes)",
    )
    whole = run("memory.alloc_tensor", storage, 0, shape(4), dtype="float32")
    second = run("vm.alloc_tensor", storage, 8, shape(2, 1), dtype="int32")
    whole[:] = f32(0, 0, 1, 0)
    assert second.tolist() == [[f32(1.0).view(np.int32)[0]], [0]]
    assert run("memory.alloc_tensor", storage, 16, shape(0, 3), dtype="float64").shape == (0, 3)


def test_a_tensor_must_be_within_its_storage() -> None:
    storage = run("vm.alloc_storage", shape(16), 0)
    found = fails("storage-exceeded", "memory.alloc_tensor", storage, 8, shape(3), dtype="float32")
    assert found.message == "memory.alloc_tensor: the tensor needs bytes 8 to 20, the storage has 16"
    found = fails("storage-exceeded", "memory.alloc_tensor", storage, -4, shape(1), dtype="float32")
    assert found.message.endswith("offset -4 is before the start of the storage")
    found = fails("op-runtime-value", "memory.alloc_tensor", storage, 2, shape(1), dtype="float32")
    assert found.message.endswith("offset 2 is not a multiple of 4, the size of an element of float32")
    found = fails("op-runtime-value", "memory.alloc_tensor", f32(1.0), 0, shape(1), dtype="float32")
    assert found.message.endswith("`storage` must be a storage, not a tensor")


def test_a_shape_heap_stores_and_compares() -> None:
    heap = run("vm.alloc_shape_heap", size=3)
    x = np.zeros((2, 5, 7), np.float32)
    assert run("vm.match_shape", x, heap, codes=["store", "any", "number"], operands=[1, 0, 7]) == ()
    assert run("vm.make_shape", heap, codes=["slot", "number"], operands=[1, 9]) == ShapeValue((2, 9))
    assert run("vm.match_shape", shape(2), heap, codes=["slot"], operands=[1]) == ()
    found = fails(
        "op-runtime-value", "vm.match_shape", shape(3), heap, codes=["slot"], operands=[1], context="x"
    )
    assert found.message == "vm.match_shape: x: dimension 0: expected 2, found 3"
    fails("op-runtime-value", "vm.match_shape", shape(3), heap, codes=[], operands=[])
    fails("op-runtime-value", "vm.match_shape", shape(3), heap, codes=["store"], operands=[3])
    fails("op-attribute", "vm.match_shape", shape(3), heap, codes=["stored"], operands=[0])
    fails("op-attribute", "vm.match_shape", shape(3), heap, codes=["any"], operands=[])
    found = fails("heap-slot-unwritten", "vm.make_shape", heap, codes=["slot"], operands=[0])
    assert found.message == "vm.make_shape: slot 0 of the shape heap is read, but nothing was stored in it"


def test_checks_of_kinds() -> None:
    x = f32(1.0, 2.0)
    fails("op-runtime-value", "vm.check_tensor_info", x, ndim=2)
    fails("op-runtime-value", "vm.check_tensor_info", x, dtype="int32", context="main")
    fails("op-runtime-value", "vm.check_tensor_info", shape(2))
    fails("op-runtime-value", "vm.check_shape_info", x)
    fails("op-runtime-value", "vm.check_shape_info", shape(2), ndim=2)
    fails("op-runtime-value", "vm.check_tuple_info", x, size=1)
    found = fails("op-runtime-value", "vm.check_tuple_info", (x,), size=2, context="c")
    assert found.message == "vm.check_tuple_info: c: fields: expected 2, found 1"


@pytest.mark.parametrize(
    ("check", "info"),
    [
        (("vm.check_tensor_info", {"ndim": 1, "dtype": "float32"}), "Tensor[ndim=1, float32]"),
        (("vm.check_tensor_info", {"dtype": "float32"}), "Tensor[_, float32]"),
        (("vm.check_shape_info", {"ndim": 1}), "Shape[ndim=1]"),
        (("vm.check_tuple_info", {"size": 2}), "(Object, Object)"),
        (("vm.match_shape", {"codes": ["number"], "operands": [3]}), "Tensor[(3,)]"),
    ],
)
def test_Z_7_checks_say_what_match_cast_says(check: tuple[str, dict[str, Any]], info: str) -> None:
    name, attrs = check
    heap = [np.zeros(1, np.int64)] if name == "vm.match_shape" else []
    cast = api.start(f"def @main(x: Object) {{ let y = match_cast(x, {info}); y }}")
    values = [
        f32(1.0, 2.0),
        np.ones((2, 2), np.float32),
        np.ones(2, np.int32),
        shape(2),
        shape(2, 3),
        (f32(1.0),),
    ]
    differ = 0
    for value in values:
        try:
            cast.call("main", [value])
        except RunFailure as failure:
            if name == "vm.match_shape" and not isinstance(value, np.ndarray):
                continue  # it takes shapes as well
            said = failure.message.partition(" failed: ")[2]
            assert fails("op-runtime-value", name, value, *heap, **attrs).message == f"{name}: {said}"
            differ += 1
        else:
            assert run(name, value, *heap, **attrs) == ()
    assert differ > 2
