"""The arithmetic of PrimFuncs: integers that wrap, floats, casts, intrinsics: TIR.7, TIR.14."""

from __future__ import annotations

import math

import ml_dtypes
import numpy as np
import pytest

from relax_lang.syntax import dtypes
from relax_lang.tir.ir import intrinsics
from tests.tir.interp.arrays import f32, failure
from tests.tir.support import assert_same_outcome, checked, interpret

INTEGER_OPERATIONS = {
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b,
    "&": lambda a, b: a & b, "|": lambda a, b: a | b, "^": lambda a, b: a ^ b,
    "//": lambda a, b: a // b, "%": lambda a, b: a % b,
    "/": lambda a, b: (abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1),
}  # fmt: skip


def wrapped(value: int, dtype: str) -> int:
    least, greatest = dtypes.INT_RANGES[dtype]
    return (value - least) % (greatest - least + 1) + least


@pytest.mark.parametrize("dtype", dtypes.INTEGERS)
@pytest.mark.parametrize("op", INTEGER_OPERATIONS)
def test_TIR_14_integers_wrap(run, op: str, dtype: str) -> None:
    least, greatest = dtypes.INT_RANGES[dtype]
    interesting = [
        least,
        least + 1,
        greatest,
        greatest - 1,
        greatest // 3,
        0,
        1,
        2,
        7,
        *([-1, -2, -7] if least else []),
    ]
    pairs = [(a, b) for a in interesting for b in interesting if b or op not in ("/", "//", "%")]
    a, b = (np.array(side, dtype) for side in zip(*pairs, strict=True))
    y = np.empty_like(a)
    params = f"A: Buffer[(n,), {dtype}], B: Buffer[(n,), {dtype}], Y: Buffer[(n,), {dtype}]"
    run(f"prim_func @f({params}) {{ for i in 0..n {{ Y[i] = A[i] {op} B[i]; }} }}", a, b, y)
    assert y.tolist() == [wrapped(INTEGER_OPERATIONS[op](p, q), dtype) for p, q in pairs]


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "int64", "uint64"])
def test_TIR_14_shifts_negation_complement_absolute(run, dtype: str) -> None:
    least, greatest = dtypes.INT_RANGES[dtype]
    width = dtypes.INTEGERS[dtype]
    pairs = [
        (a, b) for a in (least, greatest, 1, 5, greatest // 2) for b in (0, 1, width - 1, width, width + 3)
    ]
    pairs += [(a, -1) for a in (least, greatest)] if least else []
    a, b = (np.array(side, dtype) for side in zip(*pairs, strict=True))
    y = np.empty((len(pairs), 5), dtype)
    params = f"A: Buffer[(n,), {dtype}], B: Buffer[(n,), {dtype}], Y: Buffer[(n, 5), {dtype}]"
    stores = "Y[i, 0] = A[i] << B[i]; Y[i, 1] = A[i] >> B[i]; Y[i, 2] = -A[i]; Y[i, 3] = ~A[i]; Y[i, 4] = abs(A[i]);"
    run(f"prim_func @f({params}) {{ for i in 0..n {{ {stores} }} }}", a, b, y)
    inside = [0 <= q < width for _, q in pairs]
    left = [wrapped(p << q, dtype) if ok else 0 for (p, q), ok in zip(pairs, inside, strict=True)]
    right = [p >> q if ok else (-1 if p < 0 else 0) for (p, q), ok in zip(pairs, inside, strict=True)]
    rest = [[wrapped(-p, dtype), wrapped(~p, dtype), wrapped(abs(p), dtype)] for p, _ in pairs]
    assert y.tolist() == [[x, z, *others] for x, z, others in zip(left, right, rest, strict=True)]


@pytest.mark.parametrize("op", ["/", "//", "%"])
def test_TIR_14_division_by_zero_fails_where_it_happens(run, op: str) -> None:
    text = f"""prim_func @f(A: Buffer[(n,), int32], Y: Buffer[(n,), int32]) {{
      for i in 0..n {{ Y[i] = -1; }}
      for i in 0..n {{ Y[i] = 6 {op} A[i]; }}
    }}"""
    y = np.zeros(4, np.int32)
    failed = failure(run, text, np.array([4, 5, 0, 6], np.int32), y)
    assert failed.slug == "tir-division-by-zero"
    assert failed.message == "division by zero"
    assert type(failed.node).__name__ in ("Div", "FloorDiv", "FloorMod")
    assert y[2:].tolist() == [-1, -1]
    assert y[:2].tolist() != [-1, -1]


def test_TIR_14_floats_follow_ieee(run) -> None:
    values = f32(1, -1, 0, -0.0, np.inf, -np.inf, np.nan, 3e38)
    grid = np.array([(a, b) for a in values for b in values], np.float32)
    a, b = grid[:, 0].copy(), grid[:, 1].copy()
    y = np.empty((len(a), 9), np.float32)
    ops = ["A[i] + B[i]", "A[i] - B[i]", "A[i] * B[i]", "A[i] / B[i]", "A[i] // B[i]", "A[i] % B[i]",
           "max(A[i], B[i])", "min(A[i], B[i])", "select(A[i] < B[i] || A[i] == B[i], 1.0, 0.0)"]  # fmt: skip
    stores = " ".join([f"Y[i, {at}] = {op};" for at, op in enumerate(ops)])
    params = "A: Buffer[(n,), float32], B: Buffer[(n,), float32], Y: Buffer[(n, 9), float32]"
    run(f"prim_func @f({params}) {{ for i in 0..n {{ {stores} }} }}", a, b, y)
    with np.errstate(all="ignore"):
        want = [a + b, a - b, a * b, a / b, np.floor_divide(a, b), np.remainder(a, b), np.maximum(a, b),
                np.minimum(a, b), (a <= b).astype(np.float32)]  # fmt: skip
    np.testing.assert_array_equal(y, np.stack(want, axis=1))


def test_TIR_14_each_float32_operation_is_rounded(run) -> None:
    x = f32(0.1, 1e30, 16777216.0, 1e-45)
    y = np.empty_like(x)
    run("prim_func @f(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) "
        "{ for i in 0..n { Y[i] = (X[i] * 3.3 + 1.0) * X[i] - X[i] / 7; } }", x, y)  # fmt: skip
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(y, (x * np.float32(3.3) + np.float32(1)) * x - x / np.float32(7))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
def test_halves_are_computed_in_float32_and_rounded_when_stored_or_cast(run, dtype: str) -> None:
    half = np.float16 if dtype == "float16" else ml_dtypes.bfloat16
    x = np.array([1.001, 300.0, 0.3333, 60000.0], np.float32).astype(half)
    y = np.empty((4, 3), half)
    stores = (
        f"Y[i, 0] = X[i] * X[i] - X[i] * 0.1; Y[i, 1] = cast(X[i] * X[i], {dtype}) / 3.0;"
        "Y[i, 2] = cast(cast(X[i] * X[i], float32) - cast(X[i], float32), " + dtype + ");"
    )
    run(
        f"prim_func @f(X: Buffer[(n,), {dtype}], Y: Buffer[(n, 3), {dtype}]) {{ for i in 0..n {{ {stores} }} }}",
        x,
        y,
    )
    w = x.astype(np.float32)
    with np.errstate(all="ignore"):
        tenth = np.float32(0.1)
        want = [w * w - w * tenth, (w * w).astype(half).astype(np.float32) / np.float32(3), w * w - w]
        want = np.stack([column.astype(half) for column in want], axis=1)
    np.testing.assert_array_equal(y.astype(np.float32), want.astype(np.float32))


CASTS = [
    ("float32", "int8", [1.9, -1.9, 127.5, 300.0, -129.0, np.nan, np.inf], [1, -1, 127, 44, 127, 0, 0]),
    ("float64", "int64", [2.0**53 + 2, -0.9, 1e30], [2**53 + 2, 0, -(2**63)]),
    ("int64", "float32", [2**24 + 1, 2**62 + 2**38 + 1], [16777216.0, float(2**62 + 2**39)]),
    ("int64", "int32", [2**31, -(2**31) - 1], [-(2**31), 2**31 - 1]),
    ("float32", "bool", [0.0, 0.5, np.nan], [False, True, True]),
    ("bool", "float64", [False, True], [0.0, 1.0]),
    ("int8", "uint8", [-1, 5], [255, 5]),
    ("float64", "float32", [1e300, 0.1], [np.inf, float(np.float32(0.1))]),
]


@pytest.mark.parametrize(("source", "target", "values", "want"), CASTS)
def test_casts(run, source: str, target: str, values: list, want: list) -> None:
    x, y = np.array(values, source), np.empty(len(values), target)
    params = f"X: Buffer[(n,), {source}], Y: Buffer[(n,), {target}]"
    run(f"prim_func @f({params}) {{ for i in 0..n {{ Y[i] = cast(X[i], {target}); }} }}", x, y)
    assert y.tolist() == want


FLOAT_ROWS = [
    pytest.param(row, dtype, id=f"{row.name}-{dtype}")
    for row in intrinsics.INTRINSICS.values()
    for dtype in ("float32", "float64", "float16")
    if row.takes[0] != intrinsics.INTEGER and intrinsics.accepts(row.takes[0], dtype)
]


@pytest.mark.parametrize(("row", "dtype"), FLOAT_ROWS)
def test_intrinsics_of_floats(row: intrinsics.Intrinsic, dtype: str) -> None:
    """Both engines call the same function; its value is that of `math`, where `math` has it."""
    specials = [0.0, -0.0, 0.25, -0.25, 0.75, 1.0, -1.0, 2.5, -2.5, 3.5, 30.0, np.inf, -np.inf, np.nan]
    x = np.array(specials, dtype)
    second = "int32(2)" if intrinsics.INTEGER in row.takes[1:] else f"{dtype}(0.5)"
    call = f"{row.name}(X[i]{'' if row.arity == 1 else ', ' + second})"
    out = dtype if row.gives == intrinsics.SAME else row.gives
    params = f"X: Buffer[(n,), {dtype}], Y: Buffer[(n,), {out}]"
    func = checked(f"prim_func @f({params}) {{ for i in 0..n {{ Y[i] = {call}; }} }}")
    assert_same_outcome(func, [x, np.empty(len(x), out)], ulps=4)
    y = np.empty(len(x), out)
    interpret(func, x, y)
    reference = getattr(math, "fabs" if row.name == "abs" else row.name, None)
    if row.arity == 1 and reference is not None and out != "bool" and dtype == "float64":
        for value, have in zip(x.tolist(), y.tolist(), strict=True):
            try:
                want = float(reference(value))
            except (ValueError, OverflowError):
                continue
            assert math.isclose(have, want, rel_tol=1e-14) or (have != have and want != want), (
                value,
                have,
                want,
            )


REINTERPRETATIONS = [
    pytest.param(row, dtype, id=f"{row.name}-{dtype}")
    for row in intrinsics.INTRINSICS.values()
    for dtype in (*dtypes.INTEGERS, "float32", "float64")
    if row.name.startswith(intrinsics.REINTERPRET) and intrinsics.accepts(row.takes[0], dtype)
]


@pytest.mark.parametrize(("row", "dtype"), REINTERPRETATIONS)
def test_bits_read_as_another_type_are_those_of_numpy(row: intrinsics.Intrinsic, dtype: str) -> None:
    """In both engines, over a view whose elements lie apart, and on operands that are computed."""
    bits = np.arange(3, 35, dtype=np.uint8).view(dtype)
    x = np.ascontiguousarray(bits[::2]) if len(bits) > 1 else bits
    params = f"X: Buffer[(n,), {dtype}], Y: Buffer[(n,), {row.gives}], Z: Buffer[(n,), {dtype}]"
    func = checked(
        f"prim_func @f({params}) {{ for i in 0..n {{ Y[i] = {row.name}(X[n - 1 - i]);"
        f" Z[i] = reinterpret_{dtype}({row.name}(X[i])); }} }}"
    )
    arrays = [x, np.empty(len(x), row.gives), np.empty(len(x), dtype)]
    assert_same_outcome(func, arrays, ulps=0)
    y, z = np.empty(len(x), row.gives), np.empty(len(x), dtype)
    interpret(func, x, y, z)
    assert y.tobytes() == x[::-1].copy().view(row.gives).tobytes()
    assert z.tobytes() == x.tobytes()


def test_bits_read_as_another_type_are_not_the_memory_of_their_operand(run) -> None:
    x, y = np.array([1.0, 2.0], np.float32), np.zeros(2, np.int32)
    run(
        "prim_func @f(X: Buffer[(n,), float32], Y: Buffer[(n,), int32]) { for i in 0..n {"
        " Y[i] = reinterpret_int32(X[i]) + 1; X[i] = 0.0; } }",
        x,
        y,
    )
    assert y.tolist() == [0x3F800001, 0x40000001]
    assert x.tolist() == [0, 0]


def test_round_takes_halves_to_even(run) -> None:
    y = np.empty(4, np.float32)
    run("prim_func @f(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) { for i in 0..n { Y[i] = round(X[i]); } }",
        f32(0.5, 1.5, -2.5, 2.4), y)  # fmt: skip
    assert y.tolist() == [0, 2, -2, 2]


@pytest.mark.parametrize("dtype", dtypes.INTEGERS)
def test_intrinsics_of_integers(run, dtype: str) -> None:
    least, greatest = dtypes.INT_RANGES[dtype]
    width = dtypes.INTEGERS[dtype]
    x = np.array([least, greatest, 0, 1, 6, greatest // 3], dtype)
    y = np.empty((len(x), 2), dtype)
    params = f"X: Buffer[(n,), {dtype}], Y: Buffer[(n, 2), {dtype}]"
    run(
        f"prim_func @f({params}) {{ for i in 0..n {{ Y[i, 0] = popcount(X[i]); Y[i, 1] = clz(X[i]); }} }}",
        x,
        y,
    )
    bits = [int(value) & ((1 << width) - 1) for value in x]
    assert y.tolist() == [[value.bit_count(), width - value.bit_length()] for value in bits]


def test_limits_of_types(run) -> None:
    for dtype in [*dtypes.INTEGERS, "float32", "float64", "float16"]:
        y = np.empty(2, dtype)
        run(
            f"prim_func @f(Y: Buffer[(2,), {dtype}]) {{ Y[0] = min_value({dtype}); Y[1] = max_value({dtype}); }}",
            y,
        )
        info = np.finfo(dtype) if dtype.startswith("f") else np.iinfo(dtype)
        assert y.tolist() == [info.min, info.max]
