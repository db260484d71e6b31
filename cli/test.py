"""`relax test`: compares programs with the expectations in their comments."""

from __future__ import annotations

import sys

from relax_lang.base.diagnostic import ERROR
from relax_lang.base.python.output import put
from relax_lang.base.source import ModelFile, PythonFile, RelayFile, SourceFile
from relax_lang.files.programs import SUFFIX, discover, read
from relax_lang.files.settings.search import Configs

from .options import Shown
from .render.report import CLEAN, INTERNAL, PROBLEMS, USAGE
from .run.packed import run_files_of
from .show import complain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.files.settings.data import Config


class TestOptions(Shown):
    """The options of `relax test`."""

    split = False
    force_exclude = False
    stdin_filename = ""


class Outcome:
    """How many programs passed and failed, and how many files could not be tested at all."""

    __slots__ = ("n_failed", "n_passed", "n_unread", "status")

    def __init__(self) -> None:
        self.n_failed = 0
        self.n_passed = 0
        self.n_unread = 0
        self.status = CLEAN

    def refuse(self) -> None:
        """Count a file that could not be tested."""
        self.n_unread += 1
        self.status = max(self.status, USAGE)

    def __str__(self) -> str:
        """Return the closing line: `12 passed, 1 failed`."""
        unread = f", {self.n_unread} not tested" if self.n_unread else ""
        return f"{self.n_passed} passed, {self.n_failed} failed{unread}"


def test(paths: Sequence[str], options: TestOptions) -> int:
    """Test the programs in files and folders and return the exit status."""
    outcome = Outcome()
    configs = Configs(trust=options.trust)
    loaded: set[Config] = set()
    files, problems = discover(paths, configs.excludes, force=options.force_exclude, suffixes=(SUFFIX,))
    for _, problem in problems:  # of folders, so no file was left out
        complain([problem], options)
        outcome.status = USAGE
    for path in files:
        source, problem = read(path, options.stdin_filename)
        if problem is not None:
            complain([problem], options, source)
            outcome.refuse()
        elif isinstance(source, ModelFile | PythonFile | RelayFile):
            complain([_not_relax(source)], options)
            outcome.refuse()
        else:
            if not _load_code(configs.of(path, options.stdin_filename), source, options, loaded):
                outcome.status = max(outcome.status, USAGE)
            _test_file(source, options, outcome)
    for config in configs.found:
        if config.diagnostics:
            complain(config.diagnostics, options, config.source)
            if any(one.severity == ERROR for one in config.diagnostics):
                outcome.status = max(outcome.status, USAGE)
    if not options.quiet:
        put(f"{outcome}\n", sys.stdout)
    return outcome.status


def _load_code(config: Config, source: SourceFile, options: TestOptions, loaded: set[Config]) -> bool:
    """Run what the settings name, plugins and packed functions, if the program uses it; return whether it ran."""
    if not (config.plugins or config.packed):
        return True
    from relax_lang import api
    from relax_lang.files.settings.plugins import load_plugins

    features = api.parse(source).features
    calls_packed = features.packed or features.tir_externs
    if config.plugins and config not in loaded:
        found = api.check(source)
        if calls_packed or any(
            one.slug == "unknown-operator" for one in (*found.diagnostics, *found.ignored)
        ):
            loaded.add(config)
            load_plugins(config)
    return not (config.packed and calls_packed) or run_files_of(config, options)


def _not_relax(source: SourceFile) -> Diagnostic:
    """Return the diagnostic for a program that is not Relax text, whose comments are not expectations."""
    from relax_lang.check.diagnostics.toolchain import usage

    from .render.width import visible

    name = visible(source.path)
    message = f"`relax test` compares programs with comments in Relax text, and `{name}` is not Relax text"
    return usage(message, f"`relax check {name}` checks it")


def _test_file(source: SourceFile, options: TestOptions, outcome: Outcome) -> None:
    texts = [source.text]
    if options.split:
        from relax_lang.check.expectations.findings import split_modules

        texts = split_modules(source.text)
    for text in texts:
        differences = _differences(SourceFile(text, source.path, options.allow_path), options)
        if differences:
            outcome.n_failed += 1
            is_bug = any(one.slug == "internal-error" for one in differences)
            outcome.status = max(outcome.status, INTERNAL if is_bug else PROBLEMS)
            complain(differences, options, source)
        else:
            outcome.n_passed += 1
        if options.verbose:
            from .render.width import visible

            name = visible(source.path)
            if len(texts) > 1:
                name += f":{source.position(len(text) - len(text.lstrip()))[0]}"
            put(f"{name}: {'failed' if differences else 'passed'}\n", sys.stdout)


def _differences(source: SourceFile, options: TestOptions) -> list[Diagnostic]:
    from relax_lang import api

    try:
        return api.test(source)
    except Exception as error:  # one program's bad luck must not hide the others
        from .crash import found_bug

        return [found_bug(error, verbose=options.verbose)]
