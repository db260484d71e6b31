"""An executable as plain data, and back: what its file and its text have in common.

PrimFuncs are not taken as trees but read from the text and checked like any program, because code is made of them. What
is in no text yet, as passes have made it, is printed at the end of the text.
"""

from __future__ import annotations

from typing import Any, NamedTuple, cast

from relax_lang.base.diagnostic import has_errors
from relax_lang.base.node import same
from relax_lang.base.python.recursion import deep_recursion
from relax_lang.base.source import SourceFile
from relax_lang.syntax import tree
from relax_lang.values import ShapeValue
from relax_lang.vm.executable import BUILTIN, OPERATOR, PRIM, VM, Code, Executable, Function
from relax_lang.vm.serialization.trees import BadTree, TreeWriter, read_trees
from relax_lang.vm.verify import BadExecutable, verify

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from relax_lang.base.node import Node
    from relax_lang.vm.instructions import Instruction

    Span = tuple[int, int]

MAX_LIST = 1 << 24
"""A list of a file has no more entries."""


class Row(NamedTuple):
    """A function of the table as plain data; only code has more than a kind and a name."""

    kind: str
    name: str
    signature: int = -1
    captures: tuple[str, ...] = ()
    dims: tuple[str, ...] = ()
    own: str = ""
    registers: int = 0
    instructions: tuple[Instruction, ...] = ()


class Parts(NamedTuple):
    """An executable as plain data.

    Constants are arrays, shapes as tuples, and rows of `trees` as numbers; so are `sites`. `spans` are the places of
    the PrimFuncs in `text`, in the order of the table.
    """

    rows: Sequence[Row]
    constants: Sequence[Any]
    sites: Sequence[int]
    trees: Sequence[Any]
    spans: Sequence[Span]
    text: str
    path: str


def parts_of(executable: Executable) -> Parts:
    """Return an executable as plain data."""
    writer = TreeWriter()
    funcs = [row.prim_func for row in executable.functions if row.prim_func is not None]
    with deep_recursion():
        text, spans = _with_texts(executable.source.text, funcs)
    sites = [writer.add(site) for site in executable.sites]
    constants: list[Any] = []
    for one in executable.constants:
        if isinstance(one, tree.Node):
            constants.append(writer.add(one))
        else:
            constants.append(one.values if isinstance(one, ShapeValue) else one)
    rows = [_row(row, writer) for row in executable.functions]
    return Parts(rows, constants, sites, writer.rows, spans, text, executable.source.path)


def _row(row: Function, writer: TreeWriter) -> Row:
    code = row.code
    if code is None:
        return Row(row.kind, row.name)
    signature = writer.add(code.signature)
    return Row(
        row.kind, row.name, signature, code.captures, code.dims, code.own, code.registers, code.instructions
    )


def executable_of(parts: Parts) -> Executable:
    """Return the executable that plain data describes. Raises BadExecutable if it is none that could run."""
    try:
        nodes = read_trees(parts.trees)
    except BadTree as error:
        raise BadExecutable(str(error)) from None
    constants: list[object] = []
    for one in parts.constants:
        if isinstance(one, tuple):
            sizes = cast("tuple[Any, ...]", one)
            if not all(type(size) is int and size >= 0 for size in sizes):
                raise BadExecutable("a shape among the constants has a size that is none")
            constants.append(ShapeValue(sizes))
        else:
            constants.append(_at(nodes, one) if type(one) is int else one)
    sites = [_at(nodes, one) for one in parts.sites]
    funcs = _prim_funcs(parts)
    functions: list[Function] = []
    for row in parts.rows:
        if row.kind == VM:
            signature = _at(nodes, row.signature)
            if not isinstance(signature, tree.Function):
                raise BadExecutable(f"the signature of @{row.name} is none")
            code = Code(signature, row.captures, row.dims, row.own, row.registers, row.instructions)
            functions.append(Function(VM, row.name, code))
        elif row.kind == PRIM:
            if row.name not in funcs:
                raise BadExecutable(f"there is no text of the PrimFunc @{row.name}")
            functions.append(Function(PRIM, row.name, None, funcs[row.name]))
        elif row.kind in (OPERATOR, BUILTIN):
            functions.append(Function(row.kind, row.name))
        else:
            raise BadExecutable(f"`{row.kind}` is not a kind of functions")
    made = Executable(functions, constants, sites, SourceFile(parts.text, parts.path))
    verify(made)
    made.from_file = True
    return made


def _at(nodes: Sequence[Node], index: object) -> Node:
    if type(index) is not int or not 0 <= index < len(nodes):
        raise BadExecutable("a tree that is referred to is not there")
    return nodes[index]


# PrimFuncs as text.


def _with_texts(text: str, funcs: Sequence[tree.PrimFunc]) -> tuple[str, list[Span]]:
    """Return a text that has all PrimFuncs, and their places."""
    if not funcs:
        return text, []
    given = [func for func in funcs if 0 <= func.pos < func.end <= len(text)]
    there: dict[str, tree.PrimFunc] = {}
    if given and len({func.pos for func in given}) == len(given):
        from relax_lang.syntax.parser import parse

        parsed = parse(_masked(text, [(func.pos, func.end) for func in given]))
        if not has_errors(parsed.diagnostics):
            there = {
                item.name.name_hint: item for item in parsed.tree.items if isinstance(item, tree.PrimFunc)
            }
    spans: list[Span] = []
    for func in funcs:
        read = there.get(func.name.name_hint)
        if read is not None and (read.pos, read.end) == (func.pos, func.end) and same(read, func):
            spans.append((func.pos, func.end))
            continue
        from relax_lang.format.printer import print_tree

        printed = print_tree(tree.IRModule((), (func,))).strip()
        text = f"{text.rstrip()}\n\n{printed}\n" if text.strip() else f"{printed}\n"
        end = len(text) - 1
        spans.append((end - len(printed), end))
    return text, spans


def _masked(text: str, spans: Iterable[Span]) -> str:
    """Return a text with blanks in place of everything outside of these places."""
    made: list[str] = []
    at = 0
    for start, end in sorted(spans):
        made += [" " * (start - at), text[start:end]]
        at = end
    return "".join(made)


def _prim_funcs(parts: Parts) -> dict[str, tree.PrimFunc]:
    """Read and check the PrimFuncs; what is wrong with one refuses the executable."""
    at = 0
    for start, end in sorted(parts.spans):
        if not at <= start < end <= len(parts.text):
            raise BadExecutable("the places of the PrimFuncs are not in the text")
        at = end
    if not parts.spans:
        return {}
    from relax_lang.check.driver import check_source

    with deep_recursion():
        checked = check_source(SourceFile(_masked(parts.text, parts.spans), parts.path))
    if checked.has_errors:
        first = next(one for one in [*checked.diagnostics, *checked.ignored] if one.severity == "error")
        raise BadExecutable(f"its PrimFuncs have errors: {first.message}")
    found = [item for item in checked.normal.items if isinstance(item, tree.PrimFunc)]
    if len(found) != len(checked.normal.items) or len(found) != len(parts.spans):
        raise BadExecutable("where PrimFuncs should be there is something else")
    return {item.name.name_hint: item for item in found}
