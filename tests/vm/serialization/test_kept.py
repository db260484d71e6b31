"""What is kept of executables: read without parser, checker and verification, it is the executable that the file is."""

from __future__ import annotations

import marshal
from typing import Any

import numpy as np
import pytest

from relax_lang import api
from relax_lang.runtime.values.tensors import is_tuple
from relax_lang.vm.machine.virtual_machine import session_of
from relax_lang.vm.serialization.container import from_bytes, keep, to_bytes
from tests.runtime.compiler.random_programs import Program
from tests.vm.support import built

PROGRAM = """
prim_func @scale(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
  for i in 0..n { Y[i] = X[i] * 2.0; }
}
def @main(x: Tensor[(n,), float32]) {
  let a = const([[1, 2], [3, 4]], bfloat16);
  let empty = const([], int8);
  let t = (x, const(true, bool));
  let y = if (t[1]) { call_tir(@scale, (x,)) -> Tensor[(n,), float32] } else { x };
  (y, a, empty, t[0], reshape(x, shape(1, n)))
}
"""


class Kept(dict[str, Any]):
    """A store of what survives a process."""

    def get(self, key: str, default: Any = None) -> Any:
        return marshal.loads(self[key]) if key in self else default

    def put(self, key: str, value: Any) -> None:
        self[key] = marshal.dumps(value)


def same_values(left: Any, right: Any) -> bool:
    if is_tuple(left):
        return len(left) == len(right) and all(map(same_values, left, right))
    return left.dtype == right.dtype and np.array_equal(left, right)


@pytest.mark.parametrize("here", [True, False], ids=["built here", "read"])
def test_an_executable_is_what_it_was(here: bool) -> None:
    executable, kept = api.build(PROGRAM), Kept()
    data = to_bytes(executable)
    if here:
        keep(data, executable, kept)
    first = from_bytes(data, None if here else kept)
    again = from_bytes(data, kept)
    assert again == first
    assert again.from_file
    assert to_bytes(again) == data
    x = np.array([1, 2], np.float32)
    expected, found = [api.start_executable(one).call("main", [x]) for one in (executable, again)]
    assert same_values(expected, found)


def test_prim_funcs_of_passes_have_their_places_in_the_file() -> None:
    executable, kept = (
        api.build(api.optimize("def @main(x: Tensor[(3,), float32]) { exp(x) }", "LegalizeOps")),
        Kept(),
    )
    data = to_bytes(executable)
    keep(data, executable, kept)
    places = [
        [(row.prim_func.pos, row.prim_func.end) for row in one.functions if row.prim_func is not None]
        for one in (from_bytes(data), from_bytes(data, kept))
    ]
    assert places[0] == places[1] != [(-1, -1)]


def test_random_executables() -> None:
    for seed in range(30):
        data, kept = to_bytes(built(Program(seed).text)), Kept()
        first = from_bytes(data, kept)
        assert from_bytes(data, kept) == first
        assert to_bytes(from_bytes(data, kept)) == data, seed


def test_code_of_prim_funcs_is_found_by_what_was_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    executable, kept = api.build(PROGRAM), Kept()
    data = to_bytes(executable)
    keep(data, executable, kept)
    read = from_bytes(data, kept)
    assert set(read.forms.values()) <= set(kept)
    monkeypatch.setattr("relax_lang.tir.compile._COMPILED", {})
    monkeypatch.setattr("relax_lang.tir.compile.structure", None)
    monkeypatch.setattr("relax_lang.tir.compile._compile", None)
    x = np.array([1, 2], np.float32)
    found: Any = session_of(read, kept_code=kept).call("main", [x])
    assert found[0].tolist() == [2, 4]


class Counting(Kept):
    """A store that notes what it is asked for."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def get(self, key: str, default: Any = None) -> Any:
        self.asked.append(key)
        return super().get(key, default)


MANY = "\n".join(
    [
        *[
            f"prim_func @f{at}(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) "
            f"{{ for i in 0..n {{ Y[i] = X[i] * {at}.5; }} }}"
            for at in range(9)
        ],
        "def @main(v0: Tensor[(n,), float32]) {",
        *[f"  let v{at + 1} = call_tir(@f{at}, (v{at},)) -> Tensor[(n,), float32];" for at in range(9)],
        "  v9",
        "}",
    ]
)


@pytest.mark.parametrize("here", [True, False], ids=["built here", "run before"])
def test_all_prim_funcs_of_an_executable_are_one_entry(here: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("relax_lang.tir.compile._COMPILED", {})
    data, kept = to_bytes(api.build(MANY)), Counting()
    x = np.array([1, 2], np.float32)
    expected = api.start(MANY).call("main", [x])
    if here:
        keep(data, api.build(MANY), kept)
    else:
        for _ in range(2):  # the first finds nothing, the second finds the code of the first
            monkeypatch.setattr("relax_lang.tir.compile._COMPILED", {})
            session_of(from_bytes(data, kept), kept_code=kept).call("main", [x])
    monkeypatch.setattr("relax_lang.tir.compile._COMPILED", {})
    monkeypatch.setattr("relax_lang.tir.compile._compile", None)
    kept.asked.clear()
    found = session_of(from_bytes(data, kept), kept_code=kept).call("main", [x])
    assert same_values(found, expected)
    assert len(kept.asked) == 2
