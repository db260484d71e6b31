"""What shells complete beside commands and options: codes, operators, and the names in the program on the line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from collections.abc import Iterable

    from relax_lang.syntax import tree


def codes(incomplete: str) -> list[str]:
    """Complete a diagnostic by its code or name, and groups of them; of a list, the last word."""
    from relax_lang.check.selection import known_words

    before, comma, word = incomplete.rpartition(",")
    return _beginning(word, known_words(), before + comma)


def operators(incomplete: str) -> list[str]:
    """Complete the name of an operator."""
    from relax_lang.ops.registry import names

    return _beginning(incomplete, names())


def passes(incomplete: str) -> list[str]:
    """Complete the name of a pass; of a list, the last one."""
    from relax_lang.transform.catalogue import passes as known

    before, comma, word = incomplete.rpartition(",")
    names = known() if not word or word[0].isupper() else map(_dashed, known())  # both are names of a pass
    return _beginning(word, names, before + comma)


def pass_or_all(incomplete: str) -> list[str]:
    """Complete the name of one pass, or `all`."""
    return [*passes(incomplete), *_beginning(incomplete, ["all"])]


def pipelines(incomplete: str) -> list[str]:
    """Complete the name of a pipeline."""
    from relax_lang.transform.catalogue import PIPELINES

    return _beginning(incomplete, PIPELINES)


def prim_func_passes(incomplete: str) -> list[str]:
    """Complete a pass of the compilation of PrimFuncs, `all` or `list`."""
    from relax_lang.tir.vectorize import PASSES

    return _beginning(incomplete, [*PASSES, "all", "list"])


def _dashed(name: str) -> str:
    """Return `call-tir-rewrite` for `CallTIRRewrite`."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "-", name).lower()


def entries(ctx: typer.Context, incomplete: str) -> list[str]:
    """Complete a function that `relax run` may run."""
    names = [function.name.name_hint for function in _functions(ctx) if function.name is not None]
    return _beginning(incomplete.removeprefix("@"), names)


def parameters(ctx: typer.Context, incomplete: str) -> list[str]:
    """Complete `NAME=` with the parameters of the function that runs."""
    found = [param.name_hint for function in _entry(ctx) for param in function.params]
    return _beginning(incomplete, [f"{name}=" for name in dict.fromkeys(found)])


def sizes(ctx: typer.Context, incomplete: str) -> list[str]:
    """Complete `NAME=` with the shape variables in the parameters of the function that runs."""
    return [f"{name}=" for name in dimensions(ctx, incomplete)]


def dimensions(ctx: typer.Context, incomplete: str) -> list[str]:
    """Complete a shape variable in the parameters of the function that runs."""
    from relax_lang.base.node import walk
    from relax_lang.syntax import tree

    found = [
        node.name
        for function in _entry(ctx)
        for param in function.params
        for node in walk(param)
        if isinstance(node, tree.PrimVar)
    ]
    return _beginning(incomplete, dict.fromkeys(found))


def _beginning(incomplete: str, words: Iterable[str], before: str = "") -> list[str]:
    return [before + word for word in words if word.startswith(incomplete)]


def _functions(ctx: typer.Context) -> list[tree.Function]:
    """Return the functions of the program on the command line; none where it cannot be read."""
    from relax_lang.files.programs import STDIN, read
    from relax_lang.syntax import tree
    from relax_lang.syntax.parser import parse

    # While the last option waits for its value, the words before are not yet sorted into parameters.
    path = str(ctx.params.get("file") or next(iter(ctx.args), STDIN))
    if path == STDIN:
        return []
    source, problem = read(path, "")
    if problem is not None:
        return []
    found = [item for item in parse(source.text).tree.items if isinstance(item, tree.Function)]
    return [item for item in found if not item.private]


def _entry(ctx: typer.Context) -> list[tree.Function]:
    """Return the function that runs; all of them where there is none of that name."""
    wanted = str(ctx.params.get("entry") or "main").removeprefix("@")
    functions = _functions(ctx)
    named = [item for item in functions if item.name is not None and item.name.name_hint == wanted]
    return named or functions
