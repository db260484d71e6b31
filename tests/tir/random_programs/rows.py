"""Random PrimFuncs over rows of lengths that data choose, and arguments for them.

Bounds follow each other, or nearly: some rows are empty, some go backwards, lie apart, or outside of the arrays.
Floats hold small whole numbers, so that results are equal to the last bit.
"""

from __future__ import annotations

import random

import numpy as np

DTYPES = ("int64", "int32", "int8", "uint8", "float32", "float64")
BOUNDS = (
    ("P[r]", "P[r + 1]"), ("P[r]", "P[r + 1]"), ("P[r]", "P[r + 1]"), ("P[r] + 1", "P[r + 1] + 1"),
    ("2 * P[r]", "2 * P[r + 1]"), ("P[r] + r", "P[r + 1] + r + 1"), ("P[n - r]", "P[n - 1 - r]"),
    ("P[r]", "P[r] + Q[r]"), ("P[r] - P[0]", "P[r + 1] - P[0]"), ("cast(U[r], int64)", "cast(U[r + 1], int64)"),
)  # fmt: skip


class Rows:
    """One random program: `text`, and `arguments()` for it."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(f"rows {seed}")
        self.dtype, self.narrow = self.pick(*DTYPES), self.pick("int8", "uint8", "int32")
        self.size = self.pick(0, 1, 2, 3, 6, 80)
        self.low, self.high = self.pick(*BOUNDS)
        body = "\n".join([f"      {self.statement()}" for _ in range(self.pick(1, 1, 2))])
        self.text = f"""prim_func @f(P: Buffer[(n + 1,), int64], Q: Buffer[(n,), int64], U: Buffer[(n + 1,), int32],
    C: Buffer[(z,), int64], V: Buffer[(z,), {self.dtype}], N: Buffer[(z,), {self.narrow}],
    X: Buffer[(n,), {self.dtype}], Y: Buffer[(n,), {self.dtype}], T: Buffer[(n, 2), {self.dtype}],
    Z: Buffer[(z,), {self.dtype}]) {{
  for r in 0..n {{
    for p in {self.low}..{self.high} {{
{body}
    }}
  }}
}}
"""

    def pick(self, *options):
        return self.random.choice(options)

    def value(self, depth: int = 2) -> str:
        kind = self.random.random()
        if depth == 0 or kind < 0.5:
            other = f"cast(N[p], {self.dtype})"
            return self.pick(
                "V[p]", "V[p]", "X[r]", "2", "V[C[p]]", "X[C[p]]", other, f"cast(p, {self.dtype})"
            )
        if kind < 0.6:
            return f"max({self.value(depth - 1)}, {self.value(depth - 1)})"
        return f"({self.value(depth - 1)} {self.pick('+', '-', '*')} {self.value(depth - 1)})"

    def statement(self) -> str:
        target = self.pick("Y[r]", "Y[r]", "Y[r]", "Y[n - 1 - r]", "T[r, 1]", "Z[p]", "Y[C[p]]", "Y[0]")
        value = self.pick(self.value(), self.value(), f"cast(N[p], {self.dtype})", "1")
        step = self.pick(
            f"{target} += {value};", f"{target} += {value};", f"{target} -= {value};", f"{target} = {value};",
            f"{target} = max({target}, {value});", f"{target} = min({value}, {target});", f"{target} *= {value};",
        )  # fmt: skip
        return f"if {self.value(0)} > {self.value(0)} {{ {step} }}" if self.random.random() < 0.1 else step

    def arguments(self) -> list[object]:
        """Return arrays for the parameters."""
        rng = np.random.default_rng(self.random.randrange(1 << 30))
        n, low = self.size, 0 if self.dtype.startswith("u") else -2
        lengths = rng.integers(0, self.pick(1, 3, 6), n)
        starts = np.concatenate([[self.pick(0, 0, 0, 1)], lengths]).cumsum()
        if self.low == "P[n - r]":
            starts = starts[::-1].copy()
        if self.random.random() < 0.15 and n:
            starts[rng.integers(0, n + 1)] = self.pick(-1, 0, 2, int(starts[-1]) + 1, 500, -500)
        z = max(0, int(lengths.sum()) * (2 if self.low.startswith("2") else 1) + self.pick(0, 0, 1, n + 1))
        few = 2 if n > 20 else 3
        whole = [rng.integers(low, few, size).astype(self.dtype) for size in (z, n, n, (n, 2), z)]
        places = rng.integers(0, max(1, min(n, z) + (self.random.random() < 0.1)), z)
        narrow = rng.integers(0, few, z).astype(self.narrow)
        uneven = starts.astype(np.int32)
        return [starts, lengths, uneven, places, whole[0], narrow, *whole[1:]]
