"""Depth, memory and failures of running programs: X.11, X.O5, RUN.4, RUN.5, OP.9."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from tests.runtime.harness import (
    body,
    diagnostic_of,
    f32,
    failure_of,
    i32,
    run_text,
    session_of,
    text_at,
)

# Depth.


DEEP = """
def @down(i: Tensor[(), int32]) -> Tensor[(), int32] { if i == 0 { 0 } else { @down(i - 1) } }
def @main(i: Tensor[(), int32]) -> Tensor[(), int32] { @down(i) }
"""


def test_X_11_recursion_is_not_bounded_by_pythons_stack() -> None:
    assert run_text(DEEP, i32(20_000)) == 0


@pytest.mark.slow
def test_X_11_a_hundred_thousand_calls() -> None:
    assert run_text(DEEP, i32(100_000)) == 0


def test_X_11_recursion_limit() -> None:
    diagnostic = diagnostic_of(DEEP, i32(500), max_calls=100)
    assert (diagnostic.slug, diagnostic.message) == ("recursion-limit", "recursion deeper than 100")
    assert text_at(DEEP, diagnostic) == "@down(i - 1)"
    assert "called from @down at line 2 (98 times)" in diagnostic.notes
    assert diagnostic.notes[-1] == "called from @main at line 3"
    assert run_text(DEEP, i32(98), max_calls=100) == 0


def test_X_11_deeply_nested_values_are_values() -> None:
    text = """
    def @nest(i: Tensor[(), int32], t: Object) -> Object { if i == 0 { t } else { @nest(i - 1, (t,)) } }
    def @main(i: Tensor[(), int32]) { @nest(i, ()) }
    """
    value, depth = run_text(text, i32(5_000)), 0
    while value:
        value, depth = value[0], depth + 1
    assert depth == 5_000


def test_X_11_deeply_nested_values_are_printed() -> None:
    text = """
    def @nest(i: Tensor[(), int32], t: Object) -> Object { if i == 0 { t } else { @nest(i - 1, (t,)) } }
    def @main(i: Tensor[(), int32]) { print(@nest(i, ())) }
    """
    written: list[str] = []
    assert run_text(text, i32(100_000), write=written.append) == ()
    assert written == ["(" * 100_001 + ")" * 100_001 + "\n"]


def test_X_11_deeply_nested_values_are_checked() -> None:
    # Values as deep as this need more than Python's own limit, which is back afterwards.
    info = "(" * 400 + "()" + ",)" * 400
    text = f"""
    def @nest(i: Tensor[(), int32], t: Object) -> Object {{ if i == 0 {{ t }} else {{ @nest(i - 1, (t,)) }} }}
    def @main(i: Tensor[(), int32]) {{ let t = match_cast(@nest(i, ()), {info}); t }}
    """
    session = session_of(text)
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(300)
    try:
        assert session.call("main", [i32(400)])
        assert sys.getrecursionlimit() == 300
    finally:
        sys.setrecursionlimit(before)


def test_X_11_code_of_the_host_keeps_its_own_limit() -> None:
    limits: list[int] = []
    before = sys.getrecursionlimit()
    run_text(body('extern "f"()'), packed={"f": lambda: limits.append(sys.getrecursionlimit())})
    assert limits == [before]
    assert sys.getrecursionlimit() == before


# Memory.


@pytest.mark.parametrize(
    "expression",
    [
        "zeros(shape(n, n), dtype=float32)",
        "ones(shape(n, n), dtype=float32)",
        "full(shape(n, n), 1.0)",
        "broadcast_to(x, shape(n, n))",
        "arange(0, n * n)",
        "eye(n, dtype=float32)",
        "add(expand_dims(x, axis=0), expand_dims(x, axis=1))",
        "matmul(expand_dims(x, axis=1), expand_dims(x, axis=0))",
        "outer(x, x)",
        "tile(x, repeats=[2000])",
        "repeat(x, repeats=2000, axis=0)",
        "nn.pad(x, pad_width=[0, 1000000])",
        "one_hot(const([1, 2]), 1.0, 0.0, depth=1000000)",
        "image.resize2d(reshape(x, shape(1, 1, n, 1)), shape(n, n))",
        'image.resize2d(reshape(x, shape(1, n, 1, 1)), shape(n, n), layout="NHWC")',
        "image.resize3d(reshape(x, shape(1, 1, n, 1, 1)), shape(n, n, n))",
        "image.affine_grid(zeros(shape(1, 2, 3), dtype=float32), shape(n, n))",
        "nn.adaptive_avg_pool2d(reshape(x, shape(1, 1, n, 1)), output_size=[10000])",
        "nn.conv2d(reshape(x, shape(1, 1, n, 1)), zeros(shape(1, 1, 1, 1), dtype=float32), padding=[10000])",
        "nn.max_pool1d(reshape(x, shape(1, 1, n)), pool_size=[3], padding=[0, 1000000])",
        'call_dps_packed(extern "f", ()) -> Tensor[(n, n), float32]',
        'const(file("big.npy"))',
    ],
)
def test_X_O5_out_of_memory(expression: str) -> None:
    text = body(expression, "x: Tensor[(n,), float32]")
    diagnostic = diagnostic_of(
        text,
        f32(1000),
        max_bytes=1 << 20,
        packed={"f": print},
        load_constant=lambda _path, _key: np.zeros((1000, 1000), np.float32),
    )
    assert diagnostic.slug == "out-of-memory"
    assert diagnostic.message.startswith("cannot allocate ")
    assert diagnostic.notes[0] == "the limit is 1048576 bytes for one tensor"


@pytest.mark.parametrize(
    ("statements", "name"),
    [
        ("let big = zeros(shape(n, n), dtype=float32); let y = sum(big); y", "big"),
        ("let big = match_cast(zeros(shape(n, n), dtype=float32), Tensor[(m, k), float32]); big", "big"),
        ("dataflow { let y = zeros(shape(n, n), dtype=float32); output y; } y", "y"),
    ],
)
def test_X_O5_the_binding_is_named(statements: str, name: str) -> None:
    text = body(statements, "x: Tensor[(n,), float32]")
    diagnostic = diagnostic_of(text, f32(1000), max_bytes=1 << 20)
    assert diagnostic.message == f"cannot allocate 4000000 bytes for `{name}`"


def test_X_O5_what_fits_is_allocated() -> None:
    assert run_text(
        body("zeros(shape(n, n), dtype=float32)", "x: Tensor[(n,), float32]"), f32(100)
    ).shape == (100, 100)


def test_X_O5_huge_sizes_are_refused_without_a_traceback() -> None:
    text = body("zeros(shape(9223372036854775807, 2), dtype=float32)")
    assert failure_of(text).slug == "out-of-memory"


# Failures and their places.


def test_RUN_5_chain_of_calls() -> None:
    text = """def @main(x: Object) {
  @outer(x)
}
def @outer(x: Object) {
  let f = fn (y: Object) {
    match_cast(y, Shape);
    ()
  };
  f(x)
}
"""
    diagnostic = diagnostic_of(text, f32(1))
    assert diagnostic.slug == "match-cast-failed"
    assert diagnostic.notes == ["called from @outer at line 9", "called from @main at line 2"]


def test_RUN_5_failures_in_a_prim_func() -> None:
    text = """prim_func @check(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
  for i in 0..n {
    assert X[i] > 0.0, "not positive";
    Y[i] = X[i];
  }
}
def @main(x: Tensor[(n,), float32]) {
  call_tir(@check, (x,)) -> Tensor[(n,), float32]
}
"""
    diagnostic = diagnostic_of(text, f32(2) - 1)
    assert (diagnostic.slug, diagnostic.message) == ("assertion-failed", "not positive")
    assert text_at(text, diagnostic).startswith("assert X[i] > 0.0")
    assert diagnostic.notes == ["shape variables: n = 2", "called from @main at line 8"]


def test_OP_9_operators_fail_at_their_call() -> None:
    text = body("let y = add(a, b); y", "a: Tensor, b: Tensor")
    diagnostic = diagnostic_of(text, f32(2), f32(3))
    assert diagnostic.slug == "op-runtime-shape"
    assert "add(a, b)" in text_at(text, diagnostic)
    assert (
        failure_of(body("floor_divide(a, b)", "a: Tensor, b: Tensor"), i32(1), i32(0)).slug
        == "op-runtime-value"
    )


def test_OP_9_floats_are_silent() -> None:
    assert np.isinf(run_text(body("divide(a, b)", "a: Tensor, b: Tensor"), f32(1) + 1, f32(1))).all()


def test_RUN_4_effects_before_a_failure_stay() -> None:
    written: list[str] = []
    text = body("print(1); match_cast(u, Shape); print(2); ()", "u: Object")
    failure_of(text, f32(1), write=written.append)
    assert written == ["1\n"]


def test_a_session_can_be_called_often() -> None:
    session = session_of(body("add(x, const(1))", "x: Tensor"))
    assert [int(session.call("main", [i32(i)])) for i in range(3)] == [1, 2, 3]  # type: ignore[call-overload]
