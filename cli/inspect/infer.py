"""`relax infer`: every binding of the normal form with the struct info that inference has found for it."""

from __future__ import annotations

import sys

from relax_lang import api
from relax_lang.base.node import walk
from relax_lang.base.python.output import put
from relax_lang.format.lexemes import global_name, local_name
from relax_lang.struct_info.printing import shown
from relax_lang.struct_info.types import erase
from relax_lang.syntax import tree

from ..render.report import CLEAN, PROBLEMS, USAGE
from ..render.style import style_for
from ..render.width import visible
from ..show import complain
from .programs import load

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.base.source import SourceFile
    from relax_lang.check.driver import Checked

    from ..options import Shown
    from ..render.style import Style


def infer(path: str, stdin_name: str, options: Shown, *, types: bool = False) -> int:
    """Print a row for every parameter and binding: its line, its name, its struct info, or only its type."""
    source = load(path, stdin_name, options)
    if source is None:
        return USAGE
    try:
        checked = api.check_sound(source)
        module = api.normalize(checked)
    except api.RelaxError as error:
        complain(error.diagnostics, options, source)
        return PROBLEMS
    style = style_for(sys.stdout, color=options.color, ascii_only=options.ascii)
    functions = [item for item in module.items if isinstance(item, tree.Function)]
    view: Callable[[tree.StructInfo], tree.StructInfo] = erase if types else lambda info: info
    rows = [_rows(item, checked, source, style, view) for item in functions]
    put("\n".join(["\n".join(one) + "\n" for one in rows]), sys.stdout)
    return CLEAN


def _rows(
    function: tree.Function,
    checked: Checked,
    source: SourceFile,
    style: Style,
    view: Callable[[tree.StructInfo], tree.StructInfo],
) -> list[str]:
    assert function.name is not None
    name = function.name.name_hint
    head = shown(view(checked.inferred.functions[name]))
    rows = [style.paint(visible(f"{global_name(name)}: {head}"), "headline")]
    for node in walk(function):
        variables = node.params if isinstance(node, tree.Function) else ()
        if isinstance(node, tree.Binding) and node.var is not None:
            variables = (node.var,)
        for variable in variables:
            info = checked.inferred.infos.get(variable) or variable.struct_info_annotation
            if variable.name_hint == "_" or info is None:
                continue
            line = source.position(node.pos)[0] if node.pos >= 0 else 0
            number = style.paint(f"{line or '':>5}", "frame")
            rows.append(f"{number}  {visible(local_name(variable.name_hint))}: {visible(shown(view(info)))}")
    return rows
