"""Python names for everything in generated code. [Y.11]

Names of programs may hold any character, be words of Python, or differ only in what Python takes to be the same
letter. So generated code has names of its own: ASCII letters, digits and `_`, like those of the program where
these are such names already. Local names of all functions are given first; names of the generated module differ
from all of them, so that no local name can hide one.
"""

from __future__ import annotations

import builtins
import keyword
import re

from relax_lang.base.names import FreshNames
from relax_lang.base.node import walk
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

LIBRARY = ("np", "Activation", "ShapeValue", "truth", "field")
"""What every generated module can name without saying so."""

_RESERVED = (*keyword.kwlist, *keyword.softkwlist, *dir(builtins), *LIBRARY)
_OUTSIDE = re.compile(r"[^0-9A-Za-z_]")
_LONGEST = 40


def plain(name: str) -> str:
    """Return an identifier like a name of the program; it may be taken."""
    safe = _OUTSIDE.sub("_", name).strip("_")[:_LONGEST]
    return safe if safe and not safe[0].isdigit() else f"v{safe}"


class Names:
    """The Python names of one module: `variables` and `dims` by top-level function, `fresh` for all others."""

    __slots__ = ("_dims", "_module", "_variables", "all_dims")

    def __init__(self, module: tree.IRModule) -> None:
        self._variables: dict[tree.Function, dict[str, str]] = {}
        self._dims: dict[tree.Function, dict[str, str]] = {}
        self.all_dims: set[str] = set()
        """The shape variables of the module, by their own names."""
        taken: set[str] = set()
        for item in module.items:
            if isinstance(item, tree.Function):
                taken |= self._name_locals(item)
        self._module = FreshNames({*_RESERVED, *taken})

    def _name_locals(self, function: tree.Function) -> set[str]:
        """Name all variables of a top-level function and of those in it; they are unique there. [N.16]"""
        local = FreshNames(_RESERVED)
        variables, dims = self._variables[function], self._dims[function] = {}, {}
        for node in walk(function):
            if isinstance(node, tree.Var | tree.DataflowVar) and node.name_hint not in variables:
                variables[node.name_hint] = local.fresh(plain(node.name_hint))
            elif isinstance(node, tree.PrimVar) and node.name not in dims:
                dims[node.name] = local.fresh(plain(node.name))
        self.all_dims |= dims.keys()
        return {*variables.values(), *dims.values()}

    def variables(self, function: tree.Function) -> Mapping[str, str]:
        """Return the Python names of the variables of a top-level function."""
        return self._variables[function]

    def dims(self, function: tree.Function) -> Mapping[str, str]:
        """Return the Python names of its shape variables."""
        return self._dims[function]

    def fresh(self, wanted: str) -> str:
        """Return a new name, of a global or a local variable: it differs from all names of the module."""
        return self._module.fresh(plain(wanted))
