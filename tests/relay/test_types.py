"""Types of Relay programs: what is inferred, and what is wrong. [R.31-R.35]"""

# ruff: noqa: E501, ISC004 - programs

from __future__ import annotations

import random

import pytest

from relax_lang.base.source import RelayFile
from relax_lang.relay.checking import analyse
from relax_lang.relay.types.inference import infer
from relax_lang.relay.unification.printing import show
from relax_lang.relay.unification.solver import Solver
from tests.relay.support import checked, slugs, type_of

LIST = "type List[A] { Cons(A, List[A]), Nil }\n"
NAT = "type Nat { Z, S(Nat) }\n"

TYPES = {
    "[R.24] fields have types of their own": (
        "def @main(%x: (int32, (float32, bool)), %e: ()) -> (bool, ()) { ((%x.1).1, %e) }",
        "fn ((int32, (float32, bool)), ()) -> (bool, ())",
    ),
    "[R.35] of each kind": (
        "type P[A] { P(A, fn (A) -> A) }\ndef @main(%p: P[(Tensor[(2, ?), int8], int32)]) -> P[(Tensor[(2, ?), int8], int32)] { %p }",
        "fn (P[(Tensor[(2, ?), int8], int32)]) -> P[(Tensor[(2, ?), int8], int32)]",
    ),
    "[R.31] unannotated": ("def @main(%x) { %x }", "[A]fn (A) -> A"),
    "[R.31] two instances": (
        "def @id(%x) { %x }\ndef @main() { (@id(1), @id(2f)) }",
        "fn () -> (int32, float32)",
    ),
    "[R.31] let is polymorphic": (
        "def @main() { let %id = fn (%x) { %x }; (%id(1), %id(True)) }",
        "fn () -> (int32, bool)",
    ),
    "[R.31] parameters are not": ("def @main(%f) { (%f(1), %f(2)) }", "[A]fn (fn (int32) -> A) -> (A, A)"),
    "[R.31] recursion": (
        LIST + "def @main(%f, %l) { match (%l) { Cons(%h, %t) => Cons(%f(%h), @main(%f, %t)), Nil => Nil } }",
        "[A, B]fn (fn (A) -> B, List[A]) -> List[B]",
    ),
    "[R.31] mutual recursion": (
        "def @main(%n: int32) { if (%n == 0) { True } else { @odd(%n - 1) } }\n"
        "def @odd(%n) { if (%n == 0) { False } else { @main(%n - 1) } }",
        "fn (int32) -> bool",
    ),
    "[R.32] solved at the use": ("def @f(%x) { %x + 1 }\ndef @main() { @f(2) }", "fn () -> int32"),
    "[R.10] constructors are functions": (
        LIST
        + "def @main(%l: List[int32], %f: fn (fn (int32, List[int32]) -> List[int32]) -> bool) { %f(Cons) }",
        "fn (List[int32], fn (fn (int32, List[int32]) -> List[int32]) -> bool) -> bool",
    ),
    "[R.9] operators are functions": ("def @main() { let %f = nn.relu; %f(1f) }", "fn () -> float32"),
    "[R.18] references": (
        "def @main() { let %r = ref(0); ref_write(%r, 1); ref_read(%r) }",
        "fn () -> int32",
    ),
    "[R.28] joined": (
        "def @main(%c: bool, %a: Tensor[(2, 3), float32], %b: Tensor[(?, 3), float32]) { if (%c) { %a } else { %b } }",
        "fn (bool, Tensor[(2, 3), float32], Tensor[(?, 3), float32]) -> Tensor[(?, 3), float32]",
    ),
    "[R.28] annotation hides": (
        "def @main(%x: Tensor[(2, 3), float32]) -> Tensor[(?, 3), float32] { %x }",
        "fn (Tensor[(2, 3), float32]) -> Tensor[(?, 3), float32]",
    ),
    "[R.34] broadcast": (
        "def @main(%a: Tensor[(4, 1, ?), int8], %b: Tensor[(3, 2), int8]) { %a + %b }",
        "fn (Tensor[(4, 1, ?), int8], Tensor[(3, 2), int8]) -> Tensor[(4, 3, 2), int8]",
    ),
    "[R.34] weights are given": (
        "def @main(%x: Tensor[(?, 3), float32], %w) { nn.dense(%x, %w, units=4) }",
        "fn (Tensor[(?, 3), float32], Tensor[(4, 3), float32]) -> Tensor[(?, 4), float32]",
    ),
    "[R.34] kernels are given": (
        "def @main(%x: Tensor[(1, 8, 9, 9), float32], %w) { nn.conv2d(%x, %w, channels=4, kernel_size=[3, 3], groups=2) }",
        "fn (Tensor[(1, 8, 9, 9), float32], Tensor[(4, 4, 3, 3), float32]) -> Tensor[(1, 4, 7, 7), float32]",
    ),
    "[R.34] norms give their parameters": (
        "def @main(%x: Tensor[(2, 3, 4), float32], %g, %b, %m, %v) { nn.batch_norm(%x, %g, %b, %m, %v).0 }",
        "fn (Tensor[(2, 3, 4), float32], Tensor[(3), float32], Tensor[(3), float32], Tensor[(3), float32], "
        "Tensor[(3), float32]) -> Tensor[(2, 3, 4), float32]",
    ),
    "[R.34] reshape": (
        "def @main(%x: Tensor[(2, 3, 4), int8]) { (reshape(%x, newshape=[0, -1]), reshape(%x, newshape=[-3, -2]), "
        "reshape(%x, newshape=[-4, 1, -1, -2])) }",
        "fn (Tensor[(2, 3, 4), int8]) -> (Tensor[(2, 12), int8], Tensor[(6, 4), int8], Tensor[(1, 2, 3, 4), int8])",
    ),
    "[R.34] reshape of what is not known": (
        "def @main(%x: Tensor[(?, 4), int8]) { (reshape(%x, newshape=[-1, 2, 2]), reshape(%x, newshape=[0, 2, -1])) }",
        "fn (Tensor[(?, 4), int8]) -> (Tensor[(?, 2, 2), int8], Tensor[(?, 2, 2), int8])",
    ),
    "[R.5] kinds": (
        "def @main() { let %f = fn<s : Shape, bt : BaseType>(%x : Tensor[s, bt]) -> Tensor[s, bt] { %x }; (%f(1f), %f(2)) }",
        "fn () -> (float32, int32)",
    ),
    "[R.14] type arguments": (
        "def @id[A](%x: A) -> A { %x }\ndef @main(%x: Tensor[(2), bool]) { @id<Tensor[(2), bool]>(%x) }",
        "fn (Tensor[(2), bool]) -> Tensor[(2), bool]",
    ),
}


@pytest.mark.parametrize(("text", "expected"), TYPES.values(), ids=TYPES)
def test_types_are_inferred(text, expected):
    assert type_of(text) == expected


WRONG = {
    "[R.31] result": ("def @main(%x: int32) -> float32 { %x }", "relay-mismatch"),
    "[R.31] argument": ("def @f(%x: int32) { %x }\ndef @main() { @f(1f) }", "relay-mismatch"),
    "[R.16] condition": ("def @main() { if (1) { 2 } else { 3 } }", "relay-mismatch"),
    "[R.16] branches": ("def @main(%c: bool) { if (%c) { 2 } else { 3f } }", "relay-mismatch"),
    "[R.17] clauses": (NAT + "def @main(%n: Nat) { match (%n) { Z => 1, S(_) => 2f } }", "relay-mismatch"),
    "[R.17] pattern of another type": (
        NAT + LIST + "def @main(%n: Nat) { match (%n) { Nil => 1, _ => 2 } }",
        "relay-mismatch",
    ),
    "[R.17] pattern with fields": (
        NAT + "def @main(%n: Nat) { match (%n) { S(%a, %b) => 1, _ => 2 } }",
        "relay-arity",
    ),
    "[R.17] twice in a pattern": (
        "type P { P(int32, int32) }\ndef @main(%p: P) { match (%p) { P(%a, %a) => %a } }",
        "relay-duplicate",
    ),
    "[R.17] missing": (
        LIST + "def @main(%l: List[int32]) { match (%l) { Nil => 1 } }",
        "relay-not-exhaustive",
    ),
    "[R.17] never": (
        NAT + "def @main(%n: Nat) { match (%n) { Z => 1, S(_) => 2, Z => 3 } }",
        "relay-unreachable-clause",
    ),
    "[R.18] written": ("def @main(%r: ref(int32)) { ref_write(%r, 1f) }", "relay-mismatch"),
    "[R.18] value restriction": (
        LIST + "def @main() { let %r = ref(Nil); ref_write(%r, Cons(1, Nil)); ref_write(%r, Cons(1f, Nil)) }",
        "relay-mismatch",
    ),
    "[R.31] infinite": ("def @main() { fn (%f) { %f(%f) } }", "relay-infinite-type"),
    "[R.14] no function": ("def @main(%x: int32) { %x(1) }", "relay-not-a-function"),
    "[R.14] arity": ("def @f(%x: int32) { %x }\ndef @main() { @f(1, 2) }", "relay-arity"),
    "[R.10] arity": (NAT + "def @main() { S(Z, Z) }", "relay-arity"),
    "[R.13] no tuple": ("def @main(%x: int32) { %x.0 }", "relay-projection"),
    "[R.35] argument of a type": (LIST + "def @main(%l: List[int32, int32]) { 1 }", "relay-kind"),
    "[R.35] tensor of a type": (NAT + "def @main(%l: Tensor[(2), Nat]) { 1 }", "relay-kind"),
    "[R.35] parameter as an extent": ("def @main[A](%l: Tensor[(A), int32]) { 1 }", "relay-kind"),
    "[R.34] dtypes": ("def @main(%x: float32) { %x + 1 }", "relay-dtype"),
    "[R.34] batch_norm": (
        "def @main(%x: Tensor[(2, 3), float32], %g: Tensor[(4), float32]) { nn.batch_norm(%x, %g, %g, %g, %g).0 }",
        "relay-operator-shape",
    ),
    "[R.34] conv2d": (
        "def @main(%x: Tensor[(1, 3, 8, 8), float32], %w: Tensor[(4, 2, 3, 3), float32]) { nn.conv2d(%x, %w) }",
        "relay-operator-shape",
    ),
    "[R.34] reshape": (
        "def @main(%x: Tensor[(2, 3), int8]) { reshape(%x, newshape=[4, -1]) }",
        "relay-operator-shape",
    ),
    "[R.34] split": (
        "def @main(%x: Tensor[(2, 3), int8]) { split(%x, indices_or_sections=2, axis=1).0 }",
        "relay-operator-shape",
    ),
    "[R.34] a type parameter": ("def @main[A](%x: A) { nn.relu(%x) }", "relay-mismatch"),
    "[R.32] never known": ("def @main(%x) { nn.softmax(%x) }", "relay-under-constrained"),
    "[R.33] not supported": (
        "def @main(%x: Tensor[(1, 2, 3, ?), float32]) { nn.space_to_depth(%x) }",
        "relay-not-supported",
    ),
    "[R.6] missing": ("def @main(%x: int32) { cast(%x) }", "relay-attribute-value"),
}


@pytest.mark.parametrize(("text", "slug"), WRONG.values(), ids=WRONG)
def test_mistakes_are_reported_once(text, slug):
    assert slugs(text) == [slug]


def test_R_17_missing_cases_are_listed():
    text = (
        LIST
        + "def @main(%p: (List[int32], List[int32])) { match (%p) { (Cons(_, Nil), _) => 1, (Nil, Nil) => 2 } }"
    )
    [found] = checked(text).diagnostics
    assert found.message == "this match leaves out `(Cons(_, Cons(_, _)), _)`, `(Nil, Cons(_, _))`"


def test_R_34_a_number_gets_the_suffix_of_the_tensor_beside_it():
    [found] = checked("def @main(%x: Tensor[(2), float32]) { %x * 2 }").diagnostics
    assert found.fixes[0].edits[0].text == "2f"


CHAIN = "def @main(%x0: Tensor[(2, 3), float32]) {{\n{}  %x{}\n}}\n"


def chain(count: int) -> str:
    return CHAIN.format(
        "".join([f"  let %x{i + 1} = nn.relu(%x{i} + %x{i});\n" for i in range(count)]), count
    )


@pytest.mark.parametrize("eager", [True, False])
def test_R_32_a_chain_of_relations_takes_a_linear_number_of_questions(eager):
    count = 500
    found = analyse(RelayFile(chain(count)))
    typed = infer(found.resolved, None, Solver(eager=eager))
    assert typed.diagnostics == []
    assert typed.relations <= 3 * 2 * count


@pytest.mark.parametrize("seed", range(20))
def test_R_32_types_do_not_depend_on_the_order_of_the_queue(seed):
    text = LIST + (
        "def @f(%x, %w1, %w2, %b) {\n"
        "  let %h = nn.relu(nn.bias_add(nn.dense(%x, %w1, units=8), %b));\n"
        "  let %y = nn.softmax(nn.dense(%h, %w2, units=4));\n"
        "  (%y, sum(%y * %y), Cons(%h, Nil))\n}\n"
        "def @main(%x: Tensor[(2, 3), float32], %w1, %w2, %b) { @f(%x, %w1, %w2, %b) }\n"
    )
    found = analyse(RelayFile(text))
    expected = {name: show(one.type) for name, one in found.typed.functions.items()}
    assert found.diagnostics == []
    rng = random.Random(seed)
    typed = infer(found.resolved, None, Solver(eager=False, pick=rng.randrange))
    assert typed.diagnostics == []
    assert {name: show(one.type) for name, one in typed.functions.items()} == expected


def test_R_31_ten_thousand_bindings_are_typed():
    assert type_of(chain(5_000)) == "fn (Tensor[(2, 3), float32]) -> Tensor[(2, 3), float32]"
