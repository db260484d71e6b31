"""Every rule of every operator against its kernel: what is inferred is what runs. [D.11.1] [OP.3-OP.9]

Random calls come from `tests.ops.random_calls`. What is told of them before ranges from everything to next to nothing.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from relax_lang.check.infer.rules.special_calls import SPECIAL
from relax_lang.ops.core.attributes import attribute_problems, attribute_values
from relax_lang.ops.core.findings import Finding
from relax_lang.ops.core.operator import BY_KERNEL, BY_RUNTIME, Operator
from relax_lang.ops.registry import all_operators
from relax_lang.ops.shape_rules.infer import infer_call
from relax_lang.struct_info.context import REJECTED
from relax_lang.syntax import tree
from relax_lang.syntax.parser import parse
from relax_lang.values import RunFailure
from tests.ops import harness
from tests.ops.expected_inference import OF_VALUE, World, exact, extents_of, ranked
from tests.ops.harness import run_operator
from tests.ops.random_calls import all_calls
from tests.ops.strategies import Call, Draw, spoil

SEEDS = 48
VIEWS = 3
SHARED = {"tensor.elementwise": 12, "tensor.binary": 24}  # one rule for many operators: fewer calls of each

DATA_DEPENDENT = {"nonzero", "unique", "tensor_to_shape", "dynamic_strided_slice", "null_value"}
DATA_DEPENDENT |= {"memory.alloc_storage", "vm.alloc_storage", "vm.make_shape"}
"""Their result's shape follows from values, not from shapes."""

OPEN = {"gather_nd", "layout_transform", "squeeze", "strided_slice"}
OPEN.update([f"nn.{kind}_pool{n}d" for kind in ("max", "avg") for n in (1, 2, 3)])
"""Their result's shape may be open although all extents have names: it depends on which of them is larger, or 1."""

RANK_DEPENDS = {"gather_nd", "null_value", "squeeze", "tensor_to_shape"}
RANK_DEPENDS |= {"memory.alloc_storage", "vm.alloc_storage"}
"""The rank of their result follows from more than the ranks of the arguments."""

RUN = [operator for operator in all_operators() if operator.evaluated == BY_KERNEL]


CALLS = all_calls()
DRAWN = [operator for operator in RUN if operator.name in CALLS]


def drawn(operator: Operator, seed: int) -> tuple[Draw, Call]:
    draw = Draw(seed)
    makers = CALLS[operator.name]
    make = draw.one_of(*makers) if isinstance(makers, tuple) else makers
    return draw, make(draw)


def outcome(operator: Operator, args: list[Any], attrs: dict[str, Any]) -> Any:
    try:
        with np.errstate(all="ignore"):
            return run_operator(operator, args, attrs)
    except RunFailure as failure:
        return failure


def test_D_11_1_every_operator_has_a_rule() -> None:
    """What calls functions is inferred by the checker, which knows functions; all other operators have a rule."""
    without = {o.name for o in all_operators() if o.infer is None}
    assert without <= set(SPECIAL)
    assert set(SPECIAL) == {operator.name for operator in all_operators() if operator.evaluated == BY_RUNTIME}


def test_every_operator_is_drawn() -> None:
    assert [operator.name for operator in RUN if operator.name not in CALLS] == []
    assert set(CALLS) <= {operator.name for operator in RUN}


@pytest.mark.parametrize("operator", RUN, ids=repr)
def test_D_11_1_the_example_is_what_is_inferred(
    operator: Operator, capsys: pytest.CaptureFixture[str]
) -> None:
    call = parse(operator.example, start="expr").tree
    assert isinstance(call, tree.Call)
    kinds = [param.kind for param in operator.params]
    kinds += kinds[-1:] * len(call.args)
    args = [harness._value(arg, kind) for arg, kind in zip(call.args, kinds, strict=False)]
    attrs = attribute_values(call.attrs)
    world = World(None, [])
    info, findings, where = world.infer(operator, args, attrs)
    assert not findings, where
    assert world.holds(info, run_operator(operator, args, attrs)), (where, info)
    assert exact(info) or operator.name in DATA_DEPENDENT, (where, info)


@pytest.mark.parametrize("operator", DRAWN, ids=repr)
def test_D_11_1_inferred_is_what_runs(operator: Operator, capsys: pytest.CaptureFixture[str]) -> None:
    """With everything known: the exact result, or the error. With less: nothing wrong, no error where it runs."""
    ran, seeds = 0, SHARED.get(operator.family.name, SEEDS)
    for seed in range(seeds):
        draw, (args, attrs) = drawn(operator, seed)
        for _ in range(seed % 3):  # of three calls one is as drawn, one is changed once, one twice
            args, attrs = spoil(draw, operator, args, attrs)
        if attribute_problems(operator, len(args), attrs):
            continue
        result = outcome(operator, args, attrs)
        ran += not isinstance(result, RunFailure)
        check_concrete(operator, args, attrs, result)
        check_named(operator, args, attrs, result)
        check_ranked(operator, args, attrs, result)
        for _ in range(VIEWS):
            world = World(draw, extents_of(args))
            info, findings, where = world.infer(operator, args, attrs)
            if not isinstance(result, RunFailure):
                assert not findings, (seed, where, findings)
                assert world.holds(info, result), (seed, where, info, result)
    assert ran >= seeds // 4, "most drawn calls should run"


def check_concrete(operator: Operator, args: list[Any], attrs: dict[str, Any], result: Any) -> None:
    """Require that a call of which everything is known is inferred exactly, or rejected as when it runs."""
    world = World(None, [])
    info, findings, where = world.infer(operator, args, attrs)
    check_findings(operator, args, findings)
    if not isinstance(result, RunFailure):
        assert not findings, (where, findings)
        assert world.holds(info, result), (where, info, result)
        assert exact(info) or operator.name in DATA_DEPENDENT, (where, info)
    elif result.slug in OF_VALUE:
        assert OF_VALUE[result.slug] in {finding.slug for finding in findings}, (where, findings, result)


def check_named(operator: Operator, args: list[Any], attrs: dict[str, Any], result: Any) -> None:
    """Require that extents that have names are inferred in terms of these, all of them."""
    if isinstance(result, RunFailure):
        return
    world = World(None, [], named=True)
    info, findings, where = world.infer(operator, args, attrs)
    assert not findings, (where, findings)
    assert world.holds(info, result), (where, info, result)
    assert exact(info, tree.PrimExpr) or operator.name in DATA_DEPENDENT | OPEN, (where, info)


def check_ranked(operator: Operator, args: list[Any], attrs: dict[str, Any], result: Any) -> None:
    """Require that the ranks of all arguments give that of the result."""
    if isinstance(result, RunFailure):
        return
    world = World(None, [], ranked=True)
    info, findings, where = world.infer(operator, args, attrs)
    assert not findings, (where, findings)
    assert world.holds(info, result), (where, info, result)
    assert ranked(info) or operator.name in RANK_DEPENDS, (where, info)


def check_findings(operator: Operator, args: list[Any], findings: list[Finding]) -> None:
    """Require that findings are about arguments and attributes that there are, in the usual words."""
    names = {spec.name for spec in operator.attrs} | {param.name for param in operator.params}
    for finding in findings:
        assert operator.name in finding.message or finding.slug == "needs-match-cast", finding
        assert finding.message[-1] not in ". ", finding
        assert finding.attribute is None or finding.attribute in names, finding
        for where in [finding.argument, *[where for where, _ in finding.labels]]:
            if isinstance(where, tuple):
                assert where[1] < len(args[where[0]]), finding
            elif where is not None:
                assert where < max(len(args), len(operator.params)), finding


ODD = (
    tree.ObjectStructInfo(),
    tree.ShapeStructInfo(None, None),
    tree.ShapeStructInfo((tree.PrimVar("n"), tree.IntImm(2)), None),
    tree.TensorStructInfo(None, None, None),
    tree.TensorStructInfo(tree.ShapeExpr(()), tree.DType("bool"), None),
    tree.TensorStructInfo(tree.Var("unheard_of", None), None, None),
    tree.TupleStructInfo(()),
    tree.TupleStructInfo((tree.ObjectStructInfo(), tree.TensorStructInfo(None, None, 3))),
    tree.FuncStructInfo(None, None, "default", False),
    REJECTED,
)


@pytest.mark.parametrize("operator", DRAWN, ids=repr)
def test_OP_3_whatever_an_argument_is(operator: Operator) -> None:
    """An argument of any kind is taken or refused; nothing is said where one was rejected before."""
    for seed in range(12):
        draw, (args, attrs) = drawn(operator, seed)
        world = World(draw, extents_of(args))
        call, infos = world.call(operator, args, attrs)
        if not call.args:
            continue
        at, odd = draw.random.randrange(len(infos)), draw.one_of(*ODD)
        changed = list(call.args)
        changed[at], infos[at] = tree.Var("odd", None), odd
        told = tree.Call(call.op, tuple(changed), call.attrs, None, 0, 1)
        info, findings = infer_call(operator, told, infos, world.context())
        assert isinstance(info, tree.StructInfo)
        assert not (odd is REJECTED and findings)
        check_findings(operator, [infos_of(each) for each in infos], findings)


def infos_of(info: tree.StructInfo | None) -> tuple[tree.StructInfo, ...]:
    return info.fields if isinstance(info, tree.TupleStructInfo) else ()
