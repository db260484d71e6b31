"""The stored tests of the package `onnx`: all that is in scope passes. Strings are not in scope."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("onnx")

ROOT = Path(__file__).parents[3]
PASSING = {"simple": 15, "pytorch-operator": 35, "pytorch-converted": 82}
"""How many tests of each suite pass; the rest of `simple` is about strings and training."""


@pytest.mark.slow
@pytest.mark.parametrize("suite", PASSING)
def test_what_is_in_scope_passes(suite: str) -> None:
    environment = {name: value for name, value in os.environ.items() if name != "RELAX_FREEZE"}
    done = subprocess.run(
        [sys.executable, "-m", "tests.onnx.suites.stored_tests", suite],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert done.returncode == 0, done.stderr
    *failed, passed = done.stdout.splitlines()
    assert failed == []
    assert int(passed) >= PASSING[suite]
