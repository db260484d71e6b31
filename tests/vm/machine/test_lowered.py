"""Lowered programs in the compiled engine: they run on the machine, with its forms, and mean what they meant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from relax_lang import api
from relax_lang.runtime.session import Session
from relax_lang.typed import text_of
from relax_lang.values import RunFailure
from tests.runtime.compiler.random_host import plain
from tests.runtime.compiler.test_same_meaning import described
from tests.transform.same_meaning.outcomes import same
from tests.vm.machine.test_specialized import form_of
from tests.vm.test_same_meaning import run_random

PROGRAM = """
def @main(x: Tensor[(n,), float32], y: Tensor[(n,), float32]) {
  let a = add(x, y);
  let b = multiply(a, x);
  let c = match_cast(b, Tensor[(n,), float32]);
  exp(c)
}
"""
CONSTANT = """
def @main(x: Tensor[(2,), float32]) -> Tensor {
  let w: Tensor = const(file("w.npy"));
  let s = memory.alloc_storage(shape(8), 0, dtype=float32);
  let t = memory.alloc_tensor(s, 0, shape(2), dtype=float32);
  add(x, w)
}
"""


def is_on_machine(session: Session) -> bool:
    machine: Any = getattr(session, "_machine")  # noqa: B009
    return type(machine.activate).__module__ == "relax_lang.vm.machine.linked"


def lowered(text: str) -> str:
    return text_of(api.optimize(text, pipeline="build").module)


def test_lowered_programs_run_on_the_machine() -> None:
    session = api.start(lowered(PROGRAM))
    assert is_on_machine(session)
    assert not is_on_machine(api.start(PROGRAM))
    expected = api.start(PROGRAM, engine="interpreter")
    for n in (3, 3, 3, 2, 2, 2, 0, 3):
        given = [np.arange(n, dtype=np.float32), np.ones(n, np.float32)]
        assert plain(session.call("main", given)) == plain(expected.call("main", given))
    assert form_of(session) is not None


def test_who_looks_closely_has_the_interpreter() -> None:
    text = lowered(PROGRAM)
    for options in ({"engine": "interpreter"}, {"strict_effects": True}, {"max_bytes": 1 << 12}):
        assert not is_on_machine(api.start(text, **options))  # pyright: ignore[reportArgumentType] - each of its own type


@pytest.mark.parametrize(
    "given",
    [[np.ones(2, np.float32), np.ones(3, np.float32)], [np.ones(2, np.int32), np.ones(2, np.float32)]],
)
def test_failures_are_those_of_the_interpreter(given: list[Any]) -> None:
    found: list[object] = []
    for engine in ("interpreter", "compiled"):
        session = api.start(lowered(PROGRAM), engine=engine)
        for _ in range(3):
            with pytest.raises(RunFailure) as raised:
                session.call("main", given)
            found.append(described(raised.value, session))
    assert found == found[:1] * 6


def test_a_constant_in_a_file_is_read_where_it_is_needed(tmp_path: Path) -> None:
    path = tmp_path / "p.rlx"
    path.write_text(CONSTANT)
    np.save(tmp_path / "w.npy", np.ones(2, np.float32))
    session = api.start(api.read(str(path)))
    assert not is_on_machine(session)
    assert plain(session.call("main", [np.ones(2, np.float32)])) == plain(np.full(2, 2, np.float32))


def agree(expected: Any, found: Any) -> bool:
    """Return whether values are equal up to the order of sums, and failures altogether."""
    if expected is None or expected[0] != "value":
        return expected == found
    return found[0] == "value" and same((expected[1], ()), (found[1], ()))


SAMPLES = [
    path
    for folder in ("", "models", "lowered")
    for path in sorted(Path("samples", folder).glob("*.rlx"))
    if path.stat().st_size < 4000
]


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_lowered_samples_mean_what_they_meant(path: Path) -> None:
    try:
        text = lowered(path.read_text())
    except api.RelaxError:
        pytest.skip("not to be lowered alone")
    sessions = [api.start(text, engine="interpreter"), api.start(text)]
    for name in sessions[0].entries():
        first, *others = [run_random(session, name) for session in (sessions[0], *sessions[1:] * 3)]
        assert all(agree(first, one) for one in others), name
