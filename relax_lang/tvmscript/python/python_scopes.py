"""What a Python scope assigns: names, and the statements that give them values."""

from __future__ import annotations

import ast

_BLOCKS = (ast.stmt, ast.ExceptHandler, ast.match_case)


def defined_in(scope: ast.AST) -> dict[str, list[ast.AST]]:
    """Return what a scope assigns, by name, in the order of the text; inner functions and classes are not entered."""
    table: dict[str, list[ast.AST]] = {}

    def note(name: str, place: ast.AST) -> None:
        table.setdefault(name, []).append(place)

    if isinstance(scope, ast.FunctionDef | ast.AsyncFunctionDef):
        given = scope.args
        for one in (*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg):
            if one is not None:
                note(one.arg, one)
    todo: list[ast.AST] = list(getattr(scope, "body", []))
    todo.reverse()
    while todo:
        node = todo.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            note(node.name, node)
            continue
        for name in _bound_by(node):
            note(name, node)
        if isinstance(node, ast.stmt | ast.ExceptHandler | ast.match_case):
            below = [one for one in ast.iter_child_nodes(node) if isinstance(one, _BLOCKS)]
            todo += reversed(below)
    return table


def _bound_by(node: ast.AST) -> list[str]:
    targets: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        targets = [*node.targets]
    elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.For | ast.AsyncFor):
        targets = [node.target]
    elif isinstance(node, ast.With | ast.AsyncWith):
        targets = [item.optional_vars for item in node.items if item.optional_vars is not None]
    elif isinstance(node, ast.Import | ast.ImportFrom):
        return [(one.asname or one.name).partition(".")[0] for one in node.names]
    names: list[str] = []
    while targets:
        target = targets.pop(0)
        if isinstance(target, ast.Name):
            names.append(target.id)
        elif isinstance(target, ast.Tuple | ast.List):
            targets = [*target.elts, *targets]
        elif isinstance(target, ast.Starred):
            targets = [target.value, *targets]
    return names
