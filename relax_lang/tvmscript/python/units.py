"""The units of a Python file: decorated classes, and decorated functions outside of them; what the file calls TVM's
dialects.

Names are resolved by the imports of the file, never by their letters; a header in comments, as TVM prints it, counts.
"""

from __future__ import annotations

import ast
import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from relax_lang.tvmscript.python.python_text import PythonText

MODULE = "module"
FUNCTION = "function"
PRIM_FUNC = "prim_func"

DIALECTS = {"relax": "R", "tir": "T", "tirx": "T", "s_tir": "T", "ir": "I"}
"""The modules of `tvm.script`, and the letter used for each here."""

_HEADER = re.compile(r"^[ \t]*#\s*from tvm\.script import ([^\n]*)$", re.MULTILINE)
_AS = re.compile(r"(\w+)(?:\s+as\s+(\w+))?")
_HOMES = frozenset(("tvm.script", "tvm.script.parser"))


DEFAULTS_OF_TVM: dict[str, dict[str, bool]] = {"nn.batch_norm": {"training": True}}
"""Attributes that mean something else in TVM 0.27 than here where they are left out: what they mean there."""


class Aliases:
    """What the names of a file mean: `R` is the dialect of Relax, `tvm` the package."""

    __slots__ = ("_names", "_paths", "is_current")

    def __init__(self, tree: ast.Module, text: str) -> None:
        self._names: dict[str, str] = {}
        self._paths: dict[tuple[str, ...], tuple[str, str]] = {}
        """What has been found of dotted names, innermost attribute first."""
        self.is_current = _has_current_keywords(tree, text)
        """Whether the file is spelled as TVM 0.27 has it, which takes some older keywords for something else."""
        for node in _statements(tree) if "tvm" in text else ():
            if isinstance(node, ast.ImportFrom) and node.module is not None:
                for one in node.names:
                    self._names.setdefault(one.asname or one.name, f"{node.module}.{one.name}")
            elif isinstance(node, ast.Import):
                for one in node.names:
                    name = one.asname or one.name.partition(".")[0]
                    self._names.setdefault(name, one.name if one.asname else name)
        for header in _HEADER.finditer(text):
            for name, alias in _AS.findall(header[1]):
                if name in DIALECTS:
                    self._names.setdefault(alias or name, f"tvm.script.{name}")
        if not _DIALECTS_OF_CURRENT.isdisjoint(self._names.values()):
            self.is_current = True
        for letter, dialect in (("R", "relax"), ("T", "tir"), ("I", "ir")):
            self._names.setdefault(letter, f"tvm.script.{dialect}")

    def letters(self) -> set[str]:
        """Return the names of the file that stand for a dialect."""
        return {name for name, full in self._names.items() if full.rpartition(".")[0] in _HOMES}

    def path(self, node: ast.expr) -> tuple[str, str]:
        """Return the dialect and the dotted name of an expression such as `R.nn.relu`: ("R", "nn.relu").

        The dialect is empty where the expression is something else; the name is then the dotted text, if it is that.
        """
        parts: list[str] = []
        while isinstance(node, ast.Attribute):
            parts.append(node.attr)
            node = node.value
        if not isinstance(node, ast.Name):
            return "", ""
        key = (*parts, node.id)
        known = self._paths.get(key)
        if known is None:
            known = self._paths[key] = self._path(node, parts)
        return known

    def _path(self, node: ast.Name, parts: list[str]) -> tuple[str, str]:
        dotted = [*self._names.get(node.id, node.id).split("."), *reversed(parts)]
        for size in (3, 2):
            if ".".join(dotted[:size]) in _HOMES and len(dotted) > size:
                word = dotted[size]
                if word in DIALECTS:
                    return DIALECTS[word], ".".join(dotted[size + 1 :])
                return "I", ".".join(dotted[size:])  # `tvm.script.ir_module`
        if (
            dotted[0] == "tvm" and len(dotted) > 2 and dotted[1] in DIALECTS
        ):  # Python's own functions for the same
            rest = dotted[3:] if dotted[2] == "op" else dotted[2:]
            if rest and rest[-1][0].islower():
                return DIALECTS[dotted[1]], ".".join(rest)
        return "", ".".join([node.id, *reversed(parts)])


_DIALECTS_OF_CURRENT = frozenset(("tvm.script.tirx", "tvm.tirx", "tvm.script.parser.tirx"))
_CURRENT_KEYWORDS = frozenset(("ty_args", "out_ty"))


def _has_current_keywords(tree: ast.Module, text: str) -> bool:
    """Return whether calls have keywords that only TVM 0.27 knows; most texts do not have such words at all."""
    return any(word in text for word in _CURRENT_KEYWORDS) and any(
        isinstance(node, ast.keyword) and node.arg in _CURRENT_KEYWORDS for node in ast.walk(tree)
    )


def _statements(tree: ast.Module) -> Iterator[ast.AST]:
    """Return all statements, outer ones first; expressions, which are most of a file, have none in them."""
    level: list[ast.AST] = [tree]
    while level:
        yield from level
        level = [
            inner
            for node in level
            for name in ("body", "orelse", "handlers", "finalbody", "cases")
            for inner in getattr(node, name, ())
        ]


class Unit:
    """One program of a file: its node, kind, name, and the Python scopes around it, outermost first."""

    __slots__ = ("decorator", "kind", "line", "name", "node", "scopes")

    def __init__(
        self,
        node: ast.ClassDef | ast.FunctionDef,
        kind: str,
        decorator: ast.expr,
        scopes: tuple[ast.AST, ...],
        line: int,
    ) -> None:
        self.node = node
        self.kind = kind
        self.decorator = decorator
        self.scopes = scopes
        self.line = line
        self.name = node.name


_KINDS = {
    ("I", "ir_module"): MODULE,
    ("R", "function"): FUNCTION,
    ("T", "prim_func"): PRIM_FUNC,
    ("I", "relax.function"): FUNCTION,
}


def decorated(node: ast.ClassDef | ast.FunctionDef, aliases: Aliases) -> tuple[str, ast.expr] | None:
    """Return the kind of unit that the decorators of a class or function make of it, and the decorator."""
    for decorator in node.decorator_list:
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        kind = _KINDS.get(aliases.path(called))
        if kind is not None and (kind == MODULE) == isinstance(node, ast.ClassDef):
            return kind, decorator
    return None


def find_units(tree: ast.Module, aliases: Aliases, text: PythonText) -> list[Unit]:
    """Return the units of a file in the order of the text. Iterative."""
    return list(_units(tree, aliases, text))


def _units(tree: ast.Module, aliases: Aliases, text: PythonText) -> Iterator[Unit]:
    todo: list[tuple[ast.AST, tuple[ast.AST, ...]]] = [(one, (tree,)) for one in reversed(tree.body)]
    while todo:
        node, scopes = todo.pop()
        if isinstance(node, ast.ClassDef | ast.FunctionDef):
            found = decorated(node, aliases)
            if found is not None:
                kind, decorator = found
                yield Unit(node, kind, decorator, scopes, text.line_of(decorator))
                continue
        inner = scopes
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            inner = (*scopes, node)
        below = [
            one
            for one in ast.iter_child_nodes(node)
            if isinstance(one, ast.stmt | ast.ExceptHandler | ast.match_case)
        ]
        todo += [(one, inner) for one in reversed(below)]
