"""Programs run with floats that follow IEEE silently, whatever the caller's state is, and leave that as it was."""

from __future__ import annotations

import threading
import warnings

import numpy as np
import pytest

from relax_lang.ops.core import error_state
from relax_lang.ops.core.error_state import compute_silently, run_silently

ZERO = np.zeros(2, np.float32)


def divided(*_: object) -> object:
    return ZERO / ZERO


@pytest.mark.parametrize("state", ["warn", "raise", "ignore"])
def test_nothing_is_reported_and_the_state_stays(state: str) -> None:
    with np.errstate(all=state), warnings.catch_warnings():  # pyright: ignore[reportArgumentType]
        warnings.simplefilter("error")
        before = np.geterr()
        for _ in range(3):
            assert np.isnan(np.asarray(run_silently(divided, ()))).all()
            assert np.geterr() == before


def test_the_size_of_buffers_and_the_handler_of_the_caller_hold_inside() -> None:
    before = np.getbufsize()
    assert run_silently(np.getbufsize, ()) == before
    np.setbufsize(before * 2)
    try:
        assert run_silently(np.getbufsize, ()) == before * 2
        with np.errstate(call=print):
            assert run_silently(np.geterrcall, ()) is print
    finally:
        np.setbufsize(before)
    assert run_silently(np.geterrcall, ()) is None


def test_failures_and_what_code_sets_end_with_the_call() -> None:
    def failing() -> object:
        np.seterr(all="raise")
        return divided()

    before = np.geterr()
    with pytest.raises(FloatingPointError):
        run_silently(failing, ())
    assert np.geterr() == before


def test_each_thread_has_its_own_state() -> None:
    found: list[object] = []

    def run() -> None:
        with np.errstate(all="raise"):
            found.extend([np.isnan(np.asarray(run_silently(divided, ()))).all() for _ in range(200)])
            found.append(np.geterr()["divide"] == "raise")

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 804
    assert all(found)


def test_without_a_context_variable_errstate_does_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(error_state._STATE, "var", None)
    test_nothing_is_reported_and_the_state_stays("raise")


@pytest.mark.parametrize("state", ["warn", "raise", "ignore"])
@pytest.mark.parametrize("has_variable", [True, False])
def test_code_that_leaves_the_state_alone_is_silent(
    state: str, has_variable: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not has_variable:
        monkeypatch.setattr(error_state._STATE, "var", None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for inner in (state, "raise", state, "ignore", state):
            with np.errstate(all=inner):  # pyright: ignore[reportArgumentType]
                before = np.geterr()
                for _ in range(3):
                    assert np.isnan(np.asarray(compute_silently(divided, ()))).all()
                    assert np.geterr() == before
                assert np.isnan(np.asarray(run_silently(compute_silently, (divided, ())))).all()


def test_nothing_is_set_where_everything_is_ignored_already() -> None:
    var = error_state._STATE.var
    if var is None:
        pytest.skip("NumPy has no context variable for its error state")
    with np.errstate(all="ignore"):
        now = var.get()
        assert [compute_silently(var.get, ()) is now for _ in range(2)] == [True, True]
    with np.errstate(divide="warn"):
        assert compute_silently(var.get, ()) is not var.get()
