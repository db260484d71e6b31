"""`relax compile --dump`: what the passes of the compilation make of PrimFuncs."""

from __future__ import annotations

import sys

from relax_lang import api
from relax_lang.base.names import nearest
from relax_lang.base.python.output import put
from relax_lang.check.diagnostics import toolchain as diag
from relax_lang.format.lexemes import global_name
from relax_lang.tir.vectorize import PASSES

from ..render.report import CLEAN, PROBLEMS, USAGE
from ..show import complain
from .programs import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.base.diagnostic import Diagnostic

    from ..options import Shown

ALL, LIST = "all", "list"


def dump(path: str, stdin_name: str, options: Shown, words: Sequence[str]) -> int:
    """Print every PrimFunc after each of the passes that words name, in the order in which these run."""
    unknown = [word for word in words if word not in (*PASSES, ALL, LIST)]
    if unknown:
        complain([_unknown_pass(word) for word in dict.fromkeys(unknown)], options)
        return USAGE
    if LIST in words:
        put("".join([f"{name}\n" for name in PASSES]), sys.stdout)
        return CLEAN
    source = load(path, stdin_name, options)
    if source is None:
        return USAGE
    try:
        found = api.dump_passes(source, PASSES if ALL in words else words)
    except api.RelaxError as error:
        complain(error.diagnostics, options, source)
        return PROBLEMS
    rows = [
        "\n".join(
            [f"{global_name(func)} after {name}", *[f"  {line}" for line in lines or ("(nothing)",)], ""]
        )
        for func, dumps in found.items()
        for name, lines in dumps
    ]
    put("\n".join(rows), sys.stdout)
    return CLEAN


def _unknown_pass(word: str) -> Diagnostic:
    near = nearest(word, (*PASSES, ALL, LIST))
    meant = f"did you mean `{near}`? " if near else ""
    return diag.usage(f"there is no pass `{word}`", f"{meant}`--dump list` names all of them")
