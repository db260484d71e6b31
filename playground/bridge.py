"""What the page asks of Python: commands of `relax` on one text, with what they print.

Runs in Pyodide, without NumPy, Typer or Rich: `run` needs the first, the others nothing.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
from pathlib import Path
from typing import TYPE_CHECKING

from relax_lang.cli.options import Shown
from relax_lang.cli.render.formats import machine_json
from relax_lang.cli.render.report import FileReport, Report

from relax_lang.base.source import SourceFile
from relax_lang.workspace.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Callable

NAME = "program.rlx"

_workspace = Workspace()
_versions = iter(range(1, 1 << 62))


def check(text: str) -> str:
    """Return all findings, as `relax check --output-format json` prints them. Only what changed is analysed again."""
    from relax_lang.workspace.text.document import Change

    if _workspace.document(NAME) is None:
        _workspace.open(NAME, text)
    else:
        _workspace.change(NAME, [Change(text)], next(_versions))
    report = Report()
    report.files.append(FileReport(SourceFile(text, NAME), _workspace.analyse(NAME).diagnostics))
    report.n_files = 1
    return machine_json.render(report)


def fmt(text: str) -> str:
    """Return a program in house style. Raises RelaxError."""
    from relax_lang import api

    return api.format_text(text)


def normalize(text: str) -> str:
    """Return the normal form of a program, or what is wrong with it."""
    from relax_lang.cli.inspect.programs import normalize as command

    return _output(text, lambda: command(NAME, "", _shown()))


def infer(text: str) -> str:
    """Return what is inferred of each binding, or what is wrong with the program."""
    from relax_lang.cli.inspect.infer import infer as command

    return _output(text, lambda: command(NAME, "", _shown()))


def export(text: str) -> str:
    """Return a program as TVMScript, or what is wrong with it."""
    from relax_lang.cli.interchange.tvmscript import ExportOptions
    from relax_lang.cli.interchange.tvmscript import export as command

    return _output(text, lambda: command(NAME, ExportOptions({})))


def graph(text: str) -> str:
    """Return a picture of a program as SVG, or what is wrong with it."""
    from relax_lang.cli.inspect.graph import GraphOptions
    from relax_lang.cli.inspect.graph import graph as command

    return _output(text, lambda: command(NAME, GraphOptions({})))


def explain(word: str) -> str:
    """Return what a diagnostic means, as Markdown."""
    from relax_lang.check.explain import find_rule, markdown_of

    rule = find_rule(word)
    return f"`{word}` is not a diagnostic." if rule is None else markdown_of(rule)


def run(text: str, seed: int, dims: str) -> str:
    """Run `@main` on random arguments; return what it returns, or the failure. Needs NumPy.

    `dims` has the sizes of shape variables, such as `n=4 m=2`.
    """
    if importlib.util.find_spec("numpy") is None:
        return "Running needs NumPy, which is not beside this page: see playground/README.md."
    from relax_lang.cli.run.options import RunOptions
    from relax_lang.cli.run.run import run as command

    options = RunOptions({"random": seed, "dim": dims.split(), "color": "never"})
    return _output(text, lambda: command(NAME, options))


def _shown() -> Shown:
    return Shown({"color": "never"})


def _output(text: str, command: Callable[[], int]) -> str:
    """Call a command on a text; return what it printed."""
    Path(NAME).write_text(text, encoding="utf-8")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
        command()
    return printed.getvalue()
