"""What has to hold of an executable before anything of it runs.

Every index is in range; operands and sites are of the kind that a builtin takes; jumps go forward and stay inside of
their function; a register is read only where every way there has written it. So the machine needs no such checks, and a
function comes to an end.
"""

from __future__ import annotations

from relax_lang.syntax import tree
from relax_lang.values import ShapeValue
from relax_lang.vm.builtins import BUILTINS, VALUES
from relax_lang.vm.executable import BUILTIN, PRIM, VM
from relax_lang.vm.instructions import CONSTANT, FUNCTION, NUMBER, REGISTER, VOID, Call, Goto, Ret

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn

    from relax_lang.vm.executable import Code, Executable, Function
    from relax_lang.vm.instructions import Operand

MAX_REGISTERS = 1 << 20
"""A function has no more registers."""


class BadExecutable(ValueError):  # noqa: N818 - named after what the file is
    """What is not an executable that could run; the words say where, and why."""


def verify(executable: Executable) -> None:
    """Check an executable. Raises BadExecutable."""
    names: set[str] = set()
    for row in executable.functions:
        if row.kind in (VM, PRIM):
            if row.name in names:
                raise BadExecutable(f"there are two functions @{row.name}")
            names.add(row.name)
        if row.kind == BUILTIN and row.name not in BUILTINS:
            raise BadExecutable(f"there is no builtin `{row.name}`")
        if (row.kind == VM) != (row.code is not None) or (row.kind == PRIM) != (row.prim_func is not None):
            raise BadExecutable(f"function @{row.name} has no code")
        if row.prim_func is not None and row.prim_func.name.name_hint != row.name:
            raise BadExecutable(f"PrimFunc @{row.name} has another name in its text")
    for row in executable.functions:
        if row.code is not None:
            _Verifier(executable, row, row.code).verify()


class _Verifier:
    """Verifies the code of one function, going over its instructions once: jumps go forward."""

    def __init__(self, executable: Executable, row: Function, code: Code) -> None:
        self.executable = executable
        self.row = row
        self.code = code
        self.at = 0

    def refuse(self, why: str) -> NoReturn:
        raise BadExecutable(f"@{self.row.name}, instruction {self.at}: {why}")

    def verify(self) -> None:
        row, code = self.row, self.code
        signature = code.signature
        if signature.name is not None and signature.name.name_hint != row.name:
            self.refuse("the signature has another name")
        if not isinstance(signature.body, tree.SeqExpr):
            self.refuse("the signature has no value")
        if not code.entries <= code.registers <= MAX_REGISTERS:
            self.refuse(f"{code.registers} registers")
        if signature.name is not None and (code.captures or code.dims or code.own):
            self.refuse("a function of the module captures nothing")
        if len(set(code.captures)) != len(code.captures) or not code.instructions:
            self.refuse("there is no code, or something is captured twice")
        self._flow((1 << code.entries) - 1)

    def _flow(self, entry: int) -> None:
        """Follow which registers are written; sets are numbers with a bit for each register."""
        arriving: dict[int, int] = {0: entry}
        count = len(self.code.instructions)
        for at, one in enumerate(self.code.instructions):
            self.at = at
            written = arriving.pop(at, None)
            if written is None:
                self.refuse("nothing leads here")
            if isinstance(one, Ret):
                self._read(one.src, written)
                continue
            if isinstance(one, Call):
                written = self._call(one, written)
                targets = [at + 1]
            elif isinstance(one, Goto):
                targets = [at + one.offset]
            else:
                self._read(one.cond, written)
                targets = [at + 1, at + one.false_offset]
            for target in targets:
                if not at < target < count:
                    self.refuse("a jump leads out of the function, or back")
                arriving[target] = arriving.get(target, written) & written

    def _read(self, register: int, written: int) -> None:
        if not 0 <= register < self.code.registers:
            self.refuse(f"there is no register %{register}")
        if not written >> register & 1:
            self.refuse(f"register %{register} is read before it has a value")

    def _call(self, one: Call, written: int) -> int:
        functions, sites = self.executable.functions, self.executable.sites
        if not 0 <= one.function < len(functions):
            self.refuse(f"there is no function {one.function}")
        if not -1 <= one.site < len(sites):
            self.refuse(f"there is no site {one.site}")
        row = functions[one.function]
        for arg in one.args:
            self._operand(arg, written)
        site = sites[one.site] if one.site >= 0 else None
        if row.kind == BUILTIN:
            self._builtin(row.name, one, site)
            if row.name == "vm.kill":
                return self._kill(one, written)
        else:
            self._function(row, one, site)
        if one.dst == VOID:
            return written
        if not 0 <= one.dst < self.code.registers:
            self.refuse(f"there is no register %{one.dst}")
        return written | 1 << one.dst

    def _function(self, row: Function, one: Call, site: object) -> None:
        """Check a call of what is not a builtin; its site has the call of the program."""
        if row.code is not None and (row.code.captures or row.code.signature.name is None):
            self.refuse("a local function is called without its closure")
        call = site.value if isinstance(site, tree.Binding) else site
        if not isinstance(call, tree.Call) and row.kind != VM:
            self.refuse("an operator or PrimFunc needs a call as its site")
        if isinstance(call, tree.Call) and len(call.args) != len(one.args):
            self.refuse("the site has another number of arguments")

    def _kill(self, one: Call, written: int) -> int:
        for arg in one.args:
            if arg.kind != REGISTER:
                self.refuse("only registers can be killed")
            written &= ~(1 << arg.value)
        return written

    def _operand(self, arg: Operand, written: int) -> None:
        if arg.kind == REGISTER:
            self._read(arg.value, written)
        elif arg.kind == CONSTANT:
            if not 0 <= arg.value < len(self.executable.constants):
                self.refuse(f"there is no constant {arg.value}")
        elif arg.kind == FUNCTION:
            if not 0 <= arg.value < len(self.executable.functions):
                self.refuse(f"there is no function {arg.value}")
        elif arg.kind != NUMBER:
            self.refuse("an operand of no kind")

    def _builtin(self, name: str, one: Call, site: object) -> None:
        builtin = BUILTINS[name]
        kinds = list(builtin.operands)
        if kinds and kinds[-1] == VALUES:
            del kinds[-2:]
            kinds += ["value"] * (len(one.args) - len(kinds))
        if len(kinds) != len(one.args):
            self.refuse(f"`{name}` takes {len(kinds)} operands, not {len(one.args)}")
        for kind, arg in zip(kinds, one.args, strict=True):
            if not self._fits(kind, arg):
                self.refuse(f"an operand of `{name}` is not a {kind}")
        if builtin.site and not isinstance(site, builtin.site):
            self.refuse(f"`{name}` has no site, or one of another kind")
        wrong = builtin.wrong(self.code, site, one.args, self.executable) if builtin.wrong else None
        if wrong:
            self.refuse(f"`{name}`: {wrong}")

    def _fits(self, kind: str, arg: Operand) -> bool:
        if kind == "number":
            return arg.kind == NUMBER
        if kind == "value":
            if arg.kind == CONSTANT:
                return not isinstance(self.executable.constants[arg.value], tree.Node)
            return arg.kind == REGISTER or (arg.kind == FUNCTION and self._is_value(arg.value))
        if kind == "closure":
            code = self.executable.functions[arg.value].code if arg.kind == FUNCTION else None
            return code is not None and code.signature.name is None
        if arg.kind != CONSTANT:
            return False
        value = self.executable.constants[arg.value]
        if kind == "tensor":
            return hasattr(value, "dtype") and not isinstance(value, ShapeValue | tree.Node)
        return isinstance(value, getattr(tree, kind))

    def _is_value(self, index: int) -> bool:
        """Return whether a function of the table is a value of the language: one of the module."""
        row = self.executable.functions[index]
        return row.kind == PRIM or (row.code is not None and row.code.signature.name is not None)
