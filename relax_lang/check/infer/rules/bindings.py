"""Blocks and bindings: the infos of variables, and the dimensions that get a name. [T.K10] [D.7] [D.8]"""

from __future__ import annotations

from relax_lang.base.cancellation import checkpoint
from relax_lang.base.node import assert_never
from relax_lang.check.infer.context.module_state import ASSUMED, PROVEN
from relax_lang.check.infer.rules.annotations import checked_annotation
from relax_lang.check.infer.rules.dispatch import derive
from relax_lang.check.infer.rules.functions import derive_literal
from relax_lang.check.infer.rules.refinements import assume, assume_equal, assume_sizes
from relax_lang.struct_info.bound_variables import bare_names, substitute
from relax_lang.struct_info.compatibility import check_arguments, check_compatibility
from relax_lang.struct_info.context import REJECTED, Context
from relax_lang.struct_info.match_casts import match_cast_refused
from relax_lang.struct_info.scope_erasure import erase_to_well_defined
from relax_lang.struct_info.substitution import Signature, get_shape_var_mapping
from relax_lang.struct_info.verdict import COMPATIBLE, INCOMPATIBLE, POSSIBLY
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.check.infer.context.module_state import Derived
    from relax_lang.check.infer.context.state import State
    from relax_lang.struct_info.verdict import Verdict

    Info = tree.StructInfo


def derive_body(state: State, body: tree.Expr) -> Derived:
    """Derive the bindings of a `{ }` in order, then its result, in a scope that the caller opened. [D.7.1-D.7.3]"""
    assert type(body) is tree.SeqExpr
    outside = state.in_dataflow
    memory = state.module.memory
    if memory is not None and memory.function.body is not body:
        memory = None
    if memory is not None:
        memory.begin(state)
    for block in body.blocks:  # a dataflow block hides variables, which name resolution saw to
        state.in_dataflow = type(block) is tree.DataflowBlock
        if memory is not None:
            memory.derive(state, block.bindings, derive_binding)
            continue
        for binding in block.bindings:
            checkpoint()
            derive_binding(state, binding)
    if memory is not None:
        memory.end(state)
    state.in_dataflow = outside
    return derive(state, body.body)


def derive_binding(state: State, binding: tree.Binding) -> None:
    """Derive one binding, and bring its variable into scope. [T.K10]"""
    if type(binding) is tree.VarBinding:
        _var_binding(state, binding)
    elif type(binding) is tree.MatchCast:
        _match_cast(state, binding)
    else:
        assert_never(binding)


def keep_binding(state: State, binding: tree.VarBinding, info: Info) -> None:
    """Bring the variable of a binding without an annotation into scope, whose info is known already."""
    _remember(state, binding.var, binding.value, info, annotated=False)
    state.bind(binding.var, info)


def derive_branch(state: State, node: tree.If, *, truth: bool) -> Derived:
    """Derive a branch of an `if`, as the outside sees it. [D.6] [D.7.4]"""
    marks = state.open()
    assume(state, node.cond, truth=truth)
    info, trust = derive_body(state, node.true_branch if truth else node.false_branch)
    inner, outer = state.close(marks)
    return erase_to_well_defined(info, inner, outer, state.mentions), trust


def _var_binding(state: State, binding: tree.VarBinding) -> None:
    # An annotation is what the variable has; else it has what its value has. [T.K10.2] [T.K10.3] [D.8.2]
    var, value = binding.var, binding.value
    annotation = var.struct_info_annotation
    if annotation is not None:
        annotation = checked_annotation(state, annotation)
    if type(value) is tree.Function:
        info, trust = derive_literal(state, value, var, annotation)
    else:
        info, trust = derive(state, value)
        _remember(state, var, value, info, annotated=annotation is not None)
    if annotation is None:
        state.bind(var, info, trust)
        return
    verdict = check_compatibility(info, annotation, state.context)
    if verdict.answer == COMPATIBLE:
        if state.proves(trust) and var.struct_info_annotation is not None:
            state.module.inferred.proved.add(var.struct_info_annotation)
    else:
        from relax_lang.check.infer.messages import (
            values as value_messages,  # here and below: only where something does not fit
        )

        value_messages.annotation(state, var, (value, info, annotation), verdict)
        if verdict.answer == INCOMPATIBLE:
            state.misannotated[var.name_hint] = info
        if verdict.answer == POSSIBLY and trust == PROVEN:  # no claim that was warned of costs later proofs
            assume_equal(state, annotation, info)
    assume_sizes(state, annotation)
    state.bind(var, annotation)


def _remember(state: State, var: tree.Binder, value: tree.Expr, info: Info, *, annotated: bool) -> None:
    """Remember what a variable was bound to, if it is looked through. [C.5.5]"""
    kind = type(value)
    if kind is tree.Call:
        state.values[var.name_hint] = value
    elif not annotated and type(info) is tree.ShapeStructInfo and kind in (tree.ShapeExpr, tree.Var):
        state.known[var.name_hint] = value
    if kind is tree.Var:
        assert isinstance(value, tree.Var)
        literal = state.literals.get(value.name_hint)
        if literal is not None and not annotated:
            state.literals[var.name_hint] = literal


def _match_cast(state: State, binding: tree.MatchCast) -> None:
    """Derive the value, name its dimensions, and bind the variable. [D.8.3] [B.1-B.4]"""
    found, trust = derive(state, binding.value)
    target = _target(state, binding, found)
    if target is REJECTED:
        state.bind_shapes([binding.struct_info])
        checked = REJECTED
    elif type(target) is tree.MatchShapeInfo:  # of an object, which stays one: the run finds its shape [B.1]
        state.bind_shapes([target])
        checked = found
    else:
        checked = _cast(state, binding, (found, target), trust=trust)
    var = binding.var
    if var is None:
        return
    written = var.struct_info_annotation
    if written is None:
        state.bind(var, checked)
        return
    annotation = checked_annotation(state, written)
    verdict = check_compatibility(checked, annotation, state.context)
    if annotation is not REJECTED and checked is not REJECTED:
        from relax_lang.check.infer.messages import match_casts as match_cast_messages

        match_cast_messages.annotated(state, binding, (checked, annotation), verdict)
    state.bind(var, annotation)


def _target(state: State, binding: tree.MatchCast, found: Info) -> Info:
    """Return the target of a match_cast; that of a `match_shape` has the kind of its value. [B.1] [B.4]"""
    info = binding.struct_info
    if type(info) is not tree.MatchShapeInfo:
        return checked_annotation(state, info)
    if type(found) is tree.TensorStructInfo:
        dims = tree.ShapeExpr(info.values, info.pos, info.end)
        return tree.TensorStructInfo(dims, found.dtype, None, info.pos, info.end)
    if type(found) is tree.ShapeStructInfo:
        return tree.ShapeStructInfo(info.values, None, info.pos, info.end)
    if type(found) is tree.ObjectStructInfo and found is not REJECTED:
        return info
    if found is not REJECTED:
        from relax_lang.check.infer.messages import match_casts as match_cast_messages

        match_cast_messages.no_shape(state, binding.value, found)
    return REJECTED


def _cast(state: State, binding: tree.MatchCast, pair: tuple[Info, Info], *, trust: int) -> Info:
    """Check a match_cast, and assume what holds after it. [D.8.3.2] [D.8.3.3] [D.8.3.5]"""
    found, target = pair
    refused = match_cast_refused(found, target, state.context)
    verdict, new = _verdict(state, found, target)
    state.bind_shapes([target])
    if refused is not None:
        from relax_lang.check.infer.messages import match_casts as match_cast_messages

        match_cast_messages.never(state, binding, pair, refused, trust)
        return target
    if verdict.answer == COMPATIBLE and found is not REJECTED and state.proves(trust):
        state.module.inferred.proved.add(binding)
        if not new:
            from relax_lang.check.infer.messages import match_casts as match_cast_messages

            match_cast_messages.redundant(state, binding, target)
    if trust != ASSUMED:
        assume_equal(state, target, found, trust)
    assume_sizes(state, target)
    return target


def _verdict(state: State, found: Info, target: Info) -> tuple[Verdict, frozenset[str]]:
    """Return whether a match_cast certainly succeeds, and which names it binds. [D.14]"""
    context = state.context
    mapping = get_shape_var_mapping(target, found, context)
    if isinstance(
        target, tree.TensorStructInfo | tree.ShapeStructInfo
    ):  # no function types: the scope is not asked
        context = Context(frozenset(), state.infos, state.known, context.facts)
    bound = substitute(target, mapping, context.shape_vars)
    new = frozenset([name for name in bare_names([target]) if name not in state.shape_vars])
    left = new.difference(mapping)
    signature = Signature((bound,), bound, {}, left)
    return check_arguments([found], signature, context)[0], new
