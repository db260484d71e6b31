"""Passes keep the meaning of the programs in `traps`: values, arguments, what the host hears, kinds of failures."""

from __future__ import annotations

import os
from functools import cache
from typing import Any

import numpy as np
import pytest

from relax_lang import api
from relax_lang.runtime.session import Session
from relax_lang.transform.catalogue import parse_passes, pipeline
from relax_lang.typed import Typed
from relax_lang.values import RunFailure
from tests.runtime.compiler.random_host import plain
from tests.transform.same_meaning.traps import BODIES, program

PASSES = {
    "alone": (
        "CanonicalizeBindings",
        "EliminateCommonSubexpr",
        "DeadCodeElimination",
        "FoldConstant",
        "ConvertToDataflow(min_size=1)",
        "ToNonDataflow",
        "LambdaLift",
        "InlinePrivateFunctions",
        "RemoveUnusedParameters",
        "RemoveUnusedOutputs",
        "ExpandTupleArguments",
    ),
    "in blocks": (
        "EliminateCommonSubexpr",
        "DeadCodeElimination",
        "FoldConstant",
        "CanonicalizeBindings",
        "TopologicalSort",
        'TopologicalSort(order="breadth-first", direction="from-inputs")',
        'FuseOpsByPattern(both="nn.relu(exp(p))")',
        "RewriteDataflowView",
        "LegalizeOps, RewriteDataflowReshape",
        "LegalizeOps, DataflowUseInplaceCalls",
        "LegalizeOps, AnnotateTIROpPattern, FuseOps, FuseTIR",
    ),
    "inlined": ("CanonicalizeBindings", "EliminateCommonSubexpr", "DeadCodeElimination"),
}
"""Passes, after what is said of them was done."""
BEFORE = {"alone": "", "in blocks": "ConvertToDataflow(min_size=1)", "inlined": "InlinePrivateFunctions"}
PIPELINES = ("optimize", "zero", "build", "release")


THOROUGH = "RELAX_NIGHTLY" in os.environ
"""All pipelines and both engines for all programs; otherwise they take turns."""


def _number(name: str) -> int:
    return list(BODIES).index(name)


class Host:
    """Packed functions that change, keep and return what they are given."""

    def __init__(self) -> None:
        self.heard: list[object] = []
        self.kept: list[Any] = []

    def functions(self) -> dict[str, Any]:
        return {
            "bump": self.bump,
            "log": self.log,
            "store": self.store,
            "bump_kept": self.bump_kept,
            "stop": self.stop,
        }

    def bump(self, x: Any) -> tuple[()]:
        x += 1
        return ()

    def log(self, x: Any) -> Any:
        self.heard.append(plain(x))
        return x

    def store(self, x: Any) -> tuple[()]:
        self.kept.append(x)
        return ()

    def bump_kept(self) -> tuple[()]:
        for one in self.kept:
            one += 1
        return ()

    def stop(self, _: Any) -> None:
        raise ValueError("stop")


def outcome(typed: Typed, engine: str, *, condition: bool) -> tuple[object, object, object]:
    """Run a program; return its value or the kind of its failure, what the host heard, and its arguments."""
    host = Host()
    session = Session(
        typed.module,
        typed.source,
        packed=host.functions(),
        engine=engine,
        max_calls=1_000,
        load_constant=lambda path, key: typed.source.arrays[path, key].copy(),
        proved=typed.inferred.proved if engine == "compiled" else frozenset(),
    )
    given = [np.array([1, 2, 3], np.float32), np.array([0.5, -1, 2], np.float32), np.array(condition)]
    try:
        value = plain(session.call("main", given))
    except RunFailure as failure:
        value = failure.slug
    return value, host.heard, plain(tuple(given))


@cache
def typed(name: str, before: str) -> Typed:
    """Return a program after what is done first."""
    made = api.typed(program(name))
    return parse_passes(before)(made) if before else made


@cache
def expected(name: str, *, condition: bool) -> tuple[object, object, object]:
    """Return what a program means."""
    return outcome(typed(name, ""), "interpreter", condition=condition)


def hold(name: str, after: Typed, told: object) -> None:
    """Hold a program against what it was. In blocks failures may go, and another check may fail. [X.O2]"""
    for condition in (True, False) if " if " in BODIES[name] or "down" in BODIES[name] else (True,):
        for engine in ("interpreter", "compiled") if THOROUGH or _number(name) % 4 == 0 else ("interpreter",):
            found = outcome(after, engine, condition=condition)
            wanted = expected(name, condition=condition)
            if isinstance(wanted[0], str) and told not in PASSES["alone"]:
                assert found[1:] == wanted[1:], (told, engine, str(after))
            else:
                assert found == wanted, (told, engine, str(after))


@pytest.mark.parametrize("name", BODIES)
def test_X_O1_traps(name: str) -> None:
    for group, passes in PASSES.items():
        start = typed(name, BEFORE[group])
        hold(name, start, BEFORE[group])
        for one in passes:
            after = parse_passes(one)(start)
            if after is not start:
                hold(name, after, one if group == "alone" else (group, one))
    for at, one in enumerate(PIPELINES):
        if not THOROUGH and at and _number(name) % 3 != at - 1:
            continue
        hold(name, pipeline(one)(typed(name, "")), one)
