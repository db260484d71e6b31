"""LSTM, GRU and RNN: one product for all steps, then a PrimFunc that goes through them.

A single step, as models that listen take it, is written as operators.
"""

from __future__ import annotations

from relax_lang.onnx import dims
from relax_lang.onnx.building.node import Node, imports
from relax_lang.onnx.building.prim_funcs import call_with_results
from relax_lang.onnx.building.recurrent_cells import GATES, Cell, formula
from relax_lang.onnx.errors import Invalid, Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.onnx.building.builder import Builder
    from relax_lang.onnx.values import Value


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
        self.count = count
        self.kind = node.op
        hidden = dims.number(node.input(2).dims[2])
        if hidden is None:
            raise Refused("the extent of its state is not known")
        self.hidden = hidden
        self.gates = GATES[self.kind]
        self.length, self.batch = x.dims[0], x.dims[1]
        self.clip: float | None = node.attribute("clip")
        self.activations = self._activations()
        self.formulas = [one.formula for one in self.activations]
        self.w = self._part(1, [1, 0])
        self.r = self._part(2, [1, 0])
        bias = node.optional(3)
        self.linear_before_reset = self.kind == "GRU" and bool(node.int("linear_before_reset", 0))
        self.w_bias = self.r_bias = None
        if bias is not None:
            flat = self._part(3, [0])
            size = self.gates * self.hidden
            self.w_bias = self.b.slice(flat, [0], [0], [size])
            self.r_bias = self.b.slice(flat, [0], [size], [2 * size])
            if not self.linear_before_reset:  # then it is added before anything else is done with the sum
                self.w_bias, self.r_bias = self.b.op("add", self.w_bias, self.r_bias), None
        self.lengths = node.optional(4)
        self.first = [self._first(5, batch_first=batch_first)]
        self.peepholes: Value | None = None
        if self.kind == "LSTM":
            self.first.append(self._first(6, batch_first=batch_first))
            self.peepholes = self._part(7, [0]) if node.given(7) else None

    def _part(self, index: int, order: list[int]) -> Value:
        value = self.node.input(index)
        return self.b.transpose(self.b.reshape(self._own(value, 0), value.dims[1:]), order)

    def _own(self, value: Value, axis: int) -> Value:
        """Return what belongs to this direction."""
        return value if self.count == 1 else self.b.slice(value, [axis], [self.at], [self.at + 1])

    def _first(self, index: int, *, batch_first: bool) -> Value:
        value = self.node.optional(index)
        if value is None:
            return self.b.op("zeros", [self.batch, dims.dim(self.hidden)], dtype=self.x.dtype)
        return self.b.reshape(self._own(value, 1 if batch_first else 0), [self.batch, self.hidden])

    def _activations(self) -> list[_Activation]:
        """Return those of this direction; numbers are given in order to those that take some."""
        names = self.node.attribute("activations") or _DEFAULTS[self.kind] * self.count
        each = len(_DEFAULTS[self.kind])
        if len(names) != each * self.count:
            raise Invalid(f"it has {len(names)} activations, not {each * self.count}")
        alphas = list(self.node.attribute("activation_alpha") or [])
        betas = list(self.node.attribute("activation_beta") or [])
        return [_Activation(name, alphas, betas) for name in names][self.at * each :][:each]

    def run(self, *, backward: bool) -> tuple[Value, list[Value]]:
        """Return the states of all steps, in the order of the sequence, and the last states."""
        x = self._reversed(self.x) if backward else self.x
        single = dims.number(self.length) == 1
        rows, last = self._step(x) if single else self._steps(x)
        return (self._reversed(rows) if backward else rows), last

    def _inputs(self, x: Value) -> Value:
        made = self.b.op("matmul", x, self.w)
        return made if self.w_bias is None else self.b.op("add", made, self.w_bias)

    # All steps.

    def _steps(self, x: Value) -> tuple[Value, list[Value]]:
        """Write the call of a PrimFunc that goes through the steps. Halves are computed in float32."""
        b, dtype = self.b, self.x.dtype
        wide = dtype if dtype in ("float32", "float64") else "float32"
        apart, inputs = self.linear_before_reset, self._inputs(x)
        shape = [self.length, self.batch, self.gates, self.hidden]
        values = [b.reshape(inputs, shape), *self._weights(apart=apart)]
        if self.peepholes is not None:
            values.append(b.reshape(self.peepholes, [3, self.hidden]))
        values = [b.cast(one, wide) for one in values]
        if self.lengths is not None:
            values.append(b.cast(self.lengths, "int64"))
        values += [b.cast(one, wide) for one in self.first]
        cell = Cell(
            self.kind,
            self.formulas,
            clip=self.clip,
            has_lengths=self.lengths is not None,
            has_peepholes=self.peepholes is not None,
            input_forget=self.kind == "LSTM" and bool(self.node.int("input_forget", 0)),
            linear_before_reset=apart,
            dtype=wide,
        )
        state = (self.batch, dims.dim(self.hidden))
        shapes = [(self.length, *state), *[state] * len(self.first)]
        made = call_with_results(self.node, cell.prim_func(), values, shapes, [wide] * len(shapes))
        rows, *last = [b.cast(one, dtype) for one in made]
        return rows, last

    def _weights(self, *, apart: bool) -> list[Value]:
        """Return what multiplies states, with an axis for the gates, and biases of its own."""
        b, h = self.b, self.hidden
        if self.kind != "GRU":
            return [b.reshape(self.r, [h, self.gates, h])]
        if apart:
            bias = b.full([3 * h], 0, self.x.dtype) if self.r_bias is None else self.r_bias
            return [b.reshape(self.r, [h, 3, h]), b.reshape(bias, [3, h])]
        parts = [b.slice(self.r, [1], [0], [2 * h]), b.slice(self.r, [1], [2 * h], [3 * h])]
        return [b.reshape(parts[0], [h, 2, h]), b.reshape(parts[1], [h, 1, h])]

    # One step.

    def _step(self, x: Value) -> tuple[Value, list[Value]]:
        """Write the only step as operators."""
        b = self.b
        cell = {"LSTM": self._lstm, "GRU": self._gru, "RNN": self._rnn}[self.kind]
        now = b.reshape(self._inputs(x), [self.batch, self.gates * self.hidden])
        made = cell(b, now, self.first)
        output = made[0]
        if self.lengths is not None:
            alive = b.op("expand_dims", b.op("less", b.like(0, self.lengths), self.lengths), axis=1)
            made = [b.op("where", alive, new, old) for new, old in zip(made, self.first, strict=True)]
            output = b.op("where", alive, output, b.like(0, output))
        return b.op("expand_dims", output, axis=0), made

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
        if self.linear_before_reset:
            recurrent = self._recurrent(b, h)
            gates = f(b, self._clipped(b, b.op("add", gates, b.slice(recurrent, [1], [0], [size]))))
            z, r = self._gate(b, gates, 0), self._gate(b, gates, 1)
            reset = b.op("multiply", r, self._gate(b, recurrent, 2))
        else:
            part = b.op("matmul", h, b.slice(self.r, [1], [0], [size]))
            gates = f(b, self._clipped(b, b.op("add", gates, part)))
            z, r = self._gate(b, gates, 0), self._gate(b, gates, 1)
            reset = b.op("matmul", b.op("multiply", r, h), b.slice(self.r, [1], [size], [3 * self.hidden]))
        new = g(b, self._clipped(b, b.op("add", self._gate(b, now, 2), reset)))
        kept = b.op("multiply", z, h)
        return [b.op("add", b.op("multiply", b.op("subtract", b.like(1, z), z), new), kept)]

    def _lstm(self, b: Builder, now: Value, states: list[Value]) -> list[Value]:
        h, c = states
        f, g, out = self.activations
        total = b.op("add", now, self._recurrent(b, h))
        holes = self.peepholes
        if holes is None and f.name == "Sigmoid":  # three gates at once
            three = f(b, self._clipped(b, b.slice(total, [1], [0], [3 * self.hidden])))
            i, o, forget = [self._gate(b, three, at) for at in range(3)]
            new = g(b, self._clipped(b, self._gate(b, total, 3)))
            if self.node.int("input_forget", 0):
                forget = b.op("subtract", b.like(1, i), i)
            cell = b.op("add", b.op("multiply", forget, c), b.op("multiply", i, new))
            return [b.op("multiply", o, out(b, cell)), cell]
        parts = [self._gate(b, total, at) for at in range(4)]
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


_NUMBERS: dict[str, tuple[float | None, float | None]] = {
    "Affine": (1.0, 0.0),
    "Elu": (1.0, None),
    "HardSigmoid": (0.2, 0.5),
    "LeakyRelu": (0.01, None),
    "ScaledTanh": (1.0, 1.0),
    "ThresholdedRelu": (1.0, None),
}
"""The activations that take numbers, alpha and beta, and what these are if they are not given."""


class _Activation:
    """An activation of the standard, as operators and as a formula. It takes the numbers that it needs from lists."""

    def __init__(self, name: str, alphas: list[float], betas: list[float]) -> None:
        alpha, beta = _NUMBERS.get(name, (None, None))
        self.name = name
        self.alpha = alphas.pop(0) if alpha is not None and alphas else alpha
        self.beta = betas.pop(0) if beta is not None and betas else beta
        found = formula(name, self.alpha or 0.0, self.beta or 0.0)
        if found is None:
            raise Refused(f"the activation {name}")
        self.formula = found

    def __call__(self, b: Builder, x: Value) -> Value:
        simple = {"Sigmoid": "sigmoid", "Tanh": "tanh", "Relu": "nn.relu", "Softplus": "nn.softplus"}
        if self.name in simple:
            return b.op(simple[self.name], x)
        alpha, beta = b.like(self.alpha or 0.0, x), b.like(self.beta or 0.0, x)
        match self.name:
            case "Affine":
                return b.op("add", b.op("multiply", x, alpha), beta)
            case "HardSigmoid":
                return b.op("clip", b.op("add", b.op("multiply", x, alpha), beta), 0.0, 1.0)
            case "LeakyRelu":
                return b.op("where", b.op("less", x, b.like(0, x)), b.op("multiply", alpha, x), x)
            case "ThresholdedRelu":
                return b.op("where", b.op("greater", x, alpha), x, b.like(0, x))
            case "ScaledTanh":
                return b.op("multiply", alpha, b.op("tanh", b.op("multiply", beta, x)))
            case "Elu":
                low = b.op("multiply", alpha, b.op("subtract", b.op("exp", x), b.like(1, x)))
                return b.op("where", b.op("less", x, b.like(0, x)), low, x)
            case _:  # Softsign
                return b.op("divide", x, b.op("add", b.like(1, x), b.op("abs", x)))
