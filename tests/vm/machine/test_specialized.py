"""Lowered functions in the form for arguments of certain dtypes and shapes: what storages hold is what they held."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import pytest

from relax_lang import api, transform
from relax_lang.runtime.session import Session
from relax_lang.typed import text_of
from relax_lang.values import RunFailure
from relax_lang.vm.machine.decoded import Decoded
from relax_lang.vm.machine.linked import MODES
from relax_lang.vm.machine.virtual_machine import session_of
from tests.runtime.compiler.random_host import plain
from tests.runtime.compiler.test_same_meaning import described
from tests.transform.same_meaning.outcomes import outcome, same, sound_program
from tests.transform.same_meaning.random_networks import Network

CALLS = 4
"""The second call is recorded, those after it run the form."""
CHAIN = """
def @main(x: Tensor[(n,), float32]) {
  let a = add(x, x);
  let b = multiply(a, x);
  let c = exp(b);
  let d = subtract(c, a);
  d
}
"""
FUNCS = """
prim_func @double(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
  for i in 0..n { Y[i] = X[i] * 2.0; }
}
prim_func @first(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
  for i in 0..n / 2 { Y[i] = X[i]; }
}
prim_func @increase(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
  for i in 0..n { Y[i] = Y[i] + X[i]; }
}
prim_func @divide(X: Buffer[(n,), int32], Y: Buffer[(n,), int32]) {
  for i in 0..n { Y[i] = 12 // X[i]; }
}
"""


def called(session: Session, *arguments: Any) -> object:
    try:
        return plain(session.call("main", [one.copy() for one in arguments]))
    except RunFailure as failure:
        return described(failure, session)


def form_of(session: Session) -> Decoded | None:
    """Return a form that calls ran."""
    machine: Any = getattr(session, "_machine")  # noqa: B009
    for decoded in machine.activate._decoded.values():
        for form in decoded.form_for.__self__._forms.values() if decoded.form_for is not None else ():
            if form is not None:
                return form
    return None


def agrees(text: str, *arguments: Any, forms: bool = True) -> int:
    """Run a lowered program on the interpreter, the engine and the machine; return how many steps the form has."""
    expected = called(api.start(text, engine="interpreter"), *arguments)
    steps = 0
    for mode in MODES:
        session = session_of(api.build(text), mode=mode)
        for _ in range(CALLS):
            assert called(session, *arguments) == expected
        form = form_of(session)
        assert (form is not None) == forms
        steps = len(form.steps) if form is not None else 0
    engine = api.start(text)
    for _ in range(CALLS):
        assert called(engine, *arguments) == expected
    return steps


def test_calls_make_what_storages_held() -> None:
    lowered = api.optimize(CHAIN, pipeline="build")
    assert (
        agrees(text_of(lowered.module), np.array([1, 2, 3], np.float32)) == 6
    )  # sizes, four calls, the result


def test_each_size_has_its_form() -> None:
    lowered, direct = api.optimize(CHAIN, pipeline="build"), api.start(CHAIN)
    for mode in MODES:
        session = session_of(api.build(lowered), mode=mode)
        for _ in range(4):
            for size in range(12):
                x = np.linspace(0, 1, size, dtype=np.float32)
                found: Any = session.call("main", [x])
                expected: Any = direct.call("main", [x])
                assert np.allclose(found, expected)


def body(*lines: str, params: str = "x: Tensor[(4,), float32]") -> str:
    return "\n".join([FUNCS, f"impure def @main({params}) {{", *lines, "}"])


X = np.array([1, 2, 3, 4], np.float32)
STORAGE = "let s = memory.alloc_storage(shape({}), 0, dtype=uint8);"
PLACED = "let {} = memory.alloc_tensor(s, {}, shape(4), dtype=float32);"


def test_tensors_that_share_bytes_at_one_time_stay_in_their_storage() -> None:
    text = body(
        STORAGE.format(24),
        PLACED.format("a", 0),
        PLACED.format("b", 8),
        "@double(x, a);",
        "@double(x, b);",
        "(a, b)",
    )
    agrees(text, X)


def test_what_is_not_written_keeps_what_the_storage_has() -> None:
    parts = STORAGE.format(16), PLACED.format("a", 0), "@first(x, a);"
    agrees(body(*parts, "a"), X)
    after = PLACED.format("b", 0), "@first(x, b);"
    agrees(body(STORAGE.format(16), PLACED.format("a", 0), "@double(x, a);", *after, "b"), X)


def test_what_is_read_first_is_what_the_storage_has() -> None:
    agrees(body(STORAGE.format(16), PLACED.format("a", 0), "@double(x, a);", "@increase(x, a);", "a"), X)
    agrees(body(STORAGE.format(16), PLACED.format("a", 0), "@increase(x, a);", "a"), X)


def test_a_call_over_its_own_argument() -> None:
    agrees(body(STORAGE.format(16), PLACED.format("a", 0), "@double(x, a);", "@double(a, a);", "a"), X)
    again = (
        STORAGE.format(16),
        PLACED.format("a", 0),
        "@double(x, a);",
        PLACED.format("b", 0),
        "@double(a, b);",
    )
    agrees(body(*again, "b"), X)


def test_a_tuple_that_is_made_before_its_field_is_written() -> None:
    text = body(STORAGE.format(16), PLACED.format("a", 0), "let t = (a, x);", "@double(x, a);", "t")
    agrees(text, X)


def test_a_tuple_keeps_what_it_holds() -> None:
    parts = STORAGE.format(16), PLACED.format("a", 0), "@double(x, a);", "let t = (a, x);"
    agrees(
        body(*parts, PLACED.format("b", 0), "@double(a, b);", PLACED.format("c", 0), "@increase(x, c);", "t"),
        X,
    )


def test_arguments_that_are_written() -> None:
    text = body(STORAGE.format(16), PLACED.format("a", 0), "@double(x, a);", "@increase(a, x);", "(a, x)")
    agrees(text, X)


def test_failures_are_the_same() -> None:
    placed = "let a = memory.alloc_tensor(s, 0, shape(4), dtype=int32);"
    text = body(STORAGE.format(16), placed, "@divide(x, a);", "a", params="x: Tensor[(4,), int32]")
    session = session_of(api.build(text))
    fine, wrong = np.array([1, 2, 3, 4], np.int32), np.array([1, 0, 3, 4], np.int32)
    for _ in range(CALLS):
        assert called(session, fine) == plain(np.array([12, 6, 4, 3], np.int32))
    assert called(session, wrong) == called(api.start(text, engine="interpreter"), wrong)


@pytest.mark.parametrize("last", ['print(a, format="{}");', "let b = abs(a);", "let c = size(a);"])
def test_functions_that_do_something_else_have_no_forms(last: str) -> None:
    agrees(body(STORAGE.format(16), PLACED.format("a", 0), "@double(x, a);", last, "a"), X, forms=False)


def hold(seed: int) -> int:
    """Hold a lowered network against itself in the interpreter; return how many forms there were."""
    made = sound_program(seed, Network)
    if made is None:
        return 0
    program, typed = made
    lowered = transform.pipeline("build")(typed)
    expected, _ = outcome(program, lowered)
    forms = 0
    for mode in MODES:
        session = session_of(api.build(lowered), mode=mode)
        for _ in range(CALLS):
            found = result(session, program.arguments())
            assert same((expected, ()), (found, ())), f"seed {seed}, {mode}"
        forms += form_of(session) is not None
    return forms


OVER = """
def @main(x: Tensor[(n,), float32], y: Tensor[(n,), float32]) {
  let a = add(x, y);
  let b = exp(a);
  let c = multiply(b, a);
  let d = subtract(c, y);
  let e = add(d, c);
  (negative(e), c)
}
"""


@pytest.mark.parametrize("n", [3, 20_000])
def test_X_O4_a_large_result_is_written_over_an_input_that_dies(n: int) -> None:
    text = text_of(api.optimize(OVER, pipeline="build").module)
    given = [np.linspace(-1, 1, n, dtype=np.float32), np.linspace(0, 1, n, dtype=np.float32)]
    expected = api.start(OVER).call("main", given)
    for mode in MODES:
        session = session_of(api.build(text), mode=mode)
        for _ in range(CALLS):
            found: Any = session.call("main", given)
            assert all(map(np.array_equal, found, expected))  # pyright: ignore[reportArgumentType] - tuples
        assert np.array_equal(given[0], np.linspace(-1, 1, n, dtype=np.float32))
        form = form_of(session)
        assert form is not None
        names = [getattr(step[1], "__qualname__", "") for step in form.steps]
        # `c`, `e` and its negative; `a` is needed once more when `b` is made, and `c` is a result, which stays.
        assert names.count("written_over.<locals>.overwrite") == (3 if n > 3 else 0)


def result(session: Session, arguments: list[Any]) -> object:
    try:
        return "value", plain(session.call("main", arguments))
    except RunFailure as failure:
        return failure.slug


def test_random_networks() -> None:
    assert sum([hold(seed) for seed in range(50_000, 50_004)])


@pytest.mark.slow
@pytest.mark.skipif("RELAX_NIGHTLY" not in os.environ, reason="takes an hour; set RELAX_NIGHTLY=1")
def test_many_random_networks() -> None:
    for seed in range(60_000, 62_000):
        hold(seed)
