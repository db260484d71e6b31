"""How many statements a call of a PrimFunc runs, one element after the other, and how many operations over arrays:
estimates. Never imports numpy.
"""

from __future__ import annotations

from relax_lang.arith.evaluate import DimensionError, evaluate
from relax_lang.base.node import assert_never
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Operations = tuple[int, tuple[tuple[str, tuple[tuple[tuple[str, ...], int], ...], "Operations"], ...]]
    """Operations that run once, and loops: variable, terms of the extent, and what runs in each iteration."""

_LEAST = 16
"""How often a loop runs at least, as far as anybody knows, if data choose both of its bounds."""


def estimated_steps(func: tree.PrimFunc, sizes: dict[str, int]) -> int:
    """Return how many statements run for some sizes; a `while` is taken to repeat as often as the largest of them. A
    loop with one bound that data choose goes over half of what the other one leaves; those with two, as rows of
    elements in a list have, together over the largest size.
    """
    return _steps(func.body, dict(sizes), max([_LEAST, *sizes.values()]))


def estimated_operations(operations: Operations, sizes: dict[str, int]) -> int | None:
    """Return how many operations run for some sizes; None if these do not say. What is inside of a loop is counted for
    its middle.
    """
    total, loops = operations
    for name, terms, body in loops:
        extent = 0
        for names, factor in terms:
            for one in names:
                if one not in sizes:
                    return None
                factor *= sizes[one]
            extent += factor
        inside = estimated_operations(body, sizes | {name: max(extent, 0) // 2})
        if inside is None:
            return None
        total += max(extent, 0) * inside
    return total


def _steps(body: Sequence[tree.Stmt], env: dict[str, int], largest: int, around: int = 1) -> int:
    """Return the steps of statements in loops that run `around` times."""
    total = 0
    for statement in body:
        match statement:
            case tree.For():
                total += _loop(statement, 0, env, largest, around)
            case tree.Block():
                inner = dict(env)
                for axis in statement.axes:
                    _let(axis.var, axis.value, inner)
                total += _steps(statement.body, inner, largest, around)
            case tree.IfThenElse():
                sides = statement.then_case, statement.else_case
                total += 1 + sum([_steps(side, dict(env), largest, around) for side in sides]) // 2
            case tree.While():
                total += largest * _steps(statement.body, dict(env), largest, around * largest)
            case tree.LetStmt():
                total += 1
                _let(statement.var, statement.value, env)
            case tree.BufferStore() | tree.Allocate() | tree.BufferView() | tree.AssertStmt():
                total += 1
            case tree.CallExtern() | tree.Break() | tree.Continue():
                total += 1
            case _:
                assert_never(statement)
    return total


def _let(var: tree.PrimVar, value: tree.PrimExpr, env: dict[str, int]) -> None:
    found = _number(value, env)
    env.pop(var.name, None)
    if found is not None:
        env[var.name] = found


def _number(expr: tree.PrimExpr, env: dict[str, int]) -> int | None:
    """Return the value of an expression; None if data choose it."""
    try:
        return int(evaluate(expr, env))
    except DimensionError:
        return None


def _loop(loop: tree.For, position: int, env: dict[str, int], largest: int, around: int) -> int:
    """Return the steps of nested loops; what is inside is counted for the middle of each."""
    if position == len(loop.loop_vars):
        return _steps(loop.body, dict(env), largest, around)
    bounds, inner = loop.ranges[position], dict(env)
    name = loop.loop_vars[position].name
    start, stop = _number(bounds.min, env), _number(bounds.stop, env)
    inner.pop(name, None)
    if start is None and stop is None:
        times = max(_LEAST, largest // around)
    elif start is None or stop is None:
        low, high = start or 0, largest if stop is None else stop
        times = max(high - low, 0) // 2
        inner[name] = (low + high) // 2
    else:
        times = max(stop - start, 0)
        inner[name] = (start + stop) // 2
    return times * _loop(loop, position + 1, inner, largest, around * times) if times else 0
