"""Values that the parameters of Python functions have somewhere in a file: defaults, parameters of tests, calls.

A function that makes kernels, and a test that is run for several dtypes, are programs of many sizes; one of them is
read. Nothing is executed: these are expressions, to be evaluated as all others.
"""

from __future__ import annotations

import ast
from functools import lru_cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

MAX_CALLS = 50
"""How many calls of a function are looked at."""


def given_value(function: ast.FunctionDef, param: ast.arg, module: ast.AST) -> Iterator[ast.expr]:
    """Yield what a parameter may be: its default, the first value that tests are run with, arguments of calls."""
    default = _default(function, param)
    if default is not None:
        yield default
    for decorator in function.decorator_list:
        found = _of_test(decorator, param.arg)
        if found is not None:
            yield found
    fixtures, calls = _index(module)
    for node in fixtures:
        found = _of_fixture(node, param.arg)
        if found is not None:
            yield found
    for node in calls.get(function.name, [])[:MAX_CALLS]:
        found = _argument(node, function, param)
        if found is not None:
            yield found


@lru_cache(maxsize=2)  # the file that is being read
def _index(module: ast.AST) -> tuple[list[ast.Assign], dict[str, list[ast.Call]]]:
    """Return the assignments of parameters of tests in a file, and its calls by what is called."""
    fixtures: list[ast.Assign] = []
    calls: dict[str, list[ast.Call]] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            if isinstance(node.value.func, ast.Attribute) and node.value.func.attr.startswith("parameter"):
                fixtures.append(node)
        elif isinstance(node, ast.Call):
            func = node.func
            name = func.attr if isinstance(func, ast.Attribute) else getattr(func, "id", "")
            calls.setdefault(name, []).append(node)
    return fixtures, calls


def _default(function: ast.FunctionDef, param: ast.arg) -> ast.expr | None:
    given = function.args
    ordinary = [*given.posonlyargs, *given.args]
    for one, default in zip(reversed(ordinary), reversed(given.defaults), strict=False):
        if one is param:
            return default
    for one, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        if one is param:
            return default
    return None


def _of_test(decorator: ast.expr, name: str) -> ast.expr | None:
    """Return the first value of `@pytest.mark.parametrize("n, dtype", [(1, "int8"), …])`."""
    if not isinstance(decorator, ast.Call) or len(decorator.args) < 2:
        return None
    if not isinstance(decorator.func, ast.Attribute) or decorator.func.attr != "parametrize":
        return None
    listed, cases = decorator.args[0], decorator.args[1]
    names: list[str] = []
    if isinstance(listed, ast.Constant) and isinstance(listed.value, str):
        names = [one.strip() for one in listed.value.split(",")]
    elif isinstance(listed, ast.Tuple | ast.List):
        names = [str(one.value) for one in listed.elts if isinstance(one, ast.Constant)]
    if name not in names or not isinstance(cases, ast.Tuple | ast.List) or not cases.elts:
        return None
    case = cases.elts[0]
    if isinstance(case, ast.Call):  # `pytest.param(1, "int8", id="…")`
        case = ast.copy_location(ast.Tuple(case.args, ast.Load()), case)
        return case.elts[names.index(name)] if len(case.elts) == len(names) else None
    if len(names) == 1:
        return case
    if isinstance(case, ast.Tuple | ast.List) and len(case.elts) == len(names):
        return case.elts[names.index(name)]
    return None


def _of_fixture(node: ast.Assign, name: str) -> ast.expr | None:
    """Return the first value of `dtype = tvm.testing.parameter("int8", …)`; `parameters` names several at once."""
    call, target = node.value, node.targets[0]
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Attribute) or not call.args:
        return None
    if call.func.attr == "parameter" and isinstance(target, ast.Name) and target.id == name:
        return call.args[0]
    if call.func.attr == "parameters" and isinstance(target, ast.Tuple):
        names = [one.id if isinstance(one, ast.Name) else "" for one in target.elts]
        case = call.args[0]
        if name in names and isinstance(case, ast.Tuple | ast.List) and len(case.elts) == len(names):
            return case.elts[names.index(name)]
    return None


def _argument(call: ast.Call, function: ast.FunctionDef, param: ast.arg) -> ast.expr | None:
    for keyword in call.keywords:
        if keyword.arg == param.arg:
            return keyword.value
    names = [*function.args.posonlyargs, *function.args.args]
    if isinstance(call.func, ast.Attribute) and names and names[0].arg in ("self", "cls"):
        names = names[1:]
    if param not in names or any(isinstance(one, ast.Starred) for one in call.args):
        return None
    at = names.index(param)
    return call.args[at] if at < len(call.args) else None
