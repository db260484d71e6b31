"""Passes on the samples and models: after each of them the text checks, and every function does what it did. [X.O1]"""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import pytest

from relax_lang import api, transform
from relax_lang.api.programs import constant_checker
from relax_lang.files.arrays.constants import constant_loader
from relax_lang.scope.alpha.equality import differences
from relax_lang.syntax.parser import parse
from relax_lang.transform.catalogue import PIPELINES, passes
from relax_lang.typed import Typed, check_tree

SAMPLES = sorted([*Path("samples").glob("*.rlx"), *Path("samples/models").glob("*.rlx")])
NIGHTLY = [
    pytest.mark.slow,
    pytest.mark.skipif("RELAX_NIGHTLY" not in os.environ, reason="takes minutes; set RELAX_NIGHTLY=1"),
]
ORDERED = [name for name, kind in passes().items() if not kind.any_option]
ENGINES = ("interpreter", "compiled")
PARTS = 10


def chosen(path: Path, part: int) -> bool:
    """Return whether a part of the pairs of passes is tried by day."""
    return path.parent.name != "models" and SAMPLES.index(path) % PARTS == part


class ReadsBack(transform.Instrument):
    """Holds that the text after a pass is the program after the pass, up to names."""

    def after(self, typed: Typed, one: object, result: Typed) -> None:
        """Read the text back."""
        if result is not typed:
            text = str(result)
            checked = check_tree(parse(text).tree, result.source.with_text(text), result.check_constant)
            assert not differences(result.module, checked.normal), (one, text)


def watched(path: Path, *engines: str) -> tuple[Typed, transform.PassContext]:
    source = api.read(str(path))
    assert constant_checker(source)
    load = constant_loader(source)
    compare = [transform.Compare(seed=1, dims={}, load=load, engine=one) for one in engines]
    return api.typed(source), transform.PassContext(instruments=[transform.Verify(), ReadsBack(), *compare])


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_X_O1_every_prefix_of_every_pipeline(path: Path) -> None:
    """Two of the pipelines, each by one of the engines: which, goes round with the samples."""
    for at, name in enumerate(PIPELINES):
        turn = at + SAMPLES.index(path)
        if turn % 2 == 0:
            typed, context = watched(path, ENGINES[turn // 2 % 2])
            transform.pipeline(name)(typed, context)  # instruments look after each pass, so at every prefix


@pytest.mark.slow
@pytest.mark.skipif("RELAX_NIGHTLY" not in os.environ, reason="takes minutes; set RELAX_NIGHTLY=1")
@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
@pytest.mark.parametrize("name", PIPELINES)
def test_X_O1_every_prefix_of_every_pipeline_by_both_engines(path: Path, name: str) -> None:
    typed, context = watched(path, *ENGINES)
    transform.pipeline(name)(typed, context)


@pytest.mark.parametrize(
    ("path", "part"),
    [
        pytest.param(path, part, marks=[] if chosen(path, part) else NIGHTLY)
        for path in SAMPLES
        for part in range(PARTS)
    ],
    ids=lambda one: one.stem if isinstance(one, Path) else str(one),
)
def test_X_O1_every_pass_after_every_other(path: Path, part: int) -> None:
    """One part of all pairs; which of them by day, goes round with the samples."""
    typed, context = watched(path, "interpreter")
    first: dict[str, Typed] = {}
    for at, (one, other) in enumerate(itertools.permutations(ORDERED, 2)):
        if at % PARTS == part:
            if one not in first:
                first[one] = applied(one, typed, context)
            if first[one] is not typed:
                applied(other, first[one], context)


def applied(name: str, typed: Typed, context: transform.PassContext) -> Typed:
    """Return a program after a pass; the program itself if the pass is not for it."""
    try:
        return passes()[name]()(typed, context)
    except transform.PassRefused:
        return typed
