"""The recursion limit: high inside our own passes, the host's elsewhere, also with several threads."""

from __future__ import annotations

import contextlib
import sys
from threading import Event, Thread

import pytest

from relax_lang.base.python.recursion import RECURSION_LIMIT, deep_recursion, host_recursion


@pytest.fixture(autouse=True)
def usual_limit():
    """Pytest's own conftests raise the limit; here it is what a host would have."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(3000)
    yield
    assert sys.getrecursionlimit() == 3000
    sys.setrecursionlimit(before)


def test_the_limit_is_raised_and_restored():
    with deep_recursion():
        assert sys.getrecursionlimit() == RECURSION_LIMIT
        with host_recursion():
            assert sys.getrecursionlimit() == 3000
            with deep_recursion():
                assert sys.getrecursionlimit() == RECURSION_LIMIT
            assert sys.getrecursionlimit() == 3000
        assert sys.getrecursionlimit() == RECURSION_LIMIT
    assert sys.getrecursionlimit() == 3000


def test_exceptions_restore_it_too():
    with pytest.raises(ValueError, match="x"), deep_recursion(), host_recursion():
        raise ValueError("x")
    assert sys.getrecursionlimit() == 3000


def test_a_higher_limit_of_the_host_stays():
    sys.setrecursionlimit(RECURSION_LIMIT + 1)
    with deep_recursion():
        assert sys.getrecursionlimit() == RECURSION_LIMIT + 1
    sys.setrecursionlimit(3000)


def test_code_of_the_host_where_the_stack_is_deep_already():
    def descend(depth: int) -> int:
        if depth:
            return descend(depth - 1)
        with host_recursion():
            return sys.getrecursionlimit()

    with deep_recursion():
        assert descend(5000) == RECURSION_LIMIT  # it cannot be lowered there


def test_threads_do_not_take_the_limit_from_each_other():
    inside, leave = Event(), Event()

    def work() -> None:
        with deep_recursion():
            inside.set()
            leave.wait(10)

    thread = Thread(target=work)
    with deep_recursion():
        thread.start()
        assert inside.wait(10)
        with host_recursion():  # the other one may be deep
            assert sys.getrecursionlimit() == RECURSION_LIMIT
    assert sys.getrecursionlimit() == RECURSION_LIMIT
    leave.set()
    thread.join()
    assert sys.getrecursionlimit() == 3000


def test_a_stack_near_the_limit_is_no_reason_to_fail_on_the_way_out() -> None:
    refused: list[str] = []
    before = sys.getrecursionlimit()

    def down(levels: int) -> None:
        try:
            with deep_recursion():
                pass
        except RecursionError as error:
            refused.append(str(error))
        if levels:
            down(levels - 1)

    try:
        with contextlib.suppress(RecursionError):
            down(before)
        assert not [words for words in refused if "too low" in words]
    finally:
        sys.setrecursionlimit(before)
