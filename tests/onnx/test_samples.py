"""The samples with models of other packages: what needs no model always, the rest where the packages are installed."""

from __future__ import annotations

import importlib.util
import sys
import wave
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("onnx")

FOLDER = Path(__file__).parents[2] / "samples/onnx"


@pytest.fixture
def sample(monkeypatch):
    """Return what imports a sample."""
    monkeypatch.syspath_prepend(str(FOLDER))

    def load(name):
        monkeypatch.delitem(sys.modules, "picture", raising=False)
        spec = importlib.util.spec_from_file_location(f"sample_{name}", FOLDER / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load


def needs(package):
    return pytest.mark.skipif(importlib.util.find_spec(package) is None, reason=f"{package} is not installed")


def test_pictures(sample, tmp_path):
    text, picture = sample("text"), sample("picture")
    image = picture.drawn(["tl"])
    assert image.shape == (42 + 80, 72 + 80, 3)
    path = tmp_path / "picture.ppm"
    path.write_bytes(b"P6\n152 122\n255\n" + image.round().astype(np.uint8).tobytes())
    np.testing.assert_array_equal(picture.load(str(path)), image.round())
    half = text.resized(image, 61, 76)
    np.testing.assert_allclose(half, image.reshape(61, 2, 76, 2, 3).mean((1, 3)))
    path.write_bytes(b"P5\n1 1\n255\n\0")
    with pytest.raises(SystemExit, match="not a picture of the form PPM"):
        picture.load(str(path))


def test_lines_are_found_and_read(sample):
    text = sample("text")
    scores = np.zeros((64, 96), np.float32)
    scores[10:16, 20:60] = 1
    scores[40:46, 10:30] = 0.5
    scores[0, 0] = 1  # too small
    assert text.boxes(scores) == [(10, 16, 20, 60), (40, 46, 10, 30)]
    found = text.lines(np.zeros((128, 192, 3)), lambda x: scores[None, None])
    assert [one.shape for one in found] == [(14, 48, 3), (14, 28, 3)]
    chosen = np.eye(4)[[0, 1, 1, 0, 1, 2, 0, 3]]
    assert text.read(np.zeros((10, 30, 3)), lambda x: chosen[None], ["a", "b", " "]) == "aab "
    line = np.arange(12.0).reshape(2, 2, 3)
    turned = text.upright(line, lambda x: np.array([[0.05, 0.95]]))
    np.testing.assert_array_equal(turned, line[::-1, ::-1])


def test_sounds(sample, tmp_path):
    speech = sample("speech")
    with wave.open(str(tmp_path / "sound.wav"), "wb") as sound:
        sound.setparams((1, 2, speech.RATE, 0, "NONE", ""))
        sound.writeframes(np.array([0, 16384, -32768], np.int16).tobytes())
    np.testing.assert_array_equal(speech.load(str(tmp_path / "sound.wav")), [0, 0.5, -1])
    scores = np.zeros(100)
    scores[[10, 11, 13, 40]] = 0.9
    step = speech.STEP / speech.RATE
    assert speech.spans(scores) == [(10 * step, 14 * step), (40 * step, 41 * step)]


@needs("rapidocr_onnxruntime")
def test_text_is_read(sample, capsys):
    sample("text").main([])
    assert capsys.readouterr().out == "Relax 2026\ntext in a picture\n"


@needs("silero_vad")
def test_speech_is_found_where_onnxruntime_finds_it(sample, capsys):
    speech = sample("speech")
    speech.main([])
    assert capsys.readouterr().out == "speech from 1.0 s to 2.1 s\n"
    runtime = pytest.importorskip("onnxruntime")
    session = runtime.InferenceSession(str(speech.model_path()), providers=["CPUExecutionProvider"])

    def other(*values):
        return session.run(None, dict(zip(("input", "state", "sr"), values, strict=True)))

    sound = speech.made()[:20_000]
    from relax_lang import from_onnx

    own = speech.speech(sound, from_onnx(speech.model_path()).main)
    np.testing.assert_allclose(own, speech.speech(sound, other), rtol=1e-3, atol=1e-5)


@needs("magika")
def test_types_of_files_are_told(sample, capsys):
    sample("file_type").main([str(FOLDER / "README.md"), str(FOLDER / "text.py")])
    assert [line.split(": ")[1].split()[0] for line in capsys.readouterr().out.splitlines()] == [
        "markdown",
        "python",
    ]
