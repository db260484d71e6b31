"""What inference finds: the type of every expression, and which instance of a polymorphic value each use is."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Node
    from relax_lang.relay.operators.core import Operator
    from relax_lang.relay.scope.resolved import CtorInfo
    from relax_lang.relay.syntax import tree
    from relax_lang.relay.unification.model import Param, Type, Unknown


class Scheme:
    """The type of a variable or function: for any types in place of `quantified`."""

    __slots__ = ("quantified", "type")

    def __init__(self, type_: Type, quantified: tuple[Param, ...] = ()) -> None:
        self.type = type_
        self.quantified = quantified


class Typed:
    """The result of inference over a module, or over one instance of a function."""

    __slots__ = ("attrs", "ctors", "diagnostics", "functions", "instances", "operators", "relations", "types")

    def __init__(self) -> None:
        self.types: dict[Node, Type] = {}
        """Every expression, variable that is bound, and function, with its type."""
        self.functions: dict[str, Scheme] = {}
        self.instances: dict[tree.Var | tree.GlobalVar, list[Unknown]] = {}
        """Uses of what is polymorphic, with the types in place of its parameters."""
        self.ctors: dict[tree.OpRef, CtorInfo] = {}
        self.operators: dict[tree.OpRef, Operator] = {}
        self.attrs: dict[tree.OpRef, dict[str, Any]] = {}
        """The attributes of calls of operators, defaults filled in, by the callee."""
        self.relations = 0
        """How often type relations were asked."""
        self.diagnostics: list[Diagnostic] = []
