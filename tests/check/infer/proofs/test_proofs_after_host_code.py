"""What is proved after host code ran rests on nothing that is only believed. [D.14 D.8.3.3]

A packed function turns an array in place; programs cast it, compute with the sizes and check what comes out. Every
check that is said to succeed is held against the interpreter, which proves nothing.
`python -m tests.check.infer.proofs.test_proofs_after_host_code FIRST COUNT` tries other seeds.
"""

from __future__ import annotations

import os
import sys
from random import Random

import numpy as np
import pytest

from relax_lang.base.node import walk
from relax_lang.runtime.session import Session
from relax_lang.syntax import tree
from relax_lang.values import RunFailure
from tests.check.infer.harness import check, found
from tests.runtime.compiler.random_host import Host

SEEDS = 4_000 if os.environ.get("RELAX_NIGHTLY") else 120
SIZES = [(1, 5), (5, 1), (3, 3), (2, 3), (1, 1), (0, 1), (2, 0)]


def tensor(*dims: str) -> str:
    return f"Tensor[({', '.join(dims)},), float32]"


class Turning:
    """Writes a program of two functions; the first may be called by the second."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        helper, main = self.function("private def @g", ""), self.function("def @main", "@g")
        self.text = f"{helper}\n{main}"

    def pick(self, *options: str) -> str:
        return self.random.choice(options)

    def dim(self) -> str:
        name = self.pick(*self.sizes)
        return self.pick(name, name, name, f"{name} + 1", f"{name} * 2", f"{name} + {self.pick(*self.sizes)}")

    def function(self, head: str, callee: str) -> str:
        self.sizes, self.matrices, self.vectors = ["k", "m"], ["x"], ["v"]
        lines = [f"{head}(x: {tensor('k', 'm')}, v: {tensor('k')}) {{", f"  extern {self.pick(*HOST)}(x);"]
        lines += [f"  {self.statement(number, callee)}" for number in range(self.random.randint(3, 9))]
        return "\n".join([*lines, f"  {self.pick(*self.vectors)}", "}"])

    def statement(self, number: int, callee: str) -> str:
        kind = self.random.random()
        if kind < 0.35:
            value = self.pick(*self.matrices)
            dims = [
                self.pick(f"p{number}", self.pick(*self.sizes)),
                self.pick(f"q{number}", self.pick(*self.sizes)),
            ]
            self.sizes += [dim for dim in dims if dim not in self.sizes]
            self.matrices.append(f"y{number}")
            return f"let y{number} = match_cast({value}, {tensor(*dims)});"
        if kind < 0.45:
            return f"extern {self.pick(*HOST)}({self.pick(*self.matrices, *self.vectors)});"
        if kind < 0.55 and callee:
            value = f"{callee}({self.pick(*self.matrices)}, {self.pick(*self.vectors)})"
        elif kind < 0.75:
            value = f"add(ones(shape({self.dim()}), dtype=float32), ones(shape({self.dim()}), dtype=float32))"
        elif kind < 0.85:
            value = self.pick(*self.vectors)
        else:
            value = f"ones(shape({self.dim()}), dtype=float32)"
        annotation = f": {tensor(self.dim())}" if self.random.random() < 0.5 else ""
        self.vectors.append(f"z{number}")
        return f"let z{number}{annotation} = {value};"


HOST = ('"turn"', '"turn"', '"same"')


def outcome(session: Session, n: int, m: int) -> object:
    """Return the sizes of the result, or the failure."""
    try:
        return session.call("main", [np.ones((n, m), np.float32), np.ones(n, np.float32)]).shape
    except RunFailure as failure:
        return failure


def problem(seed: int) -> tuple[str, int]:
    """Return what is wrong with a program, and how much is proved in it."""
    text = Turning(seed).text
    checked = check(text)
    if checked.has_errors:
        return "", 0
    proved = checked.inferred.proved
    annotations = {
        one.value: one.var.struct_info_annotation
        for one in walk(checked.normal)
        if isinstance(one, tree.VarBinding) and one.var.struct_info_annotation is not None
    }
    for n, m in SIZES:
        plain = Session(checked.normal, checked.source, engine="interpreter", packed=Host().functions)
        right = outcome(plain, n, m)
        if (
            isinstance(right, RunFailure)
            and (annotations.get(right.node) if right.slug == "annotation-check-failed" else right.node)
            in proved
        ):
            return f"{right.slug} was proved not to happen for {n, m}:\n{text}", 0
        quick = Session(checked.normal, checked.source, packed=Host().functions, proved=proved)
        other = outcome(quick, n, m)
        if getattr(other, "slug", other) != getattr(right, "slug", right):
            return f"{other!r} instead of {right!r} for {n, m}:\n{text}", 0
    return "", len(proved)


@pytest.mark.parametrize("part", range(4))
def test_D_14_what_is_proved_after_host_code_holds(part: int) -> None:
    outcomes = [problem(seed) for seed in range(part, SEEDS, 4)]
    assert [words for words, _ in outcomes if words] == []
    assert sum([number for _, number in outcomes]) > SEEDS / 8


CAST = f'extern "same"(x); match_cast(x, {tensor("m")});'
HEAD = f"def @main(x: {tensor('n')}, y: {tensor('m')})"


def test_D_14_a_cast_of_what_may_have_changed_costs_no_later_proof() -> None:
    text = f"{HEAD} {{ {CAST} let b: {tensor('n + 1')} = ones(shape(n + 1), dtype=float32); b }}"
    checked = check(text)
    assert [text[one.pos : one.end] for one in checked.inferred.proved] == [tensor("n + 1")]


def test_D_14_what_follows_from_such_a_cast_is_believed_and_not_proved() -> None:
    text = f"{HEAD} {{ {CAST} let b: {tensor('m')} = ones(shape(n), dtype=float32); b }}"
    checked = check(text)
    assert checked.diagnostics == []
    assert checked.inferred.proved == set()


def test_D_14_a_result_that_rests_on_belief_proves_nothing_for_callers() -> None:
    broadcast = "add(ones(shape(k), dtype=float32), ones(shape(p), dtype=float32))"
    text = (
        f'private def @g(x: {tensor("k", "m")}) {{ extern "turn"(x); let y = match_cast(x, {tensor("p", "q")}); '
        f"{broadcast} }} def @main(x: {tensor('k', 'm')}) {{ let r: {tensor('k')} = @g(x); r }}"
    )
    checked = check(text)
    assert checked.diagnostics == []
    assert [one for one in checked.inferred.proved if text[one.pos : one.end] == tensor("k")] == []


def test_D_8_3_3_a_cast_of_what_may_have_changed_is_not_redundant() -> None:
    cast = f"let z = match_cast(x, {tensor('n')});"
    assert found(f'{HEAD} {{ extern "same"(x); {cast} z }}') == []
    again = f"let w = match_cast(z, {tensor('n')}); w"
    assert found(f'{HEAD} {{ extern "same"(x); {cast} {again} }}') == [("match-cast-redundant", tensor("n"))]


def test_D_8_3_3_a_cast_that_fits_only_what_host_code_changed_is_no_error() -> None:
    cast = f"match_cast(x, {tensor('3', '2')})"
    text = f'def @main(x: {tensor("2", "3")}, v: {tensor("2")}) {{ extern "turn"(x); let y = {cast}; y }}'
    (one,) = check(text).diagnostics
    assert (one.slug, one.notes) == (
        "possibly-incompatible",
        [
            "dimension 0: expected 3, found 2",
            "it fits only if host code has changed the shape of the array in place",
        ],
    )
    session = Session(check(text).normal, packed=Host().functions)
    assert outcome(session, 2, 3) == (3, 2)
    assert found(text.replace('extern "turn"(x);', "")) == [("match-cast-never", tensor("3", "2"))]


TWO = 'def @main(x: Tensor[(n,), float32], y: Tensor[(m,), float32]) {{ extern "turn"(x); {} }}'


@pytest.mark.parametrize(
    ("wrong", "place"),
    [
        ("match_cast(shape(m), Shape[(n + 1,)]); y", "Shape[(n + 1,)]"),
        ("let z: Shape[(n + 1,)] = shape(m); z", "shape(m)"),
        ("@pair(shape(m), shape(n + 1))", "shape(n + 1)"),
    ],
)
def test_D_14_what_is_wrong_only_if_a_belief_is_right_is_no_error(wrong: str, place: str) -> None:
    pair = "def @pair(s: Shape[(k,)], t: Shape[(k,)]) -> Shape[(k,)] { s }"
    believed = TWO.format(f"match_cast(x, Tensor[(m,), float32]); {wrong}") + pair
    assert found(believed) == [("possibly-incompatible", place)]
    ((slug, _),) = found(TWO.format(f"match_cast(shape(n), Shape[(m,)]); {wrong}") + pair)
    assert slug in ("match-cast-never", "annotation-mismatch", "argument-mismatch"), "that is proven"


def test_D_14_what_is_wrong_whatever_is_believed_stays_an_error() -> None:
    text = TWO.format("match_cast(x, Tensor[(m,), float32]); match_cast(shape(m), Shape[(m + 1,)]); y")
    assert found(text) == [("match-cast-never", "Shape[(m + 1,)]")]


@pytest.mark.parametrize("before", ["", f'extern "same"(x); match_cast(x, {tensor("m")});'])
def test_D_8_3_3_what_is_believed_costs_no_hint(before: str) -> None:
    text = f"{HEAD} {{ {before} match_cast(ones(shape(n), dtype=float32), {tensor('n')}); y }}"
    assert found(text) == [("match-cast-redundant", tensor("n"))]


if __name__ == "__main__":
    first, count = map(int, sys.argv[1:])
    for one in range(first, first + count):
        words, _ = problem(one)
        if words:
            print(one, words)  # noqa: T201 - a script
