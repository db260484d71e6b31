"""What names of a module mean, as a table. [R.7-R.10]"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Node
    from relax_lang.relay.syntax import tree
    from relax_lang.relay.syntax.parser import Parsed


class CtorInfo:
    """A constructor with the type that it belongs to."""

    __slots__ = ("ctor", "index", "owner")

    def __init__(self, ctor: tree.Ctor, owner: tree.TypeDef, index: int) -> None:
        self.ctor = ctor
        self.owner = owner
        self.index = index
        """Its place among the constructors of the type: the tag of its values."""


class Resolved:
    """What names mean."""

    __slots__ = (
        "bindings",
        "ctors",
        "diagnostics",
        "functions",
        "graph",
        "imported",
        "is_incomplete",
        "parsed",
        "references",
        "regions",
        "types",
    )

    def __init__(self, parsed: Parsed | None = None) -> None:
        self.parsed = parsed
        """The text that the names are in."""
        self.functions: dict[str, tree.Def] = {}
        """Those of the module, and of what it imports those that are used."""
        self.imported: set[str] = set()
        """The functions that are imported."""
        self.types: dict[str, tree.TypeDef | tree.ExternType] = {}
        self.ctors: dict[str, CtorInfo] = {}
        self.is_incomplete = False
        """Whether something could not be imported, so that any unknown name may be of it."""
        self.bindings: dict[tree.Var, tree.Var] = {}
        """Uses of local variables, each with the variable where it is bound."""
        self.graph: dict[tree.GraphVar, tree.GraphBind] = {}
        """Uses of graph nodes, each with its definition."""
        self.regions: dict[tree.GraphBind, Node | None] = {}
        """Where graph nodes are evaluated: the innermost branch, clause or function around all uses."""
        self.references: dict[str, list[str]] = {}
        """For every function, the functions that it mentions."""
        self.diagnostics: list[Diagnostic] = []
