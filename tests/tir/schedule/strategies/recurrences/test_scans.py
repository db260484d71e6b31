"""Scans and recurrences: on turned copies, some rows at a time, with the bits of the scalar interpreter. [TIR.21]"""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterator

import numpy as np
import pytest

from relax_lang.tir import compile as compiler
from relax_lang.tir.codegen.printer import module
from relax_lang.tir.compile import compile_prim_func
from tests.tir.random_programs.recurrences.scans import Scan
from tests.tir.support import assert_same_outcome, checked, interpret, prim_func

PARAMS = "X: Buffer[(n, m), float32], Y: Buffer[(n, m), float32]"
SUM = f"""prim_func @f({PARAMS}) {{
  for i, j in grid(n, m) {{ Y[i, j] = if_then_else(j > 0, Y[i, j - 1], 0.0) + X[i, j]; }}
}}"""
DECAY = f"""prim_func @f({PARAMS}) {{
  for i, j in grid(n, m) {{ Y[i, j] = if_then_else(j > 0, 0.9 * Y[i, j - 1], 0.0) + X[i, j]; }}
}}"""


TWO = "def rows_at_once(rows, width, length, copies):\n    return 2\n"


@pytest.fixture
def two_rows_at_once(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Let generated modules turn two rows at once, so that small arrays have several blocks of them.

    Texts and functions that were made without this, or with it, are not for the tests on the other side.
    """
    helpers = {**module._helpers(), "rows_at_once": (TWO, frozenset[str]())}
    monkeypatch.setattr(module, "_helpers", lambda: helpers)
    monkeypatch.setattr(compiler, "_COMPILED", {})
    module._helper_texts.cache_clear()
    yield
    module._helper_texts.cache_clear()


@pytest.mark.usefixtures("two_rows_at_once")
@pytest.mark.parametrize("start", range(20_000, 20_400, 40))
def test_TIR_21_random_scans_in_blocks_of_two_rows(start: int) -> None:
    from relax_lang.tir.check.driver import check_prim_func

    for seed in range(start, start + 40):
        nest = Scan(seed)
        func = prim_func(nest.text)
        if not any(found.severity == "error" for found in check_prim_func(func)):
            assert_same_outcome(func, nest.arguments(), ulps=64 if nest.dtype == "float16" else 0)


def test_random_scans_are_worth_running() -> None:
    """Enough of them are turned, and most run as NumPy."""
    turned, ran, total = 0, 0, 0
    for seed in range(100):
        nest = Scan(seed)
        compiled = compile_prim_func(prim_func(nest.text))
        total += 1
        turned += "copy_transposed(" in compiled.source
        ran += compiled.vectorized
    assert turned > 0.5 * total
    assert ran > 0.9 * total


@pytest.mark.parametrize("text", [SUM, DECAY], ids=["sum", "decay"])
@pytest.mark.parametrize("shape", [(3, 40), (700, 5), (700, 1), (700, 0), (0, 5), (1100, 1100)], ids=str)
def test_TIR_21_results_have_the_bits_of_single_steps(text: str, shape: tuple[int, int]) -> None:
    numbers = np.random.default_rng(0)
    x = numbers.standard_normal(shape, np.float32) * np.float32(10) ** numbers.integers(-9, 9, shape)
    x = x.astype(np.float32)
    x[numbers.random(shape) < 0.2] = -0.0
    y, wanted = np.empty_like(x), np.empty_like(x)
    compile_prim_func(checked(text)).run(x, y)
    before = np.zeros(shape[0], np.float32)
    for j in range(shape[1]):
        before = (before * np.float32(0.9) if text is DECAY and j else before) + x[:, j]
        wanted[:, j] = before
    assert y.tobytes() == wanted.tobytes()


def test_TIR_21_a_sum_that_starts_from_0_is_not_minus_0() -> None:
    for shape in ((2, 3), (600, 3)):
        x = np.full(shape, -0.0, np.float32)
        y = np.ones_like(x)
        compile_prim_func(checked(SUM)).run(x, y)
        assert not np.signbit(y).any()
    y, other = np.ones((1, 3), np.float32), np.ones((1, 3), np.float32)
    func = checked(SUM.replace("0.0)", "-0.0)"))
    compile_prim_func(func).run(np.full((1, 3), -0.0, np.float32), y)
    interpret(func, np.full((1, 3), -0.0, np.float32), other)
    assert y.tobytes() == other.tobytes()


@pytest.mark.parametrize("dtype", ["int32", "uint8", "float64"])
@pytest.mark.parametrize("op", ["+", "*", "max", "min"])
@pytest.mark.parametrize(
    "view", [lambda x: x, lambda x: x[:, ::2], lambda x: x.T], ids=["whole", "every other", "turned"]
)
def test_TIR_21_running_operations_of_many_rows(dtype: str, op: str, view) -> None:
    neutral = {"+": "0", "*": "1"}.get(op) or f"{'min' if op == 'max' else 'max'}_value({dtype})"
    if dtype.startswith("float") and op in ("max", "min"):
        neutral = "-inf" if op == "max" else "inf"
    before = f"if_then_else(j >= 1, Y[i, j - 1], {neutral})"
    value = f"{op}({before}, X[i, j])" if op in ("max", "min") else f"{before} {op} X[i, j]"
    params = PARAMS.replace("float32", dtype)
    compiled = compile_prim_func(
        checked(f"prim_func @f({params}) {{ for i, j in grid(n, m) {{ Y[i, j] = {value}; }} }}")
    )
    assert [remark.strategy for remark in compiled.remarks] == ["scan"]
    x = view(np.random.default_rng(0).integers(0, 4, (1300, 1300)).astype(dtype))
    y = np.empty_like(x)
    compiled.run(x, y)
    combine = {"+": np.add, "*": np.multiply, "max": np.maximum, "min": np.minimum}[op]
    np.testing.assert_array_equal(y, combine.accumulate(x, axis=1, dtype=dtype))


@pytest.mark.parametrize("text", [SUM, DECAY], ids=["sum", "decay"])
def test_copies_are_small(text: str) -> None:
    x = np.ones((4096, 512), np.float32)
    y = np.empty_like(x)
    run = compile_prim_func(checked(f"# One that no other test has compiled.\n{text}")).run
    run(x[:1], y[:1])
    tracemalloc.start()
    run(x, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.35 * (x.nbytes + y.nbytes)


MISTAKES = {
    "loops that are not one, for a statement would see the next step of another": (
        "for i, j in grid(n, m - 1) { Y[i, j + 1] += Y[i, j]; Y[i + 1, j + 1] = Y[i + 1, j] + 1.0; }"
    ),
    "a choice that is two statements, the second of which reads what the first stored": (
        "for j, i in grid(m, n) { Y[i, j] += min(Y[i, m - 1], if_then_else(j >= 1, X[i, j - 1], 0.0)); }"
    ),
    "what is stored beside the turned arrays is put back, too": (
        "for i, j in grid(n, m) { S[i] += X[i, j]; Y[i, j] = S[i]; "
        "S[i] += if_then_else(j < 1, Y[i, j + 1], Y[i, j - 1]); }"
    ),
}


@pytest.mark.parametrize("loops", MISTAKES.values(), ids=MISTAKES)
@pytest.mark.parametrize("sizes", [(1, 1), (3, 1), (3, 5)], ids=str)
def test_TIR_21_mistakes_that_random_scans_found(loops: str, sizes: tuple[int, int]) -> None:
    n, m = sizes
    params = "X: Buffer[(n, m), float32], Y: Buffer[(n + 1, m), float32], S: Buffer[(n,), float32]"
    numbers = np.random.default_rng(0)
    args = [numbers.integers(-3, 4, shape).astype(np.float32) for shape in ((n, m), (n + 1, m), (n,))]
    assert_same_outcome(prim_func(f"prim_func @f({params}) {{ {loops} }}"), args)


def test_what_is_the_same_in_all_steps_is_computed_once() -> None:
    text = """prim_func @f(X: Buffer[(n, m), float32], A: Buffer[(m,), float32], Y: Buffer[(m,), float32]) {
      for i, j in grid(n, m) { Y[j] = Y[j] * exp(A[j]) + X[i, j]; }
    }"""
    func = checked(text)
    lines = compile_prim_func(func).source.splitlines()
    loop = next(at for at, line in enumerate(lines) if line.lstrip().startswith("for "))
    assert "exp(A" in "".join(lines[:loop])
    assert "exp" not in "".join(lines[loop:])
    assert "empty" not in "".join(lines[loop:])
    for n, m in ((0, 2), (3, 0), (3, 4)):
        assert_same_outcome(
            func, [np.ones((n, m), np.float32), np.ones(m, np.float32), np.ones(m, np.float32)]
        )


@pytest.mark.parametrize(
    ("combine", "start", "term"),
    [
        ("{} + {}", "0", "cast(X[i] > 2 && if_then_else(i > 0, X[i - 1] <= 2, true), int64)"),
        ("{} + {}", "7", "if_then_else(i > 0, X[i - 1], 5) * X[i]"),
        ("max({}, {})", "-3", "if_then_else(i >= 1, X[i] - X[i - 1], 0)"),
        ("{} * {}", "1", "if_then_else(i == 0, 2, X[i - 1] % 3)"),
    ],
)
def test_TIR_21_terms_of_a_running_operation_may_differ_at_its_start(
    combine: str, start: str, term: str
) -> None:
    value = combine.format(f"if_then_else(i > 0, E[i - 1], {start})", term)
    func = checked(f"""
    prim_func @spells(X: Buffer[(n,), int64], E: Buffer[(n,), int64]) {{
      for i in 0..n {{ E[i] = {value}; }}
    }}
    """)
    assert "accumulate(" in compile_prim_func(func).source
    for n in (0, 1, 2, 3, 9):
        assert_same_outcome(func, [np.arange(n) * 7 % 5, np.full(n, 3)])
