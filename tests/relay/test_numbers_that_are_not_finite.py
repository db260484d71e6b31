"""Infinities and nan where an operator of integers takes a number: a diagnostic, or computed when it runs. [Y.9]"""

from __future__ import annotations

import pytest

from tests.relay.support import slugs

HEAD = '#[version = "0.0.5"]\n'


@pytest.mark.parametrize("number", ["1e999f", "inff", "nanf"])
def test_Y_9_bounds_of_a_range_of_integers(number: str) -> None:
    for bounds in (f"0f, {number}, 1f", f"{number}, 6f, 1f", f"0f, 6f, {number}"):
        call = f'arange({bounds}, start=None, stop=None, step=None, dtype="int32")'
        assert slugs(f"{HEAD}def @main() {{ {call} }}") == []


@pytest.mark.parametrize("number", ["inff", "-inff", "nanf"])
def test_Y_9_a_mask_of_integers_has_an_integer(number: str) -> None:
    call = f"sequence_mask(%x, %l, mask_value={number}, axis=0)"
    text = f"{HEAD}def @main(%x: Tensor[(2, 3), int32], %l: Tensor[(3), int32]) {{ {call} }}"
    assert slugs(text) == ["relay-attribute-value"]
