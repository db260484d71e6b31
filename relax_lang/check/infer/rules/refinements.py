"""Facts about dimensions that follow from checks and conditions, for the prover. [D.13] [V.9]"""

from __future__ import annotations

from relax_lang.arith.facts import MOST_FACTS
from relax_lang.arith.prover import EQUAL
from relax_lang.check.infer.context.module_state import PROVEN
from relax_lang.struct_info.bound_variables import names_in, written_dims
from relax_lang.syntax import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from relax_lang.arith.facts import Facts
    from relax_lang.check.infer.context.state import State
    from relax_lang.ops.core.findings import DeferredCheck

    Info = tree.StructInfo


def assume_equal(state: State, left: Info, right: Info, trust: int = PROVEN) -> None:
    """Assume that two infos are of one value: dimensions in the same place are equal. [D.8.3.2]"""
    if trust != PROVEN and not state.believes:
        return
    pairs: list[tuple[tree.PrimExpr, tree.PrimExpr]] = []
    _pair(state, left, right, pairs)
    for one, other in pairs:
        if state.n_facts < MOST_FACTS and state.context.relation(one, other) != EQUAL:
            state.n_facts += 1
            believed = believe(state, state.context.facts.with_equal(one, other))
            state.rests_on_invalidated = state.rests_on_invalidated or (believed and trust != PROVEN)


def assume_compared(state: State, deferred: list[DeferredCheck]) -> None:
    """Assume what an operator compared before what follows. In a dataflow block the order of calls is open. [D.14]"""
    if state.in_dataflow:
        return
    for check in deferred:
        if not check.or_one and state.n_facts < MOST_FACTS:
            state.n_facts += 1
            believe(state, state.context.facts.with_equal(check.a, check.b))


def assume_argument(state: State, param: Info, argument: Info) -> None:
    """Assume what a call compared: the dimensions of a parameter, as the arguments bind them, and of an argument.

    Names of the callee that no argument binds are another number at each call: nothing follows from them.
    """
    if state.in_dataflow:
        return
    pairs: list[tuple[tree.PrimExpr, tree.PrimExpr]] = []
    _pair(state, param, argument, pairs)
    for one, other in pairs:
        if (
            state.n_facts < MOST_FACTS
            and names_in([one]) <= state.shape_vars
            and state.context.relation(one, other) != EQUAL
        ):
            state.n_facts += 1
            believe(state, state.context.facts.with_equal(one, other))


def believe(state: State, facts: Facts) -> bool:
    """Continue with more facts, unless they contradict each other: then nothing is known any more. Return whether."""
    if facts.impossible and not state.context.facts.impossible:
        return False
    state.set_facts(facts)
    return True


def assume_sizes(state: State, info: Info) -> None:
    """Assume that there is a value of this info: its dimensions are sizes. [V.9]"""
    if isinstance(info, tree.TupleStructInfo):
        for field in info.fields:
            assume_sizes(state, field)
        return
    for dim in written_dims(info) or ():
        if type(dim) not in _SIZES and state.n_facts < MOST_FACTS:
            state.n_facts += 1
            if not believe(state, state.context.facts.with_sizes((dim,))):
                from relax_lang.check.infer.messages import (
                    values as value_messages,
                )  # where something is wrong

                value_messages.no_size(state, dim)


_SIZES = frozenset((tree.PrimVar, tree.IntImm))
"""These are known to be sizes anyway."""


def _pair(state: State, left: Info, right: Info, into: list[tuple[tree.PrimExpr, tree.PrimExpr]]) -> None:
    """Collect the dimensions in the same place of two infos; the left one is written in the program: a tree."""
    if isinstance(left, tree.TupleStructInfo):
        if isinstance(right, tree.TupleStructInfo):
            for one, other in zip(left.fields, right.fields, strict=False):
                _pair(state, one, other, into)
        return
    if not isinstance(left, tree.TensorStructInfo | tree.ShapeStructInfo) or type(left) is not type(right):
        return
    assert isinstance(right, tree.TensorStructInfo | tree.ShapeStructInfo)
    own, there = state.context.shape_of(left), state.context.shape_of(right)
    if isinstance(own, tuple) and isinstance(there, tuple) and len(own) == len(there):
        into += zip(own, there, strict=True)


def assume(state: State, condition: tree.Expr, *, truth: bool) -> None:
    """Assume what a condition implies for dimensions: of sizes, `shape_equals`, and what combines those. [D.13]"""
    call = state.values.get(condition.name_hint) if isinstance(condition, tree.Var) else None
    if not isinstance(call, tree.Call) or not isinstance(call.op, tree.Op):
        return
    name, args = call.op.op_name, call.args
    if name == "logical_not" and len(args) == 1:
        assume(state, args[0], truth=not truth)
    elif name == "scalar" and isinstance(args[0], tree.PrimValue):
        if state.n_facts < MOST_FACTS:
            state.n_facts += 1
            state.set_facts(state.context.facts.with_(args[0].value, truth=truth))
    elif len(args) != 2:
        return
    elif name == ("logical_and" if truth else "logical_or"):
        assume(state, args[0], truth=truth)
        assume(state, args[1], truth=truth)
    elif name == "shape_equals" and not state.untrusted:
        _assume_shapes(state, args, truth=truth)


def _assume_shapes(state: State, shapes: tuple[tree.Expr, ...], *, truth: bool) -> None:
    one, other = [dims_of(state, shape) for shape in shapes]
    if one is None or other is None or len(one) != len(other):
        return
    if truth:
        for left, right in zip(
            one, other, strict=True
        ):  # a branch that is never taken has contradictory facts
            state.set_facts(state.context.facts.with_equal(left, right))
    elif len(one) == 1:
        state.set_facts(state.context.facts.with_(tree.EQ(one[0], other[0]), truth=False))


def dims_of(state: State, shape: tree.Expr) -> tuple[tree.PrimExpr, ...] | None:
    """Return the dimensions of a shape, written out or in a variable; None if they are not known."""
    if isinstance(shape, tree.ShapeExpr):
        return shape.values
    info = state.infos.get(shape.name_hint) if isinstance(shape, tree.Var) else None
    return info.values if isinstance(info, tree.ShapeStructInfo) else None
