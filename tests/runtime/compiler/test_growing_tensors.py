"""Calls of one function whose tensors have other sizes each time: the same values, the same errors. [X.O1] [X.O4]"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from benchmarks.by_hand.decoder import decoder, step
from relax_lang.runtime.session import Session
from relax_lang.values import RunFailure
from tests.runtime.compiler.random_host import plain
from tests.runtime.harness import body, f32, session_of

OPERATORS = body(
    "let both = concat((x, y), axis=0); let flat = reshape(both, shape(n + m, 2, 2)); "
    "let turned = permute_dims(flat, axes=[1, 0, 2]); let s = nn.softmax(turned, axis=-1); "
    "let p = matmul(turned, permute_dims(s, axes=[0, 2, 1])); (s, p, matmul(x, w))",
    "x: Tensor[(n, 4), float32], y: Tensor[(m, 4), float32], w: Tensor[(k, j), float32]",
)


def outcome(session: Session, arguments: tuple[Any, ...]) -> object:
    try:
        return plain(session.run("main", arguments))
    except RunFailure as failure:
        place = None if failure.node is None else failure.node.pos
        return failure.slug, failure.message, place, plain(failure.facts.get("operator"))


def test_operators_do_the_same_at_every_size() -> None:
    compiled, interpreter = [session_of(OPERATORS, engine=one) for one in ("compiled", "interpreter")]
    failed = 0
    for n, m, k in [(3, 2, 4), (0, 0, 4), (1, 0, 4), (0, 5, 4), (2, 2, 3), (7, 1, 4), (2, 2, 0), (40, 3, 4)]:
        arguments = f32(n, 4), f32(m, 4), f32(k, 3)
        expected = outcome(interpreter, arguments)
        for _ in range(2):
            assert outcome(compiled, arguments) == expected
        failed += k != 4
    assert failed == 2


@pytest.mark.parametrize(
    "statement",
    [
        "let a = reshape(x, shape(n + 1, 4)); a",
        "let a = reshape(x, shape(n * 4611686018427387904 * 4, 4)); a",  # wraps around to 0
        "let a = reshape(x, shape(n * 3 + n, 1)); a",
        "let a = reshape(x, shape(n * (5 - 1))); a",
        "let a = reshape(x, shape(n - 5, 4)); a",
    ],
)
def test_sizes_that_are_worked_out(statement: str) -> None:
    text = body(statement, "x: Tensor[(n, 4), float32]")
    compiled, interpreter = [session_of(text, engine=one) for one in ("compiled", "interpreter")]
    for n in (0, 1, 3, 4, 8):
        assert outcome(compiled, (f32(n, 4),)) == outcome(interpreter, (f32(n, 4),))


def test_the_limit_of_memory_holds_at_every_size() -> None:
    text = body("matmul(x, y)", "x: Tensor[(n, k), float32], y: Tensor[(k, m), float32]")
    limits: dict[str, Any] = {"max_bytes": 1 << 16}
    compiled, interpreter = [session_of(text, engine=one, **limits) for one in ("compiled", "interpreter")]
    for shape in ((4, 4), (130, 1), (130, 0), (100, 1), (5, 300)):
        arguments = f32(*shape), f32(*shape[::-1])
        assert outcome(compiled, arguments) == outcome(interpreter, arguments)


def test_a_decoder_whose_keys_and_values_grow() -> None:
    session = session_of(decoder(16), engine="compiled")
    numbers = np.random.default_rng(3)
    weights = [np.asarray(numbers.standard_normal((16, 16)) / 8, np.float32) for _ in range(4)]
    x: Any
    keys: Any
    values: Any
    x = np.asarray(numbers.standard_normal((1, 16)), np.float32)
    keys = values = np.zeros((1, 16), np.float32)
    for rows in range(2, 280):
        again: Any = session.run("step", (x, keys, values, *weights))
        expected, *_ = step(x, keys, values, *weights)
        x, keys, values = again
        assert keys.shape == values.shape == (rows, 16)
        np.testing.assert_allclose(x, expected, rtol=1e-4, atol=1e-5)
