"""What replacements of rules bring into a program: their statements, and items of their file that they call."""

from __future__ import annotations

from relax_lang.base.names import FreshNames
from relax_lang.base.node import walk
from relax_lang.scope.alpha.structure import alpha_structure
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping
    from typing import Any

    from relax_lang.builder.scopes import FunctionBuilder
    from relax_lang.typed import Typed


class Brought:
    """A PrimFunc or a function that a replacement calls, directly or not."""

    __slots__ = ("item", "name")

    def __init__(self, name: str, item: tree.Item) -> None:
        self.name = name
        self.item = item


def reached(typed: Typed, function: tree.Function) -> list[Brought]:
    """Return the items that a function of a program reaches, what is called before what calls it."""
    found: dict[str, Brought] = {}
    open_: set[str] = set()

    def visit(item: tree.Item) -> None:
        for node in walk(item):
            if not isinstance(node, tree.GlobalVar) or node is item.name or node.name_hint in open_:
                continue
            name = node.name_hint
            called = typed.items.get(name)
            if isinstance(called, tree.Item):
                open_.add(name)
                visit(called)
                found[name] = Brought(name, called)

    visit(function)
    return list(found.values())


def brought_along(typed: Typed, brought: list[Brought]) -> tuple[Typed, dict[str, str]]:
    """Return a program with more items, and the names that they have there.

    A private item of the program that is the same up to names is found again.
    """
    fresh = FreshNames(set(typed.items))
    known: dict[Hashable, str] = {}
    for name, item in typed.items.items():
        if item.private:
            known.setdefault(alpha_structure(item), name)
    names: dict[str, str] = {}
    added: list[tree.Item] = []
    for one in brought:
        again = known.get(alpha_structure(_renamed(one.item, names)))
        if again is not None:
            names[one.name] = again
            continue
        names[one.name] = fresh.fresh(one.name)
        added.append(_renamed(one.item, names))
    return typed.with_items({}, added), names


def _renamed(node: Any, names: Mapping[str, str]) -> Any:
    """Return a tree without places, in which items have other names."""
    if isinstance(node, tree.GlobalVar):
        return tree.GlobalVar(names.get(node.name_hint, node.name_hint))
    kind: Any = node.__class__
    fields: dict[str, Any] = {name: getattr(node, name) for name in kind.__slots__}
    for name in node.CHILDREN:
        part: Any = fields[name]
        if part is not None:
            fields[name] = (
                tuple([_renamed(one, names) for one in part])
                if part.__class__ is tuple
                else _renamed(part, names)
            )
    return kind(**fields)


class Inlining:
    """The statements of a replacement, over what its parameters and shape variables stand for, when they are wanted.

    Each statement is bound once, however often its variable is used.
    """

    __slots__ = ("_function", "_names", "_sizes", "_values")

    def __init__(
        self,
        function: tree.Function,
        values: Mapping[str, tree.Expr],
        sizes: Mapping[str, tree.PrimExpr],
        names: Mapping[str, str],
    ) -> None:
        self._function = function
        self._values: dict[str, tree.Expr] = dict(values)
        self._sizes = sizes
        self._names = names

    def expression(self) -> object:
        """Return the right-hand side of the result, if there is no other statement; otherwise this object."""
        before, _ = self._parts()
        return self if before else self(None)

    def __call__(self, builder: FunctionBuilder | None) -> object:
        """Bind all statements but the one of the result, and return the right-hand side of that."""
        before, result = self._parts()
        for binding in before:
            value = self._of(binding.value)
            if builder is not None and isinstance(value, tree.Call | tree.TupleGetItem):
                value = builder.emit(value).node
            assert binding.var is not None
            self._values[binding.var.name_hint] = value
        return self._of(result)

    def _parts(self) -> tuple[list[tree.Binding], tree.Expr]:
        """Return the statements before the result, and its right-hand side."""
        body = self._function.body
        assert isinstance(body, tree.SeqExpr)
        bindings = [binding for block in body.blocks for binding in block.bindings]
        last = bindings[-1].var if bindings else None
        if last is not None and isinstance(body.body, tree.Var) and body.body.name_hint == last.name_hint:
            return bindings[:-1], bindings[-1].value
        return bindings, body.body

    def _of(self, node: Any) -> Any:
        if isinstance(node, tree.Var) and node.name_hint in self._values:
            return self._values[node.name_hint]
        if isinstance(node, tree.PrimVar):
            return self._sizes.get(node.name, node)
        if isinstance(node, tree.GlobalVar):
            return tree.GlobalVar(self._names.get(node.name_hint, node.name_hint))
        if not node.CHILDREN:
            return node
        fields: list[Any] = []
        for name in node.FIELDS:
            part = getattr(node, name)
            if name in node.CHILDREN and part is not None:
                part = tuple([self._of(one) for one in part]) if part.__class__ is tuple else self._of(part)
            fields.append(part)
        return type(node)(*fields)
