"""`call_tir` again and again: checked, planned and run directly, it means what the interpreter says. [O.1-O.7]"""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from relax_lang import api
from relax_lang.analysis import effects
from relax_lang.base.node import Node
from relax_lang.runtime.compiler.tir_sites import Settling
from relax_lang.syntax import tree
from relax_lang.values import RunFailure
from tests.runtime.harness import body, f32, session_of

PRIMS = """
prim_func @relu(X: Buffer[(n, m), float32], Y: Buffer[(n, m), float32]) {
  for i, j in grid(n, m) { Y[i, j] = max(X[i, j], 0.0); }
}
prim_func @two(X: Buffer[(n,), float32], A: Buffer[(n,), float32], B: Buffer[(), float32]) {
  for i in 0..n { A[i] = X[i] + 1.0; }
  B[()] = 7.0;
}
prim_func @scale(X: Buffer[(n,), int64], Y: Buffer[(n,), int64], k: int64) {
  for i in 0..n { Y[i] = X[i] * k; }
}
prim_func @half(X: Buffer[(n * 2,), float32], Y: Buffer[(n,), float32]) {
  for i in 0..n { Y[i] = X[i] + X[i + n]; }
}
prim_func @pick(X: Buffer[(n,), float32], I: Buffer[(m,), int64], Y: Buffer[(m,), float32]) {
  for i in 0..m { Y[i] = X[I[i]]; }
}
prim_func @bump(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
  for i in 0..n { X[i] += 1.0; Y[i] = X[i]; }
}
prim_func @divide(X: Buffer[(n,), int64], Y: Buffer[(n,), int64]) {
  for i in 0..n { Y[i] = 12 // X[i]; }
}
prim_func @iota(Y: Buffer[(n,), float32]) { for i in 0..n { Y[i] = cast(i, float32); } }
"""
I64 = np.int64


def outcomes(text: str, calls: list[tuple[object, ...]], engine: str, **options: object) -> list[str]:
    """Run one function several times; return the values, or what went wrong, with all arguments afterwards."""
    session = session_of(text, engine=engine, **options)
    found: list[str] = []
    for given in calls:
        args = [value.copy() if isinstance(value, np.ndarray) else value for value in given]
        try:
            with np.errstate(all="raise"):
                found.append(repr(session.call("main", args)))
        except RunFailure as failure:
            found.append(f"{session.diagnose(failure)!r} {failure.facts.get('shape_vars')}")
        found.append(repr(args))
    return found


def same_on_both(statements: str, params: str, *calls: tuple[object, ...], **options: object) -> list[str]:
    """Run the same calls three times over on both engines, in one session each."""
    text = body(statements, params, PRIMS)
    wanted = outcomes(text, [*calls] * 3, "interpreter", **options)
    assert outcomes(text, [*calls] * 3, "compiled", **options) == wanted
    return wanted


CERTAIN = {
    "relu": (
        "call_tir(@relu, (x,)) -> Tensor[(2, 3), float32]",
        "x: Tensor[(2, 3), float32]",
        [(f32(2, 3) - 2,), (1 - f32(2, 3),)]),
    "symbolic": (
        "call_tir(@relu, (x,)) -> Tensor[(n, m), float32]",
        "x: Tensor[(n, m), float32]",
        [(f32(2, 3) - 2,), (f32(1, 4),), (f32(0, 3),), (f32(2, 3),)],
    ),
    "several": (
        "call_tir(@two, (x,)) -> (Tensor[(n,), float32], Tensor[(), float32])",
        "x: Tensor[(n,), float32]",
        [(f32(3),), (f32(4),)],
    ),
    "tuple of one": (
        "call_tir(@half, (x,)) -> (Tensor[(2,), float32],)", "x: Tensor[(4,), float32]", [(f32(4),), (-f32(4),)],
    ),
    "scalars": (
        "call_tir(@scale, (x,), shape(n)) -> Tensor[(n,), int64]",
        "x: Tensor[(n,), int64]",
        [(np.arange(3),), (np.arange(5),)],
    ),
    "half": (
        "call_tir(@half, (x,)) -> Tensor[(n // 2,), float32]",
        "x: Tensor[(n,), float32]",
        [(f32(4),), (f32(6),), (f32(5),)]),
    "index": (
        "call_tir(@pick, (x, i)) -> Tensor[(2,), float32]",
        "x: Tensor[(4,), float32], i: Tensor[(2,), int64]",
        [(f32(4), np.array([1, 2], I64)), (f32(4), np.array([1, 4], I64)), (f32(4), np.array([3, 0], I64))],
    ),
    "zero": (
        "call_tir(@divide, (x,)) -> Tensor[(2,), int64]",
        "x: Tensor[(2,), int64]",
        [(np.array([2, 3], I64),), (np.array([2, 0], I64),), (np.array([5, 4], I64),)],
    ),
    "stores to its argument": (
        "call_tir(@bump, (x,)) -> Tensor[(3,), float32]", "x: Tensor[(3,), float32]", [(f32(3),), (f32(3),)]),
    "no arguments": ("call_tir(@iota, ()) -> Tensor[(4,), float32]", "", [()]),
    "a size of results alone": (
        "call_tir(@iota, ()) -> Tensor[(n,), float32]",
        "x: Tensor[(n,), float32]",
        [(f32(2),), (f32(3),)]),
    "in a branch": (
        "if c { call_tir(@relu, (x,)) -> Tensor[(2, 3), float32] } else { x }",
        "x: Tensor[(2, 3), float32], c: Tensor[(), bool]",
        [(f32(2, 3) - 2, np.array(True)), (f32(2, 3) - 2, np.array(False))],
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CERTAIN)
def test_calls_mean_the_same_every_time(name: str) -> None:
    statements, params, calls = CERTAIN[name]
    same_on_both(statements, params, *calls)


def test_what_is_larger_than_the_limit_is_refused_every_time() -> None:
    found = same_on_both(
        "call_tir(@iota, ()) -> Tensor[(n * 100000,), float32]",
        "x: Tensor[(n,), float32]",
        (f32(1),),
        (f32(3),),
        max_bytes=1 << 20,
    )
    assert "out-of-memory" in found[2]


def test_a_result_is_new_every_time() -> None:
    text = body("call_tir(@relu, (x,)) -> Tensor[(2, 3), float32]", "x: Tensor[(2, 3), float32]", PRIMS)
    session, x = session_of(text), f32(2, 3)
    results = [session.call("main", [x]) for _ in range(4)]
    assert len({id(result) for result in results}) == 4
    assert not [one for one in results if np.may_share_memory(one, x)]


def test_other_dtypes_and_layouts_are_checked_as_before() -> None:
    text = body("call_tir(@relu, (x,)) -> Tensor[(2, 3), float32]", "x: Object", PRIMS)
    session = session_of(text)
    for _ in range(3):
        assert session.call("main", [f32(3, 2).T]).tolist() == f32(3, 2).T.tolist()
        with pytest.raises(RunFailure):
            session.call("main", [f32(2, 3).astype(np.float64)])
        with pytest.raises(RunFailure):
            session.call("main", [f32(2, 3).astype(">f4")])


def test_packed_functions_may_change_what_is_certain() -> None:
    text = body(
        """let y = call_tir(@relu, (x,)) -> Tensor[(2, 3), float32];
  let _ = extern "turn"(x);
  call_tir(@relu, (x,)) -> Tensor[(3, 2), float32]""",
        "x: Tensor[(2, 3), float32]",
        PRIMS,
    )

    def turn(x: np.ndarray) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # NumPy advises against it, and still does it
            x.shape = (3, 2)

    session = session_of(text, packed={"turn": turn})
    for _ in range(4):
        assert session.call("main", [f32(2, 3)]).shape == (3, 2)


def test_a_stub_makes_way() -> None:
    found: list[object] = []
    stub = Settling(lambda x: x + 1)
    stub.replace = found.append
    assert stub(1) == 2
    stub.settle(abs)
    assert (stub(-3), found) == (3, [abs])


def test_a_prim_func_is_looked_through_once_however_many_calls_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[Node] = []
    real = effects.walk
    monkeypatch.setattr(effects, "walk", lambda node: (seen.append(node), real(node))[1])
    lines = "\n".join(["  let x = call_tir(@relu, (x,)) -> Tensor[(3,), float32];"] * 5)
    checked = api.check_sound(
        "prim_func @relu(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {\n"
        "  for i in 0..n { Y[i] = max(X[i], 0.0); }\n}\n"
        f"def @main(x: Tensor[(3,), float32]) {{\n{lines}\n  x\n}}\n"
    )
    assert np.array_equal(np.asarray(api.start(checked).run("main", [[1.0, -2.0, 3.0]])), [1.0, 0.0, 3.0])
    assert len(seen) == len(set(seen))
    (func,) = set(seen)
    assert isinstance(func, tree.PrimFunc)
    assert effects.stored_to(func) == {"Y"}
    assert not effects.calls_out(func)
