"""The operators that NumPy computes itself, held against their kernels; memory of results is new. [OP.6-OP.9]"""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from relax_lang.ops.calls.call_cache import bind, plan
from relax_lang.ops.calls.evaluate import as_value
from relax_lang.ops.core.operator import BY_KERNEL
from relax_lang.ops.numpy_kernels.ufuncs import BINARY, UNARY, Ufunc
from relax_lang.ops.registry import all_operators, lookup
from relax_lang.runtime.calling import prepared_calls
from tests.runtime.harness import run_text

NUMBERS = np.random.default_rng(0)


def samples(dtype: str, *shape: int) -> np.ndarray:
    """Return an array with the awkward values of a dtype among others."""
    if dtype == "bool":
        return NUMBERS.integers(0, 2, shape).astype(bool)
    if dtype.startswith("float"):
        values = np.array([0.0, -0.0, 1.5, -2.25, np.inf, -np.inf, np.nan, 1e4, 3.0], dtype)
        return NUMBERS.choice(values, shape)
    limits = np.iinfo(dtype)
    return NUMBERS.choice(np.array([0, 1, 3, limits.max, limits.min, limits.max - 1], dtype), shape)


def call(ufunc: Ufunc, arrays: list[np.ndarray], **options: object) -> np.ndarray:
    """Call NumPy as generated code does."""
    arguments = [*arrays, *([int(ufunc.after)] if ufunc.after else [])]
    with np.errstate(all="ignore"):
        return getattr(np, ufunc.function)(*arguments, **options)


@pytest.mark.parametrize("name", [*BINARY, *UNARY])
def test_OP_9_numpy_does_what_the_kernel_does(name: str) -> None:
    operator = lookup(name)
    assert operator is not None
    assert operator.kernel is not None
    ufunc = (BINARY if name in BINARY else UNARY)[name]
    shapes = [[(3, 4), (3, 4)], [(3, 4), (4,)], [(1, 4), (3, 1)], [(0, 2), (1, 2)], [(5,), ()], [(), ()]]
    for dtype in ufunc.dtypes:
        for shape in shapes:
            arrays = [samples(dtype, *one) for one in shape[: 2 if name in BINARY else 1]]
            kernel = plan(operator.kernel, arrays, {}) if operator.planned else operator.kernel
            with np.errstate(all="ignore"):
                expected = as_value(kernel(*arrays))
            found = call(ufunc, arrays)
            assert expected.dtype == found.dtype == (ufunc.result or dtype)
            np.testing.assert_array_equal(found, expected)
            if found.dtype == arrays[0].dtype and found.shape == arrays[0].shape and found.ndim:
                call(ufunc, arrays, out=arrays[0])
                np.testing.assert_array_equal(arrays[0], expected)


def test_X_9_1_results_are_new_memory_unless_the_operator_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Generated code writes over the results of operators, so they must not be shared."""
    looked_at: set[str] = set()

    def watched(operator, original, *args):
        names = [param.name for param in operator.params]
        names += names[-1:] * len(args)  # the last one may be variadic
        kept = [arg for arg, name in zip(args, names, strict=False) if name not in operator.writes]
        before = repr(kept)
        result = original(*args)
        assert repr(kept) == before, f"{operator.name} changes its arguments"
        if not operator.aliases and isinstance(result, np.ndarray):
            looked_at.add(operator.name)
            arrays = [one for arg in args for one in (arg if isinstance(arg, tuple) else (arg,))]
            for array in arrays:
                if isinstance(array, np.ndarray):
                    assert not np.shares_memory(result, array), operator.name
            assert result.flags.writeable or not result.size, operator.name
            again = original(*args)
            assert not np.shares_memory(result, again), operator.name
            if result.size:  # no two elements in one place
                assert (
                    min(
                        [
                            abs(stride)
                            for stride, size in zip(result.strides, result.shape, strict=True)
                            if size > 1
                        ],
                        default=1,
                    )
                    > 0
                ), operator.name
        return result

    operators = [one for one in all_operators() if one.evaluated == BY_KERNEL and one.kernel is not None]
    monkeypatch.setattr(
        prepared_calls, "bind", lambda operator, *given: partial(watched, operator, bind(operator, *given))
    )
    for operator in operators:
        run_text(f"def @main() {{ {operator.example} }}", engine="interpreter", write=lambda _text: None)
    assert len(looked_at) > 100
