"""Calls into the virtual machine, which are not evaluated."""

from __future__ import annotations

from functools import partial

from relax_lang.ops.core.operator import NOT_EVALUATED, Family
from relax_lang.ops.shape_rules.shared import fixed

family = Family(__name__, "Calls into the virtual machine, not evaluated", since="later")
_declare = partial(family.declare, evaluated=NOT_EVALUATED)


_declare(
    "call_builtin_with_ctx",
    "func: callee, args: tuple",
    pure=False,
    since="spec",
    infer=fixed.declared_or_unit,
    doc="Calls a function of the virtual machine with its context.",
)
