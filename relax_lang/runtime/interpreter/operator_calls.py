"""Calls of operators. [X.9.1]

Most are kernels of `relax_lang.ops`. Those that call functions or write to the outside belong to the runtime:
destination-passing calls are in `dps`, calls of closures in `interpreter`, printing is here.
"""

from __future__ import annotations

from relax_lang.runtime.calling.prepared_calls import Prepared, prepare
from relax_lang.runtime.calling.print_output import printed
from relax_lang.runtime.interpreter import dps, inplace
from relax_lang.runtime.interpreter.atoms import atom
from relax_lang.runtime.values.dimensions import sizes
from relax_lang.syntax import tree
from relax_lang.values import ShapeValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from relax_lang.runtime.interpreter.machine import Scope

    Special = Callable[[tree.Call, Sequence[object], Scope], object]


def call_operator(call: tree.Call, name: str, scope: Scope) -> object:
    """Evaluate the arguments from left to right, then the operator. [X.9.1]"""
    special = SPECIAL.get(name)
    if special is not None:
        return special(call, [atom(argument, scope) for argument in call.args], scope)
    run = _bound(call, name, scope)
    of = _target if name == "reshape" else atom
    return run(*[of(argument, scope) for argument in call.args])


def _bound(call: tree.Call, name: str, scope: Scope) -> Callable[..., object]:
    """Return what runs a call. Each has its own, which knows the arguments it had before.

    Many are evaluated only once. So the first time they share one for each operator and its attributes: what others
    had is likely to be had again.
    """
    machine = scope.machine
    known = machine.operators.get(call)
    if known is None:
        prepared = machine.operators[call] = prepare(call, name)
        key = prepared.key()
        shared = machine.shared_operators.get(key)
        if shared is None:
            shared = machine.shared_operators[key] = prepared.bound(machine.memory)
        return shared
    if isinstance(known, Prepared):
        known = machine.operators[call] = known.bound(machine.memory)
    return known


def _target(expr: tree.Expr, scope: Scope) -> object:
    """`reshape(x, shape(2, -1))`: in a written-out target, `-1` stands for the size that follows."""
    if isinstance(expr, tree.ShapeExpr):
        return ShapeValue(sizes(expr.values, scope.shape_vars, inferred=True))
    return atom(expr, scope)


def _print(call: tree.Call, values: Sequence[object], scope: Scope) -> tuple[()]:
    """`print(x, y, format="{} and {}")` writes a line and returns the unit. [O.10] [V.4]"""
    pattern = prepare(call, "print").options["format"]
    scope.machine.write(printed(values, pattern))
    return ()


SPECIAL: dict[str, Special] = {
    "call_tir": dps.call_tir,
    "call_tir_with_grad": dps.call_tir,
    "dist.call_tir_local_view": dps.call_tir,
    "call_tir_inplace": inplace.call_tir_inplace,
    "call_dps_packed": dps.call_dps_packed,
    "vm.call_tir_dyn": dps.call_tir_dyn,
    "print": _print,
}
"""Operators that need more than the values of their arguments: also the call itself, and where it is."""
