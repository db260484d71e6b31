"""Signatures of Relax functions: decorators, parameters, the shape variables that a body declares."""

from __future__ import annotations

import ast

from relax_lang.syntax import tree
from relax_lang.tvmscript.reader.attributes import literal_or_none
from relax_lang.tvmscript.reader.function_calls import CallExpressionReader
from relax_lang.tvmscript.reader.struct_infos import Locals

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tvmscript.reader.reading import Reading

SIZES = frozenset(("int64", "int32"))


class Header:
    """What decorators and attributes say about a function."""

    __slots__ = ("attrs", "devices", "private", "purity")

    def __init__(self) -> None:
        self.private = False
        self.purity: str | None = None
        self.attrs: list[tree.Attr] = []
        self.devices: list[tree.Attr] = []


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
            info = self.placed_info(one.arg, one.annotation)
            params.append(tree.Var(one.arg, info, *self.reading.span(one)))
            self.names.note(one.arg, info)
        self.names.variables.update([one.arg for one in given.args])
        return tuple(params)

    def placed_info(self, name: str, annotation: ast.expr) -> tree.StructInfo:
        """Read the struct info of a parameter, or of the result, and keep the device of a tensor."""
        info = self.info(annotation)
        if isinstance(info, tree.TensorStructInfo):
            self.keep_device(name)
        return info

    def keep_device(self, name: str) -> None:
        """Keep the device that was read last, of a variable or of the result."""
        devices = self.reading.devices
        if len(devices) != 1:
            return
        found = literal_or_none(self.reading, devices[0])
        if isinstance(found, tree.StrLit):
            if name not in [one.key for one in self.header.devices]:
                self.header.devices.append(tree.Attr(name, found, found.pos, found.end))
            devices.clear()

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
