"""Parsing and running PrimFuncs in tests."""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.syntax import tree
from relax_lang.syntax.parser import parse
from relax_lang.tir import compile as compiler
from relax_lang.tir.calls import repeated
from relax_lang.tir.check.driver import check_prim_func
from relax_lang.tir.compile import compile_prim_func
from relax_lang.tir.interp import interpreter
from relax_lang.tir.schedule.layout import tiling
from relax_lang.values import RunFailure

repeated.CERTAIN_AT = (1, 2, 5, 9)
REPEATED = 4
"""The first call has all checks, the second is remembered, the third one is like it, the fourth has its own form."""


def prim_funcs(text: str) -> dict[str, tree.PrimFunc]:
    """Parse a file without errors; return its prim_funcs by name."""
    parsed = parse(text)
    assert not parsed.diagnostics, parsed.diagnostics
    return {item.name.name_hint: item for item in parsed.tree.items if isinstance(item, tree.PrimFunc)}


def prim_func(text: str) -> tree.PrimFunc:
    """Parse a file with one prim_func; it may have mistakes that the checks find."""
    (func,) = prim_funcs(text).values()
    return func


def checked(text: str) -> tree.PrimFunc:
    """Parse a prim_func without mistakes."""
    func = prim_func(text)
    assert not check_prim_func(func), check_prim_func(func)
    return func


def slugs(text: str) -> list[str]:
    """Return the slugs of all mistakes of a prim_func, in the order of the text."""
    return [found.slug for found in check_prim_func(prim_func(text))]


def interpret(func: tree.PrimFunc, *args: object, **kwargs: object) -> None:
    """Run in the scalar interpreter."""
    interpreter.run(func, args, **kwargs)


def outcome(run, args: list[object]) -> tuple[str, list[np.ndarray]]:
    """Run on copies that overlap as the arguments do; return the failure, if any, and all arrays afterwards."""
    copies = copied(args)
    try:
        run(*copies)
        failure = ""
    except RunFailure as error:
        failure = f"{error.slug}: {error.message}"
    return failure, [copy for copy in copies if isinstance(copy, np.ndarray)]


def copied(args: list[object]) -> list[object]:
    """Copy arguments with their layouts; views of one array stay views of one copy."""
    bases: dict[int, np.ndarray] = {}
    result: list[object] = []
    for value in args:
        if not isinstance(value, np.ndarray):
            result.append(value)
        elif value.base is None or value.base.size == 0:
            result.append(bases.setdefault(id(value), value.copy("K")))
        else:
            base = bases.setdefault(id(value.base), value.base.ravel("K").copy())
            offset = value.__array_interface__["data"][0] - value.base.__array_interface__["data"][0]
            result.append(np.ndarray(value.shape, value.dtype, base, offset, value.strides))
    return result


def assert_same_outcome(func: tree.PrimFunc, args: list[object], ulps: float = 0) -> None:
    """Run a prim_func compiled and interpreted: same failure, same contents of all arrays. [TIR.21]

    It is called as often as it takes until calls run as the ones before them.
    """
    compiled = compile_prim_func(func)
    expected_failure, expected = outcome(lambda *values: interpreter.run(func, values), args)
    for _ in range(REPEATED):
        failure, found = outcome(compiled.run, args)
        assert failure == expected_failure, compiled.source
        for want, have in zip(expected, found, strict=True):
            assert_close(have, want, ulps, compiled.source)


def assert_close(found: np.ndarray, wanted: np.ndarray, ulps: float = 0, why: str = "") -> None:
    """Compare arrays: equal, or for floats within some units in the last place of the largest element."""
    assert found.dtype == wanted.dtype
    assert found.shape == wanted.shape, why
    if ulps == 0 or found.dtype.kind in "biu":
        wide = np.float64 if found.dtype.kind not in "biu" else found.dtype
        np.testing.assert_array_equal(found.astype(wide), wanted.astype(wide), why)
        return
    with np.errstate(all="ignore"):
        finite = np.abs(wanted.astype(np.float64))
        scale = np.max(finite, where=np.isfinite(finite), initial=0.0)
    epsilon = {"float16": 2**-10, "bfloat16": 2**-7, "float32": 2**-23, "float64": 2**-52}[found.dtype.name]
    wide = found.astype(np.float64), wanted.astype(np.float64)
    np.testing.assert_allclose(*wide, rtol=0, atol=ulps * epsilon * max(scale, 2**-100), err_msg=why)


def cut_into_blocks(monkeypatch: pytest.MonkeyPatch, elements: int) -> None:
    """Let the rows of arrays be cut into blocks of so many elements, so that small arrays have several of them.

    What was compiled without this is not for the test, and what is compiled with it not for others.
    """
    monkeypatch.setattr(tiling, "TILE_ELEMENTS", elements)
    monkeypatch.setattr(compiler, "_COMPILED", {})
