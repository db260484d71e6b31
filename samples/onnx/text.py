"""Read the text in a picture by the three models of rapidocr-onnxruntime: `python samples/onnx/text.py PICTURE.ppm`.

The first model finds lines, the second tells which are upside down, the third reads them. Without a picture it reads
one that it draws.
"""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import picture

import relax_lang

FOUND, UPSIDE_DOWN = 0.3, 0.9
"""Probabilities from which on a pixel is of a line, and a line is turned."""


def model_path(name: str) -> Path:
    """Return a file of the package, which is not imported. Raises SystemExit if it is not installed."""
    spec = importlib.util.find_spec("rapidocr_onnxruntime")
    if spec is None or spec.origin is None:
        raise SystemExit("pip install --no-deps rapidocr-onnxruntime==1.4.4")
    return Path(spec.origin).parent / "models" / name


def resized(image: np.ndarray, height: int, width: int) -> np.ndarray:
    """Return a picture (rows, columns, colours) in another size, by linear interpolation."""
    for axis, size in enumerate((height, width)):
        places = np.clip((np.arange(size) + 0.5) * image.shape[axis] / size - 0.5, 0, image.shape[axis] - 1)
        before = places.astype(int)
        after = np.minimum(before + 1, image.shape[axis] - 1)
        share = (places - before).reshape([-1 if at == axis else 1 for at in range(3)])
        image = image.take(before, axis) * (1 - share) + image.take(after, axis) * share
    return image


def as_input(image: np.ndarray) -> np.ndarray:
    """Return what the models take: (1, colours, rows, columns) from -1 to 1."""
    return ((image / 127.5 - 1).transpose(2, 0, 1)[None]).astype(np.float32)


def boxes(scores: np.ndarray) -> list[tuple[int, int, int, int]]:
    """Return the spans of connected pixels above the threshold: first and last row, first and last column."""
    waiting = {(int(row), int(column)) for row, column in np.argwhere(scores > FOUND)}
    found = []
    while waiting:
        todo = [waiting.pop()]
        seen = [*todo]
        while todo:
            row, column = todo.pop()
            for next_to in ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)):
                if next_to in waiting:
                    waiting.remove(next_to)
                    todo.append(next_to)
                    seen.append(next_to)
        rows, columns = zip(*seen, strict=True)
        if len(seen) > 20:
            found.append((min(rows), max(rows) + 1, min(columns), max(columns) + 1))
    return sorted(found)


def lines(image: np.ndarray, detect) -> list[np.ndarray]:
    """Return the parts of a picture that are lines of text, from above."""
    rows, columns = [max(32, round(size / 32) * 32) for size in image.shape[:2]]
    scores = np.asarray(detect(as_input(resized(image, rows, columns))))[0, 0]
    scale = np.array([image.shape[0] / rows] * 2 + [image.shape[1] / columns] * 2)
    found = []
    for top, bottom, left, right in boxes(scores):
        high, wide = bottom - top, right - left
        more = 0.8 * high * wide / (high + wide)  # the model finds the middle of a line
        box = (np.array([top - more, bottom + more, left - more, right + more]) * scale).round().astype(int)
        top, bottom, left, right = np.maximum(box, 0)
        found.append(image[top:bottom, left:right])
    return found


def upright(line: np.ndarray, classify) -> np.ndarray:
    """Return a line as it is, or turned if it is upside down."""
    wide = min(192, round(48 * line.shape[1] / line.shape[0]))
    part = np.zeros((1, 3, 48, 192), np.float32)
    part[..., :wide] = as_input(resized(line, 48, wide))
    return line[::-1, ::-1] if np.asarray(classify(part))[0, 1] > UPSIDE_DOWN else line


def read(line: np.ndarray, recognize, characters: list[str]) -> str:
    """Return the text of a line: what scores most at each place, repetitions and blanks left out."""
    wide = max(48, round(48 * line.shape[1] / line.shape[0]))
    best = np.asarray(recognize(as_input(resized(line, 48, wide))))[0].argmax(1)
    kept = best[(best != 0) & (best != np.r_[0, best[:-1]])]
    return "".join([characters[one - 1] for one in kept])


def main(paths: list[str]) -> None:
    """Print the text of each picture, line by line."""
    import onnx

    names = ("ch_PP-OCRv4_det_infer", "ch_ppocr_mobile_v2.0_cls_infer", "ch_PP-OCRv4_rec_infer")
    files = [model_path(f"{name}.onnx") for name in names]
    detect, classify, recognize = [relax_lang.from_onnx(file).main for file in files]
    facts = {one.key: one.value for one in onnx.load(files[2]).metadata_props}
    characters = [*facts["character"].splitlines(), " "]
    for image in [picture.load(path) for path in paths] or [
        picture.drawn(["Relax 2026", "text in a picture"])
    ]:
        for line in lines(image, detect):
            print(read(upright(line, classify), recognize, characters))


if __name__ == "__main__":
    main(sys.argv[1:])
