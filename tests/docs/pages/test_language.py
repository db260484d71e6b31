"""docs/language.md says what the tools do: every example is checked, formatted and, where marked so, run."""

from __future__ import annotations

import re

import pytest

from relax_lang.syntax.parser import parse
from tests.docs.examples import PAGE, Example, examples
from tests.docs.tools import ROOT, SAMPLES, formatted, relax, slugs

EXAMPLES = examples()


def test_every_marked_block_is_an_example():
    page = PAGE.read_text(encoding="utf-8")
    assert len(re.findall(r"^```relax", page, re.M)) == len(EXAMPLES)
    assert len(re.findall(r"^```output", page, re.M)) == len([e for e in EXAMPLES if e.output is not None])


def test_every_example_that_runs_shows_its_output_or_its_error():
    assert [e.line for e in EXAMPLES if e.kind == "run" and (e.output is None) == (e.error is None)] == []


@pytest.mark.parametrize("example", EXAMPLES, ids=repr)
def test_example_is_found_right_or_wrong_as_said(example: Example):
    # Constants in files are those of the samples.
    found = slugs(example.text, SAMPLES / "example.rlx")
    if example.kind == "run":  # what may fail is found beforehand, as a warning
        assert [slug for slug in found if slug != "possibly-incompatible"] == []
    else:
        assert found == ([example.error] if example.error else [])


@pytest.mark.parametrize("example", [e for e in EXAMPLES if not parse(e.text).diagnostics], ids=repr)
def test_example_is_formatted(example: Example):
    assert formatted(example.text) == example.text


@pytest.mark.parametrize("example", [e for e in EXAMPLES if e.kind == "run"], ids=repr)
def test_example_runs(example: Example, tmp_path, capsys):
    program = tmp_path / "example.rlx"
    program.write_text(example.text, encoding="utf-8")
    status, out, err = relax(f"relax run {program}", capsys)
    if example.error:
        assert status == 1, err
        assert example.error in err
    else:
        assert (status, err) == (0, "")
        assert out == example.output


@pytest.mark.parametrize("index", [i for i, e in enumerate(EXAMPLES) if e.kind == "normal"])
def test_normal_form_is_that_of_the_example_before(index: int, tmp_path, capsys):
    program = tmp_path / "example.rlx"
    program.write_text(EXAMPLES[index - 1].text, encoding="utf-8")
    assert relax(f"relax normalize {program}", capsys) == (0, EXAMPLES[index].text, "")


def test_every_chapter_has_a_sample():
    chapters = re.findall(r"^## (\d+)\. ", PAGE.read_text(encoding="utf-8"), re.M)
    numbers = [path.name.split("_")[0] for path in sorted(SAMPLES.glob("[0-9]*.rlx"))]
    assert numbers == [f"{int(chapter):02}" for chapter in chapters]


def test_links_lead_somewhere():
    page = PAGE.read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.*)$", page, re.M)
    anchors = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    for target in re.findall(r"\]\(([^)]+)\)", page):
        if target.startswith("#"):
            assert target[1:] in anchors
        elif not target.startswith("http"):
            assert (ROOT / "docs" / target).exists(), target


def test_the_table_of_commands_names_commands():
    from relax_lang.cli.app import app

    names = {command.name or command.callback.__name__ for command in app.registered_commands}
    page = PAGE.read_text(encoding="utf-8")
    table = page[page.index("| command | what it does |") :].split("\n\n")[0]
    rows = re.findall(r"^\| `relax (\w+)", table, re.M)
    assert len(rows) == len(set(rows)) > 15
    assert set(rows) <= {name.rstrip("_") for name in names}
