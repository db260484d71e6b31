"""From a failure to a diagnostic: where it happened, through which calls, with which dimensions. [RUN.5]"""

from __future__ import annotations

from itertools import groupby, pairwise

from relax_lang.base.diagnostic import RULES
from relax_lang.check.explain import all_rules
from relax_lang.format.lexemes import local_name
from relax_lang.runtime.diagnostics import failures as diag
from relax_lang.syntax import tree
from relax_lang.values import RunFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.source import SourceFile

_SHOWN_CALLS = 8
"""A longer chain of calls is cut in the middle."""


def to_diagnostic(failure: RunFailure, source: SourceFile | None = None) -> Diagnostic:
    """Return the diagnostic of a failure; `source` turns the places of its calls into lines. [RUN.5] [Z.7]"""
    diagnostic = _report(failure)
    if source is not None and isinstance(failure.node, tree.MatchCast) and failure.node.cast_pos >= 0:
        diagnostic.pos, diagnostic.end = failure.node.cast_pos, failure.node.cast_end
    facts = failure.facts
    _label_declarations(diagnostic, facts)
    if isinstance(facts.get("note"), str):
        diagnostic.note(str(facts["note"]))
    shape_vars = facts.get("shape_vars")
    if isinstance(shape_vars, dict) and shape_vars:
        values: dict[str, int] = shape_vars  # pyright: ignore[reportUnknownVariableType]
        diagnostic.note(
            "shape variables: "
            + ", ".join([f"{local_name(name)} = {value}" for name, value in values.items()])
        )
    calls = facts.get("calls")
    if isinstance(calls, list):
        for line in call_lines(calls, failure.node, source):  # pyright: ignore[reportUnknownArgumentType]
            diagnostic.note(line)
    if isinstance(facts.get("help"), str) and not diagnostic.help:
        diagnostic.helped(str(facts["help"]))
    diagnostic.data.update(_plain(facts))
    return diagnostic


def _report(failure: RunFailure) -> Diagnostic:
    """Make the diagnostic itself; operators and PrimFuncs fail with slugs of their own packages."""
    report = diag.REPORTS.get(failure.slug)
    if report is not None:
        return report(failure)
    if failure.slug not in RULES:
        all_rules()  # registers those of packages that have not been asked for diagnostics yet
    return RULES[failure.slug].at(failure.node, failure.message)


def _label_declarations(diagnostic: Diagnostic, facts: dict[str, object]) -> None:
    """Point at the annotation that a checked value disagrees with. [Z.6]"""
    for key in ("parameter", "annotation"):
        node = facts.get(key)
        if (
            isinstance(node, tree.Node)
            and node.pos >= 0
            and (node.pos, node.end) != (diagnostic.pos, diagnostic.end)
        ):
            diagnostic.label(node, "declared here")


def call_lines(
    calls: list[tuple[str, tree.Call | None]], failed: tree.Node | None, source: SourceFile | None
) -> list[str]:
    """Say through which calls the program got there, innermost first: `called from @main at line 7`."""
    steps = [(call, caller) for (_, call), (caller, _) in pairwise(calls) if call is not None]
    if steps and steps[0][0] is failed:  # the place itself is shown already
        steps = steps[1:]
    lines: list[str] = []
    for (call, caller), times in _counted(steps):
        where = f" at line {source.position(call.pos)[0]}" if source is not None and call.pos >= 0 else ""
        lines.append(f"called from {caller}{where}{f' ({times} times)' if times > 1 else ''}")
    if len(lines) <= _SHOWN_CALLS:
        return lines
    kept = _SHOWN_CALLS // 2
    return [*lines[:kept], f"… {len(lines) - 2 * kept} more calls …", *lines[-kept:]]


def _counted(steps: list[tuple[tree.Call, str]]) -> list[tuple[tuple[tree.Call, str], int]]:
    """Return the steps with how often each is repeated; a recursion calls itself from one place."""
    return [(step, len(list(same))) for step, same in groupby(steps)]


def _plain(facts: dict[str, object]) -> dict[str, object]:
    """Return the facts that are plain data, for tools."""
    return {
        key: value
        for key, value in facts.items()
        if key not in ("note", "help", "calls") and isinstance(value, (str, int, float, list, tuple, dict))
    }
