"""The verifier of the array IR finds trees that are wrong; dead code goes, guards stay."""

from __future__ import annotations

import pytest

from relax_lang.arith.polynomials.polynomial import Polynomial
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.array_ir.ir_node import Ref
from relax_lang.tir.array_ir.nodes import Literal, ScalarOp
from relax_lang.tir.codegen.passes.effects import LateGuards
from relax_lang.tir.codegen.passes.values.dead_code import remove_unused
from relax_lang.tir.codegen.passes.verify import Verifier

N = Polynomial.name("n")
A, B = Ref("A", "float32", (N, N)), Ref("B", "float32", (N, N))
ROW = ir.View(A, (ir.At(Literal(0)),))
NEXT = ir.View(A, (ir.Slice(Polynomial.constant(1), N - 1),))


def verify(*body: ir.Statement) -> None:
    Verifier(["A", "B", "n"]).check(body)


@pytest.mark.parametrize(
    ("statement", "wrong"),
    [
        (ir.Store(A, Ref("C")), "have no value"),
        (ir.If(ScalarOp(">", (Polynomial.name("m"), N)), []), "have no value"),
        (ir.Define("A", B), "defined twice"),
        (ir.Into(A, ir.Elementwise("+", (A, B), "float64")), "in an array of float32"),
        (ir.Into(ROW, ir.Elementwise("+", (A, B), "float32")), "more dimensions"),
        (ir.Store(ROW, B), "more dimensions"),
        (ir.Store(ir.View(A, (ir.At(N), ir.At(N), ir.At(N))), B), "more axes"),
        (ir.Store(A, ir.Transposed(B, (1, 1))), "other axes"),
        (ir.Store(ROW, ir.Contract((("abc", A),), "a")), "other letters"),
        (ir.Into(A, ir.MatMul(A, B)), "while"),
        (ir.Into(A, ir.Call("blend", (Ref("B"), A, B, ir.Tuple((N, N))))), None),
        (ir.Into(A, ir.Elementwise("+", (A, NEXT), "float32")), None),
        (ir.Into(NEXT, ir.MatMul(A, B)), "while"),
        (ir.Into(A, ir.Call("blend", (NEXT, A, B, ir.Tuple((N, N))))), "while"),
    ],
)
def test_wrong_trees_are_found(statement: ir.Statement, wrong: str | None) -> None:
    if wrong is None:
        verify(statement)
        return
    with pytest.raises(AssertionError, match=wrong):
        verify(statement)


def test_names_of_a_body_have_no_value_after_it() -> None:
    inner = ir.If(ScalarOp(">", (N, Literal(0))), [ir.Define("t", A), ir.Store(B, Ref("t"))])
    verify(inner)
    with pytest.raises(AssertionError, match="have no value"):
        verify(inner, ir.Store(B, Ref("t")))


def test_unused_definitions_go_and_guards_stay() -> None:
    unused = [
        ir.Define("size", N + 1),
        ir.Define("twice", Polynomial.name("size") * 2),
        ir.Define("view", NEXT),
    ]
    guard = ir.Define("at", ir.Call("inside", (Ref("I"), N)))
    body: list[ir.Statement] = [
        *unused,
        guard,
        ir.Unpack(("n", "m"), ir.Property(A, "shape")),
        ir.Store(A, ROW),
    ]
    body.append(ir.For("i", Literal(0), N, Literal(1), [ir.Define("x", ROW)]))
    remove_unused(body)
    assert body[:3] == [guard, ir.Unpack(("n", "_"), ir.Property(A, "shape")), ir.Store(A, ROW)]
    assert isinstance(body[3], ir.For)
    assert body[3].body == []


def test_guards_after_stores_are_found() -> None:
    guard, store = ir.Require((N,)), ir.Store(ir.Gather(Ref("view"), (N,)), B)
    view = ir.Define("view", NEXT)
    assert not LateGuards([guard, view, store], ["A"]).after_store
    assert LateGuards([view, store, guard], ["A"]).after_store
    assert not LateGuards([view, store, guard], ["B"]).after_store
    assert LateGuards([view, ir.Forever([guard, store])], ["A"]).after_store
    call = ir.Evaluate(ir.Call("call_extern", (Literal("f"), B)))
    assert LateGuards([call, guard], ["A"]).after_call
    assert not LateGuards([guard, call], ["A"]).after_call
    assert LateGuards([ir.If(N, [call]), ir.Evaluate(ir.Call("nonzero", (A,)))], ["B"]).after_store
