"""The models of `models.py` as a person writes them with NumPy, each with the Relax program beside it."""

from __future__ import annotations

import numpy as np

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Array = np.ndarray
    Shapes = dict[str, tuple[int | str, ...]]

MLP = """def @main(x: Tensor[(n, d), float32], w1: Tensor[(d, d), float32], b1: Tensor[(d,), float32],
  w2: Tensor[(d, d), float32], b2: Tensor[(d,), float32], w3: Tensor[(d, d), float32], b3: Tensor[(d,), float32]) {
  dataflow {
    let h1 = nn.relu(matmul(x, w1) + b1);
    let h2 = nn.relu(matmul(h1, w2) + b2);
    let y = matmul(h2, w3) + b3;
    output y;
  }
  y
}
"""

CLASSIFIER = """def @main(x: Tensor[(n, 64), float32], w1: Tensor[(64, 48), float32], b1: Tensor[(48,), float32],
  w2: Tensor[(48, 32), float32], b2: Tensor[(32,), float32],
  w3: Tensor[(32, 10), float32], b3: Tensor[(10,), float32]) {
  dataflow {
    let h1 = nn.relu(matmul(x, w1) + b1);
    let h2 = nn.relu(matmul(h1, w2) + b2);
    let y = matmul(h2, w3) + b3;
    output y;
  }
  y
}
"""


def mlp(x: Array, w1: Array, b1: Array, w2: Array, b2: Array, w3: Array, b3: Array) -> Array:
    """Three layers."""
    for w, b in ((w1, b1), (w2, b2)):
        x = x @ w
        x += b
        np.maximum(x, 0, out=x)
    x = x @ w3
    x += b3
    return x


ATTENTION = """def @main(x: Tensor[(b, t, 64), float32], wq: Tensor[(64, 64), float32], wk: Tensor[(64, 64), float32],
  wv: Tensor[(64, 64), float32], wo: Tensor[(64, 64), float32]) {
  dataflow {
    let q = permute_dims(reshape(matmul(x, wq), shape(b, t, 4, 16)), axes=[0, 2, 1, 3]);
    let k = permute_dims(reshape(matmul(x, wk), shape(b, t, 4, 16)), axes=[0, 2, 3, 1]);
    let v = permute_dims(reshape(matmul(x, wv), shape(b, t, 4, 16)), axes=[0, 2, 1, 3]);
    let s = nn.softmax(matmul(q, k) * 0.25, axis=-1);
    let o = reshape(permute_dims(matmul(s, v), axes=[0, 2, 1, 3]), shape(b, t, 64));
    let y = x + matmul(o, wo);
    output y;
  }
  y
}
"""


def attention(x: Array, wq: Array, wk: Array, wv: Array, wo: Array) -> Array:
    """Self-attention with four heads, added to what it got."""
    b, t, _ = x.shape
    q, k, v = [(x @ w).reshape(b, t, 4, 16).transpose(0, 2, 1, 3) for w in (wq, wk, wv)]
    s = q @ k.swapaxes(2, 3)
    s *= np.float32(0.25)
    s -= s.max(axis=-1, keepdims=True)
    np.exp(s, out=s)
    s /= s.sum(axis=-1, keepdims=True)
    y = (s @ v).transpose(0, 2, 1, 3).reshape(b, t, 64) @ wo
    y += x
    return y


GATED = """def @main(x: Tensor[(n, 64), float32], g: Tensor[(64,), float32], c: Tensor[(64,), float32],
  w: Tensor[(64, 128), float32], u: Tensor[(64, 128), float32], d: Tensor[(128, 64), float32]) {
  dataflow {
    let h = nn.layer_norm(x, g, c, axes=[-1]);
    let gate = matmul(h, w);
    let y = x + matmul(gate * sigmoid(gate) * matmul(h, u), d);
    output y;
  }
  y
}
"""


def gated(x: Array, g: Array, c: Array, w: Array, u: Array, d: Array) -> Array:
    """Layer normalization and a gated feed-forward part."""
    h = x - x.mean(axis=-1, keepdims=True)
    scale = np.einsum("ij,ij->i", h, h)[:, None]
    scale /= h.shape[1]
    scale += np.float32(1e-5)
    h /= np.sqrt(scale, out=scale)
    h *= g
    h += c
    gate = h @ w
    s = np.negative(gate)
    np.exp(s, out=s)
    s += np.float32(1)
    gate /= s
    gate *= np.matmul(h, u, out=s)
    y = gate @ d
    y += x
    return y


CONVNET = """def @main(x: Tensor[(n, 3, 16, 16), float32], w1: Tensor[(8, 3, 3, 3), float32],
  b1: Tensor[(8, 1, 1), float32], w2: Tensor[(16, 8, 3, 3), float32], d: Tensor[(64, 10), float32]) {
  dataflow {
    let a = nn.max_pool2d(nn.relu(nn.conv2d(x, w1) + b1), pool_size=[2, 2], strides=[2, 2]);
    let b = nn.max_pool2d(nn.relu(nn.conv2d(a, w2)), pool_size=[2, 2], strides=[2, 2]);
    let y = nn.softmax(matmul(reshape(b, shape(n, 64)), d), axis=-1);
    output y;
  }
  y
}
"""


def _conv(x: Array, w: Array) -> Array:
    n, c, height, width = x.shape
    o, _, kh, kw = w.shape
    h, v = height - kh + 1, width - kw + 1
    windows = np.lib.stride_tricks.sliding_window_view(x, (kh, kw), axis=(2, 3))
    columns = windows.transpose(0, 1, 4, 5, 2, 3).reshape(n, c * kh * kw, h * v)
    return (w.reshape(o, -1) @ columns).reshape(n, o, h, v)


def _pool(x: Array) -> Array:
    h, w = x.shape[2] // 2 * 2, x.shape[3] // 2 * 2
    rows = np.maximum(x[:, :, 0:h:2], x[:, :, 1:h:2])
    return np.maximum(rows[..., 0:w:2], rows[..., 1:w:2])


def convnet(x: Array, w1: Array, b1: Array, w2: Array, d: Array) -> Array:
    """Two convolutions with pooling and a layer of classes."""
    a = _conv(x, w1)
    a += b1
    a = _pool(np.maximum(a, 0, out=a))
    b = _conv(a, w2)
    b = _pool(np.maximum(b, 0, out=b))
    y = b.reshape(len(x), 64) @ d
    y -= y.max(axis=-1, keepdims=True)
    np.exp(y, out=y)
    y /= y.sum(axis=-1, keepdims=True)
    return y


_STEP = """    let p{at} = matmul(concat((strided_slice(x, (1,), ({at},), ({next},)), h{at}), axis=1), w) + b;
    let g{at} = split(p{at}, indices_or_sections=4, axis=1);
    let c{next} = sigmoid(g{at}[0]) * c{at} + sigmoid(g{at}[1]) * tanh(g{at}[2]);
    let h{next} = sigmoid(g{at}[3]) * tanh(c{next});
"""
STEPS = 8
LSTM = (
    "def @main(x: Tensor[(n, 8), float32], h0: Tensor[(n, 32), float32], c0: Tensor[(n, 32), float32],\n"
    "  w: Tensor[(33, 128), float32], b: Tensor[(128,), float32]) {\n  dataflow {\n"
    + "".join([_STEP.format(at=at, next=at + 1) for at in range(STEPS)])
    + f"    let y = h{STEPS};\n    output y;\n  }}\n  y\n}}\n"
)


def _sigmoid(x: Array) -> Array:
    x = np.negative(x)
    np.exp(x, out=x)
    x += np.float32(1)
    return np.reciprocal(x, out=x)


def lstm(x: Array, h: Array, c: Array, w: Array, b: Array) -> Array:
    """A recurrent network over eight numbers."""
    for at in range(STEPS):
        p = np.concatenate((x[:, at : at + 1], h), axis=1) @ w
        p += b
        kept = _sigmoid(p[:, :32])
        kept *= c
        new = _sigmoid(p[:, 32:64])
        new *= np.tanh(p[:, 64:96])
        c = np.add(kept, new, out=kept)
        h = _sigmoid(p[:, 96:])
        h *= np.tanh(c)
    return h


SHAPES: dict[str, Shapes] = {
    "mlp": {
        "x": ("n", 256),
        "w1": (256, 256), "b1": (256,), "w2": (256, 256), "b2": (256,), "w3": (256, 256), "b3": (256,),
    },
    "classifier": {
        "x": ("n", 64),
        "w1": (64, 48), "b1": (48,), "w2": (48, 32), "b2": (32,), "w3": (32, 10), "b3": (10,),
    },
    "attention": {"x": (2, "n", 64), "wq": (64, 64), "wk": (64, 64), "wv": (64, 64), "wo": (64, 64)},
    "gated": {"x": ("n", 64), "g": (64,), "c": (64,), "w": (64, 128), "u": (64, 128), "d": (128, 64)},
    "convnet": {
        "x": ("n", 3, 16, 16),
        "w1": (8, 3, 3, 3), "b1": (8, 1, 1), "w2": (16, 8, 3, 3), "d": (64, 10),
    },
    "lstm": {"x": ("n", STEPS), "h0": ("n", 32), "c0": ("n", 32), "w": (33, 128), "b": (128,)},
}  # fmt: skip
"""By model, the shapes of its parameters."""
MODELS: dict[str, tuple[str, Callable[..., Array], tuple[int, int, int]]] = {
    "mlp": (MLP, mlp, (4, 128, 4096)),
    "classifier": (CLASSIFIER, mlp, (4, 1024, 131072)),
    "attention": (ATTENTION, attention, (4, 64, 512)),
    "gated": (GATED, gated, (4, 256, 16384)),
    "convnet": (CONVNET, convnet, (1, 16, 256)),
    "lstm": (LSTM, lstm, (2, 64, 4096)),
}
"""By name: the program, the form by hand, and `n` when small, middle and large."""
