"""The decoder of `decoder.py` as a person writes it with NumPy, with the Relax program beside it."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    Array = np.ndarray

HEADS = 4

_DECODER = """def @step(x: Tensor[(1, D), float32], keys: Tensor[(n, D), float32], values: Tensor[(n, D), float32],
  wq: Tensor[(D, D), float32], wk: Tensor[(D, D), float32], wv: Tensor[(D, D), float32],
  wo: Tensor[(D, D), float32]) {
  dataflow {
    let all_keys = concat((keys, matmul(x, wk)), axis=0);
    let all_values = concat((values, matmul(x, wv)), axis=0);
    let q = permute_dims(reshape(matmul(x, wq), shape(1, H, D // H)), axes=[1, 0, 2]);
    let k = permute_dims(reshape(all_keys, shape(n + 1, H, D // H)), axes=[1, 2, 0]);
    let v = permute_dims(reshape(all_values, shape(n + 1, H, D // H)), axes=[1, 0, 2]);
    let s = nn.softmax(matmul(q, k) * 0.25, axis=-1);
    let o = reshape(permute_dims(matmul(s, v), axes=[1, 0, 2]), shape(1, D));
    let y = tanh(x + matmul(o, wo));
    output y, all_keys, all_values;
  }
  (y, all_keys, all_values)
}
"""


def decoder(width: int) -> str:
    """Return the program of a step with tensors of some width; the keys and values of earlier steps grow."""
    return _DECODER.replace("D", str(width)).replace("H", str(HEADS))


def step(
    x: Array, keys: Array, values: Array, wq: Array, wk: Array, wv: Array, wo: Array
) -> tuple[Array, Array, Array]:
    """One more token attends to all that were before it."""
    keys = np.concatenate((keys, x @ wk))
    values = np.concatenate((values, x @ wv))
    count, width = keys.shape
    q = (x @ wq).reshape(HEADS, 1, width // HEADS)
    k = keys.reshape(count, HEADS, -1).transpose(1, 2, 0)
    v = values.reshape(count, HEADS, -1).transpose(1, 0, 2)
    s = q @ k
    s *= np.float32(0.25)
    s -= s.max(axis=-1, keepdims=True)
    np.exp(s, out=s)
    s /= s.sum(axis=-1, keepdims=True)
    y = (s @ v).reshape(1, width) @ wo
    y += x
    return np.tanh(y, out=y), keys, values
