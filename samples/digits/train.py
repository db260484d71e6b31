"""Train the network of digits.rlx in plain NumPy and write the arrays that the sample ships.

    python train.py              writes weights.npz, test.npz and labels.npy beside this file

The images come from scikit-learn's copy of the UCI optical digits (see README.md for source and licence);
scikit-learn is needed for nothing else. Every random number comes from one seeded generator, so a second run
on the same machine writes the same bytes; another BLAS may round a sum differently and end at slightly
other weights.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from accuracy import accuracy
from sklearn.datasets import load_digits

FOLDER = Path(__file__).parent
SEED = 0
HELD_OUT = 360  # images that training never sees
HIDDEN = 64
EPOCHS = 60
BATCH = 32
LEARNING_RATE = 2e-3
WEIGHT_DECAY = 1e-3

Weights = dict[str, np.ndarray]


def split() -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return training images and labels, then held-out images and labels; intensities run from 0 to 16."""
    images, labels = load_digits(return_X_y=True)
    images, labels = images.astype(np.float32), labels.astype(np.int64)
    order = np.random.default_rng(SEED).permutation(len(images))
    held_out, rest = order[:HELD_OUT], order[HELD_OUT:]
    return images[rest], labels[rest], images[held_out], labels[held_out]


def shifted(images: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Move each image by at most one pixel up, down, left or right, so that small offsets do not matter."""
    padded = np.pad(images.reshape(-1, 8, 8), ((0, 0), (1, 1), (1, 1)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, (8, 8), axis=(1, 2))
    # Most of the 9 possible moves are "stay where you are": real digits are centred.
    moves = np.array([(1, 1), (1, 1), (1, 1), (1, 1), (0, 1), (2, 1), (1, 0), (1, 2)])
    row, column = moves[random.integers(len(moves), size=len(images))].T
    return windows[np.arange(len(images)), row, column].reshape(-1, 64)


def predict(weights: Weights, images: np.ndarray) -> np.ndarray:
    """Return the class of every image, computed as digits.rlx does (softmax does not change the winner)."""
    hidden = np.maximum(images / 16 @ weights["w1"] + weights["b1"], 0)
    return np.argmax(hidden @ weights["w2"] + weights["b2"], axis=1)


def gradients(weights: Weights, images: np.ndarray, labels: np.ndarray) -> Weights:
    """Return the gradient of the mean cross entropy with respect to every weight."""
    inputs = images / 16
    hidden = np.maximum(inputs @ weights["w1"] + weights["b1"], 0)
    logits = hidden @ weights["w2"] + weights["b2"]
    scores = np.exp(logits - logits.max(axis=1, keepdims=True))
    error = scores / scores.sum(axis=1, keepdims=True)
    error[np.arange(len(labels)), labels] -= 1
    error /= len(labels)
    back = (error @ weights["w2"].T) * (hidden > 0)
    return {"w1": inputs.T @ back, "b1": back.sum(axis=0), "w2": hidden.T @ error, "b2": error.sum(axis=0)}


def train(images: np.ndarray, labels: np.ndarray) -> Weights:
    """Fit the two layers with Adam and a linearly falling learning rate."""
    random = np.random.default_rng(SEED)
    weights = {
        "w1": random.normal(0, np.sqrt(2 / 64), (64, HIDDEN)),
        "b1": np.zeros(HIDDEN),
        "w2": random.normal(0, np.sqrt(2 / HIDDEN), (HIDDEN, 10)),
        "b2": np.zeros(10),
    }
    mean = {name: np.zeros_like(value) for name, value in weights.items()}
    square = {name: np.zeros_like(value) for name, value in weights.items()}
    step, last_step = 0, EPOCHS * (len(images) // BATCH)
    for _ in range(EPOCHS):
        order = random.permutation(len(images))
        for start in range(0, len(images) - BATCH + 1, BATCH):
            step += 1
            chosen = order[start : start + BATCH]
            slope = gradients(weights, shifted(images[chosen], random), labels[chosen])
            rate = LEARNING_RATE * (1 - step / (last_step + 1))
            for name, value in weights.items():
                mean[name] += 0.1 * (slope[name] - mean[name])
                square[name] += 0.01 * (slope[name] ** 2 - square[name])
                direction = (mean[name] / (1 - 0.9**step)) / (np.sqrt(square[name] / (1 - 0.99**step)) + 1e-8)
                value -= rate * (direction + WEIGHT_DECAY * value)
    return {name: value.astype(np.float32) for name, value in weights.items()}


def main() -> None:
    """Train, report the accuracy on both parts, and write the files."""
    images, labels, test_images, test_labels = split()
    weights = train(images, labels)
    trained = accuracy(predict(weights, images), labels)
    tested = accuracy(predict(weights, test_images), test_labels)
    print(f"training set: {trained:.1%} of {len(labels)} images")
    print(f"held-out set: {tested:.1%} of {len(test_labels)} images")
    np.savez_compressed(FOLDER / "weights.npz", **weights)
    np.savez_compressed(FOLDER / "test.npz", x=test_images)
    np.save(FOLDER / "labels.npy", test_labels)


if __name__ == "__main__":
    main()
