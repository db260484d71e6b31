"""Changing programs: a method for each class of expressions, whose result takes the place of the expression.

    class ToMultiply(Mutator):
        def visit_Call(self, call):
            if self.name_of(call) == "add":
                return op.multiply(call.args[0], call.args[1])
            return call

`ToMultiply()(program)` returns the changed program. What a method returns may be nested, and may be made by `op`; it
is bound to the variable of the statement, and what is nested in it before. A function in which nothing changes stays
the same node. Bindings are followed without recursion; only branches and local functions are.
"""

from __future__ import annotations

from relax_lang.base.names import FreshNames
from relax_lang.base.node import assert_never, replaced, same, unreachable, walk
from relax_lang.base.relax_error import refused
from relax_lang.builder.blocks import Dataflow
from relax_lang.builder.scopes import FunctionBuilder
from relax_lang.builder.values import Atom, Pending
from relax_lang.check.infer.drivers.incremental import GrowingModule
from relax_lang.rewrite import diagnostics as diag
from relax_lang.rewrite.visitor import methods_of
from relax_lang.syntax import tree
from relax_lang.typed import Typed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ClassVar

    from relax_lang.base.python_callers import Place


class Mutator:
    """Calls `visit_Class(node)` for expressions, their parts before themselves; see the head of this module.

    `visit_Var` sees uses of variables. `builder` emits into the current function, before the present statement.
    """

    _methods: ClassVar[dict[str, Callable[..., Any]]] = {}
    _work: _Work | None = None

    def __init_subclass__(cls) -> None:
        cls._methods = methods_of(cls)

    def __call__(self, program: Any) -> Any:
        """Return the changed program, of the kind that was given. Raises RelaxError where what is made does not fit."""
        return mutated(program, self)

    @staticmethod
    def name_of(call: tree.Expr) -> str:
        """Return the name of the operator that a call calls; empty for anything else."""
        return call.op.op_name if isinstance(call, tree.Call) and isinstance(call.op, tree.Op) else ""

    @property
    def builder(self) -> FunctionBuilder:
        """The builder of the current function. Raises RelaxError outside of one."""
        return self._here().builder

    def emit(self, value: object, name: str = "") -> Atom:
        """Bind a value before the present statement."""
        return self.builder.emit(value, name)

    def value_of(self, var: tree.Expr) -> tree.Expr | None:
        """Return what a variable of the function is bound to, as it is by now; None of a parameter."""
        return self._here().values.get(var.name_hint) if isinstance(var, tree.Var) else None

    def struct_info_of(self, value: tree.Expr) -> tree.StructInfo:
        """Return what is known of an atom by now."""
        return self.builder.opened().info_of(value)

    def replace(self, var: tree.Expr, other: object) -> None:
        """Let all later uses of a variable be another value."""
        work = self._here()
        if not isinstance(var, tree.Var):
            raise refused(diag.bad_pattern, "only a variable can be replaced")
        work.replaced[var.name_hint] = work.builder.atom(other)

    def _here(self) -> _Work:
        if self._work is None:
            raise refused(diag.bad_pattern, "a mutator knows a function only while it visits one")
        return self._work

    def start(self, work: _Work | None) -> None:
        """Note the current function."""
        self._work = work

    def visited(self, node: Any) -> Any:
        """Return what the method for the class of a node makes of it."""
        method = self._methods.get(node.__class__.__name__)
        if method is None:
            return node
        made = method(self, node)
        if made is None:
            raise refused(diag.bad_pattern, f"visit_{type(node).__name__} returned nothing")
        return made


def mutated(program: Any, mutator: Mutator) -> Any:
    """Return a program as a mutator changes it; a `loaded.Module` gives another one, a tree or `Typed` a `Typed`."""
    if isinstance(program, Typed):
        return _of_typed(program, mutator)
    if isinstance(program, tree.IRModule):
        return _of_typed(Typed.of_tree(program), mutator)
    typed = getattr(program, "typed", None)
    if not isinstance(typed, Typed):
        raise refused(diag.bad_pattern, f"a program is needed, not a value of type {type(program).__name__}")
    return type(program)(_of_typed(typed, mutator))


def _of_typed(typed: Typed, mutator: Mutator) -> Typed:
    changed: dict[tree.Item, tree.Item | None] = {}
    for function in typed.functions:
        made = mutate_function(typed, function, mutator)
        if made is not function:
            changed[function] = made
    return typed.with_items(changed)


def mutate_function(typed: Typed, function: tree.Function, mutator: Mutator) -> tree.Function:
    """Return one function of a program as a mutator changes it; the same node if nothing changes."""
    work = _Work(typed, function, mutator)
    mutator.start(work)
    try:
        return work.made()
    finally:
        mutator.start(None)


class _Work:
    """A function that is built anew, statement by statement."""

    def __init__(self, typed: Typed, function: tree.Function, mutator: Mutator) -> None:
        self.function = function
        self.mutator = mutator
        self.replaced: dict[str, tree.Expr] = {}
        self.values: dict[str, tree.Expr] = {}
        self.changed = False
        self.place = _NOWHERE
        """The line of Python that made the value which is bound."""
        self.infos = typed.infos
        self.other: set[str] = set()
        """Variables of which something else is known than before; bindings that use none of them are not derived."""
        self.derives = False
        """Whether something else is known of sizes than before, on which all infos may depend."""
        assert function.name is not None
        module = GrowingModule.of(typed.items, typed.inferred.functions, typed.headers)
        self.builder = FunctionBuilder(module, function.name.name_hint)

    def made(self) -> tree.Function:
        function, builder = self.function, self.builder
        builder.private, builder.purity = function.private, function.purity
        builder.attrs, builder.ret = function.attrs, function.ret_struct_info
        nodes = list(walk(function))
        builder.has_literals = any(isinstance(node, tree.Function) for node in nodes[1:])
        params = [
            Atom(tree.Var(param.name_hint, None), param.struct_info_annotation or tree.ObjectStructInfo())
            for param in function.params
        ]
        builder.begin(params)
        names = [one.name_hint for one in nodes if isinstance(one, tree.Var | tree.DataflowVar)]
        builder.names = FreshNames(names)
        builder.value = self._sequence(_seq(function.body))
        finished = builder.finished()
        if not self.changed:
            return function
        return replaced(
            finished,
            params=function.params,
            pos=function.pos,
            end=function.end,
            purity_pos=function.purity_pos,
        )

    def _sequence(self, seq: tree.SeqExpr) -> tree.Expr:
        """Emit the bindings of a body into the scope that is open; return its value."""
        for block in seq.blocks:
            if isinstance(block, tree.DataflowBlock):
                self._dataflow(block)
            else:
                for binding in block.bindings:
                    self._binding(binding)
        return self._atom(seq.body)

    def _dataflow(self, block: tree.DataflowBlock) -> None:
        scope, grown = self.builder.scope, self.builder.opened()
        inside = scope.dataflow = Dataflow()
        grown.enter_dataflow(inside=True)
        scope.blocks.open_dataflow(block.pos, block.end)
        for binding in block.bindings:
            self._binding(binding)
        scope.blocks.leave([*block.outputs, *inside.outputs])
        scope.dataflow = None
        grown.enter_dataflow(inside=False)

    def _binding(self, binding: tree.Binding) -> None:
        builder = self.builder
        value = self._value(binding.value)
        var = binding.var
        if var is None:
            var = tree.Var("_", None)
        if value is not binding.value:
            self.changed = True
        if isinstance(binding, tree.MatchCast):
            builder.opened().mention([binding.struct_info])
            same = value is binding.value
            made: tree.Binding = (
                binding
                if same
                else tree.MatchCast(binding.var, binding.struct_info, value, binding.pos, binding.end)
            )
            if binding.var is None:
                builder.add_unnamed(made)
                return
        else:
            made = (
                binding
                if value is binding.value
                else tree.VarBinding(binding.var, value, binding.pos, binding.end)
            )
            self.values[var.name_hint] = value
            known = self.infos.get(var)
            if made is binding and known is not None and self._is_as_it_was(made):
                builder.opened().keep(made, known)
                builder.scope.blocks.add(made, dataflow=builder.scope.dataflow is not None)
                return
        self._compare(made, builder.add(made, self.place).info)

    def _is_as_it_was(self, binding: tree.VarBinding) -> bool:
        """Return whether a binding is the call of an operator whose operands are what they were."""
        value = binding.value
        if self.derives or self.builder.has_literals or binding.var.struct_info_annotation is not None:
            return False
        if not isinstance(value, tree.Call) or not isinstance(value.op, tree.Op):
            return False
        return not self.other or not any(
            isinstance(one, tree.Var) and one.name_hint in self.other
            for arg in value.args
            for one in walk(arg)
        )

    def _compare(self, made: tree.Binding, info: tree.StructInfo | None) -> None:
        """Note what is known of a variable now: another info reaches what uses it."""
        var = made.var
        assert var is not None
        known = self.infos.get(var)
        if known is None or info is None or not same(known, info):
            self.other.add(var.name_hint)
            sizes = isinstance(made, tree.MatchCast) or var.struct_info_annotation is not None
            self.derives = self.derives or sizes

    def _value(self, value: tree.Expr) -> tree.Expr:
        """Return the right-hand side of a binding, its parts visited before itself."""
        match value:
            case tree.If():
                whole = self._choice(value)
            case tree.Function():
                whole = self._literal(value)
            case tree.Call():
                return self._visited(self._with_operands(value))
            case tree.TupleGetItem():
                return self._visited(self._with_whole(value))
            case tree.Atom():
                return self._visited(self._with_fields(value))
            case tree.NeverBound():
                return unreachable(value)
            case _:
                return assert_never(value)
        self.place = _NOWHERE
        return whole

    def _visited(self, inner: tree.Expr) -> tree.Expr:
        made = self.mutator.visited(inner)
        self.place = _place_of(made)
        return made if made is inner else self.builder.right_hand_side(made)

    def _choice(self, node: tree.If) -> tree.Expr:
        before, self.changed = self.changed, False
        condition = self._atom(node.cond)
        made = self.builder.choice(
            condition,
            lambda: self._sequence(_seq(node.true_branch)),
            lambda: self._sequence(_seq(node.false_branch)),
        )
        inner = self.changed or condition is not node.cond
        self.changed = before
        whole: tree.Expr = made if inner else node
        visited = self.mutator.visited(whole)
        return whole if visited is whole else self.builder.right_hand_side(visited)

    def _literal(self, node: tree.Function) -> tree.Expr:
        before, self.changed = self.changed, False
        grown = self.builder.opened()
        grown.open_scope()
        grown.bind_parameters(node.params)
        body = self.builder.scope_of(lambda: self._sequence(_seq(node.body)), ())
        inner, self.changed = self.changed, before
        if not inner:
            return node
        return tree.Function(None, False, node.purity, node.params, node.ret_struct_info, node.attrs, body)

    def _with_operands(self, value: tree.Call) -> tree.Call:
        op = self._atom(value.op)
        args = self._atoms(value.args)
        if op is value.op and args is value.args:
            return value
        return tree.Call(op, args, value.attrs, value.struct_info, value.pos, value.end)

    def _with_whole(self, value: tree.TupleGetItem) -> tree.TupleGetItem:
        inner = self._atom(value.tuple_value)
        if inner is value.tuple_value:
            return value
        return tree.TupleGetItem(inner, value.index, value.pos, value.end)

    def _with_fields(self, value: tree.Expr) -> tree.Expr:
        """Return an operand, or a callee, whose variables are what they mean now."""
        match value:
            case tree.Tuple():
                fields = self._atoms(value.fields)
                return value if fields is value.fields else tree.Tuple(fields, value.pos, value.end)
            case tree.Var():
                return self.replaced.get(value.name_hint, value)
            case tree.Op() | tree.Atom():
                return value
            case tree.If() | tree.Call() | tree.Function() | tree.TupleGetItem() | tree.NeverBound():
                return unreachable(value)  # not an operand
            case _:
                return assert_never(value)

    def _atoms(self, values: tuple[tree.Expr, ...]) -> tuple[tree.Expr, ...]:
        made = tuple([self._atom(one) for one in values])
        return values if made == values else made

    def _atom(self, value: tree.Expr) -> tree.Expr:
        inner = self._with_fields(value)
        made = self.mutator.visited(inner)
        return inner if made is inner else self.builder.atom(made)


def _seq(node: tree.Expr) -> tree.SeqExpr:
    assert isinstance(node, tree.SeqExpr)
    return node


_NOWHERE = ("<program>", 1)


def _place_of(made: object) -> Place:
    """Return the line of Python that made a call; a call of a tree has none."""
    return made.place if isinstance(made, Pending) else _NOWHERE
