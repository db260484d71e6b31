"""A small evaluator of trees, as written and in normal form, that records effects. Knows names, not types.

A value is a digest of how it was computed; a call of an extern function is an entry in the log. Written apart from
name resolution: scopes are dictionaries, copied at every binding.
"""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

from relax_lang.syntax import tree
from relax_lang.syntax.vocabulary.operators import INFIX_SUGAR, PREFIX_SUGAR

SCALAR_OPERATORS = ("arange",)


def digest(*parts: object) -> str:
    return blake2b(repr(parts).encode(), digest_size=8).hexdigest()


class Closure:
    def __init__(self, function: tree.Function, env: dict[str, Any], shapes: dict[str, int]) -> None:
        self.function = function
        self.env = env
        self.shapes = shapes


class OutOfFuelError(Exception):
    pass


class Evaluator:
    def __init__(self, module: tree.IRModule, fuel: int = 4000) -> None:
        self.items = {
            item.name.name_hint: item for item in module.items if type(item) is tree.Function and item.name
        }
        self.log: list[object] = []
        self.fuel = fuel
        self.depth = 0

    def run(self, name: str) -> tuple[list[object], object]:
        """Return the log and the result of a function, or how far it came before the fuel was used up."""
        function = self.items[name]
        try:
            args = [digest("argument", index) for index in range(len(function.params))]
            return self.log, show(self.call(Closure(function, {}, {}), args))
        except OutOfFuelError:
            return self.log, "out of fuel"

    def call(self, closure: Closure, args: list[Any]) -> Any:
        self.fuel -= 1
        self.depth += 1
        if self.fuel < 0:
            raise OutOfFuelError
        if self.depth > 12:
            self.depth -= 1
            return digest("deep")
        env, shapes = dict(closure.env), dict(closure.shapes)
        for param, arg in zip(closure.function.params, args, strict=False):
            env[param.name_hint] = arg
        self.match([param.struct_info_annotation for param in closure.function.params], args, shapes)
        result = self.scope(closure.function.body, env, shapes)
        self.depth -= 1
        return result

    def match(self, infos: list[Any], values: list[Any], shapes: dict[str, int]) -> None:
        """Bind the bare names of some infos, then log what the dimensions are."""
        dims = [
            (info, show(value), at, dim)
            for info, value in zip(infos, values, strict=False)
            for at, dim in shown_dims(info)
        ]
        for _, value, at, dim in dims:
            if type(dim) is tree.PrimVar and dim.name not in shapes:
                shapes[dim.name] = int(digest("size", value, at), 16) % 50 + 1
        for _, value, _, dim in dims:
            self.log.append(("match", value, self.dim(dim, shapes)))

    def scope(self, body: tree.Expr, env: dict[str, Any], shapes: dict[str, int]) -> Any:
        """Evaluate a body in a scope of its own."""
        env, shapes = dict(env), dict(shapes)
        if type(body) is not tree.SeqExpr:
            return self.value(body, env, shapes)
        for block in body.blocks:
            if type(block) is tree.DataflowBlock:
                inner = dict(env)
                self.bindings(block.bindings, inner, shapes)
                env.update({output.name_hint: inner[output.name_hint] for output in block.outputs})
            else:
                assert type(block) is tree.BindingBlock
                self.bindings(block.bindings, env, shapes)
        return self.value(body.body, env, shapes)

    def bindings(self, bindings: tuple[Any, ...], env: dict[str, Any], shapes: dict[str, int]) -> None:
        for binding in bindings:
            value = binding.value
            if type(binding) is tree.MatchCast:
                made = self.value(value, env, shapes)
                self.match([binding.struct_info], [made], shapes)
            elif type(value) is tree.Function:
                made = Closure(value, dict(env), dict(shapes))
                made.env[binding.var.name_hint] = made
            else:
                made = self.value(value, env, shapes)
            if binding.var is not None:
                env[binding.var.name_hint] = made

    def value(self, node: Any, env: dict[str, Any], shapes: dict[str, int]) -> Any:  # noqa: C901  # one case for each class
        match node:
            case tree.Var():
                return env[node.name_hint]
            case tree.Constant():
                return digest(node.data.value, type(node.data).__name__)
            case tree.GlobalVar():
                return Closure(self.items[node.name_hint], {}, {})
            case tree.ExternFunc():
                return ("extern", node.global_symbol)
            case tree.ShapeExpr():
                return digest("shape", [self.dim(value, shapes) for value in node.values])
            case tree.PrimValue():
                return digest("scalar", self.dim(node.value, shapes))
            case tree.Tuple():
                return tuple([self.value(field, env, shapes) for field in node.fields])
            case tree.TupleGetItem():
                fields = self.value(node.tuple_value, env, shapes)
                return fields[node.index]
            case tree.Function():
                return Closure(node, dict(env), dict(shapes))
            case tree.If():
                chosen = int(digest(show(self.value(node.cond, env, shapes))), 16) % 2
                return self.scope(node.true_branch if chosen else node.false_branch, env, shapes)
            case tree.SeqExpr():
                return self.scope(node, env, shapes)
            case tree.BinaryOp():
                lhs = self.value(node.lhs, env, shapes)
                return digest(INFIX_SUGAR[node.op], [show(lhs), show(self.value(node.rhs, env, shapes))])
            case tree.UnaryOp():
                return digest(PREFIX_SUGAR[node.op], [show(self.value(node.operand, env, shapes))])
            case tree.Call():
                return self.any_call(node, env, shapes)
        raise AssertionError(node)

    def any_call(self, node: tree.Call, env: dict[str, Any], shapes: dict[str, int]) -> Any:
        op = node.op
        if type(op) is tree.Var and op.name_hint not in env:  # no variable of this name is in scope [G.34]
            op = tree.Op(op.name_hint)
        if type(op) is not tree.Op:
            callee = self.value(op, env, shapes)
            args = [self.value(arg, env, shapes) for arg in node.args]
            if type(callee) is Closure:
                return self.call(callee, args)
            self.log.append((show(callee), [show(arg) for arg in args]))
            return digest("result", show(callee), [show(arg) for arg in args], len(self.log))
        if op.op_name == "cast":
            value = self.value(node.args[0], env, shapes)
            self.match([node.struct_info], [value], shapes)
            return value
        if op.op_name in SCALAR_OPERATORS:
            return digest(op.op_name, [self.scalar(arg, shapes) for arg in node.args])
        return digest(op.op_name, [show(self.value(arg, env, shapes)) for arg in node.args])

    def scalar(self, node: Any, shapes: dict[str, int]) -> int:
        """A scalar operand, whichever form it has."""
        match node:
            case tree.PrimValue():
                return self.dim(node.value, shapes)
            case tree.Constant():
                return node.data.value
            case tree.Var():
                return shapes[node.name_hint]
            case tree.BinaryOp():
                a, b = self.scalar(node.lhs, shapes), self.scalar(node.rhs, shapes)
                return a + b if node.op == "+" else a * b
            case tree.Call():
                return min([self.scalar(arg, shapes) for arg in node.args])
        raise AssertionError(node)

    def dim(self, node: Any, shapes: dict[str, int]) -> int:
        match node:
            case tree.PrimVar():
                return shapes[node.name]
            case tree.IntImm():
                return node.value
            case tree.Add():
                return self.dim(node.a, shapes) + self.dim(node.b, shapes)
            case tree.Mul():
                return self.dim(node.a, shapes) * self.dim(node.b, shapes)
            case tree.Min():
                return min(self.dim(node.a, shapes), self.dim(node.b, shapes))
        raise AssertionError(node)


def shown_dims(info: Any) -> list[tuple[int, Any]]:
    """The dimensions of a parameter or of a match_cast's target."""
    if type(info) is tree.TensorStructInfo and info.shape is not None:
        return list(enumerate(info.shape.values))
    return list(enumerate(info.values)) if type(info) is tree.MatchShapeInfo else []


def show(value: Any) -> object:
    if type(value) is tuple:
        return tuple([show(part) for part in value])
    return "closure" if type(value) is Closure else value
