"""Instruments: what watches passes run. Those that need no run of the program; `api.optimizing` has `Compare`."""

from __future__ import annotations

import time

from relax_lang.analysis.bindings import count_bindings
from relax_lang.transform.pass_manager import diagnostics as diag
from relax_lang.transform.pass_manager.context import Instrument
from relax_lang.transform.pass_manager.errors import PassBrokeProgram
from relax_lang.transform.pass_manager.forms import missing_forms

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from relax_lang.base.node import Node
    from relax_lang.transform.pass_manager.context import AnyPass
    from relax_lang.typed import Typed


class Row:
    """What `Timing` knows of one pass: before and after of what it counts."""

    __slots__ = ("after", "before", "changed", "milliseconds", "name")

    def __init__(
        self,
        name: str,
        milliseconds: float,
        changed: int,
        before: tuple[int, int],
        after: tuple[int, int],
    ) -> None:
        self.name = name
        self.milliseconds = milliseconds
        self.changed = changed
        """Functions that are not what they were."""
        self.before = before
        """Bindings and PrimFuncs."""
        self.after = after


class Timing(Instrument):
    """Measures processor time per pass, and counts what it changed; `table()` is for people."""

    def __init__(self) -> None:
        self.rows: list[Row] = []
        self._started = 0.0

    def before(self, typed: Typed, one: AnyPass) -> None:
        """Start the clock."""
        self._started = time.process_time()

    def after(self, typed: Typed, one: AnyPass, result: Typed) -> None:
        """Stop the clock and count."""
        spent = (time.process_time() - self._started) * 1000
        known = set(typed.module.items)
        changed = len([function for function in result.functions if function not in known])
        self.rows.append(Row(repr(one), spent, changed, _counts(typed), _counts(result)))

    def table(self) -> str:
        """Return a line for each pass: time, share of all, functions changed, bindings, PrimFuncs."""
        total = sum([row.milliseconds for row in self.rows]) or 1.0
        cells = [("pass", "ms", "share", "changed", "bindings", "prim_funcs")]
        cells += [
            (
                row.name,
                f"{row.milliseconds:.1f}",
                f"{100 * row.milliseconds / total:.0f} %",
                str(row.changed),
                _change(row.before[0], row.after[0]),
                _change(row.before[1], row.after[1]),
            )
            for row in self.rows
        ]
        widths = [max([len(line[at]) for line in cells]) for at in range(len(cells[0]))]
        lines = [
            "  ".join(
                [
                    cell.ljust(width) if not at else cell.rjust(width)
                    for at, (cell, width) in enumerate(zip(line, widths, strict=True))
                ]
            )
            for line in cells
        ]
        return "".join([f"{line.rstrip()}\n" for line in lines])


def _counts(typed: Typed) -> tuple[int, int]:
    return sum([count_bindings(function) for function in typed.functions]), len(typed.prim_funcs)


def _change(before: int, after: int) -> str:
    return str(after) if before == after else f"{before} → {after}"


class PrintAfter(Instrument):
    """Writes the text of the program after certain passes, or after all (`names` is None).

    `write` gets the heading and the text. With `function`, only that function is shown.
    """

    def __init__(
        self, write: Callable[[str, str], object], names: Collection[str] | None = None, function: str = ""
    ) -> None:
        self.write = write
        self.names = names
        self.function = function

    def after(self, typed: Typed, one: AnyPass, result: Typed) -> None:
        """Write the text, if it is wanted."""
        if self.names is not None and one.name not in self.names:
            return
        self.write(f"after {one!r}", text_after(result, self.function))


def text_after(typed: Typed, function: str = "") -> str:
    """Return the text of a program, or of one function of it."""
    item = typed.items.get(function.removeprefix("@")) if function else None
    if item is None:
        return str(typed)
    from relax_lang.format.printer import print_tree

    return print_tree(item) + "\n"


class Explain(Instrument):
    """Collects what passes say about the nodes that they leave as they are."""

    def __init__(self) -> None:
        self.remarks: list[tuple[str, Typed, Node, str]] = []
        """The pass, the program that it was given, the node, and what is said."""

    def remarked(self, typed: Typed, one: AnyPass, node: Node, message: str) -> None:
        """Take a remark."""
        self.remarks.append((one.name, typed, node, message))

    def table(self) -> str:
        """Return a line for each remark, in the order of the text: place, pass, and what is said."""
        lines: dict[str, None] = {}
        for name, typed, node, message in self.remarks:
            place = ""
            if 0 <= node.pos <= len(typed.source.text):
                line, column = typed.source.position(node.pos)
                place = f"{typed.source.path}:{line}:{column}: "
            lines[f"{place}{name}: {message}\n"] = None
        return "".join(lines)


class DumpTo(Instrument):
    """Gives every program after a pass a name for its file, `07-FuseOps.rlx`; `write` puts it there."""

    def __init__(self, write: Callable[[str, str], object]) -> None:
        self.write = write
        self._number = 0

    def after(self, typed: Typed, one: AnyPass, result: Typed) -> None:
        """Write the program."""
        self._number += 1
        self.write(f"{self._number:02}-{one.name}.rlx", str(result))


class Changed(Instrument):
    """Writes what each pass changed, as a unified diff of the texts; nothing for one that changes nothing."""

    def __init__(self, write: Callable[[str, str], object]) -> None:
        self.write = write

    def after(self, typed: Typed, one: AnyPass, result: Typed) -> None:
        """Write the difference."""
        if result is typed:
            return
        difference = difference_of(str(typed), str(result), "before", f"after {one!r}")
        if difference:
            self.write(f"{one!r}", difference)


def difference_of(left: str, right: str, name: str, other: str) -> str:
    """Return a unified diff of two texts."""
    from difflib import unified_diff

    lines = unified_diff(left.splitlines(), right.splitlines(), name, other, lineterm="")
    return "".join([f"{line}\n" for line in lines])


class Verify(Instrument):
    """Holds every pass to its promise: what is printed of the program is a program that checks, in normal form."""

    def after(self, typed: Typed, one: AnyPass, result: Typed) -> None:
        """Check the program as a text. Raises PassBrokeProgram."""
        if result is not typed:
            verify(typed, one, result)


def verify(before: Typed, one: AnyPass, result: Typed) -> None:
    """Hold what a pass made against the checker, by its text. Raises PassBrokeProgram, which names the pass."""
    from relax_lang.base.diagnostic import ERROR
    from relax_lang.format.printer import Unprintable
    from relax_lang.normalize.verify import verify_normal_form
    from relax_lang.scope.verify import verify as verify_nodes
    from relax_lang.syntax.parser import parse
    from relax_lang.typed import check_tree

    found = [*verify_nodes(result.module), *verify_normal_form(result.module)]
    if not found:
        try:
            text = str(result)
        except Unprintable as refused:
            found = [refused.diagnostic()]
        else:
            source = result.source.with_text(text)
            parsed = parse(text)
            found = [*parsed.diagnostics] or check_tree(
                parsed.tree, source, result.check_constant
            ).diagnostics
    wrong = [each for each in found if each.severity == ERROR]
    if wrong:
        raise PassBrokeProgram(diag.pass_broke_program(repr(one), wrong), before)
    missing = missing_forms(result, one.gives)
    if missing:
        why = f"it promises the form `{missing[0]}`"
        raise PassBrokeProgram(diag.pass_broke_program(repr(one), (), why), before)
