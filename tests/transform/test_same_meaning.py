"""Every pass keeps the meaning of random programs: values, effects in order, kinds of failures. [X.O1] [X.O2] [X.O3]"""

from __future__ import annotations

import os

import pytest

from relax_lang import transform
from relax_lang.transform.catalogue import PIPELINES, parse_passes, passes
from relax_lang.transform.core.sequence import Sequential
from tests.transform.outcomes import compare, sound_program

DEFINES_MORE = {
    "ConvertToDataflow",
    "DeadCodeElimination",
    "TopologicalSort",
    "optimize",
    "zero",
    "build",
    "release",
}
"""Passes after which programs that failed in dataflow blocks may not fail."""
ROUNDS = {"InlinePrivateFunctions", "LegalizeOps", "zero", "build", "release"}
"""Passes after which floats may be rounded in another way, and another check may be the one that fails."""
CALLS = {"FuseOps", "InlinePrivateFunctions", "zero"}
"""Passes after which there are more or fewer calls inside of each other, so that their limit is met elsewhere."""
BLOCKS = "ConvertToDataflow(min_size=1), LegalizeOps"
CALLS_OF_PRIM_FUNCS = "LambdaLift, LegalizeOps, ToNonDataflow"
ALLOCATED = f"{CALLS_OF_PRIM_FUNCS}, CallTIRRewrite, StaticPlanBlockMemory, LowerAllocTensor"
BEFORE = {
    "RewriteDataflowReshape": BLOCKS,
    "FuseOps": BLOCKS,
    "FuseTIR": f"{BLOCKS}, FuseOps",
    "DataflowUseInplaceCalls": BLOCKS,
    "CallTIRRewrite": CALLS_OF_PRIM_FUNCS,
    "StaticPlanBlockMemory": f"{CALLS_OF_PRIM_FUNCS}, CallTIRRewrite",
    "LowerAllocTensor": f"{CALLS_OF_PRIM_FUNCS}, CallTIRRewrite, StaticPlanBlockMemory",
    "KillAfterLastUse": ALLOCATED,
    "LowerRuntimeBuiltin": f"{ALLOCATED}, KillAfterLastUse",
}
"""What makes programs on which a pass has something to do."""
ELSEWHERE = {
    "DecomposeOps",
    "ExpandTupleArguments",
    "FoldBatchNormToConv2D",
    "Gradient",
    "Normalize",
    "RemoveUnusedOutputs",
    "RewriteDataflowView",
}
"""Passes for what random programs do not have: tests of their own hold them, those of operators in `tests/ops`."""
WITHOUT_OPTIONS = [
    name
    for name, kind in passes().items()
    if name not in ELSEWHERE
    and not any(spec.required for spec in kind.signature.attrs)
    and not kind.any_option
]
MANY = 10_000
FEWER = dict.fromkeys(
    ("zero", "build", "release", "LowerAllocTensor", "KillAfterLastUse", "LowerRuntimeBuiltin"), 50
)
"""What comes after many passes, or is made of many."""


def sequence(name: str) -> Sequential:
    """Return a pass, or a pipeline."""
    return transform.pipeline(name) if name in PIPELINES else Sequential([passes()[name]()])


def hold(name: str, seed: int) -> bool:
    """Hold a random program after a pass against the same before; return whether the pass changed it."""
    defines_more = name in DEFINES_MORE or name in BEFORE
    rounds = name in ROUNDS or name in BEFORE
    before = parse_passes(BEFORE[name]) if name in BEFORE else Sequential([])
    limited = name in CALLS
    return compare(
        seed, sequence(name), before=before, defines_more=defines_more, rounds=rounds, limited=limited
    )


@pytest.mark.parametrize("name", [*WITHOUT_OPTIONS, *PIPELINES])
def test_X_O1_X_O3_random_programs(name: str) -> None:
    with transform.PassContext(instruments=[transform.Verify()]):
        changed = [hold(name, seed) for seed in range(20_000, 20_000 + FEWER.get(name, 200))]
    assert sum(changed) > 5


@pytest.mark.slow
@pytest.mark.skipif("RELAX_NIGHTLY" not in os.environ, reason="takes hours; set RELAX_NIGHTLY=1")
@pytest.mark.parametrize("name", [*WITHOUT_OPTIONS, *PIPELINES])
def test_X_O1_X_O3_many_random_programs(name: str) -> None:
    for seed in range(30_000, 30_000 + MANY):
        hold(name, seed)


@pytest.mark.parametrize("name", [name for name in WITHOUT_OPTIONS if passes()[name].idempotent])
def test_twice_is_once(name: str) -> None:
    for seed in range(20_000, 20_100):
        found = sound_program(seed)
        if found is not None:
            before = parse_passes(BEFORE[name])(found[1]) if name in BEFORE else found[1]
            once = passes()[name]()(before)
            twice = passes()[name]()(once)
            assert str(twice) == str(once), f"seed {seed}\n{found[1]}"


@pytest.mark.parametrize("name", PIPELINES)
def test_X_O1_neighbours_in_pipelines_may_be_swapped(name: str) -> None:
    """The texts may differ then, what programs do may not."""
    kinds = [one.kind for one in transform.pipeline(name).passes]
    swapped = [
        Sequential([*kinds[:at], kinds[at + 1], kinds[at], *kinds[at + 2 :]]) for at in range(len(kinds) - 1)
    ]
    for seed in range(26_000, 26_030):
        compare(
            seed,
            swapped[seed % len(swapped)],
            before=Sequential([]),
            defines_more=True,
            rounds=True,
            limited=True,
        )
