"""Straight-line lowered programs, drawn from what the language reference says of direct calls and explicit memory.

`Lowered(seed)` always has the same text. Its tensors lie in storages, next to each other, one on the other, and after
each other in the same bytes; PrimFuncs write to them, to arguments, and to results that overlap what they read. Sizes
go through shape heaps. All numbers are small integers, so that every engine has the same bits. Some programs fail
when they run: where extents differ that nothing relates, and where a check that was written out is wrong.
"""

from __future__ import annotations

from random import Random
from typing import NamedTuple

import numpy as np

DTYPES = {"float32": 4, "float64": 8, "int32": 4, "int64": 8, "uint8": 1}
SIZES = ((2, 3), (2, 3), (0, 1), (1, 4), (3, 2), (2, 3))
"""What `n` and `m` are, call by call: a function is planned when it is called again, with other sizes, too."""
SHAPES = (("n",), ("n", "3"), ("n", "m"), ("4",), ("m",), ("n * 2",), ("2", "m"), ("m", "n"))
FUNCTIONS = {
    "copy": (1, "Z[{at}] = X[{at}];"),
    "scaled": (1, "Z[{at}] = X[{at}] * {two} + {one};"),
    "relu": (1, "Z[{at}] = max(X[{at}], {zero});"),
    "add": (2, "Z[{at}] = X[{at}] + Y[{at}];"),
    "differ": (2, "Z[{at}] = if_then_else(X[{at}] == Y[{at}], {one}, X[{at}] - Y[{at}]);"),
    "grown": (1, "Z[{at}] = Z[{at}] + X[{at}];"),
    "twice": (1, "Z[{at}] = X[{at}]; Z[{at}] = Z[{at}] * {two};"),
    "running": (1, "Z[{at}] = X[{at}]; if i > 0 {{ Z[{at}] = Z[{at}] + Z[{before}]; }}"),
}
"""PrimFuncs: how many arrays they read, and what they do with each element."""


class Value(NamedTuple):
    """A tensor of the program: its variable, dtype, dimensions as text, and the storage that it lies in."""

    name: str
    dtype: str
    dims: tuple[str, ...]
    storage: str = ""
    known: bool = True
    """Whether its dimensions are those of its struct info; those of shape heaps are not."""


class Lowered:
    """A program, and its arguments at each call."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self._random = Random(seed)
        self._lines: list[str] = []
        self._used: dict[tuple[str, str, int], str] = {}
        self._values: list[Value] = []
        self._storages: dict[str, str] = {}
        self._shapes: list[tuple[str, tuple[str, ...]]] = []
        self._heaps: list[str] = []
        self._scalars: list[str] = []
        self._aliased: set[str] = set()
        self._count = 0
        self._parameters = self._draw_parameters()
        steps = (
            *([self._call] * 6),
            *([self._storage] * 2),
            *([self._tensor] * 4),
            *(self._operator, self._operator, self._alias, self._fields, self._kill, self._kill_storage),
            *(self._heap, self._heap, self._shaped, self._shaped, self._scalar, self._shifted, self._check),
            *(self._made, self._cast),
        )
        self._storage()
        for _ in range(self._random.randint(4, 22)):
            self._random.choice(steps)()
        self.text = self._written()

    def arguments(self, at: int) -> list[object]:
        """Return the arguments of a call."""
        random = np.random.default_rng([self.seed, at])
        sizes = dict(zip("nm", SIZES[at], strict=True))
        shapes = [tuple([extent(dim, sizes) for dim in one.dims]) for one in self._parameters]
        return [
            random.integers(0 if one.dtype == "uint8" else -3, 4, shape).astype(one.dtype)
            for one, shape in zip(self._parameters, shapes, strict=True)
        ]

    # -- pieces of the program ---------------------------------------------------------------------------------

    def _draw_parameters(self) -> list[Value]:
        dtypes = self._random.sample(list(DTYPES), 2)
        first = Value("x0", dtypes[0], ("n", "m"))  # binds both sizes
        others = [
            Value(f"x{at}", self._random.choice(dtypes), self._random.choice(SHAPES))
            for at in range(1, self._random.randint(2, 4))
        ]
        self._values += [first, *others]
        return [first, *others]

    def _written(self) -> str:
        left = [one.name for one in self._values]
        self._random.shuffle(left)
        results = [*left[:4], *[name for name, _ in self._shapes[:1]], *self._scalars[:1]]
        parameters = ", ".join(
            [f"{one.name}: Tensor[({', '.join(one.dims)},), {one.dtype}]" for one in self._parameters]
        )
        body = "\n  ".join([*self._lines, f"({', '.join(results)},)"])
        effect = self._random.choice(("impure ", "force_pure "))
        return "\n".join([*self._used.values(), f"{effect}def @main({parameters}) {{\n  {body}\n}}\n"])

    def _new(self, kind: str) -> str:
        self._count += 1
        return f"{kind}{self._count}"

    def _line(self, line: str) -> None:
        self._lines.append(line)

    def _let(self, kind: str, value: str) -> str:
        name = self._new(kind)
        self._line(f"let {name} = {value};")
        return name

    def _prim_func(self, kind: str, dtype: str, rank: int) -> str:
        """Return the name of a PrimFunc, which is written above the function once it is used."""
        key = (kind, dtype, rank)
        name = f"@{kind}_{dtype}_{rank}"
        if key in self._used:
            return name
        inputs, step = FUNCTIONS.get(kind, (1, "Z[{at}] = X[{at}] + cast(k, {dtype});"))
        loops, dims = ("i", "p") if rank == 1 else ("i, j", "p, q")
        suffix = ".0" if dtype.startswith("float") else ""
        words = {"zero": f"0{suffix}", "one": f"1{suffix}", "two": f"2{suffix}"}
        step = step.format(at=loops, before=loops.replace("i", "i - 1", 1), dtype=dtype, **words)
        buffers = [*"XY"[:inputs], *(["k"] if kind == "shifted" else []), "Z"]
        params = ", ".join(
            ["k: int64" if one == "k" else f"{one}: Buffer[({dims},), {dtype}]" for one in buffers]
        )
        head = f"for i in 0..{dims}" if rank == 1 else f"for i, j in grid({dims})"
        self._used[key] = f"prim_func {name}({params}) {{ {head} {{ {step} }} }}"
        return name

    def _like(
        self, dtype: str, rank: int, dims: tuple[str, ...] | None, *, known: bool = True
    ) -> list[Value]:
        """Return the tensors of a dtype that fit: of the same dimensions, or of any, if those are not known."""
        found = [one for one in self._values if one.dtype == dtype and len(one.dims) == rank]
        if dims is not None:
            found = [one for one in found if one.dims == dims and (one.known or not known)]
        return found

    # -- steps -------------------------------------------------------------------------------------------------

    def _storage(self) -> None:
        """Allocate a storage, and write zeros to all of it: the elements of new memory are not specified."""
        dtype = self._random.choice([self._parameters[0].dtype, self._random.choice(list(DTYPES))])
        each = DTYPES[dtype]
        dims = self._random.choice(("n * 8", "n * m * 4", "24", "n * 4 + m * 4", "n * 12"))
        name = self._let("s", f"memory.alloc_storage(shape(({dims}) * {each}), 0)")
        whole = self._let("w", f"memory.alloc_tensor({name}, 0, shape({dims}), dtype={dtype})")
        self._storages[name] = dtype
        filled = self._let("f", f"zeros(shape({dims}), dtype={dtype})")
        self._line(f"{self._prim_func('copy', dtype, 1)}({filled}, {whole});")
        if self._random.random() < 0.3:
            self._values.append(Value(whole, dtype, (dims,), name))

    def _tensor(self) -> None:
        """Put a tensor somewhere into a storage, be it upon another; some do not fit, depending on the sizes."""
        if not self._storages:
            return
        storage, dtype = self._random.choice(list(self._storages.items()))
        dims = self._random.choice(SHAPES)
        offset = self._random.choice((0, 0, 0, 0, 1, 2, 3)) * DTYPES[dtype]
        shape = f"shape({', '.join(dims)})"
        written = self._random.random()
        if written < 0.7:
            value = f"memory.alloc_tensor({storage}, {offset}, {shape}, dtype={dtype})"
        else:
            value = f"vm.alloc_tensor_at({storage}, shape({offset}), {shape}, dtype={dtype})"
        self._values.append(Value(self._let("t", value), dtype, dims, storage))

    def _made(self) -> None:
        """Make a tensor with memory of its own, and write to all of it."""
        source = self._random.choice(self._values)
        if not source.known:
            return
        shape = f"shape({', '.join(source.dims)})"
        name = self._let("b", f"builtin.alloc_tensor({shape}, 0, dtype={source.dtype})")
        self._line(f"{self._prim_func('copy', source.dtype, len(source.dims))}({source.name}, {name});")
        self._values.append(Value(name, source.dtype, source.dims))

    def _call(self) -> None:
        """Call a PrimFunc; what it writes may be what it reads, or overlap with that."""
        first = self._random.choice(self._values)
        rank = len(first.dims)
        same = self._random.random() < 0.97
        kind = self._random.choice(list(FUNCTIONS))
        fitting = self._like(first.dtype, rank, first.dims if same else None, known=first.known)
        names = [first.name, *[self._random.choice(fitting).name for _ in range(FUNCTIONS[kind][0])]]
        callee = self._prim_func(kind, first.dtype, rank)
        if self._random.random() < 0.2:
            self._line(f"vm.call_tir_dyn({callee}, ({', '.join(names)}));")
        elif kind not in ("grown", "running") and self._random.random() < 0.15 and first.known:
            info = f"Tensor[({', '.join(first.dims)},), {first.dtype}]"
            made = self._let("c", f"call_tir({callee}, ({', '.join(names[:-1])},)) -> {info}")
            self._values.append(Value(made, first.dtype, first.dims))
        else:
            self._line(f"{callee}({', '.join(names)});")

    def _operator(self) -> None:
        first = self._random.choice(self._values)
        if not first.known:
            return
        second = self._random.choice(self._like(first.dtype, len(first.dims), first.dims))
        one, two = first.name, second.name
        forms = [f"add({one}, {two})", f"subtract({one}, {two})", f"maximum({one}, {two})", f"{one} + {two}"]
        made = self._let("o", self._random.choice(forms))
        self._values.append(Value(made, first.dtype, first.dims))

    def _another_name(self, first: Value, kind: str, value: str) -> None:
        self._aliased.add(first.name)
        self._values.append(first._replace(name=self._let(kind, value)))

    def _alias(self) -> None:
        first = self._random.choice(self._values)
        self._another_name(first, "a", first.name)

    def _fields(self) -> None:
        first, second = self._random.choice(self._values), self._random.choice(self._values)
        pair = self._let("p", f"({first.name}, {second.name})")
        self._aliased.add(first.name)
        self._another_name(second, "e", f"{pair}[1]")

    def _cast(self) -> None:
        first = self._random.choice(self._values)
        dims = ", ".join(first.dims)
        info = f"Tensor[({dims},), {first.dtype}]" if first.known else f"Tensor[ndim=1, {first.dtype}]"
        self._another_name(first, "d", f"match_cast({first.name}, {info})")

    def _kill(self) -> None:
        """End the life of a tensor of the program's own that no other name is known of."""
        own = [one for one in self._values if one.name[0] in "to" and one.name not in self._aliased]
        if own:
            one = self._random.choice(own)
            self._values.remove(one)
            self._line(f"{self._random.choice(('memory.kill_tensor', 'vm.kill_object'))}({one.name});")

    def _kill_storage(self) -> None:
        """Kill a storage; tensors in it live on."""
        if len(self._storages) > 1:
            name = self._random.choice(list(self._storages))
            del self._storages[name]
            self._line(f"memory.kill_storage({name});")

    def _heap(self) -> None:
        """Store sizes in a heap, compute with them, and make a shape of them."""
        first = self._random.choice([one for one in self._values if len(one.dims) == 2])
        heap = self._let("h", "vm.alloc_shape_heap(size=4)")
        codes, operands = '["store", "store"]', "[0, 1]"
        if first.known and first.dims[1].isdigit() and self._random.random() < 0.5:
            codes, operands = '["store", "number"]', f"[0, {first.dims[1]}]"
        self._line(f"vm.match_shape({first.name}, {heap}, codes={codes}, operands={operands});")
        if codes.endswith('"number"]'):
            self._line(f'vm.match_shape({first.name}, {heap}, codes=["any", "store"], operands=[0, 1]);')
        self._used["sizes", "", 0] = (
            "prim_func @sizes(H: Buffer[(4,), int64]) { H[2] = H[0] * H[1]; H[3] = max(H[0] - 1, 0) + H[1]; }"
        )
        self._line(f"@sizes({heap});")
        if self._random.random() < 0.3:
            self._line(f'vm.match_shape({first.name}, {heap}, codes=["slot", "slot"], operands=[0, 1]);')
        slot = self._random.randrange(4)
        made = self._let("z", f'vm.make_shape({heap}, codes=["slot"], operands=[{slot}])')
        self._heaps.append(heap)
        self._shapes.append((made, (f"{heap}.{slot}",)))

    def _shaped(self) -> None:
        """Make a tensor whose size comes out of a heap, and write to all of it."""
        if not self._shapes:
            return
        shape, dims = self._random.choice(self._shapes)
        dtype = self._random.choice(self._parameters).dtype
        name = self._let("g", f"builtin.alloc_tensor({shape}, 0, dtype={dtype})")
        zeros = self._let("f", f"zeros({shape}, dtype={dtype})")
        self._line(f"{self._prim_func('copy', dtype, 1)}({zeros}, {name});")
        self._values.append(Value(name, dtype, dims, known=False))

    def _scalar(self) -> None:
        if self._heaps:
            heap, slot = self._random.choice(self._heaps), self._random.randrange(4)
            self._scalars.append(self._let("r", f"vm.make_scalar({heap}, slot={slot}, dtype=int64)"))

    def _shifted(self) -> None:
        """Call a PrimFunc with a scalar out of a heap."""
        if not self._heaps:
            return
        first = self._random.choice(self._values)
        target = self._random.choice(self._like(first.dtype, len(first.dims), first.dims, known=first.known))
        scalar = self._let("k", f"vm.make_prim_value({self._random.choice(self._heaps)}, slot=3)")
        callee = self._prim_func("shifted", first.dtype, len(first.dims))
        self._line(f"{callee}({first.name}, {scalar}, {target.name});")

    def _check(self) -> None:
        """Write a check out; a few are wrong."""
        first = self._random.choice(self._values)
        rank = len(first.dims) if first.known or self._random.random() < 0.9 else 2
        dtype = first.dtype if self._random.random() < 0.98 else "bool"
        words = 'context="the value", failure="match-cast-failed"'
        self._line(f"vm.check_tensor_info({first.name}, ndim={rank}, dtype={dtype}, {words});")


def extent(dim: str, sizes: dict[str, int]) -> int:
    """Return what a dimension of a parameter is: a number, a size, or twice a size."""
    name, _, factor = dim.partition(" * ")
    return (sizes[name] if name in sizes else int(name)) * int(factor or 1)
