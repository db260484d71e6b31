"""Inference over a module: callees first; within a cycle of functions the annotations count. [T.K1] [D.1]"""

from __future__ import annotations

from relax_lang.base.python.gc_pause import no_collection
from relax_lang.check.infer.context.inferred import Inferred
from relax_lang.check.infer.context.module_state import ModuleState
from relax_lang.check.infer.rules import expressions
from relax_lang.check.infer.rules.functions import declare, derive_item
from relax_lang.normalize.normalize import normalize
from relax_lang.normalize.origins import Origins
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from relax_lang.check.infer.context.module_state import Headers
    from relax_lang.scope.resolve import Resolved
    from relax_lang.syntax.parser import Parsed

assert expressions, "importing it installs the rules of `dispatch`"


class Program:
    """The input of inference: the module as written, with its names and with what was rejected so far.

    `tree` has only those items of the parsed module that could be read. `headers` has dtype and shape of constants in
    files.
    """

    __slots__ = ("headers", "parsed", "resolved", "tree")

    def __init__(
        self,
        module: tree.IRModule,
        resolved: Resolved,
        parsed: Parsed,
        headers: Headers,
    ) -> None:
        self.tree = module
        self.resolved = resolved
        self.parsed = parsed
        self.headers = headers


def infer(program: Program) -> Inferred:
    """Derive the infos of a module whose items could all be read, whatever else is wrong with them. [D.1]"""
    origins = Origins()
    normal = normalize(program.tree, program.resolved, origins)
    inferred = Inferred(normal)
    own = dict(zip(program.tree.items, normal.items, strict=True))
    rejected = program.resolved.rejected
    items = {
        name: own[item]
        for name, item in program.resolved.globals.items()
        if item in own and item not in rejected
    }
    module = ModuleState(items, inferred, rejected, program.headers, program.tree, program.parsed, origins)
    incomplete = {
        item
        for item in [own.get(one) for one in program.parsed.losses.understood]
        if isinstance(item, tree.Function)
    }
    with no_collection():
        for together in _order(program, module):
            functions = [
                item for item in [own.get(one) for one in together] if isinstance(item, tree.Function)
            ]
            derive_component(module, functions, incomplete)
    inferred.purity, inferred.state = module.purity, module
    has_rules = module.features.dataflow or module.features.purity or program.resolved.computed
    if has_rules:  # otherwise effects are allowed everywhere
        inferred.diagnostics += module.purity().diagnostics(incomplete)
    for function in module.sure - module.doubted:
        if function.name is None or function.private:  # others are called from outside, too
            inferred.proved.add(function)
    return inferred


def derive_component(
    module: ModuleState, functions: list[tree.Function], incomplete: AbstractSet[tree.Function]
) -> None:
    """Derive functions that reach each other, or one function, after all that they call. [T.K1]

    A function of which a part is missing has the signature that it declares; what does not fit in it may follow from
    what is missing.
    """
    if len(functions) > 1 or module.is_recursive(functions[0]):
        for function in functions:
            declare(module, function)
    for function in functions:
        if function in incomplete:
            before = len(module.inferred.diagnostics)
            derive_item(module, function)
            declare(module, function)
            del module.inferred.diagnostics[before:]
        else:
            derive_item(module, function)


def _order(program: Program, module: ModuleState) -> list[list[tree.Item]]:
    """Return the functions in the order of their derivation; note which of them are recursive. [T.K1]"""
    resolved = program.resolved
    module.recursive = set(resolved.recursive)
    items: list[tree.Item] = [item for item in program.tree.items if isinstance(item, tree.Function)]
    if not any(resolved.references.values()):
        return [[item] for item in items]
    from relax_lang.check.recursion import components, graph_of  # only where functions mention functions

    graph = graph_of(resolved)
    present = set(items)
    order: list[list[tree.Item]] = []
    for together in components(graph):
        if len(together) > 1 or together[0] in graph.get(together[0], ()):
            module.recursive.update([item for item in together if isinstance(item, tree.Function)])
        here = [item for item in together if item in present]
        if here:
            order.append(here)
    return order
