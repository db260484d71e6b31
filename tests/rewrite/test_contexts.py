"""Patterns with several results: what is found together, what is shared, and in which order it is written. [X.O1]"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from relax_lang import RelaxError, loads, op
from relax_lang.rewrite.contexts import PatternContext, rewrite_bindings
from relax_lang.rewrite.dpl import is_op, wildcard

PRODUCTS = """def @main(x: Tensor[(n, 4), float32], w: Tensor[(4, 2), float32]) {
  dataflow {
    let a = matmul(x, w);
    let b = exp(a);
    let v = multiply(w, 2.0);
    let c = matmul(x, v);
    let d = add(b, c);
    output d;
  }
  d
}
"""


def combined(program: str) -> Any:
    x, one, other = wildcard(), wildcard(), wildcard()
    q, k = is_op("matmul")(x, one), is_op("matmul")(x, other)

    def change(found: Any) -> Any:
        both = op.matmul(found[x], op.concat((found[one], found[other]), axis=1))
        parts = op.split(both, indices_or_sections=2, axis=1)
        return {q: parts[0], k: parts[1]}

    return rewrite_bindings(PatternContext(q, k), change, loads(program))


def test_parallel_products_become_one() -> None:
    module = combined(PRODUCTS)
    text = module.script()
    assert text.count("matmul(") == text.count("split(") == text.count("concat(") == 1
    assert text.index("let v =") < text.index("concat(") < text.index("let b =")
    x, w = np.ones((3, 4), np.float32), np.arange(8, dtype=np.float32).reshape(4, 2)
    np.testing.assert_allclose(module.main(x, w), loads(PRODUCTS).main(x, w), rtol=1e-6)


def test_blocks_of_local_functions_in_blocks_get_another_order_too() -> None:
    inner = PRODUCTS.partition("{\n")[2].rpartition("}")[0]
    program = f"""def @main(x: Tensor[(n, 4), float32], w: Tensor[(4, 2), float32]) {{
  dataflow {{
    let f = fn (x: Tensor[(m, 4), float32], w: Tensor[(4, 2), float32]) -> Tensor {{ {inner} }};
    let r = f(x, w);
    output r;
  }}
  r
}}
"""
    module = combined(program)
    text = module.script()
    assert text.count("matmul(") == 1
    assert text.index("let v =") < text.index("concat(") < text.index("let b =")
    x, w = np.ones((3, 4), np.float32), np.arange(8, dtype=np.float32).reshape(4, 2)
    np.testing.assert_allclose(module.main(x, w), loads(program).main(x, w), rtol=1e-6)


def test_results_that_need_each_other_are_not_combined() -> None:
    program = PRODUCTS.replace("multiply(w, 2.0)", "multiply(w, sum(a))")
    assert combined(program).script().count("matmul(") == 2


def test_three_products_are_combined_in_rounds() -> None:
    program = PRODUCTS.replace("let d = add(b, c);", "let e = matmul(x, w); let d = add(add(b, c), e);")
    x, w = np.ones((3, 4), np.float32), np.arange(8, dtype=np.float32).reshape(4, 2)
    one, other = wildcard(), wildcard()
    left, right = is_op("matmul")(one, other), is_op("matmul")(one, other)

    def change(found: Any) -> Any:
        both = op.multiply(op.matmul(found[one], found[other]), 1.0)
        return {left: both, right: both}

    once: list[int] = []

    def limited(found: Any) -> Any:
        once.append(1)
        return change(found) if len(once) == 1 else None

    module = rewrite_bindings(PatternContext(left, right), limited, loads(program))
    assert module.script().count("matmul(") == 2
    np.testing.assert_allclose(module.main(x, w), loads(program).main(x, w), rtol=1e-6)


@pytest.mark.parametrize(
    ("edge", "index", "found"),
    [("used_by", None, True), ("used_by", 0, True), ("used_by", 1, False), ("only_used_by", None, True)],
)
@pytest.mark.parametrize("again", [False, True])
def test_edges(edge: str, index: int | None, found: bool, again: bool) -> None:
    used = "let e = add(d, b);" if again else "let e = d;"
    program = (
        PRODUCTS.replace("output d", "output e")
        .replace("  d\n", "  e\n")
        .replace("let d = add(b, c);", f"let d = add(b, c); {used}")
    )
    value, user = is_op("exp")(wildcard()), is_op("add")(wildcard(), is_op("matmul")(wildcard(), wildcard()))
    context = PatternContext(value, user)
    getattr(context, edge)(value, user, index)
    module = rewrite_bindings(context, lambda matched: {value: op.sin(matched[value])}, loads(program))
    expected = found and not (again and edge == "only_used_by")
    assert ("sin(" in module.script()) == expected


def test_what_does_not_end_is_refused() -> None:
    value = is_op("exp")(wildcard())
    with pytest.raises(RelaxError, match="rewrite"):
        rewrite_bindings(
            PatternContext(value), lambda found: {value: op.exp(op.exp(found[value]))}, loads(PRODUCTS)
        )


def test_a_context_is_of_patterns() -> None:
    with pytest.raises(RelaxError, match="needs the patterns"):
        PatternContext()


def test_only_results_can_be_replaced() -> None:
    inner = wildcard()
    with pytest.raises(RelaxError, match="only the results"):
        rewrite_bindings(
            PatternContext(is_op("exp")(inner)), lambda found: {inner: found[inner]}, loads(PRODUCTS)
        )


GROWN = (
    "prim_func @grown(X: Buffer[(n, 4), float32]) { for i, j in grid(n, 4) { X[i, j] = X[i, j] + 1.0; } }\n"
)
CHANGED = "let z = call_tir_inplace(@grown, (x,), inplace_indices=[0]) -> Tensor[(n, 4), float32];\n"


@pytest.mark.parametrize(
    ("program", "products"),
    [
        # One product before the change and one after it: they read different values of `x`.
        (GROWN + PRODUCTS.replace("let v =", CHANGED + "let v ="), 2),
        # Both after it, where the weights of one are made before: nothing moves over the change.
        (GROWN + PRODUCTS.replace("let a =", CHANGED + "let a ="), 1),
        (GROWN + PRODUCTS.replace("let d =", CHANGED + "let d ="), 1),
    ],
)
def test_results_are_not_combined_over_a_change_in_place(program: str, products: int) -> None:
    module = combined(program)
    assert module.script().count("matmul(") == products
    x, w = np.ones((3, 4), np.float32), np.arange(8, dtype=np.float32).reshape(4, 2)
    np.testing.assert_allclose(module.main(x.copy(), w), loads(program).main(x.copy(), w), rtol=1e-6)
