"""The relations against each other, on all pairs of a few hundred types and infos."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product

from relax_lang.base.node import same, walk
from relax_lang.struct_info.bound_variables import alpha_equal, rename_binders
from relax_lang.struct_info.calls import apply
from relax_lang.struct_info.compatibility import check_compatibility, is_equivalent, is_more_specific
from relax_lang.struct_info.context import Context
from relax_lang.struct_info.join import join, meet
from relax_lang.struct_info.scope_erasure import Mentions, erase_to_well_defined
from relax_lang.struct_info.types import erase, glb, is_subtype, lub
from relax_lang.struct_info.verdict import COMPATIBLE, INCOMPATIBLE
from relax_lang.syntax import tree
from tests.struct_info.sample_space import free_names, info, infos, polymorphic, scope, shown, types, world

Info = tree.StructInfo
WORLD = world()


def table(items: Sequence[Info], below: Callable[[Info, Info], bool]) -> tuple[list[int], list[int]]:
    """Return, for each item, the sets (as bits) of those above it and of those below it."""
    up = [0] * len(items)
    down = [0] * len(items)
    for i, j in product(range(len(items)), repeat=2):
        if below(items[i], items[j]):
            up[i] |= 1 << j
            down[j] |= 1 << i
    return up, down


def members(bits: int) -> list[int]:
    return [index for index in range(bits.bit_length()) if bits >> index & 1]


def assert_order(items: Sequence[Info], up: Sequence[int]) -> None:
    """Check that a relation is reflexive and transitive."""
    for i, above in enumerate(up):
        assert above >> i & 1, shown(items[i])
        for j in members(above):
            assert up[j] & ~above == 0, (shown(items[i]), shown(items[j]))


def test_T_S1_T_S2_subtyping_is_a_partial_order() -> None:
    assert len(types()) > 200
    up, _ = table(types(), is_subtype)
    assert_order(types(), up)
    for i, above in enumerate(up):
        for j in members(above):
            assert i == j or not up[j] >> i & 1, (shown(types()[i]), shown(types()[j]))  # antisymmetric


def test_T_S3_object_is_above_everything() -> None:
    top = types()[0]
    for one in types():
        assert is_subtype(one, top)
        assert is_subtype(top, one) is (one is top)


def test_T_L1_T_L9_lub_is_the_least_upper_bound() -> None:
    up, _ = table(types(), is_subtype)
    for (i, one), (j, other) in product(enumerate(types()), repeat=2):
        bound = lub(one, other)
        assert is_subtype(one, bound), (shown(one), shown(other))
        assert is_subtype(other, bound), (shown(one), shown(other))
        for k in members(up[i] & up[j]):
            assert is_subtype(bound, types()[k]), (shown(one), shown(other), shown(types()[k]))


def test_T_L5_T_L8_glb_is_the_greatest_lower_bound() -> None:
    _, down = table(types(), is_subtype)
    for (i, one), (j, other) in product(enumerate(types()), repeat=2):
        bound = glb(one, other)
        if bound is None:
            assert down[i] & down[j] == 0, (shown(one), shown(other))
            continue
        assert is_subtype(bound, one), (shown(one), shown(other))
        assert is_subtype(bound, other), (shown(one), shown(other))
        for k in members(down[i] & down[j]):
            assert is_subtype(types()[k], bound), (shown(one), shown(other), shown(types()[k]))


def test_U_1_U_7_types_are_ordered_as_infos_are() -> None:
    for one, other in product(types(), repeat=2):
        answer = check_compatibility(one, other).answer
        assert answer == (COMPATIBLE if is_subtype(one, other) else INCOMPATIBLE), (shown(one), shown(other))
        joined = join(one, other)
        assert is_subtype(erase(joined), lub(one, other)), (
            shown(one),
            shown(other),
        )  # of scalars: `Tensor[()]`
        assert is_subtype(lub(one, other), joined), (shown(one), shown(other))
        both, bound = meet(one, other), glb(one, other)
        assert shown(both) == shown(bound)


def test_E_1_E_2_erasing_is_idempotent_and_gives_a_supertype() -> None:
    for one in [*infos(), *polymorphic()]:
        erased = erase(one, WORLD)
        assert erase(erased) is erased
        assert shown(erase(erased)) == shown(erased)
        assert check_compatibility(one, erased, WORLD).answer != INCOMPATIBLE


def test_E_2_every_type_is_an_info_of_itself() -> None:
    for one in types():
        assert erase(one) is one


def test_U_1_U_2_definitely_more_specific_is_an_order() -> None:
    items = [*infos(), *polymorphic()]
    up, _ = table(items, lambda one, other: is_more_specific(one, other, WORLD))
    assert_order(items, up)


def test_C_0_U_3_compatible_infos_have_compatible_types() -> None:
    items = [*infos(), *polymorphic()]
    seen: dict[str, int] = {}
    for one, other in product(items, repeat=2):
        answer = check_compatibility(one, other, WORLD).answer
        seen[answer] = seen.get(answer, 0) + 1
        if answer != INCOMPATIBLE:
            assert is_subtype(erase(one, WORLD), erase(other, WORLD)), (shown(one), shown(other))
    assert min(seen.values()) > 300
    assert len(seen) == 3


def test_U_15_the_join_is_the_least_upper_bound() -> None:
    up, _ = table(infos(), lambda one, other: is_more_specific(one, other, WORLD))
    for (i, one), (j, other) in product(enumerate(infos()), repeat=2):
        bound = join(one, other, WORLD)
        assert is_more_specific(one, bound, WORLD), (shown(one), shown(other), shown(bound))
        assert is_more_specific(other, bound, WORLD), (shown(one), shown(other), shown(bound))
        for k in members(up[i] & up[j]):
            assert is_more_specific(bound, infos()[k], WORLD), (shown(one), shown(other), shown(infos()[k]))


def test_U_15_the_meet_is_the_greatest_lower_bound() -> None:
    _, down = table(infos(), lambda one, other: is_more_specific(one, other, WORLD))
    for (i, one), (j, other) in product(enumerate(infos()), repeat=2):
        bound = meet(one, other, WORLD)
        if bound is None:
            assert down[i] & down[j] == 0, (shown(one), shown(other))
            continue
        assert is_more_specific(bound, one, WORLD), (shown(one), shown(other))
        assert is_more_specific(bound, other, WORLD), (shown(one), shown(other))
        for k in members(down[i] & down[j]):
            assert is_more_specific(infos()[k], bound, WORLD), (shown(one), shown(other), shown(infos()[k]))


def test_U_15_the_join_is_commutative_and_idempotent() -> None:
    for one, other in [*product(infos(), repeat=2), *product(polymorphic(), repeat=2)]:
        assert is_equivalent(join(one, other, WORLD), join(other, one, WORLD), WORLD), (
            shown(one),
            shown(other),
        )
        assert join(one, one, WORLD) is one


def test_U_15_the_join_is_associative() -> None:
    some = infos()[::5]
    assert len(some) > 30
    for one, two, three in product(some, repeat=3):
        left = join(join(one, two, WORLD), three, WORLD)
        right = join(one, join(two, three, WORLD), WORLD)
        assert is_equivalent(left, right, WORLD), (shown(one), shown(two), shown(three))


def test_U_14_the_join_of_functions_with_binders_is_an_upper_bound() -> None:
    for one, other in product(polymorphic(), repeat=2):
        bound = join(one, other, WORLD)
        assert is_more_specific(one, bound, WORLD), (shown(one), shown(other), shown(bound))
        assert is_more_specific(other, bound, WORLD), (shown(one), shown(other), shown(bound))
        if is_more_specific(one, other, WORLD):
            assert is_equivalent(bound, other, WORLD), (shown(one), shown(other), shown(bound))
        both = meet(one, other, WORLD)
        if both is not None:
            assert is_more_specific(both, one, WORLD), (shown(one), shown(other), shown(both))
            assert is_more_specific(both, other, WORLD), (shown(one), shown(other), shown(both))


def test_S_16_E_14_names_of_binders_do_not_matter() -> None:
    """Answers stay the same when every binder of one side, or of both, gets another name."""
    names = ("a", "b", "a_1", "b_1")
    other_names = [rename_binders(one, WORLD.shape_vars, names) for one in polymorphic()]
    for (one, one_renamed), (other, renamed) in product(
        zip(polymorphic(), other_names, strict=True), repeat=2
    ):
        answer = check_compatibility(one, other, WORLD).answer
        assert check_compatibility(one, renamed, WORLD).answer == answer, (shown(one), shown(other))
        assert check_compatibility(one_renamed, renamed, WORLD).answer == answer, (shown(one), shown(other))
        joined = join(one, other, WORLD)
        assert is_equivalent(join(one_renamed, renamed, WORLD), joined, WORLD), (shown(one), shown(other))
        assert is_equivalent(join(one, renamed, WORLD), joined, WORLD), (shown(one), shown(other))
    for one, renamed in zip(polymorphic(), other_names, strict=True):
        assert alpha_equal(one, renamed, WORLD.shape_vars), shown(one)
        assert alpha_equal(one, one, WORLD.shape_vars)


def test_C_6_3_a_function_that_is_accepted_serves_every_call() -> None:
    """Whatever is accepted by the expected type is accepted by the found one, and the result fits."""
    arguments = [
        info(text) for text in ("T[(3,)]", "T[(n,)]", "T[(m + 1,)]", "T[(3, 3)]", "T[(n, m)]", "Shape[(n,)]")
    ]
    served = 0
    unary = [
        one for one in polymorphic() if isinstance(one, tree.FuncStructInfo) and len(one.params or ()) == 1
    ]
    for found, expected in product(unary, repeat=2):
        if check_compatibility(found, expected, WORLD).answer != COMPATIBLE:
            continue
        for argument in arguments:
            wanted = apply(expected, (argument,), WORLD)
            if wanted.verdicts[0].answer != COMPATIBLE:
                continue
            given = apply(found, (argument,), WORLD)
            served += 1
            assert given.verdicts[0].answer == COMPATIBLE, (shown(found), shown(expected), shown(argument))
            assert is_more_specific(given.result, wanted.result, WORLD), (shown(found), shown(expected))
    assert served > 100


def test_E_10_erasing_to_a_scope_only_weakens_and_leaves_nothing_out_of_scope() -> None:
    changed = 0
    for outer in (
        Context(),
        scope("n"),
        scope("m"),
        Context(frozenset(), {"sh": info("Shape[ndim=2]")}),
        WORLD,
    ):
        for one in [*infos(), *polymorphic()]:
            erased = erase_to_well_defined(one, WORLD, outer)
            assert free_names(erased, outer.shape_vars) <= outer.shape_vars, shown(one)
            variables = {node.name_hint for node in walk(erased) if isinstance(node, tree.Var)}
            assert variables <= outer.variables.keys(), shown(one)
            assert same(erase(erased, outer), erase(one, WORLD)), shown(one)
            assert erase_to_well_defined(erased, WORLD, outer) is erased
            changed += erased is not one
            if not any(isinstance(node, tree.FuncStructInfo) for node in walk(one)):
                assert is_more_specific(one, erased, WORLD), shown(one)
    assert changed > 200


def test_E_10_what_infos_mention_gives_the_same_erasure() -> None:
    contexts = (Context(), scope("n"), scope("m"), scope("n", "m"), WORLD)
    mentions, kept = Mentions(), 0
    for inner, outer in product(contexts, repeat=2):
        for one in [*infos(), *polymorphic()]:
            erased = erase_to_well_defined(one, inner, outer)
            remembered = erase_to_well_defined(one, inner, outer, mentions)
            assert same(remembered, erased), shown(one)
            assert (remembered is one) == (erased is one)
            kept += mentions.all_defined(one, inner, outer)
    assert kept > 200


def test_U_15_functions_with_binders_need_not_have_a_least_join() -> None:
    """Two upper bounds of which none is below the other: the join has to choose, and is not associative."""
    one, two, three = (
        info("fn(T[(a,)]) -> T[(a,)]"),
        info("fn(T[(b,)]) -> T[(2,)]"),
        info("fn(T[(2,)]) -> T[(2,)]"),
    )
    first = join(one, two)
    assert shown(first) == "fn(Tensor[(a,), float32]) -> Tensor[ndim=1, float32]"
    for bound in (first, three):
        assert is_more_specific(one, bound)
        assert is_more_specific(two, bound)
    assert not is_more_specific(first, three)
    assert not is_more_specific(three, first)
