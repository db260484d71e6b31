"""PrimFuncs that a pass adds to a module: one for all that are the same up to names."""

from __future__ import annotations

from relax_lang.base.names import FreshNames
from relax_lang.scope.alpha.structure import alpha_structure
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable

    from relax_lang.typed import Typed


class PrimFuncs:
    """The private PrimFuncs of a module, which calls may share; `added` are the new ones."""

    def __init__(self, typed: Typed) -> None:
        self._names = FreshNames(set(typed.items))
        self._known: dict[Hashable, str] = {}
        self.added: list[tree.Item] = []
        for name, func in typed.prim_funcs.items():
            if func.private:
                self._known.setdefault(alpha_structure(func), name)

    def add(self, func: tree.PrimFunc) -> str:
        """Return the name under which a PrimFunc is in the module; its own is a proposal."""
        key = alpha_structure(func)
        name = self._known.get(key)
        if name is None:
            name = self._known[key] = self._names.fresh(func.name.name_hint)
            self.added.append(renamed(func, name))
        return name


def renamed(func: tree.PrimFunc, name: str) -> tree.PrimFunc:
    """Return a PrimFunc under another name."""
    if name == func.name.name_hint:
        return func
    return tree.PrimFunc(
        tree.GlobalVar(name, func.name.pos, func.name.end), func.private, func.params, func.attrs, func.body,
        func.ret_dtype, func.result, func.pos, func.end,
    )  # fmt: skip
