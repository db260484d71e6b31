"""Alpha-equality and hash of expressions, functions and PrimFuncs."""

from __future__ import annotations

import pytest

from relax_lang.api import normalize
from relax_lang.scope.alpha.structure import alpha_equal, alpha_hash, alpha_structure
from relax_lang.syntax import tree


def item(text: str, name: str) -> tree.Function | tree.PrimFunc:
    for one in normalize(text).items:
        if one.name is not None and one.name.name_hint == name:
            return one
    raise AssertionError(name)


def values(text: str) -> list[tree.Expr]:
    function = item(text, "main")
    assert isinstance(function, tree.Function)
    assert isinstance(function.body, tree.SeqExpr)
    return [binding.value for block in function.body.blocks for binding in block.bindings]


SAME = [
    (
        "def @f(x: Tensor[(n,), float32]) { let y = x + x; y }",
        "def @f(a: Tensor[(k,), float32]) { let b = a + a; b }",
    ),
    (
        "prim_func @f(X: Buffer[(n,), int32]) { for i in 0..n { X[i] = 0; } for i in 0..n { X[i] = 1; } }",
        "prim_func @f(Y: Buffer[(m,), int32]) { for i in 0..m { Y[i] = 0; } for j in 0..m { Y[j] = 1; } }",
    ),
    (
        "def @f(x: Tensor[(n, m), float32]) { match_cast(x, Tensor[(k, k), float32]); shape(k, m) }",
        "def @f(x: Tensor[(a, b), float32]) { match_cast(x, Tensor[(c, c), float32]); shape(c, b) }",
    ),
    (
        "def @f(c: Tensor[(), int32]) -> Tensor[(), int32] { @f(c) }",
        "def @f(d: Tensor[(), int32]) -> Tensor[(), int32] { @f(d) }",
    ),
]
DIFFERENT = [
    (
        "def @f(x: Tensor[(n, m), float32]) { shape(n, m) }",
        "def @f(x: Tensor[(n, m), float32]) { shape(m, n) }",
    ),
    ("def @f(x: Tensor, y: Tensor) { x - y }", "def @f(x: Tensor, y: Tensor) { y - x }"),
    ("def @f() { const(0.0, float32) }", "def @f() { const(-0.0, float32) }"),
    (
        "prim_func @f(X: Buffer[(n, n), int64]) { for i, j in grid(n, n) { X[i, j] = i; } }",
        "prim_func @f(X: Buffer[(n, n), int64]) { for i, j in grid(n, n) { X[i, j] = j; } }",
    ),
]


@pytest.mark.parametrize(("left", "right"), SAME)
def test_names_of_what_is_bound_do_not_count(left: str, right: str) -> None:
    one, other = item(left, "f"), item(right, "f")
    assert alpha_equal(one, other)
    assert alpha_hash(one) == alpha_hash(other)


@pytest.mark.parametrize(("left", "right"), DIFFERENT)
def test_what_means_something_else_is_different(left: str, right: str) -> None:
    one, other = item(left, "f"), item(right, "f")
    assert not alpha_equal(one, other)
    assert alpha_hash(one) != alpha_hash(other)


def test_the_name_of_an_item_does_not_count_but_those_of_others_do() -> None:
    text = "prim_func @f(X: Buffer[(2,), int32]) { X[0] = 1; } prim_func @g(Y: Buffer[(2,), int32]) { Y[0] = 1; }"
    assert alpha_equal(item(text, "f"), item(text, "g"))
    calls = "private def @a() { 1 } private def @b() { 1 } def @f() { @a() } def @g() { @b() }"
    assert not alpha_equal(item(calls, "f"), item(calls, "g"))
    assert alpha_equal(item(calls, "a"), item(calls, "b"))


def test_free_names_of_expressions_count() -> None:
    one, two, three, four, five = values(
        "def @main(x: Tensor[(n,), float32], y: Tensor[(m,), float32]) {"
        " let a = fn (p: Tensor[(k,), float32]) { p + x };"
        " let b = fn (q: Tensor[(l,), float32]) { q + x };"
        " let c = fn (q: Tensor[(k,), float32]) { q + y };"
        " let d = fn (q: Tensor[(n,), float32]) { q };"
        " let e = fn (q: Tensor[(m,), float32]) { q };"
        " (a, b, c, d, e) }"
    )
    assert alpha_equal(one, two)
    assert not alpha_equal(one, three)
    assert alpha_equal(four, five)
    assert not alpha_equal(four, five, {"n", "m"})
    assert alpha_structure(four, None) == alpha_structure(four, None)
    assert not alpha_equal(one, two, None)


def test_modules_are_compared_whole() -> None:
    left = normalize("private def @a() { 1 } def @f() { @a() }")
    right = normalize("def @f() { @b() } private def @b() { 1 }")
    assert alpha_equal(left, right)
    assert alpha_hash(left) == alpha_hash(right)


def test_a_deep_expression_needs_no_stack() -> None:
    assert alpha_equal(deep(20_000, "x"), deep(20_000, "x"), None)
    assert not alpha_equal(deep(20_000, "x"), deep(20_000, "y"), None)


def deep(depth: int, name: str) -> tree.PrimExpr:
    made: tree.PrimExpr = tree.PrimVar(name)
    for _ in range(depth):
        made = tree.Add(made, tree.IntImm(1))
    return made
