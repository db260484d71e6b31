"""The join of branches: U.4-U.15, D.6, and the meet of infos."""

from __future__ import annotations

from itertools import pairwise

import pytest

from relax_lang.struct_info.compatibility import is_more_specific
from relax_lang.struct_info.context import REJECTED, Context
from relax_lang.struct_info.join import join, meet
from relax_lang.struct_info.types import erase
from relax_lang.syntax import tree
from tests.struct_info.sample_space import expanded, info, scope, shown, world

NM = scope("n", "m")


def join_of(left: str, right: str, context: Context = NM) -> str:
    joined = join(info(left), info(right), context)
    for one in (left, right):
        assert is_more_specific(info(one), joined, context)
    return shown(joined)


def below(left: str, right: str, context: Context = NM) -> bool:
    return is_more_specific(info(left), info(right), context)


def chain(*texts: str) -> None:
    for one, other in pairwise(texts):
        assert below(one, other), (one, other)
        assert not below(other, one), (other, one)


def test_U_1_U_2_ERR_26_possibly_is_no_order() -> None:
    assert below("T[(n,)]", "T[(n,)]")
    assert not below("T[(3,)]", "T[(n,)]")
    assert not below("T[(n,)]", "T[(4,)]")
    assert not below("T[(3,)]", "T[(4,)]")


def test_U_3_object() -> None:
    chain("T[(n,)]", "Object")
    chain("PackedFunc", "Object")


def test_U_4_tensors() -> None:
    chain("T[(2, 3)]", "Tensor[ndim=2, float32]", "Tensor[ndim=2]", "Tensor", "Object")
    chain("T[(n,)]", "Tensor[(n,)]", "Tensor[ndim=1]")
    chain("Tensor[ndim=1, float32]", "Tensor[_, float32]")
    assert below("T[(n * 2,)]", "T[(n + n,)]")
    assert not below("Tensor[(n,)]", "T[(n,)]")


def test_U_5_shapes() -> None:
    chain("Shape[(n, m)]", "Shape[ndim=2]", "Shape", "Object")
    assert not below("Shape[(n, m)]", "Shape[(m, n)]")


def test_U_6_tuples() -> None:
    chain("(T[(n,)], Shape[(3,)])", "(T[(n,)], Shape)", "(Tensor, Shape)")
    assert not below("(Tensor,)", "(Tensor, Tensor)")


def test_U_7_functions() -> None:
    chain("PackedFunc", 'PackedFunc[derive="empty"]', "Object")
    assert not below('PackedFunc[derive="a"]', 'PackedFunc[derive="b"]')
    chain(
        "fn(Object) -> T[(n,)]",
        "fn(Tensor) -> T[(n,)]",
        "fn(Tensor) -> Tensor",
        "impure fn(T[(n,)]) -> Tensor",
    )


def test_U_8_object_absorbs() -> None:
    assert join_of("T[(n,)]", "Object") == "Object"  # ERR.20
    assert join_of("Object", "T[(n,)]") == "Object"


def test_U_9_different_kinds() -> None:
    assert join_of("Tensor", "Shape") == "Object"
    assert join_of("()", "Shape") == "Object"


def test_U_10_shapes() -> None:
    assert join_of("Shape[(n, m)]", "Shape[(m, n)]") == "Shape[ndim=2]"
    assert join_of("Shape[(n, 3)]", "Shape[(2, 4)]") == "Shape[ndim=2]"  # ERR.21
    assert join_of("Shape[(n + n,)]", "Shape[(2 * n,)]") == "Shape[(n + n,)]"
    assert join_of("Shape[(n,)]", "Shape[(n, n)]") == "Shape"
    assert join_of("Shape[(n,)]", "Shape") == "Shape"
    assert join_of("Shape[(n,)]", "Shape[ndim=1]") == "Shape[ndim=1]"


def test_U_11_tensors() -> None:
    assert join_of("T[(n, 3)]", "Tensor[(n, 3), float16]") == "Tensor[(n, 3)]"  # ERR.22
    assert join_of("T[(n, 3)]", "T[(m, 3)]") == "Tensor[ndim=2, float32]"
    assert join_of("T[(n, 3)]", "T[(n,)]") == "Tensor[_, float32]"
    assert join_of("T[(n, 3)]", "Tensor") == "Tensor"
    assert join_of("T[(n * m,)]", "T[(m * n,)]") == "Tensor[(n * m,), float32]"
    assert join_of("T[(n,)]", "Tensor[ndim=1, float32]") == "Tensor[ndim=1, float32]"


def test_U_11_shapes_in_variables() -> None:
    assert join_of("T[sh]", "Tensor[sh, int8]", world()) == "Tensor[sh]"
    assert join_of("T[known]", "T[(n, 3)]", world()) == "Tensor[known, float32]"
    assert join_of("T[sh]", "T[(n, 3)]", world()) == "Tensor[ndim=2, float32]"
    assert join_of("Tensor[alias]", "T[sh]", world()) == "Tensor[alias]"


def test_U_12_tuples() -> None:
    assert join_of("(T[(2, 3)], T[(2, 3)])", "(T[(2, 3)], T[(2, 4)])") == (
        "(Tensor[(2, 3), float32], Tensor[ndim=2, float32])"
    )
    assert join_of("(Tensor,)", "(Tensor, Tensor)") == "Object"
    assert join_of("(Tensor, Shape)", "(Tensor, Tensor)") == "(Tensor, Object)"


def test_U_13_packed_functions() -> None:
    assert join_of("PackedFunc", "PackedFunc") == "PackedFunc"
    assert join_of("PackedFunc", 'PackedFunc[derive="mine"]') == 'PackedFunc[derive="empty"]'
    assert join_of("PackedFunc", "fn() -> Object") == "Object"


@pytest.mark.parametrize(
    ("left", "right", "joined"),
    [
        ("fn(T[(a,)]) -> T[(a,)]", "fn(T[(b,)]) -> T[(b,)]", "fn(T[(a,)]) -> T[(a,)]"),  # ERR.24
        ("fn(T[(a,)]) -> T[(a,)]", "fn(T[(b,)]) -> T[(b * 2,)]", "fn(T[(a,)]) -> T[ndim=1]"),
        ("fn(T[(a,)]) -> T[(a,)]", "fn(T[(3,)]) -> T[(3,)]", "fn(T[(3,)]) -> T[(3,)]"),
        ("fn(T[(a,)]) -> T[(a,)]", "fn(T[(3,)]) -> T[(4,)]", "fn(T[(3,)]) -> T[ndim=1]"),
        ("fn(T[(a, 3)]) -> T[(a,)]", "fn(T[(4, b)]) -> T[(b,)]", "fn(T[(4, 3)]) -> T[ndim=1]"),
        ("fn(T[(a, b)]) -> T[(a,)]", "fn(T[(b, a)]) -> T[(a,)]", "fn(T[(a, b)]) -> T[ndim=1]"),
        (
            "fn(T[(a,)], T[(a,)]) -> T[(a,)]",
            "fn(T[(n,)], T[(b,)]) -> T[(b,)]",
            "fn(T[(n,)], T[(n,)]) -> T[(n,)]",
        ),
        ("fn(T[(a,)], T[(a,)]) -> ()", "fn(T[(b,)], T[(b + 0,)]) -> Shape", "fn(T[(a,)], T[(a,)]) -> Object"),
        ("fn(T[(a,)], T[(a,)]) -> ()", "fn(T[(b,)], T[(b * 2,)]) -> ()", "Object"),
        (
            "fn(T[(a,)]) -> fn(T[(c,)]) -> T[(c,)]",
            "fn(T[ndim=1]) -> fn(T[(a,)]) -> T[(a,)]",
            "fn(T[(a,)]) -> fn(T[(c,)]) -> T[(c,)]",
        ),
        ("fn(T[(2,)]) -> ()", "fn(T[(3,)]) -> ()", "Object"),
        ("fn(Tensor) -> Shape", "fn(Shape) -> Shape", "Object"),
        ("fn() -> ()", "fn(Tensor) -> ()", "Object"),
        ("fn(Tensor) -> Shape", "fn(Tensor[ndim=2]) -> Tensor", "fn(Tensor[ndim=2]) -> Object"),
        ("fn(Tensor) -> Shape", "impure fn(Tensor) -> Shape", "impure fn(Tensor) -> Shape"),
        ("impure fn(Tensor) -> Shape", "fn(T[(n,)]) -> ()", "impure fn(T[(n,)]) -> Object"),
        ("fn(T[(n,)]) -> T[(n,)]", "fn(T[(n,)]) -> T[(m,)]", "fn(T[(n,)]) -> T[ndim=1]"),
        (
            "fn(T[(a,)]) -> fn(T[(b,)]) -> T[(a,)]",
            "fn(T[(b,)]) -> fn(T[(a,)]) -> T[(b + 1,)]",
            "fn(T[(a,)]) -> fn(T[(b,)]) -> T[ndim=1]",
        ),
    ],
)
def test_U_14_functions(left: str, right: str, joined: str) -> None:
    assert join_of(left, right) == shown(info(expanded(joined)))


def test_U_14_more_general_wins() -> None:
    assert join_of("fn(Object) -> T[(3,)]", "fn(T[(a,)]) -> Tensor") == "fn(Tensor[(a,), float32]) -> Tensor"
    assert join_of("fn(T[(a,)]) -> Tensor", "fn(Object) -> T[(3,)]") == "fn(Tensor[(a,), float32]) -> Tensor"


def test_U_15_types_of_joins() -> None:
    joined = join(info("T[(n,)]"), info("T[(m,)]"), NM)
    assert erase(joined) is joined


def test_Z_5_a_rejected_branch_hides_the_other() -> None:
    assert join(REJECTED, info("Tensor")) is REJECTED
    assert join(info("Object"), REJECTED) is REJECTED


def test_U_12_shared_parts_are_joined_once() -> None:
    one, other = info("T[(n,)]"), info("T[(m,)]")
    for _ in range(60):  # as trees: 2 ** 60 leaves
        one, other = tree.TupleStructInfo((one, one)), tree.TupleStructInfo((other, other))
    joined = join(one, other, NM)
    assert isinstance(joined, tree.TupleStructInfo)
    assert joined.fields[0] is joined.fields[1]


@pytest.mark.parametrize(
    ("left", "right", "both"),
    [
        ("Tensor[(n,)]", "Tensor[_, float32]", "Tensor[(n,), float32]"),
        ("Tensor[ndim=1]", "T[(n,)]", "Tensor[(n,), float32]"),
        ("T[(n,)]", "T[(m,)]", "none"),
        ("T[(n,)]", "Tensor[ndim=2]", "none"),
        ("Shape", "Shape[(n,)]", "Shape[(n,)]"),
        ("Shape[(n,)]", "Shape[(n + 1,)]", "none"),
        ('PackedFunc[derive="empty"]', "PackedFunc", "PackedFunc"),
        ('PackedFunc[derive="a"]', "PackedFunc", "none"),
        ("PackedFunc", "fn() -> ()", "none"),
        ("(Object, Shape)", "(T[(n,)], Shape[ndim=1])", "(Tensor[(n,), float32], Shape[ndim=1])"),
        (
            "fn(T[(n,)]) -> Tensor",
            "impure fn(T[(m,)]) -> T[(n,)]",
            "fn(Tensor[ndim=1, float32]) -> Tensor[(n,), float32]",
        ),
        (
            "fn(T[(a,)]) -> T[(a,)]",
            "fn(T[(3,)]) -> T[(3,)]",
            "fn(Tensor[(a,), float32]) -> Tensor[(a,), float32]",
        ),
        ("fn(T[(a,)]) -> T[(a,)]", "fn(T[(3,)]) -> T[(4,)]", "none"),
    ],
)
def test_T_L6_T_L8_meet_of_infos(left: str, right: str, both: str) -> None:
    assert shown(meet(info(left), info(right), NM)) == both
    assert shown(meet(info(right), info(left), NM)) == both


def test_T_L6_a_variable_of_unknown_rank_cannot_be_met_with_a_rank() -> None:
    context = Context(variables={"sh": info("Shape")})
    assert meet(info("T[sh]"), info("Tensor[ndim=2]"), context) is None
    assert shown(meet(info("Tensor[sh]"), info("Tensor[_, int8]"), context)) == "Tensor[sh, int8]"
