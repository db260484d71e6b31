"""Relax functions: signatures, blocks, bindings."""

from __future__ import annotations

import ast

from relax_lang.base.diagnostic import Edit
from relax_lang.base.node import same
from relax_lang.syntax import tree
from relax_lang.tvmscript import spelling
from relax_lang.tvmscript.python.units import FUNCTION, decorated
from relax_lang.tvmscript.reader.bindings import BindingStatements
from relax_lang.tvmscript.reader.scalar_values import bound
from relax_lang.tvmscript.reader.signatures import SignatureReader
from relax_lang.tvmscript.scalar_reader.attributes import read_attributes
from relax_lang.tvmscript.scalar_reader.reading import function_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


FORCE_PURE = "relax.force_pure"
LEAVES = frozenset((("R", "const"), ("R", "shape"), ("R", "tuple"), ("R", "prim_value")))
"""Constructors of values that bind nothing."""
OUTPUTS = frozenset(("output", "outputs"))


class FunctionReader(SignatureReader):
    """Reads one Relax function."""

    def read(self, node: ast.FunctionDef, decorator: ast.expr, *, local: bool = False) -> tree.Function:
        """Read a function. Raises Refused where its signature cannot be read."""
        self.read_decorator(decorator)
        if not local and self.header.purity is None:
            self._note_claim(node.name, decorator)
        params = self.read_params(node)
        result = None if node.returns is None else self.info(node.returns)
        self.keep_devices(None, result)
        blocks, body = _Body(self, node, result).read(node.body)
        pos, end = self.reading.span(node)
        seq = tree.SeqExpr(blocks, body, self.reading.py.start(node.body[0]), end)
        if self.header.private and not local:
            self.reading.features.private = True
        attrs = [*self.header.attrs, *self._devices(params, seq, pos)]
        if self.header.purity is not None:
            self.reading.features.purity = True
        return tree.Function(
            None if local else function_name(self.reading, node),
            self.header.private and not local,
            self.header.purity,
            params,
            result,
            tuple(attrs),
            seq,
            pos,
            end,
        )

    def _names_again(self, node: ast.AnnAssign, body: Sequence[ast.stmt]) -> bool:
        """Return whether a statement only gives a variable a second name, as TVM prints branches."""
        if not isinstance(node.value, ast.Name) or not isinstance(node.target, ast.Name):
            return False
        for one in reversed(body[:-1]):
            target = one.targets[0] if isinstance(one, ast.Assign) else getattr(one, "target", None)
            if isinstance(target, ast.Name) and target.id == node.value.id:
                annotation = one.annotation if isinstance(one, ast.AnnAssign) else None
                return annotation is None or ast.dump(annotation) == ast.dump(node.annotation)
        known = self.names.infos.get(node.value.id)
        return known is not None and same(known, self.info(node.annotation))

    def _devices(self, params: tuple[tree.Var, ...], body: tree.SeqExpr, pos: int) -> list[tree.Attr]:
        """Return the attribute with the devices of a function, and report those that it has no place for."""
        keys = spelling.keys_of_binders(params, body) if self.header.devices else {}
        entries = [
            tree.Attr(spelling.RETURN if var is None else keys[var], devices, pos, pos)
            for var, devices in self.header.devices
            if var is None or var in keys
        ]
        left = [place for info, place in self.reading.devices.items() if info not in self.header.placed]
        if left:
            self.reading.drop(left[0], "virtual devices")
        self.reading.devices.clear()
        return (
            [tree.Attr(spelling.DEVICES, tree.MapLit(tuple(entries), pos, pos), pos, pos)] if entries else []
        )

    def _note_claim(self, name: str, decorator: ast.expr) -> None:
        """Note that a function is declared pure, and how its decorator would be written otherwise."""
        pos, end = self.reading.span(decorator)
        if not isinstance(decorator, ast.Call):
            edit = Edit(end, end, "(pure=False)")
        else:
            comma = ", " if decorator.args or decorator.keywords else ""
            edit = Edit(end - 1, end - 1, f"{comma}pure=False")
        self.reading.claims[name] = (pos, end), edit

    def block(self, body: Sequence[ast.stmt]) -> tree.SeqExpr:
        """Read the block of a branch; its value is that of its last binding, or what it returns."""
        saved = set(self.names.variables)
        reader = _Body(self, None)
        last = body[-1]
        value = last.value if isinstance(last, ast.Assign) and isinstance(last.targets[0], ast.Name) else None
        if isinstance(last, ast.AnnAssign) and self._names_again(last, body):
            value = last.value
        is_leaf = isinstance(value, ast.Name | ast.Tuple | ast.Constant) or (
            isinstance(value, ast.Call) and self.reading.called(value) in LEAVES
        )
        if value is not None and is_leaf:  # it only gives the result of the branch its name
            returned = ast.copy_location(ast.Return(value), last)
            blocks, result = reader.read([*body[:-1], returned])
        else:
            blocks, result = reader.read(body)
        self.names.ended |= self.names.variables - saved
        self.names.variables = saved
        return tree.SeqExpr(blocks, result, self.reading.py.start(body[0]), self.reading.py.end(last))


class _Body(BindingStatements):
    """Reads the statements of one function or branch into blocks and a value."""

    def __init__(
        self, reader: FunctionReader, function: ast.FunctionDef | None, result: tree.StructInfo | None = None
    ) -> None:
        super().__init__(reader, function, result)
        self.reader: FunctionReader = reader

    def read(self, body: Sequence[ast.stmt]) -> tuple[tuple[tree.BlockOfBindings, ...], tree.Expr]:
        """Read statements. What cannot be read is reported, and its value unknown."""
        for statement in body:
            self.attempt(statement)
        self.close()
        if self.value is None:
            self.value = self.last_value(body)
        return tuple(self.blocks), self.value

    def statement(self, node: ast.stmt) -> None:
        """Read one statement."""
        row = _ROWS.get(type(node))
        if row is None:
            kind = type(node).__name__.lower()
            raise self.reading.unsupported(node, f"the Python statement `{kind}`", "it needs Python to run")
        row(self, node)

    def function_(self, node: ast.FunctionDef) -> None:
        """Read a local function."""
        found = decorated(node, self.reading.aliases)
        if found is None or found[0] != FUNCTION:
            raise self.reading.unsupported(
                node, f"the Python function `{node.name}`", "it needs Python to run"
            )
        name = function_name(self.reading, node)
        inner = FunctionReader(self.reading, self.reader.names)
        inner.names.variables.add(node.name)
        made = inner.read(node, found[1], local=True)
        self.reader.lost = self.reader.lost or inner.lost
        info: tree.StructInfo | None = None
        span = self.reading.span(node)
        if made.ret_struct_info is not None and _mentions(node):
            params = tuple(
                [one.struct_info_annotation or tree.ObjectStructInfo(*span) for one in made.params]
            )
            info = tree.FuncStructInfo(
                params, made.ret_struct_info, None, made.purity != "impure", name.end, name.end
            )
        self.bind(node.name, info, made, (name.pos, name.end), span)

    def expression(self, node: ast.Expr) -> None:
        """Read a statement that is an expression."""
        call = node.value
        span = self.reading.span(node)
        if isinstance(call, ast.Constant):
            return  # a documentation string
        dialect, name = self.reading.called(call)
        if dialect == "R" and isinstance(call, ast.Call):
            if name in OUTPUTS:
                self.output(node, call)
                return
            if name == "func_attr":
                self.attributes(call)
                return
            if name in ("match_cast", "match_shape"):
                self.match(call, "_", None, span, span)
                return
        if dialect == "I" and isinstance(call, ast.Call):
            self.reading.drop(call, f"`I.{name}` in a function")
            return
        self.bind("_", None, self.reader.expression(call), (span[0], span[0]), span)

    def output(self, node: ast.Expr, call: ast.Call) -> None:
        """Read `R.output(a, b)`."""
        if self.outputs is None:
            raise self.reading.wrong(node, "`R.output` is at the end of a dataflow block")
        for one in call.args:
            if not isinstance(one, ast.Name):
                raise self.reading.wrong(one, "`R.output` names variables")
            self.outputs.append(tree.Var(one.id, None, *self.reading.span(one)))

    def attributes(self, call: ast.Call) -> None:
        """Read `R.func_attr({…})`."""
        header = self.reader.header
        name = self.function.name if self.function is not None else ""
        for attr in read_attributes(self.reading, call):
            if attr.key == FORCE_PURE:
                if isinstance(attr.value, tree.BoolLit | tree.IntLit) and attr.value.value:
                    header.purity = "force_pure"
                continue
            if (
                attr.key == "global_symbol"
                and isinstance(attr.value, tree.StrLit)
                and attr.value.value == name
            ):
                continue
            header.attrs.append(attr)

    def if_(self, node: ast.If) -> None:
        """Read `if c: … else: …`, which binds what both branches bind last."""
        condition = self.reader.expression(node.test)
        span = self.reading.span(node)
        if not node.orelse:
            raise self.reading.unsupported(
                node, "an `if` without `else`", "in Relax both branches have a value"
            )
        then, other = self.reader.block(node.body), self.reader.block(node.orelse)
        made = tree.If(condition, then, other, *span)
        if isinstance(node.body[-1], ast.Return) and isinstance(node.orelse[-1], ast.Return):
            self.value = made
            return
        name, place = self._result(node)
        self.bind(name, None, made, place, span)

    def _result(self, node: ast.If) -> tuple[str, tuple[int, int]]:
        """Return the variable that an `if` binds: the last one of its first branch."""
        last = node.body[-1]
        pos = self.reading.py.start(node)
        if isinstance(last, ast.Assign) and isinstance(last.targets[0], ast.Name):
            return last.targets[0].id, (pos, pos)
        if isinstance(last, ast.AnnAssign) and isinstance(last.target, ast.Name):
            return last.target.id, (pos, pos)
        if isinstance(last, ast.If):
            return self._result(last)
        if isinstance(last, ast.FunctionDef):
            return last.name, (pos, pos)
        return "_", (pos, pos)

    def return_(self, node: ast.Return) -> None:
        """Read `return e`."""
        if node.value is None:
            end = self.reading.py.end(node)
            self.value = tree.Tuple((), end, end)
            return
        dialect, name = self.reading.called(node.value)
        if dialect == "R" and name in ("match_cast", "match_shape") and isinstance(node.value, ast.Call):
            span = self.reading.span(node.value)
            name = "checked"
            while name in self.reader.names.variables:
                name += "_"
            self.match(node.value, name, None, (span[0], span[0]), span)
            self.value = tree.Var(name, None, *span)
            return
        self.value = bound(self.reader, node.value, self.result)

    def pass_(self, node: ast.Pass) -> None:
        """Read `pass`: nothing."""


def _mentions(node: ast.FunctionDef) -> bool:
    """Return whether a function names itself."""
    return any(
        isinstance(one, ast.Name) and one.id == node.name for part in node.body for one in ast.walk(part)
    )


_ROWS: dict[type[ast.stmt], Callable[..., None]] = {
    ast.AnnAssign: _Body.annotated,
    ast.Assign: _Body.assign,
    ast.Expr: _Body.expression,
    ast.FunctionDef: _Body.function_,
    ast.If: _Body.if_,
    ast.Pass: _Body.pass_,
    ast.Return: _Body.return_,
    ast.With: _Body.with_,
}
