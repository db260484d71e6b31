"""Gradients of pooling."""

from __future__ import annotations

from relax_lang.ops.core.terms import Term, apply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.ops.gradient.core import Backward, Rule

_NAMES = (
    "pool_size",
    "strides",
    "padding",
    "dilation",
    "ceil_mode",
    "count_include_pad",
    "layout",
    "out_layout",
)


def _pool2d(call: Backward) -> list[Term]:
    kind = call.operator.name.removeprefix("nn.").removesuffix("2d")
    named = {name: call.attrs[name] for name in _NAMES}
    return [apply(f"grad.{kind}2d_backward", call.grad, call.args[0], **named)]


def _pool1d(call: Backward) -> list[Term]:
    """Pool over two axes, the first of which has one element."""
    from relax_lang.ops.core.call_terms import Refused

    layout, out_layout = call.attrs["layout"], call.attrs["out_layout"] or call.attrs["layout"]
    if not (layout.isalpha() and layout.isupper() and out_layout.isalpha() and out_layout.isupper()):
        raise Refused("its layout has blocks")
    kind = call.operator.name.removeprefix("nn.").removesuffix("1d")
    named: dict[str, Any] = {name: call.attrs[name] for name in _NAMES}
    for name in ("pool_size", "strides", "dilation"):
        named[name] = [1, *_numbers(named[name])]
    padding = _numbers(named["padding"])
    before, after = padding if len(padding) == 2 else (padding[0], padding[0])
    named["padding"] = [0, before, 0, after]
    named["layout"] = layout.replace("W", "HW")
    named["out_layout"] = out_layout.replace("W", "HW")
    own, outer = layout.index("W"), out_layout.index("W")
    wide = apply("expand_dims", call.args[0], axis=own)
    found = apply(f"grad.{kind}2d_backward", apply("expand_dims", call.grad, axis=outer), wide, **named)
    return [apply("squeeze", found, axis=own)]


def _numbers(value: Any) -> list[int]:
    return [value] if isinstance(value, int) else list(value)


GRADIENTS: dict[str, Rule] = {
    "nn.avg_pool1d": _pool1d,
    "nn.avg_pool2d": _pool2d,
    "nn.max_pool1d": _pool1d,
    "nn.max_pool2d": _pool2d,
}
_NO_WINDOWS = "there is no operator for the gradient of its windows yet"
WITHOUT: dict[str, str] = {
    **{f"nn.adaptive_avg_pool{n}d": _NO_WINDOWS for n in (1, 2, 3)},
    "nn.avg_pool3d": _NO_WINDOWS,
    "nn.max_pool3d": _NO_WINDOWS,
}
