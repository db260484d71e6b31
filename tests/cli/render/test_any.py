"""Whatever the text and the spans: rendering ends, fits, and says everything."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st
from relax_lang.cli.render import text
from relax_lang.cli.render.formats import concise, github, gitlab, junit, machine_json, sarif
from relax_lang.cli.render.report import Report
from relax_lang.cli.render.style import Style
from relax_lang.cli.render.width import columns, visible, width, window, wrap

from relax_lang.base.diagnostic import Diagnostic, Edit, Rule
from relax_lang.base.source import SourceFile

TEXTS = st.text(st.sampled_from("ab (){};\n\n\r\t日é\u0301\u202e\x1b\x00"), max_size=120)
WORDS = st.lists(st.text(st.sampled_from("abc日\n"), min_size=1, max_size=8), max_size=8).map(" ".join)


@st.composite
def findings(draw: st.DrawFn) -> tuple[SourceFile, Diagnostic]:
    source = SourceFile(draw(TEXTS), "a.rlx")
    offsets = st.integers(0, len(source.text))
    spans = st.tuples(offsets, offsets).map(lambda pair: (min(pair), max(pair)))
    one = Rule("RLX0101", "syntax", "error", "", "Text.").at(draw(spans), draw(WORDS), draw(WORDS))
    for _ in range(draw(st.integers(0, 4))):
        one.label(draw(spans), draw(WORDS))
    for _ in range(draw(st.integers(0, 2))):
        one.note(draw(WORDS))
    one.helped(draw(WORDS))
    if draw(st.booleans()):
        places = sorted(draw(st.lists(offsets, min_size=1, max_size=4)))
        one.fix(draw(WORDS), *[Edit(place, place, draw(TEXTS)) for place in places])
    return source, one


@settings(max_examples=400, deadline=None)
@given(findings(), st.integers(20, 100), st.booleans())
def test_text_is_safe_and_fits(found: tuple[SourceFile, Diagnostic], room: int, unicode: bool) -> None:
    source, one = found
    shown = text.render(source, one, Style(width=room, unicode=unicode))
    assert shown.endswith("\n\n")
    rows = shown.split("\n")
    for row in rows:
        assert row.isprintable()
    source_rows = [row for row in rows if row.lstrip()[:1].isdigit()]
    for row in source_rows:
        assert width(row) <= room
    for message in (one.message, one.primary, *[label.message for label in one.labels]):
        for word in visible(message).split():
            assert word in shown


@settings(max_examples=200, deadline=None)
@given(findings())
def test_machine_forms_are_well_formed(found: tuple[SourceFile, Diagnostic]) -> None:
    import xml.etree.ElementTree as ET

    source, one = found
    report = Report()
    report.add(source, [one], 1)
    (told,) = json.loads(machine_json.render(report))["diagnostics"]
    assert told["span"]["start"]["offset"] == one.pos
    assert told["span"]["end"]["offset"] == one.end
    (result,) = json.loads(sarif.render(report))["runs"][0]["results"]
    region = result["locations"][0]["physicalLocation"]["region"]
    assert (region["startLine"], region["startColumn"]) == source.position(one.pos)
    assert len(json.loads(gitlab.render(report))) == 1
    assert github.render(source, one, Style()).count("\n") == 1
    assert concise.render(source, one, Style()).count("\n") == 1
    ET.fromstring(junit.render(report))


@given(TEXTS.map(lambda text: text.replace("\n", "")))
def test_columns_are_those_of_the_visible_text(line: str) -> None:
    places = columns(line)
    assert len(places) == len(line) + 1
    assert places[-1] == width(visible(line))
    assert places == sorted(places)


@given(TEXTS.map(visible), st.integers(0, 50), st.integers(8, 50))
def test_windows_have_their_width(line: str, start: int, room: int) -> None:
    assert width(window(line, start, room, "…")) <= room
    assert width(window(line, start, room, "...")) <= room


@given(st.text(st.sampled_from("ab日 "), max_size=80), st.integers(1, 30))
def test_wrapping_keeps_every_word_in_order(line: str, room: int) -> None:
    rows = wrap(line, room, room)
    assert " ".join(rows).split() == line.split()
    for row in rows:
        assert width(row) <= room or " " not in row.strip()
