"""Tensor expressions: the PrimFuncs that they become, and the mistakes in them. [TIR.1-TIR.20]"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from relax_lang import api, te
from relax_lang.base.node import same
from relax_lang.syntax import tree
from relax_lang.tir.interp.interpreter import run

N, M, L = te.dim("n"), te.dim("m"), te.dim("l")


def text_of(func: tree.PrimFunc) -> str:
    """Return the text of a PrimFunc, which reads back as the same tree and has no findings."""
    text = api.print_tree(tree.IRModule((), (func,)))
    parsed = api.parse(text)
    assert not parsed.diagnostics
    assert same(parsed.tree.items[0], func)
    assert api.check(text).diagnostics == []
    return text


def computed(func: tree.PrimFunc, *arrays: Any) -> None:
    run(func, list(arrays))


def test_a_product_and_what_follows_it() -> None:
    a, b = te.placeholder((N, L), name="a"), te.placeholder((L, M), name="b")
    k = te.reduce_axis(L, "k")
    product = te.compute((N, M), lambda i, j: te.sum(a[i, k] * b[k, j], axis=k), "product")
    relu = te.compute((N, M), lambda i, j: te.maximum(product[i, j], 0.0))
    func = te.create_prim_func([a, b, relu], "f")
    assert text_of(func) == (
        "prim_func @f(a: Buffer[(n, l), float32], b: Buffer[(l, m), float32], y: Buffer[(n, m), float32]) {\n"
        "  alloc product: Buffer[(n, m), float32];\n"
        "  for i, j, k in grid(n, m, l) {\n"
        "    block product (vi = spatial(i), vj = spatial(j), vk = reduce(k)) {\n"
        "      init { product[vi, vj] = 0; }\n"
        "      product[vi, vj] += a[vi, vk] * b[vk, vj];\n"
        "    }\n"
        "  }\n"
        "  for i, j in grid(n, m) {\n"
        "    block compute (vi = spatial(i), vj = spatial(j)) {\n"
        "      y[vi, vj] = max(product[vi, vj], 0.0);\n"
        "    }\n"
        "  }\n"
        "}\n"
    )
    x, w = np.array([[1, -2], [3, 4]], np.float32), np.array([[1, 0], [0, -1]], np.float32)
    y = np.empty((2, 2), np.float32)
    computed(func, x, w, y)
    np.testing.assert_array_equal(y, np.maximum(x @ w, 0))


def test_an_inline_compute_is_not_stored() -> None:
    x = te.placeholder((N,), name="x")
    doubled = te.compute((N,), lambda i: x[i] * 2.0, inline=True)
    func = te.create_prim_func([x, te.compute((N,), lambda i: doubled[i] + doubled[i])], "f")
    assert "alloc" not in text_of(func)
    assert "x[vi] * 2.0 + x[vi] * 2.0" in text_of(func)


def test_a_shape_variable_that_no_buffer_binds_is_a_scalar_parameter() -> None:
    x = te.placeholder((N * M,), name="x")
    func = te.create_prim_func([x, te.compute((N * M,), lambda i: x[i] + te.cast(N, "float32"))], "f")
    assert te.scalar_names(func) == ["n", "m"]
    assert "n: int64" in text_of(func)


def test_a_reduction_of_several_values() -> None:
    x = te.placeholder((N, M), name="x")
    k = te.reduce_axis(M, "k")
    argmax = te.reduce(
        lambda a, b: (te.select(a[1] >= b[1], a[0], b[0]), te.maximum(a[1], b[1])),
        lambda i, v: (te.const(-1, i), te.min_value(v)),
    )
    places, values = te.compute((N,), lambda i: argmax((k, x[i, k]), axis=k), "argmax")
    func = te.create_prim_func([x, places, values], "f")
    text_of(func)
    array = np.array([[1, 5, 5], [7, -1, 2]], np.float32)
    found, most = np.empty(2, np.int64), np.empty(2, np.float32)
    computed(func, array, found, most)
    np.testing.assert_array_equal(found, [1, 0])
    np.testing.assert_array_equal(most, [5, 7])


def test_several_results_of_one_loop_nest() -> None:
    x = te.placeholder((N,), name="x")
    less, more = te.compute((N,), lambda i: (x[i] - 1.0, x[i] + 1.0))
    func = te.create_prim_func([x, less, more], "f")
    assert text_of(func).count("for ") == 1


def test_rank_0_and_no_loop() -> None:
    x = te.placeholder((), name="x")
    func = te.create_prim_func([x, te.compute((), lambda: te.exp(x[()]))], "f")
    assert "for" not in text_of(func).replace("float", "")


def test_statements_by_hand() -> None:
    x = te.placeholder((N,), name="x")
    st = te.statements

    def body(y: Any) -> list[tree.Stmt]:
        def step(i: Any) -> list[tree.Stmt]:
            before = te.if_then_else(i > 0, y[i - 1], 0.0)
            return [st.store(y, (i,), before + x[i])]

        return [st.loop(N, step)]

    (total,) = te.extern([((N,), "float32")], [x], body, "cumsum")
    func = te.create_prim_func([x, total], "f")
    text_of(func)
    array, y = np.array([1, 2, 3], np.float32), np.empty(3, np.float32)
    computed(func, array, y)
    np.testing.assert_array_equal(y, [1, 3, 6])


def test_the_same_tensor_as_two_results_and_an_input_as_result() -> None:
    x = te.placeholder((N,), name="x")
    y = te.compute((N,), lambda i: x[i] * 2.0)
    func = te.create_prim_func([x, y, y, x], "f", outputs=3)
    text_of(func)
    array, first, second, third = [np.ones(2, np.float32) for _ in range(4)]
    computed(func, array, first, second, third)
    np.testing.assert_array_equal([first, second, third], [[2, 2], [2, 2], [1, 1]])


X = te.placeholder((N, M), name="x")
K = te.reduce_axis(M, "k")
ESCAPED: list[Any] = []
te.compute((N,), lambda i: ESCAPED.append(i) or X[i, 0])

WRONG: dict[str, tuple[str, Callable[[], object]]] = {
    "rank": ("te-expression", lambda: X[1]),
    "axes": ("te-expression", lambda: te.compute((N,), lambda i, j: X[i, j])),
    "dtypes": ("te-dtype", lambda: te.compute((N,), lambda i: X[i, 0] + N)),
    "truth": ("te-expression", lambda: te.compute((N,), lambda i: 1.0 if X[i, 0] > 0.0 else 2.0)),
    "python max": ("te-expression", lambda: te.compute((N,), lambda i: max(X[i, 0], 0.0))),
    "nested": ("te-expression", lambda: te.compute((N,), lambda i: te.sum(X[i, K], axis=K) + 1.0)),
    "index": ("te-dtype", lambda: X[0.5, 0]),
    "condition": ("te-dtype", lambda: te.select(N, 1.0, 2.0)),
    "fraction": ("te-dtype", lambda: N + 0.5),
    "quotient": ("te-dtype", lambda: N / 2),
    "dtype": ("te-dtype", lambda: te.cast(N, "float23")),
    "operand": ("te-expression", lambda: N + "1"),
    "name": ("te-expression", lambda: te.dim("a b")),
    "exp of int": ("te-dtype", lambda: te.exp(N)),
    "bool": ("te-dtype", lambda: (N > 0) + (N > 1)),
    "result": ("te-expression", lambda: te.compute((N,), lambda i: None)),
    "reduction axis": ("te-expression", lambda: te.compute((N,), lambda i: te.sum(X[i, 0], axis=i))),
    "extent": ("te-expression", lambda: te.placeholder((1.5,))),
    "parameter": ("te-expression", lambda: te.create_prim_func([N])),
    "escape": (
        "te-expression",
        lambda: te.create_prim_func([X, te.compute((N,), lambda i: X[ESCAPED[0], i])]),
    ),
    "number": ("te-expression", lambda: int(N)),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_mistake_is_a_diagnostic_at_the_line_of_python(name: str) -> None:
    slug, make = WRONG[name]
    with pytest.raises(api.RelaxError) as caught:
        make()
    [found] = caught.value.diagnostics
    assert found.slug == slug
    assert caught.value.source.path.endswith("test_te.py")
    line, _ = caught.value.source.position(found.pos)
    assert caught.value.source.line(line).strip()
    assert not found.message[0].isupper()


def test_sizes_have_a_truth_where_it_is_proved() -> None:
    assert N + 1 == 1 + N
    assert N + 1 != N
    with pytest.raises(api.RelaxError):
        bool(N == M)
