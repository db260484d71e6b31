"""`--output-format gitlab`: a Code Quality report, which GitLab shows beside the changed lines of a merge request."""

from __future__ import annotations

import json
import os
from hashlib import sha256

from ..width import visible
from .fingerprints import fingerprint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.source import SourceFile

    from ..report import Report

SEVERITIES = {"error": "major", "warning": "minor", "hint": "info"}


def render(report: Report) -> str:
    """Return a report as a JSON list of issues."""
    issues: list[dict[str, object]] = []
    for file in report.files:
        seen: dict[str, int] = {}
        issues += [_issue(file.source, one, seen) for one in file.diagnostics]
    return json.dumps(issues, indent=2) + "\n"


def _issue(source: SourceFile, one: Diagnostic, seen: dict[str, int]) -> dict[str, object]:
    first, last = 1, 1  # what concerns a file as a whole is shown at its start
    if one.pos >= 0:
        first, last = source.position(one.pos)[0], source.position(max(one.pos, one.end))[0]
    mark = fingerprint(source, one, seen)
    return {
        "description": " ".join(visible(one.message).split()),
        "check_name": f"{one.code} {one.slug}",
        "fingerprint": sha256(f"{source.path} {mark}".encode("utf-8", "surrogatepass")).hexdigest()[:40],
        "severity": SEVERITIES.get(one.severity, "info"),
        "location": {"path": _path(source.path), "lines": {"begin": first, "end": last}},
    }


def _path(path: str) -> str:
    """Return a path as the site has it: relative to the folder of the project, with slashes."""
    root = os.environ.get("CI_PROJECT_DIR")
    if root and os.path.isabs(path) and path.startswith(root.rstrip(os.sep) + os.sep):
        path = os.path.relpath(path, root)
    return visible(path.replace(os.sep, "/").removeprefix("./"))
