"""How loops are vectorized, what is said where they are not, and mistakes that random programs have found."""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.tir.compile import compile_prim_func
from relax_lang.tir.schedule.remarks import hints
from tests.tir.support import assert_same_outcome, checked

SCAN = "prim_func @f(Y: Buffer[(n,), int64]) { for i in 1..n { Y[i] = Y[i - 1] * 3 + i; } }"
WHILE = "prim_func @f(Y: Buffer[(2,), int64]) { for i in 0..2 { while Y[0] > i { Y[0] = Y[0] / 2; } } }"
ROWS = "prim_func @f(Y: Buffer[(n, m), int64]) { for i, j in grid(n - 1, m) { Y[i + 1, j] += Y[i, j]; } }"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            SCAN,
            "loop over i runs one iteration after the other: an iteration may read what an earlier one stored in `Y`",
        ),
        (WHILE, "how often `while` repeats depends on data"),
    ],
)
def test_scalar_loops_are_hints(text: str, message: str) -> None:
    found = hints(compile_prim_func(checked(text)).remarks)
    assert any(message in hint.message for hint in found), found
    assert {(hint.code, hint.slug, hint.severity) for hint in found} == {
        ("RLX0740", "tir-not-vectorized", "hint")
    }
    assert all(text[hint.pos : hint.end] for hint in found)


def test_the_explanation_holds() -> None:
    from relax_lang.check.explain import find_rule
    from tests.explanations import examples

    rule = find_rule("tir-not-vectorized")
    assert rule is not None
    slugs = {
        kind: {hint.slug for hint in hints(compile_prim_func(checked(text)).remarks)}
        for kind, text in examples(rule).items()
    }
    assert slugs == {"wrong": {"tir-not-vectorized"}, "right": set()}


def test_a_loop_around_vectorized_code_is_no_hint() -> None:
    result = compile_prim_func(checked(ROWS))
    assert [remark.strategy for remark in result.remarks] == ["loop", "elementwise"]
    assert hints(result.remarks) == []


def test_the_same_text_is_compiled_once() -> None:
    assert compile_prim_func(checked(SCAN)) is compile_prim_func(checked(SCAN))
    assert compile_prim_func(checked(SCAN)) is not compile_prim_func(checked(" " + SCAN))


A, Y, V, P = (
    "A: Buffer[(n, n), int64]",
    "Y: Buffer[(n, n), int64]",
    "V: Buffer[(n,), int64]",
    "P: Buffer[(n + 1,), int64]",
)


@pytest.mark.parametrize(
    "statements",
    [
        # Two loops must not change places where what one iteration reads, a later one stores.
        "for i, j in grid(n, n) { Y[j, n - 1 - i] = Y[i, 0]; }",
        # Both sides of a `select` are evaluated: one that is outside is a failure, whatever the condition.
        "for i in 0..n { V[i] = select(i > 0, V[max(i - 1, P[0] - 2)], 0); }",
        # Empty boxes beside others that are not.
        "for i, j in grid(n, n) { if j > n { V[i] = A[j - n - 1, 0]; } }",
        "for i in 0..n { V[i] = A[n - 1, i] + A[0, n - 1]; }",
        # The conditions of a `while` read what was stored before it, too.
        """alloc C: Buffer[(), int64]; C[()] = 0; for i in 0..n { V[i] = 0; }
        while C[()] < 3 && V[0] < 1 { C[()] += 1; P[0] += 1; } for i, j in grid(n, n) { V[i] += A[i, j]; }""",
        """alloc C: Buffer[(), int64]; C[()] = 0; for i in 0..n { V[i] = 0; }
        if V[0] < 1 { while C[()] < 3 { C[()] += 1; P[0] += 1; } } for i, j in grid(n, n) { V[i] += A[i, j]; }""",
        # What only a condition reads is not there, either, where there is no iteration.
        "for i, j in grid(n, n) { if V[0] > A[i, j] { Y[i, j] = 1; } }",
        "for i, j in grid(n, n) { if A[n - 1, 0] > A[i, j] { V[i] = max(V[i], A[i, j]); } }",
        # Conditions one after the other: each makes the list of iterations shorter.
        "for i, j in grid(n, n) { if V[i] > 0 { if A[V[i] - 1, j] > 0 { Y[V[i] - 1, j] = A[i, V[i] - 1]; } } }",
        # A window of one step, then one of several.
        "for i, j in grid(n, n - 1) { for q, r in grid(1, 2) { Y[i, j] = max(Y[i, j], A[i + q, j + r]); } }",
        # The condition of an `if` is evaluated before it, also where nothing follows.
        "if A[4, 0] == 1 { V[0] = 1; }",
        "for i in 0..n { for j in P[i]..P[i + 1] { Y[i, j] = Y[i, j]; } }",
        "for i in 0..n { for j in P[i]..P[i + 1] { V[i] += A[i, j]; } }",
        # A store of what is there already needs no code but its checks.
        "for i in 0..n { alloc T: Buffer[(), int64]; T[()] = 1; Y[i, i] = Y[i, i]; }",
        # The place of a store under a condition is checked where the condition holds, also where no loop is in it.
        "for i in 0..n { for j in 0..i { if j <= 1 { Y[2, i - 2] = A[i, j]; } } }",
        # Of two stores for the two sides of a remark, the first must not change what the second is chosen by.
        "for i, j in grid(n, n) { Y[i, i] = if_then_else(Y[i, i] < 1, A[j, P[i]], V[0]); }",
        # Loops that a condition made shorter still tell the elements of a reduction apart.
        "for i in 0..n { for q, r in grid(2, n) { if q < n { Y[0, q * 1] += A[i, r]; } } }",
        # The first step of a reduction is not always where all loops begin.
        """for i in 0..2 { for j in 0..i { block b (v = reduce(i), w = reduce(j)) {
          init { V[0] = 0; } V[0] = V[0] + A[v, w]; } Y[i, j] = V[0]; } }""",
        # Nothing is stored on the way to a check.
        "for i in 0..n { Y[i, 0] = V[i] * 2 + A[P[i], 0]; }",
        "for i, j in grid(n, n) { Y[P[i], j] += A[i, j]; }",
        "for i, j in grid(n, n) { Y[i // 2, i % 2] = A[i, j]; }",
        "for i, j in grid(n, n) { let best = V[i]; if best < A[i, j] { V[i] = A[i, j]; P[i] = j; } }",
        "for i in 0..n { for j in 0..i { Y[i, j] = Y[j, i] + V[i - j - 1]; } }",
        "for j, i in grid(n, n) { Y[i, j] = if_then_else(j > 0 && i < 3, Y[i, j - 1], 7) + A[i, j]; }",
    ],
)  # fmt: skip
def test_TIR_21_mistakes_that_random_programs_found(statements: str) -> None:
    func = checked(f"prim_func @f({A}, {Y}, {V}, {P}) {{ {statements} }}")
    for seed in range(12):
        numbers = np.random.default_rng(seed)
        n = (0, 1, 2, 3, 5)[seed % 5]
        a, y = numbers.integers(-2, 5, (2, n, n))
        pointers = np.sort(numbers.integers(-1 if seed > 7 else 0, n + 1, n + 1))
        assert_same_outcome(func, [a, a if seed == 4 else y, numbers.integers(-1, n + 1, n), pointers])


def test_relax_compile_explains(tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    from relax_lang import _main

    path = tmp_path / "a.rlx"
    path.write_text(SCAN.replace("{ for", "{\n  for") + "\n" + ROWS.replace("@f", "@g") + "\n")
    assert _main.main(["compile", str(path), "--explain-vectorization"]) == 0
    captured = capsys.readouterr()
    assert "@f\n  line 2: loop over i: loop (an iteration may read" in captured.out
    assert "@g\n  line 3: loop over i: loop" in captured.out
    assert captured.err.count("hint[RLX0740 tir-not-vectorized]") == 1


def test_explanations_count_the_parts_of_a_domain(tmp_path, capsys: pytest.CaptureFixture[str]) -> None:
    from relax_lang import _main

    path = tmp_path / "a.rlx"
    path.write_text(
        "prim_func @pad(X: Buffer[(n,), float32], Y: Buffer[(n + 2,), float32]) {\n"
        "  for i in 0..n + 2 { Y[i] = if_then_else(i >= 1 && i < n + 1, X[i - 1], 0.0); }\n}\n"
    )
    assert _main.main(["compile", str(path), "--explain-vectorization"]) == 0
    assert capsys.readouterr().out == "@pad\n  line 2: loop over i: elementwise, in 3 parts\n"


@pytest.mark.parametrize("op", ["<", "<=", ">", ">="])
@pytest.mark.parametrize("loops", ["i, j in grid(n, m)", "j, i in grid(m, n)"])
@pytest.mark.parametrize("x", ["X[i, j]", "X[j, i]"])
def test_argmax_with_nans_and_ties(op: str, loops: str, x: str) -> None:
    sizes = "n, m" if x == "X[i, j]" else "m, n"
    func = checked(
        f"prim_func @f(X: Buffer[({sizes}), float32], B: Buffer[(n,), float32], K: Buffer[(n,), int64]) {{ "
        f"for {loops} {{ if B[i] {op} {x} {{ B[i] = {x}; K[i] = j; }} }} }}"
    )
    assert [remark.strategy for remark in compile_prim_func(func).remarks] == ["argument reduction"]
    numbers = np.random.default_rng(0)
    for n, m in ((3, 5), (1, 1), (4, 0), (0, 3), (6, 4)):
        values = numbers.choice(np.array([np.nan, -np.inf, np.inf, 0, 1, 1, 2], np.float32), (n, m))
        values = values if sizes == "n, m" else np.ascontiguousarray(values.T)
        for start in (-np.inf, np.inf, np.nan, 1):
            assert_same_outcome(func, [values, np.full(n, start, np.float32), np.full(n, -1)])
