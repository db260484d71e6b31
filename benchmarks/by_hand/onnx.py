"""Models of ONNX as NumPy written by hand, one node after the other: what `benchmarks/models/onnx.py` compares with.

Each operator is what one writes first: `np.pad` and windows and one product for a convolution, a sum over the places of
the kernel for a depthwise one, a call of NumPy for everything else. It has the operators of the five models. A model is
read once, so that a run is nothing but the calls.
"""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view


def windows_of(x, kernel, strides, pads, fill=0.0):
    """Return what each place of a window sees: (batch, channels, places…, kernel…)."""
    rank = len(kernel)
    if any(pads):
        widths = [(0, 0), (0, 0), *zip(pads[:rank], pads[rank:], strict=True)]
        x = np.pad(x, widths, constant_values=fill)
    seen = sliding_window_view(x, tuple(kernel), tuple(range(2, 2 + rank)))
    return seen[(slice(None), slice(None), *[slice(None, None, one) for one in strides])]


def conv(attrs, x, w, bias=None):
    """Convolve: one product, or for one channel each a sum over the kernel."""
    kernel, rank = w.shape[2:], w.ndim - 2
    pads = list(attrs.get("pads", [0] * (2 * rank)))
    strides = attrs.get("strides", [1] * rank)
    if attrs.get("auto_pad", b"NOTSET") in (b"SAME_UPPER", b"SAME_LOWER"):
        total = [
            max((-(-size // s) - 1) * s + k - size, 0)
            for size, s, k in zip(x.shape[2:], strides, kernel, strict=True)
        ]
        pads = [one // 2 for one in total] + [one - one // 2 for one in total]
    groups = attrs.get("group", 1)
    if groups == 1 and set(kernel) | set(strides) == {1} and not any(pads):
        made = np.matmul(w.reshape(len(w), -1), x.reshape(*x.shape[:2], -1)).reshape(
            len(x), len(w), *x.shape[2:]
        )
        return made if bias is None else made + bias.reshape(-1, *[1] * rank)
    seen = windows_of(x, kernel, strides, pads)
    if groups == 1:
        inner = [1, *range(2 + rank, 2 + 2 * rank)]
        made = np.moveaxis(np.tensordot(w, seen, (list(range(1, 2 + rank)), inner)), 0, 1)
    elif groups == x.shape[1] == w.shape[0]:
        made = np.zeros(seen.shape[: 2 + rank], x.dtype)
        for place in np.ndindex(*kernel):
            made += seen[(..., *place)] * w[(slice(None), 0, *place)].reshape(-1, *[1] * rank)
    else:
        each, parts = x.shape[1] // groups, w.shape[0] // groups
        plain = {**attrs, "group": 1}
        made = np.concatenate(
            [
                conv(plain, x[:, g * each : (g + 1) * each], w[g * parts : (g + 1) * parts])
                for g in range(groups)
            ],
            1,
        )
    return made if bias is None else made + bias.reshape(-1, *[1] * rank)


def conv_transpose(attrs, x, w, bias=None):
    """Transpose a convolution whose stride is its kernel: each place becomes a tile."""
    n, _, height, width = x.shape
    _, channels, kh, kw = w.shape
    assert list(attrs["strides"]) == [kh, kw]
    made = (
        np.tensordot(x, w, (1, 0)).transpose(0, 3, 1, 4, 2, 5).reshape(n, channels, height * kh, width * kw)
    )
    return made if bias is None else made + bias.reshape(-1, 1, 1)


def pool(attrs, x, reduce, fill):
    """Reduce windows."""
    kernel = attrs["kernel_shape"]
    rank = len(kernel)
    pads = attrs.get("pads", [0] * (2 * rank))
    seen = windows_of(x, kernel, attrs.get("strides", [1] * rank), pads, fill)
    return reduce(seen, axis=tuple(range(-rank, 0)))


def resize(_attrs, x, *rest):
    """Repeat pixels."""
    scales = rest[1] if len(rest) > 1 and rest[1].size else rest[2] / np.array(x.shape)
    for axis, scale in enumerate(scales):
        x = x if scale == 1 else x.repeat(int(scale), axis)
    return x


def sigmoid(x):
    """`1 / (1 + exp(-x))`."""
    return 1 / (1 + np.exp(-x))


def softmax(attrs, x):
    """Exponentials by their sum."""
    axis = attrs.get("axis", -1)
    raised = np.exp(x - x.max(axis, keepdims=True))
    return raised / raised.sum(axis, keepdims=True)


def lstm(_attrs, x, w, r, b, _lengths, h, c):
    """One step after the other, a product for each gate."""
    size = r.shape[2]
    bias = b[0, : 4 * size] + b[0, 4 * size :]
    h, c, rows = h[0], c[0], []
    for now in x:
        gates = [
            now @ w[0, at : at + size].T + h @ r[0, at : at + size].T + bias[at : at + size]
            for at in range(0, 4 * size, size)
        ]
        c = sigmoid(gates[2]) * c + sigmoid(gates[0]) * np.tanh(gates[3])
        h = sigmoid(gates[1]) * np.tanh(c)
        rows.append(h)
    return np.stack(rows)[:, None], h[None], c[None]


def slices(_attrs, x, starts, ends, axes=None, steps=None):
    """A part of an array."""
    cut = [slice(None)] * x.ndim
    count = len(starts)
    axes = range(count) if axes is None else axes
    for axis, start, end, step in zip(
        axes, starts, ends, steps if steps is not None else [1] * count, strict=True
    ):
        cut[axis] = slice(int(start), int(end), int(step))
    return x[tuple(cut)]


def pad(attrs, x, widths, value=0):
    """Borders."""
    mode = attrs.get("mode", b"constant").decode()
    pairs = list(zip(widths[: x.ndim], widths[x.ndim :], strict=True))
    return np.pad(x, pairs, mode, **({"constant_values": value} if mode == "constant" else {}))


def batch_norm(attrs, x, scale, bias, mean, var):
    """A factor and a shift for each channel."""
    factor = scale / np.sqrt(var + np.float32(attrs.get("epsilon", 1e-5)))
    rest = (-1, *[1] * (x.ndim - 2))
    return x * factor.reshape(rest) + (bias - mean * factor).reshape(rest)


def _axes(attrs, given):
    axes = attrs.get("axes") if given is None else given
    return None if axes is None else tuple(int(one) for one in axes)


def reduction(function):
    """Return a rule for a reduction."""
    return lambda attrs, x, axes=None: function(
        x, axis=_axes(attrs, axes), keepdims=bool(attrs.get("keepdims", 1))
    )


def squeeze(attrs, x, axes=None):
    """Without axes of extent 1."""
    return x.squeeze(_axes(attrs, axes))


def unsqueeze(attrs, x, axes=None):
    """With axes of extent 1."""
    return np.expand_dims(x, _axes(attrs, axes))


def reshape(_attrs, x, shape):
    """In another shape; 0 is the own extent."""
    return x.reshape([x.shape[at] if one == 0 else int(one) for at, one in enumerate(shape)])


_DTYPES = {1: np.float32, 6: np.int32, 7: np.int64, 9: np.bool_, 11: np.float64}
_UFUNCS = {
    "Add": np.add, "Sub": np.subtract, "Mul": np.multiply, "Sqrt": np.sqrt, "Exp": np.exp, "Tanh": np.tanh,
    "Pow": np.power, "Equal": np.equal, "Not": np.logical_not, "Max": np.maximum, "MatMul": np.matmul,
    "Sigmoid": sigmoid, "Reciprocal": np.reciprocal, "Identity": lambda x: x, "Relu": lambda x: np.maximum(x, 0),
    "Shape": lambda x: np.array(x.shape), "Size": lambda x: np.array(x.size),
    "GlobalAveragePool": lambda x: x.mean(tuple(range(2, x.ndim)), keepdims=True),
    "GlobalMaxPool": lambda x: x.max(tuple(range(2, x.ndim)), keepdims=True),
    "Div": lambda x, y: x // y if x.dtype.kind in "iu" else x / y,
    "Expand": lambda x, shape: x * np.ones([int(one) for one in shape], x.dtype),
}  # fmt: skip
RULES = {
    "Conv": conv, "ConvTranspose": conv_transpose, "Resize": resize, "Softmax": softmax, "LSTM": lstm, "Slice": slices,
    "Pad": pad, "BatchNormalization": batch_norm, "Squeeze": squeeze, "Unsqueeze": unsqueeze, "Reshape": reshape,
    "ReduceMean": reduction(np.mean), "ReduceSum": reduction(np.sum), "ReduceMax": reduction(np.max),
    "AveragePool": lambda attrs, x: pool(attrs, x, np.mean, 0),
    "MaxPool": lambda attrs, x: pool(attrs, x, np.max, -np.inf),
    "Cast": lambda attrs, x: np.asarray(x).astype(_DTYPES[attrs["to"]]),
    "Clip": lambda attrs, x, low=None, high=None: np.clip(
        x, attrs.get("min", low), attrs.get("max", high)
    ),
    "Concat": lambda attrs, *values: np.concatenate(values, attrs["axis"]),
    "ConstantOfShape": lambda attrs, shape: np.full(shape, attrs["value"].reshape(()) if "value" in attrs else 0.0),
    "Gather": lambda attrs, x, at: np.take(x, at, attrs.get("axis", 0)),
    "HardSigmoid": lambda attrs, x: np.clip(
        np.float32(attrs.get("alpha", 0.2)) * x + np.float32(attrs.get("beta", 0.5)), 0, 1
    ),
    "Transpose": lambda attrs, x: x.transpose(attrs.get("perm")),
}  # fmt: skip


class Plain:
    """A model that runs node by node."""

    def __init__(self, model) -> None:
        self.steps, self.values = _read(model.graph)
        self.inputs = [one.name for one in model.graph.input if one.name not in self.values]
        self.outputs = [one.name for one in model.graph.output]
        self.is_complete = all(op == "If" or op in _UFUNCS or op in RULES for op, *_ in self.steps)
        """Whether all operators are there."""

    def __call__(self, *arrays):
        """Return the outputs for inputs in order."""
        values = {**self.values, **dict(zip(self.inputs, arrays, strict=True))}
        _run(self.steps, values)
        return [values[name] for name in self.outputs]


def _read(graph):
    """Return the nodes of a graph as (rule, attributes, inputs, outputs), and its constants."""
    from onnx import helper, numpy_helper

    values = {one.name: numpy_helper.to_array(one) for one in graph.initializer}
    steps = []
    for node in graph.node:
        attrs = {}
        for one in node.attribute:
            value = helper.get_attribute_value(one)
            if one.type == one.TENSOR:
                value = numpy_helper.to_array(value)
            attrs[one.name] = (
                (*_read(value), [out.name for out in value.output]) if one.type == one.GRAPH else value
            )
        if node.op_type == "Constant":
            values[node.output[0]] = attrs["value"]
        else:
            steps.append((node.op_type, attrs, list(node.input), list(node.output)))
    return steps, values


def _run(steps, values) -> None:
    for op, attrs, inputs, outputs in steps:
        if op == "If":
            inner, own, names = attrs["then_branch" if values[inputs[0]].reshape(()) else "else_branch"]
            seen = {**values, **own}
            _run(inner, seen)
            made = tuple([seen[name] for name in names])
        else:
            args = [values[name] if name else None for name in inputs]
            made = _UFUNCS[op](*args) if op in _UFUNCS else RULES[op](attrs, *args)
        if not isinstance(made, tuple):
            made = (made,)
        values.update(zip(outputs, made, strict=False))
