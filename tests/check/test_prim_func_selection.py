"""Which PrimFuncs are checked: those in which the parser found no mistake. [Z.5]"""

from __future__ import annotations

import pytest

from relax_lang import api

BODY = "(X: Buffer[(3,), {dtype}]) {{\n  X[{index}] = 1.0;\n}}\n"
RIGHT, WRONG = BODY.format(dtype="float32", index=0), BODY.format(dtype="float32", index=9)


@pytest.mark.parametrize(
    ("text", "slugs"),
    [
        (f"prim_func @p{WRONG}", ["tir-out-of-bounds"]),
        (f"prim_func @p{BODY.format(dtype='floa32', index=9)}", ["unknown-dtype"]),
        # What is wrong with its name says nothing about its body.
        (f"private prim_func @p{WRONG}", ["no-entry-point", "tir-out-of-bounds"]),
        (f"prim_func @p{RIGHT}prim_func @p{WRONG}", ["duplicate-global", "tir-out-of-bounds"]),
        # A mistake between two items belongs to neither of them.
        (f"prim_func @p{WRONG}; prim_func @q{WRONG}", ["tir-out-of-bounds", "syntax", "tir-out-of-bounds"]),
    ],
)
def test_Z_5_a_prim_func_is_checked_unless_the_parser_found_a_mistake_in_it(
    text: str, slugs: list[str]
) -> None:
    assert [one.slug for one in api.check(text).diagnostics] == slugs
