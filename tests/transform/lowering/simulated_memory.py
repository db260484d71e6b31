"""What a plan of memory does to a program, simulated by rules of its own: which tensors live where, and until when.

Names are followed one binding after the other: what a value may be or hold is what its operands are or hold, unless
an operator makes new memory. What other functions were given may be kept by them, so that it lives to the end.
"""

from __future__ import annotations

from typing import NamedTuple

from relax_lang.arith.evaluate import evaluate
from relax_lang.base.node import walk
from relax_lang.ops.registry import lookup
from relax_lang.syntax import tree
from relax_lang.syntax.dtypes import bytes_of
from relax_lang.typed import Typed

FOREVER = 1 << 60


class Tensor:
    """A tensor in a storage: its bytes, and the statements between which it is needed."""

    def __init__(self, name: str, storage: str, start: int, size: int, first: int) -> None:
        self.name = name
        self.storage = storage
        self.start = start
        self.end = start + size
        self.first = self.last = first


class Found(NamedTuple):
    """What is wrong, how many tensors there are, and bytes: of storages, of what lives at once, of all tensors."""

    wrong: list[str]
    tensors: int
    planned: int
    peak: int
    total: int


def simulate(typed: Typed, sizes: dict[str, int]) -> Found:
    """Simulate the functions of a program whose memory is planned, for these sizes of shape variables."""
    made = [_Simulation(function, typed, sizes) for function in typed.functions]
    return Found(
        [each for one in made for each in one.wrong()],
        sum(len(one.tensors) for one in made),
        *[sum(column) for column in zip(*[one.bytes() for one in made], strict=True)],
    )


class _Simulation:
    def __init__(self, function: tree.Function, typed: Typed, sizes: dict[str, int]) -> None:
        self.tensors: list[Tensor] = []
        self._storages: dict[str, int] = {}
        self._reached: dict[str, set[Tensor]] = {}
        self._prim_funcs = typed.prim_funcs
        self._sizes = sizes
        self._at = 0
        for tensor in self._body(function.body):
            tensor.last = FOREVER

    def wrong(self) -> list[str]:
        found: list[str] = []
        for at, one in enumerate(self.tensors):
            if one.end > self._storages[one.storage]:
                found.append(f"{one.name} ends beyond {one.storage}")
            for other in self.tensors[:at]:
                lives = one.first <= other.last and other.first <= one.last
                if one.storage == other.storage and lives and one.start < other.end and other.start < one.end:
                    found.append(f"{one.name} and {other.name} are in one place")
        return found

    def bytes(self) -> tuple[int, int, int]:
        lives = [
            sum(one.end - one.start for one in self.tensors if one.first <= at <= one.last)
            for at in {one.first for one in self.tensors}
        ]
        total = sum(one.end - one.start for one in self.tensors)
        return sum(self._storages.values()), max(lives, default=0), total

    def _body(self, body: tree.Expr) -> set[Tensor]:
        if not isinstance(body, tree.SeqExpr):
            return self._used(body)
        for block in body.blocks:
            for binding in block.bindings:
                self._at += 1
                self._binding(binding)
        self._at += 1
        return self._used(body.body)

    def _binding(self, binding: tree.Binding) -> None:
        value = binding.value
        name = binding.var.name_hint if binding.var is not None else "_"
        call = value if isinstance(value, tree.Call) and isinstance(value.op, tree.Op) else None
        op = call.op.op_name if call is not None and isinstance(call.op, tree.Op) else ""
        if call is not None and op == "memory.alloc_storage":
            (size,) = self._numbers(call.args[0])
            self._storages[name] = size
        elif call is not None and op == "memory.alloc_tensor":
            storage, offset, shape = call.args
            assert isinstance(storage, tree.Var)
            assert isinstance(offset, tree.PrimValue)
            size = bytes_of(next(str(a.value.name) for a in call.attrs if isinstance(a.value, tree.DType)))
            for dim in self._numbers(shape):
                size *= dim
            start = int(evaluate(offset.value, self._sizes))
            tensor = Tensor(name, storage.name_hint, start, size, self._at)
            self.tensors.append(tensor)
            self._reached[name] = {tensor}
        else:
            self._reached[name] = self._used(value)

    def _numbers(self, shape: tree.Expr) -> list[int]:
        assert isinstance(shape, tree.ShapeExpr)
        return [int(evaluate(dim, self._sizes)) for dim in shape.values]

    def _used(self, value: tree.Expr) -> set[Tensor]:
        """Note that a value is needed now, and return the tensors that it may be or hold."""
        if isinstance(value, tree.If):
            self._used(value.cond)
            return self._body(value.true_branch) | self._body(value.false_branch)
        names = [node.name_hint for node in walk(value) if isinstance(node, tree.Var)]
        reached = set[Tensor]().union(*[self._reached.get(name, set[Tensor]()) for name in names])
        for tensor in reached:
            tensor.last = max(tensor.last, self._at)
        if isinstance(value, tree.Function):
            return self._kept(reached)
        if not isinstance(value, tree.Call):
            return reached
        if isinstance(value.op, tree.GlobalVar) and value.op.name_hint in self._prim_funcs:
            return set()
        if isinstance(value.op, tree.Op):
            operator = lookup(value.op.op_name)
            assert operator is not None
            callee = value.args[0] if value.args else None
            if isinstance(callee, tree.GlobalVar) and callee.name_hint in self._prim_funcs:
                return set() if value.op.op_name == "call_tir" else reached
            if value.op.op_name in ("print", "assert_op"):
                return set()
            if not any(param.kind in ("callee", "any") for param in operator.params):
                return reached if operator.aliases else set()
        return self._kept(reached)

    def _kept(self, reached: set[Tensor]) -> set[Tensor]:
        for tensor in reached:
            tensor.last = FOREVER
        return reached
