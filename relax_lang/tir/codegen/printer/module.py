"""Self-contained modules of NumPy code: the one that a PrimFunc runs as, and the one that people read and import.

Both contain the helpers that they use and import NumPy only. The second has all PrimFuncs of a program, each as a
function of its own name, in the form that formatters of Python give.
"""

from __future__ import annotations

import ast
import inspect
import re
from functools import cache
from typing import NamedTuple

from relax_lang.base.names import FreshNames
from relax_lang.format.lexemes import global_name
from relax_lang.format.printer import show
from relax_lang.syntax import dtypes, tree
from relax_lang.tir import runtime_library
from relax_lang.tir.array_ir import nodes as ir
from relax_lang.tir.codegen.passes.effects import all_statements
from relax_lang.tir.codegen.printer.statements import WIDTH, Printer
from relax_lang.tir.lower.guards import RESERVED, safe_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from relax_lang.base.node import Node
    from relax_lang.tir.array_ir.nodes import Statement
    from relax_lang.tir.ir.signature import Param
    from relax_lang.tir.lower.guards import Guards

_SUPPRESSION = re.compile(r"(?<! ) +# (noqa|pyright).*")
_OUTSIDE = "NotVectorized"
_RESERVED = RESERVED | {"PRIM_FUNCS"}


class Generated:
    """The code of one PrimFunc: `params` are its parameters with their Python names, `body` its statements."""

    __slots__ = (
        "_lines",
        "allocates",
        "body",
        "externs",
        "fresh",
        "func",
        "helpers",
        "name",
        "params",
        "parts",
        "writable",
        "written",
    )

    def __init__(
        self,
        func: tree.PrimFunc,
        entry: Guards,
        params: list[tuple[str, Param]],
        body: list[Statement],
        externs: list[Node],
        written: list[str],
        writable: list[str],
    ) -> None:
        self.func = func
        self.params = params
        self.body = body
        self.parts: tuple[list[Statement], list[Statement]] = [], body
        """The statements at its entry, and all others, before those were left out that do nothing."""
        self.fresh = entry.fresh
        """Gives out names that mean nothing else in it."""
        self.externs = externs
        """The calls of packed functions, which the code refers to by number."""
        self.written = written
        """The parameters that it stores to."""
        self.writable = writable
        """Those whose arrays must be writable: also the ones whose stores are never reached."""
        self.allocates = any(makes_arrays(statement) for statement in body)
        self.name = FreshNames(_RESERVED).fresh(safe_name(func.name.name_hint))
        """The name of the function in a module of its own."""
        printer = Printer(entry.fresh)
        printer.body(body)
        self._lines = printer.lines or ["    pass"]
        self.helpers = printer.helpers
        """The functions of the runtime library, and the packages, that it uses."""

    def lines(self, name: str) -> list[str]:
        """Return the lines of the function under a name."""
        options: dict[str, str] = {}
        if self.allocates:
            options["empty: Any = np.empty"] = "empty(shape, dtype): makes the arrays of `alloc`"
        if self.externs:
            about_calls = (
                "call_extern(name, *arguments, at): calls packed functions; `at` is the number of the call"
            )
            options["call_extern: Any"] = about_calls
        params = [f"{one}: {_annotation(param)}" for one, param in self.params]
        stored = f" Stores to {', '.join(self.written)}." if self.written else ""
        about = [
            f"Run prim_func {global_name(self.func.name.name_hint)}.{stored}",
            "",
            *[f"{one}: {_spec(param)}" for one, param in self.params],
            *options.values(),
        ]
        head = _head(name, [*params, *(["*", *options] if options else [])])
        return ['@np.errstate(all="ignore")', *head, *_docstring(about), *self._lines]


def makes_arrays(statement: Statement) -> bool:
    """Return whether a statement makes an array of the program, not one for what is computed on the way."""
    return any(isinstance(one, ir.Allocate) and not one.workspace for one in all_statements((statement,)))


class Module(NamedTuple):
    """The text of a module in sections: first the imports and each helper, which many modules have in common."""

    shared: list[str]
    own: list[str]

    @property
    def text(self) -> str:
        """The whole text."""
        return _GAP.join([*self.shared, *self.own]) + "\n"

    @property
    def lines_before_own(self) -> int:
        """The number of lines of what is shared, and of the gap after it."""
        return _GAP.join([*self.shared, ""]).count("\n")


_GAP = "\n\n\n"


def module_of(functions: Iterable[tuple[tree.PrimFunc, Generated | None, Sequence[str]]]) -> Module:
    """Return one module for some PrimFuncs, with the reasons for those that there is no code for."""
    names = FreshNames(_RESERVED)
    helpers = {_OUTSIDE}
    table: dict[str, str] = {}
    texts: list[str] = []
    for func, code, reasons in functions:
        wanted = func.name.name_hint
        name = table[wanted] = names.fresh(safe_name(wanted))
        if code is None:
            lines = _refusing(func, name, reasons)
        else:
            lines = code.lines(name)
            helpers |= code.helpers
        texts.append("\n".join(lines))
    if any(name != wanted for wanted, name in table.items()):
        rows = [f"    {_quoted(wanted)}: {name}," for wanted, name in table.items()]
        texts.append(
            "\n".join(["PRIM_FUNCS = {", *rows, "}", '"""The functions by their names in the program."""'])
        )
    return module_with(helpers, texts)


def module_with(helpers: Collection[str], texts: list[str]) -> Module:
    """Return the module of some functions, with the functions and packages that these use."""
    wanted = frozenset([*helpers, _OUTSIDE])
    head = "\n".join([*_docstring(_ABOUT, indent=""), "", *_imports(wanted)])
    return Module([head, *_helper_texts(wanted)], texts)


def module_text(functions: Iterable[tuple[tree.PrimFunc, Generated | None, Sequence[str]]]) -> str:
    """Return the text of such a module; none without a PrimFunc."""
    module = module_of(functions)
    return module.text if module.own else ""


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
    """Return a docstring with some lines, whatever characters are in them."""
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
    """Return the text of every function of the runtime library, in its order, and the names that are used in it."""
    found: dict[str, tuple[str, frozenset[str]]] = {}
    for part in runtime_library.MODULES:
        text = inspect.getsource(part)
        lines = text.splitlines()
        for node in ast.parse(text).body:
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                names = frozenset([part.id for part in ast.walk(node) if isinstance(part, ast.Name)])
                own = lines[node.lineno - 1 : node.end_lineno]
                found[node.name] = "\n".join([_SUPPRESSION.sub("", line) for line in own]), names
    return found


@cache
def _helper_texts(names: frozenset[str]) -> list[str]:
    """Return the texts of helpers and of the helpers in them, in the order of the library."""
    helpers = _helpers()
    wanted = set(names & helpers.keys())
    pending = list(wanted)
    while pending:
        for other in helpers[pending.pop()][1] & helpers.keys() - wanted:
            wanted.add(other)
            pending.append(other)
    return [text for name, (text, _) in helpers.items() if name in wanted]
