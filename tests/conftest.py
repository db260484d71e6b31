"""What all tests share. Comes before any import of the package: frozen nodes are decided when it loads."""

from __future__ import annotations

import os

os.environ["RELAX_FREEZE"] = "1"
os.environ["RELAX_TRUST"] = (
    "1"  # the settings of the tests are ours; tests/files/test_trust.py is about others
)
os.environ["RELAX_NO_CACHE"] = "1"  # tests that are about the cache have folders of their own

from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("any machine", deadline=None)  # how long an example takes says nothing of it
settings.load_profile("any machine")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden", action="store_true", help="write the golden files instead of comparing with them"
    )


class Golden:
    """Compares texts with files in the folder `golden` beside the test."""

    def __init__(self, folder: Path, update: bool) -> None:
        self.folder = folder
        self.update = update

    def __call__(self, name: str, text: str) -> None:
        path = self.folder / name
        if self.update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            return
        assert path.exists(), f"{path} is missing; `pytest --update-golden` writes it"
        assert text == path.read_text(encoding="utf-8"), f"differs from {path}"


@pytest.fixture
def golden(request: pytest.FixtureRequest) -> Golden:
    return Golden(request.path.parent / "golden", request.config.getoption("--update-golden"))
