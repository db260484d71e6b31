"""Bindings of random functions on rows: one method for each kind of them, which draws its operands."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

FLOATS = ("float32", "float32", "float32", "float64")
WHOLE = ("int64", "int32", "int8", "uint8")
SIZES = ("n", "m")


@dataclass(frozen=True)
class V:
    """A variable: its name, extents and dtype."""

    name: str
    dims: tuple[str, ...]
    dtype: str

    @property
    def rank(self) -> int:
        return len(self.dims)

    @property
    def info(self) -> str:
        dims = ", ".join(self.dims) + ("," if self.rank == 1 else "")
        return f"Tensor[({dims}), {self.dtype}]"


class RowBindings:
    """The lines of a function, and the variables that they may use. `indices` are the names of index tensors."""

    random: random.Random
    lines: list[str]
    values: list[V]
    makers: list[Callable[[RowBindings], bool]]
    indices: set[str]
    tuples: int = 0

    def one(self, *options: str) -> str:
        return self.random.choice(options)

    def binding(self) -> None:
        for _ in range(30):
            if self.random.choice(self.makers)(self):
                return

    def let(self, value: str, dims: tuple[str, ...], dtype: str) -> bool:
        if len(dims) > 4 or sum(one not in "1234567" for one in dims) > 3:
            return False
        name = f"v{len(self.lines)}"
        shadowed = [one for one in self.values if one.dims == dims and one.dtype == dtype]
        if shadowed and self.random.random() < 0.05:
            name = self.random.choice(shadowed).name
            self.values = [one for one in self.values if one.name != name]
            self.indices.discard(name)
        self.lines.append(f"let {name} = {value};")
        self.values.append(V(name, dims, dtype))
        return True

    def pick(self, fits: Callable[[V], bool] = lambda _: True) -> V | None:
        found = [one for one in self.values if fits(one)]
        if not found:
            return None
        return self.random.choice(found[-2:] if self.random.random() < 0.8 else found)

    def binary(self) -> bool:
        a = self.pick()
        if a is None:
            return False
        b = self.pick(lambda one: one.dtype == a.dtype and _broadcast(a.dims, one.dims) is not None)
        if b is None:
            return False
        kinds = ["maximum", "minimum", "equal", "less", "greater_equal", "not_equal"]
        if a.dtype == "bool":
            kinds = ["logical_and", "logical_or", "logical_xor", "equal"]
        else:
            kinds += ["add", "subtract", "multiply", "add", "subtract"]
        if a.dtype in WHOLE:
            kinds += ["bitwise_and", "bitwise_xor", "floor_divide" if self.random.random() < 0.2 else "add"]
        word = self.one(*kinds)
        made = "bool" if word in ("equal", "less", "greater_equal", "not_equal") else a.dtype
        dims = _broadcast(a.dims, b.dims)
        assert dims is not None
        pair = (a.name, b.name) if self.random.random() < 0.5 else (b.name, a.name)
        return self.let(f"{word}({pair[0]}, {pair[1]})", dims, made)

    def unary(self) -> bool:
        a = self.pick()
        if a is None:
            return False
        if a.dtype == "bool":
            return self.let(f"logical_not({a.name})", a.dims, "bool")
        if a.dtype.startswith("f"):
            word = self.one("nn.relu", "abs", "negative", "floor", "sign", "isnan", "isfinite", "square")
            return self.let(f"{word}({a.name})", a.dims, "bool" if word.startswith("is") else a.dtype)
        return self.let(f"{self.one('abs', 'negative', 'sign', 'square')}({a.name})", a.dims, a.dtype)

    def constant(self) -> bool:
        a = self.pick(lambda one: one.dtype != "bool")
        if a is None:
            return False
        number = self.one("2", "3", "1") + (".0" if a.dtype.startswith("f") else "")
        word = self.one(
            "add", "multiply", "subtract", "minimum", "floor_divide" if a.dtype in WHOLE else "maximum"
        )
        return self.let(f"{word}({a.name}, const({number}, {a.dtype}))", a.dims, a.dtype)

    def cast(self) -> bool:
        a = self.pick()
        if a is None or a.name in self.indices:
            return False
        to = self.one("float32", "float64", "int64", "bool")
        if a.dtype.startswith("f") and to == "int64":
            return self.let(
                f"astype(clip(where(isnan({a.name}), zeros_like({a.name}), {a.name}), -9.0, 9.0), dtype=int64)",
                a.dims,
                to,
            )
        return self.let(f"astype({a.name}, dtype={to})", a.dims, to)

    def choose(self) -> bool:
        a = self.pick(lambda one: one.dtype == "bool")
        if a is None:
            return False
        b = self.pick(lambda one: _broadcast(a.dims, one.dims) is not None)
        if b is None:
            return False
        c = self.pick(
            lambda one: (
                one.dtype == b.dtype and _broadcast(_broadcast(a.dims, b.dims) or (), one.dims) is not None
            )
        )
        if c is None:
            return False
        dims = _broadcast(_broadcast(a.dims, b.dims) or (), c.dims)
        assert dims is not None
        return self.let(f"where({a.name}, {b.name}, {c.name})", dims, b.dtype)

    def reduction(self) -> bool:
        a = self.pick(lambda one: one.rank > 0 and one.dtype != "bool")
        if a is None:
            return False
        axes = sorted(self.random.sample(range(a.rank), self.random.randint(1, min(2, a.rank))))
        keep = self.random.random() < 0.4
        word = self.one("sum", "max", "min", "sum", "argmax")
        if (
            word in ("max", "min")
            and any(a.dims[one] in (*SIZES, "n * 2") for one in axes)
            and self.random.random() < 0.7
        ):
            return False  # of nothing it fails
        dims = tuple(["1" if at in axes else one for at, one in enumerate(a.dims) if keep or at not in axes])
        more = ", keepdims=true" if keep else ""
        if word == "argmax":
            if len(axes) > 1 or a.dims[axes[0]] in SIZES:
                return False
            return self.let(f"argmax({a.name}, axis={axes[0]}{more})", dims, "int64")
        return self.let(f"{word}({a.name}, axis={axes}{more})", dims, a.dtype)

    def along(self) -> bool:
        a = self.pick(lambda one: one.rank > 0 and one.dtype != "bool")
        if a is None:
            return False
        axis = self.random.randrange(a.rank)
        word = self.one("cumsum", "sort", "argsort", "flip", "flip")
        if word == "cumsum":
            if a.dtype in ("int8", "uint8", "int32"):
                return False
            return self.let(f"cumsum({a.name}, axis={axis})", a.dims, a.dtype)
        if word == "argsort":
            return self.let(f"argsort({a.name}, axis={axis}, dtype=int64)", a.dims, "int64")
        return self.let(f"{word}({a.name}, axis={axis})", a.dims, a.dtype)

    def moved(self) -> bool:
        a = self.pick(lambda one: one.rank > 0)
        if a is None:
            return False
        kind = self.random.randrange(9)
        at = self.random.randrange(a.rank)
        if kind == 0:
            order = self.random.sample(range(a.rank), a.rank)
            return self.let(
                f"permute_dims({a.name}, axes={order})", tuple(a.dims[one] for one in order), a.dtype
            )
        if kind == 1:
            at = self.random.randrange(a.rank + 1)
            return self.let(f"expand_dims({a.name}, axis={at})", (*a.dims[:at], "1", *a.dims[at:]), a.dtype)
        if kind == 2 and a.dims[at] == "1":
            return self.let(f"squeeze({a.name}, axis={at})", (*a.dims[:at], *a.dims[at + 1 :]), a.dtype)
        if kind == 3 and a.dims[at] in ("2", "4"):
            half = str(int(a.dims[at]) // 2)
            dims = (*a.dims[:at], half, *a.dims[at + 1 :])
            pieces = f"split({a.name}, indices_or_sections=2, axis={at})"
            self.tuples += 1
            self.lines.append(f"let t{self.tuples} = {pieces};")
            return self.let(f"t{self.tuples}[{self.random.randrange(2)}]", dims, a.dtype)
        if kind == 4 and a.dims[at].isdigit():
            begin, end, step = self.random.choice(((0, 1, 1), (0, 2, 1), (1, 9, 1), (0, 9, 2)))
            size = len(range(int(a.dims[at]))[begin:end:step])
            dims = (*a.dims[:at], str(size), *a.dims[at + 1 :])
            text = f"strided_slice({a.name}, ({at},), ({begin},), ({end},), ({step},))"
            return self.let(text, dims, a.dtype)
        if kind == 5 and a.dims[at].isdigit() and int(a.dims[at]) < 5:
            dims = (*a.dims[:at], str(int(a.dims[at]) * 2), *a.dims[at + 1 :])
            b = self.pick(lambda one: one.dims == a.dims and one.dtype == a.dtype)
            assert b is not None
            return self.let(f"concat(({a.name}, {b.name}), axis={at})", dims, a.dtype)
        if kind == 6:
            b = self.pick(lambda one: one.dims == a.dims and one.dtype == a.dtype)
            assert b is not None
            return self.let(
                f"stack(({a.name}, {b.name}), axis={at})", (*a.dims[:at], "2", *a.dims[at:]), a.dtype
            )
        if kind == 7 and a.dims[at].isdigit() and int(a.dims[at]) < 4:
            dims = (*a.dims[:at], str(int(a.dims[at]) * 2), *a.dims[at + 1 :])
            return self.let(f"repeat({a.name}, repeats=2, axis={at})", dims, a.dtype)
        if kind == 8:
            dims = (self.one("2", "n", "m"), *a.dims)
            return self.let(f"broadcast_to({a.name}, shape({', '.join(dims)}))", dims, a.dtype)
        return False

    def reshaped(self) -> bool:
        a = self.pick(lambda one: one.rank > 0)
        if a is None:
            return False
        new: list[str] = []
        dims = list(a.dims)
        while dims:
            dim = dims.pop(0)
            draw = self.random.random()
            if dim == "4" and draw < 0.4:
                new += ["2", "2"]
            elif dim == "n * 2" and draw < 0.5:
                new += self.random.choice((["n", "2"], ["2", "n"]))
            elif dims and dim.isdigit() and dims[0].isdigit() and draw < 0.6:
                new.append(str(int(dim) * int(dims.pop(0))))
            elif dims and "2" in (dim, dims[0]) and "n" in (dim, dims[0]) and draw < 0.5:
                dims.pop(0)
                new.append("n * 2")
            elif draw < 0.1:
                new += ["1", dim]
            else:
                new.append(dim)
        return self.let(f"reshape({a.name}, shape({', '.join(new)}))", tuple(new), a.dtype)

    def product(self) -> bool:
        a = self.pick(lambda one: one.rank > 1 and one.dtype in ("float32", "float64", "int64"))
        if a is None:
            return False
        b = self.pick(lambda one: one.rank in (1, 2) and one.dtype == a.dtype and one.dims[0] == a.dims[-1])
        if b is None:
            return False
        dims = (*a.dims[:-1], *b.dims[1:])
        if self.random.random() < 0.3 and a.rank == 2 and b.rank == 2:
            return self.let(f'einsum(({a.name}, {b.name}), subscripts="ij,jk->ik")', dims, a.dtype)
        return self.let(f"matmul({a.name}, {b.name})", dims, a.dtype)

    def taken(self) -> bool:
        at = self.pick(lambda one: one.name in self.indices)
        a = self.pick(lambda one: one.rank > 0 and one.dims[0] in ("3", "4"))
        if a is None or at is None:
            return False
        if self.random.random() < 0.3:
            b = self.pick(lambda one: one.rank > 0 and one.dims[-1] == "4")
            if b is not None:
                return self.let(
                    f"take({b.name}, const([3, 0]), axis={b.rank - 1})", (*b.dims[:-1], "2"), b.dtype
                )
        return self.let(f"take({a.name}, {at.name}, axis=0)", (*at.dims, *a.dims[1:]), a.dtype)

    def filled(self) -> bool:
        dims = self.random.choice((("n", "4"), ("4",), ("n",), ("n", "m"), ("m",)))
        dtype = self.one("float32", "int64")
        word = self.one("zeros", "ones")
        return self.let(f"{word}(shape({', '.join(dims)}), dtype={dtype})", dims, dtype)

    def sized(self) -> bool:
        a = self.pick(lambda one: one.dtype == "int64")
        if a is None:
            return False
        return self.let(f"{a.name} + {self.one('n', 'm', 'n * 2')}", a.dims, a.dtype)

    def paired(self) -> bool:
        a, b = self.pick(), self.pick()
        assert a is not None
        assert b is not None
        self.tuples += 1
        if self.random.random() < 0.3:
            return self.let(
                self.one(f"(s, {a.name})[1]", f"(unique({b.name}), {a.name})[1]"), a.dims, a.dtype
            )
        self.lines.append(f"let t{self.tuples} = ({a.name}, {b.name});")
        which = self.random.randrange(2)
        one = (a, b)[which]
        return self.let(f"t{self.tuples}[{which}]", one.dims, one.dtype)

    def called(self) -> bool:
        a = self.pick(lambda one: one.rank == 2 and one.dtype in ("float32", "int64"))
        if a is None:
            return False
        word = self.one(
            "scaled", "plus", "centred", "largest", "running", "counted", "numbered", "after", "checked", "picked",
            "looked", "padded", "columns", "scaled", "plus", "centred",
        )  # fmt: skip
        args, dims = [a.name], a.dims
        if word == "plus":
            b = self.pick(lambda one: one.dims == a.dims and one.dtype == a.dtype)
            assert b is not None
            args.append(b.name)
        if word in ("picked", "looked"):
            at = self.pick(lambda one: one.name in self.indices)
            if at is None or (word == "picked" and at.dims != a.dims[:1]):
                return False
            args.append(at.name)
            dims = at.dims if word == "picked" else (*at.dims, a.dims[1])
        if word == "largest":
            dims = a.dims[:1]
        if word == "columns":
            dims = a.dims[1:]
        if word == "padded":
            if not a.dims[1].isdigit():
                return False
            dims = (a.dims[0], str(int(a.dims[1]) + 2))
        info = V("", dims, a.dtype).info
        comma = "," if len(args) == 1 else ""
        return self.let(f"call_tir(@{word}_{a.dtype}, ({', '.join(args)}{comma})) -> {info}", dims, a.dtype)


MAKERS = (
    RowBindings.binary, RowBindings.binary, RowBindings.binary, RowBindings.unary, RowBindings.unary,
    RowBindings.constant, RowBindings.cast, RowBindings.choose, RowBindings.reduction, RowBindings.along,
    RowBindings.moved, RowBindings.moved, RowBindings.moved, RowBindings.reshaped, RowBindings.product,
    RowBindings.taken, RowBindings.filled, RowBindings.sized, RowBindings.paired, RowBindings.called,
    RowBindings.called,
)  # fmt: skip


def _broadcast(one: tuple[str, ...], other: tuple[str, ...]) -> tuple[str, ...] | None:
    rank = max(len(one), len(other))
    made: list[str] = []
    for at in range(-rank, 0):
        a = one[at] if at >= -len(one) else "1"
        b = other[at] if at >= -len(other) else "1"
        if a != b and "1" not in (a, b):
            return None
        made.append(b if a == "1" else a)
    return tuple(made)
