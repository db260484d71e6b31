"""Kinds of PrimFuncs, groups of calls, and the PrimFuncs that they become."""

from __future__ import annotations

import pytest

from relax_lang import api, transform
from relax_lang.analysis.prim_funcs.op_pattern import op_pattern
from relax_lang.syntax import tree
from relax_lang.transform.core.grouping import Groups
from relax_lang.typed import Typed
from tests.transform.core.changes import after

PARAMS = (
    "x: Tensor[(n, 8), float32], w: Tensor[(8, 8), float32], b: Tensor[(8,), float32],"
    " i: Tensor[(2, 3, 8, 8), float32], k: Tensor[(4, 3, 3, 3), float32], at: Tensor[(5,), int64]"
)
KINDS = {
    "exp(x)": 0, "x + b": 0, "x + x": 0, "where(x > b, x, b)": 0, "zeros(shape(n, 8), dtype=float32)": 0,
    "broadcast_to(b, shape(n, 8))": 1,
    "permute_dims(x)": 2, "concat((x, x), axis=0)": 2, "take(x, at, axis=0)": 2, "nn.pad(x, pad_width=[1, 1, 0, 0])": 2,
    "sum(x, axis=[1])": 3, "max(x)": 3, "sum(i, axis=[2, 3])": 3,
    "matmul(x, w)": 4, "nn.conv2d(i, k, padding=1)": 4, "nn.softmax(x, axis=-1)": 4, "mean(x, axis=[1])": 4,
    "nn.max_pool2d(i, pool_size=[2, 2])": 4,
    "cumsum(x, axis=1)": 8,
}  # fmt: skip


@pytest.mark.parametrize("call", KINDS)
def test_kinds_of_legal_forms(call: str) -> None:
    """These are TVM's answers."""
    made = transform.LegalizeOps()(api.typed(f"def @main({PARAMS}) {{ let a = {call}; shape_of(a) }}"))
    assert op_pattern(list(made.prim_funcs.values())[-1]) == KINDS[call]


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("for i, j in grid(n, m) { Y[i, j] = X[j, i]; }", 2),
        ("for i, j in grid(n, m) { Y[j, i] = X[j, i]; }", 0),
        ("for i, j in grid(n, n) { if i > j { Y[i, j] = X[i, j]; } }", 8),
        ('for i, j in grid(n, m) { call_extern("f", X, Y); }', 8),
        ("for i, j in grid(n, m) { Y[i, j] = X[i, j]; } for i, j in grid(n, m) { Y[i, j] = X[j, i]; }", 2),
        ("for i, j, l in grid(n, m, 3) { Y[i, j] = X[i, l]; }", 8),
        ("for i, j, l in grid(n, m, 3) { Y[i, j] += X[i, l]; }", 3),
        ("for i, j, l in grid(n, m - 2, 3) { Y[i, j] += X[i, j + l]; }", 4),
        ("for i, j, l in grid(n, m, 3) { Y[i, j] = max(Y[i, j], X[i, l]); }", 3),
        ("for i in 0..n { Y[i, 0] = X[0, 0]; }", 1),
    ],
)
def test_kinds_of_prim_funcs(body: str, kind: int) -> None:
    text = f"prim_func @f(X: Buffer[(n, m), float32], Y: Buffer[(n, m), float32]) {{ {body} }}"
    assert op_pattern(api.typed(text).prim_funcs["f"]) == kind


def test_an_attribute_that_is_given_wins() -> None:
    text = "prim_func @f(X: Buffer[(n,), float32]) attrs { op_pattern: 8 } { for i in 0..n { X[i] = 0.0; } }"
    typed = api.typed(text)
    assert transform.AnnotateTIROpPattern()(typed) is typed


FUSE = "LegalizeOps, FuseOps"
WHOLE = "LegalizeOps, FuseOps, FuseTIR, DeadCodeElimination"


def flow(statements: str, value: str = "o", passes: str = FUSE) -> str:
    """Return a program of one dataflow block after passes."""
    return after(passes, f"def @main({PARAMS}) {{ dataflow {{ {statements} output {value}; }} {value} }}")


def calls(text: str) -> list[str]:
    """Return the names of what `@main` calls, in order."""
    main = text[text.index("def @main(") :].partition("\n}")[0]
    return [part.split("(")[0].split(",")[0] for part in main.split("@")[2:]]


class TestFuseOps:
    def test_a_product_takes_its_bias_and_activation(self) -> None:
        assert calls(flow("let o = nn.relu(matmul(x, w) + b);")) == ["fused_matmul_add_nn_relu"]

    def test_two_products_never_join(self) -> None:
        made = calls(flow("let o = exp(matmul(nn.relu(matmul(x, w)), w));"))
        assert made == ["fused_matmul_nn_relu", "fused_matmul_exp"]

    def test_what_is_used_twice_meets_again(self) -> None:
        assert calls(flow("let a = exp(x); let l = tanh(a); let r = sigmoid(a); let o = l + r;")) == [
            "fused_exp_tanh_sigmoid_add"
        ]

    def test_an_output_ends_a_group(self) -> None:
        text = after(
            FUSE,
            f"def @main({PARAMS}) {{ dataflow {{ let a = exp(x); let o = tanh(a); output a, o; }} (a, o) }}",
        )
        assert "fused" not in text

    def test_what_is_opaque_stays_outside(self) -> None:
        made = flow("let a = exp(x); let c = cumsum(a, axis=1); let d = tanh(c); let o = a + d;")
        assert calls(made) == ["exp", "cumsum", "fused_tanh_add"]

    def test_a_way_around_through_something_opaque(self) -> None:
        """`a` is used by an opaque call whose result meets it again: one group would need its own result."""
        made = flow("let a = exp(x); let l = tanh(a); let c = cumsum(a, axis=1); let o = l + c;")
        assert calls(made) == ["exp", "cumsum", "fused_tanh_add"]

    def test_element_wise_work_joins_a_reduction(self) -> None:
        assert calls(flow("let o = sum(exp(x), axis=[1]);")) == ["fused_exp_sum"]

    def test_sizes_that_only_the_body_knows_are_passed(self) -> None:
        text = flow(
            "let a = zeros(shape(3), dtype=float32); let e = full(shape(n), 1.0); let o = tanh(exp(e));"
        )
        assert "sizes: Shape[(n,)]" in text

    def test_constants_are_passed(self) -> None:
        text = flow("let o = exp(x * 2.0) + 2.0;")
        assert calls(text) == ["fused_multiply_exp_add"]
        assert "@fused_multiply_exp_add(x, 2.0, 2.0)" in text

    def test_equal_groups_are_one_function(self) -> None:
        text = flow("let a = tanh(exp(x)); let c = cumsum(a, axis=1); let o = tanh(exp(c));")
        assert text.count("private def @fused") == 1
        assert calls(text) == ["fused_exp_tanh", "cumsum", "fused_exp_tanh"]

    def test_limits(self) -> None:
        chain = "let o = exp(tanh(exp(tanh(x))));"
        assert len(calls(flow(chain, passes="LegalizeOps, FuseOps(max_depth=2)"))) == 2
        wide = "let o = ((x + b) * x) - exp(b);"
        assert len(calls(flow(wide))) == 1
        assert len(calls(flow(wide, passes="LegalizeOps, FuseOps(max_args=1)"))) > 1

    def test_nothing_moves_across_calls_in_place(self) -> None:
        text = (
            "private prim_func @add_one(X: Buffer[(n,), float32]) { for i in 0..n { X[i] = X[i] + 1.0; } }"
            " def @main(x: Tensor[(n,), float32]) { dataflow { let a = exp(x); let c = tanh(a);"
            " let d = call_tir_inplace(@add_one, (c,), inplace_indices=[0]) -> Tensor[(n,), float32];"
            " let e = exp(d); let o = tanh(e); output o; } o }"
        )
        made = after(FUSE, text)
        assert calls(made) == ["fused_exp_tanh", "add_one", "fused_exp_tanh"]

    @pytest.mark.parametrize(
        ("rest", "expected"),
        [
            ("let a = t[0]; let b = t[1]; let c = a + b; let o = exp(c);", ["fused_both_add_exp"]),
            ("let o = t[1];", ["fused_both"]),
            ("let o = t;", ["both"]),
            ("let a = t[0]; let o = exp(a); let c = t[1]; output c;", ["both", "exp"]),
        ],
    )
    def test_calls_with_several_results(self, rest: str, expected: list[str]) -> None:
        rest = rest if "output" in rest else f"{rest} output o;"
        result = "(o, c)" if "output c" in rest else "o"
        rest = rest.replace("output c", "output o, c")
        text = (
            "private prim_func @both(X: Buffer[(n,), float32], Y: Buffer[(n,), float32], Z: Buffer[(n,), float32]) {"
            " for i in 0..n { Y[i] = X[i] * 2.0; Z[i] = X[i] + 1.0; } }"
            " def @main(x: Tensor[(n,), float32]) { dataflow {"
            " let t = call_tir(@both, (x,)) -> (Tensor[(n,), float32], Tensor[(n,), float32]);"
            f" {rest} }} {result} }}"
        )
        assert calls(after(FUSE, text)) == expected
        merged = after(f"{FUSE}, FuseTIR, DeadCodeElimination", text)
        assert merged.count("prim_func @") == len(expected)

    def test_a_group_may_have_several_results(self) -> None:
        text = (
            "private prim_func @both(X: Buffer[(n,), float32], Y: Buffer[(n,), float32], Z: Buffer[(n,), float32]) {"
            " for i in 0..n { Y[i] = X[i] * 2.0; Z[i] = X[i] + 1.0; } }"
            " def @main(x: Tensor[(n,), float32]) { dataflow { let y = exp(x);"
            " let t = call_tir(@both, (y,)) -> (Tensor[(n,), float32], Tensor[(n,), float32]); output t; } t }"
        )
        merged = after(f"{FUSE}, FuseTIR, DeadCodeElimination", text)
        assert "let t = call_tir(@fused_exp_both, (x,)) -> (" in merged
        assert "t_0: Buffer[(n,), float32],\n  t_1: Buffer[(n,), float32]" in merged

    def test_what_has_no_name_stays(self) -> None:
        text = flow("let a = exp(x); let _ = tanh(a); let o = sigmoid(a);")
        assert "    call_tir(@tanh, (a,))" in text

    def test_twice_is_once(self) -> None:
        once = flow("let o = nn.relu(matmul(x, w) + b);")
        assert after("FuseOps", once) == once


class TestFuseTIR:
    def test_one_prim_func_without_what_it_was_made_of(self) -> None:
        text = flow("let o = nn.relu(matmul(x, w) + b);", passes=WHOLE)
        assert text.count("prim_func") == 1
        assert text.count("alloc ") == 2
        assert "call_tir(@fused_matmul_add_nn_relu, (x, w, b))" in text

    def test_sizes_become_scalars(self) -> None:
        text = flow("let e = full(shape(n), 1.0); let o = sum(exp(e));", passes=WHOLE)
        assert "n: int64" in text
        assert ", shape(n)) -> Tensor[(), float32]" in text

    def test_sizes_of_each_call_are_its_own(self) -> None:
        text = (
            "def @main(x: Tensor[(n, 8), float32], y: Tensor[(k, m), float32]) { dataflow {"
            " let a = tanh(exp(x)); let c = tanh(exp(y)); output a, c; } (a, c) }"
        )
        made = after(WHOLE, text)
        assert "call_tir(@fused_exp_tanh, (x,)) -> Tensor[(n, 8), float32]" in made
        assert "call_tir(@fused_exp_1_tanh_1, (y,)) -> Tensor[(k, m), float32]" in made

    def test_names_that_are_the_same_in_both(self) -> None:
        text = (
            "private prim_func @f(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {"
            " alloc i: Buffer[(n,), float32]; for y in 0..n { i[y] = X[y]; } for x in 0..n { Y[x] = i[x] + 1.0; } }"
            " def @main(i: Tensor[(n,), float32]) { dataflow { let x = call_tir(@f, (i,)) -> Tensor[(n,), float32];"
            " let y = call_tir(@f, (x,)) -> Tensor[(n,), float32]; output y; } y }"
        )
        made = after("FuseOps, FuseTIR, DeadCodeElimination", text)
        assert made.count("prim_func") == 1

    def test_what_is_no_chain_of_calls_stays(self) -> None:
        text = (
            "def @main(x: Tensor[(n,), float32]) { @f(x) }"
            " private def @f(x: Tensor[(n,), float32]) attrs { Primitive: true } {"
            " dataflow { let a = exp(x); output a; } a }"
        )
        explain = transform.Explain()
        typed = api.typed(text)
        assert transform.FuseTIR()(typed, transform.PassContext(instruments=[explain])) is typed
        assert "`@f` stays" in explain.table()


def test_another_decision_with_the_same_application() -> None:
    """Groups may come from any algorithm: here, pairs of neighbours."""

    @transform.module_pass("FusePairs")
    def fuse_pairs(typed: Typed, run: transform.Run) -> Typed:
        groups = Groups(typed)

        def decide(block: tree.DataflowBlock) -> dict[str, int]:
            names = [one.var.name_hint for one in block.bindings if one.var is not None]
            return {name: at // 2 for at, name in enumerate(names)}

        changed: dict[tree.Item, tree.Item | None] = {
            function: groups.apply(function, decide, lambda _: ()) for function in typed.functions
        }
        return typed.with_items(changed, groups.added)

    typed = api.typed(
        "def @main(x: Tensor[(n,), float32]) { dataflow { let a = exp(x); let c = tanh(a); let d = exp(c);"
        " let o = a + d; output o; } o }"
    )
    with transform.PassContext(instruments=[transform.Verify(), transform.Compare(seed=1)]):
        made = str(fuse_pairs()(typed))
    assert calls(made) == ["fused_exp_add"]  # `a` leaves the first pair
