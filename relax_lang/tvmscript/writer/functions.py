"""Relax functions in normal form in TVM's notation, in the style of its printer."""

from __future__ import annotations

from relax_lang.base.node import children, walk
from relax_lang.ops import registry
from relax_lang.syntax import tree
from relax_lang.tvmscript.writer.prim_funcs import value_of
from relax_lang.tvmscript.writer.struct_infos import dim_text, info_text
from relax_lang.tvmscript.writer.text import (
    OLDER,
    RESERVED,
    Lines,
    Names,
    NotExportable,
    literal_text,
    quoted,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from relax_lang.base.node import Node
    from relax_lang.ops.core.operator import Operator

    StoreConstant = Callable[[tree.Constant], str | None]

UNITS = frozenset(("print", "assert_op", "vm.kill_object", "memory.kill_tensor", "memory.kill_storage"))
"""Operators whose calls are statements of their own: their result is nothing."""

IN_STYLE = frozenset(("call_tir", "call_tir_inplace", "call_tir_with_grad", "call_dps_packed"))
"""Calls that name their result, so that their bindings need no annotation."""

WITH_RESULT = frozenset(
    ("call_pure_packed", "call_inplace_packed", "invoke_closure", "invoke_pure_closure", "call_builtin_with_ctx",
     "vm.call_tir_dyn")
)  # fmt: skip


class FunctionWriter:
    """Writes one function of a module."""

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

    def write(
        self, function: tree.Function, depth: int, name: str, result: tree.StructInfo | None, *, pure: bool
    ) -> list[str]:
        """Return the lines of a function of the module. Raises NotExportable."""
        self.out.depth = depth
        sizes = _shape_variables(function)
        self.names = Names(RESERVED | set(sizes))
        bad = [one for one in sizes if not one.isidentifier() or one in RESERVED]
        if bad:
            raise NotExportable(function, f"the shape variable `{bad[0]}`", "it is no name in Python")
        options = ["private=True"] if function.private else []
        options += [] if pure else ["pure=False"]
        self.out.add(f"@R.function({', '.join(options)})" if options else "@R.function")
        outside: set[str] = set()
        self.header(function, name, result, outside)
        self.attributes(function)
        for size in sizes:
            self.out.add(f"{size} = T.int64()")
        if any(isinstance(one, tree.GlobalVar) for one in walk(function.body)):
            self.out.add("cls = Module")
        self.shape_names = set(sizes)
        self.body(function.body)
        self.out.leave()
        return self.out.lines

    def header(
        self, function: tree.Function, name: str, result: tree.StructInfo | None, bound: set[str]
    ) -> None:
        """Write `def f(…) -> S:`; dimensions are in quotes, but for those of the functions around it."""
        params: list[str] = []
        for param in function.params:
            info = param.struct_info_annotation or tree.ObjectStructInfo(-1, -1)
            shown = info_text(info, quoted=True, bound=bound, version=self.version)
            params.append(f"{self.names.of(param.name_hint)}: {shown}")
            self.known[param.name_hint] = self.infos.get(param, info)
        arrow = ""
        if result is not None:
            arrow = f" -> {info_text(result, quoted=True, bound=bound, version=self.version)}"
        self.out.enter(f"def {name}({', '.join(params)}){arrow}:")

    def attributes(self, function: tree.Function) -> None:
        """Write `R.func_attr({…})`."""
        items = [f"{quoted(one.key)}: {literal_text(value_of(one.value))}" for one in function.attrs]
        if function.purity == "force_pure":
            items.append('"relax.force_pure": True')
        if items:
            self.out.add(f"R.func_attr({{{', '.join(items)}}})")

    # -- blocks ------------------------------------------------------------------------------------------------

    def body(self, body: tree.Expr) -> None:
        """Write the body of a function and its `return`."""
        assert isinstance(body, tree.SeqExpr)
        for block in body.blocks:
            self.block(block)
        self.out.add(f"return {self.expr(body.body)}")

    def block(self, block: tree.BlockOfBindings) -> None:
        """Write a block of bindings."""
        if isinstance(block, tree.BindingBlock):
            for one in block.bindings:
                self.binding(one)
            return
        self.out.enter("with R.dataflow():")
        for one in block.bindings:
            self.binding(one)
        outputs = [self.names.of(one.name_hint) for one in block.outputs]
        self.out.add(f"R.output({', '.join(outputs)})")
        self.out.leave()

    def binding(self, binding: tree.Binding) -> None:
        """Write one binding."""
        var = binding.var
        if var is not None and var in self.infos:
            self.known[var.name_hint] = self.infos[var]
        name = "_" if var is None or var.name_hint == "_" else self.names.of(var.name_hint)
        if isinstance(binding, tree.MatchCast):
            target = self.cast_target(binding)
            self.out.add(f"{name} = R.match_cast({self.expr(binding.value)}, {target})")
            return
        value = binding.value
        if isinstance(value, tree.If):
            self.branches(name, value)
        elif isinstance(value, tree.Function):
            self.local_function(name, binding.var.name_hint, value)
        elif name == "_" and isinstance(value, tree.Call) and _callee(value) in UNITS:
            self.out.add(self.expr(value))
        else:
            self.out.add(f"{name}{self.annotation(binding, value)} = {self.expr(value)}")

    def cast_target(self, binding: tree.MatchCast) -> str:
        """Return what a match_cast asks for; that of a `match_shape` is a tensor if its value is one."""
        info = binding.struct_info
        if isinstance(info, tree.MatchShapeInfo) and isinstance(binding.value, tree.Var):
            known = self.known.get(binding.value.name_hint)
            if isinstance(known, tree.TensorStructInfo):
                shape = tree.ShapeExpr(info.values, info.pos, info.end)
                info = tree.TensorStructInfo(shape, known.dtype, None, info.pos, info.end)
        return info_text(info, version=self.version)

    def annotation(self, binding: tree.VarBinding, value: tree.Expr) -> str:
        """Return the annotation of a binding: what was written, or else what is known."""
        written = binding.var.struct_info_annotation
        if written is None and (binding.var.name_hint == "_" or _callee(value) in IN_STYLE):
            return ""
        info = written or self.infos.get(binding.var)
        if info is None or (
            isinstance(info, tree.FuncStructInfo | tree.MissingStructInfo) and written is None
        ):
            return ""
        if written is None and not self._is_sayable(info):
            return ""
        return f": {info_text(info, version=self.version)}"

    def _is_sayable(self, info: tree.StructInfo) -> bool:
        for one in walk(info):
            if isinstance(one, tree.PrimVar) and one.name not in self.shape_names:
                return False
            if isinstance(one, tree.Var | tree.FuncStructInfo | tree.MissingStructInfo):
                return False
        return True

    def branches(self, name: str, value: tree.If) -> None:
        """Write an `if`, whose branches both bind its variable last."""
        self.out.enter(f"if {self.expr(value.cond)}:")
        self.branch(name, value.true_branch)
        self.out.leave()
        self.out.enter("else:")
        self.branch(name, value.false_branch)
        self.out.leave()

    def branch(self, name: str, body: tree.Expr) -> None:
        """Write the block of a branch."""
        if not isinstance(body, tree.SeqExpr):
            self.out.add(f"{name} = {self.expr(body)}")
            return
        blocks = list(body.blocks)
        last = blocks[-1] if blocks else None
        result = body.body
        final = last.bindings[-1] if isinstance(last, tree.BindingBlock) and last.bindings else None
        ends_in_result = (
            isinstance(result, tree.Var)
            and isinstance(final, tree.VarBinding)
            and final.var.name_hint == result.name_hint
            and name != "_"
        )
        for block in blocks[:-1] if ends_in_result else blocks:
            self.block(block)
        if not ends_in_result:
            self.out.add(f"{name} = {self.expr(result)}")
            return
        assert isinstance(last, tree.BindingBlock)
        assert isinstance(final, tree.VarBinding)
        for one in last.bindings[:-1]:
            self.binding(one)
        self.names.alias(final.var.name_hint, name)
        self.binding(final)

    def local_function(self, name: str, binder: str, value: tree.Function) -> None:
        """Write a local function."""
        info = self.known.get(binder)
        pure = value.purity != "impure" and (not isinstance(info, tree.FuncStructInfo) or info.pure)
        self.out.add("@R.function" if pure else "@R.function(pure=False)")
        own = [one for one in _shape_variables(value) if one not in self.shape_names]
        self.header(value, name, value.ret_struct_info, {*self.shape_names})
        self.attributes(value)
        for size in own:
            self.out.add(f"{size} = T.int64()")
        outer, self.shape_names = self.shape_names, {*self.shape_names, *own}
        self.body(value.body)
        self.out.leave()
        self.shape_names = outer

    # -- expressions -------------------------------------------------------------------------------------------

    def expr(self, node: tree.Expr) -> str:
        """Return an expression of the normal form."""
        row = _ROWS.get(type(node))
        if row is None:
            raise NotExportable(node, f"`{type(node).__name__}`")
        return row(self, node)

    def variable(self, node: tree.Var) -> str:
        """Return a variable."""
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
        fields = [self.expr(one) for one in node.fields] + [
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

    def call(self, node: tree.Call) -> str:
        """Return a call."""
        if isinstance(node.op, tree.Op):
            return self.operator_call(node, node.op.op_name)
        result = self.results(node, "ty_args")
        pure = any(one.key == "pure" and value_of(one.value) is True for one in node.attrs)
        args = [self.expr(one) for one in node.args]
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
            fields = [info_text(one, version=self.version) for one in info.fields]
            return [f"{word}=[{', '.join(fields)}]"]
        shown = info_text(info, version=self.version)
        return [f"{word}=({shown},)" if word in ("ty_args", "sinfo_args") else f"{word}={shown}"]

    def operator_call(self, node: tree.Call, name: str) -> str:
        """Return a call of an operator."""
        if name in IN_STYLE:
            return self.style_call(node, name)
        if name in WITH_RESULT:
            callee = node.args[0]
            first = quoted(callee.global_symbol) if isinstance(callee, tree.ExternFunc) else self.expr(callee)
            rest = [self.python_tuple(one) for one in node.args[1:]]
            attrs = [f"{one.key}={literal_text(value_of(one.value))}" for one in node.attrs]
            return f"R.{name}({', '.join([first, *rest, *attrs, *self.results(node, 'ty_args')])})"
        operator = registry.lookup(name)
        if operator is None:
            raise NotExportable(node, f"the operator `{name}`")
        if name in ("print", "assert_op"):
            return self.effect(node, name)
        parts = self.arguments(node, operator)
        return f"R.{name}({', '.join(parts)})"

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
            listed = [value] if key == "inplace_indices" and not isinstance(value, list) else value
            parts.append(f"{key}={literal_text(listed)}")
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
            shown = self.argument(given, param.kind)
            parts.append(shown if in_order else f"{names[param.name]}={shown}")
        for attr in node.attrs:
            value = value_of(attr.value)
            shown = quoted(value) if isinstance(attr.value, tree.DType) else literal_text(value)
            if attr.key == "index_map" and isinstance(value, str):
                head, _, tail = value.partition("->")
                shown = f"T.index_map(lambda {head.strip()[1:-1]}: {tail.strip()})"
            parts.append(f"{names.get(attr.key, attr.key)}={shown}")
        return parts

    def argument(self, node: tree.Expr, kind: str) -> str:
        """Return an argument of an operator, by the kind of its parameter."""
        if kind == "tensors":
            return self.python_tuple(node)
        if kind == "prims" and isinstance(node, tree.Tuple):
            return f"[{', '.join([self.expr(one) for one in node.fields])}]"
        if kind == "prim" and isinstance(node, tree.PrimValue):
            return f"R.prim_value({self.expr(node)})"
        return self.expr(node)


def _tvm_names(ours: list[str], theirs: list[str], operator: Operator) -> dict[str, str]:
    """Return TVM's name for each of ours; those that differ are matched in order."""
    names = {name: name for name in ours if name in theirs}
    left = [name for name in theirs if name not in names]
    for param in operator.params:
        if param.name not in names and left:
            names[param.name] = left.pop(0)
    return names


def _callee(value: tree.Expr) -> str:
    return value.op.op_name if isinstance(value, tree.Call) and isinstance(value.op, tree.Op) else ""


def _shape_variables(function: tree.Function) -> list[str]:
    """Return the shape variables of a function, without those inside it, in the order of the text."""
    found: dict[str, None] = {}
    todo: list[Node] = [*reversed([*children(function)])]
    while todo:
        one = todo.pop()
        if isinstance(one, tree.PrimVar):
            found[one.name] = None
        elif isinstance(one, tree.VarBinding) and isinstance(one.value, tree.Function):
            continue  # its annotation is not written
        elif not isinstance(one, tree.Function):
            todo += reversed([*children(one)])
    return list(found)


def constant_dtype(node: tree.Constant) -> str:
    """Return the dtype of a constant; one without is an int32, a float32 or a bool."""
    if node.dtype is not None:
        return node.dtype.name
    kinds = {type(one) for one in walk(node.data)}
    if tree.FloatLit in kinds or kinds == {tree.ListLit}:
        return "float32"
    return "bool" if tree.BoolLit in kinds else "int32"


_ROWS: dict[type[tree.Expr], Callable[..., str]] = {
    tree.Call: FunctionWriter.call,
    tree.Constant: FunctionWriter.constant,
    tree.ExternFunc: FunctionWriter.extern,
    tree.GlobalVar: FunctionWriter.global_name,
    tree.PrimValue: FunctionWriter.scalar,
    tree.ShapeExpr: FunctionWriter.shape,
    tree.Tuple: FunctionWriter.tuple,
    tree.TupleGetItem: FunctionWriter.item,
    tree.Var: FunctionWriter.variable,
}
