"""Calls of operators with their values, for `written_and_evaluated`."""

from __future__ import annotations

import math
import random
from itertools import product
from typing import Any

from tests.runtime.interpreter.plain_tensors import DTYPES, T, elementwise, moved, reduced, tamed


class Operators:
    """What `x` becomes under an operator: the text of the call, and its value; None where it does not fit."""

    random: random.Random
    sizes: dict[str, int]

    def pick(self, *options: Any) -> Any:
        return self.random.choice(options)

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def typed(self, depth: int) -> tuple[str, T]:
        raise NotImplementedError

    def tensor_of(self, dtype: str) -> tuple[str, T]:
        raise NotImplementedError

    def dim_of(self, size: int) -> str:
        raise NotImplementedError

    def fitting(self, x: T, depth: int) -> tuple[str, T] | None:
        """Return another operand of the same dtype that broadcasts with one."""
        other, y = self.tensor_of(x.dtype) if self.chance(0.7) else self.typed(depth - 1)
        sizes = zip(reversed(x.shape), reversed(y.shape), strict=False)
        fits = y.dtype == x.dtype and all(a == b or 1 in (a, b) for a, b in sizes)
        return (other, y) if fits else None

    def make_binary(self, text: str, x: T, depth: int) -> tuple[str, T] | None:
        found = self.fitting(x, depth)
        if found is None:
            return None
        other, y = found
        if x.dtype == "bool":
            op, compute = self.pick(("&&", lambda a, b: a and b), ("||", lambda a, b: a or b))
        else:
            op, compute = self.pick(
                ("+", lambda a, b: a + b), ("-", lambda a, b: a - b), ("*", lambda a, b: a * b),
                ("maximum", max), ("minimum", min),
            )  # fmt: skip
        if x.dtype.startswith("int") and 0 not in y.items and self.chance(0.3):
            op, compute = self.pick(("//", lambda a, b: a // b), ("%", lambda a, b: a % b))
        shown = f"{op}({text}, {other})" if op.isalpha() else f"({text} {op} {other})"
        return shown, elementwise(x.dtype, compute, x, y)

    def make_compare(self, text: str, x: T, depth: int) -> tuple[str, T] | None:
        found = self.fitting(x, depth)
        if found is None or x.dtype == "bool":
            return None
        op = self.pick("<", "<=", ">", ">=", "==", "!=")
        compute = {"<": lambda a, b: a < b, "<=": lambda a, b: a <= b, ">": lambda a, b: a > b,
                   ">=": lambda a, b: a >= b, "==": lambda a, b: a == b, "!=": lambda a, b: a != b}[op]  # fmt: skip
        return f"({text} {op} {found[0]})", elementwise("bool", compute, x, found[1])

    def make_unary(self, text: str, x: T, depth: int) -> tuple[str, T] | None:
        if x.dtype == "bool":
            return f"(!{text})", elementwise("bool", lambda a: not a, x)
        op, compute = self.pick(("abs", abs), ("negative", lambda a: -a), ("square", lambda a: a * a))
        return f"{op}({text})", elementwise(x.dtype, compute, x)

    def make_reduce(self, text: str, x: T, depth: int) -> tuple[str, T] | None:
        if not x.shape or x.dtype == "bool":
            return None
        axis = self.random.randrange(len(x.shape))
        if x.shape[axis] == 0:
            return None
        op, compute = self.pick(("sum", sum), ("max", max), ("min", min), ("prod", math.prod))
        keep = self.chance(0.5)
        at = axis - len(x.shape) if self.chance(0.3) else axis
        return f"{op}({text}, axis={at}, keepdims={str(keep).lower()})", reduced(x, axis, compute, keep=keep)

    def make_permute(self, text: str, x: T, depth: int) -> tuple[str, T] | None:
        axes = list(range(len(x.shape)))
        self.random.shuffle(axes)
        return (f"permute_dims({text}, axes={axes})", moved(x, axes)) if len(axes) > 1 else None

    def make_reshape(self, text: str, x: T, depth: int) -> tuple[str, T] | None:
        count = len(x.items)
        if count == 0:
            return None
        first = self.pick(*[size for size in range(1, count + 1) if count % size == 0])
        one, rest = self.dim_of(first), self.dim_of(count // first)
        form = self.pick(f"shape({one}, {rest})", f"shape({one}, -1)", f"shape(-1, {rest})")
        return f"reshape({text}, {form})", T(x.dtype, (first, count // first), x.items)

    def make_concat(self, text: str, x: T, depth: int) -> tuple[str, T] | None:
        if not x.shape:
            return None
        y = T(
            x.dtype,
            x.shape,
            [tamed(0, x.dtype) if x.dtype == "bool" else tamed(a * 2, x.dtype) for a in x.items],
        )
        name_text = (
            f"logical_and({text}, const(false))" if x.dtype == "bool" else f"({text} * const(2, {x.dtype}))"
        )
        axis = self.random.randrange(len(x.shape))
        shape = tuple([size * 2 if at == axis else size for at, size in enumerate(x.shape)])
        items = []
        for place in product(*[range(size) for size in shape]):
            half = place[axis] >= x.shape[axis]
            inner = (*place[:axis], place[axis] - x.shape[axis] * half, *place[axis + 1 :])
            items.append((y if half else x).at(inner))
        return f"concat(({text}, {name_text}), axis={axis})", T(x.dtype, shape, items)

    def make_stack(self, text: str, x: T, depth: int) -> tuple[str, T] | None:
        if len(x.shape) > 2:
            return None
        return f"stack(({text}, {text}), axis=0)", T(x.dtype, (2, *x.shape), [*x.items, *x.items])

    def make_expand(self, text: str, x: T, depth: int) -> tuple[str, T] | None:
        if len(x.shape) > 2:
            return None
        axis = self.random.randrange(len(x.shape) + 1)
        return f"expand_dims({text}, axis={axis})", T(x.dtype, (*x.shape[:axis], 1, *x.shape[axis:]), x.items)

    def make_squeeze(self, text: str, x: T, depth: int) -> tuple[str, T] | None:
        ones = [at for at, size in enumerate(x.shape) if size == 1]
        if not ones:
            return None
        axis = self.pick(*ones)
        return f"squeeze({text}, axis={axis})", T(x.dtype, (*x.shape[:axis], *x.shape[axis + 1 :]), x.items)

    def make_slice(self, text: str, x: T, depth: int) -> tuple[str, T] | None:
        if not x.shape:
            return None
        axis = self.random.randrange(len(x.shape))
        size = x.shape[axis]
        begin, end, step = self.pick(0, 0, 1, -1, -2), self.pick(1, 2, size, -1, 100), self.pick(1, 1, 2)
        kept = list(range(size))[begin:end:step]
        if begin < -size:
            return None
        shape = (*x.shape[:axis], len(kept), *x.shape[axis + 1 :])
        items = [
            x.at((*at[:axis], kept[at[axis]], *at[axis + 1 :]))
            for at in product(*[range(one) for one in shape])
        ]
        return f"strided_slice({text}, ({axis},), ({begin},), ({end},), ({step},))", T(x.dtype, shape, items)

    def make_take(self, text: str, x: T, depth: int) -> tuple[str, T] | None:
        if not x.shape or 0 in x.shape:
            return None
        axis = self.random.randrange(len(x.shape))
        kept = [self.random.randrange(x.shape[axis]) for _ in range(self.pick(1, 2, 3))]
        shape = (*x.shape[:axis], len(kept), *x.shape[axis + 1 :])
        items = [
            x.at((*at[:axis], kept[at[axis]], *at[axis + 1 :]))
            for at in product(*[range(one) for one in shape])
        ]
        return f"take({text}, const({kept}, int64), axis={axis})", T(x.dtype, shape, items)

    def make_where(self, text: str, x: T, depth: int) -> tuple[str, T] | None:
        found = self.fitting(x, depth)
        condition = self.tensor_of("bool")
        flags = condition[1]
        if found is None or flags.shape != ():
            return None
        made = elementwise(x.dtype, lambda c, a, b: a if c else b, flags, x, found[1])
        return f"where({condition[0]}, {text}, {found[0]})", made

    def make_size(self, text: str, x: T, depth: int) -> tuple[str, T] | None:
        if x.dtype == "bool" or not self.sizes:
            return None
        name = self.pick(*self.sizes)
        form, size = self.pick((name, self.sizes[name]), (f"({name} * 2 + 1)", self.sizes[name] * 2 + 1))
        return f"({text} * {form})", elementwise(x.dtype, lambda a: a * size, x)

    def make_convert(self, text: str, x: T, depth: int) -> tuple[str, T] | None:
        dtype = self.pick(*DTYPES)
        compute = {"bool": lambda a: a != 0, "float32": float}.get(dtype, int)
        return f"astype({text}, dtype={dtype})", elementwise(dtype, compute, x)

    def make_flip(self, text: str, x: T, depth: int) -> tuple[str, T] | None:
        if not x.shape:
            return None
        axis = self.random.randrange(len(x.shape))
        items = [x.at((*at[:axis], x.shape[axis] - 1 - at[axis], *at[axis + 1 :]))
                 for at in product(*[range(one) for one in x.shape])]  # fmt: skip
        return f"flip({text}, axis={axis})", T(x.dtype, x.shape, items)

    def make_tile(self, text: str, x: T, depth: int) -> tuple[str, T] | None:
        if len(x.shape) != 1:
            return None
        return f"tile({text}, repeats=[2])", T(x.dtype, (x.shape[0] * 2,), x.items * 2)

    def make_repeat(self, text: str, x: T, depth: int) -> tuple[str, T] | None:
        if len(x.shape) != 1:
            return None
        return f"repeat({text}, repeats=2, axis=0)", T(
            x.dtype, (x.shape[0] * 2,), [a for a in x.items for _ in (0, 1)]
        )

    def make_cumsum(self, text: str, x: T, depth: int) -> tuple[str, T] | None:
        if len(x.shape) != 1 or x.dtype == "bool":
            return None
        sums = [tamed(sum(x.items[: at + 1]), x.dtype) for at in range(len(x.items))]
        return f"cumsum({text}, axis=0)", T(x.dtype, x.shape, sums)
