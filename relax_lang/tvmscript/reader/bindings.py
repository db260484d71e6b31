"""Bindings of Relax functions: `x = e`, `a, b = t`, `x = R.match_cast(y, S)`, `with R.dataflow():`."""

from __future__ import annotations

import ast

from relax_lang.base.node import same
from relax_lang.syntax import tree
from relax_lang.tvmscript.reader.scalar_values import bound, is_scalar_call
from relax_lang.tvmscript.scalar_reader.reading import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from relax_lang.tvmscript.reader.signatures import SignatureReader


class BindingStatements:
    """What the statements of one function or branch bind; `functions` reads the statements."""

    def __init__(
        self, reader: SignatureReader, function: ast.FunctionDef | None, result: tree.StructInfo | None = None
    ) -> None:
        self.reader = reader
        self.result = result
        self.reading = reader.reading
        self.function = function
        self.blocks: list[tree.BlockOfBindings] = []
        self.bindings: list[tree.Binding] = []
        self.value: tree.Expr | None = None
        self.outputs: list[tree.Var] | None = None
        """What leaves the dataflow block that is being read; None outside of one."""
        self.in_dataflow = False

    def statement(self, node: ast.stmt) -> None:
        """Read one statement."""
        raise NotImplementedError

    def attempt(self, statement: ast.stmt) -> None:
        """Read a statement; where that is not possible, the names that it binds have unknown values."""
        try:
            self.statement(statement)
        except Refused as refused:
            self.lose(statement, refused)

    def lose(self, statement: ast.stmt, refused: Refused) -> None:
        """Report what cannot be read, and bind the names of the statement to an unknown value."""
        self.reading.found.append(refused.diagnostic)
        self.reader.lost = True
        pos, end = self.reading.span(statement)
        missing = tree.Missing(pos, end)
        if isinstance(statement, ast.Return):
            self.value = missing
            return
        targets: list[ast.expr] = []
        info: tree.StructInfo | None = None
        if isinstance(statement, ast.Assign):
            targets = list(statement.targets)
        elif isinstance(statement, ast.AnnAssign):
            targets = [statement.target]
            try:
                info = self.reader.info(statement.annotation)
            except Refused:
                info = None
        elif isinstance(statement, ast.FunctionDef):
            self.bind(statement.name, None, missing, self.reading.span(statement), (pos, end))
        for target in targets:
            for one in ast.walk(target):
                if isinstance(one, ast.Name):
                    self.bind(one.id, info, missing, self.reading.span(one), (pos, end))

    def last_value(self, body: Sequence[ast.stmt]) -> tree.Expr:
        """Return the value of a branch without `return`: its last variable."""
        end = self.reading.py.end(body[-1]) if body else 0
        if self.function is None and self.blocks and self.blocks[-1].bindings:
            var = self.blocks[-1].bindings[-1].var
            if var is not None and var.name_hint != "_":
                return tree.Var(var.name_hint, None, var.pos, var.end)
        if (
            self.function is not None
            and isinstance(self.function.returns, ast.Constant)
            and self.function.returns.value is None
        ):
            return tree.Tuple((), end, end)
        if self.function is None:
            return tree.Tuple((), end, end)
        if not self.reader.lost:
            self.reading.found.append(
                self.reading.wrong(self.function, "the function does not return").diagnostic
            )
            self.reader.lost = True
        return tree.Missing(end, end)

    def close(self) -> None:
        """End the ordinary block that is being read."""
        if self.bindings:
            made = tuple(self.bindings)
            self.blocks.append(tree.BindingBlock(made, False, made[0].pos, made[-1].end))
            self.bindings = []

    def bind(
        self,
        name: str,
        info: tree.StructInfo | None,
        value: tree.Expr,
        place: tuple[int, int],
        span: tuple[int, int],
    ) -> None:
        """Bind a name."""
        end = place[1] if info is None else max(place[1], info.end)
        self.bindings.append(tree.VarBinding(tree.Var(name, info, place[0], end), value, *span))
        if name != "_":
            self.reader.names.variables.add(name)
            self.reader.names.note(name, info)
            callee = value.op if isinstance(value, tree.Call) else None
            is_null = isinstance(callee, tree.Op) and callee.op_name == "null_value"
            (self.reader.names.nulls.add if is_null else self.reader.names.nulls.discard)(name)
            if info is None and is_scalar_call(value):
                self.reader.names.scalars.add(name)

    def with_(self, node: ast.With) -> None:
        """Read `with R.dataflow():`."""
        call = node.items[0].context_expr
        if len(node.items) != 1 or self.reading.called(call) != ("R", "dataflow"):
            raise self.reading.unsupported(call, f"`with {self.reading.py.shown(call)}`")
        if self.in_dataflow:
            raise self.reading.unsupported(node, "a dataflow block in another one")
        self.close()
        self.in_dataflow = True
        self.outputs = []
        self.reading.features.dataflow = True
        for statement in node.body:
            self.attempt(statement)
        outputs, self.outputs, self.in_dataflow = self.outputs or [], None, False
        bindings, self.bindings = self.bindings, []
        span = self.reading.span(node)
        self.blocks.append(tree.DataflowBlock(tuple(bindings), tuple(outputs), *span))
        kept = {one.name_hint for one in outputs}
        for one in bindings:
            if one.var is not None and one.var.name_hint not in kept:
                self.hidden(one.var.name_hint)

    def hidden(self, name: str) -> None:
        """A variable of a dataflow block has left its scope; the check reports uses of it."""

    # -- bindings ----------------------------------------------------------------------------------------------

    def assign(self, node: ast.Assign) -> None:
        """Read `x = e`."""
        if self.reader.declared_sizes(node):
            return
        if len(node.targets) != 1:
            raise self.reading.unsupported(node, "an assignment to several targets")
        target = node.targets[0]
        if isinstance(target, ast.Name):
            self.define(node, target, None, node.value)
        elif isinstance(target, ast.Tuple):
            self.unpack(node, target)
        else:
            raise self.reading.unsupported(node, f"an assignment to `{self.reading.py.shown(target)}`")

    def unpack(self, node: ast.Assign, target: ast.Tuple) -> None:
        """Read `a, b = t`: the fields of a tuple."""
        names = [one for one in target.elts if isinstance(one, ast.Name)]
        if len(names) != len(target.elts):
            raise self.reading.unsupported(target, "an assignment to `*` names")
        if isinstance(node.value, ast.Tuple) and len(node.value.elts) == len(names):
            values = [bound(self.reader, one, None) for one in node.value.elts]
            for name, value in zip(names, values, strict=True):
                self.bind(name.id, None, value, self.reading.span(name), self.reading.span(node))
            return
        span = self.reading.span(node)
        value = self.reader.expression(node.value)
        if not isinstance(value, tree.Var):
            holder = f"{names[0].id}_tuple"
            while holder in self.reader.names.variables:
                holder += "_"
            self.bind(holder, None, value, (value.pos, value.pos), span)
            value = tree.Var(holder, None, value.pos, value.end)
        for at, name in enumerate(names):
            field = tree.TupleGetItem(
                tree.Var(value.name_hint, None, value.pos, value.end), at, value.pos, value.end
            )
            self.bind(name.id, None, field, self.reading.span(name), span)

    def annotated(self, node: ast.AnnAssign) -> None:
        """Read `x: S = e`."""
        if self.reader.declared_sizes(node):
            return
        if not isinstance(node.target, ast.Name) or node.value is None:
            raise self.reading.unsupported(node, "an annotation without a value")
        self.define(node, node.target, node.annotation, node.value)

    def define(self, node: ast.stmt, target: ast.Name, annotation: ast.expr | None, value: ast.expr) -> None:
        """Read the definition of one variable."""
        span = self.reading.span(node)
        if isinstance(value, ast.Name) and value.id in self.reading.module_names and annotation is None:
            self.reading.module_names.add(target.id)  # `cls = Module`
            return
        info = None if annotation is None else self.reader.info(annotation)
        place = self.reading.span(target)
        dialect, name = self.reading.called(value)
        if dialect == "R" and name in ("match_cast", "match_shape") and isinstance(value, ast.Call):
            self.match(value, target.id, info, place, span)
            return
        if isinstance(value, ast.IfExp):
            raise self.reading.unsupported(value, "a conditional expression", "write an `if` statement")
        made = bound(self.reader, value, info)
        if (
            isinstance(info, tree.ShapeStructInfo)
            and isinstance(made, tree.ShapeExpr)
            and info.values is None
        ):
            info = None  # the shape has more
        if info is not None and (dialect, name) == ("R", "call_packed") and isinstance(made, tree.Call):
            made = self._annotated_result(made, info)
        self.bind(target.id, info, made, place, span)
        var = self.bindings[-1].var
        if not self.reader.keep_devices(var, info) and isinstance(made, tree.Call):
            self.reader.keep_devices(var, made.struct_info)

    def _annotated_result(self, call: tree.Call, info: tree.StructInfo) -> tree.Call:
        """Let an annotation be the result of a packed function that names none, as in the first drafts of Relax."""
        if call.struct_info is not None or isinstance(info, tree.ObjectStructInfo):
            return call
        attrs = call.attrs
        self.reading.read_as(info, "R.call_packed", "one that returns what the annotation gives, `ty_args=`")
        if (
            self.in_dataflow
            and isinstance(info, tree.ShapeStructInfo)
            and isinstance(call.op, tree.ExternFunc)
        ):
            self.reading.read_as(
                call, "R.call_packed", "a shape function without effects, `R.call_pure_packed`"
            )
            attrs = (*attrs, tree.Attr("pure", tree.BoolLit(True, call.end, call.end), call.end, call.end))
        return tree.Call(call.op, call.args, attrs, info, call.pos, call.end)

    def match(
        self,
        call: ast.Call,
        name: str,
        info: tree.StructInfo | None,
        place: tuple[int, int],
        span: tuple[int, int],
    ) -> None:
        """Read `R.match_cast(x, S)`, `R.match_shape(x, (n,))`."""
        target, value = self._match_parts(call)
        var: tree.Var | None = None
        if name != "_":
            var = tree.Var(name, None, *place)
        cast = self.reading.span(call)
        self.bindings.append(tree.MatchCast(var, target, value, *span, *cast))
        if name != "_":
            self.reader.names.variables.add(name)
        if var is not None and info is not None and not _is_plain_repeat(info, target):
            # An annotation is what is known of the variable afterwards.
            var = tree.Var(name, info, place[0], info.end)
            self.bindings[-1] = tree.MatchCast(var, target, value, *span, *cast)

    def _match_parts(self, call: ast.Call) -> tuple[tree.StructInfo, tree.Expr]:
        _, name = self.reading.called(call)
        given = [*call.args, *[one.value for one in call.keywords]]
        if len(given) != 2:
            raise self.reading.wrong(
                call, f"`{self.reading.py.shown(call.func)}` takes a value and what it must be"
            )
        value = self.reader.expression(given[0])
        if name == "match_cast":
            self._declare_dimensions(given[1])
            return self.reader.info(given[1]), value
        self._declare_dimensions(given[1])
        dims = self.reader.dimensions(given[1])
        if dims is None:
            raise self.reading.wrong(given[1], "a shape is written out here")
        return tree.MatchShapeInfo(dims, *self.reading.span(given[1])), value

    def _declare_dimensions(self, node: ast.expr) -> None:
        """Declare the bare names of a target that nothing else defines: older files bind them so."""
        listed = [one.elts for one in ast.walk(node) if isinstance(one, ast.Tuple | ast.List)]
        for name in [one for items in listed for one in items if isinstance(one, ast.Name)]:
            env = self.reading.env
            known = self.reader.variable(name) is not None or name.id in env.defines
            if not known and not env.definitions(name.id):
                self.reader.names.shape_vars.add(name.id)


def _is_plain_repeat(info: tree.StructInfo, target: tree.StructInfo) -> bool:
    return same(info, target)
