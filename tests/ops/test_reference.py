"""Every kernel against a second formulation that shares nothing with it, and float32 against float64. [OP.6-OP.9]

The reference implementations are in `tests.ops.reference`, the random calls in `tests.ops.random_calls`; among
the numbers are nan, infinities and negative zeros, among the integers the least and the greatest.
"""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any

import numpy as np
import pytest

import tests.ops.reference
from relax_lang.ops.core.dtypes import is_float, name_of, numpy_dtype
from relax_lang.ops.core.operator import BY_KERNEL, Operator
from relax_lang.ops.registry import all_operators
from relax_lang.values import RunFailure, ShapeValue, Storage
from tests.ops.harness import run_operator
from tests.ops.shape_rules.test_all_rules import CALLS
from tests.ops.strategies import Call, Draw


def listed(text: str) -> frozenset[str]:
    return frozenset(text.split())


SEEDS = 40
SHARED = {"tensor.elementwise": 24, "tensor.binary": 24}


def _reference() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for module in pkgutil.iter_modules(tests.ops.reference.__path__):
        found.update(getattr(importlib.import_module(f"tests.ops.reference.{module.name}"), "REFERENCE", {}))
    return found


REFERENCE = _reference()
KERNELS = [operator for operator in all_operators() if operator.evaluated == BY_KERNEL]
TWICE = [operator for operator in KERNELS if operator.name in REFERENCE]

ROUNDING = {"float64": 1e-12, "float32": 4e-6, "float16": 2e-3, "bfloat16": 1.6e-2}
"""What may be lost by rounding: a few units in the last place."""

MOVES = listed("""
    abs add argmax argmin argsort astype bitwise_and bitwise_not bitwise_or bitwise_xor broadcast_to ceil clip
    concat divide equal expand_dims flatten flip floor full full_like gather_elements gather_nd greater
    greater_equal index_tensor less less_equal logical_and logical_not logical_or logical_xor masked_fill max
    maximum median meshgrid min minimum multiply negative nn.batch_flatten nn.dropout nn.max_pool1d
    nn.max_pool2d nn.max_pool3d nn.pad nn.relu not_equal one_hot ones ones_like permute_dims repeat reshape
    hint_on_device memory.view nn.pixel_shuffle reverse_sequence to_vdevice eye eye_like builtin.alloc_tensor
    round shape_to_tensor sign sort split sqrt square squeeze stack strided_slice subtract take tile topk tril
    triu trunc unique where zeros zeros_like
""")
"""Operators that round at most once, so that there is only one right result."""

FLOATS_ONLY = listed("""
    arange dequantize linear nn.conv1d nn.conv2d quantize std variance
""")
"""Extreme integers lead out of what their definition covers, or to conversions that are not defined."""

SMALL_NUMBERS = listed("""
    astype bucketize cumprod cumsum dequantize full full_like image.resize2d image.resize3d masked_fill one_hot quantize
    take unique memory.view multinomial_from_uniform
""")
"""Conversions of infinities to integers are not defined; nan in `unique` has a test of its own."""


def drawn(operator: Operator, seed: int) -> tuple[Draw, Call]:
    draw = Draw(seed)
    makers = CALLS[operator.name]
    make = draw.one_of(*makers) if isinstance(makers, tuple) else makers
    return draw, make(draw)


def awkward(draw: Draw, operator: Operator, args: list[Any], attrs: dict[str, Any]) -> list[Any]:
    """Replace some elements by numbers that are easily got wrong; indices stay as they are."""
    params = operator.params

    def changed(x: Any, dtypes: str) -> Any:
        if isinstance(x, tuple):
            return tuple([changed(field, dtypes) for field in x])
        if (
            not isinstance(x, np.ndarray)
            or x.size == 0
            or x.dtype.kind == "b"
            or operator.name in SMALL_NUMBERS
        ):
            return x
        if is_float(x.dtype):
            pool: list[Any] = [np.nan, np.inf, -np.inf, -0.0, 0.3, -2.7]
        elif dtypes in ("integer", "int") or operator.name in FLOATS_ONLY:
            return x
        else:
            limits = np.iinfo(x.dtype)
            pool = [limits.min, limits.max, limits.max - 1]
        x = x.copy()
        for _ in range(draw.random.randint(1, 3)):
            place = tuple([draw.random.randrange(extent) for extent in x.shape])
            x[place] = numpy_dtype(name_of(x.dtype)).type(draw.random.choice(pool))
        return x

    if draw.chance(0.5) or attrs.get("out_dtype") is not None:
        return args
    return [changed(arg, params[min(at, len(params) - 1)].dtypes) for at, arg in enumerate(args)]


def completed(operator: Operator, args: list[Any]) -> list[Any]:
    """Return the arguments with None for each that is left out."""
    params = operator.params
    if params and params[-1].variadic:
        return args
    args = [*args, *[None] * (len(params) - len(args))]
    pairs = zip(args, params, strict=True)
    return [None if param.optional and isinstance(arg, tuple) and not arg else arg for arg, param in pairs]


def outcome(operator: Operator, args: list[Any], attrs: dict[str, Any]) -> Any:
    try:
        return run_operator(operator, args, attrs)
    except RunFailure as failure:
        return failure


def compare(found: Any, expected: Any, name: str, told: object) -> None:
    """Require the same dtype and shape, and the same values but for rounding."""
    if isinstance(expected, tuple):
        assert isinstance(found, tuple), told
        assert len(found) == len(expected), told
        for left, right in zip(found, expected, strict=True):
            compare(left, right, name, told)
        return
    if isinstance(expected, Storage):
        assert isinstance(found, Storage), told
        compare(found.octets, expected.octets, name, told)
        return
    if not isinstance(expected, np.ndarray):
        assert found == expected, told
        return
    assert isinstance(found, np.ndarray), told
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape), told
    if is_float(found.dtype) and name not in MOVES:
        close(found, expected, ROUNDING[name_of(found.dtype)], told)
    elif name in ("variance", "std") or (
        name in ("image.resize2d", "image.resize3d") and not is_float(found.dtype)
    ):
        assert np.all(np.abs(found.astype(np.float64) - expected.astype(np.float64)) <= 1), told  # cut off
    else:
        wide = np.float64 if is_float(found.dtype) else found.dtype  # NumPy knows no nan of bfloat16
        np.testing.assert_array_equal(found.astype(wide), expected.astype(wide), err_msg=str(told))


def close(found: Any, expected: Any, step: float, told: object) -> None:
    """Require values that differ by a small part of the largest finite one: sums lose what their terms round."""
    left, right = found.astype(np.float64), expected.astype(np.float64)
    finite = np.abs(right[np.isfinite(right)])
    scale = max(1.0, float(finite.max())) if finite.size else 1.0
    np.testing.assert_allclose(left, right, rtol=step * 8, atol=step * scale * 8, err_msg=str(told))


ONLY_ONCE = frozenset(("image.grid_sample", "layout_transform"))
"""Operators whose results only their own tests know."""


def test_OP_9_every_operator_is_formulated_twice() -> None:
    missing = {operator.name for operator in KERNELS if operator.name not in REFERENCE}
    assert missing == ONLY_ONCE
    assert set(REFERENCE) <= {operator.name for operator in KERNELS}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("operator", TWICE, ids=repr)
def test_OP_9_kernel_and_second_formulation_agree(
    operator: Operator, capsys: pytest.CaptureFixture[str]
) -> None:
    ran, seeds = 0, SHARED.get(operator.family.name, SEEDS)
    for seed in range(seeds):
        draw, (args, attrs) = drawn(operator, seed)
        args = awkward(draw, operator, args, attrs)
        found = outcome(operator, args, attrs)
        if isinstance(found, RunFailure):
            continue
        ran += 1
        given = completed(operator, args)
        with np.errstate(all="ignore"):
            expected = REFERENCE[operator.name](*given, **operator.options(attrs))
        compare(found, expected, operator.name, (seed, args, attrs))
    assert ran >= seeds // 3, "most drawn calls should run"


WIDENED = [
    operator for operator in KERNELS if any(param.kind in ("tensor", "tensors") for param in operator.params)
]
NOT_WIDENED = frozenset(("memory.view", "inspect.tensor_dtype_bits", "print", "assert_op", "floor_divide"))
"""Their result depends on the dtype itself, or jumps where a quotient is rounded."""


@pytest.mark.parametrize("operator", [o for o in WIDENED if o.name not in NOT_WIDENED], ids=repr)
def test_OP_9_float32_is_float64_rounded(operator: Operator) -> None:
    for seed in range(SHARED.get(operator.family.name, SEEDS)):
        draw, (args, attrs) = drawn(operator, seed)
        narrow = [in_dtype(arg, np.float32) for arg in awkward(draw, operator, args, attrs)]
        found = outcome(operator, narrow, attrs)
        expected = outcome(operator, [in_dtype(arg, np.float64) for arg in narrow], attrs)
        if isinstance(found, RunFailure) or isinstance(expected, RunFailure):
            continue
        pairs = zip(
            *[each if isinstance(each, tuple) else (each,) for each in (found, expected)], strict=True
        )
        for left, right in pairs:
            if isinstance(left, np.ndarray) and is_float(left.dtype):
                step = max(ROUNDING[name_of(left.dtype)], ROUNDING[name_of(right.dtype)])
                close(left, right, step * 4, (seed, narrow, attrs))
            elif isinstance(left, np.ndarray):
                gap = 1 if left.dtype.kind in "iu" and operator.name.startswith("image") else 0
                assert np.all(np.abs(left.astype(np.float64) - right.astype(np.float64)) <= gap), (
                    seed,
                    narrow,
                    attrs,
                )
            else:
                assert left == right
                assert left is None or isinstance(left, ShapeValue)


def in_dtype(value: Any, dtype: Any) -> Any:
    """Return an argument with its floats in another dtype."""
    if isinstance(value, tuple):
        return tuple([in_dtype(field, dtype) for field in value])
    if isinstance(value, np.ndarray) and is_float(value.dtype):
        return value.astype(dtype)
    return value
