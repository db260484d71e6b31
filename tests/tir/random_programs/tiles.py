"""Random PrimFuncs that cut an image into tiles and multiply each with matrices, once or twice, as a transform does.

What varies: how the sizes are written (the image's, the numbers of tiles, symbolic or constant tiles), where a tile's
element is (an index of the image, or four dimensions), in how many stages the sums are, in which order the loops are,
how a sum begins, windows that overlap, types, and sizes from nothing to a frame of video.
"""

from __future__ import annotations

import random

import numpy as np

SIZES = ((0, 0), (0, 3), (1, 1), (1, 4), (2, 3), (3, 2), (5, 1), (60, 69))
"""Numbers of tiles; the last are those of an image of 480 by 552 in tiles of 8 by 8."""


class Tiles:
    """One random program, arguments for it, and its result by NumPy; `is_large` where an interpreter takes minutes."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.dtype = self.pick("float32", "float32", "float64", "int32", "int64")
        self.edge = self.pick(8, 8, 8, 4, 2, 1, 3)
        self.rows, self.columns = self.pick(*SIZES)
        self.is_large = self.rows * self.columns * self.edge**2 > 2000
        self.symbolic_edge = self.chance(0.4)
        self.t = "t" if self.symbolic_edge else str(self.edge)
        self.halves = self.pick("none", "left", "right", "both", "both", "both")
        self.source, self.target = self.pick("image", "image", "tiles"), self.pick("image", "image", "tiles")
        # The sizes of the image, or the numbers of tiles, are the names of the signature.
        self.by_tiles = self.chance(0.5) or "tiles" in (self.source, self.target)
        self.rest = (0, 0) if self.by_tiles else (self.pick(0, 0, 1), self.pick(0, 0, 2))
        self.text = self.program()

    def pick(self, *options):
        return self.random.choice(options)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def layout(self, kind: str) -> str:
        if kind == "tiles":
            return f"(r, c, {self.t}, {self.t})"
        return f"(r * {self.t}, c * {self.t})" if self.by_tiles else "(h, w)"

    def element(self, name: str, kind: str, u: str, v: str) -> str:
        if kind == "tiles":
            return f"{name}[p, q, {u}, {v}]"
        if self.chance(0.5):
            return f"{name}[p * {self.t} + {u}, q * {self.t} + {v}]"
        return f"{name}[{u} + {self.t} * p, {v} + {self.t} * q]"

    def nest(self, loops: list[tuple[str, str]], body: str) -> str:
        """Write loops around a body: one by one, or as grids."""
        while loops:
            count = self.random.randint(1, len(loops))
            inner, loops = loops[-count:], loops[:-count]
            names, stops = ", ".join([one for one, _ in inner]), ", ".join([stop for _, stop in inner])
            head = f"{names} in grid({stops})" if count > 1 else f"{names} in 0..{stops}"
            body = f"for {head} {{ {body} }}"
        return body

    def sum_of(
        self, target: str, term: str, outer: list[tuple[str, str]], inner: list[tuple[str, str]]
    ) -> str:
        """Write a sum into a target, over the inner loops for each step of the outer ones."""
        zero = "0.0" if "float" in self.dtype else "0"
        form = self.pick("inside", "before", "block", "block", "carried")
        mixed = [*outer, *inner]
        if form == "inside":
            return self.nest(outer, f"{target} = {zero}; {self.nest(inner, f'{target} += {term};')}")
        if form == "carried":
            total = f"{target} = {target} + {term};"
            return f"{self.nest(outer, f'{target} = {zero};')} {self.nest(mixed, total)}"
        if form == "before":
            if self.chance(0.5):
                self.random.shuffle(mixed)
            return f"{self.nest(outer, f'{target} = {zero};')} {self.nest(mixed, f'{target} += {term};')}"
        axes = ", ".join(
            [f"{name} = spatial({name})" for name, _ in outer]
            + [f"{name} = reduce({name})" for name, _ in inner]
        )
        return self.nest(mixed, f"block b ({axes}) {{ init {{ {target} = {zero}; }} {target} += {term}; }}")

    def program(self) -> str:
        t = self.t
        rows, columns = ("r", "c") if self.by_tiles else (f"h // {t}", f"w // {t}")
        tiles = [("p", rows), ("q", columns)]
        u, v, i, j = ("u", t), ("v", t), ("i", t), ("j", t)
        image, out = self.element, self.element("Y", self.target, "u", "v")
        left, right = self.pick("D[u, i]", "E[i, u]"), self.pick("D[v, j]", "E[j, v]")
        self.left, self.right = left[0], right[0]
        if self.halves == "none":
            body = self.nest([*tiles, u, v], f"{out} = {image('X', self.source, 'u', 'v')} * D[u, v];")
        elif self.halves == "left":
            term = self.product(left, image("X", self.source, "i", "v"))
            body = self.sum_of(out, term, [*tiles, u, v], [i])
        elif self.halves == "right":
            term = self.product(image("X", self.source, "u", "j"), right)
            body = self.sum_of(out, term, [*tiles, u, v], [j])
        elif self.chance(0.5):
            term = self.product(left, image("X", self.source, "i", "j"), right)
            body = self.sum_of(out, term, [*tiles, u, v], [i, j])
        else:
            kind = self.pick("tiles", "image", "tile")
            if kind == "tile":  # memory for one tile, in the loops over tiles
                term = self.product(left, image("X", self.source, "i", "v"))
                first = self.sum_of("T[u, v]", term, [u, v], [i])
                second = self.sum_of(out, self.product("T[u, j]", right), [u, v], [j])
                body = self.nest(tiles, f"alloc T: Buffer[({t}, {t}), {self.dtype}]; {first} {second}")
            else:
                stage = image("T", kind, "u", "v")
                first = self.sum_of(
                    stage, self.product(left, image("X", self.source, "i", "v")), [*tiles, u, v], [i]
                )
                term = self.product(image("T", kind, "u", "j"), right)
                second = self.sum_of(out, term, [*tiles, u, v], [j])
                shape = self.layout(kind) if kind == "image" else f"({rows}, {columns}, {t}, {t})"
                body = f"alloc T: Buffer[{shape}, {self.dtype}]; {first} {second}"
        counts = ", N: Buffer[(r, c), bool]" if self.by_tiles else ""  # which binds the numbers of tiles
        return (
            f"prim_func @f(X: Buffer[{self.layout(self.source)}, {self.dtype}], D: Buffer[({t}, {t}), {self.dtype}], "
            f"E: Buffer[({t}, {t}), {self.dtype}], Y: Buffer[{self.layout(self.target)}, {self.dtype}]{counts}) "
            f"{{ {body} }}\n"
        )

    def product(self, *factors: str) -> str:
        order = list(factors)
        self.random.shuffle(order)
        return " * ".join(order)

    def arguments(self) -> list[np.ndarray]:
        made = np.random.default_rng(self.random.randrange(1 << 30))
        t = self.edge
        image = (self.rows * t + min(self.rest[0], t - 1), self.columns * t + min(self.rest[1], t - 1))
        shapes = {"image": image, "tiles": (self.rows, self.columns, t, t)}
        small = [shapes[self.source], (t, t), (t, t), shapes[self.target]]
        values = [made.integers(-3, 4, shape).astype(self.dtype) for shape in small]
        return [*values, np.zeros((self.rows, self.columns), bool)] if self.by_tiles else values

    def expected(self, x: np.ndarray, d: np.ndarray, e: np.ndarray, y: np.ndarray) -> np.ndarray:
        t, rows, columns = self.edge, self.rows, self.columns
        if self.source == "image":
            x = x[: rows * t, : columns * t].reshape(rows, t, columns, t).swapaxes(1, 2)
        left = np.eye(t, dtype=x.dtype) if self.halves == "right" else d if self.left == "D" else e.T
        right = np.eye(t, dtype=x.dtype) if self.halves == "left" else d if self.right == "D" else e.T
        made = x * d if self.halves == "none" else np.matmul(np.matmul(left, x), right.T)
        if self.target == "tiles":
            return made
        result = y.copy()
        result[: rows * t, : columns * t] = made.swapaxes(1, 2).reshape(rows * t, columns * t)
        return result
