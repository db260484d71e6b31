"""Dimensions that grow are simplified, then forgotten: the rank stays. [D.13] [E.5] [E.6]"""

from __future__ import annotations

import pytest

from relax_lang.arith.substitute import substitute
from relax_lang.base.python.recursion import deep_recursion
from relax_lang.format.printer import show
from relax_lang.struct_info.widening import LARGE, bounded
from relax_lang.syntax import tree

N = tree.PrimVar("n")


def doubled(times: int) -> tree.PrimExpr:
    """Return `n + n` in the place of `n`, so often: a small graph that is a large tree."""
    dim: tree.PrimExpr = N
    for _ in range(times):
        dim = tree.Add(dim, dim)
    return dim


def squared(times: int) -> tree.PrimExpr:
    dim: tree.PrimExpr = N
    for _ in range(times):
        dim = substitute(tree.Add(tree.Mul(N, N), tree.IntImm(1)), {"n": dim})
    return dim


def tensor(*dims: tree.PrimExpr) -> tree.TensorStructInfo:
    return tree.TensorStructInfo(tree.ShapeExpr(dims), tree.DType("float32"), None)


def test_D_13_what_is_small_is_left_alone() -> None:
    for info in (
        tensor(N, tree.Add(N, N)),
        tree.ShapeStructInfo((doubled(4),), None),
        tree.ObjectStructInfo(),
    ):
        assert bounded(info) is info
    pair = tree.TupleStructInfo((tensor(N), tensor(doubled(4))))
    assert bounded(pair) is pair


@pytest.mark.parametrize("times", [7, 10, 14])
def test_D_13_what_is_large_is_simplified(times: int) -> None:
    assert 2 ** (times + 1) > LARGE
    assert show(bounded(tensor(doubled(times), N))) == f"Tensor[(n * {2**times}, n), float32]"
    assert show(bounded(tree.ShapeStructInfo((doubled(times),), None))) == f"Shape[(n * {2**times},)]"


@pytest.mark.parametrize("dim", [doubled(200), squared(12), squared(60)], ids=["hopeless", "powers", "deep"])
def test_E_5_E_6_what_stays_large_is_forgotten(dim: tree.PrimExpr) -> None:
    assert show(bounded(tensor(N, dim))) == "Tensor[ndim=2, float32]"
    assert show(bounded(tree.ShapeStructInfo((dim, N), None))) == "Shape[ndim=2]"


def test_E_7_in_tuples_too_and_parts_stay_shared() -> None:
    part: tree.StructInfo = tree.TupleStructInfo((tensor(doubled(200)), tensor(N)))
    for _ in range(5_000):
        part = tree.TupleStructInfo((part, part))
    with deep_recursion():
        found = bounded(part)
    while isinstance(found, tree.TupleStructInfo) and found.fields[0] is found.fields[1]:
        found = found.fields[0]
    assert show(found) == "(Tensor[ndim=1, float32], Tensor[(n,), float32])"
