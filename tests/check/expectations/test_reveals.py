"""`# reveals: S`: how the comments are read, and how they are compared with what is known of a line."""

from __future__ import annotations

import pytest

from relax_lang import api
from relax_lang.base.source import SourceFile
from relax_lang.check.expectations.findings import Expectations, read_expectations
from relax_lang.check.expectations.reveals import agrees, compare_reveals
from relax_lang.struct_info.context import REJECTED
from relax_lang.syntax import tree
from relax_lang.syntax.parser import parse


def info(text: str) -> tree.StructInfo:
    parsed = parse(text, start="struct_info")
    assert parsed.diagnostics == []
    assert isinstance(parsed.tree, tree.StructInfo)
    return parsed.tree


def read(*statements: str) -> tuple[SourceFile, Expectations]:
    text = "\n".join(["def @f(x: Tensor[(n,), float32]) {", *[f"  {one}" for one in statements], "}", ""])
    parsed = parse(text)
    return SourceFile(text), read_expectations(SourceFile(text), parsed.comments)


def differences(known: dict[int, list[tuple[str, str]]], *statements: str) -> list[tuple[str, str, str]]:
    """Return slug, message and marked text of all that differs where a line reveals what `known` says."""
    source, expected = read(*statements)
    assert expected.problems == []
    found = compare_reveals(
        source, expected.infos, lambda line: [(name, info(text)) for name, text in known.get(line, [])]
    )
    return [(one.slug, one.message, source.text[one.pos : one.end]) for one in found]


Y = {2: [("y", "Tensor[(n,), float32]")]}


@pytest.mark.parametrize(
    "comment",
    [
        "# reveals: Tensor[(n,), float32]",
        "# reveals:Tensor[ (n,) , float32 ]",
        "# reveals: y: Tensor[(n,), float32]",
        "# reveals: `y`: Tensor[(n,), float32]",
        "# reveals: Tensor[(n + 0,), float32]",
        "# hint: arity  # reveals: Tensor[(n,), float32]",
        "# reveals: Tensor[(n,), float32]  # and a remark",
    ],
)
def test_what_agrees(comment: str) -> None:
    assert differences(Y, f"let y = add(x, x);  {comment}", "y") == []


def test_the_line_is_that_of_other_expectations() -> None:
    assert differences({3: Y[2]}, "# reveals: Tensor[(n,), float32]", "let y = x;", "y") == []
    assert differences({3: [("", "Object")]}, "let y = x;", "y  # reveals: Object") == []


@pytest.mark.parametrize(
    ("comment", "slug", "message", "marked"),
    [
        (
            "# reveals: Tensor[(n, 4), float32]",
            "info-differs",
            "`y` is `Tensor[(n,), float32]`, not `Tensor[(n, 4), float32]`",
            "Tensor[(n, 4), float32]",
        ),
        ("# reveals: y: Object ", "info-differs", "`y` is `Tensor[(n,), float32]`, not `Object`", "Object"),
        ("# reveals: z: Object", "malformed-expectation", "`z` is not bound on this line", "Object"),
    ],
)
def test_what_differs(comment: str, slug: str, message: str, marked: str) -> None:
    assert differences(Y, f"let y = add(x, x);  {comment}", "y") == [(slug, message, marked)]


def test_a_difference_can_be_taken_over() -> None:
    source, expected = read("let y = x;  # reveals: Object", "y")
    [one] = compare_reveals(source, expected.infos, lambda _: [("y", info("Tensor[(n,), float32]"))])
    [edit] = one.fixes[0].edits
    text = source.text[: edit.pos] + edit.text + source.text[edit.end :]
    assert "let y = x;  # reveals: Tensor[(n,), float32]\n" in text


def test_lines_without_values() -> None:
    message = "no value begins on this line, so there is nothing to reveal"
    assert differences({}, "x  # reveals: Object") == [("malformed-expectation", message, "Object")]
    source, expected = read("x")
    text = source.text + "# reveals: Object\n"  # no code follows
    expected = read_expectations(SourceFile(text), parse(text).comments)
    [one] = compare_reveals(SourceFile(text), expected.infos, lambda _: [("", info("Object"))])
    assert one.slug == "malformed-expectation"


TWO = {2: [("a", "Shape[(n,)]"), ("b", "Tensor[(n,), float32]")]}


def test_several_values_on_a_line() -> None:
    line = "let a = shape(n); let b = x;  "
    assert differences(TWO, line + "# reveals: Shape[(n,)]  # reveals: Tensor[(n,), float32]", "b") == []
    assert differences(TWO, line + "# reveals: b: Tensor[(n,), float32]", "b") == []
    assert differences(TWO, line + "# reveals: Tensor[(n,), float32]", "b") == []
    [(slug, message, _)] = differences(TWO, line + "# reveals: Shape[(n,)]  # reveals: Shape[(n,)]", "b")
    assert (slug, message) == ("info-differs", "`b` is `Tensor[(n,), float32]`, not `Shape[(n,)]`")
    [(_, message, _)] = differences(TWO, line + "# reveals: a: Object", "b")
    assert message == "`a` is `Shape[(n,)]`, not `Object`"


@pytest.mark.parametrize(
    ("comment", "marked"),
    [
        ("# reveals:", " "),
        ("# reveals: y:", "y:"),
        ("# reveals: Tensor[(n,)", ""),
        ("# reveals: Tensr", "Tensr"),
        ("# reveals: Tensor[(n,), flot32]", "flot32"),
        ("# reveals: 3 + 4", "3"),
    ],
)
def test_comments_that_are_no_infos(comment: str, marked: str) -> None:
    source, expected = read(f"x  {comment}")
    [one] = expected.problems
    assert one.slug == "malformed-expectation"
    assert marked.strip() in source.text[one.pos : one.end]
    assert source.text.index("# reveals") <= one.pos <= source.text.index("\n", one.pos - 1)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("Tensor[(n * 2,), float32]", "Tensor[(n + n,), float32]", True),
        ("Tensor[(n,), float32]", "Tensor[(m,), float32]", False),
        ("Tensor[(n,), float32]", "Tensor[ndim=1, float32]", False),
        ("Tensor[(n,), float32]", "Tensor[(n,)]", False),
        ("(Shape[(n,)], Object)", "(Shape[(n,)], Object)", True),
        ("(Shape[(n,)], Object)", "(Object, Object)", False),
        ("fn(Tensor[(n,)]) -> Tensor[(n,)]", "fn(Tensor[(k,)]) -> Tensor[(k,)]", True),
        ("fn(Tensor[(n,)]) -> Object", "impure fn(Tensor[(n,)]) -> Object", False),
        ("Object", "Object", True),
    ],
)  # fmt: skip
def test_C_5_infos_are_compared_by_meaning(left: str, right: str, expected: bool) -> None:
    assert agrees(info(left), info(right)) == expected
    assert agrees(info(right), info(left)) == expected


def test_Z_5_of_values_with_errors_nothing_is_known() -> None:
    assert not agrees(REJECTED, info("Tensor[(n,)]"))
    assert not agrees(REJECTED, info("Object"))


# Together with inference.


@pytest.mark.parametrize(
    ("program", "infos"),
    [
        ("let y = x;", "Tensor[(n,), float32]"),
        ("let y = add(x, x) + exp(x);", "Tensor[(n,), float32]"),
        ("dataflow { let y = x; output y; }", "Tensor[(n,), float32]"),
        ("add(x, x);", "Tensor[(n,), float32]"),
        ("match_cast(x, Tensor[(k,), float32]);", "Tensor[(k,), float32]"),
        ("match_shape(x, (k,));", None),
        ("let y: Object = x;", "Object"),
    ],
)
def test_what_statements_reveal(program: str, infos: str | None) -> None:
    text = f"def @f(x: Tensor[(n,), float32]) {{\n  {program}  # reveals: {infos or 'Object'}\n  x\n}}\n"
    slugs = [one.slug for one in api.test(text)]
    assert slugs == ([] if infos else ["malformed-expectation"])


@pytest.mark.parametrize(
    ("result", "revealed"),
    [
        ("x", "Tensor[(n,), float32]"),
        ("exp(x)", "Tensor[(n,), float32]"),
        ("(x, shape(n))", "(Tensor[(n,), float32], Shape[(n,)])"),
        ("(x, exp(x))", "(Tensor[(n,), float32], Tensor[(n,), float32])"),
        ("((x, 1), 2.5)[0]", "(Tensor[(n,), float32], Tensor[(), int32])"),
        ("shape(n, n * 2)", "Shape[(n, n * 2)]"),
        ("const([1, 2], int8)", "Tensor[(2,), int8]"),
        ("2.5", "Tensor[(), float32]"),
        ('extern "f"', "PackedFunc"),
        ("fn (a: Tensor[(k,)]) { a }", "fn(Tensor[(q,)]) -> Tensor[(q,)]"),
        ("@f", "fn(Tensor[(n,), float32]) -> Object"),
        ("if const(true) { x } else { exp(x) }", "Tensor[(n,), float32]"),
    ],
)
def test_what_results_reveal(result: str, revealed: str) -> None:
    text = f"def @f(x: Tensor[(n,), float32]) -> Object {{\n  {result}  # reveals: {revealed}\n}}\n"
    assert [one.message for one in api.test(text)] == []
    other = text.replace(f"reveals: {revealed}", "reveals: Shape[ndim=7]")
    assert [one.slug for one in api.test(other)] == ["info-differs"]


def test_names_are_those_of_the_author() -> None:
    text = "def @f(x: Tensor[(n,), float32]) {\n  let y = x;\n  let y = shape(n);  # reveals: y: Shape[(n,)]\n  y\n}\n"
    assert api.test(text) == []


def test_of_a_value_with_an_error_nothing_is_revealed() -> None:
    text = "def @f(x: Tensor) {\n  let y = nope;  # error: undefined-variable  # reveals: Object\n  y\n}\n"
    assert [one.slug for one in api.test(text)] == ["info-differs"]


def test_nobody_but_relax_test_reads_them() -> None:
    assert api.check("def @f(x: Tensor) { x }  # reveals: nonsense\n").diagnostics == []
