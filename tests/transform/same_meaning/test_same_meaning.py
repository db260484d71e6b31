"""Every pass keeps the meaning of random programs: values, effects in order, kinds of failures. [X.O1] [X.O2] [X.O3]

Programs come first, and passes within: what several pipelines begin with is done once for each program.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence

import pytest

from relax_lang import transform
from relax_lang.transform.catalogue import PIPELINES, passes
from tests.runtime.compiler.random_programs import Program, SmallProgram
from tests.transform.same_meaning.outcomes import Made, after_passes, compare, sound_program

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
    "AllocateWorkspace",
    "StaticPlanBlockMemory",
    "LowerAllocTensor",
    "KillAfterLastUse",
    "LowerRuntimeBuiltin",
    "VMShapeLower",
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
EAGER = {"AllocateWorkspace": "AllocateWorkspace(least=0)"}
"""What these programs have is small."""
MANY = 10_000
ONE, BOTH = ("interpreter",), ("interpreter", "compiled")
FEWER = 4
"""Of what comes after many passes, or is made of many, the default suite tries only every so-manieth long program."""
COSTLY = {"FuseTIR", "DataflowUseInplaceCalls", "zero", "build", "release", *LOWERED}


def hold(name: str, seed: int, engines: tuple[str, ...], kind: type[Made] = Program) -> bool:
    """Hold a random program after a pass against the same before; return whether the pass changed it."""
    return compare(
        seed,
        PIPELINES.get(name, (EAGER.get(name, name),)),
        before=BEFORE.get(name, ()),
        kind=kind,
        engines=engines,
        defines_more=name in DEFINES_MORE or name in BEFORE,
        rounds=name in ROUNDS or name in BEFORE,
        limited=name in CALLS,
    )


@pytest.mark.parametrize("part", range(4))
def test_X_O1_X_O3_random_programs(part: int) -> None:
    """Two hundred programs in four parts, half of them small: texts read back, and the compiled engine, at some."""
    changed: Counter[str] = Counter()
    for at, seed in enumerate(range(20_000 + part, 20_200, 4)):
        kind = SmallProgram if at % 2 else Program
        reads_back, runs_compiled = (at + part) % 9 == 0, (at + part) % 9 == 4
        with transform.PassContext(instruments=[transform.Verify()] if reads_back else []):
            for number, name in enumerate(NAMES):
                if kind is SmallProgram or name not in COSTLY or (at + number) % FEWER == 0:
                    changed[name] += hold(name, seed, BOTH if runs_compiled else ONE, kind)
    # These programs have few constants, and PrimFuncs with few arrays of their own: `test_networks.py` and
    # `test_workspace.py` hold these passes.
    unreached = {"FoldConstant", "AllocateWorkspace"}
    assert not [name for name in NAMES if not changed[name] and name not in unreached], changed
    after_passes.cache_clear()


@pytest.mark.slow
@pytest.mark.skipif("RELAX_NIGHTLY" not in os.environ, reason="takes hours; set RELAX_NIGHTLY=1")
@pytest.mark.parametrize("part", range(20))
def test_X_O1_X_O3_many_random_programs(part: int) -> None:
    """Ten thousand programs that the checker takes."""
    seed = 1_000_000 * (part + 1)
    for done in range(MANY // 20):
        seed = next_sound(seed, done)
        all_of_it(seed, done)


def next_sound(seed: int, done: int) -> int:
    """Return the first later seed of a program that the checker takes."""
    while True:
        seed += 1
        if sound_program(seed, kind_of(done)) is not None:
            return seed


def kind_of(done: int) -> type[Program]:
    """Every fourth program is long: of small ones, several can be tried in the time of one."""
    return SmallProgram if done % 4 else Program


def all_of_it(seed: int, done: int, names: Sequence[str] = NAMES) -> Counter[str]:
    """Hold one program against itself after passes and pipelines; count those that changed it.

    The compiled engine, and what reads the texts back, see every twenty-fifth.
    """
    thorough = done % 25 == 0
    with transform.PassContext(instruments=[transform.Verify()] if thorough else []):
        return Counter(name for name in names if hold(name, seed, BOTH if thorough else ONE, kind_of(done)))


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
