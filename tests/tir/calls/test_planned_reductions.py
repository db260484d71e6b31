"""Window reductions of tiny arrays are one call in planned calls: the same values as steps. [TIR.21] [O.4]"""

from __future__ import annotations

import os
import random

import numpy as np
import pytest

from relax_lang.tir.compile import compile_prim_func
from relax_lang.tir.interp import interpreter
from relax_lang.tir.ir.signature import TensorSpec
from relax_lang.tir.planned import Plan, plan_call
from tests.tir.support import prim_func

COMBINED = {
    "max": "max({y}, {x})",
    "min": "min({y}, {x})",
    "+": "{y} + {x}",
    "*": "{y} * {x}",
}
FIRST = {"max": ("-inf", "-2147483648"), "min": ("inf", "2147483647"), "+": ("0", "0"), "*": ("1", "1")}


def plan_of(text: str, arrays: list[np.ndarray], result: np.ndarray, same: bool = True) -> Plan:
    specs = [TensorSpec(result.dtype.name, result.shape)]
    with np.errstate(all="ignore"):
        plan = plan_call(compile_prim_func(prim_func(text)), arrays, specs, [], same)
    assert plan is not None
    return plan


def reduces(plan: Plan) -> bool:
    return "reduce" in plan.run.__code__.co_names


def held(text: str, arrays: list[np.ndarray], result: np.ndarray, same: bool = True) -> Plan:
    """Plan a call and hold its result against the interpreter's."""
    interpreter.run(prim_func(text), (*arrays, result))
    plan = plan_of(text, arrays, result, same)
    with np.errstate(all="ignore"):
        for made in (plan.made, plan.run(*arrays)):
            assert made.dtype == result.dtype
            np.testing.assert_allclose(made, result, rtol=1e-5, atol=1e-6, err_msg=text)
    return plan


ROWS = """prim_func @rows(X: Buffer[(n, {k}), {dtype}], Y: Buffer[(n,), {dtype}]) {{
  for i in 0..n {{ Y[i] = {first}; }}
  for i, k in grid(n, {k}) {{ Y[i] = {combined}; }}
}}"""


def rows(op: str, k: int, dtype: str = "float32") -> str:
    first = FIRST[op][dtype.startswith("int")]
    combined = COMBINED[op].format(y="Y[i]", x="X[i, k]")
    if first.lstrip("-") == "inf":
        first = f"cast({first}, {dtype})" if dtype != "float32" else first
    return ROWS.format(
        k=k, dtype=dtype, first=first if "inf" in first else f"cast({first}, {dtype})", combined=combined
    )


@pytest.mark.parametrize("op", COMBINED)
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "int64"])
def test_values_of_rows(op: str, dtype: str) -> None:
    draw = np.random.default_rng(3)
    for n in (0, 1, 5, 30):
        x = (draw.standard_normal((n, 7)) * 1000).astype(dtype)
        plan = held(rows(op, 7, dtype), [x], np.zeros(n, dtype))
        assert reduces(plan) or dtype.startswith("int"), "many steps over few rows are one reduction"


def test_nan_and_infinities() -> None:
    x = np.ones((4, 8), np.float32)
    x[1, 3], x[2, 0], x[3, 7] = np.nan, np.inf, -np.inf
    for op in COMBINED:
        held(rows(op, 8), [x], np.zeros(4, np.float32))


@pytest.mark.parametrize(("n", "k", "is_one"), [(3, 7, True), (3, 4, False), (2000, 7, False)])
def test_few_steps_and_many_rows_stay_steps(n: int, k: int, is_one: bool) -> None:
    x = np.ones((n, k), np.float32)
    assert reduces(held(rows("max", k), [x], np.zeros(n, np.float32), same=False)) == is_one


def test_steps_over_what_the_target_holds_stay_steps() -> None:
    text = """prim_func @running(X: Buffer[(n,), float32], Y: Buffer[(n, 9), float32]) {
      for i in 0..n {
        for k in 0..9 { Y[i, k] = X[i] * cast(k + 1, float32); }
      }
      for i in 0..n {
        for k in 0..8 { Y[i, 8] = max(Y[i, 8], Y[i, k]); }
      }
    }"""
    held(text, [np.array([-1, 2, 3], np.float32)], np.zeros((3, 9), np.float32))


def extents_of(shape: list[int]) -> str:
    return f"({''.join([f'{one}, ' for one in shape])})"


def random_case(seed: int) -> tuple[str, list[np.ndarray], np.ndarray]:
    """Return a PrimFunc that reduces along some dimension of an array, or of a part, in some order of loops."""
    draw = random.Random(seed)
    rank = draw.randint(1, 3)
    at, k = draw.randrange(rank + 1), draw.randint(4, 12)
    offset, step = draw.choice([0, 0, 0, 1, 3]), draw.choice([1, 1, 1, 2])
    sizes = [draw.randint(0, 4) for _ in range(rank)]
    loops = [f"i{axis}" for axis in range(rank)]
    shape = [*sizes[:at], offset + step * k, *sizes[at:]]
    place = f"{step} * k + {offset}"
    index = [*loops[:at], place, *loops[at:]]
    targets = list(loops)
    draw.shuffle(targets)
    dtype = draw.choice(["float32", "float32", "float64", "int32", "int8"])
    op = draw.choice([*COMBINED])
    first = {"max": "-100", "min": "100"}.get(op, FIRST[op][0])
    if dtype.startswith("float") and draw.random() < 0.7:
        first = FIRST[op][0]
    operand = f"X[{', '.join(index)}]"
    if draw.random() < 0.2:
        operand = f"({operand} + {operand})"
    target = f"Y[{', '.join(targets)}]"
    heads = ", ".join(loops)
    ends = ", ".join(map(str, sizes))
    extents = dict(zip(loops, sizes, strict=True))
    y_shape = [extents[name] for name in targets]
    text = f"""prim_func @reduced(X: Buffer[{extents_of(shape)}, {dtype}], Y: Buffer[{extents_of(y_shape)}, {dtype}]) {{
      for {heads} in grid({ends}) {{
        {target} = cast({first}, {dtype});
        for k in 0..{k} {{ {target} = {COMBINED[op].format(y=target, x=operand)}; }}
      }}
    }}"""
    numbers = np.random.default_rng(seed)
    x = (numbers.standard_normal(shape) * 3).astype(dtype)
    return text, [x], np.zeros(y_shape, dtype)


def hold(seed: int) -> bool:
    text, arrays, result = random_case(seed)
    return reduces(held(text, arrays, result))


def test_random_reductions() -> None:
    assert sum(hold(seed) for seed in range(150)) > 15


@pytest.mark.slow
@pytest.mark.skipif("RELAX_NIGHTLY" not in os.environ, reason="takes minutes; set RELAX_NIGHTLY=1")
def test_many_random_reductions() -> None:
    for seed in range(1000, 6000):
        hold(seed)
