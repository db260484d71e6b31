"""Effects as the check of purity knows them: one impure thing, and those of a function. [P.1-P.11]"""

from __future__ import annotations

from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.node import Node
    from relax_lang.base.source import Span


class Effect:
    """Something impure: the node as written, and the words for what it calls; none if it is not a call.

    `is_packed`: it would be pure with `pure=true`. [P.4] `called`: the function of the module that is called.
    """

    __slots__ = ("called", "is_packed", "node", "text")

    def __init__(self, node: Node, text: str, *, is_packed: bool = False, called: Body | None = None) -> None:
        self.node = node
        self.text = text
        self.is_packed = is_packed
        self.called = called

    @property
    def packed_call(self) -> tree.Call | None:
        """The call that would be pure with `pure=true`. [P.4]"""
        return self.node if self.is_packed and isinstance(self.node, tree.Call) else None


class Body:
    """A function and the effects that its body has itself: functions inside it have their own. [P.11]"""

    __slots__ = ("callers", "effects", "function", "in_dataflow", "n_open", "why", "within")

    def __init__(self, function: tree.Function, within: tree.Function) -> None:
        self.function = function
        self.within = within
        """The function of the module that it is or that contains it."""
        self.effects: list[Effect] = []
        self.in_dataflow: list[Effect] = []
        """Those of dataflow blocks. [P.8]"""
        self.why: Effect | None = None
        """The first of `effects` in the text."""
        self.callers: list[CallSite] = []
        """Calls of this function in the module."""
        self.n_open = 0
        """How many calls it makes whose callee has no known type."""

    @property
    def is_impure(self) -> bool:
        """What callers must take it for. [P.5-P.7]"""
        return self.function.purity == "impure" or (self.why is not None and self.function.purity is None)


class Effects:
    """What the callers of a function must know of its effects: the first, and the calls of unknown type."""

    __slots__ = ("n_open", "why")

    def __init__(self, body: Body) -> None:
        self.why = body.why
        self.n_open = body.n_open

    @property
    def place(self) -> Span | None:
        """Where the first effect is."""
        return None if self.why is None else (self.why.node.pos, self.why.node.end)


class CallSite:
    """A call: the function that makes it, and whether a dataflow block does."""

    __slots__ = ("body", "call", "in_dataflow")

    def __init__(self, body: Body, call: tree.Call, *, in_dataflow: bool) -> None:
        self.body = body
        self.call = call
        self.in_dataflow = in_dataflow
