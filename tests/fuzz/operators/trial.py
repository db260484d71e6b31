"""Tries one drawn call: the checker and both engines against what the page says."""

from __future__ import annotations

import random
import warnings
import zlib
from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np

from relax_lang.arith.evaluate import DimensionError, evaluate
from relax_lang.base.diagnostic import ERROR, HINT, WARNING, Diagnostic
from relax_lang.base.source import SourceFile
from relax_lang.check.driver import Checked, check_source
from relax_lang.format.printer import show
from relax_lang.normalize.normalize import normalize
from relax_lang.runtime.session import Session
from relax_lang.syntax import tree
from relax_lang.values import RunFailure, ShapeValue
from tests.fuzz.operators import FAMILIES
from tests.fuzz.operators.drawing import SIZES, Call, Draw, P, Param, RefusedError, Result, S, T
from tests.fuzz.operators.drawing import product as count

GRID = [
    dict(zip(SIZES, point, strict=True)) for point in product((0, 1, 2, 4, 5), (0, 1, 2, 3), (1, 3, 4, 6))
]
RUNS = 5
EXPECTED = (
    "op-",
    "storage-exceeded",
    "dim-",
    "negative-dimension",
    "literal-does-not-fit",
    "needs-match-cast",
    "possibly-",
)
"""Findings that are about the call."""
TOLERANCE = {"float16": 4e-3, "float32": 2e-5, "float64": 1e-10}


class Trial:
    """A program of one call, and what holds of it."""

    def __init__(self, word: str, seed: int) -> None:
        self.word, self.seed = word, seed
        self.source = Draw(zlib.crc32(word.encode()) ^ seed)
        self.call: Call = FAMILIES[word](self.source)
        params = ["s: Shape[(n, m, k)]"]
        params += [f"{one.name}: {one.annotation}" for one in self.source.params]
        body = f"{self.call.before}  let y = {self.call.text};\n  y\n"
        self.text = f"def @main({', '.join(params)}) {{\n{body}}}\n"
        self.checked: Checked = check_source(SourceFile(self.text))
        self.errors = [one for one in self.checked.diagnostics if one.severity == ERROR]
        self.doubts = [one for one in self.checked.diagnostics if one.severity in (WARNING, HINT)]

    def fails(self, what: str, sizes: object = "") -> str:
        shown = "\n".join([f"{one.severity} {one.slug}: {one.message} {one.notes}" for one in self.found])
        return f"{self.word} seed {self.seed}: {what} {sizes}\n{self.text}{shown}"

    @property
    def found(self) -> list[Diagnostic]:
        return self.checked.diagnostics

    def expected(self, sizes: Mapping[str, int]) -> tuple[str, Result]:
        """Return how the call ends at some sizes, and in what."""
        try:
            return "value", self.call.rule(sizes)
        except RefusedError as refused:
            return refused.kind, None

    def problem(self) -> str:
        """Return what does not hold, or nothing."""
        wrong = [one for one in self.errors if not one.slug.startswith(EXPECTED)]
        if wrong:
            return self.fails(f"an error of another kind: {wrong[0].slug}")
        points = [sizes for sizes in GRID if self.has_arguments(sizes)]
        ends = [(sizes, *self.expected(sizes)) for sizes in points]
        return self.by_checker(ends) or self.by_runs(ends)

    @property
    def is_constant(self) -> bool:
        """Return whether no size occurs in the call."""
        words = set(self.call.text.replace("(", " ").replace(",", " ").replace(")", " ").split())
        is_symbolic = any(dim.is_symbolic for one in self.source.params for dim in one.dims)
        return not is_symbolic and not words & set(SIZES)

    def has_arguments(self, sizes: Mapping[str, int]) -> bool:
        shapes = [[dim.of(sizes) for dim in param.dims] for param in self.source.params]
        return all(min(one, default=0) >= 0 and count(one) <= 20_000 for one in shapes)

    def by_checker(self, ends: list[tuple[Mapping[str, int], str, Result]]) -> str:
        kinds = {kind for _, kind, _ in ends}
        if self.errors and "value" in kinds:
            certain = [one for one in self.errors if one.slug != "needs-match-cast"]
            if certain:
                sizes = next(sizes for sizes, kind, _ in ends if kind == "value")
                return self.fails(f"a false error: {certain[0].slug}", sizes)
        if not self.errors and ends and not self.source.is_weak and not self.call.is_loose:
            if kinds == {"static"}:
                return self.fails("a missed error")
            if kinds <= {"shape", "static"} and not self.doubts:
                return self.fails("a missed failure at all sizes")
            if kinds == {"shape"} and self.is_constant:
                return self.fails("a missed error of constant extents")
            if "shape" in kinds and not self.doubts:
                sizes = next(sizes for sizes, kind, _ in ends if kind == "shape")
                return self.fails("a failure that nothing announced", sizes)
        return "" if self.errors else self.infos(ends)

    def infos(self, ends: list[tuple[Mapping[str, int], str, Result]]) -> str:
        """Hold what was inferred against what is expected."""
        info = next(
            (
                info
                for node, info in self.checked.inferred.infos.items()
                if isinstance(node, tree.Var | tree.DataflowVar) and node.name_hint == "y"
            ),
            None,
        )
        if info is None:
            return self.fails("nothing was inferred")
        source = self.source
        is_loose = source.is_weak or source.may_broadcast or self.call.is_loose or bool(self.doubts)
        for sizes, kind, result in ends:
            if kind == "value" and result is not None:
                found = differs(info, result, sizes, is_loose=is_loose)
                if found:
                    return self.fails(f"inferred {show(info)}: {found}", sizes)
        return ""

    def runs(self) -> bool:
        """Return whether the errors are those of inference, so that the program has a meaning."""
        return all(one.slug.startswith(("op-", "needs-", "storage-")) for one in self.errors)

    def by_runs(self, ends: list[tuple[Mapping[str, int], str, Result]]) -> str:
        if not self.runs():
            return ""
        draw = random.Random(self.seed)
        made = (
            normalize(self.checked.tree, self.checked.resolved)
            if self.errors
            else self.checked.inferred.normal
        )
        engines = [Session(made, self.checked.source, engine="interpreter")]
        if not self.errors:
            engines.append(Session(made, self.checked.source, proved=self.checked.inferred.proved))
        for sizes, kind, result in draw.sample(ends, min(RUNS, len(ends))):
            arrays = [filled(param, sizes, draw) for param in self.source.params]
            outcomes = [self.run(engine, sizes, arrays) for engine in engines]
            for slug, found in outcomes:
                wrong = self.outcome(kind, result, slug, found)
                if wrong:
                    return self.fails(f"{wrong}: {slug} {found if slug != 'value' else ''}", sizes)
            values = self.call.values
            if kind == "value" and values is not None and outcomes[0][0] == "value":
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    reference = values(*arrays)
                for _, found in outcomes:
                    if not agree(reference, found):
                        return self.fails(f"{found!r} is not {reference!r} of {arrays}", sizes)
        return ""

    def outcome(self, kind: str, result: Result, slug: str, found: object) -> str:
        if slug == "value":
            if kind not in ("value",) and not (self.call.may_fail and kind == "data"):
                return f"runs where it is refused ({kind})"
            return "" if result is None else run_differs(found, result)
        if slug == "internal-error":
            return "an internal error"
        return "" if kind != "value" or self.call.may_fail else "fails where it is right"

    def run(self, engine: Session, sizes: Mapping[str, int], arrays: list[np.ndarray]) -> tuple[str, object]:
        given = [ShapeValue(tuple([sizes[name] for name in SIZES])), *[one.copy() for one in arrays]]
        try:
            return "value", engine.call("main", given)
        except RunFailure as failure:
            return failure.slug, failure.message


def filled(param: Param, sizes: Mapping[str, int], draw: random.Random) -> np.ndarray:
    """Return an argument: small numbers, or what the call needs in it."""
    shape = tuple([dim.of(sizes) for dim in param.dims])
    if param.fill == "zeros":
        return np.zeros(shape, param.dtype)
    if param.fill == "ones":
        return np.ones(shape, param.dtype)
    if param.fill == "rising":
        return np.arange(count(shape)).reshape(shape).astype(param.dtype)
    low = -3 if param.dtype[0] in "if" else 0
    numbers = [draw.randint(low, 4) for _ in range(count(shape))]
    made = np.array(numbers, np.float64).reshape(shape)
    return np.asarray(made / 2 if param.dtype[0] == "f" else made, param.dtype)


def differs(info: tree.StructInfo, result: Any, sizes: Mapping[str, int], *, is_loose: bool) -> str:
    """Return in what an inferred info differs from the result at some sizes."""
    if isinstance(info, tree.ObjectStructInfo):
        return "" if is_loose else "nothing is known"
    if isinstance(result, tuple):
        if not isinstance(info, tree.TupleStructInfo) or len(info.fields) != len(result):
            return f"expected {result}"
        pairs = zip(info.fields, result, strict=True)
        found = [differs(field, one, sizes, is_loose=is_loose) for field, one in pairs]
        return next(filter(None, found), "")
    if isinstance(result, P):
        return (
            "" if isinstance(info, tree.PrimStructInfo) and info.dtype.name == result.dtype else str(result)
        )
    if isinstance(result, S):
        if not isinstance(info, tree.ShapeStructInfo):
            return f"expected {result}"
        return dims_differ(info.values, info.ndim, result.dims, sizes, is_loose=is_loose)
    if result is None:
        return ""
    if not isinstance(info, tree.TensorStructInfo):
        return f"expected {result}"
    if info.dtype is None:
        if not is_loose:
            return "the dtype is not known"
    elif info.dtype.name != result.dtype:
        return f"expected {result.dtype}"
    dims = info.shape.values if isinstance(info.shape, tree.ShapeExpr) else None
    return dims_differ(dims, info.ndim, result.shape, sizes, is_loose=is_loose)


def dims_differ(
    dims: Any, ndim: int | None, shape: tuple[int, ...], sizes: Mapping[str, int], *, is_loose: bool
) -> str:
    if ndim is not None and ndim != len(shape):
        return f"expected {shape}"
    if dims is None:
        return "" if is_loose else f"expected {shape}"
    try:
        inferred = tuple([evaluate(one, sizes) for one in dims])
    except DimensionError as error:
        return str(error)
    return "" if inferred == shape else f"{inferred}, expected {shape}"


def run_differs(value: object, result: Any) -> str:
    """Return in what a value differs in shape or dtype from a result."""
    if isinstance(result, tuple):
        if not isinstance(value, tuple) or len(value) != len(result):
            return f"expected {result}"
        return next(filter(None, [run_differs(a, b) for a, b in zip(value, result, strict=True)]), "")
    if isinstance(result, S):
        return (
            ""
            if isinstance(value, ShapeValue) and tuple(value.values) == result.dims
            else f"expected {result}"
        )
    if isinstance(result, P):
        return ""
    if isinstance(result, T):
        if not isinstance(value, np.ndarray | np.generic):
            return f"expected {result}, found {type(value)}"
        found = T(tuple(value.shape), str(value.dtype))
        return "" if found == result else f"expected {result}, found {found}"
    return ""


def agree(reference: Any, found: Any) -> bool:
    """Return whether a value is that which NumPy gives, up to rounding."""
    if isinstance(reference, tuple):
        return len(reference) == len(found) and all(map(agree, reference, found))
    a, b = np.asarray(reference), np.asarray(found)
    if b.dtype.kind != "f":
        return bool(np.array_equal(a.astype(b.dtype), b))
    error = TOLERANCE[str(b.dtype)]
    with np.errstate(all="ignore"):
        wide = a.astype(b.dtype).astype(np.float64)
        return bool(np.allclose(wide, b.astype(np.float64), rtol=error, atol=error, equal_nan=True))


def problem(word: str, seed: int) -> str:
    """Return what does not hold for a drawn call, or nothing."""
    return Trial(word, seed).problem()
