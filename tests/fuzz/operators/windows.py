"""Convolutions, pooling and their gradients."""

from __future__ import annotations

from math import ceil
from typing import Any

from tests.fuzz.operators.drawing import (
    KINDS,
    Arg,
    Call,
    Dim,
    Draw,
    Drawer,
    T,
    Word,
    call,
    data,
    fits,
    is_kind,
    need,
    number,
    same_dtype,
)

SPACE = {1: "W", 2: "HW", 3: "DHW"}


def spread(value: Any, count: int) -> list[int]:
    given = [value] if isinstance(value, int) else list(value)
    need(len(given) in (1, count), "one number or one per axis")
    return given * count if len(given) == 1 else given


def _paddings(value: Any, count: int) -> list[int]:
    given = [value] if isinstance(value, int) else list(value)
    need(len(given) in (1, count, 2 * count))
    need(all(one >= 0 for one in given))
    if len(given) == 2 * count:
        return [given[at] + given[at + count] for at in range(count)]
    return [2 * one for one in spread(given, count)]


def numbers(source: Draw, count: int, low: int, high: int) -> Any:
    if source.chance(0.5):
        return source.int(low, high)
    made = [source.int(low, high) for _ in range(count)]
    if source.slip(0.15):
        made = [*made, low]
    return made


def positive(*groups: list[int]) -> None:
    need(all(one > 0 for group in groups for one in group))


def spatial(source: Draw, count: int) -> list[Dim]:
    """Draw extents that a window fits on, for most sizes."""
    return [
        source.one(Dim("n + 4", lambda at: at["n"] + 4), Dim("m + 3", lambda at: at["m"] + 3), source.dim())
        if source.symbolic
        else number(source.int(3, 7))
        for _ in range(count)
    ]


def _conv_shape(a: T, b: T, attrs: dict[str, Any], layout: str, *, is_transposed: bool) -> tuple[int, ...]:
    count, groups = a.rank - 2, attrs.get("groups", 1)
    strides = spread(attrs.get("strides", 1), count)
    dilation = spread(attrs.get("dilation", 1), count)
    padding = _paddings(attrs.get("padding", 0), count)
    positive(strides, dilation)
    c = a.shape[layout.index("C")]
    if is_transposed:
        fits(b.shape[0] == c and c % groups == 0)
        made = b.shape[1] * groups
    else:
        fits(b.shape[1] * groups == c and b.shape[0] % groups == 0)
        made = b.shape[0]
    extents: dict[str, int] = {"N": a.shape[0], "C": made}
    for at, letter in enumerate(SPACE[count]):
        extent, width = a.shape[layout.index(letter)], dilation[at] * (b.shape[2 + at] - 1)
        if is_transposed:
            extents[letter] = (extent - 1) * strides[at] - padding[at] + width + 1
            data(min(extents[letter], extent, b.shape[2 + at]) > 0)
        else:
            extents[letter] = (extent + padding[at] - width - 1) // strides[at] + 1
            data(extent + padding[at] - width - 1 >= 0)
    return tuple([extents[one] for one in layout])


def _conv(count: int, *, is_transposed: bool) -> Drawer:
    word = f"nn.conv{count}d" + "_transpose" * is_transposed

    def draw(source: Draw) -> Call:
        layout = (
            source.one(f"NC{SPACE[count]}", f"N{SPACE[count]}C")
            if source.chance(0.4)
            else f"NC{SPACE[count]}"
        )
        groups = source.one(1, 1, 1, 2)
        inner, outer = source.int(1, 2) * groups, source.int(1, 2) * groups
        channels: Dim = number(inner)
        taken: Dim = number(inner if is_transposed else inner // groups)
        if groups == 1 and source.symbolic and source.chance(0.4):
            channels = taken = source.dim()
        if source.slip(0.2):
            taken = source.dim()
        space = spatial(source, count)
        by_letter = dict(zip(SPACE[count], space, strict=True)) | {"N": source.dim(), "C": channels}
        x = source.tensor([by_letter[one] for one in layout], kind="number")
        kernel = [number(source.int(1, 3)) for _ in range(count)]
        given: Dim = number(outer // groups if is_transposed else outer)
        dims = [taken, given, *kernel] if is_transposed else [given, taken, *kernel]
        w = source.tensor(dims, source.dtype() if source.slip(0.1) else source.params[0].dtype)
        attrs = source.some(
            strides=numbers(source, count, 1 - source.slip(0.1), 2),
            padding=numbers(source, count, -1 * source.slip(0.1), 1),
            dilation=numbers(source, count, 1, 2),
        )
        if is_transposed and source.chance(0.3):
            attrs["output_padding"] = 0
        if groups > 1:
            attrs["groups"] = groups
        if layout != f"NC{SPACE[count]}":
            attrs["data_layout"] = layout
        if source.chance(0.2):
            attrs["out_dtype"] = Word(source.dtype("number"))
        to = attrs.get("out_dtype")

        def rule(a: T, b: T) -> T:
            is_kind(a, "number")
            if to is None:
                same_dtype(a, b)
            else:
                is_kind(b, "number")
                need(to in KINDS["number"])
            need(a.rank == b.rank == count + 2)
            return T(_conv_shape(a, b, attrs, layout, is_transposed=is_transposed), to or a.dtype)

        return call(word, [x, w], attrs, rule, may_fail=True)

    return draw


def _pooled(
    extent: int, k: int, stride: int, padding: int, dilation: int, *, is_ceil: bool, before: int
) -> int:
    rest = extent + padding - dilation * (k - 1) - 1
    data(rest >= 0)
    if not is_ceil:
        return rest // stride + 1
    made = ceil(rest / stride) + 1
    if (made - 1) * stride >= extent + before:
        made -= 1
    return made


def _pool_attributes(source: Draw, count: int) -> dict[str, Any]:
    return source.some(
        pool_size=numbers(source, count, 1 - source.slip(0.1), 3),
        strides=numbers(source, count, 1, 2),
        padding=numbers(source, count, 0, 1),
        dilation=numbers(source, count, 1, 2),
        ceil_mode=source.one(True, False),
        count_include_pad=source.one(True, False),
    )


def _pool_shape(a: T, attrs: dict[str, Any], layout: str, count: int) -> tuple[int, ...]:
    need(a.rank == count + 2)
    window = spread(attrs.get("pool_size", 1), count)
    strides = spread(attrs.get("strides", 1), count)
    dilation = spread(attrs.get("dilation", 1), count)
    padding = _paddings(attrs.get("padding", 0), count)
    given = attrs.get("padding", 0)
    before = (given if isinstance(given, list) else [given])[:count]
    before = before * count if len(before) == 1 else before
    positive(window, strides, dilation)
    shape = list(a.shape)
    for at, letter in enumerate(SPACE[count]):
        place = layout.index(letter)
        shape[place] = _pooled(
            shape[place],
            window[at],
            strides[at],
            padding[at],
            dilation[at],
            is_ceil=bool(attrs.get("ceil_mode")),
            before=before[at],
        )
    return tuple(shape)


def _layout(source: Draw, count: int) -> str:
    plain = f"NC{SPACE[count]}"
    return source.one(plain, plain, f"N{SPACE[count]}C")


def image(source: Draw, layout: str, kind: str = "number") -> Arg:
    by_letter = dict(zip("DHW", spatial(source, 3), strict=True))
    by_letter |= {"N": source.dim(), "C": source.dim()}
    return source.tensor([by_letter[one] for one in layout], kind=kind)


def _pool(word: str, count: int, kind: str) -> Drawer:
    def draw(source: Draw) -> Call:
        layout = _layout(source, count)
        x = image(source, layout, kind)
        attrs = _pool_attributes(source, count)
        if layout[1] != "C":
            attrs["layout"] = layout

        def rule(a: T) -> T:
            is_kind(a, kind)
            return T(_pool_shape(a, attrs, layout, count), a.dtype)

        return call(word, [x], attrs, rule, may_fail=True)

    return draw


def _adaptive(count: int) -> Drawer:
    def draw(source: Draw) -> Call:
        layout = _layout(source, count)
        x = image(source, layout)
        size = source.one(None, numbers(source, count, 1 - source.slip(0.1), 4))
        attrs = source.some(output_size=size)
        size = attrs.get("output_size")
        if layout[1] != "C":
            attrs["layout"] = layout

        def rule(a: T) -> T:
            is_kind(a, "number")
            need(a.rank == count + 2)
            if size is None:
                return a
            extents = spread(size, count)
            positive(extents)
            shape = list(a.shape)
            for letter, extent in zip(SPACE[count], extents, strict=True):
                place = layout.index(letter)
                data(shape[place] > 0)
                shape[place] = extent
            return T(tuple(shape), a.dtype)

        return call(f"nn.adaptive_avg_pool{count}d", [x], attrs, rule, may_fail=True)

    return draw


def _pool_backward(word: str) -> Drawer:
    def draw(source: Draw) -> Call:
        height, width = number(source.int(3, 6)), number(source.int(3, 6))
        attrs = _pool_attributes(source, 2)
        n, c = source.dim(), source.dim()
        try:
            shape = _pool_shape(T((1, 1, height.of({}), width.of({})), "float32"), attrs, "NCHW", 2)
            out = [n, c, number(shape[2]), number(shape[3])]
        except Exception:
            out = [n, c, number(1), number(1)]
        if source.slip(0.2) or (source.symbolic and source.chance(0.15)):
            out[source.int(0, 3)] = source.dim()
        dtype = source.dtype("float")
        grad = source.tensor(out, dtype)
        x = source.tensor([n, c, height, width], source.dtype() if source.slip(0.1) else dtype)

        def rule(a: T, b: T) -> T:
            is_kind(a, "float")
            same_dtype(a, b)
            need(a.rank == 4)
            fits(a.shape == _pool_shape(b, attrs, "NCHW", 2))
            return b

        return call(word, [grad, x], attrs, rule, may_fail=True)

    return draw


DRAWERS: dict[str, Drawer] = {
    **{f"nn.conv{n}d": _conv(n, is_transposed=False) for n in SPACE},
    **{f"nn.conv{n}d_transpose": _conv(n, is_transposed=True) for n in SPACE},
    **{f"nn.avg_pool{n}d": _pool(f"nn.avg_pool{n}d", n, "number") for n in SPACE},
    **{f"nn.max_pool{n}d": _pool(f"nn.max_pool{n}d", n, "any") for n in SPACE},
    **{f"nn.adaptive_avg_pool{n}d": _adaptive(n) for n in SPACE},
    "grad.avg_pool2d_backward": _pool_backward("grad.avg_pool2d_backward"),
    "grad.max_pool2d_backward": _pool_backward("grad.max_pool2d_backward"),
}
