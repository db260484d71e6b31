"""What was proved holds, and what was found right does not fail for its types: random programs are run."""

from __future__ import annotations

import pytest

from relax_lang import api
from relax_lang.base.node import same
from relax_lang.base.source import SourceFile
from relax_lang.check.driver import Checked
from relax_lang.normalize.normalize import normalize
from relax_lang.runtime.session import Session
from relax_lang.values import RunFailure
from tests.check.infer.harness import program
from tests.runtime.compiler.random_host import Host
from tests.runtime.compiler.random_programs import Program

NEVER = {
    "not-callable",
    "not-a-tuple",
    "tuple-index",
    "condition-not-bool",
    "shape-var-not-a-shape",
    "op-argument",
    "op-axis",
    "op-attribute",
    "call-tir-output-incomplete",
    "not-a-primfunc",
}
"""Failures that a program without errors never ends in."""

ANNOUNCED = {
    "argument-check-failed",
    "return-check-failed",
    "annotation-check-failed",
    "call-tir-arguments",
    "call-tir-output-mismatch",
}
"""Failures that a warning goes before."""


def failure_of(program: Program, checked: Checked) -> RunFailure | None:
    host = Host()
    session = Session(
        checked.inferred.normal,
        SourceFile(program.text),
        packed=host.functions,
        write=host.write,
        engine="interpreter",
        max_calls=program.max_calls,
    )
    try:
        session.call("main", program.arguments())
    except RunFailure as failure:
        return failure
    return None


@pytest.mark.parametrize("start", range(0, 200, 40))
def test_D_14_Z_4_what_checks_does_not_fail_for_its_types(start: int) -> None:
    for seed in range(start, start + 40):
        random = Program(seed)
        checked = api.check(random.text)
        if checked.has_errors:
            continue
        failure = failure_of(random, checked)
        if failure is None:
            continue
        assert failure.slug not in NEVER, f"seed {seed}: {failure.message}"
        if failure.slug in ANNOUNCED:
            slugs = [one.slug for one in checked.diagnostics]
            assert "possibly-incompatible" in slugs, f"seed {seed}: {failure.message}"
        if failure.slug not in ANNOUNCED | {"match-cast-failed"}:
            continue
        assert failure.node not in checked.inferred.proved, f"seed {seed}: {failure.message}"
        assert failure.facts.get("annotation") not in checked.inferred.proved, (
            f"seed {seed}: {failure.message}"
        )


def test_the_programs_are_worth_checking() -> None:
    checked = [api.check(Program(seed).text) for seed in range(60)]
    right = [one for one in checked if not one.has_errors]
    assert len(right) > 20
    assert sum(len(one.inferred.proved) for one in right) > 100


def test_N_0_the_tree_that_was_inferred_is_the_one_that_runs() -> None:
    checked = api.check(program("let y = add(x, x); y"))
    assert checked.normal is checked.inferred.normal
    assert same(checked.normal, normalize(checked.tree, checked.resolved))
    assert set(checked.inferred.functions) == {"main", "g", "g2", "h", "two", "sink"}
