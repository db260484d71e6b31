"""Models of other frameworks as programs."""

from __future__ import annotations

import os

from relax_lang.api import RelaxError
from relax_lang.base.diagnostic import Diagnostic
from relax_lang.base.source import ModelFile, SourceFile
from relax_lang.files.models import ExternalData, import_file
from relax_lang.modules.loaded import Module
from relax_lang.onnx.errors import Invalid

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from relax_lang.onnx.conversion.program import Imported


def from_onnx(
    model: Any,
    *,
    shapes: Mapping[str, Sequence[int | str]] | None = None,
    constants: Mapping[str, Any] | None = None,
    fold: bool = True,
) -> Module:
    """Load a model of ONNX: the path of a file, or what `onnx.load` returns. `main` takes the graph's inputs in order.

    `shapes` fixes the shapes of inputs, with numbers or names for extents; `constants` gives values to inputs, which
    are not parameters then. Without `fold` the program has operator by operator what the model has. The text is in
    `.source.text`, the weights in `.source.arrays`. Raises RelaxError with everything that has no counterpart in Relax,
    ImportError if the package `onnx` is not installed.
    """
    import numpy as np

    known = {name: np.asarray(value) for name, value in (constants or {}).items()}
    path = str(os.fspath(model)) if isinstance(model, str | os.PathLike) else "<model>"  # pyright: ignore[reportUnknownArgumentType]
    if path != "<model>":
        found: Imported | Diagnostic = import_file(path, shapes=shapes, constants=known, fold=fold)
        if isinstance(found, Diagnostic):
            raise RelaxError(SourceFile("", path), [found])
    else:
        from relax_lang.onnx import diagnostics as diag
        from relax_lang.onnx.conversion.program import import_model
        from relax_lang.onnx.reading.model import of_proto

        try:
            found = import_model(of_proto(model, ExternalData("")), shapes=shapes, constants=known, fold=fold)
        except Invalid as error:
            raise RelaxError(SourceFile("", path), [diag.unreadable(path, str(error))]) from error
    if found.diagnostics:
        raise RelaxError(SourceFile("", path), found.diagnostics)
    return Module(ModelFile(found.text, path, found.arrays))
