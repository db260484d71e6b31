"""What commands do with long and deep programs grows with the program and no faster: executed lines are counted."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from relax_lang import api
from tests.work import executed_lines

HEAD = "def @main(c: Tensor[(), bool], x: Tensor[(n,), float32]) {\n"


def branches_in_branches(depth: int) -> str:
    body = "exp(x)"
    for at in range(depth):
        body = f"if c {{ let a{at} = exp(x); {body} }} else {{ negative(x) }}"
    return f"{HEAD} let r = {body};\n r\n}}"


def else_ifs(count: int) -> str:
    chain = "".join([f"if c {{ let a{at} = exp(x); a{at} }} else " for at in range(count)])
    return f"{HEAD} let r = {chain}{{ x }};\n r\n}}"


def functions_in_functions(depth: int) -> str:
    body = f"x{depth - 1}"
    for at in reversed(range(depth)):
        literal = f"fn (x{at}: Tensor[(n,), float32]) -> Tensor[(n,), float32] {{ {body} }}"
        body = f"let f{at} = {literal}; f{at}({f'x{at - 1}' if at else 'x'})"
    return f"{HEAD}{body}\n}}"


def branches_in_a_row(count: int) -> str:
    lines = [f"  let x{at + 1} = if c {{ exp(x{at}) }} else {{ x{at} }};" for at in range(count)]
    return "\n".join([f"{HEAD}  let x0 = x;", *lines, f"  x{count}\n}}"])


def functions_in_a_row(count: int) -> str:
    info = "Tensor[(n,), float32]"
    lines = [f"def @f{at}(x: {info}) -> {info} {{ @f{at + 1}(x) }}" for at in range(count)]
    return "\n".join([*lines, f"def @f{count}(x: {info}) -> {info} {{ exp(x) }}"])


def fields(count: int) -> str:
    lines = [f"  let x{at} = t[{at}];" for at in range(count)]
    results = ", ".join([f"x{at}" for at in range(count)])
    return "\n".join([f"{HEAD}  let t = ({', '.join(['x'] * count)});", *lines, f"  ({results})\n}}"])


def messages(count: int) -> str:
    lines = ["  print(x);"] * count
    return "\n".join([HEAD, *lines, "  x\n}"])


COMMANDS: dict[str, Callable[[Any], object]] = {
    "graph": api.graph,
    "optimize": lambda program: str(api.optimize(program)),
    "compile": api.compile_functions,
    "build": api.build,
    "export": api.to_tvmscript,
}


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize(
    "program",
    [
        branches_in_branches,
        else_ifs,
        functions_in_functions,
        branches_in_a_row,
        functions_in_a_row,
        fields,
        messages,
    ],
)
def test_the_work_of_a_command_is_linear(program: Callable[[int], str], command: str) -> None:
    work = COMMANDS[command]

    def lines(size: int) -> int:
        # What is compiled is kept by the text of the program, and the work is done twice.
        checked = iter([api.check(f"{program(size)}\n# {command} {at}") for at in range(2)])
        return executed_lines(lambda: work(next(checked)))

    assert lines(96) < 2.3 * lines(48)
