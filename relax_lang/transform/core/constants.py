"""Constants whose files do not exist yet: where they go when a program is written."""

from __future__ import annotations

from relax_lang.base.node import walk
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from relax_lang.typed import Typed

    Array = Any


def files_of(module: tree.IRModule) -> list[tree.FileLit]:
    """Return the constants in files that a module mentions."""
    return [node for node in walk(module) if isinstance(node, tree.FileLit)]


def with_files(module: tree.IRModule, change: Callable[[tree.Constant], tree.Constant]) -> tree.IRModule:
    """Return a module in which constants in files are others."""
    from relax_lang.transform.core.rebuild import Rewriting

    def rewritten(node: tree.Node) -> tree.Node:
        if isinstance(node, tree.Constant) and isinstance(node.data, tree.FileLit):
            return change(node)
        return node

    return Rewriting(rewritten).of(module)


def archived(
    typed: Typed, archive: str, load: Callable[[tree.FileLit], Array] | None
) -> tuple[tree.IRModule, dict[str, Array]]:
    """Return a module whose constants are in one archive, and the arrays of it by key.

    `archive` is how the program names it. Only arrays without a file move, unless `load` is given: then all of them do,
    since the files are not beside the program that is written.
    """
    arrays: dict[str, Array] = {}
    keys: dict[tuple[str, str | None], str] = {}

    def moved(constant: tree.Constant) -> tree.Constant:
        literal = constant.data
        assert isinstance(literal, tree.FileLit)
        place = literal.path, literal.key
        held = typed.source.arrays.get(place)
        if held is None and load is None:
            return constant
        if place not in keys:
            stem = literal.key or "c"
            key, number = stem, 1
            while key in arrays:
                key, number = f"{stem}_{number}", number + 1
            keys[place] = key
            if held is not None:
                arrays[key] = held
            else:
                assert load is not None
                arrays[key] = load(literal)
        made = tree.FileLit(archive, keys[place], literal.pos, literal.end)
        return tree.Constant(made, constant.dtype, constant.pos, constant.end)

    return with_files(typed.module, moved), arrays


def written_out(typed: Typed) -> tree.IRModule:
    """Return a module in which the constants without files are in the text. [G.22]"""
    from relax_lang.transform.core.evaluating import literal_of

    def inline(constant: tree.Constant) -> tree.Constant:
        literal = constant.data
        assert isinstance(literal, tree.FileLit)
        held = typed.source.arrays.get((literal.path, literal.key))
        if held is None:
            return constant
        return tree.Constant(literal_of(held), tree.DType(held.dtype.name), constant.pos, constant.end)

    return with_files(typed.module, inline) if typed.source.arrays else typed.module
