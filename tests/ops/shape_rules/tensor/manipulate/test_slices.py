"""Slices: the extent that is inferred is the one that Python takes, for all sizes. [OP.5]"""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from relax_lang import RelaxError, api
from relax_lang.arith.evaluate import evaluate
from relax_lang.syntax import tree
from tests.ops.typed import rejected, typed

PARAMS = "x: Tensor[(n,), float32], y: Tensor[(k,), float32]"
LAST = (1 << 63) - 1
FIRST = -(1 << 63)


def taken(low: object, high: object, step: int = 1, *, inbound: bool = False) -> str:
    claim = ", assume_inbound=true" if inbound else ""
    return f"strided_slice(x, (0,), ({low},), ({high},), ({step},){claim})"


@pytest.mark.parametrize(
    ("low", "high", "step", "extent"),
    [
        (1, LAST, 1, "max(n - 1, 0)"),
        (1, 3, 1, "max(min(n, 3) - 1, 0)"),
        (-3, LAST, 1, "min(n, 3)"),
        ("k", LAST, 1, "max(n - k, 0)"),
        (0, "n - 1", 1, "max(n - 1, 0)"),
        (-3, -1, 1, "max(min(n - 1, 2), 0)"),
        ("n - 2", LAST, 1, "min(n, 2)"),
        (0, LAST, 2, "(n + 1) // 2"),
        (LAST, FIRST, -1, "n"),
        (-1, FIRST, -1, "n"),
        (-1, -LAST, -1, "n"),
        (2, -LAST, -1, "min(n - 1, 2) + 1"),
        (-1, -4, -1, "min(n, 3)"),
        (LAST, 0, -1, "max(n - 1, 0)"),
        (3, LAST, -1, "0"),
    ],
)
def test_OP_5_clipped_ends_have_exact_extents(low: object, high: object, step: int, extent: str) -> None:
    assert typed(PARAMS, taken(low, high, step)) == f"Tensor[({extent},), float32]"


BOUNDS = [
    0,
    1,
    3,
    -1,
    -3,
    LAST,
    -LAST,
    FIRST,
    "k",
    "k - 1",
    "-k",
    "n",
    "n - 1",
    "n - k",
    "n // 2",
    "min(n, k)",
    "1 - n",
]


@pytest.mark.parametrize("step", [1, 2, 3, -1, -2])
@pytest.mark.parametrize("low", BOUNDS)
def test_OP_5_the_extent_is_that_of_python(low: object, step: int) -> None:
    known = 0
    bindings = [f"let r{at} = {taken(low, high, step)};" for at, high in enumerate(BOUNDS)]
    checked = api.check(f"def @main({PARAMS}) {{ {' '.join(bindings)} x }}")
    assert not checked.has_errors, checked.diagnostics
    infos = {getattr(var, "name_hint", ""): info for var, info in checked.inferred.infos.items()}
    for at, high in enumerate(BOUNDS):
        info = infos[f"r{at}"]
        assert isinstance(info, tree.TensorStructInfo)
        if not isinstance(info.shape, tree.ShapeExpr):
            continue
        known += 1
        for n, k in product(range(6), range(5)):
            names = {"n": n, "k": k, "min": min}
            start, stop = [bound if isinstance(bound, int) else eval(bound, names) for bound in (low, high)]
            expected = len(range(n)[slice(start, stop, step)])
            assert evaluate(info.shape.values[0], {"n": n, "k": k}) == expected, (low, high, step, n, k)
    assert known > 5 or low == -LAST


def test_OP_5_assume_inbound_is_end_minus_begin() -> None:
    assert typed(PARAMS, taken(1, "n - 1", inbound=True)) == "Tensor[(n - 2,), float32]"
    assert typed(PARAMS, taken("k", "n", inbound=True)) == "Tensor[(n - k,), float32]"
    assert typed(PARAMS, taken("k", "n", 2, inbound=True)) == "Tensor[((k + n + 1) // 2 - k,), float32]"
    assert typed(PARAMS, taken("n - 1", -1, -1, inbound=True)) == "Tensor[(n,), float32]"
    for low, high, step in ((3, 1, 1), (-1, 2, 1), (1, 3, -1), (0, "n + 1", 1), ("n", -1, -1)):
        assert rejected(PARAMS, taken(low, high, step, inbound=True))[0].startswith("op-shape-mismatch")


@pytest.mark.parametrize(
    ("params", "shape", "dims"),
    [
        ("x: Tensor[(n, 28, 28), float32]", "n, -1", "(n, 784)"),
        ("x: Tensor[(n, m), float32]", "-1, m", "(n, m)"),
        ("x: Tensor[(n, m), float32]", "n, -1, 1", "(n, m, 1)"),
        ("x: Tensor[(n, m, k), float32]", "-1, m, 2", "(k * n // 2, m, 2)"),
        ("x: Tensor[(n, 6), float32]", "3, -1", "(3, n * 2)"),
        (
            "y: Tensor[(n,), float32], x: Tensor[(n * m + n,), float32], z: Tensor[(m,)]",
            "n, -1",
            "(n, m + 1)",
        ),
        ("y: Tensor[(n,), float32], x: Tensor[(n + 1, 5), float32]", "-1, n + 1", "(5, n + 1)"),
    ],
)
def test_OP_6_what_follows_in_reshape_is_divided_exactly(params: str, shape: str, dims: str) -> None:
    assert typed(params, f"reshape(x, shape({shape}))") == f"Tensor[{dims}, float32]"


def test_OP_6_a_product_after_an_exact_reshape_is_checked() -> None:
    params = "x: Tensor[(n, 28, 28), float32], w: Tensor[(783, 10), float32]"
    (found,) = rejected(params, "matmul(reshape(x, shape(n, -1)), w)")
    assert "axis 1 of `x1` is 784, axis 0 of `x2` is 783" in found


def test_OP_6_the_case_of_zero_is_one_that_never_returns() -> None:
    text = "def @main(x: Tensor[(n, 28), float32]) -> Tensor[(n, 28), float32] { reshape(x, shape(n, -1)) }"
    assert api.check(text).diagnostics == []
    with pytest.raises(RelaxError):
        api.run(text, np.zeros((0, 28), np.float32))


def test_OP_3_dimension_functions_are_scalar_operands() -> None:
    assert typed(PARAMS, taken(0, "min(n, k)")) == "Tensor[(min(k, n),), float32]"
    assert typed(PARAMS, "arange(0, max(n, k))") == "Tensor[(max(k, n),), int64]"


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint64", "float32", "bool"])
def test_OP_7_dtypes_of_bounds_and_lengths(dtype: str) -> None:
    params = f"x: Tensor[(4, 3), float32], b: Tensor[(2,), {dtype}], l: Tensor[(4,), {dtype}]"
    found = rejected(params, "dynamic_strided_slice(x, b, b, b)")
    assert [one.split(":")[0] for one in found] == ["op-dtype-mismatch"]
    assert "for `begin`, `end` and `strides`: " in found[0]
    if dtype != "int32":
        assert "int32 or int64 is needed" in rejected(params, "reverse_sequence(x, l)")[0]
    else:
        assert typed(params, "reverse_sequence(x, l)") == "Tensor[(4, 3), float32]"
