"""The standard library of Relay, and what imports it. [R.2]"""

from __future__ import annotations

from pathlib import Path

import pytest

from relax_lang import api
from relax_lang.api.forms import relay_form
from relax_lang.api.relay import translated
from relax_lang.base.source import RelayFile
from relax_lang.relay.scope.imports import PATHS, library
from tests.relay.support import checked, slugs, type_of
from tests.relay.test_values import plain, run

ROOT = Path(__file__).parents[2]
IMPORT = 'import "std/prelude.relay"\n'
LIST = "Cons(1, Cons(2, Cons(3, Nil)))"
TREE = "Rose(1, Cons(Rose(2, Cons(Rose(3, Nil), Nil)), Cons(Rose(4, Nil), Nil)))"
ADD = "fn (%a: int32, %b: int32) { %a + 2 * %b }"
DOUBLE = "fn (%x: int32) { %x + %x }"
COUNT = "fn (%n: int32) { if (%n == 3) { None } else { Some((%n + 1, %n)) } }"
RUNNING = "fn (%s: int32, %x: int32) { (%s + %x, %s * %x) }"
VALUES = {
    "@id(7)": 7,
    f"@compose({DOUBLE}, fn (%x: int32) {{ %x + 1 }})(3)": 8,
    f"@iterate({DOUBLE}, 5)(1)": 32,
    f"@iterate({DOUBLE}, 0)(1)": 1,
    "@otherwise(Some(1), 2)": 1,
    "@otherwise(None, 2)": 2,
    f"@otherwise(@map_option({DOUBLE}, Some(4)), 0)": 8,
    f"@otherwise(@map_option({DOUBLE}, None), 0)": 0,
    f"@otherwise(@head({LIST}), 0)": 1,
    "@otherwise(@head(Nil), 0)": 0,
    f"@hd({LIST})": 1,
    f"@list(@tl({LIST}))": [2, 3],
    f"@nth({LIST}, 2)": 3,
    f"@list(@update({LIST}, 1, 9))": [1, 9, 3],
    f"@length({LIST})": 3,
    f"@list(@map({DOUBLE}, {LIST}))": [2, 4, 6],
    f"@list(@filter(fn (%x: int32) {{ mod(%x, 2) == 1 }}, {LIST}))": [1, 3],
    f"@foldl({ADD}, 0, {LIST})": 12,
    f"@foldr({ADD}, 0, {LIST})": 17,
    f"@foldr1({ADD}, {LIST})": 17,
    f"@sum({LIST})": 6,
    f"@map_accuml({RUNNING}, 1, {LIST}).0": 7,
    f"@list(@map_accuml({RUNNING}, 1, {LIST}).1)": [1, 4, 12],
    f"@map_accumr({RUNNING}, 1, {LIST}).0": 7,
    f"@list(@map_accumr({RUNNING}, 1, {LIST}).1)": [6, 8, 3],
    f"@list(@concat({LIST}, @tl({LIST})))": [1, 2, 3, 2, 3],
    f"@list(@rev({LIST}))": [3, 2, 1],
    f"@sum(@map(fn (%p: (int32, int32)) {{ %p.0 * %p.1 }}, @zip({LIST}, @tl({LIST}))))": 8,
    "@list(@range(3))": [0, 1, 2],
    f"@list(@unfoldr({COUNT}, 0))": [0, 1, 2],
    f"@list(@unfoldl({COUNT}, 0))": [2, 1, 0],
    f"@list(@flatten(@tmap({DOUBLE}, {TREE})))": [2, 4, 6, 8],
    f"@size({TREE})": 4,
    f"@depth({TREE})": 3,
    f"@list(@flatten({TREE}))": [1, 2, 3, 4],
}


def numbers(value: object) -> object:
    """A list of Relay as one of Python."""
    found = []
    while getattr(value, "fields", None):
        found.append(plain(value.fields[0]))
        value = value.fields[1]
    return found


@pytest.mark.parametrize("engine", ["relay", "compiled"])
def test_R_2_the_prelude_gives_what_its_comments_say(engine):
    """In one program: a function for each expression."""
    bodies = [expr.removeprefix("@list") for expr in VALUES]
    defs = [f"def @f{index}() {{ {body} }}" for index, body in enumerate(bodies)]
    session = api.start(RelayFile(IMPORT + "\n".join(defs)), engine=engine)
    for index, (expr, expected) in enumerate(VALUES.items()):
        value = api.run_session(session, f"f{index}", ())
        assert (numbers(value) if expr.startswith("@list") else plain(value)) == expected, expr


def test_the_prelude_is_tested_whole():
    offered = library("std/prelude.relay")
    assert offered is not None
    assert [
        name
        for name in offered.functions
        if not any(f"@{name}(" in expr or f"(@{name}," in expr for expr in VALUES)
    ] == []


@pytest.mark.parametrize("path", PATHS)
def test_the_texts_are_laid_out_and_sound(path):
    text = (ROOT / path).read_text(encoding="utf-8")
    source = RelayFile(text, path)
    assert api.format_text(source) == text
    assert api.check(source).diagnostics == []


def test_every_text_can_be_imported():
    assert {f"std/{file.name}" for file in (ROOT / "std").glob("*.relay")} == set(PATHS)


def test_R_2_only_what_is_used_is_imported():
    text = IMPORT + "def @main() { @length(Nil) }"
    assert set(checked(text).resolved.functions) == {"main", "length"}
    assert type_of(text) == "fn () -> int32"
    assert translated(RelayFile(text)).text.count("def @") == 2


def test_R_2_a_program_whose_imports_fail_at_run_time_points_at_the_import():
    text = IMPORT + "def @main() -> int32 { @hd(Nil) }"
    for engine in ("relay", "compiled"):
        with pytest.raises(api.RelaxError) as error:
            run(text, engine=engine)
        [found] = error.value.diagnostics
        assert found.slug == "relay-no-clause"
        assert text[found.pos : found.end] == IMPORT.strip()


@pytest.mark.parametrize("kind", ["anf", "graph"])
def test_R_36_other_forms_keep_the_import(kind):
    text = f'#[version = "0.0.5"]\n\n// lists\n{IMPORT}\ndef @main() {{ @sum(@rev({LIST})) }}\n'
    made = relay_form(RelayFile(text), kind)
    assert made.startswith(f'#[version = "0.0.5"]\n\n// lists\n{IMPORT}')
    assert made.count("def @") == 1
    assert plain(run(made, engine="compiled")) == 6


def fixed(text: str) -> str:
    """A text with the one fix of its one finding."""
    [found] = checked(text).diagnostics
    [fix] = found.fixes
    [edit] = fix.edits
    return text[: edit.pos] + edit.text + text[edit.end :]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("def @main() { @length(Nil) }", f"{IMPORT}\ndef @main() {{ @length(Nil) }}"),
        ("def @main(%l: List[int32]) { 1 }", f"{IMPORT}\ndef @main(%l: List[int32]) {{ 1 }}"),
        ("def @f(%l: List[int32], %o: Tree[bool]) { 1 }", f"{IMPORT}\ndef @f(%l: List[int32], %o: Tree[bool]) {{ 1 }}"),
        (
            '#[version = "0.0.5"]\ndef @main(%l) { match (%l) { Some(%x) => %x, None => 1 } }',
            f'#[version = "0.0.5"]\n\n{IMPORT}def @main(%l) {{ match (%l) {{ Some(%x) => %x, None => 1 }} }}',
        ),
        ('import "prelude.rly"\ndef @main() { @length(Nil) }', f"{IMPORT}def @main() {{ @length(Nil) }}"),
        ("import 'std/prelude.relay'\ndef @main() { @length(Nil) }", f"{IMPORT}def @main() {{ @length(Nil) }}"),
        (IMPORT[:-1] + ";\ndef @main() { @length(Nil) }", f"{IMPORT}def @main() {{ @length(Nil) }}"),
    ],
)  # fmt: skip
def test_R_2_a_forgotten_import_is_one_finding_with_a_fix(text, expected):
    assert fixed(text) == expected
    assert slugs(expected) == []


WRONG = {
    "another file": ('import "/etc/passwd"\ndef @main() { @f(A(1)) }', "relay-unknown-import"),
    "out of the folder": ('import "std/../setup.py"\ndef @main() { 1 }', "relay-unknown-import"),
    "types of another file": ('import "my.relay"\ndef @main(%l: List[int32]) { 1 }', "relay-unknown-import"),
    "twice": (f"{IMPORT}{IMPORT}def @main() {{ 1 }}", "relay-duplicate"),
    "a function of one's own": (f"{IMPORT}def @sum(%x: int32) {{ %x }}", "relay-import-conflict"),
    "a type of one's own": (f"{IMPORT}type List {{ A }}\ndef @main() {{ A }}", "relay-import-conflict"),
    "a constructor": (f"{IMPORT}type Maybe {{ Some, No }}\ndef @main() {{ @head(Nil) }}", "relay-import-conflict"),
    "a typing error": (f"{IMPORT}def @main() {{ @lenght(Nil) }}", "relay-undefined-variable"),
    "its name alone": ("import prelude\ndef @main() { 1 }", "relay-syntax"),
    "in Python's words": ("from tvm import relay\ndef @main() { 1 }", "relay-syntax"),
    "names of one's own": (
        "type List { A }\ndef @main() { @length(A) }",
        "relay-undefined-variable",
    ),
    "other types": (f"{IMPORT}def @main() {{ @sum(Cons(1f, Nil)) }}", "relay-mismatch"),
    "a case is missing": (
        f"{IMPORT}def @f(%l: List[int32]) {{ match (%l) {{ Nil => 0 }} }}",
        "relay-not-exhaustive",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("text", "slug"), WRONG.values(), ids=WRONG)
def test_R_2_what_is_wrong_with_an_import_is_one_finding(text, slug):
    assert slugs(text) == [slug]
