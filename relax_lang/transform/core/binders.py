"""Definitions of variables: ordinary ones, and those that live in one dataflow block."""

from __future__ import annotations

from relax_lang.base.node import replaced
from relax_lang.syntax import tree


def ordinary(binding: tree.Binding) -> tree.Binding:
    """Return a binding whose variable is an ordinary one."""
    var = binding.var
    if not isinstance(var, tree.DataflowVar):
        return binding
    return with_var(binding, tree.Var(var.name_hint, var.struct_info_annotation, var.pos, var.end))


def local(binding: tree.Binding) -> tree.Binding:
    """Return a binding of a dataflow block whose variable does not leave it."""
    var = binding.var
    if not isinstance(var, tree.Var) or var.name_hint == "_":
        return binding
    return with_var(binding, tree.DataflowVar(var.name_hint, var.struct_info_annotation, var.pos, var.end))


def named(binding: tree.Binding, name: str) -> tree.Binding:
    """Return a binding of an ordinary variable of another name."""
    var = binding.var
    assert var is not None
    return with_var(binding, tree.Var(name, var.struct_info_annotation, var.pos, var.end))


def with_var(binding: tree.Binding, var: tree.Binder) -> tree.Binding:
    """Return a binding of another variable."""
    if isinstance(binding, tree.MatchCast):
        return replaced(binding, var=var)
    return tree.VarBinding(var, binding.value, binding.pos, binding.end)
