"""The function that a builder has open: its blocks, its names, and what is known of its variables."""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR
from relax_lang.base.names import FreshNames
from relax_lang.base.node import replaced
from relax_lang.base.python_callers import calling_line
from relax_lang.base.relax_error import refused
from relax_lang.base.sequences import is_sequence
from relax_lang.builder import constants
from relax_lang.builder import diagnostics as diag
from relax_lang.builder.blocks import Dataflow, Scope
from relax_lang.builder.effects import effect_of
from relax_lang.builder.infos import info_node
from relax_lang.builder.operands import has_numbers, like_of, operands_of, scalars
from relax_lang.builder.places import Places, beside, error_at
from relax_lang.builder.values import Atom, Field, Pending, Value
from relax_lang.check.infer.drivers.incremental import GrowingFunction
from relax_lang.format.lexemes import global_name
from relax_lang.ops.registry import lookup
from relax_lang.syntax import tree
from relax_lang.te.expr import Expr
from relax_lang.te.tensor import dims_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from relax_lang.base.python_callers import Place
    from relax_lang.builder.operands import Like
    from relax_lang.check.infer.drivers.incremental import GrowingModule
    from relax_lang.syntax.tree import StructInfo


class FunctionBuilder:
    """A function of the module in the making, with all scopes inside of it."""

    __slots__ = (
        "attrs",
        "body",
        "claims",
        "grown",
        "has_literals",
        "module",
        "name",
        "names",
        "params",
        "places",
        "private",
        "purity",
        "ret",
        "scope",
        "value",
    )

    def __init__(self, module: GrowingModule, name: str) -> None:
        self.module = module
        self.name = name
        self.params: list[Atom] | None = None
        self.private = False
        self.purity: str | None = None
        self.claims: list[Place | None] = [None]
        """For the function, and the literals that are open, the lines that declare them to be pure."""
        self.attrs: tuple[tree.Attr, ...] = ()
        self.ret: StructInfo | None = None
        self.names = FreshNames()
        self.places = Places()
        self.grown: GrowingFunction | None = None
        self.body = self.scope = Scope(None)
        self.value: tree.Expr | None = None
        self.has_literals = False

    @property
    def shown(self) -> str:
        """The name as text."""
        return global_name(self.name)

    def begin(self, params: Sequence[Atom]) -> None:
        """Set the parameters, whose names stay as they are. Raises RelaxError if two have one."""
        for param in params:
            if not self.names.take(param.name):
                raise refused(diag.bad_call, f"two parameters of {self.shown} are called `{param.name}`")
            param.scope = self.body
            if param.place is not None:
                offset = self.places.note(param.name, param.place)
                param.node = tree.Var(param.name, None, offset, offset)
        self.params = list(params)
        self.grown = GrowingFunction(self.module, self._function(tree.SeqExpr((), tree.Tuple(()))))
        self._report(calling_line())

    def annotation(self, info: object, place: Place) -> StructInfo | None:
        """Return an info that a line of Python declares, which mistakes then point at; None if there is none."""
        if info is None:
            return None
        offset = self.places.note("", place)
        return replaced(info_node(info), pos=offset, end=offset)

    def opened(self) -> GrowingFunction:
        """Return what derives infos. Raises RelaxError if the parameters are not known."""
        if self.grown is None:
            raise refused(diag.parameters_late, self.shown)
        return self.grown

    # Bindings.

    def emit(self, value: object, name: str = "", *, output: bool = False) -> Atom:
        """Bind a value to a new variable. Raises RelaxError for what is not a value, or does not fit."""
        place = value.place if isinstance(value, Pending) else calling_line()
        if output and isinstance(value, Atom) and self.scope.dataflow is value.scope is not None:
            moved = self._as_output(value, name, place)
            if moved is not None:
                return moved
        return self.bind(self.right_hand_side(value), name, place, output=output)

    def _as_output(self, value: Atom, name: str, place: Place) -> Atom | None:
        """Make the variable that was bound last an output, instead of binding another one to it."""
        last = self.scope.blocks.last()
        if last is None or last.var is None or last.var.name_hint != value.name:
            return None
        self.scope.blocks.remove_last()
        kept = name or (value.name if not value.name.startswith("lv") else "")
        hint = kept if kept == value.name else self.names.fresh(kept or "gv")
        offset = self.places.note(hint, place)
        binder = tree.Var(hint, None, offset, offset)
        if isinstance(last, tree.MatchCast):
            made = self.add(tree.MatchCast(binder, last.struct_info, last.value), place, output=True)
        else:
            made = self.add(tree.VarBinding(binder, last.value), place, output=True)
        value.node, value.info, value.scope = made.node, made.info, made.scope
        return value

    def bind(self, value: tree.Expr, name: str, place: Place, *, output: bool = False) -> Atom:
        """Bind a right-hand side to a new variable."""
        local = self.scope.dataflow is not None and not output
        hint = self.names.fresh(name or ("lv" if local else "gv"))
        offset = self.places.note(hint, place)
        binder = (tree.DataflowVar if local else tree.Var)(hint, None, offset, offset)
        return self.add(tree.VarBinding(binder, value), place, output=output)

    def add(self, binding: tree.Binding, place: Place, *, output: bool = False) -> Atom:
        """Add a binding with a variable, and derive its info. Raises RelaxError if it does not fit."""
        scope, grown, dataflow = self.scope, self.opened(), self.scope.dataflow
        var = binding.var
        assert var is not None
        if dataflow is not None or self.claims[-1]:
            self._refuse_effect(binding.value, place)
        within = None
        if self.has_literals:
            scope.blocks.add(binding, dataflow=dataflow is not None)
            within = self._so_far()
        info = grown.bind(binding, within)
        self._report(place, scope if within is not None else None)
        if within is None:
            scope.blocks.add(binding, dataflow=dataflow is not None)
        if dataflow is not None and output:
            dataflow.outputs.append(tree.Var(var.name_hint, None))
        owner: object = dataflow if dataflow is not None and not output else scope
        return Atom(tree.Var(var.name_hint, None, var.pos, var.pos), info, owner)

    def add_unnamed(self, binding: tree.Binding) -> None:
        """Add a binding without a variable."""
        self.opened().bind(binding)
        self._report(calling_line())
        self.scope.blocks.add(binding, dataflow=self.scope.dataflow is not None)

    def _refuse_effect(self, value: tree.Expr, place: Place) -> None:
        effect = effect_of(value, self.module)
        if effect is not None:
            from relax_lang.check.diagnostics import purity  # only for this mistake

            if self.scope.dataflow is not None:
                raise error_at(place, [purity.impure_in_dataflow(value, effect, None, None)])
            claim = self.places.note("", self.claims[-1] or place)
            shown = self.shown if len(self.claims) == 1 else "the function"
            raise error_at(place, [purity.impure_body(value, shown, effect, (claim, claim))], self.places)

    def _report(self, place: Place, added: Scope | None = None) -> None:
        """Raise RelaxError for mistakes; the last binding of the scope that it was added to is removed again."""
        found = [one for one in self.module.taken_findings() if one.severity == ERROR]
        if found:
            if added is not None:
                added.blocks.remove_last()
            raise error_at(place, found, self.places)

    def _so_far(self) -> tree.Function:
        """Return the function as far as it is built; of the scopes that are open, the outermost bindings first."""
        scopes: list[Scope] = []
        scope: Scope | None = self.scope
        while scope is not None:
            scopes.append(scope)
            scope = scope.outer
        blocks = [block for scope in reversed(scopes) for block in scope.blocks.peek()]
        return self._function(tree.SeqExpr(tuple(blocks), tree.Tuple(())))

    def _function(self, body: tree.SeqExpr) -> tree.Function:
        params = tuple(
            [tree.Var(one.name, one.info, one.node.pos, one.node.pos) for one in self.params or ()]
        )
        name = tree.GlobalVar(self.name)
        return tree.Function(name, self.private, self.purity, params, self.ret, self.attrs, body)

    # Scopes inside.

    def choice(
        self, condition: tree.Expr, then: Callable[[], object], otherwise: Callable[[], object]
    ) -> tree.If:
        """Return an `if`, whose branches are emitted by two callables that return their values."""
        branches = [
            self._branch(condition, emit, truth=truth) for emit, truth in ((then, True), (otherwise, False))
        ]
        return tree.If(condition, branches[0], branches[1])

    def _branch(self, condition: tree.Expr, emit: Callable[[], object], *, truth: bool) -> tree.SeqExpr:
        if isinstance(emit, Value) or not callable(emit):
            raise refused(
                diag.bad_call, f"a branch is a function that emits it and returns its value, not {emit!r}"
            )
        self.opened().open_scope(condition, truth=truth)
        return self.scope_of(emit)

    def literal(
        self,
        params: list[Atom],
        emit: Callable[..., object],
        ret: object,
        purity: str | None,
        place: Place,
    ) -> tree.Function:
        """Return a local function, whose body is emitted by a callable that gets the parameters."""
        result = self.annotation(ret, place)
        named: list[Atom] = []
        for param in params:
            name = self.names.fresh(param.name)
            named.append(param if name == param.name else Atom(tree.Var(name, None), param.info))
        nodes = tuple([tree.Var(param.name, param.info) for param in named])
        self.has_literals = True
        grown = self.opened()
        grown.open_scope()
        grown.bind_parameters(nodes)
        self.claims.append(place if purity == "pure" else None)
        try:
            body = self.scope_of(lambda: emit(*named), named)
        finally:
            self.claims.pop()
        return tree.Function(None, False, purity, nodes, result, (), body)

    def scope_of(self, emit: Callable[[], object], params: Sequence[Atom] = ()) -> tree.SeqExpr:
        """Return the body that a callable emits; its scope of infos is open and will be closed."""
        scope = self.scope = Scope(self.scope)
        for param in params:
            param.scope = scope
        try:
            value = self.atom(emit())
            return tree.SeqExpr(scope.blocks.close(), value)
        finally:
            scope.closed = True
            assert scope.outer is not None
            self.scope = scope.outer
            self.opened().close_scope()

    def finished(self) -> tree.Function:
        """Return the function, whose value is known. Raises RelaxError if it does not fit what is declared."""
        assert self.value is not None
        made = self._function(tree.SeqExpr(self.body.blocks.close(), self.value))
        self.module.state.forget_purity()
        self.opened().conclude(made)
        self._report(calling_line())
        return made

    def bound_to(self, name: str) -> tree.Expr | None:
        """Return what a variable is bound to; None of a parameter."""
        scope: Scope | None = self.scope
        while scope is not None:
            for block in scope.blocks.peek():
                for binding in block.bindings:
                    if binding.var is not None and binding.var.name_hint == name:
                        return binding.value
            scope = scope.outer
        return None

    # Values of Python.

    def right_hand_side(self, value: object) -> tree.Expr:
        """Return what may be on the right of a binding; operands that are calls are bound before it."""
        if isinstance(value, Pending):
            return self._lowered(value)
        if isinstance(value, Field):
            return tree.TupleGetItem(self.atom(value.value), value.index)
        if isinstance(value, tree.Call):
            args = tuple([self.atom(arg) for arg in value.args])
            if args == value.args:
                return value
            return tree.Call(value.op, args, value.attrs, value.struct_info, value.pos, value.end)
        if isinstance(value, tree.TupleGetItem):
            return tree.TupleGetItem(self.atom(value.tuple_value), value.index, value.pos, value.end)
        if isinstance(value, tree.If | tree.Function):
            return value
        return self.atom(value)

    def atom(self, value: object, like: Like | None = None) -> tree.Expr:
        """Return an operand; what is a call is bound first. Numbers get the dtype `like`. Raises RelaxError."""
        if isinstance(value, Atom):
            self._check_visible(value)
            return value.node
        if isinstance(value, Pending | Field):
            place = value.place if isinstance(value, Pending) else calling_line()
            return self.bind(self.right_hand_side(value), "", place).node
        if isinstance(value, bool | int | float):
            return constants.number(value, None if like is None else like[0])
        if is_sequence(value):
            return tree.Tuple(tuple([self.atom(one) for one in value]))
        if isinstance(value, Expr):
            return self._scalar(value, like)
        if isinstance(value, tree.Call | tree.TupleGetItem):
            return self.bind(self.right_hand_side(value), "", calling_line()).node
        if isinstance(value, tree.Tuple):
            fields = tuple([self.atom(one) for one in value.fields])
            return value if fields == value.fields else tree.Tuple(fields, value.pos, value.end)
        if isinstance(value, tree.Expr):
            return value
        if hasattr(value, "__array__"):
            return constants.array(value)
        raise refused(diag.no_operand, value)

    def _scalar(self, value: Expr, like: Like | None) -> tree.Expr:
        """Return a dimension expression as a tensor of rank 0, as the normal form has it. [X15.1]"""
        prim = tree.PrimValue(value.node)
        args = (prim,) if like is None else (prim, self.atom(like[1]))
        return self.bind(tree.Call(tree.Op("scalar"), args, (), None), "", calling_line()).node

    def _check_visible(self, value: Atom) -> None:
        owner = value.scope
        if owner is None or self.scope is owner or self.scope.is_within(owner):
            return
        if isinstance(owner, Dataflow):
            why = "it is local to a dataflow block"
        elif isinstance(owner, Scope) and owner.closed:
            why = "it belongs to another function or branch"
        else:
            why = "it is a parameter of no open function"
        error = refused(diag.not_visible, value.name, why)
        raise beside(error, self.places.line(value.node.pos), f"`{value.name}` is bound here")

    def _lowered(self, value: Pending) -> tree.Expr:
        """Return a call with atoms as operands. Nesting is followed without recursion."""
        done: dict[int, tree.Expr] = {}
        stack: list[tuple[Pending, bool]] = [(value, False)]
        while stack:
            pending, is_ready = stack.pop()
            if id(pending) in done:
                continue
            inner = [one for one in operands_of(pending) if isinstance(one, Pending) and id(one) not in done]
            if inner and not is_ready:
                stack.append((pending, True))
                stack += [(one, False) for one in reversed(inner)]
                continue
            made = self._call(pending, done)
            if pending is value:
                return made
            done[id(pending)] = self.bind(made, "", pending.place).node
        raise AssertionError("the outermost call is on the stack")

    def _call(self, pending: Pending, done: dict[int, tree.Expr]) -> tree.Expr:
        given = [done.get(id(one), one) if isinstance(one, Pending) else one for one in pending.args]
        if not isinstance(pending.operator, str):
            callee = self.atom(pending.operator)
            return tree.Call(callee, tuple([self.atom(one) for one in given]), pending.attrs, pending.result)
        operator = lookup(pending.operator)
        assert operator is not None
        while given and given[-1] is None:
            given.pop()
        params = operator.params
        like = like_of(given, self.opened().info_of) if has_numbers(given) else None
        args: list[tree.Expr] = []
        for at, one in enumerate(given):
            param = params[min(at, len(params) - 1)]
            args.append(self._operand(one, param.kind, like, f"`{param.name}` of {operator.name}", done))
        return tree.Call(tree.Op(operator.name), tuple(args), pending.attrs, pending.result)

    def _operand(
        self, value: object, kind: str, like: Like | None, where: str, done: dict[int, tree.Expr]
    ) -> tree.Expr:
        if value is None:
            return tree.Tuple(())
        if isinstance(value, Value | tree.Expr) and not isinstance(value, Pending):
            return self.atom(value)
        if kind in ("prim", "prims"):
            return scalars(value, kind, where)
        if kind == "shape" and isinstance(value, tuple | list | int | Expr):
            return tree.ShapeExpr(tuple([one.node for one in dims_of(value)]))
        if is_sequence(value):
            return tree.Tuple(tuple([self._operand(one, "tensor", like, where, done) for one in value]))
        if isinstance(value, Pending) and id(value) in done:
            return done[id(value)]
        if isinstance(value, str | bytes) or not (
            isinstance(value, Pending | bool | int | float | Expr) or hasattr(value, "__array__")
        ):
            raise refused(diag.no_operand, value, where)
        return self.atom(value, like)
