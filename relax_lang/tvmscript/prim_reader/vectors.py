"""Vectors of scalars, `A[T.Ramp(0, 1, 4)] = B[0:4] * T.Broadcast(2.0, 4)`: a vectorized loop over their lanes.

A store of a vector reads all it needs before it writes. A loop does the same where it reads of the buffer that it
stores to no other elements than those that it stores.
"""

from __future__ import annotations

import ast
import re

from relax_lang.tvmscript.python.values import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.tvmscript.prim_reader.prim_funcs import PrimFuncReader

RAMPS = frozenset(("Ramp", "ramp"))
BROADCASTS = frozenset(("Broadcast", "broadcast"))
_VECTOR_DTYPE = re.compile(r"(?P<dtype>(?:u?int|float|bfloat)\d+|bool)x(?P<lanes>\d+)\Z")


class Lanes(ast.NodeTransformer):
    """Rewrites an expression of vectors as one of the scalars of a lane; `count` is how many lanes it found."""

    def __init__(self, reader: PrimFuncReader, variable: str) -> None:
        self.reader = reader
        self.reading = reader.reading
        self.variable = variable
        self.count: ast.expr | None = None

    def lane(self, place: ast.expr) -> ast.expr:
        """Return the number of the lane."""
        return ast.copy_location(ast.Name(self.variable, ast.Load()), place)

    def note(self, count: ast.expr) -> None:
        """Note how many lanes a vector has: as many as the others."""
        if self.count is None:
            self.count = count
        elif not self._is_same(self.count, count):
            raise self.reading.wrong(count, "vectors of different lengths")

    def _is_same(self, left: ast.expr, right: ast.expr) -> bool:
        return ast.dump(left) == ast.dump(right) or self._number(left) == self._number(right) is not None

    def _number(self, node: ast.expr) -> int | None:
        from relax_lang.tvmscript.python.python_values import evaluate

        try:
            found = evaluate(node, self.reading.env)
        except Unknown:
            return None
        return found if isinstance(found, int) else None

    def visit_Call(self, node: ast.Call) -> ast.expr:
        """Rewrite a ramp, a broadcast, a load or a conversion of a vector."""
        dialect, name = self.reading.called(node)
        if dialect == "T" and name in RAMPS and len(node.args) == 3:
            start, step, count = node.args
            self.note(count)
            return self._sum(start, self._product(self.lane(node), step, node), node)
        if dialect == "T" and name in BROADCASTS and len(node.args) == 2:
            self.note(node.args[1])
            return self.visit(node.args[0])
        func = node.func
        if isinstance(func, ast.Attribute) and func.attr == "vload" and self.reader.buffer(func.value):
            return self._loaded(node, func.value)
        found = _VECTOR_DTYPE.match(name) if dialect == "T" else None
        made = self.generic_visit(node)
        assert isinstance(made, ast.Call)
        if found is not None and isinstance(func, ast.Attribute):
            self.note(ast.copy_location(ast.Constant(int(found["lanes"])), node))
            made.func = ast.copy_location(ast.Attribute(func.value, found["dtype"], func.ctx), func)
        return made

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        """Rewrite the dtype of a vector as that of its lanes."""
        found = _VECTOR_DTYPE.match(node.value) if isinstance(node.value, str) else None
        if found is None:
            return node
        self.note(ast.copy_location(ast.Constant(int(found["lanes"])), node))
        return ast.copy_location(ast.Constant(found["dtype"]), node)

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        """Rewrite an element with a slice among its indices."""
        found = self.reader.buffer(node.value)
        if found is None:
            return node
        given = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        indices = [self._sliced(one) if isinstance(one, ast.Slice) else self.visit(one) for one in given]
        return self._element(node.value, indices, node)

    def _loaded(self, node: ast.Call, buffer: ast.expr) -> ast.expr:
        """Rewrite `A.vload([i], "float32x4")`, `A.vload([T.Ramp(i, 1, 4)])`."""
        given = (
            node.args[0].elts
            if node.args and isinstance(node.args[0], ast.List | ast.Tuple)
            else node.args[:1]
        )
        self._no_mask(node)
        indices = [self.visit(one) for one in given]
        if len(node.args) > 1:
            kind = self.reading.value(node.args[1])
            found = _VECTOR_DTYPE.match(kind) if isinstance(kind, str) else None
            if found is not None:
                self.note(ast.copy_location(ast.Constant(int(found["lanes"])), node))
                indices[-1] = self._sum(indices[-1], self.lane(node), node)
        return self._element(buffer, indices, node)

    def _no_mask(self, node: ast.Call) -> None:
        for one in node.keywords:
            if one.arg != "predicate" or not self._is_always(one.value):
                raise self.reading.unsupported(one.value, f"`{one.arg}=` of a vector", "it masks lanes")

    def _is_always(self, node: ast.expr) -> bool:
        if not isinstance(node, ast.Call) or self.reading.called(node)[1] not in BROADCASTS:
            return False
        first = node.args[0]
        inner = first.args[0] if isinstance(first, ast.Call) and first.args else first
        return isinstance(inner, ast.Constant) and inner.value in (True, 1)

    def stored(self, node: ast.Call) -> tuple[ast.Subscript, ast.expr]:
        """Return target and value of `B.vstore([T.Ramp(0, 1, 4)], e)`."""
        assert isinstance(node.func, ast.Attribute)
        if len(node.args) != 2 or not isinstance(node.args[0], ast.List | ast.Tuple):
            raise self.reading.wrong(node, "a store of a vector has indices and a value")
        self._no_mask(node)
        indices = [self.visit(one) for one in node.args[0].elts]
        return self._element(node.func.value, indices, node), self.visit(node.args[1])

    def _sliced(self, node: ast.Slice) -> ast.expr:
        """Return the index of a lane in a slice."""
        zero = ast.copy_location(ast.Constant(0), node.upper or node.lower or node)  # type: ignore[arg-type]
        low = node.lower or zero
        if node.upper is None or node.step is not None:
            raise self.reading.unsupported(node.upper or zero, "a slice without an end, or with a step")
        self.note(self._length(low, node.upper))
        return self._sum(low, self.lane(node.upper), node.upper)

    def _length(self, low: ast.expr, high: ast.expr) -> ast.expr:
        first, last = self._number(low), self._number(high)
        if first is not None and last is not None:
            return ast.copy_location(ast.Constant(last - first), high)
        if (
            isinstance(high, ast.BinOp)
            and isinstance(high.op, ast.Add)
            and ast.dump(high.left) == ast.dump(low)
        ):
            return high.right
        return ast.copy_location(ast.BinOp(high, ast.Sub(), low), high)

    @staticmethod
    def _element(buffer: ast.expr, indices: list[ast.expr], place: ast.expr) -> ast.Subscript:
        index = indices[0] if len(indices) == 1 else ast.copy_location(ast.Tuple(indices, ast.Load()), place)
        return ast.copy_location(ast.Subscript(buffer, index, ast.Load()), place)

    def _product(self, left: ast.expr, right: ast.expr, place: ast.expr) -> ast.expr:
        if self._number(right) == 1:
            return left
        return ast.copy_location(ast.BinOp(left, ast.Mult(), right), place)

    def _sum(self, left: ast.expr, right: ast.expr, place: ast.expr) -> ast.expr:
        if self._number(left) == 0:
            return right
        return ast.copy_location(ast.BinOp(left, ast.Add(), right), place)


def has_vectors(reader: PrimFuncReader, node: ast.stmt) -> bool:
    """Return whether a statement stores a vector."""
    if isinstance(node, ast.Assign | ast.AugAssign):
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        if not isinstance(target, ast.Subscript) or reader.buffer(target.value) is None:
            return False
        return any(
            isinstance(one, ast.Slice)
            or (isinstance(one, ast.Call) and reader.reading.called(one) in _RAMP_CALLS)
            for one in ast.walk(target.slice)
        )
    return isinstance(node, ast.Expr) and stores_vector(reader, node.value)


_RAMP_CALLS = frozenset([("T", name) for name in RAMPS])


def stores_vector(reader: PrimFuncReader, node: ast.expr) -> bool:
    """Return whether a call is `B.vstore(…)` of a buffer."""
    func = node.func if isinstance(node, ast.Call) else None
    return isinstance(func, ast.Attribute) and func.attr == "vstore" and reader.buffer(func.value) is not None


def rereads(reader: PrimFuncReader, target: ast.Subscript, value: ast.expr) -> ast.Subscript | None:
    """Return a load of an element that another lane of the same store may write; None if there is none."""
    buffer = reader.buffer(target.value)
    while buffer is not None and buffer.memory is not None:
        buffer = buffer.memory
    for one in ast.walk(value):
        if not isinstance(one, ast.Subscript):
            continue
        other = reader.buffer(one.value)
        same_name = ast.dump(one.value) == ast.dump(target.value)
        while other is not None and other.memory is not None:
            other = other.memory
        if (
            other is not None
            and other is buffer
            and not (same_name and ast.dump(one.slice) == ast.dump(target.slice))
        ):
            return one
    return None
