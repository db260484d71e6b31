"""Legal forms against kernels and rules, over random calls of every operator, interpreted and compiled. [OP.6-OP.9]"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from relax_lang import api
from relax_lang.base.diagnostic import has_errors
from relax_lang.ops.core.dtypes import is_float, name_of, numpy_dtype
from relax_lang.ops.core.operator import Operator
from relax_lang.ops.legal.core import Refused, form_of, legalize, reason_without
from relax_lang.ops.registry import all_operators, is_built_in, lookup
from relax_lang.ops.shape_rules.infer import infer_call
from relax_lang.struct_info.context import NOTHING_KNOWN
from relax_lang.syntax import tree
from relax_lang.tir.check.driver import check_prim_func
from relax_lang.tir.compile import compile_prim_func
from relax_lang.tir.interp.interpreter import run
from relax_lang.values import RunFailure, ShapeValue
from tests.ops.test_reference import (
    MOVES,
    ROUNDING,
    awkward,
    close,
    completed,
    drawn,
    outcome,
)

WITH = [one for one in all_operators() if is_built_in(one) and form_of(one) is not None]
SEEDS = 12
COMPILED = 2
"""Calls of each operator whose forms are compiled, too."""


def literal(value: Any) -> tree.Literal:
    from relax_lang.builder.values import literal as of_python
    from relax_lang.ops.core.signature import DTypeName

    if isinstance(value, DTypeName):
        return tree.DType(str(value))
    if isinstance(value, str):
        return tree.StrLit(value)
    if isinstance(value, list):
        return tree.ListLit(tuple([literal(one) for one in value]))
    return of_python(value)


def info_of(value: Any) -> tree.StructInfo | None:
    if isinstance(value, np.ndarray):
        dims = tree.ShapeExpr(tuple([tree.IntImm(extent) for extent in value.shape]))
        return tree.TensorStructInfo(dims, tree.DType(name_of(value.dtype)), None)
    if isinstance(value, ShapeValue):
        return tree.ShapeStructInfo(tuple([tree.IntImm(extent) for extent in value.values]), None)
    if isinstance(value, tuple):
        return tree.TupleStructInfo(tuple([info_of(one) or tree.ObjectStructInfo() for one in value]))
    return None


def node_of(value: Any) -> tree.Expr:
    """Return what an argument is written as: a variable for an array, scalars as they are written."""
    if value is None:
        return tree.Tuple(())
    if isinstance(value, tuple):
        return tree.Tuple(tuple([node_of(one) for one in value]))
    if isinstance(value, ShapeValue):
        return tree.ShapeExpr(tuple([tree.IntImm(extent) for extent in value.values]))
    if isinstance(value, np.ndarray):
        return tree.Var("x", None)
    if isinstance(value, bool):
        return tree.PrimValue(tree.BoolImm(value))
    kind = tree.FloatImm if isinstance(value, float) else tree.IntImm
    return tree.PrimValue(tree.Neg(kind(-value)) if value < 0 else kind(value))


def arrays_of(value: Any) -> list[Any]:
    if isinstance(value, tuple):
        return [each for one in value for each in arrays_of(one)]
    return [value] if isinstance(value, np.ndarray) else []


def legal_form(operator: Operator, args: list[Any], attrs: dict[str, Any]) -> tuple[tree.PrimFunc, Any]:
    """Return the PrimFunc of a call, and the info of its result. Raises Refused."""
    given = completed(operator, args)
    while given and given[-1] is None:
        given.pop()
    written = tuple([tree.Attr(name, literal(value)) for name, value in attrs.items()])
    call = tree.Call(tree.Op(operator.name), tuple([node_of(one) for one in given]), written)
    infos = [info_of(one) if one is not None else tree.TupleStructInfo(()) for one in given]
    result, findings = infer_call(operator, call, infos, NOTHING_KNOWN)
    assert not findings
    return legalize(operator, call, infos, result).prim_func, result


def results_of(info: tree.StructInfo) -> list[Any]:
    fields = info.fields if isinstance(info, tree.TupleStructInfo) else (info,)
    made: list[Any] = []
    for field in fields:
        assert isinstance(field, tree.TensorStructInfo)
        assert isinstance(field.shape, tree.ShapeExpr)
        assert field.dtype is not None
        extents = [one.value for one in field.shape.values if isinstance(one, tree.IntImm)]
        assert len(extents) == len(field.shape.values)
        made.append(np.empty(extents, numpy_dtype(field.dtype.name)))
    return made


def agree(found: Any, expected: Any, name: str, told: object) -> None:
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape), told
    if is_float(found.dtype) and name not in MOVES:
        close(found, expected, ROUNDING[name_of(found.dtype)], told)
        return
    if not is_float(found.dtype) and name in ROUNDED:
        apart = np.abs(found.astype(np.float64) - expected.astype(np.float64))
        assert np.all(apart <= 1), told
        return
    wide = np.float64 if is_float(found.dtype) else found.dtype
    np.testing.assert_array_equal(found.astype(wide), expected.astype(wide), err_msg=str(told))


ROUNDED = frozenset(
    ("variance", "std", "image.resize2d", "image.resize3d", "nn.avg_pool2d", "dequantize", "quantize")
)
"""Operators that cut fractions off: one unit may be lost."""


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("operator", WITH, ids=repr)
def test_OP_9_legal_form_and_kernel_agree(operator: Operator, capsys: pytest.CaptureFixture[str]) -> None:
    ran, reasons = 0, set[str]()
    for seed in range(SEEDS if operator.family.name not in ("tensor.binary", "tensor.elementwise") else 8):
        draw, (args, attrs) = drawn(operator, seed)
        args = awkward(draw, operator, args, attrs)
        expected = outcome(operator, args, attrs)
        if isinstance(expected, RunFailure):
            continue
        try:
            func, info = legal_form(operator, args, attrs)
        except Refused as refused:
            reasons.add(str(refused))
            continue
        assert not has_errors(check_prim_func(func)), (seed, check_prim_func(func))
        made = results_of(info)
        told = (seed, [getattr(one, "dtype", one) for one in args], attrs)
        inputs = [one.copy(order="C") for one in arrays_of(tuple(completed(operator, args)))]
        with np.errstate(all="ignore"):
            run(func, [*inputs, *made])
        wanted = list(expected) if isinstance(expected, tuple) else [expected]
        for one, other in zip(made, wanted, strict=True):
            agree(one, other, operator.name, told)
        if ran < COMPILED:
            again = results_of(info)
            compile_prim_func(func).run(*inputs, *again)
            for one, other in zip(again, wanted, strict=True):
                agree(one, other, operator.name, ("compiled", *told))
        ran += 1
    assert ran > 0, reasons


def test_operators_without_a_legal_form_have_a_reason() -> None:
    for operator in all_operators():
        if is_built_in(operator) and form_of(operator) is None:
            assert reason_without(operator), operator.name


def test_an_ignored_target_has_no_gradient_whatever_flows_in() -> None:
    grad = np.array([np.nan, 1.0], np.float32)
    found = lookup("grad.nll_loss_backward")
    assert found is not None
    args = [grad, np.zeros((2, 3), np.float32), np.array([-100, 1]), None]
    result = outcome(found, args, {"reduction": "none", "ignore_index": -100})
    np.testing.assert_array_equal(result, [[0, 0, 0], [0, -1, 0]])


def test_most_operators_have_one() -> None:
    assert len(WITH) >= 165


SYMBOLIC = {
    "matmul(x, w)": "x: Tensor[(n, k), float32], w: Tensor[(k, m), float32]",
    "nn.softmax(x, axis=-1)": "x: Tensor[(n, m), float32]",
    "add(x, w)": "x: Tensor[(n, m), float32], w: Tensor[(m,), float32]",
    "reshape(x, shape(n * m))": "x: Tensor[(n, m), float32]",
    'einsum((x, w), subscripts="nk,km->nm")': "x: Tensor[(n, k), float32], w: Tensor[(k, m), float32]",
    "scatter_elements(x, i, w)": (
        "x: Tensor[(n, m), float32], i: Tensor[(k, m), int64], w: Tensor[(k, m), float32]"
    ),
    "nn.nll_loss(x, i)": "x: Tensor[(n, m), float32], i: Tensor[(n,), int64]",
    "size(x)": "x: Tensor[(n, m), float32]",
    "concat((x, w), axis=0)": "x: Tensor[(n, 4), float32], w: Tensor[(m, 4), float32]",
    'layout_transform(x, index_map="(i, j) -> (j, i // 4, i % 4)")': "x: Tensor[(n, m), float32]",
    "arange(0, n * 2)": "x: Tensor[(n, 2), int64]",
    "sum(x, axis=0)": "x: Tensor[(n, m), int32]",
    "multinomial_from_uniform(x, w, i)": (
        "x: Tensor[(n, m), float32], w: Tensor[(k, 1), float32], i: Tensor[(k, 1), int64]"
    ),
    "image.resize2d(x, shape(h * 2, 7))": "x: Tensor[(b, 3, h, w), float32]",
    'image.resize2d(x, shape(h, 1), method="cubic", cubic_exclude=1)': "x: Tensor[(b, 3, h, w), float16]",
    "image.grid_sample(x, g)": "x: Tensor[(b, 3, h, w), float32], g: Tensor[(b, 2, k, 5), float32]",
    "nn.conv2d(x, w, padding=1)": "x: Tensor[(b, 3, h, w_1), float32], w: Tensor[(8, 3, 3, 3), float32]",
}


@pytest.mark.parametrize("call", SYMBOLIC)
def test_forms_over_sizes_that_are_not_known(call: str) -> None:
    """The PrimFunc of a call with symbolic sizes is called by `call_tir` in its place, and the program checks."""
    program = api.typed(f"def @main({SYMBOLIC[call]}) {{ {call} }}")
    [function] = program.functions
    assert isinstance(function.body, tree.SeqExpr)
    binding = function.body.blocks[-1].bindings[-1]
    assert isinstance(binding, tree.VarBinding)
    node = binding.value
    assert isinstance(node, tree.Call)
    assert isinstance(node.op, tree.Op)
    operator = lookup(node.op.op_name)
    assert operator is not None
    known = {var.name_hint: info for var, info in program.infos.items() if isinstance(var, tree.Var)}

    def info(arg: tree.Expr) -> tree.StructInfo | None:
        if isinstance(arg, tree.Tuple):
            return tree.TupleStructInfo(tuple([info(one) or tree.ObjectStructInfo() for one in arg.fields]))
        if isinstance(arg, tree.ShapeExpr):
            return tree.ShapeStructInfo(arg.values, None)
        return known[arg.name_hint] if isinstance(arg, tree.Var) else None

    result = program.infos[binding.var]
    legal = legalize(operator, node, [info(arg) for arg in node.args], result)
    changed = tree.VarBinding(binding.var, legal.call(legal.prim_func.name.name_hint, result))
    body = tree.SeqExpr((tree.BindingBlock((changed,), False),), function.body.body)
    main = tree.Function(function.name, False, None, function.params, None, (), body)
    checked = api.check(tree.IRModule((), (legal.prim_func, main)))
    assert not checked.has_errors, checked.diagnostics


OF_NOTHING = """
def @main(x: Tensor[(n, m), float32], y: Tensor[(n, 2 * 0, n), bool]) -> Object {
  let largest = (max(x, axis=[0]), argmax(x, axis=1), argmin(x, axis=0, keepdims=true));
  let counted = mean(astype(x, dtype=int32), axis=[1]);
  let z = reshape(y, shape(n + 3, (n + 1) - (1 + n)));
  (largest, counted, flatten(z), flatten(y), squeeze(expand_dims(y, axis=0), axis=0))
}
"""


@pytest.mark.parametrize(("n", "m"), [(0, 0), (0, 2), (2, 0), (3, 2)])
def test_OP_9_a_legal_form_of_no_element_fails_where_the_operator_does(n: int, m: int) -> None:
    """An empty result needs no element: `max` of (0, 0) along an axis is (0,)."""
    arguments = np.ones((n, m), np.float32), np.ones((n, 0, n), bool)
    ends: list[object] = []
    for program in (OF_NOTHING, api.optimize(OF_NOTHING, "LegalizeOps")):
        try:
            ends.append(str(api.run(program, *arguments)))
        except api.RelaxError:
            ends.append("failed")
    assert ends[0] == ends[1]
    assert (ends[0] == "failed") == ((n == 0) != (m == 0))
