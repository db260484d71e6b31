"""What can be done with any tree."""

from __future__ import annotations

import itertools

import pytest

from relax_lang.base.node import replaced, same, structure
from relax_lang.syntax import tree
from relax_lang.syntax.parser import parse

TEXTS = [
    "X[i] + 1",
    "X[i] + 1.0",
    "X[i] + 0.0",
    "X[i] + -0.0",
    "X[i] - 1",
    "X[i, 1] + 1",
    "Z[i] + 1",
    "(X[i] + 1) + 1",
    "X[i] + (1 + 1)",
    "true",
    "1",
    "1.0",
]


def stored(text: str, before: str = "") -> tree.Node:
    buffers = "X: Buffer[(n,), float32], Y: Buffer[(n,), float32]"
    parsed = parse(f"{before}prim_func @f({buffers}) {{ for i in 0..n {{ Y[i] = {text}; }} }}")
    return parsed.tree.items[0]


@pytest.mark.parametrize(("one", "other"), list(itertools.combinations_with_replacement(TEXTS, 2)))
def test_trees_have_equal_structures_if_they_are_the_same(one: str, other: str) -> None:
    left, right = stored(one), stored(other, before="// further on\n")
    assert (structure(left) == structure(right)) is same(left, right) is (one == other)


def test_a_copy_with_other_fields_keeps_the_rest():
    function = parse("def @main(x: Tensor) { x }").tree.items[0]
    made = replaced(function, private=True, end=7)
    assert (made.private, made.end, made.pos) == (True, 7, function.pos)
    assert made.body is function.body
    assert type(made) is type(function)
    assert not function.private
    with pytest.raises(AssertionError):
        replaced(function, bodies=function.body)
