"""Calls in the range of sizes that was used last: code for the number of arguments. [X.O4]"""

from __future__ import annotations

from threading import Barrier, Thread
from typing import Any

import numpy as np
import pytest

from relax_lang.runtime.compiler import tir_sites
from relax_lang.runtime.compiler.range_calls import range_call
from tests.runtime.harness import body, f32, session_of

PREFIX = """prim_func @prefix(
  A: Buffer[(n, m), float32], B: Buffer[(m,), float32], C: Buffer[(n, m), float32], k: int64,
) {
  for i, j in grid(n, m) { C[i, j] = A[i, j] * B[j] + cast(k, float32); }
}"""
TEXT = body(
    "let r = call_tir(@prefix, (x, y), shape(n * 2 + 1)) -> Tensor[(n, m), float32]; r",
    "x: Tensor[(n, m), float32], y: Tensor[(m,), float32]",
    PREFIX,
)


def arguments(n: int, m: int) -> tuple[np.ndarray, np.ndarray]:
    return f32(n, m), f32(m)


def expected(n: int, m: int) -> np.ndarray:
    return f32(n, m) * f32(m) + np.float32(2 * n + 1)


def test_calls_in_a_range_run_what_was_used_last_and_others_look_for_it() -> None:
    looked: list[tuple[object, ...]] = []
    code = range_call(2, 1, ["(d0 + d1)"], lambda *given: looked.append(given))
    assert code.call(1, 2, "a") is None
    code.use((1, 2), (5, 6), lambda *given: given)
    assert [code.call(*ends, "b") for ends in ((1, 2), (5, 6), (3, 4))] == [("b", 3), ("b", 11), ("b", 7)]
    for outside in ((0, 2), (6, 2), (1, 1), (1, 7)):
        assert code.call(*outside, "c") is None
    code.use((6, 2), (7, 2), lambda *given: given[::-1])
    assert code.call(6, 2, "d") == (8, "d")
    code.call(1, 2, "e")
    assert looked == [
        ((1, 2), "a"), ((0, 2), "c"), ((6, 2), "c"), ((1, 1), "c"), ((1, 7), "c"), ((1, 2), "e"),
    ]  # fmt: skip


def test_a_range_is_looked_for_once_while_sizes_stay_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    has = tir_sites.SizeRange.has

    def noted(one: Any, values: Any) -> bool:
        asked.append(values)
        return has(one, values)

    monkeypatch.setattr(tir_sites.SizeRange, "has", noted)
    session = session_of(TEXT, engine="compiled")
    for n in (9, 9, 9):
        assert np.array_equal(np.asarray(session.run("main", arguments(n, 4))), expected(n, 4))
    asked.clear()
    for n in (8, 9, 11, 10, 7, 12):
        assert np.array_equal(np.asarray(session.run("main", arguments(n, 4))), expected(n, 4))
    assert asked == []
    for n in (900, 900, 900, 10, 900, 2, 10):
        assert np.array_equal(np.asarray(session.run("main", arguments(n, 4))), expected(n, 4))
    assert asked


def test_threads_that_use_other_ranges_do_not_meet() -> None:
    session = session_of(TEXT, engine="compiled")
    for n in (10, 10, 10, 900, 900, 900):
        session.run("main", arguments(n, 4))
    wrong: list[int] = []
    together = Barrier(2)

    def calls(first: int) -> None:
        together.wait()
        sizes = [n % 97 + first for n in range(300)]
        found = [np.asarray(session.run("main", arguments(n, 4))) for n in sizes]
        wrong.extend(
            [n for n, one in zip(sizes, found, strict=True) if not np.array_equal(one, expected(n, 4))]
        )

    threads = [Thread(target=calls, args=(first,)) for first in (2, 800)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert wrong == []
