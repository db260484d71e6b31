"""Executables as text, which reads back: `assemble(as_text(e)) == e`.

    @main: registers 3, signature 7
      call  vm.check_arguments          in: i0, %0        dst: %void  at: 0
      call  add                         in: %0, %0        dst: %1     at: 1
      ret   %1

After the code come the table of functions, the constants, the sites, the trees and the source.
"""

from __future__ import annotations

import base64
import binascii
import json
import re

from relax_lang.base.nested_text import parse_json
from relax_lang.syntax.dtypes import DTYPES
from relax_lang.vm.executable import PRIM, VM
from relax_lang.vm.instructions import (
    CONSTANT,
    FUNCTION,
    NUMBER,
    REGISTER,
    VOID,
    Call,
    Goto,
    If,
    Operand,
    Ret,
)
from relax_lang.vm.serialization.container import array_bytes, tensor_of
from relax_lang.vm.serialization.parts import Parts, Row, executable_of, parts_of
from relax_lang.vm.serialization.trees import as_list
from relax_lang.vm.verify import BadExecutable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, NoReturn

    from relax_lang.vm.executable import Executable
    from relax_lang.vm.instructions import Instruction

HEAD = "# Relax executable, format 1"


class BadAssembly(ValueError):  # noqa: N818 - named after what the text is
    """A text that is not an executable; `line` counts from 1."""

    def __init__(self, line: int, why: str) -> None:
        super().__init__(f"line {line}: {why}")
        self.line = line
        self.why = why


def as_text(executable: Executable) -> str:
    """Return an executable as text."""
    parts = parts_of(executable)
    names = [_mention(row.kind, row.name) for row in parts.rows]
    lines = [HEAD]
    for row in parts.rows:
        if row.kind != VM:
            continue
        more = "".join(
            [
                f", {word} {json.dumps(value)}"
                for word, value in (("captures", row.captures), ("dims", row.dims), ("own", row.own))
                if value
            ]
        )
        lines += ["", f"@{_name(row.name)}: registers {row.registers}, signature {row.signature}{more}"]
        lines += [f"  {_line(one, names)}" for one in row.instructions]
    lines += ["", "functions:"]
    lines += [f"  {row.kind} {_name(row.name)}" for row in parts.rows]
    lines += ["", "constants:"]
    lines += [f"  c[{at}] {_constant(one)}" for at, one in enumerate(parts.constants)]
    lines += ["", f"sites: {json.dumps(list(parts.sites))}", "", "trees:"]
    lines += [f"  {json.dumps(row)}" for row in parts.trees]
    lines += [
        "",
        f"prim_funcs: {json.dumps(parts.spans)}",
        f"path: {json.dumps(parts.path)}",
        f"source: {json.dumps(parts.text)}",
        "",
    ]
    return "\n".join(lines)


_PLAIN = re.compile(r"[A-Za-z_][\w.]*")


def _name(name: str) -> str:
    return name if _PLAIN.fullmatch(name) and name.isascii() else json.dumps(name)


def _mention(kind: str, name: str) -> str:
    """Return how code names a function: those of the module as programs do."""
    return f"@{_name(name)}" if kind in (VM, PRIM) else _name(name)


def _line(one: Instruction, names: Sequence[str]) -> str:
    if isinstance(one, Call):
        args = ", ".join([_operand(arg, names) for arg in one.args])
        dst = "%void" if one.dst == VOID else f"%{one.dst}"
        return f"call  {names[one.function]:<24} in: {args:<24} dst: {dst:<6} at: {one.site}"
    if isinstance(one, Ret):
        return f"ret   %{one.src}"
    if isinstance(one, Goto):
        return f"goto  {one.offset}"
    return f"if    %{one.cond} else {one.false_offset}"


def _operand(arg: Operand, names: Sequence[str]) -> str:
    if arg.kind == REGISTER:
        return f"%{arg.value}"
    if arg.kind == NUMBER:
        return f"i{arg.value}"
    return f"c[{arg.value}]" if arg.kind == CONSTANT else f"f[{names[arg.value]}]"


def _constant(one: Any) -> str:
    if type(one) is int:
        return f"node {one}"
    if isinstance(one, tuple):
        return f"shape {json.dumps(one)}"
    return f"tensor {one.dtype.name} {base64.b64encode(array_bytes(one)).decode()}"


# Reading.


def assemble(text: str) -> Executable:
    """Return the executable of a text. Raises BadAssembly for what is not one, BadExecutable."""
    return _Reader(text).read()


_STRING = r'"(?:[^"\\\n]|\\.)*"'
_FUNCTION = re.compile(rf"@([\w.]+|{_STRING}): registers (\d+), signature (\d+)(.*)")
_MORE = re.compile(rf", (captures|dims|own) (\[[^\]]*\]|{_STRING})")
_CALL = re.compile(rf"call +(@?[\w.]+|@?{_STRING}) +in: (.*)dst: (%void|%\d+) +at: (-?\d+)")
_ARGUMENT = re.compile(rf"(?:%(\d+)|i(-?\d+)|c\[(\d+)\]|f\[(@?[\w.]+|@?{_STRING})\])(?:, |$)")
_OTHER = re.compile(r"ret +%(\d+)|goto +(-?\d+)|if +%(\d+) else (-?\d+)")
_NUMBER = 18
"""A number has no more digits."""


class _Reader:
    """Reads a text line by line; sections come in the order in which they are written."""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")
        self.at = 0
        self.rows: list[Row] = []
        self.indices: dict[str, int] = {}

    def refuse(self, why: str) -> NoReturn:
        raise BadAssembly(self.at + 1, why)

    def read(self) -> Executable:
        """Return the executable."""
        if self.line() != HEAD:
            self.refuse(f"the first line is `{HEAD}`")
        self.at += 1
        table = self.table()
        self.indices = {_mention(kind, name): index for index, (kind, name) in enumerate(table)}
        code: dict[str, Row] = {}
        while self.line().startswith("@"):
            row = self.function()
            code[row.name] = row
        self.expect("functions:")
        self.at += len(table)
        rows = [self.row(kind, name, code) for kind, name in table]
        self.expect("constants:")
        constants = [self.constant(line) for line in self.indented()]
        sites = as_list(self.json("sites"))
        self.expect("trees:")
        trees = [self.parsed(line) for line in self.indented()]
        spans = as_list(self.json("prim_funcs"))
        path = self.json("path")
        text = self.json("source")
        if type(path) is not str or type(text) is not str or sites is None or spans is None:
            self.refuse("a section holds something else")
        places: list[tuple[int, int]] = []
        for one in spans:
            place = as_list(one) or []
            if [type(each) for each in place] != [int, int]:
                self.refuse("the place of a PrimFunc is none")
            places.append((place[0], place[1]))
        return executable_of(Parts(rows, constants, sites, trees, places, text, path))

    def row(self, kind: str, name: str, code: dict[str, Row]) -> Row:
        if kind != VM:
            return Row(kind, name)
        if name not in code:
            raise BadExecutable(f"function @{name} has no code")
        return code[name]

    def line(self) -> str:
        """Return the next line that is not blank or a comment."""
        while self.at < len(self.lines) and not self.lines[self.at].strip():
            self.at += 1
        return self.lines[self.at] if self.at < len(self.lines) else ""

    def expect(self, word: str) -> None:
        if self.line() != word:
            self.refuse(f"expected `{word}`")
        self.at += 1

    def indented(self) -> list[str]:
        """Return the lines of a section."""
        start = self.at
        while self.at < len(self.lines) and self.lines[self.at].startswith("  "):
            self.at += 1
        return [line.strip() for line in self.lines[start : self.at]]

    def table(self) -> list[tuple[str, str]]:
        """Return the table of functions, which comes after the code that refers to it."""
        kept = self.at
        try:
            self.at = self.lines.index("functions:") + 1
        except ValueError:
            self.refuse("there is no section `functions:`")
        found: list[tuple[str, str]] = []
        for line in self.indented():
            kind, _, name = line.partition(" ")
            found.append((kind, self.name(name)))
        self.at = kept
        return found

    def name(self, word: str) -> str:
        if not word.startswith('"'):
            return word
        found = self.parsed(word)
        return found if isinstance(found, str) else self.refuse("a name is not a string")

    def parsed(self, text: str) -> Any:
        try:
            return parse_json(text)
        except ValueError:
            self.refuse("this is not JSON")

    def json(self, word: str) -> Any:
        line = self.line()
        if not line.startswith(f"{word}: "):
            self.refuse(f"expected `{word}:`")
        found = self.parsed(line[len(word) + 2 :])
        self.at += 1
        return found

    def number(self, digits: str) -> int:
        if len(digits) > _NUMBER:
            self.refuse("a number is too large")
        return int(digits)

    def function(self) -> Row:
        matched = _FUNCTION.fullmatch(self.line())
        if matched is None:
            self.refuse("this begins no function")
        more: dict[str, Any] = {"captures": [], "dims": [], "own": ""}
        for one in _MORE.finditer(matched[4]):
            more[one[1]] = self.parsed(one[2])
        registers, signature = self.number(matched[2]), self.number(matched[3])
        name = self.name(matched[1])
        captures, dims, own = more["captures"], more["dims"], more["own"]
        if not all(isinstance(one, str) for one in (*captures, *dims, own)):
            self.refuse("what is captured has names")
        self.at += 1
        code: list[Instruction] = []
        while self.at < len(self.lines) and self.lines[self.at].startswith("  "):
            code.append(self.instruction(self.lines[self.at].strip()))
            self.at += 1
        return Row(VM, name, signature, tuple(captures), tuple(dims), own, registers, tuple(code))

    def instruction(self, line: str) -> Instruction:
        call = _CALL.fullmatch(line)
        if call is not None:
            dst = VOID if call[3] == "%void" else self.number(call[3][1:])
            return Call(dst, self.index(call[1]), self.operands(call[2].rstrip(" ")), self.number(call[4]))
        other = _OTHER.fullmatch(line)
        if other is None:
            word = line.partition(" ")[0]
            self.refuse(f"`{word}` is not an instruction, or is written otherwise")
        if other[1] is not None:
            return Ret(self.number(other[1]))
        if other[2] is not None:
            return Goto(self.number(other[2]))
        return If(self.number(other[3]), self.number(other[4]))

    def index(self, word: str) -> int:
        if word not in self.indices:
            self.refuse(f"`{word}` is not in the table of functions")
        return self.indices[word]

    def operands(self, text: str) -> tuple[Operand, ...]:
        made: list[Operand] = []
        at = 0
        while at < len(text):
            matched = _ARGUMENT.match(text, at)
            if matched is None:
                self.refuse(f"`{text[at:]}` are not operands")
            if matched[4] is not None:
                made.append(Operand(FUNCTION, self.index(matched[4])))
            else:
                kind = next(kind for kind in (1, 2, 3) if matched[kind] is not None)
                made.append(Operand((REGISTER, NUMBER, CONSTANT)[kind - 1], self.number(matched[kind])))
            at = matched.end()
        return tuple(made)

    def constant(self, line: str) -> Any:
        matched = re.fullmatch(r"c\[\d+\] (node|shape|tensor) (.*)", line)
        if matched is None:
            self.refuse("this is not a constant")
        if matched[1] == "node" and matched[2].isascii() and matched[2].isdigit():
            return self.number(matched[2])
        if matched[1] == "shape":
            sizes = as_list(self.parsed(matched[2]))
            if sizes is not None:
                return tuple(sizes)
        dtype, _, data = matched[2].partition(" ")
        if matched[1] == "tensor" and dtype in DTYPES:
            try:
                return tensor_of(dtype, memoryview(base64.b64decode(data, validate=True)))
            except (binascii.Error, ValueError) as error:
                if isinstance(error, BadExecutable):
                    raise
        raise BadAssembly(self.at, "this is not a constant")
