"""docs/python.md: the examples run, and every public name and function of the API is on the page."""

from __future__ import annotations

import doctest
import inspect
import subprocess
import sys

import relax_lang
from relax_lang import api
from tests.docs.tools import ROOT

PATH = ROOT / "docs" / "python.md"
PAGE = PATH.read_text(encoding="utf-8")


def test_the_examples_run() -> None:
    assert doctest.testfile(str(PATH), module_relative=False, optionflags=doctest.ELLIPSIS).failed == 0


def test_every_public_name_is_on_the_page() -> None:
    for name in relax_lang.__all__:
        if not name.startswith("_"):
            assert f"`{name}" in PAGE, name
        assert name in dir(relax_lang)


def test_dir_lists_nothing_that_is_not_on_the_page() -> None:
    for name in dir(relax_lang):
        assert name.startswith("_") or f"`{name}" in PAGE or f"`relax_lang.{name}`" in PAGE, name


def test_the_api_needs_no_import_of_its_own() -> None:
    code = "import relax_lang; print(relax_lang.api.check.__module__)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# For the other packages of the project, which have a program checked already.
INTERNAL = {"check_sound", "compile", "run_session"}


def test_every_function_of_the_api_is_on_the_page() -> None:
    functions = inspect.getmembers(api, inspect.isfunction)
    names = [name for name, function in functions if function.__module__ == api.__name__ and name[0] != "_"]
    for name in names:
        assert name in INTERNAL or f"`{name}(" in PAGE, name
    assert "`compile(" in PAGE
