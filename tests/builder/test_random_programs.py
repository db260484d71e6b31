"""Whatever the builder builds prints, reads back as an equal tree in normal form, checks and has the same infos."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from relax_lang import BlockBuilder, Tensor, api, dim, op, te
from relax_lang.struct_info.printing import shown
from tests.builder.programs import whole

N, M = dim("n"), dim("m")
UNARY = ("exp", "tanh", "negative", "nn.relu", "sigmoid", "square")


class Program:
    """A random program; every value that is made is a (n, 4) float32."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.bb = BlockBuilder()
        self.helpers: list[str] = []

    def operand(self, values: list[Any]) -> Any:
        return self.random.choice(values)

    def expression(self, values: list[Any], depth: int = 0) -> Any:
        kind = self.random.randrange(9)
        a = self.operand(values) if depth > 1 else self.expression(values, depth + 1)
        if kind < 3:
            name = self.random.choice(UNARY)
            group: Any = op
            for part in name.split("."):
                group = getattr(group, part)
            return group(a)
        b = self.operand(values)
        if kind == 3:
            return a + b
        if kind == 4:
            return self.random.choice(
                (a * 2, 1.5 - a, a / N, a + np.float32(3), -a, a * np.ones(4, np.float32))
            )
        if kind == 5:
            return a @ np.eye(4, dtype=np.float32)
        if kind == 6:
            return op.nn.softmax(a, axis=self.random.choice((-1, 1)))
        if kind == 7:
            return op.where(a > b, a, b)
        return op.reshape(op.permute_dims(a), (N, 4))

    def statements(self, values: list[Any], count: int, *, dataflow: bool = False) -> list[Any]:
        """Emit some statements, and return all values that are visible after them."""
        visible, bb = list(values), self.bb
        for _ in range(count):
            kind = self.random.randrange(12)
            if kind == 0 and not dataflow:
                visible.append(self.block(visible))
            elif kind == 1 and not dataflow:
                visible.append(self.branch(visible))
            elif kind == 2 and not dataflow:
                visible.append(self.closure(visible))
            elif kind == 3:
                cast = bb.match_cast(self.operand(visible), Tensor((N, 4), "float32"))
                visible.append(cast)
            elif kind == 4:
                visible.append(
                    bb.emit_te(lambda a: te.compute(a.shape, lambda i, j: a[i, j] * 2.0), visible[-1])
                )
            elif kind == 5:
                first, _ = bb.emit((self.operand(visible), self.expression(visible)))
                visible.append(bb.emit(first))
            elif kind == 6 and self.helpers:
                callee = bb.global_var(self.random.choice(self.helpers))
                visible.append(bb.emit(bb.call(callee, self.operand(visible))))
            else:
                visible.append(bb.emit(self.expression(visible), self.random.choice(("", "", "named"))))
        return visible

    def block(self, values: list[Any]) -> Any:
        with self.bb.dataflow():
            inside = self.statements(values, 3, dataflow=True)
            return self.bb.emit_output(self.operand(inside))

    def branch(self, values: list[Any]) -> Any:
        condition = op.sum(self.operand(values)) > 0.0

        def emit() -> Any:
            return self.operand(self.statements(values, 2))

        return self.bb.emit_if(condition, emit, emit)

    def closure(self, values: list[Any]) -> Any:
        param = self.bb.var("z", Tensor((N, 4), "float32"))
        made = self.bb.local_function([param], lambda z: self.operand(self.statements([*values, z], 2)))
        return self.bb.emit(self.bb.call(made, self.operand(values)))

    def build(self) -> dict[str, str]:
        """Build two functions; return the infos of their last values."""
        bb, known = self.bb, {}
        for name in ("helper", "main"):
            params = [bb.var(one, Tensor((N, 4), "float32")) for one in ("x", "y")[: 1 + (name == "main")]]
            with bb.function(name, params, private=name == "helper"):
                values = self.statements(list(params), self.random.randint(1, 8))
                known[name] = str(values[-1].struct_info)
                bb.emit_func_output(values[-1])
            self.helpers.append(name)
        return known


@pytest.mark.parametrize("seed", range(60))
def test_what_is_built_reads_back_and_checks(seed: int) -> None:
    program = Program(seed)
    known = program.build()
    text = whole(program.bb)
    signatures = api.typed(text).signatures
    for name, info in known.items():
        found = signatures[name]
        assert shown(found.ret) == info, (name, text)  # type: ignore[union-attr, arg-type]
