"""Passes on bindings: what they do, and the traps that they keep out of."""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang import api, transform
from tests.transform.core.changes import after, main

CSE, DCE, CANON, FOLD = (
    "EliminateCommonSubexpr",
    "DeadCodeElimination",
    "CanonicalizeBindings",
    "FoldConstant",
)


class TestCommonSubexpressions:
    def test_equal_values_become_one(self) -> None:
        assert main(CSE, "let a = exp(x); let b = exp(x); let d = a + b; d") == (
            "let a = exp(x); let b = a; let d = add(a, a); d"
        )
        text = main(CSE, "let a = exp(x); let b = exp(x); let d = tanh(a); let e = tanh(b); let f = d * e; f")
        assert text == ("let a = exp(x); let b = a; let d = tanh(a); let e = d; let f = multiply(d, d); f")

    def test_what_is_changed_in_place_stays_apart(self) -> None:
        """TVM merges these, so that the result changes."""
        statements = (
            'dataflow { let a = exp(x); let b = exp(x); output a, b; } extern "change"(a) -> Object; (a, b)'
        )
        assert main(CSE, statements).count("exp(x)") == 2

    def test_two_results_stay_apart_but_one_may_be_kept(self) -> None:
        assert main(CSE, "let a = exp(x); let b = exp(x); (a, b)").count("exp(x)") == 2
        assert main(CSE, "let a = exp(x); let d = tanh(a); let b = exp(x); (b, d)").count("exp(x)") == 1

    def test_nothing_is_merged_across_a_change(self) -> None:
        statements = (
            'let a = exp(x); let d = tanh(a); extern "change"(x) -> Object; let b = exp(x); let e = d + b; e'
        )
        assert main(CSE, statements).count("exp(x)") == 2

    def test_branches_know_what_is_outside_and_tell_nothing(self) -> None:
        inside = "let a = exp(x); let r = if c { let b = exp(x); b + a } else { x + a }; r"
        assert main(CSE, inside).count("exp(x)") == 1
        between = (
            "let r = if c { let a = exp(x); a + a } else { let b = exp(x); b - b }; let e = exp(x); r + e"
        )
        assert main(CSE, between).count("exp(x)") == 3

    def test_variables_of_one_dataflow_block_are_not_seen_in_another(self) -> None:
        statements = (
            "dataflow { let a = exp(x); let o = a + a; output o; } print(o);"
            " dataflow { let b = exp(x); let p = b * b; output p; } o + p"
        )
        assert main(CSE, statements).count("exp(x)") == 2

    def test_what_is_not_the_same(self) -> None:
        for pair in (
            "let a = sum(x, axis=[0]); let b = sum(x, axis=[0], keepdims=true);",
            "let a = astype(x, dtype=float16); let b = astype(x, dtype=float64);",
            "let a = x * 0.0; let b = x * -0.0;",
            "let a = x + 1.0; let b: Object = x + 1.0;",
            "let a = zeros(shape(n), dtype=float32); let b = ones(shape(n), dtype=float32);",
        ):
            text = main(CSE, f"{pair} let d = shape_of(a); d")
            assert "let b = a;" not in text

    def test_calls_only(self) -> None:
        statements = "let t = (x, c); let a = t[0]; let b = t[0]; let d = a + b; d"
        assert "let b = a" in main(CSE, statements)
        assert "let b = t[0]" in main(f"{CSE}(calls_only=true)", statements)


class TestDeadCode:
    def test_chains_and_blocks_go(self) -> None:
        assert main(DCE, "dataflow { let a = exp(x); let b = tanh(a); output b; } x") == "x"
        assert main(DCE, "let f = fn (y: Tensor) -> Tensor { f(y) }; x") == "x"

    def test_effects_stay(self) -> None:
        statements = 'let a = exp(x); print(a); let b = extern "change"(x) -> Object; x'
        assert main(DCE, statements) == statements

    def test_failures_stay_outside_of_dataflow_blocks_only(self) -> None:
        bad = "let y = match_cast(x, Tensor[(n * 2,), float32]);"
        assert "match_cast" in main(DCE, f"{bad} x")
        assert "match_cast" not in main(DCE, f"dataflow {{ {bad} let o = exp(x); output o; }} o")
        assert main(DCE, "let a = exp(x); x") == "let a = exp(x); x"

    def test_a_cast_that_binds_a_used_size_stays(self) -> None:
        cast, made = "match_cast(x, Tensor[(k,), float32]);", "let o = zeros(shape(k), dtype=float32);"
        statements = f"dataflow {{ {cast} {made} output o; }} o"
        assert "match_cast(x, Tensor[(k,), float32])" in main(DCE, statements)

    def test_functions(self) -> None:
        text = (
            "private def @a() { 1 } private def @b() { @a() } def @main() { 2 }"
            " prim_func @p(X: Buffer[(2,), int32]) { X[0] = 1; }"
            " private prim_func @q(X: Buffer[(2,), int32]) { X[0] = 1; }"
        )
        assert [line for line in after(DCE, text).splitlines() if "@" in line] == [
            "def @main() {",
            "prim_func @p(X: Buffer[(2,), int32]) {",
        ]
        assert "@a()" in after(f'{DCE}(entry_functions=["b"])', text)

    def test_an_output_that_nothing_uses_is_none(self) -> None:
        statements = "dataflow { let a = exp(x); let b = tanh(a); output a, b; } b"
        assert main(DCE, statements) == "dataflow { let a = exp(x); let b = tanh(a); output b; } b"


class TestCanonical:
    def test_names_for_names(self) -> None:
        assert main(CANON, "let y = x; let z = y; let a = z + y; a") == "let a = add(x, x); a"
        assert main(CANON, "dataflow { let a = exp(x); let b = a; output b; } b") == (
            "dataflow { let b = exp(x); output b; } b"
        )

    def test_a_chain_of_names_that_is_output(self) -> None:
        statements = "dataflow { let a = x; let b = a; let d = exp(a); output b, d; } b + d"
        assert main(CANON, statements) == "dataflow { let d = exp(x); output d; } let gv = add(x, d); gv"

    def test_an_annotation_that_may_fail_stays(self) -> None:
        assert "let y: Tensor[(k,), float32]" not in main(CANON, "let y: Tensor[(n,), float32] = x; exp(y)")
        statements = (
            "let s = shape_of(x); match_cast(s, Shape[(k,)]); let y: Tensor[(k,), float32] = x; exp(y)"
        )
        assert "let y: Tensor[(k,), float32] = x" in main(CANON, statements) or "exp(x)" in main(
            CANON, statements
        )

    def test_tuples(self) -> None:
        assert main(CANON, "let t = (x, c); let a = t[0]; let u = (t[0], t[1]); (a, u)") == (
            "let t = (x, c); let u = (x, c); (x, u)"
        )
        text = after(
            CANON,
            "def @main(t: (Tensor, Tensor)) { let a = t[0]; let b = t[1]; let u = (a, b); let v = (b, a); (u, v) }",
        )
        assert "let u" not in text
        assert "let v = (b, a);" in text
        assert "(t, v)" in text

    def test_a_field_that_lives_in_another_block_stays(self) -> None:
        statements = "dataflow { let a = exp(x); let t = (a, x); output t; } let b = t[0]; b"
        assert "let b = t[0]" in main(CANON, statements)


class TestFolding:
    def test_operators_and_prim_funcs(self) -> None:
        assert "let a = const([2.0, 4.0], float32);" in main(
            FOLD,
            "dataflow { let a = const([1.0, 2.0], float32) * 2.0; let o = tanh(a); let p = x; output p; } p",
        )
        text = after(
            FOLD,
            "prim_func @twice(X: Buffer[(n,), int32], Y: Buffer[(n,), int32]) { for i in 0..n { Y[i] = X[i] * 2; } }"
            " def @main() { dataflow { let a = call_tir(@twice, (const([1, 2], int32),)) -> Tensor[(2,), int32];"
            " output a; } a }",
        )
        assert "let a = const([2, 4], int32);" in text

    def test_a_result_of_a_size_that_only_the_run_knows_stays(self) -> None:
        text = after(
            FOLD,
            "prim_func @fill(v: Buffer[(), float32], Y: Buffer[(n,), float32]) { for i in 0..n { Y[i] = v[()]; } }"
            " def @main(x: Tensor[(n,), float32]) { dataflow {"
            " let a = call_tir(@fill, (const(1.0, float32),)) -> Tensor[(n,), float32]; output a; } a }",
        )
        assert "call_tir(@fill" in text

    def test_what_fails_stays(self) -> None:
        shape = "tensor_to_shape(const([3], int64))"
        statements = (
            f"dataflow {{ let a = reshape(const([1.0, 2.0], float32), {shape}); let o = x; output o; }} o"
        )
        text = main(FOLD, statements)
        assert "reshape" in text
        assert "tensor_to_shape" in text  # a known shape would be an error of the program now, not of its run
        fits = statements.replace("[3]", "[2]")
        assert "tensor_to_shape" not in main(FOLD, fits)

    def test_what_is_large_of_nothing_stays(self) -> None:
        statements = "dataflow { let a = zeros(shape(SIZE), dtype=float32); let o = sum(a); output o; } o"
        assert "zeros" in main(FOLD, statements.replace("SIZE", "2048"))
        assert "zeros" not in main(FOLD, statements.replace("SIZE", "8"))
        assert "zeros" in main(f"{FOLD}(limit=4)", statements.replace("SIZE", "8"))

    def test_names_are_those_of_one_function(self) -> None:
        text = after(
            FOLD,
            "def @f() { dataflow { let a = const(1.0, float32) * 2.0; output a; } a }"
            " def @g(a: Tensor[(), float32]) { dataflow { let b = a * 2.0; output b; } b }",
        )
        assert "let b = multiply(a, 2.0);" in text

    def test_nothing_outside_of_dataflow_blocks(self) -> None:
        assert "multiply" in main(FOLD, "let a = const(2.0, float32) * 3.0; x * a")

    @pytest.mark.parametrize("value", ["nan", "-0.0", "inf", "-inf", "0.1"])
    def test_values_are_the_same_to_the_bit(self, value: str) -> None:
        text = f"def @main() {{ dataflow {{ let a = const({value}, float32) * 1.0; output a; }} a }}"
        expected, found = api.run(text), api.run(transform.FoldConstant()(api.typed(text)))
        assert isinstance(expected, np.ndarray)
        assert isinstance(found, np.ndarray)
        assert expected.tobytes() == found.tobytes()


class TestDataflow:
    def test_runs_grow_and_merge(self) -> None:
        statements = "let a = exp(x); dataflow { let b = tanh(a); output b; } let d = a * b; print(d); d"
        assert main("ConvertToDataflow", statements) == (
            "dataflow { let a = exp(x); let b = tanh(a); let d = multiply(a, b); output d; } print(d); d"
        )
        assert main("ConvertToDataflow(min_size=3)", "let a = exp(x); let b = tanh(a); b") == (
            "let a = exp(x); let b = tanh(a); b"
        )

    def test_there_and_back(self) -> None:
        statements = "let a = exp(x); let b = tanh(a); b"
        assert main("ConvertToDataflow, ToNonDataflow", statements) == statements

    def test_what_a_function_captures_is_no_dataflow_variable(self) -> None:
        statements = "let a = exp(x); let b = tanh(a); let f = fn (y: Tensor) { b }; f(x)"
        text = main("ConvertToDataflow", statements)
        assert "let b = tanh(a); let f" in text


def test_casts_stay_where_without_them_the_checker_would_see_what_fails() -> None:
    """Behind `y` the dtype of `x` is not known; the run that compares it with `k` fails, before and after."""
    typed = api.typed(
        """
        def @main(x: Tensor[(n, m), float32], k: Tensor[(), int32]) {
          let y = match_cast(x, Tensor[ndim=2]);
          let w = x;
          let z = maximum(k, y);
          (z, w)
        }
        """
    )
    made = transform.CanonicalizeBindings()(typed)
    assert "match_cast(x, Tensor[ndim=2])" in str(made)
    assert "let w" not in str(made)
    assert not api.check(str(made)).has_errors
    assert transform.CanonicalizeBindings()(made) is made
