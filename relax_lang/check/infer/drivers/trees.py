"""Inference of trees that are in normal form already: whole modules, and one function at a time. [D.1]

What changes programs has no text to start from. Such a tree is known to resolve, since it was made of one that does;
`infer_tree` derives its infos without going through the earlier phases, `infer_function` those of one function that
calls others whose signatures are known. The nodes of the tree are those that the tables have as keys.
"""

from __future__ import annotations

from typing import cast

from relax_lang.base.node import children, walk
from relax_lang.base.python.gc_pause import no_collection
from relax_lang.check.infer.context.inferred import Inferred
from relax_lang.check.infer.context.module_state import ModuleState, Signature
from relax_lang.check.infer.drivers.module import derive_component
from relax_lang.normalize.origins import Origins
from relax_lang.syntax import tree
from relax_lang.syntax.parsed import Features, Parsed

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.base.node import Node
    from relax_lang.check.infer.context.module_state import Headers

    Info = tree.StructInfo

BLANK = " " * (1 << 20)
"""In place of a text: places that nodes brought along mean nothing then."""


class Mentions:
    """What one function of a module in normal form mentions, beside its own variables; depends on its tree alone."""

    __slots__ = ("dataflow", "files", "functions", "nests", "packed", "purity", "recursive")

    def __init__(self, function: tree.Function) -> None:
        self.functions: set[str] = set()
        """The names of items."""
        self.files: list[tree.FileLit] = []
        """Constants in files."""
        self.dataflow = False
        self.packed = False
        self.nests = False
        """Whether there are local functions."""
        own = function.name
        stack: list[Node] = [*children(function)]
        self.purity = function.purity is not None
        while stack:  # every node of a function, after every pass: as little as possible for each
            node = stack.pop()
            note = _NOTED.get(node.__class__)
            if note is not None and node is not own:
                note(self, node)
            for name in node.CHILDREN:
                child: object = getattr(node, name)
                if child.__class__ is tuple:
                    for one in cast("tuple[Node, ...]", child):
                        if one.__class__ in _VARIABLES:
                            child = cast("tree.Binder", one).struct_info_annotation
                            if child is not None:
                                stack.append(child)
                        elif one.__class__ not in _BARE:
                            stack.append(one)
                elif child.__class__ in _VARIABLES:
                    child = cast("tree.Binder", child).struct_info_annotation
                    if child is not None:
                        stack.append(child)
                elif child is not None and child.__class__ not in _BARE:
                    stack.append(cast("Node", child))
        self.recursive = _recursive(function) if self.nests else set[tree.Function]()
        """Local functions that mention the name that they are bound to. [S.4]"""


_BARE = frozenset((tree.Op, tree.PrimVar, tree.IntImm, tree.DType))
"""Nodes that mention nothing and have nothing below them."""

_VARIABLES = frozenset((tree.Var, tree.DataflowVar))
"""Nodes that mention what their annotations do: most have none."""


def _note_global(found: Mentions, node: tree.GlobalVar) -> None:
    found.functions.add(node.name_hint)


def _note_dataflow(found: Mentions, _node: Node) -> None:
    found.dataflow = True


def _note_file(found: Mentions, node: tree.FileLit) -> None:
    found.files.append(node)


def _note_extern(found: Mentions, _node: Node) -> None:
    found.packed = True


def _note_function(found: Mentions, node: tree.Function) -> None:
    found.nests = True
    found.purity = found.purity or node.purity is not None


def _note_type(found: Mentions, node: tree.FuncStructInfo) -> None:
    found.packed = found.packed or node.params is None


_NOTED: dict[type[Node], Callable[[Mentions, Any], None]] = {
    tree.GlobalVar: _note_global,
    tree.DataflowBlock: _note_dataflow,
    tree.FileLit: _note_file,
    tree.ExternFunc: _note_extern,
    tree.Function: _note_function,
    tree.FuncStructInfo: _note_type,
}
"""Node class to what is noted of it."""


def _recursive(function: tree.Function) -> set[tree.Function]:
    """Return the local functions that mention the name that they are bound to; one walk, whatever the nest."""
    found: set[tree.Function] = set()
    within: dict[str, tree.Function] = {}
    stack: list[Node | str] = [function]
    while stack:
        node = stack.pop()
        if isinstance(node, str):  # the end of a function of this name
            del within[node]
        elif isinstance(node, tree.VarBinding) and isinstance(node.value, tree.Function):
            name = node.var.name_hint
            stack += children(node.var)
            if name != "_":
                within[name] = node.value
                stack.append(name)
            stack.append(node.value)
        else:
            if isinstance(node, tree.Var) and node.name_hint in within:
                found.add(within[node.name_hint])
            stack += children(node)
    return found


def features_of(module: tree.IRModule, mentions: Mapping[tree.Function, Mentions]) -> Features:
    """Return which constructs a module uses, as the parser notes them."""
    features = Features()
    for item in module.items:
        features.private = features.private or item.private
        if isinstance(item, tree.Function):
            own = mentions[item]
            features.dataflow = features.dataflow or own.dataflow
            features.purity = features.purity or own.purity
            features.packed = features.packed or own.packed
            features.files = features.files or bool(own.files)
        else:
            features.tir_externs = features.tir_externs or any(
                type(node) is tree.CallExtern for node in walk(item)
            )
    return features


def infer_tree(
    module: tree.IRModule,
    *,
    text: str = BLANK,
    headers: Headers | None = None,
    mentions: Mapping[tree.Function, Mentions] | None = None,
    previous: Inferred | None = None,
) -> Inferred:
    """Derive the infos of a module in normal form whose names all mean something.

    `text` is what the places of its nodes refer to, `headers` has dtype and shape of constants in files. What does
    not fit is in `.diagnostics`. With the outcome of a `previous` module without errors, functions that are the same
    nodes there, with all that they reach, are reused.
    """
    functions = [item for item in module.items if isinstance(item, tree.Function)]
    known: Mapping[tree.Function, Mentions] = {} if mentions is None else mentions
    found = {function: known.get(function) or Mentions(function) for function in functions}
    items = {item.name.name_hint: item for item in module.items if item.name is not None}
    inferred = Inferred(module)
    parsed = Parsed(text, features_of(module, found))
    state = ModuleState(
        items, inferred, frozenset(), {} if headers is None else headers, module, parsed, Origins()
    )
    order = _order(functions, found, items)
    for function in functions:
        state.recursive |= found[function].recursive
    for together in order:
        if len(together) > 1 or _calls_itself(together[0], found):
            state.recursive |= set(together)
    kept = _kept(order, found, items, previous, has_host=state.has_host)
    with no_collection():
        for together in order:
            if together[0] in kept and previous is not None and isinstance(previous.state, ModuleState):
                state.take_over(previous.state, together)
            else:
                derive_component(state, together, frozenset())
    inferred.purity, inferred.state = state.purity, state
    if state.features.dataflow or state.features.purity:
        inferred.diagnostics += state.purity().diagnostics()
    _prove_parameters(state, kept, found, previous)
    return inferred


def _kept(
    order: list[list[tree.Function]],
    mentions: Mapping[tree.Function, Mentions],
    items: Mapping[str, tree.Item],
    previous: Inferred | None,
    *,
    has_host: bool,
) -> set[tree.Function]:
    """Return the functions that were derived before, with all that they reach."""
    kept: set[tree.Function] = set()
    if previous is None or not isinstance(previous.state, ModuleState) or previous.state.has_host != has_host:
        return kept
    before = {item.name.name_hint: item for item in previous.normal.items if item.name is not None}
    known = set(before.values())
    for together in order:  # callees first
        names = set[str]().union(*[mentions[function].functions for function in together])
        reached = [items.get(name) for name in names]
        if (
            all(function in known for function in together)
            and all(items.get(name) is before.get(name) for name in names)
            and all(one in kept or one in together for one in reached if isinstance(one, tree.Function))
        ):
            kept.update(together)
    return kept


def _prove_parameters(
    state: ModuleState,
    kept: set[tree.Function],
    mentions: Mapping[tree.Function, Mentions],
    previous: Inferred | None,
) -> None:
    """Note the functions all of whose callers are known, and certainly give them what fits."""
    proved = state.inferred.proved
    before: set[Node] = previous.proved if previous is not None else set()
    named = set[str]().union(*[mentions[function].functions for function in kept])
    for function in state.sure - state.doubted:
        if function.name is None or (
            function.private and (function.name.name_hint not in named or function in before)
        ):
            proved.add(function)
    for function in kept & before - state.doubted:
        if function.name is not None and function.private and function.name.name_hint in named:
            proved.add(function)


def _calls_itself(function: tree.Function, mentions: Mapping[tree.Function, Mentions]) -> bool:
    return function.name is not None and function.name.name_hint in mentions[function].functions


def _order(
    functions: list[tree.Function],
    mentions: Mapping[tree.Function, Mentions],
    items: Mapping[str, tree.Item],
) -> list[list[tree.Function]]:
    """Return the functions callees first, those that reach each other together. [T.K1]"""
    if not any(mentions[function].functions for function in functions):
        return [[function] for function in functions]
    from relax_lang.check.recursion import components  # only where functions mention functions

    graph: dict[tree.Item, list[tree.Item]] = {}
    for function in functions:
        called = [items.get(name) for name in sorted(mentions[function].functions)]
        graph[function] = [one for one in called if isinstance(one, tree.Function)]
    return [[one for one in together if isinstance(one, tree.Function)] for together in components(graph)]


class FunctionInference:
    """What was derived of one function: the infos of its definitions, its type, and what does not fit in it."""

    __slots__ = ("diagnostics", "info", "infos", "is_pure")

    def __init__(
        self, info: Info, infos: dict[Node, Info], diagnostics: list[Diagnostic], *, is_pure: bool
    ) -> None:
        self.info = info
        self.infos = infos
        self.diagnostics = diagnostics
        self.is_pure = is_pure


def module_state(
    inferred: Inferred,
    function: tree.Function,
    *,
    text: str = BLANK,
    headers: Headers | None = None,
) -> ModuleState:
    """Return a state in which a function can be derived, or one binding of it after the other, beside a module.

    The functions of the module are known by their signatures; nothing is written into `inferred`. If one of them has
    the name of the function, the new one takes its place.
    """
    mentions = Mentions(function)
    items = {item.name.name_hint: item for item in inferred.normal.items if item.name is not None}
    own = function.name
    if own is not None:
        items[own.name_hint] = function
    features = features_of(tree.IRModule((), (function,)), {function: mentions})
    features.packed = features.packed or any(
        isinstance(info, tree.FuncStructInfo) and not info.pure for info in inferred.functions.values()
    )
    features.tir_externs = True
    module = tree.IRModule((), tuple(items.values()))
    state = ModuleState(
        items,
        Inferred(module),
        frozenset(),
        {} if headers is None else headers,
        module,
        Parsed(text, features),
        Origins(),
    )
    for name, (node, info) in inferred.signatures.items():
        if own is None or name != own.name_hint:
            state.signatures[name] = Signature(info, node)
    state.recursive |= mentions.recursive
    if own is not None and own.name_hint in mentions.functions:
        state.recursive.add(function)
    return state


def infer_function(
    inferred: Inferred,
    function: tree.Function,
    *,
    text: str = BLANK,
    headers: Headers | None = None,
) -> FunctionInference:
    """Derive one named function in normal form beside a module whose infos are known.

    The function may call the functions of the module, and take the place of one of them, if their signatures do not
    depend on it. What does not fit is in `.diagnostics`.
    """
    assert function.name is not None
    state = module_state(inferred, function, text=text, headers=headers)
    with no_collection():
        derive_component(state, [function], frozenset())
        purity = state.purity()
        found = [*state.inferred.diagnostics, *_effects(state, function)]
        is_pure = purity.is_pure(function, function)
    info = state.signatures[function.name.name_hint].info
    if isinstance(info, tree.FuncStructInfo):
        info = tree.FuncStructInfo(info.params, info.ret, None, is_pure, info.pos, info.end)
    return FunctionInference(info, state.inferred.infos, found, is_pure=is_pure)


def _effects(state: ModuleState, function: tree.Function) -> list[Diagnostic]:
    others = {item for item in state.items.values() if isinstance(item, tree.Function)} - {function}
    return state.purity().diagnostics(others)
