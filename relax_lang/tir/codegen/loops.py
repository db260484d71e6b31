"""Loops that run one step after the other as text, with as little as possible in a step.

First iterations that a condition on the loop variable sets apart from the others are peeled off. Rows that the
iterations visit one after the other come from iterating over their array, which is cheaper than an index.
`InvariantMotion` holds what is the same in all iterations.
"""

from __future__ import annotations

import re

from relax_lang.tir.analysis.dependence import accesses
from relax_lang.tir.analysis.vector_ir import Apply, Index, New
from relax_lang.tir.codegen.invariant_motion import InvariantMotion
from relax_lang.tir.codegen.writer import comment
from relax_lang.tir.schedule import plan
from relax_lang.tir.schedule.domains import conjuncts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from relax_lang.arith.polynomial import Polynomial
    from relax_lang.tir.analysis.vector_ir import Loop, Storage, Vector
    from relax_lang.tir.codegen.writer import Writer
    from relax_lang.tir.schedule.plan import Node, Sequential

    Emit = Callable[[Writer, Sequence[Node]], None]

_WORD = re.compile(r"\w+")
_MOST_APART = 2
"""How many steps at the start may run apart."""
_MOST_TWICE = 8
"""How many statements may be written twice for that."""
_CHANGES = {"<": [0], ">=": [0], "<=": [1], ">": [1], "==": [0, 1], "!=": [0, 1]}
"""Where comparisons of a variable with a number change, from that number on."""


def sequential(writer: Writer, node: Sequential, emit: Emit) -> None:
    """Write a loop that stays a Python loop."""
    writer.line(f"# {node.loop.name} one after the other: {comment(node.reason)}")
    extent, before, scratch = writer.extent(node.loop), len(writer.lines), writer.scratch
    steps = InvariantMotion(writer, node)
    writer.steps = writer.scratch = steps
    for low, high in _segments(node):
        _segment(writer, node, low, high, emit)
    writer.steps, writer.scratch = steps.outer, scratch
    indent = "    " * writer.depth
    writer.lines[before:before] = [indent + line for line in _used(steps.lines, writer.lines[before:])]
    if steps.computes and node.loop.extent.value is None:
        writer.lines[before:] = [f"    {line}" for line in writer.lines[before:]]
        writer.lines.insert(before, f"{indent}if {extent} > 0:")


def _used(lines: Sequence[str], body: Sequence[str]) -> list[str]:
    """Return the lines before a loop without names that nobody uses."""
    kept: list[str] = []
    words = set(_WORD.findall("\n".join(body)))
    for line in reversed(lines):
        name, sign, _ = line.partition(" = ")
        if not sign or not name.isidentifier() or name in words:
            kept.append(line)
            words.update(_WORD.findall(line))
    return kept[::-1]


def _segments(node: Sequential) -> list[tuple[int, int | None]]:
    """Return the parts of a loop in each of which conditions on its variable stay the same: from, and up to."""
    statements = plan.statements_in(node.body)
    cuts: set[int] = set()
    for statement in statements if len(statements) <= _MOST_TWICE else ():
        for guard in statement.guards:
            for part in conjuncts(guard):
                cuts |= _cuts(part, node.loop)
    places = sorted([cut for cut in cuts if 0 < cut <= _MOST_APART])
    return list(zip([0, *places], [*places, None], strict=True))


def _cuts(condition: Vector, loop: Loop) -> set[int]:
    """Return the values of a loop variable from which on a condition may be another than before."""
    while isinstance(condition, Apply) and condition.op == "!":
        condition = condition.args[0]
    if not isinstance(condition, Apply) or condition.op not in _CHANGES:
        return set()
    a, b = condition.args
    if not isinstance(a, Index) or not isinstance(b, Index):
        return set()
    difference = a.polynomial - b.polynomial
    factor, rest = difference.coefficient(loop.name), difference.without({loop.name}).value
    if factor is None or rest is None or factor.value not in (1, -1):
        return set()
    place = -rest * factor.value
    changes = _CHANGES[condition.op] if factor.value > 0 else [1 - at for at in _CHANGES[condition.op]]
    return {place + at for at in changes}


def _segment(writer: Writer, node: Sequential, low: int, high: int | None, emit: Emit) -> None:
    loop, outer = node.loop, writer.rows
    rows = _rows(writer, node, low) if high is None else []
    extent, before = writer.extent(loop), len(writer.lines)
    writer.bounds[loop.name] = (low, None if high is None else high - 1)
    writer.rows = {**outer, **{row.key: row.name for row in rows}}
    with writer.indented("", loop):
        emit(writer, node.body)
    writer.rows = outer
    del writer.bounds[loop.name]
    body = writer.lines[before + 1 :]
    if all(line.strip() == "pass" or line.lstrip().startswith("#") for line in body):
        del writer.lines[before:]
        return
    if high is None and isinstance(writer.steps, InvariantMotion):
        writer.lines[before + 1 :] = body = [writer.steps.with_short_names(writer, line) for line in body]
    text = "\n".join([line for line in body if not line.lstrip().startswith("#")])
    used = [row for row in rows if re.search(rf"\b{row.name}\b", text)]
    numbered = re.search(rf"\b{loop.name}\b", text) is not None
    if loop.extent.value is not None:
        stop = str(loop.extent.value if high is None else min(high, loop.extent.value))
    else:
        stop = extent if high is None else f"min({high}, {extent})"
    span = f"range({low}, {stop})" if low else f"range({stop})"
    writer.lines[before] = "    " * writer.depth + _head(loop, used, span, numbered=numbered)


def _head(loop: Loop, rows: Sequence[_Row], span: str, *, numbered: bool) -> str:
    """Return the line of a `for` over steps, and over rows of arrays with them."""
    names, texts = [row.name for row in rows], [row.text for row in rows]
    exact = sorted(rows, key=lambda row: not row.is_exact)
    if numbered or not rows or not exact[0].is_exact:
        names, texts = [loop.name, *names], [span, *texts]
    if len(names) == 1:
        return f"for {names[0]} in {texts[0]}:"
    return f"for {', '.join(names)} in zip({', '.join(texts)}):"


class _Row:
    """An array that is gone through row by row as steps go on: `is_exact` if it has a row for each."""

    __slots__ = ("is_exact", "key", "name", "text")

    def __init__(self, key: tuple[int, Polynomial], name: str, text: str, *, is_exact: bool) -> None:
        self.key = key
        self.name = name
        self.text = text
        self.is_exact = is_exact


def _rows(writer: Writer, node: Sequential, low: int) -> list[_Row]:
    """Return the rows that all steps from `low` on may go through: all of them are in their arrays."""
    found: dict[tuple[int, Polynomial], _Row] = {}
    statements = plan.statements_in(node.body)
    remade = {statement.storage for statement in statements if isinstance(statement, New)}
    for statement in statements:
        for access in accesses(writer.space, statement):
            storage, index = access.storage, access.index
            if index is None or len(index) < 2 or storage in remade:
                continue
            key = (id(storage), index[0])
            if key not in found and key not in writer.rows:
                row = _row(writer, node.loop, storage, index[0], low)
                if row is not None:
                    found[key] = row
    return list(found.values())


def _row(writer: Writer, loop: Loop, storage: Storage, part: Polynomial, low: int) -> _Row | None:
    factor, rest, size = part.coefficient(loop.name), part.without({loop.name}), storage.sizes[0]
    if factor is None or factor.value not in (1, -1) or writer.space.varies(rest):
        return None
    longest = writer.entry.extents.get(str(loop.extent), loop.extent)
    if factor.value == 1:
        skipped, inside = rest + low, size - rest - longest
        shift = rest.value
        text = storage.name
    else:
        skipped, inside = size - 1 - rest + low, rest + 1 - longest
        shift = (size - 1 - rest).value
        text = f"{storage.name}[::-1]"
    if not writer.entry.is_nonnegative(skipped) or not writer.entry.is_nonnegative(inside):
        return None
    if skipped.value != 0:
        text += f"[{writer.number(skipped)}:]"
    word = {0: "now", -1: "before", 1: "after"}.get(2 if shift is None else shift, "row")
    base = storage.name.removesuffix("_turned").lower()
    name = writer.fresh(f"{base}_{word}")
    return _Row((id(storage), part), name, text, is_exact=shift == 0 and size == loop.extent)
