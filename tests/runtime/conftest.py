"""Every test of the runtime runs on both engines and as an executable on the virtual machine, unless it names one."""

from __future__ import annotations

import pytest

from tests.runtime import harness


@pytest.fixture(autouse=True, params=["compiled", "interpreter", "machine"])
def engine_of_the_harness(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(harness, "ENGINE", request.param)
