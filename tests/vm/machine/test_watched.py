"""Those who watch see on the machine what they see in the interpreter. [X.10]"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from relax_lang import api
from relax_lang.runtime.instrument.nan_check import Finite
from relax_lang.runtime.instrument.observer import Instrumentation, Moment, Observer
from relax_lang.runtime.values.display import show_brief
from relax_lang.values import RunFailure
from tests.runtime.compiler.random_host import Host
from tests.runtime.compiler.random_programs import Program
from tests.vm.support import built

if TYPE_CHECKING:
    from relax_lang.runtime.interpreter.machine import Scope

PROGRAM = """
prim_func @scale(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
  for i in 0..n { Y[i] = X[i] * 2.0; }
}
def @double(x: Tensor[(n,), float32]) -> Tensor[(n,), float32] {
  let y = call_tir(@scale, (x,)) -> Tensor[(n,), float32];
  y
}
def @main(x: Tensor[(n,), float32], c: Tensor[(), bool]) -> Tensor[(n,), float32] {
  let a = @double(x);
  let b: Tensor[(n,), float32] = if (c) {
    let t = log(a);
    let s = if (c) { t } else { let v = match_cast(t, Tensor[(j,), float32]); v };
    s
  } else { let u = exp(a); let w = add(u, u); w };
  let m = match_cast(b, Tensor[(k,), float32]);
  let f = fn (v: Tensor[(n,), float32]) { sqrt(v) };
  let z = f(subtract(m, const([1.0], float32)));
  let pair = (z, a);
  let p = pair[0];
  add(p, pair[1])
}
"""


class Seen(Observer):
    """Writes down what it is told."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, int, int, str]] = []

    def bound(self, moment: Moment, value: object, scope: Scope) -> None:
        if moment.name:
            assert moment.name == "_" or scope.variables[moment.name] is value
        brief = show_brief(value)
        self.seen.append((moment.key, moment.depth, moment.binding.pos, brief))


def seen(text: str, arguments: list[Any], on_machine: bool, host: Host | None = None) -> list[Any]:
    observer = Seen()
    watch = Instrumentation([observer])
    given: dict[str, Any] = {"watch": watch}
    if host is not None:
        given |= {"packed": host.functions, "write": host.write}
    session = api.start_executable(built(text), **given) if on_machine else api.start(text, **given)
    try:
        session.call("main", arguments)
    except RunFailure as failure:
        observer.seen.append((failure.slug, 0, 0, failure.message))
    return observer.seen


@pytest.mark.parametrize("which", [True, False])
def test_X_10_bindings_in_order(which: bool) -> None:
    arguments = [np.array([1, 2], np.float32), np.array(which)]
    expected = seen(PROGRAM, arguments, False)
    assert len(expected) > 8
    assert seen(PROGRAM, arguments, True) == expected


def test_X_10_random_programs() -> None:
    """What makes no instruction is not seen; all else is, in the same order."""
    compared = 0
    for seed in range(40):
        program = Program(seed)
        if api.check(program.text).has_errors:
            continue
        expected = seen(program.text, program.arguments(), False, Host())
        found = seen(program.text, program.arguments(), True, Host())
        rest = iter(expected)
        assert all(one in rest for one in found), f"seed {seed}\n{program.text}"
        compared += len(found)
    assert compared > 100


def test_what_is_not_finite_is_found() -> None:
    arguments = [np.array([1, 0.01], np.float32), np.array(True)]
    messages: list[tuple[str, str]] = []
    for start in (api.start, api.start_executable):
        program: Any = PROGRAM if start is api.start else api.build(PROGRAM)
        session = start(program, watch=Instrumentation([Finite()]))
        with pytest.raises(RunFailure) as raised:
            session.call("main", arguments)
        messages.append((raised.value.message, str(session.diagnose(raised.value))))
    assert messages[0] == messages[1]
    assert "sqrt makes 2 nan" in messages[0][0] or "nan" in messages[0][0]
