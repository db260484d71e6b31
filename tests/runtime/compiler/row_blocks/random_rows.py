"""Random functions whose bindings are operators and PrimFuncs on rows, written from the pages of the operators.

Values are small whole numbers, NaN, infinities and zeros of both signs, so that sums and products are exact in any
order; functions that round are left out, but for those whose result is a number of the operand.
"""

from __future__ import annotations

import random

import numpy as np

from tests.runtime.compiler.row_blocks.row_bindings import FLOATS, MAKERS, WHOLE, RowBindings, V

SHAPES = (
    ("n", "4"), ("n", "4"), ("n", "4"), ("n", "4"), ("n", "m"), ("n", "m"), ("n", "2"), ("n",), ("m", "n"), ("4", "n"),
    ("n", "2", "3"), ("2", "n", "2"), ("4",), ("m",), ("1", "4"), ("m", "4"), ("4", "4"), (), ("n * 2", "2"),
    ("n", "1"), ("1", "n"),
)  # fmt: skip
PRIM_FUNCS = """
prim_func @scaled(X: Buffer[(a, b), T], Y: Buffer[(a, b), T]) {
  for i, j in grid(a, b) { Y[i, j] = X[i, j] * C2 + C1; }
}
prim_func @plus(X: Buffer[(a, b), T], Z: Buffer[(a, b), T], Y: Buffer[(a, b), T]) {
  for i, j in grid(a, b) { Y[i, j] = X[i, j] + Z[i, j]; }
}
prim_func @centred(X: Buffer[(a, b), T], Y: Buffer[(a, b), T]) {
  alloc S: Buffer[(a,), T];
  for i in 0..a { S[i] = C0; }
  for i, j in grid(a, b) { S[i] += X[i, j]; }
  for i, j in grid(a, b) { Y[i, j] = X[i, j] - S[i]; }
}
prim_func @largest(X: Buffer[(a, b), T], Y: Buffer[(a,), T]) {
  for i, j in grid(a, b) { block m (v = spatial(i), r = reduce(j)) { init { Y[v] = LOW; } Y[v] = max(Y[v], X[v, r]); } }
}
prim_func @running(X: Buffer[(a, b), T], Y: Buffer[(a, b), T]) {
  for i, j in grid(a, b) { if j == 0 { Y[i, j] = X[i, j]; } else { Y[i, j] = Y[i, j - 1] + X[i, j]; } }
}
prim_func @counted(X: Buffer[(a, b), T], Y: Buffer[(a, b), T]) {
  for i, j in grid(a, b) { Y[i, j] = X[i, j] + cast(a + j, T); }
}
prim_func @numbered(X: Buffer[(a, b), T], Y: Buffer[(a, b), T]) {
  for i, j in grid(a, b) { Y[i, j] = X[i, j] + cast(i, T); }
}
prim_func @after(X: Buffer[(a, b), T], Y: Buffer[(a, b), T]) {
  for i, j in grid(a, b) { Y[i, j] = X[(i + 1) % a, j]; }
}
prim_func @checked(X: Buffer[(a, b), T], Y: Buffer[(a, b), T]) {
  for i, j in grid(a, b) { assert X[i, j] != C3, "three"; Y[i, j] = X[i, j]; }
}
prim_func @picked(X: Buffer[(a, b), T], I: Buffer[(a,), int64], Y: Buffer[(a,), T]) {
  for i in 0..a { Y[i] = X[i, I[i]]; }
}
prim_func @looked(X: Buffer[(c, b), T], I: Buffer[(a,), int64], Y: Buffer[(a, b), T]) {
  for i, j in grid(a, b) { if I[i] >= 0 { Y[i, j] = X[I[i], j]; } else { Y[i, j] = C1; } }
}
prim_func @padded(X: Buffer[(a, b), T], Y: Buffer[(a, b + 2), T]) {
  for i, j in grid(a, b + 2) { Y[i, j] = if_then_else(j > 0 && j <= b, X[i, j - 1], C0); }
}
prim_func @columns(X: Buffer[(a, b), T], Y: Buffer[(b,), T]) {
  for j in 0..b { Y[j] = C0; }
  for i, j in grid(a, b) { Y[j] += X[i, j]; }
}
"""
LEAST = {"float32": "min_value(float32)", "int64": "min_value(int64)"}


def prim_funcs() -> str:
    """Return the PrimFuncs for two dtypes."""
    texts: list[str] = []
    for dtype in ("float32", "int64"):
        text = (
            PRIM_FUNCS.replace(", T]", f", {dtype}]")
            .replace(", T)", f", {dtype})")
            .replace("LOW", LEAST[dtype])
        )
        for number in range(4):
            text = text.replace(f"C{number}", f"{number}.0" if dtype == "float32" else str(number))
        texts.append(text.replace("(X:", f"_{dtype}(X:"))
    return "".join(texts)


class RandomRows(RowBindings):
    """A function `main` of a few tensors, and arguments for it."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.values: list[V] = []
        self.tuples = 0
        self.indices: set[str] = set()
        self.params = [self._param(at) for at in range(self.random.randint(1, 4))]
        if len(self.params) > 1 and seed % 3 == 1:  # so that one array can be given twice
            self.params[1] = V("x1", self.params[0].dims, self.params[0].dtype)
        index = V("at", ("n",), "int64")
        lookup = V("table", ("3", self.one("4", "m")), self.one("float32", "int64"))
        self.params += [index, lookup]
        self.indices.add("at")
        self.values = [*self.params]
        self.makers = [*MAKERS[:6], *self.random.sample(MAKERS, self.random.randint(1, 8))]
        for _ in range(self.random.randint(3, 11)):
            self.binding()
        count = self.random.choice((1, 1, 2, 3))
        recent = self.values[len(self.params) :] or self.values
        chosen = [self.random.choice(recent[-4:]) for _ in range(count)]
        if self.random.random() < 0.15:
            chosen.append(self.random.choice(self.values))
        names = ", ".join([one.name for one in chosen])
        params = ", ".join([f"{one.name}: {one.info}" for one in [*self.params]])
        body = "\n  ".join([*self.lines, f"({names})" if len(chosen) > 1 else names])
        sizes = "s: Shape[(n, m)]"
        self.text = f"{prim_funcs()}\ndef @main({sizes}, {params}) {{\n  {body}\n}}\n"

    def _param(self, at: int) -> V:
        dims = self.random.choice(SHAPES)
        dtype = self.one(*FLOATS, *WHOLE, "bool", "float32", "int64")
        return V(f"x{at}", dims, dtype)

    # Arguments.

    def arguments(self, n: int, m: int, wrong: bool) -> list[np.ndarray]:
        """Return tensors for some sizes; with `wrong` some of the indices lie outside."""
        made: list[np.ndarray] = []
        for one in self.params:
            shape = tuple(eval(dim, {"n": n, "m": m}) for dim in one.dims)
            made.append(self._tensor(one, shape, wrong))
        same = [
            (i, j)
            for i in range(len(made))
            for j in range(i)
            if (made[i].shape, made[i].dtype) == (made[j].shape, made[j].dtype)
        ]
        if same and self.random.random() < 0.3:
            i, j = self.random.choice(same)
            if not {self.params[i].name, self.params[j].name} & self.indices:
                made[i] = made[j]
        return made

    def _tensor(self, one: V, shape: tuple[int, ...], wrong: bool) -> np.ndarray:
        numbers = np.random.default_rng(self.random.randrange(2**32))
        if one.name in self.indices:
            low, high = (-4, 5) if wrong else (0, 3)
            return numbers.integers(low, high, shape).astype(one.dtype)
        if one.dtype == "bool":
            return numbers.integers(0, 2, shape).astype(bool)
        if one.dtype == "uint8":
            return numbers.integers(0, 256, shape).astype(one.dtype)
        made = numbers.integers(-4, 5, shape).astype(one.dtype)
        if one.dtype.startswith("f"):
            chosen = numbers.integers(0, 40, shape)
            for at, special in enumerate((np.nan, np.inf, -np.inf, -0.0)):
                made = np.where(chosen == at, np.array(special, one.dtype), made)
        elif self.random.random() < 0.3:
            made = np.where(numbers.integers(0, 9, shape) == 0, np.iinfo(one.dtype).max, made)
        return np.asarray(made, one.dtype).reshape(shape)
