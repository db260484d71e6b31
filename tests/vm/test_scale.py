"""Large programs: the work of a build, of a file, and of a run grows with the program and no faster."""

from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np
import pytest

from relax_lang import api
from relax_lang.vm.serialization.container import from_bytes, to_bytes
from tests.work import executed_lines

NIGHTLY = pytest.mark.skipif("RELAX_NIGHTLY" not in os.environ, reason="takes minutes; set RELAX_NIGHTLY=1")


def chain(count: int) -> str:
    """Return a program of so many sums."""
    lines = [f"  let v{at + 1} = add(v{at}, v{at});" for at in range(count)]
    return "\n".join(["def @main(v0: Tensor[(n,), int64]) {", *lines, f"  v{count}", "}"])


def prim_funcs(count: int) -> str:
    """Return a program that calls so many PrimFuncs."""
    funcs = [
        f"prim_func @f{at}(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {{\n"
        f"  for i in 0..n {{ Y[i] = X[i] + {at}.0; }}\n}}"
        for at in range(count)
    ]
    lines = [f"  let v{at + 1} = call_tir(@f{at}, (v{at},)) -> Tensor[(n,), float32];" for at in range(count)]
    return "\n".join([*funcs, "def @main(v0: Tensor[(n,), float32]) {", *lines, f"  v{count}", "}"])


def life(text: str, dtype: type) -> None:
    """Build a program, write and read its executable, and call it until its code is planned."""
    session = api.start_executable(from_bytes(to_bytes(api.build(text))))
    for _ in range(3):
        session.call("main", [np.zeros(2, dtype)])


def grows_linearly(program: Callable[[int], str], dtype: type, count: int) -> None:
    small, large = [executed_lines(lambda n=n: life(program(n), dtype)) for n in (count, 2 * count)]
    assert large < 2.2 * small


def test_work_grows_with_bindings() -> None:
    grows_linearly(chain, np.int64, 30)


@pytest.mark.slow
@NIGHTLY
def test_work_grows_with_many_bindings_and_prim_funcs() -> None:
    grows_linearly(chain, np.int64, 2000)
    grows_linearly(prim_funcs, np.float32, 50)


@pytest.mark.slow
@NIGHTLY
def test_50_000_bindings_and_500_prim_funcs() -> None:
    life(chain(50_000), np.int64)
    life(prim_funcs(500), np.float32)
