"""PrimFuncs of every class, compiled and interpreted, against independent NumPy. [TIR.21]

Each `corpus/<class>.rlx` has a `corpus/<class>.py` beside it with a row for every PrimFunc. All run with dimension
variables and with fixed sizes. How each is compiled is recorded in `golden/strategies/<class>.txt`, so that a lost
vectorization is seen; `pytest --update-golden` writes these files.
"""

from __future__ import annotations

import os
from itertools import groupby

import numpy as np
import pytest

from relax_lang.base.node import same
from relax_lang.syntax import tree
from relax_lang.tir.check.driver import check_prim_func
from relax_lang.tir.compile import Compiled
from relax_lang.tir.interp import interpreter
from relax_lang.tir.ir import signature
from tests.tir.cases import USUAL, arguments, compare
from tests.tir.support import assert_same_outcome, copied
from tests.tir.whole_corpus import ALL, CASES, CLASSES, FUNCS, IDS, compiled, fixed

CANCELLED = 4096
"""Units in the last place of a result that a sum may be off by of which little is left."""


@pytest.mark.parametrize("kind", CLASSES)
def test_every_prim_func_has_a_row(kind: str) -> None:
    assert list(FUNCS[kind]) == list(CASES[kind])


def test_names_are_unique() -> None:
    assert len(set(IDS)) == len(IDS)


@pytest.mark.parametrize("kind", CLASSES)
def test_no_mistakes(kind: str) -> None:
    found = {name: check_prim_func(func) for name, func in FUNCS[kind].items()}
    found |= {f"{name}, fixed sizes": check_prim_func(fixed(kind, name).func) for name in FUNCS[kind]}
    assert {name: problems for name, problems in found.items() if problems} == {}


@pytest.mark.parametrize(("kind", "name"), ALL, ids=IDS)
def test_interpreter_agrees_with_numpy(kind: str, name: str) -> None:
    func, case = FUNCS[kind][name], CASES[kind][name]
    for sizes in case.sizes:
        compare(lambda *args: interpreter.run(func, args), func, case, sizes, str(sizes))


@pytest.mark.parametrize(("kind", "name"), ALL, ids=IDS)
def test_TIR_21_compiled_agrees_with_numpy(kind: str, name: str) -> None:
    func, case = FUNCS[kind][name], CASES[kind][name]
    result = compiled(kind, name)
    for sizes in case.sizes:
        compare(result.run, func, case, sizes, f"{sizes}\n{result.source}")


@pytest.mark.parametrize(("kind", "name"), ALL, ids=IDS)
def test_TIR_21_compiled_at_fixed_sizes_agrees_with_numpy(kind: str, name: str) -> None:
    result, case = fixed(kind, name), CASES[kind][name]
    compare(result.run, FUNCS[kind][name], case, case.sizes[0], result.source)


@pytest.mark.parametrize(("kind", "name"), ALL, ids=IDS)
def test_TIR_21_arrays_that_are_views(kind: str, name: str) -> None:
    """Neither contiguous nor aligned with each other: every other element of a larger array, backwards."""
    func, case = FUNCS[kind][name], CASES[kind][name]

    def run(*args: object) -> None:
        views = [spread(value) if isinstance(value, np.ndarray) else value for value in args]
        compiled(kind, name).run(*views)
        for value, view in zip(args, views, strict=True):
            if isinstance(value, np.ndarray):
                value[...] = view

    compare(run, func, case, case.sizes[0], compiled(kind, name).source)


def spread(array: np.ndarray) -> np.ndarray:
    """Return a view with the same elements whose strides are not those of a new array."""
    base = np.empty([2 * size + 1 for size in array.shape], array.dtype)
    view = base[(*[slice(None, 0, -2)] * array.ndim, ...)]
    view[...] = array
    return view


INDEXED = [
    (kind, name, buffer.name)
    for kind, name in ALL
    for buffer in signature.buffers(FUNCS[kind][name])
    if buffer.name in CASES[kind][name].inputs and buffer.dtype.name == "int64"
]


@pytest.mark.parametrize(
    ("kind", "name", "buffer"), INDEXED, ids=[f"{name}-{buffer}" for _, name, buffer in INDEXED]
)
def test_TIR_21_numbers_that_are_no_indices(kind: str, name: str, buffer: str) -> None:
    """Where a number from a buffer is an index, it is checked: the same failure, after the same writes."""
    func, case = FUNCS[kind][name], CASES[kind][name]
    at = [param.name for param in func.params].index(buffer)
    for number in (100_000, -1, 7):
        args = arguments(func, case, case.sizes[0])
        array = args[at]
        assert isinstance(array, np.ndarray)
        array.reshape(-1)[array.size // 2] = number
        assert_same_outcome(func, args, case.ulps)


SPECIAL = (np.nan, np.inf, -np.inf, -0.0, 1e-40)
FLOATS = [
    (kind, name)
    for kind, name in ALL
    if any("float" in buffer.dtype.name for buffer in signature.buffers(FUNCS[kind][name]))
    and name not in ("pre_summed", "fixed_point", "half_precision_steps")  # distributive law; would not end
]


@pytest.mark.parametrize(("kind", "name"), FLOATS, ids=[name for _, name in FLOATS])
def test_TIR_21_special_numbers(kind: str, name: str) -> None:
    func, case = FUNCS[kind][name], CASES[kind][name]
    args = arguments(func, case, case.sizes[0])
    numbers = np.random.default_rng(0)
    for array in args:
        if isinstance(array, np.ndarray) and array.size and "float" in array.dtype.name:
            places = numbers.integers(0, array.size, 1 + array.size // 5)
            array.reshape(-1)[places] = numbers.choice(SPECIAL, places.size).astype(array.dtype)
    assert_same_outcome(func, args, CANCELLED if case.ulps else 0)


def alike(kind: str, name: str) -> list[tuple[int, int]]:
    """Return the pairs of parameters that one array would do for; the second is the last buffer."""
    params = FUNCS[kind][name].params
    last = max([at for at, param in enumerate(params) if isinstance(param, tree.Buffer)])
    return [(at, last) for at in range(last) if same(unnamed(params[at]), unnamed(params[last]))]


def unnamed(param: tree.PrimParam) -> tree.PrimParam:
    return tree.Buffer("", param.shape, param.dtype) if isinstance(param, tree.Buffer) else param


SHARED = [(kind, name) for kind, name in ALL if alike(kind, name)]


@pytest.mark.parametrize(("kind", "name"), SHARED, ids=[name for _, name in SHARED])
def test_TIR_21_one_array_for_two_parameters(kind: str, name: str) -> None:
    func, case = FUNCS[kind][name], CASES[kind][name]
    args = arguments(func, case, case.sizes[0])
    for one, other in alike(kind, name):
        shared = [args[one] if at == other else value for at, value in enumerate(args)]
        assert_same_outcome(func, shared, case.ulps)


@pytest.mark.parametrize(
    "name",
    ["relu", "add", "bias_add", "scale", "leaky_relu", "to_float", "half_product", "brain_chain", "outer", "row_max",
     "transpose", "pad_constant", "conditional_update"],
)  # fmt: skip
def test_TIR_21_without_sums_and_transcendental_functions_the_bits_are_equal(name: str) -> None:
    kind = next(kind for kind, other in ALL if other == name)
    func, case = FUNCS[kind][name], CASES[kind][name]
    args = arguments(func, case, case.sizes[0])
    one, other = copied(args), copied(args)
    interpreter.run(func, one)
    compiled(kind, name).run(*other)
    for a, b in zip(one, other, strict=True):
        if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
            assert a.tobytes() == b.tobytes()


# ---- strategies


@pytest.mark.parametrize("kind", CLASSES)
def test_strategies(kind: str, golden) -> None:
    lines: list[str] = []
    for name in FUNCS[kind]:
        symbolic = strategies(kind, name, compiled(kind, name))
        lines += [f"{name}: {line}" for line in symbolic]
        constant = strategies(kind, name, fixed(kind, name))
        if constant != symbolic:
            lines += [f"{name}, fixed sizes: {line}" for line in constant]
    golden(f"strategies/{kind}.txt", "".join([f"{line}\n" for line in lines]))


def strategies(kind: str, name: str, result: Compiled) -> list[str]:
    """Return a line for each loop and block, and one if a call of ordinary size needs the interpreter.

    Pieces of one statement that are done alike, such as the sides of a padding, count as one.
    """
    each = [f"{remark.name}: {remark.strategy}" + reason(remark.reason) for remark in result.remarks]
    lines = [line for line, _ in groupby(each)]
    if result.vectorized and needs_interpreter(kind, name, result):
        lines.append("the interpreter takes over when it is called")
    return lines


def reason(text: str) -> str:
    return f" ({text})" if text else ""


def needs_interpreter(kind: str, name: str, result: Compiled) -> bool:
    """Tell whether the generated code hands a call over."""
    used: list[object] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(interpreter, "run", lambda *args: used.append(args))
        result.run(*arguments(FUNCS[kind][name], CASES[kind][name], CASES[kind][name].sizes[0]))
    return bool(used)


# ---- any sizes


UNSTABLE = {"mean_and_spread"}
"""What subtracts squares that may be equal."""


@pytest.mark.slow
@pytest.mark.skipif("RELAX_NIGHTLY" not in os.environ, reason="takes minutes; set RELAX_NIGHTLY=1")
def test_TIR_21_random_sizes() -> None:
    """Also those at which a program fails: compiled, it fails likewise, after the same writes."""
    numbers = np.random.default_rng(0)
    for kind, name in ALL * 20:
        sizes = {size: int(numbers.integers(0, 3 if numbers.random() < 0.2 else 9)) for size in USUAL[0]}
        func, case = FUNCS[kind][name], CASES[kind][name]
        try:
            args = arguments(func, case, sizes)
        except ValueError:
            continue  # a shape would be negative, or there is nothing to choose an index from
        if name not in UNSTABLE:
            assert_same_outcome(func, args, CANCELLED if case.ulps else 0)
