"""Operands of all kinds under every operation: one mistake is one message, and its fix leads to a valid program."""

from __future__ import annotations

import itertools

import pytest

from relax_lang.tir.check.driver import check_prim_func
from tests.edits import applied
from tests.tir.check.bodies import body
from tests.tir.support import prim_func

OPERANDS = (
    "1", "1.5", "true", "popcount(1)", "~1", "sqrt(4)", "isnan(1.5)", "k", "X[0, 0]", "I[0]", "1 / 3", "abs(1)",
    "select(true, 1, 0.5)", "cast(1, int8)", "min_value(int8)", "if_then_else(k > 0, 1, 1.5)", "popcount(1) + clz(2)",
)  # fmt: skip
OPERATIONS = (
    "({}) + ({})", "({}) // ({})", "({}) & ({})", "({}) << ({})", "({}) == ({})", "({}) && ({})", "min({}, {})",
    "pow({}, {})", "select(k > 0, {}, {})",
)  # fmt: skip
STORES = ("let v = {};", "Y[0, 0] = cast({}, float32);", "Y[0, 0] = {};", "I[0] = {};")


@pytest.mark.parametrize("store", STORES)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_TIR_5_operands_of_two_types_are_one_mistake(operation: str, store: str) -> None:
    for a, b in itertools.product(OPERANDS, repeat=2):
        text = body(store.format(operation.format(a, b)))
        mistakes = check_prim_func(prim_func(text))
        if len(mistakes) != 1 or not mistakes[0].fixes:
            continue
        mended = applied(text, mistakes[0].fixes[0])
        left = check_prim_func(prim_func(mended))
        if "pow" in operation and store.startswith("I"):
            # A float stored to an integer is a mistake of its own.
            assert [one.message for one in left] in ([], ["expected int32, found float32"]), (text, mended)
        else:
            assert not left, (text, mended)
