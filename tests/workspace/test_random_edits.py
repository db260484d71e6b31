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


@pytest.mark.parametrize(
    "call",
    [
        "call_tir(@double, const([1.0], float32).x{) -> Tensor[(1,), float32]",
        "call_tir(@double, const([1}\n, two, (x,)) -> Tensor[(1,), float32]",
        "permute_dims(x, (1, 0))",
        "call_tir(@double, [x]) -> Tensor[(1,), float32]",
        "call_tir(@double, const([1.0], 'float32')) -> Tensor[(1,), float32]",
        "add([1.0], x)",
        "reshape(x, [1, 1])",
    ],
)
def test_Z_5_mistakes_of_two_phases_in_one_argument_are_one_finding(call: str) -> None:
    text = (
        f"def @main(x: Tensor[(1,), float32]) {{\n  let y = {call};\n  y\n}}\n"
        "private prim_func @double(X: Buffer[(n,), float32], Y: Buffer[(n,), float32]) {\n"
        "  for i in 0..n {\n    Y[i] = X[i] * 2.0;\n  }\n}\n"
    )
    assert analysed(analyse(text, None), ()) == fresh(text, ())
