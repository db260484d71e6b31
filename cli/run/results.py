"""The result of `relax run`: shown for people or as JSON, or stored in a file. [RUN.4]"""

from __future__ import annotations

import sys

from relax_lang.base.python.output import put

from ..render.report import CLEAN
from .options import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from relax_lang.files.arrays.array_files import Array

    from .options import RunOptions


def show_result(result: object, options: RunOptions) -> int:
    """Store the result if `--out` asks for it, and show it; return the exit status."""
    from relax_lang.runtime.values.display import show_value

    from ..render.style import style_for

    if options.out:
        _store(result, options.out)
    if options.json:
        put(to_json(result) + "\n", sys.stdout)
        return CLEAN
    style = style_for(sys.stdout, color=options.color, ascii_only=options.ascii)
    lines = show_value(result, options.print, style.width)
    if lines:
        put("\n".join(lines) + "\n", sys.stdout)
    return CLEAN


def _store(result: object, path: str) -> None:
    """Write a tensor to `.npy`, or the tensors of a tuple, in order, as out0, out1, … to `.npz`. [RUN.4]

    The empty tuple, the result of a function that only has effects, gives an empty archive.
    """
    from relax_lang.files import diagnostics as files
    from relax_lang.files.arrays import array_files as arrays
    from relax_lang.files.programs import reason

    tensors = _tensors(result)
    if not tensors and result != ():
        raise Refused(files.cannot_write(path, "the result holds no tensor"))
    if path.endswith(".npy") and isinstance(result, tuple):
        raise Refused(
            files.cannot_write(path, "the result is a tuple; an .npz archive holds several tensors")
        )
    try:
        if path.endswith(".npy"):
            arrays.save(path, tensors[0])
        else:
            arrays.save(path, {f"out{i}": tensor for i, tensor in enumerate(tensors)})
    except OSError as error:
        raise Refused(files.cannot_write(path, reason(error))) from error


def to_json(result: object) -> str:
    """Return a result as JSON on one line.

    Tensors are `{"shape": …, "dtype": …, "data": nested lists}`, with "nan", "inf" and "-inf" where JSON has no number;
    shapes `{"shape": …}`; tuples lists; anything else `{"object": what it is}`.
    """
    import json

    parts: list[str] = []
    stack: list[object] = [result]
    while stack:  # tuples nest as deep as the program recursed
        value = stack.pop()
        if isinstance(value, _Text):
            parts.append(value.text)
        elif isinstance(value, tuple):
            fields: tuple[object, ...] = value  # pyright: ignore[reportUnknownVariableType]
            stack.append(_Text("]"))
            for at in range(len(fields) - 1, -1, -1):
                stack += [fields[at], _Text(", " if at else "")]
            stack.append(_Text("["))
        else:
            parts.append(json.dumps(_plain(value), allow_nan=False))
    return "".join(parts)


class _Text:
    """A piece of finished JSON."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text


def _plain(value: object) -> object:
    import numpy as np

    from relax_lang.runtime.values.display import show_brief
    from relax_lang.runtime.values.tensors import is_of_language
    from relax_lang.values import ShapeValue

    if isinstance(value, ShapeValue):
        return {"shape": list(value.values)}
    if is_of_language(value):
        wide = value.astype(np.float32) if value.dtype.name == "bfloat16" else value
        data: object = (
            wide.tolist() if wide.dtype.kind != "f" or np.isfinite(wide).all() else _words(wide.tolist())
        )
        return {"shape": list(value.shape), "dtype": value.dtype.name, "data": data}
    return {"object": show_brief(value)}


def _words(data: Any) -> Any:
    """Replace the floats that JSON does not have by their names."""
    if isinstance(data, list):
        return [_words(item) for item in data]  # pyright: ignore[reportUnknownVariableType]
    if data != data:
        return "nan"
    return data if abs(data) != float("inf") else "inf" if data > 0 else "-inf"


def _tensors(result: object) -> list[Array]:
    """Return the tensors of a result, those of nested tuples in order; a shape counts as its int64 sizes."""
    import numpy as np

    from relax_lang.runtime.values.tensors import is_of_language
    from relax_lang.values import ShapeValue

    found: list[Array] = []
    stack: list[Any] = [result]
    while stack:
        value = stack.pop()
        if isinstance(value, tuple):
            stack += reversed(value)  # pyright: ignore[reportUnknownArgumentType]
        elif is_of_language(value):
            found.append(value)
        elif isinstance(value, ShapeValue):
            found.append(np.array(value.values, np.int64))
    return found
