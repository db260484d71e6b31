"""Random edits as people make them, and what an analysis comes to, in a form that can be compared."""

from __future__ import annotations

import random

from relax_lang.base.python.recursion import deep_recursion
from relax_lang.base.source import SourceFile
from relax_lang.check.driver import check_source
from relax_lang.format.printer import show
from relax_lang.workspace.incremental.analysis import Analysis
from relax_lang.workspace.incremental.findings import findings
from relax_lang.workspace.incremental.snapshot import Snapshot
from relax_lang.workspace.queries.token_classes import tokens
from relax_lang.workspace.text.document import Document
from relax_lang.workspace.text.pieces import read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic

SNIPPETS = (
    "let b = nn.\n",
    "let q = add(x, x);\n",
    "}\n",
    "{",
    "(",
    ")",
    ";",
    "#",
    "# relax: ignore[unused-binding]\n",
    "# relax: ignore[lints]\n",
    "## words\n",
    "def ",
    "private ",
    "pure ",
    "impure ",
    "\ndef @f(x: Tensor[(n,), float32]) -> Tensor[(n,), float32] { exp(x) }\n",
    "\ndef @main(",
    "\nprim_func @p(X: Buffer[(n,), float32]) { for i in 0..n { X[i] = 0.0; } }\n",
    "@main",
    "@f",
    "\U0001d11e",
    "e\u0301",
    "\r\n",
    "\t",
    "-> Tensor",
    "dataflow { let v = exp(x); output v; }\n",
    'extern "host"(x, pure=true) -> Tensor',
    "module attrs { a: 1 }\n",
    "<<<<<<< ours\n",
    "'",
    "let f = fn (y: Tensor) -> Tensor { @main(y) };\n",
    ": Tensor[(n, 2), float32]",
)


def edited(text: str, rng: random.Random, others: list[str]) -> str:
    """Return a text after one edit: a range replaced, a token cut, a line or item moved, something pasted."""
    length = len(text)
    kind = rng.randrange(9)
    at = rng.randrange(length + 1)
    if kind == 0:  # remove a few characters
        return text[:at] + text[at + rng.randrange(1, 6) :]
    if kind in (1, 2):  # type
        return text[:at] + rng.choice(SNIPPETS) + text[at:]
    lines = text.splitlines(keepends=True) or [""]
    line = rng.randrange(len(lines))
    if kind == 3:  # remove lines
        del lines[line : line + rng.randrange(1, 4)]
        return "".join(lines)
    if kind == 4:  # copy lines elsewhere
        copied = lines[line : line + rng.randrange(1, 5)]
        target = rng.randrange(len(lines) + 1)
        return "".join(lines[:target] + copied + lines[target:])
    if kind == 5:  # replace a word by another one of the text
        words = text.split()
        if not words:
            return "def @main() { 1 }\n"
        return text.replace(rng.choice(words), rng.choice(words), 1)
    if kind == 6:  # paste from another program
        other = rng.choice(others).splitlines(keepends=True)
        begin = rng.randrange(len(other) or 1)
        return text[:at] + "".join(other[begin : begin + rng.randrange(1, 12)]) + text[at:]
    if kind == 7:  # a digit, a letter
        return text[:at] + rng.choice("019xyn_.,[]") + text[at:]
    stop = min(length, at + rng.randrange(1, 80))
    return text[:at] + text[stop:]


def said(found: list[Diagnostic]) -> list[object]:
    """Return everything that is shown of some diagnostics."""
    return [
        (
            one.code,
            one.severity,
            one.pos,
            one.end,
            one.message,
            one.primary,
            one.help,
            tuple(one.notes),
            tuple([(label.pos, label.end, label.message) for label in one.labels]),
            tuple(
                [
                    (fix.title, fix.applicability, *[(edit.pos, edit.end, edit.text) for edit in fix.edits])
                    for fix in one.fixes
                ]
            ),
            repr(one.data),
        )
        for one in found
    ]


def fresh(text: str, lints: tuple[str, ...]) -> tuple[list[object], list[object], object]:
    """Return findings, silenced findings and infos of a text that is checked as a whole."""
    with deep_recursion():
        checked = check_source(SourceFile(text), None, lints)
    infos = sorted((node.pos, node.end, show(info)) for node, info in checked.inferred.infos.items())
    return said(checked.diagnostics), said(checked.ignored), infos


def analysed(analysis: Analysis, lints: tuple[str, ...]) -> tuple[list[object], list[object], object]:
    """Return findings, silenced findings and infos of an analysis."""
    with deep_recursion():
        made = findings(analysis, "<text>", lints)
    infos = sorted(
        (*analysis.layout.span(node.pos, node.end), show(info))
        for inference in analysis.inferences
        for node, info in inference.inferred.infos.items()
    )
    return said(made.diagnostics), said(made.ignored), infos


def names_and_tokens(analysis: Analysis) -> object:
    """Return what every name means and the class of every token, in offsets of the document."""
    made = Snapshot(Document("<text>", analysis.layout.text), analysis, [], [])
    span = analysis.layout.span
    names: list[object] = []
    with deep_recursion():
        for item in made.items:
            for one in made.occurrences(item).all:
                key = one.key if isinstance(one.key, str) else span(one.key.pos, one.key.end)
                names.append((*span(one.pos, one.end), one.kind, one.name, key, one.is_definition))
        shown = [(one.pos, one.end, one.kind, one.is_definition) for one in tokens(made, (0, len(made.text)))]
    return names, shown


def analyse(text: str, before: Analysis | None) -> Analysis:
    """Analyse a text after another one."""
    with deep_recursion():
        return Analysis(read(text, None if before is None else before.layout), before, None)
