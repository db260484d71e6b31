"""Whatever an operator is given, it answers or refuses: no exception of NumPy's, no warning, no odd value."""

from __future__ import annotations

import random
import re
from typing import Any

import numpy as np
import pytest

from relax_lang.ops.core.attributes import attribute_values
from relax_lang.ops.core.dtypes import CLASSES, is_float, name_of, numpy_dtype
from relax_lang.ops.core.operator import BY_KERNEL, Operator
from relax_lang.ops.core.signature import DTypeName, split_top
from relax_lang.ops.registry import all_operators
from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import DTYPES
from relax_lang.syntax.parser import parse
from relax_lang.values import RunFailure, ShapeValue, Storage
from tests.ops import harness
from tests.ops.harness import run_operator

TRIES = 40
SLUGS = {
    "arity",
    "assertion-failed",
    "heap-slot-unwritten",
    "op-argument",
    "op-attribute",
    "op-axis",
    "op-dtype-mismatch",
    "op-runtime-shape",
    "op-runtime-value",
    "out-of-memory",
    "storage-exceeded",
}
FLOATS = [0.0, -0.0, 1.0, -1.0, 0.5, 2.3, -7.0, 1e30, float("inf"), float("-inf"), float("nan")]
INTEGERS = [0, 0, 1, 1, 2, 3, -1, 5, 127]
SCALARS = [0, 1, 2, 3, -1, -2, 0.5, 1.0, -1.5, True, False, 10**20, float("inf"), float("nan")]
ODD = [(), ShapeValue((2,)), 3, "x", None, (ShapeValue((1,)),), np.zeros((1, 0, 2), np.float32)]
WORDS = ["NCHW", "NHWC", "OIHW", "ij,jk->ik", "i->i", "...i->...", "", "(i, j) -> (j, i % 3)", "{}"]


class Mutations:
    """Changes the arguments of an example: extents alike everywhere, dtypes, now and then anything."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        sizes = [0, 1, 2, 3, 4, 6]
        self.extents = {extent: self.random.choice(sizes) for extent in range(10)} if self.chance(0.7) else {}
        self.dtype = self.random.choice(DTYPES) if self.chance(0.4) else ""

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def value(self, value: Any) -> Any:
        if self.chance(0.02):
            return self.random.choice(ODD)
        if isinstance(value, tuple):
            return tuple([self.value(field) for field in value])
        if isinstance(value, ShapeValue):
            return ShapeValue(tuple([self.extents.get(extent, extent) for extent in value]))
        if isinstance(value, np.ndarray):
            return self.tensor(value)
        return self.random.choice(SCALARS) if self.chance(0.4) else value

    def tensor(self, value: Any) -> Any:
        extents = [self.extents.get(extent, extent) for extent in value.shape]
        if self.chance(0.1):
            extents = self.random.choice(
                [extents[1:], [2, *extents], [self.random.choice([0, 1, 2]) for _ in extents]]
            )
        dtype = value.dtype
        if self.dtype and is_float(numpy_dtype(self.dtype)) == is_float(dtype):
            dtype = numpy_dtype(self.dtype)
        elif self.chance(0.04):
            dtype = numpy_dtype(self.random.choice(DTYPES))
        pool = FLOATS if is_float(dtype) else INTEGERS
        count = int(np.prod(extents))
        with np.errstate(all="ignore"):
            return np.array([self.random.choice(pool) for _ in range(count)]).reshape(extents).astype(dtype)

    def attribute(self, type_: str) -> Any:
        choice = self.random.choice(split_top(type_, "|")).strip()
        if choice.startswith("list["):
            return [self.attribute(choice[5:-1]) for _ in range(self.random.choice([0, 1, 2, 2, 3, 4, 6]))]
        if choice.startswith("dtype"):
            return DTypeName(self.random.choice(sorted(CLASSES[choice[6:-1]][0])))
        if choice[0] == '"':
            return choice[1:-1]
        pools = {
            "int": [0, 1, 2, -1, -2, 7],
            "int>0": [1, 2, 3],
            "int>=0": [0, 1, 2],
            "float": [0.0, 1.0, 0.5, -1.0, 3],
            "bool": [True, False],
            "none": [None],
            "str": WORDS,
        }
        return self.random.choice(pools[choice])


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("operator", [o for o in all_operators() if o.evaluated == BY_KERNEL], ids=repr)
def test_OP_9_answers_or_refuses(operator: Operator, capsys: pytest.CaptureFixture[str]) -> None:
    call = parse(operator.example, start="expr").tree
    assert isinstance(call, tree.Call)
    kinds = [param.kind for param in operator.params]
    kinds += kinds[-1:] * len(call.args)
    args = [harness._value(arg, kind) for arg, kind in zip(call.args, kinds, strict=False)]
    for seed in range(TRIES):
        change = Mutations(seed)
        attrs = dict(attribute_values(call.attrs))
        attrs.update(
            {spec.name: change.attribute(spec.type) for spec in operator.attrs if change.chance(0.15)}
        )
        given = [change.value(arg) for arg in args]
        result = outcome(operator, given, attrs)
        if isinstance(result, RunFailure):
            assert result.slug in SLUGS
            assert not re.search(r"[A-Z]\w*(Error|Warning)\b", result.message), (result.message, given, attrs)
            assert operator.name in result.message or result.slug == "assertion-failed"
            continue
        for each in result if isinstance(result, tuple) else (result,):
            assert isinstance(each, np.ndarray | ShapeValue | Storage | None)
            assert not isinstance(each, np.ndarray) or name_of(each.dtype) in DTYPES


def outcome(operator: Operator, args: list[Any], attrs: dict[str, Any]) -> Any:
    try:
        return run_operator(operator, args, attrs)
    except RunFailure as failure:
        return failure
