"""Values of operators without a Relax operator of the same name: against NumPy, on both engines. [R.33] [R.37]

What is expected is computed here from the definition of the operator, element by element.
"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang import api
from relax_lang.api.relay import translated
from relax_lang.base.source import RelayFile
from relax_lang.relay.unification.printing import show
from tests.relay.operators.more_operator_cases import CASES, COMPUTED
from tests.relay.operators.operator_definitions import type_text
from tests.relay.support import checked


def program(call: str, args: tuple[np.ndarray, ...]) -> str:
    for index in reversed(range(len(args))):
        call = call.replace(f"%{index}", f"%x{index}")
    params = ", ".join([f"%x{index}: {type_text(arg)}" for index, arg in enumerate(args)])
    return f"def @main({params}) {{ {call} }}"


@pytest.mark.parametrize("engine", ["relay", "compiled", "interpreter"])
@pytest.mark.parametrize("name", CASES)
def test_R_33_values_are_those_of_the_definition(name, engine):
    call, args, expected = CASES[name]
    if expected is None:
        expected = COMPUTED[name](*args)
    text = program(call, args)
    assert [str(one) for one in checked(text).diagnostics] == []
    value = api.run_session(api.start(RelayFile(text), engine=engine), "main", args)
    found, wanted = (value, expected) if isinstance(expected, tuple) else ((value,), (expected,))
    assert len(found) == len(wanted)
    for left, right in zip(found, wanted, strict=True):
        assert left.shape == right.shape
        assert left.dtype == right.dtype
        np.testing.assert_allclose(left, right, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", CASES)
def test_R_38_the_text_of_the_translation_is_sound(name):
    call, args, _ = CASES[name]
    made = translated(RelayFile(program(call, args)))
    assert [str(one) for one in api.check(made).diagnostics if one.severity != "hint"] == []


def fits(claimed: str, value: object) -> bool:
    """Whether a value is of a type, of which `?` is any extent."""
    if isinstance(value, tuple):
        inner = ", ".join([type_text(one) if one.ndim else str(one.dtype) for one in value])
        return claimed == f"({inner}{',' if len(value) == 1 else ''})" or "?" in claimed
    if not value.ndim:
        return claimed == str(value.dtype)
    wanted = claimed.removeprefix("Tensor[(").partition("), ")
    extents = wanted[0].split(", ")
    same = [own in ("?", str(size)) for own, size in zip(extents, value.shape, strict=True)]
    return all(same) and wanted[2] == f"{value.dtype}]"


@pytest.mark.parametrize("name", CASES)
def test_R_34_types_are_those_of_the_values(name):
    call, args, expected = CASES[name]
    if expected is None:
        expected = COMPUTED[name](*args)
    claimed = show(checked(program(call, args)).typed.functions["main"].type.result)
    assert fits(claimed, expected), claimed


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("take(%x, %i, batch_dims=1)", "needs an `axis`"),
        ("take(%x, %i, batch_dims=2, axis=1)", "from 0 to 1"),
        ("take(%x, %i, batch_dims=1, axis=1)", "extents of `data` and `indices` differ: 2 and 3"),
        ("nn.pad(%x, %x, pad_width=[[0, 0], [0, 0]])", "`pad_value` is a scalar"),
        ('nn.depth_to_space(%x, block_size=2, layout="NHWC")', "the layout NHWC has 4"),
    ],
)
def test_R_34_what_does_not_go_together(call, words):
    text = f"def @main(%x: Tensor[(2, 4), float32], %i: Tensor[(3, 1), int32]) {{ {call} }}"
    (found,) = [found for found in checked(text).diagnostics if found.severity == "error"]
    assert words in found.message
