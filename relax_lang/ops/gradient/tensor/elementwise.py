"""Gradients of the functions of one tensor."""

from __future__ import annotations

import math

from relax_lang.ops.core.terms import Term, apply, where

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.ops.gradient.core import Backward, Rule

    Slope = Callable[[Term, Term], Term]
    """The derivative of an operand and the result."""


def times(slope: Slope) -> Rule:
    """Return the rule of a function of elements: the gradient times its derivative."""
    return lambda call: [call.grad * slope(call.args[0], call.result)]


def over(slope: Slope) -> Rule:
    """Return the rule of a function whose derivative is one divided by something."""
    return lambda call: [call.grad / slope(call.args[0], call.result)]


def flat(_call: Backward) -> list[None]:
    """Give nothing: the result is constant wherever it has a derivative."""
    return [None]


def _sqrt(x: Term) -> Term:
    return apply("sqrt", x)


def _clip(call: Backward) -> list[Term | None]:
    x, least, most = call.args
    low = apply("greater_equal", x, call.literal(least, x))
    high = apply("less_equal", x, call.literal(most, x))
    within = apply("logical_and", low, high)
    return [where(within, call.grad, 0.0), None, None]


_ERF = 2.0 / math.sqrt(math.pi)

GRADIENTS: dict[str, Rule] = {
    "abs": times(lambda x, _: apply("sign", x)),
    "acos": lambda call: [-call.grad / _sqrt(1.0 - call.args[0] * call.args[0])],
    "acosh": over(lambda x, _: _sqrt(x * x - 1.0)),
    "asin": over(lambda x, _: _sqrt(1.0 - x * x)),
    "asinh": over(lambda x, _: _sqrt(x * x + 1.0)),
    "atan": over(lambda x, _: x * x + 1.0),
    "atanh": over(lambda x, _: 1.0 - x * x),
    "ceil": flat,
    "clip": _clip,
    "cos": lambda call: [-call.grad * apply("sin", call.args[0])],
    "cosh": times(lambda x, _: apply("sinh", x)),
    "erf": times(lambda x, _: _ERF * apply("exp", -(x * x))),
    "exp": times(lambda _, y: y),
    "floor": flat,
    "log": over(lambda x, _: x),
    "negative": lambda call: [-call.grad],
    "round": flat,
    "rsqrt": times(lambda _, y: -0.5 * (y * y * y)),
    "sigmoid": times(lambda _, y: y * (1.0 - y)),
    "sign": flat,
    "sin": times(lambda x, _: apply("cos", x)),
    "sinh": times(lambda x, _: apply("cosh", x)),
    "sqrt": over(lambda _, y: 2.0 * y),
    "square": times(lambda x, _: 2.0 * x),
    "tan": times(lambda _, y: y * y + 1.0),
    "tanh": times(lambda _, y: 1.0 - y * y),
    "trunc": flat,
}
