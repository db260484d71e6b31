"""The layout algebra by itself."""

from __future__ import annotations

import pytest

from relax_lang.base.doc import (
    FORCED,
    HARDLINE,
    LINE,
    SOFTLINE,
    Doc,
    concat,
    fill,
    flat,
    group,
    if_break,
    join,
    line_suffix,
    nest,
    render,
    width_of,
)
from relax_lang.format.printer import format_parsed
from relax_lang.format.safe import format_text
from relax_lang.syntax.parser import parse
from tests.work import executed_lines


def call(name: str, *arguments: str | Doc) -> str | Doc:
    inside = concat([SOFTLINE, *join([",", LINE], arguments), if_break(",")])
    return group(concat([f"{name}(", nest(inside), SOFTLINE, ")"]))


def test_strings_alone_stay_a_string() -> None:
    assert concat(["a", "b"]) == "ab"
    assert group("a") == nest("a") == "a"
    assert width_of("abc") == 3


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        (20, "f(first, g(second))"),
        (19, "f(first, g(second))"),
        (18, "f(\n  first,\n  g(second),\n)"),
        (12, "f(\n  first,\n  g(second),\n)"),
        (11, "f(\n  first,\n  g(\n    second,\n  ),\n)"),
        (1, "f(\n  first,\n  g(\n    second,\n  ),\n)"),
    ],
)
def test_a_group_is_broken_where_it_does_not_fit(width: int, expected: str) -> None:
    # `g(second),` counts the comma that follows it on its line.
    assert render(call("f", "first", call("g", "second")), width) == expected


def test_what_follows_a_group_on_its_line_counts() -> None:
    assert render(concat([call("f", "x"), " = 1"]), 8) == "f(x) = 1"
    assert render(concat([call("f", "x"), " = 1"]), 7) == "f(\n  x,\n) = 1"


def test_what_follows_counts_up_to_its_first_break_unless_it_is_tight() -> None:
    first, second = call("f", "x"), call("g", "y")
    assert render(concat([first, second]), 6) == "f(x)g(\n  y,\n)"
    assert render(concat([first, group(second, tight=True)]), 6) == "f(\n  x,\n)g(y)"
    assert render(concat([first, group(second, tight=True)]), 4) == "f(\n  x,\n)g(\n  y,\n)"


def test_a_hard_line_breaks_the_groups_around_it() -> None:
    inner = group(concat(["a", HARDLINE, "b"]))
    assert render(call("f", inner, "c"), 100) == "f(\n  a\n  b,\n  c,\n)"
    assert width_of(inner) >= FORCED


def test_empty_lines_hold_no_blanks() -> None:
    assert render(nest(concat([HARDLINE, "a", HARDLINE, HARDLINE, "b"])), 10) == "\n  a\n\n  b"


def test_a_suffix_moves_to_the_end_of_its_line_and_breaks() -> None:
    doc = call("f", concat(["a", line_suffix("  # c")]), "b")
    assert render(doc, 100) == "f(\n  a,  # c\n  b,\n)"
    assert render(concat(["a", line_suffix(" # c")]), 100) == "a # c"


def test_flat_never_breaks() -> None:
    assert flat(concat([call("f", concat(["a", line_suffix(" # c")])), HARDLINE, "b"])) == "f(a) b"
    assert flat("a") == "a"


def test_depth_is_no_problem() -> None:
    doc: str | Doc = "x"
    for _ in range(50_000):
        doc = group(concat(["(", nest(concat([SOFTLINE, doc]), 0), SOFTLINE, ")"]))
    assert render(doc, 80).count("\n") > 99_000
    assert len(flat(doc)) == 100_001


def test_the_work_is_linear() -> None:
    def lines(size: int) -> int:
        doc = concat(
            join([HARDLINE], [call("f", "a" * 30, "b" * 30, call("g", "c" * 30)) for _ in range(size)])
        )
        return executed_lines(lambda: render(doc, 80))

    assert lines(2_000) < 8 * 1.2 * lines(250)


def test_words_fill_the_lines() -> None:
    doc = group(concat(["[", nest(concat([SOFTLINE, fill(["10", "2", "300", "4"])])), SOFTLINE, "]"]))
    assert flat(doc) == "[10, 2, 300, 4]"
    assert render(doc, 15) == "[10, 2, 300, 4]"
    assert render(doc, 14) == "[\n  10, 2, 300,\n  4,\n]"
    assert render(doc, 13) == "[\n  10, 2, 300,\n  4,\n]"
    assert render(doc, 12) == "[\n  10, 2,\n  300, 4,\n]"
    assert render(doc, 1) == "[\n  10,\n  2,\n  300,\n  4,\n]"
    assert render(concat([group(concat(["f(", nest(concat([SOFTLINE, "x"])), ")"])), doc]), 16).startswith(
        "f(x)[\n"
    )


def test_a_list_of_numbers_costs_no_documents() -> None:
    def work(size: int) -> int:
        parsed = parse(f"def @f() {{ const([{', '.join(['1.5'] * size)}]) }}")
        return executed_lines(lambda: format_parsed(parsed))

    assert work(1_100) - work(100) < 1_000 * 17


@pytest.mark.parametrize("number", ["1.5", "17", "-3"])
def test_long_lists_of_numbers_are_formatted_and_compared_as_a_whole(number: str) -> None:
    dtype = "float32" if "." in number else "int32"

    def work(size: int) -> int:
        text = f"def @f() {{ const([{','.join([number] * size)}], {dtype}) }}"
        return executed_lines(lambda: format_text(text))

    assert work(24_000) - work(20_000) < 4_000 * 30  # 16 are of asserts that nodes are not changed
