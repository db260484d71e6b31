"""Train the network of model.rlx from scratch: python samples/training/train.py

The gradient of @loss is made by a pass, and both it and @adam run as Relax. NumPy only deals out the images. The first
270 images of samples/digits are trained on, the other 90 are never seen before the end.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from relax_lang import load, loads, transform
from relax_lang.modules.loaded import Module

FOLDER = Path(__file__).parent
DIGITS = FOLDER.parent / "digits"
TRAINED_ON = 270
HIDDEN = 128
EPOCHS = 50
BATCH = 30
RATE = 3e-3
WEIGHTS = ["w1", "b1", "w2", "b2"]


def with_gradient(model: Module) -> Module:
    """Return the program with a function @loss_adjoint: the loss, and its gradient for every weight."""
    passes = transform.Sequential(
        [transform.InlinePrivateFunctions(), transform.Gradient(func="loss", require_grads=WEIGHTS)]
    )
    return loads(passes(model.typed).module)


def train(epochs: int = EPOCHS, seed: int = 0) -> tuple[list[float], float]:
    """Train the network; return the mean loss of each epoch, and the share of unseen images that are read right."""
    module = with_gradient(load(str(FOLDER / "model.rlx")))
    images: Any = np.load(DIGITS / "test.npz")["x"]
    labels: Any = np.load(DIGITS / "labels.npy")
    random = np.random.default_rng(seed)
    shapes: dict[str, tuple[int, ...]] = {
        "w1": (64, HIDDEN),
        "b1": (HIDDEN,),
        "w2": (HIDDEN, 10),
        "b2": (10,),
    }
    spread = {"w1": np.sqrt(2 / 64), "b1": 0.0, "w2": np.sqrt(2 / HIDDEN), "b2": 0.0}
    weights: dict[str, Any] = {
        name: random.normal(0, spread[name], shape).astype(np.float32) for name, shape in shapes.items()
    }
    state: dict[str, Any] = {name: (np.zeros_like(one), np.zeros_like(one)) for name, one in weights.items()}
    step, last = 0, epochs * (TRAINED_ON // BATCH)
    losses: list[float] = []
    for epoch in range(epochs):
        total = 0.0
        for chosen in random.permutation(TRAINED_ON).reshape(-1, BATCH):
            result: Any = module.loss_adjoint(images[chosen], labels[chosen], **weights)
            loss, gradients = result
            step += 1
            rate = np.float32(RATE * (1 - step / (last + 1)))
            for name, gradient in zip(WEIGHTS, gradients, strict=True):
                made: Any = module.adam(weights[name], gradient, *state[name], np.float32(step), rate)
                weights[name], *means = made
                state[name] = tuple(means)
            total += float(loss)
        losses.append(total * BATCH / TRAINED_ON)
        if epoch % 10 == 9 or epoch == 0:
            print(f"epoch {epoch + 1:2}: loss {losses[-1]:.4f}")
    found: Any = module.classes(images[TRAINED_ON:], **weights)
    right: Any = found == labels[TRAINED_ON:]
    return losses, float(right.mean())


if __name__ == "__main__":
    _, share = train()
    print(f"{share:.1%} of {360 - TRAINED_ON} images that were never seen are read right")
