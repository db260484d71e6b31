"""Indices that provably leave their buffers: what is proved is tried out on all small sizes. [TIR.8]"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from relax_lang.base.diagnostic import Diagnostic
from relax_lang.syntax import tree
from relax_lang.tir.check.driver import Report, check_prim_func
from relax_lang.tir.interp import interpreter
from tests.tir.random_programs.nests.small_nests import Nest, nests
from tests.tir.support import outcome, prim_func

HEAD = (
    "X: Buffer[(n,), float32], P: Buffer[(n, 4), float32], I: Buffer[(n,), int64], C: Buffer[(), bool], "
    "k: int64, Q: Buffer[(n + 1,), float32], Z: Buffer[(m - 2,), float32], M: Buffer[(m,), float32], "
    "Y: Buffer[(n,), float32]"
)


def found(statements: str) -> list[Diagnostic]:
    """Return what is told of indices in a body; the buffers above are all used or not."""
    told = Report(prim_func(f"prim_func @f({HEAD}) {{ {statements} }}")).diagnostics
    return [one for one in told if one.slug in ("tir-out-of-bounds", "tir-never-in-bounds", "tir-block-axis")]


def messages(statements: str) -> list[str]:
    return [f"{one.severity}: {one.message}" for one in found(statements)]


@pytest.mark.parametrize(
    ("statements", "message"),
    [
        ("for i in 0..n { Y[i] = X[i + 1]; }", "`i + 1` reaches n, dimension 0 of `X` has n (for i = n - 1)"),
        ("for i in 0..n { Y[i] = X[i - 1]; }", "`i - 1` reaches -1, dimension 0 of `X` has n (for i = 0)"),
        ("for i in 0..n { Y[i] = X[n - i]; }", "`n - i` reaches n, dimension 0 of `X` has n (for i = 0)"),
        ("for i in 0..n + 1 { Y[i] = 0.0; }", "`i` reaches n, dimension 0 of `Y` has n (for i = n)"),
        ("for i in 0..n * 2 { Y[i] = 0.0; }", "`i` reaches n * 2 - 1, dimension 0 of `Y` has n (for i = n * 2 - 1)"),
        ("for i in 0..n { Y[i] = P[i, 4]; }", "`4` reaches 4, dimension 1 of `P` has 4"),
        ("for i, j in grid(n, 3) { Y[i] = P[i, j * 2]; }", "`j * 2` reaches 4, dimension 1 of `P` has 4 (for j = 2)"),
        ("for i in 0..n { Y[i] = Q[i + 2]; }", "`i + 2` reaches n + 1, dimension 0 of `Q` has n + 1 (for i = n - 1)"),
        (
            "for i in 0..n { for j in 0..i + 1 { Y[i - j - 1] = 0.0; } }",
            "`i - j - 1` reaches -1, dimension 0 of `Y` has n (for i = 0, j = 0)",
        ),
        (
            "for i in 0..m - 2 { for j in 0..4 { M[i + j] = 0.0; } }",
            "`i + j` reaches m, dimension 0 of `M` has m (for i = m - 3, j = 3)",
        ),
        ("for i in 0..m { Z[i] = 0.0; }", "`i` reaches m - 1, dimension 0 of `Z` has m - 2 (for i = m - 1)"),
        (
            "for i in 0..n { alloc T: Buffer[(i,), float32]; T[i] = 0.0; }",
            "`i` reaches n - 1, dimension 0 of `T` has i (for i = n - 1)",
        ),
        ("for i in 0..n { let j = i + 1; Y[i] = X[j]; }", "`j` reaches n, dimension 0 of `X` has n (for i = n - 1)"),
        (
            "for i in 0..n { block b (v = spatial(i + 1)) { Y[v] = 0.0; } }",
            "`v` reaches n, dimension 0 of `Y` has n (for i = n - 1)",
        ),
        (
            "for i in 0..n { for i in 0..n { Y[i] = X[i + 1]; } }",
            "`i + 1` reaches n, dimension 0 of `X` has n (for i = n - 1)",
        ),
        (
            "for i in 0..n * 2 { X[(i >> 1) + 1] = 0.0; }",
            "`(i >> 1) + 1` reaches n, dimension 0 of `X` has n (for i = n * 2 - 1)",
        ),
        ("for i in 0..n { P[i, i & 7] = X[i]; }", None),
        ("for i in 0..8 { P[0, i & 7] = 0.0; }", "`i & 7` reaches 7, dimension 1 of `P` has 4 (for i = 7)"),
        (
            "for i in 0..n { Y[i] = X[max(I[i], 0) + n]; }",
            "`max(I[i], 0) + n` reaches n or more, dimension 0 of `X` has n",
        ),
        (
            "for i in 0..n { Y[i] = select(i > 0, X[i - 1], 0.0); }",
            "`i - 1` reaches -1, dimension 0 of `X` has n (for i = 0)",
        ),
        (
            "for i in 0..16 { if i > 3 && i < 20 { P[0, i] = 0.0; } }",
            "`i` reaches 15, dimension 1 of `P` has 4 (for i = 15)",
        ),
        (
            "for i in 0..5 { block b (v = spatial(i)) where v > 2 { P[0, v] = 0.0; } }",
            "`v` reaches 4, dimension 1 of `P` has 4 (for i = 4)",
        ),
        ("while P[0, 4] > 0.0 { P[0, 0] = 0.0; }", "`4` reaches 4, dimension 1 of `P` has 4"),
        ("for i in 0..n { X[i] += X[n]; }", "`n` reaches n, dimension 0 of `X` has n"),
    ],
)  # fmt: skip
def test_TIR_8_out_of_bounds_for_all_sizes(statements: str, message: str | None) -> None:
    assert messages(statements) == ([] if message is None else [f"error: index {message}"])


@pytest.mark.parametrize(
    "statements",
    [
        "for i in 0..n { Y[i] = X[n - 1 - i]; }",
        "for i in 0..m { Y[i] = 0.0; }",
        "for i in 0..max(n, m) { Y[i] = 0.0; }",
        "Y[7] = 0.0; Y[k] = 1.0;",
        "for i in 0..n { if i + 1 < n { Y[i] = X[i + 1]; } }",
        "for i in 0..n { if i > 0 { Y[i] = X[i + 1]; } }",
        "for i in 0..n { Y[i] = if_then_else(i + 1 < n, X[i + 1], 0.0); }",
        "for i in 0..n { Y[i] = if_then_else(i + 1 >= n, 0.0, X[i + 1]); }",
        'for i in 0..n { assert i == 0 || X[i - 1] > 0.0, ""; }',
        'for i in 0..n { assert i + 1 < n, ""; Y[i] = X[i + 1]; }',
        "for i in 0..n { if C[()] { Y[i] = X[i + 1]; } }",
        "for i in 0..n { Y[i] = X[I[i]]; }",
        "for i in 0..n { Y[i] = X[I[i] + n]; }",
        "for i in 0..n { if I[i] < n { Y[i] = X[I[i] - 1]; } }",
        "for i in 0..n { for i in k..n - 1 { X[i + 1] = 0.0; } }",
        "for i, j in grid((n + 3) // 4, 4) { block b (v = spatial(i * 4 + j, 0..n)) where v < n { Y[v] = 0.0; } }",
        "for i in 0..(n + 3) // 4 { for j in 0..4 { if i * 4 + j < n { Y[i * 4 + j] = 0.0; } } }",
        "for i in 5..3 { Y[i + n] = 0.0; }",
        "if n < 0 { Y[n] = 0.0; }",
        "let v = cast(max(k, 0), uint8) - 1; if v > 10 { if k < 0 { Y[n - 1] = 0.0; } }",
        "for i in 0..n { for j in 0..I[i] { Y[i] = 0.0; } }",
    ],
)
def test_TIR_8_nothing_is_told_where_nothing_is_proved(statements: str) -> None:
    assert messages(statements) == []


@pytest.mark.parametrize(
    "statements",
    [
        "for i in 0..n { if C[()] { Y[i] = X[i + n]; } }",
        "if k > 3 { Y[n] = 0.0; }",
        "for i in 0..n { let v = I[i]; if v >= n { Y[i] = X[v]; } }",
        "for i in 0..n { Y[i] = if_then_else(I[i] < 0, X[min(I[i], -1)], 0.0); }",
        "for i in 0..n { for j in 0..I[i] { Y[n] = 0.0; } }",
        "while C[()] { Y[n] = 0.0; }",
        'assert k > 3, ""; Y[n] = 0.0;',
    ],
)
def test_TIR_8_outside_whenever_reached_is_a_warning(statements: str) -> None:
    (diagnostic,) = found(statements)
    assert (diagnostic.slug, diagnostic.severity) == ("tir-never-in-bounds", "warning")


def test_TIR_8_conditions_that_cannot_hold_hide_everything() -> None:
    assert messages("for i in 0..n { if i >= n { Y[n] = X[n]; } }") == []


def test_TIR_8_says_where_and_shows_sizes() -> None:
    (diagnostic,) = found("for i in 0..n { Y[i] = X[i + 1]; }")
    assert diagnostic.primary == "reaches n for i = n - 1"
    assert [label.message for label in diagnostic.labels] == ["dimension 0 has n"]
    assert diagnostic.notes == ["with n = 1 the index is 1 and dimension 0 of `X` is 1"]


def test_Z_5_one_index_in_one_nest_is_told_once() -> None:
    assert len(found("for i in 0..n { Y[i + 1] = Y[i + 1] * 2.0; }")) == 1


@pytest.mark.parametrize(
    ("statements", "why"),
    [
        (
            "for i in 0..n + 1 { block b (v = spatial(i, 0..n)) { C[()] = true; } }",
            "`i` reaches n for i = n, outside its domain 0..n",
        ),
        (
            "for i in 0..n { block b (v = spatial(i, 1..n)) { C[()] = true; } }",
            "`i` reaches 0 for i = 0, outside its domain 1..n",
        ),
        ("for i in 0..n { block b (v = spatial(i, 0..n)) { C[()] = true; } }", None),
        ("for i in 0..8 { block b (v = spatial(i, 0..6)) where i < 6 { C[()] = true; } }", None),
        ("for i in 0..m { block b (v = reduce(i, 0..n)) { C[()] = true; } }", None),
    ],
)  # fmt: skip
def test_TIR_9_axes_keep_to_their_domains(statements: str, why: str | None) -> None:
    assert messages(statements) == ([] if why is None else [f"error: axis `v`: {why}"])


def test_V_9_allocations_with_a_negative_dimension() -> None:
    def told(dim: str) -> list[str]:
        text = f"for i in 0..n {{ alloc T: Buffer[({dim},), float32]; X[i] = Y[i]; }}"
        all_told = Report(prim_func(f"prim_func @f({HEAD}) {{ {text} }}")).diagnostics
        return [one.message for one in all_told if one.slug == "negative-dimension"]

    assert told("i - 1") == ["dimension 0 (`i - 1`) is -1"]
    assert told("2 - 5") == ["dimension 0 (`2 - 5`) is -3"]
    assert told("n - i") == told("k - 1") == told("n - 2") == []


def test_TIR_10_init_does_not_run_at_every_step() -> None:
    body = "init {{ Y[{}] = 0.0; }} Y[v] += P[v, r];"
    nest = "for i, j in grid(n, 4) {{ block b (v = spatial(i), r = reduce(j)) {{ {} }} }}"
    assert messages(nest.format(body.format("i + j - 1"))) == []
    assert messages(nest.format(body.format("v + r"))) == []
    assert [one[:5] for one in messages(nest.format(body.format("v + 1")))] == ["error"]


def test_names_that_double_again_and_again_are_given_up_on() -> None:
    lets = " ".join(f"let v{at + 1} = v{at} + v{at};" for at in range(60))
    assert messages(f"let v0 = k; {lets} Y[v60 + n] = 0.0;") == []


def run(func: tree.PrimFunc, nest: Nest, env: dict[str, int]) -> tuple[bool, np.ndarray]:
    """Run a nest; tell whether it went out of bounds, and what it left in R."""
    loaded = np.array([env["v"]], np.int64)
    arrays = [
        np.zeros((env["n"], env["m"]), np.float32),
        loaded,
        np.zeros(2, np.int32),
        np.zeros(nest.shape(env), np.float32),
    ]
    failure, (*_, reached, _) = outcome(lambda *args: interpreter.run(func, args), arrays)
    assert not failure or failure.startswith("tir-runtime-bounds")
    return bool(failure), reached


@settings(max_examples=150, deadline=None)
@given(nests())
def test_TIR_8_what_is_told_is_true_for_all_small_sizes(nest: Nest) -> None:
    func = prim_func(nest.program("R[1] = 1; X[{0}] = 1.0;"))
    told = {one.slug for one in Report(func).diagnostics}
    certain = "tir-out-of-bounds" in told
    if not certain and "tir-never-in-bounds" not in told:
        return
    for env in nest.sizes():
        failed, reached = run(func, nest, env)
        assert failed or not reached[0 if certain else 1], (env, nest)


@settings(max_examples=80, deadline=None)
@given(nests(guarded=False, affine=True))
def test_TIR_8_affine_indices_in_constant_loops_are_decided(nest: Nest) -> None:
    func = prim_func(nest.program("X[{0}] = 1.0;"))
    failed, _ = run(func, nest, {"n": 3, "m": 4, "v": 0})
    assert bool(check_prim_func(func)) is failed, nest
