"""Types: erasure, subtyping, bounds, conversions: E.1, E.2, T.S*, T.L*, T.C*."""

from __future__ import annotations

import pytest

from relax_lang.struct_info.compatibility import check_compatibility
from relax_lang.struct_info.match_casts import needs_match_cast
from relax_lang.struct_info.types import PACKED, erase, glb, is_subtype, lub
from relax_lang.struct_info.verdict import COMPATIBLE, INCOMPATIBLE
from tests.struct_info.sample_space import info, scope, shown, world

F2 = "Tensor[ndim=2, float32]"


def sub(left: str, right: str) -> bool:
    return is_subtype(info(left), info(right))


def lub_text(left: str, right: str) -> str:
    return shown(lub(info(left), info(right)))


def glb_text(left: str, right: str) -> str:
    return shown(glb(info(left), info(right)))


@pytest.mark.parametrize(
    ("text", "erased"),
    [
        ("Tensor[(n, 4), float32]", F2),
        ("Tensor[sh, float32]", F2),
        ("Tensor[known]", "Tensor[ndim=2]"),
        ("Tensor[(n,)]", "Tensor[ndim=1]"),
        ("Tensor[_, int8]", "Tensor[_, int8]"),
        ("Shape[(n, m, 3)]", "Shape[ndim=3]"),
        ("Shape", "Shape"),
        ("(Tensor[(n,)], (Shape[(n,)],))", "(Tensor[ndim=1], (Shape[ndim=1],))"),
        ("fn(T[(a,)]) -> T[(a,)]", "fn(Tensor[ndim=1, float32]) -> Tensor[ndim=1, float32]"),
        ("impure fn(T[(a,)]) -> ()", "impure fn(Tensor[ndim=1, float32]) -> ()"),
        ('PackedFunc[derive="empty"]', "PackedFunc"),
        ("Object", "Object"),
    ],
)
def test_E_1_erase(text: str, erased: str) -> None:
    assert shown(erase(info(text), world())) == erased


def test_E_2_wrapping_a_packed_type_gives_derive_default() -> None:
    assert PACKED.derive_func == "default"
    assert erase(PACKED) is PACKED
    assert shown(erase(info('PackedFunc[derive="mine"]'))) == "PackedFunc"


def test_E_2_what_has_no_dimensions_is_shared() -> None:
    one = info("(Tensor[ndim=2], fn(Shape) -> PackedFunc, Object)")
    assert erase(one) is one


def test_T_S1_T_S2_reflexive_and_transitive() -> None:
    assert sub("(Tensor, fn(Shape) -> ())", "(Tensor, fn(Shape) -> ())")
    assert sub(F2, "Tensor[_, float32]")
    assert sub("Tensor[_, float32]", "Tensor")
    assert sub(F2, "Tensor")


def test_T_S3_object() -> None:
    for text in ("Tensor", "Shape", "()", "fn() -> ()", "PackedFunc", "Object"):
        assert sub(text, "Object")
    assert not sub("Object", "Tensor")


def test_T_S4_tensors() -> None:
    assert sub(F2, "Tensor[ndim=2]")
    assert sub("Tensor[ndim=2]", "Tensor")  # ERR.01: the corollary
    assert sub("Tensor[ndim=0]", "Tensor")
    assert not sub("Tensor", F2)
    assert not sub("Tensor[_, float32]", F2)
    assert not sub("Tensor[ndim=2]", F2)
    assert not sub("Tensor[ndim=3]", "Tensor[ndim=2]")
    assert not sub("Tensor[_, int8]", "Tensor[_, int16]")


def test_T_S5_shapes() -> None:
    assert sub("Shape[ndim=2]", "Shape")  # ERR.02
    assert not sub("Shape", "Shape[ndim=2]")
    assert not sub("Shape[ndim=1]", "Shape[ndim=2]")


def test_T_S6_tuples() -> None:
    assert sub(f"({F2}, Shape[ndim=1])", "(Tensor, Shape)")
    assert not sub("(Tensor,)", "(Tensor, Tensor)")
    assert not sub("(Tensor, Shape)", f"({F2}, Shape)")
    assert not sub("()", "(Object,)")


def test_T_S7_purity() -> None:
    assert sub("fn(Tensor) -> Tensor", "impure fn(Tensor) -> Tensor")
    assert not sub("impure fn(Tensor) -> Tensor", "fn(Tensor) -> Tensor")


def test_T_S8_functions() -> None:
    assert sub(f"fn(Object) -> {F2}", "fn(Tensor) -> Tensor")
    assert not sub(f"fn({F2}) -> Object", "fn(Object) -> Object")
    assert not sub("fn(Tensor) -> Object", "fn(Tensor) -> Tensor")
    assert not sub("fn(Tensor) -> Tensor", "fn(Tensor, Tensor) -> Tensor")
    assert sub("fn(fn(Tensor) -> Object) -> ()", "fn(fn(Object) -> Tensor) -> ()")


def test_T_S9_packed_functions() -> None:
    assert sub("PackedFunc", "Object")
    assert sub("PackedFunc", "PackedFunc")
    assert not sub("fn(Tensor) -> Tensor", "PackedFunc")
    assert not sub("PackedFunc", "impure fn(Object) -> Object")


def test_T_S10_nothing_else() -> None:
    kinds = ("Tensor", "Shape", "()", "fn() -> Object", "PackedFunc")
    for one in kinds:
        for other in kinds:
            assert sub(one, other) is (one == other), (one, other)


def test_T_L1_lub_equal_object_kinds() -> None:
    assert lub_text("Tensor", "Tensor") == "Tensor"
    assert lub_text("Tensor", "Object") == "Object"
    assert lub_text("Object", "Tensor") == "Object"
    assert lub_text("Tensor", "Shape") == "Object"
    assert lub_text("PackedFunc", "PackedFunc") == "PackedFunc"
    assert lub_text("PackedFunc", "fn() -> Object") == "Object"


def test_T_L2_lub_keeps_what_agrees() -> None:
    assert lub_text(F2, "Tensor[ndim=2, float16]") == "Tensor[ndim=2]"
    assert lub_text(F2, "Tensor[ndim=3, float32]") == "Tensor[_, float32]"
    assert lub_text(F2, "Tensor[ndim=3]") == "Tensor"
    assert lub_text("Shape[ndim=2]", "Shape[ndim=3]") == "Shape"
    assert lub_text("Shape[ndim=2]", "Shape[ndim=2]") == "Shape[ndim=2]"


def test_T_L3_lub_of_tuples() -> None:
    assert lub_text(f"(Shape, {F2})", "(Shape, Tensor[ndim=2])") == "(Shape, Tensor[ndim=2])"
    assert lub_text("(Shape, Tensor)", "(Shape, Shape)") == "(Shape, Object)"
    assert lub_text("(Tensor,)", "(Tensor, Tensor)") == "Object"


def test_T_L4_lub_of_functions() -> None:
    assert lub_text("fn(Tensor) -> Shape", "fn(Tensor[ndim=2]) -> Shape") == "fn(Tensor[ndim=2]) -> Shape"
    assert lub_text("fn(Tensor) -> Shape", "fn(Shape) -> Shape") == "Object"
    assert lub_text("fn(Tensor) -> Shape", "fn() -> Shape") == "Object"
    assert lub_text("fn(Tensor) -> Shape", "impure fn(Tensor) -> ()") == "impure fn(Tensor) -> Object"
    assert lub_text("impure fn() -> ()", "impure fn() -> ()") == "impure fn() -> ()"


def test_T_L5_glb_equal_object_kinds() -> None:
    assert glb_text("Object", F2) == F2
    assert glb_text(F2, "Object") == F2
    assert glb_text("Tensor", "Shape") == "none"
    assert glb_text("PackedFunc", "fn() -> Object") == "none"


def test_T_L6_glb_combines() -> None:
    assert glb_text("Tensor[ndim=2]", "Tensor[_, float32]") == F2
    assert glb_text("Tensor[_, float32]", "Tensor[ndim=2]") == F2
    assert glb_text("Tensor", "Tensor[ndim=1]") == "Tensor[ndim=1]"  # ERR.03
    assert glb_text("Tensor[ndim=1]", "Tensor") == "Tensor[ndim=1]"  # ERR.04
    assert glb_text("Tensor[ndim=1]", "Tensor[ndim=2]") == "none"
    assert glb_text("Tensor[_, int8]", "Tensor[_, int16]") == "none"
    assert glb_text("Shape", "Shape[ndim=1]") == "Shape[ndim=1]"
    assert glb_text("Shape[ndim=1]", "Shape") == "Shape[ndim=1]"
    assert glb_text("Shape[ndim=1]", "Shape[ndim=2]") == "none"


def test_T_L7_glb_of_tuples() -> None:
    assert glb_text("(Tensor,)", "(Tensor[ndim=2],)") == "(Tensor[ndim=2],)"
    assert glb_text("(Tensor, Shape)", "(Tensor, Tensor)") == "none"
    assert glb_text("(Tensor,)", "(Tensor, Tensor)") == "none"


def test_T_L8_glb_of_functions() -> None:
    assert (
        glb_text("fn(Shape[ndim=1]) -> Tensor", "impure fn(Shape[ndim=2]) -> Tensor[ndim=2]")
        == "fn(Shape) -> Tensor[ndim=2]"
    )
    assert glb_text("fn() -> Tensor", "fn() -> Shape") == "none"
    assert glb_text("fn() -> Tensor", "fn(Object) -> Tensor") == "none"
    assert glb_text("fn(Tensor) -> ()", "fn(Shape) -> ()") == "fn(Object) -> ()"


def test_T_L9_there_is_always_a_lub() -> None:
    assert lub_text("fn(Shape) -> ()", "(Tensor,)") == "Object"


def test_T_C1_a_subtype_needs_no_check() -> None:
    assert check_compatibility(info("T[(2, 3)]"), info("Tensor")).answer == COMPATIBLE


def test_T_C2_less_specific_needs_a_match_cast() -> None:
    assert check_compatibility(info("Tensor"), info(F2)).answer == INCOMPATIBLE
    assert needs_match_cast(info("Tensor"), info(F2))
    assert check_compatibility(info(F2), info(F2)).answer == COMPATIBLE


def test_T_C3_nothing_has_both_types() -> None:
    assert not needs_match_cast(info("Shape[ndim=2]"), info(F2))
    assert not needs_match_cast(info("Tensor[ndim=3]"), info(F2), scope("n"))
    assert needs_match_cast(info("Tensor[ndim=2]"), info("Tensor[_, float32]"))  # ERR.47
