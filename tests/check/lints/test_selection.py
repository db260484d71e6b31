"""Which lints are looked for, loaded, silenced."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from relax_lang import api
from relax_lang.base.diagnostic import HINT, OFF, RULES
from relax_lang.check.explain import all_rules, lint_modules
from relax_lang.check.lints.core.registry import load
from relax_lang.check.selection import EDITIONS
from tests.check.lints.findings import f, fixed, found
from tests.explanations import examples
from tests.work import executed_lines

ROOT = Path(__file__).parents[2]


RULES_OF_LINTS = [rule for rule in all_rules() if rule.code.startswith("RLX08")]


def test_every_lint_is_registered_and_looked_for() -> None:
    of_editions = {slug for slugs in EDITIONS.values() for slug in slugs}
    assert {rule.slug for rule in RULES_OF_LINTS} | of_editions == {
        *load(),
        "dead-function",
        "dead-prim-func",
    }
    for slug in load():
        assert RULES[slug].severity == OFF
    assert RULES["dead-function"].severity == RULES["dead-prim-func"].severity == HINT


@pytest.mark.parametrize("rule", RULES_OF_LINTS, ids=lambda rule: rule.slug)
def test_explanations(rule) -> None:
    texts = examples(rule)
    assert set(texts) == ({"right"} if rule.slug == "large-constant" else {"wrong", "right"})
    for kind, text in texts.items():
        slugs = [one.slug for one in api.check(text, lints=[rule.slug]).diagnostics]
        assert slugs == ([rule.slug] if kind == "wrong" else [])


def test_nothing_is_looked_for_that_nobody_asks_for() -> None:
    text = f("add(x, x);", "let y = x;", "x")
    assert api.check(text).diagnostics == []
    assert found(text, "unused-value") == [("unused-value", "add(x, x)")]
    assert found(text, "RLX0801") == []
    assert [one.slug for one in api.check(text, lints=["RLX0801"]).diagnostics] == ["unused-binding"]
    assert {one.severity for one in api.check(text, lints=["all"]).diagnostics} == {OFF}


ATTRIBUTE = 'module attrs { a: "relax: x" }\n' + f("add(x, x);", "x")


COMMENT = f("let y = x;  # relax: ignore[unused-binding]", "add(x, x);", "x")


SHADOWED = f("let y = x;", "let y = y;", "add(y, y)")


@pytest.mark.parametrize(
    ("text", "lints", "expected"),
    [
        (ATTRIBUTE, [], []),
        (ATTRIBUTE, ["unused-value"], ["unused-value"]),
        (COMMENT, [], []),  # the comment is of use all the same
        (COMMENT, ["unused-binding"], []),
        (COMMENT, ["lints"], ["unused-value"]),
        (SHADOWED, [], []),
        (SHADOWED, ["shadowing"], ["shadowing"]),
    ],
)
def test_only_what_was_asked_for_is_returned(text: str, lints: list[str], expected: list[str]) -> None:
    assert [one.slug for one in api.check(text, lints=lints).diagnostics] == expected


def test_only_what_was_asked_for_is_returned_as_ignored() -> None:
    assert api.check(COMMENT).ignored == []
    assert [one.slug for one in api.check(COMMENT, lints=["lints"]).ignored] == ["unused-binding"]


def test_lints_are_not_loaded_for_nothing() -> None:
    code = (
        "import sys; from relax_lang import api\n"
        "api.check('def @f(x: Tensor) { add(x, x) }')\n"
        "print([name for name in sys.modules if 'lint' in name])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert shown.stdout == "[]\n"


@pytest.mark.parametrize(
    ("words", "loaded"),
    [
        (["unused-value"], ["unused_value"]),
        (["unused-value", "unused-binding"], ["unused_binding", "unused_value"]),
        (["RLX0801"], None),
        (["lints"], None),
    ],
)
def test_only_lints_that_are_named_are_loaded(words: list[str], loaded: list[str] | None) -> None:
    code = (
        "import sys; from relax_lang import api; from relax_lang.check.selection import unknown\n"
        f"assert not unknown({words})\n"
        f"print(*[one.slug for one in api.check('def @f(x: Tensor) {{ add(x, x); x }}', lints={words}).diagnostics])\n"
        "print(*sorted([name[23:] for name in sys.modules if name.startswith('relax_lang.check.lints.')]))"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    slugs, modules = shown.stdout.splitlines()
    assert slugs == ("unused-value" if "unused-value" in words or words == ["lints"] else "")
    lints = [name for name in modules.split() if not name.startswith("core")]
    assert lints == (
        sorted([name.rpartition(".")[2] for name in lint_modules()]) if loaded is None else loaded
    )


def test_a_hash_in_a_string_is_not_a_comment() -> None:
    text = f('let y = extern "a#b";', "x")
    assert fixed(text, "unused-binding") == f("x")
    text = f("let y = (x,  # why", "x);", "x")
    assert fixed(text, "unused-binding") == text
    assert fixed(text, "unused-binding", unsafe=True) == f("x")


def test_errors_silence_lints_of_their_function_only() -> None:
    text = f("let y = x;", "let z = nope;", "x") + "\n" + f("let q = x;", "x").replace("@f", "@g")
    assert [one.slug for one in api.check(text, lints=["unused-binding"]).diagnostics] == [
        "undefined-variable",
        "unused-binding",
    ]
    text = "private def @dead() { nope }\n\ndef @main() { 1 }\n"
    assert [one.slug for one in api.check(text, lints=["dead-function"]).diagnostics] == [
        "undefined-variable"
    ]


def test_ignored_lints_are_known_to_be_used() -> None:
    text = f("let y = x;  # relax: ignore[unused-binding]", "x")
    assert api.check(text).diagnostics == []
    text = f("let y = x;  # relax: ignore[unused-binding]", "y")
    assert [one.slug for one in api.check(text).diagnostics] == ["unused-ignore"]
    text = "# relax: ignore-file[lints]\n" + f("let y = x;", "add(x, x);", "x")
    assert api.check(text, lints=["unused-binding", "unused-value"]).diagnostics == []


def test_lints_are_linear() -> None:
    def work(n: int) -> int:
        text = f(*[f"let y{i} = add(x, {f'y{i - 1}' if i % 3 else 'x'});" for i in range(n)], "x")
        return executed_lines(lambda: api.check(text, lints=["lints"]))

    small, middle, large = work(100), work(200), work(400)
    assert large - middle < 2.5 * (middle - small)  # of quadratic work it is four times
