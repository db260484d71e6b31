"""A-normal form: every value that is computed is bound by a `let`, in the order of evaluation. [R.36]

Graph nodes are bound as well, each once, in the innermost branch, clause or function around all its uses.
"""

from __future__ import annotations

from relax_lang.base.node import assert_never
from relax_lang.relay.forms.rewriter import Rewriter
from relax_lang.relay.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.node import Node
    from relax_lang.relay.checking import Analysed


class ANormalForm(Rewriter):
    """One function of the module on its way to A-normal form."""

    def __init__(self, analysed: Analysed) -> None:
        super().__init__(analysed)
        self._pending: dict[Node, list[tree.GraphBind]] = {}
        """Graph nodes that only one branch, clause or function uses: they are bound at its beginning."""
        self._here: list[Node] = []

    def region(self, region: Node, body: tree.Expr) -> tree.Block:
        """Rewrite what has bindings of its own."""
        self._here.append(region)
        made = super().region(region, body)
        self._here.pop()
        return made

    def begin(self, region: Node) -> None:
        """Bind the graph nodes that only this function, branch or clause uses."""
        for binding in self._pending.get(region, ()):
            self.graph[binding] = self.atom(binding.value)

    def bind(self, value: tree.Expr, hint: str) -> tree.Expr:
        """Bind a value to a variable; a function with type parameters stays where it is, as `let` would take them."""
        if isinstance(value, tree.Function) and value.type_params:
            return value
        name = self.names.fresh(hint)
        var = tree.Var(name, value.pos, value.end)
        self.blocks[-1].append(tree.Let(var, None, value, value.pos, value.end))
        return tree.Var(name, value.pos, value.end)

    def last(self, node: tree.Expr) -> tree.Expr:
        """Rewrite the value of a function, branch or clause: an atom."""
        return self.atom(node)

    def block(self, node: tree.Block) -> tree.Expr:
        """Open braces within an expression."""
        self.bindings(node)
        return self.value(node.value)

    def bindings(self, node: tree.Block) -> None:
        """Rewrite the bindings of a block."""
        for binding in node.bindings:
            place = binding.pos, binding.end
            match binding:
                case tree.GraphBind():
                    self._graph_node(binding)
                case tree.Let():
                    self.blocks[-1].append(self.let(binding))
                case tree.FreeVar():
                    made = tree.FreeVar(self.fresh(binding.var), binding.annotation, *place)
                    self.blocks[-1].append(made)
                case tree.Then():
                    value = self.value(binding.value)
                    self.blocks[-1].append(tree.Then(value, *place))
                case _:
                    assert_never(binding)

    def _graph_node(self, binding: tree.GraphBind) -> None:
        if binding not in self.resolved.regions:  # nothing uses it
            return
        region = self.resolved.regions[binding]
        if region is self._here[-1]:
            self.graph[binding] = self.atom(binding.value)
        elif region is not None:
            self._pending.setdefault(region, []).append(binding)
