"""Mistakes of many kinds in random programs: what their fixes make of them. (Y.7)

Where safe fixes make a program with a mistake clean, it computes what the program without it does. A fix of a
program's only mistake, safe or not, leads to no other error at its place.
`python -m tests.check.fixes.test_planted_mistakes FIRST COUNT` tries seeds and prints those with a problem.
"""

from __future__ import annotations

import os
import random
import warnings
from itertools import pairwise

import numpy as np
import pytest

from relax_lang import api
from relax_lang.base.diagnostic import ERROR, Diagnostic, Fix
from relax_lang.format.printer import show
from relax_lang.values import RunFailure
from tests.check.fixes.everyday_programs import prim_func, relax_function
from tests.check.fixes.planted_mistakes import KINDS
from tests.edits import applied
from tests.runtime.harness import session_of
from tests.runtime.interpreter.plain_tensors import F
from tests.runtime.interpreter.test_third_meaning import native
from tests.runtime.interpreter.written_and_evaluated import Program as Evaluated
from tests.seeds import print_failing
from tests.tir.random_programs.test_random_programs import native as native_arguments
from tests.tir.reference.programs import Program as Nest

SEEDS = 60_000 if os.environ.get("RELAX_NIGHTLY") else 600
CHUNK = 30

Arguments = list[list[object]]


class Right:
    """A right program with arguments for its function, several times."""

    def __init__(self, seed: int) -> None:
        kind = seed % 8
        self.name = "f" if kind in (1, 3, 5, 7) else "main"
        self.arguments: Arguments = []
        if kind == 0:
            self.relax(seed)
        elif kind == 1:
            self.nest(seed)
        elif self.name == "main":
            self.text = relax_function(seed)
            for n in (2, 3):
                self.arguments.append([_numbers(n, (n, 4)), _numbers(n + 7, (n, 4))])
        else:
            self.text = prim_func(seed)
            for n in (4, 3):
                shapes = (n, 4), (4,), (n, 4)
                arrays: list[object] = [_numbers(at, shape) for at, shape in enumerate(shapes)]
                self.arguments.append([*arrays, np.arange(n, dtype=np.int32) - 1])

    def relax(self, seed: int) -> None:
        program = Evaluated(seed)
        while len(program.text) > 1500 or any(isinstance(one, F) for one in program.arguments.values()):
            seed += 1_000_000
            program = Evaluated(seed)
        self.text = program.text
        self.arguments.append([native(value) for value in program.arguments.values()])

    def nest(self, seed: int) -> None:
        program = Nest(seed)
        while (
            len(program.text) > 1200
            or "bfloat16" in program.text
            or "while" in program.text
            or api.check(program.text).has_errors
        ):
            seed += 1_000_000
            program = Nest(seed)
        self.text = program.text
        self.arguments.append(native_arguments(program.arguments()))


def _numbers(seed: int, shape: tuple[int, ...]) -> np.ndarray:
    return (np.random.default_rng(seed).integers(-6, 7, shape) / 4).astype(np.float32)


def outcomes(text: str, name: str, arguments: Arguments) -> list[object]:
    """Return what a function returns or fails with, and what is in its arguments afterwards, for each call."""
    found: list[object] = []
    for values in arguments:
        copies = [value.copy() if isinstance(value, np.ndarray) else value for value in values]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                result = session_of(text, engine="interpreter").call(name, copies)
        except RunFailure as failure:
            result = failure.slug
        found.append([result, copies])
    return found


def errors_of(found: list[Diagnostic]) -> list[Diagnostic]:
    return [one for one in found if one.severity == ERROR]


def changed_meaning(right: Right, mended: str) -> str:
    """Return in what a mended program differs from the one that was meant, "" if in nothing or if it is not clean."""
    checked = api.check(mended)
    if checked.has_errors or show(checked.normal) == show(api.check(right.text).normal):
        return ""
    wanted = outcomes(right.text, right.name, right.arguments)
    try:
        found = outcomes(mended, right.name, right.arguments)
    except KeyError as error:
        return f"there is no {error}"
    return "" if repr(found) == repr(wanted) else f"{found}, not {wanted}"


def bad_fix(text: str, found: list[Diagnostic], one: Diagnostic, fix: Fix) -> str:
    """Return what is wrong with a fix, "" if nothing is."""
    places = sorted([(edit.pos, edit.end) for edit in fix.edits])
    if any(before[1] > after[0] for before, after in pairwise(places)):
        return "its edits overlap"
    errors = errors_of(found)
    if len(errors) > 1 or one.severity != ERROR:
        return ""  # a mistake may hide another
    after = applied(text, fix)
    known = {(known.slug, known.message) for known in errors}
    new = [new for new in errors_of(api.check(after).diagnostics) if (new.slug, new.message) not in known]
    first = text.count("\n", 0, places[0][0])
    last = text.count("\n", 0, places[-1][1])
    if "if nothing" in fix.title:  # what else is missing is not known; the text can be read at least
        new = [one for one in new if one.slug == "syntax"]
    near = [new.message for new in new if first <= after.count("\n", 0, new.pos) <= last]
    return f"it leads to: {near}\n{after}" if near else ""


def problem(seed: int) -> str:
    """Return what is wrong with the advice for a mistake, "" if nothing is."""
    rng = random.Random(f"planted {seed}")
    right = Right(seed)
    for _ in range(20):
        kind = rng.choice(list(KINDS))
        text = KINDS[kind](right.text, rng)
        if text is not None and text != right.text:
            break
    else:
        return ""
    found = api.check(text).diagnostics
    if not errors_of(found):
        return ""  # another right program
    for one in found:
        for fix in one.fixes:
            bad = bad_fix(text, found, one, fix)
            if bad:
                return f"{kind}: the {fix.applicability} fix `{fix.title}` of `{one.message}`: {bad}\n--- from\n{text}"
    result = api.fix_text(text)
    if result.changed:
        changed = changed_meaning(right, result.text)
        if changed:
            texts = f"--- right\n{right.text}\n--- mistake\n{text}\n--- mended\n{result.text}"
            return f"{kind}: safe fixes give {changed}\n{texts}"
    return ""


@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_Y_7_fixes_of_planted_mistakes_are_right(first: int) -> None:
    for seed in range(first, first + CHUNK):
        found = problem(seed)
        assert not found, f"seed {seed}: {found}"


def test_the_programs_are_right_and_every_kind_has_a_place() -> None:
    rng = random.Random(0)
    without = set(KINDS)
    for seed in range(200):
        right = Right(seed)
        assert not api.check(right.text).has_errors, right.text
        without -= {kind for kind in without if KINDS[kind](right.text, rng) not in (None, right.text)}
    assert not without


HEAD = "prim_func @f(B: Buffer[(n,), int8], C: Buffer[(n, n), int32], s: Buffer[(), int32]) { "
LOOP = "for i in 0..n { "


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (LOOP + "B[i] = i.cast(int8); }", LOOP + "B[i] = cast(i, int8); }"),
        (LOOP + 'B[i] = i.astype("int8"); }', LOOP + "B[i] = cast(i, int8); }"),
        (LOOP + "C[i, 0] = cast(i.max(3), int32); }", LOOP + "C[i, 0] = cast(max(i, 3), int32); }"),
        (LOOP + "B[i] = i * cast(i, int8); }", LOOP + "B[i] = cast(i, int8) * cast(i, int8); }"),
        ("for i in 0...4 { s[()] = 1; }", "for i in 0..4 { s[()] = 1; }"),
        ("C[(n - 1) // 2, 0 += 3;", "C[(n - 1) // 2, 0] += 3;"),
        ("s () = 3;", "s[()] = 3;"),
        (
            LOOP + "C[i, 0] = C[i, 0] + i + C[i, 1]; }",
            LOOP + "C[i, 0] = C[i, 0] + cast(i, int32) + C[i, 1]; }",
        ),
        (LOOP + "B[i] = C[0, 0] + i; }", LOOP + "B[i] = cast(C[0, 0], int8) + cast(i, int8); }"),
        (
            LOOP + "let v = C[i, 0] * (i - C[0, 0]) + 1 - B[i]; }",
            LOOP + "let v = cast(C[i, 0], int64) * (i - cast(C[0, 0], int64)) + 1 - cast(B[i], int64); }",
        ),
        (
            LOOP + "let v = s[()] + i + 0.5; }",
            LOOP + "let v = cast(s[()], float32) + cast(i, float32) + 0.5; }",
        ),
        (
            LOOP + "let v = -(s[()] + i) * s[()]; }",
            LOOP + "let v = -(cast(s[()], int64) + i) * cast(s[()], int64); }",
        ),
        (LOOP + "let v = s[()] + true; }", LOOP + "let v = s[()] + 1; }"),
        (LOOP + "let v = true == s[()]; }", LOOP + "let v = 1 == s[()]; }"),
        (
            LOOP + "if select(i > 0, i == 1, i) { break; } }",
            LOOP + "if select(i > 0, i == 1, cast(i, bool)) { break; } }",
        ),
    ],
)
def test_Y_7_one_mistake_in_a_prim_func_has_one_fix(written: str, meant: str) -> None:
    text = f"{HEAD}{written} }}"
    (one,) = errors_of(api.check(text).diagnostics)
    assert applied(text, one.fixes[0]) == f"{HEAD}{meant} }}"
    assert not api.check(applied(text, one.fixes[0])).has_errors


FLOATS = "prim_func @f(H: Buffer[(n,), float16], D: Buffer[(n,), float64]) { for i in 0..n { BODY } }"
VALUES = "def @f(x: Tensor[(1, 4), float32]) { BODY }"


@pytest.mark.parametrize(
    ("around", "written", "meant"),
    [
        (FLOATS, "H[i] = trunc(i);", "H[i] = trunc(cast(i, float16));"),
        (FLOATS, "H[i] = max(0.0, sqrt(i)) + H[i];", "H[i] = max(0.0, sqrt(cast(i, float16))) + H[i];"),
        (FLOATS, "D[i] = exp(i);", "D[i] = exp(cast(i, float64));"),
        (
            FLOATS,
            "block b (v = T.axis.spatial(i)) { H[v] = 1.0; }",
            "block b (v = spatial(i)) { H[v] = 1.0; }",
        ),
        (
            FLOATS,
            "block b (v = scan(i), w = T.axis.reduce(0, 0..2)) { H[v] = 1.0; }",
            "block b (v = scan(i), w = reduce(0, 0..2)) { H[v] = 1.0; }",
        ),
        (
            FLOATS,
            "block b (v = T.axis.spatial(n, i)) { H[v] = 1.0; }",
            "block b (v = spatial(i, 0..n)) { H[v] = 1.0; }",
        ),
        (FLOATS, "H[i] = Hi;", "H[i] = H[i];"),
        (FLOATS, "D[i] = D_i + 1.0;", "D[i] = D[i] + 1.0;"),
        (
            FLOATS,
            "let v = cast(i, int32) + H[i] + D[i];",
            "let v = cast(cast(i, int32), float64) + cast(H[i], float64) + D[i];",
        ),
        (FLOATS, "let v = D[H[i] + i];", "let v = D[cast(H[i] + cast(i, float16), int64)];"),
        (VALUES, "x * 2 + 1", "x * 2.0 + 1.0"),
        (VALUES, "1 - sum(exp(x * 2), axis=[0]) / 4", "1.0 - sum(exp(x * 2.0), axis=[0]) / 4.0"),
        (VALUES, "where(x > 0, 1, x * 2 + exp(x))", "where(x > 0, 1.0, x * 2.0 + exp(x))"),
        (VALUES, "exp(const(1, int32)) * 2", "exp(const(1, float32)) * 2.0"),
        (VALUES, "const(2, int32) * x + const(3, int32)", "const(2, float32) * x + const(3, float32)"),
        (
            VALUES,
            "let k = const([2], int32); k * const(3, int64) + k",
            "let k = const([2], int32); k * const(3, int32) + k",
        ),
        (
            VALUES,
            "let k = const([2], int32); let w = const([2], int64); k * w + k",
            "let k = const([2], int32); let w = const([2], int64); astype(k, dtype=int64) * w + astype(k, dtype=int64)",
        ),
        (VALUES, "squeeze(x, axis=[0)", "squeeze(x, axis=[0])"),
        (VALUES, "reshape(x, SHAPE(-1, 1))", "reshape(x, shape(-1, 1))"),
        (VALUES, "reshape(x, Shape(2, 2))", "reshape(x, shape(2, 2))"),
        (VALUES, "SHAPE(x)", "shape_of(x)"),
    ],
)
def test_Y_7_a_fix_fits_the_place_of_the_mistake(around: str, written: str, meant: str) -> None:
    text = around.replace("BODY", written)
    (one,) = errors_of(api.check(text).diagnostics)
    assert applied(text, one.fixes[0]) == around.replace("BODY", meant)
    assert not api.check(applied(text, one.fixes[0])).has_errors


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("float32[(n, 4)]", "Tensor[(n, 4), float32]"),
        ("float32[()]", "Tensor[(), float32]"),
        ("float32[(n)]", "Tensor[(n,), float32]"),
        ("float32[n, 4]", "Tensor[(n, 4), float32]"),
        ("Tensor<_, float32>", "Tensor[_, float32]"),
        ("Shape(n, 4)", "Shape[(n, 4)]"),
    ],
)
def test_Y_7_struct_infos_of_other_languages_have_one_fix(written: str, meant: str) -> None:
    text = f"def @f(a: Tensor[(n,)], x: {written}) -> Object {{ x }}"
    (one,) = errors_of(api.check(text).diagnostics)
    assert applied(text, one.fixes[0]) == text.replace(written, meant)
    assert not api.check(applied(text, one.fixes[0])).has_errors


@pytest.mark.parametrize(
    "text",
    [
        HEAD + LOOP + "block b (v = spatial(i, i)) { B[v] = 1; } } }",  # no axis is below itself
        "def @f() -> Object { [] }",  # a constant needs a dtype, which is not known
        "def @f(x: Tensor) { unsqueeze(x, 0, 1, 2) }",  # more than there are operands
    ],
)
def test_Y_7_what_cannot_be_right_is_not_offered(text: str) -> None:
    (one,) = errors_of(api.check(text).diagnostics)
    assert one.help
    assert not one.fixes


def test_a_change_of_dtype_stops_at_a_call_with_wrong_attributes() -> None:
    text = "def @main(x: Tensor[(8,), float32], k: Tensor[(8,), int32]) {\n  sum(x + k, axis=none)\n}\n"
    assert [one.slug for one in api.check(text).diagnostics] == ["op-dtype-mismatch", "op-attribute"]


if __name__ == "__main__":
    print_failing(problem)
