r"""Modules of Apache TVM and its notation, as programs and back.

    >>> text = "@R.function\ndef main(x: R.Tensor(('n',), 'float32')):\n    return R.add(x, x)\n"
    >>> from_tvmscript(text).main([1, 2])
    array([2., 4.], dtype=float32)

All of them go through text: TVM is needed only where its objects come in or out, in `from_tvm` and `to_tvm`.
"""

from __future__ import annotations

import os

from relax_lang.api import read
from relax_lang.api import to_tvmscript as script_of
from relax_lang.base.source import PythonFile
from relax_lang.loaded import Module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def from_tvmscript(
    program: str,
    *,
    unit: str = "",
    defines: Mapping[str, object] | None = None,
    packed: Mapping[str, Callable[..., object]] | None = None,
) -> Module:
    """Load a program from TVMScript: a text, or the path of a Python file. Nothing of it is executed.

    `unit` and `defines` are those of `api.from_tvmscript`, `packed` are packed functions for this module alone. Raises
    RelaxError if it cannot be read whole, or has errors.
    """
    text, path = program, "<text>"
    if "\n" not in program and program.endswith(".py"):
        found = read(program)
        text, path = found.text, found.path
    source = PythonFile(text, path)
    source.unit, source.defines = unit, dict(defines or {})
    return Module(source, packed)


def to_tvmscript(program: str | Module, *, version: str = "0.27") -> str:
    """Return a program, a text or a loaded module, as TVMScript with all its constants. Raises RelaxError."""
    return script_of(program, version=version).text


def from_tvm(module: Any) -> Module:
    """Load an `IRModule` of TVM through its text. Raises RelaxError if it cannot be read whole."""
    return from_tvmscript(module.script())


def to_tvm(program: str | Module) -> Any:
    """Return a program as an `IRModule` of TVM. Raises ImportError where TVM is not installed, RelaxError."""
    import sys
    import tempfile
    from importlib.machinery import SourceFileLoader
    from importlib.util import module_from_spec, spec_from_loader

    text = to_tvmscript(program)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "exported.py")  # TVM reads what it is given from its file
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        name = "relax_lang_exported"
        loader = SourceFileLoader(name, path)
        spec = spec_from_loader(name, loader)
        assert spec is not None
        made = module_from_spec(spec)
        sys.modules[name] = made  # TVM asks there for the file of a class
        try:
            loader.exec_module(made)
        finally:
            del sys.modules[name]
    return made.Module
