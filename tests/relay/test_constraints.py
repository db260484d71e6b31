"""Relations behind `where`. [R.5] [R.31]"""

from __future__ import annotations

import pytest

from tests.relay.support import slugs, type_of

FIRST = "def @first[A, B](%x: A, %y: B) -> A where Broadcast { %x }\n"
RIGHT = {
    "[R.5] a function": (
        "def @main() { let %f = fn (%x, %y) where Broadcast { add(%x, %y) }; %f(1f, 2f) }",
        "fn () -> float32",
    ),
    "[R.5] it gives the result": (
        "def @main(%x: Tensor[(2, 1), float32], %y: Tensor[(3), float32]) where BroadcastRel { %x + %y }",
        "fn (Tensor[(2, 1), float32], Tensor[(3), float32]) -> Tensor[(2, 3), float32]",
    ),
    "[R.5] two": (
        "def @main(%x: int32) where Identity, Identity { %x }",
        "fn (int32) -> int32",
    ),
    "[R.5] at a call": (
        FIRST + "def @main(%x: Tensor[(2, 3), float32], %y: Tensor[(3), float32]) { @first(%x, %y) }",
        "fn (Tensor[(2, 3), float32], Tensor[(3), float32]) -> Tensor[(2, 3), float32]",
    ),
}
WRONG = {
    "[R.5] no relation": ("def @main(%x: int32) where Sum { %x }", "relay-kind"),
    "[R.5] other parameters": ("def @main(%x: int32) where Broadcast { %x }", "relay-kind"),
    "[R.5] not where it is defined": (
        "def @main(%x: Tensor[(2), float32], %y: Tensor[(3), float32]) where Broadcast { 1 }",
        "relay-broadcast",
    ),
    "[R.5] the result": ("def @main(%x: int32) where IdentityComp { %x }", "relay-mismatch"),
    "[R.5] not at a call": (
        FIRST + "def @main(%x: Tensor[(2), float32], %y: Tensor[(3), float32]) { @first(%x, %y) }",
        "relay-broadcast",
    ),
    "[R.5] not at a call of a local function": (
        "def @main() { let %f = fn<A : Type, B : Type>(%x : A, %y : B) -> A where Broadcast { %x }; %f(1f, 2) }",
        "relay-dtype",
    ),
}


@pytest.mark.parametrize(("text", "expected"), RIGHT.values(), ids=RIGHT)
def test_R_5_relations_of_functions_hold(text, expected):
    assert type_of(text) == expected


@pytest.mark.parametrize(("text", "slug"), WRONG.values(), ids=WRONG)
def test_R_5_relations_of_functions_are_asked(text, slug):
    assert slugs(text) == [slug]
