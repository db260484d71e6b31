r"""Modules of Apache TVM and its notation, as programs and back.

    >>> text = "@R.function\ndef main(x: R.Tensor(('n',), 'float32')):\n    return R.add(x, x)\n"
    >>> from_tvmscript(text).main([1, 2])
    array([2., 4.], dtype=float32)

All of them go through text: TVM is needed only where its objects come in or out, in `from_tvm` and `to_tvm`.
"""

from __future__ import annotations

import os
import re
import weakref

import numpy as np

from relax_lang.api import read
from relax_lang.api import to_tvmscript as script_of
from relax_lang.base.source import PythonFile
from relax_lang.modules.loaded import Module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def from_tvmscript(
    program: str | os.PathLike[str],
    *,
    unit: str = "",
    defines: Mapping[str, object] | None = None,
    packed: Mapping[str, Callable[..., object]] | None = None,
) -> Module:
    """Load a program from TVMScript: a text, or the path of a Python file. Nothing of it is executed.

    `unit` and `defines` are those of `api.from_tvmscript`, `packed` are packed functions for this module alone. Raises
    RelaxError if it cannot be read whole, or has errors.
    """
    if isinstance(program, os.PathLike) or ("\n" not in program and program.endswith(".py")):
        found = read(program)
        text, path = found.text, found.path
    else:
        text, path = program, "<text>"
    source = PythonFile(text, path)
    source.unit, source.defines = unit, dict(defines or {})
    return Module(source, packed)


def to_tvmscript(program: str | Module, *, version: str = "0.27") -> str:
    """Return a program, a text or a loaded module, as TVMScript with all its constants. Raises RelaxError."""
    return script_of(program, version=version).text


def from_tvm(module: Any) -> Module:
    """Load an `IRModule` of TVM through its text. Raises RelaxError if it cannot be read whole.

    Its constants, which the text only numbers, are written out up to 32 elements, as `to_tvmscript` does, and are in a
    file beyond, for as long as the program is used.
    """
    text = module.script()
    numbers = [int(one) for one in _NUMBERED.findall(text)]
    constants = _constants(module, text) if numbers else []
    if len(constants) <= max(numbers, default=0):
        return from_tvmscript(text)  # which says what is missing, if anything is
    import tempfile

    folder = tempfile.TemporaryDirectory(prefix="relax-constants-")
    large = {f"c{at}": array for at, array in enumerate(constants) if not _is_written_out(array)}
    np.savez(os.path.join(folder.name, "constants.npz"), **large)

    def shown(found: re.Match[str]) -> str:
        array = constants[int(found[1])]
        if f"c{found[1]}" in large:
            return f'R.const(np.load("constants.npz")["c{found[1]}"])'
        return f'R.const({array.tolist()!r}, "{array.dtype.name}")'

    script = f"import numpy as np\n{_NUMBERED.sub(shown, text)}"
    loaded = Module(PythonFile(script, os.path.join(folder.name, "module.py")))
    weakref.finalize(loaded, folder.cleanup)
    return loaded


_WRITTEN_OUT = 32


def _is_written_out(array: Any) -> bool:
    return array.size <= _WRITTEN_OUT and bool(np.isfinite(array).all())


_CONSTANTS = {"Constant": "data", "GenericConst": "value"}
"""What TVM calls the nodes of constants, before 0.27 and in it, and the field with their array."""
_NUMBERED = re.compile(r'\bmetadata\["(?:relax\.expr\.Constant|ir\.GenericConst)"\]\[(\d+)\]')


def _constants(module: Any, text: str) -> list[Any]:
    """Return the arrays that a text of TVM numbers: each constant where it is first met, functions as they are printed.

    Numbers, which have no dimensions, are written out there.
    """
    from importlib import import_module

    relax: Any = import_module("tvm.relax")
    places = {name: place for place, name in enumerate(re.findall(r"^ *def (\w+)\(", text, re.MULTILINE))}
    functions = [
        (var.name_hint, one) for var, one in module.functions.items() if isinstance(one, relax.Function)
    ]
    functions.sort(key=lambda one: places.get(one[0], len(places)))
    found: list[Any] = []

    def visit(node: Any) -> None:
        field = _CONSTANTS.get(type(node).__name__)
        if field and getattr(getattr(node, field), "shape", ()) and not any(map(node.same_as, found)):
            found.append(node)

    for _, function in functions:
        relax.analysis.post_order_visit(function, visit)
    return [getattr(one, _CONSTANTS[type(one).__name__]).numpy() for one in found]


def to_tvm(program: str | Module) -> Any:
    """Return a program as an `IRModule` of TVM. Raises ImportError where TVM is not installed, RelaxError."""
    import sys
    import tempfile
    from importlib.machinery import SourceFileLoader
    from importlib.util import module_from_spec, spec_from_loader

    text = script_of(program, absolute=True).text
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
