"""Type relations of all operators against their kernels, over all small shapes. [R.33] [R.34]

For every combination of arguments the relation either refuses the call, with one diagnostic, or the value of the kernel
is of the type that the relation gives. `test_operators` has the values that programs of one and two arguments give on
all engines, `test_operator_values` those of the definitions.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable

import numpy as np
import pytest

from relax_lang.base.python.recursion import deep_recursion
from relax_lang.relay.evaluation.interpreter import Interpreter
from relax_lang.relay.operators.registry import OPERATORS
from relax_lang.relay.unification.model import ANY, Tensor, Tuple, find_shape, find_type
from relax_lang.relay.unification.printing import show
from relax_lang.values import RunFailure
from tests.relay.operators.more_relation_cases import BY_VALUES
from tests.relay.operators.relation_cases import CASES
from tests.relay.operators.test_operators import type_text
from tests.relay.support import checked


def conforms(claimed: object, value: object) -> bool:
    """Whether a value is of a type, of which `?` is any extent."""
    claimed = find_type(claimed)
    if isinstance(claimed, Tuple):
        return (
            isinstance(value, tuple)
            and len(value) == len(claimed.fields)
            and all(conforms(one, part) for one, part in zip(claimed.fields, value, strict=True))
        )
    assert isinstance(claimed, Tensor)
    array = np.asarray(value)
    shape = find_shape(claimed.shape)
    return (
        claimed.dtype == str(array.dtype)
        and len(shape) == array.ndim
        and all(own in (ANY, size) for own, size in zip(shape, array.shape, strict=True))
    )


def shown(array: np.ndarray) -> str:
    return type_text(array.shape).replace("float32", str(array.dtype)) if array.ndim else str(array.dtype)


def outcomes(name: str) -> Callable[[], Iterable[bool]]:
    """Compare over all combinations; say of each whether the relation accepts it."""
    for call, candidates in CASES[name]:
        for args in itertools.product(*candidates):
            params = ", ".join([f"%x{index}: {shown(arg)}" for index, arg in enumerate(args)])
            text = f"def @main({params}) {{ {call.replace('%', '%x')} }}"
            found = checked(text)
            if found.has_errors:
                errors = [one for one in found.diagnostics if one.severity == "error"]
                assert len(errors) == 1, text
                yield False
                continue
            claimed = found.typed.functions["main"].type.result
            with deep_recursion():
                try:
                    value = Interpreter(found).call("main", args)
                except RunFailure:
                    if name in BY_VALUES:  # which do not fit
                        continue
                    raise
            assert conforms(claimed, value), f"{text}: {show(claimed)}, found {np.shape(value)}"
            yield True


def test_R_33_every_operator_is_compared():
    assert set(CASES) == set(OPERATORS)


@pytest.mark.parametrize("name", CASES)
def test_R_34_relations_give_the_types_of_the_values(name):
    assert any(list(outcomes(name)))
