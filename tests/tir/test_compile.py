"""The compiler: what it refuses and why, calls that fall back, code that is safe and self-contained. [TIR.21]"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from relax_lang.syntax import tree
from relax_lang.tir.compile import Compiled, compile_prim_func
from relax_lang.tir.interp import interpreter
from relax_lang.values import RunFailure
from tests.tir.random_programs.kernels import Kernel
from tests.tir.random_programs.nests.nests import Nest
from tests.tir.random_programs.recurrences.scans import Scan
from tests.tir.support import assert_same_outcome, checked, copied, interpret, prim_func, prim_funcs

PARAMS = "X: Buffer[(n, m), int64], Y: Buffer[(n, m), int64], I: Buffer[(n,), int64], k: int64"


def compiled(statements: str) -> Compiled:
    return compile_prim_func(checked(f"prim_func @f({PARAMS}) {{ {statements} }}"))


def agree(statements: str, *, n: int = 4, m: int = 3, k: int = 1) -> None:
    """Run a body both ways on the same arguments."""
    numbers = np.random.default_rng(0)
    x, y = numbers.integers(-5, 6, (2, n, m))
    func = checked(f"prim_func @f({PARAMS}) {{ {statements} }}")
    assert_same_outcome(func, [x, y, numbers.integers(0, n, (n,)), k])


@pytest.mark.parametrize(
    ("statements", "reason"),
    [
        ("for i in 1..n { Y[i, 0] = Y[i - 1, 0] + 1; }", "may read what an earlier one stored in `Y`"),
        ("for i, j in grid(n, m) { Y[i, 0] = 2 * Y[i, 0] + X[i, j]; }", "may have stored in `Y`"),
        ("for i, j in grid(n, m) { Y[i, 0] += Y[j, 0] + X[i, j]; }", "a step reads other elements"),
        ("for i in 0..n { for j in 0..i { Y[i - j, 0] = X[i, 0]; } }", "bounds of this loop change"),
        ("while Y[0, 0] > 0 { Y[0, 0] -= 1; }", "`while`"),
        ("for i in 0..n { alloc T: Buffer[(i,), int64]; Y[i, 0] = 1; }", "size of this buffer changes"),
        ("for i, j in grid(n, m) { Y[j, 0] = X[i, j]; Y[j, 1] = Y[j, 0]; }", "depend on each other"),
        ("for i in 0..n - 1 { X[i, 0] = Y[i, 0] + X[i, 1]; Y[i + 1, 0] = X[i, 0]; }", "depend on each other"),
        (
            """for j, i in grid(m, n) { block b (r = reduce(j), v = spatial(i)) {
              init { Y[v, 0] = 1; }
              X[n - 1 - v, r] = Y[n - 1 - v, 0];
            } }""",
            "depend on each other",
        ),
        ("for i in 0..n { Y[0, 0] = X[i * k, 0] + Y[0, 0]; }", "direction of an index"),
    ],
)
def test_what_is_not_proved_stays_a_loop(statements: str, reason: str) -> None:
    result = compiled(statements)
    assert any(reason in remark.reason for remark in result.remarks), result.remarks
    agree(statements)
    agree(statements, k=0)


@pytest.mark.parametrize(
    ("statements", "reason"),
    [
        (
            (
                "for j, i in grid(m, n) { block b (r = reduce(j), v = spatial(0)) "
                "{ init { Y[v, 0] = 0; } Y[v, 0] += X[i, r]; } }"
            ),
            "do not distinguish the iterations of this loop",
        ),
        (
            "for i, j in grid(n, 2) { block b (v = spatial(i), r = reduce(j)) { init { Y[v, 0] = r; } Y[v, 0] = 1; } }",
            "`init`, or the condition on it, depends on a reduce axis",
        ),
        (
            (
                "for i, j in grid(n, m) { block b (r = reduce(j), v = spatial(i)) where r + Y[v, 0] < 2 "
                "{ init { Y[v, 0] = 0; } Y[v, 0] += X[v, r]; } }"
            ),
            "`where` depends on a reduce axis",
        ),
    ],
)
def test_what_has_no_form_runs_in_the_interpreter(statements: str, reason: str) -> None:
    result = compiled(statements)
    assert not result.vectorized, result.source
    assert reason in result.remarks[0].reason
    assert result.remarks[0].strategy == "interpreter"
    assert result.remarks[0].node.pos > 0
    agree(statements)


def test_TIR_21_steps_of_a_window_before_one_that_fails_are_undone() -> None:
    func = checked(
        "prim_func @f(X: Buffer[(n, m), int8], V: Buffer[(n,), int8]) "
        "{ for i in 0..n * 2 { V[i // 2] *= X[i // 3, i % 3]; } }"
    )
    assert_same_outcome(func, [np.array([[-2]], np.int8), np.ones(1, np.int8)])


def test_only_what_must_be_a_loop_is_one() -> None:
    result = compiled("for i in 1..n { Y[i, 1] = X[i, 0] * 2; Y[i, 0] = Y[i - 1, 0] + Y[i, 1]; }")
    assert [(remark.name, remark.strategy) for remark in result.remarks] == [
        ("loop over i", "elementwise"),
        ("loop over i", "loop"),
        ("loop over i", "scalar"),
    ]


@pytest.mark.parametrize(
    "statements",
    [
        "for i in 0..n - 1 { Y[i, 0] = Y[i + 1, 0]; }",
        "for i in 0..n { Y[i, 0] = Y[i, 1] + Y[i, 0]; }",
        "for i in 0..n { X[i, 0] = Y[i, 0]; Y[i, 0] = 1; }",
        "for i in 0..n - 1 { X[i + 1, 0] = Y[i, 0]; X[i, 0] = 1; }",
        "for i, j in grid(n, m) { Y[i, j] = i * 10 + j; }",
        "for i in 0..n { let v = Y[i, 0]; Y[i, 0] = X[i, 0]; X[i, 0] = v + v; }",
        "for i in 0..n { if X[i, 0] > 0 { Y[i, 0] = 1; } else { Y[i, 0] = 2; Y[i, 1] = 3; } }",
        "if k > 3 { for i in 0..n { Y[i, 0] = 1; } }",
        "if X[0, 0] > 0 { Y[0, 0] = 1; } else { Y[0, 0] = 2; }",
        "for i in 0..n { for r in 0..3 { Y[i, 0] += X[i, 0]; } }",
        "for i, j in grid(n, m) { Y[i, 0] = max(Y[i, 0], X[i, j]); if X[i, j] > 2 { Y[i, 1] += 1; } }",
        "for i, j in grid(n, m) { Y[0, 0] = Y[0, 0] + X[i, j] * i + k; }",
        "for a, i in grid(3, n) { Y[i, 0] = a * 0 + Y[i, 0] + X[i, 1]; }",
        "let third = (n - k) / 3; let part = min(third, n % 3); for i in 0..part { Y[i, 0] = 1; }",
        "let half = n // 2; for i in 0..half { Y[n - 1 - i, 0] = X[i, 0]; }",
        "for i in k..n { Y[i, 0] = X[i - k, 0]; }",
        "let t = X[0, 0]; X[0, 0] = 5; Y[0, 0] = t;",
        "for i in 0..min(n, m) { Y[i, i] = X[i, i]; }",
        """for i in 0..n {
          alloc T: Buffer[(m,), int64];
          for j in 0..m { T[j] = X[i, j]; }
          for j in 0..m { Y[i, j] = T[m - 1 - j]; }
        }""",
    ],
)
def test_what_is_proved_runs_as_numpy(statements: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert compiled(statements).vectorized, compiled(statements).remarks
    agree(statements)
    agree(statements, k=5)
    monkeypatch.setattr(interpreter, "run", lambda *args: pytest.fail("the interpreter ran"))
    x = np.arange(12).reshape(4, 3)
    compiled(statements).run(x, x + 100, np.zeros(4, np.int64), 1)


SHIFT = "prim_func @f(X: Buffer[(n,), int64], Y: Buffer[(n,), int64]) { for i in 0..n { Y[i] = X[n - 1 - i] * 2; } }"
DOUBLE = "prim_func @f(X: Buffer[(n,), int64], Y: Buffer[(n,), int64]) { for i in 0..n { Y[i] = X[i] * 2; } }"


def test_overlapping_arrays_run_in_program_order() -> None:
    base = np.arange(10)
    for text in (SHIFT, DOUBLE):
        func = checked(text)
        assert_same_outcome(func, [base[0:8], base[1:9]])
        assert_same_outcome(func, [base[1:9], base[0:8]])
        assert_same_outcome(func, [base[2:8], base[2:8]])
        assert_same_outcome(func, [base, base[::-1]])


def test_one_array_as_input_and_output_is_vectorized_where_that_is_right(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    double, shift = compile_prim_func(checked(DOUBLE)), compile_prim_func(checked(SHIFT))
    ran: list[str] = []
    original = interpreter.run
    monkeypatch.setattr(interpreter, "run", lambda *args: (ran.append("interpreter"), original(*args)))
    x = np.arange(4)
    double.run(x, x)
    assert x.tolist() == [0, 2, 4, 6]
    assert ran == []
    shift.run(x, x)
    assert ran == []
    assert x.tolist() == [12, 8, 16, 24]


def test_nothing_is_written_twice_when_the_interpreter_takes_over() -> None:
    func = checked("""prim_func @f(X: Buffer[(n,), int64], Y: Buffer[(n,), int64]) {
      for i in 0..n { Y[i] += 10; }
      for i in 0..n { Y[i] = Y[i] // X[i]; }
    }""")
    assert compile_prim_func(func).vectorized
    assert "Y[...] = Y_before" in compile_prim_func(func).source
    assert_same_outcome(func, [np.array([1, 2, 0, 4]), np.array([5, 6, 7, 8])])
    assert_same_outcome(func, [np.array([1, 2, 3, 4]), np.array([5, 6, 7, 8])])


@pytest.mark.parametrize("n", [0, 1, 5])
@pytest.mark.parametrize("m", [0, 1, 4])
def test_zero_sizes(n: int, m: int) -> None:
    agree("for i, j in grid(n, m) { Y[i, j] = X[n - 1 - i, m - 1 - j] + 1; }", n=n, m=m)
    agree("for i in 0..n - 1 { for j in 0..m - 2 { Y[i + 1, j] = X[i, j + 2]; } }", n=n, m=m)
    agree("for i, j in grid(n, m) { Y[i, j] = X[0, m - 1]; }", n=n, m=m)
    agree("for i in 0..(n // 2) { Y[i * 2, 0] = 1; }", n=n, m=m)
    agree("for i in k..n { Y[i, 0] = 1; }", n=n, m=m, k=9)


def test_bounds_are_those_of_the_call() -> None:
    func = checked(
        "prim_func @f(X: Buffer[(n,), int64], Y: Buffer[(m,), int64]) { for i in 0..n { Y[i] = X[i]; } }"
    )
    assert compile_prim_func(func).vectorized
    for n, m in ((3, 3), (3, 5), (5, 3), (0, 3), (3, 0)):
        assert_same_outcome(func, [np.arange(n), np.full(m, -1)])


def test_sources_stand_alone(tmp_path: Path) -> None:
    """A generated module runs in a Python that knows numpy only."""
    texts = (Path(__file__).parent / "corpus" / "reductions.rlx").read_text()
    func = prim_funcs(texts)["fused_softmax"]
    module = tmp_path / "generated.py"
    module.write_text(compile_prim_func(func).source)
    script = (
        "import sys, numpy as np, generated\n"
        "x = np.array([[1, 2], [3, 3]], np.float32); y = np.empty_like(x)\n"
        "generated.fused_softmax(x, y)\n"
        "assert not any(name.startswith('relax') for name in sys.modules)\n"
        "print(y.round(3).tolist())\n"
    )
    env = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"} | {
        "PYTHONPATH": str(tmp_path)
    }
    ran = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, env=env, cwd=tmp_path, check=True
    )
    assert ran.stdout.strip() == "[[0.26899999380111694, 0.7310000061988831], [0.5, 0.5]]"


def test_sources_say_what_they_do() -> None:
    text = (Path(__file__).parent / "corpus" / "contractions.rlx").read_text()
    source = compile_prim_func(prim_funcs(text)["matmul_bias"]).source
    assert '"""Run prim_func @matmul_bias. Stores to C.' in source
    assert "    # bias: elementwise over i, j\n    C[...] = b\n" in source
    assert "    # matmul: contraction over l\n    float_product(C, A, B, 1, np.float32)\n" in source


HOSTILE = [
    "np", "def", "import os", "__import__", "x\nimport os", "a.b", "1", "ñ", "", "'''", '"', "#", "Y", "require",
    "function", "None", "print(1)", "\u2028", "\\", "t", "lambda", "empty", "eval", "a" * 500, "_", "class",
]  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_are_only_names(name: str) -> None:
    """Names of every kind end up as harmless identifiers and comments."""
    template = prim_func("""prim_func @evil(evil: Buffer[(size,), int64], Z: Buffer[(size,), int64], k: int64) {
      alloc T: Buffer[(size,), int64];
      for i in 0..size { block evil (v = spatial(i)) { T[v] = evil[v] + k; } }
      for i in 0..size { let w = T[i]; Z[i] = w * 2; }
    }""")
    renamed = rename(template, {"evil": name})
    for old in ("size", "k", "T", "i", "v", "w"):
        renamed_more = rename(renamed, {old: name + "_" if old != "size" else name + "2"})
        for func in (renamed, renamed_more):
            result = compile_prim_func(func)
            z = np.zeros(3, np.int64)
            result.run(np.array([1, 2, 3]), z, 10)
            assert z.tolist() == [22, 24, 26]
            assert result.vectorized


def test_a_buffer_may_be_called_like_what_calls_packed_functions() -> None:
    func = checked('prim_func @f(call_extern: Buffer[(n,), int64]) { call_extern("g", call_extern); }')
    result = compile_prim_func(func)
    assert result.vectorized
    y = np.zeros(2, np.int64)
    result.run(y, packed={"g": lambda array: array.fill(7)})
    assert y.tolist() == [7, 7]


def rename(node, names: dict[str, str]):
    """Return a copy of a tree with names replaced."""
    if isinstance(node, tuple):
        return tuple([rename(item, names) for item in node])
    if isinstance(node, str):
        return names.get(node, node)
    if isinstance(node, tree.Node):
        return type(node)(*[rename(getattr(node, field), names) for field in node.FIELDS])
    return node


def test_strings_of_the_program_are_not_in_the_source() -> None:
    func = checked(
        'prim_func @f(Y: Buffer[(n,), int64]) { assert n > 1, "\\"\\"\\"\\nimport os"; '
        'alloc T: Buffer[(n,), int64] in "#\\n evil"; for i in 0..n { T[i] = i; Y[i] = T[i]; } }'
    )
    result = compile_prim_func(func)
    assert result.vectorized
    assert "import os" not in result.source
    assert "evil" not in result.source


def test_generated_code_shows_in_tracebacks() -> None:
    import linecache

    result = compile_prim_func(checked(DOUBLE))
    name = result._function.__wrapped__.__code__.co_filename
    assert "np.multiply" in "".join(linecache.getlines(name))


def test_missing_memory_is_a_failure() -> None:
    func = checked(
        "prim_func @f(Y: Buffer[(n,), int8]) { alloc T: Buffer[(n, 1000000000000000), int8]; Y[0] = 1; }"
    )
    for run in (compile_prim_func(func).run, lambda *args: interpret(func, *args)):
        with pytest.raises(RunFailure) as caught:
            run(np.zeros(64, np.int8))
        assert caught.value.slug == "out-of-memory"


@pytest.mark.parametrize("k", [-1, 1 << 31, (1 << 31) - 1, 1 << 62])
def test_TIR_21_sizes_that_no_array_has_are_the_same_failure(k: int) -> None:
    func = checked(
        "prim_func @f(Y: Buffer[(n,), int64], k: int64) "
        "{ alloc T: Buffer[(k, k), int64]; T[0, 0] = 1; Y[0] = T[0, 0]; }"
    )
    assert compile_prim_func(func).vectorized
    assert_same_outcome(func, [np.zeros(2, np.int64), k])


def test_no_warnings_from_arithmetic() -> None:
    params = "X: Buffer[(n,), float32], Y: Buffer[(n,), float32]"
    text = f"prim_func @f({params}) {{ for i in 0..n {{ Y[i] = log(X[i]) / 0.0; }} }}"
    y = np.zeros(2, np.float32)
    compile_prim_func(checked(text)).run(np.array([-1, 0], np.float32), y)
    interpret(checked(text), np.array([-1, 0], np.float32), y)


@pytest.mark.parametrize("start", range(0, 400, 40))
@pytest.mark.parametrize("kind", [Nest, Kernel, Scan])
def test_TIR_21_random_nests(kind: type[Nest | Kernel | Scan], start: int) -> None:
    """Random programs give the same arrays and the same failure either way."""
    for seed in range(start, start + 40):
        _compare_random(kind(seed))


@pytest.mark.slow
@pytest.mark.skipif("RELAX_NIGHTLY" not in os.environ, reason="takes minutes; set RELAX_NIGHTLY=1")
def test_TIR_21_many_random_nests() -> None:
    for seed in range(1000, 11_000):
        _compare_random(Nest(seed))
        _compare_random(Kernel(seed))
        _compare_random(Scan(seed))


def _compare_random(nest: Nest | Kernel | Scan) -> None:
    from relax_lang.tir.check.driver import check_prim_func

    func = prim_func(nest.text)
    mistakes = {found.slug for found in check_prim_func(func) if found.severity == "error"}
    assert mistakes <= {"tir-out-of-bounds", "tir-division-by-zero"}, nest.text
    if not mistakes:
        # Sums of float16 round at every step in the interpreter, and once in NumPy.
        assert_same_outcome(func, nest.arguments(), ulps=64 if nest.dtype == "float16" else 0)


def test_random_nests_are_worth_running() -> None:
    """Enough of them run as NumPy, enough of them fail, enough of them are refused."""
    from relax_lang.tir.check.driver import check_prim_func

    ran, failed, total = 0, 0, 0
    for seed in range(150):
        nest = Nest(seed)
        func = prim_func(nest.text)
        if check_prim_func(func):
            continue
        total += 1
        args = nest.arguments()
        ran += compile_prim_func(func)._run_vectorized(tuple(copied(args)))
        try:
            interpret(func, *copied(args))
        except RunFailure:
            failed += 1
    assert ran > 0.25 * total
    assert failed > 0.15 * total
