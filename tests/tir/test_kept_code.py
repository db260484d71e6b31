"""Code of PrimFuncs that outlives a process: what it computes is what new code computes. [TIR.21]"""

from __future__ import annotations

from typing import Any

import pytest

from relax_lang.syntax import tree
from relax_lang.tir import compile as compiler
from relax_lang.tir.compile import Compiled, compile_prim_func
from tests.tir.cases import compare
from tests.tir.support import prim_func
from tests.tir.whole_corpus import ALL, CASES, FUNCS, IDS, compiled


class Codes:
    """Keeps code in a dictionary."""

    def __init__(self) -> None:
        self.entries: dict[str, Any] = {}

    def get(self, key: str) -> Any:
        return self.entries.get(key)

    def put(self, key: str, value: Any) -> None:
        if value is not None:
            self.entries[key] = value


@pytest.fixture
def recompiled(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Forget what this process has compiled; note what it compiles."""
    monkeypatch.setattr(compiler, "_COMPILED", {})
    found: list[str] = []
    real = compiler._compile

    def compile_(func: tree.PrimFunc, merged: dict[str, str]) -> Compiled:
        found.append(func.name.name_hint)
        return real(func, merged)

    monkeypatch.setattr(compiler, "_compile", compile_)
    return found


def again(text_or_func: Any, codes: Codes) -> Compiled:
    compiler._COMPILED.clear()
    return compile_prim_func(text_or_func, codes)


@pytest.mark.parametrize(("kind", "name"), ALL, ids=IDS)
def test_kept_code_agrees_with_numpy(kind: str, name: str, recompiled: list[str]) -> None:
    func, case, codes = FUNCS[kind][name], CASES[kind][name], Codes()
    fresh = again(func, codes)
    kept = again(func, codes)
    assert kept.vectorized == fresh.vectorized == compiled(kind, name).vectorized
    assert len(recompiled) == (1 if codes.entries else 2)
    for sizes in case.sizes:
        compare(kept.run, func, case, sizes, str(sizes))


RELU = """prim_func @relu(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
  for i in 0..n { Y[i] = max(X[i], 0.0); }
}"""


def test_what_is_not_kept_is_made_when_it_is_asked_for(recompiled: list[str]) -> None:
    func, codes = prim_func(RELU), Codes()
    fresh = again(func, codes)
    kept = again(func, codes)
    assert recompiled == ["relu"]
    assert kept.source == fresh.source
    assert [str(one.reason) for one in kept.remarks] == [str(one.reason) for one in fresh.remarks]
    assert recompiled == ["relu", "relu"]


def test_another_prim_func_has_other_code(recompiled: list[str]) -> None:
    codes = Codes()
    again(prim_func(RELU), codes)
    again(prim_func(RELU.replace("0.0", "1.0")), codes)
    again(prim_func(RELU.replace("float32", "float64")), codes)
    assert (len(codes.entries), len(recompiled)) == (3, 3)


def test_calls_of_packed_functions_are_not_kept(recompiled: list[str]) -> None:
    text = """prim_func @f(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {
      call_extern("my.copy", X, Y, n);
    }"""
    codes = Codes()
    again(prim_func(text), codes)
    again(prim_func(text), codes)
    assert (codes.entries, len(recompiled)) == ({}, 2)
