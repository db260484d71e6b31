"""Every pass keeps the meaning of random programs: values, effects in order, kinds of failures. [X.O1] [X.O2] [X.O3]

Programs come first, and passes within: what several pipelines begin with is done once for each program.
"""

from __future__ import annotations

import os
from collections import Counter

import pytest

from relax_lang import transform
from relax_lang.transform.catalogue import PIPELINES, passes
from tests.transform.outcomes import after_passes, compare, sound_program

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
BLOCKS = ("ConvertToDataflow(min_size=1)", "LegalizeOps")
BUILD = PIPELINES["build"]
LOWERED = [
    "CallTIRRewrite",
    "StaticPlanBlockMemory",
    "LowerAllocTensor",
    "KillAfterLastUse",
    "LowerRuntimeBuiltin",
]
BEFORE = {
    "RewriteDataflowReshape": BLOCKS,
    "FuseOps": BLOCKS,
    "FuseTIR": (*BLOCKS, "FuseOps"),
    "DataflowUseInplaceCalls": BLOCKS,
    **{name: BUILD[: BUILD.index(name)] for name in LOWERED},
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
"""Passes for what these programs do not have: `test_networks.py` holds them."""
WITHOUT_OPTIONS = [
    name
    for name, kind in passes().items()
    if name not in ELSEWHERE
    and not any(spec.required for spec in kind.signature.attrs)
    and not kind.any_option
]
NAMES = [*WITHOUT_OPTIONS, *PIPELINES]
MANY = 10_000
ONE, BOTH = ("interpreter",), ("interpreter", "compiled")
FEWER = 4
"""Of what comes after many passes, or is made of many, only every so-manieth program is tried in the default suite."""
COSTLY = {"FuseTIR", "DataflowUseInplaceCalls", "zero", "build", "release", *LOWERED}


def hold(name: str, seed: int, engines: tuple[str, ...]) -> bool:
    """Hold a random program after a pass against the same before; return whether the pass changed it."""
    return compare(
        seed,
        PIPELINES.get(name, (name,)),
        before=BEFORE.get(name, ()),
        engines=engines,
        defines_more=name in DEFINES_MORE or name in BEFORE,
        rounds=name in ROUNDS or name in BEFORE,
        limited=name in CALLS,
    )


@pytest.mark.parametrize("part", range(4))
def test_X_O1_X_O3_random_programs(part: int) -> None:
    """Two hundred programs in four parts: texts read back, and the compiled engine, at every second one."""
    changed: Counter[str] = Counter()
    for seed in range(20_000 + part, 20_200, 4):
        reads_back = (seed // 4 + part) % 2 == 0
        with transform.PassContext(instruments=[transform.Verify()] if reads_back else []):
            for at, name in enumerate(NAMES):
                if name not in COSTLY or (seed // 4 + at) % FEWER == 0:
                    changed[name] += hold(name, seed, ONE if reads_back else BOTH)
    unreached = {"FoldConstant"}  # these programs have few constants; networks have
    assert not [name for name in NAMES if not changed[name] and name not in unreached], changed
    after_passes.cache_clear()


@pytest.mark.slow
@pytest.mark.skipif("RELAX_NIGHTLY" not in os.environ, reason="takes hours; set RELAX_NIGHTLY=1")
@pytest.mark.parametrize("part", range(20))
def test_X_O1_X_O3_many_random_programs(part: int) -> None:
    """Ten thousand that the checker takes; the compiled engine, and what reads the texts back, at every eighth."""
    done, seed = 0, 1_000_000 * (part + 1)
    while done < MANY // 20:
        seed += 1
        if sound_program(seed) is not None:
            done += 1
            all_of_it(seed, thorough=done % 8 == 0)


def all_of_it(seed: int, *, thorough: bool) -> None:
    """Hold one program against itself after every pass and pipeline."""
    instruments = [transform.Verify()] if thorough else []
    with transform.PassContext(instruments=instruments):
        for name in NAMES:
            hold(name, seed, BOTH if thorough else ONE)


@pytest.mark.parametrize("part", range(2))
def test_twice_is_once(part: int) -> None:
    names = [name for name in WITHOUT_OPTIONS if passes()[name].idempotent]
    for seed in range(20_000 + part, 20_050, 2):
        if sound_program(seed) is not None:
            for name in names:
                once = after_passes(seed, (*BEFORE.get(name, ()), name))
                assert str(passes()[name]()(once)) == str(once), f"{name}, seed {seed}"
    after_passes.cache_clear()


@pytest.mark.parametrize("name", PIPELINES)
def test_X_O1_neighbours_in_pipelines_may_be_swapped(name: str) -> None:
    """The texts may differ then, what programs do may not."""
    names = PIPELINES[name]
    swapped = [(*names[:at], names[at + 1], names[at], *names[at + 2 :]) for at in range(len(names) - 1)]
    for seed in range(26_000, 26_016):
        compare(seed, swapped[seed % len(swapped)], defines_more=True, rounds=True, limited=True)
