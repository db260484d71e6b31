"""Random PrimFuncs: loop nests with affine and other indices, guards, blocks, reductions, lets, allocations.

Floats hold small whole numbers, so that sums and products are exact in any order and results must be equal to
the last bit. About every fourth program goes out of bounds or divides by zero somewhere; some calls pass one
array, or overlapping ones, twice.
"""

from __future__ import annotations

import random

import numpy as np

from tests.tir.random_programs.nests.expressions import NestExpressions

DTYPES = ("int64", "int64", "int32", "int8", "uint8", "float32", "float32", "float64", "bool", "float16")
SIZES = (0, 1, 1, 2, 3, 4, 5)


class Nest(NestExpressions):
    """One random program and arguments for it."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.dtype = self.random.choice(DTYPES)
        self.dims = {name: self.random.choice(SIZES) for name in self.random.sample(["n", "m", "k"], 2)}
        self.buffers: dict[str, list[str]] = {}
        self.counter = 0
        self.target = ""
        self.tidy_loops = False
        self.lets: list[str] = []
        self.risky = self.random.random() < 0.4
        for name in ("A", "B", "Y", "Z"):
            rank = self.random.choice((0, 1, 1, 2, 2, 3)) if name != "A" else len(self.dims)
            self.buffers[name] = list(self.dims) if name == "A" else [self.size() for _ in range(rank)]
        self.params = list(self.buffers)
        if self.random.random() < 0.25:
            self.buffers["Y"] = list(self.buffers["A"])
        self.inputs = {"A", "B"} if self.random.random() < 0.7 else set()
        self.has_index = self.random.random() < 0.2
        self.aligned = self.random.random() < 0.3
        if self.aligned:  # a program of one nest, on buffers of one size
            size = self.random.choice(list(self.dims))
            self.buffers = {name: [size, "2"][: self.pick(1, 1, 2)] for name in self.buffers}
            self.dims = {name: max(value, 3) for name, value in self.dims.items()}
        self.text = self.program()

    def program(self) -> str:
        params = [f"{name}: Buffer[({self.tuple(self.buffers[name])}), {self.dtype}]" for name in self.params]
        if self.has_index:
            first = next(iter(self.dims))
            params.append(f"I: Buffer[({first},), int64]")
            self.index_size = first
        lines: list[str] = []
        if self.aligned:
            self.shifted(lines)
        for _ in range(0 if self.aligned else self.pick(1, 1, 2, 3)):
            self.item(lines)
        return f"prim_func @f({', '.join(params)}) {{\n" + "\n".join(lines) + "\n}\n"

    @staticmethod
    def tuple(sizes: list[str]) -> str:
        return ", ".join(sizes) + ("," if len(sizes) == 1 else "")

    def item(self, lines: list[str]) -> None:
        if self.chance(0.15):
            self.alloc(lines, [], "  ")
        if self.chance(0.7):
            self.tidy(lines)
        else:
            self.nest(lines, [], "  ", self.pick(1, 2, 2, 3))

    def shifted(self, lines: list[str]) -> None:
        """Write a nest whose statements meet in the same buffers, some iterations apart."""
        names = [name for name, sizes in self.buffers.items() if sizes and min(map(self.value_of, sizes)) > 0]
        targets = [name for name in names if name not in self.inputs]
        if not targets:
            self.tidy(lines)
            return
        target = self.random.choice(targets)
        size = self.buffers[target][0]
        others = [name for name in names if self.buffers[name][0] == size]
        pair = [target, self.random.choice([name for name in others if name in targets])]
        low, high = self.pick(("1", f"{size} - 1"), ("1", f"{size} - 1"), ("0", size))

        def place(name: str, *offsets: str) -> str:
            index = (
                self.pick("i", "i", *offsets)
                if low == "1"
                else self.pick("i", "i", "i", f"{size} - 1 - i", "0")
            )
            return f"{name}[{', '.join([index, *['0'] * (len(self.buffers[name]) - 1)])}]"

        def around(name: str) -> str:
            return place(name, "i + 1", "i - 1", f"{size} - 1 - i")

        def statement(indent: str) -> list[str]:
            name = self.random.choice(pair)
            value = around(self.random.choice([other for other in others if other != name] or others))
            op = "=" if self.dtype == "bool" or self.chance(0.6) else self.pick("+=", "-=", "*=")
            store = f"{around(name)} {op} {value};"
            kind = self.random.random()
            if kind < 0.2:
                test = around(self.random.choice(others)) + ("" if self.dtype == "bool" else " > 0")
                return [f"{indent}if {test} {{ {store} {around(self.random.choice(pair))} = {value}; }}"]
            if kind < 0.35:
                return [f"{indent}for {self.fresh('r')} in 0..{self.pick('2', '3', '0')} {{ {store} }}"]
            if kind < 0.6:
                return self.shifted_block(place(name), value, store, indent)
            if kind < 0.7:
                fresh = self.fresh("l")
                return [
                    f"{indent}let {fresh} = {value};",
                    f"{indent}{store}",
                    f"{indent}{around(name)} = {fresh};",
                ]
            return [f"{indent}{store}"]

        if self.chance(0.2):  # a first store to a part, or to all, of what is accumulated after
            first, last = self.pick("0", "0", "1"), self.pick(size, f"{size} - 1")
            rest = ", 0" * (len(self.buffers[target]) - 1)
            lines.append(f"  for i in {first}..{last} {{ {target}[i{rest}] = {self.literal()}; }}")
            combine = "&&" if self.dtype == "bool" else self.pick("+", "*")
            step = f"{target}[i{rest}] = {target}[i{rest}] {combine} {around(self.random.choice(others))}"
            lines.append(f"  for i in {low}..{high} {{ for r in 0..2 {{ {step}; }} }}")
            return
        lines.append(f"  for i in {low}..{high} {{")
        for _ in range(self.pick(1, 2, 2, 3)):
            lines += statement("    ")
        lines.append("  }")

    def shifted_block(self, target: str, value: str, store: str, indent: str) -> list[str]:
        """Write a block with `init` among other statements; its axes may fail to tell iterations apart."""
        reduced, outer = self.fresh("r"), self.fresh("r")
        axes = self.pick(f"v = spatial(i), w = reduce({reduced})", f"v = spatial(0), w = reduce({reduced})",
                         f"v = spatial({outer}), w = reduce({reduced})",
                         f"v = spatial(i), w = reduce({reduced} + {outer})")  # fmt: skip
        combine = "||" if self.dtype == "bool" else self.pick("+", "*")
        init = f"init {{ {target} = {self.literal()}; }}"
        extra = store if self.chance(0.4) else ""
        step = f"{extra} {target} = {target} {combine} {value}; {store if self.chance(0.2) else ''}"
        loops = f"for {reduced}, {outer} in grid({self.pick('2', '3', '0')}, {self.pick('1', '2')})"
        before = store if self.chance(0.3) else ""
        return [f"{indent}{loops} {{ {before} block {self.fresh('b')} ({axes}) {{ {init} {step} }} }}"]

    def tidy(self, lines: list[str]) -> None:
        """Write a nest of the kind that can be vectorized: a loop for each dimension of its target, and more."""
        self.tidy_loops = True
        self.target = target = self.writable()
        kept, parts = [], []
        for size in self.buffers[target]:
            if size.endswith(" * 2"):
                outer, inner = self.fresh("i"), self.fresh("i")
                kept += [(outer, "0", size.removesuffix(" * 2")), (inner, "0", "2")]
                parts.append(f"{outer} * 2 + {inner}")
            elif self.chance(0.1):
                parts.append("0")
            else:
                kept.append((self.fresh("i"), "0", size))
                parts.append(self.pick(kept[-1][0], kept[-1][0], kept[-1][0], f"{size} - 1 - {kept[-1][0]}"))
        reduced = [(self.fresh("r"), "0", self.size()) for _ in range(self.pick(0, 0, 1, 1, 2))]
        place = ", ".join(parts) or "()"
        if not reduced:
            self.random.shuffle(kept)
            self.around(
                lines, kept, lambda inside, indent: self.tidy_stores(inside, target, place, kept, indent)
            )
        elif self.chance(0.5):
            self.tidy_block(lines, target, place, kept, reduced)
        else:
            self.tidy_steps(lines, target, place, kept, reduced)
        self.tidy_loops = False
        self.target = ""

    def around(self, lines: list[str], loops: list, write, indent: str = "  ") -> None:
        """Write loops, in one `for` or several, and what is inside."""
        if not loops:
            write(lines, indent)
            return
        if len(loops) > 1 and self.chance(0.6):
            count = self.pick(2, len(loops))
            now, rest = loops[:count], loops[count:]
            head = f"{', '.join(name for name, _, _ in now)} in grid({', '.join(high for _, _, high in now)})"
        else:
            now, rest = loops[:1], loops[1:]
            head = f"{now[0][0]} in {now[0][1]}..{now[0][2]}"
        lines.append(f"{indent}for {self.pick('', '', '', 'parallel ')}{head} {{")
        self.around(lines, rest, write, indent + "  ")
        lines.append(f"{indent}}}")

    def tidy_stores(self, lines: list[str], target: str, place: str, loops: list, indent: str) -> None:
        for _ in range(self.pick(1, 1, 1, 2)):
            if self.chance(0.12):
                name = self.fresh("l")
                lines.append(f"{indent}let {name} = {self.expression(loops, 1)};")
                self.lets = [name]
            guarded = self.chance(0.15)
            if guarded:
                lines.append(f"{indent}if {self.condition(loops)} {{")
            op = "=" if self.dtype == "bool" else self.pick("=", "=", "=", "+=", "-=", "*=")
            lines.append(f"{indent}{target}[{place}] {op} {self.expression(loops, 2)};")
            if guarded:
                lines.append(f"{indent}}}")
        self.lets = []

    def tidy_block(self, lines: list[str], target: str, place: str, kept: list, reduced: list) -> None:
        """Write a block with `init` and reduce axes."""
        loops = [*kept, *reduced]
        if self.chance(0.5):
            self.random.shuffle(loops)
        axes = {name: self.fresh("v") for name, _, _ in loops}
        kinds = {
            name: "reduce" if any(name == other for other, _, _ in reduced) else "spatial" for name in axes
        }
        head = ", ".join(f"{axis} = {kinds[name]}({name})" for name, axis in axes.items())
        inner = [(axes[name], low, high) for name, low, high in loops]
        for name, axis in axes.items():
            place = place.replace(name, axis) if f"{name}" in place else place

        def write(inside: list[str], indent: str) -> None:
            where = f" where {self.condition(inner)}" if self.chance(0.1) else ""
            inside.append(f"{indent}block {self.fresh('b')} ({head}){where} {{")
            inside.append(f"{indent}  init {{ {target}[{place}] = {self.literal()}; }}")
            self.accumulate(inside, target, place, inner, indent + "  ")
            inside.append(f"{indent}}}")

        self.around(lines, loops, write)

    def tidy_steps(self, lines: list[str], target: str, place: str, kept: list, reduced: list) -> None:
        """Write a first store, then the loops that accumulate, in the same loops."""

        def write(inside: list[str], indent: str) -> None:
            if self.chance(0.8):
                inside.append(f"{indent}{target}[{place}] = {self.literal()};")
            loops = [*kept, *reduced]
            step = lambda deep, deeper: self.accumulate(deep, target, place, loops, deeper)  # noqa: E731
            self.around(inside, reduced, step, indent)
            if self.chance(0.3):
                inside.append(f"{indent}{target}[{place}] = {self.expression(kept, 1)};")

        self.around(lines, kept, write)

    def alloc(self, lines: list[str], loops: list, indent: str) -> None:
        name = self.fresh("T")
        sizes = [self.size() for _ in range(self.pick(0, 1, 2))]
        lines.append(f"{indent}alloc {name}: Buffer[({self.tuple(sizes)}), {self.dtype}];")
        variables = [self.fresh("f") for _ in sizes]
        fill = f"{name}[{', '.join(variables) or '()'}] = {self.literal()};"
        if sizes:
            lines.append(f"{indent}for {', '.join(variables)} in grid({', '.join(sizes)}) {{ {fill} }}")
        else:
            lines.append(f"{indent}{fill}")
        self.buffers[name] = sizes

    def nest(self, lines: list[str], loops: list, indent: str, depth: int) -> None:
        """Write a loop nest; `loops` holds (name, lowest, one more than highest) of the loops around."""
        visible = set(self.buffers)
        if depth == 0:
            self.body(lines, loops, indent)
            return
        variables, ranges = [], []
        for _ in range(self.pick(1, 1, 2) if depth > 1 else 1):
            variables.append(self.fresh("i"))
            ranges.append(self.loop_range(loops))
        zero = all(low == "0" for low, _ in ranges)
        if zero and self.chance(0.7):
            head = f"{', '.join(variables)} in grid({', '.join(high for _, high in ranges)})"
            lines.append(f"{indent}for {head} {{")
            inner = indent + "  "
            depth_of = 1
        else:
            inner, depth_of = indent, 0
            for variable, (low, high) in list(zip(variables, ranges, strict=True)):
                lines.append(f"{inner}for {variable} in {low}..{high} {{")
                inner += "  "
                depth_of += 1
        new = [*loops, *[(v, *r) for v, r in zip(variables, ranges, strict=True)]]
        if self.chance(0.12):
            self.alloc(lines, new, inner)
        if self.chance(0.1):
            name = self.fresh("l")
            lines.append(f"{inner}let {name} = {self.expression(new, 1)};")
            self.lets = [*self.lets, name]
        if depth > 1 and self.chance(0.25):
            self.body(lines, new, inner)
        self.nest(lines, new, inner, depth - 1)
        if self.chance(0.2):
            self.body(lines, new, inner)
        for name in set(self.buffers) - visible:
            del self.buffers[name]
        self.lets = []
        lines += ["  " * (len(inner) // 2 - 1 - at) + "}" for at in range(depth_of)]

    def loop_range(self, loops: list) -> tuple[str, str]:
        dim = self.random.choice(list(self.dims))
        options = [
            ("0", dim),
            ("0", dim),
            ("0", dim),
            ("0", "2"),
            ("1", dim),
            ("0", f"{dim} - 1"),
            ("0", "3"),
        ]
        options += [("0", f"{dim} // 2"), ("0", f"max({dim}, 2)")]
        if loops and self.chance(0.3):
            options.append(("0", loops[-1][0]))
        return self.random.choice(options)

    def body(self, lines: list[str], loops: list, indent: str) -> None:
        kind = self.random.random()
        if kind < 0.15:
            lines.append(f"{indent}if {self.condition(loops)} {{")
            self.store(lines, loops, indent + "  ")
            if self.chance(0.4):
                lines.append(f"{indent}}} else {{")
                self.store(lines, loops, indent + "  ")
            lines.append(f"{indent}}}")
        elif kind < 0.5 and loops:
            self.block(lines, loops, indent)
        else:
            self.store(lines, loops, indent)

    def block(self, lines: list[str], loops: list, indent: str) -> None:
        axes, inner = [], []
        reduce_some = self.chance(0.6)
        for name, low, high in loops:
            axis = self.fresh("v")
            kind = "reduce" if reduce_some and self.chance(0.5) else "spatial"
            bound = self.pick(name, name, name, f"{name} + 1") if self.risky else name
            axes.append((axis, kind, bound))
            inner.append((axis, low, high))
        if self.chance(0.1):
            axes = axes[:-1]
            inner = [*inner[:-1], loops[-1]]
        head = ", ".join(f"{axis} = {kind}({bound})" for axis, kind, bound in axes)
        where = f" where {self.condition(inner)}" if self.chance(0.12) else ""
        lines.append(f"{indent}block {self.fresh('b')} ({head}){where} {{")
        if reduce_some and self.chance(0.8):
            target, index = self.reduction_target(axes, inner)
            lines.append(f"{indent}  init {{ {target}[{index}] = {self.literal()}; }}")
            self.accumulate(lines, target, index, inner, indent + "  ")
        else:
            self.store(lines, inner, indent + "  ")
        lines.append(f"{indent}}}")

    def reduction_target(self, axes: list, loops: list) -> tuple[str, str]:
        target = self.writable()
        spatial = [loop for loop, (_, kind, _) in zip(loops, axes, strict=False) if kind == "spatial"]
        return target, self.index(target, spatial)

    def accumulate(self, lines: list[str], target: str, index: str, loops: list, indent: str) -> None:
        place = f"{target}[{index}]"
        if self.dtype == "bool":
            step = f"{place} = {place} {self.pick('||', '&&')} {self.expression(loops, 1)}"
        elif self.chance(0.4):
            step = f"{place} {self.pick('+=', '-=', '*=')} {self.expression(loops, 1)}"
        elif self.chance(0.5):
            step = f"{place} = {self.pick('max', 'min')}({place}, {self.expression(loops, 1)})"
        else:
            step = f"{place} = {place} + {self.expression(loops, 1)} * {self.expression(loops, 0)}"
        lines.append(f"{indent}{step};")

    def store(self, lines: list[str], loops: list, indent: str) -> None:
        target = self.writable()
        index = self.index(target, loops)
        if self.chance(0.25):
            self.accumulate(lines, target, index, loops, indent)
        else:
            lines.append(f"{indent}{target}[{index}] = {self.expression(loops, 2)};")

    def arguments(self) -> list[object]:
        """Return arrays for the parameters; sometimes two of them share memory."""
        numbers = np.random.default_rng(self.random.randrange(1 << 30))
        arrays: dict[str, object] = {}
        for name in self.params:
            shape = tuple([self.value_of(size) for size in self.buffers[name]])
            low = 0 if self.dtype in ("bool", "uint8") else -3
            arrays[name] = numbers.integers(low, 2 if self.dtype == "bool" else 4, shape).astype(self.dtype)
        if self.has_index:
            size = self.value_of(self.index_size)
            arrays["I"] = numbers.integers(0, max(1, min(self.dims.values())), (size,))
        self.alias(arrays, numbers)
        return list(arrays.values())

    def alias(self, arrays: dict[str, object], numbers: np.random.Generator) -> None:
        a, y = arrays["A"], arrays["Y"]
        assert isinstance(a, np.ndarray)
        assert isinstance(y, np.ndarray)
        if self.chance(0.3) and a.shape == y.shape:
            arrays["Y"] = a
        elif self.chance(0.1) and a.ndim and y.ndim and a.size and y.size:
            base = numbers.integers(0, 2, a.size + y.size).astype(self.dtype)
            arrays["A"] = base[: a.size].reshape(a.shape)
            start = self.random.randrange(a.size + 1)
            arrays["Y"] = base[start : start + y.size].reshape(y.shape)
