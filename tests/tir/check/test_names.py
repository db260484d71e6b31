"""Names, ranks and stores of PrimFuncs. [TIR.1] [TIR.2] [TIR.3] [TIR.11]"""

from __future__ import annotations

import pytest

from tests.tir.check.bodies import found, only
from tests.tir.support import checked, slugs


def test_TIR_1_bare_names_bind_in_any_order() -> None:
    checked("prim_func @p(Y: Buffer[(h - 2, w), float32], X: Buffer[(h, w), float32]) { Y[0, 0] = 1.0; }")
    checked("prim_func @p(Y: Buffer[(k * 2,), float32], k: int64) { Y[0] = 1.0; }")


def test_TIR_1_composite_dimensions_bind_nothing() -> None:
    assert slugs("prim_func @p(Y: Buffer[(h - 2,), float32]) { Y[0] = 1.0; }") == ["tir-unbound-dim"]
    text = "prim_func @p(X: Buffer[(h,), float32], Y: Buffer[(hh + w,), float32]) { Y[0] = 1.0; }"
    assert slugs(text) == ["tir-unbound-dim", "tir-unbound-dim"]


def test_TIR_1_unbound_name_is_not_reported_again_in_the_body() -> None:
    assert slugs("prim_func @p(Y: Buffer[(h - 2,), float32]) { for i in 0..h { Y[i] = 1.0; } }") == [
        "tir-unbound-dim"
    ]


def test_TIR_1_parameters_have_different_names() -> None:
    text = "prim_func @p(Y: Buffer[(n,), float32], Y: Buffer[(n,), float32]) { Y[0] = 1.0; }"
    assert slugs(text) == ["duplicate-parameter"]
    assert slugs("prim_func @p(Y: Buffer[(n,), float32], Y: int64) { }") == ["duplicate-parameter"]


@pytest.mark.parametrize(
    "statements",
    [
        "for i in 0..n { Y[i, 0] = 1.0; }",
        "let v = k + 1; Y[v, v] = 0.0;",
        "alloc T: Buffer[(n,), float32]; T[0] = 1.0;",
        "for i in 0..n { block b (v = spatial(i)) where v < k { Y[v, 0] = 1.0; } }",
        "for i in 0..n { for i in 0..m { Y[i, i] = 1.0; } }",
    ],
)
def test_TIR_2_names_are_visible_in_their_braces(statements: str) -> None:
    assert found(statements) == []


@pytest.mark.parametrize(
    "statements",
    [
        "Y[j, 0] = 1.0;",
        "for i in 0..n { } Y[i, 0] = 1.0;",
        "if k > 0 { let v = k; } Y[v, 0] = 1.0;",
        "for i in 0..n { block b (v = spatial(i)) { } Y[v, 0] = 1.0; }",
        "for i in 0..i { }",
        "let v = v + 1;",
        "Y[0, 0] = T[0];",
        "for i in 0..n { block b (v = spatial(i), w = spatial(v)) { } }",
        "block b () { init { let t = k; } Y[t, 0] = 1.0; }",
        "block b () reads [Q[0]] { }",
    ],
)
def test_TIR_2_undefined(statements: str) -> None:
    assert found(statements) == ["tir-undefined-variable"]


def test_TIR_2_undefined_name_is_reported_once_with_the_nearest() -> None:
    diagnostic = only("for index in 0..n { Y[idnex, 0] = X[idnex, 1]; }")
    assert diagnostic.message == "`idnex` is not defined (nearest: `index`)"


@pytest.mark.parametrize("statements", ["Y[0, 0] = S[()];", "S[()] = X[k, k];"])
def test_TIR_3_one_index_for_each_dimension(statements: str) -> None:
    assert found(statements) == []


@pytest.mark.parametrize(
    "statements",
    [
        "Y[0] = 1.0;",
        "Y[0, 0, 0] = 1.0;",
        "S[0] = 1.0;",
        "S[()] = X[0];",
        "S[()] = X[()];",
        "block b () reads [X[0]] { }",
    ],
)
def test_TIR_3_rank_mismatch(statements: str) -> None:
    assert found(statements) == ["tir-rank-mismatch"]


def test_TIR_3_message() -> None:
    assert only("Y[0] = 1.0;").message == "`Y` has 2 dimensions, 1 index is given"


@pytest.mark.parametrize(
    "statements", ["S[()] = X;", "S[()] = k[0];", "k[0] = 1;", "let v = X;", "S[()] = exp(X);"]
)
def test_TIR_3_buffer_use(statements: str) -> None:
    assert found(statements) == ["tir-buffer-use"]


@pytest.mark.parametrize(
    "statements",
    [
        "Y[0, 0] = 1.0;",
        "alloc T: Buffer[(3,), int8]; T[0] = 1;",
        "block b () writes [Y[0, 0..m], S[()]] { Y[0, 0] = 1.0; S[()] = 2.0; }",
        "block b () writes [S[()]] { alloc T: Buffer[(1,), int8]; T[0] = 1; S[()] = 1.0; }",
        "block a () writes [Y[0, 0], S[()]] { block b () writes [Y[0, 0]] { Y[0, 0] = 1.0; } S[()] = 1.0; }",
        "block b () reads [] { S[()] = X[0, 0]; }",
    ],
)
def test_TIR_11_stores(statements: str) -> None:
    assert found(statements) == []


@pytest.mark.parametrize(
    "statements",
    [
        "Z[0] = 1.0;",
        "block b () writes [Y[0, 0]] { S[()] = 1.0; }",
        "block b () writes [] { init { S[()] = 1.0; } }",
        "block a () writes [Y[0, 0]] { block b () { S[()] = 1.0; } }",
        "if k > 0 { alloc T: Buffer[(1,), int8]; } T[0] = 1;",
    ],
)
def test_TIR_11_store_to_undeclared(statements: str) -> None:
    assert found(statements) == ["tir-store-to-undeclared"]
