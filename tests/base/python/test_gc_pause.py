"""The collector is switched off as long as anyone needs it off, and on again afterwards."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator

import pytest

from relax_lang.api import check
from relax_lang.base.python.gc_pause import no_collection


@pytest.fixture(autouse=True)
def _collector() -> Iterator[None]:
    was = gc.isenabled()
    yield
    (gc.enable if was else gc.disable)()


@pytest.mark.parametrize("enabled", [True, False])
def test_nested_pauses_restore_what_was_before(enabled: bool) -> None:
    (gc.enable if enabled else gc.disable)()
    with no_collection():
        with no_collection():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled() is enabled


def test_an_error_ends_the_pause() -> None:
    gc.enable()
    with pytest.raises(ValueError, match="x"), no_collection():
        raise ValueError("x")
    assert gc.isenabled()


def test_pauses_of_two_threads_that_overlap() -> None:
    """The second thread begins while the first has the collector off, and ends after it."""
    gc.enable()
    begun, may_end = threading.Event(), threading.Event()

    def second() -> None:
        with no_collection():
            begun.set()
            may_end.wait(60)

    thread = threading.Thread(target=second)
    with no_collection():
        thread.start()
        assert begun.wait(60)
    assert not gc.isenabled()
    may_end.set()
    thread.join()
    assert gc.isenabled()


def test_nothing_is_collected_during_a_check() -> None:
    """Neither inside the phases nor between them: the tree of one is needed by the next."""
    func = """prim_func @f{0}(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {{
      for i in 0..n {{ Y[i] = X[i] * {0}.0; }}
    }}"""
    calls = " ".join([f"let y{i} = call_tir(@f{i}, (x,)) -> Tensor[(n,), float32];" for i in range(200)])
    head = "def @main(x: Tensor[(n,), float32]) -> Tensor[(n,), float32]"
    text = "\n".join([*[func.format(i) for i in range(200)], f"{head} {{ {calls} y199 }}"])
    collected: list[int] = []

    def note(phase: str, info: dict[str, int]) -> None:
        if phase == "start":
            collected.append(info["generation"])

    check(text)  # what is loaded for the first time
    gc.enable()
    gc.collect()
    gc.callbacks.append(note)
    try:
        assert not check(text).diagnostics
    finally:
        gc.callbacks.remove(note)
    assert len(collected) <= 1  # when it is over
