"""What runs an operator on tensors of any size does what a plan for their sizes does. [OP.9] [X.O4]"""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from relax_lang.ops.calls.any_size import OF_ANY_SIZE, run_of_any_size, unless_refused
from relax_lang.ops.calls.call_cache import bind
from relax_lang.ops.core.operator import Operator
from relax_lang.ops.registry import lookup
from relax_lang.values import RunFailure

DTYPES = ("float16", "float32", "float64")
SEEDS = range(60)


def operator_of(name: str) -> Operator:
    found = lookup(name)
    assert found is not None
    return found


def shape_of(draw: Random, rank: int) -> list[int]:
    return [draw.randint(0, 4) for _ in range(rank)]


def array(draw: Random, shape: list[int], dtype: str) -> np.ndarray:
    made = np.random.default_rng(draw.randint(0, 999)).standard_normal(shape)
    laid = made.astype(dtype)
    return laid if draw.randint(0, 1) else np.asfortranarray(laid)


def drawn(draw: Random, name: str) -> tuple[list[Any], dict[str, Any]]:
    """Return arguments and attributes of a call, most of which fit."""
    rank, dtype = draw.randint(1, 4), DTYPES[draw.randint(0, 2)]
    shape = shape_of(draw, rank)
    if name == "concat":
        axis = draw.randint(0, rank - 1)
        shapes = [[*shape[:axis], draw.randint(0, 3), *shape[axis + 1 :]] for _ in range(draw.randint(1, 3))]
        if draw.randint(0, 3) == 0:
            shapes[-1] = shape_of(draw, rank)
        return [tuple([array(draw, one, dtype) for one in shapes])], {
            "axis": axis - draw.randint(0, 1) * rank
        }
    if name == "permute_dims":
        axes = [int(at) for at in np.random.default_rng(draw.randint(0, 999)).permutation(rank)]
        return [array(draw, shape, dtype)], {"axes": axes if draw.randint(0, 3) else None}
    attrs = {"axis": draw.randint(-rank, rank - 1)} if "softmax" in name else {}
    return [array(draw, shape, dtype)], attrs


def outcome(call: Any, args: list[Any]) -> Any:
    with np.errstate(all="ignore"):
        try:
            result = call(*args)
        except RunFailure as failure:
            return failure.slug, failure.message
    return result.dtype.name, result.shape, result.tobytes()


def compare(operator: Operator, args: list[Any], attrs: dict[str, Any]) -> bool:
    """Return whether there is a function for calls of any size; it does what the operator does."""
    given: Any = args[0]
    tensors: list[Any] = [*given] if isinstance(given, tuple) else args
    options = operator.options(attrs)
    run = run_of_any_size(operator, [one.ndim for one in tensors], [one.dtype for one in tensors], options)
    if run is None:
        return False
    found = outcome(unless_refused(run, bind(operator, options), None if len(args) == 1 else 1 << 30), args)
    assert found == outcome(bind(operator, options), args), (operator.name, [one.shape for one in tensors])
    return True


@pytest.mark.parametrize("name", OF_ANY_SIZE)
def test_a_plan_of_any_size_is_one_of_each(name: str) -> None:
    operator = operator_of(name)
    assert operator.planned
    compared = [compare(operator, *drawn(Random(seed), name)) for seed in SEEDS]
    assert all(compared)


def test_products_of_any_size() -> None:
    operator, compared = operator_of("matmul"), 0
    for seed in range(300):
        draw = Random(seed)
        left, right = [shape_of(draw, draw.randint(1, 4)) for _ in range(2)]
        if draw.randint(0, 3):
            right[max(len(right) - 2, 0)] = left[-1]
            common = min(len(left), len(right)) - 2
            if common > 0:
                right[len(right) - 2 - common : len(right) - 2] = left[len(left) - 2 - common : len(left) - 2]
        dtype = DTYPES[draw.randint(1, 2)]
        args = [array(draw, one, dtype) for one in (left, right)]
        compared += compare(operator, args, {})
    assert compared > 200


def test_what_is_not_of_any_size_has_no_function() -> None:
    single, half = np.dtype("float32"), np.dtype("float16")
    matmul = operator_of("matmul")
    for dtypes, ranks, attrs in (
        ((single, half), (2, 2), {"out_dtype": "float32"}),
        ((half, half), (2, 2), {"out_dtype": None}),
        ((single, single), (1, 1), {"out_dtype": None}),
        ((single, single), (0, 2), {"out_dtype": None}),
        ((single, single), (2, 2), {"out_dtype": "float64"}),
    ):
        assert run_of_any_size(matmul, ranks, dtypes, attrs) is None
    softmax, concat = operator_of("nn.softmax"), operator_of("concat")
    assert run_of_any_size(softmax, [2], [single], softmax.options({"axis": 2})) is None
    assert run_of_any_size(concat, [2, 1], [single] * 2, concat.options({"axis": 0})) is None
    assert run_of_any_size(concat, [1, 1], [single, half], concat.options({"axis": 0})) is None


def test_products_that_may_be_too_large_are_asked_about() -> None:
    ran: list[str] = []
    call = unless_refused(lambda *_: ran.append("any"), lambda *_: ran.append("checked"), 64)
    call(np.ones((2, 2), np.float32), np.ones((2, 2), np.float32))
    call(np.ones((2, 3), np.float32), np.ones((3, 2), np.float32))
    call(np.ones((900, 0), np.float32), np.ones((0, 900), np.float32))
    assert ran == ["any", "checked", "checked"]
