"""The examples of docs/relay.md."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from relax_lang import relay
from relax_lang.api.forms import relay_form
from relax_lang.base.source import RelayFile
from relax_lang.relay.scope.imports import library
from tests.relay.support import slugs
from tests.relay.test_values import plain, run

PAGE = (Path(__file__).parents[2] / "docs/relay.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^```relay(?: (error|gives)=(\S+))?\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("kind,expected,text", EXAMPLES, ids=[str(i) for i in range(len(EXAMPLES))])  # noqa: PT006
def test_example_is_right_or_wrong_as_said(kind, expected, text):
    assert slugs(text) == ([expected] if kind == "error" else [])
    if kind == "gives":
        assert plain(run(text, engine="relay")) == eval(expected)
        assert plain(run(text, engine="compiled")) == eval(expected)


def test_the_examples_in_python_run():
    path = Path(__file__).parents[2] / "docs/relay.md"
    assert doctest.testfile(str(path), module_relative=False, optionflags=doctest.ELLIPSIS).failed == 0


def test_every_public_name_is_on_the_page():
    section = PAGE[PAGE.index("## From Python") : PAGE.index("## What the text format has")]
    for name in relay.__all__:
        assert f"`{name}(" in section or name == "CheckedRelay", name
        assert name in dir(relay)
        assert getattr(relay, name).__doc__


def test_the_standard_library_is_on_the_page():
    section = PAGE[PAGE.index("## The standard library") : PAGE.index("## Inference")]
    offered = library("std/prelude.relay")
    assert offered is not None
    for name in (*[f"@{one}" for one in offered.functions], *offered.ctors):
        assert f"`{name}`" in section, name
    assert set(re.findall(r"`(@\w+)`", section)) == {f"@{one}" for one in offered.functions}


def test_there_are_examples_of_all_kinds():
    assert {kind for kind, _, _ in EXAMPLES} == {"", "error", "gives"}


def test_the_other_forms_of_the_example_are_what_fmt_writes():
    section = PAGE[PAGE.index("## Other forms") : PAGE.index("## Translation")]
    source, anf, graph = re.findall(r"^```relay\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
    assert relay_form(RelayFile(source), "anf") == anf
    assert relay_form(RelayFile(source), "graph") == graph
