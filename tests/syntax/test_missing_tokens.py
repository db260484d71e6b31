"""What is missing is looked for where it is missing: closing brackets, colons, operands, operators. [Y.7] [Y.8]"""

from __future__ import annotations

import pytest

from relax_lang import api
from relax_lang.base.diagnostic import ERROR, SAFE, UNSAFE, Diagnostic
from tests.edits import applied

PRIM_FUNC = "prim_func @p(A: Buffer[(n,), float32], S: Buffer[(), float32]) { A[0] = 1.0; S[()] = 2.0; }"
CALL = """def @f(x: Tensor[(n,), float32]) { call_tir(@p, (x,)) -> Tensor[(n,), float32] }
prim_func @p(A: Buffer[(n,), float32], B: Buffer[(n,), float32]) { for i in 0..n { B[i] = = A[i]; } }"""


def errors(text: str) -> list[Diagnostic]:
    return [one for one in api.check(text).diagnostics if one.severity == ERROR]


@pytest.mark.parametrize(
    ("wrong", "right", "applicability"),
    [
        ("def @f(x: Tensor[(n,), float32) { x }", "def @f(x: Tensor[(n,), float32]) { x }", UNSAFE),
        ("def @f(x: Tensor[(n,), float32, y: Tensor) { x }", "def @f(x: Tensor[(n,), float32], y: Tensor) { x }", SAFE),
        ("def @f(x: Tensor[(n,), float32]) -> Tensor[(n,), float32 { x }",
         "def @f(x: Tensor[(n,), float32]) -> Tensor[(n,), float32] { x }", UNSAFE),
        ("def @f(x: Tensor[(n 4), float32]) { x }", "def @f(x: Tensor[(n, 4), float32]) { x }", UNSAFE),
        ("def @f(x: Tensor) { let y Tensor = x; y }", "def @f(x: Tensor) { let y: Tensor = x; y }", SAFE),
        ("def @f(x: Tensor) { let y nn.relu(x); y }", "def @f(x: Tensor) { let y = nn.relu(x); y }", SAFE),
        ("def @f(x: Tensor) { let y abs(x); y }", "def @f(x: Tensor) { let y = abs(x); y }", SAFE),
        ("def @f(x: Tensor) { let y = @g(x -> Tensor; y } def @g(x: Tensor) { x }",
         "def @f(x: Tensor) { let y = @g(x) -> Tensor; y } def @g(x: Tensor) { x }", UNSAFE),
        ("def @f(x: Tensor) { print(x;) x }", "def @f(x: Tensor) { print(x); x }", SAFE),
        (PRIM_FUNC.replace("prim_func ", ""), PRIM_FUNC, SAFE),
        (PRIM_FUNC.replace("()]", "]"), PRIM_FUNC, SAFE),
        ("prim_func @p(A: Buffer[(n, m), float32]) { for i in range(len(A)) { A[i, 0] = 1.0; } }",
         "prim_func @p(A: Buffer[(n, m), float32]) { for i in 0..n { A[i, 0] = 1.0; } }", SAFE),
        ("def @f(x: Tensor Tensor) { x }", "def @f(x: Tensor) { x }", UNSAFE),
    ],
)  # fmt: skip
def test_Y_7_what_is_missing_is_put_in(wrong: str, right: str, applicability: str) -> None:
    (found,) = errors(wrong)
    assert found.fixes[0].applicability == applicability
    assert applied(wrong, found.fixes[0]) == right
    assert errors(right) == []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def @f(x: Tensor) { let y = ( * x); y }", "a value is expected before `*`"),
        ("def @f(x: Tensor[(), int32]) { if x < 0 { x } else { + x } }", "a value is expected before `+`"),
        ("prim_func @p(A: Buffer[(n,), float32]) { A[0] = (1.0 exp(A[0])); }",
         "an operator is expected between two values"),
        ("prim_func @p(A: Buffer[(n,), float32]) { A[] = 1.0; }", "expected a number or a name, found `]`"),
        (CALL, "unexpected `=`"),
    ],
)  # fmt: skip
def test_Z_5_what_is_not_known_is_one_message_without_a_safe_fix(text: str, message: str) -> None:
    (found,) = errors(text)
    assert found.message == message
    assert all(fix.applicability == UNSAFE for fix in found.fixes)


def test_Y_9_a_text_of_which_nothing_fits() -> None:
    assert errors('@m(x:e{""[?')
