"""What was found for combinations of arrays: the one that came first is forgotten first. [M.6]"""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.runtime.values import tensors
from relax_lang.runtime.values.tensors import Remembered


def test_the_oldest_combination_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tensors, "_MOST_COMBINATIONS", 3)
    remembered = Remembered()
    for size in range(4):
        remembered.keep([np.ones(size)], (), f"size {size}")
    found = [remembered.find([np.ones(size)], ()) for size in range(4)]
    assert found == [None, "size 1", "size 2", "size 3"]
