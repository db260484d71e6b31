"""Say when somebody speaks in a sound, by the model of silero-vad: `python samples/onnx/speech.py SOUND.wav`.

Without a sound it listens to one that it makes: noise, a voice that says three vowels, and noise again.
"""

from __future__ import annotations

import importlib.util
import sys
import wave
from pathlib import Path

import numpy as np

import relax_lang

RATE, STEP, BEFORE = 16_000, 512, 64
"""Samples a second, samples that the model takes at once, and those before them that it sees again."""


def model_path() -> Path:
    """Return the file of the model. Raises SystemExit if silero-vad is not installed; it is not imported."""
    spec = importlib.util.find_spec("silero_vad")
    if spec is None or spec.origin is None:
        raise SystemExit("pip install --no-deps silero-vad==6.2.3")
    return Path(spec.origin).parent / "data/silero_vad_16k_op15.onnx"


def load(path: str) -> np.ndarray:
    """Return the samples of a WAV file with one channel of 16 bits, from -1 to 1."""
    with wave.open(path) as sound:
        if (sound.getnchannels(), sound.getsampwidth(), sound.getframerate()) != (1, 2, RATE):
            raise SystemExit(f"{path} must have one channel of 16 bits and {RATE} samples a second")
        return np.frombuffer(sound.readframes(sound.getnframes()), np.int16).astype(np.float32) / 32768


def resonance(sound: np.ndarray, frequency: float, width: float) -> np.ndarray:
    """Return a sound as a tube of one resonance passes it on."""
    radius = np.exp(-np.pi * width / RATE)
    a, b = 2 * radius * np.cos(2 * np.pi * frequency / RATE), -radius * radius
    result, before, last = np.empty_like(sound), 0.0, 0.0
    for at, one in enumerate(sound):
        result[at] = (1 - a - b) * one + a * last + b * before
        before, last = last, result[at]
    return result


def voice(formants: tuple[float, ...], seconds: float, pitch: float) -> np.ndarray:
    """Return a vowel: pulses of a falling pitch through a resonance for each formant."""
    time = np.arange(int(seconds * RATE)) / RATE
    phase = np.cumsum(pitch * (1 - 0.15 * time / seconds + 0.02 * np.sin(30 * time)) / RATE)
    sound = np.where(np.diff(np.floor(phase), prepend=0) > 0, 1.0, 0.0)
    for frequency, width in zip(formants, (80, 90, 120, 150), strict=True):
        sound = resonance(sound, frequency, width)
    return sound / np.abs(sound).max() * np.minimum(1, 12 * np.minimum(time, seconds - time) / seconds)


def made() -> np.ndarray:
    """Return a second of noise, a voice, and a second of noise."""
    vowels = ((730, 1090, 2440, 3400), (270, 2290, 3010, 3600), (570, 840, 2410, 3300))
    spoken = [voice(one, 0.35, 130 - 8 * at) for at, one in enumerate(vowels)]
    sound = np.concatenate([np.zeros(RATE), *spoken, np.zeros(RATE)])
    return (0.4 * sound + 0.002 * np.random.default_rng(0).standard_normal(len(sound))).astype(np.float32)


def speech(sound: np.ndarray, model) -> np.ndarray:
    """Return for each step how sure the model is that somebody speaks; its state goes from step to step."""
    state, context = np.zeros((2, 1, 128), np.float32), np.zeros(BEFORE, np.float32)
    found = []
    for start in range(0, len(sound) - STEP + 1, STEP):
        heard = np.concatenate([context, sound[start : start + STEP]])
        score, state = model(heard[None], state, np.array(RATE))
        context = heard[-BEFORE:]
        found.append(float(np.asarray(score)[0, 0]))
    return np.array(found)


def spans(scores: np.ndarray) -> list[tuple[float, float]]:
    """Return from when to when somebody speaks, in seconds; pauses of less than a tenth do not count."""
    found: list[list[int]] = []
    for at in np.flatnonzero(scores > 0.5).tolist():
        if found and (at - found[-1][1]) * STEP < RATE // 10:
            found[-1][1] = at + 1
        else:
            found.append([at, at + 1])
    return [(first * STEP / RATE, last * STEP / RATE) for first, last in found]


def main(paths: list[str]) -> None:
    """Print when somebody speaks in each sound."""
    model = relax_lang.from_onnx(model_path()).main
    for sound in [load(path) for path in paths] or [made()]:
        for first, last in spans(speech(sound, model)):
            print(f"speech from {first:.1f} s to {last:.1f} s")


if __name__ == "__main__":
    main(sys.argv[1:])
