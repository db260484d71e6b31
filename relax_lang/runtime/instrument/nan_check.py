"""`--nan`: ends the program at the first call that makes nan or inf out of finite operands."""

from __future__ import annotations

import numpy as np

from relax_lang.base.wording import counted
from relax_lang.format.printer import show
from relax_lang.runtime.instrument.observer import Observer, callee_of
from relax_lang.runtime.instrument.statistics import Statistics, is_finite
from relax_lang.runtime.instrument.trace import summary
from relax_lang.runtime.interpreter.atoms import atom
from relax_lang.runtime.values.tensors import is_of_language, is_tensor, is_tuple
from relax_lang.syntax import tree
from relax_lang.values import RunFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from relax_lang.runtime.instrument.observer import Moment
    from relax_lang.runtime.interpreter.machine import Scope
    from relax_lang.runtime.values.tensors import Tensor

_SHOWN = 6  # operands


class Finite(Observer):
    """Looks at every result of an operator, a PrimFunc or a packed function that is not finite."""

    __slots__ = ()
    poisons = True

    def bound(self, moment: Moment, value: object, scope: Scope) -> None:
        """Raise `not-finite` if a call made something that is not finite out of what is."""
        call = moment.binding.value
        if not isinstance(call, tree.Call) or moment.inner:  # what a function makes is found inside of it
            return
        made = next((tensor for tensor in _tensors(value) if not is_finite(tensor)), None)
        if made is None:
            return
        operands = _operands(call, scope)
        if not all(is_finite(tensor) for _, operand in operands for tensor in _tensors(operand)):
            return
        found = Statistics(made)
        bad = [f"{n} {word}" for n, word in ((found.n_nan, "nan"), (found.n_inf, "infinite")) if n]
        message = f"{callee_of(moment.binding)} makes {' and '.join(bad)} of {counted(made.size, 'element')}"
        lines = [f"`{show(node)}`: {summary(operand)}" for node, operand in operands[:_SHOWN]]
        raise RunFailure(
            "not-finite",
            f"{message} out of finite operands",
            call,
            note="\n".join([_first(made, operands), *lines]),
            shape_vars=dict(scope.shape_vars),
        )


def _operands(call: tree.Call, scope: Scope) -> list[tuple[tree.Node, object]]:
    """Return the operands that hold tensors, with what is written for them; arguments in a tuple one by one."""
    found: list[tuple[tree.Node, object]] = []
    for arg in call.args:
        for each in arg.fields if isinstance(arg, tree.Tuple) else (arg,):
            if isinstance(each, tree.Var | tree.DataflowVar | tree.Constant):
                value = atom(each, scope)
                if is_tensor(value) or is_tuple(value):
                    found.append((each, value))
    return found


def _tensors(value: object) -> Iterator[Tensor]:
    stack = [value]
    while stack:
        item = stack.pop()
        if is_of_language(item):
            yield item
        elif is_tuple(item):
            stack.extend(reversed(item))


def _first(made: Tensor, operands: list[tuple[tree.Node, object]]) -> str:
    """Say where the first element is that is not finite, and what the operands of the same shape hold there."""
    values = made.astype(np.float64)
    at = tuple([int(i) for i in np.argwhere(~np.isfinite(values))[0]])
    there = [
        f"{show(node)} = {operand[at].item()}"
        for node, operand in operands
        if is_tensor(operand) and operand.shape == made.shape
    ]
    place = f"at [{', '.join([str(i) for i in at])}]" if at else "the only element"
    return f"first {place}: {values[at].item()}{', where ' + ', '.join(there) if there else ''}"
