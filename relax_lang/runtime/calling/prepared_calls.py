"""What is the same in every evaluation of one operator call, worked out when it is first evaluated."""

from __future__ import annotations

from relax_lang.ops.calls.any_size import unless_refused
from relax_lang.ops.calls.call_cache import bind
from relax_lang.ops.calls.overwriting import overwriting
from relax_lang.ops.core.attributes import attribute_values, move_scalars
from relax_lang.ops.registry import lookup
from relax_lang.runtime.values.allocation import ESTIMATES
from relax_lang.values import RunFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from relax_lang.ops.core.operator import Operator
    from relax_lang.runtime.values.tensors import Memory
    from relax_lang.syntax import tree


class Prepared:
    """The operator, its attributes with defaults filled in, the scalar operands that were given by name."""

    __slots__ = ("estimate", "named", "operator", "options")

    def __init__(self, operator: Operator, named: Mapping[str, object], options: Mapping[str, Any]) -> None:
        self.operator = operator
        self.named = named
        self.options = options
        self.estimate = ESTIMATES.get(operator.name)

    def key(self) -> tuple[str, str, str]:
        """Return what calls have in common that differ in nothing but their arguments."""
        return self.operator.name, repr(sorted(self.named.items())), repr(sorted(self.options.items()))

    def wanted(self, args: Sequence[Any]) -> int:
        """Return the bytes that a call asks for, a tensor may be given as its spec; 0 if it cannot be much. [X.O5]"""
        return 0 if self.estimate is None else self.estimate(args, self.options)

    def bound(
        self, memory: Memory, over: int | None = None, any_size: Callable[..., Any] | None = None
    ) -> Callable[..., Any]:
        """Return the function that runs the call with all checks, from the positional arguments as written.

        A large result may be written over argument number `over`, which nothing else needs. If there is `any_size`,
        dtypes and ranks are certain, and it runs what it does not refuse.
        """
        operator, options, named, estimate = self.operator, self.options, self.named, self.estimate
        if estimate is None:
            call = bind(operator, options)
        else:
            call = bind(operator, options, lambda args: memory.check(estimate(args, options)))
        if any_size is not None:
            call = unless_refused(any_size, call, memory.max_bytes if estimate is not None else None)
        if over is not None:
            call = overwriting(operator, over, call, memory.check, options)
        if not named:
            return call
        return lambda *args: call(*move_scalars(operator, args, named)[0])


def prepare(call: tree.Call, name: str) -> Prepared:
    """Look an operator up and check its attributes, and the number of arguments. [OP.1] [OP.2] [OP.4]"""
    operator = lookup(name)
    if operator is None:
        raise RunFailure("unknown-operator", f"there is no operator `{name}`", call.op)
    attrs: Mapping[str, object] = attribute_values(call.attrs)
    given: list[object] = [None] * len(call.args)
    moved, others = move_scalars(operator, given, attrs)
    named = {key: value for key, value in attrs.items() if key not in others}
    prepared = Prepared(operator, named, operator.options(others))
    operator.check_arity(len(moved))
    return prepared
