"""Calls of an operator as a program holds them: attributes filled in, and what fitted before is known. [OP.9]

`bind` returns the function that one place of a program calls again and again. It is Python code
generated for a signature, which compares the arguments with those of the last call: for a planned kernel the same
dtypes, shapes and scalars, for any other the same dtypes and ranks. If so it calls what was found to be right; if not,
all checks are made, and `_Again` remembers. For `tensor` and `shape` and a planned kernel it is

    def call(v0, v1):
        nonlocal last
        d0, s0, k1, run = last
        if type(v0) is ndarray and v0.dtype is d0 and v0.shape == s0 and type(v1) is ShapeValue and v1.values == k1:
            try:
                return run(v0)
            except Exception as error:
                fail(error)
        result, last = again(v0, v1)
        return result

`last` is one tuple, so that threads never see half of an update.
"""

from __future__ import annotations

from functools import partial
from operator import attrgetter

from relax_lang.ops.calls.evaluate import as_failure, as_value, checked
from relax_lang.ops.core import lazy_numpy as np
from relax_lang.ops.core.dtypes import numpy_dtype
from relax_lang.ops.core.specialization import TensorSpec
from relax_lang.ops.numpy_kernels.ufuncs import BINARY, UNARY
from relax_lang.values import ShapeValue

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, NoReturn

    from relax_lang.ops.core.operator import Operator
    from relax_lang.ops.core.signature import Param, Signature
    from relax_lang.ops.core.specialization import Run
    from relax_lang.ops.numpy_kernels.ufuncs import Ufunc

    Call = Callable[..., Any]
    Ask = Callable[[Sequence[Any]], object]

_MOST_PLANS = 64
"""The number of combinations of dtypes, shapes and scalars that a call remembers."""
_NEVER = object()
"""Remembered before the first call: equal to no argument."""


def bind(operator: Operator, options: Mapping[str, Any], ask: Ask | None = None) -> Call:
    """Return the function that runs one call of an operator with the attributes that `Operator.options` returned.

    It takes the positional arguments, of which `Operator.check_arity` allowed the number, checks and remembers them,
    and raises nothing but RunFailure. `ask` is called with the arguments before the kernel, and may raise. The caller
    turns NumPy's warnings off.
    """
    make = operator.make_calls
    if make is None:
        kernel = operator.kernel
        make = (
            partial(_refuse, operator) if kernel is None else Kernel(operator, kernel, operator.planned).bind
        )
        operator.make_calls = make
    return make(options, ask)


def _refuse(operator: Operator, _options: object, _ask: object) -> Call:
    """Return what a call of an operator without a kernel does."""

    def refuse(*_args: object) -> NoReturn:
        raise TypeError(f"{operator.name}: only a running program can call functions")

    return refuse


class Kernel:
    """What all calls of an operator share: the kernel, whether it makes plans, and the factory of `call`."""

    __slots__ = ("_made", "_nothing", "_ufunc", "function", "operator", "planned", "tensors")

    def __init__(self, operator: Signature, function: Call, planned: bool) -> None:
        self.operator = operator
        self.function = function
        self.planned = planned
        params = operator.params
        self.tensors = [at for at, param in enumerate(params) if param.kind in ("tensor", "tensors")]
        plain = [param for param in params if param.kind in _KINDS and not param.variadic]
        known = len(plain) == len(params) and not (
            planned and [param for param in params if param.kind == "any"]
        )
        self._made = _maker(params, planned) if known else None
        self._nothing = (_NEVER,) * sum([2 if param.kind == "tensor" else 1 for param in params])
        ufunc = (BINARY if len(params) == 2 else UNARY).get(operator.name)
        self._ufunc = None if ufunc is None or ufunc.after else _direct(ufunc, len(params))

    def bind(self, options: Mapping[str, Any], ask: Ask | None = None) -> Call:
        """Return the function that makes all checks of a call and runs it; it takes the positional arguments.

        Where a plan is remembered, `ask` is called for each combination of dtypes and shapes that is new, else always.
        """
        remembering = self.planned and self._ufunc is None
        again = _Again(self, options, ask if remembering else None)
        if self._made is None:
            call = again.always
        else:
            # A kernel without a plan runs whatever the signature allows, and of some kinds that is all that is asked.
            call = self._made(again, again.fail, (*self._nothing, _NEVER if self.planned else again.plain))
            call = call if self._ufunc is None else self._ufunc(call)
        return call if ask is None or remembering else _asking(ask, call)


def _asking(ask: Ask, call: Call) -> Call:
    def ask_and_call(*args: Any) -> Any:
        ask(args)
        return call(*args)

    return ask_and_call


def plan(kernel: Call, args: Sequence[Any], options: Mapping[str, Any]) -> Run:
    """Return what runs a planned kernel on arguments that fit the signature; tensors may be `TensorSpec` only."""
    return kernel(*[_spec(arg) for arg in args], **options)


def _spec(arg: Any) -> Any:
    if isinstance(arg, np.ndarray):
        return TensorSpec(arg.dtype, arg.shape)
    if isinstance(arg, tuple):
        return tuple([_spec(field) for field in arg])  # pyright: ignore[reportUnknownVariableType]
    return arg


class _Again:
    """What a call does whose arguments are other ones than before: checks, plans, runs, and what to remember."""

    __slots__ = ("_ask", "_kernel", "_options", "_plans", "plain")

    def __init__(self, kernel: Kernel, options: Mapping[str, Any], ask: Ask | None) -> None:
        self._kernel = kernel
        self._options = options
        self._ask = ask
        self._plans: dict[Any, Run] = {}
        self.plain = partial(kernel.function, **options) if options else kernel.function

    def always(self, *args: Any) -> Any:
        """Evaluate a call of an operator for which nothing is remembered."""
        return self(*args)[0]

    def __call__(self, *args: Any) -> tuple[Any, tuple[Any, ...]]:
        """Evaluate a call; return the result, and what is to be remembered of the arguments."""
        try:
            values = checked(self._kernel.operator, args)
            if self._kernel.planned:
                result, run = self._planned(args, values)
            else:
                run = self.plain
                result = as_value(run(*values))
        except Exception as error:
            self.fail(error)
        return result, (*self._seen(values), run)

    def _seen(self, values: Sequence[Any]) -> list[Any]:
        describe = _DESCRIBE[self._kernel.planned]
        seen: list[Any] = []
        for param, value in zip(self._kernel.operator.params, values, strict=False):
            if param.kind == "tensor":
                seen += (None, None) if value is None else (value.dtype, value.shape)
            elif param.kind == "tensors" and value is not None:
                seen.append(tuple(map(describe, value)))
            else:
                seen.append(None if param.kind == "any" else value)  # nothing else may keep it alive
        return seen

    def fail(self, error: Exception) -> NoReturn:
        """Raise what an exception out of a kernel means."""
        failure = as_failure(self._kernel.operator, error)
        raise failure from failure.__cause__

    def _planned(self, args: Sequence[Any], values: Sequence[Any]) -> tuple[Any, Run]:
        key = tuple([_key(value) for value in values])
        run = self._plans.get(key)
        tensors = [values[at] for at in self._kernel.tensors]
        if run is not None:
            return run(*tensors), run
        if self._ask is not None:
            self._ask(args)
        run = plan(self._kernel.function, values, self._options)
        found = run(*tensors)
        result = as_value(found)
        if result is not found and not _same_fields(result, found):
            run = _converting(run)
        if len(self._plans) >= _MOST_PLANS:
            for oldest in [*self._plans][:1]:  # none, if another thread was here at the same time
                self._plans.pop(oldest, None)
        self._plans[key] = run
        return result, run


def _same_fields(result: Any, found: Any) -> bool:
    """Return whether two tuples have the same values."""
    return isinstance(found, tuple) and all(map(_is_same, result, found))  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def _is_same(one: Any, other: Any) -> bool:
    return one is other or (isinstance(other, tuple) and _same_fields(one, other))


def _converting(run: Run) -> Run:
    """Return what makes tensors of the scalars that NumPy gives where the rank is 0: always so for these shapes."""
    return lambda *tensors: as_value(run(*tensors))


def _key(value: Any) -> Any:
    """Return what of an argument decides about a plan: numbers by type and text, as 1, 1.0 and true are equal."""
    if isinstance(value, np.ndarray):
        return value.dtype, value.shape
    if isinstance(value, tuple):
        return tuple([_key(field) for field in value])  # pyright: ignore[reportUnknownVariableType]
    return type(value), repr(value)


# The text of `call`.

_KINDS: dict[str, tuple[str, str, str]] = {
    "tensor": (
        "d# s#",
        "type(v#) is ndarray and v#.dtype is d# and v#.shape == s#",
        "type(v#) is ndarray and v#.dtype is d#",
    ),
    "tensors": (
        "s#",
        "type(v#) is tuple and tuple(map(describe, v#)) == s#",
        "type(v#) is tuple and v# and tuple(map(describe, v#)) == s#",
    ),
    "shape": (
        "s#",
        "type(v#) is ShapeValue and v#.values == s#",
        "type(v#) is ShapeValue",
    ),
    "prim": (
        "s#",
        "(v# is s# or type(v#) is int is type(s#) and v# == s#)",
        "(type(v#) is int or type(v#) is float)",
    ),
    "prims": (
        "s#",
        "(v# is s# or type(v#) is tuple and v# == s# and {*map(type, v# + s#)} <= integers)",
        "type(v#) is tuple and v# and {*map(type, v#)} <= integers",
    ),
    "any": ("s#", "False", "True"),
}
"""Kind of parameter: what is remembered of argument number #, and when that fits: for planned kernels, for others."""

_DESCRIBE = {
    True: attrgetter("__class__", "dtype", "shape"),
    False: attrgetter("__class__", "dtype", "ndim"),
}
"""What is compared of each tensor in a tuple, for planned kernels and for others."""

_MADE: dict[tuple[Any, ...], Call] = {}


def _maker(params: Sequence[Param], planned: bool) -> Call:
    """Return the function that makes `call` for one place of a program."""
    key = (planned, *[(param.kind, param.optional, param.ndim, param.dtypes == "int") for param in params])
    make = _MADE.get(key)
    if make is None:
        namespace: dict[str, Any] = {
            "ndarray": np.ndarray,
            "ShapeValue": ShapeValue,
            "as_value": as_value,
            "describe": _DESCRIBE[planned],
            "integers": {int},
            "never": _NEVER,
            "unit": (),
        }
        exec(compile(_text(params, planned), "<call of an operator>", "exec"), namespace)
        make = _MADE[key] = namespace["make"]
    return make


def _text(params: Sequence[Param], planned: bool) -> str:
    """Return the text of a function that makes `call`."""
    numbers = range(len(params))
    given = ", ".join([f"v{at}=None" for at in numbers])
    remembered = [_KINDS[param.kind][0].replace("#", str(at)) for at, param in enumerate(params)]
    conditions = [_condition(param, at, planned) for at, param in enumerate(params)]
    fits = " and ".join(conditions) or ("run is not never" if planned else "True")
    tuples = [param for param in params if param.kind == "tensors"]
    asked = [f"        if {fits}:"]
    if tuples:
        asked = [
            "        try:",
            f"            fits = {fits}",
            "        except AttributeError:  # not all of them are tensors",
            "            fits = False",
            "        if fits:",
        ]
    if planned:
        handed = ", ".join([f"v{at}" for at in numbers if params[at].kind in ("tensor", "tensors")])
        run = [f"                return run({handed})"]
    else:
        handed = ", ".join([_handed(param, at) for at, param in enumerate(params)])
        run = [
            f"                result = run({handed})",
            "                return result if type(result) is ndarray else as_value(result)",
        ]
    lines = [
        "def make(again, fail, last):",
        f"    def call({given}):",
        "        nonlocal last",
        *[f"        v{at} = None if v{at} is unit else v{at}" for at in numbers if params[at].optional],
        f"        {', '.join([*' '.join(remembered).split(), 'run'])}{'' if params else ','} = last",
        *asked,
        "            try:",
        *run,
        "            except Exception as error:",
        "                fail(error)",
        f"        result, last = again({', '.join([f'v{at}' for at in numbers])})",
        "        return result",
        "    return call",
    ]
    return "\n".join(lines)


def _condition(param: Param, at: int, planned: bool) -> str:
    _, exactly, roughly = _KINDS[param.kind]
    text = exactly if planned else roughly
    if not planned and param.ndim is not None and param.kind == "tensor":
        text += f" and v#.ndim == {param.ndim}"
    if not planned and param.kind == "prim" and param.dtypes == "int":
        text = "type(v#) is int"
    if param.optional and not planned:
        text = f"(v# is None or {text})"
    elif param.optional and param.kind not in ("prim", "prims"):  # where None is a value like others
        text = f"(s# is None if v# is None else {text})"
    return text.replace("#", str(at))


def _handed(param: Param, at: int) -> str:
    if param.kind != "shape":
        return f"v{at}"
    return f"v{at} and v{at}.values" if param.optional else f"v{at}.values"


# NumPy's own functions.


def _direct(ufunc: Ufunc, count: int) -> Callable[[Call], Call]:
    """Return what makes, of a `call`, one that calls NumPy's function where that does all that the kernel does."""
    function, dtypes = getattr(np, ufunc.function), {numpy_dtype(name) for name in ufunc.dtypes}
    make = _binary if count == 2 else _unary
    return lambda call: make(call, function, dtypes)


def _unary(call: Call, function: Call, dtypes: set[Any]) -> Call:
    ndarray = np.ndarray
    dtype: Any = None

    def call_directly(x: Any) -> Any:
        nonlocal dtype
        if type(x) is ndarray and x.dtype is dtype:
            try:
                result = function(x)
                return result if type(result) is ndarray else as_value(result)
            except Exception:  # `call` reports it
                pass
        elif type(x) is ndarray and x.dtype in dtypes:
            dtype = x.dtype
            return call_directly(x)
        return call(x)

    return call_directly


def _binary(call: Call, function: Call, dtypes: set[Any]) -> Call:
    ndarray = np.ndarray
    dtype: Any = None

    def call_directly(x1: Any, x2: Any) -> Any:
        nonlocal dtype  # which another thread may change: it is read once
        if type(x1) is ndarray and type(x2) is ndarray and x1.dtype is dtype is x2.dtype:
            try:
                result = function(x1, x2)
                return result if type(result) is ndarray else as_value(result)
            except Exception:  # incompatible shapes: `call` reports them
                pass
        elif type(x1) is ndarray and type(x2) is ndarray and x1.dtype is x2.dtype and x1.dtype in dtypes:
            dtype = x1.dtype
            return call_directly(x1, x2)
        return call(x1, x2)

    return call_directly
