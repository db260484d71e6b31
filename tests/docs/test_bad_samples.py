"""samples/bad holds one program for each diagnostic, which gives that diagnostic and no other."""

from __future__ import annotations

import re

import pytest

from relax_lang.check.explain import all_rules
from relax_lang.syntax.parser import parse
from tests.docs.tools import ROOT, SAMPLES, formatted, relax, slugs, transcripts

BAD = sorted((SAMPLES / "bad").glob("*.rlx"))

ABOUT_THE_COMMAND = {
    "map-array",
    "map-other-run",
    "map-busy",
    "map-workers-lost",
    "map-result",
    "map-cluster",
    "file-not-found",
    "not-utf8",
    "nul-in-text",
    "unreadable-file",
    "file-too-large",
    "no-programs",
    "cannot-write",
    "unknown-code",
    "bad-config",
    "missing-package",
    "unknown-output-format",
    "usage",
    "packed-file-failed",
    "plugin-failed",
    "bad-operator",
    "code-not-trusted",
    "settings-of-another-user",
    "bad-example",
    "rule-failed",
    "internal-error",
    "format-not-stable",
    "tvmscript-several-units",
    "tvmscript-no-unit",
    "not-exportable",
    "unknown-pass",
    "pass-option",
    "pass-syntax",
    "pass-refused",
    "pass-broke-program",
    "pass-failed",
    "pass-changed-result",
    "executable-invalid",
    "executable-version",
    "executable-failed",
    "assembly-syntax",
    "onnx-unreadable",
    "onnx-not-installed",
    "onnx-unsupported",
    "onnx-needs-value",
    "onnx-invalid",
    "onnx-no-such-input",
    "onnx-unsupported-input",
}
"""Diagnostics about arguments, files that hold no program, plugins, and the tool itself."""

ABOUT_TREES = {
    "bound-twice",
    "param-shared",
    "ndim-mismatch",
    "fn-info-shape",
    "unprintable-node",
    "dataflow-var-outside",
    "not-normal",
}
"""Diagnostics about trees that were built in Python: no text gives them."""

ABOUT_PYTHON = {
    "te-dtype",
    "te-expression",
    "builder-scope",
    "builder-operand",
    "builder-name",
    "bad-rule",
    "rewrite-does-not-end",
    "bad-pattern",
}
"""Diagnostics about calls of Python that build and change programs, and about files of rules."""

TOO_LONG = {"nesting-too-deep", "too-many-errors"}
"""Diagnostics that take hundreds of brackets or mistakes."""


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.stem)
def test_bad_sample_gives_its_diagnostic_and_no_other(path, capsys, monkeypatch):
    text = path.read_text(encoding="utf-8")
    commands = transcripts(text)
    if not commands:
        assert slugs(text, path, also=path.stem) == [path.stem]
        return
    # A failure while running: nothing can be found before, but that it may come.
    assert [slug for slug in slugs(text, path) if slug != "possibly-incompatible"] == []
    monkeypatch.chdir(ROOT)
    [(command, _)] = commands
    status, _, err = relax(command, capsys)
    # A hint is not a failure.
    assert status in ((0,) if path.stem == "tir-not-vectorized" else (1, 2, 130)), err
    assert re.findall(r"^\w+\[RLX\d+ ([\w-]+)\]", err, re.M) == [path.stem], err


@pytest.mark.parametrize("path", BAD, ids=lambda path: path.stem)
def test_bad_sample_says_first_what_is_wrong(path):
    assert re.match(r"# [A-Z0-9`].*[.?]\n(#.*\n)*\n", path.read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    "path",
    [path for path in BAD if not parse(path.read_text(encoding="utf-8")).diagnostics],
    ids=lambda path: path.stem,
)
def test_bad_sample_is_formatted(path):
    text = path.read_text(encoding="utf-8")
    assert formatted(text) == text


def test_every_diagnostic_has_a_bad_sample():
    known = {rule.slug for rule in all_rules()}
    samples = {path.stem for path in BAD}
    samples |= {
        path.stem for path in (SAMPLES / "bad/tvmscript").glob("*-*.py")
    }  # tests/tvmscript checks them
    samples |= {path.stem for path in (SAMPLES / "bad/relay").glob("*.relay")}  # and tests/relay these
    assert samples <= known
    without = ABOUT_THE_COMMAND | ABOUT_TREES | ABOUT_PYTHON | TOO_LONG
    assert without <= known
    assert known - samples - without == set()
