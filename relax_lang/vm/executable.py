"""What a build makes: functions in code for the machine, what they refer to, and where they come from."""

from __future__ import annotations

from typing import NamedTuple

from relax_lang.base.node import Node, structure
from relax_lang.base.source import SourceFile
from relax_lang.format.lexemes import global_name
from relax_lang.vm.instructions import Call

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from relax_lang.syntax import tree
    from relax_lang.vm.instructions import Instruction

VM, PRIM, OPERATOR, BUILTIN = "vm", "prim", "op", "builtin"
KINDS = (VM, PRIM, OPERATOR, BUILTIN)
"""What a function of the table can be: code for the machine, a PrimFunc, an operator, a part of the machine."""


class Code(NamedTuple):
    """A function in code for the machine.

    `signature` is the function without its body: its name, parameters and annotations. A local function has no name;
    it captures variables and, where they are known, shape variables. `own` is the variable that means the function
    itself, "" if there is none. Registers begin with the values of the parameters, then of `captures`, then of `own`.
    """

    signature: tree.Function
    captures: tuple[str, ...]
    dims: tuple[str, ...]
    own: str
    registers: int
    instructions: tuple[Instruction, ...]

    @property
    def entries(self) -> int:
        """How many registers have a value when the function begins."""
        return len(self.signature.params) + len(self.captures) + bool(self.own)


class Function(NamedTuple):
    """A row of the table: a kind, a name, and what belongs to the kind."""

    kind: str
    name: str
    code: Code | None = None
    prim_func: tree.PrimFunc | None = None


class Executable:
    """A program that is ready to be loaded: a table of functions, constants, sites, and the text that it was.

    Constants are tensors, shapes and nodes of struct infos and dimensions. Sites are bindings and calls of the
    program; their places are in `source`. Executables are equal if all of
    that is, but for the text: that of a file has PrimFuncs at its end that passes have made.
    """

    __slots__ = ("codes", "constants", "forms", "from_file", "functions", "sites", "source")

    def __init__(
        self,
        functions: Sequence[Function],
        constants: Sequence[object],
        sites: Sequence[Node],
        source: SourceFile | None = None,
    ) -> None:
        self.functions = tuple(functions)
        self.constants = tuple(constants)
        self.sites = tuple(sites)
        self.source = source or SourceFile("", "<executable>")
        self.from_file = False
        """Whether it was read, and may be anything that a file can be."""
        self.forms: dict[tree.PrimFunc, str] = {}
        """Under what the code of PrimFuncs is kept, as far as that is known."""
        self.codes: dict[str, Any] = {}
        """The code that was kept under that, as far as it was read with the executable."""

    def stats(self) -> str:
        """Return what the executable consists of, in a few lines."""
        codes = [one.code for one in self.functions if one.code is not None]
        counts: dict[str, int] = {}
        for code in codes:
            for one in code.instructions:
                name = type(one).__name__
                counts[name] = counts.get(name, 0) + 1
        names = [global_name(one.name) for one in self.functions if one.kind == VM]
        kinds = {kind: len([one for one in self.functions if one.kind == kind]) for kind in KINDS[1:]}
        sizes = [getattr(one, "nbytes", 0) for one in self.constants]
        return "\n".join(
            [
                f"functions: {', '.join(names)}",
                f"PrimFuncs: {kinds[PRIM]}, operators: {kinds[OPERATOR]}, builtins: {kinds[BUILTIN]}",
                f"constants: {len(self.constants)} ({sum(sizes)} bytes of tensors)",
                "instructions: "
                + (", ".join([f"{count} {name}" for name, count in counts.items()]) or "none"),
                "",
            ]
        )

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Executable) and (self is other or self._content() == other._content())

    def __hash__(self) -> int:
        return hash((self.source.path, len(self.functions), len(self.sites)))

    def _content(self) -> list[object]:
        found: list[object] = [self.source.path]
        found += [_plain(one) for one in (*self.constants, *self.sites)]
        for row in self.functions:
            found += [row.kind, row.name, row.prim_func is not None and structure(row.prim_func)]
            if row.code is not None:
                signature, *others = row.code
                found += [_plain(signature), others]
        return found

    def __repr__(self) -> str:
        """Name the functions that can be called."""
        names = [global_name(one.name) for one in self.functions if one.kind == VM]
        calls = sum(
            [
                isinstance(one, Call)
                for row in self.functions
                if row.code is not None
                for one in row.code.instructions
            ]
        )
        return f"<executable: {', '.join(names) or 'no functions'}; {calls} calls>"


def _plain(value: object) -> object:
    """Return what is equal for values that are: places in the text belong to it."""
    if isinstance(value, Node):
        return structure(value), value.pos, value.end
    array: Any = value
    return (array.dtype.name, array.shape, array.tobytes()) if hasattr(value, "tobytes") else value
