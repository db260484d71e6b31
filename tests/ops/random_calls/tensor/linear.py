"""Random calls of products of matrices."""

from __future__ import annotations

from typing import Any

from tests.ops.strategies import Call, Draw


def _factors(draw: Draw) -> tuple[tuple[int, ...], tuple[int, ...]]:
    batch, inner = draw.shape(0, 2), draw.extent()
    left = draw.one_of((inner,), (draw.extent(), inner), (*batch, draw.extent(), inner))
    other = draw.partner(batch)
    right = draw.one_of((inner,), (inner, draw.extent()), (*other, inner, draw.extent()))
    return left, right


def _matmul(draw: Draw) -> Call:
    dtype = draw.dtype("number")
    args = [draw.tensor(shape, dtype) for shape in _factors(draw)]
    return args, draw.some(out_dtype=draw.dtype("number"))


def _linear(draw: Draw) -> Call:
    dtype = draw.dtype("number")
    left, right = _factors(draw)
    attrs = draw.some(out_dtype=draw.one_of(None, draw.dtype("number")))
    rows, columns = left[:-1], right[-1:] if len(right) > 1 else ()
    bias = draw.one_of(None, draw.partner((*rows[-1:], *columns)), columns)
    return [
        draw.tensor(left, dtype),
        draw.tensor(right[::-1], dtype),
        None if bias is None else draw.tensor(bias, attrs.get("out_dtype") or dtype),
    ], attrs


def _outer(draw: Draw) -> Call:
    dtype = draw.dtype("number")
    return [draw.tensor((draw.extent(),), dtype), draw.tensor((draw.extent(),), dtype)], {}


def _einsum(draw: Draw) -> Call:
    extents = {letter: draw.extent() for letter in "ijkL"}
    dots, batch = draw.chance(0.4), draw.shape(0, 2)
    operands: list[Any] = []
    terms: list[str] = []
    dtype = draw.dtype("number")
    for _ in range(draw.random.randint(1, 3)):
        letters = [draw.one_of(*extents) for _ in range(draw.random.randint(0, 3))]
        ones = draw.one_of("", "", *extents)
        before = draw.random.randint(0, len(letters))
        lead = draw.partner(batch)[-2:] if dots else ()
        shape = [1 if letter == ones else extents[letter] for letter in letters]
        shape[before:before] = lead
        term = "".join(letters[:before]) + ("..." if dots else "") + "".join(letters[before:])
        operands.append(draw.tensor(tuple(shape), dtype))
        terms.append(term)
    used = sorted(set("".join(terms)) - {"."})
    kept = draw.random.sample(used, draw.random.randint(0, len(used)))
    right = "" if draw.chance(0.3) else "->" + "".join(kept[:1]) + ("..." if dots else "") + "".join(kept[1:])
    return [tuple(operands)], {"subscripts": ",".join(terms) + right}


CALLS: dict[str, Any] = {"matmul": _matmul, "linear": _linear, "outer": _outer, "einsum": _einsum}
