"""Gradients of the operators of two tensors, element by element; what was broadcast is summed."""

from __future__ import annotations

from relax_lang.ops.core.terms import Term, apply, where
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.ops.gradient.core import Backward, Rule

    Pair = Callable[[Term, Term, Term, Term], tuple[Term | None, Term | None]]
    """Of the gradient, both operands and the result, the gradients before sums."""


def both(rule: Pair) -> Rule:
    """Return the rule of an operator that broadcasts its operands."""

    def summed(call: Backward) -> list[Term | None]:
        found = rule(call.grad, call.args[0], call.args[1], call.result)
        return [
            None if one is None else call.collapsed(one, to) for one, to in zip(found, call.args, strict=True)
        ]

    return summed


def _power(g: Term, x: Term, y: Term, z: Term) -> tuple[Term, Term]:
    slope = y * apply("power", x, y - 1.0)
    if not _is_nonzero(y):  # 0 to the power of 0 has the slope 0, not 0 times infinity
        slope = where(apply("equal", y, 0.0), 0.0, slope)
    growth = where(apply("equal", x, 0.0), 0.0, apply("log", x))
    return g * slope, g * (z * growth)


def _is_nonzero(term: Term) -> bool:
    node = term.node
    if not isinstance(node, tree.Constant):
        return False
    return isinstance(node.data, tree.FloatLit | tree.IntLit) and node.data.value != 0


def _atan2(g: Term, y: Term, x: Term, _z: Term) -> tuple[Term, Term]:
    length = x * x + y * y
    return g * x / length, -g * y / length


def _chosen(name: str) -> Pair:
    """Return the rule of a maximum or minimum: of two equal elements, the first gets all of it."""

    def rule(g: Term, x: Term, y: Term, _z: Term) -> tuple[Term, Term]:
        first = apply(name, x, y)
        return where(first, g, 0.0), where(first, 0.0, g)

    return rule


GRADIENTS: dict[str, Rule] = {
    "add": both(lambda g, _x, _y, _z: (g, g)),
    "atan2": both(_atan2),
    "divide": both(lambda g, _x, y, z: (g / y, -g * z / y)),
    "floor_divide": lambda _call: [None, None],
    "floor_mod": both(lambda g, x, y, _z: (g, -g * apply("floor", x / y))),
    "log_add_exp": both(lambda g, x, y, z: (g * apply("exp", x - z), g * apply("exp", y - z))),
    "maximum": both(_chosen("greater_equal")),
    "minimum": both(_chosen("less_equal")),
    "mod": both(lambda g, x, y, _z: (g, -g * apply("trunc", x / y))),
    "multiply": both(lambda g, x, y, _z: (g * y, g * x)),
    "power": both(_power),
    "subtract": both(lambda g, _x, _y, _z: (g, -g)),
}
