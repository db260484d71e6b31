"""Expectations in comments, compared with what is found and printed: `api.test`."""

from __future__ import annotations

import pytest

from relax_lang import api
from relax_lang.check.expectations.findings import split_modules


def differences(text: str) -> list[tuple[str, int]]:
    """Return slug and line of everything that is not as expected."""
    return [(one.slug, text.count("\n", 0, one.pos) + 1) for one in api.test(text)]


def f(*lines: str) -> str:
    return "\n".join(["def @f(x: Tensor) {", *[f"  {line}" for line in lines], "}", ""])


def test_a_program_without_comments_is_expected_to_be_clean() -> None:
    assert differences(f("x")) == []
    assert differences(f("y")) == [("unexpected-finding", 2)]


@pytest.mark.parametrize(
    "lines",
    [
        ["y  # error: undefined-variable"],
        ["y  # error: RLX0201"],
        ["y  #error:undefined-variable"],
        ["# error: undefined-variable", "y"],
        ["# error: undefined-variable", "# why", "", "y"],
        ["(y, z)  # error: undefined-variable, undefined-variable"],
        ["(y, z)  # error: undefined-variable # error: RLX0201"],
        ["# error: undefined-variable", "(y, z)  # error: undefined-variable"],
        ["y  # a word # error: undefined-variable # another"],
    ],
)
def test_expected_findings(lines: list[str]) -> None:
    assert differences(f(*lines)) == []


def test_warnings_and_hints() -> None:
    assert differences("private def @f() {  # warning: no-entry-point\n  1\n}\n") == []
    assert differences("def @f(x: (Tensor)) {  # hint: one-tuple-needs-comma\n  x\n}\n") == []


def test_rules_that_are_off_are_found_only_when_they_are_expected() -> None:
    assert differences(f("let y = x;", "let y = y;", "y")) == []
    assert differences(f("let y = x;", "let y = y;  # hint: shadowing", "y")) == []


def test_one_expectation_is_one_finding() -> None:
    assert differences(f("(y, z)  # error: undefined-variable")) == [("unexpected-finding", 2)]
    text = f("y  # error: undefined-variable, undefined-variable")
    assert differences(text) == [("missing-finding", 2)]
    assert "not as many times" in api.test(text)[0].notes[0]


def test_findings_that_are_missing() -> None:
    text = f("x  # error: arity")
    [one] = api.test(text)
    assert (one.slug, one.message) == ("missing-finding", "there is no error `arity` on line 2")
    assert text[one.pos : one.end] == "arity"


def test_a_finding_of_another_severity_or_on_another_line_is_told() -> None:
    [_, one] = api.test(f("y  # warning: undefined-variable"))
    assert one.notes == ["here it is of the severity error"]
    [one, _] = api.test(f("let a = x;  # error: undefined-variable", "y"))
    assert one.notes == ["it is found on line 3"]


def test_an_unexpected_finding_shows_what_was_found() -> None:
    text = f("let a = nope;", "a")
    [one] = api.test(text)
    assert one.message == "error[RLX0201 undefined-variable]: `nope` is not defined"
    assert one.help == "if it is intended, expect it: `# error: undefined-variable`"
    assert text[one.pos : one.end] == "nope"


def test_syntax_errors_can_be_expected() -> None:
    assert differences(f("let y = x  # error: syntax", "y")) == []
    assert differences("def @f() {\n  1\n# error: unexpected-end\n") == []


def test_findings_that_are_ignored_are_none() -> None:
    assert differences(f("y  # relax: ignore[undefined-variable]")) == []


@pytest.mark.parametrize(
    ("comment", "slug"),
    [
        ("# error:", "malformed-expectation"),
        ("# error: ,", "malformed-expectation"),
        ("# error: this is prose", "malformed-expectation"),
        ("# error: undefined-varable", "unknown-code"),
        ("# reveals: Tensr", "malformed-expectation"),
        ("# reveals: Shape", "info-differs"),
    ],
)
def test_comments_that_expect_nothing(comment: str, slug: str) -> None:
    assert differences(f(f"x  {comment}")) == [(slug, 2)]


@pytest.mark.parametrize("comment", ["## error: this is documentation", "# an error: no", "# errors: no"])
def test_other_comments_are_left_alone(comment: str) -> None:
    assert differences(f(comment, "x")) == []


# Output.

MAIN = "def @main() {\n  (1, 2.5)\n}\n"


def test_the_output_is_what_run_prints() -> None:
    text = "# expect-output\n# tuple of 2\n#   [0] Tensor[(), int32] 1\n#   [1] Tensor[(), float32] 2.5\n\n"
    assert differences(text + MAIN) == []
    assert differences(MAIN + text.rstrip()) == []


def test_what_is_printed_while_running_comes_first() -> None:
    text = 'def @main() {\n  print(1, format="one {}");\n  2\n}\n# expect-output\n# one 1\n# Tensor[(), int32] 2\n'
    assert differences(text) == []


@pytest.mark.parametrize(
    ("lines", "line", "message"),
    [
        (["tuple of 3"], 2, "this line is printed as `tuple of 2`"),
        (["tuple of 2"], 2, "after this, `  [0] Tensor[(), int32] 1` is printed"),
        ([], 1, "after this, `tuple of 2` is printed"),
        (
            ["tuple of 2", "  [0] Tensor[(), int32] 1", "  [1] Tensor[(), float32] 2.5", "more"],
            5,
            "the output ends before this line",
        ),
    ],
)
def test_outputs_that_differ(lines: list[str], line: int, message: str) -> None:
    text = "\n".join(["# expect-output", *[f"# {one}" for one in lines], "", MAIN])
    [one] = api.test(text)
    assert (one.slug, one.message) == ("output-differs", message)
    assert text.count("\n", 0, one.pos) + 1 == line
    assert "tuple of 2\n  [0] Tensor[(), int32] 1" in one.notes[0]


def test_comments_of_an_output_expect_nothing_else() -> None:
    text = (
        'def @main() {\n  print(1, format="error: arity");\n  ()\n}\n# expect-output\n# error: arity\n# ()\n'
    )
    assert differences(text) == []


def test_failures_of_the_run_can_be_expected() -> None:
    body = "def @main() {\n  let x = match_cast(unique(const([1, 1, 1])), Tensor[(2,)]);MARK\n  x\n}\n# expect-output\n"
    assert differences(body.replace("MARK", "  # error: match-cast-failed")) == []
    assert differences(body.replace("MARK", "")) == [("unexpected-finding", 2)]


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("def @main(x: Tensor) {\n  x\n}\n", "@main takes arguments, which a comment cannot give"),
        ("def @other() {\n  1\n}\n", "there is no function @main to run"),
        (
            "private def @main() {\n  1\n}\n\ndef @g() {\n  @main()\n}\n",
            "@main is private, and cannot be run",
        ),
        (
            "def @main() {\n  y  # error: undefined-variable\n}\n",
            "a program with errors does not run and prints nothing",
        ),
    ],
)
def test_programs_that_have_no_output(program: str, why: str) -> None:
    [one] = api.test(program + "\n# expect-output\n# x\n")
    assert (one.slug, one.message) == ("malformed-expectation", why)


def test_there_is_one_output() -> None:
    text = "# expect-output\n# tuple of 2\n\n# expect-output\n\n" + MAIN
    assert ("malformed-expectation", 4) in differences(text)


# Several programs in a text.


def test_modules_keep_their_places() -> None:
    text = "def @f() {\n  y\n}\n# ---\ndef @g() {\n  z\n}\n"
    first, second = split_modules(text)
    assert first == "def @f() {\n  y\n}\n"
    assert len(second) == len(text)
    assert second.strip() == "def @g() {\n  z\n}"
    assert second.count("\n") == text.count("\n")
    assert differences(second) == [("unexpected-finding", 6)]


@pytest.mark.parametrize("text", ["# ---\ndef @f() {}\n# --- \n", "\n# ---\r\n# ---\ndef @f() {}"])
def test_empty_modules_are_left_out(text: str) -> None:
    assert [part.strip() for part in split_modules(text)] == ["def @f() {}"]


def test_only_the_line_itself_separates() -> None:
    assert len(split_modules("x  # ---\n# ----\n  # ---\n#---\n")) == 1
