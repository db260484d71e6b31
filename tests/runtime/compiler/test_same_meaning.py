"""Both engines mean the same: random programs give the same values, the same log, the same failure. [X.O1] [X.O3]"""

from __future__ import annotations

import os

import numpy as np
import pytest

from relax_lang.analysis.liveness import Liveness
from relax_lang.base.source import SourceFile
from relax_lang.check.driver import check_source
from relax_lang.normalize.normalize import normalize
from relax_lang.ops.calls import overwriting
from relax_lang.runtime.session import Session
from relax_lang.values import RunFailure
from tests.runtime.compiler.random_host import Host, plain
from tests.runtime.compiler.random_programs import Program
from tests.runtime.harness import session_of


def outcome(program: Program, engine: str) -> tuple[object, list[str]]:
    """Run a program; return what came of it and what the host was told."""
    source = SourceFile(program.text, "random.rlx")
    checked = check_source(source)
    if checked.has_errors:  # it will fail, unless it never gets there
        errors = [one for one in checked.resolved.diagnostics if one.severity == "error"]
        assert not errors, f"{errors}\n{program.text}"
        normal, proved = normalize(checked.tree, checked.resolved), frozenset()
    else:
        normal, proved = checked.normal, checked.inferred.proved
    host = Host(program.text)
    session = Session(
        normal,
        source,
        packed=host.functions,
        write=host.write,
        engine=engine,
        max_calls=program.max_calls,
        proved=proved,
    )
    arguments = program.arguments()
    try:
        value = session.call("main", arguments)
    except RunFailure as failure:
        return described(failure, session), [*host.told, repr(host.plain(tuple(arguments)))]
    return ("value", host.plain(value)), [*host.told, repr(host.plain(tuple(arguments)))]


def described(failure: RunFailure, session: Session) -> object:
    """Return all that a user can see of a failure, and where it happened."""
    diagnostic = session.diagnose(failure)
    shape_vars = failure.facts.get("shape_vars")
    calls = failure.facts["calls"]
    assert isinstance(calls, list)
    return (
        failure.slug,
        failure.message,
        (diagnostic.pos, diagnostic.end),
        sorted(shape_vars.items()) if isinstance(shape_vars, dict) else None,
        [(name, call.pos if call is not None else None) for name, call in calls],
        [(label.pos, label.message) for label in diagnostic.labels],
    )


def compare(seed: int) -> object:
    """Run a random program on both engines, with everything that it says to do."""
    program = Program(seed)
    expected, expected_log = outcome(program, "interpreter")
    found, found_log = outcome(program, "compiled")
    assert found == expected, f"seed {seed}\n{program.text}"
    assert found_log == expected_log, f"seed {seed}\n{program.text}"
    return expected


@pytest.mark.usefixtures("strict", "single_rows")
def test_signs_of_zeros_are_compared_but_where_the_larger_of_two_is_taken() -> None:
    zeros = np.array([0.0, -0.0], np.float32)
    assert Host("nn.relu(x)").plain((zeros,)) == plain((abs(zeros),))
    assert Host("exp(x)").plain((zeros,)) != plain((abs(zeros),))
    for seed in (7201858, 7203005):
        compare(seed)


def compare_values(seed: int) -> None:
    """Run one where unused bindings vanish: programs become more defined, never less. [X.O2]"""
    program = Program(seed)
    expected, expected_log = outcome(program, "interpreter")
    if isinstance(expected, tuple) and expected[0] == "value":
        assert outcome(program, "compiled") == (expected, expected_log), f"seed {seed}\n{program.text}"


def nothing_is_dead(*_: object) -> bool:
    return False


@pytest.fixture
def strict(monkeypatch: pytest.MonkeyPatch) -> None:
    """Evaluate every binding; reuse memory wherever that is possible at all."""
    monkeypatch.setattr(Liveness, "_is_dead", nothing_is_dead)
    monkeypatch.setattr(overwriting, "LARGE", 1)


@pytest.mark.usefixtures("strict", "single_rows")
@pytest.mark.parametrize("start", range(0, 240, 40))
def test_X_O1_X_O3_X_O4_random_programs(start: int) -> None:
    for seed in range(start, start + 40):
        compare(seed)


@pytest.mark.parametrize("start", range(400, 520, 40))
def test_X_O2_random_programs(start: int) -> None:
    for seed in range(start, start + 40):
        compare_values(seed)


@pytest.mark.slow
@pytest.mark.skipif("RELAX_NIGHTLY" not in os.environ, reason="takes minutes; set RELAX_NIGHTLY=1")
@pytest.mark.usefixtures("strict", "single_rows")
def test_X_O1_X_O3_X_O4_many_random_programs() -> None:
    for seed in range(1000, 13_000):
        compare(seed)


@pytest.mark.slow
@pytest.mark.skipif("RELAX_NIGHTLY" not in os.environ, reason="takes minutes; set RELAX_NIGHTLY=1")
def test_X_O2_many_random_programs() -> None:
    for seed in range(13_000, 18_000):
        compare_values(seed)


@pytest.mark.usefixtures("strict")
def test_random_programs_are_worth_running() -> None:
    """Most programs come to an end, enough of them fail, in many ways."""
    outcomes = [compare(seed) for seed in range(60)]
    slugs = [one[0] for one in outcomes if isinstance(one, tuple) and one[0] != "value"]
    assert 0.1 * len(outcomes) < len(slugs) < 0.6 * len(outcomes)
    assert len(set(slugs)) >= 4


def test_X_O2_a_closure_that_only_dropped_bindings_call() -> None:
    text = (
        "def @main(x: Tensor[(n,), float32]) -> Tensor[(n,), float32] { dataflow {"
        " let f = fn (a: Tensor[(k,), int32]) -> Tensor[(n,), float32] { x };"
        " let w = f(ones(shape(n), dtype=int32)); let z = x + x; output z; } z }"
    )
    (z,) = [session_of(text).call("main", [np.ones(1, np.float32)])]
    assert z.tolist() == [2.0]
