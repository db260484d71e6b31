"""Random trees of every node class, printable and with resolved names: `Trees(Random(seed)).module()`.

The trees follow grammar/tree.asdl and the scopes of the language: every name in callee position is an
operator or a visible variable as the text form has it. They are not well typed; most programs make no
sense. `as_written` is what the parser makes of their text.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random
from typing import Any

from relax_lang.base.node import Node
from relax_lang.format import lexemes
from relax_lang.syntax import tree
from tests.generate_parts import PLAIN_NAMES, STRINGS, RandomParts

ODD_NAMES = (
    "lv0.1",
    "if",
    "a b",
    "été",
    "b`q",
    "back\\slash",
    "inf",
    "Tensor",
    "new\nline",
    "",
    "#no",
    '"s"',
    "😀",
    "\ud800",
)
OPERATORS = (
    "add",
    "matmul",
    "nn.softmax",
    "image.resize2d",
    "cast",
    "call_tir",
    "min",
    "if",
    "two words",
    "shape",
)
INFIX = ("+", "-", "*", "/", "//", "%", "**", "==", "!=", "<", "<=", ">", ">=", "&&", "||")


def as_written(node: Any) -> Any:
    """Return a tree as the parser reads its text: bare operators and variables of dataflow blocks are plain names."""
    if isinstance(node, tuple):
        return tuple([as_written(one) for one in node])
    if not isinstance(node, Node):
        return node
    if isinstance(node, tree.Op) and not lexemes.DOTTED.fullmatch(node.op_name):
        return tree.Var(node.op_name)
    kind = tree.Var if isinstance(node, tree.DataflowVar) else type(node)
    return kind(*[as_written(getattr(node, name)) for name in node.FIELDS])


class Trees(RandomParts):
    """Makes trees; `depth` bounds the nesting of expressions, `width` the length of lists."""

    def __init__(self, random: Random, *, depth: int = 4, width: int = 3, odd_names: bool = True) -> None:
        self.random = random
        self.depth = depth
        self.width = width
        self.names = PLAIN_NAMES + ODD_NAMES if odd_names else PLAIN_NAMES
        self.visible: list[str] = []
        """Local variables in scope, one entry for each binding."""

    # -- choices ---------------------------------------------------------------------------------------------

    # -- literals --------------------------------------------------------------------------------------------

    # -- scalar expressions ----------------------------------------------------------------------------------

    # -- struct infos ----------------------------------------------------------------------------------------

    def struct_info(self) -> tree.StructInfo:
        choice = self.random.randrange(8)
        if choice < 4 or self.depth <= 0:
            return self.tensor_info()
        if choice == 4:
            values = self.maybe(self.dims)
            return tree.ShapeStructInfo(
                values, None if values is not None else self.maybe(lambda: self.random.randrange(5))
            )
        if choice == 5:
            return tree.PrimStructInfo(self.dtype()) if self.chance(40) else tree.ObjectStructInfo()
        if choice == 6:
            return tree.TupleStructInfo(self.deeper(lambda: self.many(self.struct_info)))
        return self.function_info()

    def tensor_info(self) -> tree.TensorStructInfo:
        dtype = self.maybe(self.dtype, 70)
        choice = self.random.randrange(5)
        if choice == 0:
            return tree.TensorStructInfo(None, dtype, self.maybe(lambda: self.random.randrange(5)))
        if choice == 1:
            return tree.TensorStructInfo(
                tree.Var(self.one_of(("s", "float32", "odd name")), None), dtype, None
            )
        return tree.TensorStructInfo(tree.ShapeExpr(self.dims()), dtype, None)

    def function_info(self) -> tree.FuncStructInfo:
        if self.chance(30):
            return tree.FuncStructInfo(None, None, self.one_of(("default", "empty", "odd one")), pure=False)
        params = self.deeper(lambda: self.many(self.struct_info))
        return tree.FuncStructInfo(params, self.deeper(self.struct_info), None, pure=self.chance(70))

    # -- expressions -----------------------------------------------------------------------------------------

    def leaf(self) -> tree.Expr:
        made: list[Callable[[], tree.Expr]] = [
            lambda: tree.Var(self.one_of(self.visible), None) if self.visible else tree.Tuple(()),
            lambda: tree.Var(self.binder_name(), None),
            self.constant,
            lambda: tree.GlobalVar(self.one_of(("main", "if", "fused.add 1", "f"))),
            lambda: tree.ExternFunc(self.one_of(STRINGS)),
            lambda: tree.ShapeExpr(self.dims()),
            lambda: tree.Op("nn.relu"),
        ]
        return self.one_of(made)()

    def expr(self) -> tree.Expr:
        if self.depth <= 0 or self.chance(25):
            return self.leaf()
        return self.deeper(self._expr)

    def _expr(self) -> tree.Expr:
        choice = self.random.randrange(20)
        if choice < 6:
            return self.call()
        if choice < 10:
            return tree.BinaryOp(self.one_of(INFIX), self.expr(), self.expr())
        made: list[Callable[[], tree.Expr]] = [
            lambda: tree.UnaryOp(self.one_of(("-", "!")), self.expr()),
            lambda: tree.Tuple(self.many(self.expr)),
            lambda: tree.TupleGetItem(self.expr(), self.random.randrange(12)),
            self.seq_expr,
            lambda: tree.If(self.expr(), self.seq_expr(), self.else_branch()),
            lambda: self.function(None),
        ]
        return self.one_of(made)()

    def else_branch(self) -> tree.SeqExpr:
        if self.chance(40):
            return tree.SeqExpr((), tree.If(self.expr(), self.seq_expr(), self.seq_expr()))
        return self.seq_expr()

    def call(self) -> tree.Call:
        callee: tree.Expr = tree.Op(
            self.one_of([op for op in OPERATORS if op not in self.visible] or ["nn.relu"])
        )
        if self.visible and self.chance(20):
            callee = tree.Var(self.one_of(self.visible), None)
        elif self.chance(30):
            callee = self.expr()
            if isinstance(callee, tree.Var) and callee.name_hint not in self.visible:
                callee = tree.Op("nn.relu")
        return tree.Call(callee, self.many(self.expr), self.attrs(), self.maybe(self.struct_info, 30))

    def function(self, name: str | None) -> tree.Function:
        outer = len(self.visible)
        made = self.many(lambda: tree.Var(self.binder_name(), self.deeper(self.struct_info)))
        for param in made:
            self.see(param.name_hint)
        purity = self.one_of((None, None, "pure", "impure", "force_pure"))
        result = self.maybe(self.struct_info)
        body = self.deeper(self.seq_expr)
        del self.visible[outer:]
        owner = None if name is None else tree.GlobalVar(name)
        return tree.Function(
            owner, name is not None and self.chance(30), purity, made, result, self.attrs(), body
        )

    # -- blocks and bindings ---------------------------------------------------------------------------------

    def seq_expr(self) -> tree.SeqExpr:
        outer = len(self.visible)
        blocks = self.many(self.block_of_bindings) if self.depth > 0 and self.chance(70) else ()
        body = self.expr()
        del self.visible[outer:]
        return tree.SeqExpr(blocks, body)

    def block_of_bindings(self) -> tree.BlockOfBindings:
        if self.chance(60):
            return tree.BindingBlock(
                self.many(self.binding, 0 if self.chance(20) else 1), explicit=self.chance(20)
            )
        outer = len(self.visible)
        bindings = self.many(self.binding)
        del self.visible[outer:]
        named = [binding.var.name_hint for binding in bindings if binding.var is not None]  # type: ignore[attr-defined]
        outputs = [name for name in dict.fromkeys(named) if self.chance(50)] + ["elsewhere"] * self.chance(5)
        for name in outputs:
            self.see(name)
        leaving = set(outputs)
        made: list[tree.Binding] = []
        for binding in reversed(bindings):
            var = binding.var  # type: ignore[attr-defined]
            if var is not None and var.name_hint != "_":
                if var.name_hint not in leaving:
                    binding = self.inner(binding)
                leaving.discard(var.name_hint)
            made.append(binding)
        return tree.DataflowBlock(tuple(reversed(made)), tuple([tree.Var(name, None) for name in outputs]))

    @staticmethod
    def inner(binding: tree.Binding) -> tree.Binding:
        """Return a binding with a DataflowVar for its Var."""
        var = binding.var  # type: ignore[attr-defined]
        made = tree.DataflowVar(var.name_hint, var.struct_info_annotation)
        if isinstance(binding, tree.VarBinding):
            return tree.VarBinding(made, binding.value)
        return tree.MatchCast(made, binding.struct_info, binding.value)  # type: ignore[attr-defined]

    def binding(self) -> tree.Binding:
        name = self.binder_name()
        var = tree.Var(name, self.maybe(self.struct_info, 30))
        if self.chance(25):
            info = tree.MatchShapeInfo(self.dims()) if self.chance(30) else self.struct_info()
            value = self.expr()
            if self.chance(30) or (name == "_" and var.struct_info_annotation is None):
                return tree.MatchCast(None, info, value)
            self.see(name)
            return tree.MatchCast(var, info, value)
        if self.chance(20):
            self.see(name)
            return tree.VarBinding(var, self.deeper(lambda: self.function(None)))
        value = self.expr()
        if isinstance(value, tree.Function):  # it would have seen its own name
            value = tree.Tuple(())
        self.see(name)
        return tree.VarBinding(var, value)

    # -- PrimFuncs -------------------------------------------------------------------------------------------

    def prim_func(self, name: str) -> tree.PrimFunc:
        params = self.many(self.prim_param)
        return tree.PrimFunc(
            tree.GlobalVar(name), self.chance(30), params, self.attrs(), self.many(self.stmt), *self.outcome()
        )

    def outcome(self) -> tuple[tree.DType, tree.PrimExpr] | tuple[None, None]:
        return (self.dtype(), self.prim()) if self.chance(30) else (None, None)

    def prim_param(self) -> tree.PrimParam:
        return self.buffer() if self.chance(70) else tree.ScalarParam(self.name(), self.dtype())

    def buffer(self) -> tree.Buffer:
        return tree.Buffer(self.name(), self.dims(), self.dtype())

    def stmts(self) -> tuple[tree.Stmt, ...]:
        return self.deeper(lambda: self.many(self.stmt))

    def extern_arg(self) -> tree.ExternArg:
        return tree.StrLit(self.one_of(STRINGS)) if self.chance(30) else self.prim()

    def stmt(self) -> tree.Stmt:
        simple: list[Callable[[], tree.Stmt]] = [
            lambda: tree.BufferStore(
                tree.PrimVar(self.name()),
                self.many(self.prim),
                self.one_of(("=", "+=", "-=", "*=")),
                self.prim(),
            ),
            lambda: tree.LetStmt(tree.PrimVar(self.name()), self.maybe(self.dtype), self.prim()),
            lambda: tree.Allocate(self.buffer(), self.maybe(lambda: self.one_of(STRINGS)), self.attrs()),
            lambda: tree.BufferView(
                self.buffer(),
                tree.PrimVar(self.name()),
                self.maybe(lambda: self.region().region),
                self.attrs(),
            ),
            lambda: tree.AssertStmt(self.prim(), self.one_of(STRINGS)),
            lambda: tree.CallExtern(self.one_of(STRINGS), self.many(self.extern_arg)),
            tree.Break,
            tree.Continue,
        ]
        if self.depth <= 0:
            return self.one_of(simple)()
        nested: list[Callable[[], tree.Stmt]] = [
            self.loop,
            self.block,
            lambda: tree.IfThenElse(self.prim(), self.stmts(), self.stmts()),
            lambda: tree.While(self.prim(), self.stmts()),
        ]
        return self.one_of(simple + nested)()

    def loop(self) -> tree.For:
        kind = self.one_of(("serial", "parallel", "vectorized", "unrolled", "thread"))
        thread = self.one_of(STRINGS) if kind == "thread" else None
        variables = self.many(self.prim_var, 1)
        if len(variables) == 1 and self.chance(60):
            return tree.For(
                kind,
                thread,
                variables,
                (tree.Range(self.prim(), self.prim()),),
                self.stmts(),
                grid=False,
                attrs=self.attrs(),
            )
        ranges = tuple([tree.Range(tree.IntImm(0, None), self.prim()) for _ in variables])
        return tree.For(
            kind, thread, variables, ranges, self.stmts(), grid=self.chance(80), attrs=self.attrs()
        )

    def region(self) -> tree.BufferRegion:
        def index() -> tree.PrimExpr | tree.Range:
            return self.prim() if self.chance(50) else tree.Range(self.prim(), self.prim())

        return tree.BufferRegion(tree.PrimVar(self.name()), self.many(index))

    def block(self) -> tree.Block:
        def axis() -> tree.IterVar:
            dom = self.maybe(lambda: tree.Range(self.prim(), self.prim()), 30)
            return tree.IterVar(
                tree.PrimVar(self.name()), self.one_of(("spatial", "reduce", "scan")), self.prim(), dom
            )

        return tree.Block(
            self.name(),
            self.many(axis),
            self.maybe(self.prim),
            self.maybe(lambda: self.many(self.region)),
            self.maybe(lambda: self.many(self.region)),
            self.attrs(),
            self.maybe(self.stmts),
            self.stmts(),
        )

    # -- modules ---------------------------------------------------------------------------------------------

    def module(self) -> tree.IRModule:
        items: list[tree.Item] = []
        for _ in range(self.random.randint(1, self.width)):
            name = self.one_of(("main", "f", "odd name", "if", 'quote"d'))
            items.append(self.function(name) if self.chance(60) else self.prim_func(name))
        return tree.IRModule(self.attrs(), tuple(items))
