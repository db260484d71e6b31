"""How much of the TVMScript in a folder becomes Relax programs: `python benchmarks/tvmscript/coverage.py FOLDER`.

Counts the units of all Python files below the folder, those that are read whole, and those of them that check without
an error; and lists what keeps the others from it. `--check` checks what was read, `--list TEXT` shows the places of an
obstacle.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter
from pathlib import Path

from relax_lang.base.python.recursion import deep_recursion
from relax_lang.base.source import SourceFile
from relax_lang.tvmscript.script import read_script

PYTHON_NEEDED = ("tvmscript-captured-name",)


class Table:
    """What was counted."""

    def __init__(self) -> None:
        self.files = 0
        self.units: Counter[str] = Counter()
        self.whole: Counter[str] = Counter()
        self.clean: Counter[str] = Counter()
        self.first: Counter[str] = Counter()
        self.errors: Counter[str] = Counter()
        self.crashes: list[str] = []
        self.self_contained = self.self_contained_whole = 0
        self.seconds = 0.0


def main() -> None:
    """Print the table of a folder."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("folder", type=Path)
    options.add_argument("--check", action="store_true", help="check what was read")
    options.add_argument("--text", action="store_true", help="write what was read as Relax text")
    options.add_argument("--list", default="", help="show the places of obstacles that contain this text")
    options.add_argument("--top", type=int, default=40, help="how many obstacles to list")
    given = options.parse_args()
    table = Table()
    for path in sorted(given.folder.rglob("*.py")):
        count(path, table, given)
    show(table, given)


def count(path: Path, table: Table, given: argparse.Namespace) -> None:
    """Read one file."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return
    table.files += 1
    start = time.perf_counter()
    try:
        script = read_script(text)
    except Exception as error:
        table.crashes.append(f"{path}: {type(error).__name__}: {error}")
        return
    table.seconds += time.perf_counter() - start
    for unit in script.units:
        table.units[unit.kind] += 1
        has_relax = "R.function" in text
        needs_python = any(one.slug in PYTHON_NEEDED for one in unit.parsed.diagnostics)
        counted = unit.kind == "module" and has_relax and not needs_python and _has_relax(unit)
        table.self_contained += counted
        if unit.obstacles:
            first = unit.obstacles[0]
            what = re.sub(r"\(.*?\)", "(…)", first.message)
            table.first[f"{first.slug}: {what}"] += 1
            if given.list and given.list in first.message:
                print(f"{path}:{text.count(chr(10), 0, first.pos) + 1}: {first.message} {first.notes}")
            continue
        table.whole[unit.kind] += 1
        table.self_contained_whole += counted
        if given.text:
            write(path, unit, table)
        if given.check:
            check(path, text, unit, table, given)


def _has_relax(unit) -> bool:
    return any(type(item).__name__ == "Function" for item in unit.parsed.tree.items)


def write(path: Path, unit, table: Table) -> None:
    """Write one unit as Relax text, which must be read back."""
    from relax_lang.tvmscript.importing import relax_text

    try:
        _, unprintable = relax_text(unit.parsed)
    except Exception as error:
        table.crashes.append(f"{path}:{unit.line} {unit.name}: {type(error).__name__}: {error}")
        return
    for one in unprintable:
        table.errors[f"no text: {one.message}"] += 1


def check(path: Path, text: str, unit, table: Table, given: argparse.Namespace) -> None:
    """Check one unit that was read whole."""
    from relax_lang.check.driver import check_parsed

    try:
        with deep_recursion():
            checked = check_parsed(SourceFile(text, str(path)), unit.parsed)
    except Exception as error:
        table.crashes.append(f"{path}:{unit.line} {unit.name}: {type(error).__name__}: {error}")
        return
    errors = [one for one in checked.diagnostics if one.severity == "error"]
    table.clean[unit.kind] += not errors
    for one in errors:
        table.errors[f"{one.slug}"] += 1
        if given.list and given.list in f"{one.slug} {one.message}":
            print(f"{path}:{text.count(chr(10), 0, one.pos) + 1}: [{one.slug}] {one.message}")


def show(table: Table, given: argparse.Namespace) -> None:
    """Print what was counted."""
    units, whole = sum(table.units.values()), sum(table.whole.values())
    print(f"{table.files} files, {units} units, read in {table.seconds:.1f} s")
    print("| unit | all | read whole | " + ("check clean |" if given.check else ""))
    print("|---|---|---|" + ("---|" if given.check else ""))
    for kind in table.units:
        row = f"| {kind} | {table.units[kind]} | {table.whole[kind]} ({percent(table.whole[kind], table.units[kind])})"
        if given.check:
            row += f" | {table.clean[kind]} ({percent(table.clean[kind], table.whole[kind])})"
        print(row + " |")
    print(f"| all | {units} | {whole} ({percent(whole, units)}) |")
    print(
        f"modules with Relax functions that need no Python: {table.self_contained}, read whole: "
        f"{table.self_contained_whole} ({percent(table.self_contained_whole, table.self_contained)})"
    )
    for title, counter in (("first obstacles", table.first), ("errors found", table.errors)):
        if counter:
            print(f"\n{title}:")
            for what, number in counter.most_common(given.top):
                print(f"{number:6} {what}")
    for crash in table.crashes:
        print(f"CRASH {crash}", file=sys.stderr)


def percent(part: int, whole: int) -> str:
    """Return a share for the table."""
    return f"{100 * part / whole:.1f} %" if whole else "–"


if __name__ == "__main__":
    main()
