"""LSTM, GRU and RNN: one product for all steps in front of a loop over the steps."""

from __future__ import annotations

from relax_lang.onnx import dims
from relax_lang.onnx.errors import Invalid, Refused
from relax_lang.onnx.node import Node, imports
from relax_lang.onnx.operators.loops import Step, run_loop
from relax_lang.onnx.values import Sizes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.onnx.builder import Builder
    from relax_lang.onnx.values import Value

    Activation = Callable[[Builder, Value], Value]
    Cell = Callable[[Builder, Value, list[Value]], list[Value]]

_GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}
_DEFAULTS = {"LSTM": ["Sigmoid", "Tanh", "Tanh"], "GRU": ["Sigmoid", "Tanh"], "RNN": ["Tanh"]}


@imports("LSTM", "GRU", "RNN")
def recurrence(node: Node) -> list[Value]:
    """All three: Y of all steps, and the last states, of one direction or both."""
    b = node.builder
    x = node.input(0)
    batch_first = bool(node.int("layout", 0))
    x = b.transpose(x, [1, 0, 2]) if batch_first else x
    direction = node.string("direction", "forward")
    if direction not in ("forward", "reverse", "bidirectional"):
        raise Invalid(f"there is no direction `{direction}`")
    directions = [False, True] if direction == "bidirectional" else [direction == "reverse"]
    rows: list[Value] = []
    lasts: list[list[Value]] = []
    for at, backward in enumerate(directions):
        y, last = _Direction(node, x, at, len(directions), batch_first=batch_first).run(backward=backward)
        rows.append(b.op("expand_dims", y, axis=1))
        lasts.append([b.op("expand_dims", one, axis=0) for one in last])
    y = rows[0] if len(rows) == 1 else b.op("concat", tuple(rows), axis=1)
    states = [
        parts[0] if len(parts) == 1 else b.op("concat", tuple(parts), axis=0)
        for parts in zip(*lasts, strict=True)
    ]
    if batch_first:
        y = b.transpose(y, [2, 0, 1, 3])
        states = [b.transpose(one, [1, 0, 2]) for one in states]
    return [y, *states][: max(node.n_outputs, 1)]


class _Direction:
    """One direction of a recurrence: its weights, biases and first states."""

    def __init__(self, node: Node, x: Value, at: int, count: int, *, batch_first: bool) -> None:
        self.node = node
        self.b = node.builder
        self.x = x
        self.at = at
        self.kind = node.op
        hidden = dims.number(node.input(2).dims[2])
        if hidden is None:
            raise Refused("the extent of its state is not known")
        self.hidden = hidden
        self.gates = _GATES[self.kind]
        self.length, self.batch = x.dims[0], x.dims[1]
        names = node.attribute("activations") or _DEFAULTS[self.kind] * count
        each = len(_DEFAULTS[self.kind])
        alphas: list[float] = node.attribute("activation_alpha") or []
        betas: list[float] = node.attribute("activation_beta") or []
        own = names[at * each : (at + 1) * each]
        self.activations = [_activation(name, alphas, betas, at * each + i) for i, name in enumerate(own)]
        self.clip = node.attribute("clip")
        self.w = self._part(1, [1, 0])
        self.r = self._part(2, [1, 0])
        bias = node.optional(3)
        self.w_bias = self.r_bias = None
        if bias is not None:
            flat = self._part(3, [0])
            size = self.gates * self.hidden
            self.w_bias = self.b.slice(flat, [0], [0], [size])
            self.r_bias = self.b.slice(flat, [0], [size], [2 * size])
        self.lengths = node.optional(4)
        self.first = [self._first(5, batch_first=batch_first)]
        self.peepholes: Value | None = None
        if self.kind == "LSTM":
            self.first.append(self._first(6, batch_first=batch_first))
            self.peepholes = self._part(7, [0]) if node.given(7) else None

    def _part(self, index: int, order: list[int]) -> Value:
        value = self.node.input(index)
        own = self.b.slice(value, [0], [self.at], [self.at + 1])
        return self.b.transpose(self.b.reshape(own, value.dims[1:]), order)

    def _first(self, index: int, *, batch_first: bool) -> Value:
        value = self.node.optional(index)
        if value is None:
            return self.b.op("zeros", [self.batch, dims.dim(self.hidden)], dtype=self.x.dtype)
        axis = 1 if batch_first else 0
        own = self.b.slice(value, [axis], [self.at], [self.at + 1])
        return self.b.reshape(own, [self.batch, self.hidden])

    def run(self, *, backward: bool) -> tuple[Value, list[Value]]:
        """Return the states of all steps, in the order of the sequence, and the last states."""
        b = self.b
        x = self._reversed(self.x) if backward else self.x
        inputs = b.op("matmul", x, self.w)
        if self.w_bias is not None:
            inputs = b.op("add", inputs, self.w_bias)
        cell = {"LSTM": self._lstm, "GRU": self._gru, "RNN": self._rnn}[self.kind]

        def step(builder: Builder, index: Value, _flag: Value, states: list[Value]) -> Step:
            now = builder.op("take", inputs, index, axis=0)
            made = cell(builder, now, states)
            output = made[0]
            if self.lengths is not None:
                alive = builder.op("less", builder.cast(index, self.lengths.dtype), self.lengths)
                alive = builder.op("expand_dims", alive, axis=1)
                made = [builder.op("where", alive, new, old) for new, old in zip(made, states, strict=True)]
                output = builder.op("where", alive, output, builder.like(0, output))
            return Step(None, made, [output])

        count = Sizes((self.length,), scalar=True)
        last, (rows,) = run_loop(self.node, count, None, self.first, step)
        return (self._reversed(rows) if backward else rows), last

    def _reversed(self, value: Value) -> Value:
        if self.lengths is None:
            return self.b.op("flip", value, axis=0)
        return self.b.op("reverse_sequence", value, self.lengths, seq_axis=0, batch_axis=1)

    def _gate(self, b: Builder, value: Value, at: int) -> Value:
        return b.slice(value, [1], [at * self.hidden], [(at + 1) * self.hidden])

    def _clipped(self, b: Builder, value: Value) -> Value:
        if self.clip is None:
            return value
        limit = b.like(self.clip, value)
        return b.op("minimum", b.op("maximum", value, b.like(-self.clip, value)), limit)

    def _recurrent(self, b: Builder, state: Value) -> Value:
        made = b.op("matmul", state, self.r)
        return made if self.r_bias is None else b.op("add", made, self.r_bias)

    def _rnn(self, b: Builder, now: Value, states: list[Value]) -> list[Value]:
        total = self._clipped(b, b.op("add", now, self._recurrent(b, states[0])))
        return [self.activations[0](b, total)]

    def _gru(self, b: Builder, now: Value, states: list[Value]) -> list[Value]:
        (h,) = states
        size = 2 * self.hidden
        f, g = self.activations
        gates = b.slice(now, [1], [0], [size])
        if self.node.int("linear_before_reset", 0):
            recurrent = self._recurrent(b, h)
            gates = f(b, self._clipped(b, b.op("add", gates, b.slice(recurrent, [1], [0], [size]))))
            z, r = self._gate(b, gates, 0), self._gate(b, gates, 1)
            reset = b.op("multiply", r, self._gate(b, recurrent, 2))
        else:
            part = b.op("matmul", h, b.slice(self.r, [1], [0], [size]))
            if self.r_bias is not None:
                part = b.op("add", part, b.slice(self.r_bias, [0], [0], [size]))
            gates = f(b, self._clipped(b, b.op("add", gates, part)))
            z, r = self._gate(b, gates, 0), self._gate(b, gates, 1)
            reset = b.op("matmul", b.op("multiply", r, h), b.slice(self.r, [1], [size], [3 * self.hidden]))
            if self.r_bias is not None:
                reset = b.op("add", reset, b.slice(self.r_bias, [0], [size], [3 * self.hidden]))
        new = g(b, self._clipped(b, b.op("add", self._gate(b, now, 2), reset)))
        kept = b.op("multiply", z, h)
        return [b.op("add", b.op("multiply", b.op("subtract", b.like(1, z), z), new), kept)]

    def _lstm(self, b: Builder, now: Value, states: list[Value]) -> list[Value]:
        h, c = states
        f, g, out = self.activations
        total = b.op("add", now, self._recurrent(b, h))
        parts = [self._gate(b, total, at) for at in range(4)]
        holes = self.peepholes
        if holes is not None:
            pi, _, pf = [b.slice(holes, [0], [at * self.hidden], [(at + 1) * self.hidden]) for at in range(3)]
            parts[0] = b.op("add", parts[0], b.op("multiply", pi, c))
            parts[2] = b.op("add", parts[2], b.op("multiply", pf, c))
        i = f(b, self._clipped(b, parts[0]))
        forget = f(b, self._clipped(b, parts[2]))
        if self.node.int("input_forget", 0):
            forget = b.op("subtract", b.like(1, i), i)
        cell = b.op("add", b.op("multiply", forget, c), b.op("multiply", i, g(b, self._clipped(b, parts[3]))))
        if holes is not None:
            po = b.slice(holes, [0], [self.hidden], [2 * self.hidden])
            parts[1] = b.op("add", parts[1], b.op("multiply", po, cell))
        o = f(b, self._clipped(b, parts[1]))
        return [b.op("multiply", o, out(b, cell)), cell]


def _activation(name: str, alphas: list[float], betas: list[float], at: int) -> Activation:
    alpha = alphas[at] if at < len(alphas) else None
    beta = betas[at] if at < len(betas) else None
    simple = {"Sigmoid": "sigmoid", "Tanh": "tanh", "Relu": "nn.relu", "Softplus": "nn.softplus"}
    if name in simple:
        return lambda b, x: b.op(simple[name], x)

    def affine(b: Builder, x: Value) -> Value:
        made = b.op("multiply", x, b.like(1.0 if alpha is None else alpha, x))
        return b.op("add", made, b.like(beta or 0.0, x))

    def hard_sigmoid(b: Builder, x: Value) -> Value:
        made = b.op("multiply", x, b.like(0.2 if alpha is None else alpha, x))
        return b.op("clip", b.op("add", made, b.like(0.5 if beta is None else beta, x)), 0.0, 1.0)

    def leaky(b: Builder, x: Value) -> Value:
        return b.op("nn.leakyrelu", x, alpha=0.01 if alpha is None else float(alpha))

    others: dict[str, Activation] = {"Affine": affine, "HardSigmoid": hard_sigmoid, "LeakyRelu": leaky}
    if name not in others:
        raise Refused(f"the activation {name}")
    return others[name]
