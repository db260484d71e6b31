"""Comments that silence findings: which, where, and what is said about them when they do nothing."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from relax_lang import api
from relax_lang.base.source import SourceFile
from relax_lang.check.fixes import fix_text
from relax_lang.check.suppressions import apply_ignores
from relax_lang.syntax.parser import parse
from tests.work import executed_lines

ROOT = Path(__file__).parents[2]


def found(text: str) -> list[str]:
    return [one.slug for one in api.check(text).diagnostics]


def in_function(*lines: str) -> str:
    return "\n".join(["def @f(x: Tensor) {", *[f"  {line}" for line in lines], "}", ""])


@pytest.mark.parametrize(
    "comment",
    [
        "# relax: ignore[undefined-variable]",
        "#relax:ignore[undefined-variable]",
        "# relax: ignore[RLX0201]",
        "# relax: ignore[RLX02]",
        "# relax: ignore[arity, undefined-variable] because it is so",
        "# some words # relax: ignore[undefined-variable]",
        "## relax: ignore[undefined-variable]",
    ],
)
def test_a_comment_at_the_end_of_a_line_is_about_that_line(comment: str) -> None:
    assert found(in_function(f"y  {comment}")) == []
    assert found(in_function("let a = y;", f"x  {comment}")) == ["undefined-variable"]


def test_a_comment_on_its_own_line_is_about_the_next_line_of_code() -> None:
    assert found(in_function("# relax: ignore[undefined-variable]", "y")) == []
    assert found(in_function("# relax: ignore[undefined-variable]", "# more", "", "y")) == []
    assert found(in_function("# relax: ignore[RLX0201]", "let a = x;", "y")) == ["undefined-variable"]


def test_a_finding_of_several_lines_can_be_silenced_on_its_first_and_its_last() -> None:
    lines = ["matmul(  # FIRST", "  x", ")  # LAST"]
    for place in ("FIRST", "LAST"):
        text = in_function(*lines).replace(f"# {place}", "# relax: ignore[arity]")
        assert found(text) == [], text


def test_a_whole_file() -> None:
    text = in_function("(y, z)") + "# relax: ignore-file[undefined-variable]\n"
    assert found(text) == []
    assert found(in_function("matmul(y)") + "# relax: ignore-file[arity]\n") == ["undefined-variable"]


def test_only_what_is_named_is_silenced() -> None:
    text = in_function("(y, no_such(x))  # relax: ignore[undefined-variable]")
    assert "undefined-variable" not in found(text)
    assert found(text) != []


def test_errors_of_syntax_cannot_be_silenced() -> None:
    text = in_function("let y = x  # relax: ignore[syntax]", "y")
    assert found(text) == ["syntax"]
    assert found("# relax: ignore-file[syntax, RLX01]\n" + text) == ["syntax"]


def test_hints_about_the_text_can_be() -> None:
    assert found("def @f() {\n\t1\n}\n") == ["text-layout"]
    assert found("# relax: ignore-file[text-layout]\ndef @f() {\n\t1\n}\n") == []


def test_RUN_3_a_program_with_silenced_errors_still_does_not_run() -> None:
    text = "def @main() {\n  y  # relax: ignore[undefined-variable]\n}\n"
    checked = api.check(text)
    assert checked.diagnostics == []
    assert [one.slug for one in checked.ignored] == ["undefined-variable"]
    assert checked.has_errors
    with pytest.raises(api.RelaxError, match="undefined-variable"):
        api.run(text)


# Ignores that do nothing.


def test_unused_ignores_are_reported_with_a_fix() -> None:
    text = in_function("x  # relax: ignore[arity]")
    [one] = api.check(text).diagnostics
    assert (one.slug, one.severity, text[one.pos : one.end]) == ("unused-ignore", "warning", "arity")
    assert fix_text(text).text == in_function("x")


@pytest.mark.parametrize(
    ("line", "mended"),
    [
        ("x  # relax: ignore[arity, syntax] for a reason", "x"),
        ("x  # why # relax: ignore[arity]", "x  # why"),
        ("x  # relax: ignore[arity]  # why", "x  # why"),
        ("x  # relax: ignore[arity]  # relax: ignore[RLX0330]", "x"),
    ],
)
def test_the_fix_takes_away_what_is_unused(line: str, mended: str) -> None:
    assert fix_text(in_function(line)).text == in_function(mended)


def test_the_fix_leaves_what_is_used() -> None:
    text = "# relax: ignore-file[RLX0220, arity]\nprivate def @f(x: Tensor) {\n  x\n}\n"
    assert fix_text(text).text == text.replace(", arity", "")


def test_the_fix_takes_away_a_whole_line() -> None:
    assert fix_text(in_function("# relax: ignore[arity]", "x")).text == in_function("x")
    assert fix_text("def @f() {\n  1\n}\n# relax: ignore-file[arity]").text == "def @f() {\n  1\n}\n"


def test_Z_5_where_errors_kept_the_check_from_looking_nothing_is_called_unused() -> None:
    # The arguments of `matmul` are not counted in a function with wrong names.
    assert found(in_function("let a = nope;", "matmul(x)  # relax: ignore[arity]")) == ["undefined-variable"]
    assert found(in_function("let a = x", "x  # relax: ignore[arity]")) == ["syntax"]
    other = "def @g(x: Tensor) {\n  x  # relax: ignore[arity]\n}\n"
    assert found(in_function("nope") + other) == ["undefined-variable", "unused-ignore"]
    assert found("# relax: ignore-file[arity]\n" + in_function("nope")) == ["undefined-variable"]


def test_an_ignore_cannot_silence_the_report_about_itself() -> None:
    assert found(in_function("x  # relax: ignore[unused-ignore]")) == ["unused-ignore"]


def test_rules_that_are_off_can_be_ignored() -> None:
    text = in_function("let y = x;", "let y = y;  # relax: ignore[shadowing]", "y")
    assert found(text) == []


# Ignores that are wrong.


def test_unknown_codes_are_warnings_with_the_nearest_one() -> None:
    text = in_function("x  # relax: ignore[undefined-varable, RLX0201]")
    [one, other] = api.check(text).diagnostics
    assert (one.slug, one.severity) == ("unknown-code", "warning")
    assert text[one.pos : one.end] == "undefined-varable"
    assert one.help == "write `undefined-variable`"
    assert other.slug == "unused-ignore"


@pytest.mark.parametrize(
    ("comment", "message"),
    [
        ("# relax: ignore", "name what to ignore"),
        ("# relax: ignore-file", "name what to ignore"),
        ("# relax: ignore[]", "no diagnostic is named between the brackets"),
        ("# relax: ignore[ , ]", "no diagnostic is named between the brackets"),
        ("# relax: ignroe[arity]", "`relax: ignroe` is not known; write `relax: ignore[…]`"),
    ],
)
def test_comments_that_say_nothing(comment: str, message: str) -> None:
    [one] = api.check(in_function(f"x  {comment}")).diagnostics
    assert (one.slug, one.severity, one.message) == ("malformed-ignore", "warning", message)


def test_the_word_elsewhere_means_nothing() -> None:
    assert found('def @f() attrs { note: "# relax: ignore[x]" } {\n  1\n}\n') == []
    assert found("# Let us relax: nothing to see here.\n" + in_function("x")) == []


# What is off and not asked for.


def test_findings_of_rules_that_are_off_are_returned_only_if_they_are_asked_for() -> None:
    shadows = in_function("let y = x;", "let y = y;", "(x, y)")
    for text in (shadows, shadows + "# Let us relax: nothing\n", shadows + "# relax: ignore-file[lints]\n"):
        checked = api.check(text)
        assert checked.diagnostics == []
        assert checked.ignored == []
    assert [one.slug for one in api.check(shadows, lints=["shadowing"]).diagnostics] == ["shadowing"]
    silenced = shadows + "# relax: ignore-file[lints]\n"
    assert [one.slug for one in api.check(silenced, lints=["shadowing"]).ignored] == ["shadowing"]
    assert api.check(silenced, lints=["unused-value"]).ignored == []


def test_a_comment_does_not_turn_lints_on() -> None:
    text = in_function("let y = x;  # relax: ignore[arity]", "x")
    assert found(text) == ["unused-ignore"]
    text = 'def @f(x: Tensor) attrs { note: "relax: ignore" } {\n  let y = x;\n  x\n}\n'
    assert found(text) == []
    assert [one.slug for one in api.check(text, lints=["unused-binding"]).diagnostics] == ["unused-binding"]


# Cost.


def work(text: str) -> int:
    """Return how many lines of the project judging the comments of a text executes."""
    source = SourceFile(text)
    parsed = parse(text)
    found = api.check(text.replace("relax:", "other:")).diagnostics
    return executed_lines(lambda: apply_ignores(source, parsed.comments, parsed.tree.items, found))


NAMES = ["arity", "syntax", "RLX02", "lints", "nope-nope", "shadowing"]


def undefined(n: int) -> str:
    return "(" + ", ".join([f"y{i}" for i in range(n)]) + ")"


MANY: dict[str, Callable[[int], str]] = {
    "words of one comment": lambda n: in_function(
        undefined(n)
        + "  # relax: ignore["
        + ", ".join([NAMES[i % 6] + "x" * (i % 6 == 4) for i in range(n)])
        + "]"
    ),
    "comments on one line": lambda n: in_function(undefined(n) + "  # relax: ignore[arity]" * n),
    "comments on many lines": lambda n: in_function(*["let y = z;  # relax: ignore[arity]"] * n, "x"),
    "comments above one line": lambda n: in_function(*["# relax: ignore[arity]"] * n, "y"),
    "comments about the file": lambda n: (
        "# relax: ignore-file[arity, RLX03]\n" * n + in_function(undefined(n))
    ),
    "comments in many functions": lambda n: "".join(
        [f"def @f{i}(x: Tensor) {{\n  y  # relax: ignore[arity]\n}}\n" for i in range(n)]
    ),
    "distinct misspelt words": lambda n: in_function(
        "x  # relax: ignore[" + ", ".join([f"arity-{i}" for i in range(n)]) + "]"
    ),
}


@pytest.mark.parametrize("many", MANY.values(), ids=MANY)
def test_the_work_is_linear(many: Callable[[int], str]) -> None:
    small, middle, large = [work(many(n)) for n in (100, 200, 400)]
    assert large - middle < 2.5 * (middle - small)  # of quadratic work it is four times


def test_texts_without_such_comments_do_not_pay() -> None:
    code = (
        "import sys; from relax_lang import api; api.check('def @f() { 1 } # a comment')\n"
        "print('relax_lang.check.suppressions' in sys.modules, 're' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=True)
    assert done.stdout.startswith("False")
