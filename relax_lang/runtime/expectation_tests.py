"""A program compared with the expectations in its comments: what is found in it, and what its `@main` prints.

NumPy is only loaded for programs that expect output.
"""

from __future__ import annotations

from relax_lang.base.diagnostic import in_order
from relax_lang.check.diagnostics.expectations import malformed_expectation
from relax_lang.check.expectations.findings import compare_findings, compare_output, read_expectations
from relax_lang.syntax.tree import Function

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.check.driver import Checked
    from relax_lang.check.expectations.reveals import ExpectedInfo
    from relax_lang.runtime.session import Session

    Start = Callable[[Callable[[str], object]], Session]
    """Makes the program ready to run, given where it prints."""

WIDTH = 80
"""The columns of outputs that are compared: what `relax run` uses where there is no terminal."""


def differences(checked: Checked, start: Start) -> list[Diagnostic]:
    """Return everything that is not as the comments of a program expect, in order."""
    expected = read_expectations(checked.source, checked.parsed.comments)
    found = list(checked.diagnostics)
    differ = list(expected.problems)
    if expected.infos:
        differ += _compare_infos(checked, expected.infos)
    if expected.output is not None:
        why = _why_no_output(checked)
        if why:
            differ.append(malformed_expectation(expected.output.places[0], why))
        else:
            printed, failures = _output(start)
            found += failures
            differ += compare_output(expected.output, printed)
    return in_order([*differ, *compare_findings(checked.source, expected.findings, found)])


def _compare_infos(checked: Checked, expected: list[ExpectedInfo]) -> list[Diagnostic]:
    """Return how infos differ from those that are expected."""
    from relax_lang.check.expectations.inferred_on_line import (
        RevealedLines,  # both only for programs that expect infos
    )
    from relax_lang.check.expectations.reveals import compare_reveals

    return compare_reveals(checked.source, expected, RevealedLines(checked))


def _why_no_output(checked: Checked) -> str:
    if checked.has_errors:
        return "a program with errors does not run and prints nothing"
    for item in checked.tree.items:
        if isinstance(item, Function) and item.name is not None and item.name.name_hint == "main":
            if item.private:
                return "@main is private, and cannot be run"
            return "@main takes arguments, which a comment cannot give" if item.params else ""
    return "there is no function @main to run"


def _output(start: Start) -> tuple[str, list[Diagnostic]]:
    """Return what `relax run` prints of a `@main` without parameters, and how it failed if it did."""
    from relax_lang.runtime.values.display import show_value
    from relax_lang.values import RunFailure

    parts: list[str] = []
    session = start(parts.append)
    try:
        parts += [line + "\n" for line in show_value(session.call("main"), width=WIDTH)]
    except RunFailure as failure:
        return "".join(parts), [session.diagnose(failure)]
    return "".join(parts), []
