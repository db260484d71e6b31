"""Arrays and failures for the tests of the interpreter."""

from __future__ import annotations

import numpy as np
import pytest

from relax_lang.values import RunFailure


def failure(run, text: str, *args, **kwargs) -> RunFailure:
    with pytest.raises(RunFailure) as caught:
        run(text, *args, **kwargs)
    return caught.value


def f32(*values: float) -> np.ndarray:
    return np.array(values, np.float32)


def i64(*values: int) -> np.ndarray:
    return np.array(values, np.int64)
