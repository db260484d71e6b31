"""Generated modules become Python functions; tracebacks and debuggers can show their lines."""

from __future__ import annotations

from functools import cache

from relax_lang.base.python.generated_source import remember_lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import CodeType
    from typing import Any

    from relax_lang.syntax import tree
    from relax_lang.tir.codegen.printer import module as printed


def load(func: tree.PrimFunc, module: printed.Module) -> dict[str, Any]:
    """Execute a module; tracebacks and debuggers can show its lines."""
    namespace: dict[str, Any] = {"__name__": "relax_prim_func"}
    for section in module.shared:
        exec(_shared_code(section), namespace)
    name = f"<relax prim_func {id(func):x}>"
    remember_lines(name, module.text)
    exec(_code("\n" * module.lines_before_own + "\n".join(module.own), name), namespace)
    return namespace


@cache
def _shared_code(section: str) -> CodeType:
    """Return the code of the imports or of a helper, which are the same text in many modules."""
    name = f"<relax runtime library {hash(section):x}>"
    remember_lines(name, section)
    return _code(section, name)


def _code(text: str, name: str) -> CodeType:
    return compile(text, name, "exec")  # annotations stay text, as they do in this module
