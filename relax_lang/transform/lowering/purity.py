"""Purity of functions that get statements with effects: nothing else sees the memory that these are about."""

from __future__ import annotations

from relax_lang.base.node import replaced
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.typed import Typed


def as_pure_as(function: tree.Function, made: tree.Function, typed: Typed) -> tree.Function:
    """Return what was made of a function of a program, for callers as pure as the function was."""
    if function.purity in ("force_pure", "impure"):  # it stays what it is: nothing has to be derived
        return made
    assert function.name is not None
    info = typed.signatures.get(function.name.name_hint)
    if made is function or not isinstance(info, tree.FuncStructInfo) or not info.pure:
        return made
    return replaced(made, purity="force_pure")
