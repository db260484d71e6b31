"""The checker against runs: no false error, no missed failure, no info that a value contradicts, no wrong proof.

Programs of `shape_programs` on many sizes: a short run everywhere, with RELAX_NIGHTLY=1 a long one. [C.0] [D.13] [D.14]
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from itertools import product

import numpy as np
import pytest

from relax_lang.arith.evaluate import DimensionError, evaluate
from relax_lang.base.source import SourceFile
from relax_lang.check.driver import check_source
from relax_lang.normalize.normalize import normalize
from relax_lang.runtime.instrument.observer import Instrumentation, Moment, Observer
from relax_lang.runtime.interpreter.machine import Scope
from relax_lang.runtime.session import Session
from relax_lang.syntax import tree
from relax_lang.values import RunFailure, ShapeValue
from tests.fuzz.shape_programs import NAMES, ShapeProgram

SHORT, LONG = 8, 400
PER_PART = 25

ANNOUNCED = {"argument-check-failed", "return-check-failed", "annotation-check-failed", "op-runtime-shape"}
"""Failures that a clean program never ends in; a hint or a warning goes before them."""
LATER = {"match-cast-failed", "negative-dimension", "dim-division-by-zero", "op-runtime-value"}
"""Failures that checking leaves to the run without a word."""
UNRELATED = ("reshape", "broadcast_to")
"""Operators of which not every failing pair of extents is one that has to be equal."""


class Holds(Observer):
    """Compares every value with what was inferred of it."""

    __slots__ = ("infos", "wrong")

    def __init__(self, infos: Mapping[tree.Node, tree.StructInfo]) -> None:
        self.infos = infos
        self.wrong: list[str] = []

    def bound(self, moment: Moment, value: object, scope: Scope) -> None:
        var = moment.binding.var
        info = None if var is None else self.infos.get(var)
        if isinstance(info, tree.TensorStructInfo) and isinstance(value, np.ndarray):
            self.compare(moment.name, info, value.shape, scope)

    def compare(self, name: str, info: tree.TensorStructInfo, shape: tuple[int, ...], scope: Scope) -> None:
        if info.ndim is not None and info.ndim != len(shape):
            self.wrong.append(f"{name}: rank {info.ndim} is {len(shape)}")
        if not isinstance(info.shape, tree.ShapeExpr):
            return
        try:
            inferred = tuple([evaluate(dim, scope.shape_vars) for dim in info.shape.values])
        except DimensionError as error:
            self.wrong.append(f"{name}: {error}")
            return
        if inferred != shape:
            self.wrong.append(f"{name}: {inferred} is {shape}")


def arguments(program: ShapeProgram, normal: tree.IRModule, sizes: Mapping[str, int]) -> list[object] | None:
    """Return arguments of the shapes that the parameters declare, where these are sizes."""
    values: list[object] = [ShapeValue(tuple([sizes[name] for name in NAMES]))]
    function = next(
        item for item in normal.items if isinstance(item, tree.Function) and item.name is not None
    )
    for param, name in zip(function.params[1:], program.params, strict=True):
        info = param.struct_info_annotation
        assert isinstance(info, tree.TensorStructInfo)
        shape = program.values[name]
        if isinstance(info.shape, tree.ShapeExpr):
            shape = tuple([int(evaluate(dim, sizes)) for dim in info.shape.values])
        if min(shape, default=0) < 0 or np.prod(shape) > 20_000:
            return None
        values.append(np.ones(shape, np.float32))
    return values


def outcome(session: Session, values: list[object]) -> tuple[str, object]:
    try:
        return "value", session.call("main", values)
    except RunFailure as failure:
        return failure.slug, failure.message


def problem(seed: int) -> str:  # noqa: C901 - one property after the other
    """Return what does not hold for a program, or nothing."""
    program = ShapeProgram(seed)
    checked = check_source(SourceFile(program.text))
    severities = {one.severity for one in checked.diagnostics}
    errors = [one for one in checked.diagnostics if one.severity == "error"]
    if [
        one.slug for one in errors if one.slug in ("syntax", "undefined-variable", "internal-error", "arity")
    ]:
        return f"seed {seed}: {errors[0]}\n{program.text}"
    observer = Holds({} if errors else checked.inferred.infos)
    normal = normalize(checked.tree, checked.resolved) if errors else checked.inferred.normal
    plain = Session(normal, checked.source, engine="interpreter", watch=Instrumentation([observer]))
    engines: list[Session] = []
    if not errors:
        compiled = normal, checked.source
        engines = [Session(*compiled, proved=checked.inferred.proved), Session(*compiled)]
    tensors = [info for info in checked.inferred.infos.values() if isinstance(info, tree.TensorStructInfo)]
    is_complete = all(
        isinstance(info.shape, tree.ShapeExpr) for info in tensors
    )  # else nothing is said of some
    hints = [one for one in checked.diagnostics if "counterexample" in one.data]

    def fails(what: str, sizes: Mapping[str, int]) -> str:
        shown = "\n".join(
            [f"{one.severity} {one.slug}: {one.message} {one.notes}" for one in checked.diagnostics]
        )
        return f"seed {seed}: {what} at {sizes}\n{program.text}{shown}"

    grid = [dict(zip(NAMES, point, strict=True)) for point in product((0, 1, 2, 5), (0, 1, 3), (1, 4))]
    examples = [{**program.sizes, **one.data["counterexample"]} for one in hints]  # type: ignore[dict-item]
    for sizes in [program.sizes, *examples, *grid]:
        if not sizes.keys() <= set(NAMES):
            continue
        values = arguments(program, normal, sizes)
        if values is None:
            continue
        slug, result = outcome(plain, values)
        if observer.wrong:
            return fails(f"inferred {observer.wrong[0]}", sizes)
        if errors and slug == "value" and not program.branches:
            return fails("a false error", sizes)
        if engines:
            (again, with_proofs), (without, other) = [outcome(engine, values) for engine in engines]
            if again != without or (again == "value" and not np.array_equal(with_proofs, other)):  # type: ignore[arg-type]
                return fails(f"{without} is {again} with proofs", sizes)
            # Of a dataflow block, the compiled form leaves out what nothing uses.
            if again != slug and "dataflow" not in program.text:
                return fails(f"{slug} is {again} compiled", sizes)
        if (
            not severities
            and is_complete
            and slug in ANNOUNCED
            and not any(word in str(result) for word in UNRELATED)
        ):
            return fails(f"a missed failure: {slug}: {result}", sizes)
        if slug not in ANNOUNCED | LATER | {"value"}:
            return fails(f"an unexpected failure: {slug}: {result}", sizes)
    return ""


def problems(seeds: range) -> str:
    return "\n\n".join([found for found in map(problem, seeds) if found][:2])


def test_the_programs_are_worth_running() -> None:
    texts = [ShapeProgram(seed).text for seed in range(200)]
    assert len(set(texts)) == 200
    kinds = [
        max(
            [
                ("none", "hint", "warning", "error").index(one.severity)
                for one in check_source(SourceFile(text)).diagnostics
            ],
            default=0,
        )
        for text in texts[:100]
    ]
    assert min(kinds.count(kind) for kind in (0, 1, 2)) > 3


@pytest.mark.parametrize("part", range(SHORT))
def test_shapes(part: int) -> None:
    assert problems(range(part * PER_PART, part * PER_PART + PER_PART)) == ""


@pytest.mark.slow
@pytest.mark.skipif("RELAX_NIGHTLY" not in os.environ, reason="takes an hour; set RELAX_NIGHTLY=1")
@pytest.mark.parametrize("part", range(LONG))
def test_many_shapes(part: int) -> None:
    assert problems(range(1_000_000 + part * 200, 1_000_000 + part * 200 + 200)) == ""
