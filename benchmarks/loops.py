"""A PrimFunc as scalar Python loops, for numba, and as TVMScript, for TVM.

Only what the kernels of this folder need: perfect nests of blocks, float32 literals. A node that is not in the
tables is a KeyError. The Python loops run without numba, too, so their meaning can be tested.
"""

from __future__ import annotations

from relax_lang.arith.evaluate import evaluate
from relax_lang.syntax import tree
from relax_lang.tir.check.driver import analyse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Sizes = dict[str, int]

OPERATORS = {
    tree.Add: "+", tree.Sub: "-", tree.Mul: "*", tree.FloorDiv: "//", tree.FloorMod: "%", tree.Div: "/",
    tree.EQ: "==", tree.NE: "!=", tree.LT: "<", tree.LE: "<=", tree.GT: ">", tree.GE: ">=",
}  # fmt: skip
LEAST = "-3.4028234663852886e+38"
INDENT = "    "


class Python:
    """The spelling of scalar Python loops that numba compiles."""

    OPERATORS = OPERATORS | {tree.And: "and", tree.Or: "or"}
    CALLS = {"exp": "math.exp({0})", "erf": "math.erf({0})", "rsqrt": "(np.float32(1) / math.sqrt({0}))"}
    EXTREMES = {tree.Max: "max({0}, {1})", tree.Min: "min({0}, {1})"}
    CHOICE = "({1} if {0} else {2})"
    CAST = "np.{1}({0})"

    def expression(self, node: tree.PrimExpr) -> str:
        """Return an expression as text."""
        kind = type(node)
        if kind in self.OPERATORS:
            return f"({self.expression(node.a)} {self.OPERATORS[kind]} {self.expression(node.b)})"
        if kind in self.EXTREMES:
            return self.EXTREMES[kind].format(self.expression(node.a), self.expression(node.b))
        return self.OTHERS[kind](self, node)

    def variable(self, node: tree.PrimVar) -> str:
        """Return a name."""
        return node.name

    def floating(self, node: tree.FloatImm | tree.TypeLimit) -> str:
        """Return a float32 number."""
        return f"np.float32({LEAST if isinstance(node, tree.TypeLimit) else node.value})"

    def index(self, node: tree.BufferLoad | tree.BufferStore) -> str:
        """Return an element of a buffer."""
        return f"{node.buffer.name}[{', '.join([self.expression(index) for index in node.indices]) or '()'}]"

    def call(self, node: tree.PrimCall) -> str:
        """Return a call of an intrinsic; `if_then_else` evaluates one side."""
        args = [self.expression(arg) for arg in node.args]
        return (self.CHOICE if node.name == "if_then_else" else self.CALLS[node.name]).format(*args)

    def select(self, node: tree.Select) -> str:
        """Return a choice of two values."""
        parts = node.condition, node.true_value, node.false_value
        return self.CHOICE.format(*[self.expression(part) for part in parts])

    OTHERS: dict[type, Callable[..., str]] = {
        tree.PrimVar: lambda self, node: self.variable(node),
        tree.IntImm: lambda self, node: str(node.value),
        tree.Neg: lambda self, node: f"(-{self.expression(node.a)})",
        tree.FloatImm: lambda self, node: self.floating(node),
        tree.TypeLimit: lambda self, node: self.floating(node),
        tree.BufferLoad: lambda self, node: self.index(node),
        tree.Cast: lambda self, node: self.CAST.format(self.expression(node.value), node.dtype.name),
        tree.Select: lambda self, node: self.select(node),
        tree.PrimCall: lambda self, node: self.call(node),
    }

    def statements(self, body: Sequence[tree.Stmt], indent: str) -> list[str]:
        """Return the lines of some statements."""
        return [
            indent + line for statement in body for line in self.STATEMENTS[type(statement)](self, statement)
        ]

    def loop(self, node: tree.For) -> list[str]:
        """Return nested loops, the last variable innermost."""
        lines: list[str] = []
        indent = ""
        for var, bounds in zip(node.loop_vars, node.ranges, strict=True):
            start, stop = self.expression(bounds.min), self.expression(bounds.stop)
            lines.append(f"{indent}for {var.name} in range({start}, {stop}):")
            indent += INDENT
        return lines + self.statements(node.body, indent)

    def block(self, node: tree.Block) -> list[str]:
        """Return a block: its axes, `init` at the first step of the reduce axes, its body."""
        lines = [f"{axis.var.name} = {self.expression(axis.value)}" for axis in node.axes]
        if node.init:
            first = [f"{axis.var.name} == 0" for axis in node.axes if axis.kind == "reduce"]
            lines += [f"if {' and '.join(first)}:", *self.statements(node.init, INDENT)]
        return lines + self.statements(node.body, "")

    def store(self, node: tree.BufferStore) -> list[str]:
        """Return a store."""
        return [f"{self.index(node)} {node.op} {self.expression(node.value)}"]

    def let(self, node: tree.LetStmt) -> list[str]:
        """Return the definition of a name."""
        return [f"{node.var.name} = {self.expression(node.value)}"]

    def allocate(self, node: tree.Allocate) -> list[str]:
        """Return a new buffer."""
        shape = ", ".join([self.expression(dim) for dim in node.buffer.shape])
        return [f"{node.buffer.name} = np.empty(({shape},), np.{node.buffer.dtype.name})"]

    STATEMENTS: dict[type, Callable[..., list[str]]] = {
        tree.For: lambda self, node: self.loop(node),
        tree.Block: lambda self, node: self.block(node),
        tree.BufferStore: lambda self, node: self.store(node),
        tree.LetStmt: lambda self, node: self.let(node),
        tree.Allocate: lambda self, node: self.allocate(node),
    }

    def function(self, func: tree.PrimFunc, sizes: Sizes) -> str:
        """Return the text of a function; it gets the values of the dimensions first."""
        params = ", ".join([*sizes, *[param.name for param in func.params]])
        return "\n".join([f"def kernel({params}):", *self.statements(func.body, INDENT), ""])


class TVMScript(Python):
    """The spelling of TVMScript as of TVM 0.27, with all dimensions known."""

    CALLS = {"exp": "T.exp({0})", "erf": "T.erf({0})", "rsqrt": "T.rsqrt({0})"}
    EXTREMES = {tree.Max: "T.max({0}, {1})", tree.Min: "T.min({0}, {1})"}
    CHOICE = "T.if_then_else({0}, {1}, {2})"
    CAST = 'T.Cast("{1}", {0})'

    def __init__(self, func: tree.PrimFunc, sizes: Sizes) -> None:
        self.sizes = sizes
        self.symbols = analyse(func).symbols

    def variable(self, node: tree.PrimVar) -> str:
        """Return a name, or the number that a dimension is."""
        return str(self.sizes.get(node.name, node.name))

    def floating(self, node: tree.FloatImm | tree.TypeLimit) -> str:
        """Return a float32 number."""
        return f"T.float32({LEAST if isinstance(node, tree.TypeLimit) else node.value})"

    def block(self, node: tree.Block) -> list[str]:
        """Return a block with the domains of its axes taken from the loops."""
        lines = [f'with T.sblock("{node.name}"):']
        kinds = "".join(["R" if axis.kind == "reduce" else "S" for axis in node.axes])
        names = ", ".join([axis.var.name for axis in node.axes])
        loops = ", ".join([self.expression(axis.value) for axis in node.axes])
        only = "," if len(node.axes) == 1 else ""
        lines.append(f'{INDENT}{names} = T.axis.remap("{kinds}", [{loops}{only}])')
        if node.init:
            lines += [f"{INDENT}with T.init():", *self.statements(node.init, 2 * INDENT)]
        return lines + self.statements(node.body, INDENT)

    def loop(self, node: tree.For) -> list[str]:
        """Return a grid of loops; like ours, their variables are int64."""
        stops = ", ".join([f"T.int64({int(evaluate(bounds.stop, self.sizes))})" for bounds in node.ranges])
        names = ", ".join([var.name for var in node.loop_vars])
        return [f"for {names} in T.grid({stops}):", *self.statements(node.body, INDENT)]

    def store(self, node: tree.BufferStore) -> list[str]:
        """Return a store; there is no `+=`."""
        value = self.expression(node.value)
        if node.op != "=":
            value = f"{self.index(node)} {node.op[0]} {value}"
        return [f"{self.index(node)} = {value}"]

    def allocate(self, node: tree.Allocate) -> list[str]:
        """Return a new buffer."""
        return [
            f'{node.buffer.name} = T.sblock_alloc_buffer({self._shape(node.buffer)}, "{node.buffer.dtype.name}")'
        ]

    def let(self, node: tree.LetStmt) -> list[str]:
        """Return the definition of a name, with its dtype."""
        return [f"{node.var.name}: T.let[T.{self.symbols[node.var].dtype}] = {self.expression(node.value)}"]

    def _shape(self, buffer: tree.Buffer) -> str:
        return str(tuple([int(evaluate(dim, self.sizes)) for dim in buffer.shape]))

    def function(self, func: tree.PrimFunc, sizes: Sizes) -> str:
        """Return the text of a PrimFunc."""
        params = [
            f'{param.name}: T.Buffer({self._shape(param)}, "{param.dtype.name}")'
            if isinstance(param, tree.Buffer)
            else f"{param.name}: T.{param.dtype.name}"
            for param in func.params
        ]
        head = ["@T.prim_func(s_tir=True)", f"def kernel({', '.join(params)}):"]
        return "\n".join([*head, *self.statements(func.body, INDENT), ""])
