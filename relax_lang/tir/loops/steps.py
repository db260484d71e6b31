"""How many statements a call of a PrimFunc runs, one element after the other, and how many operations over arrays:
estimates. Never imports numpy.
"""

from __future__ import annotations

from contextlib import suppress

from relax_lang.arith.evaluate import DimensionError, evaluate
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    Operations = tuple[int, tuple[tuple[str, tuple[tuple[tuple[str, ...], int], ...], "Operations"], ...]]
    """Operations that run once, and loops: variable, terms of the extent, and what runs in each iteration."""

_UNKNOWN = 16
"""How often a loop runs whose bounds data choose, as far as anybody knows."""


def estimated_steps(func: tree.PrimFunc, sizes: dict[str, int]) -> int:
    """Return how many statements run for some sizes; a `while` is taken to repeat as often as the largest of them."""
    return _steps(func.body, dict(sizes), max([_UNKNOWN, *sizes.values()]))


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


def _steps(body: Sequence[tree.Stmt], env: dict[str, int], largest: int) -> int:
    total = 0
    for statement in body:
        if isinstance(statement, tree.For):
            total += _loop(statement, 0, env, largest)
        elif isinstance(statement, tree.Block):
            inner = dict(env)
            for axis in statement.axes:
                _let(axis.var, axis.value, inner)
            total += _steps(statement.body, inner, largest)
        elif isinstance(statement, tree.IfThenElse):
            both = [_steps(side, dict(env), largest) for side in (statement.then_case, statement.else_case)]
            total += 1 + sum(both) // 2
        elif isinstance(statement, tree.While):
            total += largest * _steps(statement.body, dict(env), largest)
        else:
            total += 1
            if isinstance(statement, tree.LetStmt):
                _let(statement.var, statement.value, env)
    return total


def _let(var: tree.PrimVar, value: tree.PrimExpr, env: dict[str, int]) -> None:
    env.pop(var.name, None)
    with suppress(DimensionError):  # data choose it
        env[var.name] = int(evaluate(value, env))


def _loop(loop: tree.For, position: int, env: dict[str, int], largest: int) -> int:
    """Return the steps of nested loops; what is inside is counted for the middle of each."""
    if position == len(loop.loop_vars):
        return _steps(loop.body, dict(env), largest)
    bounds, inner = loop.ranges[position], dict(env)
    name = loop.loop_vars[position].name
    inner.pop(name, None)
    try:
        start, stop = int(evaluate(bounds.min, env)), int(evaluate(bounds.stop, env))
    except DimensionError:
        return _UNKNOWN * _loop(loop, position + 1, inner, largest)
    if start >= stop:
        return 0
    inner[name] = (start + stop) // 2
    return (stop - start) * _loop(loop, position + 1, inner, largest)
