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


def tuples_in_tuples(count: int) -> str:
    lines = [f"  let t{at + 1} = (t{at}, x);" for at in range(count)]
    return "\n".join([f"{HEAD}  let t0 = (x,);", *lines, f"  t{count}\n}}"])


def doubled_tuples(count: int) -> str:
    lines = [f"  let t{at + 1} = (t{at}, t{at});" for at in range(count)]
    return "\n".join([f"{HEAD}  let t0 = x;", *lines, f"  t{count}\n}}"])


@pytest.mark.parametrize("program", [tuples_in_tuples, doubled_tuples])
def test_the_work_of_a_picture_is_linear_in_tuples_that_hold_tuples(program: Callable[[int], str]) -> None:
    """The text of a tuple with hundreds of parts is abridged: the sizes are above that."""

    def lines(size: int) -> int:
        checked = api.check(program(size))
        return executed_lines(lambda: api.graph(checked))

    assert lines(1200) < 2.3 * lines(600)


@pytest.mark.parametrize("program", [branches_in_a_row, fields, messages, tuples_in_tuples])
def test_the_work_of_a_comparison_is_linear(program: Callable[[int], str]) -> None:
    def lines(size: int) -> int:
        left = api.check(program(size))
        right = api.check(program(size).replace("exp(", "log(").replace("print(x)", "print(c)"))
        return executed_lines(lambda: api.differences(left, right))

    assert lines(200) < 2.3 * lines(100)
