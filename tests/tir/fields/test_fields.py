"""Kernels from fields that the corpus lacks: interpreter, every compiled form, and NumPy by hand agree. [TIR.21]"""

from __future__ import annotations

import copy
import re
from importlib.util import find_spec

import numpy as np
import pytest

from benchmarks.by_hand.fields import by_hand
from relax_lang.format.printer import print_tree
from relax_lang.syntax import tree
from relax_lang.tir.check.driver import analyse, check_prim_func
from relax_lang.tir.compile import compile_prim_func
from relax_lang.tir.interp import interpreter
from relax_lang.tir.interp.memory import new_array
from relax_lang.tir.loops.function import LoopsFunction
from tests.tir.fields.arguments import arguments
from tests.tir.fields.kernels import FIELD_OF, KERNELS
from tests.tir.support import prim_func

SIZE = 12
LONG = 70
"""A size for which no loop is short."""


def results(run, name: str, size: int = SIZE) -> list[np.ndarray]:
    """Run on new arguments; return the arrays."""
    args = copy.deepcopy(arguments(name, size))
    run(*args)
    return [value for value in args if isinstance(value, np.ndarray)]


def assert_alike(found: list[np.ndarray], wanted: list[np.ndarray]) -> None:
    """Compare arrays, floats up to the rounding of sums."""
    for have, want in zip(found, wanted, strict=True):
        if want.dtype.kind == "f":
            tolerance = 1e-4 if want.dtype == np.float32 else 1e-9
            np.testing.assert_allclose(have, want, rtol=tolerance, atol=tolerance)
        else:
            np.testing.assert_array_equal(have, want)


@pytest.mark.parametrize("name", KERNELS)
def test_TIR_21_kernels_of_other_fields(name):
    func = KERNELS[name]
    assert not check_prim_func(func)
    wanted = results(lambda *args: interpreter.run(func, args), name)
    changed = zip(wanted, [one for one in arguments(name, SIZE) if isinstance(one, np.ndarray)], strict=True)
    assert [one for one, before in changed if not np.array_equal(one, before)]
    compiled = compile_prim_func(func)
    assert compiled.vectorized
    assert_alike(results(lambda *args: compiled.run(*args, sequential="numpy"), name), wanted)
    assert_alike(results(by_hand(FIELD_OF[name], name), name), wanted)
    form = LoopsFunction(analyse(func), native=False)
    for have, want in zip(results(lambda *args: form(args, new_array), name), wanted, strict=True):
        np.testing.assert_array_equal(have, want)


@pytest.mark.parametrize("name", KERNELS)
def test_TIR_21_numbers_for_sizes_change_nothing(name):
    """Lowered programs have numbers where these kernels have names."""
    func = KERNELS[name]
    args = arguments(name, LONG)
    sizes = {
        size.name: number
        for param, value in zip(func.params, args, strict=True)
        if isinstance(param, tree.Buffer)
        for size, number in zip(param.shape, value.shape, strict=True)
        if isinstance(size, tree.PrimVar)
    }
    names = re.compile(rf"(?<![\w@])({'|'.join(sizes)})(?!\w)")
    text = names.sub(lambda found: str(sizes[found[0]]), print_tree(func))
    whole, certain = compile_prim_func(func), compile_prim_func(prim_func(text))
    assert certain.stays_sequential == whole.stays_sequential
    wanted = results(lambda *args: whole.run(*args, sequential="numpy"), name, LONG)
    assert_alike(results(lambda *args: certain.run(*args, sequential="numpy"), name, LONG), wanted)


@pytest.mark.skipif(find_spec("numba") is None, reason="needs numba (the extra relax-lang[numba])")
@pytest.mark.parametrize(
    "name", ["adler", "biquad", "chain_order", "checksum", "coins", "decision_tree", "random_numbers"]
)
def test_TIR_21_sequential_kernels_of_other_fields_by_numba(name):
    func = KERNELS[name]
    wanted = results(lambda *args: interpreter.run(func, args), name)
    compiled = compile_prim_func(func)
    for have, want in zip(
        results(lambda *args: compiled.run(*args, sequential="numba"), name), wanted, strict=True
    ):
        np.testing.assert_array_equal(have, want)
