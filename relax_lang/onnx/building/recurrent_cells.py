"""PrimFuncs of recurrent cells: all steps of an LSTM, a GRU or an RNN in one direction, as text.

What the inputs add to the gates is computed for all steps beforehand, as one product; a step multiplies the state with
the weights of all gates at once. Gates lie along an axis of their own, in the standard's order: i o f c, or z r h.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Formula = Callable[[str], str]


class Cell:
    """A cell: its kind, the formulas of its activations, and its variations."""

    def __init__(
        self,
        kind: str,
        activations: list[Formula],
        *,
        clip: float | None = None,
        has_lengths: bool = False,
        has_peepholes: bool = False,
        input_forget: bool = False,
        linear_before_reset: bool = False,
        dtype: str = "float32",
    ) -> None:
        self.kind = kind
        self.activations = activations
        self.clip = clip
        self.has_lengths = has_lengths
        self.has_peepholes = has_peepholes
        self.input_forget = input_forget
        self.linear_before_reset = linear_before_reset
        self.dtype = dtype

    def prim_func(self) -> str:
        """Return the text of the PrimFunc: `Inputs` (t, b, gates, h) first, `Y` and the last states as results."""
        params, body = {"LSTM": self._lstm, "GRU": self._gru, "RNN": self._rnn}[self.kind]()
        lengths = ["Lengths: Buffer[(b,), int64]"] if self.has_lengths else []
        cell = self.kind == "LSTM"
        state = "Buffer[(b, h)"
        every = [
            f"Inputs: Buffer[(t, b, {GATES[self.kind]}, h)",
            *params,
            *lengths,
            f"H0: {state}",
            *([f"C0: {state}"] if cell else []),
            "Y: Buffer[(t, b, h)",
            f"H: {state}",
            *([f"C: {state}"] if cell else []),
        ]
        head = "".join([f"  {one if one.endswith(']') else f'{one}, {self.dtype}]'},\n" for one in every])
        first = f"for i, j in grid(b, h) {{ H[i, j] = H0[i, j]; {'C[i, j] = C0[i, j];' if cell else ''} }}"
        return f"private prim_func @{self.kind.lower()}(\n{head}) {{ {first} for s in 0..t {{ {body} }} }}"

    def _clipped(self, value: str) -> str:
        if self.clip is None:
            return value
        return f"min(max({value}, {_number(-self.clip)}), {_number(self.clip)})"

    def _active(self, at: int, value: str) -> str:
        return self.activations[at](self._clipped(value))

    def _kept(self, state: str, value: str) -> str:
        """Return the new value of a state: a sequence that has ended keeps its own."""
        return (
            f"{state} = select(s < Lengths[i], {value}, {state});"
            if self.has_lengths
            else f"{state} = {value};"
        )

    def _output(self) -> str:
        zero = "select(s < Lengths[i], H[i, j], 0.0)"
        return f"Y[s, i, j] = {zero if self.has_lengths else 'H[i, j]'};"

    def _product(self, target: str, gates: int, weights: str, first: str, state: str = "H") -> str:
        """Return the loops that add the product of a state and the weights of some gates to `first`."""
        added = f"for k in 0..h {{ {target}[i, g, j] += {state}[i, k] * {weights}[k, g, j]; }}"
        alloc = f"alloc {target}: Buffer[(b, {gates}, h), {self.dtype}];"
        return f"{alloc} for i, g, j in grid(b, {gates}, h) {{ {target}[i, g, j] = {first}; {added} }}"

    def _rnn(self) -> tuple[list[str], str]:
        body = self._product("G", 1, "R", "Inputs[s, i, g, j]")
        new = self._kept("H[i, j]", self._active(0, "G[i, 0, j]"))
        return ["R: Buffer[(h, 1, h)"], f"{body} for i, j in grid(b, h) {{ {new} {self._output()} }}"

    def _gru(self) -> tuple[list[str], str]:
        if self.linear_before_reset:
            body = self._product("G", 3, "R", "Bias[g, j]")
            gate = f"G[i, g, j] = {self._active(0, 'Inputs[s, i, g, j] + G[i, g, j]')};"
            body += f" for i, g, j in grid(b, 2, h) {{ {gate} }} "
            new = self._mixed("Inputs[s, i, 2, j] + G[i, 1, j] * G[i, 2, j]")
            return ["R: Buffer[(h, 3, h)", "Bias: Buffer[(3, h)"], body + new
        body = self._product("G", 2, "R", "Inputs[s, i, g, j]")
        body += f" for i, g, j in grid(b, 2, h) {{ G[i, g, j] = {self._active(0, 'G[i, g, j]')}; }}"
        body += f" alloc Reset: Buffer[(b, h), {self.dtype}];"
        body += " for i, j in grid(b, h) { Reset[i, j] = G[i, 1, j] * H[i, j]; } "
        body += self._product("N", 1, "R2", "Inputs[s, i, 2, j]", "Reset")
        return ["R: Buffer[(h, 2, h)", "R2: Buffer[(h, 1, h)"], body + self._mixed("N[i, 0, j]")

    def _mixed(self, seen: str) -> str:
        """Return the loop that mixes a new state of a GRU with its old one."""
        new = f"let seen = {self._clipped(seen)}; let new = {self.activations[1]('seen')};"
        kept = self._kept("H[i, j]", "(1.0 - G[i, 0, j]) * new + G[i, 0, j] * H[i, j]")
        return f"for i, j in grid(b, h) {{ {new} {kept} {self._output()} }}"

    def _lstm(self) -> tuple[list[str], str]:
        body = self._product("G", 4, "R", "Inputs[s, i, g, j]")
        if self.has_peepholes:
            seen = "G[i, 0, j] += P[0, j] * C[i, j]; G[i, 2, j] += P[2, j] * C[i, j];"
            gates = [f"G[i, {g}, j] = {self._active(0, f'G[i, {g}, j]')};" for g in (0, 2)]
            body += f" for i, j in grid(b, h) {{ {seen} {' '.join(gates)} }}"
            output = self._active(0, "G[i, 1, j] + P[1, j] * C[i, j]")
        else:
            body += f" for i, g, j in grid(b, 3, h) {{ G[i, g, j] = {self._active(0, 'G[i, g, j]')}; }}"
            output = "G[i, 1, j]"
        forget = "(1.0 - G[i, 0, j])" if self.input_forget else "G[i, 2, j]"
        cell = self._kept("C[i, j]", f"{forget} * C[i, j] + G[i, 0, j] * {self._active(1, 'G[i, 3, j]')}")
        state = self._kept("H[i, j]", f"{output} * {self.activations[2]('C[i, j]')}")
        body += f" for i, j in grid(b, h) {{ {cell} {state} {self._output()} }}"
        return ["R: Buffer[(h, 4, h)", *(["P: Buffer[(3, h)"] if self.has_peepholes else [])], body


GATES = {"LSTM": 4, "GRU": 3, "RNN": 1}


def formula(name: str, alpha: float, beta: float) -> Formula | None:
    """Return how an activation of the standard is written over numbers, or None if there is no such activation."""
    a, b = _number(alpha), _number(beta)
    table: dict[str, Formula] = {
        "Sigmoid": lambda x: f"sigmoid({x})",
        "Tanh": lambda x: f"tanh({x})",
        "Relu": lambda x: f"max({x}, 0.0)",
        "Softplus": lambda x: f"(max({x}, 0.0) + log(1.0 + exp(-abs({x}))))",
        "Softsign": lambda x: f"(({x}) / (1.0 + abs({x})))",
        "Affine": lambda x: f"({a} * ({x}) + {b})",
        "HardSigmoid": lambda x: f"min(max({a} * ({x}) + {b}, 0.0), 1.0)",
        "LeakyRelu": lambda x: f"select({x} < 0.0, {a} * ({x}), {x})",
        "ThresholdedRelu": lambda x: f"select({x} > {a}, {x}, 0.0)",
        "ScaledTanh": lambda x: f"({a} * tanh({b} * ({x})))",
        "Elu": lambda x: f"select({x} < 0.0, {a} * (exp({x}) - 1.0), {x})",
    }
    return table.get(name)


def _number(value: float) -> str:
    """Return a number as the shortest text that gives it back in float32, as attributes are."""
    import numpy as np

    shown = repr(float(str(np.float32(value))))
    return shown if value >= 0 else f"({shown})"
