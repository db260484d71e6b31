"""Programs as Python objects: a module that is loaded, and its functions to be called with arrays. [RUN.1-RUN.5]

    >>> import numpy as np
    >>> module = loads("def @main(x: Tensor[(n,), float32]) { x * 2.0 }")
    >>> module
    <relax module <text>: @main>
    >>> module["main"](np.array([1, 2], np.float32))
    array([2., 4.], dtype=float32)

NumPy goes in and comes out. Arrays of other libraries that have `__dlpack__` or `__array__` are taken as the
memory they are where that is possible, else copied. What is wrong raises `RelaxError`, with the diagnostics. Modules
and functions may be used by several threads at once.
"""

from __future__ import annotations

import os
import sys

from relax_lang.api import check_sound, format_text, read, run_session, start, typed
from relax_lang.base.source import PythonFile, SourceFile
from relax_lang.format.lexemes import global_name
from relax_lang.syntax.tree import Function as FunctionTree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from relax_lang.api.programs import AnyProgram
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.runtime.session import Session
    from relax_lang.syntax.tree import IRModule
    from relax_lang.typed import Typed


def load(
    path: str, *, packed: Mapping[str, Callable[..., object]] | None = None, allow_paths: Sequence[str] = ()
) -> Module:
    """Load a program from a file. Raises RelaxError if it cannot be read or has errors.

    `packed` are packed functions for this module alone. Constants in files are found beside the program, and in the
    folders `allow_paths`.
    """
    source = read(str(path))
    source.allowed = [str(folder) for folder in allow_paths]
    return Module(source, packed)


def loads(program: AnyProgram, *, packed: Mapping[str, Callable[..., object]] | None = None) -> Module:
    """Load a program from a text, or a module that was made in Python; see `load`."""
    return Module(program, packed)


class Module:
    """A program that is checked and ready to run: a mapping from the names of its functions to the functions.

    `warnings` holds what the checker found other than errors, `tree` the program as it is written.
    """

    def __init__(
        self, program: AnyProgram, packed: Mapping[str, Callable[..., object]] | None = None
    ) -> None:
        checked = check_sound(program)
        self._checked = checked
        self._packed = packed
        self._is_text = isinstance(program, str | SourceFile)
        self.source: SourceFile = checked.source
        self.tree: IRModule = checked.tree
        self.warnings: list[Diagnostic] = checked.diagnostics
        self._session: Session = start(checked, packed=packed)

    @property
    def typed(self) -> Typed:
        """The program in normal form with its struct infos: what passes take."""
        return typed(self._checked)

    def script(self) -> str:
        """Return the text of the program, as the formatter lays it out."""
        is_ours = self._is_text and not isinstance(self.source, PythonFile)
        return format_text(self.source if is_ours else self.tree)

    def show(self) -> None:
        """Print the text of the program, in colours on a terminal (unless `NO_COLOR` is set)."""
        text = self.script()
        if sys.stdout.isatty() and not os.environ.get("NO_COLOR"):
            text = _in_colours(text)
        sys.stdout.write(text)

    def __relax_program__(self) -> SourceFile | Typed:
        """Return the program for the functions of `relax_lang.api`."""
        return self.source if self._is_text else self.typed

    def __relax_packed__(self) -> Mapping[str, Callable[..., object]]:
        """Return the packed functions that it was loaded with, for functions of `relax_lang.api` that run it."""
        return self._packed or {}

    def __reduce__(self) -> tuple[type[Module], tuple[AnyProgram, None]]:
        """Say how it is made again in another process: from its text, its path, and the folders it may read from.

        Raises TypeError if it has packed functions of its own: code is not sent.
        """
        if self._packed:
            raise TypeError(f"{self!r} has packed functions of its own, which cannot be pickled")
        return type(self), (self.source if self._is_text else self.typed.module, None)

    def __getitem__(self, name: str) -> Function:
        """Return a function by its name, with or without `@`. Raises KeyError if there is none that can be run."""
        name = name.removeprefix("@")
        if name not in self:
            known = ", ".join(self)
            raise KeyError(f"no function {name!r} to run in {self.source.path}; there are: {known or 'none'}")
        return Function(self, name, self._session)

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and name.removeprefix("@") in self._session.entries()

    def __iter__(self) -> Iterator[str]:
        return iter(self._session.entries())

    def __len__(self) -> int:
        return len(self._session.entries())

    def __getattr__(self, name: str) -> Function:
        """Return a function as an attribute: `module.main`. Raises AttributeError if there is none."""
        if name.startswith("_") or name not in self:
            raise AttributeError(f"{self!r} has no function {name!r}")
        return self[name]

    def __repr__(self) -> str:
        return f"<relax module {self.source.path}: {', '.join([global_name(name) for name in self]) or 'no functions'}>"

    def _repr_html_(self) -> str:
        """Show the program in a notebook."""
        from relax_lang.html import program_html

        return program_html(self.source, self.script(), self.warnings)

    def run(self, entry: str, arguments: tuple[object, ...], named: Mapping[str, object]) -> object:
        """Run a function; `Function` is the usual way. Raises RelaxError."""
        return run_session(self._session, entry, arguments, named, from_python)


class Function:
    """A function of a module that can be called: with one argument for each parameter, in order or by name."""

    __slots__ = ("_session", "module", "name")

    def __init__(self, module: Module, name: str, session: Session) -> None:
        self.module = module
        self.name = name
        self._session = session

    def __call__(self, *arguments: object, **named: object) -> object:
        """Run the function. Raises RelaxError if the arguments do not fit, or the program fails."""
        return run_session(self._session, self.name, arguments, named, from_python)

    def __reduce__(self) -> tuple[Callable[[Module, str], Function], tuple[Module, str]]:
        """Say how it is made again in another process: from its module, in the same way."""
        return Module.__getitem__, (self.module, self.name)

    @property
    def signature(self) -> str:
        """The head of the function as it is written: `def @main(x: Tensor[(n,), float32]) -> Tensor`."""
        from relax_lang.format.printer import show

        for item in self.module.tree.items:
            if isinstance(item, FunctionTree) and item.name is not None and item.name.name_hint == self.name:
                return show(item).partition(" {")[0]
        raise AssertionError(self.name)

    def __repr__(self) -> str:
        return f"<relax function {self.signature}>"


def _in_colours(text: str) -> str:
    """Return a program with the colours of a terminal, where Pygments is installed; else as it is."""
    try:
        from pygments import highlight
        from pygments.formatters import TerminalFormatter

        from relax_lang.pygments_lexer import RelaxLexer
    except ImportError:
        return text
    return highlight(text, RelaxLexer(), TerminalFormatter())


def from_python(value: object) -> object:
    """Return a value of the Python side as one of NumPy's, in the same memory if its library allows that.

    Tuples are converted field by field; what NumPy and the language know already is passed on, and so is what has
    neither `__dlpack__` nor `__array__`. Raises RunFailure if its library does not give access to its elements.
    """
    import numpy as np

    from relax_lang.values import RunFailure, words_of

    if isinstance(value, tuple):
        fields: tuple[object, ...] = value  # pyright: ignore[reportUnknownVariableType]
        return tuple([from_python(field) for field in fields])
    if isinstance(value, (np.ndarray, np.generic)):
        return value  # pyright: ignore[reportUnknownVariableType]
    try:
        if hasattr(value, "__dlpack__"):
            try:
                return np.from_dlpack(value)  # pyright: ignore[reportArgumentType, reportUnknownVariableType]
            except Exception:  # whatever its library raises; on another device, for one
                if not hasattr(value, "__array__"):
                    raise
        return np.asarray(value) if hasattr(value, "__array__") else value
    except Exception as error:
        kind = type(value).__name__
        raise RunFailure(
            "argument-file", f"cannot read a value of type {kind} as an array: {words_of(error)}"
        ) from error
