"""Passes on calls of operators: what they make of them, and what they leave."""

from __future__ import annotations

import pytest

from relax_lang import api, transform
from relax_lang.base.node import walk
from relax_lang.syntax import tree
from relax_lang.transform.pass_manager.errors import PassRefused
from tests.transform.core.changes import after, main

LEGAL = "LegalizeOps"


def operators(text: str) -> list[str]:
    """Return the names of the operators that a program calls, in order."""
    module = api.typed(text).module
    return [
        node.op.op_name
        for function in module.items
        if isinstance(function, tree.Function)
        for node in walk(function)
        if isinstance(node, tree.Call) and isinstance(node.op, tree.Op)
    ]


class TestLegalize:
    def test_equal_prim_funcs_are_one(self) -> None:
        text = after(
            LEGAL,
            "def @main(x: Tensor[(n, 8), float32], y: Tensor[(k, 8), float32], z: Tensor[(k, 4), float32])"
            " { (exp(x), exp(y), exp(z)) }",
        )
        assert text.count("prim_func @exp(") == 1
        assert text.count("prim_func @exp_1(") == 1
        assert text.count("call_tir(@exp, ") == 2

    def test_prim_funcs_of_the_program_are_used_and_names_are_free(self) -> None:
        text = (
            "private prim_func @mine(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {"
            " for i in grid(n) { block b (v = spatial(i)) { Y[v] = exp(X[v]); } } }"
            " def @exp(x: Tensor[(m,), float32]) { exp(x) }"
            " def @main(x: Tensor[(3,), float32]) { (@exp(x), exp(x), call_tir(@mine, (x,)) -> Tensor[(3,), float32]) }"
        )
        made = after(LEGAL, text)
        assert made.count("prim_func @") == 2  # one for `n` sizes is there, one for 3 is new
        assert "call_tir(@mine, (x,)) -> Tensor[(m,), float32]" in made
        assert "prim_func @exp_1(" in made

    def test_scalars_and_sizes(self) -> None:
        text = after(LEGAL, "def @main(x: Tensor[(n, 2), int64]) { (arange(0, n * 2), x + const(1, int64)) }")
        assert "shape(n)" in text
        assert operators(text) == ["call_tir", "call_tir"]

    def test_branches_local_functions_and_blocks(self) -> None:
        statements = (
            "let f = fn (y: Tensor[(n,), float32]) { exp(y) };"
            " let r = if c { tanh(x) } else { sigmoid(x) };"
            " dataflow { let o = r + r; output o; } f(o)"
        )
        text = f"def @main(x: Tensor[(n,), float32], c: Tensor[(), bool]) {{{statements}}}"
        assert set(operators(after(LEGAL, text))) == {"call_tir"}

    def test_a_cast_of_a_call_and_an_annotation(self) -> None:
        text = main(LEGAL, "let a = match_cast(exp(x), Tensor[(k,), float32]); let b: Object = tanh(a); b")
        assert "exp(x)" not in text
        assert "-> Tensor[(n,), float32]" in text
        assert "let b: Object = call_tir(@tanh, (a,)) -> Tensor[(k,), float32]" in text

    def test_results_of_several_fields(self) -> None:
        text = after(
            LEGAL,
            "def @main(x: Tensor[(4, n), float32]) { let t = split(exp(x), indices_or_sections=2); exp(t[0]) }",
        )
        assert set(operators(text)) == {"call_tir"}
        assert "-> (Tensor[(2, n), float32], Tensor[(2, n), float32])" in text

    def test_views_of_memory_that_something_may_change_stay(self) -> None:
        seen = 'let a = exp(x); let b = reshape(a, shape(n)); extern "change"(a) -> Object; b'
        assert "reshape(a, shape(n))" in main(LEGAL, seen)
        assert "let b = reshape(x, shape(n))" in main(LEGAL, "let b = reshape(x, shape(n)); b")
        assert "= reshape(" not in main(LEGAL, "let a = exp(x); let b = reshape(a, shape(n)); b")
        assert "= reshape(" in main(LEGAL, "let a = exp(x); let b = reshape(a, shape(n)); (a, b)")
        assert "= reshape(" in main(LEGAL, "let a = exp(x); let b = reshape(a, shape(n)); let t = (a, b); t")
        assert "= reshape(" not in main(LEGAL, "let b = reshape(x, shape(n)); let d = exp(b); d")
        captured = "let b = reshape(x, shape(n)); let f = fn () { b }; let d = f(); d"
        assert "= reshape(" in main(LEGAL, captured)

    def test_what_stays_is_said_with_the_reason(self) -> None:
        text = "def @main(x: Tensor[(n,), float32], y: Tensor) {\n  let u = unique(x);\n  let e = exp(y);\n  (u, e)\n}"
        explain = transform.Explain()
        made = transform.LegalizeOps()(api.typed(text), transform.PassContext(instruments=[explain]))
        assert "unique(x)" in str(made)
        assert explain.table() == (
            "<text>:2:11: LegalizeOps: `unique` stays: the shape of its result depends on data\n"
            "<text>:3:11: LegalizeOps: `exp` stays: the shape of the result is not known\n"
        )

    def test_skip_and_only(self) -> None:
        statements = "let a = exp(x); let b = tanh(a); b"
        assert "exp(x)" in main(f"{LEGAL}(skip=[exp])", statements)
        assert main(f"{LEGAL}(only=[exp])", statements).count("call_tir") == 1
        with pytest.raises(PassRefused, match="no operator `expp`"):
            main(f"{LEGAL}(skip=[expp])", statements)

    def test_a_size_that_cannot_be_found_is_asserted(self) -> None:
        text = after(
            "LegalizeOps", "def @main(x: Tensor[(n, m), float32]) { exp(reshape(exp(x), shape(n, -1))) }"
        )
        assert 'assert n > 0, "reshape: -1 cannot be found where another dimension is 0"' in text

    def test_what_an_operator_checks_is_asserted(self) -> None:
        text = "def @main(x: Tensor[(1, n), float32], y: Tensor[(m, 1), float32]) { matmul(x, y) }"
        made = str(transform.LegalizeOps()(api.typed(text)))
        assert "assert " in made
        for engine in ("interpreter", "compiled"):
            with pytest.raises(api.RelaxError):
                api.run(made, [[1.0, 2.0]], [[1.0]], engine=engine)
