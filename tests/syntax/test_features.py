"""Which constructs a text uses: later phases are gated by what the parser saw, never by words in the text."""

from __future__ import annotations

import pytest

from relax_lang.syntax.parser import Features, parse


def used(text: str) -> set[str]:
    features = parse(text).features
    return {name for name in Features.__slots__ if getattr(features, name)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def @f() { 1 }", set()),
        ("private def @f() { 1 }", {"private"}),
        ("pure def @f() { 1 }", {"purity"}),
        ("private impure def @f() { 1 }", {"private", "purity"}),
        ("def @f() { force_pure fn () { 1 } }", {"purity"}),
        ("def @f(x: Tensor) { dataflow { let y = x; output y; } y }", {"dataflow"}),
        ("def @f(x: Tensor) { dataflow { let y = x; y } y }", {"dataflow"}),
        ('def @f() { extern "g"(1) }', {"packed"}),
        ("def @f() { extern g.h(1) }", {"packed"}),
        ("def @f(g: PackedFunc) { 1 }", {"packed"}),
        ('def @f(g: (Shape, PackedFunc[derive="empty"])) { 1 }', {"packed"}),
        ("def @f(g: PackedFunc()) { 1 }", {"packed"}),
        ('prim_func @p(X: Buffer[(), float32]) { call_extern("f", X); }', {"tir_externs"}),
        ('def @f() { const(file("a.npy")) }', {"files"}),
        ("def @f() { 1 }  # relax: ignore[arity]", {"directives"}),
        ("def @f() { x = = = 3 # relax: ignore[arity]\n }", {"directives"}),
    ],
)
def test_features_are_what_the_parser_saw(text: str, expected: set[str]) -> None:
    assert used(text) == expected


def test_words_in_strings_names_and_comments_are_not_features() -> None:
    words = "private pure dataflow extern PackedFunc call_extern file"
    text = f'''module attrs {{ a: "{words} relax: x" }}
# {words}
def @f(file: Tensor, `private pure dataflow extern PackedFunc call_extern relax: x`: Tensor) {{
  file
}}
'''
    assert parse(text).diagnostics == []
    assert used(text) == set()
