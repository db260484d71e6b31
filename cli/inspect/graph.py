"""`relax graph`: draws a program."""

from __future__ import annotations

import os
import sys

from relax_lang import api
from relax_lang.base.nested_text import parse_json
from relax_lang.base.python.output import put
from relax_lang.check.diagnostics import toolchain as diag

from ..options import Shown
from ..outputs import output_is_an_input
from ..render.report import CLEAN, PROBLEMS, USAGE
from ..render.width import visible
from ..show import complain
from .programs import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.graph.model import Graph

FORMATS = {".svg": "svg", ".dot": "dot", ".gv": "dot", ".mmd": "mermaid", ".md": "mermaid"}
"""By the end of the name of the file that is written."""


class GraphOptions(Shown):
    """The options of `relax graph`."""

    output = ""
    format = ""
    profile = ""
    open = False
    stdin_filename = ""


def graph(path: str, options: GraphOptions) -> int:
    """Draw a program and return the exit status."""
    form = options.format or FORMATS.get(os.path.splitext(options.output)[1], "")
    if options.output and not form:
        known = ", ".join(FORMATS)
        return _refuse(
            diag.usage(f"`--output` takes a file that ends in {known}, not `{options.output}`"), options
        )
    inputs = [path, *([options.profile] if options.profile else [])]
    refused = output_is_an_input("--output", options.output, inputs) if options.output else None
    if refused is not None:
        return _refuse(refused, options)
    source = load(path, options.stdin_filename, options)
    if source is None:
        return USAGE
    shares: Mapping[str, float] = {}
    try:
        drawn = api.graph(source)
        drawn.title = _title(source.path)
        if options.profile:
            shares = _shares(drawn, options.profile)
    except api.RelaxError as error:
        complain(error.diagnostics, options, source)
        return PROBLEMS
    except ValueError as error:
        return _refuse(diag.usage(f"cannot read `{options.profile}` as a profile: {error}"), options)
    text = _text(drawn, form or "svg", shares)
    if options.open and not options.output:
        options.output = _temporary(path)
    if not options.output:
        put(text, sys.stdout)
        return CLEAN
    return _write(text, options)


def _refuse(problem: Diagnostic, options: Shown) -> int:
    complain([problem], options)
    return USAGE


def _text(drawn: Graph, form: str, shares: Mapping[str, float]) -> str:
    if form == "dot":
        from relax_lang.graph.dot import dot

        return dot(drawn, shares)
    if form == "mermaid":
        from relax_lang.graph.mermaid import mermaid

        return mermaid(drawn)
    from relax_lang.graph.svg import svg

    return svg(drawn, shares)


def _shares(drawn: Graph, path: str) -> dict[str, float]:
    """Read the times of bindings from what `relax run --profile-out` wrote. Raises ValueError."""
    from relax_lang.graph.model import heat

    try:
        if not os.path.isfile(path) and os.path.exists(path):  # a device may have no end
            raise ValueError("it is not a file")
        with open(path, encoding="utf-8") as file:
            events = parse_json(file.read())["traceEvents"]
        times: dict[str, float] = {}
        for event in events:
            key = str(event["args"]["binding"])
            times[key] = times.get(key, 0.0) + float(event["dur"])
    except OSError as error:
        from relax_lang.files.programs import reason

        raise ValueError(reason(error)) from error
    except (KeyError, TypeError) as error:
        raise ValueError("it is not what `relax run --profile-out` writes") from error
    return heat(drawn, times)


def _title(path: str) -> str:
    """Return a path as a picture shows it, which others see: relative to the current folder, or the name alone."""
    short = os.path.relpath(path)
    return os.path.basename(path) if short.startswith(os.pardir) else short


def _temporary(path: str) -> str:
    import tempfile

    name = os.path.splitext(os.path.basename(path))[0] or "program"
    return os.path.join(tempfile.mkdtemp(prefix="relax-"), f"{name}.svg")


def _write(text: str, options: GraphOptions) -> int:
    from relax_lang.files.programs import write

    problem = write(options.output, text, create=True)
    if problem is not None:
        return _refuse(problem, options)
    if options.open:
        import webbrowser
        from pathlib import Path

        webbrowser.open(Path(options.output).resolve().as_uri())
    if not options.quiet:
        put(f"drew {visible(options.output)}\n", sys.stderr)
    return CLEAN
