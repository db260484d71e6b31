"""Gradient rules against finite differences, over random calls of every operator that has one; applied twice, too."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from relax_lang import api
from relax_lang.base.relax_error import RelaxError
from relax_lang.base.sequences import is_sequence
from relax_lang.builder.infos import Tensor
from relax_lang.builder.module_builder import ModuleBuilder
from relax_lang.builder.operators import op
from relax_lang.builder.values import Atom, call
from relax_lang.ops.core.dtypes import is_float
from relax_lang.ops.core.operator import Operator
from relax_lang.ops.core.signature import DTypeName
from relax_lang.ops.decompose.core import decomposition_of
from relax_lang.ops.gradient.core import reason_without, rule_of
from relax_lang.ops.registry import all_operators, is_built_in
from relax_lang.runtime.session import Session
from relax_lang.syntax import dtypes, tree
from relax_lang.te.expr import dim
from relax_lang.transform.operators.gradient import gradient
from relax_lang.transform.pass_manager.errors import PassRefused
from relax_lang.typed import Typed
from relax_lang.values import RunFailure, ShapeValue
from tests.ops.harness import run_operator
from tests.ops.test_reference import completed, drawn

WITH = [
    one
    for one in all_operators()
    if is_built_in(one)
    and (rule_of(one) is not None or decomposition_of(one) is not None)
    and one.name != "grad.no_grad"
]
SEEDS = 6
TWICE = 2
"""Calls of each operator that are differentiated twice."""
STEP = 1e-6
SINGLE = ("image.resize2d", "image.resize3d")
"""Operators that compute in float32 whatever they are given: their slopes need longer steps, and are less exact."""
DOMAINS: dict[str, tuple[float, float]] = {
    **dict.fromkeys(("acos", "asin", "atanh"), (-0.9, 0.9)),
    "acosh": (1.2, 3.0),
    **dict.fromkeys(("log", "sqrt", "rsqrt", "power", "divide", "mod", "floor_mod"), (0.4, 2.5)),
    "atan2": (0.4, 2.5),
    "tan": (-1.2, 1.2),
}


def overwrites(operator: Operator, args: list[Any], attrs: dict[str, Any]) -> bool:
    """Return whether a call writes several elements to one place, so that it has no slope with respect to some."""
    if operator.name not in ("index_put", "scatter_elements", "scatter_nd"):
        return False
    data, indices, updates = args
    more = {"accumulate": True} if operator.name == "index_put" else {**attrs, "reduction": "add"}
    ones = np.ones(updates.shape, np.int64)
    counts = run_operator(operator, [np.zeros(data.shape, np.int64), indices, ones], more)
    return not (attrs.get("accumulate") or attrs.get("reduction") == "add") and bool(np.any(counts > 1))


class Case:
    """A call on float64 tensors: the program `sum(sin(f(…)))`, and arguments for it."""

    def __init__(self, operator: Operator, seed: int, *, symbolic: bool) -> None:
        self.operator = operator
        draw, (args, attrs) = drawn(operator, seed)
        del draw
        if overwrites(operator, completed(operator, args), attrs):
            pytest.skip("not differentiable")
        self._random = np.random.default_rng(seed)
        self._builder = ModuleBuilder()
        self._symbolic = symbolic
        self.params: list[Atom] = []
        self.values: list[Any] = []
        self.differentiable: list[str] = []
        operands = [self._operand(one) for one in completed(operator, args)]
        while operands and operands[-1] is None:
            operands.pop()
        named = {name: _attribute(name, value) for name, value in attrs.items()}
        self.typed = self._program(partial(call, operator.name, tuple(operands), named))

    def _operand(self, value: Any) -> Any:
        if is_sequence(value):
            return tuple([self._operand(one) for one in value])
        if isinstance(value, ShapeValue):
            return tuple(value.values)
        if not hasattr(value, "dtype"):
            return value
        name = f"p{len(self.params)}"
        dtype = str(value.dtype.name)
        if is_float(value.dtype):
            value, dtype = self._spread(value.shape), "float64"
            self.differentiable.append(name)
        shape = [dim(f"{name}_{at}") if self._symbolic else size for at, size in enumerate(value.shape)]
        self.params.append(self._builder.var(name, Tensor(tuple(shape), dtype)))
        self.values.append(value)
        return self.params[-1]

    def _spread(self, shape: tuple[int, ...]) -> Any:
        """Return numbers within the domain, away from each other and from whole numbers."""
        low, high = DOMAINS.get(self.operator.name, (-2.3, 2.4))
        size = int(np.prod(shape))
        places = (self._random.permutation(size) + 0.5 + self._random.uniform(-0.2, 0.2, size)) / max(size, 1)
        found = low + (high - low) * places
        found = np.where(np.abs(found - np.rint(found)) < 0.01, found + 0.021, found)
        return np.asarray(found.reshape(shape))

    def _program(self, make: Any) -> Typed:
        bb = self._builder
        with bb.function("main", self.params):
            with bb.dataflow():
                result = bb.emit(make())
                fields = (
                    list(result) if isinstance(result.struct_info.node, tree.TupleStructInfo) else [result]
                )
                loss = None
                for field in fields:
                    info = field.struct_info.node
                    assert isinstance(info, tree.TensorStructInfo)
                    if info.dtype is None or not dtypes.is_float(str(info.dtype.name)):
                        continue
                    wide = op.astype(field, dtype="float64")
                    part = bb.emit(op.sum(op.sin(wide)))
                    loss = part if loss is None else bb.emit(loss + part)
                if loss is None:
                    pytest.skip("no float result")
                out = bb.emit_output(loss)
            bb.emit_func_output(out)
        return Typed.of_tree(bb.module())


def _attribute(name: str, value: Any) -> Any:
    if isinstance(value, DTypeName) and dtypes.is_float(value):
        return "float64"
    return str(value) if isinstance(value, DTypeName) else value


def run(typed: Typed, name: str, values: list[Any]) -> Any:
    session = Session(typed.module, typed.source, engine="interpreter")
    with np.errstate(all="ignore"):
        return session.call(name, [np.array(one) for one in values])


def slopes_agree(case: Case, typed: Typed, name: str, gradients: list[Any], told: object) -> None:
    """Compare the slope in a few random directions, by gradients and by central differences."""
    places = [at for at, param in enumerate(case.params) if param.name in case.differentiable]
    random: Any = np.random.default_rng(5)

    def value(values: list[Any]) -> float:
        result = run(typed, name, values)
        return float(result[0] if is_sequence(result) else result)

    step, close = (1e-2, 3e-3) if case.operator.name in SINGLE else (STEP, 2e-5)
    for _ in range(3):
        ways: list[Any] = [np.asarray(random.normal(size=case.values[at].shape)) for at in places]
        moved: list[list[Any]] = []
        for sign in (1, -1):
            there: list[Any] = list(case.values)
            for at, way in zip(places, ways, strict=True):
                there[at] = np.asarray(there[at] + sign * step * way)
            moved.append(there)
        expected = (value(moved[0]) - value(moved[1])) / (2 * step)
        found = sum([float((one * way).sum()) for one, way in zip(gradients, ways, strict=True)])
        assert np.isclose(found, expected, rtol=close, atol=close / 10), (told, found, expected, str(typed))


def twice(case: Case, typed: Typed) -> Typed:
    """Return a program whose `@main` sums the sines of the gradients, with the gradient of that."""
    adjoint = typed.items["main_adjoint"]
    assert isinstance(adjoint, tree.Function)
    assert isinstance(adjoint.body, tree.SeqExpr)
    [block] = adjoint.body.blocks
    assert isinstance(block, tree.DataflowBlock)
    assert isinstance(adjoint.body.body, tree.Tuple)
    gradients = adjoint.body.body.fields[1]
    assert isinstance(gradients, tree.Tuple)
    more: list[tree.Binding] = []

    def bind(name: str, operator: str, *args: str, last: bool = False) -> str:
        var = tree.Var(name, None) if last else tree.DataflowVar(name, None)
        made = tuple([tree.Var(one, None) for one in args])
        more.append(tree.VarBinding(var, tree.Call(tree.Op(operator), made, ())))
        return name

    total = ""
    for at, one in enumerate(gradients.fields):
        assert isinstance(one, tree.Var)
        part = bind(f"part_{at}", "sum", bind(f"sine_{at}", "sin", one.name_hint))
        total = bind(f"total_{at}", "add", total, part) if total else part
    bind("result", "abs", total, last=True)
    whole = tree.DataflowBlock((*block.bindings, *more), (*block.outputs, tree.Var("result", None)))
    body = tree.SeqExpr((whole,), tree.Var("result", None))
    made = tree.Function(tree.GlobalVar("second"), False, None, adjoint.params, None, (), body)
    with_second = Typed.of_tree(tree.IRModule((), (made,)))
    return gradient(func="second", require_grads=case.differentiable)(with_second)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("operator", WITH, ids=repr)
def test_gradients_are_slopes(operator: Operator) -> None:
    ran, second, reasons = 0, 0, set[str]()
    for seed in range(SEEDS * 6):
        if ran >= SEEDS:
            break
        try:
            case = Case(operator, seed, symbolic=False)
            if not case.differentiable:
                continue
            if not np.isfinite(run(case.typed, "main", case.values)):
                continue
        except (RunFailure, RelaxError, pytest.skip.Exception):
            continue
        told = (seed, [one.shape for one in case.values], str(case.typed))
        names = list(case.differentiable)
        try:
            typed = gradient(require_grads=names)(case.typed)
        except PassRefused as refused:
            reasons.add(str(refused))
            continue
        assert not typed.checked().has_errors, told
        gradients = list(run(typed, "main_adjoint", case.values)[1])
        for one, name in zip(gradients, names, strict=True):
            own = next(v for v, p in zip(case.values, case.params, strict=True) if p.name == name)
            assert (one.shape, one.dtype) == (own.shape, own.dtype), told
        slopes_agree(case, typed, "main", gradients, told)
        ran += 1
        if second < TWICE:
            again = twice(case, typed)
            assert not again.checked().has_errors, told
            slopes_agree(
                case, again, "second", list(run(again, "second_adjoint", case.values)[1]), ("twice", told)
            )
            second += 1
    assert ran >= 3, (ran, reasons)


def test_gradients_of_sizes_that_are_not_known() -> None:
    """Rules that need no numbers write dimensions as they are in the program."""
    seen: set[str] = set()
    for operator in WITH:
        for seed in range(12):
            try:
                case = Case(operator, seed, symbolic=True)
                if not case.differentiable or not np.isfinite(run(case.typed, "main", case.values)):
                    continue
                typed = gradient(require_grads=list(case.differentiable))(case.typed)
            except (RunFailure, RelaxError, PassRefused, pytest.skip.Exception):
                continue
            told = (operator, seed, str(typed))
            assert not typed.checked().has_errors, told
            gradients = list(run(typed, "main_adjoint", case.values)[1])
            slopes_agree(case, typed, "main", gradients, told)
            seen.add(operator.name)
            break
    assert len(seen) >= 80, seen


@pytest.mark.parametrize("size", ["4", "n"])
@pytest.mark.parametrize("exclusive", ["true", "false"])
def test_a_product_of_zeros_has_the_slope_that_it_has(size: str, exclusive: str) -> None:
    text = (
        f"def @main(x: Tensor[(2, {size}), float64]) -> Tensor[(), float64] {{ dataflow {{"
        f" let y = cumprod(x, axis=1, exclusive={exclusive}); let z = sin(y); let s = sum(z); output s; }} s }}"
    )
    typed = gradient()(api.typed(text))
    values = np.array([[2.0, 0.0, 3.0, 5.0], [0.0, 2.0, 0.0, 1.0]])
    [found] = run(typed, "main_adjoint", [values])[1]
    for place in np.ndindex(*values.shape):
        moved = [values.copy(), values.copy()]
        for sign, one in zip((1, -1), moved, strict=True):
            one[place] += sign * STEP
        slope = (run(typed, "main", [moved[0]]) - run(typed, "main", [moved[1]])) / (2 * STEP)
        assert np.isclose(found[place], slope, atol=1e-7), (place, found, slope)


@pytest.mark.parametrize("mode", ["reflect", "replicate", "circular"])
def test_borders_of_sizes_that_are_not_known_go_back_to_what_they_repeat(mode: str) -> None:
    """The same sums as where the extents are numbers."""
    found: list[Any] = []
    for dims in ("3, 4", "n, m"):
        text = (
            f"def @main(x: Tensor[({dims}), float64]) {{ dataflow {{"
            f'let p = nn.pad(x, pad_width=[1, 2, 2, 1], pad_mode="{mode}"); let s = sum(sin(p)); output s; }} s }}'
        )
        after = gradient()(api.typed(text))
        assert not after.checked().has_errors
        ((slope,),) = run(after, "main_adjoint", [np.arange(12.0).reshape(3, 4) / 7])[1:]
        found.append(slope)
    np.testing.assert_allclose(found[0], found[1])


@pytest.mark.parametrize("method", ["linear", "cubic", "nearest_neighbor"])
@pytest.mark.parametrize("mode", ["half_pixel", "align_corners", "asymmetric"])
@pytest.mark.parametrize("name", ["image.resize2d", "image.resize3d"])
def test_resizing_to_sizes_that_are_not_known(name: str, method: str, mode: str) -> None:
    """The matrix that a run makes is the one that is a constant where the sizes are numbers."""
    deep = name.endswith("3d")
    if deep and method == "cubic":
        return
    options = f'method="{method}", coordinate_transformation_mode="{mode}"'
    found: list[np.ndarray] = []
    for h, w, ho, wo in [("h", "w", "p", "q"), ("3", "5", "7", "4")]:
        x, size = (
            (f"(2, {h}, 1, {w})", f"{ho}, {wo}") if not deep else (f"(2, 1, {h}, {w}, 2)", f"{ho}, {wo}, 2")
        )
        layout = "NHCW" if not deep else "NCDHW"
        made = f"(2, {ho}, 1, {wo})" if not deep else f"(2, 1, {ho}, {wo}, 2)"
        text = (
            f"def @main(x: Tensor[{x}, float64], y: Tensor[{made}, float64]) {{"
            f' sum(multiply({name}(x, shape({size}), layout="{layout}", {options}), y)) }}'
        )
        typed = gradient(require_grads=["x"])(api.typed(text))
        assert not typed.checked().has_errors, str(typed)
        numbers = np.random.default_rng(3)
        extents = ((2, 3, 1, 5), (2, 7, 1, 4)) if not deep else ((2, 1, 3, 5, 2), (2, 1, 7, 4, 2))
        values = [numbers.normal(size=one) for one in extents]
        found.append(run(typed, "main_adjoint", values)[1][0])
    np.testing.assert_allclose(found[0], found[1], rtol=1e-6, atol=1e-7)


def test_a_grid_of_a_size_that_is_not_known() -> None:
    text = """def @main(x: Tensor[(b, 2, 3), float64], y: Tensor[(b, 2, h, w), float64]) {
      sum(multiply(image.affine_grid(x, shape(h, w), align_corners=false), y))
    }"""
    typed = gradient(require_grads=["x"])(api.typed(text))
    assert not typed.checked().has_errors, str(typed)
    numbers = np.random.default_rng(4)
    x, y = numbers.normal(size=(2, 2, 3)), numbers.normal(size=(2, 2, 4, 5))
    (found,) = run(typed, "main_adjoint", [x, y])[1]
    at_x, at_y = (np.arange(5) * 2 + 1) / 5 - 1, (np.arange(4) * 2 + 1) / 4 - 1
    places = np.stack([*np.meshgrid(at_x, at_y), np.ones((4, 5))])
    np.testing.assert_allclose(found, np.einsum("bihw,jhw->bij", y, places))


def test_no_gradient_flows_through_a_mark() -> None:
    text = "def @main(x: Tensor[(), float64]) { dataflow { let y = grad.no_grad(x); let z = x * y; output z; } z }"
    typed = gradient()(api.typed(text))
    assert run(typed, "main_adjoint", [np.float64(3)]) == (9.0, (3.0,))


def test_operators_without_a_gradient_have_a_reason() -> None:
    for operator in all_operators():
        if is_built_in(operator) and rule_of(operator) is None:
            assert reason_without(operator), operator.name
