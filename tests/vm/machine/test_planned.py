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
from relax_lang.vm.executable import Executable
from relax_lang.vm.machine.decoded import THREE, TWO
from relax_lang.vm.machine.linked import MODES, Linked
from relax_lang.vm.serialization.container import from_bytes, to_bytes
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
    ours = {np.add, np.subtract, np.multiply, np.exp}
    for executable in (api.build(PROGRAM), from_bytes(to_bytes(api.build(PROGRAM)))):
        assert ours.isdisjoint(steps(executable, 1))
        # The first sum asks for memory, with all its checks; the others are like it.
        assert ours - {np.add} <= set(steps(executable, 2))


TWICE = """
def @main(x: Tensor[(n,), float32], c: Tensor[(), bool]) {{
  let a = add(x, x);
  let b = exp(a);
  {}
}}
"""
OVER = "let d = multiply(b, x); let e = nn.relu(d); minimum(e, maximum(e, x))"
SHARED = (
    "let t = (b, x); let d = negative(b); (d, t)",
    "let f = fn () {{ b }}; let d = negative(b); let e = f(); (d, e)".replace("{{", "{").replace("}}", "}"),
    "let d = if (c) { b } else { x }; let e = negative(b); (d, e)",
    "let d = reshape(b, shape(n)); let e = negative(b); (d, e)",
    "let d = b; let e = negative(b); (d, e)",
    'let d = call_pure_packed(extern "test.same", b) -> Tensor; let e = negative(b); (d, e)',
    "let d = negative(x); let e = negative(x); (b, d, e, x)",
    "let d = add(b, reshape(x, shape(n, 1))); let e = add(d, b); (d, e)",
    "let d = greater(b, x); let e = negative(b); (d, e)",
)


def same(value: object) -> object:
    return value


def overwritten(session: Any) -> int:
    """Return how many calls of the planned code write over an operand."""
    (decoded, *_) = [
        one for one in session._machine.activate._decoded.values() if one.code.signature.name is not None
    ]
    count = 0
    for kind, function, args, _, killed in decoded.steps:
        operands = function.nin if isinstance(function, np.ufunc) else 2
        count += kind in (TWO, THREE) and len(args) > operands and args[-1] in killed
    return count


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("n", [1, 3, 5000])
def test_X_O4_a_result_is_written_over_an_operand_that_dies(mode: str, n: int) -> None:
    text = TWICE.format(OVER)
    found, expected = api.start_executable(api.build(text), mode=mode), api.start(text, engine="interpreter")
    given = [np.linspace(-1, 1, n, dtype=np.float32), np.array(True)]
    for _ in range(4):
        assert plain(found.call("main", given)) == plain(expected.call("main", given))
    assert overwritten(found) == 3
    assert np.array_equal(given[0], np.linspace(-1, 1, n, dtype=np.float32))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("text", SHARED)
def test_X_O4_what_something_else_has_is_not_written_over(mode: str, text: str) -> None:
    program = TWICE.format(text)
    packed: dict[str, Any] = {"test.same": same}
    found = api.start_executable(api.build(program), mode=mode, packed=packed)
    expected = api.start(program, engine="interpreter", packed=packed)
    for condition in (True, False, True, False):
        given = [np.array([1, 2, 3], np.float32), np.array(condition)]
        assert plain(found.call("main", given)) == plain(expected.call("main", given))


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
