"""Finding operators by name; the module that declares one is loaded when it is first asked for. [OP.1]

`ops.operator_index` names the module of every operator, so that names are known and one operator is found without
loading the others. `tools/make_operators.py` writes it from the declarations.
"""

from __future__ import annotations

from relax_lang.ops.core.operator import DEFINITIONS, OPERATORS
from relax_lang.ops.operator_index import MODULES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.ops.core.operator import Operator

_MODULE_OF = {name: module for module, names in MODULES.items() for name in names.split()}


def lookup(name: str) -> Operator | None:
    """Return the operator of that name, or None; loads the module that declares it. [OP.1]"""
    found = OPERATORS.get(name)
    if found is None and name in _MODULE_OF:
        load(_MODULE_OF[name])
        found = OPERATORS[name]
    return found


def names() -> list[str]:
    """Return the names of all operators in alphabetical order; loads none of them."""
    return sorted({*_MODULE_OF, *OPERATORS})


def declared_by_users() -> frozenset[str]:
    """Return the names of the operators that are not ours."""
    return frozenset(OPERATORS.keys() - _MODULE_OF.keys())


def all_operators() -> list[Operator]:
    """Return all operators, family by family in the order of the index, then those that users declared."""
    for module in MODULES:
        load(module)
    ours = [OPERATORS[name] for names in MODULES.values() for name in names.split()]
    return [*ours, *[operator for name, operator in OPERATORS.items() if name not in _MODULE_OF]]


def is_built_in(operator: Operator) -> bool:
    """Whether an operator belongs to the language; users declare others."""
    return operator.family.name in MODULES


def load(module: str) -> None:
    """Import a module of `ops.definitions`. Raises ValueError if the index does not list what it declares."""
    __import__(DEFINITIONS + module)
    if module in _loaded:
        return
    _loaded.add(module)
    declared = {name for name, operator in OPERATORS.items() if operator.family.name == module}
    stale = declared.symmetric_difference(MODULES[module].split())
    if stale:
        raise ValueError(
            f"relax_lang/ops/operator_index.py is stale: {', '.join(sorted(stale))} in {module}; "
            "run `python tools/make_operators.py`"
        )


_loaded: set[str] = set()
_forgotten: list[str] = []


def forget(operator: Operator) -> None:
    """Remove an operator that a user declared: it does not work, or is declared anew."""
    del OPERATORS[operator.name]
    _forgotten.append(operator.name)


def revision() -> int:
    """Return a number that grows when an operator is removed: code that was compiled before may call it."""
    return len(_forgotten)
