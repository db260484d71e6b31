"""Attention and boxes."""

from __future__ import annotations

from typing import Any

from tests.fuzz.operators.drawing import (
    Call,
    Dim,
    Draw,
    Drawer,
    T,
    broadcast,
    call,
    data,
    fits,
    is_kind,
    need,
    number,
    product,
    same_dtype,
)
from tests.fuzz.operators.networks import dtype_of, may


def _heads(source: Draw) -> dict[str, Dim]:
    heads = source.int(1, 2)
    made = {one: source.dim(positive=True) for one in "BSTDE"}
    made["K"] = number(heads)
    made["H"] = number(heads * source.int(1, 2))
    if source.slip(0.2):
        made["H"] = source.dim()
    return made


def _mask(source: Draw) -> dict[str, Any]:
    attrs = source.some(scale=0.5, causal_mask=source.one("TopLeft", "BottomRight", None))
    if source.chance(0.2):
        attrs["window_size"] = 2
    return attrs


def _attends(attrs: dict[str, Any], *given: T) -> None:
    for one in given:
        is_kind(one, "float")
        need(one.rank == 4)
    same_dtype(*given)
    need("window_size" not in attrs or attrs.get("causal_mask") is not None)


def _attention_shape(q: T, k: T, v: T) -> T:
    fits(q.shape[0] == k.shape[0] == v.shape[0])
    fits(k.shape[1] == v.shape[1] and k.shape[2] == v.shape[2] and q.shape[3] == k.shape[3])
    if k.shape[2] == 0:
        fits(q.shape[2] == 0)
    else:
        fits(q.shape[2] % k.shape[2] == 0)
    return T((*q.shape[:3], v.shape[3]), q.dtype)


def _attention(word: str) -> Drawer:
    def draw(source: Draw) -> Call:
        at = _heads(source)
        q = source.tensor([at[one] for one in "BSHD"], kind="float")
        k = source.tensor([may(source, at[one]) for one in "BTKD"], dtype_of(source))
        v = source.tensor([may(source, at[one]) for one in "BTKE"], dtype_of(source))
        args = [q, k, v]
        if word == "nn.attention_bias":
            bias = [number(1) if source.chance(0.3) else may(source, at[one]) for one in "BHS"]
            args.append(source.tensor([*bias, may(source, at["T"])], dtype_of(source)))
        attrs = _mask(source)

        def rule(a: T, b: T, c: T, bias: T | None = None) -> T:
            _attends(attrs, a, b, c, *([] if bias is None else [bias]))
            made = _attention_shape(a, b, c)
            if bias is not None:
                whole = (a.shape[0], a.shape[2], a.shape[1])
                fits(broadcast(bias.shape[:3], whole) == whole)
                fits(bias.shape[3] == b.shape[1])
            return made

        return call(word, args, attrs, rule, may_fail=True)

    return draw


def _attention_var_len(source: Draw) -> Call:
    at = _heads(source)
    at["B"] = number(1)
    at["S"] = at["T"] = number(source.int(1, 3))
    q = source.tensor([may(source, at[one]) for one in "BSHD"], kind="float")
    k = source.tensor([may(source, at[one]) for one in "BTKD"], dtype_of(source))
    v = source.tensor([may(source, at[one]) for one in "BTKE"], dtype_of(source))
    count = source.dim(positive=True)
    starts = [source.tensor([may(source, count)], source.dtype("index"), "zeros") for _ in range(2)]
    most = [
        source.tensor(source.one([], [number(1)], [may(source, number(1))]), source.dtype("index"), "ones")
        for _ in range(2)
    ]
    attrs = _mask(source)

    def rule(a: T, b: T, c: T, *rest: T) -> T:
        _attends(attrs, a, b, c)
        for one in rest:
            is_kind(one, "index")
        need(rest[0].rank == rest[1].rank == 1)
        fits(a.shape[0] == 1)
        made = _attention_shape(a, b, c)
        fits(rest[0].shape == rest[1].shape)
        fits(product(rest[2].shape) == product(rest[3].shape) == 1)
        data(rest[0].shape[0] > 0)
        return made

    return call("nn.attention_var_len", [q, k, v, *starts, *most], attrs, rule, may_fail=True)


def _valid_counts(source: Draw) -> Call:
    x = source.tensor([source.dim(), source.dim(), number(source.int(2, 6))])
    attrs = source.some(score_threshold=0.5, id_index=source.one(0, -1), score_index=1)

    def rule(a: T) -> Any:
        need(a.rank == 3)
        return T(a.shape[:1], "int32"), a, T(a.shape[:2], "int32")

    return call("vision.get_valid_counts", [x], attrs, rule, may_fail=True)


def _suppression(source: Draw) -> Call:
    batch, count = source.dim(), source.dim()
    x = source.tensor([batch, count, number(source.int(6, 7))], kind="float")
    valid = source.tensor([may(source, batch)], source.dtype("index"), "zeros")
    indices = source.tensor([may(source, batch), may(source, count)], source.dtype("index"), "zeros")
    attrs = source.some(
        return_indices=source.one(True, False), invalid_to_bottom=source.one(True, False), top_k=2
    )

    def rule(a: T, b: T, c: T) -> Any:
        is_kind(a, "float")
        need(a.rank == 3 and b.rank == 1 and c.rank == 2)
        is_kind(b, "index")
        is_kind(c, "index")
        fits(b.shape[0] == a.shape[0] and c.shape == a.shape[:2])
        if attrs.get("return_indices", True):
            return T(a.shape[:2], "int32"), T((a.shape[0], 1), "int32")
        return a

    return call("vision.non_max_suppression", [x, valid, indices], attrs, rule, may_fail=True)


def _all_class(source: Draw) -> Call:
    batch, count, classes = source.dim(), source.dim(), source.dim()
    boxes = source.tensor([batch, count, may(source, number(4))], kind="float")
    scores = source.tensor([may(source, batch), classes, may(source, count)], dtype_of(source))
    one = [
        source.tensor([number(1)], "int64", "ones"),
        *[source.tensor([number(1)], "float32") for _ in range(2)],
    ]
    attrs = source.some(output_format=source.one("onnx", "tensorflow"))

    def rule(a: T, b: T, *rest: T) -> Any:
        is_kind(a, "float")
        is_kind(b, "float")
        need(a.rank == b.rank == 3)
        for limit, kind in zip(rest, ("integer", "float", "float"), strict=True):
            is_kind(limit, kind)
            fits(product(limit.shape) == 1)
        fits(a.shape[2] == 4 and a.shape[0] == b.shape[0] and a.shape[1] == b.shape[2])
        n, c, k = b.shape[0], b.shape[1], b.shape[2]
        if attrs.get("output_format", "onnx") == "onnx":
            return T((n * c * k, 3), "int64"), T((1,), "int64")
        return T((n, c * k, 2), "int64"), T((n, c * k), b.dtype), T((n,), "int64")

    return call("vision.all_class_non_max_suppression", [boxes, scores, *one], attrs, rule, may_fail=True)


def _multibox(source: Draw) -> Call:
    batch, count = source.dim(), source.dim()
    wide = Dim(f"4 * ({count.text})", lambda at: 4 * count.of(at))
    x = source.tensor([batch, source.dim(), count], kind="float")
    loc = source.tensor([may(source, batch), may(source, wide)], dtype_of(source))
    anchor = source.tensor([may(source, number(1)), may(source, count), number(4)], dtype_of(source))
    attrs = source.some(clip=True, keep_background=False, apply_softmax=False)

    def rule(a: T, b: T, c: T) -> Any:
        is_kind(a, "float")
        same_dtype(a, b, c)
        need((a.rank, b.rank, c.rank) == (3, 2, 3))
        fits(b.shape == (a.shape[0], 4 * a.shape[2]) and c.shape == (1, a.shape[2], 4))
        return T((a.shape[0], a.shape[2], 4), a.dtype), a

    return call("vision.multibox_transform_loc", [x, loc, anchor], attrs, rule, may_fail=True)


DRAWERS: dict[str, Drawer] = {
    "nn.attention": _attention("nn.attention"),
    "nn.attention_bias": _attention("nn.attention_bias"),
    "nn.attention_var_len": _attention_var_len,
    "vision.get_valid_counts": _valid_counts,
    "vision.non_max_suppression": _suppression,
    "vision.all_class_non_max_suppression": _all_class,
    "vision.multibox_transform_loc": _multibox,
}
