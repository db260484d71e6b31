"""Layer normalization that a model writes as separate operators becomes one operator.

Before opset 17 there is no operator for it: exporters write mean, difference, square, mean, root, quotient, and scale
and shift. Where nothing else reads the intermediate results, `nn.layer_norm` replaces them all.
"""

from __future__ import annotations

from collections import Counter

from relax_lang.base.node import walk
from relax_lang.onnx import dims
from relax_lang.onnx.building.literals import attribute
from relax_lang.onnx.values import Tensor
from relax_lang.ops.core.attributes import attribute_values
from relax_lang.syntax import tree
from relax_lang.syntax.constants import constant_shape

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TypeGuard

    from relax_lang.onnx.building.builder import Builder
    from relax_lang.onnx.values import Value


def write_layer_norms(builder: Builder, outputs: Sequence[Value]) -> None:
    """Replace layer normalizations among the bindings of a block; `outputs` are what it gives."""
    finder = _Finder(builder, outputs)
    found = {
        binding: made for binding in builder.bindings if (made := finder.layer_norm(binding)) is not None
    }
    if not found:
        return
    bindings: list[tree.Binding] = []
    for binding in builder.bindings:
        if binding in found and binding.var is not None:
            made = tree.VarBinding(binding.var, found[binding])
            if binding in builder.comments:
                builder.comments[made] = builder.comments.pop(binding)
            bindings.append(made)
        elif binding not in finder.replaced:
            bindings.append(binding)
    builder.bindings[:] = bindings


class _Finder:
    """The bindings of a block by name, and how often each name is read."""

    def __init__(self, builder: Builder, outputs: Sequence[Value]) -> None:
        self._builder = builder
        self._bindings: dict[str, tree.Binding] = {}
        self._reads = Counter([one.name for one in outputs if isinstance(one, Tensor)])
        self.replaced: set[tree.Binding] = set()
        for binding in builder.bindings:
            if binding.var is not None:
                self._bindings[binding.var.name_hint] = binding
            self._reads.update(_names(binding.value))

    def layer_norm(self, binding: tree.Binding) -> tree.Call | None:
        """Return the call that takes the place of a binding and of all that only it needs, or None."""
        if not isinstance(binding, tree.VarBinding) or not isinstance(binding.value, tree.Call):
            return None
        for scaled, beta in self._operands(binding.value, "add"):
            for normal, gamma in self._operands(self._call(scaled), "multiply"):
                found = self._normalized(normal)
                made = None if found is None else self._made(*found, gamma, beta)
                between = None if made is None else self._between(binding, made.args)
                if between is not None:
                    self.replaced.update(between)
                    return made
        return None

    def _between(self, last: tree.Binding, operands: Sequence[tree.Expr]) -> list[tree.Binding] | None:
        """Return the bindings on the way from operands to the last binding, or None if others read one of them."""
        ends = {_name(one) for one in operands}
        reads: Counter[str] = Counter()
        found: dict[str, tree.Binding] = {}
        todo = [last]
        while todo:
            names = _names(todo.pop().value)
            reads.update(names)
            for name in names:
                if name not in ends and name not in found and name in self._bindings:
                    found[name] = self._bindings[name]
                    todo.append(found[name])
        if any(reads[name] < self._reads[name] for name in found):
            return None
        return list(found.values())

    def _made(
        self, x: tree.Expr, axes: list[int], epsilon: float, gamma: tree.Expr, beta: tree.Expr
    ) -> tree.Call | None:
        """Return the call if both parameters have the extents of the last axes of x, over which it goes."""
        own = self._builder.made.get(x.name_hint) if isinstance(x, tree.Var) else None
        if own is None or own.dtype not in ("float32", "float64"):
            return None
        rank, count = len(own.dims), len(axes)
        if sorted([axis % rank for axis in axes]) != list(range(rank - count, rank)):
            return None
        for one in (gamma, beta):
            shape = self._shape(one)
            if shape is None or len(shape) != count:
                return None
            if not all(dims.equal(a, b) for a, b in zip(shape, own.dims[rank - count :], strict=True)):
                return None
        places = list(range(rank - count, rank))
        attrs = (attribute("axes", places, "list[int]"), attribute("epsilon", epsilon, "float"))
        return tree.Call(tree.Op("nn.layer_norm"), (x, gamma, beta), attrs, None)

    def _normalized(self, expr: tree.Expr) -> tuple[tree.Expr, list[int], float] | None:
        """Return what was normalized over which axes, if an expression is `(x - mean) / sqrt(variance + epsilon)`."""
        for centred, spread in self._quotients(expr):
            x, axes = self._centred(centred)
            if x is None:
                continue
            for variance, number in self._operands(self._call(spread), "add"):
                epsilon = _number(number)
                call = self._call(variance)
                if epsilon is None or not _is(call, "mean") or _mean_axes(call) != axes:
                    continue
                square = self._square(call.args[0])
                same = None if square is None else self._centred(square)
                if same is not None and same[1] == axes and _name(same[0]) == _name(x):
                    return x, axes, epsilon
        return None

    def _quotients(self, expr: tree.Expr) -> list[tuple[tree.Expr, tree.Expr]]:
        """Return what is divided by the root of what."""
        call = self._call(expr)
        if _is(call, "divide"):
            root = self._root(call.args[1])
            return [] if root is None else [(call.args[0], root)]
        found: list[tuple[tree.Expr, tree.Expr]] = []
        for factor, inverse in self._operands(call, "multiply"):
            inner = self._call(inverse)
            root = None
            if _is(inner, "divide") and _number(inner.args[0]) == 1:
                root = self._root(inner.args[1])
            elif _is(inner, "rsqrt"):
                root = inner.args[0]
            if root is not None:
                found.append((factor, root))
        return found

    def _root(self, expr: tree.Expr) -> tree.Expr | None:
        call = self._call(expr)
        return call.args[0] if _is(call, "sqrt") else None

    def _centred(self, expr: tree.Expr) -> tuple[tree.Expr | None, list[int]]:
        """Return x and the axes if an expression is `x - mean(x)`."""
        call = self._call(expr)
        if not _is(call, "subtract"):
            return None, []
        mean = self._call(call.args[1])
        axes = _mean_axes(mean) if _is(mean, "mean") else None
        if axes is None or mean is None or _name(mean.args[0]) != _name(call.args[0]):
            return None, []
        return call.args[0], axes

    def _square(self, expr: tree.Expr) -> tree.Expr | None:
        call = self._call(expr)
        if _is(call, "power") and _number(call.args[1]) == 2:
            return call.args[0]
        if _is(call, "multiply") and _name(call.args[0]) == _name(call.args[1]):
            return call.args[0]
        return None

    def _operands(self, call: tree.Call | None, name: str) -> list[tuple[tree.Expr, tree.Expr]]:
        """Return the operands of an operator that may come in either order, in both."""
        if not _is(call, name) or len(call.args) != 2:
            return []
        return [(call.args[0], call.args[1]), (call.args[1], call.args[0])]

    def _call(self, expr: tree.Expr | None) -> tree.Call | None:
        """Return the call that a variable of the block is bound to."""
        binding = self._bindings.get(expr.name_hint) if isinstance(expr, tree.Var) else None
        if not isinstance(binding, tree.VarBinding) or not isinstance(binding.value, tree.Call):
            return None
        return binding.value

    def _shape(self, expr: tree.Expr) -> dims.Dims | None:
        if isinstance(expr, tree.Var):
            found = self._builder.made.get(expr.name_hint)
            return None if found is None else found.dims
        if not isinstance(expr, tree.Constant):
            return None
        if isinstance(expr.data, tree.FileLit):
            shape = self._builder.weights.arrays[expr.data.key or ""].shape
        else:
            shape = constant_shape(expr)
        return tuple([tree.IntImm(one) for one in shape])


def _names(expr: tree.Expr) -> list[str]:
    return [node.name_hint for node in walk(expr) if isinstance(node, tree.Var)]


def _name(expr: tree.Expr | None) -> str:
    return expr.name_hint if isinstance(expr, tree.Var) else ""


def _is(call: tree.Call | None, name: str) -> TypeGuard[tree.Call]:
    return call is not None and isinstance(call.op, tree.Op) and call.op.op_name == name


def _mean_axes(call: tree.Call) -> list[int] | None:
    """Return the axes over which a mean goes that keeps them."""
    attrs = attribute_values(call.attrs)
    axes: Any = attrs.get("axis")
    if not attrs.get("keepdims") or axes is None:
        return None
    return [axes] if isinstance(axes, int) else list(axes)


def _number(expr: tree.Expr) -> float | None:
    """Return the value of a constant with one element."""
    data = expr.data if isinstance(expr, tree.Constant) else None
    while isinstance(data, tree.ListLit) and len(data.items) == 1:
        data = data.items[0]
    return float(data.value) if isinstance(data, tree.FloatLit | tree.IntLit) else None
