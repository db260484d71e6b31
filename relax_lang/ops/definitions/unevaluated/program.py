"""Calls into Python and the virtual machine, and marks on parameters, which are not evaluated."""

from __future__ import annotations

from functools import partial

from relax_lang.ops.core.operator import NOT_EVALUATED, Family
from relax_lang.ops.shape_rules.shared import fixed, unary

family = Family(__name__, "Calls and marks, not evaluated", since="later")
_declare = partial(family.declare, evaluated=NOT_EVALUATED)


_declare(
    "wrap_param",
    "data: tensor",
    "dtype: dtype = float32",
    infer=unary.converted,
    doc="Marks a parameter and converts its dtype.",
)
_declare(
    "builtin.stop_lift_params",
    "x: tensor",
    infer=unary.same,
    doc="Marks where parameters are no longer lifted.",
)
_declare(
    "call_py_func",
    "func_name: any, args: tuple",
    infer=fixed.declared,
    doc="Calls a Python function by name.",
)
_declare(
    "call_builtin_with_ctx",
    "func: callee, args: tuple",
    pure=False,
    since="spec",
    infer=fixed.declared_or_unit,
    doc="Calls a function of the virtual machine with its context.",
)
