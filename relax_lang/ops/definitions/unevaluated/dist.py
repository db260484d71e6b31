"""Sharded tensors on a mesh of devices, which are not evaluated."""

from __future__ import annotations

from functools import partial

from relax_lang.ops.core.operator import NOT_EVALUATED, Family
from relax_lang.ops.shape_rules.shared import fixed

family = Family(__name__, "Distributed tensors, not evaluated", since="later")
_declare = partial(family.declare, evaluated=NOT_EVALUATED)


_declare(
    "dist.call_tir_local_view",
    "func: callee, args: tuple",
    infer=fixed.declared,
    doc="Calls a PrimFunc on every worker's part.",
)
