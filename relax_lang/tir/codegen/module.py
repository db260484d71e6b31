"""Modules of NumPy code that stand alone: the one that a PrimFunc runs as, and the one that people read and import.

Both contain the helpers that they use and import NumPy only. The second has all PrimFuncs of a program, each as a
function of its own name, in the form that formatters of Python give.
"""

from __future__ import annotations

import ast
import inspect
import re
from functools import cache

from relax_lang.base.names import FreshNames
from relax_lang.format.lexemes import global_name
from relax_lang.format.printer import show
from relax_lang.syntax import dtypes, tree
from relax_lang.tir import runtime_library
from relax_lang.tir.codegen.pretty_printer import tidied
from relax_lang.tir.codegen.writer import comment
from relax_lang.tir.lower.guards import RESERVED, safe_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from relax_lang.base.node import Node
    from relax_lang.tir.ir.signature import Param

WIDTH = 110
_REMARKS = re.compile(r" +# (noqa|pyright)[^\n]*")
_ALLOCATIONS = re.compile(r"(?<![\w.\"])empty\(")
_NUMBERED_CALL = re.compile(r", at=\d+\)$")
_OUTSIDE = "NotVectorized"


class Generated:
    """The code of one PrimFunc: `params` are its parameters with their Python names, `lines` its body, indented."""

    __slots__ = ("allocates", "externs", "func", "helpers", "lines", "name", "params", "written")

    def __init__(
        self,
        func: tree.PrimFunc,
        name: str,
        params: list[tuple[str, Param]],
        lines: list[str],
        helpers: Collection[str],
        externs: list[Node],
        written: list[str],
    ) -> None:
        self.func = func
        self.name = name
        self.params = params
        self.lines = lines
        self.helpers = helpers
        self.externs = externs
        """The calls of packed functions, which the code refers to by number."""
        self.written = written
        """The parameters that it stores to."""
        self.allocates = any(_ALLOCATIONS.search(line) for line in lines)

    def text(self) -> str:
        """Return the module that runs: its function is also called `function`, and may be given `empty`."""
        options = ["empty=np.empty"] if self.allocates else []
        options += ["call_extern=None"] if self.externs else []
        names = [name for name, _ in self.params] + (["*", *options] if options else [])
        lines = [
            f"# prim_func @{comment(self.func.name.name_hint)}, compiled to NumPy",
            *_imports(self.helpers),
            "",
            *_helper_texts(self.helpers),
            '@np.errstate(all="ignore")',
            f"def {self.name}({', '.join(names)}):",
            *self.lines,
            "",
            "",
            f"function = {self.name}",
            "",
        ]
        return "\n".join(lines)

    def standalone(self, name: str) -> list[str]:
        """Return the function as people read it, under a name."""
        body = [_ALLOCATIONS.sub("np.empty(", _NUMBERED_CALL.sub(")", line)[4:]) for line in self.lines]
        options = ["*", "call_extern: Any"] if self.externs else []
        params = [f"{name}: {_annotation(param)}" for name, param in self.params] + options
        stored = f" Stores to {', '.join(self.written)}." if self.written else ""
        about = [
            f"Run prim_func {global_name(self.func.name.name_hint)}.{stored}",
            "",
            *[f"{name}: {_spec(param)}" for name, param in self.params],
            *(["call_extern(name, *arguments): what calls packed functions"] if self.externs else []),
        ]
        lines = ['@np.errstate(all="ignore")', *_head(name, params), *_docstring(about)]
        return [*lines, *[f"    {line}" if line else "" for line in tidied("\n".join(body), WIDTH - 4)]]


def module_text(functions: Iterable[tuple[tree.PrimFunc, Generated | None, Sequence[str]]]) -> str:
    """Return one module for some PrimFuncs, with the reasons for those that there is no code for."""
    names = FreshNames((*RESERVED, "PRIM_FUNCS"))
    helpers = {_OUTSIDE}
    table: dict[str, str] = {}
    texts: list[str] = []
    for func, code, reasons in functions:
        wanted = func.name.name_hint
        name = table[wanted] = names.fresh(safe_name(wanted))
        if code is not None:
            helpers |= set(code.helpers)
        lines = code.standalone(name) if code is not None else _refusing(func, name, reasons)
        texts.append("\n".join(lines))
    if not texts:
        return ""
    if any(name != wanted for wanted, name in table.items()):
        rows = [f"    {_quoted(wanted)}: {name}," for wanted, name in table.items()]
        texts.append(
            "\n".join(["PRIM_FUNCS = {", *rows, "}", '"""The functions by their names in the program."""'])
        )
    head = "\n".join([*_docstring(_ABOUT, indent=""), "", *_imports(helpers)])
    return "\n\n\n".join([head, *[text.rstrip("\n") for text in _helper_texts(helpers)], *texts]) + "\n"


_ABOUT = (
    "PrimFuncs of a Relax program as NumPy, written by `relax compile --emit numpy`.",
    "",
    "Each function takes arrays for the buffers of its PrimFunc and numbers for its scalars, in the order of its",
    "parameters, and stores its results in the arrays that it is given. Comments say how each statement is done.",
    "",
    "The code is right for the calls that it was proved for, and finds out about all others: arrays of another",
    "shape or dtype, arrays that share memory with one that is stored to, indices outside of their array, integers",
    "divided by zero, assertions that fail. Then it raises `NotVectorized`, and the arrays are what they were",
    "before; under `relax run` the scalar interpreter of Relax takes over at this point, to run the call or to say",
    "what is wrong.",
)


def _imports(helpers: Collection[str]) -> list[str]:
    packages = ["import ml_dtypes"] if "ml_dtypes" in helpers else []
    lines = ["from __future__ import annotations", "", "from typing import Any", ""]
    return [*lines, *packages, "import numpy as np"]


def _head(name: str, params: list[str]) -> list[str]:
    """Return the first line of a function, or its lines, if it is long."""
    inside = ", ".join(params)
    if len(f"def {name}({inside}) -> None:") <= WIDTH:
        return [f"def {name}({inside}) -> None:"]
    if len(inside) + 4 <= WIDTH:
        return [f"def {name}(", f"    {inside},"[:-1], ") -> None:"]
    return [f"def {name}(", *[f"    {param}," for param in params], ") -> None:"]


def _annotation(param: Param) -> str:
    if isinstance(param, tree.Buffer):
        return "np.ndarray"
    if dtypes.is_float(param.dtype.name):
        return "float"
    return "bool" if param.dtype.name == dtypes.BOOL else "int"


def _spec(param: Param) -> str:
    if isinstance(param, tree.Buffer):
        sizes = [show(dim) for dim in param.shape]
        shape = f"({sizes[0]},)" if len(sizes) == 1 else f"({', '.join(sizes)})"
        return f"Buffer[{shape}, {param.dtype.name}]"
    return param.dtype.name


def _docstring(lines: Sequence[str], indent: str = "    ") -> list[str]:
    """Return a docstring with some lines, whatever signs are in them."""
    plain = [line.encode("unicode_escape").decode("ascii").replace('"""', "'''") for line in lines]
    if len(plain) == 1 and not plain[0].endswith('"'):
        return [f'{indent}"""{plain[0]}"""']
    rest = [f"{indent}{line}" if line else "" for line in plain[1:]]
    return [f'{indent}"""{plain[0]}', *rest, f'{indent}"""']


def _quoted(text: str) -> str:
    return '"' + text.encode("unicode_escape").decode("ascii").replace('"', '\\"') + '"'


def _refusing(func: tree.PrimFunc, name: str, reasons: Sequence[str]) -> list[str]:
    """Return a function for a PrimFunc that only the scalar interpreter runs."""
    taken = FreshNames(RESERVED)
    pairs = [(taken.fresh(safe_name(param.name)), param) for param in func.params]
    about = [
        f"Stand for prim_func {global_name(func.name.name_hint)}, which there is no NumPy code for.",
        "",
        *[f"{one}: {_spec(param)}" for one, param in pairs],
        "",
        *[line.encode("unicode_escape").decode("ascii") for line in reasons],
    ]
    head = _head(name, [f"{one}: {_annotation(param)}" for one, param in pairs])
    return [
        *head,
        *_docstring(about),
        f'    raise {_OUTSIDE}("only the scalar interpreter of Relax runs this")',
    ]


@cache
def _helpers() -> dict[str, tuple[str, frozenset[str]]]:
    """Return the text of every helper, in the order of the prelude, and the names that are used in it."""
    text = inspect.getsource(runtime_library)
    lines = text.splitlines()
    found: dict[str, tuple[str, frozenset[str]]] = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            start = min([node.lineno, *[decorator.lineno for decorator in node.decorator_list]])
            names = frozenset([part.id for part in ast.walk(node) if isinstance(part, ast.Name)])
            found[node.name] = _REMARKS.sub("", "\n".join(lines[start - 1 : node.end_lineno])), names
    return found


def _helper_texts(names: Collection[str]) -> list[str]:
    """Return the texts of helpers and of the helpers in them, in the order of the prelude."""
    helpers = _helpers()
    wanted = set(names) & helpers.keys()
    pending = list(wanted)
    while pending:
        for other in helpers[pending.pop()][1] & helpers.keys() - wanted:
            wanted.add(other)
            pending.append(other)
    return [f"{text}\n\n" for name, (text, _) in helpers.items() if name in wanted]
