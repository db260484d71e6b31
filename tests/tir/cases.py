"""Rows of the corpus: a PrimFunc, what it computes written independently with NumPy, and sizes to try it at."""

from __future__ import annotations

from collections.abc import Callable

import ml_dtypes
import numpy as np

from relax_lang.arith.evaluate import evaluate
from relax_lang.base.node import Node
from relax_lang.syntax import tree
from relax_lang.tir.check.driver import analyse
from relax_lang.tir.ir import signature
from tests.tir.support import assert_close, copied

Sizes = dict[str, int]
Maker = Callable[[np.random.Generator, tuple[int, ...], Sizes], np.ndarray]


def at(**choices: tuple[int, ...]) -> tuple[Sizes, ...]:
    """Return one dictionary of sizes for each position: `at(n=(4, 0), m=(3, 1))`."""
    return tuple([dict(zip(choices, column, strict=True)) for column in zip(*choices.values(), strict=True)])


USUAL = at(
    n=(4, 1, 7, 0, 2), m=(6, 1, 2, 3, 0), k=(5, 1, 3, 2, 1), l=(3, 1, 4, 0, 2), b=(2, 1, 3, 0, 1), c=(3, 1, 2, 4, 0),
    o=(4, 1, 3, 2, 1), g=(2, 1, 3, 0, 2), d=(4, 2, 3, 5, 2), h=(6, 3, 5, 4, 3), w=(5, 4, 3, 6, 3), r=(3, 1, 2, 3, 1),
    s=(2, 1, 3, 1, 2),
)  # fmt: skip
"""Sizes of a case that names none: ordinary ones first, then ones, odd ones, and some zeros."""
NONZERO = USUAL[:3]


class Case:
    """A row: `reference(buffers…, scalars…)` gives the new contents of the trailing buffers.

    The reference gets the buffers that only go in; all of them if the case is `in_place`, which it also is where
    the reference must look at the shape of an output. `inputs` says how the contents of a buffer are made.
    """

    def __init__(
        self,
        reference: Callable[..., object],
        sizes: tuple[Sizes, ...] = USUAL,
        *,
        inputs: dict[str, Maker] | None = None,
        scalars: tuple[object, ...] = (),
        ulps: float = 8,
        outputs: int = 1,
        in_place: bool = False,
    ) -> None:
        self.reference = reference
        self.sizes = sizes
        self.inputs = inputs or {}
        self.scalars = scalars
        self.ulps = ulps
        self.outputs = outputs
        self.in_place = in_place


# ---- arguments


def indices(name: str, more: int = 0) -> Maker:
    """Make integers from 0 up to a dimension (plus `more`)."""
    return lambda numbers, shape, sizes: numbers.integers(0, max(sizes[name] + more, 1), shape)


def distinct(name: str) -> Maker:
    """Make a permutation of the first integers, row by row."""

    def make(numbers: np.random.Generator, shape: tuple[int, ...], sizes: Sizes) -> np.ndarray:
        rows = [numbers.permutation(sizes[name])[: shape[-1]] for _ in range(int(np.prod(shape[:-1])))]
        return np.array(rows, np.int64).reshape(shape)

    return make


def between(low: int, high: int) -> Maker:
    """Make integers from `low` to `high`, both included."""
    return lambda numbers, shape, _: numbers.integers(low, high, shape, endpoint=True)


def uniform(low: float, high: float) -> Maker:
    """Make floats."""
    return lambda numbers, shape, _: numbers.uniform(low, high, shape)


def values(*given: float) -> Maker:
    """Repeat these values as often as the buffer has room."""
    return lambda numbers, shape, _: np.resize(np.array(given), shape)


def ordered(maker: Maker) -> Maker:
    """Sort what another maker makes, along the last axis."""
    return lambda numbers, shape, sizes: np.sort(maker(numbers, shape, sizes), axis=-1)


def arguments(func: tree.PrimFunc, case: Case, sizes: Sizes) -> list[object]:
    """Make arrays for all buffers, then the scalars, in parameter order."""
    numbers = np.random.default_rng(sum(map(ord, func.name.name_hint)))
    arrays: list[object] = []
    for buffer in signature.buffers(func):
        shape = tuple([int(evaluate(dim, sizes)) for dim in buffer.shape])
        maker = case.inputs.get(buffer.name) or _usual_contents(buffer.dtype.name)
        arrays.append(
            np.asarray(maker(numbers, shape, sizes)).astype(numpy_dtype(buffer.dtype.name)).reshape(shape)
        )
    return signature.in_parameter_order(func, arrays, case.scalars)


def numpy_dtype(name: str) -> np.dtype:
    """Return the NumPy dtype of a name."""
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


def _usual_contents(dtype: str) -> Maker:
    if dtype == "bool":
        return between(0, 1)
    if "float" in dtype:
        return lambda numbers, shape, _: numbers.standard_normal(shape)
    return between(0 if dtype.startswith("u") else -100, 100)


# ---- comparing


def compare(run: Callable[..., object], func: tree.PrimFunc, case: Case, sizes: Sizes, why: str) -> None:
    """Run on fresh arguments; every buffer must hold what the reference says, or what it held before."""
    args = arguments(func, case, sizes)
    wanted = expected(case, args)
    values = copied(args)
    run(*values)
    found = [value for value in values if isinstance(value, np.ndarray)]
    for number, (have, want) in enumerate(zip(found, wanted, strict=True)):
        ulps = case.ulps if number >= len(found) - case.outputs else 0
        assert_close(have, want, ulps, why)


def expected(case: Case, args: list[object]) -> list[np.ndarray]:
    """Return what all buffers must hold afterwards."""
    arrays = [value.copy() for value in args if isinstance(value, np.ndarray)]
    scalars = [value for value in args if not isinstance(value, np.ndarray)]
    inputs = arrays if case.in_place else arrays[: -case.outputs]
    with np.errstate(all="ignore"):
        result = case.reference(*[array.copy() for array in inputs], *scalars)
    results = result if isinstance(result, tuple) else (result,)
    assert len(results) == case.outputs
    outputs = arrays[-case.outputs :]
    with np.errstate(all="ignore"):
        converted = [
            np.asarray(value).astype(output.dtype) for value, output in zip(results, outputs, strict=True)
        ]
    for value, output in zip(converted, outputs, strict=True):
        assert value.shape == output.shape, "the reference gives another shape"
    return arrays[: -case.outputs] + converted


# ---- the same PrimFunc at fixed sizes


def at_fixed_sizes(func: tree.PrimFunc, sizes: Sizes) -> tree.PrimFunc:
    """Return a PrimFunc with numbers in place of its dimension variables."""
    known = {name: sizes[name] for name in analyse(func).dims}

    def rebuilt(value: object, dtype: tree.DType | None) -> object:
        if isinstance(value, tuple):
            return tuple([rebuilt(item, dtype) for item in value])
        if not isinstance(value, Node):
            return value
        if isinstance(value, tree.PrimVar) and value.name in known:
            return tree.IntImm(known[value.name], dtype, pos=value.pos, end=value.end)
        inner = None if isinstance(value, tree.Buffer) else dtype
        fields = {name: rebuilt(getattr(value, name), inner) for name in value.FIELDS}
        return type(value)(**fields, pos=value.pos, end=value.end)

    result = rebuilt(func, tree.DType("int64"))
    assert isinstance(result, tree.PrimFunc)
    return result


# ---- NumPy that several references use


def f32(x: object) -> np.ndarray:
    """Round to float32."""
    return np.asarray(x).astype(np.float32)


def wide(x: np.ndarray) -> np.ndarray:
    """Return floats as float64."""
    return x.astype(np.float64)


def wrapped(x: object, dtype: str) -> np.ndarray:
    """Wrap integers into a type."""
    return np.asarray(x).astype(np.int64).astype(dtype)


def windows(x: np.ndarray, *sizes: int) -> np.ndarray:
    """Return all windows over the last axes; the places in the window come last."""
    axes = tuple(range(x.ndim - len(sizes), x.ndim))
    return np.lib.stride_tricks.sliding_window_view(x, sizes, axis=axes)
