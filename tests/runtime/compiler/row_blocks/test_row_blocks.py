"""Bindings whose rows are apart run in blocks of rows: with the values, the failures and less of the memory. [X.O1]"""

from __future__ import annotations

import os
import random
import tracemalloc
from typing import Any

import numpy as np
import pytest

from relax_lang.runtime.compiler import row_blocks
from relax_lang.runtime.interpreter.machine import Interrupted
from relax_lang.tir.options import threads
from tests.runtime.compiler.support import code_of
from tests.runtime.harness import body, f32, failure_of, session_of

X = "x: Tensor[(n, 4), float32]"
PRIMS = """
prim_func @scaled(X: Buffer[(a, b), float32], Y: Buffer[(a, b), float32]) {
  for i, j in grid(a, b) { Y[i, j] = X[i, j] * 0.5 + 1.0; }
}
prim_func @plus(X: Buffer[(a, b), float32], Z: Buffer[(a, b), float32], Y: Buffer[(a, b), float32]) {
  for i, j in grid(a, b) { Y[i, j] = X[i, j] + Z[i, j]; }
}
prim_func @centred(X: Buffer[(a, b), float32], Y: Buffer[(a, b), float32]) {
  alloc S: Buffer[(a,), float32];
  for i in 0..a { S[i] = 0.0; }
  for i, j in grid(a, b) { S[i] += X[i, j]; }
  for i, j in grid(a, b) { Y[i, j] = X[i, j] - S[i]; }
}
prim_func @after(X: Buffer[(a, b), float32], Y: Buffer[(a, b), float32]) {
  for i, j in grid(a, b) { Y[i, j] = X[(i + 1) % a, j]; }
}
prim_func @rooted(X: Buffer[(a, b), float32], Y: Buffer[(a, b), float32]) {
  for i, j in grid(a, b) { assert X[i, j] >= 0.0, "negative"; Y[i, j] = sqrt(X[i, j]); }
}
"""
SCALED = "call_tir(@scaled, (x,)) -> Tensor[(n, 4), float32]"
CENTRED = "call_tir(@centred, (a,)) -> Tensor[(n, 4), float32]"
AFTER = "call_tir(@after, (a,)) -> Tensor[(n, 4), float32]"
PLUS = "call_tir(@plus, (b, x)) -> Tensor[(n, 4), float32]"


def values_of(made: object) -> list[Any]:
    return [*made] if isinstance(made, tuple) else [made]


def both(text: str, *args: Any, calls: int = 3, **options: Any) -> Any:
    """Call a function several times on both engines; the values are equal but for the rounding of sums."""
    expected = values_of(session_of(text, engine="interpreter").call("main", args))
    session = session_of(text, engine="compiled", **options)
    given = [np.copy(one) for one in args]
    for _ in range(calls):
        made = values_of(session.call("main", args))
        for one, other in zip(made, expected, strict=True):
            assert (one.dtype, one.shape) == (other.dtype, other.shape)
            np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)
        for one, before in zip(args, given, strict=True):
            assert np.array_equal(one, before)
    return made[0] if len(made) == 1 else tuple(made)


# What runs in blocks.


def test_layers_run_row_by_row(single_rows: list[int]) -> None:
    text = body(
        "let h = nn.relu(matmul(x, w) + b); matmul(h, w) - x",
        f"{X}, w: Tensor[(4, 4), float32], b: Tensor[(4,), float32]",
    )
    both(text, f32(7, 4), f32(4, 4) - 5, f32(4))
    assert single_rows == [7, 7, 7]


@pytest.mark.parametrize(
    "statements",
    [
        "let a = x + x; let b = permute_dims(a); let c = nn.relu(b); c * c",  # rows along the second axis
        "let a = exp(x); let p = split(a, indices_or_sections=2, axis=1); concat((p[1], p[0] + p[1]), axis=1) * a",
        "let a = x * x; let b = reshape(a, shape(n * 2, 2)); let c = b + const(1.0); exp(c)",
        "let a = x + x; let b = a * x; let c = sum(b, axis=1); c + c",
        "let a = x - w; let v = exp(w); let u = v + v; let b = a * u; let c = b + a; (c, u)",
        "let a = x * x; let b = a + x; let d = b * a; let c = d - b; (c, b)",
        "let a = zeros(shape(n, 4), dtype=float32); let b = a + x; let c = b * b; c - a",
        "let a = nn.softmax(x, axis=-1); let b = a * x; let c = b - x; nn.layer_norm(c, w, w, axes=[-1])",
        f"let a = {SCALED}; let b = {CENTRED}; let c = {PLUS}; c + c",
    ],
)
def test_what_runs_row_by_row(single_rows: list[int], statements: str) -> None:
    both(body(statements, f"{X}, w: Tensor[(4,), float32]", PRIMS), f32(5, 4) / 8, f32(4) / 4)
    assert single_rows
    assert set(single_rows) == {5}


@pytest.mark.parametrize(
    "statements",
    [
        "let a = x + x; let s = sum(a, axis=0); let b = a * s; b + b",
        f"let a = {SCALED}; let b = {AFTER}; let a = b + x; {AFTER}",
        'let a = x + x; print(a, format="{}"); let b = a * a; b',
        "let a = x + x; let b = a * x; (x, a, b)",
        "let a = x + x; reshape(a, shape(4, n))",
    ],
)
def test_what_does_not(single_rows: list[int], statements: str) -> None:
    both(body(statements, X, PRIMS), f32(5, 4), write=lambda _text: None)
    assert not single_rows


def test_a_field_of_a_tuple_with_other_fields_ends_a_group(single_rows: list[int]) -> None:
    """Of the rows of the other field nothing is known, though the group does not need them."""
    text = body(
        "let a = (shape_of(x), x)[1]; let b = nn.relu(a); let c = b * x; let d = c + x; let e = (w, d)[1]; e + e",
        f"{X}, w: Tensor[ndim=1, float32]",
    )
    both(text, f32(5, 4), f32(3))
    assert single_rows == [5, 5, 5]


def test_the_first_part_may_be_a_group_and_the_last_one_another(single_rows: list[int]) -> None:
    text = body(
        "let a = x + x; let b = a * x; let c = b - a; let s = sum(c, axis=0); exp(negative(c * s) + x)", X
    )
    both(text, f32(5, 4) / 8, calls=1)
    assert single_rows == [5, 5]


def test_small_arrays_run_as_they_are_written() -> None:
    text = body("let a = x + x; let b = a * x; b - x", X)
    assert "if n >= 64 else None" in code_of(text)
    session = session_of(text, engine="compiled")
    for rows in (0, 1, 70):
        assert np.array_equal(
            session.call("main", [f32(rows, 4)]), (f32(rows, 4) * 2) * f32(rows, 4) - f32(rows, 4)
        )


def test_what_nobody_else_needs_is_as_large_as_a_block() -> None:
    text = body(
        "let h = nn.relu(matmul(x, w) + b); let g = nn.relu(matmul(h, w) + b); sum(g, axis=1)",
        "x: Tensor[(n, 64), float32], w: Tensor[(64, 64), float32], b: Tensor[(64,), float32]",
    )
    session = session_of(text, engine="compiled")
    args = [np.ones((1 << 16, 64), np.float32), np.eye(64, dtype=np.float32), np.zeros(64, np.float32)]
    session.call("main", args)
    tracemalloc.start()
    try:
        made = session.call("main", args)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert isinstance(made, np.ndarray)
    assert np.array_equal(made, np.full(1 << 16, 64, np.float32))
    assert most < args[0].nbytes // 4


# Failures.


def failures(text: str, *args: Any, **options: Any) -> list[tuple[object, ...]]:
    found: list[tuple[object, ...]] = []
    for engine in ("interpreter", "compiled"):
        failure = failure_of(text, *args, engine=engine, **options)
        session = failure.facts.pop("session")
        assert hasattr(session, "diagnose")
        told = session.diagnose(failure)
        sizes = failure.facts.get("shape_vars")
        found.append((failure.slug, told.message, told.pos, told.end, sizes))
    return found


def test_a_row_that_fails_fails_as_in_the_whole(single_rows: list[int]) -> None:
    params = f"{X}, i: Tensor[(n,), int64], w: Tensor[(3, 4), float32]"
    text = body("let a = x + x; let t = take(w, i, axis=0); let b = a * t; b + x", params)
    good, bad = np.array([0, 1, 2, 1, 0]), np.array([0, 1, 2, 7, 9])
    both(text, f32(5, 4), good, f32(3, 4))
    assert single_rows
    one, other = failures(text, f32(5, 4), bad, f32(3, 4))
    assert one == other


def test_an_assertion_of_a_prim_func_fails_as_in_the_whole(single_rows: list[int]) -> None:
    call = "call_tir(@rooted, ({},)) -> Tensor[(n, 4), float32]"
    text = body(f"let a = x + x; let b = {call.format('a')}; let c = b * x; c + c", X, PRIMS)
    both(text, f32(5, 4))
    assert single_rows
    one, other = failures(text, f32(5, 4) - 13)
    assert one == other


def test_of_two_failures_the_first_binding_has_its_own(single_rows: list[int]) -> None:
    """What is the same for all rows runs before the blocks, but its failure comes when it is its turn."""
    params = f"{X}, i: Tensor[(n,), int64], j: Tensor[(2,), int64], w: Tensor[(2, 4), float32]"
    text = body(
        "let t = take(w, i, axis=0); let u = take(w, j, axis=0); let v = sum(u, axis=0); let b = t * v; b + x",
        params,
    )
    both(text, f32(3, 4), np.array([0, 1, 1]), np.array([1, 0]), f32(2, 4))
    assert single_rows
    one, other = failures(text, f32(3, 4), np.array([0, 5, 1]), np.array([1, 6]), f32(2, 4))
    assert one == other


def test_what_nothing_needs_and_is_the_same_for_all_rows_fails_where_it_fails(single_rows: list[int]) -> None:
    text = body(
        "let a = x + x; let m = max(v, axis=[0]); let b = a * x; b + x", f"{X}, v: Tensor[(k,), float32]"
    )
    both(text, f32(3, 4), f32(2))
    assert single_rows
    one, other = failures(text, f32(3, 4), f32(0))
    assert one == other


@pytest.mark.usefixtures("single_rows")
def test_a_tensor_that_is_too_large_as_a_whole_is_refused() -> None:
    statements = "let b = broadcast_to(expand_dims(a, axis=1), shape(n, 64, 512)); sum(b * b, axis=[1, 2])"
    wide = body(f"let a = x + x; {statements}", "x: Tensor[(n, 512), float32]")
    one, other = failures(wide, np.ones((40, 512), np.float32), max_bytes=1 << 17)
    assert one == other
    assert one[0] == "out-of-memory"


@pytest.mark.usefixtures("single_rows")
def test_a_lack_of_memory_in_a_block_is_not_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_given: object) -> None:
        raise MemoryError

    monkeypatch.setattr(row_blocks, "_whole", fail)
    both(body("let a = x + x; let b = a * x; b - x", X), f32(5, 4))


def test_an_interrupt_is_one_of_the_program(single_rows: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*_given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(row_blocks, "_whole", interrupt)
    text = body("let a = x + x; let b = a * x; b - x", X)
    with pytest.raises(Interrupted) as caught:
        session_of(text, engine="compiled").call("main", [f32(5, 4)])
    failure = caught.value.failure
    assert failure.node is not None
    assert text[failure.node.pos :].startswith("let a = x + x")
    assert not single_rows


# Several threads.


def test_blocks_of_prim_funcs_run_on_several_threads(
    single_rows: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads, "_WORTH", 0)
    counts: list[int] = []
    parallel = row_blocks._in_parallel

    def counted(call: Any, ends: Any, count: int) -> None:
        counts.append(count)
        parallel(call, ends, count)

    monkeypatch.setattr(row_blocks, "_in_parallel", counted)
    text = body(
        f"let a = {SCALED}; let b = {SCALED.replace('(x', '(a')}; let c = {PLUS}; c",
        X,
        PRIMS,
    )
    both(text, f32(9, 4), threads=3)
    assert counts == [3, 3, 3]
    assert single_rows == [9, 9, 9]


# Random programs.

ELEMENTS = (
    "{a} + {b}",
    "{a} * {b}",
    "{a} - v",
    "nn.relu({a})",
    "{a} * const(0.5)",
    "{a} + full(shape(n, 4), 2.0)",
)
ROWS = (
    "nn.softmax({a}, axis=-1)",
    "matmul({a}, w)",
    "matmul({a}, permute_dims(w))",
    "nn.layer_norm({a}, v, v, axes=[-1])",
    "{a} - max({a}, axis=1, keepdims=true)",
    "strided_slice(concat(({a}, {b}), axis=1), (1,), (2,), (6,))",
    "permute_dims(permute_dims({a}) * const(2.0))",
    "reshape(reshape({a}, shape(n * 2, 2)) + const(1.0), shape(n, 4))",
    "take({a}, const([3, 0, 1, 2]), axis=1)",
    "call_tir(@scaled, ({a},)) -> Tensor[(n, 4), float32]",
    "call_tir(@plus, ({a}, {b})) -> Tensor[(n, 4), float32]",
    "call_tir(@centred, ({a},)) -> Tensor[(n, 4), float32]",
    "{a} * u",
    "split(concat(({a}, {b}), axis=1), indices_or_sections=2, axis=1)[1]",
)
MIXED = (
    "{a} - mean({a}, axis=0)",
    "call_tir(@after, ({a},)) -> Tensor[(n, 4), float32]",
    "flip({a}, axis=0)",
    "cumsum({a}, axis=0) * const(0.25)",
)


def random_program(seed: int) -> str:
    draw = random.Random(seed)
    names, lines = ["x"], ["let u = v * v;"]
    for at in range(draw.randint(3, 12)):
        kinds = draw.choice([ELEMENTS, ELEMENTS, ROWS, ROWS, ROWS, MIXED if draw.random() < 0.4 else ROWS])
        form = draw.choice(kinds)
        lines.append(f"let r{at} = {form.format(a=draw.choice(names[-3:]), b=draw.choice(names))};")
        names.append(f"r{at}")
        if draw.random() < 0.15:
            lines.append(
                "let u = u + v;" if draw.random() < 0.5 else f"let y{at} = sum({names[-1]}, axis=1);"
            )
    chosen = [draw.choice(names[-3:]) for _ in range(draw.randint(1, 3))]
    result = chosen[0] if len(chosen) == 1 else f"({', '.join(chosen)})"
    statements = "\n  ".join([*lines, result])
    params = f"{X}, w: Tensor[(4, 4), float32], v: Tensor[(4,), float32]"
    return body(statements, params, PRIMS)


def hold(seed: int) -> None:
    draw = np.random.default_rng(seed)
    rows = int(draw.integers(0, 9))
    args = [draw.standard_normal(shape).astype(np.float32) / 4 for shape in ((rows, 4), (4, 4), (4,))]
    text = random_program(seed)
    try:
        both(text, *args)
    except AssertionError as error:
        raise AssertionError(f"seed {seed}\n{text}") from error


@pytest.mark.parametrize("first", range(0, 160, 40))
def test_random_programs(single_rows: list[int], first: int) -> None:
    for seed in range(first, first + 40):
        hold(seed)
    assert len(single_rows) > 60


@pytest.mark.slow
@pytest.mark.skipif("RELAX_NIGHTLY" not in os.environ, reason="takes minutes; set RELAX_NIGHTLY=1")
@pytest.mark.usefixtures("single_rows")
def test_many_random_programs() -> None:
    for seed in range(1000, 6000):
        hold(seed)
