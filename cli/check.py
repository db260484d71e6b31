"""`relax check`: reads programs, checks each, shows what was found."""

from __future__ import annotations

import os
import sys

from relax_lang.base.diagnostic import ERROR, HINT, OFF, WARNING
from relax_lang.files.text import discover, read

from .options import OUTPUT_FORMATS
from .render.report import CLEAN, INTERNAL, PROBLEMS, USAGE, Report
from .show import show_report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.source import SourceFile

    from .options import CheckOptions


def check(paths: Sequence[str], options: CheckOptions) -> int:
    """Check files and folders and return the exit status."""
    report = Report()
    refused = _refused(options)
    if refused:
        return _refuse(refused, options)
    select, ignore = _codes(options.select), _codes(options.ignore)
    files, problems = discover(paths)
    for path, problem in problems:
        report.problem(path, problem, USAGE)
    for path in files:
        source, problem = read(path, options.stdin_filename)
        if problem is not None:
            report.add(source, [problem], USAGE)
            continue
        found = _check_one(source, options)
        found = [one for one in found if _is_wanted(one, select, ignore)]
        report.add(source, found, _status(found, options))
    show_report(report, _output_format(options), options, sys.stdout)
    return report.status


def _check_one(source: SourceFile, options: CheckOptions) -> list[Diagnostic]:
    from relax_lang import api

    try:
        return api.check(source).diagnostics
    except Exception as error:  # one file's bad luck must not hide the others
        from .crash import found_bug

        return [found_bug(error, verbose=options.verbose)]


def _status(found: list[Diagnostic], options: CheckOptions) -> int:
    status = CLEAN
    for one in found:
        if one.slug == "internal-error":
            return INTERNAL
        if one.severity == ERROR or (options.strict and one.severity == WARNING):
            status = PROBLEMS
    return status


def _output_format(options: CheckOptions) -> str:
    return options.output_format or os.environ.get("RELAX_OUTPUT_FORMAT") or "text"


def _refused(options: CheckOptions) -> list[Diagnostic]:
    """Return what is wrong with the command line itself."""
    if not (options.fix or options.watch or options.select or options.ignore):
        output_format = _output_format(options)
        if output_format in OUTPUT_FORMATS:
            return []
    from relax_lang.check import problems

    refused: list[Diagnostic] = []
    if options.fix:
        refused.append(
            problems.not_supported_yet("relax check --fix", "the diagnostics show their fixes as edits")
        )
    if options.watch:
        refused.append(problems.not_supported_yet("relax check --watch"))
    if _output_format(options) not in OUTPUT_FORMATS:
        refused.append(problems.unknown_output_format(_output_format(options), OUTPUT_FORMATS))
    return refused + _unknown_codes([*options.select, *options.ignore])


def _unknown_codes(words: list[str]) -> list[Diagnostic]:
    if not words:
        return []
    from relax_lang.check.explain import all_rules
    from relax_lang.check.problems import unknown_code

    rules = all_rules()
    known = [rule.slug for rule in rules] + [rule.code for rule in rules]
    return [unknown_code(word, known) for word in _codes(words) if not any(_names(word, k) for k in known)]


def _refuse(refused: list[Diagnostic], options: CheckOptions) -> int:
    report = Report()
    for problem in refused:
        report.problem("", problem, USAGE)
    show_report(report, "text", options, sys.stderr)
    return USAGE


def _codes(words: Sequence[str]) -> list[str]:
    return [code.strip() for word in words for code in word.split(",") if code.strip()]


def _names(word: str, code: str) -> bool:
    """Tell whether a word given by the user means a code or slug: itself, or the start of a code."""
    return word == code or (word.startswith("RLX") and len(word) > 3 and code.startswith(word))


def _is_wanted(one: Diagnostic, select: list[str], ignore: list[str]) -> bool:
    if one.slug == "internal-error":
        return True
    selected = _is_among(one, select)
    if one.severity == OFF:
        if not selected:
            return False
        one.severity = HINT
    return (selected or not select) and not _is_among(one, ignore)


def _is_among(one: Diagnostic, words: list[str]) -> bool:
    return any(_names(word, one.slug) or _names(word, one.code) for word in words)
