"""Calls of PrimFuncs whose sizes change run by one plan in ranges of sizes: the same values, the same errors. [O.4]"""

from __future__ import annotations

import os
from random import Random
from typing import Any

import numpy as np
import pytest

from benchmarks.by_hand.decoder import decoder
from benchmarks.models.models import legalized
from relax_lang.runtime.compiler import size_ranges, tir_sites
from relax_lang.runtime.session import Session
from relax_lang.values import RunFailure
from tests.runtime.compiler.random_host import plain
from tests.runtime.harness import body, f32, session_of
from tests.transform.same_meaning.outcomes import after_passes, close, sound_program
from tests.transform.same_meaning.random_networks import Network

ONE = "x: Tensor[(n,), float32]"
TWO = "x: Tensor[(n,), float32], y: Tensor[(m,), float32]"

RELU = """prim_func @f(A: Buffer[(n, m), float32], C: Buffer[(n, m), float32]) {
  for i, j in grid(n, m) { C[i, j] = max(A[i, j], 0.0); }
}"""
EVEN = """prim_func @f(A: Buffer[(n,), float32], C: Buffer[(n,), float32]) {
  assert n % 2 == 0, "odd";
  for i in 0..n { C[i] = A[i] + 1.0; }
}"""
INNER = """prim_func @f(A: Buffer[(n,), float32], C: Buffer[(n - 2,), float32]) {
  for i in 0..n - 2 { C[i] = A[i] + A[i + 1] * A[i + 2]; }
}"""
GROUPS = """prim_func @f(A: Buffer[(n,), float32], C: Buffer[(n // 4,), float32]) {
  for i, k in grid(n // 4, 4) {
    block sum (vi = spatial(i), vk = reduce(k)) {
      init { C[vi] = -inf; }
      C[vi] = max(C[vi], A[vi * 4 + vk]);
    }
  }
}"""
WITHIN = """prim_func @f(A: Buffer[(n,), float32], B: Buffer[(m,), float32], C: Buffer[(n,), float32]) {
  for i in 0..n { C[i] = A[i] + B[i]; }
}"""
GREATEST = """prim_func @f(A: Buffer[(n,), float32], C: Buffer[(1,), float32]) {
  for k in 0..n {
    block most (vk = reduce(k)) {
      init { C[0] = -inf; }
      C[0] = max(C[0], A[vk]);
    }
  }
}"""
ROOT = """prim_func @f(A: Buffer[(n,), float32], C: Buffer[(n,), float32]) {
  for i in 0..n { assert A[i] >= 0.0, "negative"; C[i] = sqrt(A[i]); }
}"""
SCALED = """prim_func @f(A: Buffer[(n,), float32], C: Buffer[(n,), float32], k: int64) {
  alloc T: Buffer[(n + k,), float32];
  for i in 0..n + k { T[i] = 2.0; }
  for i in 0..n { C[i] = A[i] * T[i + k]; }
}"""
LIMITED = """prim_func @f(A: Buffer[(n,), float32], C: Buffer[(n,), float32]) {
  assert n <= 300, "too many";
  for i in 0..n { C[i] = A[i] * 3.0; }
}"""
ACROSS = """prim_func @f(A: Buffer[(n,), float32], B: Buffer[(m,), float32], C: Buffer[(n, m), float32]) {
  for i, j in grid(n, m) { C[i, j] = B[j]; }
}"""

PROGRAMS = {
    "relu": ("x: Tensor[(n, m), float32]", "call_tir(@f, (x,)) -> Tensor[(n, m), float32]", RELU),
    "even": (ONE, "call_tir(@f, (x,)) -> Tensor[(n,), float32]", EVEN),
    "inner": (ONE, "call_tir(@f, (x,)) -> Tensor[(n - 2,), float32]", INNER),
    "groups": (ONE, "call_tir(@f, (x,)) -> Tensor[(n // 4,), float32]", GROUPS),
    "within": (TWO, "call_tir(@f, (x, y)) -> Tensor[(n,), float32]", WITHIN),
    "greatest": (ONE, "call_tir(@f, (x,)) -> Tensor[(1,), float32]", GREATEST),
    "root": (ONE, "call_tir(@f, (x,)) -> Tensor[(n,), float32]", ROOT),
    "scaled": (ONE, "call_tir(@f, (x,), shape(n * 2)) -> Tensor[(n,), float32]", SCALED),
    "limited": (ONE, "call_tir(@f, (x,)) -> Tensor[(n,), float32]", LIMITED),
    "across": (TWO, "call_tir(@f, (x, y)) -> Tensor[(n, m), float32]", ACROSS),
    "wrong": (TWO, "call_tir(@f, (x,)) -> Tensor[(m,), float32]", LIMITED),
}
"""Parameters, the call, the PrimFunc."""
RANGES = {"relu", "even", "inner", "groups", "greatest", "root", "scaled", "limited", "across"}
"""The programs of which all calls in a range of sizes have one plan."""


@pytest.fixture
def firsts(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, ...]]:
    """Return the sizes whose calls go no short way."""
    found: list[tuple[int, ...]] = []
    first = tir_sites.CallSite.first

    def noted(site: Any, values: tuple[int, ...], arrays: Any) -> Any:
        found.append(values)
        return first(site, values, arrays)

    monkeypatch.setattr(tir_sites.CallSite, "first", noted)
    return found


def program(name: str) -> str:
    params, call, func = PROGRAMS[name]
    return body(f"let r = {call}; r", params, func)


def outcome(session: Session, arguments: tuple[Any, ...]) -> object:
    try:
        return plain(session.run("main", arguments))
    except RunFailure as failure:
        place = None if failure.node is None else failure.node.pos
        return failure.slug, failure.message, place, failure.facts.get("shape_vars")


def arguments_of(params: str, n: int, m: int) -> tuple[Any, ...]:
    if "(n, m)" in params:
        return (f32(n, m),)
    return (f32(n), f32(m)) if "y" in params else (f32(n),)


@pytest.mark.parametrize("name", PROGRAMS)
def test_calls_of_other_sizes_do_the_same(name: str, firsts: list[tuple[int, ...]]) -> None:
    text, params = program(name), PROGRAMS[name][0]
    compiled, interpreter = [session_of(text, engine=one) for one in ("compiled", "interpreter")]
    draw = Random(name)
    pairs = [(5, 6), (5, 6), (5, 6), *[(draw.randint(0, 40), draw.randint(0, 40)) for _ in range(60)]]
    pairs += [(300, 3), (301, 3), (1, 1), (2, 1), (1, 2), (0, 0)]
    for n, m in pairs:
        arguments = arguments_of(params, n, m)
        assert outcome(compiled, arguments) == outcome(interpreter, arguments), (n, m)
    distinct = {pair if len(firsts[0]) == 2 else pair[:1] for pair in pairs}
    assert (len(firsts) < len(distinct) // 2) == (name in RANGES), (len(firsts), len(distinct))


@pytest.mark.parametrize("name", sorted(RANGES))
def test_elements_find_the_ranges_that_all_conditions_have(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ranges_of_calls(limit: int) -> list[object]:
        found: list[object] = []
        around = size_ranges.Ranges.around

        def noted(*given: Any, **options: Any) -> Any:
            found.append(around(*given, **options))
            return found[-1]

        session = session_of(program(name), engine="compiled", max_bytes=limit)
        with monkeypatch.context() as patch:
            patch.setattr(size_ranges.Ranges, "around", noted)
            for n, m in [
                (5, 6),
                (5, 6),
                (5, 6),
                (40, 30),
                (2, 2),
                (300, 30),
                (3000, 3),
                (90, 2),
                (4, 4),
                (4, 4),
            ]:
                outcome(session, arguments_of(PROGRAMS[name][0], n, m))
        return found

    for limit in (1 << 30, 1 << 16):
        found = ranges_of_calls(limit)
        assert found
        with monkeypatch.context() as patch:  # everything is likely, so that all conditions are asked
            patch.setattr(size_ranges.Ranges, "_is_likely", lambda *_: True)
            assert ranges_of_calls(limit) == found


def test_conditions_are_asked_where_ranges_end(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    fitting = size_ranges.Ranges._fitting

    def noted(ranges: Any, values: Any, *given: Any) -> Any:
        asked.append(values)
        return fitting(ranges, values, *given)

    monkeypatch.setattr(size_ranges.Ranges, "_fitting", noted)
    session = session_of(program("relu"), engine="compiled")
    for _ in range(3):
        outcome(session, (f32(5, 6),))
    assert len(asked) == 6, (
        "the size at hand, and both ends, of a range of one class of arrays and of all classes"
    )


def test_what_data_decide_is_still_reported(firsts: list[tuple[int, ...]]) -> None:
    compiled, interpreter = [session_of(program("root"), engine=one) for one in ("compiled", "interpreter")]
    for size in range(2, 60):
        x = f32(size)
        if size % 5 == 0:
            x = x.copy()
            x[size // 2] = -1
        for _ in range(2):
            assert outcome(compiled, (x,)) == outcome(interpreter, (x,))
    assert len(firsts) < 10


def test_the_limit_of_memory_holds_in_ranges(firsts: list[tuple[int, ...]]) -> None:
    limits: dict[str, Any] = {"max_bytes": 1 << 16}
    sessions = [session_of(program("scaled"), engine=one, **limits) for one in ("compiled", "interpreter")]
    for size in (3, 3, 3, 1500, 5000, 5400, 5430, 5461, 5462, 6000, 16384, 16385, 5000):
        found, expected = [outcome(session, (f32(size),)) for session in sessions]
        assert found == expected, size
    assert (1500,) in firsts
    assert (5000,) not in firsts
    assert (5430,) not in firsts
    assert (5462,) in firsts


@pytest.mark.parametrize("threads", [1, 2])
def test_results_are_written_over_arguments_in_ranges(threads: int) -> None:
    params = "x: Tensor[(n, 64), float32]"
    func = RELU.replace("(n, m)", "(n, 64)").replace("grid(n, m)", "grid(n, 64)")
    text = body("let a = x + x; let r = call_tir(@f, (a,)) -> Tensor[(n, 64), float32]; r", params, func)
    compiled = session_of(text, engine="compiled", threads=threads)
    for rows in (3, 3, 100, 400, 400, 401, 900, 3000, 255, 256, 257, 5000, 2000):
        x = f32(rows, 64) - 1
        given = x.copy()
        assert np.array_equal(np.asarray(compiled.run("main", (x,))), np.maximum(given + given, 0))
        assert np.array_equal(x, given)


def test_plans_of_another_class_run_some_calls(firsts: list[tuple[int, ...]]) -> None:
    """Operations that are best for large arrays are right for small ones, until these have come often enough."""
    text = program("relu")
    compiled, interpreter = [session_of(text, engine=one) for one in ("compiled", "interpreter")]
    for rows in (200, 200, 200, *range(2, 100)):
        x = f32(rows, 64) - 2048
        assert outcome(compiled, (x,)) == outcome(interpreter, (x,)), rows
        if rows == 60:
            assert firsts == [(200, 64)], "no plan is made for small arrays yet"
    assert 2 <= len(firsts) <= 4


def test_a_lowered_decoder_whose_keys_and_values_grow(firsts: list[tuple[int, ...]]) -> None:
    text = legalized(decoder(16))
    compiled, operators = session_of(text, engine="compiled"), session_of(decoder(16), engine="compiled")
    numbers = np.random.default_rng(3)
    weights = [np.asarray(numbers.standard_normal((16, 16)) / 8, np.float32) for _ in range(4)]
    x: Any = np.asarray(numbers.standard_normal((1, 16)), np.float32)
    keys: Any = np.zeros((1, 16), np.float32)
    values: Any = keys
    for _ in range(300):
        expected: Any = operators.run("step", (x, keys, values, *weights))
        found: Any = compiled.run("step", (x, keys, values, *weights))
        for one, other in zip(found, expected, strict=True):
            np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)
        x, keys, values = found
    assert len(firsts) < 150, "nothing is found out about most of the sizes"


def grow(seed: int) -> bool:
    """Call a random network with rows that differ, with operators and without; return whether there is one."""
    made = sound_program(seed, Network)
    if made is None:
        return False
    _, operators = made
    lowered = after_passes(seed, ("LegalizeOps",), Network)
    reference, *others = [
        Session(typed.module, typed.source, engine=engine)
        for typed, engine in ((operators, "interpreter"), (operators, "compiled"), (lowered, "compiled"))
    ]
    numbers = np.random.default_rng(seed)
    for rows in (4, 4, 3, 9, 2, 17, 1, 60, 5, 1500, 2):
        arguments = [numbers.uniform(-1, 1, shape) for shape in ((rows, 6), (rows, 6), (6,), (2, 3, 4, 4))]
        expected = plain(reference.call("main", arguments))
        for session in others:
            assert close(plain(session.call("main", arguments)), expected), f"{rows} rows, seed {seed}"
    return True


def test_random_networks_of_any_size() -> None:
    assert sum(grow(seed) for seed in range(60_000, 60_010)) > 6


@pytest.mark.slow
@pytest.mark.skipif("RELAX_NIGHTLY" not in os.environ, reason="takes minutes; set RELAX_NIGHTLY=1")
def test_many_random_networks_of_any_size() -> None:
    for seed in range(61_000, 61_300):
        grow(seed)
