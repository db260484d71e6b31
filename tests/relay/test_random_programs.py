"""Random well-typed programs: one value before and after translation, which the checker of Relax accepts. [R.38]"""

# ruff: noqa: E501 - tables

from __future__ import annotations

import os
import random

import numpy as np
import pytest

from relax_lang import api
from relax_lang.base.source import RelayFile
from tests.relay.test_values import plain

TYPES = ("Tensor[(2, 3), float32]", "float32", "int32", "bool", "List[int32]", "(int32, float32)")
HEAD = """\
type List[A] { Cons(A, List[A]), Nil }
def @same[A](%x: A) -> A { %x }
def @ints(%l: List[int32]) -> List[int32] { %l }
def @sum(%l: List[int32]) -> int32 { match (%l) { Cons(%h, %t) => %h + @sum(%t), Nil => 0 } }
"""


class Generator:
    """Writes expressions of a given type over the variables in scope."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.count = 0

    def fresh(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def expr(self, type_: str, scope: dict[str, str], depth: int) -> str:
        names = [name for name, own in scope.items() if own == type_]
        if names and (depth <= 0 or self.rng.random() < 0.3):
            return self.rng.choice(names)
        kinds = (
            [self.leaf]
            if depth <= 0
            else [self.leaf, self.branch, self.block, self.call, self.operator, self.operator]
        )
        return self.rng.choice(kinds)(type_, scope, depth - 1)

    def leaf(self, type_: str, scope: dict[str, str], depth: int) -> str:
        return {
            "Tensor[(2, 3), float32]": "ones(shape=[2, 3])",
            "float32": f"{self.rng.randint(0, 5)}.5f",
            "int32": str(self.rng.randint(-3, 9)),
            "bool": self.rng.choice(("True", "False")),
            "List[int32]": self.rng.choice(("Nil", "Cons(1, Nil)")),
            "(int32, float32)": "(1, 2f)",
        }[type_]

    def branch(self, type_: str, scope: dict[str, str], depth: int) -> str:
        condition = self.expr("bool", scope, depth)
        return f"(if ({condition}) {{ {self.expr(type_, scope, depth)} }} else {{ {self.expr(type_, scope, depth)} }})"

    def block(self, type_: str, scope: dict[str, str], depth: int) -> str:
        own, name = self.rng.choice(TYPES), self.fresh()
        if self.rng.random() < 0.4:
            self.count += 1
            name = f"%{self.count}"
            head = f"{name} = {self.expr(own, scope, depth)};"
        else:
            head = f"let {name} = {self.expr(own, scope, depth)};"
        return f"({{ {head} {self.expr(type_, {**scope, name: own}, depth)} }})"

    def call(self, type_: str, scope: dict[str, str], depth: int) -> str:
        if type_ == "int32" and self.rng.random() < 0.5:
            return f"@sum({self.expr('List[int32]', scope, depth)})"
        if self.rng.random() < 0.5:
            return f"@same({self.expr(type_, scope, depth)})"
        own, name = self.rng.choice(TYPES), self.fresh()
        body = self.expr(type_, {**scope, name: own}, depth)
        return f"(fn ({name}: {own}) {{ {body} }})({self.expr(own, scope, depth)})"

    def operator(self, type_: str, scope: dict[str, str], depth: int) -> str:
        def of(other: str) -> str:
            return self.expr(other, scope, depth)

        if type_ == "Tensor[(2, 3), float32]":
            return self.rng.choice(
                (
                    lambda: f"({of(type_)} + {of(type_)})",
                    lambda: f"({of(type_)} * {of('float32')})",
                    lambda: f"tanh({of(type_)})",
                    lambda: f"transpose(reshape({of(type_)}, newshape=[3, 2]), axes=[1, 0])",
                )
            )()
        if type_ == "float32":
            return self.rng.choice(
                (
                    lambda: f"sum({of('Tensor[(2, 3), float32]')})",
                    lambda: f"({of('(int32, float32)')}).1",
                    lambda: f"maximum({of(type_)}, {of(type_)})",
                )
            )()
        if type_ == "int32":
            return self.rng.choice(
                (
                    lambda: f"({of(type_)} - {of(type_)})",
                    lambda: f"({of('(int32, float32)')}).0",
                    lambda: f'cast({of("bool")}, dtype="int32")',
                )
            )()
        if type_ == "bool":
            return f"({of('int32')} < {of('int32')})"
        if type_ == "List[int32]":
            name, rest = self.fresh(), self.fresh()
            inner = {**scope, name: "int32", rest: "List[int32]"}
            if self.rng.random() < 0.5:
                return f"Cons({of('int32')}, {of(type_)})"
            return f"(match (@ints({of(type_)})) {{ Cons({name}, {rest}) => {self.expr(type_, inner, depth)}, Nil => {of(type_)} }})"
        return f"({of('int32')}, {of('float32')})"


@pytest.mark.parametrize("seed", range(int(os.environ.get("RELAX_RANDOM_RELAY", "60"))))
def test_R_38_random_programs_keep_their_value(seed):
    made = Generator(seed)
    type_ = made.rng.choice(TYPES)
    body = made.expr(type_, {"%x": "Tensor[(2, 3), float32]", "%n": "int32"}, 5)
    text = f"{HEAD}def @main(%x: Tensor[(2, 3), float32], %n: int32) -> {type_} {{ {body} }}\n"
    args = (np.arange(6, dtype=np.float32).reshape(2, 3), np.asarray(2, dtype=np.int32))
    values = []
    for engine in ("relay", "compiled"):
        session = api.start(RelayFile(text), engine=engine)  # which checks the translation
        values.append(plain(api.run_session(session, "main", args)))
    assert repr(values[0]) == repr(values[1]), text
