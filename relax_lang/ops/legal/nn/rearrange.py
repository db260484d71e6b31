"""Legal forms of padding and shuffling."""

from __future__ import annotations

from relax_lang import te
from relax_lang.ops.legal.tensor.manipulate.reshape import reshaped
from relax_lang.te.tensor import Tensor, compute
from relax_lang.topi.moving import pad

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.legal.core import Form, Legal
    from relax_lang.te.expr import Expr


def _pad(call: Legal) -> Tensor:
    x: Tensor = call.args[0]
    width, mode = call.attrs["pad_width"], call.attrs["pad_mode"] or "constant"
    before, after = width[::2], width[1::2]
    if mode == "constant":
        value = call.attrs["pad_value"] or 0
        return pad(x, before, after, te.const(value, x.dtype))

    def place(at: Expr, extent: Expr, first: int) -> Expr:
        moved = at - first
        if mode == "replicate":
            return te.maximum(te.minimum(moved, extent - 1), te.const(0, "int64"))
        if mode == "circular":
            return moved % extent
        period = te.maximum(extent - 1, te.const(1, "int64")) * 2
        turned = moved % period
        return te.minimum(turned, period - turned)

    def each(*at: Expr) -> Expr:
        return x[tuple([place(*three) for three in zip(at, x.shape, before, strict=True)])]

    return compute(call.shape, each, "pad")


def _pixel_shuffle(call: Legal) -> Tensor:
    x, r = call.args[0], call.attrs["upscale_factor"]

    def each(*at: Expr) -> Expr:
        *lead, c, h, w = at
        return x[(*lead, (c * r + h % r) * r + w % r, h // r, w // r)]

    return compute(call.shape, each, "pixel_shuffle")


FORMS: dict[str, Form] = {"nn.batch_flatten": reshaped, "nn.pad": _pad, "nn.pixel_shuffle": _pixel_shuffle}
