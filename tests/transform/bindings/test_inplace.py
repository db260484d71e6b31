"""DataflowUseInplaceCalls: which results take over memory, and which must not."""

from __future__ import annotations

import pytest

from relax_lang import api
from relax_lang.analysis.prim_funcs.element_by_element import overwritable
from tests.transform.core.changes import after

PASSES = "LegalizeOps, DataflowUseInplaceCalls"
HEAD = "def @main(x: Tensor[(n, 4), float32], b: Tensor[(4,), float32], w: Tensor[(4, 4), float32])"


def flow(statements: str, outputs: str = "o", rest: str = "o", passes: str = PASSES) -> str:
    """Return `@main` after passes: a dataflow block, then the rest."""
    text = after(passes, f"{HEAD} {{ dataflow {{ {statements} output {outputs}; }} {rest} }}")
    return text[text.index("def @main(") :].partition("\n}")[0]


def test_a_chain_works_in_one_array() -> None:
    text = flow("let a = matmul(x, w); let c = a + b; let o = nn.relu(c);")
    assert "let c = call_tir_inplace(@add_inplace, (a, b), inplace_indices=0)" in text
    assert "let o = call_tir_inplace(@nn_relu_inplace, (c,), inplace_indices=0)" in text


def test_another_operand_than_the_first() -> None:
    text = flow("let a = matmul(x, w); let o = x - a;")
    assert "call_tir_inplace( @subtract_inplace, (x, a), inplace_indices=1, )" in " ".join(text.split())


@pytest.mark.parametrize(
    ("statements", "outputs", "rest"),
    [
        ("let o = nn.relu(x);", "o", "o"),  # a parameter is its caller's
        ("let a = exp(x); let o = tanh(a);", "a, o", "(a, o)"),  # returned
        ("let a = exp(x); let c = tanh(a); let o = matmul(a, c);", "a, o", 'extern "change"(a) -> Object; o'),
        ("let a = exp(x); let o = a + a;", "o", "o"),  # twice in one call
        ("let a = exp(x); let o = permute_dims(a);", "o", "o"),  # other elements are read
        ("let a = sum(x, axis=[1], keepdims=true); let o = a + x;", "o", "o"),  # another size
        ("let a = exp(x); let o = a > 0.5;", "o", "o"),  # another dtype
        ("let a = exp(x); let t = (a, b); let c = tanh(a); let o = matmul(t[0], c);", "o", "o"),
    ],
)
def test_what_must_not_be_written_over(statements: str, outputs: str, rest: str) -> None:
    text = flow(statements, outputs, rest)
    assert "inplace" not in text


def test_what_is_used_after_the_block() -> None:
    text = flow("let a = exp(x); let o = tanh(a);", "a, o", "let e = a + o; e")
    assert "let o = call_tir(@tanh, (a,))" in text


def test_a_view_that_lives_on_keeps_its_memory() -> None:
    statements = (
        "let a = exp(x); let v = reshape(a, shape(4, n)); let c = tanh(a); let d = sum(c); let o = v * d;"
    )
    text = flow(statements, passes="LegalizeOps(skip=[reshape]), DataflowUseInplaceCalls")
    assert "let c = call_tir(@tanh, (a,))" in text


@pytest.mark.parametrize(
    ("body", "safe"),
    [
        ("for i in 0..n { Y[i] = X[i] + Z[i]; }", [0, 1]),
        ("for i in 0..n { Y[i] = X[i] + Z[n - 1 - i]; }", [0]),
        ("for i in 0..n { Y[i] = X[i] + X[0] + Z[i]; }", [1]),
        ("for i in 0..n { Y[i] = X[i]; } for i in 0..n { Y[i] = Y[i] + Z[i]; }", []),
        ("for i in 0..n { if i > 1 { Y[i] = X[i] + Z[i]; } }", []),
        ("for i, j in grid(n, 2) { Y[i] = X[i] + Z[i]; }", []),
        ("for i in 0..n { Y[0] = X[0] + Z[0]; }", []),
        ("for i in 0..n { Y[i] += X[i] + Z[i]; }", []),
    ],
)
def test_prim_funcs_that_may_be_written_over_an_operand(body: str, safe: list[int]) -> None:
    buffers = ", ".join([f"{name}: Buffer[(n,), float32]" for name in "XZY"])
    checked = api.typed(f"prim_func @f({buffers}) {{ {body} }}")
    assert overwritable(checked.prim_funcs["f"]) == safe
