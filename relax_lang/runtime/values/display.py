"""Results as a person wants to read them.

    Tensor[(360,), int64] [5 3 9 ... 0 1 2]

Plain lines of text; the command line adds colours. Nothing here calls `repr` of an unknown object.
"""

from __future__ import annotations

import sys

import numpy as np

from relax_lang.base.wording import tuple_text
from relax_lang.format.lexemes import global_name
from relax_lang.runtime.values.closure_info import signature_text
from relax_lang.runtime.values.relay_values import AdtValue, Cell
from relax_lang.runtime.values.relay_values import shown as relay_text
from relax_lang.runtime.values.tensors import is_of_language, is_tensor, is_tuple
from relax_lang.syntax import tree
from relax_lang.values import Closure, PackedFunc, ShapeValue, Storage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.runtime.values.tensors import Tensor

FULL = "full"
SUMMARY = "summary"
NONE = "none"
"""What `--print` takes: one of these."""

_SUMMARY_ELEMENTS = 64  # a tensor with more is shown by its edges
_SUMMARY_FIELDS = 16  # a tuple with more is cut
_SUMMARY_PARTS = 256  # constructors, fields and signs of a value of Relay
_SUMMARY_DEPTH = 8  # deeper tuples are not opened
_DEEPEST_INDENT = 20


def show_value(value: object, mode: str = SUMMARY, width: int = 100) -> list[str]:
    """Return the lines that show a value: all of it (`full`), a head of it (`summary`), or none.

    Iterative: a tuple may be nested as deep as a program can recurse.
    """
    if mode == NONE:
        return []
    full = mode == FULL
    lines: list[str] = []
    stack: list[tuple[int, str, object]] = [(0, "", value)]
    while stack:
        depth, name, item = stack.pop()
        indent = "  " * min(depth, _DEEPEST_INDENT)
        if not is_tuple(item) or not item:
            if is_of_language(item):
                shown = _tensor_lines(item, full, width - len(indent))
            elif isinstance(item, (AdtValue, Cell)):
                shown = [relay_text(item, sys.maxsize if full else _SUMMARY_PARTS)]
            else:
                shown = [show_brief(item)]
            lines.append(f"{indent}{name}{shown[0]}")
            lines += [f"{indent}  {line}" for line in shown[1:]]
            continue
        lines.append(f"{indent}{name}tuple of {len(item)}")
        if not full and depth >= _SUMMARY_DEPTH:
            lines.append(f"{indent}  ...")
            continue
        shown_fields = len(item) if full else min(len(item), _SUMMARY_FIELDS)
        if shown_fields < len(item):
            stack.append((depth + 1, "", _More(len(item) - shown_fields)))
        stack += [(depth + 1, f"[{index}] ", item[index]) for index in range(shown_fields - 1, -1, -1)]
    return lines


class _More:
    """Stands for the fields that a summary leaves out."""

    __slots__ = ("count",)

    def __init__(self, count: int) -> None:
        self.count = count


def show_brief(value: object) -> str:
    """Say on one line what a value is: `Tensor[(2, 3), float32]`, `shape(2, 3)`, `fn(Tensor) -> Tensor`."""
    if is_tensor(value):
        return tensor_type(value) if is_of_language(value) else f"Object (array of dtype {value.dtype.name})"
    if is_tuple(value):
        return f"tuple of {len(value)}" if value else "()"
    if isinstance(value, (AdtValue, Cell)):
        return relay_text(value, _SUMMARY_PARTS)
    if isinstance(value, (ShapeValue, PackedFunc)):
        return repr(value)
    if isinstance(value, Closure):
        return signature_text(value)
    if isinstance(value, tree.PrimFunc):
        return f"prim_func {global_name(value.name.name_hint)}"
    if isinstance(value, _More):
        return f"... {value.count} more"
    if isinstance(value, Storage):
        return f"Object ({value!r})"
    kind = type(value)
    place = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    return f"Object ({place}{kind.__qualname__})"


def tensor_type(tensor: Tensor) -> str:
    """Return the struct info of a tensor with its numbers: `Tensor[(2, 3), float32]`."""
    return f"Tensor[{tuple_text(tensor.shape)}, {tensor.dtype.name}]"


def _tensor_lines(tensor: Tensor, full: bool, width: int) -> list[str]:
    """Return the type and the elements: beside it if they fit on its line, else on lines of their own."""
    head = tensor_type(tensor)
    text = np.array2string(
        tensor,
        max_line_width=max(width - 2, 20),
        threshold=sys.maxsize if full else _SUMMARY_ELEMENTS,
        edgeitems=3,
    )
    lines = text.split("\n")
    if len(lines) == 1 and len(head) + 1 + len(text) <= max(width, 40):
        return [f"{head} {text}"]
    return [head, *[line for line in lines if line.strip()]]
