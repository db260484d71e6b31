"""What each rule of Relay forbids: one program each, with its one finding. The positive programs are in the tables of
the neighbouring files."""

from __future__ import annotations

import re
from collections.abc import Iterable

import numpy as np
import pytest

from relax_lang import api
from relax_lang.api.relay import translated
from relax_lang.base.source import RelayFile
from relax_lang.values import RunFailure
from tests.relay.operators.more_operator_cases import CASES
from tests.relay.operators.test_operator_values import program
from tests.relay.support import slugs
from tests.relay.syntax.foreign_syntax import FOREIGN
from tests.relay.syntax.test_text import MISTAKES
from tests.relay.syntax.test_text import PROGRAMS as TEXTS
from tests.relay.test_types import TYPES
from tests.relay.test_values import PROGRAMS as VALUES

LIST = "type List[A] { Cons(A, List[A]), Nil }\n"
WRONG = {
    "[R.1] another version": ('#[version = "0.0.1"]\ndef @main() { 1 }', "relay-version"),
    "[R.2] one name twice": ("def @f() { 1 }\ndef @f() { 2 }", "relay-duplicate"),
    "[R.3] one constructor twice": ("type T { A }\ntype U { A }", "relay-duplicate"),
    "[R.4] arguments of an extern type": ("extern type T[A]\ndef @f(%x: T) { %x }", "relay-kind"),
    "[R.5] a kind that is none": ("def @f() { fn<s : Form>(%x : int32) { %x } }", "relay-syntax"),
    "[R.6] an attribute that is none": (
        "def @f(%x: Tensor[(2), float32]) { sum(%x, axes=[0]) }",
        "relay-unknown-attribute",
    ),
    "[R.7] an unknown local": ("def @f(%x: int32) { %y }", "relay-undefined-variable"),
    "[R.7] an unknown function": ("def @f(%x: int32) { @g(%x) }", "relay-undefined-variable"),
    "[R.8] outside of its braces": (
        "def @f(%c: bool) { if (%c) { %0 = 1; %0 } else { %0 } }",
        "relay-undefined-variable",
    ),
    "[R.9] an unknown operator": ("def @f(%x: int32) { relu(%x) }", "relay-unknown-operator"),
    "[R.10] a field too many": (LIST + "def @f() { Cons(1, Nil, Nil) }", "relay-arity"),
    "[R.11] a fraction without a suffix": ("def @f() { 1.5 }", "relay-literal"),
    "[R.12] nothing under this key": ("def @f() { meta[relay.Constant][3] }", "relay-meta-missing"),
    "[R.13] no such field": ("def @f(%x: (int32, int32)) { %x.2 }", "relay-projection"),
    "[R.14] called, and no function": ("def @f(%x: int32) { %x(1) }", "relay-not-a-function"),
    "[R.15] one parameter twice": ("def @f(%x: int32, %x: int32) { %x }", "relay-duplicate"),
    "[R.16] branches of two types": ("def @f(%c: bool) { if (%c) { 1 } else { 2f } }", "relay-mismatch"),
    "[R.17] a case is missing": (
        LIST + "def @f(%l: List[int32]) { match (%l) { Nil => 0 } }",
        "relay-not-exhaustive",
    ),
    "[R.18] written with another type": ("def @f() { let %r = ref(1); ref_write(%r, 2f) }", "relay-mismatch"),
    "[R.19] no value": ("def @f() { let %x = 1; }", "relay-syntax"),
    "[R.20] not what is annotated": ("def @f() { let %x: float32 = 1; %x }", "relay-mismatch"),
    "[R.21] a type that is none": ("def @f() { free_var %x: Float; %x }", "relay-unknown-type"),
    "[R.22] nothing behind": ("def @f() { 1; }", "relay-syntax"),
    "[R.23] no dtype": ("def @f(%x: Tensor[(2), float]) { %x }", "relay-unknown-type"),
    "[R.24] another number of fields": ("def @f(%x: (int32, int32)) -> (int32,) { %x }", "relay-mismatch"),
    "[R.25] another number of parameters": (
        "def @f(%g: fn (int32) -> int32) -> fn () -> int32 { %g }",
        "relay-mismatch",
    ),
    "[R.26] without arguments": (LIST + "def @f(%l: List) { %l }", "relay-kind"),
    "[R.27] nothing says what it is": ("def @f(%x: _) { nn.softmax(%x) }", "relay-under-constrained"),
    "[R.28] another rank": (
        "def @f(%x: Tensor[(?), float32]) -> Tensor[(?, ?), float32] { %x }",
        "relay-mismatch",
    ),
    "[R.29] two mistakes are two findings": ("def @f() { let x = 1; %x }", "relay-syntax"),
    "[R.31] a type inside of itself": ("def @f() { fn (%g) { %g(%g) } }", "relay-infinite-type"),
    "[R.32] a relation that waits for ever": ("def @f(%x, %y) { %x + %y }", "relay-under-constrained"),
    "[R.33] not supported": (
        "def @f(%x: Tensor[(1, 2, 3, ?), float32]) { nn.space_to_depth(%x) }",
        "relay-not-supported",
    ),
    "[R.34] extents that do not broadcast": (
        "def @f(%x: Tensor[(2), int32], %y: Tensor[(3), int32]) { %x + %y }",
        "relay-broadcast",
    ),
    "[R.35] a type for a dtype": (LIST + "def @f(%x: Tensor[(2), List]) { %x }", "relay-kind"),
}


@pytest.mark.parametrize(("text", "slug"), WRONG.values(), ids=WRONG)
def test_each_rule_refuses_something(text, slug):
    assert slugs(text) == [slug]


def test_R_30_a_text_with_mistakes_is_left_alone():
    text = "def @main() {1.5}"
    with pytest.raises(api.RelaxError):
        api.format_text(RelayFile(text))


@pytest.mark.parametrize("engine", ["relay", "compiled", "interpreter"])
def test_R_37_division_by_zero_ends_the_run(engine):
    session = api.start(RelayFile("def @main(%x: int32) { 1 / %x }"), engine=engine)
    with pytest.raises((RunFailure, api.RelaxError)):
        api.run_session(session, "main", [np.asarray(0, dtype=np.int32)])


def test_R_38_what_has_no_translation_is_listed_all_of_it():
    text = "def @f() { free_var %x: int32; %x }\ndef @g() { free_var %y: int32; %y }"
    with pytest.raises(api.RelaxError) as caught:
        translated(RelayFile(text))
    assert [one.slug for one in caught.value.diagnostics] == ["relay-not-translated"] * 2


def test_R_39_polymorphic_recursion_has_no_end():
    text = """
def @deep[A](%x: A, %n: int32) -> int32 { if (%n == 0) { 0 } else { @deep((%x, %x), %n - 1) } }
def @main(%n: int32) { @deep(1, %n) }
"""
    with pytest.raises(api.RelaxError) as caught:
        translated(RelayFile(text))
    assert [one.slug for one in caught.value.diagnostics] == ["relay-not-translated"]


def numbers(keys: Iterable[str]) -> set[int]:
    return {int(found[1]) for key in keys if (found := re.match(r"\[R\.(\d+)\]", key))}


def test_every_rule_is_kept_and_broken_by_a_program():
    """Rules from 36 on are about whole programs: their tests are named after them, in both directions."""
    assert numbers([*TEXTS, *TYPES, *VALUES]) >= set(range(1, 36)) - {29}
    assert numbers(WRONG) == set(range(1, 36)) - {30}


def test_the_corpus_has_two_hundred_programs():
    right = {*TEXTS.values(), *[text for text, _ in TYPES.values()], *[text for text, _ in VALUES.values()]}
    right |= {program(call, args) for call, args, _ in CASES.values()}
    wrong = {*[text for text, _ in WRONG.values()], *MISTAKES, *[text for text, _, _ in FOREIGN]}
    assert len(right) >= 200
    assert len(wrong) >= 100
