"""Calls of operators. [X.9.1]

Most are kernels of `relax_lang.ops`. Those that call functions or write to the outside belong to the runtime:
destination-passing calls are in `destination`, calls of closures in `interpreter`, printing is here.
"""

from __future__ import annotations

from relax_lang.ops.attributes import move_scalars
from relax_lang.runtime import destination
from relax_lang.runtime.dimensions import sizes
from relax_lang.runtime.leaves import leaf
from relax_lang.runtime.prepared import prepare
from relax_lang.runtime.printing import printed
from relax_lang.syntax import tree
from relax_lang.values import ShapeValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from relax_lang.runtime.machine import Scope
    from relax_lang.runtime.prepared import Prepared

    Special = Callable[[tree.Call, Scope], object]


def call_operator(call: tree.Call, name: str, scope: Scope) -> object:
    """Evaluate the arguments from left to right, then the operator. [X.9.1]"""
    special = _SPECIAL.get(name)
    if special is not None:
        return special(call, scope)
    prepared = _prepared(call, name, scope)
    args: Sequence[object] = [leaf(argument, scope) for argument in call.args]
    if prepared.named:
        args, _ = move_scalars(prepared.operator, args, prepared.named)
    if prepared.estimate is not None:
        scope.machine.memory.check(prepared.estimate(args, prepared.options))
    return prepared.operator.apply(args, prepared.options)


def _prepared(call: tree.Call, name: str, scope: Scope) -> Prepared:
    known = scope.machine.operators
    found = known.get(call)
    if found is None:
        found = known[call] = prepare(call, name)
    return found


def _reshape(call: tree.Call, scope: Scope) -> object:
    """`reshape(x, shape(2, -1))`: in a written-out target, `-1` stands for the size that follows."""

    def target(expr: tree.Expr, scope: Scope) -> object:
        if isinstance(expr, tree.ShapeExpr):
            return ShapeValue(sizes(expr.values, scope.shape_vars, inferred=True))
        return leaf(expr, scope)

    prepared = _prepared(call, "reshape", scope)
    return prepared.operator.apply([target(argument, scope) for argument in call.args], prepared.options)


def _print(call: tree.Call, scope: Scope) -> tuple[()]:
    """`print(x, y, format="{} and {}")` writes a line and returns the unit. [O.10] [V.4]"""
    prepared = _prepared(call, "print", scope)
    values = [leaf(argument, scope) for argument in call.args]
    scope.machine.write(printed(values, prepared.options["format"]))
    return ()


_SPECIAL: dict[str, Special] = {
    "call_tir": destination.call_tir,
    "call_tir_with_grad": destination.call_tir,
    "call_tir_inplace": destination.call_tir_inplace,
    "call_dps_packed": destination.call_dps_packed,
    "print": _print,
    "reshape": _reshape,
}
"""Operators that need more than the values of their arguments."""
