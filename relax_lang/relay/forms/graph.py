"""The form of a graph: every call is a numbered node, which is evaluated where its value is first needed. [R.36]

A `let` becomes a node where that changes nothing but when its value is computed. One stays if its variable is not used,
if it binds a function literal (which may call itself, and may be polymorphic), if its annotation is another type than
that of the value, or if reading or writing a reference may be part of it.
"""

from __future__ import annotations

from relax_lang.base.node import Node, assert_never, walk
from relax_lang.relay.forms.rewriter import Rewriter, has_references, is_atom
from relax_lang.relay.syntax import tree
from relax_lang.relay.unification.printing import show

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.relay.checking import Analysed


class GraphForm(Rewriter):
    """One function of the module on its way to the form of a graph."""

    def __init__(
        self, analysed: Analysed, *, keeps_annotations: bool = False, numbers: dict[int, int] | None = None
    ) -> None:
        super().__init__(analysed)
        self._analysed = analysed
        self._numbers = numbers
        """The numbers of nodes, in the order of the text, by the order in which they are made."""
        self._typed = analysed.typed
        self._keeps_annotations = keeps_annotations
        self._has_references = has_references(analysed.parsed.tree)
        self._used = set(analysed.resolved.bindings.values())
        self._count = 0

    def whole(self, node: tree.Function) -> tree.Function:
        """Rewrite a function of the module. Which number comes when is known afterwards, so that it is done twice."""
        made = self.function(node)
        found = [one.var.index for one in walk(made) if isinstance(one, tree.GraphBind)]
        numbers = {index: place for place, index in enumerate(found)}
        again = GraphForm(self._analysed, keeps_annotations=self._keeps_annotations, numbers=numbers)
        return again.function(node)

    def bind(self, value: tree.Expr, hint: str) -> tree.Expr:
        """Make a node of a value; function literals stay where they are."""
        if isinstance(value, tree.Function | tree.Proj | tree.Block):
            return value
        return self._node(value)

    def _node(self, value: tree.Expr) -> tree.Expr:
        place = value.pos, value.end
        index, self._count = self._count, self._count + 1
        if self._numbers is not None:
            index = self._numbers[index]
        self.blocks[-1].append(tree.GraphBind(tree.GraphVar(index, *place), value, *place))
        return tree.GraphVar(index, *place)

    def last(self, node: tree.Expr) -> tree.Expr:
        """Rewrite the value of a function, branch or clause."""
        return self.value(node)

    def block(self, node: tree.Block) -> tree.Expr:
        """Open braces within an expression if all their bindings become nodes, else leave them braces."""
        if all(self._becomes_node(one) for one in node.bindings):
            self.bindings(node)
            return self.value(node.value)
        return self.region(node, node)

    def bindings(self, node: tree.Block) -> None:
        """Rewrite the bindings of a block."""
        for binding in node.bindings:
            place = binding.pos, binding.end
            match binding:
                case tree.GraphBind():
                    self.graph[binding] = self._shared(self.value(binding.value))
                case tree.Let():
                    if self._becomes_node(binding):
                        self.variables[binding.var] = self._shared(self.value(binding.value))
                    else:
                        let = self.let(binding)
                        self.blocks[-1].append(let)
                case tree.FreeVar():
                    made = tree.FreeVar(self.fresh(binding.var), binding.annotation, *place)
                    self.blocks[-1].append(made)
                case tree.Then():
                    value = self.value(binding.value)
                    self.blocks[-1].append(tree.Then(value, *place))
                case _:
                    assert_never(binding)

    def _shared(self, value: tree.Expr) -> tree.Expr:
        return value if is_atom(value) else self._node(value)

    def _becomes_node(self, binding: tree.Binding) -> bool:
        if isinstance(binding, tree.GraphBind):
            return True
        if not isinstance(binding, tree.Let) or isinstance(binding.value, tree.Function):
            return False
        return (
            binding.var in self._used
            and not self._has_effects(binding.value)
            and (binding.annotation is None or self._says_nothing_new(binding))
        )

    def _says_nothing_new(self, binding: tree.Let) -> bool:
        types = self._typed.types
        inner = binding.value
        while isinstance(inner, tree.Block):
            inner = inner.value
        if self._keeps_annotations or inner not in types:
            return False
        return show(types[binding.var]) == show(types[inner])

    def _has_effects(self, value: Node) -> bool:
        """Return whether it may matter when a value is computed, except for where a run fails."""
        for one in walk(value):
            if isinstance(one, tree.Match) and not one.total:
                return True
            if self._has_references:
                if isinstance(one, tree.RefNew | tree.RefRead | tree.RefWrite):
                    return True
                if isinstance(one, tree.Call) and not isinstance(one.op, tree.OpRef):
                    return True
        return False
