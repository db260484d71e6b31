"""Operators that other frameworks have under the same name, but with other defaults or operands. [Y.7]

A fix that only changes the name would compute something else. Only imported for calls of unknown operators.
"""

from __future__ import annotations

from relax_lang.base.diagnostic import Edit
from relax_lang.base.node import replaced
from relax_lang.format.printer import show
from relax_lang.ops.core.diagnostics.argument_counts import OF_TWO
from relax_lang.ops.suggestions import frameworks_of
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.ops.registry import Operator
    from relax_lang.scope.context import Context

NOTES = {
    "std": "it divides by the number of elements; PyTorch, by one less",
    "variance": "it divides by the number of elements; PyTorch, by one less",
    "sort": "it gives the values alone; PyTorch, their places too, which `argsort` gives",
}
"""Operators that compute something else than those of that name in PyTorch."""

_SETTLED_BY = {"take": ("axis", "dim"), "repeat": ("axis",), "gelu": ("approximate",)}
"""Names whose meaning depends on an attribute, without which they are not the operator of that name."""


def is_settled(name: str, args: Sequence[tree.Expr], attrs: Sequence[tree.Attr]) -> bool:
    """Return whether a call has the attribute that its meaning depends on; `args` are all operands."""
    keys = _SETTLED_BY.get(name, ())
    return any(attr.key in keys for attr in attrs) or (name == "take" and len(args) > 2)


def as_elsewhere(
    ctx: Context, written: str, operator: Operator, call: tree.Call, found: Diagnostic
) -> tree.Call | None:
    """Give a report of a call what its meaning elsewhere needs here.

    Returns the call whose arguments are still to be settled, None if there is no more to be said of it.
    """
    keys = {attr.key for attr in call.attrs}
    if operator.name == "nn.gelu" and "approximate" in keys:
        found.fixes.clear()
        found.helped("with the approximation by tanh it is `nn.gelu_tanh(x)`, without it `nn.gelu(x)`")
        return None
    frameworks = frameworks_of(written)
    if (
        frameworks == ("onnx",)
        and "keepdims" not in keys
        and any(spec.name == "keepdims" for spec in operator.attrs)
    ):
        found.note("ONNX keeps the axes, as `keepdims=true` does here")
    if frameworks is None or "torch" not in frameworks:
        return call
    if operator.name in NOTES:
        found.note(NOTES[operator.name])
    if operator.name in OF_TWO and len(call.args) == 2 and isinstance(call.args[1], tree.Var | tree.Call):
        of_two = OF_TWO[operator.name]
        found.fixes.clear()
        found.helped("").replace(
            call.op, of_two, f"of two tensors, element by element, it is `{of_two}(a, b)`"
        )
        return None
    if operator.name in OF_TWO and (len(call.args) == 2 or "dim" in keys):
        pair(operator.name, found)
        return None
    if operator.name.endswith(("pool1d", "pool2d", "pool3d")) and "adaptive" not in operator.name:
        return _pool(operator, call, keys, found)
    if operator.name in _SPATIAL_AXES and len(call.args) == 3 and found.fixes:
        return _with_bias(ctx, operator, call, found)
    return call


def pair(name: str, found: Diagnostic) -> None:
    """Say what the pair of values and places is that PyTorch's `max` and `min` along an axis give."""
    found.fixes.clear()
    found.helped(f"PyTorch's pair is `({name}(x, axis=…), arg{name}(x, axis=…))`")


def _pool(operator: Operator, call: tree.Call, keys: set[str], found: Diagnostic) -> tree.Call | None:
    """Settle what windows of PyTorch do without a stride, and what a padded average counts."""
    counts = operator.name.startswith("nn.avg_pool") and (len(call.args) > 3 or "padding" in keys)
    if not counts and (len(call.args) > 2 or "stride" in keys):
        return call
    strides = "" if len(call.args) > 2 or "stride" in keys else ", strides=k"
    padding = ", padding=p, count_include_pad=true" if counts else ""
    found.fixes.clear()
    found.helped(f"write `{operator.name}(x, pool_size=k{strides or ', strides=s'}{padding})`")
    if strides:
        found.note("without a stride, windows of PyTorch do not overlap; here they are 1 apart")
    return None


_SPATIAL_AXES = {"nn.conv1d": 1, "nn.conv2d": 2, "nn.conv3d": 3}


def _with_bias(ctx: Context, operator: Operator, call: tree.Call, found: Diagnostic) -> tree.Call:
    """Offer to add the bias of a convolution, which is an operand in PyTorch."""
    data, weight, bias = call.args
    ones = ", 1" * _SPATIAL_AXES[operator.name]
    added = f"reshape({show(bias)}, shape(1, -1{ones}))"
    _, start = ctx.parens.get(weight, (0, weight.end))
    _, stop = ctx.parens.get(bias, (0, bias.end))
    edits = found.fixes[0].edits
    found.fixes.clear()
    found.helped("").fix(
        f"add the bias: `{operator.name}(…) + {added}`",
        Edit(call.pos, call.pos, "("),
        *edits,
        Edit(start, stop, ""),
        Edit(call.end, call.end, f" + {added})"),
    )
    return replaced(call, args=(data, weight))
