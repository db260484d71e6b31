"""Reverse mode: from the last binding to the first, what the target changes by with each variable.

The adjoint of a variable is the gradient of the target with respect to it. Only variables that depend on a wanted
parameter get one, and only what some wanted gradient needs is bound.
"""

from __future__ import annotations

from relax_lang.base.node import assert_never, unreachable
from relax_lang.base.sequences import is_sequence
from relax_lang.ops.core.call_terms import Refused
from relax_lang.ops.core.terms import Term, apply, shape
from relax_lang.ops.gradient.core import Backward, Missing, reason_without, rule_of
from relax_lang.ops.registry import lookup
from relax_lang.syntax import dtypes, tree
from relax_lang.transform.core.emitting import Emitting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from relax_lang.base.names import FreshNames
    from relax_lang.transform.core.known_infos import KnownInfos
    from relax_lang.transform.pass_manager.passes import Run


class Adjoint:
    """The gradient with respect to a value: terms to be added, or the adjoints of the fields of a tuple."""

    __slots__ = ("fields", "terms")

    def __init__(self) -> None:
        self.terms: list[Term] = []
        self.fields: dict[int, Adjoint] = {}

    def field(self, index: int) -> Adjoint:
        """Return the adjoint of a field."""
        return self.fields.setdefault(index, Adjoint())

    def add(self, other: Adjoint) -> None:
        """Add what another one has."""
        self.terms += other.terms
        for index, inner in other.fields.items():
            self.field(index).add(inner)


class Reverse:
    """One function; `bindings` and `outputs` are what is made."""

    def __init__(self, run: Run, infos: KnownInfos, names: FreshNames, wanted: Sequence[str]) -> None:
        self._run = run
        self._infos = infos
        self._wanted = wanted
        self._emitting = Emitting(names, dataflow=True)
        self._adjoints: dict[str, Adjoint] = {}
        self._varied = set(wanted)
        """Variables that depend on a wanted parameter."""
        self.outputs: list[str] = []

    @property
    def bindings(self) -> list[tree.Binding]:
        """The bindings that compute the gradients."""
        return self._emitting.bindings

    def run(self, bindings: Sequence[tree.Binding], target: tree.Var) -> list[tree.Expr]:
        """Return the gradients of the wanted parameters."""
        for binding in bindings:
            var = binding.var
            if var is not None and self._is_varied(binding.value) and _has_floats(self._info(var.name_hint)):
                self._varied.add(var.name_hint)
        if target.name_hint in self._varied:
            info = self._info(target.name_hint)
            dtype = Term(info=info).dtype
            self._adjoint(target).terms.append(apply("ones", shape(()), dtype_=dtype))
        for binding in reversed(bindings):
            if binding.var is not None and binding.var.name_hint in self._adjoints:
                self._binding(binding, binding.var.name_hint)
        self._emitting.place = (-1, -1)
        return [self._gradient(name) for name in self._wanted]

    def _info(self, name: str) -> tree.StructInfo | None:
        return self._infos.of(tree.Var(name, None))

    def _is_varied(self, value: tree.Expr) -> bool:
        return any(isinstance(one, tree.Var) and one.name_hint in self._varied for one in operands(value))

    def _adjoint(self, var: tree.Var) -> Adjoint:
        return self._adjoints.setdefault(var.name_hint, Adjoint())

    def _binding(self, binding: tree.Binding, name: str) -> None:
        """Give the adjoint of a variable on to what it was computed from."""
        value, adjoint = binding.value, self._adjoints[name]
        self._emitting.place = (value.pos, value.end)
        match value:
            case tree.Call():
                self._of_call(value, name, adjoint)
            case tree.TupleGetItem():
                if isinstance(value.tuple_value, tree.Var):
                    self._adjoint(value.tuple_value).field(value.index).add(adjoint)
            case tree.Atom():
                self._give(value, adjoint)
            case tree.If() | tree.Function() | tree.NeverBound():
                unreachable(value)  # functions with branches or local functions are refused
            case _:
                assert_never(value)

    def _of_call(self, value: tree.Call, name: str, adjoint: Adjoint) -> None:
        info = self._info(name) or tree.ObjectStructInfo()
        if isinstance(info, tree.TupleStructInfo):
            grads = [self._summed(adjoint.fields.get(at), f"{name}_{at}") for at in range(len(info.fields))]
        else:
            grads = [self._summed(adjoint, name)]
        if any(grad is not None for grad in grads):
            self._call(value, name, info, grads)

    def _give(self, value: tree.Expr, adjoint: Adjoint) -> None:
        if isinstance(value, tree.Var):
            if value.name_hint in self._varied:
                self._adjoint(value).add(adjoint)
        elif isinstance(value, tree.Tuple):
            for at, field in enumerate(value.fields):
                if at in adjoint.fields:
                    self._give(field, adjoint.fields[at])

    def _summed(self, adjoint: Adjoint | None, name: str, *, output: bool = False) -> Term | None:
        """Bind the gradient of a tensor; None if there is none."""
        if adjoint is None or not adjoint.terms:
            return None
        total = adjoint.terms[0]
        for term in adjoint.terms[1:]:
            total = total + term
        if total.node is not None and not output:
            return total
        made = self._emitting.bind(total, f"{name}_adjoint", output=output)
        return Term(made, dtype=total.dtype)

    def _gradient(self, name: str) -> tree.Expr:
        info = self._info(name)
        return self._leaf(name, info, self._adjoints.get(name))

    def _leaf(self, name: str, info: tree.StructInfo | None, adjoint: Adjoint | None) -> tree.Expr:
        """Return the gradient of a parameter, or of a field of it, as outputs of the block."""
        if isinstance(info, tree.TupleStructInfo):
            fields = [
                self._leaf(f"{name}_{at}", field, None if adjoint is None else adjoint.fields.get(at))
                for at, field in enumerate(info.fields)
            ]
            return tree.Tuple(tuple(fields))
        found = self._summed(adjoint, name, output=True)
        if found is None:
            known = Term(tree.Var(name, None), info)
            zeros = apply("zeros", shape(known.dims or ()), dtype_=known.dtype)
            if known.dims is None:
                zeros = apply("zeros_like", known)
            made = self._emitting.bind(zeros, f"{name}_adjoint", output=True)
        else:
            assert found.node is not None
            made = found.node
        assert isinstance(made, tree.Var)
        self.outputs.append(made.name_hint)
        return made

    # Calls.

    def _call(self, call: tree.Call, name: str, info: tree.StructInfo, grads: list[Term | None]) -> None:
        if not isinstance(call.op, tree.Op):
            what = "a function of the module" if isinstance(call.op, tree.GlobalVar) else "another function"
            self._run.refuse(call, f"a call of {what} has no gradient", "`InlinePrivateFunctions` first")
        if call.op.op_name == "call_tir_with_grad":
            self._call_with_gradient(call, grads, info)
            return
        operator = lookup(call.op.op_name)
        assert operator is not None
        rule = rule_of(operator)
        if rule is None:
            help_ = "`grad.no_grad(x)` stops the gradient at a value"
            self._run.refuse(call, f"`{operator.name}` has no gradient: {reason_without(operator)}", help_)
        try:
            backward = Backward(operator, call, self._infos.of, tree.Var(name, None), info, grads)
            entries = rule(backward)
        except Refused as refused:
            self._run.refuse(call, f"`{operator.name}` has no gradient here: {refused}")
        for arg, entry in zip(call.args, entries, strict=False):
            self._contribute(call, arg, entry)

    def _contribute(self, call: tree.Call, arg: tree.Expr, entry: Any) -> None:
        """Add to the adjoint of an operand what a rule gives it."""
        if entry is None or not self._is_varied(arg):
            return
        if isinstance(entry, Missing):
            self._run.refuse(call, f"this operand has no gradient: {entry.reason}")
        if is_sequence(entry):
            parts: Sequence[Term | None] = entry
            if isinstance(arg, tree.Tuple):
                for field, part in zip(arg.fields, parts, strict=True):
                    self._contribute(call, field, part)
            elif isinstance(arg, tree.Var):
                for at, part in enumerate(parts):
                    if part is not None:
                        self._adjoint(arg).field(at).terms.append(part)
            return
        if isinstance(arg, tree.Var) and _has_floats(self._infos.of(arg)):
            self._adjoint(arg).terms.append(entry)

    def _call_with_gradient(self, call: tree.Call, grads: list[Term | None], info: tree.StructInfo) -> None:
        """Ask the function that a call names: it gets the gradients of the results, then the arguments."""
        given = call.args[1]
        args = given.fields if isinstance(given, tree.Tuple) else (given,)
        infos = [self._infos.of(arg) for arg in args]
        for arg, known in zip(args, infos, strict=True):
            if Term(arg, known).dims is None or Term(arg, known).dtype is None:
                self._run.refuse(call, "the shape and dtype of every argument must be known for its gradient")
        results = info.fields if isinstance(info, tree.TupleStructInfo) else (info,)
        whole = [
            grad or apply("zeros", shape(Term(info=one).dims or ()), dtype_=Term(info=one).dtype)
            for grad, one in zip(grads, results, strict=True)
        ]
        named = next(attr.value for attr in call.attrs if attr.key == "te_grad_name")
        assert isinstance(named, tree.StrLit)
        found = [known for known in infos if known is not None]
        result = tree.TupleStructInfo(tuple(found)) if len(found) != 1 else found[0]
        given_args = [Term(arg, known) for arg, known in zip(args, infos, strict=True)]
        operands = (*whole, *given_args)
        if named.value in self._run.typed.prim_funcs:
            callee: tree.Expr = tree.GlobalVar(named.value)
            made = apply("call_tir", callee, operands, *call.args[2:], result=result)
        else:
            made = apply("call_dps_packed", tree.ExternFunc(named.value), operands, result=result, pure=True)
        made.info = result
        for at, arg in enumerate(args):
            self._contribute(call, arg, made if len(args) == 1 else made[at])


def operands(value: tree.Expr) -> Iterator[tree.Expr]:
    """Yield the atoms that an expression is computed from."""
    match value:
        case tree.Call():
            for arg in value.args:
                yield from leaves(arg)
        case tree.TupleGetItem():
            yield from leaves(value.tuple_value)
        case tree.Atom():
            yield from leaves(value)
        case tree.If() | tree.Function() | tree.NeverBound():
            unreachable(value)  # functions with branches or local functions are refused
        case _:
            assert_never(value)


def leaves(node: tree.Expr) -> Iterator[tree.Expr]:
    """Yield an atom, or the fields of a tuple of atoms."""
    if isinstance(node, tree.Tuple):
        for field in node.fields:
            yield from leaves(field)
    else:
        yield node


def _has_floats(info: tree.StructInfo | None) -> bool:
    """Return whether a value has parts that gradients flow through."""
    if isinstance(info, tree.TupleStructInfo):
        return any(_has_floats(field) for field in info.fields)
    dtype = Term(info=info).dtype
    return isinstance(info, tree.TensorStructInfo) and (dtype is None or dtypes.is_float(dtype))
