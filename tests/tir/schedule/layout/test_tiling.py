"""Kernels that run on some rows at a time, and what they share: values computed once, flat runs, scratch. [TIR.21]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.tir.check.driver import check_prim_func
from relax_lang.tir.compile import compile_prim_func
from tests.tir.random_programs.kernels import Kernel
from tests.tir.support import assert_same_outcome, cut_into_blocks, prim_func

SPECIAL = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 1e-40, 3e38, -3e38], np.float32)
ROWS = "X: Buffer[(n, m), float32], Y: Buffer[(n, m), float32], V: Buffer[(n,), float32]"


def body(source: str) -> str:
    """Return the function of a module."""
    return source[source.index("@np.errstate") :]


@pytest.mark.parametrize("start", range(20_000, 20_160, 40))
def test_TIR_21_blocks_of_few_rows(start: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Random programs whose arrays are cut into blocks, small as they are."""
    cut_into_blocks(monkeypatch, 4)
    for seed in range(start, start + 40):
        nest = Kernel(seed)
        func = prim_func(nest.text)
        if not any(found.severity == "error" for found in check_prim_func(func)):
            assert_same_outcome(func, nest.arguments(), ulps=64 if nest.dtype == "float16" else 0)


def test_TIR_21_a_buffer_of_a_block_is_read_in_indices(monkeypatch: pytest.MonkeyPatch) -> None:
    cut_into_blocks(monkeypatch, 4)
    func = prim_func("""prim_func @f(X: Buffer[(n,), int64], T: Buffer[(n,), int64], Y: Buffer[(n,), int64]) {
      alloc s: Buffer[(), int64];
      alloc u: Buffer[(), int64];
      for i in 0..n { s[()] = X[i] % 5; u[()] = s[()] + 1; Y[i] = T[s[()] % n] * u[()]; }
    }""")
    assert {remark.strategy for remark in compile_prim_func(func).remarks} == {"elementwise", "gather"}
    numbers = np.random.default_rng(1)
    for n in (0, 1, 5, 11):
        assert_same_outcome(func, [*numbers.integers(-9, 9, (3, n))])


# ---- values that several kernels need

VARIANCE = f"""prim_func @f({ROWS}) {{
  for i in 0..n {{ V[i] = 0.0; }}
  for i, j in grid(n, m) {{ V[i] += (X[i, j] - X[i, 0]) * (X[i, j] - X[i, 0]); }}
  for i, j in grid(n, m) {{ Y[i, j] = (X[i, j] - X[i, 0]) / V[i] + 1.0; }}
}}"""


def test_TIR_21_a_value_that_two_kernels_need_is_computed_once() -> None:
    text = body(compile_prim_func(prim_func(VARIANCE)).source)
    assert text.count("np.subtract(") == 1


def test_TIR_21_a_value_is_the_same_under_other_names_of_its_views() -> None:
    func = prim_func(f"""prim_func @f({ROWS}) {{
      for i in 0..n {{ V[i] = 0.0; }}
      for i, j in grid(n, m) {{ V[i] += exp(X[i, j]); }}
      for i, j in grid(n, m) {{ Y[i, j] = exp(X[i, j]) / V[i] - X[i, j]; }}
    }}""")
    assert body(compile_prim_func(func).source).count("np.exp(") == 1
    numbers = np.random.default_rng(0).integers(-3, 4, (2, 5, 3)).astype(np.float32)
    assert_same_outcome(func, [numbers[0], numbers[1], np.zeros(5, np.float32)])


def test_TIR_21_a_reduction_in_a_tile_needs_no_loop_over_its_rows() -> None:
    func = prim_func("""prim_func @f(
      X: Buffer[(n, d), float32], C: Buffer[(k, d), float32], D: Buffer[(n, k), float32]
    ) {
      for i, c, a in grid(n, k, d) { D[i, c] += (X[i, a] - C[c, a]) * (X[i, a] - C[c, a]); }
    }""")
    assert body(compile_prim_func(func).source).count("for ") == 1
    numbers = np.random.default_rng(0).integers(-3, 4, (3, 5, 3)).astype(np.float32)
    assert_same_outcome(func, [numbers[0], numbers[1, :4], np.zeros((5, 4), np.float32)])


@pytest.mark.parametrize(
    "between", ["Y[i, j] = 2.0;", "Y[i, j] += X[i, j];", "X[i, j] = 1.0;", "V[i] = max(V[i], Y[i, j]);"]
)
def test_TIR_21_a_value_is_not_kept_where_somebody_looks(between: str) -> None:
    lines = VARIANCE.splitlines()
    func = prim_func("\n".join([*lines[:3], f"for i, j in grid(n, m) {{ {between} }}", *lines[3:]]))
    numbers = np.random.default_rng(0).integers(-3, 4, (2, 5, 3)).astype(np.float32)
    assert_same_outcome(func, [numbers[0], numbers[1], np.zeros(5, np.float32)])


@pytest.mark.parametrize("shape", [(2, 3, 4), (0, 3, 0), (0, 0, 4), (1, 1, 1)])
def test_TIR_21_a_value_is_not_kept_in_rows_that_do_not_exist(shape: tuple[int, ...]) -> None:
    func = prim_func("""prim_func @f(
      X: Buffer[(n, m), float32], Y: Buffer[(k, n, m), float32], V: Buffer[(n,), float32],
    ) {
      for i in 0..n { V[i] = 1.0; }
      for i, j in grid(n, m) { V[i] += (X[i, j] + 1.0) * (X[i, j] + 1.0); }
      for i, j in grid(n, m) { Y[0, i, j] = (X[i, j] + 1.0) / V[i]; }
    }""")
    k, n, m = shape
    assert_same_outcome(
        func, [np.ones((n, m), np.float32), np.zeros((k, n, m), np.float32), np.zeros(n, np.float32)]
    )


def test_TIR_21_a_value_is_kept_where_the_last_kernel_reads_what_it_stores_to() -> None:
    func = prim_func(f"""prim_func @f({ROWS}) {{
      for i in 0..n {{ V[i] = 0.0; }}
      for i, j in grid(n, m) {{ V[i] += abs(X[i, j]); }}
      for i, j in grid(n, m) {{ Y[i, j] += abs(X[i, j]) * Y[i, j] - V[i]; }}
    }}""")
    assert body(compile_prim_func(func).source).count("np.abs(") == 1
    numbers = np.random.default_rng(0).integers(-3, 4, (2, 5, 3)).astype(np.float32)
    assert_same_outcome(func, [numbers[0], numbers[1], np.zeros(5, np.float32)])


# ---- factors of all terms of a sum


@pytest.mark.parametrize(
    "term", ["X[i, j] / cast(m, float32)", "X[i, j] / 4.0", "0.25 * X[i, j]", "X[i, j] / 0.25"]
)
@pytest.mark.parametrize("start", ["0.0", "1.0"])
def test_TIR_21_a_sum_of_shrunk_terms_is_not_too_large(term: str, start: str) -> None:
    """The terms are finite together only with their factor, or not at all."""
    func = prim_func(f"""prim_func @f({ROWS}) {{
      for i in 0..n {{ V[i] = {start}; }}
      for i, j in grid(n, m) {{ V[i] += {term}; }}
      for i, j in grid(n, m) {{ Y[i, j] = X[i, j] - V[i] + 1.0; }}
    }}""")
    rows = [[3e38] * 4, [np.inf, 1, 2, 3], [np.inf, -np.inf, 0, 0], [8, 4, 2, 1]]
    for row in [*rows, [3e38, 3e38, -3e38, -3e38]][: 5 if start == "0.0" else 4]:
        x = np.array([row, [1, 2, 3, 4]], np.float32)
        assert_same_outcome(func, [x, np.zeros_like(x), np.zeros(2, np.float32)], ulps=4)
    for shape in ((3, 0), (0, 3), (0, 0)):
        x = np.ones(shape, np.float32)
        assert_same_outcome(func, [x, np.zeros_like(x), np.zeros(shape[0], np.float32)])


# ---- flat runs

HEAT = """prim_func @f(X: Buffer[(n + 2, m + 1), float32], Y: Buffer[(n, m), float32]) {
  for i, j in grid(n, m) {
    Y[i, j] = 0.5 * (X[i, j] + X[i + 2, j + 1] - max(X[i + 1, j], X[i, j + 1]) * 3.0);
  }
}"""


@pytest.mark.parametrize(("n", "m"), [(4, 5), (1, 1), (1, 7), (7, 1), (0, 3), (3, 0), (0, 0), (40, 33)])
def test_TIR_21_flat_runs_over_arrays_of_any_layout(n: int, m: int, monkeypatch: pytest.MonkeyPatch) -> None:
    cut_into_blocks(monkeypatch, 64)
    func = prim_func(HEAT)
    assert "from_run" in body(compile_prim_func(func).source)
    numbers = np.random.default_rng(0)
    wide = numbers.standard_normal((3 * n + 6, 2 * m + 2), dtype=np.float32)
    for x in (
        np.ascontiguousarray(wide[: n + 2, : m + 1]),
        wide[: n + 2, : m + 1],
        wide[::3, ::2],
        wide[: n + 2, : m + 1][::-1, ::-1],
        np.asfortranarray(wide[: n + 2, : m + 1]),
        np.broadcast_to(wide[0, : m + 1], (n + 2, m + 1)),
    ):
        assert_same_outcome(func, [x, np.zeros((n, m), np.float32)])
        assert_same_outcome(func, [x, np.zeros((n, 2 * m), np.float32)[:, ::2]])


def test_TIR_21_flat_runs_do_not_divide_at_borders() -> None:
    func = prim_func("""prim_func @f(X: Buffer[(n, m + 1), int32], Y: Buffer[(n, m), int32]) {
      for i, j in grid(n, m) { Y[i, j] = (X[i, j] + X[i, j + 1] + 1) / X[i, j]; }
    }""")
    x = np.arange(1, 13, dtype=np.int32).reshape(3, 4)
    x[:, -1] = 0
    assert_same_outcome(func, [x, np.zeros((3, 3), np.int32)])


# ---- argument reductions


@pytest.mark.parametrize(
    "better",
    ["V[i] < {x}", "V[i] <= {x}", "V[i] > {x}", "V[i] >= {x}", "V[i] < {x} || V[i] == {x} && {j} < K[i]"],
)
@pytest.mark.parametrize("start", ["min_value(float32)", "-inf", "inf", "nan", "0.0"])
@pytest.mark.parametrize("x", ["X[i, j]", "X[j, i]", "-X[i, j]"])
def test_TIR_21_argument_reductions_of_special_numbers(better: str, start: str, x: str) -> None:
    better = better.format(x=x, j="j")
    func = prim_func(f"""prim_func @f(X: Buffer[(n, n), float32], K: Buffer[(n,), int64]) {{
      alloc V: Buffer[(n,), float32];
      for i in 0..n {{ V[i] = {start}; K[i] = -1; }}
      for i, j in grid(n, n) {{
        let wins = {better};
        let at = select(wins, j, K[i]);
        let best = select(wins, {x}, V[i]);
        K[i] = at;
        V[i] = best;
      }}
    }}""")
    assert "best_of(" in compile_prim_func(func).source
    for seed in range(6):
        numbers = np.random.default_rng(seed)
        n = int(numbers.integers(0, 9))
        given = numbers.choice(SPECIAL if seed % 2 else SPECIAL[:5], (n, n))
        assert_same_outcome(func, [given, np.zeros(n, np.int64)])


@pytest.mark.parametrize("ties", [2, 1000])
@pytest.mark.parametrize("better", ["V[j] <= X[i, j]", "V[j] < X[i, j]"])
def test_TIR_21_argument_reductions_over_the_first_axis(ties: int, better: str) -> None:
    func = prim_func(f"""prim_func @f(X: Buffer[(n, m), float32], V: Buffer[(m,), float32], K: Buffer[(m,), int64]) {{
      for j in 0..m {{ V[j] = -inf; K[j] = 7; }}
      for i, j in grid(n, m) {{ if {better} {{ V[j] = X[i, j]; K[j] = i; }} }}
    }}""")
    x = np.random.default_rng(0).integers(-ties, ties, (60, 7)).astype(np.float32)
    x[3, 2], x[:, 4] = np.nan, np.nan
    assert_same_outcome(func, [x, np.zeros(7, np.float32), np.zeros(7, np.int64)])


# ---- choices on large arrays


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int32", "int64", "float32", "float64"])
@pytest.mark.parametrize(
    "store",
    [
        "Y[i, j] = select(C[i, j], A[i, j], B[i, j]);",
        "Y[i, j] = select(C[i, j], A[i, j], Y[i, j]);",
        "Y[i, j] = select(C[i, j], Y[i, j], A[i, j]);",
        "Y[i, j] = select(C[i, j], Y[i, j], Y[i, j]);",
        "Y[i, j] = select(C[i, j], A[i, j], R[i]);",
        "if C[i, j] { Y[i, j] = A[i, j]; }",
        "if C[i, j] { Y[i, j] = R[i]; } else { Y[i, j] = B[i, j]; }",
        "if A[i, j] == B[i, j] { Y[i, j] = Y[i, j]; }",
    ],
)
def test_TIR_21_choices_on_large_arrays(dtype: str, store: str) -> None:
    buffers = ", ".join([f"{name}: Buffer[(n, m), {dtype}]" for name in "ABY"])
    func = prim_func(f"""prim_func @f(C: Buffer[(n, m), bool], R: Buffer[(n,), {dtype}], {buffers}) {{
      for i, j in grid(n, m) {{ {store} }}
    }}""")
    numbers = np.random.default_rng(0)
    shape = (131, 127)
    assert shape[0] * shape[1] > 1 << 14, "large enough for the fast way"
    kind = np.dtype(dtype)

    def noise(*sizes: int) -> np.ndarray:
        if dtype == "bool":
            return numbers.random(sizes) < 0.5
        return numbers.integers(0, 256, (*sizes, kind.itemsize), dtype=np.uint8).view(kind)[..., 0].copy()

    c, r, a, b, y = numbers.random(shape) < 0.5, noise(shape[0]), noise(*shape), noise(*shape), noise(*shape)
    wide = np.broadcast_to(r[:, None], shape)
    wanted = {
        "C[i, j], A[i, j], B": np.where(c, a, b),
        "C[i, j], A[i, j], Y": np.where(c, a, y),
        "C[i, j], Y[i, j], A": np.where(c, y, a),
        "C[i, j], Y[i, j], Y": y,
        "C[i, j], A[i, j], R": np.where(c, a, wide),
        "{ Y[i, j] = A": np.where(c, a, y),
        "{ Y[i, j] = R": np.where(c, wide, b),
        "{ Y[i, j] = Y": y,
    }
    expected = next(value for key, value in wanted.items() if key in store)
    result = compile_prim_func(func)
    got = y.copy()
    assert result._run_vectorized((c, r, a, b, got))
    bits = np.dtype(f"u{kind.itemsize}")
    np.testing.assert_array_equal(got.view(bits), np.ascontiguousarray(expected).view(bits))


def test_an_array_that_a_while_looks_at_is_not_one_of_a_block() -> None:
    """What a block computes for some rows at a time is all there where the condition of a `while` reads it."""
    func = prim_func(
        "prim_func @f(X: Buffer[(n, m), float32], Y: Buffer[(n, m), float32], V: Buffer[(n,), int64]) {"
        " alloc T: Buffer[(n, m), float32]; alloc C: Buffer[(), int64]; C[()] = 0;"
        " for i, j in grid(n, m) { T[i, j] = X[i, j] * 2.0 + 1.0; }"
        " for i, j in grid(n, m) { Y[i, j] = T[i, j] * T[i, j] + exp(T[i, j]); }"
        " while C[()] < 3 && T[0, C[()]] > 0.0 { V[0] += 1; C[()] += 1; } }"
    )
    compiled = compile_prim_func(func)
    assert "some rows at a time" in compiled.source
    x = np.zeros((8, 1 << 16), np.float32)
    x[4:] = -1
    count = np.zeros(8, np.int64)
    assert compiled._run_vectorized((x, np.zeros_like(x), count))
    assert count[0] == 3


# ---- convolutions

CONVOLUTION = """prim_func @f(X: Buffer[(n, 3, {h} + 2, 9), float32], W: Buffer[(4, 3, 3, 3), float32],
    Y: Buffer[(n, 4, {h}, 7), float32]{more}) {{
  for b, o, i, j in grid(n, 4, {h}, 7) {{ Y[b, o, i, j] = 0.0; }}
  for b, o, i, j, c, p, q in grid(n, 4, {h}, 7, 3, 3, 3) {{
    Y[b, o, i, j] += X[b, c, i + p, j + q] * W[o, c, p, q];
  }}
}}"""


@pytest.mark.parametrize(
    ("height", "start"),
    [
        ("5", "conv[start"),  # an image is known to fit into a block, so blocks are of images
        ("h", "conv[:, :, start"),  # blocks of rows of all images
    ],
)
def test_TIR_21_convolutions_run_in_blocks_of_images(
    height: str, start: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    func = prim_func(CONVOLUTION.format(h=height, more=", h: int64" if height == "h" else ""))
    compiled = compile_prim_func(func)
    assert start.replace("conv", "Y") in body(compiled.source)
    cut_into_blocks(monkeypatch, 2000)
    rng = np.random.default_rng(0)
    for images in (0, 1, 5):
        arrays = [
            rng.integers(-4, 5, shape).astype(np.float32) for shape in ((images, 3, 7, 9), (4, 3, 3, 3))
        ]
        more = [5] if height == "h" else []
        assert_same_outcome(func, [*arrays, np.zeros((images, 4, 5, 7), np.float32), *more])


CONDITIONS = (
    "if i != j && a * a < 0.5 { Y[i] = max(Y[i], sqrt(b * b + a)); }",
    "if a > b { Y[i] += a * b + 1.0; }",
    "if X[i, 1] > 0.4 && a < b + 0.1 { Y[i] = min(Y[i], a - b); }",
    "if j < i && a * b > 0.1 { Y[i] += a - b; }",
)


@pytest.mark.parametrize("step", CONDITIONS)
def test_TIR_21_reductions_under_conditions_run_in_blocks_of_rows(
    step: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are computed for several rows at once, with the values of the interpreter."""
    text = (
        "prim_func @f(X: Buffer[(n, 2), float64], Y: Buffer[(n,), float64]) { for i, j in grid(n, n) {"
        f" let a: float64 = X[i, 0] - X[j, 0]; let b: float64 = X[i, 1] * X[j, 1]; {step} }} }}"
    )
    assert "for start in range(0, n, step):" in body(compile_prim_func(prim_func(text)).source)
    cut_into_blocks(monkeypatch, 12)
    func = prim_func(text)
    for n in (0, 1, 2, 5, 13):
        values = np.random.default_rng(n).random((n, 2)) - 0.3
        for special in (0.5, np.nan, np.inf):
            values[n // 2 : n // 2 + 1, 0] = special
            assert_same_outcome(func, [values, np.zeros(n)], 4)


def test_what_is_compiled_in_small_blocks_is_for_one_test(monkeypatch: pytest.MonkeyPatch) -> None:
    func = prim_func(HEAT)
    whole = compile_prim_func(func)
    with monkeypatch.context() as one_test:
        cut_into_blocks(one_test, 64)
        assert compile_prim_func(func) is not whole
    assert compile_prim_func(func) is whole
