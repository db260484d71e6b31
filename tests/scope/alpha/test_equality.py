"""Programs that are the same up to names, and those that are not."""

from __future__ import annotations

import re

import pytest

from relax_lang import api
from relax_lang.base.python.recursion import deep_recursion
from relax_lang.base.source import SourceFile
from relax_lang.scope.alpha.equality import alpha_equal, differences

HEAD = "def @main(x: Tensor[(n, m), float32], c: Tensor[(), bool]) "
PRIVATE = "private def @f(x: Tensor) { exp(x) }\nprivate def @g(x: Tensor) { log(x) }"


def equal(left: str, right: str) -> bool:
    trees = [api.normalize(SourceFile(text, "p.rlx")) for text in (left, right)]
    with deep_recursion():
        assert alpha_equal(*trees) is alpha_equal(trees[1], trees[0])
        assert alpha_equal(trees[0], trees[0])
        return alpha_equal(*trees)


def renamed(text: str, **names: str) -> str:
    return re.sub(r"\b\w+\b", lambda word: names.get(word[0], word[0]), text)


RENAMED = [
    (HEAD + "{ let y = x + x; let z = y * x; z }", {"x": "a", "y": "x", "z": "y"}),
    (
        HEAD + "{ let y = match_cast(x, Tensor[(k, j), float32]); y }",
        {"n": "m", "m": "n", "k": "j", "j": "k"},
    ),
    (HEAD + "{ let f = fn (a: Tensor[(n, k), float32]) { a }; f(x) }", {"f": "g", "a": "x1", "k": "kk"}),
    (HEAD + "{ if c { let y = exp(x); y } else { let y = log(x); y } }", {"c": "b", "y": "z"}),
    (HEAD + "{ dataflow { let y = exp(x); let z = y; output z; } z }", {"y": "z", "z": "y"}),
    ("def @main(f: fn(Tensor[(n,)], Tensor[(k,)]) -> Tensor[(n,)]) { f }", {"n": "k", "k": "n", "f": "h"}),
    ("def @main(x: Tensor) { @help(x) }\nprivate def @help(y: Tensor) { y }", {"help": "aid", "y": "x"}),
    (
        (
            "private prim_func @p(X: Buffer[(n,), float32], Y: Buffer[(n,), float32], k: int64) "
            "{ alloc T: Buffer[(n,), float32]; for i in 0..n { block b (v = spatial(i)) { let w = X[v]; T[v] = w; } } "
            "for i in 0..n { Y[i] = T[i] * cast(k, float32); } }\n"
            "def @main(x: Tensor[(n,), float32]) { call_tir(@p, (x,), shape(3)) -> Tensor[(n,), float32] }"
        ),
        {
            "X": "A",
            "Y": "X",
            "T": "Y",
            "i": "j",
            "v": "i",
            "w": "u",
            "b": "bb",
            "k": "s",
            "n": "size",
            "p": "q",
        },
    ),
]


@pytest.mark.parametrize(("text", "names"), RENAMED)
def test_renamed_programs_are_the_same(text: str, names: dict[str, str]) -> None:
    assert equal(text, renamed(text, **names))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (HEAD + "{ let y = exp(x); let z = log(x); (y, z) }", HEAD + "{ let y = exp(x); let z = log(x); (z, y) }"),
        (HEAD + "{ (x, x) }", "def @main(x: Tensor[(n, n), float32], c: Tensor[(), bool]) { (x, x) }"),
        (HEAD + "{ x }", "def @other(x: Tensor[(n, m), float32], c: Tensor[(), bool]) { x }"),
        (HEAD + "{ exp(x) }", HEAD + "{ log(x) }"),
        (HEAD + "{ x + 1.0 }", HEAD + "{ x + 2.0 }"),
        (HEAD + "{ sum(x, axis=[0]) }", HEAD + "{ sum(x, axis=[1]) }"),
        (HEAD + "{ x }", HEAD + "{ x }\ndef @more(x: Tensor) { x }"),
        (HEAD + "{ x }", HEAD + "{ x }\nprivate def @more(x: Tensor) { x }"),
        ("module attrs { a: 1 }\n" + HEAD + "{ x }", "module attrs { a: 2 }\n" + HEAD + "{ x }"),
        (
            "def @main(x: Tensor) { @f(x) }\n" + PRIVATE,
            "def @main(x: Tensor) { @g(x) }\n" + PRIVATE,
        ),
        (
            "prim_func @p(A: Buffer[(4, 4), int32]) { for i, j in grid(4, 4) { A[i, j] = cast(i, int32); } }",
            "prim_func @p(A: Buffer[(4, 4), int32]) { for i, j in grid(4, 4) { A[j, i] = cast(i, int32); } }",
        ),
    ],
)  # fmt: skip
def test_other_programs_are_not(left: str, right: str) -> None:
    assert not equal(left, right)


def test_layout_sugar_and_the_order_of_functions_do_not_count() -> None:
    left = HEAD + "{ x + x }\n# a comment\ndef @f(x: Tensor) { -x }"
    right = "def @f(y: Tensor) { let v = negative(y); v }\n\n" + HEAD + "{\n  let s = add(x, x);\n  s\n}"
    assert equal(left, right)


def test_names_that_are_used_again_in_another_scope() -> None:
    left = "prim_func @p(A: Buffer[(4,), int32]) { for i in 0..4 { A[i] = 1; } for i in 0..4 { A[i] = 2; } }"
    right = "prim_func @p(A: Buffer[(4,), int32]) { for i in 0..4 { A[i] = 1; } for j in 0..4 { A[j] = 2; } }"
    assert equal(left, right)


def test_the_place_of_a_difference() -> None:
    texts = [HEAD + "{ let y = exp(x); y + x }", HEAD + "{ let why = exp(x); why + why }"]
    trees = [api.normalize(SourceFile(text, "p.rlx")) for text in texts]
    (found,) = differences(*trees)
    assert found.left is not None
    assert found.right is not None
    assert texts[0][found.left.pos : found.left.end] == "x"
    assert texts[1][found.right.pos : found.right.end] == "why"
