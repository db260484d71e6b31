"""Parts of programs made anew: functions with other bodies, sequences with other blocks, names with other meanings.

Nodes in which nothing changes are returned as they are, so that "nothing changed" is a comparison by identity.
"""

from __future__ import annotations

import itertools

from relax_lang.base.node import replaced, with_children
from relax_lang.normalize.blocks import Blocks
from relax_lang.normalize.inner_bodies import body_of, with_inner
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from relax_lang.base.node import Node

    Block = tree.BlockOfBindings


def with_body(function: tree.Function, body: tree.Expr) -> tree.Function:
    """Return a function with another body."""
    if body is function.body:
        return function
    return replaced(function, body=body)


def with_value(binding: tree.Binding, value: tree.Expr) -> tree.Binding:
    """Return a binding with another value."""
    if value is binding.value:
        return binding
    if isinstance(binding, tree.MatchCast):
        return replaced(binding, value=value)
    return tree.VarBinding(binding.var, value, binding.pos, binding.end)


def with_bindings(block: Block, bindings: tuple[tree.Binding, ...]) -> Block:
    """Return a block with other bindings; its outputs stay."""
    if bindings == block.bindings:  # nodes are equal by identity only
        return block
    if isinstance(block, tree.DataflowBlock):
        return tree.DataflowBlock(bindings, block.outputs, block.pos, block.end)
    return tree.BindingBlock(bindings, block.explicit, block.pos, block.end)


def with_branches(node: tree.If, true_branch: tree.Expr, false_branch: tree.Expr) -> tree.If:
    """Return an `if` with other branches."""
    if true_branch is node.true_branch and false_branch is node.false_branch:
        return node
    return tree.If(node.cond, true_branch, false_branch, node.pos, node.end)


def sequence(seq: tree.SeqExpr, blocks: Iterable[Block], body: tree.Expr) -> tree.SeqExpr:
    """Return a sequence with other blocks and value; empty blocks vanish, neighbours of a kind are merged. [N.6-N.8]"""
    made = _merged(tuple(blocks))
    if made == seq.blocks and body is seq.body:
        return seq
    return tree.SeqExpr(made, body, seq.pos, seq.end)


def _merged(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    kinds = [type(block) for block in blocks]
    if all(block.bindings for block in blocks) and all(
        one is not other for one, other in itertools.pairwise(kinds)
    ):
        return blocks
    out = Blocks()
    for block in blocks:
        dataflow = isinstance(block, tree.DataflowBlock)
        if not block.bindings:
            continue
        if dataflow:
            out.open_dataflow(block.pos, block.end)
        for binding in block.bindings:
            out.add(binding, dataflow=dataflow)
        if isinstance(block, tree.DataflowBlock):
            out.leave(block.outputs)
    return out.close()


def with_blocks(function: tree.Function, change: Callable[[Block], Block]) -> tree.Function:
    """Return a function whose blocks are changed, the innermost first, in branches and local functions too."""
    return with_body(function, _changed(body_of(function.body), change))


def _changed(seq: tree.SeqExpr, change: Callable[[Block], Block]) -> tree.SeqExpr:
    blocks: list[Block] = []
    for block in seq.blocks:
        bindings = [with_inner(binding, lambda inner: _changed(inner, change)) for binding in block.bindings]
        blocks.append(change(with_bindings(block, tuple(bindings))))
    return sequence(seq, blocks, seq.body)


def copied(node: Any) -> Any:
    """Return a copy of a tree that shares no node with it: what is known of nodes is known of one place only."""
    fields: list[Any] = []
    for name in node.FIELDS:
        value: Any = getattr(node, name)
        if value is not None and name in node.CHILDREN:
            value = tuple([copied(one) for one in value]) if value.__class__ is tuple else copied(value)
        fields.append(value)
    return made_like(node, fields)


class Substitution:
    """Variables and shape variables that mean something else from now on.

    `values` has expressions by the name of a variable, `sizes` dimension expressions by the name of a shape variable.
    Names are unique in a function, so that nothing can be captured.
    """

    __slots__ = ("sizes", "values")

    def __init__(
        self,
        values: Mapping[str, tree.Expr] | None = None,
        sizes: Mapping[str, tree.PrimExpr] | None = None,
    ) -> None:
        self.values: dict[str, tree.Expr] = dict(values or {})
        self.sizes: dict[str, tree.PrimExpr] = dict(sizes or {})

    def __bool__(self) -> bool:
        """Return whether there is anything to do."""
        return bool(self.values or self.sizes)

    def of(self, node: Any) -> Any:
        """Return a node in which uses have their new meaning; definitions keep their names."""
        return self._of(node) if self.values or self.sizes else node

    def _call(self, node: tree.Call) -> Any:
        values = self.values
        args: list[Any] = []
        changed = False
        for arg in node.args:
            if arg.__class__ is tree.Var:
                assert isinstance(arg, tree.Var)
                found = values.get(arg.name_hint)
                new: Any = arg if found is None else _at(found, arg)
            else:
                new = self._of(arg) if arg.CHILDREN else arg
            changed = changed or new is not arg
            args.append(new)
        op = node.op if node.op.__class__ is tree.Op else self._of(node.op)
        info = None if node.struct_info is None else self._of(node.struct_info)
        if not changed and op is node.op and info is node.struct_info:
            return node
        return tree.Call(op, tuple(args), node.attrs, info, node.pos, node.end)

    def _of(self, node: Node) -> Any:
        kind = node.__class__
        if kind is tree.Call:  # nearly all of them
            assert isinstance(node, tree.Call)
            return self._call(node)
        if kind is tree.Var:
            assert isinstance(node, tree.Var)
            found = self.values.get(node.name_hint)
            if found is not None and node.struct_info_annotation is None:
                return _at(found, node)
        elif kind is tree.PrimVar:
            assert isinstance(node, tree.PrimVar)
            return self.sizes.get(node.name, node)
        if kind is tree.VarBinding or kind is tree.MatchCast:
            return self._binding(node)
        return with_children(node, self._of)

    def _binding(self, node: Any) -> Any:
        var = self.binder(node.var)
        value = self._of(node.value)
        if node.__class__ is tree.VarBinding:
            if var is node.var and value is node.value:
                return node
            return tree.VarBinding(var, value, node.pos, node.end)
        info = self._of(node.struct_info)
        if var is node.var and value is node.value and info is node.struct_info:
            return node
        return replaced(node, var=var, struct_info=info, value=value)

    def around(self, binding: Any, value: tree.Expr) -> Any:
        """Return a binding with a value that was looked at already; only what is around it gets its new meaning."""
        var = self.binder(binding.var)
        if binding.__class__ is tree.VarBinding:
            same = var is binding.var and value is binding.value
            return binding if same else tree.VarBinding(var, value, binding.pos, binding.end)
        info = self.of(binding.struct_info)
        if var is binding.var and value is binding.value and info is binding.struct_info:
            return binding
        return replaced(binding, var=var, struct_info=info, value=value)

    def binder(self, var: Any) -> Any:
        """Return a definition under its name, with an annotation in which uses have their new meaning."""
        if var is None or var.struct_info_annotation is None:
            return var
        info = self._of(var.struct_info_annotation)
        return (
            var
            if info is var.struct_info_annotation
            else var.__class__(var.name_hint, info, var.pos, var.end)
        )


class Rewriting:
    """Applies a function to every node, the parts of a node before itself; shared nodes are looked at once."""

    __slots__ = ("_change", "_known")

    def __init__(self, change: Callable[[Any], Any]) -> None:
        self._change = change
        self._known: dict[Node, Any] = {}

    def of(self, node: Any) -> Any:
        """Return a tree in which every node is what the function makes of it."""
        known = self._known.get(node)
        if known is None:
            known = self._known[node] = self._change(with_children(node, self.of))
        return known


def made_like(node: Node, fields: list[Any]) -> Any:
    """Return a node of the same class with other fields; its layout and its place stay."""
    kind: Any = type(node)
    made = {name: getattr(node, name) for name in (*kind.__slots__, "pos", "end")}
    made.update(zip(kind.FIELDS, fields, strict=True))
    return kind(**made)


def _at(value: tree.Expr, place: Node) -> tree.Expr:
    """Return an expression that takes the place of another one: messages point to where it is used."""
    if isinstance(value, tree.Var):
        return tree.Var(value.name_hint, None, place.pos, place.end)
    return value
