"""The samples of Relay: laid out, without findings, with equal values on every engine. [R.40]"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from relax_lang import api
from relax_lang.api.relay import translated
from relax_lang.base.source import RelayFile
from relax_lang.relay.unification.printing import show
from tests.relay.support import checked
from tests.relay.test_values import plain, run

ROOT = Path(__file__).parents[2]
SAMPLES = sorted((ROOT / "samples/relay").glob("*.relay"))
EXPECTED = {
    "01_functions": ((3.0, 4.0), 5.0),
    "04_lists": ((3,), 14),
    "05_closures": ((10,), 1024),
    "06_references": ((1.0,), 3.0),
    "07_any": (([[1.0, 2.0, 3.0, 4.0]],), [[2.0, 3.0]]),
    "08_prelude": ((), (2, 6, 3)),
}


def arguments(path: Path) -> list[np.ndarray]:
    """Positive numbers in the shapes of the parameters of @main."""
    main = checked(path.read_text(encoding="utf-8")).typed.functions["main"].type
    rng = np.random.default_rng(1)
    made = []
    for param in main.params:
        extents = re.fullmatch(r"Tensor\[\((.*)\), float32\]|float32|int32", show(param))
        shape = [int(one) for one in extents[1].split(", ")] if extents and extents[1] else []
        made.append(rng.random(shape, dtype=np.float32) * 0.5 + 0.1)
    return made


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_sample_is_laid_out_and_sound(path):
    text = path.read_text(encoding="utf-8")
    source = RelayFile(text, str(path))
    assert api.format_text(source) == text
    assert api.check(source).diagnostics == []
    again = translated(source).text
    assert [one for one in api.check(again).diagnostics if one.severity != "hint"] == []


@pytest.mark.parametrize("engine", ["relay", "compiled", "interpreter"])
@pytest.mark.parametrize("name", EXPECTED)
def test_sample_gives_its_value(name, engine):
    args, expected = EXPECTED[name]
    text = (ROOT / f"samples/relay/{name}.relay").read_text(encoding="utf-8")
    assert plain(run(text, *args, engine=engine)) == expected


@pytest.mark.parametrize("name", ["resnet", "mixer", "lstm"])
def test_R_38_models_give_equal_values_before_and_after_translation(name):
    path = ROOT / f"samples/relay/{name}.relay"
    text, args = path.read_text(encoding="utf-8"), arguments(path)
    expected = run(text, *args, engine="relay")
    assert np.isfinite(expected).all()
    for engine in ("compiled", "interpreter"):
        np.testing.assert_allclose(run(text, *args, engine=engine), expected, rtol=1e-5, atol=1e-6)
    printed = api.run(translated(RelayFile(text)).text, *args)
    np.testing.assert_allclose(printed, expected, rtol=1e-5, atol=1e-6)


def test_lstm_is_what_numpy_computes():
    """The cell, written out."""
    text = (ROOT / "samples/relay/lstm.relay").read_text(encoding="utf-8")
    x1, x2, h, c, wx, wh, b = arguments(ROOT / "samples/relay/lstm.relay")

    def sigmoid(value):
        return 1 / (1 + np.exp(-value))

    for x in (x1, x2):
        i, f, g, o = np.split(x @ wx.T + h @ wh.T + b, 4, axis=1)
        c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
        h = sigmoid(o) * np.tanh(c)
    np.testing.assert_allclose(
        run(text, *arguments(ROOT / "samples/relay/lstm.relay"), engine="relay"), h, rtol=1e-5
    )
