"""A direct interpreter over the tree of a Relay program: call by value, by the rules alone. [R.37]

Calls are on a stack of its own, not on Python's: every evaluation is a generator, which yields the calls that it makes
to the loop in `Interpreter.run` and gets their values back. Branches, arguments and bindings of one function nest on
Python's stack, as deep as the text does.
"""

from __future__ import annotations

import numpy as np

from relax_lang.base.node import assert_never, unreachable
from relax_lang.ops.core.dtypes import numpy_dtype
from relax_lang.relay.evaluation.operators import Values, failure
from relax_lang.relay.operators.core import NotLowered, Refused
from relax_lang.relay.syntax import tree
from relax_lang.runtime.calling.relay_objects import no_clause
from relax_lang.runtime.values.relay_values import AdtValue, Cell
from relax_lang.values import RunFailure

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence
    from typing import Any

    from relax_lang.base.node import Table
    from relax_lang.relay.checking import Analysed

    Steps = Generator[Any, Any, Any]
    Env = dict[Any, Any]

MAX_CALLS = 1_000_000
"""How many calls may be open at once."""


class Function:
    """A function with the variables around it."""

    __slots__ = ("env", "node")

    def __init__(self, node: tree.Function, env: Env) -> None:
        self.node = node
        self.env = env


class Builtin:
    """An operator or constructor as a value."""

    __slots__ = ("node",)

    def __init__(self, node: tree.OpRef) -> None:
        self.node = node


class _Later:
    """A graph node that was not needed yet: it is evaluated once, where it is first needed."""

    __slots__ = ("done", "env", "node", "value")

    def __init__(self, node: tree.Expr, env: Env) -> None:
        self.node = node
        self.env = env
        self.done = False
        self.value: Any = None


class Interpreter:
    """A program that is ready to run."""

    def __init__(self, program: Analysed) -> None:
        self.program = program
        self.resolved = program.resolved
        assert program.state is not None
        self.typed = program.state.typed
        self.constants: dict[tuple[str, int], Any] = {}

    def call(self, name: str, args: Sequence[Any]) -> Any:
        """Run a function of the module. Raises RunFailure."""
        item = self.resolved.functions[name]
        return self.run(self.apply(Function(item.function, {}), list(args)))

    def run(self, steps: Steps) -> Any:
        """Run steps to their end, with the calls that they make."""
        stack: list[Steps] = [steps]
        value: Any = None
        while stack:
            try:
                made: Steps = stack[-1].send(value)
            except StopIteration as stop:
                stack.pop()
                value = stop.value
                continue
            if len(stack) >= MAX_CALLS:
                raise RunFailure("recursion-limit", f"more than {MAX_CALLS} calls are open at once")
            stack.append(made)
            value = None
        return value

    def apply(self, callee: Any, args: list[Any]) -> Steps:
        """Call a function, an operator or a constructor."""
        if isinstance(callee, Builtin):
            return self.builtin(callee.node, args, [None] * len(args))
            yield  # a generator, as all that is called
        env = dict(callee.env)
        for param, arg in zip(callee.node.params, args, strict=True):
            env[param.var] = arg
        return (yield from self.block(callee.node.body, env))

    def builtin(self, node: tree.OpRef, args: list[Any], numbers: list[float | None]) -> Any:
        """Return the value of a call of an operator or a constructor."""
        info = self.resolved.ctors.get(node.name)
        if info is not None:
            return AdtValue(node.name, tuple(args), info.index)
        operator = self.typed.operators[node]
        try:
            return operator.lower(Values(args, numbers), args, self.typed.attrs[node])
        except NotLowered as wrong:
            raise failure(f"`{operator.name}`: {wrong.reason}") from None
        except Refused as wrong:
            raise failure(wrong.message) from None

    def eval(self, node: tree.Expr, env: Env) -> Steps:
        """Evaluate an expression."""
        return (yield from EVALUATE[type(node)](self, node, env))

    def block(self, node: tree.Block, env: Env) -> Steps:
        """`{ let %x = e; %x }`. [R.19]"""
        for binding in node.bindings:
            match binding:
                case tree.Let():
                    value = yield from self.eval(binding.value, env)
                    if isinstance(binding.value, tree.Function):
                        value.env[binding.var] = value  # it may call itself
                    env[binding.var] = value
                case tree.GraphBind():
                    env[binding] = _Later(binding.value, env)
                case tree.Then():
                    yield from self.eval(binding.value, env)
                case tree.FreeVar():
                    raise failure(f"the free variable `%{binding.var.name}` has no value")
                case _:
                    assert_never(binding)
        return (yield from self.eval(node.value, env))

    def all(self, nodes: Sequence[tree.Expr], env: Env) -> Steps:
        """Evaluate expressions, left to right."""
        values: list[Any] = []
        for one in nodes:
            value = yield from self.eval(one, env)
            values.append(value)
        return values

    # -- expressions ---------------------------------------------------------------------------------------

    def const(self, node: tree.Const, env: Env) -> Steps:
        """A number. [R.11]"""
        return np.asarray(node.value, dtype=numpy_dtype(node.dtype))
        yield

    def meta(self, node: tree.MetaRef, env: Env) -> Steps:
        """A constant of the metadata. [R.12]"""
        key = node.key, node.index
        if key not in self.constants:
            metadata = self.program.metadata
            array = None if metadata is None else metadata.constant(*key)
            assert array is not None
            made = np.frombuffer(array.data, dtype=numpy_dtype(array.dtype)).reshape(array.shape)
            self.constants[key] = made
        return self.constants[key]
        yield

    def var(self, node: tree.Var, env: Env) -> Steps:
        """A local variable. [R.7]"""
        return env[self.resolved.bindings[node]]
        yield

    def global_var(self, node: tree.GlobalVar, env: Env) -> Steps:
        """A function of the module. [R.7]"""
        return Function(self.resolved.functions[node.name].function, {})
        yield

    def graph_var(self, node: tree.GraphVar, env: Env) -> Steps:
        """A graph node, evaluated the first time. [R.8]"""
        later = env[self.resolved.graph[node]]
        if not later.done:
            later.value = yield from self.eval(later.node, later.env)
            later.done = True
        return later.value

    def op_ref(self, node: tree.OpRef, env: Env) -> Steps:
        """An operator or constructor as a value. [R.9] [R.10]"""
        info = self.resolved.ctors.get(node.name)
        if info is not None and not info.ctor.fields:
            return AdtValue(node.name, (), info.index)
        return Builtin(node)
        yield

    def function(self, node: tree.Function, env: Env) -> Steps:
        """`fn (%x) { … }`. [R.15]"""
        return Function(node, dict(env))
        yield

    def tuple(self, node: tree.Tuple, env: Env) -> Steps:
        """`(a, b)`. [R.13]"""
        fields = yield from self.all(node.fields, env)
        return tuple(fields)

    def proj(self, node: tree.Proj, env: Env) -> Steps:
        """`t.0`. [R.13]"""
        value = yield from self.eval(node.tuple, env)
        return value[node.index]

    def call_expr(self, node: tree.Call, env: Env) -> Steps:
        """`f(a, b)`: the callee, then the arguments, left to right. [R.14]"""
        if isinstance(node.op, tree.OpRef):
            args = yield from self.all(node.args, env)
            numbers = [one.value if isinstance(one, tree.Const) else None for one in node.args]
            try:
                return self.builtin(node.op, args, numbers)
            except RunFailure as wrong:
                wrong.node = wrong.node or node
                raise
        callee = yield from self.eval(node.op, env)
        args = yield from self.all(node.args, env)
        return (yield self.apply(callee, args))

    def if_else(self, node: tree.If, env: Env) -> Steps:
        """`if (c) { … } else { … }`. [R.16]"""
        while True:
            condition = yield from self.eval(node.cond, env)
            if bool(condition):
                return (yield from self.block(node.then, dict(env)))
            other = node.other
            if other.bindings or not isinstance(other.value, tree.If):
                return (yield from self.block(other, dict(env)))
            node = other.value

    def match(self, node: tree.Match, env: Env) -> Steps:
        """`match (e) { … }`: the first clause that fits. [R.17]"""
        value = yield from self.eval(node.data, env)
        for clause in node.clauses:
            inner = dict(env)
            if _fits(clause.pattern, value, inner):
                return (yield from self.eval(clause.body, inner))
        wrong = no_clause(value)
        wrong.node = node
        raise wrong

    def ref_new(self, node: tree.RefNew, env: Env) -> Steps:
        """`ref(e)`. [R.18]"""
        return Cell((yield from self.eval(node.value, env)))

    def ref_read(self, node: tree.RefRead, env: Env) -> Steps:
        """`ref_read(r)`. [R.18]"""
        cell = yield from self.eval(node.ref, env)
        return cell.content

    def ref_write(self, node: tree.RefWrite, env: Env) -> Steps:
        """`ref_write(r, e)`. [R.18]"""
        cell = yield from self.eval(node.ref, env)
        cell.content = yield from self.eval(node.value, env)
        return ()


def _fits(pattern: tree.Pattern, value: Any, env: Env) -> bool:
    match pattern:
        case tree.PVar():
            env[pattern.var] = value
            return True
        case tree.PWild():
            return True
        case tree.PTuple():
            return all(_fits(one, field, env) for one, field in zip(pattern.fields, value, strict=True))
        case tree.PCtor():
            if value.ctor != pattern.name:
                return False
            return all(
                _fits(one, field, env) for one, field in zip(pattern.fields, value.fields, strict=True)
            )
        case _:
            return assert_never(pattern)


EVALUATE: Table[tree.Expr, Callable[[Interpreter, Any, Env], Steps]] = {
    tree.Const: Interpreter.const,
    tree.MetaRef: Interpreter.meta,
    tree.Var: Interpreter.var,
    tree.GlobalVar: Interpreter.global_var,
    tree.GraphVar: Interpreter.graph_var,
    tree.OpRef: Interpreter.op_ref,
    tree.Function: Interpreter.function,
    tree.Tuple: Interpreter.tuple,
    tree.Proj: Interpreter.proj,
    tree.Call: Interpreter.call_expr,
    tree.If: Interpreter.if_else,
    tree.Match: Interpreter.match,
    tree.Block: Interpreter.block,
    tree.RefNew: Interpreter.ref_new,
    tree.RefRead: Interpreter.ref_read,
    tree.RefWrite: Interpreter.ref_write,
    tree.Missing: unreachable,
}
