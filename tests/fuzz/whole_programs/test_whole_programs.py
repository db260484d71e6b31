"""Whole programs against a meaning of their own: checker, engines, machine, formatter, passes, TVMScript.

An error that is certain is followed by a failure there in every run; what is clean does not fail by its shapes; every
form of a program gives the values that the reference gives. A short run everywhere, with RELAX_NIGHTLY=1 a long one.
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable, Mapping

import numpy as np
import pytest

from relax_lang import api
from relax_lang.api.programs import RelaxError
from relax_lang.arith.evaluate import UNBOUND, DimensionError, evaluate
from relax_lang.base.diagnostic import ERROR, HINT, WARNING, Diagnostic
from relax_lang.check.driver import Checked
from relax_lang.format.printer import show
from relax_lang.runtime.instrument.observer import Instrumentation, Moment, Observer
from relax_lang.runtime.interpreter.machine import Scope
from relax_lang.syntax import tree
from relax_lang.values import ShapeValue
from tests.fuzz.whole_programs.programs import WholeProgram, argument
from tests.fuzz.whole_programs.values import Fails, Scalar, Sizes, Value, equal

SEEDS = 20_000 if os.environ.get("RELAX_NIGHTLY") else 12
PER_PART = 6

UNCERTAIN = {"needs-match-cast"}
"""Errors about what is not known: the run may pass."""
LATER = {"match_cast", "division by zero", "data", "negative size"}
"""Failures that the checker leaves to the run without a word."""
WORD = re.compile(r"(?P<letters>[a-z]+)\d*")
WORDY = {"match-cast-redundant", "dead-function", "dim-use-left-of-binding"}


class Holds(Observer):
    """Compares every value with what was inferred of it."""

    __slots__ = ("infos", "wrong")

    def __init__(self, infos: Mapping[tree.Node, tree.StructInfo]) -> None:
        self.infos = infos
        self.wrong: list[str] = []

    def bound(self, moment: Moment, value: object, scope: Scope) -> None:
        var = moment.binding.var
        info = None if var is None else self.infos.get(var)
        if info is not None and not self._fits(info, value, scope):
            self.wrong.append(f"{moment.name}: inferred {show(info)}, found {value!r}")

    def _fits(self, info: tree.StructInfo, value: object, scope: Scope) -> bool:
        if isinstance(info, tree.TupleStructInfo):
            return isinstance(value, tuple) and all(
                self._fits(one, part, scope) for one, part in zip(info.fields, value, strict=True)
            )
        if isinstance(info, tree.TensorStructInfo):
            assert isinstance(value, np.ndarray)
            dims = info.shape.values if isinstance(info.shape, tree.ShapeExpr) else None
            if info.dtype is not None and info.dtype.name != str(value.dtype):
                return False
            extents: tuple[int, ...] = value.shape
        elif isinstance(info, tree.ShapeStructInfo):
            assert isinstance(value, ShapeValue)
            dims, extents = info.values, value.values
        else:
            return True
        if info.ndim is not None and info.ndim != len(extents):
            return False
        if dims is None:
            return True
        try:
            return tuple(evaluate(dim, scope.shape_vars) for dim in dims) == extents
        except DimensionError as error:
            return error.kind == UNBOUND  # a closure holds those that it needs


def given(value: Value) -> object:
    """Return a value as the product takes it."""
    if isinstance(value, Sizes):
        return ShapeValue(tuple(value))
    if isinstance(value, Scalar):
        return value.value
    return value.copy() if hasattr(value, "copy") else value


def line_of(text: str, one: Diagnostic) -> int:
    """Return the line of a finding, from 1."""
    return text.count("\n", 0, one.pos) + 1


def of_unknown_size(text: str, infos: Mapping[tree.Node, tree.StructInfo]) -> set[str]:
    """Return the variables of which some size is not known, as they are written: what fails by them is left to the run.

    The normal form may have given them another number, and has made variables that nobody wrote.
    """

    def known(info: tree.StructInfo) -> bool:
        if isinstance(info, tree.TupleStructInfo):
            return all(map(known, info.fields))
        if isinstance(info, tree.TensorStructInfo):
            return isinstance(info.shape, tree.ShapeExpr)
        return info.values is not None if isinstance(info, tree.ShapeStructInfo) else False

    found: set[str] = set()
    for node, info in infos.items():
        if isinstance(node, tree.Var | tree.DataflowVar) and not known(info):
            written = WORD.match(text, max(node.pos, 0))
            if written and written["letters"] == re.split(r"[\d_]", node.name_hint)[0]:
                found.add(written.group())
    return found


def test_a_variable_of_unknown_size_is_known_by_the_name_that_was_written() -> None:
    text = "def @main(x1: Tensor[(n,), int32]) { let x1 = unique(x1); exp(unique(x1)) }"
    assert of_unknown_size(text, api.check(text).inferred.infos) == {"x1"}


def outcome(run: Callable[..., object], args: list[Value]) -> tuple[str, object]:
    """Run a form of a program; return its value, or the slug of its failure."""
    try:
        return "value", run(*[given(one) for one in args])
    except RelaxError as error:
        return error.diagnostics[0].slug, error.diagnostics[0].message


def forms(text: str, checked: Checked, holds: Holds) -> dict[str, Callable[..., object]]:
    """Return the ways to run a program, those first that keep every failure."""
    made: dict[str, Callable[..., object]] = {}

    def started(program: object, engine: str = "compiled") -> Callable[..., object]:
        session = api.start(program, engine=engine)  # type: ignore[arg-type]
        return lambda *args: api.run_session(session, "main", args)

    session = api.start(checked, engine="interpreter", watch=Instrumentation([holds]))
    made["interpreter"] = lambda *args: api.run_session(session, "main", args)
    made["compiled"] = started(checked)
    made["formatted"] = started(api.format_text(text))
    made["normal form"] = started(api.print_tree(api.normalize(text)))
    executable = api.start_executable(api.build(text))
    made["machine"] = lambda *args: api.run_session(executable, "main", args)
    made["optimized"] = started(api.optimize(text))
    made["legal"] = started(api.optimize(text, "LegalizeOps"))
    made["zero"] = started(api.optimize(text, pipeline="zero"))
    made["built"] = started(api.optimize(text, pipeline="build"))
    return made


STRICT = ("interpreter", "compiled", "formatted", "normal form", "machine")
"""Forms that fail where the program does; passes may drop what is not used."""


def through_tvmscript(text: str) -> str | None:
    """Export and import; None where TVMScript has no word for it."""
    try:
        exported = api.to_tvmscript(text)
    except RelaxError:
        return None
    return api.from_tvmscript(exported.text)


def problem(seed: int, *, in_all_forms: bool = True) -> str:  # noqa: C901 - one property after the other
    """Return what does not hold for a program, or nothing."""
    program = WholeProgram(seed)
    text = program.text
    draw = random.Random(seed)
    checked = api.check(text)
    errors = [one for one in checked.diagnostics if one.severity == ERROR]
    doubts = {
        line_of(text, one)
        for one in checked.diagnostics
        if one.severity in (WARNING, HINT) and one.slug not in WORDY
    }
    certain = {line_of(text, one) for one in errors if one.slug not in UNCERTAIN}

    def fails(what: str, sizes: object) -> str:
        shown = "\n".join(
            f"{line_of(text, one)}: {one.severity} {one.slug}: {one.message} {one.notes}"
            for one in checked.diagnostics
        )
        numbered = "\n".join(f"{at:3} {line}" for at, line in enumerate(text.splitlines(), 1) if at > 15)
        return f"seed {seed}: {what} at {sizes}\n{numbered}\n{shown}"

    unknown = of_unknown_size(text, checked.inferred.infos)
    holds = Holds(checked.inferred.infos)
    unexpected = [
        one for one in errors if one.slug in ("syntax", "internal-error", "undefined-variable", "arity")
    ]
    if unexpected:
        return fails(f"{unexpected[0]}", "")
    try:
        made = {} if errors or not in_all_forms else forms(text, checked, holds)
        again = through_tvmscript(text) if made else None
    except RelaxError as error:
        return fails(f"a form is refused: {error}", "")
    if again is not None:
        session = api.start(again)
        made["tvmscript"] = lambda *args: api.run_session(session, "main", args)
    names = {name for _, info in program.main.params for name, _ in info.binds()}
    for turn in range(8):
        sizes = {
            name: draw.choice((0, 1, 1, 2, 2, 3, 4, 5) if turn else (1, 2, 3, 4)) for name in sorted(names)
        }
        if turn == 0:
            sizes = dict(program.witness)
        args = [argument(info, sizes, draw) for _, info in program.main.params]
        if any(one is None for one in args):
            continue
        done: set[int] = set()
        line = 0
        try:
            kind, value = "value", program.main.run(args, done)
        except Fails as failure:
            kind, value, line = failure.kind, None, failure.line
        if done & certain:
            return fails(f"an error on line {min(done & certain)}, which runs", sizes)
        if errors:
            continue
        if kind != "value" and kind not in LATER and line not in doubts:
            if set(re.findall(r"\w+", text.splitlines()[line - 1])) & unknown:
                continue
            return fails(f"fails on line {line} ({kind}), and nothing was said", sizes)
        for name, run in made.items():
            slug, found = outcome(run, args)
            if holds.wrong:
                return fails(holds.wrong[0], sizes)
            if (slug == "value") != (kind == "value"):
                dropped = name != "interpreter" and "dataflow" in text
                if kind == "value" or (name in STRICT and not dropped):
                    return fails(f"{name} ends in {slug} {found}, reference {kind} {value}", sizes)
            elif slug == "value" and not equal(value, found):
                return fails(f"{name} gives {found!r}, reference {value!r}", sizes)
    return ""


@pytest.mark.parametrize("first", range(0, SEEDS, PER_PART))
def test_Z_4_X_O1_whole_programs_mean_what_the_reference_says(first: int) -> None:
    assert [found for seed in range(first, first + PER_PART) if (found := problem(seed))] == []
