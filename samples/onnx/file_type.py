"""Say what type files are of, by the model of the package magika: `python samples/onnx/file_type.py FILE …`."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path

import numpy as np

import relax_lang


def model_folder() -> Path:
    """Return the folder of the model. Raises SystemExit if magika is not installed; it is not imported."""
    spec = importlib.util.find_spec("magika")
    if spec is None or spec.origin is None:
        raise SystemExit("pip install magika==1.0.3")
    return Path(spec.origin).parent / "models/standard_v3_3"


def features(data: bytes, config: dict) -> np.ndarray:
    """Return what the model sees of a file: its first bytes and its last ones, filled up with a number of their own."""
    block = config["block_size"]
    first, last = data[:block].lstrip(), data[-block:].rstrip()
    half = config["beg_size"], config["end_size"]
    row = np.full(sum(half), config["padding_token"], np.int32)
    head, tail = first[: half[0]], last[-half[1] :]
    row[: len(head)] = list(head)
    row[len(row) - len(tail) :] = list(tail)
    return row


def main(paths: list[str]) -> None:
    """Print the type of each file and how sure the model is."""
    folder = model_folder()
    config = json.loads((folder / "config.min.json").read_text())
    module = relax_lang.from_onnx(folder / "model.onnx")
    rows = np.stack([features(Path(path).read_bytes(), config) for path in paths])
    for path, scores in zip(paths, module.main(rows), strict=True):
        best = int(np.argmax(scores))
        print(f"{path}: {config['target_labels_space'][best]} ({scores[best]:.2f})")


if __name__ == "__main__":
    main(sys.argv[1:])
