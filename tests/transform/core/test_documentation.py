"""The page of the passes: every example is what the pass makes, and the Python on it runs."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from relax_lang import api, transform
from relax_lang.transform.catalogue import PIPELINES, parse_passes, passes
from relax_lang.transform.documentation import markdown

PAGE = Path("docs/passes.md")
EXAMPLE = re.compile(r"```relax before\n(.*?)```\n+```relax after(?: (.*?))?\n(.*?)```", re.DOTALL)


@pytest.mark.parametrize("name", list(passes()))
def test_every_pass_has_a_before_and_an_after(name: str) -> None:
    kind = passes()[name]
    examples = EXAMPLE.findall(kind.doc)
    assert examples or ">>> " in kind.doc  # the Python on the page is run as a whole
    for before, options, after in examples:
        sequence = parse_passes(f"{name}({options})" if options else name)
        context = transform.PassContext(instruments=[transform.Verify()])
        assert str(sequence(api.typed(before), context)) == after


def test_the_page_is_the_docstrings() -> None:
    assert PAGE.read_text(encoding="utf-8") == markdown()


def test_the_python_on_the_page_runs() -> None:
    found = doctest.testfile(str(PAGE.resolve()), module_relative=False)
    assert found.attempted > 5
    assert found.failed == 0


def test_pipelines_name_passes() -> None:
    for names in PIPELINES.values():
        assert set(names) <= set(passes())
