"""How long models of ONNX take, as parts of the time of onnxruntime with one thread, and of NumPy written by hand.

    python benchmarks/models/onnx.py MODEL.onnx … [--rounds 20] [--shape x=1,3,48,320]

Without models it takes those of the packages rapidocr-onnxruntime, magika and silero-vad, where they are installed.
Inputs are drawn at random; the two run by turns, so that a busy machine slows both alike, and figures are minima of
processor time. Results are compared first. The aims are a geometric mean of at most 2 of onnxruntime, none above 3, and
at most 0.6 of plain NumPy, node by node (`by_hand/onnx.py`, which has the operators of the five models alone).
"""

from __future__ import annotations

import argparse
import importlib.util
import math
import os
import sys
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # two threads on a busy machine wait for each other

import numpy as np

sys.path[0] = str(Path(__file__).resolve().parents[2])  # this folder has no package `onnx`, but this file

import relax_lang  # noqa: E402 - found from the folder above
from benchmarks.by_hand.onnx import Plain  # noqa: E402

KNOWN = {
    "rapidocr_onnxruntime": {
        "models/ch_PP-OCRv4_det_infer.onnx": {"x": (1, 3, 320, 320)},
        "models/ch_PP-OCRv4_rec_infer.onnx": {"x": (1, 3, 48, 320)},
        "models/ch_ppocr_mobile_v2.0_cls_infer.onnx": {"x": (1, 3, 48, 192)},
    },
    "magika": {"models/standard_v3_3/model.onnx": {}},
    "silero_vad": {"data/silero_vad_16k_op15.onnx": {"input": (1, 576), "state": (2, 1, 128), "sr": ()}},
}
"""Files of packages, with the shapes of their inputs."""


def known_models() -> dict[str, dict[str, tuple[int, ...]]]:
    """Return the models of packages that are installed."""
    found = {}
    for package, files in KNOWN.items():
        spec = importlib.util.find_spec(package)
        for folder in spec.submodule_search_locations if spec and spec.submodule_search_locations else ():
            found.update({f"{folder}/{name}": shapes for name, shapes in files.items()})
    return found


def inputs_of(session, shapes):
    """Return an array for each input: numbers around 0, bytes for int32, a rate of 16,000 for int64."""
    random = np.random.default_rng(0)
    arrays = []
    for one in session.get_inputs():
        shape = shapes.get(one.name, [extent if isinstance(extent, int) else 1 for extent in one.shape])
        if one.type == "tensor(int32)":
            arrays.append(random.integers(0, 256, shape).astype(np.int32))
        elif one.type == "tensor(int64)":
            arrays.append(np.full(shape, 16000, np.int64))
        else:
            arrays.append(random.standard_normal(shape).astype(np.float32))
    return arrays


def measured(path: str, shapes: dict[str, tuple[int, ...]], rounds: int) -> tuple[float, float | None]:
    """Print the row of one model; return its parts of the time of onnxruntime and of plain NumPy."""
    import onnx
    import onnxruntime

    started = time.process_time()
    main = relax_lang.from_onnx(path).main
    imported = time.process_time() - started
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(path, options)
    arrays = inputs_of(session, shapes)
    named = {one.name: array for one, array in zip(session.get_inputs(), arrays, strict=True)}
    runs = [lambda: main(*arrays), lambda: session.run(None, named)]
    results = main(*arrays)
    compared = [runs[1]()]
    plain = Plain(onnx.load(path))
    if plain.is_complete:
        runs.append(lambda: plain(*arrays))
        compared.append(plain(*arrays))
    for others in compared:
        for own, other in zip(results if isinstance(results, tuple) else (results,), others, strict=True):
            np.testing.assert_allclose(own, other, rtol=1e-3, atol=1e-5)
    times = [math.inf] * len(runs)
    for _ in range(rounds):
        for at, run in enumerate(runs):
            before = time.process_time()
            run()
            times[at] = min(times[at], time.process_time() - before)
    ours, theirs, *by_hand = times
    row = f"{Path(path).name:36} {imported:5.2f} s {ours * 1e3:8.2f} ms {theirs * 1e3:8.2f} ms {ours / theirs:5.2f}"
    print(row + "".join([f" {one * 1e3:8.2f} ms {ours / one:5.2f}" for one in by_hand]))
    return ours / theirs, ours / by_hand[0] if by_hand else None


def main() -> None:
    """Measure models and print the geometric mean."""
    parser = argparse.ArgumentParser()
    parser.add_argument("models", nargs="*")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--shape", action="append", default=[], metavar="INPUT=EXTENTS")
    given = parser.parse_args()
    shapes = {}
    for word in given.shape:
        name, _, extents = word.rpartition("=")
        shapes[name] = tuple([int(one) for one in extents.split(",") if one])
    models = dict.fromkeys(given.models, shapes) or known_models()
    if not models:
        raise SystemExit("name a model, or install rapidocr-onnxruntime, magika or silero-vad")
    head = f"{'model':36} {'import':>7} {'here':>11} {'onnxruntime':>11} {'part':>5} {'plain NumPy':>11} {'part':>5}"
    print(f"{head}   load {os.getloadavg()[0]:.1f}")
    parts = [measured(path, shapes, given.rounds) for path, shapes in models.items()]
    print(f"geometric mean of parts: {geometric_mean([one for one, _ in parts]):.2f}", end="")
    by_hand = [one for _, one in parts if one is not None]
    print(f", of plain NumPy {geometric_mean(by_hand):.2f}" if by_hand else "")


def geometric_mean(parts: list[float]) -> float:
    """Return the geometric mean."""
    return math.exp(sum([math.log(one) for one in parts]) / len(parts))


if __name__ == "__main__":
    main()
