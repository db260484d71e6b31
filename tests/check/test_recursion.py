"""Functions that call themselves or each other, and results that are not annotated."""

from __future__ import annotations

from itertools import pairwise

import pytest

from relax_lang.base.source import SourceFile
from relax_lang.check.driver import check_source
from relax_lang.check.recursion import cycles
from relax_lang.syntax import tree


def found(text: str) -> list[tuple[str, str]]:
    return [(one.slug, text[one.pos : one.end]) for one in check_source(SourceFile(text)).diagnostics]


def messages(text: str) -> list[str]:
    return [one.message for one in check_source(SourceFile(text)).diagnostics]


def test_W_7_recursive_functions_need_a_result_annotation() -> None:
    text = "def @f(x: Tensor) { @f(x) }"
    assert found(text) == [("recursive-fn-needs-return-annotation", "@f")]
    assert messages(text) == ["`@f` is recursive (@f → @f) and needs `-> S`"]
    assert found("def @f(x: Tensor) -> Tensor { @f(x) }") == []


def test_W_7_S_2_every_function_of_a_circle_that_lacks_one() -> None:
    text = 'def @f() { @g() }\ndef @g() -> () { @"h 1"() }\ndef @"h 1"() { @f() }\ndef @main() { @f() }'
    assert found(text) == [
        ("recursive-fn-needs-return-annotation", "@f"),
        ("recursive-fn-needs-return-annotation", '@"h 1"'),
    ]
    assert messages(text)[0] == '`@f` is recursive (@f → @g → @"h 1" → @f) and needs `-> S`'


def test_T_K1_functions_that_are_not_recursive_need_none() -> None:
    assert found("def @main() { (@f(), @g()) }\ndef @f() { @g() }\ndef @g() { () }") == []


@pytest.mark.parametrize(
    ("binding", "expected"),
    [
        ("let f = fn (a: Tensor) { f(a) };", [("recursive-fn-needs-return-annotation", "f")]),
        ("let f = fn (a: Tensor) -> Tensor { f(a) };", []),
        ("let f: fn(Tensor) -> Tensor = fn (a: Tensor) { f(a) };", []),
        ("let f = fn (a: Tensor) { a };", []),
    ],
)
def test_T_K10_4_ERR_12_local_functions(binding: str, expected: list[tuple[str, str]]) -> None:
    assert found(f"def @main(x: Tensor) -> Object {{ {binding} f(x) }}") == expected


def test_W_6_1_no_recursive_call_in_a_dataflow_block() -> None:
    text = "def @f(x: Tensor) -> Tensor { dataflow { let g = @f(x); output g; } g }"
    assert found(text) == [("recursion-in-dataflow", "@f(x)")]
    assert found("def @f(x: Tensor) -> Tensor { let g = @f(x); dataflow { let h = g; output h; } h }") == []


def test_W_6_2_nor_one_through_others() -> None:
    text = (
        "def @f(x: Tensor) -> Tensor { dataflow { let a = @h(x); let g = @g(a); output g; } g }\n"
        "def @g(x: Tensor) -> Tensor { @f(x) }\n"
        "def @h(x: Tensor) -> Tensor { x }"
    )
    assert found(text) == [("recursion-in-dataflow", "@g(a)")]
    assert messages(text) == ["recursive call in a dataflow block: @f → @g → @f"]


def test_W_6_5_functions_defined_in_a_dataflow_block_may_call_what_they_like() -> None:
    inner = "let h = fn (a: Tensor) -> Tensor { @f(a) };"
    assert found(f"def @f(x: Tensor) -> Tensor {{ dataflow {{ {inner} output h; }} h(x) }}") == []


def test_W_6_1_a_function_may_be_mentioned_there() -> None:
    text = "def @f(x: Tensor) -> Object { dataflow { let p = (x, @f); output p; } p }"
    assert found(text) == []


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        ("add(x, x) -> Tensor", [("type-args-ignored", "Tensor")]),
        ("@g(x) -> Tensor", [("type-args-ignored", "Tensor")]),
        ('extern "f"(x) -> Tensor', []),
        ("f(x) -> Tensor", [("type-args-ignored", "Tensor")]),
        ("call_tir(@p, (x,)) -> Tensor[(2,), float32]", []),
        ("invoke_closure(f, (x,)) -> Tensor", []),
    ],
)
def test_G_31_results_that_have_no_effect(call: str, expected: list[tuple[str, str]]) -> None:
    text = (
        f"def @main(x: Tensor[(2,), float32], f: fn(Tensor) -> Tensor) -> Object {{ {call} }}\n"
        "def @g(x: Tensor) -> Tensor { x }\n"
        "prim_func @p(X: Buffer[(2,), float32], Y: Buffer[(2,), float32]) { Y[0] = X[0]; Y[1] = X[1]; }"
    )
    assert found(text) == expected


def test_cycles_of_long_chains() -> None:
    """100,000 functions in a row, without recursion of our own; then the last calls the first."""
    items = [tree.Function(None, False, None, (), None, (), tree.Tuple(())) for _ in range(100_000)]
    graph: dict[tree.Item, list[tree.Item]] = {a: [b] for a, b in pairwise(items)}
    graph[items[-1]] = []
    assert cycles(graph) == []
    graph[items[-1]] = [items[0]]
    assert cycles(graph) == [set(items)]
