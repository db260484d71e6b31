"""Passes keep the meaning of random networks: those about tuples, normalizations, gradients, and those with options."""

from __future__ import annotations

import os
from collections import Counter
from typing import Any

import numpy as np
import pytest

from relax_lang import api, transform
from relax_lang.runtime.session import Session
from relax_lang.syntax.parser import parse
from relax_lang.transform.catalogue import find_pass
from tests.transform.same_meaning.outcomes import after_passes, close, compare, outcome, sound_program
from tests.transform.same_meaning.random_networks import Network

BLOCKS = ("ConvertToDataflow(min_size=1)",)
PASSES: dict[str, tuple[str, ...]] = {
    "DecomposeOps": (),
    "ExpandTupleArguments": (),
    "FoldBatchNormToConv2D": BLOCKS,
    "FoldConstant": ("FoldBatchNormToConv2D",),
    "RemoveUnusedOutputs": (),
    "RemoveUnusedParameters": ("ExpandTupleArguments",),
    "InlinePrivateFunctions": ("ExpandTupleArguments",),
    "RewriteDataflowView": BLOCKS,
    "BindSymbolicVars(n=4)": (),
    'FuseOpsByPattern(dense="nn.relu(matmul(x, w))")': BLOCKS,
    "Gradient": (),
    "LegalizeOps": (),
    "DataflowUseInplaceCalls": (*BLOCKS, "LegalizeOps"),
}
"""Passes that random programs do not reach, and what makes networks on which they have something to do."""

COSTLY = ("LegalizeOps", "DataflowUseInplaceCalls")


def hold(name: str, seed: int, engines: tuple[str, ...] = ("interpreter",)) -> bool:
    """Hold a network after a pass against the same before; return whether the pass changed it."""
    if name == "Gradient" and seed % 2:
        return False  # no straight line
    return compare(seed, (name,), before=PASSES[name], kind=Network, engines=engines, rounds=True)


def test_X_O1_random_networks() -> None:
    changed: Counter[str] = Counter()
    with transform.PassContext(instruments=[transform.Verify()]):
        for seed in range(40_000, 40_010):
            for at, name in enumerate(PASSES):
                if name not in COSTLY or seed % 5 == at % 5:
                    changed[name] += hold(name, seed)
    assert not [name for name in PASSES if not changed[name]], changed


@pytest.mark.slow
@pytest.mark.skipif("RELAX_NIGHTLY" not in os.environ, reason="takes hours; set RELAX_NIGHTLY=1")
@pytest.mark.parametrize("part", range(20))
def test_X_O1_many_random_networks(part: int) -> None:
    for seed in range(1_000_000 * (part + 1), 1_000_000 * (part + 1) + 500):
        everything(seed, thorough=seed % 8 == 0)


def everything(seed: int, *, thorough: bool) -> None:
    """Hold one network against itself after every pass, and its gradient against differences."""
    with transform.PassContext(instruments=[transform.Verify()] if thorough else []):
        for name in PASSES:
            hold(name, seed, ("interpreter", "compiled") if thorough else ("interpreter",))
    written(seed)
    if seed % 2 == 0:
        slopes(seed)


@pytest.mark.parametrize("seed", [40_000, 40_001, 40_003])
def test_normalize_of_trees_as_written(seed: int) -> None:
    written(seed)


def written(seed: int) -> None:
    """Hold the normal form of a tree as it was written: it reads back as itself, and does the same."""
    network = Network(seed)
    made = transform.Normalize()(parse(network.text).tree)
    again = api.typed(str(made))
    assert str(again) == str(made), network.text
    assert outcome(network, again) == outcome(network, made), network.text
    assert transform.Normalize()(made) is made


@pytest.mark.parametrize("seed", range(40_000, 40_012, 2))
def test_gradients_are_what_differences_say(seed: int) -> None:
    slopes(seed)


def slopes(seed: int) -> None:
    """Hold the gradient in a random direction against the difference of two values."""
    network: Network
    network, _ = sound_program(seed, Network) or pytest.fail("a network must check")
    after = after_passes(seed, ("Gradient",), Network)
    assert find_pass("gradient").name == "Gradient"
    session = Session(after.module, after.source)
    given: list[Any] = network.arguments()
    (value, found) = session.call("main_adjoint", given)
    assert close(_plain(value), _plain(session.call("main", given)))
    numbers = np.random.default_rng(seed)
    direction = [numbers.uniform(-1, 1, one.shape) for one in given]
    expected = _difference(session, given, direction, 1e-6)
    # A kink between the two points (of relu, abs, max) changes the difference with the distance.
    if np.isclose(expected, _difference(session, given, direction, 1e-7), rtol=1e-5, atol=1e-7):
        made = sum(float((one * slope).sum()) for one, slope in zip(direction, found, strict=True))
        scale = 1 + abs(expected)
        assert abs(made - expected) < 1e-5 * scale, (
            f"seed {seed}: {made}, not {expected}\n{network.text}\n{after}"
        )


def _plain(value: object) -> object:
    return ("float64", (), np.asarray(value).tobytes())


def _difference(session: Session, given: list[Any], direction: list[Any], distance: float) -> float:
    ends = [
        session.call("main", [one + sign * distance * way for one, way in zip(given, direction, strict=True)])
        for sign in (1, -1)
    ]
    return (float(np.asarray(ends[0])) - float(np.asarray(ends[1]))) / (2 * distance)
