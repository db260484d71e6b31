"""Reading programs: a method for each class of nodes.

    class CountCalls(Visitor):
        def __init__(self):
            self.count = 0

        def visit_Call(self, call):
            self.count += 1

`CountCalls().visit(module.tree)` goes over the tree without recursion, parents before children.
"""

from __future__ import annotations

from relax_lang.base.node import Node, children

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ClassVar

_PREFIX = "visit_"


def methods_of(kind: type) -> dict[str, Callable[..., Any]]:
    """Return the methods `visit_Class` of a class of visitors, by the name of the class of nodes."""
    found: dict[str, Callable[..., Any]] = {}
    for base in reversed(kind.__mro__):
        for name, value in vars(base).items():
            if name.startswith(_PREFIX) and callable(value):
                found[name[len(_PREFIX) :]] = value
    return found


class Visitor:
    """Calls `visit_Class(node)` for each node of a tree; one that returns False leaves out what is below the node."""

    _methods: ClassVar[dict[str, Callable[..., Any]]] = {}

    def __init_subclass__(cls) -> None:
        cls._methods = methods_of(cls)

    def visit(self, root: Any) -> None:
        """Visit a tree, a module that is loaded, or a typed program."""
        methods = self._methods
        stack: list[Node] = [tree_of(root)]
        while stack:
            node = stack.pop()
            method = methods.get(node.__class__.__name__)
            if method is not None and method(self, node) is False:
                continue
            if node.CHILDREN:
                stack.extend(reversed(list(children(node))))


def tree_of(root: Any) -> Node:
    """Return the tree of a program, in normal form if it has one."""
    if isinstance(root, Node):
        return root
    typed = getattr(root, "typed", root)  # of a module that is loaded
    module: Node = typed.module
    return module
