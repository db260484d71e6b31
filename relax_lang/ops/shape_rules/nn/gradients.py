"""Rules of gradients: the operands are those of the operator, after the gradient with respect to its result. [OP.6]"""

from __future__ import annotations

from functools import partial

from relax_lang.ops.core.inference import Inference, Known
from relax_lang.ops.shape_rules.shared.broadcast import clash_text, same_dtype
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.ops.core.findings import Where
    from relax_lang.ops.core.operator import Operator

    Rule = Callable[[Inference], tree.StructInfo]


def backward(operator: Callable[[], Operator], **attrs: Any) -> Rule:
    """Return the rule of the gradient of an operator with respect to its first operand.

    `operator` finds the operator when it is needed; `attrs` are those of its attributes that the gradient has not.
    """

    def rule(call: Inference) -> tree.StructInfo:
        grad, x = call.tensor(0), call.tensor(1)
        result = _forward(call, operator(), attrs)
        same_dtype(call, grad, x, 0, 1)
        if not call.findings and isinstance(result, tree.TensorStructInfo):
            _check_grad(call, grad, Known(result, call.context))
        return call.like(x, x.dtype)

    return rule


def _forward(call: Inference, operator: Operator, attrs: dict[str, Any]) -> tree.StructInfo:
    """Infer what the operator itself gives; what is wrong with its operands is wrong with those after the first."""
    site = Inference.__new__(Inference)
    site.operator, site.call, site.context = operator, call.call, call.context
    site.findings, site.deferred = [], []
    site.args, site.infos, site.attrs = call.args[1:], call.infos[1:], {**call.attrs, **attrs}
    site.given_infos = site.infos
    assert operator.infer is not None
    result = operator.infer(site)
    for finding in site.findings:
        finding.message = call.operator.name + finding.message.removeprefix(operator.name)
        finding.argument = None if finding.argument is None else _after(finding.argument)
        finding.labels = [(_after(where), text) for where, text in finding.labels]
        call.findings.append(finding)
    for check in site.deferred:
        check.arguments = tuple([_after(where) for where in check.arguments])
        call.deferred.append(check)
    return result


def _after(where: Where) -> Where:
    return where + 1 if isinstance(where, int) else (where[0] + 1, where[1])


def _check_grad(call: Inference, grad: Known, result: Known) -> None:
    """Require the gradient to have the shape of the result."""
    what = "the result of the operator"
    if grad.rank is not None and result.rank is not None and grad.rank != result.rank:
        call.bad_shape(f"{what} has rank {result.rank}, {call.name(0)} has rank {grad.rank}", 0, 1)
        return
    for axis, (left, right) in enumerate(zip(result.dims or (), grad.dims or (), strict=False)):
        if call.clash(left, right, (0, 1), partial(clash_text, (axis, left, right), what, call.name(0))):
            return
