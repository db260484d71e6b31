"""Pictures for `text.py`: read from files of the form PPM (`P6`), or drawn with a small font of our own."""

from __future__ import annotations

from pathlib import Path

import numpy as np

FONT = {
    "R": "#### #...##...##### #.#..#..#.#...#", "e": ".......... ###.#...#######.... ###.",
    "l": ".##....#....#....#....#....#...###.", "a": ".......... ###.....#.#####...# ####",
    "x": "..........#...#.#.#...#...#.#.#...#", "2": ".###.#...#....#...#...#...#...#####",
    "0": ".###.#...##..###.#.###..##...#.###.", "6": "..##..#...#....####.#...##...#.###.",
    "t": ".#....#...###...#....#....#..#..##.", "i": "..#........##....#....#....#...###.",
    "n": "..........#.##.##..##...##...##...#", "p": "..........####.#...#####.#....#....",
    "c": ".......... ###.#....#....#...#.###.", "u": "..........#...##...##...##..##.##.#",
    "r": "..........#.##.##..##....#....#....", " ": "." * 35,
}  # fmt: skip
"""Seven rows of five places for each character."""
SCALE, MARGIN = 6, 40


def drawn(texts: list[str]) -> np.ndarray:
    """Return a picture (rows, columns, colours) with lines of text, black on white, with soft edges."""
    rows = []
    width = max([len(text) for text in texts]) * 6 * SCALE + 2 * MARGIN
    for text in texts:
        line = np.zeros((7, 6 * len(text)))
        for at, character in enumerate(text):
            cells = [one == "#" for one in FONT[character]]
            line[:, 6 * at : 6 * at + 5] = np.reshape(cells, (7, 5))
        large = np.zeros((7 * SCALE + 2 * MARGIN, width))
        large[MARGIN:-MARGIN, MARGIN : MARGIN + line.shape[1] * SCALE] = line.repeat(SCALE, 0).repeat(
            SCALE, 1
        )
        rows.append(large)
    ink = np.concatenate(rows)
    for _ in range(2):  # soft edges
        ink = (
            np.roll(ink, 1, 0) + np.roll(ink, -1, 0) + np.roll(ink, 1, 1) + np.roll(ink, -1, 1) + 2 * ink
        ) / 6
    return np.repeat(255 * (1 - ink[:, :, None]), 3, 2)


def load(path: str) -> np.ndarray:
    """Return the picture in a file that begins with `P6`, width, height and 255; other programs write such files."""
    data = Path(path).read_bytes()
    kind, width, height, most, *_ = data.split(None, 4)
    if kind != b"P6" or most != b"255":
        raise SystemExit(f"{path} is not a picture of the form PPM (P6): `convert picture.png picture.ppm`")
    count = int(width) * int(height) * 3
    return np.frombuffer(data[-count:], np.uint8).reshape(int(height), int(width), 3).astype(float)
