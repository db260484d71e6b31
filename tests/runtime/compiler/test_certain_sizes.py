"""Functions that are called again with the same sizes get a form in which these are numbers. [X.O1] [X.O4]"""

from __future__ import annotations

import os
import sys
from typing import Any

import numpy as np
import pytest

from relax_lang.runtime.calling import entry_point
from relax_lang.runtime.compiler import program, row_blocks
from relax_lang.runtime.interpreter.machine import Interrupted
from relax_lang.runtime.session import Session
from relax_lang.values import RunFailure
from tests.runtime.compiler.random_host import plain
from tests.runtime.compiler.row_blocks.test_row_blocks import PRIMS, X, random_program
from tests.runtime.harness import body, f32, session_of
from tests.transform.same_meaning.outcomes import after_passes, close, sound_program
from tests.transform.same_meaning.random_networks import Network

LAYER = body("let a = matmul(x, w); let b = nn.relu(a); b + x", f"{X}, w: Tensor[(4, 4), float32]")


@pytest.fixture
def forms(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """Have forms made at the second call; return those that were."""
    monkeypatch.setattr(entry_point, "_CALLS_BEFORE_A_FORM", 1)
    made: list[Any] = []
    compile_form = program.compile_form

    def noted(*given: Any) -> Any:
        made.append(compile_form(*given))
        return made[-1]

    monkeypatch.setattr(program, "compile_form", noted)
    return made


def same_values(text: str, *args: Any, calls: int = 4) -> None:
    """Call a function several times; the values are those of the interpreter, and the arguments stay as they are."""
    expected = plain(session_of(text, engine="interpreter").call("main", args))
    session = session_of(text, engine="compiled")
    given = plain(args)
    for _ in range(calls):
        assert close(plain(session.run("main", args)), expected), text
        assert plain(args) == given, text


def test_a_form_runs_from_then_on(forms: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    session = session_of(LAYER, engine="compiled")
    x, w = f32(3, 4), f32(4, 4)
    first = session.run("main", (x, w))
    assert not forms
    session.run("main", (x, w))
    (form,) = forms
    ran: list[object] = []

    def general(*_: object) -> object:
        ran.append(_)
        return None

    point = session._entry_points["main"]
    monkeypatch.setattr(point, "code", general)
    assert np.array_equal(np.asarray(session.run("main", (x, w))), np.asarray(first))
    assert not ran, "the function itself does not run"
    assert form.__code__.co_argcount == 2
    session.run("main", (f32(2, 4), w))
    assert ran, "other sizes have no form at their first call"


def test_calls_of_a_session_are_counted_too(forms: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """`Session.call` uses forms as `Session.run` does; what does not fit is reported by the function itself."""
    session, reference = session_of(LAYER, engine="compiled"), session_of(LAYER, engine="interpreter")
    x, w = f32(3, 4), f32(4, 4)
    expected = plain(reference.call("main", (x, w)))
    assert close(plain(session.call("main", (x, w))), expected)
    assert not forms
    for _ in range(2):
        assert close(plain(session.call("main", [x, w])), expected)
        assert len(forms) == 1
    monkeypatch.setattr(session._entry_points["main"], "code", None.__class__)
    assert close(plain(session.call("main", (x, w))), expected), "the form runs"
    session = session_of(LAYER, engine="compiled")
    for wrong in ((f32(3, 5), w), (x.astype(np.float64), w), (x,), (x, w, w)):
        session.call("main", (x, w))
        assert failed_call(session, wrong) == failed_call(reference, wrong)


def failed_call(session: Session, arguments: tuple[object, ...]) -> tuple[str, str]:
    with pytest.raises(RunFailure) as caught:
        session.call("main", arguments)
    return caught.value.slug, caught.value.message


def test_each_combination_of_sizes_has_its_own_up_to_a_limit(
    forms: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entry_point, "_MOST_FORMS", 3)
    session = session_of(LAYER, engine="compiled")
    w = f32(4, 4)
    reference = session_of(LAYER, engine="interpreter")
    for rows in (1, 0, 5, 7, 1):
        x = f32(rows, 4)
        for _ in range(3):
            found = np.asarray(session.run("main", (x, w)))
            assert np.array_equal(found, np.asarray(reference.call("main", (x, w))))
    assert len(forms) == 3


NUMBERS = body(
    "let s = x + full(shape(n, 4), 0.5); let r = reshape(s, shape(n * 4)); "
    "let t = reshape(r, shape(-1, 2)); concat((t, zeros(shape(max(n, 2), 2), dtype=float32)), axis=0)",
    X,
)


@pytest.mark.parametrize("rows", [0, 1, 2, 3])
def test_what_is_computed_of_sizes_is_a_number(forms: list[Any], rows: int) -> None:
    same_values(NUMBERS, f32(rows, 4))
    assert len(forms) == 1


def failure(session: Session, *args: object) -> tuple[object, ...]:
    with pytest.raises(RunFailure) as caught:
        session.run("main", args)
    failed = caught.value
    calls: Any = failed.facts["calls"]
    places = [(name, call.pos if call is not None else None) for name, call in calls]
    assert failed.node is not None
    return failed.slug, failed.message, failed.node.pos, failed.facts.get("shape_vars"), places


ROOTS = body(
    "let a = x + x; let b = call_tir(@rooted, (a,)) -> Tensor[(n, 4), float32]; b * b",
    X,
    PRIMS,
)


def test_failures_are_those_of_the_function(forms: list[Any]) -> None:
    good, bad = np.ones((3, 4), np.float32), np.ones((3, 4), np.float32)
    bad[1, 2] = -1
    expected = failure(session_of(ROOTS, engine="interpreter"), bad)
    session = session_of(ROOTS, engine="compiled")
    for _ in range(3):
        assert close(plain(session.run("main", (good,))), plain(2 * good))
    assert len(forms) == 1
    for _ in range(2):
        assert failure(session, bad) == expected
        assert close(plain(session.run("main", (good,))), plain(2 * good))


@pytest.mark.parametrize(
    "statements",
    [
        "let y = reshape(x, shape(n - 5, 1, 4)); y + y",  # -1 where it is computed is not a size to infer
        "let y = zeros(shape(4 // (n - 4)), dtype=float32); y",
    ],
)
def test_sizes_that_are_none_fail_every_time(forms: list[Any], statements: str) -> None:
    text = body(statements, X)
    x = f32(4, 4)
    expected = failure(session_of(text, engine="interpreter"), x)
    session = session_of(text, engine="compiled")
    for _ in range(3):
        assert failure(session, x) == expected
    assert not forms


@pytest.mark.parametrize(
    "text",
    [
        body("let _ = print(x); x + x", X),
        body("let f = fn (a: Tensor[(n, 4), float32]) { a + a }; f(x)", X),
        body("let y = if const(true) { x + x } else { x }; y", X),
        body("let y = call_tir_inplace(@relu, (x,), inplace_indices=[0]) -> Tensor[(n, 4), float32]; y", X)
        + "prim_func @relu(Y: Buffer[(n, 4), float32]) { for i, j in grid(n, 4) { Y[i, j] = 1.0; } }",
        body("@other(x)", X) + f"def @other({X}) {{ x + x }}",
    ],
)
def test_functions_that_do_more_have_no_form(forms: list[Any], text: str) -> None:
    told: list[str] = []
    session = session_of(text, engine="compiled", write=told.append)
    for _ in range(4):
        session.run("main", (f32(2, 4),))
    assert not forms
    assert len(told) in (0, 4)


def test_sizes_that_run_in_blocks_have_no_form(forms: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    text = body("let a = x * x; let b = nn.relu(a); b + x", X)
    session = session_of(text, engine="compiled")
    monkeypatch.setattr(row_blocks, "LARGE", 1 << 12)
    for rows in (4, 2048):
        for _ in range(3):
            session.run("main", (f32(rows, 4),))
    assert len(forms) == 1


def test_an_interrupt_of_a_form_is_one_of_the_function(monkeypatch: pytest.MonkeyPatch) -> None:
    def stopped(*_: object) -> object:
        raise KeyboardInterrupt

    def given(*_: object) -> object:
        return stopped

    monkeypatch.setattr(entry_point, "_CALLS_BEFORE_A_FORM", 1)
    monkeypatch.setattr(program, "compile_form", given)
    session = session_of(LAYER, engine="compiled")
    args = f32(2, 4), f32(4, 4)
    session.run("main", args)
    with pytest.raises(Interrupted) as caught:
        session.run("main", args)
    calls: Any = caught.value.failure.facts["calls"]
    assert [name for name, _ in calls] == ["@main"]


@pytest.mark.parametrize("way", ["run", "call"])
def test_a_form_that_ran_some_times_leaves_the_limit_of_recursion(
    forms: list[Any], monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    session = session_of(ROOTS, engine="compiled")
    good, bad = np.ones((3, 4), np.float32), np.ones((3, 4), np.float32)
    bad[1, 2] = -1
    run: Any = getattr(session, way)
    for _ in range(10):
        run("main", (good,))
    (fitting,) = session._entry_points["main"]._by_sizes.values()
    assert fitting.settled is forms[0]
    expected = failure(session_of(ROOTS, engine="interpreter"), bad)
    assert failure(session, bad) == expected
    limits: list[int] = []

    def noted(*_: object) -> str:
        limits.append(sys.getrecursionlimit())
        return "ran"

    def too_deep(*_: object) -> object:
        raise RecursionError

    def stopped(*_: object) -> object:
        raise KeyboardInterrupt

    monkeypatch.setattr(fitting, "settled", noted)
    assert run("main", (good,)) == "ran"
    assert limits == [sys.getrecursionlimit()]
    monkeypatch.setattr(fitting, "settled", too_deep)
    assert close(plain(run("main", (good,))), plain(2 * good)), "the function itself runs"
    assert failure(session, bad) == expected
    monkeypatch.setattr(fitting, "settled", stopped)
    with pytest.raises(Interrupted) as caught:
        run("main", (good,))
    calls: Any = caught.value.failure.facts["calls"]
    assert [name for name, _ in calls] == ["@main"]


def hold(seed: int) -> None:
    """Call a random program of operators and PrimFuncs again and again."""
    draw = np.random.default_rng(seed)
    rows = int(draw.integers(0, 9))
    args = [draw.standard_normal(shape).astype(np.float32) / 4 for shape in ((rows, 4), (4, 4), (4,))]
    if draw.random() < 0.2 and rows:
        args[0][draw.integers(rows), draw.integers(4)] = draw.choice([np.nan, np.inf, -np.inf])
    same_values(random_program(seed), *args)


def hold_network(seed: int) -> bool:
    """Call a random network with operators and with PrimFuncs; return whether there is one."""
    made = sound_program(seed, Network)
    if made is None:
        return False
    network, operators = made
    lowered = after_passes(seed, ("LegalizeOps",), Network)
    arguments = network.arguments()
    reference = Session(operators.module, operators.source, engine="interpreter")
    expected = plain(reference.call("main", arguments))
    for typed in (operators, lowered):
        session = Session(typed.module, typed.source, proved=typed.inferred.proved)
        for _ in range(5):
            found = plain(session.run("main", arguments))
            assert close(found, expected), f"seed {seed}\n{network.text}"
    return True


def test_random_programs(forms: list[Any]) -> None:
    for seed in range(60):
        hold(seed)
    assert len(forms) > 50


def test_random_networks(forms: list[Any]) -> None:
    assert sum(hold_network(seed) for seed in range(60_000, 60_006)) > 3
    assert len(forms) > 4


@pytest.mark.slow
@pytest.mark.skipif("RELAX_NIGHTLY" not in os.environ, reason="takes minutes; set RELAX_NIGHTLY=1")
@pytest.mark.usefixtures("forms")
def test_many_random_programs_and_networks() -> None:
    for seed in range(1000, 4000):
        hold(seed)
    for seed in range(61_000, 61_300):
        hold_network(seed)
