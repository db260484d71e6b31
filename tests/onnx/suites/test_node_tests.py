"""All node tests of the package `onnx`; what does not pass is listed with its reason, and nothing else fails.

They run in a process of their own: the test suite freezes the nodes of trees, which makes them many times slower.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("onnx")

from tests.onnx.suites.one_of_each import OPS, REFUSED

ROOT = Path(__file__).parents[3]
OUT_OF_SCOPE = "out of scope"
IN_SCOPE = 1632
AT_LEAST = 1598


@pytest.fixture(scope="module")
def outcomes():
    done = subprocess.run(
        [sys.executable, "-m", "tests.onnx.suites.node_tests"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.slow
def test_what_is_in_scope_passes(outcomes):
    results = [one["result"] for one in outcomes]
    assert sum(one != OUT_OF_SCOPE for one in results) >= IN_SCOPE
    assert sum(one == "passed" for one in results) >= AT_LEAST


@pytest.mark.slow
def test_a_program_that_was_imported_runs_without_a_finding(outcomes):
    wrong = [one for one in outcomes if one["result"].startswith(("run:", "finding:"))]
    assert wrong == []


@pytest.mark.slow
def test_every_type_in_scope_has_a_model_of_its_own(outcomes):
    """See `test_one_of_each`; node tests that are expanded have several types."""
    types = {one["op"] for one in outcomes if one["op"] and one["result"] != OUT_OF_SCOPE}
    assert types <= {*OPS, *REFUSED}
