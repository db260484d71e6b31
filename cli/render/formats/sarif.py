"""`--output-format sarif`: SARIF 2.1.0, which code hosting sites and editors read analysis results in."""

from __future__ import annotations

import json
import os
from urllib.parse import quote

from relax_lang._version import VERSION
from relax_lang.base.diagnostic import OFF, in_order
from relax_lang.check.explain import prose_of, summary_of, text_of

from ..report import INTERNAL, USAGE
from .fingerprints import fingerprint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic, Fix, Label, Rule
    from relax_lang.base.source import SourceFile

    from ..report import Report

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
LEVELS = {"error": "error", "warning": "warning", "hint": "note"}
SILENCED = {"kind": "inSource", "status": "accepted"}
Json = dict[str, object]


def render(report: Report) -> str:
    """Return a report as a SARIF log with one run."""
    rules: dict[str, Rule] = {}
    for file in report.files:
        for one in (*file.diagnostics, *file.ignored):
            rules[one.code] = one.rule
    index = {code: i for i, code in enumerate(sorted(rules))}
    results: list[Json] = []
    for file in report.files:
        seen: dict[str, int] = {}
        silenced = {id(one) for one in file.ignored}
        for one in in_order([*file.diagnostics, *file.ignored]):
            result = _result(file.source, one, index[one.code], seen)
            # All results have the property, or none: it shows that comments were read.
            result["suppressions"] = [SILENCED] if id(one) in silenced else []
            results.append(result)
    driver = {
        "name": "relax-lang",
        "version": VERSION,
        "semanticVersion": VERSION,
        "rules": [_rule(rules[code]) for code in sorted(rules)],
    }
    run: Json = {
        "tool": {"driver": driver},
        "invocations": [{"executionSuccessful": report.status not in (USAGE, INTERNAL)}],
        # Offsets in SARIF count UTF-16 units unless this is said.
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"%SRCROOT%": {"uri": _folder_uri(os.getcwd())}},
        "results": results,
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _folder_uri(folder: str) -> str:
    return "file://" + _quoted(folder.replace(os.sep, "/").rstrip("/") + "/")


def _quoted(path: str) -> str:
    """Return a path as a URI has it; the bytes of a name that is not UTF-8 do not change."""
    return quote(path.encode("utf-8", "surrogateescape"))


def _rule(rule: Rule) -> Json:
    shown: Json = {
        "id": rule.code,
        "name": rule.slug,
        "shortDescription": {"text": summary_of(rule)},
        "fullDescription": {"text": prose_of(rule)},
        "help": {"text": text_of(rule), "markdown": text_of(rule)},
        # A rule that is off is a hint once it is selected.
        "defaultConfiguration": {"enabled": rule.severity != OFF, "level": LEVELS.get(rule.severity, "note")},
    }
    if rule.cites:
        shown["properties"] = {"tags": [f"relax/{rule_id}" for rule_id in rule.cites.split()]}
    return shown


def _result(source: SourceFile, one: Diagnostic, rule_index: int, seen: dict[str, int]) -> Json:
    result: Json = {
        "ruleId": one.code,
        "ruleIndex": rule_index,
        "level": LEVELS[one.severity],
        "message": {"text": _message(one)},
        "locations": [{"physicalLocation": _location(source, one.pos, one.end)}],
        "partialFingerprints": {"primaryLocationLineHash": fingerprint(source, one, seen)},
    }
    related = [label for label in one.labels if label.pos >= 0]
    if related:
        result["relatedLocations"] = [_related(source, label, i) for i, label in enumerate(related)]
    if one.fixes:
        result["fixes"] = [_fix(source, fix) for fix in one.fixes]
    return result


def _message(one: Diagnostic) -> str:
    lines = [one.message]
    if one.primary:
        lines[0] += f": {one.primary}"
    lines += [f"note: {note}" for note in one.notes]
    if one.help:
        lines.append(f"help: {one.help}")
    return "\n".join(lines)


def _artifact(source: SourceFile) -> Json:
    path = source.path.replace(os.sep, "/")
    if os.path.isabs(source.path):
        return {"uri": "file://" + _quoted(path)}
    return {"uri": _quoted(path), "uriBaseId": "%SRCROOT%"}


def _location(source: SourceFile, pos: int, end: int) -> Json:
    location: Json = {"artifactLocation": _artifact(source)}
    if pos >= 0:
        location["region"] = _region(source, pos, end)
    return location


def _region(source: SourceFile, pos: int, end: int) -> Json:
    start_line, start_column = source.position(pos)
    end_line, end_column = source.position(max(pos, end))
    return {
        "startLine": start_line,
        "startColumn": start_column,
        "endLine": end_line,
        "endColumn": end_column,
    }


def _related(source: SourceFile, label: Label, number: int) -> Json:
    return {
        "id": number,
        "physicalLocation": _location(source, label.pos, label.end),
        "message": {"text": label.message},
    }


def _fix(source: SourceFile, fix: Fix) -> Json:
    replacements = [
        {"deletedRegion": _region(source, edit.pos, edit.end), "insertedContent": {"text": edit.text}}
        for edit in fix.edits
    ]
    change = {"artifactLocation": _artifact(source), "replacements": replacements}
    return {
        "description": {"text": fix.title},
        "artifactChanges": [change],
        "properties": {"applicability": fix.applicability},
    }
