"""Layouts, strides and paddings, as the attributes of convolution, pooling and resizing give them. [OP.4]"""

from __future__ import annotations

from relax_lang.ops.core.errors import bad_attribute

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Ints = int | Sequence[int]
    Pads = list[tuple[int, int]]


SPATIAL = {1: "W", 2: "HW", 3: "DHW"}
"""Letters of the spatial axes, by their number."""


def per_axis(value: Ints, n: int, attribute: str, least: int = 1) -> tuple[int, ...]:
    """Return one number per spatial axis; a single one is for all axes."""
    numbers = [value] if isinstance(value, int) else list(value)
    if len(numbers) not in (1, n):
        raise bad_attribute(attribute, f"{len(numbers)} numbers for {n} spatial axes")
    if min(numbers) < least:
        raise bad_attribute(attribute, f"{min(numbers)} is less than {least}")
    return tuple(numbers * n if len(numbers) == 1 else numbers)


def paddings(value: Ints, n: int) -> Pads:
    """Return (before, after) per spatial axis, from one number, one per axis, or all before and then all
    after.
    """
    numbers = [value] if isinstance(value, int) else list(value)
    if len(numbers) not in (1, n, 2 * n):
        raise bad_attribute("padding", f"{len(numbers)} numbers; 1, {n} or {2 * n} are possible")
    if min(numbers) < 0:
        raise bad_attribute("padding", f"{min(numbers)} is negative")
    if len(numbers) == 2 * n:
        return list(zip(numbers[:n], numbers[n:], strict=True))
    numbers = numbers * n if len(numbers) == 1 else numbers
    return [(number, number) for number in numbers]


def check_output_padding(extra: Sequence[int], strides: Sequence[int]) -> None:
    """Refuse an output padding as wide as the stride: the window would have one place more. [OP.4]"""
    for more, stride in zip(extra, strides, strict=True):
        if more >= stride:
            raise bad_attribute("output_padding", f"{more} is not less than the stride {stride}")


def image_of(elements: str, n: int) -> str:
    """Return an example of a tensor (1, 1, …, k) with n spatial axes, as text: `const([[[1.0, 2.0]]])`."""
    return f"const({'[' * (n + 2)}{elements}{']' * (n + 2)})"


def region(roi: Any, n: int) -> list[float]:
    """Return a region of interest: the starts of n axes, then their ends; everything if it is None. Raises OpError."""
    if roi is None:
        return [0.0] * n + [1.0] * n
    numbers: list[float] = list(roi) if isinstance(roi, list | tuple) else [roi] * (2 * n)  # pyright: ignore[reportUnknownArgumentType]
    if len(numbers) != 2 * n:
        raise bad_attribute("roi", f"{len(numbers)} numbers; {2 * n} are needed")
    return numbers
