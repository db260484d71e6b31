"""Modules written from the language reference alone are right, and mean one thing in every form. [X.O1 N.0 G.42]

`python -m tests.runtime.interpreter.test_reference_modules FIRST COUNT` tries seeds and prints those that fail.
"""

from __future__ import annotations

import os
import warnings

import numpy as np
import pytest

from relax_lang.api.forms import format_text
from relax_lang.base.source import SourceFile
from relax_lang.check.driver import check_source
from relax_lang.format.printer import print_tree
from relax_lang.normalize.normalize import normalize
from relax_lang.scope.resolve import resolve
from relax_lang.syntax.parser import parse
from relax_lang.values import RunFailure
from tests.runtime.harness import session_of
from tests.runtime.interpreter.reference_modules import Module
from tests.seeds import print_failing

SEEDS = 5_000 if os.environ.get("RELAX_NIGHTLY") else 8
CHUNK = 8
SIZES = ((2, 3), (0, 2), (1, 1), (3, 0))


def arguments(module: Module, n: int, m: int) -> list[object]:
    """Return arguments for `@main`."""
    source = np.random.default_rng(n * 7 + m)
    x = source.integers(-3, 4, (n, m)).astype(np.float32) / 2
    return [x, source.integers(-3, 4, m).astype(module.params[1].dtype), np.array(3, np.int64)]


def outcome(text: str, values: list[object], engine: str) -> object:
    """Return what `@main` returns, or how it fails."""
    try:
        return session_of(text, engine=engine).call("main", values)
    except RunFailure as failure:
        return failure.slug


def same(a: object, b: object) -> bool:
    """Return whether two results are the same to the last bit."""
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
    return type(a) is type(b) and a == b


def problem(seed: int) -> str:
    """Return what is wrong with a module, "" if nothing is."""
    module = Module(seed)
    found = check_source(SourceFile(module.text)).diagnostics
    errors = [one for one in found if one.severity == "error"]
    if errors:
        return f"the checker: {errors[0].slug} {errors[0].message}"
    formatted = format_text(module.text)
    if format_text(formatted) != formatted:
        return "the formatter changes what it wrote"
    parsed = parse(module.text)
    normal = print_tree(normalize(parsed.tree, resolve(parsed.tree)))
    for n, m in SIZES:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            wanted = outcome(module.text, arguments(module, n, m), "interpreter")
            if isinstance(wanted, str):
                return f"it fails for {n}, {m}: {wanted}"
            for form, text, engine in (
                ("compiled", module.text, "compiled"),
                ("formatted", formatted, "interpreter"),
                ("normalized", normal, "interpreter"),
            ):
                value = outcome(text, arguments(module, n, m), engine)
                if not same(value, wanted):
                    return f"{form}, for {n}, {m}: {value!r}, not {wanted!r}"
    return ""


@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_X_O1_modules_written_from_the_reference_have_one_meaning(first: int) -> None:
    for seed in range(first, first + CHUNK):
        found = problem(seed)
        assert not found, f"seed {seed}: {found}\n{Module(seed).text}"


if __name__ == "__main__":
    print_failing(problem)
