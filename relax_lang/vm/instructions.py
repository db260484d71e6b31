"""The four instructions of the machine and their operands.

An operand is a register, a constant or a function of the executable, or a number that is in the code. A call has
the number of its *site*: the part of the program that it comes from, which messages point to, and which has what
belongs to a call and is not a value, such as the attributes of an operator.
"""

from __future__ import annotations

from typing import NamedTuple

REGISTER, NUMBER, CONSTANT, FUNCTION = 0, 1, 2, 3
"""The kinds of operands."""

VOID = -1
"""The destination of a call whose value nothing needs."""


class Operand(NamedTuple):
    """What an instruction takes: a kind, and the index or the number."""

    kind: int
    value: int


class Call(NamedTuple):
    """Call a function of the table; its value goes to a register, or nowhere."""

    dst: int
    function: int
    args: tuple[Operand, ...]
    site: int


class Ret(NamedTuple):
    """End the function with the value of a register."""

    src: int


class Goto(NamedTuple):
    """Go on `offset` instructions from here, which is forward: programs have no loops but recursion."""

    offset: int


class If(NamedTuple):
    """Go on with the next instruction if a register holds true, else `false_offset` instructions from here."""

    cond: int
    false_offset: int


Instruction = Call | Ret | Goto | If


def register(index: int) -> Operand:
    """Return a register as an operand."""
    return Operand(REGISTER, index)


def number(value: int) -> Operand:
    """Return a number as an operand."""
    return Operand(NUMBER, value)


def constant(index: int) -> Operand:
    """Return a constant of the executable as an operand."""
    return Operand(CONSTANT, index)


def function(index: int) -> Operand:
    """Return a function of the executable as an operand."""
    return Operand(FUNCTION, index)
