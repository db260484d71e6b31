"""What all readers of one unit share: places, names of the file, constants, and what was found on the way."""

from __future__ import annotations

import ast
import re

from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import DTYPES
from relax_lang.tvmscript import diagnostics as diag
from relax_lang.tvmscript.python.python_values import evaluate
from relax_lang.tvmscript.python.values import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.base.diagnostic import Diagnostic, Edit, Location
    from relax_lang.base.source import Span
    from relax_lang.syntax.parsed import Features
    from relax_lang.tvmscript.python.python_text import Placed, PythonText
    from relax_lang.tvmscript.python.python_values import Environment
    from relax_lang.tvmscript.python.units import Aliases
    from relax_lang.tvmscript.python.values import Value


class Refused(Exception):  # noqa: N818 - carries the diagnostic of a construct that cannot be read
    """A construct that cannot be read; the reader of something larger decides how much is lost with it."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


class Reading:
    """The reading of one unit."""

    __slots__ = (
        "aliases",
        "claims",
        "devices",
        "dropped",
        "env",
        "features",
        "found",
        "functions",
        "module_names",
        "names",
        "py",
        "type_vars",
    )

    def __init__(self, py: PythonText, aliases: Aliases, env: Environment, features: Features) -> None:
        self.py = py
        self.aliases = aliases
        self.env = env
        self.features = features
        self.type_vars = _type_variables(env.scopes)
        """Shape variables that Python around the unit declares, `n = TypeVar("n")`, as TVM 0.27 prints them."""
        self.found: list[Diagnostic] = []
        self.devices: dict[tree.StructInfo, ast.expr] = {}
        """The devices that the struct infos of tensors name."""
        self.dropped: set[str] = set()
        self.claims: dict[str, tuple[Span, Edit]] = {}
        """The functions whose decorators do not declare their effects: where, and the edit that declares them."""
        self.functions: set[str] = set()
        """The names of the items of the module."""
        self.module_names: set[str] = set()
        """Names of the module itself: that of its class, and variables that are bound to it."""

    # -- places ------------------------------------------------------------------------------------------------

    def span(self, node: Placed) -> Span:
        """Return the place of a Python node."""
        return self.py.span(node)

    def path(self, node: ast.expr) -> tuple[str, str]:
        """Return the dialect and the name of a function such as `R.nn.relu`."""
        return self.aliases.path(node)

    def called(self, node: ast.expr | None) -> tuple[str, str]:
        """Return the dialect and the name of what a call calls; empty for anything else."""
        return self.aliases.path(node.func) if isinstance(node, ast.Call) else ("", "")

    # -- refusals ----------------------------------------------------------------------------------------------

    def unsupported(self, node: Placed, construct: str, why: str = "") -> Refused:
        """Return the refusal of a construct without counterpart."""
        return Refused(diag.unsupported(self.span(node), construct, why))

    def wrong(self, node: Placed, message: str) -> Refused:
        """Return the refusal of an argument."""
        return Refused(diag.argument(self.span(node), message))

    def captured(self, unknown: Unknown, *, by_value: bool = True) -> Refused:
        """Return the refusal of a name of the surrounding Python."""
        if not unknown.name:
            return self.unsupported(unknown.node, f"`{self.py.shown(unknown.node)}`", unknown.why)
        place = unknown.definition
        definition = None
        if isinstance(place, ast.stmt | ast.arg):
            pos = self.py.start(place)
            definition = pos, min(self.py.end(place), self._line_end(pos))
        return Refused(
            diag.captured_name(
                self.span(unknown.node), unknown.name, unknown.why, definition, by_value=by_value
            )
        )

    def _line_end(self, pos: int) -> int:
        at = self.py.text.find("\n", pos)
        return at if at >= 0 else len(self.py.text)

    def drop(self, node: Placed, what: str) -> None:
        """Note what is left out, once for each kind and unit."""
        if what not in self.dropped:
            self.dropped.add(what)
            self.found.append(diag.dropped(self.span(node), what))

    def read_as(self, place: Location, written: str, meaning: str) -> None:
        """Note how a slip is read, once for each kind of slip and unit."""
        if meaning not in self.dropped:
            self.dropped.add(meaning)
            self.found.append(diag.read_as(place, written, meaning))

    # -- constants ---------------------------------------------------------------------------------------------

    def value(self, node: ast.expr) -> Value:
        """Return the value of a Python expression. Raises Refused."""
        self.env.steps = 0
        try:
            return evaluate(node, self.env)
        except Unknown as unknown:
            raise self.captured(unknown) from None

    def string(self, node: ast.expr, what: str) -> str:
        """Return the text of a string, also as `R.str("…")`. Raises Refused."""
        if isinstance(node, ast.Call) and self.called(node) == ("R", "str") and len(node.args) == 1:
            node = node.args[0]
        value = self.value(node)
        if not isinstance(value, str):
            raise self.wrong(node, f"{what} is a string, not `{self.py.shown(node)}`")
        return value

    def integer(self, node: ast.expr, what: str) -> int:
        """Return the value of an integer. Raises Refused."""
        value = self.value(node)
        if not isinstance(value, int) or isinstance(value, bool):
            raise self.wrong(node, f"{what} is an integer, not `{self.py.shown(node)}`")
        return value

    def dtype(self, node: ast.expr) -> tree.DType | None:
        """Return a dtype: `"float32"`, `R.dtype("float32")`, `T.float32`; None for `""` and `None`. Raises Refused."""
        pos, end = self.span(node)
        dialect, name = self.path(node)
        if dialect == "T" and name in DTYPES:
            return tree.DType(name, pos, end)
        if isinstance(node, ast.Call) and self.called(node)[1] == "dtype" and len(node.args) == 1:
            return self.dtype(node.args[0])
        value = self.value(node)
        if value is None or value in ("", "void"):
            return None
        return self.named_dtype(node, value)

    def named_dtype(self, node: ast.expr, value: Value) -> tree.DType:
        """Return the dtype of a name. Raises Refused."""
        pos, end = self.span(node)
        if not isinstance(value, str):
            raise self.wrong(node, f"expected a dtype, found `{self.py.shown(node)}`")
        value = _OTHER_NAMES.get(value, value)
        if value in DTYPES:
            if isinstance(node, ast.Constant) and end - pos == len(value) + 2:
                pos, end = pos + 1, end - 1  # without its quotes, so that a fix fits
            return tree.DType(value, pos, end)
        if _is_foreign_dtype(value):
            raise self.unsupported(node, f"the dtype `{value}`")
        from relax_lang.syntax.vocabulary.foreign_words import nearest_dtype  # only for a mistake

        near = nearest_dtype(value)
        found = self.wrong(node, f"there is no dtype `{value}`")
        raise Refused(found.diagnostic.helped(f"did you mean `{near}`?")) if near else found


def _type_variables(scopes: Sequence[ast.AST]) -> dict[str, ast.Assign]:
    found: dict[str, ast.Assign] = {}
    for scope in scopes:
        for node in getattr(scope, "body", ()):
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and len(node.targets) == 1:
                func, target = node.value.func, node.targets[0]
                name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
                if name == "TypeVar" and isinstance(target, ast.Name):
                    found[target.id] = node
    return found


_OTHER_NAMES = {"boolean": "bool", "float": "float32", "int": "int32", "uint": "uint32"}
"""What TVM calls dtypes too."""

_FOREIGN_DTYPE = re.compile(
    r"(u?int|float|bfloat|bool)\d*x\w+|u?int[1-7]|float[468]_\w+|float[46]|[ez]\d\w+|handle|custom\W.*"
)


def _is_foreign_dtype(name: str) -> bool:
    """Return whether a dtype is one of TVM's that the language lacks: vectors, floats of 4 and 8 bits, odd widths."""
    return _FOREIGN_DTYPE.fullmatch(name) is not None


def is_private(reading: Reading, decorator: ast.expr) -> bool:
    """Return whether the decorator of a function makes it private."""
    if not isinstance(decorator, ast.Call):
        return False
    return any(one.arg == "private" and reading.value(one.value) is True for one in decorator.keywords)


def function_name(reading: Reading, node: ast.FunctionDef) -> tree.GlobalVar:
    """Return the name of an item, at its place behind `def`."""
    pos = reading.py.start(node) + len("def ")
    if not reading.py.text.startswith(node.name, pos):
        found = reading.py.text.find(node.name, pos)
        pos = found if 0 <= found < reading.py.end(node) else pos
    return tree.GlobalVar(node.name, pos, pos + len(node.name))
