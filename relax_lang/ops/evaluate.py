"""Running a kernel: the checks that the signature asks for, then the kernel, then its result as a value.

Whatever goes wrong comes out as a `RunFailure`, never as an exception of NumPy's.
"""

from __future__ import annotations

from relax_lang.ops import _numpy as np
from relax_lang.ops.attributes import arity_problem
from relax_lang.ops.dtypes import CLASSES, name_of, numpy_dtype
from relax_lang.ops.refusal import Refusal, bad_argument, bad_dtype
from relax_lang.ops.signature import WORDS
from relax_lang.ops.ufuncs import BINARY, UNARY
from relax_lang.values import RunFailure, ShapeValue, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from relax_lang.ops.signature import Param, Signature
    from relax_lang.ops.ufuncs import Ufunc

    Evaluate = Callable[[Sequence[Any], Mapping[str, Any]], object]
    Take = Callable[[Any], Any]


def evaluator(operator: Signature, kernel: Callable[..., Any]) -> Evaluate:
    """Return the function that evaluates calls of an operator, made to the measure of its signature. [OP.9]

    It makes every check, and remembers which dtypes passed. The caller has turned NumPy's warnings off.
    """
    params = operator.params
    ufunc = (BINARY if len(params) == 2 else UNARY).get(operator.name)
    if params and params[-1].variadic:
        return _variadic(operator, kernel)
    if len(params) == 1 and params[0].kind == "tensor" and params[0].ndim is None:
        evaluate = _of_one_tensor(operator, kernel)
    else:
        evaluate = _of_any(operator, kernel)
    if ufunc is None or ufunc.after:
        return evaluate
    return (_binary if len(params) == 2 else _unary)(evaluate, ufunc)


def _of_any(operator: Signature, kernel: Callable[..., Any]) -> Evaluate:
    """Evaluate an operator of a fixed number of parameters."""
    takers = [_taker(operator, param, index) for index, param in enumerate(operator.params)]
    count, ndarray = len(takers), np.ndarray
    call = _caller(kernel, takers)

    def evaluate(args: Sequence[object], options: Mapping[str, Any]) -> object:
        try:
            if len(args) != count:
                args = _completed(operator, args, count)
            result = call(args, options)
        except Exception as error:
            failure = as_failure(operator, error)
            raise failure from failure.__cause__
        return result if type(result) is ndarray else as_value(result)

    return evaluate


def _caller(kernel: Callable[..., Any], takers: Sequence[Take]) -> Evaluate:
    """Return what calls a kernel with arguments that were checked; one or two are not worth a loop."""
    if len(takers) == 1:
        (take,) = takers
        return lambda args, options: kernel(take(args[0]), **options)
    if len(takers) == 2:
        first, second = takers
        return lambda args, options: kernel(first(args[0]), second(args[1]), **options)
    return lambda args, options: kernel(*[take(x) for take, x in zip(takers, args, strict=True)], **options)


def _of_one_tensor(operator: Signature, kernel: Callable[..., Any]) -> Evaluate:
    """Evaluate an operator of one tensor as `_of_any` does, in fewer steps."""
    general, ndarray = _of_any(operator, kernel), np.ndarray
    right: set[Any] = set()

    def evaluate(args: Sequence[Any], options: Mapping[str, Any]) -> object:
        if len(args) != 1 or type(args[0]) is not ndarray or args[0].dtype not in right:
            result = general(args, options)
            right.add(args[0].dtype)
            return result
        try:
            result = kernel(args[0], **options)
        except Exception as error:
            failure = as_failure(operator, error)
            raise failure from failure.__cause__
        return result if type(result) is ndarray else as_value(result)

    return evaluate


def _variadic(operator: Signature, kernel: Callable[..., Any]) -> Evaluate:
    """Evaluate an operator whose last parameter stands for any number of arguments."""
    params = operator.params

    def evaluate(args: Sequence[object], options: Mapping[str, Any]) -> object:
        try:
            args = _completed(operator, args, len(params) - 1)
            last = len(params) - 1
            values = [_argument(operator, params[min(at, last)], at, arg) for at, arg in enumerate(args)]
            return as_value(kernel(*values, **options))
        except Exception as error:
            failure = as_failure(operator, error)
            raise failure from failure.__cause__

    return evaluate


def _unary(evaluate: Evaluate, ufunc: Ufunc) -> Evaluate:
    """Call NumPy's own function on dtypes where it does all that the kernel does; else `evaluate`."""
    ndarray, functions = np.ndarray, _functions(ufunc)

    def evaluate_directly(args: Sequence[Any], options: Mapping[str, Any]) -> object:
        try:
            (x,) = args
            if type(x) is ndarray:
                result = functions[x.dtype](x)
                return result if type(result) is ndarray else as_value(result)
        except Exception:  # another dtype, or wrong arguments, of which `evaluate` says what is wrong
            pass
        return evaluate(args, options)

    return evaluate_directly


def _binary(evaluate: Evaluate, ufunc: Ufunc) -> Evaluate:
    """Call NumPy's own function on two tensors of one dtype where it does all that the kernel does."""
    ndarray, functions = np.ndarray, _functions(ufunc)

    def evaluate_directly(args: Sequence[Any], options: Mapping[str, Any]) -> object:
        try:
            x1, x2 = args
            dtype = x1.dtype
            if dtype is x2.dtype and type(x1) is ndarray and type(x2) is ndarray:
                result = functions[dtype](x1, x2)
                return result if type(result) is ndarray else as_value(result)
        except Exception:  # as above
            pass
        return evaluate(args, options)

    return evaluate_directly


def _functions(ufunc: Ufunc) -> dict[Any, Callable[..., Any]]:
    """Return by dtype what to call."""
    function = np.square if ufunc.twice else getattr(np, ufunc.function)
    return {numpy_dtype(name): function for name in ufunc.dtypes}


def as_failure(operator: Signature, error: Exception) -> RunFailure:
    """Return the failure that an exception out of a kernel is. [OP.9]"""
    if isinstance(error, RunFailure):
        return error
    if isinstance(error, Refusal):
        return _failure(operator, error)
    if isinstance(error, MemoryError):
        return RunFailure("out-of-memory", f"{operator.name}: {error or 'no memory left'}")
    message = f"{operator.name}: {type(error).__name__}: {error}"
    failure = RunFailure("op-runtime-value", message, operator=operator.name)
    failure.__cause__ = error
    return failure


def _failure(operator: Signature, refusal: Refusal) -> RunFailure:
    """Turn a kernel's refusal into the failure of the program."""
    facts = {"operator": operator.name, **refusal.facts}
    # The author's own words, and messages that name the operator already, stand as they are.
    whole = refusal.slug in ("arity", "assertion-failed") or refusal.message.startswith("argument ")
    shown = refusal.message if whole else f"{operator.name}: {refusal.message}"
    failure = RunFailure(refusal.slug, shown)
    failure.facts.update(facts)
    return failure


def _completed(operator: Signature, args: Sequence[object], count: int) -> Sequence[object]:
    """Check the number of arguments; fill up those that are left out. [OP.2]"""
    if len(args) > count or not operator.params[len(args)].optional:
        problem = arity_problem(operator, len(args), ())
        if problem is not None:
            raise Refusal(problem.slug, problem.message)
    return [*args, *[None] * (count - len(args))]


def _taker(operator: Signature, param: Param, index: int) -> Take:
    """Return what checks one argument: briefly where it is as usual, else by the rules below. [OP.3]"""

    def take(value: Any) -> Any:
        return _argument(operator, param, index, value)

    maker = _BRIEFLY.get(param.kind)
    return take if maker is None else maker(take, param)


def _brief_tensor(take: Take, param: Param) -> Take:
    ndarray, ndim = np.ndarray, param.ndim
    right: set[Any] = set()

    def take_tensor(value: Any) -> Any:
        if type(value) is ndarray and value.dtype in right and (ndim is None or value.ndim == ndim):
            return value
        taken = take(value)
        if taken is not None:
            right.add(taken.dtype)
        return taken

    return take_tensor


def _brief_tensors(take: Take, param: Param) -> Take:
    ndarray, ndim = np.ndarray, param.ndim
    right: set[Any] = set()

    def take_tensors(value: Any) -> Any:
        if type(value) is tuple and value:
            fields: tuple[Any, ...] = value  # pyright: ignore[reportUnknownVariableType]
            for field in fields:
                if type(field) is not ndarray or field.dtype not in right or ndim not in (None, field.ndim):
                    break
            else:
                return fields
        taken = take(value)
        right.update([field.dtype for field in taken])
        return taken

    return take_tensors


def _brief_shape(take: Take, _param: Param) -> Take:
    return lambda value: value.values if type(value) is ShapeValue else take(value)


def _brief_prim(take: Take, param: Param) -> Take:
    usual = (int,) if param.dtypes else (int, float)
    return lambda value: value if type(value) in usual else take(value)


def _brief_prims(take: Take, _param: Param) -> Take:
    def take_prims(value: Any) -> Any:
        if type(value) is tuple and value:
            fields: tuple[Any, ...] = value  # pyright: ignore[reportUnknownVariableType]
            for field in fields:
                if type(field) is not int:
                    break
            else:
                return fields
        return take(value)

    return take_prims


_BRIEFLY: dict[str, Callable[[Take, Param], Take]] = {
    "tensor": _brief_tensor,
    "tensors": _brief_tensors,
    "shape": _brief_shape,
    "prim": _brief_prim,
    "prims": _brief_prims,
}


def _argument(operator: Signature, param: Param, index: int, value: Any) -> Any:
    if param.optional and _left_out(value):
        return None
    taken = _TAKE[param.kind](param, value)
    if taken is _WRONG:
        wanted = WORDS[param.kind]
        raise bad_argument(
            f"argument {index + 1} of {operator.name} must be {wanted}, not {_describe(value)}",
            argument=index,
        )
    return taken


def _left_out(value: object) -> bool:
    """Tell whether an argument stands for none: it is missing, or written `()`."""
    return value is None or (isinstance(value, tuple) and not value)


_WRONG = object()


def _tensor(param: Param, value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        return _WRONG
    if param.ndim is not None and value.ndim != param.ndim:
        raise bad_argument(
            f"`{param.name}` must have rank {param.ndim}, not {value.ndim}", argument=param.name
        )
    if param.dtypes:
        members, words = CLASSES[param.dtypes]
        name = name_of(value.dtype)
        if name not in members:
            raise bad_dtype(name, words, param.name)
    return value


def _tensors(param: Param, value: Any) -> Any:
    if not isinstance(value, tuple):
        return _WRONG
    for field in value:  # pyright: ignore[reportUnknownVariableType]
        if _tensor(param, field) is _WRONG:
            return _WRONG
    return value  # pyright: ignore[reportUnknownVariableType]


def _shape(_param: Param, value: Any) -> Any:
    return value.values if isinstance(value, ShapeValue) else _WRONG


def _prim(param: Param, value: Any) -> Any:
    if isinstance(value, np.generic) and not isinstance(value, np.float16 | np.float32 | np.float64):
        value = value.item()
    if isinstance(value, np.ndarray) or not isinstance(value, bool | int | float | np.floating):
        return _WRONG
    if param.dtypes == "int" and (isinstance(value, bool) or not isinstance(value, int)):
        raise bad_argument(f"`{param.name}` must be an integer, not {_describe(value)}", argument=param.name)
    return value


def _prims(param: Param, value: Any) -> Any:
    if isinstance(value, ShapeValue):
        value = value.values
    if not isinstance(value, tuple):
        return _WRONG
    taken = [_prim(param, field) for field in value]  # pyright: ignore[reportUnknownVariableType]
    return _WRONG if _WRONG in taken else tuple(taken)


def _tuple(_param: Param, value: Any) -> Any:
    return value if isinstance(value, tuple) else _WRONG  # pyright: ignore[reportUnknownVariableType]


def _anything(_param: Param, value: Any) -> Any:
    return value


_TAKE: dict[str, Callable[[Param, Any], Any]] = {
    "tensor": _tensor,
    "tensors": _tensors,
    "shape": _shape,
    "prim": _prim,
    "prims": _prims,
    "tuple": _tuple,
    "callee": _anything,
    "any": _anything,
}


def _describe(value: object) -> str:
    if isinstance(value, bool):
        return "a bool"
    if isinstance(value, int):
        return "an integer"
    if isinstance(value, float):
        return "a fraction"
    return "nothing" if value is None else kind_of(value)


def as_value(result: Any) -> Any:
    """Return arrays as they are; NumPy gives scalars where the rank is 0, the language has tensors."""
    if isinstance(result, np.ndarray):
        return result
    if isinstance(result, np.generic):
        return np.asarray(result)
    if isinstance(result, tuple):
        return tuple([as_value(field) for field in result])  # pyright: ignore[reportUnknownVariableType]
    return result
