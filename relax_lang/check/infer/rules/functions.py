"""Functions: parameters, body, result, and their signatures for callers. [T.K11] [D.8.1] [D.8.2.1] [D.12]"""

from __future__ import annotations

from relax_lang.base.diagnostic import ERROR
from relax_lang.base.node import same
from relax_lang.check.infer.context.module_state import INVALIDATED, PROVEN, Signature
from relax_lang.check.infer.context.state import State
from relax_lang.check.infer.rules.annotations import checked_annotation
from relax_lang.check.infer.rules.dispatch import derive
from relax_lang.check.infer.rules.refinements import assume_sizes
from relax_lang.struct_info.bound_variables import bare_names, binders_of, substitute_all
from relax_lang.struct_info.compatibility import check_compatibility
from relax_lang.struct_info.context import REJECTED, result_of
from relax_lang.struct_info.scope_erasure import erase_to_well_defined
from relax_lang.struct_info.verdict import COMPATIBLE
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.base.diagnostic import Diagnostic
    from relax_lang.check.infer.context.module_state import Derived, ModuleState
    from relax_lang.check.infer.context.state import Marks
    from relax_lang.struct_info.context import Context

    Info = tree.StructInfo

_ANYTHING = tree.ObjectStructInfo()
_CERTAIN = "match-cast-redundant"
"""What is said of a check because it is proved."""
_NEVER = "match-cast-never"
"""What is said of a check because it certainly fails."""
_UNNAMED = tree.Var("_", None)


def declare(module: ModuleState, function: tree.Function) -> None:
    """Give a function the signature that it declares, before any body is derived. [D.12.2] [D.12.1]"""
    assert function.name is not None
    state = State(module, function)
    params = _parameters(state, function)
    ret = _declared_result(state, function)
    module.signatures[function.name.name_hint] = _signature(state, function, (params, ret), state.open())


def derive_item(module: ModuleState, function: tree.Function) -> None:
    """Derive a function of the module, and its signature for callers. [D.12.3-D.12.7]"""
    assert function.name is not None
    state = State(module, function)
    signature = _derive(state, function, state.open())
    _prove(state, function, signature)
    module.signatures[function.name.name_hint] = signature
    module.inferred.signatures[function.name.name_hint] = function, signature.info


def _prove(state: State, function: tree.Function, signature: Signature) -> None:
    """Note what is proved all the same of a function that rests on what is only believed: derive it again. [D.14]

    A `match_cast` of a value that host code may have changed says something of the value as it is now. That the sizes
    before are those after is believed for messages, as otherwise each later use would be doubted; but infos that follow
    from it may be wrong, and those that follow from these. So infos and messages are of the first derivation, which
    proves nothing from there on. This one takes proven facts alone; it says which checks are not needed, and which
    fail: an error that it does not repeat is none.
    """
    if not state.rests_on_invalidated:
        return
    module, before = state.module, state.first_finding
    inferred = module.inferred
    kept = inferred.diagnostics, inferred.infos, module.branches, module.memory
    inferred.diagnostics, inferred.infos, module.branches, module.memory = [], {}, {}, None
    again = State(module, function)
    again.believes = False
    proven = _derive(again, function, again.open())
    certain = inferred.diagnostics
    inferred.diagnostics, inferred.infos, module.branches, module.memory = kept
    inferred.diagnostics[before:] = _settled(inferred.diagnostics[before:], certain)
    relied_on = same(proven.info, signature.info)
    signature.trust = proven.trust if relied_on else max(signature.trust, INVALIDATED)


def _settled(believed: list[Diagnostic], certain: list[Diagnostic]) -> list[Diagnostic]:
    """Return what is found from beliefs, without errors that are not certain: what is certain there is said instead."""
    errors = {(one.slug, one.pos) for one in certain}
    doubtful = {
        one.pos for one in believed if one.severity == ERROR and (one.slug, one.pos) not in errors
    } | {one.pos for one in certain if one.slug == _NEVER}
    kept = [one for one in believed if one.pos not in doubtful]
    said = {(one.slug, one.pos) for one in kept}
    return kept + [
        one
        for one in certain
        if one.pos in doubtful or (one.slug == _CERTAIN and (one.slug, one.pos) not in said)
    ]


def derive_unnamed(state: State, function: tree.Function) -> Derived:
    """Derive a function literal that is not bound to a variable."""
    return derive_literal(state, function, _UNNAMED, None)


def derive_literal(
    state: State, function: tree.Function, var: tree.Binder, annotation: Info | None
) -> Derived:
    """Derive a local function; it knows itself by its annotation, or its own signature. [D.8.2.1] [ERR.12] [ERR.34]"""
    name = var.name_hint
    marks = state.open()
    state.host_code_may_run()  # before it is called
    params = _parameters(state, function)
    if state.module.is_recursive(function):
        ret = _declared_result(state, function)
        own = _signature(state, function, (params, ret), marks, peek=True)
        if annotation is not None:
            own.info = annotation
        own.info = _with_new_names(state, own.info, state.peek(marks)[1])
        state.bind(var, own.info)
        state.literals[name] = own
    signature = _derive(state, function, marks, params)
    state.literals.pop(name, None)
    if name != "_" and annotation is None:
        state.literals[name] = signature
    return signature.info, PROVEN


def _with_new_names(state: State, info: Info, outside: Context) -> Info:
    """Return a function type with fresh names for its dimensions, since they are new at each call."""
    if not isinstance(info, tree.FuncStructInfo) or info.params is None:
        return info
    new = {name: tree.PrimVar(state.fresh.fresh(name)) for name in binders_of(info, outside.shape_vars)}
    parts = substitute_all((*info.params, result_of(info)), new, outside.shape_vars)
    return tree.FuncStructInfo(parts[:-1], parts[-1], None, info.pure, info.pos, info.end)


def value_of_global(state: State, node: tree.GlobalVar) -> Derived:
    """Return the info of a global as a value: a function with its purity, a prim_func as Object. [ERR.46]"""
    found = state.signature_of(node.name_hint)
    if found is None:
        item = state.module.items.get(node.name_hint)
        return (_ANYTHING if type(item) is tree.PrimFunc else REJECTED), PROVEN
    signature, info = found
    state.module.doubted.add(signature.node)
    if type(info) is tree.FuncStructInfo and not state.module.purity().is_pure(
        signature.node, signature.node
    ):
        info = tree.FuncStructInfo(info.params, info.ret, None, False, info.pos, info.end)
    return info, PROVEN


def _derive(
    state: State, function: tree.Function, marks: Marks, params: list[Info] | None = None
) -> Signature:
    """Derive the body and check it against the result annotation. [D.12.4-D.12.6]"""
    if params is None:
        params = _parameters(state, function)
    annotation = function.ret_struct_info
    if annotation is not None:
        annotation = checked_annotation(state, annotation)
    epoch = state.epoch
    found = derive(state, function.body)
    return _concluded(state, function, (params, annotation), marks, found, epoch)


def begin(state: State, function: tree.Function) -> tuple[list[Info], Marks]:
    """Open the scope of a function of the module whose body is derived binding by binding; see `conclude`."""
    marks = state.open()
    return _parameters(state, function), marks


def conclude(
    state: State, function: tree.Function, opened: tuple[list[Info], Marks], found: Derived
) -> Signature:
    """Close the scope of a function of the module, whose bindings are derived, and whose value is `found`."""
    assert function.name is not None
    params, marks = opened
    annotation = function.ret_struct_info
    if annotation is not None:
        annotation = checked_annotation(state, annotation)
    signature = _concluded(state, function, (params, annotation), marks, found, 0)
    _prove(state, function, signature)
    state.module.signatures[function.name.name_hint] = signature
    state.module.inferred.signatures[function.name.name_hint] = function, signature.info
    return signature


def _concluded(
    state: State,
    function: tree.Function,
    declared: tuple[list[Info], Info | None],
    marks: Marks,
    found: Derived,
    epoch: int,
) -> Signature:
    """Check the value of a body against the result annotation, and return the signature. [D.12.5] [D.12.6]"""
    params, annotation = declared
    info, trust = found
    if annotation is not None:
        _check_result(state, function, (info, trust), annotation)
        trust = PROVEN
    ret = info if annotation is None else annotation
    if annotation is None and state.module.is_recursive(function):
        ret = REJECTED  # it needs an annotation, which was reported [W.7]
    signature = _signature(state, function, (params, ret), marks)
    signature.trust = trust
    signature.runs_host_code = state.epoch != epoch
    return signature


def _check_result(state: State, function: tree.Function, found: Derived, annotation: Info) -> None:
    """Check the value of the body against the annotation. [D.12.5] [T.K11.4]"""
    info, trust = found
    verdict = check_compatibility(info, annotation, state.context)
    if verdict.answer == COMPATIBLE:
        if state.proves(trust) and function.ret_struct_info is not None:
            state.module.inferred.proved.add(function.ret_struct_info)
        return
    assert isinstance(function.body, tree.SeqExpr)
    value = function.body.body
    meant = state.misannotated.get(value.name_hint) if isinstance(value, tree.Var) else None
    if meant is not None and check_compatibility(meant, annotation, state.context).answer == COMPATIBLE:
        return  # the annotation of the variable is the mistake, which was reported
    from relax_lang.check.infer.messages import values as value_messages  # only where something does not fit

    value_messages.result(state, function, (info, annotation), verdict)


def _parameters(state: State, function: tree.Function) -> list[Info]:
    """Bring the parameters into scope: first all dimensions that they bind, then the variables. [D.8.1] [ERR.40]"""
    written = [param.struct_info_annotation for param in function.params]
    state.bind_shapes([info for info in written if info is not None])
    infos: list[Info] = []
    for param, info in zip(function.params, written, strict=True):
        state.bind(param, REJECTED if info is None or type(info) is tree.MissingStructInfo else info)
    for param, info in zip(function.params, written, strict=True):
        checked = REJECTED if info is None else checked_annotation(state, info)
        if checked is not info:
            state.bind(param, checked)
        assume_sizes(state, checked)
        infos.append(checked)
    return infos


def _declared_result(state: State, function: tree.Function) -> Info:
    annotation = function.ret_struct_info
    return REJECTED if annotation is None else checked_annotation(state, annotation)


def _signature(
    state: State,
    function: tree.Function,
    parts: tuple[list[Info], Info],
    marks: Marks,
    *,
    peek: bool = False,
) -> Signature:
    """Return the signature: parameters and result as far as they are defined outside. Closes the scope. [D.12.6]

    With `peek` the parameters stay in scope.
    """
    params, ret = parts
    inner, outer = state.peek(marks) if peek else state.close(marks)
    own = [name for name in bare_names(params) if name not in outer.shape_vars]
    outside = outer.extended(own)
    shown = tuple([erase_to_well_defined(info, inner, outside) for info in params])
    complete = shown == tuple(params)  # nodes are equal by identity only
    if not complete:  # a parameter that lost its shape binds nothing
        own = [name for name in bare_names(shown) if name not in outer.shape_vars]
        outside = outer.extended(own)
    result = ret if ret is REJECTED else erase_to_well_defined(ret, inner, outside, state.mentions)
    pure = function.name is not None or state.module.purity().is_pure(function, state.function)
    info = tree.FuncStructInfo(shown, result, None, pure, function.pos, function.end)
    return Signature(info, function, complete)
