"""Text in, values out: `run_text(text, *args)`; `failure_of(text, *args)` where the program is to fail."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

import numpy as np

from relax_lang.base.diagnostic import Diagnostic
from relax_lang.base.source import SourceFile
from relax_lang.normalize.normalize import normalize
from relax_lang.runtime.session import Session
from relax_lang.scope.resolve import resolve
from relax_lang.syntax.parser import parse
from relax_lang.values import RunFailure
from relax_lang.vm.compiler.codegen import generate
from relax_lang.vm.machine.linked import Linked
from relax_lang.vm.serialization.container import from_bytes, to_bytes

sys.setrecursionlimit(max(sys.getrecursionlimit(), 20_000))

MACHINE = "machine"
"""The engine that is an executable, written and read again, on the virtual machine."""

ENGINE = "compiled"
"""What programs run on, unless a test says so; see `conftest.py`."""

HEAD = """
prim_func @relu(X: Buffer[(n, m), float32], Y: Buffer[(n, m), float32]) {
  for i, j in grid(n, m) { Y[i, j] = max(X[i, j], 0.0); }
}
"""


def session_of(text: str, **options: Any) -> Session:
    """Parse, resolve and normalize a program that has no errors."""
    parsed = parse(text)
    resolved = resolve(parsed.tree)
    errors = [one for one in [*parsed.diagnostics, *resolved.diagnostics] if one.severity == "error"]
    assert not errors, errors
    options.setdefault("engine", ENGINE)
    source, normal = SourceFile(text, "test.rlx"), normalize(parsed.tree, resolved)
    if options["engine"] == MACHINE:
        options["engine"] = "compiled"
        if not options.get("watch") and not options.get("strict_effects"):
            try:
                executable = from_bytes(
                    to_bytes(generate(normal, source, options.get("load_constant") or no_files))
                )
            except RunFailure:  # a constant that cannot be read is found when a program is built
                return Session(normal, source, **{**options, "engine": "interpreter"})
            options["program"] = Linked(executable)
            return Session(options["program"].module, source, **options)
    return Session(normal, source, **options)


def no_files(path: str, key: str | None) -> Any:
    """Be the files of a program that has none."""
    raise RunFailure("constant-file-missing", f"there is no file `{path}` with `{key}`")


def run_text(text: str, *args: object, entry: str = "main", **options: Any) -> Any:
    """Run a function of a program and return its value."""
    return session_of(text, **options).call(entry, args)


def failure_of(text: str, *args: object, entry: str = "main", **options: Any) -> RunFailure:
    """Run a function of a program that fails, and return the failure."""
    session = session_of(text, **options)
    try:
        value = session.call(entry, args)
    except RunFailure as failure:
        failure.facts["session"] = session
        return failure
    raise AssertionError(f"the program did not fail; its value is {value!r}")


def diagnostic_of(text: str, *args: object, **options: Any) -> Diagnostic:
    """Run a program that fails, and return its diagnostic."""
    failure = failure_of(text, *args, **options)
    session = failure.facts.pop("session")
    assert isinstance(session, Session)
    return session.diagnose(failure)


def body(statements: str, params: str = "", head: str = "") -> str:
    """Return a program whose `@main` has these statements."""
    return f"{head}\ndef @main({params}) {{\n{statements}\n}}\n"


class Log:
    """Packed functions that write down that they were called: `p1` to `p4` and `id`."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.functions: Mapping[str, Any] = {f"p{i}": self._numbered(i) for i in range(1, 5)} | {
            "id": self._id
        }

    def _numbered(self, number: int) -> Any:
        def function(*_arguments: object) -> object:
            self.calls.append(f"p{number}")
            return np.asarray(number, np.int32)

        return function

    def _id(self, value: object) -> object:
        self.calls.append("id")
        return value


class Mute:
    """An object of the host that cannot even be shown."""

    def __str__(self) -> str:
        raise ValueError("no words")

    __repr__ = __str__


def i32(value: int) -> Any:
    """Return an int32 tensor of rank 0."""
    return np.asarray(value, np.int32)


def f32(*shape: int) -> Any:
    """Return a float32 tensor 0, 1, 2, … of a shape."""
    return np.arange(np.prod(shape, dtype=int), dtype=np.float32).reshape(shape)


def text_at(text: str, diagnostic: Diagnostic) -> str:
    """Return the text that a diagnostic marks."""
    return text[diagnostic.pos : diagnostic.end]
