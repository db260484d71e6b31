"""Texts of Relay: read, reported, printed, read again. [R.1] [R.29] [R.30]"""

# ruff: noqa: E501 - programs

from __future__ import annotations

import pytest

from relax_lang.base.node import same
from relax_lang.relay.syntax import tree
from relax_lang.relay.syntax.formatting import format_text
from relax_lang.relay.syntax.parser import parse
from relax_lang.relay.syntax.printer import print_tree
from tests.edits import applied

PROGRAMS = {
    "[R.1] header": '#[version = "0.0.5"]\ndef @main() { 1 }',
    "[R.2] functions": "def @f(%x: int32, %y: int32) -> int32 { %x + %y }\ndef @g() { @f(1, 2) }",
    "[R.3] types": "type List[A] { Cons(A, List[A]), Nil, }",
    "[R.3] types as described": "data Nat {\n  Z : () -> Nat # zero\n  S : (Nat) -> Nat # one more\n}",
    "[R.4] extern types": "extern type Tree[A]\ndef @main() { 1 }",
    "[R.5] type parameters": "def @f[A, B](%x: A, %y: B) -> A { %x }",
    "[R.5] kinds": "def @f() { fn<t : Type, n : ShapeVar>(%x : t) -> t { %x } }",
    "[R.6] attributes": 'def @f(%x: float32) { f(%x, a=[1, 2], b=None, c="x\\"y", d=True, e=-0.5, f=(1, 2), g=nullptr) }',
    "[R.7] names": "def @f(%a/b: int32, %_x1: int32) { %a/b + %_x1 }",
    "[R.8] graph": "def @f(%a: int32) { %0 = %a + %a; %1 = (%0, %0); %1.0 }",
    "[R.8] graph by lines": "def @f(%a: int32, %b: int32) {\n  %1 = %a + %b\n  %2 = %1 + %1\n  %2 * %2\n}",
    "[R.9] operators": "def @f(%x: int32) { nn.conv2d(%x, %x) + where(%x, %x, %x) }",
    "[R.10] constructors": "def @f() { Cons(1, Nil) }",
    "[R.11] numbers": "def @f() { (1, 2i64, 3i16, 1f, 2.5f, 1e3f, 2f16, 1.5f64, -1, --1, True, False, 3000000000) }",
    "[R.12] meta": 'def @f() { meta[relay.Constant][0] }\n#[metadata]\n{ "root": 1 }',
    "[R.13] tuples": "def @f(%t: (int32, int32)) { ((), (1,), (1, 2), %t.0, ((1, 2), 3).0.1) }",
    "[R.14] calls": "def @f() { f(1)(2)(g(3), 4) }",
    "[R.14] signs": "def @f(%a: int32) { (%a + 1) * 2 - 3 / %a < 4 == (1 <= 2) }",
    "[R.14] subtraction without blank": "def @f(%a: int32) { %a -1 }",
    "[R.14] types given": "def @f() { %f<Tensor[(2), bool], int32>(True, 1) < 2 }",
    "[R.15] functions as values": "def @f() { let %g = fn[A] (%x: A) -> A { %x }; %g(1) }",
    "[R.15] attributes of functions": 'def @f(%x: int32, Primitive=1, Name="a") { %x }',
    "[R.15] attributes of parameters": "def @f(%x {virtual_device=meta[VirtualDevice][0]}: int32) { %x }",
    "[R.16] if": "def @f(%c: bool) { if (%c) { 1 } else if (%c) { 2 } else { 3 } }",
    "[R.17] match": "def @f(%x: int32) { match (%x) { Cons(%h: int32, _) => { %h }, (%a, Nil) => 1, _ => 2, } }",
    "[R.17] match as described": "def @f(%v: Nat[]) { match(%v) { case S(S(%n)) { %n } case _ { %v } } }",
    "[R.17] partial": "def @f(%x: int32) { match? (%x) { Nil() => 1 } }",
    "[R.18] references": "def @f(%r: ref(int32)) { let %s = ref(1); ref_write(%s, ref_read(%r)); ref_read(%s) }",
    "[R.19] blocks": "def @f() { let %x = { let %y = 1; %y }; %x }",
    "[R.20] let": "def @f() { let %x: Tensor[(2), float32] = 1; let %x = %x; %x }",
    "[R.21] free variables": "def @f() { free_var %x: Tensor[(2, 3), float32]; %x }",
    "[R.22] sequences": "def @f() { 1; 2; 3 }",
    "[R.23] tensors": "def @f(%a: Tensor[(2, 3), float32], %b: Tensor[(3), int8], %c: Tensor[(3,), bool], %d: Tensor[(), int64]) { 1 }",
    "[R.25] function types": "def @f(%g: fn (int32, (int32,)) -> List[int32]) { 1 }",
    "[R.26] type calls": "def @f(%g: P[Nat[], List[(int32, int32)]]) { 1 }",
    "[R.27] incomplete types": "def @f(%g: _) { 1 }",
    "[R.28] any": "def @f(%g: Tensor[(?, Any, 3), float32]) { 1 }",
    "[R.30] comments": "// head\ndef @f() { /* a /* nested */ b */ let %x = 1; // why\n  # seed\n  %x /* ty=int32 */ } // tail\n// end",
}


@pytest.mark.parametrize("text", PROGRAMS.values(), ids=PROGRAMS)
def test_R_30_texts_are_printed_so_that_they_read_the_same(text):
    parsed = parse(text)
    assert parsed.diagnostics == []
    formatted = format_text(text)
    assert formatted.diagnostics == []
    again = parse(formatted.text)
    assert same(parsed.tree, again.tree)
    assert format_text(formatted.text).text == formatted.text
    assert same(parse(print_tree(parsed.tree)).tree, parsed.tree)
    for comment in (
        "// head",
        "/* a /* nested */ b */",
        "// why",
        "seed",
        "/* ty=int32 */",
        "// tail",
        "// end",
    ):
        assert (comment in text) == (comment in formatted.text)


def test_R_1_old_header_is_read_with_a_hint_and_written_anew():
    text = "v0.0.4\ndef @main() { 1 }"
    assert [one.slug for one in parse(text).diagnostics] == ["relay-old-header"]
    assert format_text(text).text == '#[version = "0.0.5"]\n\ndef @main() {\n  1\n}\n'


def test_R_30_types_that_printers_write_can_be_left_out():
    text = "def @f(%x: int32) { %x + 1 /* ty=int32 */ /* span=a.py:1:2 */ }"
    assert format_text(text, strip_types=True).text == "def @f(%x: int32) {\n  %x + 1\n}\n"


MISTAKES = {
    "def @f() { let x = 1; %x }": [(15, "`let` binds a local variable: `%x`", "let %x = 1")],
    "def @f() { let @x = 1; %x }": [(15, "`let` binds a local variable: `%x`", "let %x = 1")],
    "def @f(x: int32) { %x }": [(7, "the name of a local variable begins with `%`: `%x`", "(%x: int32)")],
    "def @f() { %x = 1; %x }": [
        (11, "a variable is bound with `let`; only numbered nodes are not", "let %x = 1")
    ],
    "def @f() { let %x = 1\n %x }": [(21, "expected `;` after this binding", "= 1;")],
    "def @f() { 1.5 }": [(11, "a fraction needs a suffix with its width: `1.5f`", "1.5f")],
    "def @f() { 3i8 }": [
        (
            11,
            "there is no suffix `i8`; the suffixes are i16, i32, i64, f, f16, f32 and f64",
            'cast(3, dtype="int8")',
        )
    ],
    "def @f() { 40000i16 }": [(11, "40000 does not fit int16", None)],
    "def @f(%c: bool) { if (%c) { 1 } }": [(19, "an `if` is a value, so it needs an `else`", None)],
    "def @f() { let %x = 1; }": [(23, "these braces end without a value", None)],
    "def @f() { 1; }": [(14, "these braces end without a value", "{ 1 }")],
    "def @f(%x: int32) { -%x }": [
        (20, "`-` is part of a number; a tensor is negated by `negative`", "negative(%x)")
    ],
    "def @f(%x: int32) { !%x }": [
        (20, "there is no prefix operator for `not`: `logical_not(…)`", "logical_not(%x)")
    ],
    "def @f(%x: int32) { %x.shape }": [(22, "values have no fields by name: `.shape`", None)],
    "def @f(%x: int32) { f(%x, axis=last) }": [(31, "words are written in quotes here", 'axis="last"')],
    "def @f(%x: int32) { f(%x, axis=%x) }": [
        (31, "an attribute has a value that is written out; `%x` is computed when the program runs", None)
    ],
    "def @f(%x: Tensor[(2, 3) float32]) { 1 }": [(24, "expected `,` between two elements", None)],
    "def @f() { (1, 2 }": [(11, "this `(` is never closed", "(1, 2)")],
    "def @f() { 1": [(9, "this `{` is never closed", None)],
    "def @f() { 1 } }": [(15, "this `}` closes nothing", None)],
    "def @f() { /* a": [(11, "this comment is never closed", None)],
    'def @f() { g(1, a="x) }': [(18, "this string is never closed on its line", None)],
    "def @f() { return 1 }": [(11, "there is no `return` in Relay", None)],
    "hello": [(0, "expected `def`, `type` or `extern type`, found `hello`", None)],
}


@pytest.mark.parametrize("text", MISTAKES)
def test_R_29_mistakes_are_reported_once_with_what_to_write(text):
    found = parse(text).diagnostics
    assert [(one.pos, one.message) for one in found] == [(pos, message) for pos, message, _ in MISTAKES[text]]
    for one, (_, _, fixed) in zip(found, MISTAKES[text], strict=True):
        if fixed is None:
            continue
        made = applied(text, one.fixes[0])
        assert fixed in made


def test_R_29_reading_goes_on_after_mistakes():
    text = "def @f() { let %x = add(1, ; %x }\ndef @g() { ) }\ndef @h() { let %y = 1; %y }\ntype T { A }"
    parsed = parse(text)
    assert len(parsed.diagnostics) == 2
    assert [type(one) for one in parsed.tree.items] == [tree.Def, tree.Def, tree.Def, tree.TypeDef]


def test_R_20_ten_thousand_bindings_are_read_and_printed():
    text = (
        "def @f(%x0: int32) {\n"
        + "".join([f"  let %x{i + 1} = %x{i} + 1;\n" for i in range(10_000)])
        + "  %x10000\n}\n"
    )
    assert format_text(text).text == text


def test_R_29_depth_is_bounded():
    text = "def @f() { " + "(" * 100_000 + "1" + ")" * 100_000 + " }"
    assert parse(text).diagnostics


def test_R_13_a_field_of_a_number_is_no_fraction():
    assert format_text("def @f() { 2 .1 }").text == "def @f() {\n  (2).1\n}\n"
