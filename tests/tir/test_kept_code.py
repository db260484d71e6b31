"""Code of PrimFuncs that outlives a process: what it computes is what new code computes. [TIR.21]"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from relax_lang.syntax import tree
from relax_lang.tir import compile as compiler
from relax_lang.tir.compile import Compiled, compile_prim_func
from relax_lang.tir.ir.signature import TensorSpec
from relax_lang.tir.options.sharing import Sharing
from relax_lang.tir.planned import Plan, plan_call
from tests.tir.calls.test_planned import split
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


def planned(
    func: tree.PrimFunc, codes: Codes, args: tuple[Any, ...], outputs: int, *, same: bool
) -> Plan | None:
    """Plan a call in a process that has compiled nothing yet."""
    found = again(func, codes)
    arrays, results, scalars = split(func, args, outputs)
    specs = [TensorSpec(one.dtype.name, one.shape) for one in results]
    sharing = Sharing(tuple(range(len(arrays))), tuple(range(len(arrays))))
    with np.errstate(all="ignore"):
        return plan_call(found, arrays, specs, scalars, same, sharing=sharing, kept=codes)


@pytest.mark.parametrize("same", [True, False])
@pytest.mark.parametrize(("kind", "name"), ALL, ids=IDS)
def test_planned_calls_of_kept_code_agree_with_numpy(
    kind: str, name: str, same: bool, monkeypatch: pytest.MonkeyPatch, recompiled: list[str]
) -> None:
    monkeypatch.setattr("relax_lang.tir.planned.LARGE", 0)
    func, case, codes = FUNCS[kind][name], CASES[kind][name], Codes()
    if case.in_place or not compiled(kind, name).vectorized:
        pytest.skip("it is not planned")

    def run(*args: Any) -> None:
        fresh = planned(func, codes, args, case.outputs, same=same)
        before = len(recompiled)
        plan = planned(func, codes, args, case.outputs, same=same)
        assert (plan is None) == (fresh is None)
        if plan is None or fresh is None:
            compiled(kind, name).run(*args)
            return
        if codes.entries:
            assert len(recompiled) == before
        assert (plan.certain, plan.makes, plan.over and plan.over[1]) == (
            fresh.certain,
            fresh.makes,
            fresh.over and fresh.over[1],
        )
        inputs, outputs, scalars = split(func, args, case.outputs)
        with np.errstate(all="ignore"):
            made = plan.run(*inputs, *scalars)
            if plan.over is not None:
                over, at = plan.over
                given = [one.copy() if k == at else one for k, one in enumerate(inputs)]
                made = over(*given, *scalars)
        for output, value in zip(outputs, made if case.outputs > 1 else (made,), strict=True):
            output[...] = value

    for sizes in case.sizes:
        compare(run, func, case, sizes, str(sizes))


def test_planned_calls_of_other_sizes_are_kept_apart(recompiled: list[str]) -> None:
    func, codes = prim_func(RELU), Codes()
    small, large = [np.linspace(-1, 1, size, dtype=np.float32) for size in (4, 100_000)]
    for x in (small, large, small, large):
        plan = planned(func, codes, (x, np.empty_like(x)), 1, same=False)
        assert plan is not None
        assert np.array_equal(plan.run(x), np.maximum(x, 0))
    assert recompiled == ["relu"] * 2  # the second plan needs what was compiled in a process that is gone
    assert len(codes.entries) == 3
