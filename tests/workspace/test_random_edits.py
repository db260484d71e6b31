"""An analysis that takes over what it can finds what a check of the whole text finds, whatever was edited."""

import random
from pathlib import Path

import pytest

from tests.workspace.random_edits import analyse, analysed, edited, fresh, names_and_tokens

SAMPLES = Path(__file__).parents[2] / "samples"
TEXTS = [
    text
    for path in sorted([*SAMPLES.glob("*.rlx"), *SAMPLES.glob("bad/*.rlx"), *SAMPLES.glob("models/*.rlx")])
    if len(text := path.read_text("utf-8")) < 6_000
]
EDITS = 40


@pytest.mark.parametrize("seed", range(50))
def test_after_random_edits_the_findings_and_infos_are_those_of_a_fresh_check(seed: int) -> None:
    rng = random.Random(seed)
    text = before = rng.choice(TEXTS) + "\n" + rng.choice(TEXTS)
    lints = () if seed % 2 else ("lints",)
    analysis = None
    for step in range(EDITS):
        analysis = analyse(text, analysis)
        if step % 10 == 9:
            assert analysed(analysis, lints) == fresh(text, lints), text
            assert names_and_tokens(analysis) == names_and_tokens(analyse(text, None)), text
        new = edited(text, rng, TEXTS) if rng.random() > 0.25 else before
        before, text = text, new[:20_000]
