"""The benchmark `benchmarks/kernels.py` measures forms of the same thing."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from benchmarks import peers
from benchmarks.by_hand import kernels as by_hand
from benchmarks.kernels import Kernel, agrees, prim_funcs
from benchmarks.loops import TVMScript
from relax_lang.tir.check.driver import check_prim_func
from relax_lang.tir.interp import interpreter

FUNCS = prim_funcs()


@cache
def kernel(name: str) -> tuple[Kernel, np.ndarray]:
    """Return a kernel on small arrays, and what the interpreter computes."""
    small = Kernel(FUNCS[name], divided_by=64)
    return small, small.result_of(lambda *args: interpreter.run(small.func, args))


def test_there_are_two_forms_of_every_kernel() -> None:
    assert list(FUNCS) == list(by_hand.PLAIN) == list(by_hand.BEST)


@pytest.mark.parametrize("name", FUNCS)
def test_forms_agree(name: str) -> None:
    assert check_prim_func(FUNCS[name]) == []
    small, wanted = kernel(name)
    for form in (by_hand.PLAIN[name], by_hand.BEST[name]):
        assert agrees(small.result_of(form), wanted)


@pytest.mark.parametrize("name", ["cumsum", "recurrence", "depthwise", "max_pool", "gelu", "stencil"])
def test_blocks_that_do_not_divide_the_arrays(name: str) -> None:
    large = Kernel(FUNCS[name], divided_by=3 if name in ("depthwise", "max_pool") else 2)
    assert agrees(large.result_of(by_hand.BEST[name]), large.result_of(by_hand.PLAIN[name]))


@pytest.mark.parametrize("name", FUNCS)
def test_scalar_loops_compute_the_same(name: str) -> None:
    small, wanted = kernel(name)
    loops = peers.python_loops(small.func, small.sizes, lambda function: function)
    assert agrees(small.result_of(loops), wanted)


@pytest.mark.parametrize("name", FUNCS)
def test_tvm_script_is_python(name: str) -> None:
    small, _ = kernel(name)
    compile(TVMScript(small.func, small.sizes).function(small.func, small.sizes), name, "exec")
