"""When a match_cast is needed, and when none can pass: Z.3, T.C2, T.C3, D.8.3.3, ERR.35, ERR.47."""

from __future__ import annotations

from itertools import product

import pytest

from relax_lang.struct_info.compatibility import check_compatibility
from relax_lang.struct_info.match_casts import match_cast_refused, needs_match_cast
from relax_lang.struct_info.types import erase, glb
from relax_lang.struct_info.verdict import INCOMPATIBLE
from relax_lang.syntax import tree
from tests.struct_info.sample_space import info, infos, polymorphic, scope, shown, types, world

NM = scope("n", "m")


@pytest.mark.parametrize(
    ("found", "expected", "needed"),
    [
        ("Object", "Tensor[ndim=2]", True),
        ("Object", "fn() -> ()", True),
        ("Tensor", "T[(n, 3)]", True),
        ("Tensor[_, float32]", "Tensor[ndim=2]", True),
        ("Tensor[(n, 3)]", "T[(m, 3)]", True),
        ("Tensor[(n, 3)]", "T[(n, 4)]", False),
        ("Tensor[ndim=2]", "T[(n,)]", False),
        ("Shape", "Shape[(n,)]", True),
        ("Shape[ndim=2]", "Tensor", False),
        ("(Object, Shape)", "(Tensor, Shape[ndim=1])", True),
        ("(Object, Shape)", "(Tensor, Tensor)", False),
        ("(Object,)", "(Tensor, Tensor)", False),
        ("fn(Tensor) -> Object", "fn(Tensor) -> Tensor", False),
        ("fn(Tensor[ndim=2]) -> Object", "fn(Object) -> Object", False),
        ("impure fn() -> ()", "fn() -> ()", False),
        ("(fn(Object) -> (), Object)", "(fn(Tensor) -> (), Tensor)", True),
        ("(impure fn() -> (), Object)", "(fn() -> (), Tensor)", False),
        ("PackedFunc", "fn() -> ()", False),
    ],
)
def test_Z_3_needs_match_cast(found: str, expected: str, needed: bool) -> None:
    assert check_compatibility(info(found), info(expected), NM).answer == INCOMPATIBLE
    assert needs_match_cast(info(found), info(expected), NM) is needed


def test_Z_3_ERR_47_a_cast_may_help_iff_the_types_have_a_common_value() -> None:
    plain = [one for one in types() if not isinstance(one, tree.FuncStructInfo) and "fn" not in shown(one)]
    assert len(plain) > 80
    for one, other in product(plain, repeat=2):
        assert needs_match_cast(one, other) is (glb(one, other) is not None), (shown(one), shown(other))


def test_D_8_3_3_what_may_pass_is_never_refused() -> None:
    for one, other in product([*infos(), *polymorphic()], repeat=2):
        if check_compatibility(one, other, world()).answer != INCOMPATIBLE:
            assert match_cast_refused(one, other, world()) is None, (shown(one), shown(other))
            assert needs_match_cast(one, other, world()), (shown(one), shown(other))
        if glb(erase(one, world()), erase(other, world())) is None:
            assert match_cast_refused(one, other, world()) is not None, (shown(one), shown(other))


@pytest.mark.parametrize(
    ("found", "target", "why"),
    [
        ("T[(2, 3)]", "T[(2, 4)]", "dimension 1: expected 4, found 3"),
        ("T[(2, 3)]", "T[(k, k)]", "dimension 1: expected 2, found 3"),
        ("T[(n, n + 1)]", "T[(k, k)]", "dimension 1: expected n, found n + 1"),
        ("T[(2, 3)]", "Shape[ndim=2]", "expected a shape, found a tensor"),
        ("T[(2, 3)]", "Tensor[_, int8]", "dtype: expected int8, found float32"),
        ("T[(2, 3)]", "Tensor[ndim=3]", "rank: expected 3, found 2"),
        ("(Tensor, Shape)", "(Tensor, Tensor)", "field 1: expected a tensor, found a shape"),
        ("(Tensor,)", "()", "fields: expected 0, found 1"),
        ("fn() -> Shape", "fn() -> Tensor", "result: expected a tensor, found a shape"),
        ("fn() -> ()", "fn(Tensor) -> ()", "parameters: expected 1, found 0"),
        ("fn() -> ()", "PackedFunc", "expected a packed function, found a closure"),
    ],
)
def test_D_8_3_3_no_value_passes(found: str, target: str, why: str) -> None:
    assert str(match_cast_refused(info(found), info(target), NM)) == why


@pytest.mark.parametrize(
    ("found", "target"),
    [
        ("Object", "T[(n, k)]"),
        ("T[(2, 3)]", "T[(k, 3)]"),
        ("T[(n, m)]", "T[(k, k)]"),
        ("T[(n, 3)]", "T[(m, 3)]"),
        ("Tensor[ndim=2]", "Tensor[_, float32]"),
        ("fn(Tensor) -> Object", "fn(Shape) -> Tensor"),
        ("impure fn(T[(2,)]) -> T[(2,)]", "fn(T[(3,)]) -> T[(3,)]"),
        ("PackedFunc", 'PackedFunc[derive="mine"]'),
        ("T[(2, 3)]", "Object"),
    ],
)
def test_D_8_3_3_some_value_may_pass(found: str, target: str) -> None:
    assert match_cast_refused(info(found), info(target), NM) is None
