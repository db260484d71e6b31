"""Unique names: what variables and shape variables are called in normal form. [N.11 N.14 N.16]

The first definition of a name keeps it, later ones get `name_1`, `name_2`, …. A name is also given up where,
in the printed form, it would be read as something else: a local variable that is called like an operator of
the function, or a shape variable that is called like one of a function type.
"""

from __future__ import annotations

from relax_lang.base.names import FreshNames
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.node import Node
    from relax_lang.scope.context import Resolved


class Names:
    """The names of a top-level function; `renamed` and `renamed_shapes` hold definitions with a new one."""

    __slots__ = (
        "_bindings",
        "_fresh",
        "_given",
        "_given_shapes",
        "_operators",
        "_replaced",
        "_shape_bindings",
        "_stem",
        "_types",
        "computed",
        "rejected",
        "renamed",
        "renamed_shapes",
    )

    def __init__(self, function: tree.Function, resolved: Resolved) -> None:
        self.rejected = resolved.rejected
        self._bindings = resolved.bindings
        self._shape_bindings = resolved.shape_bindings
        self._operators = resolved.operators.get(function, set())
        self._types = resolved.type_variables.get(function, set())
        self._given: set[str] = set()
        self._given_shapes: set[str] = set()
        self._replaced: set[str] = set()
        """The names of definitions that have another one now."""
        self._stem = ""
        """What names without an author begin with, beside their kind: such as no author can write."""
        variables = resolved.variable_names.get(function, ())
        shapes = resolved.shape_names.get(function, ())
        self._fresh = FreshNames(self._operators.union(self._types, variables, shapes))
        self.computed: dict[str, str] = {}
        """Variable that holds a computed shape to how the author wrote it. [B.10]"""
        self.renamed: dict[Node, str] = {}
        self.renamed_shapes: dict[Node, str] = {}

    def keep(self, binder: tree.Binder) -> None:
        """Name a parameter of the function itself: callers know it by its name, so it stays."""
        self._given.add(binder.name_hint)

    def define(self, binder: tree.Binder) -> str:
        """Name a definition. [N.11 N.14]"""
        name = binder.name_hint
        if name == "_":
            return name
        given = self._given
        if name not in given and name not in self._operators:
            given.add(name)
            return name
        self._replaced.add(name)
        self.renamed[binder] = fresh = self._fresh.fresh(name)
        return fresh

    def temporary(self, *, dataflow: bool) -> str:
        """Return a name for a value that had none."""
        return self._fresh.fresh(self._stem + ("lv" if dataflow else "gv"))

    def keeps(self, names: frozenset[str], words: frozenset[str]) -> bool:
        """Return whether definitions with some names keep them, in a text whose words have the names of the author."""
        return (
            self._given.isdisjoint(names)
            and self._operators.isdisjoint(names)
            and self._replaced.isdisjoint(words)
        )

    def take(self, names: frozenset[str]) -> None:
        """Note that definitions have kept their names."""
        self._given |= names

    def number_apart(self, place: int) -> None:
        """Number the names without an author apart from those of other places; -1 for the usual names."""
        self._stem = "" if place < 0 else f"{place} "

    def variable(self, use: tree.Var) -> tree.Var:
        """Return a use under the name of its definition."""
        name = self.renamed.get(self._bindings.get(use, use))
        return use if name is None else tree.Var(name, None, use.pos, use.end)

    def keep_shapes(self, variables: list[tree.PrimVar]) -> None:
        """Name the shape variables of the function's own signature: they stay."""
        for variable in variables:
            self._given_shapes.add(variable.name)

    def define_shapes(self, variables: list[tree.PrimVar]) -> None:
        """Name shape variables where they are bound; occurrences that are uses are passed over. [S.14]"""
        for variable in variables:
            if self._shape_bindings.get(variable) is not variable:
                continue
            name = variable.name
            if name in self._given_shapes or name in self._types:
                self._replaced.add(name)
                self.renamed_shapes[variable] = self._fresh.fresh(name)
            else:
                self._given_shapes.add(name)

    def shape_variable(self, use: tree.PrimVar) -> tree.PrimVar:
        """Return an occurrence of a shape variable under the name of its binding."""
        name = self.renamed_shapes.get(self._shape_bindings.get(use, use))
        return use if name is None else tree.PrimVar(name, use.pos, use.end)

    def authors(self) -> dict[str, str]:
        """Return the new names, each with the name that the author gave, or with the computed shape."""
        found = dict(self.computed)
        for binder, name in (*self.renamed.items(), *self.renamed_shapes.items()):
            if isinstance(binder, tree.Var | tree.DataflowVar):
                found[name] = binder.name_hint
            elif isinstance(binder, tree.PrimVar):
                found[name] = binder.name
        return found
