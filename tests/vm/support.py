"""Executables for tests: of texts, and of random programs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from relax_lang.base.source import SourceFile
from relax_lang.check.driver import check_source
from relax_lang.normalize.normalize import normalize
from relax_lang.vm.compiler.codegen import generate
from tests.runtime.compiler.random_programs import Program

if TYPE_CHECKING:
    from relax_lang.vm.executable import Executable


def no_files(path: str, key: str | None) -> Any:
    """Be the files of a program that has none."""
    raise AssertionError((path, key))


def built(text: str) -> Executable:
    """Return the executable of a program; one with type errors fails where it gets there."""
    source = SourceFile(text, "random.rlx")
    checked = check_source(source)
    if checked.has_errors:
        return generate(normalize(checked.tree, checked.resolved), source, no_files)
    return generate(checked.normal, source, no_files, checked.inferred.proved)


def random_executable(seed: int) -> Executable:
    """Return the executable of a random program."""
    return built(Program(seed).text)
