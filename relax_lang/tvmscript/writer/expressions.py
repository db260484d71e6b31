"""Expressions of the normal form in TVM's notation."""

from __future__ import annotations

from relax_lang.base.node import walk
from relax_lang.ops import registry
from relax_lang.syntax import tree
from relax_lang.tvmscript.python.units import DEFAULTS_OF_TVM
from relax_lang.tvmscript.writer.struct_infos import dim_text, info_text
from relax_lang.tvmscript.writer.text import (
    OLDER,
    Lines,
    Names,
    NotExportable,
    literal_text,
    quoted,
    value_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, NoReturn

    from relax_lang.base.node import Node, Table
    from relax_lang.ops.core.operator import Operator

    StoreConstant = Callable[[tree.Constant], str | None]

IN_STYLE = frozenset(("call_tir", "call_tir_inplace", "call_tir_with_grad", "call_dps_packed"))
"""Calls that name their result, so that their bindings need no annotation."""

WITH_RESULT = frozenset(
    ("call_pure_packed", "call_inplace_packed", "invoke_closure", "invoke_pure_closure", "call_builtin_with_ctx",
     "vm.call_tir_dyn")
)  # fmt: skip


DTYPES_OF_NUMBERS = {"one_hot": "float32"}
"""Operators that ask for numbers of a dtype."""


class ExpressionWriter:
    """Writes the expressions of one function."""

    def __init__(
        self,
        infos: Mapping[Node, tree.StructInfo],
        global_names: Mapping[str, str],
        version: str,
        store: StoreConstant,
    ) -> None:
        self.infos = infos
        self.global_names = global_names
        self.version = version
        self.store = store
        self.names = Names()
        self.out = Lines()
        self.shape_names: set[str] = set()
        self.known: dict[str, tree.StructInfo] = {}
        """What is known of the variables, whose names are unique in a function of the normal form."""
        self.devices: dict[str, list[str]] = {}
        """The devices of variables that a function names, one for each tensor in them."""
        self.keys: dict[int, str] = {}
        """What the variables of the program are called in attributes, by their places."""
        self.bound = ""
        """The variable that is bound."""
        self.on_devices = False
        """Whether the module names devices, which TVM works out for each value."""
        self.inlined: dict[str, str] = {}
        """Numbers that are written where they are used."""

    def expr(self, node: tree.Expr) -> str:
        """Return an expression of the normal form."""
        return _ROWS[type(node)](self, node)

    def no_form(self, node: tree.Expr) -> NoReturn:
        """Refuse an expression that has no form where it is."""
        raise NotExportable(node, f"`{type(node).__name__}`")

    def variable(self, node: tree.Var) -> str:
        """Return a variable."""
        number = self.inlined.get(node.name_hint)
        if number is not None:
            return number
        return self.names.of(node.name_hint)

    def global_name(self, node: tree.GlobalVar) -> str:
        """Return an item of the module."""
        return f"cls.{self.global_names.get(node.name_hint, node.name_hint)}"

    def constant(self, node: tree.Constant) -> str:
        """Return a constant: written out, or loaded from the file beside the program."""
        stored = self.store(node)
        if stored is not None:
            return stored
        return f"R.const({literal_text(value_of(node.data))}, {quoted(constant_dtype(node))})"

    def tuple(self, node: tree.Tuple) -> str:
        """Return a tuple."""
        return f"R.tuple({', '.join([self.expr(one) for one in node.fields])})"

    def python_tuple(self, node: tree.Expr, scalars: tuple[tree.PrimExpr, ...] = ()) -> str:
        """Return the arguments of a call, which are a tuple of Python; numbers come last."""
        if not isinstance(node, tree.Tuple):
            return self.expr(node)
        fields = [self.operand(one) for one in node.fields] + [
            f"R.prim_value({dim_text(one)})" for one in scalars
        ]
        return f"({fields[0]},)" if len(fields) == 1 else f"({', '.join(fields)})"

    def item(self, node: tree.TupleGetItem) -> str:
        """Return a field of a tuple."""
        return f"{self.expr(node.tuple_value)}[{node.index}]"

    def shape(self, node: tree.ShapeExpr) -> str:
        """Return a shape."""
        return f"R.shape([{', '.join([dim_text(one) for one in node.values])}])"

    def extern(self, node: tree.ExternFunc) -> str:
        """Return a packed function as a value."""
        return f"R.ExternFunc({quoted(node.global_symbol)})"

    def scalar(self, node: tree.PrimValue) -> str:
        """Return a scalar operand."""
        value = node.value
        if isinstance(value, tree.FloatImm):
            return literal_text(value.value)
        if isinstance(value, tree.Neg) and isinstance(value.a, tree.FloatImm):
            return literal_text(-value.a.value)
        if isinstance(value, tree.BoolImm):
            return str(value.value)
        return dim_text(value)

    def operand(self, node: tree.Expr) -> str:
        """Return an argument of a function that is not an operator: a number is a scalar."""
        if isinstance(node, tree.PrimValue):
            return f"R.prim_value({self.scalar(node)})"
        return self.expr(node)

    def call(self, node: tree.Call) -> str:
        """Return a call."""
        if isinstance(node.op, tree.Op):
            return self.operator_call(node, node.op.op_name)
        result = self.results(node, "ty_args")
        pure = any(one.key == "pure" and value_of(one.value) is True for one in node.attrs)
        args = [self.operand(one) for one in node.args]
        if isinstance(node.op, tree.ExternFunc):
            word = "R.call_pure_packed" if pure else "R.call_packed"
            return f"{word}({', '.join([quoted(node.op.global_symbol), *args, *result])})"
        if result:
            return f"R.call_packed({', '.join([self.expr(node.op), *args, *result])})"
        return f"{self.expr(node.op)}({', '.join(args)})"

    def results(self, node: tree.Call, word: str) -> list[str]:
        """Return the argument that names the result of a call, as a list of none or one."""
        if node.struct_info is None:
            return []
        if self.version == OLDER:
            word = {"ty_args": "sinfo_args", "out_ty": "out_sinfo"}[word]
        info = node.struct_info
        if word in ("out_ty", "out_sinfo") and isinstance(info, tree.TupleStructInfo):
            devices = iter(self.devices.get(self.bound, ()))
            fields = [info_text(one, version=self.version, devices=devices) for one in info.fields]
            return [f"{word}=[{', '.join(fields)}]"]
        shown = info_text(info, version=self.version, devices=iter(self.devices.get(self.bound, ())))
        if word in ("ty_args", "sinfo_args") and "(" not in shown:
            shown = f"{shown}()"  # some of TVM's functions do not call what they are given
        return [f"{word}=({shown},)" if word in ("ty_args", "sinfo_args") else f"{word}={shown}"]

    def operator_call(self, node: tree.Call, name: str) -> str:
        """Return a call of an operator."""
        if name in IN_STYLE:
            return self.style_call(node, name)
        if name in WITH_RESULT:
            callee = node.args[0]
            first = quoted(callee.global_symbol) if isinstance(callee, tree.ExternFunc) else self.expr(callee)
            rest = [self.python_tuple(one) for one in node.args[1:]]
            attrs = [_named(one.key, value_of(one.value)) for one in node.attrs]
            return f"R.{name}({', '.join([first, *rest, *attrs, *self.results(node, 'ty_args')])})"
        operator = registry.lookup(name)
        if name.startswith("dist."):
            raise NotExportable(node, f"`{name}`", "TVM wants to know the mesh of devices of a module")
        if operator is None:
            raise NotExportable(node, f"the operator `{name}`")
        if name in ("print", "assert_op"):
            return self.effect(node, name)
        if name == "prim_value":
            return self.prim_value(node)
        parts = self.arguments(node, operator)
        return f"R.{name}({', '.join(parts)})"

    def prim_value(self, node: tree.Call) -> str:
        """Return a scalar."""
        inner = self.expr(node.args[0])
        dtypes = [one.value.name for one in node.attrs if isinstance(one.value, tree.DType)]
        if isinstance(node.args[0], tree.PrimValue) and isinstance(node.args[0].value, tree.FloatImm):
            dtypes = dtypes or ["float32"]
        return f"R.prim_value(T.{dtypes[0]}({inner}))" if dtypes else f"R.prim_value({inner})"

    def style_call(self, node: tree.Call, name: str) -> str:
        """Return a call in destination-passing style."""
        callee, args = node.args[0], node.args[1]
        attrs = {one.key: value_of(one.value) for one in node.attrs}
        if name == "call_dps_packed" and attrs.pop("pure", False) is not True:
            raise NotExportable(node, "an impure `call_dps_packed`", "TVM takes every such call for pure")
        first = quoted(callee.global_symbol) if isinstance(callee, tree.ExternFunc) else self.expr(callee)
        scalars: tuple[tree.PrimExpr, ...] = ()
        rest = node.args[2] if len(node.args) > 2 else None
        if isinstance(rest, tree.ShapeExpr) and self.version != OLDER:
            scalars, rest = rest.values, None
        if rest is not None and self.version != OLDER:
            raise NotExportable(rest, "numbers of a `call_tir` that a variable holds", "write out `shape(…)`")
        parts = [first, self.python_tuple(args, scalars)]
        for key, value in attrs.items():
            parts.append(_named(key, value))
        parts += self.results(node, "out_ty")
        if rest is not None:
            parts.append(f"tir_vars={self.expr(rest)}")
        return f"R.{name}({', '.join(parts)})"

    def effect(self, node: tree.Call, name: str) -> str:
        """Return `R.print(…)`, `R.assert_op(…)`."""
        args = [self.expr(one) for one in node.args]
        form = [value_of(one.value) for one in node.attrs if one.key == "format"]
        if name == "assert_op":
            args = [args[0], f"[{', '.join(args[1:])}]"]
        named = [f"format=R.str({quoted(str(one))})" for one in form]
        return f"R.{name}({', '.join([*args, *named])})"

    def arguments(self, node: tree.Call, operator: Operator) -> list[str]:
        """Return the arguments of an operator call by TVM's order and names."""
        ours = [*[one.name for one in operator.params], *[one.name for one in operator.attrs]]
        theirs = operator.tvm.split() or ours
        names = _tvm_names(ours, theirs, operator)
        parts: list[str] = []
        in_order = True
        for at, param in enumerate(operator.params):
            if param.variadic:
                parts += [self.argument(one, param.kind) for one in node.args[at:]]
                break
            in_order = in_order and at < len(theirs) and theirs[at] == names.get(param.name)
            given = node.args[at] if at < len(node.args) else None
            if given is None or (isinstance(given, tree.Tuple) and not given.fields and param.optional):
                in_order = False
                continue
            shown = self.argument(given, param.kind, DTYPES_OF_NUMBERS.get(operator.name, ""))
            parts.append(shown if in_order else f"{names[param.name]}={shown}")
        left_out = DEFAULTS_OF_TVM.get(operator.name, {}) if self.version != OLDER else {}
        written = [one.key for one in node.attrs]
        for key, value in left_out.items():
            if key not in written:
                parts.append(f"{key}={not value}")
        for attr in node.attrs:
            value = value_of(attr.value)
            shown = quoted(value) if isinstance(attr.value, tree.DType) else literal_text(value)
            if attr.key == "index_map" and isinstance(value, str):
                head, _, tail = value.partition("->")
                shown = f"T.index_map(lambda {head.strip()[1:-1]}: {tail.strip()})"
            parts.append(f"{names.get(attr.key, attr.key)}={shown}")
        return parts

    def argument(self, node: tree.Expr, kind: str, dtype: str = "") -> str:
        """Return an argument of an operator, by the kind of its parameter."""
        if kind == "tensors":
            return self.python_tuple(node)
        if kind == "prims" and isinstance(node, tree.Tuple):
            return f"[{', '.join([self.expr(one) for one in node.fields])}]"
        if kind == "prim" and isinstance(node, tree.PrimValue):
            if dtype and isinstance(node.value, tree.FloatImm):
                return f"R.prim_value(T.{dtype}({self.expr(node)}))"
            return f"R.prim_value({self.expr(node)})"
        return self.expr(node)


def _named(key: str, value: Any) -> str:
    """Return an attribute of a call as a named argument; indices are always several."""
    is_single = key == "inplace_indices" and isinstance(value, int)
    return f"{key}={literal_text([value] if is_single else value)}"


def _tvm_names(ours: list[str], theirs: list[str], operator: Operator) -> dict[str, str]:
    """Return TVM's name for each of ours; those that differ are matched in order."""
    names = {name: name for name in ours if name in theirs}
    left = [name for name in theirs if name not in names]
    for param in operator.params:
        if param.name not in names and left:
            names[param.name] = left.pop(0)
    return names


def constant_dtype(node: tree.Constant) -> str:
    """Return the dtype of a constant; one without is an int32, a float32 or a bool."""
    if node.dtype is not None:
        return node.dtype.name
    kinds = {type(one) for one in walk(node.data)}
    if tree.FloatLit in kinds or kinds == {tree.ListLit}:
        return "float32"
    return "bool" if tree.BoolLit in kinds else "int32"


_ROWS: Table[tree.Expr, Callable[[ExpressionWriter, Any], str]] = {
    tree.Call: ExpressionWriter.call,
    tree.Constant: ExpressionWriter.constant,
    tree.ExternFunc: ExpressionWriter.extern,
    tree.GlobalVar: ExpressionWriter.global_name,
    tree.PrimValue: ExpressionWriter.scalar,
    tree.ShapeExpr: ExpressionWriter.shape,
    tree.Tuple: ExpressionWriter.tuple,
    tree.TupleGetItem: ExpressionWriter.item,
    tree.Var: ExpressionWriter.variable,
    tree.DataflowVar: ExpressionWriter.no_form,
    tree.Function: ExpressionWriter.no_form,
    tree.If: ExpressionWriter.no_form,
    **dict.fromkeys(tree.NEVER_BOUND, ExpressionWriter.no_form),
}
