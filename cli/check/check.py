"""`relax check`: reads programs, checks each, applies the fixes that are asked for, shows what was found."""

from __future__ import annotations

import os
import sys

from relax_lang.base.diagnostic import ERROR, SAFE, UNSAFE, WARNING
from relax_lang.base.python.gc_pause import start_is_over
from relax_lang.base.source import PythonFile, RelayFile
from relax_lang.check.selection import EDITIONS, Selection
from relax_lang.files.programs import STDIN, discover, read
from relax_lang.files.settings.search import Configs

from ..options import OUTPUT_FORMATS
from ..outputs import output_is_an_input, output_is_no_report
from ..render.report import CLEAN, INTERNAL, PROBLEMS, USAGE, Report
from ..show import show_report
from .findings import check_source, verdicts_for

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TextIO

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.source import SourceFile
    from relax_lang.files.settings.data import Config

    from ..options import CheckOptions

COUNTED = ("text", "concise")  # forms that --statistics can replace


def check(paths: Sequence[str], options: CheckOptions) -> int:
    """Check files and folders and return the exit status."""
    refused = _refused(paths, options)
    if refused:
        return _refuse(refused, options)
    if options.watch:
        from .watch import watch

        return watch(paths, lambda: check_once(paths, options))
    return check_once(paths, options)


def check_once(paths: Sequence[str], options: CheckOptions) -> int:
    """Check files and folders one time, and show what was found where that was asked for."""
    if not options.output_file:
        return _check_to(sys.stdout, paths, options)
    from relax_lang.files.diagnostics import cannot_write
    from relax_lang.files.programs import reason

    configs = Configs()
    inputs = [
        *discover(paths, configs.excludes, configs.includes, force=options.force_exclude)[0],
        *[config.source.path for config in configs.found if config.source],
    ]
    refused = output_is_an_input("--output-file", options.output_file, inputs)
    refused = refused or output_is_no_report("--output-file", options.output_file)
    if refused is not None:
        return _refuse([refused], options)
    try:
        file = open(options.output_file, "w", encoding="utf-8", newline="\n")  # noqa: SIM115 - closed below
    except OSError as error:
        return _refuse([cannot_write(options.output_file, reason(error))], options)
    with file:
        return _check_to(file, paths, options)


def _check_to(stream: TextIO, paths: Sequence[str], options: CheckOptions) -> int:
    run = _Run(options, stream)
    configs = Configs(plugins=True, trust=options.trust)
    files, problems = discover(paths, configs.excludes, configs.includes, force=options.force_exclude)
    for path, problem in problems:
        run.report.problem(path, problem, USAGE)
    if options.jobs and options.jobs != "1" and len(files) > 1 and STDIN not in files and not fixes(options):
        start_is_over()
        run.check_in_processes(files, configs)
        files = []
    for path in files:
        source, problem = read(path, options.stdin_filename)
        if problem is not None:
            run.report.add(source, [problem], USAGE)
        else:
            source.allowed = options.allow_path
            if options.meta:
                _give_metadata(source, options.meta)
            if isinstance(source, PythonFile):
                source.named = path in paths
            run.check(path, source, configs.of(path, options.stdin_filename))
        start_is_over()
    for config in reversed(configs.found):
        if config.diagnostics and config.source is not None:
            run.report.settings(config.source, config.diagnostics)
    _show(run.report, stream, options, takes_stdout=STDIN in files)
    if options.exit_zero and run.report.status == PROBLEMS:
        return CLEAN
    return run.report.status


def _give_metadata(source: SourceFile, path: str) -> None:
    """Let a program in Relay have the objects of a file, which can be read."""
    from ..interchange.metadata import give_metadata

    if isinstance(source, RelayFile):
        give_metadata(source, path)


class _Run:
    """One run over all files: what is wanted of the findings, and the report that grows."""

    def __init__(self, options: CheckOptions, stream: TextIO) -> None:
        self.options = options
        self.stream = stream
        self.select = codes(options.select)
        self.ignore = codes(options.ignore)
        self.extend = [*codes(options.extend_select), *EDITIONS.get(options.edition, ())]
        tried = (SAFE, UNSAFE) if options.unsafe_fixes else (SAFE,)
        self.report = Report(tried if fixes(options) else ())
        self.verdicts = verdicts_for(options)

    def check_in_processes(self, files: Sequence[str], configs: Configs) -> None:
        """Check files beside each other; the report is that of one process."""
        from .parallel import check_files, number_of_jobs  # not needed otherwise

        for path in files:
            configs.of(
                path
            )  # finds what is wrong with settings, and loads their plugins before processes start
        words = self.select, self.ignore, self.extend
        jobs = number_of_jobs(self.options.jobs) or 1
        for source, problem, found, strict in check_files(files, self.options, words, jobs):
            if problem is not None or found is None:
                self.report.add(source, [problem] if problem else [], USAGE)
                continue
            file = self.report.add(source, found.found, _status(found.found, strict=strict))
            file.ignored = found.ignored
            file.strict = strict

    def check(self, path: str, source: SourceFile, config: Config) -> None:
        """Check one file, and fix it if that is asked for."""
        strict = self.options.strict or config.strict
        shapes = self.options.strict_shapes
        selection = Selection(
            self.select, self.ignore, self.extend, config, strict=strict, strict_shapes=shapes
        )
        if fixes(self.options):
            from .fix import fix_file

            # Under settings that are not understood nothing is written.
            fixed = fix_file(
                path, source, selection, self.options, self.stream, only_check=bool(config.diagnostics)
            )
            status = _status(fixed.left, strict=strict)
            if fixed.problem is not None:
                self.report.problem(path, fixed.problem, USAGE)
            if self.options.diff and fixed.fixed:
                status = max(status, PROBLEMS)
            file = self.report.add(fixed.source, fixed.left, status)
            file.fixed = fixed.fixed
            if _output_format(self.options) == "sarif":  # the only form that shows what is silenced
                file.ignored = check_source(fixed.source, selection, self.options).ignored
        else:
            findings = check_source(source, selection, self.options, self.verdicts)
            file = self.report.add(source, findings.found, _status(findings.found, strict=strict))
            file.ignored = findings.ignored
        file.strict = strict


def _status(found: list[Diagnostic], *, strict: bool) -> int:
    status = CLEAN
    for one in found:
        if one.slug == "internal-error":
            return INTERNAL
        if one.severity == ERROR or (strict and one.severity == WARNING):
            status = PROBLEMS
    return status


def _show(report: Report, stream: TextIO, options: CheckOptions, *, takes_stdout: bool) -> None:
    if options.diff:  # the stream holds the diff, for `patch` to read
        _show_rest(report, options)
        return
    if fixes(options) and takes_stdout and stream is sys.stdout:  # it holds the text from standard input
        stream = sys.stderr
    if options.statistics:
        from relax_lang.base.python.output import put

        from ..render.statistics import render
        from ..show import show_summary

        put(render(report), stream)
        if not options.quiet and report.n_files:
            show_summary(report, stream)
        return
    show_report(report, _output_format(options), options, stream)


def _show_rest(report: Report, options: CheckOptions) -> None:
    """Say on standard error what a diff does not: files that cannot be read, numbers."""
    from ..show import show_file, show_summary

    for file in report.files:
        if any(one.code.startswith(("RLX00", "RLX99")) and one.severity == ERROR for one in file.diagnostics):
            show_file(file, "text", options, sys.stderr)
    if not options.quiet and report.n_files:
        show_summary(report, sys.stderr, would_fix=True)


def fixes(options: CheckOptions) -> bool:
    """Return whether fixes are to be applied, or shown as a diff."""
    return options.fix or options.unsafe_fixes or options.diff


def _output_format(options: CheckOptions) -> str:
    asked = options.output_format or os.environ.get("RELAX_OUTPUT_FORMAT")
    if asked:
        return asked
    # Actions read the standard output.
    in_actions = os.environ.get("GITHUB_ACTIONS") == "true" and not options.output_file
    return "github" if in_actions and not options.statistics else "text"


def _refused(paths: Sequence[str], options: CheckOptions) -> list[Diagnostic]:
    """Return what is wrong with the command line itself."""
    output_format = _output_format(options)
    is_known = output_format in OUTPUT_FORMATS
    words = [*options.select, *options.extend_select, *options.ignore]
    if is_known and not (
        options.meta or options.watch or options.statistics or options.diff or options.jobs or words
    ):
        return []
    from relax_lang.check.diagnostics import toolchain as diag

    refused: list[Diagnostic] = []
    if not is_known:
        refused.append(diag.unknown_output_format(output_format, OUTPUT_FORMATS))
    if options.statistics and output_format not in COUNTED:
        refused.append(diag.usage(f"`--statistics` has no form `{output_format}`, only text"))
    if options.diff and (options.output_format not in ("", "text") or options.statistics):
        refused.append(diag.usage("`--diff` shows a diff and nothing else, whatever the output format"))
    if options.jobs:
        from .parallel import number_of_jobs

        if number_of_jobs(options.jobs) is None:
            refused.append(
                diag.usage(f"`--jobs` takes a number from 1 to 64, or `auto`, not `{options.jobs}`")
            )
    if options.watch:
        refused += _cannot_watch(paths)
    if options.meta:
        from ..interchange.metadata import wrong_metadata

        refused += wrong_metadata(options.meta)
    return refused + _unknown_codes(words)


def _cannot_watch(paths: Sequence[str]) -> list[Diagnostic]:
    from relax_lang.check.diagnostics import toolchain as diag

    if STDIN in paths:
        return [diag.usage("`--watch` cannot watch standard input", "name files or folders")]
    from importlib.util import find_spec

    if find_spec("watchfiles") is None:
        return [diag.missing_package("relax check --watch", "watchfiles", "watch")]
    return []


def _unknown_codes(words: list[str]) -> list[Diagnostic]:
    if not words:
        return []
    from relax_lang.check.diagnostics.toolchain import unknown_code
    from relax_lang.check.selection import known_words, unknown

    return [unknown_code(word, known_words()) for word in unknown(codes(words))]


def _refuse(refused: list[Diagnostic], options: CheckOptions) -> int:
    report = Report()
    for problem in refused:
        report.problem("", problem, USAGE)
    show_report(report, "text", options, sys.stderr)
    return USAGE


def codes(words: Sequence[str]) -> list[str]:
    """Return the words of options that take lists."""
    return [code.strip() for word in words for code in word.split(",") if code.strip()]
