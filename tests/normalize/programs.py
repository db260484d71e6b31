"""Random programs of nested blocks, functions, branches and effects: text that is well scoped, of no particular type.

Few names and many scopes, so that names clash; some names are those of temporaries and of operators.
"""

from __future__ import annotations

from random import Random

NAMES = ("a", "b", "x", "y", "lv", "gv", "gv_1", "add", "exp")
FUNCTIONS = ("f", "g", "h")
SHAPES = ("n", "k", "j", "lv_1")


class Scope:
    """What is visible: variables with whether they live in a dataflow block only, functions, shape variables."""

    def __init__(self, outer: Scope | None = None) -> None:
        self.values: dict[str, bool] = dict(outer.values) if outer else {}
        self.functions: dict[str, int] = dict(outer.functions) if outer else {}
        self.shapes: set[str] = set(outer.shapes) if outer else set()

    def names(self) -> list[str]:
        return sorted(self.values)


class Programs:
    """Writes programs; `size` bounds how many expressions one has."""

    def __init__(self, random: Random, size: int = 120) -> None:
        self.random = random
        self.left = size
        self.externs = 0
        self.dataflow = False

    def chance(self, percent: int) -> bool:
        return self.random.randrange(100) < percent

    def module(self) -> str:
        first = self.function("@first", "a: Tensor")
        return first + self.function("@main", "x: Tensor, y: Tensor[(n, 3), float32], c: Tensor[(), bool]")

    def function(self, name: str, params: str) -> str:
        scope = Scope()
        for param in ("a",) if name == "@first" else ("x", "y", "c"):
            scope.values[param] = False
        if name != "@first":
            scope.shapes.add("n")
        self.left = max(self.left, 30)
        self.top = name
        return f"def {name}({params}) -> Object {self.block(scope, 5)}\n"

    def block(self, outer: Scope, depth: int) -> str:
        """`{ … }` in which what is bound is forgotten afterwards."""
        scope = Scope(outer)
        lines = [
            self.statement(scope, depth - 1) for _ in range(self.random.randint(0, 4 if depth > 0 else 1))
        ]
        return "{ " + " ".join([*lines, self.expression(scope, depth - 1)]) + " }"

    def statement(self, scope: Scope, depth: int) -> str:
        kind = self.random.randrange(100)
        if kind < 12 and not self.dataflow:
            return self.dataflow_block(scope, depth)
        if kind < 18 and not self.dataflow:
            inner = " ".join([self.simple_statement(scope, depth) for _ in range(self.random.randint(0, 3))])
            return f"bindings {{ {inner} }}"
        return self.simple_statement(scope, depth)

    def simple_statement(self, scope: Scope, depth: int) -> str:
        kind = self.random.randrange(100)
        if kind < 12:
            return self.match(scope, depth)
        if kind < 25:
            return self.local_function(scope, depth)
        value = self.expression(scope, depth)
        if kind < 35:
            return f"{value};" if self.chance(70) else f"let _ = {value};"
        name = self.name()
        annotation = ""
        if scope.shapes and self.chance(10):
            annotation = f": Tensor[({self.dimension(scope)},), float32]"
        self.bind(scope, name)
        return f"let {name}{annotation} = {value};"

    def name(self) -> str:
        # Operators are not rebound in dataflow blocks: a function there that calls one would capture a DataflowVar.
        return self.random.choice(NAMES[:-2] if self.dataflow else NAMES)

    def bind(self, scope: Scope, name: str) -> None:
        scope.functions.pop(name, None)
        scope.values[name] = self.dataflow

    def match(self, scope: Scope, depth: int) -> str:
        value = self.expression(scope, depth)
        new = self.random.choice(SHAPES)
        pattern = self.random.choice(
            [f"({new},)", f"({new} * 2, {new})", f"({self.dimension(scope)}, {new})"]
        )
        form = self.random.randrange(4)
        if form == 0:
            text = f"match_shape({value}, {pattern})"
        elif form == 1:
            text = f"cast({value}) -> Tensor[{pattern}, float32]"
        else:
            text = f"match_cast({value}, Tensor[{pattern}, float32])"
        scope.shapes.add(new)
        if self.chance(40):
            return f"{text};"
        name = self.name()
        self.bind(scope, name)
        return f"let {name} = {text};"

    def local_function(self, scope: Scope, depth: int) -> str:
        name = self.random.choice(FUNCTIONS)
        arity = self.random.randint(0, 2)
        inner = Scope(scope)
        inner.functions[name] = arity
        inner.values[name] = False
        literal = self.literal(inner, arity, depth)
        scope.functions[name] = arity
        scope.values[name] = self.dataflow
        return f"let {name} = {literal};"

    def literal(self, outer: Scope, arity: int, depth: int) -> str:
        scope = Scope(outer)
        for name in [name for name, local in scope.values.items() if local]:  # W.10
            del scope.values[name]
            scope.functions.pop(name, None)
        params: list[str] = []
        for name in self.random.sample(("a", "b", "x", "y", "lv"), arity):
            if self.chance(40):
                size = self.random.choice(SHAPES)
                scope.shapes.add(size)
                params.append(f"{name}: Tensor[({size}, 2), float32]")
            else:
                kind = "fn(Tensor[(k,), float32]) -> Tensor[(k,), float32]"
                params.append(f"{name}: {kind if self.chance(10) else 'Tensor'}")
            scope.values[name] = False
            scope.functions.pop(name, None)
        outer_dataflow, self.dataflow = self.dataflow, False
        body = self.block(scope, depth)
        self.dataflow = outer_dataflow
        return f"fn({', '.join(params)}) -> Object {body}"

    def dataflow_block(self, scope: Scope, depth: int) -> str:
        inner = Scope(scope)
        self.dataflow = True
        lines = [self.simple_statement(inner, depth) for _ in range(self.random.randint(0, 4))]
        self.dataflow = False
        bound = [name for name, local in inner.values.items() if local]
        outputs = [name for name in bound if self.chance(50)]
        scope.shapes |= inner.shapes
        for name in outputs:
            scope.functions.pop(name, None)
            if name in inner.functions:
                scope.functions[name] = inner.functions[name]
            scope.values[name] = False
        lines += [f"output {', '.join(outputs)};"] if outputs else []
        return f"dataflow {{ {' '.join(lines)} }}"

    def dimension(self, scope: Scope) -> str:
        names = sorted(scope.shapes)
        if not names or self.chance(30):
            return str(self.random.randint(1, 9))
        name = self.random.choice(names)
        return self.random.choice(
            [name, f"{name} * 2", f"min({name}, 4)", f"({name} + {self.random.choice(names)})"]
        )

    def expression(self, scope: Scope, depth: int) -> str:
        self.left -= 1
        names = scope.names()
        if depth <= 0 or self.left <= 0:
            return self.random.choice(names) if names and self.chance(80) else str(self.random.randint(0, 9))
        makers = [
            self.operator,
            self.infix,
            self.extern,
            self.tuple,
            self.field,
            self.nested,
            self.shape,
            self.call,
        ]
        if not self.dataflow:
            makers += [self.branch, self.branch]
        if self.chance(15):
            return self.random.choice(names) if names else "1"
        return self.random.choice(makers)(scope, depth - 1)

    def operator(self, scope: Scope, depth: int) -> str:
        name, arity = self.random.choice((("add", 2), ("exp", 1), ("multiply", 2), ("nn.relu", 1)))
        if name in scope.values:
            name, arity = "matmul", 2
        return f"{name}({', '.join([self.expression(scope, depth) for _ in range(arity)])})"

    def infix(self, scope: Scope, depth: int) -> str:
        if self.chance(20):
            return f"(-{self.expression(scope, depth)})"
        sign = self.random.choice(("+", "*", "-", "<", "&&"))
        return f"({self.expression(scope, depth)} {sign} {self.expression(scope, depth)})"

    def extern(self, scope: Scope, depth: int) -> str:
        self.externs += 1
        args = [self.expression(scope, depth) for _ in range(self.random.randint(0, 2))]
        args += ["pure=true"] if self.dataflow else []
        return f'extern "log.{self.externs}"({", ".join(args)})'

    def tuple(self, scope: Scope, depth: int) -> str:
        return f"({self.expression(scope, depth)}, {self.expression(scope, depth)})"

    def field(self, scope: Scope, depth: int) -> str:
        return f"{self.tuple(scope, depth)}[{self.random.randrange(2)}]"

    def nested(self, scope: Scope, depth: int) -> str:
        return self.block(scope, depth)

    def shape(self, scope: Scope, depth: int) -> str:
        if self.chance(50):
            return f"arange({self.dimension(scope)}, {self.dimension(scope)})"
        return f"shape({self.dimension(scope)}, {self.dimension(scope)})"

    def branch(self, scope: Scope, depth: int) -> str:
        condition = self.expression(scope, depth)
        chain = f"if {condition} {self.block(scope, depth)} else "
        return chain + (
            self.branch(scope, depth - 1) if depth > 0 and self.chance(25) else self.block(scope, depth)
        )

    def call(self, scope: Scope, depth: int) -> str:
        if self.chance(30):
            return f"@first({self.expression(scope, depth)})"
        if self.chance(30):
            arity = self.random.randint(0, 2)
            literal = self.literal(Scope(scope), arity, depth)
            return f"({literal})({', '.join([self.expression(scope, depth) for _ in range(arity)])})"
        if not scope.functions:
            return self.extern(scope, depth)
        name = self.random.choice(sorted(scope.functions))
        return f"{name}({', '.join([self.expression(scope, depth) for _ in range(scope.functions[name])])})"
