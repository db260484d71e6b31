"""Constants in the table that TVM prints with `show_meta=True`."""

from __future__ import annotations

import base64
import json
import struct

import numpy as np
import pytest

from tests.tvmscript.harness import imported, obstacles

MAGIC = 0xDD5E40F096B4A13F
CODES = {"i": 0, "u": 1, "f": 2, "b": 1}


def packed(array: np.ndarray) -> bytes:
    """Return an array in TVM's form."""
    bits = 1 if array.dtype == bool else array.dtype.itemsize * 8
    head = struct.pack("<QQiiiBBH", MAGIC, 0, 1, 0, array.ndim, CODES[array.dtype.kind], bits, 1)
    return head + struct.pack(f"<{array.ndim}qq", *array.shape, array.nbytes) + array.tobytes()


def too_long() -> str:
    """Return an array whose shape says more than it holds."""
    data = packed(np.zeros(4, "int8"))
    return base64.b64encode(data.replace(struct.pack("<q", 4), struct.pack("<q", 9), 1)).decode()


def program(*arrays: np.ndarray, payload: list[str] | None = None, dtype: str = "float32") -> str:
    """Return a function that has the first constant of a table."""
    data = payload or [base64.b64encode(packed(one)).decode() for one in arrays]
    constants = [{"type_key": "relax.expr.Constant", "attrs": {"data": str(at)}} for at in range(len(data))]
    nodes = [
        {"type_key": ""},
        {"type_key": "Map", "keys": ["relax.expr.Constant"], "data": [2]},
        {"type_key": "Array", "data": [3 + at for at in range(len(data))]},
        *constants,
    ]
    table = json.dumps({"root": 1, "nodes": nodes, "b64ndarrays": data, "attrs": {"tvm_version": "0.11"}})
    return f"""
metadata = tvm.ir.load_json('''{table}''')

@R.function
def main(x: R.Tensor(None, "{dtype}")):
    y = R.add(x, metadata["relax.expr.Constant"][{len(data) - 1}])
    return y
"""


@pytest.mark.parametrize(
    ("array", "shown"),
    [
        (np.array([[1.5, 0.1], [-2, np.inf]], "float32"), "const([[1.5, 0.1], [-2.0, inf]], float32)"),
        (np.array(0.1, "float64"), "const(0.1, float64)"),
        (np.array([1, -2], "int8"), "const([1, -2], int8)"),
        (np.array([2**63], "uint64"), f"const([{2**63}], uint64)"),
        (np.array([True, False]), "const([true, false], bool)"),
    ],
)
def test_entries_are_constants(array: np.ndarray, shown: str) -> None:
    made = imported(program(np.zeros(1, "int32"), array, dtype=array.dtype.name))
    assert f"add(x, {shown})" in made


@pytest.mark.parametrize(
    "payload",
    [
        "",
        "AAAA",
        "not base64",
        base64.b64encode(packed(np.zeros(4, "float32"))[:-1]).decode(),
        too_long(),
    ],
)
def test_what_is_wrong_with_an_entry_is_reported_at_its_use(payload: str) -> None:
    found = obstacles(program(payload=[payload]))
    assert found == [("tvmscript-argument", 'metadata["relax.expr.Constant"][0]')]


def test_a_table_that_is_missing_broken_or_too_large() -> None:
    text = program(np.zeros(2, "float32"))
    missing = text.replace("metadata = ", "other = ")
    assert [slug for slug, _ in obstacles(missing)] == ["metadata-missing"]
    assert [slug for slug, _ in obstacles(text.replace("b64ndarrays", "arrays"))] == ["tvmscript-argument"]
    assert [slug for slug, _ in obstacles(text.replace('{"root"', "{root"))] == ["tvmscript-argument"]
    assert [slug for slug, _ in obstacles(program(np.zeros(70_000, "int8")))] == ["tvmscript-unsupported"]
