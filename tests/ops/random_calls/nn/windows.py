"""Random calls of convolutions and poolings."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.ops.strategies import Call, Draw

SPATIAL = {1: "W", 2: "HW", 3: "DHW"}


def _layout(draw: Draw, letters: str) -> str:
    return "".join(draw.random.sample(letters, len(letters))) if draw.chance(0.4) else letters


def _arranged(layout: str, letters: str, extents: list[int]) -> tuple[int, ...]:
    """Return a shape in a layout, from one in the usual order."""
    return tuple([extents[letters.index(letter)] for letter in layout])


def _per_axis(draw: Draw, n: int, low: int, high: int) -> Any:
    one = draw.random.randint(low, high)
    return draw.one_of(one, [one], [draw.random.randint(low, high) for _ in range(n)])


def _padding(draw: Draw, n: int, most: int) -> Any:
    each = [draw.random.randint(0, most) for _ in range(2 * n)]
    return draw.one_of(each[0], each[:1], each[:n], each)


def _conv(n: int, transposed: bool) -> Callable[[Draw], Call]:
    letters, kernel_letters = "NC" + SPATIAL[n], ("IO" if transposed else "OI") + SPATIAL[n]

    def make(draw: Draw) -> Call:
        groups = draw.one_of(1, 1, 2, 3)
        inner, outer = draw.one_of(1, 2, 3), draw.one_of(1, 2)
        channels = [inner * groups, outer] if transposed else [outer * groups, inner]
        spatial = [draw.random.randint(1, 7) for _ in range(n)]
        sizes = [draw.random.randint(1, 3) for _ in range(n)]
        layouts = _layout(draw, letters), _layout(draw, kernel_letters)
        dtype = draw.dtype("number")
        data = draw.tensor(_arranged(layouts[0], letters, [draw.extent(), inner * groups, *spatial]), dtype)
        weight = draw.tensor(_arranged(layouts[1], kernel_letters, [*channels, *sizes]), dtype)
        attrs = draw.some(
            strides=_per_axis(draw, n, 1, 3), padding=_padding(draw, n, 1), dilation=_per_axis(draw, n, 1, 2)
        )
        attrs.update(groups=groups, data_layout=layouts[0], kernel_layout=layouts[1])
        attrs.update(draw.some(out_layout=draw.one_of(None, _layout(draw, letters))))
        if draw.chance(0.3):
            attrs["out_dtype"] = draw.dtype("number")
        if transposed and draw.chance(0.3):
            attrs["output_padding"] = draw.one_of(0, [0] * n, 1)
        return [data, weight], attrs

    return make


def _pool(n: int) -> Callable[[Draw], Call]:
    letters = "NC" + SPATIAL[n]

    def make(draw: Draw) -> Call:
        layout = _layout(draw, letters)
        extents = [draw.extent(), draw.extent(), *[draw.random.randint(1, 9) for _ in range(n)]]
        attrs = draw.some(
            strides=_per_axis(draw, n, 1, 4),
            padding=_padding(draw, n, 3),
            dilation=_per_axis(draw, n, 1, 2),
            ceil_mode=draw.chance(0.7),
            count_include_pad=draw.chance(0.5),
            out_layout=draw.one_of(None, _layout(draw, letters)),
        )
        attrs.update(pool_size=_per_axis(draw, n, 1, 3), layout=layout)
        return [draw.tensor(_arranged(layout, letters, extents), draw.dtype("number"))], attrs

    return make


def _adaptive(n: int) -> Callable[[Draw], Call]:
    letters = "NC" + SPATIAL[n]

    def make(draw: Draw) -> Call:
        layout = _layout(draw, letters)
        data = draw.tensor(_arranged(layout, letters, list(draw.shape(n + 2, n + 2))), draw.dtype("number"))
        size = draw.one_of(None, _per_axis(draw, n, 1, 4))
        out = draw.one_of(None, layout, _layout(draw, letters))
        return [data], {"layout": layout, **draw.some(output_size=size, out_layout=out)}

    return make


CALLS: dict[str, Callable[[Draw], Call]] = {}
for _n in (1, 2, 3):
    CALLS[f"nn.conv{_n}d"] = _conv(_n, transposed=False)
    CALLS[f"nn.conv{_n}d_transpose"] = _conv(_n, transposed=True)
    CALLS[f"nn.max_pool{_n}d"] = CALLS[f"nn.avg_pool{_n}d"] = _pool(_n)
    CALLS[f"nn.adaptive_avg_pool{_n}d"] = _adaptive(_n)
