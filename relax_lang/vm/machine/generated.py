"""Python that is generated from code: registers are local variables, `if` and `goto` are `if` and `else`.

The loop in `linked` is the meaning; this is for programs that are called often with small tensors. What is generated
mentions numbers of registers and of decoded instructions alone: no name or text of an executable gets into it.
"""

from __future__ import annotations

from relax_lang.runtime.interpreter.machine import Activation
from relax_lang.vm.machine.decoded import CLOSURE, FRAMED, GOTO, IF, ONE, PLAIN, RET, THREE, TWO, Decoded

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_DEEPEST = 50
"""Python reads no more than a hundred levels of indentation."""


class Unstructured(Exception):  # noqa: N818 - named after what the code is
    """Code whose jumps are not nested `if`s, as no build makes; it runs in the loop."""


def generate(decoded: Decoded) -> Callable[..., Any] | None:
    """Return a generator function that runs code; it takes the machine, the frame, the list of values and a place.

    The place is a list whose one number is kept at the instruction that runs. None for unstructured code.
    """
    writer = _Writer(decoded)
    try:
        writer.block(0, len(decoded.steps), 1)
    except Unstructured:
        return None
    entries = [f"    r{at} = values[{at}]" for at in range(decoded.code.entries)]
    head = ["def steps(machine, frame, values, at):", *entries, "    values.clear()"]
    text = "\n".join([*head, *writer.lines, "    yield  # never reached: it makes this a generator", ""])
    exec(compile(text, "<relax executable>", "exec", dont_inherit=True), writer.namespace)
    return writer.namespace["steps"]


class _Writer:
    """Writes the statements of one function."""

    def __init__(self, decoded: Decoded) -> None:
        self.decoded = decoded
        self.registers = decoded.code.registers
        self.lines: list[str] = []
        self.namespace: dict[str, Any] = {"Activation": Activation}

    def block(self, start: int, end: int, depth: int) -> None:
        """Write the instructions from `start` up to `end`."""
        if depth > _DEEPEST:
            raise Unstructured
        steps = self.decoded.steps
        at = start
        while at < end:
            kind, function, args, dst, killed = steps[at]
            if kind == GOTO:
                raise Unstructured  # the one at the end of a branch is taken with its `if`
            if kind == IF:
                at = self.branches(at, dst, self.slot(args), end, depth)
                continue
            if kind == RET:
                self.line(depth, f"return {self.slot(args)}")
            else:
                self.line(depth, f"at[0] = {at}")
                self.call(at, kind, function, args, dst, depth)
            if killed:
                self.line(depth, f"{' = '.join([self.slot(one) for one in killed])} = None")
            at += 1

    def branches(self, at: int, false: int, condition: str, end: int, depth: int) -> int:
        """Write an `if` whose true branch ends with a jump behind the false one; return where it goes on."""
        last = self.decoded.steps[false - 1]
        if not at < false <= end or last[0] != GOTO or not false <= last[3] <= end:
            raise Unstructured
        self.line(depth, f"if {condition}:")
        self.block(at + 1, false - 1, depth + 1)
        self.line(depth + 1, "pass")
        self.line(depth, "else:")
        self.block(false, last[3], depth + 1)
        self.line(depth + 1, "pass")
        return last[3]

    def call(self, at: int, kind: int, function: Any, args: Any, dst: int, depth: int) -> None:
        name = f"f{at}"
        target = self.slot(dst)
        if kind in (ONE, TWO, THREE, PLAIN):
            given = (args,) if kind == ONE else args
            self.namespace[name] = function
            self.line(depth, f"{target} = {name}({', '.join([self.slot(one) for one in given])})")
            return
        given = "".join([f"{self.slot(one)}, " for one in args])
        if kind == FRAMED:
            self.namespace[name] = function
            self.line(depth, f"{target} = {name}(frame, ({given}))")
            self.line(depth, f"if type({target}) is Activation:")
            self.line(depth + 1, f"{target} = yield {target}")
            return
        assert kind == CLOSURE
        self.namespace[name], self.namespace[f"s{at}"] = function
        self.line(depth, f"{target} = yield machine.activate(machine, {name}, ({given}), s{at})")

    def slot(self, index: int) -> str:
        """Return what has a value: a register, or what an instruction takes and nothing changes."""
        if index <= self.registers:
            return f"r{index}"
        self.namespace[f"k{index}"] = self.decoded.template[index]
        return f"k{index}"

    def line(self, depth: int, text: str) -> None:
        self.lines.append(f"{'    ' * depth}{text}")
