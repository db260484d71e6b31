"""Passes on the samples and models: after each of them the text checks, and every function does what it did. [X.O1]"""

from __future__ import annotations

import itertools
import os
from pathlib import Path

import pytest

from relax_lang import api, transform
from relax_lang.api.programs import constant_checker
from relax_lang.files.constants import constant_loader
from relax_lang.scope.alpha_equality import differences
from relax_lang.syntax.parser import parse
from relax_lang.transform.catalogue import PIPELINES, passes
from relax_lang.typed import Typed, check_tree

SAMPLES = sorted([*Path("samples").glob("*.rlx"), *Path("samples/models").glob("*.rlx")])
NIGHTLY = [
    pytest.mark.slow,
    pytest.mark.skipif("RELAX_NIGHTLY" not in os.environ, reason="takes minutes; set RELAX_NIGHTLY=1"),
]
ORDERED = [name for name, kind in passes().items() if not kind.any_option]


class ReadsBack(transform.Instrument):
    """Holds that the text after a pass is the program after the pass, up to names."""

    def after(self, typed: Typed, one: object, result: Typed) -> None:
        """Read the text back."""
        if result is not typed:
            text = str(result)
            checked = check_tree(parse(text).tree, result.source.with_text(text), result.check_constant)
            assert not differences(result.module, checked.normal), (one, text)


def watched(path: Path) -> tuple[Typed, transform.PassContext]:
    source = api.read(str(path))
    compare = transform.Compare(seed=1, dims={}, load=constant_loader(source))
    assert constant_checker(source)
    return api.typed(source), transform.PassContext(instruments=[transform.Verify(), ReadsBack(), compare])


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_X_O1_every_prefix_of_every_pipeline(path: Path) -> None:
    for name in PIPELINES:
        typed, context = watched(path)
        transform.pipeline(name)(typed, context)  # the instruments look after each pass, so at every prefix


@pytest.mark.parametrize(
    "path",
    [pytest.param(path, marks=NIGHTLY if path.parent.name == "models" else []) for path in SAMPLES],
    ids=lambda path: path.stem,
)
def test_X_O1_every_pass_after_every_other(path: Path) -> None:
    typed, context = watched(path)
    first = {name: applied(name, typed, context) for name in ORDERED}
    for one, other in itertools.permutations(ORDERED, 2):
        if first[one] is not typed:
            applied(other, first[one], context)


def applied(name: str, typed: Typed, context: transform.PassContext) -> Typed:
    """Return a program after a pass; the program itself if the pass is not for it."""
    try:
        return passes()[name]()(typed, context)
    except transform.PassRefused:
        return typed
