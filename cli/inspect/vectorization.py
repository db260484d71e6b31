"""`relax compile --explain-vectorization`: for every loop of the PrimFuncs how it runs, and why not as NumPy."""

from __future__ import annotations

import sys
from itertools import groupby

from relax_lang import api
from relax_lang.base.python.output import put
from relax_lang.format.lexemes import global_name
from relax_lang.tir.schedule.remarks import hints

from ..render.report import CLEAN, PROBLEMS, USAGE
from ..show import complain
from .programs import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.source import SourceFile
    from relax_lang.tir.compile import Compiled

    from ..options import Shown


def explain(path: str, stdin_name: str, options: Shown) -> int:
    """Print a row for every loop and statement, then a hint with its place for every one that is not vectorized."""
    source = load(path, stdin_name, options)
    if source is None:
        return USAGE
    try:
        compiled = api.compile(source)
    except api.RelaxError as error:
        complain(error.diagnostics, options, source)
        return PROBLEMS
    put("\n".join([_rows(name, one, source) for name, one in compiled.items()]), sys.stdout)
    found = [hint for one in compiled.values() for hint in hints(one.remarks)]
    if found:
        complain(found, options, source)
    return CLEAN


def _rows(name: str, compiled: Compiled, source: SourceFile) -> str:
    """Return the rows of one PrimFunc; the parts that a domain was cut into and that run alike are one."""
    rows: list[str] = []
    for remark in compiled.remarks:
        line, _ = source.position(remark.node.pos)
        reason = f" ({remark.reason})" if remark.reason else ""
        rows.append(f"line {line}: {remark.name}: {remark.strategy}{reason}")
    merged = [(row, len(list(parts))) for row, parts in groupby(rows)]
    shown = [f"  {row}{f', in {count} parts' if count > 1 else ''}\n" for row, count in merged]
    return "".join([f"{global_name(name)}\n", *shown])
