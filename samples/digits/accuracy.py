"""Compare predicted classes with the labels: `python accuracy.py classes.npy [labels.npy]`.

Write the predictions with `relax run digits.rlx --npz test.npz --out classes.npy`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np


def accuracy(predicted: np.ndarray, labels: np.ndarray) -> float:
    """Return the share of predictions that are right."""
    if predicted.shape != labels.shape:
        raise ValueError(f"{predicted.shape} predictions for {labels.shape} labels")
    return float(np.mean(predicted == labels))


def main(arguments: list[str]) -> int:
    """Print the accuracy and the mistakes; the exit status is 1 below 93 %."""
    if len(arguments) not in (1, 2):
        print(__doc__)
        return 2
    beside = Path(__file__).parent / "labels.npy"
    predicted = np.load(arguments[0], allow_pickle=False)
    labels = np.load(arguments[1] if len(arguments) == 2 else beside, allow_pickle=False)
    share = accuracy(predicted, labels)
    wrong = np.flatnonzero(predicted != labels)
    print(f"{share:.1%} of {len(labels)} images are classified right")
    for index in wrong[:10]:
        print(f"  image {index}: {labels[index]} taken for {predicted[index]}")
    if len(wrong) > 10:
        print(f"  … and {len(wrong) - 10} more")
    return 0 if share > 0.93 else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
