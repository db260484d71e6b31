"""Results of `call_tir` that share memory with arguments: nothing can see it. [X.9.1] [X.O4]"""

from __future__ import annotations

import os
import random
import tracemalloc

import numpy as np
import pytest

from relax_lang.tir import planned
from relax_lang.tir.options import threads
from tests.runtime.harness import body, f32, session_of

PRIMS = """
prim_func @turn(X: Buffer[(n, m), float32], Y: Buffer[(m, n), float32]) {
  for i, j in grid(m, n) { Y[i, j] = X[j, i]; }
}
prim_func @flat(X: Buffer[(n, m), float32], Y: Buffer[(n * m,), float32]) {
  for i in 0..n * m { Y[i] = X[i // m, i % m]; }
}
prim_func @rows(X: Buffer[(n * m,), float32], Y: Buffer[(n, m), float32]) {
  for i, j in grid(n, m) { Y[i, j] = X[i * m + j]; }
}
prim_func @plus(X: Buffer[(n, m), float32], Z: Buffer[(n, m), float32], Y: Buffer[(n, m), float32]) {
  for i, j in grid(n, m) { Y[i, j] = X[i, j] + Z[i, j]; }
}
prim_func @scaled(X: Buffer[(n, m), float32], Y: Buffer[(n, m), float32]) {
  for i, j in grid(n, m) { Y[i, j] = max(X[i, j] * 0.5, -3.0); }
}
prim_func @halves(X: Buffer[(n, 2 * m), float32], Y: Buffer[(n, m), float32], Z: Buffer[(n, m), float32]) {
  for i, j in grid(n, m) { Y[i, j] = X[i, j]; }
  for i, j in grid(n, m) { Z[i, j] = X[i, j + m]; }
}
prim_func @around(X: Buffer[(n, m), float32], Y: Buffer[(n, m), float32]) {
  for i, j in grid(n, m) { Y[i, j] = X[i, (j + 1) % m] + X[i, j]; }
}
prim_func @fill(X: Buffer[(n, m), float32]) {
  for i, j in grid(n, m) { X[i, j] = 7.0; }
}
"""
KINDS = (
    "turn",
    "flat",
    "plus",
    "plus",
    "scaled",
    "around",
    "halves",
    "nn.relu",
    "add",
    "fill",
    "permute_dims",
)


def random_statements(seed: int) -> str:
    """Return statements of a function of two tensors, and its result: matrices of 4 by 6, and turned ones."""
    draw = random.Random(seed)
    straight, turned = ["x", "y"], list[str]()
    lines: list[str] = []

    def add(line: str, name: str, *, is_turned: bool = False) -> None:
        lines.append(f"let {name} = {line};")
        (turned if is_turned else straight).append(name)

    for at in range(draw.randint(3, 10)):
        names, is_turned = (turned, True) if turned and draw.random() < 0.3 else (straight, False)
        one, other = draw.choice(names[-4:]), draw.choice(names)
        rows, columns = ("m", "n") if is_turned else ("n", "m")
        shape = f"Tensor[({rows}, {columns}), float32]"
        name, kind = f"v{at}", draw.choice(KINDS)
        if kind == "turn":
            add(
                f"call_tir(@turn, ({one},)) -> Tensor[({columns}, {rows}), float32]",
                name,
                is_turned=not is_turned,
            )
        elif kind == "permute_dims":
            add(f"permute_dims({one})", name, is_turned=not is_turned)
        elif kind == "flat":
            lines.append(
                f"let {name}f = call_tir(@flat, ({one},)) -> Tensor[({rows} * {columns},), float32];"
            )
            add(f"call_tir(@rows, ({name}f,)) -> {shape}", name, is_turned=is_turned)
        elif kind == "plus":
            add(f"call_tir(@plus, ({one}, {other})) -> {shape}", name, is_turned=is_turned)
        elif kind in ("scaled", "around"):
            add(f"call_tir(@{kind}, ({one},)) -> {shape}", name, is_turned=is_turned)
        elif kind == "halves":
            lines.append(f"let {name}c = concat(({one}, {other}), axis=1);")
            lines.append(f"let {name}p = call_tir(@halves, ({name}c,)) -> ({shape}, {shape});")
            add(f"{name}p[{draw.randint(0, 1)}]", name, is_turned=is_turned)
        elif kind == "fill":
            if draw.random() < 0.3:
                lines.append(f"@fill({one});")
        elif kind == "add":
            add(f"{one} + {other}", name, is_turned=is_turned)
        else:
            add(f"nn.relu({one})", name, is_turned=is_turned)
    results = [draw.choice([*straight[-2:], *turned[-2:]]) for _ in range(draw.randint(1, 3))]
    lines.append(results[0] if len(results) == 1 else f"({', '.join(results)})")
    return "\n  ".join(lines)


def outcome(text: str, engine: str, **options: object) -> list[str]:
    """Call a function several times; return values, arguments afterwards, and what writing into a result changes."""
    session = session_of(text, engine=engine, **options)
    found: list[str] = []
    for _ in range(4):
        args = [f32(4, 6) - 9, f32(4, 6) * 2]
        made = session.call("main", args)
        values = made if isinstance(made, tuple) else (made,)
        assert all(isinstance(value, np.ndarray) for value in values)
        found.append(repr([value.tolist() for value in values]))
        values[0][...] = 5.0
        found.append(repr([value.tolist() for value in (*values, *args)]))
    return found


def check(seed: int, count: int = 1) -> None:
    text = body(random_statements(seed), "x: Tensor[(n, m), float32], y: Tensor[(n, m), float32]", PRIMS)
    assert outcome(text, "compiled", threads=count) == outcome(text, "interpreter"), f"seed {seed}\n{text}"


@pytest.mark.parametrize("first", range(0, 30, 10))
@pytest.mark.usefixtures("single_rows")
def test_random_chains_row_by_row(monkeypatch: pytest.MonkeyPatch, first: int) -> None:
    monkeypatch.setattr(planned, "LARGE", 0)
    for seed in range(first, first + 10):
        check(seed)


@pytest.mark.parametrize("first", range(0, 60, 10))
def test_random_chains_mean_what_the_interpreter_says(monkeypatch: pytest.MonkeyPatch, first: int) -> None:
    monkeypatch.setattr(planned, "LARGE", 0)
    for seed in range(first, first + 10):
        check(seed)


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_random_chains_on_several_threads(monkeypatch: pytest.MonkeyPatch, first: int) -> None:
    monkeypatch.setattr(planned, "LARGE", 0)
    monkeypatch.setattr(threads, "_WORTH", 0)
    for seed in range(first, first + 10):
        check(seed, 3)


@pytest.mark.slow
@pytest.mark.skipif("RELAX_NIGHTLY" not in os.environ, reason="takes minutes; set RELAX_NIGHTLY=1")
def test_many_random_chains(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planned, "LARGE", 0)
    for seed in range(1000, 6000):
        check(seed)


def test_a_chain_of_views_and_sums_makes_one_array() -> None:
    session = session_of(
        body(
            """let a = call_tir(@turn, (x,)) -> Tensor[(m, n), float32];
  let b = call_tir(@turn, (a,)) -> Tensor[(n, m), float32];
  let c = call_tir(@scaled, (b,)) -> Tensor[(n, m), float32];
  let d = call_tir(@scaled, (c,)) -> Tensor[(n, m), float32];
  call_tir(@plus, (d, y)) -> Tensor[(n, m), float32]""",
            "x: Tensor[(n, m), float32], y: Tensor[(n, m), float32]",
            PRIMS,
        ),
        engine="compiled",
    )
    x, y = f32(200, 300), f32(200, 300)
    session.call("main", [x, y])
    session.call("main", [x, y])
    tracemalloc.start()
    found = session.call("main", [x, y])
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert np.asarray(found).tolist() == (x * 0.25 + y).tolist()
    assert most < 1.5 * x.nbytes
