"""Planned kernels: a call that remembers what fitted does what a call that knows nothing does. [OP.9] [X.9.1]

Random calls come from `tests.ops.random_calls`; they are repeated with other elements in another layout of memory.
"""

from __future__ import annotations

import threading
import weakref
from typing import Any

import numpy as np
import pytest

from relax_lang.ops.calls import call_cache
from relax_lang.ops.calls.call_cache import bind, plan
from relax_lang.ops.calls.evaluate import checked
from relax_lang.ops.core.operator import OPERATORS, Family, Operator
from relax_lang.ops.core.specialization import PLANNED_KINDS, TensorSpec
from relax_lang.ops.plugins.register import register_op
from relax_lang.ops.registry import lookup
from relax_lang.values import RunFailure, ShapeValue
from tests.ops.harness import f32, i64
from tests.ops.strategies import Draw, spoil
from tests.ops.test_reference import KERNELS, drawn

SEEDS = 16
PLANNED = [operator for operator in KERNELS if operator.planned]


def bound(operator: Operator, attrs: dict[str, Any]) -> Any:
    """Return the call of one place of a program."""
    return bind(operator, operator.options(attrs))


def outcome(call: Any, args: list[Any]) -> Any:
    """Return the value of a call, or its failure."""
    with np.errstate(all="ignore"):
        try:
            return call(*args)
        except RunFailure as failure:
            return failure


def fresh(operator: Operator, args: list[Any], attrs: dict[str, Any]) -> Any:
    """Return what a call gives that remembers nothing."""
    return outcome(bound(operator, attrs), args)


def tensors_in(value: Any) -> list[Any]:
    if isinstance(value, tuple | list):
        return [tensor for field in value for tensor in tensors_in(field)]
    return [value] if isinstance(value, np.ndarray) else []


def others(draw: Draw, value: Any) -> Any:
    """Return an argument of the same description with its elements in other places, and in another layout."""
    if isinstance(value, tuple):
        return tuple([others(draw, field) for field in value])
    if not isinstance(value, np.ndarray):
        return value
    shuffled = draw.numbers.permutation(value.reshape(-1)).reshape(value.shape)
    if not value.ndim:
        return shuffled
    if draw.chance(0.3):
        return np.asfortranarray(shuffled)
    if draw.chance(0.4):
        return np.repeat(shuffled, 2, axis=-1)[..., ::2]
    return np.flip(np.flip(shuffled).copy()) if draw.chance(0.5) else shuffled


def same(one: Any, other: Any) -> None:
    """Require the same value to the bit, or the same failure."""
    assert type(one) is type(other), (one, other)
    if isinstance(one, RunFailure):
        assert (one.slug, one.message) == (other.slug, other.message)
        assert one.facts == other.facts
    elif isinstance(one, tuple):
        assert len(one) == len(other)
        for left, right in zip(one, other, strict=True):
            same(left, right)
    elif isinstance(one, np.ndarray):
        assert (one.dtype, one.shape) == (other.dtype, other.shape)
        assert one.tobytes() == other.tobytes()
    else:
        assert one == other


@pytest.mark.parametrize("operator", PLANNED, ids=repr)
def test_signature_can_be_planned(operator: Operator) -> None:
    assert operator.kernel is not None
    assert all(param.kind in PLANNED_KINDS and not param.variadic for param in operator.params)


@pytest.mark.parametrize("operator", PLANNED, ids=repr)
def test_the_same_call_with_other_elements(operator: Operator) -> None:
    ran = 0
    for seed in range(SEEDS):
        draw, (args, attrs) = drawn(operator, seed)
        call = bound(operator, attrs)
        first = outcome(call, args)
        again = [others(draw, arg) for arg in args]
        same(outcome(call, again), fresh(operator, again, attrs))
        same(outcome(call, args), first)
        ran += not isinstance(first, RunFailure)
    assert ran >= SEEDS // 3


@pytest.mark.parametrize("operator", PLANNED, ids=repr)
def test_calls_of_other_shapes_between(operator: Operator) -> None:
    """One place of a program, for which attributes are the same, is called with all sorts of arguments."""
    _, (_, attrs) = drawn(operator, 0)
    call = bound(operator, attrs)
    for seed in range(SEEDS):
        draw, (args, _) = drawn(operator, seed)
        wrong, _ = spoil(draw, operator, args, {})
        for given in (args, wrong, [others(draw, arg) for arg in args], args):
            same(outcome(call, given), fresh(operator, given, attrs))


@pytest.mark.parametrize("operator", PLANNED, ids=repr)
def test_what_is_remembered_holds_no_argument_and_no_result(operator: Operator) -> None:
    ran = 0
    for seed in range(SEEDS):
        _, (args, attrs) = drawn(operator, seed)
        if isinstance(fresh(operator, args, attrs), RunFailure):
            continue
        call = bound(operator, attrs)
        given = [_copied(arg) for arg in args]
        results = [outcome(call, given), outcome(call, given)]
        held = [weakref.ref(tensor) for tensor in tensors_in([*given, results])]
        del given, results
        assert not [one for one in held if one() is not None]
        ran += 1
    assert ran >= SEEDS // 3


def _copied(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple([_copied(field) for field in value])
    return value.copy() if isinstance(value, np.ndarray) else value


@pytest.mark.parametrize("operator", PLANNED, ids=repr)
def test_X_9_1_results_are_new_memory(operator: Operator) -> None:
    for seed in range(SEEDS):
        _, (args, attrs) = drawn(operator, seed)
        call = bound(operator, attrs)
        first, second = outcome(call, args), outcome(call, args)
        if operator.aliases:  # what two results share is an argument's
            shared = [one for one in tensors_in(first) if _shares(one, second)]
            assert not [one for one in shared if not _shares(one, args)]
            continue
        expected = _copied(second)
        for one in tensors_in(first):
            assert not _shares(one, [second, args])
            if one.size:
                one[...] = np.ones((), one.dtype)
        same(second, expected)
        same(outcome(call, args), expected)


def _shares(tensor: Any, value: Any) -> bool:
    return any(np.shares_memory(tensor, other) for other in tensors_in(value))


@pytest.mark.parametrize("operator", PLANNED, ids=repr)
def test_plans_need_descriptions_only(operator: Operator) -> None:
    """What the compiled engine plans before there are any tensors runs as well."""
    for seed in range(SEEDS):
        _, (args, attrs) = drawn(operator, seed)
        expected = fresh(operator, args, attrs)
        if isinstance(expected, RunFailure):
            continue
        values = checked(operator, args)
        assert operator.kernel is not None
        run = plan(operator.kernel, [_spec(value) for value in values], operator.options(attrs))
        kinds = [param.kind for param in operator.params]
        given = [value for value, kind in zip(values, kinds, strict=True) if kind in ("tensor", "tensors")]
        with np.errstate(all="ignore"):
            found = run(*given)
        for left, right in zip(_flat(found), _flat(expected), strict=True):
            np.testing.assert_array_equal(
                np.asarray(left).view(np.uint8) if np.ndim(left) else left,
                np.asarray(right).view(np.uint8) if np.ndim(right) else right,
            )


def _spec(value: Any) -> Any:
    if isinstance(value, tuple):
        return tuple([_spec(field) for field in value])
    return TensorSpec(value.dtype, value.shape) if isinstance(value, np.ndarray) else value


def _flat(value: Any) -> list[Any]:
    if isinstance(value, tuple):
        return [each for field in value for each in _flat(field)]
    return [np.array(value.values)] if isinstance(value, ShapeValue) else [np.ascontiguousarray(value)]


# The mechanism, with operators of its own.


@pytest.fixture
def declare(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Declare operators for one test: their plans are counted in `made`."""
    made: list[tuple[Any, ...]] = []
    family = Family("outside", "Operators of a test")

    def declared(params: str, run: Any, name: str = "user.op") -> Operator:
        def kernel(*given: Any) -> Any:
            """Do as the test says."""
            made.append(given)
            return run

        family.planned(name, params, example="")(kernel)
        operator = lookup(name)
        assert operator is not None
        return operator

    declared.made = made  # pyright: ignore[reportFunctionMemberAccess]
    yield declared
    for name in [name for name in OPERATORS if name.startswith("user.")]:
        del OPERATORS[name]


def test_numbers_of_other_types_and_signs_are_other_plans(declare: Any) -> None:
    call = bind(declare("k: prim", lambda: np.zeros(1)), {})
    for number in (1, 1.0, True, 0.0, -0.0, 1, 1.0, True, 0.0, -0.0):
        call(number)
    assert [repr(given) for (given,) in declare.made] == ["1", "1.0", "True", "0.0", "-0.0"]


def test_tuples_of_numbers_are_looked_at_one_by_one(declare: Any) -> None:
    call = bind(declare("k: prims(int)", lambda: np.zeros(1)), {})
    for numbers in ((1, 2), (*[1, 2],), (), (), ShapeValue((1, 2)), (2, 1)):
        call(numbers)
    assert declare.made == [((1, 2),), ((),), ((2, 1),)]
    with pytest.raises(RunFailure, match="must be an integer"):
        call((True, 2))


def test_tuples_of_numbers_of_other_types_are_other_plans(declare: Any) -> None:
    call = bind(declare("k: prims", lambda: np.zeros(1)), {})
    for numbers in ((1.0, 2), (1, 2), (True, 2), (1, 2), (1.0, 2)):
        call(numbers)
    assert [repr(given) for (given,) in declare.made] == ["(1.0, 2)", "(1, 2)", "(True, 2)"]


def test_what_is_left_out_is_none(declare: Any) -> None:
    call = bind(
        declare("x: tensor, y: tensor?, s: shape?, k: prim?", lambda x, y: (x if y is None else y).copy()), {}
    )
    one, two = f32(1.0), f32(2.0)
    assert [float(call(one, y)[0]) for y in (two, None, (), two, None)] == [2.0, 1.0, 1.0, 2.0, 1.0]
    assert len(declare.made) == 2
    for shape in (ShapeValue((1,)), None, ShapeValue((1,)), ()):
        call(one, None, shape, 3)
    assert [given[2:] for given in declare.made[2:]] == [((1,), 3), (None, 3)]


def test_fields_of_tuples_are_looked_at(declare: Any) -> None:
    call = bind(declare("x: tensors", lambda xs: np.zeros(len(xs))), {})
    for fields in ((f32(1.0),), (f32(2.0),), (f32(1.0), i64(1)), (f32(3.0), i64(2)), (i64(3), f32(2.0)), ()):
        assert len(call(fields)) == len(fields)
    assert len(declare.made) == 4
    for wrong in ((f32(1.0), 3), (ShapeValue((1,)),), f32(1.0), 3):
        with pytest.raises(RunFailure, match="must be a tuple of tensors"):
            call(wrong)


def test_numpy_scalars_become_tensors(declare: Any) -> None:
    call = bind(declare("x: tensor", lambda x: (np.add.reduce(x, None), (x[0], x.copy()))), {})
    for _ in range(3):
        total, (first, copy) = call(f32(1.0, 2.0))
        assert all(type(each) is np.ndarray for each in (total, first, copy))
        assert (total.shape, first.dtype) == ((), np.float32)


@pytest.mark.usefixtures("declare")
def test_arrays_of_users_become_plain_ones() -> None:
    odd, subclass = np.arange(2, dtype=">i8"), np.ma.masked_array([1.0, 2.0])
    given: list[Any] = [np.arange(3, dtype=">f4"), subclass, (np.float32(1.5), odd, subclass)]

    @register_op(
        "user.any", "k: prim(int)", planned=True, infer=lambda call: call.of_rank(None, None), example="-"
    )
    def user_any(k: int) -> Any:
        """Return what is not a plain array."""
        return lambda: given[k]

    assert user_any(0)() is given[0]
    operator = lookup("user.any")
    assert operator is not None
    call = bind(operator, {})
    for k, expected in enumerate(given):
        for _ in range(2):
            for found, wanted in zip(_fields(call(k)), _fields(expected), strict=True):
                assert type(found) is np.ndarray
                assert found.dtype.isnative
                np.testing.assert_array_equal(found, np.asarray(wanted))


def _fields(value: Any) -> tuple[Any, ...]:
    return value if isinstance(value, tuple) else (value,)


def test_failures_of_plans_and_of_what_they_give(declare: Any) -> None:
    def run(x: Any) -> Any:
        if x[0] < 0:
            raise IndexError("negative")
        return x.copy()

    call = bind(declare("x: tensor(1-d float)", run), {})
    for _ in range(2):
        call(f32(1.0))
        with pytest.raises(RunFailure, match=r"user\.op: IndexError: negative") as caught:
            call(f32(-1.0))
        assert caught.value.facts["operator"] == "user.op"
        assert isinstance(caught.value.__cause__, IndexError)
        with pytest.raises(RunFailure, match="rank 1"):
            call(np.zeros((1, 1), np.float32))
        with pytest.raises(RunFailure, match="float dtype"):
            call(i64(1))


def test_X_O5_memory_is_asked_for_once_for_each_shape(declare: Any) -> None:
    asked: list[Any] = []
    call = bind(declare("x: tensor", lambda x: x.copy()), {}, asked.append)
    for x in (f32(1.0), f32(2.0), f32(1.0, 2.0), f32(1.0)):
        call(x)
    assert [args[0].shape for args in asked] == [(1,), (2,)]


def test_only_so_many_plans_are_kept(declare: Any) -> None:
    operator = declare("k: prim", lambda: np.zeros(1))
    call = bind(operator, {})
    for number in range(1000):
        call(number)
    holders = [cell.cell_contents for cell in call.__closure__ if hasattr(cell.cell_contents, "_plans")]
    assert [len(each._plans) <= 64 for each in holders] == [True]


def test_threads_may_share_a_call() -> None:
    operator = lookup("tile")
    assert operator is not None
    call = bound(operator, {"repeats": [2, 1]})
    wrong: list[int] = []

    def work(size: int) -> None:
        x = np.full((size, 3), size, np.int64)
        for _ in range(3000):
            result = call(x)
            if result.shape != (2 * size, 3) or result[-1, -1] != size:
                wrong.append(size)

    threads = [threading.Thread(target=work, args=(size,)) for size in (1, 2, 3, 4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_the_oldest_plan_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    planned: list[Any] = []

    def noted(kernel: Any, args: Any, options: Any) -> Any:
        planned.append(args[0].shape)
        return plan(kernel, args, options)

    monkeypatch.setattr(call_cache, "_MOST_PLANS", 3)
    monkeypatch.setattr(call_cache, "plan", noted)
    operator = lookup("tile")
    assert operator is not None
    call = bound(operator, {"repeats": [2]})
    for size in (1, 2, 3, 4, 2, 3, 4, 1):
        assert call(np.ones(size)).shape == (2 * size,)
    assert planned == [(1,), (2,), (3,), (4,), (1,)]
