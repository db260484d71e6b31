"""Programs in, trees and diagnostics out: what the other functions of the surface begin with."""

from __future__ import annotations

from os import fspath

from relax_lang.base.python.recursion import deep_recursion
from relax_lang.base.relax_error import RelaxError
from relax_lang.base.source import ModelFile, PythonFile, RelayFile, SourceFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from os import PathLike
    from typing import Any, Protocol, TypeGuard

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.check.driver import Checked
    from relax_lang.check.fixes import FixResult
    from relax_lang.files.arrays.array_files import Header
    from relax_lang.files.arrays.constants import ConstantFiles
    from relax_lang.syntax.parser import Parsed
    from relax_lang.syntax.tree import FileLit, IRModule
    from relax_lang.typed import Typed

    class Loaded(Protocol):
        """Something that was made of a program, and can give it back, as `relax_lang.load` returns."""

        def __relax_program__(self) -> SourceFile | Typed:
            """Return the program that it was made of."""
            ...

        def __relax_packed__(self) -> Mapping[str, Callable[..., object]]:
            """Return the packed functions that belong to it."""
            ...

    Program = str | SourceFile | IRModule | Typed | Loaded
    AnyProgram = Program | Checked

# The passes are imported by the functions that need them: `relax check` loads no more than it uses.


def read(path: str | PathLike[str]) -> SourceFile:
    """Read a program from a file (`-`: from standard input). Raises RelaxError if that is not possible.

    >>> read("none.rlx")
    Traceback (most recent call last):
      ...
    relax_lang.api.RelaxError: none.rlx: error[RLX0001 file-not-found] there is no file `none.rlx`
    """
    from relax_lang.files import programs

    source, problem = programs.read(fspath(path))
    if problem is not None:
        raise RelaxError(source, [problem])
    return source


def parse(program: Program) -> Parsed:
    """Parse a program; whatever the text, there is a tree, and what is wrong is in `.diagnostics`.

    >>> parsed = parse("def @main() { (1, 2) }")
    >>> [type(item).__name__ for item in parsed.tree.items]
    ['Function']
    """
    source = source_of(program)
    if isinstance(source, PythonFile):
        from relax_lang.tvmscript.check_script import parse_script  # only for Python files

        return parse_script(source)
    if isinstance(source, RelayFile):
        from relax_lang.relay.syntax.parser import parse as parse_relay  # only for programs in Relay

        with deep_recursion():
            made: Any = parse_relay(source.text)  # its tree is one of Relay
            return made
    from relax_lang.syntax.parser import parse as parse_text

    with deep_recursion():
        return parse_text(source.text)


def check(program: Program, *, lints: Sequence[str] = ()) -> Checked:
    """Check a program; what is wrong is in `.diagnostics`, in the order of the text.

    `lints` names rules that are off and are to be applied all the same, by code, slug or group (`lints`, `all`);
    their diagnostics have the severity `off`. Those of other rules that are off are left out.

    >>> [one.slug for one in check("def @main() { let y = x; z }").diagnostics]
    ['undefined-variable', 'undefined-variable']
    """
    with deep_recursion():
        return _check(source_of(program), lints)


def fix_text(
    program: Program,
    *,
    unsafe: bool = False,
    lints: Sequence[str] = (),
    want: Callable[[list[Diagnostic]], list[Diagnostic]] | None = None,
) -> FixResult:
    r"""Apply the safe fixes of a program, with `unsafe` the others too, as long as one helps.

    `want` picks the diagnostics that are to be fixed and reported: all that are not off, if it is not given;
    `lints` is that of `check`.

    >>> result = fix_text("def @f(x: Tensor) { let y = add(x, x)\n y }")
    >>> result.text
    'def @f(x: Tensor) { let y = add(x, x);\n y }'
    >>> [one.slug for one in result.fixed], result.left
    (['syntax'], [])
    """
    from relax_lang.check.fixes import fix_text as fix

    source = source_of(program)

    def find(text: str) -> list[Diagnostic]:
        return _check(source.with_text(text), lints).diagnostics

    with deep_recursion():
        return fix(source.text, unsafe, find=find, want=want)


def explain(word: str) -> str | None:
    """Return what a diagnostic means, as Markdown, by its code or slug; None if there is no such diagnostic.

    >>> print(explain("undefined-variable").splitlines()[0])
    ## undefined-variable
    """
    from relax_lang.check.explain import find_rule, markdown_of

    found = find_rule(word)
    return markdown_of(found) if found else None


def check_sound(program: AnyProgram) -> Checked:
    """Check a program unless it is checked; raises RelaxError if it has errors, also those that comments silence."""
    from relax_lang.check.driver import Checked

    if is_loaded(program):
        program = program.__relax_program__()
    if isinstance(program, Checked):
        checked = program
    elif _is_typed(program):
        with deep_recursion():
            checked = program.checked()
    else:
        source = source_of(program)
        if isinstance(source, PythonFile):
            return _one_unit(source)
        if isinstance(source, RelayFile):
            from relax_lang.api.relay import check_translation  # only for programs in Relay

            return check_translation(source, constant_checker)
        checked = check(source)
    if checked.has_errors:
        from relax_lang.base.diagnostic import in_order

        raise RelaxError(checked.source, in_order([*checked.diagnostics, *checked.ignored]))
    return checked


def _check(source: SourceFile, lints: Sequence[str]) -> Checked:
    if isinstance(source, PythonFile):
        from relax_lang.tvmscript.check_script import check_script  # only for Python files

        return check_script(source, constant_checker(source), lints)
    if isinstance(source, RelayFile):
        from relax_lang.relay.checking import check_relay  # only for programs in Relay

        return check_relay(source)
    from relax_lang.check.driver import check_source

    checked = check_source(source, constant_checker(source), lints)
    if isinstance(source, ModelFile) and source.found:
        checked.diagnostics = source.found
    return checked


def _one_unit(source: PythonFile) -> Checked:
    """Check the one unit of a Python file that is meant. Raises RelaxError if there is more than one."""
    from relax_lang.tvmscript.check_script import refuse_several

    whole = source.with_text(source.text)
    whole.whole = True
    refused = refuse_several(whole)
    if refused is not None:
        raise RelaxError(source, [refused])
    with deep_recursion():
        return check_sound(_check(whole, ()))


def source_of(program: Program) -> SourceFile:
    """Return a program with its name. Raises TypeError for what is not one."""
    if isinstance(program, str):
        return SourceFile(program)
    if isinstance(program, SourceFile):
        return program
    if is_loaded(program):
        return source_of(program.__relax_program__())
    from relax_lang.syntax.tree import IRModule  # here and below: only for modules
    from relax_lang.typed import Typed

    if isinstance(program, IRModule):
        return SourceFile(_text_of(program), "<module>")
    if isinstance(program, Typed):  # pyright: ignore[reportUnnecessaryIsInstance] - for those who do not type
        source = program.source.with_text(_text_of(program.module))
        source.path = "<module>" if source.path.startswith("<") else source.path
        return source
    kind = type(program).__name__
    raise TypeError(f"a program is text, what `read(path)` returns, or a module, not {kind}")


def _text_of(module: IRModule) -> str:
    from relax_lang.format.printer import Unprintable
    from relax_lang.typed import text_of

    try:
        with deep_recursion():
            return text_of(module)
    except Unprintable as refused:
        raise RelaxError(SourceFile("", "<module>"), [refused.diagnostic()]) from None


def is_loaded(program: object) -> TypeGuard[Loaded]:
    """Return whether a program was loaded before: whether it can give back what it was made of."""
    return hasattr(program, "__relax_program__")


def _is_typed(program: object) -> TypeGuard[Typed]:
    """Return whether a program is a `Typed`, without loading that class for those that are not."""
    import sys

    module = sys.modules.get("relax_lang.typed")
    return module is not None and isinstance(program, module.Typed)


def constant_checker(source: SourceFile) -> Callable[[FileLit], Diagnostic | Header]:
    """Return the function that reads dtype and shape of a program's constants in files. [CF.1]"""
    files: list[ConstantFiles] = []

    def check_constant(literal: FileLit) -> Diagnostic | Header:
        if not files:
            from relax_lang.files.arrays.constants import (
                constant_files,  # most programs have no constants in files
            )

            files.append(constant_files(source))
        return files[0].check(literal)

    return check_constant
