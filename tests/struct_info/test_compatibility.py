"""check_compatibility: C.0-C.6.4, D.13, and what its reasons say: Z.2-Z.4, Z.7."""

from __future__ import annotations

import pytest

from relax_lang.struct_info.compatibility import check_compatibility
from relax_lang.struct_info.context import REJECTED, Context
from relax_lang.struct_info.types import erase, is_subtype
from relax_lang.struct_info.verdict import COMPATIBLE, INCOMPATIBLE, POSSIBLY, Reason, Verdict
from relax_lang.syntax import tree
from tests.struct_info.sample_space import info, scope, shape

YES, MAYBE, NO = COMPATIBLE, POSSIBLY, INCOMPATIBLE
NM = scope("n", "m")


def verdict(found: str, expected: str, context: Context = NM) -> Verdict:
    return check_compatibility(info(found), info(expected), context)


def compat(found: str, expected: str, context: Context = NM) -> str:
    answer = verdict(found, expected, context).answer
    if answer != NO:  # C.0
        assert is_subtype(erase(info(found), context), erase(info(expected), context))
    return answer


def why(found: str, expected: str, context: Context = NM) -> str:
    return str(verdict(found, expected, context).reason)


def reason(found: str, expected: str) -> Reason:
    found_reason = verdict(found, expected).reason
    assert found_reason is not None
    return found_reason


def test_C_0_answers_go_with_types() -> None:
    assert compat("T[(n, 3)]", "T[(m, 3)]") == MAYBE
    assert compat("T[(n, 3)]", "Tensor") == YES


@pytest.mark.parametrize("text", ["Object", "Tensor", "T[(n,)]", "(Shape, ())", "fn() -> ()", "PackedFunc"])
def test_C_1_object_takes_everything(text: str) -> None:
    assert compat(text, "Object") == YES


def test_C_2_different_kinds() -> None:
    assert compat("Tensor", "Tensor") == YES
    assert compat("Tensor", "Shape") == NO
    assert compat("Object", "Tensor") == NO
    assert compat("()", "Tensor") == NO
    assert why("Shape[ndim=2]", "Tensor") == "expected a tensor, found a shape"
    assert why("Object", "()") == "expected a tuple, found an object"
    assert why("PackedFunc", "fn() -> ()") == "expected a closure, found a packed function"


def test_C_3_1_tuples_of_different_length() -> None:
    assert compat("(Tensor,)", "(Tensor, Tensor)") == NO
    assert why("(Tensor,)", "(Tensor, Tensor)") == "fields: expected 2, found 1"
    assert compat("()", "()") == YES


def test_C_3_2_the_worst_field() -> None:
    assert compat("(Tensor, T[(n,)])", "(Tensor, T[(m,)])") == MAYBE
    assert compat("(T[(n,)], Shape)", "(T[(m,)], Tensor)") == NO
    assert compat("(T[(n,)], Shape)", "(T[(n,)], Shape)") == YES
    assert (
        why("(T[(n,)], (Shape,))", "(T[(m,)], (Tensor,))")
        == "field 1, field 0: expected a tensor, found a shape"
    )
    assert why("(T[(n,)], T[(n,)])", "(T[(m,)], T[(m,)])") == "field 0: dimension 0: expected m, found n"


def test_C_4_1_shape_of_unknown_rank_expected() -> None:
    assert compat("Shape[(n, 3)]", "Shape") == YES
    assert compat("Shape", "Shape") == YES


def test_C_4_2_ranks_of_shapes() -> None:
    assert compat("Shape[(n, 3)]", "Shape[ndim=2]") == YES
    assert compat("Shape", "Shape[ndim=2]") == NO
    assert compat("Shape[ndim=1]", "Shape[ndim=2]") == NO
    assert compat("Shape[(n,)]", "Shape[(n, n)]") == NO
    assert why("Shape", "Shape[ndim=2]") == "rank: expected 2, found unknown"
    assert why("Shape[(n,)]", "Shape[(n, n)]") == "rank: expected 2, found 1"


def test_C_4_3_C_4_4_values_of_shapes() -> None:
    assert compat("Shape[ndim=2]", "Shape[ndim=2]") == YES
    assert compat("Shape[ndim=2]", "Shape[(n, 3)]") == MAYBE
    assert why("Shape[ndim=2]", "Shape[(n, 3)]") == "shape: expected (n, 3), found unknown"
    assert compat("Shape[ndim=0]", "Shape[()]") == YES


def test_C_4_5_dimensions_of_shapes() -> None:
    assert compat("Shape[(n, 3)]", "Shape[(n, 3)]") == YES
    assert compat("Shape[(2, 3)]", "Shape[(2, 4)]") == NO
    assert compat("Shape[(n, 3)]", "Shape[(m, 3)]") == MAYBE
    assert compat("Shape[(n, 3)]", "Shape[(m, 4)]") == NO  # a pair that differs decides, wherever it stands
    assert why("Shape[(n, 3)]", "Shape[(m, 4)]") == "dimension 1: expected 4, found 3"


def test_C_5_1_dtypes() -> None:
    assert compat("T[(2, 3)]", "Tensor[(2, 3), float32]") == YES
    assert compat("T[(2, 3)]", "Tensor[(2, 3)]") == YES
    assert compat("Tensor[ndim=2]", "Tensor[ndim=2, float32]") == NO
    assert compat("Tensor[(2,), int8]", "Tensor[(2,), int16]") == NO
    assert why("Tensor[(2,), int8]", "Tensor[(2,), int16]") == "dtype: expected int16, found int8"
    assert why("Tensor", "Tensor[_, int16]") == "dtype: expected int16, found any dtype"


def test_C_5_2_ranks() -> None:
    assert compat("T[(2, 3)]", "Tensor[ndim=2, float32]") == YES
    assert compat("T[(2, 3)]", "Tensor[ndim=3, float32]") == NO
    assert compat("Tensor", "Tensor[ndim=3]") == NO
    assert compat("Tensor", "Tensor[(n,)]") == NO


def test_C_5_3_no_shape_expected() -> None:
    assert compat("T[(2, 3)]", "Tensor") == YES
    assert compat("Tensor[ndim=2]", "Tensor") == YES


def test_C_5_4_shape_expected_none_found() -> None:
    assert compat("Tensor[ndim=2, float32]", "T[(2, 3)]") == MAYBE
    assert compat("Tensor[ndim=0, float32]", "T[()]") == YES
    assert why("Tensor[ndim=2, float32]", "T[(2, 3)]") == "shape: expected (2, 3), found unknown"


def with_shapes() -> Context:
    variables = {name: info("Shape[ndim=2]") for name in ("sh", "s2", "alias", "alias2", "other", "twice")}
    variables["param"] = info("Shape[(n, 3)]")
    variables["free"] = info("Shape")
    known = {"s2": shape(2, 3), "alias": tree.Var("sh"), "alias2": tree.Var("alias"), "twice": tree.Var("s2")}
    return Context(frozenset({"n", "m"}), variables, known)


@pytest.mark.parametrize(
    ("found", "expected", "answer"),
    [
        ("T[sh]", "T[sh]", YES),
        ("T[alias2]", "T[sh]", YES),
        ("T[alias]", "T[alias2]", YES),
        ("T[s2]", "T[(2, 3)]", YES),
        ("T[(2, 3)]", "T[twice]", YES),
        ("T[s2]", "T[(2, 4)]", NO),
        ("T[(2, 4)]", "T[s2]", NO),
        ("T[s2]", "T[(n, 3)]", MAYBE),
        ("T[param]", "T[(n, 3)]", YES),
        ("T[param]", "T[s2]", MAYBE),
        ("T[sh]", "T[(2, 3)]", MAYBE),
        ("T[(2, 3)]", "T[sh]", MAYBE),
        ("T[sh]", "T[other]", MAYBE),
        ("Tensor[ndim=2, float32]", "T[sh]", MAYBE),
        ("T[sh]", "Tensor[ndim=2, float32]", YES),
        ("T[(2,)]", "T[sh]", NO),
        ("T[sh]", "T[(2,)]", NO),
        ("T[(2,)]", "T[free]", MAYBE),
        ("T[free]", "T[(2,)]", NO),
        ("T[free]", "T[free]", YES),
        ("Tensor[_, float32]", "T[free]", MAYBE),
        ("T[s2]", "Tensor[s2, int8]", NO),
    ],
)
def test_C_5_5_shapes_in_variables(found: str, expected: str, answer: str) -> None:
    assert compat(found, expected, with_shapes()) == answer


def test_C_5_5_reason() -> None:
    assert why("T[sh]", "T[(2, 3)]", with_shapes()) == "shape: expected (2, 3), found sh"
    assert why("T[twice]", "T[(2, 4)]", with_shapes()) == "dimension 1: expected 4, found 3"


def test_C_5_5_a_ring_of_variables_ends() -> None:
    context = Context(known={"a": tree.Var("b"), "b": tree.Var("a")})
    assert check_compatibility(info("T[a]"), info("T[(2,)]"), context).answer == NO
    assert check_compatibility(info("T[a]"), info("T[a]"), context).answer == YES


@pytest.mark.parametrize(
    ("found", "expected", "answer"),
    [
        ("(n * 2 + 2, 3)", "((n + 1) * 2, 3)", YES),
        ("(n, 3)", "(n + 1, 3)", NO),
        ("(2, 3)", "(2, 4)", NO),
        ("(n, 3)", "(m, 3)", MAYBE),
        ("(n, 3)", "(n, 3)", YES),
        ("(n, 3)", "(n, m)", MAYBE),
    ],
)
def test_C_5_6_dimensions(found: str, expected: str, answer: str) -> None:
    assert compat(f"T[{found}]", f"T[{expected}]") == answer


def test_C_5_6_D_13_proofs() -> None:
    assert compat("T[(n * m,)]", "T[(m * n,)]") == YES
    assert compat("T[(n * n,)]", "T[(n,)]") == MAYBE


def test_Z_4_a_doubt_shows_a_counterexample() -> None:
    doubt = reason("T[(3, n)]", "T[(3, m)]")
    assert (doubt.what, doubt.index, doubt.subject) == ("dimension", 1, "dimension 1")
    assert doubt.example is not None
    assert doubt.example["n"] != doubt.example["m"]
    assert doubt.example_text.count("=") == 2


def test_C_6_1_closures_and_packed_functions() -> None:
    assert compat("fn(Tensor) -> Tensor", "PackedFunc") == NO
    assert compat("PackedFunc", "fn(Tensor) -> Tensor") == NO
    assert compat("fn(Tensor) -> Tensor", "fn(Tensor) -> Tensor") == YES
    assert why("fn() -> ()", "PackedFunc") == "expected a packed function, found a closure"


def test_C_6_2_derive_functions() -> None:
    assert compat("PackedFunc", "PackedFunc") == YES
    assert compat("PackedFunc", 'PackedFunc[derive="empty"]') == YES  # ERR.27
    assert compat("PackedFunc", 'PackedFunc[derive="mine"]') == MAYBE
    assert compat('PackedFunc[derive="empty"]', "PackedFunc") == MAYBE
    assert why("PackedFunc", 'PackedFunc[derive="mine"]') == "derive function: expected mine, found default"


def test_C_6_3_1_numbers_of_parameters() -> None:
    assert compat("fn(Tensor) -> ()", "fn(Tensor, Tensor) -> ()") == NO
    assert compat("fn(Tensor, Shape) -> ()", "fn(Tensor, Shape) -> ()") == YES
    assert why("fn(Tensor) -> ()", "fn() -> ()") == "parameters: expected 0, found 1"


@pytest.mark.parametrize(
    ("found", "expected", "answer"),
    [
        ("fn(T[(a, 3)]) -> T[(a, 3)]", "fn(T[(2, 3)]) -> T[(2, 3)]", YES),
        ("fn(T[(a, 3)]) -> T[(a, 4)]", "fn(T[(2, 3)]) -> T[(2, 3)]", NO),
        ("fn(T[(a, 4)]) -> T[(a, 4)]", "fn(T[(2, 3)]) -> Tensor", NO),
        ("fn(T[(a,)]) -> T[(a * 2,)]", "fn(T[(b,)]) -> T[(b + b,)]", YES),
        ("fn(T[(a,)]) -> T[(a,)]", "fn(T[(b,)]) -> T[(a,)]", MAYBE),  # that `a` is not the other's
        ("fn(T[(a,)]) -> T[(3,)]", "fn(T[(a,)]) -> T[(a,)]", MAYBE),
        ("fn(T[(a,)]) -> T[(a + 1,)]", "fn(T[(a,)]) -> T[(a,)]", NO),
        ("fn(T[(2,)]) -> T[(2,)]", "fn(T[(a,)]) -> T[(a,)]", MAYBE),
        ("fn(T[(a, a)]) -> T[(a,)]", "fn(T[(2, 3)]) -> T[(2,)]", NO),
        ("fn(T[(a, a)]) -> T[(a,)]", "fn(T[(n, m)]) -> T[(n,)]", MAYBE),
        ("fn(T[(a, b)]) -> T[(b, a)]", "fn(T[(b, a)]) -> T[(a, b)]", YES),
        ("fn(T[(n,)]) -> T[(n,)]", "fn(T[(3,)]) -> T[(3,)]", MAYBE),  # `n` is in scope and fixed
        ("fn(T[(n,)]) -> T[(n,)]", "fn(T[(n,)]) -> T[(n,)]", YES),
        ("fn(T[(a,)]) -> Object", "fn(Tensor[ndim=1, float32]) -> Object", YES),
        ("fn(T[(a, a)]) -> Object", "fn(Tensor[ndim=2, float32]) -> Object", MAYBE),
        ("fn(T[(a,)], T[(a,)]) -> Object", "fn(T[ndim=1], T[ndim=1]) -> Object", MAYBE),
        ("fn(T[(a,)]) -> T[(a,)]", "fn(T[ndim=1]) -> T[(3,)]", MAYBE),
    ],
)
def test_C_6_3_2_variables_are_mapped(found: str, expected: str, answer: str) -> None:
    assert compat(found, expected) == answer


@pytest.mark.parametrize(
    ("found", "expected", "answer"),
    [
        ("fn(fn(T[(k,)]) -> T[(k,)]) -> ()", "fn(fn(T[(3,)]) -> T[(3,)]) -> ()", MAYBE),
        ("fn(fn(T[(3,)]) -> T[(3,)]) -> ()", "fn(fn(T[(k,)]) -> T[(k,)]) -> ()", YES),
        ("fn(T[(b,)], fn(T[(k,)]) -> T[(b,)]) -> ()", "fn(T[(k,)], fn(T[(b,)]) -> T[(k,)]) -> ()", YES),
        ("fn(T[(a,)]) -> fn(T[(b,)]) -> T[(b,)]", "fn(T[(b,)]) -> fn(T[(a,)]) -> T[(a,)]", YES),
        ("fn(T[(a,)]) -> fn(T[(b,)]) -> T[(b,)]", "fn(T[(b,)]) -> fn(T[(a,)]) -> T[(b,)]", MAYBE),
        ("fn(fn(T[(b,)]) -> ()) -> ()", "fn(fn(T[(b,)]) -> (), T[(b,)]) -> ()", NO),
        ("fn(fn(T[(b,)]) -> (), Object) -> ()", "fn(fn(T[(b,)]) -> (), T[(b,)]) -> ()", MAYBE),
    ],
)
def test_C_6_3_2_inner_functions_keep_their_variables(found: str, expected: str, answer: str) -> None:
    assert compat(found, expected) == answer


def test_C_6_3_3_directions() -> None:
    assert compat("fn(Object) -> T[(2,)]", "fn(Tensor) -> Tensor") == YES
    assert compat("fn(Tensor) -> Tensor", "fn(Object) -> Tensor") == NO
    assert compat("fn(Tensor) -> Object", "fn(Tensor) -> Tensor") == NO
    assert compat("fn(T[(n,)]) -> ()", "fn(T[(m,)]) -> ()") == MAYBE
    assert compat("fn(T[(n,)]) -> Shape", "fn(T[(m,)]) -> ()") == NO
    narrow = reason("fn(Tensor[ndim=2]) -> Object", "fn(Object) -> Object")
    assert (narrow.path, narrow.reversed, narrow.what) == (("parameter 0",), True, "kind")
    assert str(narrow) == "parameter 0: expected an object, found a tensor"
    result = reason("fn() -> Object", "fn() -> Tensor")
    assert (result.path, result.reversed) == (("result",), False)
    twice = reason("fn(fn(Shape) -> ()) -> ()", "fn(fn(Tensor) -> ()) -> ()")
    assert str(twice) == "parameter 0, parameter 0: expected a tensor, found a shape"
    assert not twice.reversed


def test_C_6_4_T_S7_purity() -> None:
    assert compat("impure fn() -> ()", "fn() -> ()") == NO
    assert compat("fn() -> ()", "impure fn() -> ()") == YES
    assert compat("impure fn() -> ()", "impure fn() -> ()") == YES
    assert why("impure fn() -> ()", "fn() -> ()") == "purity: expected a pure function, found an impure one"
    back = reason("fn(fn() -> ()) -> ()", "fn(impure fn() -> ()) -> ()")
    assert str(back) == "parameter 0: purity: expected an impure function, found a pure one"


def test_Z_5_what_was_rejected_fits_everywhere() -> None:
    for text in ("Tensor", "T[(n,)]", "fn() -> ()", "(Tensor, Shape)", "Object"):
        assert check_compatibility(REJECTED, info(text)).answer == YES
    pair = tree.TupleStructInfo((REJECTED, info("Shape")))
    assert check_compatibility(pair, info("(Tensor, Shape)")).answer == YES
    assert check_compatibility(pair, info("(Tensor, Tensor)")).answer == NO


def test_C_3_2_shared_parts_are_compared_once() -> None:
    one, other = info("T[(n,)]"), info("T[(n + 0,)]")
    for _ in range(60):  # as trees: 2 ** 60 leaves
        one, other = tree.TupleStructInfo((one, one)), tree.TupleStructInfo((other, other))
    assert check_compatibility(one, other, NM).answer == YES
