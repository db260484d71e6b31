"""Assignments to names: what is offered instead, and that no safe fix gives a program another meaning. (Y.7)"""

from __future__ import annotations

import re

import pytest

from relax_lang import api
from relax_lang.base.diagnostic import ERROR, SAFE, Diagnostic
from tests.edits import applied

FUNCTION = """\
def @main(x: Tensor[(2,), float32], c: Tensor[(), bool]) -> Object {{
  {}
}}
"""
PRIM_FUNC = """\
prim_func @k(A: Buffer[(n, m), float32], B: Buffer[(n, m), float32], S: Buffer[(n,), float32], z: int64) {{
  {}
}}
"""


def errors(text: str) -> list[Diagnostic]:
    return [one for one in api.check(text).diagnostics if one.severity == ERROR]


def mended(text: str) -> str:
    """Apply the one fix of the one error."""
    (found,) = errors(text)
    (fix,) = found.fixes
    return applied(text, fix)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        # In one block, a new variable hides the older one.
        ("let y = x; y = y + x; y", "let y = x; let y = y + x; y"),
        ("let y = x; y += x; y", "let y = x; let y = y + x; y"),
        ("let y = x; y := y * x; y", "let y = x; let y = y * x; y"),
        ("let y = x; y: Tensor = y * x; y", "let y = x; let y: Tensor = y * x; y"),
        ("x = x + x; x", "let x = x + x; x"),
        # What the branches of an `if` assign is its value.
        ("let y = x; if c { y = x * x; } y", "let y = x; let y = if c { x * x } else { y }; y"),
        ("let y = x; if c { y = x * x; }; y", "let y = x; let y = if c { x * x } else { y }; y"),
        (
            "let y = x; if c { y = x; } else { y = x * x; } y",
            "let y = x; let y = if c { x } else { x * x }; y",
        ),
        ("if c { y = x; } else { y = x * x; } y", "let y = if c { x } else { x * x }; y"),
        (
            "let y = x; if c { y = x; } else if !c { y = x + x; } y",
            "let y = x; let y = if c { x } else if !c { x + x } else { y }; y",
        ),
        (
            "let y = x; if c { let z = x; y = z; } y",
            "let y = x; let y = if c { let z = x; z } else { y }; y",
        ),
        ("let y = x; if c { y = (x + x) ; } y", "let y = x; let y = if c { (x + x) } else { y }; y"),
        # The value of `y *= e` is an operand as a whole.
        ("let y = x; y *= x + x; y", "let y = x; let y = y * (x + x); y"),
        ("let y = x; y *= (x + x); y", "let y = x; let y = y * (x + x); y"),
        ("let y = x; y -= x * x; y", "let y = x; let y = y - x * x; y"),
        ("let y = x; y -= x - x; y", "let y = x; let y = y - (x - x); y"),
        ("let y = x; if c { y += x; } y", "let y = x; let y = if c { y + x } else { y }; y"),
        (
            "let y = x; if c { y = x; } else { y *= x - x; } y",
            "let y = x; let y = if c { x } else { y * (x - x) }; y",
        ),
    ],
)
def test_Y_7_S_10_assignments_in_functions(wrong: str, right: str) -> None:
    text = FUNCTION.format(wrong)
    assert mended(text) == FUNCTION.format(right)
    assert errors(FUNCTION.format(right)) == []
    assert api.fix_text(text).text == text, "no safe fix guesses what was meant"


@pytest.mark.parametrize(
    ("body", "advice"),
    [
        ("let y = x; let z = if c { y = x * x; y } else { y }; (y, z)", "a block has a value"),
        ("let y = x; if c { print(x); if c { y = x; } } y", "an `if` has a value"),
        ("let y = x; let f = fn () -> Tensor { y = x + x; y }; f()", "a block has a value"),
        ("if c { y = x; } y", "in the block in which it is used"),
        ("y += x; y", "bound nowhere before"),
        ("if c { y += x; } else { y = x; } y", "bound nowhere before"),
        ("if c { y = y * x; } else { y = x; } y", "bound nowhere before"),
        ("let y = x; if c { y = # a comment stays\n x; } y", "an `if` has a value"),
    ],
)
def test_Y_7_where_no_edit_would_do_the_message_explains(body: str, advice: str) -> None:
    (found,) = errors(FUNCTION.format(body))
    assert found.fixes == []
    assert advice in found.help


def test_Y_7_a_name_that_is_not_bound_yet_gets_its_let() -> None:
    text = FUNCTION.format("y = x + x; y")
    (found,) = errors(text)
    assert found.fixes[0].applicability == SAFE
    assert api.fix_text(text).text == FUNCTION.format("let y = x + x; y")


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        (
            "for i in 0..3 { let s: float32 = 0.0; for j in 0..m { s = s + A[i, j]; } S[i] = s; }",
            "for i in 0..3 { alloc s float32; s[()] = 0.0; for j in 0..m { s[()] = s[()] + A[i, j]; } S[i] = s[()]; }",
        ),
        (
            "for i in 0..3 { let s = 0.0; for j in 0..m { s += A[i, j]; } S[i] = s; }",
            "for i in 0..3 { alloc s float32; s[()] = 0.0; for j in 0..m { s[()] += A[i, j]; } S[i] = s[()]; }",
        ),
        (
            "for i in 0..3 { let k: int64 = 0; while k < n { S[k] = 0.0; k = k + 1; } }",
            "for i in 0..3 { alloc k int64; k[()] = 0; while k[()] < n { S[k[()]] = 0.0; k[()] = k[()] + 1; } }",
        ),
        (
            "for i in 0..3 { let b: float32 = 0.0; if A[i, 0] > b { b = A[i, 0]; } S[i] = b; }",
            "for i in 0..3 { alloc b float32; b[()] = 0.0; if A[i, 0] > b[()] { b[()] = A[i, 0]; } S[i] = b[()]; }",
        ),
        (
            "for i in 0..3 { let b = 0.0; b = 1.0; b = b + 2.0; S[i] = b; }",
            "for i in 0..3 { alloc b float32; b[()] = 0.0; b[()] = 1.0; b[()] = b[()] + 2.0; S[i] = b[()]; }",
        ),
        (
            "for i, j in grid(n, m) { B = A[i, j] * 2.0; }",
            "for i, j in grid(n, m) { B[i, j] = A[i, j] * 2.0; }",
        ),
        (
            "for i in 0..n { block b (v = spatial(i)) { S = A[v, 0]; } }",
            "for i in 0..n { block b (v = spatial(i)) { S[v] = A[v, 0]; } }",
        ),
    ],
)
def test_TIR_16_assignments_in_prim_funcs(wrong: str, right: str) -> None:
    text = PRIM_FUNC.format(wrong)
    right = re.sub(r"alloc (\w) (\w+);", r"alloc \1: Buffer[(), \2];", right)
    assert mended(text) == PRIM_FUNC.format(right)
    assert errors(PRIM_FUNC.format(right)) == []
    assert api.fix_text(text).text == text, "no safe fix guesses what was meant"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("for i in 0..n { S[i] = 0.0; i = i + 1; }", "`i` is a loop variable, which never changes"),
        ("n = n + 1; S[0] = 0.0;", "`n` is a size, which never changes"),
        ("z = z + 1; S[z] = 0.0;", "`z` is a parameter, which never changes"),
        ("for i in 0..n { block b (v = spatial(i)) { v = 0; S[v] = 0.0; } }", "`v` is an axis, which"),
        ("let s = A[0, 0]; s = s + 1.0; S[0] = s;", "`s` is bound already, and a variable never changes"),
        ("B = 0.0;", "`B` is a buffer: its elements are stored to, one by one"),
    ],
)
def test_TIR_16_what_never_changes_is_named(body: str, message: str) -> None:
    (found,) = errors(PRIM_FUNC.format(body))
    assert (found.slug, found.fixes) == ("reassigned-variable", [])
    assert message in found.message
    assert found.help


def test_TIR_16_a_variable_of_a_prim_func_that_is_not_bound_yet() -> None:
    text = PRIM_FUNC.format("for i in 0..n { v = A[i, 0]; S[i] = v; }")
    assert api.fix_text(text).text == text.replace("v = A", "let v = A")
    (found, *_) = errors(PRIM_FUNC.format("for i in 0..n { if i > 0 { v = A[i, 0]; } S[i] = v; }"))
    assert found.fixes == [], "the `let` would end with the branch"


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("if c { print(x); } x", "if c { print(x); () } else { () }; x"),
        ("if c { print(x); } else { print(c); } x", "if c { print(x); () } else { print(c); () }; x"),
        ("if c { print(x); } else { () }; x", "if c { print(x); () } else { () }; x"),
        (
            "if c { print(x); } else if !c { print(c); } x",
            "if c { print(x); () } else if !c { print(c); () } else { () }; x",
        ),
    ],
)
def test_G_29_a_statement_if_is_one_mistake(wrong: str, right: str) -> None:
    text = FUNCTION.format(wrong)
    assert mended(text) == FUNCTION.format(right)
    assert errors(FUNCTION.format(right)) == []
    assert api.fix_text(text).text == FUNCTION.format(right), "its value is dropped: the fix is safe"


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("if c { print(x) } x", "if c { print(x) } else { () }; x"),
        ("if c { x } x", "if c { x } else { () }; x"),
        ("if c { print(x); } else { print(c) }; x", "if c { print(x); () } else { print(c) }; x"),
    ],
)
def test_G_29_a_branch_with_a_value_may_have_been_meant_as_one(wrong: str, right: str) -> None:
    text = FUNCTION.format(wrong)
    assert mended(text) == FUNCTION.format(right)
    assert api.fix_text(text).text == text, "that the value is dropped is a guess"


def test_Y_7_edits_lie_in_the_text_where_a_semicolon_is_missing() -> None:
    text = "def @main(x: Tensor, c: Tensor[(), bool]) {\n  if c { y = x } else { y = x; } y\n}\n"
    edits = [edit for one in api.check(text).diagnostics for fix in one.fixes for edit in fix.edits]
    assert edits
    assert all(0 <= edit.pos <= edit.end <= len(text) for edit in edits)


def test_Y_7_an_assignment_in_a_branch_that_nothing_reads_is_no_let() -> None:
    text = "def @main(x: Tensor, c: Tensor[(), bool]) {\n  if c { best = x * 2.0; }\n  x\n}\n"
    (found,) = [one for one in api.check(text).diagnostics if one.severity == ERROR]
    assert (found.help, found.fixes) == ("an `if` has a value: `let best = if c { … } else { … };`", [])


@pytest.mark.parametrize(
    ("body", "dtype"),
    [
        ("let k = 0; while k < n { S[k] = 1.0; k = k + 1; }", "int64"),
        ("let k = 0; for i in 0..n { if S[i] > S[k] { k = i; } }", "int64"),
        ("let k = 0; for i in 0..n { if S[i] > 0.0 { k = k + i; } }", "int64"),
        ("let k = 0; for i in 0..n { k = k + cast(S[i], int32); } S[0] = cast(k, float32);", "int32"),
        ("let k = 0; for i in 0..n { k = k + cast(i, int32); } S[0] = cast(k, float32);", "int32"),
    ],
)
def test_Y_7_what_counts_has_the_dtype_of_sizes(body: str, dtype: str) -> None:
    text = mended(PRIM_FUNC.format(body))
    assert f"alloc k: Buffer[(), {dtype}];" in text
    assert errors(text) == []
