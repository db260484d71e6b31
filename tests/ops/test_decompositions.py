"""Decompositions against kernels, over random calls of every operator that has one. [OP.9]"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from relax_lang.base.relax_error import RelaxError
from relax_lang.base.sequences import as_tuple, is_sequence
from relax_lang.builder.infos import Tensor
from relax_lang.builder.module_builder import ModuleBuilder
from relax_lang.builder.values import Atom, call
from relax_lang.ops.core.dtypes import name_of
from relax_lang.ops.core.operator import Operator
from relax_lang.ops.decompose.core import decomposition_of
from relax_lang.ops.registry import all_operators, is_built_in
from relax_lang.runtime.session import Session
from relax_lang.te.expr import dim
from relax_lang.transform.operators.decompose_ops import decompose_ops
from relax_lang.typed import Typed
from relax_lang.values import RunFailure
from tests.ops.test_reference import ROUNDING, close, completed, drawn

WITH = [one for one in all_operators() if is_built_in(one) and decomposition_of(one) is not None]
SEEDS = 24


def program(operator: Operator, seed: int, *, symbolic: bool) -> tuple[Typed, list[Any]]:
    """Return a program of one random call, and arguments for it."""
    _, (args, attrs) = drawn(operator, seed)
    bb, params, values = ModuleBuilder(), list[Atom](), list[Any]()

    def operand(value: Any) -> Any:
        if is_sequence(value):
            return tuple([operand(one) for one in value])
        if not hasattr(value, "dtype"):
            return value
        name = f"p{len(params)}"
        sizes = [dim(f"{name}_{at}") if symbolic else size for at, size in enumerate(value.shape)]
        params.append(bb.var(name, Tensor(tuple(sizes), str(name_of(value.dtype)))))
        values.append(value)
        return params[-1]

    operands = [operand(one) for one in completed(operator, args)]
    while operands and operands[-1] is None:
        operands.pop()
    with bb.function("main", params):
        with bb.dataflow():
            out = bb.emit_output(bb.emit(call(operator.name, tuple(operands), attrs)))
        bb.emit_func_output(out)
    return Typed.of_tree(bb.module()), values


def run(typed: Typed, values: list[Any]) -> Any:
    with np.errstate(all="ignore"):
        return Session(typed.module, typed.source, engine="interpreter").call(
            "main", [one.copy() for one in values]
        )


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("operator", WITH, ids=repr)
def test_OP_9_decomposition_and_kernel_agree(operator: Operator) -> None:
    changed = 0
    for seed in range(SEEDS):
        try:
            typed, values = program(operator, seed, symbolic=seed % 3 == 2)
            expected = run(typed, values)
        except (RelaxError, RunFailure):
            continue
        after = decompose_ops()(typed)
        told = (seed, str(typed), str(after))
        assert not after.checked().has_errors, told
        if after is typed:
            continue
        assert operator.name not in str(after).replace(f"{operator.name}_", ""), told
        changed += 1
        for one, other in zip(as_tuple(run(after, values)), as_tuple(expected), strict=True):
            assert (one.dtype, one.shape) == (other.dtype, other.shape), told
            close(one, other, 20 * ROUNDING.get(name_of(other.dtype), 0), told)
    assert changed >= SEEDS // 4
