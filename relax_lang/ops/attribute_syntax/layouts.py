"""Layouts: the order of the axes of an image or a kernel, some of them in blocks: `NHWC`, `OIHW`, `NCHW16c`. [OP.4]

`NCHW16c` has channels in blocks of 16: the axis `C` counts the blocks, and the last axis has the 16 channels of one.
"""

from __future__ import annotations

from relax_lang.ops.core.errors import OpError, bad_attribute

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


class Layout:
    """A layout: its `axes` in order, letters of which a small one is the inner axis of a block, and `blocks`.

    `blocks` maps the letter of a canonical axis to the extent of its blocks; `canonical` are the letters of all axes.
    """

    __slots__ = ("axes", "blocks", "canonical")

    def __init__(self, axes: str, blocks: dict[str, int], canonical: str) -> None:
        self.axes = axes
        self.blocks = blocks
        self.canonical = canonical

    def groups(self) -> list[list[int]]:
        """Return for each canonical axis the places that it has in this layout: one, or two if it is in blocks."""
        return [
            [self.axes.index(letter), *([self.axes.index(letter.lower())] if letter in self.blocks else [])]
            for letter in self.canonical
        ]

    def split(self, shape: Sequence[int]) -> list[int]:
        """Return a canonical shape with the inner axis of every block after its outer one; blocks divide it."""
        result: list[int] = []
        for letter, extent in zip(self.canonical, shape, strict=True):
            block = self.blocks.get(letter)
            result += [extent] if block is None else [extent // block, block]
        return result

    def undivided(self, shape: Sequence[int]) -> str:
        """Return the first canonical axis that the blocks do not divide, as a letter; empty if there is none."""
        for letter, extent in zip(self.canonical, shape, strict=True):
            if extent % self.blocks.get(letter, 1):
                return letter
        return ""


def parse_layout(text: str, canonical: str, attribute: str) -> Layout:
    """Return what a layout of these axes means. Raises OpError. [OP.4]"""
    axes, number = "", ""
    blocks: dict[str, int] = {}
    for letter in text:
        if letter in "0123456789":
            number += letter
            continue
        if letter.islower() and letter.upper() in canonical and letter not in axes and number.strip("0"):
            blocks[letter.upper()] = int(number)
        elif number or letter in axes or letter not in canonical:
            break
        axes, number = axes + letter, ""
    else:
        if not number and sorted(axes) == sorted([*canonical, *[letter.lower() for letter in blocks]]):
            return Layout(axes, blocks, canonical)
    order = ", ".join(canonical)
    raise bad_attribute(attribute, f'"{text}" is not an order of the axes {order}')


def axis_in(text: str, canonical: str, letter: str) -> int:
    """Return which axis a letter of the canonical order is where the axes are as a layout has them.

    Messages count the axes of the author's tensors. What is not a layout, which is reported, is taken for the canonical
    one.
    """
    try:
        return parse_layout(text, canonical, "layout").axes.index(letter)
    except OpError:
        return canonical.index(letter)
