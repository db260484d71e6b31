"""What surrounds a kernel: checks of the arguments by the signature, conversion of the result, failures of exceptions.

`calls.call_cache` combines them. Every error becomes a `RunFailure`, also an exception of NumPy's.
"""

from __future__ import annotations

from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.core.attributes import arity_problem
from relax_lang.ops.core.dtypes import CLASSES, name_of
from relax_lang.ops.core.errors import OpError, bad_argument, bad_dtype
from relax_lang.ops.core.signature import WORDS
from relax_lang.values import RunFailure, ShapeValue, kind_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from relax_lang.ops.core.signature import Param, Signature


def checked(operator: Signature, args: Sequence[Any]) -> list[Any]:
    """Return the arguments of a call as a kernel gets them; None for each that is left out. [OP.2] [OP.3]

    Raises OpError for what the signature does not allow.
    """
    params = operator.params
    variadic = bool(params) and params[-1].variadic
    count = len(params) - variadic
    if len(args) < count or (len(args) > count and not variadic):
        args = _completed(operator, args, count)
    last = len(params) - 1
    return [_argument(operator, params[min(at, last)], at, arg) for at, arg in enumerate(args)]


def as_failure(operator: Signature, error: Exception) -> RunFailure:
    """Return the failure that an exception out of a kernel is. [OP.9]"""
    if isinstance(error, RunFailure):
        return error
    if isinstance(error, OpError):
        return _failure(operator, error)
    if isinstance(error, MemoryError):
        return RunFailure("out-of-memory", f"{operator.name}: {error or 'no memory left'}")
    message = f"{operator.name}: {type(error).__name__}: {error}"
    failure = RunFailure("op-runtime-value", message, operator=operator.name)
    failure.__cause__ = error
    return failure


def _failure(operator: Signature, refusal: OpError) -> RunFailure:
    """Turn a kernel's refusal into the failure of the program."""
    facts = {"operator": operator.name, **refusal.facts}
    # The author's own words, and messages that name the operator already, stay as they are.
    whole = refusal.slug in ("arity", "assertion-failed") or refusal.message.startswith("argument ")
    shown = refusal.message if whole else f"{operator.name}: {refusal.message}"
    failure = RunFailure(refusal.slug, shown)
    failure.facts.update(facts)
    return failure


def _completed(operator: Signature, args: Sequence[Any], count: int) -> Sequence[Any]:
    """Check the number of arguments; fill up those that are left out. [OP.2]"""
    problem = arity_problem(operator, len(args), ())
    if problem is not None:
        raise OpError(problem.slug, problem.message)
    return [*args, *[None] * (count - len(args))]


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
    """Return whether an argument is left out: it is missing, or written `()`."""
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
    if {*map(type, value)} <= {int}:  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        return value  # pyright: ignore[reportUnknownVariableType]
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


def plain_value(result: Any) -> Any:
    """Return what a function of the user returned as a value: arrays in it are plain ones."""
    if isinstance(result, tuple):
        return tuple([plain_value(field) for field in result])  # pyright: ignore[reportUnknownVariableType]
    result = as_value(result)
    return plain_array(result) if isinstance(result, np.ndarray) else result


def plain_array(array: Any) -> Any:
    """Return an array that kernels can rely on.

    Subclasses of arrays (`numpy.matrix`, memory maps) are the plain arrays they hold, in the same memory; only
    elements in the byte order of another machine are copied.
    """
    plain = array if type(array) is np.ndarray else array.view(np.ndarray)
    return plain if plain.dtype.isnative else plain.astype(plain.dtype.newbyteorder("="))
