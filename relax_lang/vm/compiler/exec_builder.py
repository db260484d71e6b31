"""Executables made by hand, instruction by instruction: what the code generator, the assembler and tests use.

ib = ExecBuilder()
with ib.code("main", ["x"]):
    ib.emit_call("add", [ib.r(0), ib.r(0)], dst=ib.r(1))
    ib.emit_ret(ib.r(1))
VirtualMachine(ib.get())["main"](x)
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import cast

from relax_lang.syntax import tree
from relax_lang.vm.builtins import BUILTINS
from relax_lang.vm.executable import BUILTIN, OPERATOR, PRIM, VM, Code, Executable, Function
from relax_lang.vm.instructions import (
    VOID,
    Call,
    Goto,
    If,
    Instruction,
    Operand,
    Ret,
    constant,
    function,
    number,
    register,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from typing import Any

    from relax_lang.base.node import Node
    from relax_lang.base.source import SourceFile

NO_SITE = -1


class ExecBuilder:
    """Collects functions, constants and sites; `get` makes the executable and verifies it."""

    r = staticmethod(register)
    imm = staticmethod(number)
    c = staticmethod(constant)
    f = staticmethod(function)
    """Operands: a register, a number, a constant, a function."""

    def __init__(self) -> None:
        self.functions: list[Function | None] = []
        self.constants: list[object] = []
        self.sites: list[Node] = []
        self._indices: dict[tuple[str, str], int] = {}
        self._sites: dict[Node, int] = {}
        self._constants: dict[object, int] = {}
        self._code: list[Instruction] = []
        self._registers = 0

    # The table.

    def declare(self, kind: str, name: str) -> int:
        """Return the number of a function, which may be given its code later."""
        key = (kind if kind in (OPERATOR, BUILTIN) else VM, name)
        found = self._indices.get(key)
        if found is None:
            found = self._indices[key] = len(self.functions)
            made = Function(kind, name) if kind in (OPERATOR, BUILTIN) else None
            self.functions.append(made)
        return found

    def add_prim_func(self, func: tree.PrimFunc) -> int:
        """Add a PrimFunc; return its number."""
        name = func.name.name_hint
        index = self.declare(PRIM, name)
        self.functions[index] = Function(PRIM, name, None, func)
        return index

    def add_code(self, name: str, code: Code) -> int:
        """Add a function in code; return its number."""
        index = self.declare(VM, name)
        self.functions[index] = Function(VM, name, code)
        return index

    def emit_constant(self, value: object) -> Operand:
        """Return a constant as an operand; an equal one is there once."""
        key = _key(value)
        found = self._constants.get(key)
        if found is None:
            found = self._constants[key] = len(self.constants)
            self.constants.append(value)
        return constant(found)

    def site(self, node: Node | None) -> int:
        """Return the number of a site."""
        if node is None:
            return NO_SITE
        found = self._sites.get(node)
        if found is None:
            found = self._sites[node] = len(self.sites)
            self.sites.append(node)
        return found

    # Code.

    @contextmanager
    def code(
        self, name: str, params: Sequence[str] = (), like: Code | None = None
    ) -> Generator[None, None, None]:
        """Begin the code of a function with parameters that take anything, or with what another one begins with."""
        if like is None:
            wanted = tuple([tree.Var(one, None) for one in params])
            body = tree.SeqExpr((), tree.Tuple(()))
            signature = tree.Function(tree.GlobalVar(name), False, None, wanted, None, (), body)
            like = Code(signature, (), (), "", len(params), ())
        self.declare(VM, name)
        self._code, self._registers = [], like.registers
        yield
        self.add_code(name, like._replace(registers=self._registers, instructions=tuple(self._code)))

    def emit_call(
        self, name: str, args: Sequence[Operand] = (), dst: Operand | None = None, site: Node | None = None
    ) -> None:
        """Call a builtin `vm.…`, a function of the executable `@…`, or an operator."""
        kind = VM if name.startswith("@") else BUILTIN if name in BUILTINS else OPERATOR
        known = self.declare(kind, name.removeprefix("@"))
        if site is None and kind != BUILTIN:
            site = _plain_call(name, len(args))
        self._note(*args, *([dst] if dst is not None else []))
        self._code.append(Call(VOID if dst is None else dst.value, known, tuple(args), self.site(site)))

    def emit_ret(self, src: Operand) -> None:
        """End the function with the value of a register."""
        self._note(src)
        self._code.append(Ret(src.value))

    def emit_goto(self, offset: int) -> None:
        """Go on `offset` instructions from here."""
        self._code.append(Goto(offset))

    def emit_if(self, cond: Operand, false_offset: int) -> None:
        """Go on here if a register is true, else `false_offset` instructions from here."""
        self._note(cond)
        self._code.append(If(cond.value, false_offset))

    def _note(self, *operands: Operand) -> None:
        used = [one.value + 1 for one in operands if one.kind == register(0).kind]
        self._registers = max([self._registers, *used])

    def get(self, source: SourceFile | None = None) -> Executable:
        """Return the executable. Raises BadExecutable if it is none."""
        from relax_lang.vm.verify import BadExecutable, verify

        missing = [
            name for (kind, name), at in self._indices.items() if self.functions[at] is None and kind == VM
        ]
        if missing:
            raise BadExecutable(f"function @{missing[0]} is called and has no code")
        made = Executable(
            [one for one in self.functions if one is not None], self.constants, self.sites, source
        )
        verify(made)
        return made


def _plain_call(name: str, count: int) -> tree.Call:
    """Return the site of a call that no program wrote."""
    return tree.Call(tree.Op(name), tuple([tree.Tuple(())] * count))


def _key(value: object) -> object:
    """Return what is equal for constants that are equal."""
    import numpy as np

    if isinstance(value, np.ndarray):
        array = cast("np.ndarray[Any, Any]", value)
        return (array.dtype.name, array.shape, array.tobytes())
    if isinstance(value, tree.Node):
        return value
    return (type(value).__name__, value)


def as_python(made: Executable) -> str:
    """Return the calls of an `ExecBuilder` that make the code of an executable.

    Signatures, sites, PrimFuncs and constants are those of the executable that is given to the calls.
    """
    lines = [
        "from relax_lang.vm.compiler.exec_builder import ExecBuilder",
        "",
        "",
        "def build(exe):",
        "    ib = ExecBuilder()",
    ]
    lines.append("    for one in exe.constants:")
    lines.append("        ib.emit_constant(one)")
    lines.append("    for one in exe.sites:")
    lines.append("        ib.site(one)")
    for row in made.functions:
        if row.prim_func is not None:
            lines.append(
                f"    ib.add_prim_func(next(f.prim_func for f in exe.functions if f.name == {row.name!r}))"
            )
        elif row.code is None:
            lines.append(f"    ib.declare({row.kind!r}, {row.name!r})")
        else:
            lines.append(f"    ib.declare('vm', {row.name!r})")
    for index, row in enumerate(made.functions):
        if row.code is None:
            continue
        lines.append(f"    with ib.code({row.name!r}, like=exe.functions[{index}].code):")
        lines += [f"        {_python_of(one, made)}" for one in row.code.instructions]
    return "\n".join([*lines, "    return ib.get(exe.source)", ""])


def _python_of(one: Instruction, made: Executable) -> str:
    if isinstance(one, Call):
        args = ", ".join([f"ib.{['r', 'imm', 'c', 'f'][arg.kind]}({arg.value})" for arg in one.args])
        dst = "" if one.dst == VOID else f", dst=ib.r({one.dst})"
        site = "" if one.site < 0 else f", site=exe.sites[{one.site}]"
        row = made.functions[one.function]
        name = f"@{row.name}" if row.kind in (VM, PRIM) else row.name
        return f"ib.emit_call({name!r}, [{args}]{dst}{site})"
    if isinstance(one, Ret):
        return f"ib.emit_ret(ib.r({one.src}))"
    if isinstance(one, Goto):
        return f"ib.emit_goto({one.offset})"
    return f"ib.emit_if(ib.r({one.cond}), {one.false_offset})"
