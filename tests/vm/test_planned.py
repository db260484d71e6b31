"""Code that is planned when a function is called again: shorter where that is certain, with the same outcomes."""

from __future__ import annotations

import gc
import weakref
from typing import Any

import numpy as np
import pytest

from relax_lang import api
from relax_lang.ops.calls.call_cache import bind
from relax_lang.ops.core.attributes import attribute_values
from relax_lang.ops.registry import lookup
from relax_lang.syntax.tree import Attr, DType
from relax_lang.values import RunFailure, ShapeValue, Storage
from relax_lang.vm.container import from_bytes, to_bytes
from relax_lang.vm.executable import Executable
from relax_lang.vm.linked import MODES, Linked
from tests.runtime.compiler.random_host import plain

PROGRAM = """
prim_func @scale(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
  for i in 0..n { Y[i] = X[i] * 2.0; }
}
def @main(x: Tensor[(n,), float32], y: Tensor[(m,), float32]) {
  let a = add(x, x);
  let b = subtract(a, x);
  let c = nn.relu(b);
  let d = call_tir(@scale, (c,)) -> Tensor[(n,), float32];
  let e = match_cast(y, Tensor[(n,), float32]);
  let s = reshape(multiply(d, e), shape(1, n));
  (s, exp(s))
}
"""


def steps(executable: Executable, calls: int) -> list[Any]:
    """Return the functions that the code of `@main` calls after some calls."""
    linked: list[Any] = []
    session = api.start_executable(executable)
    real = session._machine.activate
    for _ in range(calls):
        session.call("main", arguments())
    for decoded in real._decoded.values():  # type: ignore[attr-defined]
        linked += [step[1] for step in decoded.steps]
    return linked


def arguments(n: int = 3) -> list[Any]:
    return [np.arange(n, dtype=np.float32) - 1, np.ones(n, np.float32)]


def test_what_is_certain_is_the_function_of_numpy() -> None:
    ours = {np.add, np.subtract, np.maximum, np.multiply, np.exp}
    for executable in (api.build(PROGRAM), from_bytes(to_bytes(api.build(PROGRAM)))):
        assert ours.isdisjoint(steps(executable, 1))
        # The first sum asks for memory, with all its checks; the others are like it.
        assert ours - {np.add} <= set(steps(executable, 2))


@pytest.mark.parametrize("mode", MODES)
def test_sizes_may_change_from_call_to_call(mode: str) -> None:
    expected, found = (
        api.start(PROGRAM, engine="interpreter"),
        api.start_executable(api.build(PROGRAM), mode=mode),
    )
    for n in (3, 2, 2, 0, 5, 3):
        values = [plain(session.call("main", arguments(n))) for session in (expected, found)]
        assert values[0] == values[1]
    for session in (expected, found):
        with pytest.raises(RunFailure, match="match_cast"):
            session.call("main", [np.ones(2, np.float32), np.ones(3, np.float32)])


@pytest.mark.parametrize("mode", MODES)
def test_X_O5_memory_is_asked_for(mode: str) -> None:
    text = """def @main(x: Tensor[(n, 1), int8], y: Tensor[(1, m), int8]) {
      let a = add(x, y); let b = add(x, y); add(a, b)
    }"""
    session = api.start_executable(api.build(text), mode=mode, max_bytes=1 << 16)
    for n in (2, 2, 3):
        assert session.call("main", [np.ones((n, 1), np.int8), np.ones((1, n), np.int8)]).shape == (n, n)  # type: ignore[attr-defined]
    with pytest.raises(RunFailure) as raised:
        session.call("main", [np.ones((1 << 10, 1), np.int8), np.ones((1, 1 << 10), np.int8)])
    assert raised.value.slug == "out-of-memory"


def test_a_file_is_not_believed() -> None:
    """With 1, arguments are not checked: what a file says of their shapes decides nothing."""
    built = api.build("def @main(x: Tensor[(3,), float32]) { let a = add(x, x); exp(a) }")
    functions = list(built.functions)
    code = functions[0].code
    assert code is not None
    first = code.instructions[0]
    told = first._replace(args=(first.args[0]._replace(value=1), *first.args[1:]))  # type: ignore[union-attr]
    functions[0] = functions[0]._replace(code=code._replace(instructions=(told, *code.instructions[1:])))
    lie = from_bytes(to_bytes(Executable(functions, built.constants, built.sites, built.source)))
    linked = Linked(lie)
    assert linked.executable.from_file
    session = api.start_executable(lie)
    for value in (
        np.ones(3, np.float32),
        np.ones(5, np.float32),
        np.ones(5, np.int32),
        np.ones(5, np.float32),
    ):
        try:
            session.call("main", [value])
        except RunFailure:
            continue
    decoded = next(iter(session._machine.activate._decoded.values()))  # type: ignore[attr-defined]
    assert not [step for step in decoded.steps if step[1] in (np.add, np.exp)]


def test_what_is_given_to_an_operator_is_not_kept() -> None:
    operator = lookup("memory.alloc_tensor")
    assert operator is not None
    call = bind(operator, operator.options(attribute_values([Attr("dtype", DType("float32"))])))
    storage = Storage(np.zeros(16, np.uint8))
    for _ in range(2):
        assert call(storage, 4, ShapeValue((3,))).shape == (3,)
    gone = weakref.ref(storage.octets)
    del storage
    gc.collect()
    assert gone() is None
    with pytest.raises(RunFailure, match="must be a storage"):
        call(np.ones(2), 0, ShapeValue((2,)))
