"""What the checks of one PrimFunc share: the names in scope, the types found so far, the findings."""

from __future__ import annotations

from relax_lang.tir.ir.symbols import Scopes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Node
    from relax_lang.syntax import tree
    from relax_lang.tir.diagnostics.operands import Differing
    from relax_lang.tir.ir.symbols import Symbol


_SEARCHED = 200
"""Mistakes for which similar names are looked for."""


class Context:
    """The state of one check; see the fields."""

    __slots__ = (
        "diagnostics", "differing", "func", "guards", "literals", "loops", "reported", "scopes", "stores", "symbols",
        "types", "writes",
    )  # fmt: skip

    def __init__(self, func: tree.PrimFunc) -> None:
        self.func = func
        self.diagnostics: list[Diagnostic] = []
        self.differing: dict[Node, Differing] = {}
        """Expressions without a type, as operands in them differ in theirs."""
        self.types: dict[Node, str] = {}
        """The type of every expression that has one; literals too."""
        self.symbols: dict[Node, Symbol] = {}
        """What every `PrimVar` stands for, at its uses and where it is declared, and every parameter."""
        self.stores: list[tree.BufferStore] = []
        """Stores to what is declared, in the order of the text."""
        self.scopes = Scopes()
        self.literals: dict[Node, int] = {}
        """Which expressions consist of literals without a type, and of what kind; see `untyped_literals`."""
        self.reported: set[str] = set()
        """Undefined names that were reported: each is one mistake. [Z.5]"""
        self.guards = 0
        """How many conditions are around the code being checked: they may keep it from running. [TIR.14]"""
        self.loops: list[tree.For | tree.While | tree.Block] = []
        """The enclosing loops and blocks, outermost first. [TIR.15]"""
        self.writes: list[tuple[tree.Block, set[Symbol]]] = []
        """The enclosing blocks with a `writes` clause, and what may be written in each. [TIR.11]"""

    def report(self, diagnostic: Diagnostic) -> None:
        """Add a finding."""
        self.diagnostics.append(diagnostic)

    def settle_differing(self, expr: tree.PrimExpr) -> None:
        """Note that an expression is all of what has to be of the type that its context takes."""
        if expr in self.differing:
            self.differing[expr].offer(expr)

    def keep_differing(self, expr: Node, operand: Node) -> None:
        """Note that an expression has the type of its operand, in which operands may differ."""
        if operand in self.differing:
            self.differing[expr] = self.differing[operand]

    def known(self, kinds: tuple[str, ...] = ()) -> list[str]:
        """Return the visible names, of the given kinds if there are any, for suggestions.

        Each is searched among all names, so there are none after hundreds of mistakes.
        """
        if len(self.diagnostics) > _SEARCHED:
            return []
        names = self.scopes.names()
        if not kinds:
            return names
        found: list[str] = []
        for name in names:
            symbol = self.scopes.find(name)
            if symbol is not None and symbol.kind in kinds:
                found.append(name)
        return found
