"""The text form of diagnostics, as it looks. The files in golden/text hold the pictures."""

from __future__ import annotations

import pytest
from relax_lang.cli.render import text
from relax_lang.cli.render.style import Style
from relax_lang.cli.render.summary import summary

from relax_lang.base.diagnostic import Diagnostic, Edit, Fix, Rule
from relax_lang.base.source import SourceFile
from tests.work import executed_lines

MLP = SourceFile(
    """def @main(x: Tensor[(n, 784), float32], w: Tensor[(768, 128), float32]) {
  dataflow {
    let lv0 = matmul(x, w);
    let gv0 = nn.relu(lvO);
    output gv0;
  }
  lv0
}
""",
    "mlp.rlx",
)


def rule(slug: str, severity: str = "error", code: str = "RLX0401") -> Rule:
    return Rule(code, slug, severity, "", "")


def at(source: SourceFile, snippet: str, nth: int = 0) -> tuple[int, int]:
    """The span of the nth occurrence of a snippet."""
    pos = -1
    for _ in range(nth + 1):
        pos = source.text.index(snippet, pos + 1)
    return pos, pos + len(snippet)


def matmul() -> Diagnostic:
    return (
        rule("shape-mismatch")
        .at(
            at(MLP, "matmul(x, w)"),
            "matmul cannot contract 784 with 768",
            "axis -1 of `x` is 784, axis -2 of `w` is 768",
        )
        .label(at(MLP, "784"), "`x`: Tensor[(n, 784), float32]")
        .label(at(MLP, "768"), "`w`: Tensor[(768, 128), float32]")
        .helped("for A of shape (.., m, k) and B of shape (.., k, n), matmul(A, B) has shape (.., m, n)")
    )


def unknown_name() -> Diagnostic:
    return (
        rule("undefined-variable", code="RLX0201")
        .at(at(MLP, "lvO"), "`lvO` is not defined (nearest: `lv0`)", "not found here")
        .label(at(MLP, "lv0"), "`lv0` is defined here")
        .replace(at(MLP, "lvO"), "lv0", "a variable with a similar name exists: `lv0`")
    )


def escapes() -> Diagnostic:
    output = at(MLP, "output gv0")
    return (
        rule("dataflow-var-escapes", code="RLX0204")
        .at(at(MLP, "lv0", 1), "`lv0` lives only in its dataflow block", "used after the block ended")
        .label(at(MLP, "dataflow"), "this block outputs only `gv0`")
        .label(at(MLP, "lv0"), "bound here, inside the block")
        .fix("make it an output of the block", Edit(output[1], output[1], ", lv0"))
    )


def missing_semicolon() -> Diagnostic:
    end = at(MLP, "matmul(x, w)")[1]
    return (
        rule("syntax", code="RLX0101")
        .at((end, end), "expected `;` after this binding", "`;` missing here")
        .label(at(MLP, "let", 1), "the next statement starts here")
        .fix("add `;`", Edit(end, end, ";"), applicability="safe")
    )


def long_span() -> Diagnostic:
    block = at(MLP, "dataflow")[0], at(MLP, "}\n", 0)[1]
    return (
        rule("impure-in-dataflow", "warning", "RLX0501")
        .at(block, "this block must be pure", "the whole block")
        .label(at(MLP, "nn.relu(lvO);\n    output"), "these two lines")
    )


def several_fixes() -> Diagnostic:
    first, last = at(MLP, "x: Tensor")[0], at(MLP, "lv0\n}")[0]
    one = rule("annotation-mismatch", "hint").at((first, first + 1), "look at this", "here")
    one.note("a note of\ntwo lines").helped("something that no edit does")
    one.fixes.append(
        Fix("rename it everywhere", [Edit(first, first + 1, "data"), Edit(last, last + 3, "gv0")])
    )
    one.fixes.append(Fix("close the block", [Edit(last, last, "}\n  ")]))
    return one


FAR = SourceFile(
    "def @main(x: Tensor[(n, 784), float32], w: Tensor[(768, 128), float32], y: Tensor[(768,), flot32]) {\n",
    "far.rlx",
)


def far_to_the_right() -> Diagnostic:
    """A change that a narrow terminal would cut off."""
    place = at(FAR, "flot32")
    one = rule("unknown-dtype", code="RLX0381").at(place, "`flot32` is not a dtype", "unknown")
    return one.replace(place, "float32", "write `float32`")


MIXED = SourceFile("\tlet 数据 = matmul(\t数据, 権重, bias);\n", "mixed.rlx")


def mixed() -> Diagnostic:
    """Tabs, wide characters, a label that is longer than its line, and one inside the primary span."""
    one = rule("arity", code="RLX0304").at(
        at(MIXED, "matmul(\t数据, 権重, bias)"), "matmul takes 2 arguments, 3 are given"
    )
    one.label(at(MIXED, "bias"), "one too many, and this label is longer than the terminal is wide")
    one.label(at(MIXED, "数据"), "名前")
    return one.replace(at(MIXED, ", bias"), "", "remove the argument `bias`")


STACK = SourceFile("f(a, b)\n", "stack.rlx")


def stacked() -> Diagnostic:
    """Labels in one place, without words, and one that cannot be broken."""
    one = rule("x").at(at(STACK, "f(a, b)"), "many labels", "the primary one").label((0, 7), "the same place")
    one.label((0, 1), "the name").label((2, 3), "").label((5, 6), "unbreakable_" * 4)
    return one


TALL = SourceFile("def @f() {\n" + "  x;\n" * 30 + "}\n", "tall.rlx")


def tall() -> Diagnostic:
    """A span of many lines with gaps and labels inside."""
    one = rule("x", "warning").at((0, len(TALL.text) - 1), "all of it", "this function")
    for nth, label in ((5, "five"), (6, "six"), (8, "eight"), (20, "twenty")):
        one.label(at(TALL, "x;", nth), label)
    return one


CASES = {
    "far": (FAR, far_to_the_right),
    "mixed": (MIXED, mixed),
    "stacked": (STACK, stacked),
    "tall": (TALL, tall),
    "matmul": (MLP, matmul),
    "unknown-name": (MLP, unknown_name),
    "escapes": (MLP, escapes),
    "missing-semicolon": (MLP, missing_semicolon),
    "long-span": (MLP, long_span),
    "several-fixes": (MLP, several_fixes),
}
STYLES = {
    "": Style(width=100),
    "narrow": Style(width=56),
    "phone": Style(width=40),
    "ascii": Style(width=80, unicode=False),
    "color": Style(width=80, color=True),
    "links": Style(width=80, color=True, links=True),
}


@pytest.mark.parametrize("style", ["", "narrow", "phone", "ascii"])
@pytest.mark.parametrize("case", list(CASES))
def test_layout(golden, case: str, style: str) -> None:
    source, make = CASES[case]
    name = f"text/{case}-{style}.txt" if style else f"text/{case}.txt"
    golden(name, text.render(source, make(), STYLES[style]))


def test_colour_only_adds_escapes(golden) -> None:
    import re

    coloured = text.render(MLP, matmul(), STYLES["color"])
    golden("text/matmul-color.txt", coloured)
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == text.render(MLP, matmul(), Style(width=80))


def test_links_lead_to_the_file() -> None:
    shown = text.render(MLP, matmul(), STYLES["links"])
    assert "\x1b]8;;file:///" in shown
    assert "/mlp.rlx\x1b\\mlp.rlx:3:15\x1b]8;;\x1b\\" in shown


def test_without_a_place(golden) -> None:
    one = rule("file-not-found", code="RLX0001").at(None, "there is no file `x.rlx`").helped("look for it")
    golden("text/no-place.txt", text.render(SourceFile("", "x.rlx"), one, Style(width=80)))


def test_wide_characters_and_tabs_are_aligned(golden) -> None:
    source = SourceFile('def @f() {\n\tlet 数 = "日本";\tf(数);\n}\n', "wide.rlx")
    one = (
        rule("x")
        .at(at(source, "数", 1), "wide", "used")
        .label(at(source, "数"), "bound")
        .label(at(source, '"日本"'), "text")
    )
    golden("text/wide.txt", text.render(source, one, Style(width=80)))


def test_combining_characters_take_no_column() -> None:
    source = SourceFile("e\u0301 = x", "c.rlx")
    rows = text.render(source, rule("x").at(at(source, "x"), "m", "here"), Style(width=80)).split("\n")
    assert rows[4] == "  │     ━ here"


def test_control_characters_never_reach_the_terminal() -> None:
    source = SourceFile("a \x1b[31m\x07 b\x9b\u202e", "evil\x1b[2J.rlx")
    one = rule("x").at((0, 1), "message \x1b[1m", "label \x1b").note("note \x1b").helped("help \x1b")
    one.fix("title \x1b", Edit(0, 1, "\x1b]0;"))
    shown = text.render(source, one, Style(width=80))
    assert not [c for c in shown if c != "\n" and (c < " " or "\x7f" <= c <= "\x9f" or c == "\u202e")]


def test_many_labels_on_one_line(golden) -> None:
    source = SourceFile("f(alpha, beta, gamma, delta)\n", "many.rlx")
    one = rule("arity").at(at(source, "f(alpha, beta, gamma, delta)"), "too many arguments", "f takes two")
    for word in ("alpha", "beta", "gamma", "delta"):
        one.label(at(source, word), f"this is {word}, which has a label of its own")
    golden("text/many.txt", text.render(source, one, Style(width=60)))


def test_a_long_line_is_cut_around_its_marks(golden) -> None:
    line = "let y = " + " + ".join(f"x{i}" for i in range(100)) + ";"
    source = SourceFile(line + "\n", "long.rlx")
    one = (
        rule("x")
        .at(at(source, "x50"), "a name in the middle", "this one")
        .label(at(source, "x53"), "and this")
    )
    golden("text/long.txt", text.render(source, one, Style(width=70)))
    far = rule("x").at(at(source, "x99"), "a name at the end", "this one").label(at(source, "x1"), "far away")
    golden("text/long-far.txt", text.render(source, far, Style(width=70)))
    for row in text.render(source, far, Style(width=70)).split("\n"):
        assert len(row) <= 70


def test_line_numbers_of_different_width(golden) -> None:
    source = SourceFile("".join(f"line {i}\n" for i in range(1, 120)), "n.rlx")
    one = rule("x").at(at(source, "line 105"), "far apart", "here").label(at(source, "line 9\n"), "and here")
    golden("text/numbers.txt", text.render(source, one, Style(width=80)))


def test_a_place_at_the_end_of_the_file(golden) -> None:
    source = SourceFile("def @f() {\n  x\n", "end.rlx")
    one = rule("unexpected-end").at((len(source.text), len(source.text)), "the file ends too early", "here")
    golden("text/end.txt", text.render(source, one.label((9, 10), "opened here"), Style(width=80)))


def test_an_empty_file() -> None:
    shown = text.render(SourceFile("", "e.rlx"), rule("x").at((0, 0), "nothing", "here"), Style(width=80))
    assert shown.split("\n")[3:5] == ["1 │", "  │ ━ here"]


def test_crlf_is_not_part_of_the_line() -> None:
    source = SourceFile("let x;\r\nlet y;\r\n", "crlf.rlx")
    shown = text.render(source, rule("x").at((0, 8), "a line", "all of it"), Style(width=80))
    assert "\r" not in shown
    assert "  │ ━━━━━━ all of it" in shown


@pytest.mark.parametrize(
    ("counts", "line"),
    [
        ((0, 0, 0, 1), "No problems found in 1 file."),
        ((0, 0, 0, 2), "No problems found in 2 files."),
        ((2, 0, 0, 1), "Found 2 errors in 1 file."),
        ((1, 1, 0, 2), "Found 1 error and 1 warning in 2 files."),
        ((1, 2, 3, 2), "Found 1 error, 2 warnings and 3 hints in 2 files."),
    ],
)
def test_summary(counts: tuple[int, int, int, int], line: str) -> None:
    assert summary(*counts) == line


def test_a_file_that_is_one_enormous_line_is_shown_with_little_work() -> None:
    source = SourceFile("x = 1; " * 1_000_000 + "bad" + "; x = 日" * 1_000_000, "min.rlx")
    pos = source.text.index("bad")
    one = (
        rule("x")
        .at((pos, pos + 3), "a name", "here")
        .label((0, 1), "far away")
        .label((pos + 5_000_000, pos + 5_000_001), "far behind")
    )
    rows = text.render(source, one, Style(width=80)).split("\n")
    assert executed_lines(lambda: text.render(source, one, Style(width=80))) < 200_000
    assert rows[3].startswith("1 │ …")
    assert rows[3][rows[4].index("━") : rows[4].rindex("━") + 1] == "bad"


def test_long_messages_are_cut() -> None:
    shown = text.render(SourceFile("x", "a.rlx"), rule("x").at((0, 1), "y" * 1_000_000), Style(width=80))
    assert len(shown) < 10_000


def test_changes_are_seen_in_lines_of_any_length() -> None:
    line = "x = 日; " * 200_000
    source = SourceFile(f"{line}bad;{line}\n", "min.rlx")
    pos = len(line)
    one = rule("x").at((pos, pos + 3), "a name").replace((pos, pos + 3), "good", "write `good`")
    rows = text.render(source, one, Style(width=60)).split("\n")
    old, new = [row for row in rows if row.startswith(("1 -", "1 +"))]
    assert "bad;" in old
    assert "good;" in new
    assert old.index("bad") == new.index("good")


@pytest.mark.parametrize("width", range(40, 110, 7))
def test_whatever_the_width_both_rows_show_the_change(width: int) -> None:
    rows = text.render(FAR, far_to_the_right(), Style(width=width)).split("\n")
    old, new = [row for row in rows if row.startswith(("1 -", "1 +"))]
    assert "flot32" in old
    assert "float32]) {" in new or "float32" in new[60:] or width < 60
    assert max(len(old), len(new)) <= width


def test_lines_that_only_go_are_shown_as_removed() -> None:
    source = SourceFile("a\nb\nc\nd\n", "d.rlx")
    one = rule("x").at((2, 3), "m").fix("remove them", Edit(2, 6, ""))
    assert text.render(source, one, Style(width=80)).split("\n")[8:11] == ["2 - b", "3 - c", "  │"]
