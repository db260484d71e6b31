"""Signatures of Relax functions: decorators, parameters, the shape variables that a body declares."""

from __future__ import annotations

import ast

from relax_lang.base.node import walk
from relax_lang.syntax import tree
from relax_lang.tvmscript.reader.function_calls import CallExpressionReader
from relax_lang.tvmscript.reader.struct_infos import Locals
from relax_lang.tvmscript.scalar_reader.attributes import literal_or_none

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tvmscript.scalar_reader.reading import Reading

_NO_DEVICE = tree.StrLit("")
SIZES = frozenset(("int64", "int32"))


class Header:
    """What decorators and attributes say about a function."""

    __slots__ = ("attrs", "devices", "placed", "private", "purity")

    def __init__(self) -> None:
        self.private = False
        self.purity: str | None = None
        self.attrs: list[tree.Attr] = []
        self.devices: list[tuple[tree.Binder | None, tree.Literal]] = []
        """The devices of variables, and of the result."""
        self.placed: set[tree.StructInfo] = set()
        """The struct infos whose devices are kept."""


class SignatureReader(CallExpressionReader):
    """Reads what comes before the body of a function."""

    def __init__(self, reading: Reading, outer: Locals | None = None) -> None:
        super().__init__(reading, Locals(outer))
        if outer is None:
            self.names.shape_vars.update(reading.type_vars)
        self.header = Header()
        self.lost = False
        """Whether something in the body could not be read."""

    def read_decorator(self, decorator: ast.expr) -> None:
        """Read `@R.function(private=True, pure=False)`."""
        if not isinstance(decorator, ast.Call):
            return
        for one in decorator.keywords:
            if one.arg == "private":
                self.header.private = self.reading.value(one.value) is True
            elif one.arg == "pure" and self.reading.value(one.value) is False:
                self.header.purity = "impure"

    def read_params(self, node: ast.FunctionDef) -> tuple[tree.Var, ...]:
        """Read the parameters."""
        given = node.args
        if given.vararg or given.kwarg or given.kwonlyargs or given.defaults:
            raise self.reading.unsupported(
                node, "a function with defaults or `*` parameters", "they need Python to run"
            )
        for one in getattr(node, "type_params", ()):  # `def f[n: TypeVar](…)`
            self.names.shape_vars.add(one.name)
        self._declare_sizes(node.body)
        params: list[tree.Var] = []
        for one in given.args:
            if one.annotation is None:
                raise self.reading.wrong(one, f"the parameter `{one.arg}` has no annotation")
            info = self.info(one.annotation)
            params.append(tree.Var(one.arg, info, *self.reading.span(one)))
            self.keep_devices(params[-1], info)
            self.names.note(one.arg, info)
        self.names.variables.update([one.arg for one in given.args])
        return tuple(params)

    def keep_devices(self, var: tree.Binder | None, info: tree.StructInfo | None) -> bool:
        """Keep the devices of a variable, or of the result; False if its struct info names none."""
        if info is None or not self.reading.devices:
            return False
        tensors = [one for one in walk(info) if isinstance(one, tree.TensorStructInfo)]
        named = [self.reading.devices.get(one) for one in tensors]
        if not any(named):
            return False
        made = [_NO_DEVICE if one is None else literal_or_none(self.reading, one) for one in named]
        devices = [one for one in made if isinstance(one, tree.StrLit)]
        if len(devices) == len(made):
            is_one = isinstance(info, tree.TensorStructInfo)
            self.header.devices.append((var, devices[0] if is_one else tree.ListLit(tuple(devices))))
            self.header.placed.update(tensors)
        return True

    def _declare_sizes(self, body: Sequence[ast.stmt]) -> None:
        """Declare `n = T.int64()` before the signature is read: older files use such names there."""
        for statement in body:
            for name in self.declared_sizes(statement):
                self.names.shape_vars.add(name)

    def declared_sizes(self, node: ast.stmt) -> list[str]:
        """Return the shape variables that a statement declares."""
        if isinstance(node, ast.AnnAssign):  # `n: R.Prim("int64") = T.int64()`, as TVM 0.27 allows
            is_size = node.value is not None and self._is_size(node.value)
            return [node.target.id] if is_size and isinstance(node.target, ast.Name) else []
        if not isinstance(node, ast.Assign) or len(node.targets) != 1:
            return []
        target = node.targets[0]
        if isinstance(target, ast.Name) and self._is_size(node.value):
            return [target.id]
        if (
            isinstance(target, ast.Tuple)
            and isinstance(node.value, ast.Tuple)
            and all(map(self._is_size, node.value.elts))
        ):
            return [one.id for one in target.elts if isinstance(one, ast.Name)]
        return []

    def _is_size(self, node: ast.expr) -> bool:
        if not isinstance(node, ast.Call):
            return False
        dialect, name = self.reading.called(node)
        if dialect == "T" and name in SIZES:
            return not node.args
        if name in ("TypeVar", "tirx.Var", "tir.Var", "tvm.tir.Var", "tvm.tirx.Var", "typing.TypeVar"):
            return True
        return dialect == "T" and name in ("var", "Var")
