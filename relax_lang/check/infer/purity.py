"""Purity: which calls may have effects, and what that means for functions and dataflow blocks. [P.1-P.11]

Works on the normal form, where an effect can only be on the right of a binding. A call is impure if it calls a packed
function without `pure=true`, an operator that is registered as impure, a function that makes an impure call, or
something whose type is an `impure fn` or PackedFunc. Types of callees come from inference, by the node of the call;
where it has none, because of an error, the call counts as pure. A kind of expression that is not known here is impure.

Functions are looked at when the first question about them is asked; most programs ask none.
"""

from __future__ import annotations

from relax_lang.base.node import walk
from relax_lang.check.infer.effects import Body, CallSite, Effect, Effects
from relax_lang.format.lexemes import global_name, local_name
from relax_lang.ops.registry import lookup
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet
    from typing import Never

    from relax_lang.base.diagnostic import Diagnostic, Location
    from relax_lang.base.node import Node
    from relax_lang.normalize.origins import Origins

    Definitions = dict[str, tuple[tree.Binder, tree.Expr | None]]
    """Variable of a top-level function to its definition, and what it is bound to unless an annotation hides that."""


class Purity:
    """The effects of the functions of a module in normal form.

    `items` are its functions and prim_funcs by name, `callees` the types of callees that inference has found so far.
    """

    def __init__(
        self,
        module: tree.IRModule,
        items: Mapping[str, tree.Item],
        callees: Mapping[tree.Call, tree.FuncStructInfo],
        origins: Origins,
        settled: Mapping[tree.Function, Effects] | None = None,
    ) -> None:
        self._module = module
        self._items = items
        self._callees = callees
        self._origins = origins
        self._settled = settled or {}
        """Functions of which all is known, so that they need not be looked at: their effects."""
        self._bodies: dict[tree.Function, Body] = {}
        self._todo: list[tree.Function] = []
        """Functions of the module that are called and were not looked at yet."""
        self._open: dict[tree.Call, CallSite] = {}
        """Calls whose callee has no known type yet."""
        self._definitions: Definitions = {}
        self._authors: Mapping[str, str] = {}
        """Variable of the function that is looked at to the name that the author gave it, if that is another."""
        self.quiet: AbstractSet[tree.Binding] = frozenset()
        """Bindings that are known to have no effect, and whose variables are nothing to call."""

    def is_pure(self, function: tree.Function, within: tree.Function) -> bool:
        """Return whether a function is pure; not, if it makes calls of an unknown type. [P.5-P.7]

        `within` is the function of the module that it is or that contains it.
        """
        self._visit(within)
        body = self._bodies[function]
        return not body.is_impure and (body.n_open == 0 or function.purity is not None)

    def type_is_known(self, call: tree.Call) -> None:
        """Note that `callees` has the type of a callee from now on. [P.8]"""
        site = self._open.pop(call, None)
        if site is not None:
            site.body.n_open -= 1
            self._call_by_type(site, self._callees[call])

    def diagnostics(self, incomplete: AbstractSet[tree.Function] = frozenset()) -> list[Diagnostic]:
        """Return what is wrong about effects, in no particular order; nothing of incomplete functions. [P.*]"""
        self._visit_all()
        found: list[Diagnostic] = []
        for body in self._bodies.values():
            if body.within in incomplete or body.function in self._settled:
                continue
            if body.why is not None or body.function.purity == "impure":
                found += self._report(body)
        return found

    def forget_text(self) -> None:
        """Give the text up, which only `diagnostics` needs."""
        self._text = ""

    def effects_of(self, function: tree.Function) -> Effects:
        """Return what callers of a function of the module depend on."""
        self._visit(function)
        return Effects(self._bodies[function])

    def effects(self) -> set[Node]:
        """Return what may have effects, as written: with calls whose callee has no known type. [P.4] [P.5] [P.8]"""
        self._visit_all()
        found = {effect.node for body in self._bodies.values() for effect in body.effects}
        return found.union([self._origins.call(call) for call in self._open])

    # The walk.

    def _visit_all(self) -> None:
        for item in self._module.items:
            if isinstance(item, tree.Function):
                self._visit(item)

    def _visit(self, function: tree.Function) -> None:
        """Look at a function of the module, and at those that it calls."""
        if function in self._bodies:
            return
        self._body_of(function)
        while self._todo:
            function = self._todo.pop()
            self._definitions = {}
            self._authors = self._origins.names(function)
            self._function(self._bodies[function])

    def _body_of(self, function: tree.Function) -> Body:
        """Return what is known of a function of the module, and see to it that it will be looked at."""
        body = self._bodies.get(function)
        if body is None:
            body = self._bodies[function] = Body(function, function)
            known = self._settled.get(function)
            if known is None:
                self._todo.append(function)
            else:
                body.why, body.n_open = known.why, known.n_open
        return body

    def _function(self, body: Body) -> None:
        for param in body.function.params:
            if isinstance(param.struct_info_annotation, tree.FuncStructInfo):
                self._definitions[param.name_hint] = param, None
        self._scope(body, body.function.body, in_dataflow=False)

    def _scope(self, body: Body, scope: tree.Expr, *, in_dataflow: bool) -> None:
        assert isinstance(scope, tree.SeqExpr)  # its value is an atom [N.5]
        for block in scope.blocks:
            within = in_dataflow or isinstance(block, tree.DataflowBlock)
            for binding in block.bindings:
                if binding in self.quiet:
                    continue
                match binding:
                    case tree.VarBinding():
                        self._define(binding)
                        self._value(body, binding.value, in_dataflow=within)
                    case tree.MatchCast():
                        self._value(body, binding.value, in_dataflow=within)
                    case _:
                        self._unknown(body, binding, in_dataflow=within)

    def _define(self, binding: tree.VarBinding) -> None:
        """Note what a variable is bound to, if it can be something to call."""
        var, value = binding.var, binding.value
        if isinstance(var.struct_info_annotation, tree.FuncStructInfo):
            self._definitions[var.name_hint] = var, None
        elif var.struct_info_annotation is None and isinstance(
            value, tree.Function | tree.ExternFunc | tree.Var
        ):
            self._definitions[var.name_hint] = var, value

    def _value(self, body: Body, value: tree.Expr, *, in_dataflow: bool) -> None:
        """Note the effects of the right-hand side of a binding."""
        match value:
            case tree.Call():
                self._call(CallSite(body, value, in_dataflow=in_dataflow))
            case tree.If():
                self._scope(body, value.true_branch, in_dataflow=in_dataflow)
                self._scope(body, value.false_branch, in_dataflow=in_dataflow)
            case tree.Function():  # making a closure is pure [P.11]
                inner = self._bodies[value] = Body(value, body.within)
                self._function(inner)
            case tree.Atom() | tree.TupleGetItem() | tree.Op() | tree.Missing() | tree.MissingField():
                pass
            case tree.SeqExpr() | tree.BinaryOp() | tree.UnaryOp():
                raise AssertionError(f"{type(value).__name__} in normal form")
            case _:
                self._unknown(body, value, in_dataflow=in_dataflow)

    def _unknown(self, body: Body, node: Never, *, in_dataflow: bool) -> None:
        """A class that a `match` lacks is a type error where this is called, and impure for the time being. [P.1]"""
        self._mark(body, Effect(node, ""), in_dataflow=in_dataflow)

    def _mark(self, body: Body, effect: Effect, *, in_dataflow: bool) -> None:
        """Note an effect; callers of a function that becomes impure so make impure calls. [P.5]"""
        todo = [(body, effect, in_dataflow)]
        while todo:
            body, effect, in_dataflow = todo.pop()
            was_impure = body.is_impure
            body.effects.append(effect)
            if in_dataflow:
                body.in_dataflow.append(effect)
            if body.why is None or effect.node.pos < body.why.node.pos:
                body.why = effect
            if body.is_impure and not was_impure:
                todo += [
                    (site.body, self._effect_of_call(site, body), site.in_dataflow) for site in body.callers
                ]

    # Calls.

    def _call(self, site: CallSite) -> None:
        """Judge a call by its callee, or leave it to the function that it calls."""
        call = site.call
        callee = self._definition_of(call.op)
        if isinstance(callee, tree.Op):
            operator = lookup(callee.op_name)
            if operator is not None and not operator.pure and not claims_pure(call):
                takes_pure = any(attr.name == "pure" for attr in operator.attrs)
                self._impure(site, f"operator `{callee.op_name}`", is_packed=takes_pure)
        elif isinstance(callee, tree.GlobalVar):
            self._call_of_global(site, callee.name_hint)
        elif isinstance(callee, tree.Function):
            self._call_of(site, self._bodies[callee])
        elif isinstance(callee, tree.ExternFunc):
            if not claims_pure(call):
                self._impure(site, f'packed function "{callee.global_symbol}"', is_packed=True)
        elif isinstance(callee, tree.Var | tree.DataflowVar) and isinstance(
            callee.struct_info_annotation, tree.FuncStructInfo
        ):
            info = callee.struct_info_annotation
            is_packed = info.params is None
            if not info.pure and not (is_packed and claims_pure(call)):
                name = self._authors.get(callee.name_hint, callee.name_hint)
                self._impure(site, f"`{local_name(name)}`", is_packed=is_packed)
        elif claims_pure(call):
            pass
        elif call in self._callees:
            self._call_by_type(site, self._callees[call])
        else:
            self._open[call] = site
            site.body.n_open += 1

    def _call_of_global(self, site: CallSite, name: str) -> None:
        item = self._items.get(name)
        if isinstance(item, tree.Function):
            self._call_of(site, self._body_of(item))
        elif isinstance(item, tree.PrimFunc) and not _only_computes(item):
            self._impure(site, f"`{global_name(name)}`", is_packed=False)

    def _definition_of(self, callee: tree.Expr) -> tree.Expr:
        """Look through variables: return what they are bound to, or the last definition that hides it."""
        while isinstance(callee, tree.Var) and callee.name_hint in self._definitions:
            var, value = self._definitions[callee.name_hint]
            if value is None:
                return var
            callee = value
        return callee

    def _call_by_type(self, site: CallSite, callee: tree.FuncStructInfo) -> None:
        """Judge a call by the type of its callee. [P.4] [P.8]"""
        if callee.params is None or not callee.pure:
            op = self._origins.call(site.call).op
            text = f"`{local_name(op.name_hint)}`" if isinstance(op, tree.Var) else "the callee"
            self._impure(site, text, is_packed=callee.params is None)

    def _impure(self, site: CallSite, text: str, *, is_packed: bool) -> None:
        effect = Effect(self._origins.call(site.call), text, is_packed=is_packed)
        self._mark(site.body, effect, in_dataflow=site.in_dataflow)

    def _call_of(self, site: CallSite, called: Body) -> None:
        """Note that a call is as pure as the function that it calls."""
        called.callers.append(site)
        if called.is_impure:
            self._mark(site.body, self._effect_of_call(site, called), in_dataflow=site.in_dataflow)

    def _effect_of_call(self, site: CallSite, called: Body) -> Effect:
        call = self._origins.call(site.call)
        name = called.function.name
        if name is not None:
            text = f"function {global_name(name.name_hint)}"
        elif isinstance(call.op, tree.Var):
            text = f"function `{local_name(call.op.name_hint)}`"
        else:
            text = "the function"
        return Effect(call, text, called=called)

    # Diagnostics.

    def _report(self, body: Body) -> list[Diagnostic]:
        """Return what is wrong in one function."""
        from relax_lang.check.diagnostics import purity as diag  # only where something is impure

        found: list[Diagnostic] = []
        shapes = [effect for effect in body.effects if self._origins.is_of_shape(effect.node)]
        found += [diag.impure_shape_computation(one.node, one.text, one.packed_call) for one in shapes]
        for effect in body.in_dataflow:
            if effect in shapes:
                continue
            why = effect.called.why if effect.called is not None else None
            reason = why.node if why is not None else None
            found.append(diag.impure_in_dataflow(effect.node, effect.text, reason, effect.packed_call))
        function, why = body.function, body.why
        if function.purity == "pure" and why is not None:
            shown = "the function" if function.name is None else global_name(function.name.name_hint)
            found.append(diag.impure_body(why.node, shown, why.text, _claim(function)))
        if function.purity == "impure" and why is None and not body.n_open:
            found.append(diag.impure_not_needed(_claim(function)))
        return found


def _only_computes(func: tree.PrimFunc) -> bool:
    """Return whether a prim_func has a result and nothing else: no buffers, no calls of packed functions. [P.3]"""
    if func.ret_dtype is None or any(isinstance(param, tree.Buffer) for param in func.params):
        return False
    return not any(isinstance(node, tree.CallExtern) for node in walk(func))


def _claim(function: tree.Function) -> Location:
    """Return the place of what a function claims to be; of a tree built in Python, the function."""
    at = function.purity_pos
    return function if at < 0 else (at, at + len(function.purity or ""))


def claims_pure(call: tree.Call) -> bool:
    """Return whether a call has the attribute `pure=true`. [P.4]"""
    for attr in call.attrs:
        if attr.key == "pure":
            return isinstance(attr.value, tree.BoolLit) and attr.value.value
    return False
