"""Operands that are exchanged, given by name, or separated in another way: one message for each mistake. (Y.7, Z.5)"""

from __future__ import annotations

import pytest

from relax_lang import api
from relax_lang.base.diagnostic import ERROR, SAFE, UNSAFE, Diagnostic
from tests.edits import applied

PARAMS = "x: Tensor[(2, 3), float32], y: Tensor[(2, 3), float32], c: Tensor[(), float32], s: Shape[(n, k)]"


def program(call: str) -> str:
    return f"def @main({PARAMS}) {{\n  let r = {call};\n  r\n}}\n"


def errors(call: str) -> list[Diagnostic]:
    return [one for one in api.check(program(call)).diagnostics if one.severity == ERROR]


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("broadcast_to(shape(2, 3), x)", "broadcast_to(x, shape(2, 3))"),
        ("full(c, shape(2, 3))", "full(shape(2, 3), c)"),
        ("builtin.alloc_tensor(0, shape(n, 1), dtype=int8)", "builtin.alloc_tensor(shape(n, 1), 0, dtype=int8)"),
        ("broadcast_to(shape(2, 3), data=x)", "broadcast_to(x, shape(2, 3))"),
        ("collapse_sum_like(x, data=y)", "collapse_sum_like(y, x)"),
        ("where(x, y, condition=c)", "where(c, x, y)"),
        ("add(x, x1=y)", "add(y, x)"),
        ("abs x", "abs(x)"),
        ("nn.relu x", "nn.relu(x)"),
        ("add x 2.0", "add(x, 2.0)"),
        ("add x, y", "add(x, y)"),
        ('abs("x")', "abs(x)"),
        ("nn.avg_pool1d(c, true, pool_size=[1])", "nn.avg_pool1d(c, ceil_mode=true, pool_size=[1])"),
        ("builtin.alloc_tensor(4, 1, dtype=int8)", "builtin.alloc_tensor(shape(4), 1, dtype=int8)"),
        ("max(x, null)", "max(x, axis=null)"),
        ("ones((2, 3))", "ones(shape(2, 3))"),
    ],
)  # fmt: skip
def test_Y_7_what_is_likely_meant_is_offered(wrong: str, right: str) -> None:
    (found,) = errors(wrong)
    assert found.fixes[0].applicability == UNSAFE
    assert applied(program(wrong), found.fixes[0]) == program(right)


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("add(x; y)", "add(x, y)"),
        ("arange(1; 5; 6)", "arange(1, 5, 6)"),
        ("add(x; add(x; y))", "add(x, add(x, y))"),
        ("zeros(shape(2; 3), dtype=float32)", "zeros(shape(2, 3), dtype=float32)"),
        ("zeros(shape(2, 3), dtype=R.float32)", "zeros(shape(2, 3), dtype=float32)"),
        ("cumsum(x, null)", "cumsum(x, axis=null)"),
        ("sum(x, [])", "sum(x, axis=[])"),
        ("broadcast_to(x, (n, max(k, 1)))", "broadcast_to(x, shape(n, max(k, 1)))"),
        ("collapse_sum_to(x, [])", "collapse_sum_to(x, shape())"),
        ("strided_slice(x, (0,), [k], (n,), (1,))", "strided_slice(x, (0,), (k,), (n,), (1,))"),
        ("ones(n, float32)", "ones(shape(n), dtype=float32)"),
    ],
)
def test_Y_7_what_is_meant_is_clear(wrong: str, right: str) -> None:
    (found,) = errors(wrong)
    assert found.fixes[0].applicability == SAFE
    assert applied(program(wrong), found.fixes[0]) == program(right)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("sum(x, axis=)", "a value is expected after `axis=`"),
        ("sum(x, axis=, keepdims=true)", "a value is expected after `axis=`"),
        ("clip(x 6 -2)", "expected `,` between two elements"),
        ("add(x", "this `(` is never closed"),
        ("R.reshape(x, shape(-1, 2))", "there is no operator `R.reshape`; here it is `reshape`"),
    ],
)
def test_Z_5_what_follows_from_it_is_not_reported(call: str, message: str) -> None:
    assert [one.message for one in errors(call)] == [message]


def test_Z_5_two_mistakes_are_two_messages() -> None:
    found = errors("sum(input=x, dim=1)")
    assert [one.slug for one in found] == ["op-attribute", "op-attribute"]
    assert applied(program("sum(input=x, dim=1)"), found[0].fixes[0]) == program("sum(x, dim=1)")
    assert len(errors('sum("x", 1)')) == 2
