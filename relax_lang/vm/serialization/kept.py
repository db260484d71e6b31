"""What is kept of an executable that was verified: the same bytes are then read without being parsed or checked again.

It is plain data, kept under the digest of the whole file by a cache that only this user could have written. Tensors
stay in the file. The code of PrimFuncs is kept under the forms that are named here, and once more all together: a
process that runs an executable reads two entries, however many PrimFuncs there are.
"""

from __future__ import annotations

from typing import cast

import numpy as np

from relax_lang.base.python.digests import digest_of_bytes
from relax_lang.base.source import SourceFile
from relax_lang.ops.core.dtypes import named_dtype
from relax_lang.syntax import tree
from relax_lang.values import ShapeValue
from relax_lang.vm.executable import PRIM, VM, Code, Executable, Function
from relax_lang.vm.instructions import Call, Goto, If, Operand, Ret
from relax_lang.vm.serialization.trees import TreeWriter, known_trees

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.base.node import Node
    from relax_lang.tir.options.keeping import KeptCodes
    from relax_lang.vm.instructions import Instruction


def key_of(data: bytes) -> str:
    """Return what the executable in these bytes is kept under."""
    return f"executable {digest_of_bytes(data)}"


def kept_form(executable: Executable, data: bytes, arrays: Sequence[Any]) -> Any:
    """Return what to keep of a verified executable; `arrays` are its tensors as they are in `data`, in order."""
    from relax_lang.tir.compile import form_of  # only where something is kept

    writer = TreeWriter()
    first = np.frombuffer(data, np.uint8).__array_interface__["data"][0]
    places = iter([(one.dtype.name, one.__array_interface__["data"][0] - first, one.shape) for one in arrays])
    constants = [
        writer.add(one)
        if isinstance(one, tree.Node)
        else ("shape", one.values)
        if isinstance(one, ShapeValue)
        else next(places)
        for one in executable.constants
    ]
    functions: list[tuple[Any, ...]] = []
    for row in executable.functions:
        if row.kind == VM and row.code is not None:
            signature, *others, instructions = row.code
            code = [_plain(one) for one in instructions]
            functions.append((row.kind, row.name, writer.add(signature), *others, code))
        elif row.prim_func is not None:
            functions.append((row.kind, row.name, writer.add(row.prim_func), form_of(row.prim_func)))
        else:
            functions.append((row.kind, row.name))
    sites = [writer.add(one) for one in executable.sites]
    return functions, constants, sites, writer.rows, executable.source.text, executable.source.path


def executable_of_kept(form: Any, data: bytes) -> Executable:
    """Return the executable that `kept_form` returned this of, for the same bytes."""
    rows, kept_constants, kept_sites, trees, text, path = form
    nodes = known_trees(trees)
    places: list[int] = kept_sites
    sites = [nodes[one] for one in places]
    forms: dict[tree.PrimFunc, str] = {}
    functions: list[Function] = []
    for row in rows:
        kind, name, *rest = row
        if kind == VM:
            signature, captures, dims, own, registers, code = rest
            instructions = tuple([_instruction(one) for one in code])
            function = cast("tree.Function", nodes[signature])
            functions.append(Function(VM, name, Code(function, captures, dims, own, registers, instructions)))
        elif kind == PRIM:
            func = cast("tree.PrimFunc", nodes[rest[0]])
            forms[func] = rest[1]
            functions.append(Function(PRIM, name, None, func))
        else:
            functions.append(Function(kind, name))
    constants = [_constant(one, nodes, data) for one in kept_constants]
    made = Executable(functions, constants, sites, SourceFile(text, path))
    made.from_file = True
    made.forms = forms
    return made


def codes_of(executable: Executable, key: str, kept: KeptCodes) -> dict[str, Any]:
    """Return the code of the PrimFuncs of an executable under its forms, as far as there is some."""
    whole = f"codes of {key}"
    found = kept.get(whole)
    if found is None:
        single = [(form, kept.get(form)) for form in dict.fromkeys(executable.forms.values())]
        found = {form: code for form, code in single if code is not None}
        if found:  # an executable that was never run has none yet
            kept.put(whole, found)
    return found


class KeptWith:
    """What is kept, and before that the code that was read with an executable."""

    __slots__ = ("_codes", "_kept")

    def __init__(self, codes: dict[str, Any], kept: KeptCodes) -> None:
        self._codes = codes
        self._kept = kept

    def get(self, key: str) -> Any:
        """Return a value; None if there is none."""
        found = self._codes.get(key)
        return self._kept.get(key) if found is None else found

    def put(self, key: str, value: Any) -> None:
        """Keep a value for other processes."""
        self._kept.put(key, value)


_CLASSES = {one.__name__: one for one in (Call, Ret, Goto, If)}


def _plain(one: Instruction) -> tuple[Any, ...]:
    if isinstance(one, Call):
        return "Call", one.dst, one.function, [tuple(arg) for arg in one.args], one.site
    return type(one).__name__, *one


def _instruction(plain: Any) -> Instruction:
    name, *fields = plain
    if name == "Call":
        fields[2] = tuple([Operand(*arg) for arg in fields[2]])
    return _CLASSES[name](*fields)


def _constant(plain: Any, nodes: Sequence[Node], data: bytes) -> object:
    if type(plain) is int:
        return nodes[plain]
    if len(plain) == 2:
        return ShapeValue(plain[1])
    name, offset, shape = plain
    wanted = named_dtype(name)
    if 0 in shape:
        return np.empty(shape, wanted)
    stored = wanted if wanted.isbuiltin == 1 else np.dtype(f"u{wanted.itemsize}")
    return np.ndarray(shape, stored, data, offset).view(wanted)
