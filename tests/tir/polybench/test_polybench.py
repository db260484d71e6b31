"""PolyBench/C 4.2: interpreted, compiled, and as a person writes it with NumPy. [TIR.21]"""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.by_hand import polybench as polybench_by_hand
from relax_lang.tir.check.driver import check_prim_func
from relax_lang.tir.compile import compile_prim_func
from relax_lang.tir.interp import interpreter
from tests.tir.polybench.kernels import KERNELS, arguments, sizes_of
from tests.tir.support import copied

NAMES = list(KERNELS)
SIZES = [
    {"n": 7, "m": 8, "k": 6, "l": 4, "h": 8, "p": 5, "q": 3, "r": 2, "s": 3, "w": 6, "steps": 3},
    {"n": 4, "m": 6, "k": 3, "l": 5, "h": 3, "p": 4, "q": 2, "r": 3, "s": 2, "w": 4, "steps": 1},
    {"n": 2, "m": 2, "k": 2, "l": 2, "h": 2, "p": 2, "q": 2, "r": 2, "s": 2, "w": 2, "steps": 2},
    {"n": 1, "m": 1, "k": 1, "l": 1, "h": 1, "p": 1, "q": 1, "r": 1, "s": 1, "w": 1, "steps": 1},
]
UNDEFINED_FOR_ONE = ("covariance",)
"""It divides by one less than there is."""


def close(found: list[object], wanted: list[object], why: str) -> None:
    for have, want in zip(found, wanted, strict=True):
        if isinstance(want, np.ndarray):
            np.testing.assert_allclose(have, want, rtol=1e-9, atol=1e-11, err_msg=why)


def test_there_are_thirty() -> None:
    assert len(NAMES) == 30


@pytest.mark.parametrize("name", NAMES)
def test_no_mistakes(name: str) -> None:
    assert check_prim_func(KERNELS[name]) == []


@pytest.mark.parametrize("name", NAMES)
def test_interpreter_agrees_with_numpy(name: str) -> None:
    func = KERNELS[name]
    for sizes in SIZES:
        if name in UNDEFINED_FOR_ONE and sizes["n"] == 1:
            continue
        args = arguments(func, sizes)
        wanted, found = copied(args), copied(args)
        getattr(polybench_by_hand, name)(*wanted)
        interpreter.run(func, found)
        close(found, wanted, f"{name} {sizes}")


@pytest.mark.parametrize("name", NAMES)
def test_TIR_21_compiled_agrees_with_the_interpreter(name: str) -> None:
    func = KERNELS[name]
    compiled = compile_prim_func(func)
    empty = dict.fromkeys(SIZES[0], 0) | {"steps": 1}
    for sizes in [*SIZES, empty]:
        args = arguments(func, sizes, seed=1)
        wanted, found = copied(args), copied(args)
        interpreter.run(func, wanted)
        with np.errstate(all="raise"):
            compiled.run(*found)
        close(found, wanted, f"{name} {sizes}\n{compiled.source}")


@pytest.mark.parametrize("name", NAMES)
def test_compiled_agrees_with_numpy_at_middle_sizes(name: str) -> None:
    func = KERNELS[name]
    args = arguments(func, sizes_of(name, {}, 17), seed=2)
    wanted, found = copied(args), copied(args)
    getattr(polybench_by_hand, name)(*wanted)
    compile_prim_func(func).run(*found)
    close(found, wanted, name)
