"""What lints look at: the nodes of a program by kind, which of its names are used where, and inferred infos."""

from __future__ import annotations

from bisect import bisect_left

from relax_lang.base.node import children, walk
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from relax_lang.base.node import Node
    from relax_lang.check.infer.context.inferred import Inferred
    from relax_lang.check.infer.context.infos_as_written import InfosAsWritten
    from relax_lang.scope.resolve import Resolved
    from relax_lang.syntax.parsed import Comment


KINDS = frozenset(
    (tree.Function, tree.VarBinding, tree.MatchCast, tree.DataflowBlock, tree.Constant, tree.Call)
)
"""The nodes of a function that an index has."""


class NodeIndex:
    """The nodes of some items as written, by kind and in the order of the text, and the tables that go with them."""

    __slots__ = (
        "_comments",
        "_effects",
        "_host_or_effects",
        "_inferred",
        "_infos",
        "_module",
        "_shape_var_uses",
        "_uses",
        "bindings",
        "blocks",
        "calls",
        "constants",
        "externs",
        "functions",
        "match_casts",
        "prim_funcs",
        "resolved",
        "text",
    )

    def __init__(
        self,
        module: tree.IRModule,
        resolved: Resolved,
        inferred: Inferred,
        text: str,
        comments: Iterable[Comment],
        host_or_effects: bool | None = None,
    ) -> None:
        self.resolved = resolved
        self.text = text
        self._comments = sorted([comment.pos for comment in comments])
        """Where comments begin."""
        self.functions: list[tree.Function] = []
        self.prim_funcs: list[tree.PrimFunc] = []
        self.bindings: list[tree.VarBinding] = []
        self.match_casts: list[tree.MatchCast] = []
        self.blocks: list[tree.DataflowBlock] = []
        self.constants: list[tree.Constant] = []
        self.calls: list[tree.Call] = []
        self.externs: list[tree.ExternFunc] = []
        self._effects = inferred.effects()
        """Nodes that may have effects by themselves."""
        self._host_or_effects = host_or_effects
        self._module = module
        self._inferred = inferred
        self._infos: InfosAsWritten | None = None
        self._uses: dict[Node, list[int]] | None = None
        self._shape_var_uses: dict[Node, list[int]] | None = None

    def add(self, item: tree.Item, nodes: Iterable[Node]) -> None:
        """Add the nodes of one item."""
        if isinstance(item, tree.PrimFunc):
            self.prim_funcs.append(item)
            return
        kinds: dict[type[Node], list[Node]] = {
            tree.Function: self.functions,
            tree.VarBinding: self.bindings,
            tree.MatchCast: self.match_casts,
            tree.DataflowBlock: self.blocks,
            tree.Constant: self.constants,
            tree.Call: self.calls,
            tree.ExternFunc: self.externs,
        }  # pyright: ignore[reportAssignmentType] - each list gets the nodes of its kind
        for node in nodes:
            into = kinds.get(type(node))
            if into is not None:
                into.append(node)

    @property
    def uses(self) -> dict[Node, list[int]]:
        """The offsets at which each variable is used, by its definition, but for outputs of blocks and recursion."""
        if self._uses is None:
            outputs = {output for block in self.blocks for output in block.outputs}
            own = {one.var: one.value for one in self.bindings if isinstance(one.value, tree.Function)}
            self._uses = {}
            for use, binder in self.resolved.bindings.items():
                value = own.get(binder)
                if use not in outputs and not (value is not None and value.pos <= use.pos < value.end):
                    self._uses.setdefault(binder, []).append(use.pos)
        return self._uses

    @property
    def shape_var_uses(self) -> dict[Node, list[int]]:
        """The offsets at which each shape variable is used, by the occurrence that binds it; only of used ones."""
        if self._shape_var_uses is None:
            self._shape_var_uses = {}
            for use, binder in self.resolved.shape_bindings.items():
                if use is not binder:
                    self._shape_var_uses.setdefault(binder, []).append(use.pos)
        return self._shape_var_uses

    def has_comment(self, pos: int, end: int) -> bool:
        """Return whether a comment begins in a span."""
        return bisect_left(self._comments, pos) < bisect_left(self._comments, end)

    def calls_operator(self, call: tree.Call, name: str) -> bool:
        """Return whether a call is one of the operator of that name."""
        return self.resolved.operator_of(call) == name

    def has_effects(self, value: tree.Expr) -> bool:
        """Return whether evaluating an expression may do more than give a value: calls may, and a match_cast checks."""
        stack: list[Node] = [value]
        while stack:
            node = stack.pop()
            if node in self._effects or isinstance(node, tree.MatchCast):
                return True
            if (
                isinstance(node, tree.Call)
                and node.struct_info is not None
                and self.calls_operator(node, "cast")
            ):
                return True  # the older form of a match_cast
            if not isinstance(node, tree.Function | tree.StructInfo):
                stack.extend(children(node))
        return False

    @property
    def host_or_effects(self) -> bool:
        """Whether the module may call packed functions, has calls with effects, or writes into arguments in place.

        Where it does not, every tensor is what its inferred info says, and a copy cannot be told from the original.
        """
        if self._host_or_effects is None:
            self._host_or_effects = bool(self._effects) or any(
                needs_care(node) for node in walk(self._module)
            )
        return self._host_or_effects

    def info_of(self, value: tree.Expr) -> tree.StructInfo | None:
        """Return the inferred struct info of an expression, None if nothing is known of it."""
        if self._infos is None:
            from relax_lang.check.infer.context.infos_as_written import (
                InfosAsWritten,  # only for lints that use types
            )

            self._infos = InfosAsWritten(self.resolved, self._inferred)
        return self._infos.info_of(value)


def needs_care(node: Node) -> bool:
    """Return whether a node may call a packed function or write into arguments: see `NodeIndex.host_or_effects`."""
    if isinstance(node, tree.FuncStructInfo):
        return node.params is None  # PackedFunc
    return isinstance(node, tree.ExternFunc) or (
        isinstance(node, tree.Attr) and node.key == "inplace_indices"
    )
