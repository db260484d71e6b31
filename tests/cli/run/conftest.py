"""A folder with the program that the tests of `relax run` run, and with its arguments."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from relax_lang.runtime.calling import packed
from tests.cli.harness import Relax
from tests.cli.run.run_programs import PROGRAM, X


@pytest.fixture
def program(relax: Relax, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(
        packed, "_REGISTERED", dict(packed._REGISTERED)
    )  # what a program's files register ends with it
    (tmp_path / "p.rlx").write_text(PROGRAM)
    np.save(tmp_path / "x.npy", X)
    np.save(tmp_path / "v.npy", np.array([1, 2, 3], np.int32))
    np.savez(tmp_path / "all.npz", x=X, k=np.array(7, np.int32))
    return tmp_path
