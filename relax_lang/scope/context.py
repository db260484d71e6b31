"""What name resolution knows: its result, and the scopes that are open while it walks the tree.

Only data and the opening and closing of scopes; what a name means is decided in `uses`, and why one means
nothing is worked out in `explain`. Never changes the tree.
"""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR
from relax_lang.base.node import walk
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Protocol

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Node
    from relax_lang.scope.operands import Operands
    from relax_lang.syntax.parsed import Losses

    VariableEntry = tuple[tree.Binder, int, tree.DataflowBlock | None]
    ShapeEntry = tuple[tree.PrimVar, int]
    Reference = tuple[tree.GlobalVar, tree.Item, tree.DataflowBlock | None]

    class Memory(Protocol):
        """What is known of parts of a long function; see `remembered`."""

        def resolve(
            self,
            ctx: Context,
            bindings: Sequence[tree.Binding],
            go_on: Callable[[Sequence[tree.Binding]], None],
            /,
        ) -> None:
            """Resolve the bindings of a block of the function itself; `go_on` resolves the next ones."""
            ...


class Resolved:
    """What the names of a module mean. Keys are nodes of the tree as written, compared by identity."""

    __slots__ = (
        "bindings",
        "captures",
        "computed",
        "diagnostics",
        "globals",
        "hidden",
        "operators",
        "outputs",
        "recursive",
        "references",
        "rejected",
        "scalars",
        "shape_bindings",
        "shape_names",
        "sizes",
        "type_variables",
        "unresolved",
        "variable_names",
    )

    def __init__(self) -> None:
        self.diagnostics: list[Diagnostic] = []
        """Everything that was found, in the order of the text."""
        self.bindings: dict[Node, tree.Binder] = {}
        """Use of a Relax variable (also in `Tensor[s]` and in `output`) to its definition."""
        self.unresolved: set[tree.Call] = set()
        """Calls whose names were not looked up: they belong to a dimension expression, or to something rejected."""
        self.hidden: list[tree.Op] = []
        """Operators of a tree built in Python that have the name of a visible variable: text would call that. [G.43]"""
        self.shape_bindings: dict[Node, tree.PrimVar] = {}
        """Occurrence of a shape variable to the occurrence that binds it, which maps to itself.

        A name in a scalar operand is a `Var` in the tree as written and a `PrimVar` in `scalars` or `sizes`:
        both are keys.
        """
        self.globals: dict[str, tree.Item] = {}
        """Every function and prim_func of the module by name."""
        self.computed: set[Node] = set()
        """Tensors whose shape is a call or a field of a tuple, which the normal form binds to a variable. [B.10]"""
        self.references: dict[tree.Item, list[Reference]] = {}
        """What a function mentions of the module: the use, the item, the dataflow block it is in."""
        self.rejected: set[Node] = set()
        """Struct infos, shapes and calls with a mistake that was reported: nothing follows from them. [Z.5]

        The check of calls adds to it. For struct infos and shapes the normal form has `Missing…`.
        """
        self.scalars: dict[Node, tree.Expr] = {}
        """Scalar operand as written to its `PrimValue`, or `Tuple` of such. [X15.1]"""
        self.sizes: dict[Node, tree.PrimValue] = {}
        """Dimension expression that is an operand or a condition, as written, to its `PrimValue`. [X15.1]"""
        self.outputs: set[Node] = set()
        """Definitions inside a dataflow block that leave it by its `output`. [S.8]"""
        self.captures: dict[tree.Function, dict[tree.Binder, Node]] = {}
        """Local function to the variables it takes from outside, each with the first use. [V.5]"""
        self.recursive: set[tree.Function] = set()
        """Local functions that mention the name they are bound to. [S.4]"""
        self.variable_names: dict[tree.Item, dict[str, tree.Binder]] = {}
        """Names of all variables of a top-level function, with the first definition."""
        self.shape_names: dict[tree.Item, dict[str, tree.PrimVar]] = {}
        """Names of all shape variables that a top-level function binds, with the first binding occurrence."""
        self.type_variables: dict[tree.Item, set[str]] = {}
        """Names of shape variables that belong to function types inside a top-level function. [S.16]"""
        self.operators: dict[tree.Item, set[str]] = {}
        """Operators that a top-level function calls by name."""

    def operator_of(self, call: tree.Call) -> str | None:
        """Return the name of the operator that a call as written calls; None if it calls anything else. [G.34]

        A bare callee is a `Var` there: an operator, known or not, unless a local variable of that name is in scope.
        """
        callee = call.op
        if self.unresolved and call in self.unresolved:
            return None
        if type(callee) is tree.Var:
            return None if callee in self.bindings else callee.name_hint
        return callee.op_name if type(callee) is tree.Op else None

    def calls_operators(self, prefixes: tuple[str, ...]) -> bool:
        """Return whether an operator is called whose name begins so."""
        return any(name.startswith(prefixes) for names in self.operators.values() for name in names)

    def leave_unresolved(self, nodes: Iterable[Node | None]) -> None:
        """Note that the names below some nodes are not looked up, as the nodes are rejected."""
        for node in nodes:
            if node is not None:
                self.unresolved.update([one for one in walk(node) if type(one) is tree.Call])


class Frame:
    """An open `{ }`, and how far the walk has come in it."""

    __slots__ = ("binding", "block", "seq")

    def __init__(self, seq: tree.SeqExpr) -> None:
        self.seq = seq
        self.block: tree.BlockOfBindings | None = None
        self.binding: tree.Binding | None = None


_SEARCHED = 200
"""Mistakes with names for which similar names are looked for."""


class Context:
    """The open scopes.

    A scope is closed by undoing what was noted on its trail since it was opened, so that opening costs
    nothing and looking up is one step.
    """

    __slots__ = (
        "_shape_trail",
        "_variable_trail",
        "dataflow",
        "depth",
        "expression",
        "frames",
        "functions",
        "in_function_type",
        "in_result",
        "indexes",
        "item",
        "losses",
        "memory",
        "module",
        "operands",
        "operators",
        "parens",
        "pending",
        "references",
        "reported",
        "resolved",
        "shape_names",
        "shapes",
        "type_variables",
        "variable_names",
        "variables",
    )

    def __init__(
        self,
        module: tree.IRModule,
        resolved: Resolved,
        losses: Losses,
        parens: Mapping[Node, tuple[int, int]] | None = None,
        *,
        expression: Callable[[Context, tree.Expr], None],
    ) -> None:
        self.expression = expression
        """What resolves an expression; annotations may have some in them. [B.10]"""
        self.module = module
        self.parens = parens or {}
        """Nodes that the author put into parentheses, with the span of these."""
        self.losses = losses
        """What the parser left out of the module, or found wrong with it."""
        self.resolved = resolved
        self.item: tree.Item | None = None
        """The current top-level function."""
        self.depth = 0
        """How many functions are open; a variable of a smaller depth is captured."""
        self.functions: list[tree.Function] = []
        self.frames: list[Frame] = []
        self.dataflow: tree.DataflowBlock | None = None
        """The dataflow block that the walk is in; none inside a function literal within it. [W.6.5]"""
        self.variables: dict[str, VariableEntry] = {}
        """Visible Relax variable: definition, depth, and its dataflow block if it lives in one only."""
        self.shapes: dict[str, ShapeEntry] = {}
        """Visible shape variable: binding occurrence, depth."""
        self.pending: set[tree.PrimVar] | None = None
        """Shape variables of the current signature that are bound further right."""
        self.indexes: dict[Node, object] = {}
        """The indexes of names that `out_of_scope` has made so far."""
        self.in_function_type = 0
        """How many function types are open: no shape can be computed in one."""
        self.in_result = False
        """Whether the walk is in the result annotation of a function."""
        self._variable_trail: list[tuple[str, VariableEntry | None]] = []
        self._shape_trail: list[tuple[str, ShapeEntry | None]] = []
        self.reported: set[tuple[str, str]] = set()
        """(kind, name) of what was found missing in this top-level function: each is reported once. [Z.5]"""
        self.variable_names: dict[str, tree.Binder] = {}
        self.shape_names: dict[str, tree.PrimVar] = {}
        self.type_variables: set[str] = set()
        self.operators: set[str] = set()
        self.operands: dict[str, Operands] = {}
        """What `uses` knows of the operators that were called so far."""
        self.references: list[Reference] = []
        self.memory: Memory | None = None
        """What is known of parts of the current top-level function."""

    def open_item(self, item: tree.Item) -> None:
        """Forget everything local: another top-level function begins."""
        self.item = item
        self.variables = {}
        self.shapes = {}
        self._variable_trail = []
        self._shape_trail = []
        self.reported = set()
        self.variable_names = self.resolved.variable_names[item] = {}
        self.type_variables = self.resolved.type_variables[item] = set()
        self.operators = self.resolved.operators[item] = set()
        self.references = self.resolved.references[item] = []
        self.shape_names = self.resolved.shape_names[item] = {}

    def reject_if_wrong(self, node: Node, before: int) -> None:
        """Note that an error was found in a node: `before` is how many diagnostics there were without it."""
        if any(one.severity == ERROR for one in self.resolved.diagnostics[before:]):
            self.resolved.rejected.add(node)

    def first_report(self, kind: str, name: str) -> bool:
        """Return whether a missing name is met for the first time in this top-level function."""
        key = (kind, name)
        if key in self.reported:
            return False
        self.reported.add(key)
        return True

    @property
    def searches(self) -> bool:
        """Whether to look for names that are spelled like a missing one.

        Each search is over all names. A text with hundreds of mistakes is rather another language than misspelled.
        """
        return len(self.resolved.diagnostics) < _SEARCHED

    def set_variable(self, name: str, entry: VariableEntry) -> VariableEntry | None:
        """Make a variable visible until its scope is closed; return the one that it hides."""
        older = self.variables.get(name)
        self._variable_trail.append((name, older))
        self.variables[name] = entry
        return older

    def set_shape(self, name: str, entry: ShapeEntry) -> None:
        """Make a shape variable visible until its scope is closed."""
        self._shape_trail.append((name, self.shapes.get(name)))
        self.shapes[name] = entry

    def variable_mark(self) -> int:
        """Return where a scope of variables begins, for `close_variables`."""
        return len(self._variable_trail)

    def shape_mark(self) -> int:
        """Return where a scope of shape variables begins, for `close_shapes`."""
        return len(self._shape_trail)

    def close_variables(self, mark: int) -> None:
        """End the scope of all variables since `mark`; what they hid is visible again."""
        trail = self._variable_trail
        variables = self.variables
        while len(trail) > mark:
            name, older = trail.pop()
            if older is None:
                variables.pop(name, None)
            else:
                variables[name] = older

    def close_shapes(self, mark: int) -> None:
        """End the scope of all shape variables since `mark`."""
        trail = self._shape_trail
        shapes = self.shapes
        while len(trail) > mark:
            name, older = trail.pop()
            if older is None:
                shapes.pop(name, None)
            else:
                shapes[name] = older
