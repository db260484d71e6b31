"""Relax functions in normal form in TVM's notation, in the style of its printer."""

from __future__ import annotations

from relax_lang.base.node import children, same, walk
from relax_lang.syntax import tree
from relax_lang.tvmscript import spelling
from relax_lang.tvmscript.writer.expressions import IN_STYLE, ExpressionWriter
from relax_lang.tvmscript.writer.struct_infos import info_text
from relax_lang.tvmscript.writer.text import (
    RESERVED,
    Names,
    NotExportable,
    literal_text,
    quoted,
    value_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from relax_lang.base.node import Node

    StoreConstant = Callable[[tree.Constant], str | None]

_MOST_PARTS = 1000
"""What is known of a variable is left out, as TVM works it out too, if it has more parts."""
UNITS = frozenset(("print", "assert_op", "vm.kill_object", "memory.kill_tensor", "memory.kill_storage"))
"""Operators whose calls are statements of their own: their result is nothing."""


class FunctionWriter(ExpressionWriter):
    """Writes one function of a module."""

    def write(
        self, function: tree.Function, depth: int, name: str, result: tree.StructInfo | None, *, pure: bool
    ) -> list[str]:
        """Return the lines of a function of the module. Raises NotExportable."""
        self.out.depth = depth
        sizes = _shape_variables(function)
        self.names = Names(RESERVED | set(sizes))
        bad = [one for one in sizes if not one.isidentifier() or one in RESERVED]
        if bad:
            raise NotExportable(function, f"the shape variable `{bad[0]}`", "it is not a name in Python")
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
        devices = self.named_devices(function)
        params: list[str] = []
        for param in function.params:
            info = param.struct_info_annotation or tree.ObjectStructInfo(-1, -1)
            own = iter(devices.get(param.name_hint, ()))
            shown = info_text(info, quoted=True, bound=bound, version=self.version, devices=own)
            params.append(f"{self.names.of(param.name_hint)}: {shown}")
            self.known[param.name_hint] = self.infos.get(param, info)
        arrow = ""
        if result is not None:
            own = iter(devices.pop(spelling.RETURN, ()))
            shown = info_text(result, quoted=True, bound=bound, version=self.version, devices=own)
            arrow = f" -> {shown}"
        self.out.enter(f"def {name}({', '.join(params)}){arrow}:")

    def named_devices(self, function: tree.Function) -> dict[str, list[str]]:
        """Add the devices that a function names to those that are known; return these."""
        said: dict[str, list[str]] = {}
        for one in function.attrs:
            if one.key == spelling.DEVICES and isinstance(one.value, tree.MapLit):
                for each in one.value.items:
                    value = value_of(each.value)
                    said[each.key] = [str(part) for part in (value if isinstance(value, list) else [value])]  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType]
        if said:
            for var, key in spelling.keys_of_binders(function.params, function.body).items():
                written = self.keys.get(var.pos, key)  # the normal form may have renamed it
                if written in said:
                    self.devices[var.name_hint] = said[written]
            if spelling.RETURN in said:
                self.devices[spelling.RETURN] = said[spelling.RETURN]
        return self.devices

    def attributes(self, function: tree.Function) -> None:
        """Write `R.func_attr({…})`."""
        kept = [one for one in function.attrs if one.key != spelling.DEVICES]
        items = [f"{quoted(one.key)}: {literal_text(value_of(one.value))}" for one in kept]
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
        self.bound = "" if var is None else var.name_hint
        if var is not None and var in self.infos:
            self.known[var.name_hint] = self.infos[var]
        name = "_" if var is None or var.name_hint == "_" else self.names.of(var.name_hint)
        if isinstance(binding, tree.MatchCast):
            target = self.cast_target(binding)
            self.out.add(f"{name} = R.match_cast({self.expr(binding.value)}, {target})")
            return
        value = binding.value
        if var is not None and _is_number(value) and binding.pos == value.pos:
            # The normal form has made a variable of an argument; for TVM a number is none.
            self.inlined[var.name_hint] = self.expr(value)
            return
        if isinstance(value, tree.If):
            self.conditional(name, binding.var.struct_info_annotation, value)
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
            elif not isinstance(known, tree.ShapeStructInfo):
                raise NotExportable(
                    binding, "a `match_shape` of an object", "TVM has to know what it matches"
                )
        if isinstance(info, tree.PrimStructInfo) and self.is_tensor(binding.value):
            raise NotExportable(
                binding,
                "a `match_cast` of a tensor to a scalar",
                "operators of TVM do not compute scalars: pass a tensor of rank 0",
            )
        return info_text(info, version=self.version)

    def is_tensor(self, value: tree.Expr) -> bool:
        """Return whether a value that is matched is known to be a tensor."""
        if isinstance(value, tree.Var):
            return isinstance(self.known.get(value.name_hint), tree.TensorStructInfo)
        if isinstance(value, tree.Call):
            return bool(_callee(value)) and value.struct_info is None and not _is_number(value)
        return isinstance(value, tree.Constant)

    def annotation(self, binding: tree.VarBinding, value: tree.Expr) -> str:
        """Return the annotation of a binding: what was written, or else what is known."""
        written = binding.var.struct_info_annotation
        if written is None and (binding.var.name_hint == "_" or _callee(value) in IN_STYLE):
            return ""
        devices = self.devices.get(binding.var.name_hint)
        if self.on_devices and devices is None and not isinstance(value, tree.Function):
            return ""  # TVM works out the device too
        info = written or self.infos.get(binding.var)
        if info is None or (
            isinstance(info, tree.FuncStructInfo | tree.MissingStructInfo) and written is None
        ):
            return ""
        if written is None and not self._is_sayable(info):
            return ""
        return f": {info_text(info, version=self.version, devices=iter(devices or ()))}"

    def _is_sayable(self, info: tree.StructInfo) -> bool:
        for at, one in enumerate(walk(info)):
            if at == _MOST_PARTS:  # tuples share parts, texts do not
                return False
            if isinstance(one, tree.PrimVar) and one.name not in self.shape_names:
                return False
            if isinstance(one, tree.Var | tree.FuncStructInfo | tree.MissingStructInfo):
                return False
        return True

    def conditional(self, name: str, written: tree.StructInfo | None, value: tree.If) -> None:
        """Write an `if`. What its variable is declared to be, for which an `if` of Python has no place, is that of a
        second variable: it may be checked when it runs, and is what the rest of the program knows.
        """
        if written is None or all(same(written, one) for one in self._results(value)):
            self.branches(name, value)
            return
        result = self.names.fresh("value" if name == "_" else name)
        self.branches(result, value)
        self.out.add(f"{name}: {info_text(written, version=self.version)} = {result}")

    def _results(self, value: tree.If) -> list[tree.StructInfo | None]:
        """Return what is known of the values of both branches."""
        found: list[tree.StructInfo | None] = []
        for branch in (value.true_branch, value.false_branch):
            result = branch.body if isinstance(branch, tree.SeqExpr) else branch
            blocks = branch.blocks if isinstance(branch, tree.SeqExpr) else ()
            binders = {one.var.name_hint: one.var for block in blocks for one in block.bindings if one.var}
            if not isinstance(result, tree.Var):
                found.append(None)
            elif result.name_hint in binders:
                found.append(self.infos.get(binders[result.name_hint]))
            else:
                found.append(self.known.get(result.name_hint))
        return found

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
            and not isinstance(final.value, tree.Var)  # TVM takes a second name for the value of the branch
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
        if _is_number(final.value):  # what both branches bind is a variable, also of a number
            self.out.add(f"{name} = {self.expr(final.value)}")
            return
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


def _is_number(value: tree.Expr) -> bool:
    return _callee(value) == "prim_value" and isinstance(value.args[0], tree.PrimValue)  # type: ignore[union-attr]


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
